"""The playground with hostile texts, as examples, by links and in its editor: nothing runs, nothing is asked for."""

import base64
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from browser.playground_page import drawn
from exhaustive import exhaustive, few
from playground_bundle import shared_bundle

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.prompts.prompt import Json
from hostile.attacks import HTML, NAMES, TERMINAL, TEXTS
from hostile.commands import file_name
from hostile.sites import as_written, mkdocs_site
from hostile.watched import STRICT, Watched, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

POLICY = f"{STRICT}; script-src 'self' 'wasm-unsafe-eval'"
"""What the documentation asks of hosts. The page brings one of its own, and both hold."""
_TEXTS: Mapping[str, str] = {**HTML, **NAMES, **TERMINAL}
_FEW = {name: HTML[name] for name in ("script", "image", "attribute", "end of everything", "link that runs")}


def hash_of(given: Mapping[str, Json]) -> str:
    """What stands behind the address of the playground, for texts that somebody shares."""
    packed = zlib.compress(json.dumps({"v": 1, **given}).encode(), wbits=-15)
    return f"#code={base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def _line(text: str) -> str:
    return " ".join(text.splitlines())


def _spec(name: str, *texts: str) -> str:
    """A spec that says texts as strings and comments, and a fragment that they describe."""
    lines = [_line(text) for text in texts]
    strings = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    said = "\n".join(f'    S: {{ "{string}" }} // {line}' for string, line in zip(strings, lines, strict=True))
    about = "".join(f"// {line}\n" for line in lines)
    return (
        f"// title: {lines[0]}\n{about}{name}[@T]: {{\n{said}\n    U: {{ Frag Part[env.q[@T]] }}\n}}\n"
        f"{about}StrFrag Part[x]: {{\n    $x\n}}\n"
    )


def _state(*texts: str) -> str:
    step: Json = {"env": {"q": [*texts], "r": dict.fromkeys(texts, "x")}}
    return json.dumps({"acdl_state": 1, "at": 1, "steps": {"1": step}, **dict.fromkeys(texts, 1)})


def everything(texts: Mapping[str, str]) -> Mapping[str, Json]:
    """All texts in all places of a link."""
    values = tuple(texts.values())
    return {
        "text": _spec("All", *values),
        "state": _state(*values),
        "old": _spec("All", *(f"before {text}" for text in values)),
        "files": dict.fromkeys(values, values[0]),
        **dict.fromkeys(("spec", "range", "at", "title", "__proto__", "constructor"), values[0]),
    }


def open_hash(window: Watched, words: str) -> None:
    """Follow a link of the page to itself."""
    window.page.evaluate("words => { location.hash = words; }", words)


def look_at_views(window: Watched) -> None:
    """Open everything that is beside the text, and ask what its words are."""
    page = window.page
    page.locator("#changes .verdict").wait_for()
    window.find("changes")
    for tab, shown in (
        ("sent", ".acdl-sent-message"),
        ("words", "text=All"),
        ("outline", "li"),
        ("figure", "svg:visible"),
    ):
        page.locator(f"#tab-{tab}").click()
        page.locator(f"#{tab} >> {shown}").first.wait_for()
        window.find(tab)
    page.locator("#panel-spec .cm-content").click()
    page.keyboard.press("Control+End")
    page.locator("#panel-spec .cm-line", has_text="StrFrag Part").locator("text=Part").first.hover()
    page.locator(".cm-tooltip-hover .hover").wait_for()
    window.find("what a word is")
    page.keyboard.insert_text("\nMore[@T]: { U: { Frag ")
    page.keyboard.press("Control+ ")
    page.locator(".cm-tooltip-autocomplete").wait_for()
    window.find("what could follow")
    page.keyboard.press("Escape")


@pytest.mark.parametrize(
    ("files", "linked", "codes"), few([(_FEW, _FEW, _FEW), (_TEXTS, TEXTS, HTML)]), ids=["few", "all"]
)
def test_links(
    files: Mapping[str, str],
    linked: Mapping[str, str],
    codes: Mapping[str, str],
    browser: "Browser",
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`acdl playground` with files of such names and contents; then links with each text as a spec, a state, a code."""
    monkeypatch.chdir(tmp_path)
    shared_bundle()
    for number, text in enumerate(files.values()):
        name = file_name(text).replace("pwned", "taken")  # a window notes every address with that word
        path = Path("specs", str(number), f"{name}.acdl")
        path.parent.mkdir(parents=True)
        path.write_text(as_written(_spec(f"Example{number}", text)).replace("\0", ""), "utf-8")
    assert main(["playground", "out", "specs", "--name", HTML["end of everything"]]) == 0
    with served(tmp_path / "out", POLICY) as address:
        window = Watched(browser, address)
        page = window.page
        page.goto(address)
        drawn(page)
        options = page.locator("#examples option[value]:not([value=''])")
        assert options.count() == len(files)
        page.locator("#examples").select_option(index=len(files))
        last = max(range(len(files)), key=str)  # by the names of their folders
        page.locator("#figure svg:not(.acdl-narrow)", has_text=f"Example{last}").wait_for(state="attached")
        window.find("an example")
        open_hash(window, hash_of(everything(files)))
        look_at_views(window)
        for number, text in enumerate(linked.values()):
            odd = f"Odd{number}[@T]: {{\n    U: env.q[@n{number}]\n}}\n"
            open_hash(window, hash_of({"text": odd + text, "state": text, "old": text}))
            page.locator("#problems-list", has_text=f"nothing binds @n{number} here").wait_for()
            window.find(f"link {number}")
        for number, text in enumerate(codes.values()):
            open_hash(window, hash_of({"text": f"Fine{number}[@T]: {{ U: x }}"}))
            page.locator("#figure svg:not(.acdl-narrow)", has_text=f"Fine{number}").wait_for(state="attached")
            open_hash(window, f"#code={quote(text)}")
            page.locator("#notices", has_text="this link is not whole").wait_for()
        window.find("codes")
        window.close()
    assert window.happened == []


@exhaustive
def test_of_a_site(browser: "Browser", tmp_path: Path) -> None:
    """A site with `playground: true`: its pages, and the playground with their titles and specs in its menu."""
    shared_bundle()
    site = mkdocs_site(tmp_path, _FEW, has_titles=True, playground=True)
    out = site.root / "out"
    menu = json.loads((out / "playground/examples.json").read_text("utf-8"))
    keys = [each["key"] for group in menu["groups"] for each in group["examples"]]
    assert keys
    with served(out, POLICY) as address:
        window = Watched(browser, address)
        for number in range(len(_FEW)):
            window.look(f"page{number}/index.html")
        window.page.goto(f"{address}/playground/index.html#example={keys[0]}")
        drawn(window.page)
        for key in keys:
            window.page.locator("#examples").select_option(key)
            drawn(window.page)
            window.find(f"example {key}")
        window.close()
    assert window.happened == []

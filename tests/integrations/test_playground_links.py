"""Links into a playground that stands elsewhere: the same setting in every tool, the text in the link."""

import json
import re
import zlib
from base64 import urlsafe_b64decode
from html import unescape
from pathlib import Path

import pytest
from markdown import markdown

from acdl_mkdocs.foundation.errors import PlaygroundError
from acdl_mkdocs.frontends.docs.blocks.example import Example, code_of
from acdl_mkdocs.frontends.docs.settings import Settings, set_setting
from acdl_mkdocs.frontends.playground.bundle import Bundle
from integrations.mkdocs_site import Site
from integrations.sphinx_project import Project
from integrations.test_other_tools import build

AWAY = "https://example.org/play/"
FIGURE = "```acdl\nChat[@T]: { U: { Frag Greeting } }\n```\n"
FRAGMENT = "```acdl\nStrFrag Greeting: { HELLO }\n```\n"
DIFFERENCE = """```acdl-diff old=docs/files/old.acdl#Chat new=docs/files/new.acdl#Chat state=docs/files/a.yaml at=2
```
"""
OLD = """// acdl: range=inclusive, use "lib.acdl"
Other: { U: A }
StrFrag Own: { B }
Chat[@T]: { U: { Frag Own Frag Lib } }
"""
VARIANTS = """```acdl-variants
specs:
  - {spec: docs/files/old.acdl#Chat, name: before}
  - {spec: docs/files/new.acdl#Chat, name: after}
base: before
```
"""
GALLERY = "```acdl-gallery kinds=all\n```\n"
STATE = 'acdl_state: 1\nat: "*"\nsteps: {1: {env: {q: a}}, 2: {env: {q: b}}}\n'
_LINK = re.compile(r'<a class="acdl-open" href="([^"]*)"[^>]*>([^<]*)</a>')


def links(html: str) -> list[tuple[str, dict[str, object]]]:
    """Address and content of every link into a playground."""
    found = []
    for href, _ in _LINK.findall(html):
        address, code = unescape(href).split("#code=")
        packed = urlsafe_b64decode(code + "=" * (-len(code) % 4))
        found.append((address, json.loads(zlib.decompress(packed, -zlib.MAX_WBITS))))
    return found


def pages(write: "Site | Project") -> None:
    """Files that pages compare."""
    write.write("docs/files/old.acdl", OLD)
    write.write("docs/files/new.acdl", OLD.replace("Frag Own ", 'env.q[@T] "x" '))
    write.write("docs/files/lib.acdl", "StrFrag Lib: { C }\n")
    write.write("docs/files/a.yaml", STATE)


def test_all_that_an_example_has() -> None:
    """Fields that are empty are left out; the same example is the same link."""
    example = Example("A", "A: {}\n", {"1-b.acdl": "é"}, "acdl_state: 1\n", "2", "old", "A", "inclusive")
    assert code_of(example) == code_of(example)
    (_, said), *_ = links(f'<a class="acdl-open" href="x#code={code_of(example)}">y</a>')
    assert said == {
        "v": 1, "text": "A: {}\n", "files": {"1-b.acdl": "é"}, "state": "acdl_state: 1\n", "at": "2", "old": "old",
        "spec": "A", "range": "inclusive",
    }  # fmt: skip
    (_, least), *_ = links(f'<a class="acdl-open" href="x#code={code_of(Example("", "A"))}">y</a>')
    assert least == {"v": 1, "text": "A"}


@pytest.mark.parametrize(
    ("value", "kept"), [(AWAY, AWAY), ("play/", "play/"), (False, ""), ("off", ""), ("/play/", "/play/")]
)
def test_setting(value: object, kept: str) -> None:
    """An address of the web or of the site; words for no make no links."""
    assert set_setting(Settings(), "playground", value).playground == kept


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (True, "nothing builds one here; write one with `acdl playground DIR`, and give its address"),
        ("on", "nothing builds one here"),
        ("javascript:alert(1)", "expected an address that begins with `https://`"),
        (3, "expected `true` or `false`"),
    ],
)
def test_wrong_setting(value: object, words: str) -> None:
    """What cannot be says what can."""
    with pytest.raises(ValueError, match=re.escape(words)):
        set_setting(Settings(), "playground", value)


def test_plain_markdown() -> None:
    """The extension alone: the address as it is given; without the setting, nothing."""
    configs: dict[str, dict[str, object]] = {"acdl": {"playground": AWAY}}
    html = markdown(FIGURE + FRAGMENT, extensions=["acdl"], extension_configs=configs)
    (address, chat), (_, fragment) = links(html)
    assert (address, chat["text"]) == (AWAY, "Chat[@T]: { U: { Frag Greeting } }\n")
    assert list(chat["files"].values()) == [fragment["text"]]  # type: ignore[attr-defined]
    without = markdown(FIGURE + FRAGMENT, extensions=["acdl"])
    assert without == _LINK.sub("", html)


@pytest.mark.parametrize(("has_folders", "up"), [(True, "../../play/"), (False, "../play/")])
def test_mkdocs(site: Site, has_folders: bool, up: str) -> None:
    """Every figure, card, side and variant, with what it takes from other files; no playground is built."""
    pages(site)
    site.config["use_directory_urls"] = has_folders
    site.options["playground"] = "play/"
    site.write("docs/guide/all.md", f"# All\n\n{FIGURE}\n{DIFFERENCE}\n{VARIANTS}\n{GALLERY}")
    site.build(strict=False)
    html = site.html("guide/all/index.html" if has_folders else "guide/all.html")
    found = links(html)
    assert {address for address, _ in found} == {up}
    said = [each for _, each in found]
    difference = next(each for each in said if "state" in each)
    assert (difference["at"], difference["spec"], difference["state"]) == ("2", "Chat", STATE)
    pragma, own, chat = str(difference["old"]).split("\n\n")
    assert (pragma, own) == ('// acdl: range=inclusive, use "lib.acdl"', "StrFrag Own: { B }")
    assert chat == "Chat[@T]: { U: { Frag Own Frag Lib } }\n"
    assert "Own" not in str(difference["text"])
    assert list(difference["files"].values()) == ["StrFrag Lib: { C }\n"]  # type: ignore[attr-defined]
    first, second = said[said.index(difference) + 1 :][:2]
    assert first["text"] == second["old"] == difference["old"]
    assert ("old" in first, second["text"]) == (False, difference["text"])
    named = re.findall(r'aria-label="(Open [^"]*) in playground"', html)
    assert named == ["Open before", "Open after"]
    assert {"Chat[@T]", "StrFrag Greeting[@t]"} <= {str(each["text"]).partition(":")[0] for each in said}
    assert not (site.root / "out/playground").exists()


def test_zensical(tmp_path: Path) -> None:
    """An address without a host is meant from the home page, also where the tool makes addresses of paths."""
    for name, text in {"index": FIGURE, "guide/fragment": f"{FRAGMENT}\n{GALLERY}"}.items():
        file = tmp_path / "docs" / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {name}\n\n{text}")
    config = "site_name: x\nmarkdown_extensions:\n  - acdl:\n      playground: play/\n"
    for has_folders, path, up in (
        (True, "guide/fragment/index.html", "../../play/"),
        (False, "guide/fragment.html", "../play/"),
    ):
        result = build("zensical", tmp_path, f"{config}use_directory_urls: {str(has_folders).lower()}\n")
        assert result.returncode == 0, result.stderr
        home, below = (links((tmp_path / "site" / each).read_text("utf-8")) for each in ("index.html", path))
        assert [address for address, _ in home] == ["play/"]
        assert home[0][1]["files"], "the fragment of another page goes along"
        assert [address for address, _ in below] == [up] * 3


@pytest.mark.parametrize(
    ("builder", "path", "up"),
    [
        ("html", "guide/all.html", "../play/"),
        ("dirhtml", "guide/all/index.html", "../../play/"),
        ("singlehtml", "index.html", "play/"),
    ],
)
def test_sphinx(builder: str, path: str, up: str, project: Project) -> None:
    """Figures, differences, variants and cards of HTML; nothing for books and text."""
    pages(project)
    project.conf('acdl = {"playground": "play/"}')
    project.write("index.md", "# Home\n\n```{toctree}\nguide/all\n```\n")
    project.write("guide/all.md", f"# All\n\n{FIGURE}\n{FRAGMENT}\n{DIFFERENCE}\n{VARIANTS}\n{GALLERY}")
    result = project.build(builder)
    assert result.code == 0, result.warned
    found = links(result.read(path))
    assert [address for address, _ in found] == [up] * 7
    assert found[0][1]["files"]
    assert "old" in found[2][1]
    assert [each["text"] for _, each in found[5:]] == [found[0][1]["text"], found[1][1]["text"]]


@pytest.mark.parametrize("builder", ["text", "epub", "latex"])
def test_sphinx_without_links(builder: str, project: Project) -> None:
    """What is not a page of a site has no links into one."""
    project.conf(f'acdl = {{"playground": "{AWAY}"}}')
    project.write("index.md", f"# Home\n\n{FIGURE}\n{FRAGMENT}")
    result = project.build(builder)
    made = [each.read_text("utf-8") for each in result.out.rglob("*") if each.suffix in (".txt", ".xhtml", ".tex")]
    assert made
    assert not any("playground" in each or AWAY in each for each in made)


def test_sphinx_builds_one(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """`True` gives the site one; figures of all pages are its menu, and lead back to their pages."""
    from acdl_mkdocs.frontends.docs.sphinx import playground

    files = {"index.html": "<script src={{assets}}/main.js>", "main.js": "1"}
    for name, text in files.items():
        project.write(f"bundle/{name}", text)
    made = Bundle(project.folder / "bundle", "0123", dict.fromkeys(files, 1))
    monkeypatch.setattr(playground, "build_bundle", lambda *_: made)
    project.conf('acdl = {"playground": True}', 'exclude_patterns = ["bundle"]')
    project.write("index.md", f"# Home\n\n{FIGURE}\n```{{toctree}}\nguide/more\n```\n")
    project.write("guide/more.md", f"# More\n\n{FRAGMENT}")
    result = project.build()
    assert (result.code, result.warned) == (0, "")
    assert links(result.read("guide/more.html"))[0][0] == "../playground/index.html"
    assert result.read("playground/0123/main.js") == "1"
    menu = json.loads(result.read("playground/examples.json"))["groups"]
    assert [(each["title"], each["examples"][0]["title"]) for each in menu] == [("More", "Greeting"), ("Home", "Chat")]
    urls = [json.loads(result.read(f"playground/examples/{each['examples'][0]['key']}.json"))["url"] for each in menu]
    assert urls == ["../guide/more.html#Greeting", "../index.html#Chat"]

    def fail(*_: object) -> Bundle:
        raise PlaygroundError("there is no Node.js")

    monkeypatch.setattr(playground, "build_bundle", fail)
    failed = project.build()
    assert failed.code != 0
    assert "there is no Node.js" in failed.warned

"""Sites of hostile texts in a reader's browser: nothing runs, nothing is asked of others, the strict policy holds."""

import json
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from browser.strict_server import ASSETS, page_of
from exhaustive import exhaustive, few
from integrations.mkdocs_site import Site
from integrations.sphinx_project import Project
from markdown import Markdown

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.playbook.model.bullets import Playbook, Section
from acdl_mkdocs.playbook.model.curate import curate, curation_of
from acdl_mkdocs.playbook.model.delta import delta_of
from acdl_mkdocs.playbook.store import create, load, update
from acdl_mkdocs.playbook.store.load import get_usable_playbook
from acdl_mkdocs.prompts.prompt import Json
from hostile.attacks import HTML, NAMES, TERMINAL
from hostile.sites import MATERIAL, TEMPLATE, Files, as_written, mkdocs_site, sphinx_site
from hostile.surfaces import page
from hostile.watched import STRICT, Watched, policy_of, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

_TEXTS: Mapping[str, str] = {
    **HTML,
    **{name: NAMES[name] for name in ("prototype", "location")},
    "bidi": TERMINAL["direction"],
}
_FEW = {
    name: HTML[name]
    for name in (
        "script",
        "image",
        "attribute",
        "end of everything",
        "link that runs",
        "style",
        "Markdown",
        "directives",
    )
}
"""One of each kind, while people wait, and for tools that draw with the same code and only put it into another page."""
_TIME = "2026-01-01T00:00:00Z"
_HARMLESS = {"harmless": "harmless"}
_SAVED_PNG = re.compile(
    r"\S+\.html: console: (?:Loading the image 'data:image/svg\+xml,%3Csvg.*|violates img-src data)\Z", re.DOTALL
)
"""A reader who saves a figure as PNG is told that the policy forbids it."""
_STYLE_OF_FILE = re.compile(
    r"\S+\.svg: console: (?:Applying inline style violates .*|violates style-src-elem inline)\Z", re.DOTALL
)


@pytest.fixture(autouse=True)
def _without_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACDL_NO_CACHE", "1")


def pages_of(folder: Path, *patterns: str) -> list[str]:
    """Files of a site by their paths."""
    return sorted(path.relative_to(folder).as_posix() for each in patterns for path in folder.rglob(each))


def happened(browser: "Browser", folder: Path, paths: Iterable[str], policy: str = STRICT) -> list[str]:
    """What happened in a browser in which nothing may."""
    with served(folder, policy) as address:
        window = Watched(browser, address)
        for path in paths:
            window.look(path)
        window.close()
    return window.happened


def html_of(folder: Path) -> list[str]:
    """All pages of a site."""
    return [path.read_text("utf-8") for path in folder.rglob("*.html")]


def test_the_browser_notices(browser: "Browser", tmp_path: Path) -> None:
    """What is looked for is found where it is: a script that runs, a handler, a request to others, a frame, a style."""
    bad = {
        "<p>harmless</p>": "",
        "<script>window.pwned = 1</script>": "a text was run",
        '<p onclick="x()">a</p>': "onclick",
        "<img src=//pwned.example/a.png>": "pwned.example",
        '<a href="javascript:1">a</a>': "javascript:",
        '<p style="color: red">a</p>': "style",
        '<figure class="acdl"><iframe src="about:blank"></iframe></figure>': "iframe",
    }
    for number, (html, word) in enumerate(bad.items()):
        (tmp_path / f"{number}.html").write_text(f"<!doctype html><meta charset=utf-8><body><main>{html}</main>")
        policy = f"{STRICT} 'unsafe-inline'" if "<script>" in html else STRICT
        noticed = happened(browser, tmp_path, [f"{number}.html"], policy)
        assert (word in " ".join(noticed)) if word else noticed == [], (html, noticed)


@pytest.mark.parametrize("texts", few([_FEW, _TEXTS]), ids=["few", "all"])
def test_mkdocs(texts: Mapping[str, str], browser: "Browser", tmp_path: Path) -> None:
    """With a theme that brings nothing inline, `default-src 'self'` holds for all pages and for figures as files.

    A file has a style sheet of its own, for fonts: blocking that leaves a complete figure. Saving PNG needs images that
    a page makes, which the policy forbids.
    """
    site = mkdocs_site(tmp_path, texts)
    out = site.root / "out"
    pages = pages_of(
        out, "page*/index.html", "playbooks/*/index.html", "specs/index.html", "Told*/index.html", "Told*-light.svg"
    )
    assert len(pages) > 3 * len(texts)
    noticed = happened(browser, out, pages)
    assert [each for each in noticed if not _STYLE_OF_FILE.match(each) and not _SAVED_PNG.match(each)] == []
    for path in pages_of(out, "*.json"):
        json.loads((out / path).read_text("utf-8"))


def _book_with_history(path: Path) -> None:
    """A playbook whose lessons, reasons, names and runs are the texts, as far as they may be, twice changed."""
    path.parent.mkdir(parents=True)
    create(path, Playbook("<b>&amp;kept", sections=(Section("general", as_written(HTML["script"])),)), time=_TIME)
    texts = [as_written(text) for text in _TEXTS.values()]
    _change(
        path,
        texts[0],
        [{"type": "ADD", "section": "general", "content": f"{n} {text}"} for n, text in enumerate(texts)],
    )
    ids = [each.id for each in get_usable_playbook(load(path)).bullets]
    _change(
        path,
        texts[1],
        [
            {"type": "UPDATE", "bullet_id": name, "content": f"{text} {name}", "reason": text}
            for name, text in zip(ids, texts, strict=False)
        ],
    )


def _change(path: Path, why: str, operations: list[Json]) -> None:
    delta = delta_of({"reasoning": why, "operations": operations})
    update(path, lambda book: curate(book, delta, curation_of(book, "<i>x</i>")), time=_TIME)


def test_changes_of_a_playbook(browser: "Browser", tmp_path: Path) -> None:
    """What scripts build of a history in the browser, and what feed readers get of it, is text."""
    site = Site(tmp_path, playbooks=["books/*.yaml"], llms=True)
    site.config["site_url"] = "https://a.example/"
    _book_with_history(tmp_path / "books" / "kept.yaml")
    site.write("theme/main.html", TEMPLATE)
    site.build(strict=False)
    out = tmp_path / "out"
    (home,), (changes,) = (pages_of(out, f"playbooks/*/{each}index.html") for each in ("", "changes/"))
    with served(out, STRICT) as address:
        window = Watched(browser, address)
        for path in (home, changes):
            window.look(path)
        window.page.goto(f"{address}/{changes}?from=1&to=2")
        window.page.locator(".acdl-compared ins").first.wait_for()
        assert window.page.locator(".acdl-compared li").count() > len(_TEXTS) / 2
        window.find("compared")
        window.close()
    assert window.happened == []
    folder = (out / home).parent
    entries = ElementTree.parse(folder / "feed.xml").findall(  # noqa: S314 - our own
        ".//{http://www.w3.org/2005/Atom}content"
    )
    items = [each["content_html"] for each in json.loads((folder / "feed.json").read_text("utf-8"))["items"]]
    assert [each.text for each in entries] == items
    assert len(items) == 3
    tags = set(re.findall(r"<([^\s/>]+)", "".join(items)))
    assert tags <= {"h3", "ul", "li", "a", "ins", "del", "code", "em", "strong", "small", "br"}
    assert all(each.startswith(("https://", "http://", "/")) for each in re.findall('href="([^"]*)"', "".join(items)))
    assert not re.search(r"<[^<>]*\s(?!href=)[\w-]+=", "".join(items))


@exhaustive
def test_material(browser: "Browser", tmp_path: Path) -> None:
    """With Material, only those scripts run that the theme brings itself, also when readers search."""
    harmless = mkdocs_site(tmp_path / "harmless", _HARMLESS, MATERIAL).root / "out"
    out = mkdocs_site(tmp_path / "hostile", _FEW, MATERIAL).root / "out"
    policy = policy_of(html_of(harmless))
    pages = pages_of(out, "page*/index.html", "Told*/index.html", "blog/index.html")
    assert happened(browser, out, pages, policy) == []
    excerpts = (out / "blog" / "index.html").read_text("utf-8")
    assert excerpts.count('class="acdl') > len(_FEW)
    with served(out, policy) as address:
        window = Watched(browser, address)
        window.page.goto(f"{address}/index.html")
        field = window.page.locator(".md-search__input")
        for words in ("pwned", "script", "told"):
            field.click()
            field.fill("")
            field.press_sequentially(words)  # Material searches when a key goes up
            window.page.locator(".md-search-result__item").first.wait_for()
        window.close()
    assert window.happened == []


@exhaustive
def test_sphinx(browser: "Browser", tmp_path: Path) -> None:
    """The same of Sphinx with MyST and furo."""
    harmless = sphinx_site(Project(tmp_path / "harmless"), _HARMLESS)
    texts = {name: text for name, text in _FEW.items() if name != "Markdown"}  # captions may have images and links
    built = sphinx_site(Project(tmp_path / "hostile"), texts)
    assert "Traceback" not in built.warned
    policy = policy_of(html_of(harmless.out))
    assert happened(browser, built.out, pages_of(built.out, "page*.html", "index.html"), policy) == []


@exhaustive
def test_plain_pages(browser: "Browser", tmp_path: Path) -> None:
    """The extension for Python-Markdown without a docs tool, and reports of runs as Markdown, in pages of their own."""
    out = tmp_path / "out"
    out.mkdir()
    for asset in ASSETS.iterdir():
        if asset.name.endswith((".css", ".js")):
            shutil.copy(str(asset), out)
    for number, text in enumerate(_FEW.values()):
        files = Files(tmp_path)
        markdown = page(text, number, files)
        html = Markdown(extensions=["acdl"], extension_configs={"acdl": {"root": str(tmp_path)}}).convert(markdown)
        (out / f"page{number}.html").write_text(page_of(html), "utf-8", "replace")
        files("told.acdl", "A[@T]: { S: RULES U: env.q[@T] }\n")
        report = tmp_path / "report.md"
        spec, run = (str(tmp_path / each) for each in ("told.acdl", f"runs/other{number}.jsonl"))
        main(["check-run", spec, run, "--format", "markdown", "-o", str(report)])
        told = Markdown(extensions=["fenced_code", "tables"]).convert(report.read_text("utf-8"))
        (out / f"report{number}.html").write_text(page_of(told), "utf-8")
    (out / "icon.png").touch()
    paths = pages_of(out, "*.html")
    assert len(paths) == 2 * len(_FEW)
    assert happened(browser, out, paths) == []


@pytest.mark.parametrize("format", few(["svg", "html"]))
def test_exports(format: str, browser: "Browser", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures, differences and prompts as files of their own, opened as documents."""
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "out"
    out.mkdir()
    for number, text in enumerate(_FEW.values()):
        line = text.replace("\n", " ").replace('"', '\\"')
        spec = f'// title: {line}\nA[@T]: {{ S: {{ "{line}" RULES }} // {line}\n U: env.q[@T] }}\n'
        Path("a.acdl").write_text(spec, "utf-8")
        Path("b.acdl").write_text(spec.replace("S:", "A:"), "utf-8")
        Path("a.yaml").write_text(
            json.dumps({"acdl_state": 1, "at": 1, "templates": {"RULES": text}, "steps": {"1": {"env": {"q": text}}}})
        )
        main(["render", "a.acdl", "--format", format, "-o", f"out/figure{number}.{format}"])
        main(["diff", "a.acdl", "b.acdl", "--format", format, "-o", f"out/diff{number}.{format}"])
        if format == "html":
            main(["unroll", "a.acdl", "--state", "a.yaml", "--format", "html", "-o", f"out/sent{number}.html"])
    paths = pages_of(out, f"*.{format}")
    assert len(paths) == len(_FEW) * (3 if format == "html" else 2)
    assert happened(browser, out, paths, f"{STRICT}; style-src 'self' 'unsafe-inline'; img-src 'self' data:") == []

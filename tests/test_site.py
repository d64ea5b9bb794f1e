"""The project's own site builds strictly, shows every example and fetches nothing."""

import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from own_site import ADDRESS, own_site

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse

ROOT = Path(__file__).parent.parent


class Page(HTMLParser):
    """What the tests ask about a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: Counter[str] = Counter()
        self.figure_ids: list[str] = []
        self.fetched: list[str] = []
        self.unsafe: list[str] = []
        self._figures = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note ids, addresses, and what must not be in a figure."""
        given = {name: value or "" for name, value in attrs}
        if tag == "figure" and "acdl" in given.get("class", "").split():
            self._figures += 1
            self.figure_ids += [given["id"]] if "id" in given else []
        if "id" in given:
            self.ids[given["id"]] += 1
        address = given.get("src") or (given.get("href", "") if tag == "link" else "")
        self.fetched += [address] if address and given.get("rel") != "canonical" else []
        if self._figures:
            self.unsafe += [tag] if tag in ("script", "style", "iframe", "foreignobject") else []
            self.unsafe += [name for name in given if name == "style" or name.startswith("on")]

    def handle_endtag(self, tag: str) -> None:
        """Leave a figure."""
        self._figures -= tag == "figure" and self._figures > 0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly and without the cache."""
    folder, text = own_site(tmp_path_factory)
    said = [line for line in text.splitlines() if line.startswith(("INFO", "WARNING"))]
    assert [line for line in said if ".md:" in line or ".acdl:" in line] == []
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    """The pages of the site by their addresses."""
    return {path.relative_to(site).as_posix(): Page(path.read_text("utf-8")) for path in site.rglob("*.html")}


def test_every_page_is_in_the_navigation(site: Path, pages: dict[str, Page]) -> None:
    """Each source page becomes a page that the home page leads to."""
    home = (site / "index.html").read_text("utf-8")
    sources = [path.relative_to(ROOT / "site_src").with_suffix("") for path in (ROOT / "site_src").rglob("*.md")]
    for source in sources:
        address = "index.html" if source.name == "index" else f"{source.as_posix()}/index.html"
        assert address in pages
        assert source.name == "index" or f'href="{source.as_posix()}/"' in home


def test_every_example_has_a_page(site: Path, pages: dict[str, Page]) -> None:
    """Each definition of each file has a page of its own with its figure, which the gallery and the navigation have."""
    entries = json.loads((site / "specs.json").read_text("utf-8").replace(ADDRESS, ""))
    shown = [each for each in (*entries["specs"], *entries["fragments"]) if each["file"].startswith("examples/")]
    examples = ROOT / "examples"
    files = [path for folder in ("", "pml", "agents", "turn") for path in (examples / folder).glob("*.acdl")]
    names = [name for path in files for name in analyse(Source(path.read_text("utf-8"))).resolved.definitions]
    assert sorted(each["name"] for each in shown) == sorted(names)
    gallery = (site / "specs" / "index.html").read_text("utf-8")
    for each in shown:
        assert each["name"] in pages[f"{each['url']}index.html"].figure_ids
        assert f'href="{each["url"].removeprefix("specs/")}"' in gallery


def test_nothing_is_fetched_from_elsewhere(pages: dict[str, Page]) -> None:
    """A reader's browser talks to the site only."""
    for name, page in pages.items():
        assert page.fetched
        assert [address for address in page.fetched if re.match(r"(?:[a-z]+:)?//", address)] == [], name


def test_figures_are_safe(pages: dict[str, Page]) -> None:
    """No figure has a script, a style or an event."""
    assert {name: page.unsafe for name, page in pages.items() if page.unsafe} == {}


def test_ids_are_unique(pages: dict[str, Page]) -> None:
    """No two elements of a page with figures have the same id."""
    for name, page in pages.items():
        if page.figure_ids:
            assert [each for each, count in page.ids.items() if count > 1] == [], name


def test_every_example_has_a_figure(pages: dict[str, Page]) -> None:
    """The page of examples draws each definition of each file once."""
    wanted = [
        f"{path.stem}-{name}"
        for path in sorted((ROOT / "examples").glob("*.acdl"))
        for name in analyse(Source(path.read_text("utf-8"))).resolved.definitions
    ]
    assert len(wanted) > 40
    assert sorted(pages["examples/index.html"].figure_ids) == sorted(wanted)


def test_figures_are_found(site: Path) -> None:
    """The search index has words that stand only in figures."""
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    texts = " ".join(entry["text"] for entry in index["docs"] if entry["location"].startswith("examples/"))
    assert "INSTRUCTIONS_AND_TOOLS" in texts


def test_style_sheet(site: Path, pages: dict[str, Page]) -> None:
    """The style sheet is a file of the site, and pages link to it; the playground has it within its own."""
    assert (site / "assets" / "acdl" / "acdl.css").is_file()
    for name in pages.keys() - {"playground/index.html"}:
        page = pages[name]
        assert any(address.endswith("assets/acdl/acdl.css") for address in page.fetched), name

"""The project's own site builds strictly, shows every example and fetches nothing."""

import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin

import pytest
from own_site import ADDRESS, own_site

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.mkdocs.assets import PARTS, load_parts, read_styles
from acdl_mkdocs.frontends.docs.problems.rule_pages import all_names
from acdl_mkdocs.language.analyse import analyse

ROOT = Path(__file__).parent.parent


class Page(HTMLParser):
    """What the tests ask about a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: Counter[str] = Counter()
        self.figure_ids: list[str] = []
        self.fetched: list[str] = []
        self.links: set[str] = set()
        self.targets: set[str] = set()
        self.tabs: list[str] = []
        self.title = re.sub(r"\s+", " ", html.partition("<title>")[2].partition("</title>")[0]).strip()
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
        if tag == "a" and "href" in given:
            self.links.add(given["href"].partition("#")[0])
            self.targets.add(given["href"])
            self.tabs += [given["href"]] if given.get("class") == "md-tabs__link" else []
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


@pytest.fixture(scope="module")
def paths(pages: dict[str, Page]) -> dict[str, list[str]]:
    """The shortest way from the home page to each page, and to each place of a page that is linked to."""
    found = {"index.html": ["index.html"]}
    for name in (queue := ["index.html"]):
        page = name.partition("#")[0]
        for link in sorted(pages[page].targets) if name == page else ():
            path, sign, anchor = urljoin(page, link).partition("#")
            target = f"{path}index.html" if path.endswith("/") or not path else path
            for place in (target, f"{target}{sign}{anchor}") if target in pages else ():
                if place not in found:
                    found[place] = [*found[name], place]
                    queue.append(place)
    return found


def test_every_page_is_near(pages: dict[str, Page], paths: dict[str, list[str]]) -> None:
    """At most three clicks lead from the home page to each page."""
    far = {name for name in pages if name not in paths or len(paths[name]) > 4}
    assert far <= {"404.html"}


TASKS = {
    "draw a first figure": "get-started/index.html#write",
    "write a loop": "learn/ten-minutes/index.html#a-tool-loop",
    "use a fragment of another file": "write/fences/index.html#fragments-of-other-blocks",
    "see what is sent at step 3": "write/steps/index.html",
    "compare two versions": "compare/index.html",
    "verify a run": "runs/index.html",
    "publish a playbook page": "playbook/page/index.html#fence",
    "use Sphinx": "tools/sphinx/index.html",
    "make a PDF for a paper": "write/pictures/index.html#papers",
    "check specs in CI": "tools/ci/index.html#github-actions",
    "write specs in VS Code": "editors/vscode/index.html#install-it",
    "ask an agent to write a spec": "tools/agents/index.html#the-skill",
}
"""What a newcomer wants, and the paragraph that says how."""


@pytest.mark.parametrize("task", TASKS)
def test_tasks_of_newcomers(task: str, pages: dict[str, Page], paths: dict[str, list[str]]) -> None:
    """At most three clicks lead from the home page to the paragraph that a newcomer needs."""
    page, _, anchor = TASKS[task].partition("#")
    assert not anchor or anchor in pages[page].ids
    assert len(paths[TASKS[task]]) <= 4, paths[TASKS[task]]


def test_tabs_fit(pages: dict[str, Page]) -> None:
    """The navigation has at most seven parts."""
    assert 0 < len(pages["index.html"].tabs) <= 7


def test_titles_are_unique(pages: dict[str, Page]) -> None:
    """A tab of a browser, a bookmark and a result of a search say which page it is."""
    titles = Counter(page.title for page in pages.values())
    assert [title for title, count in titles.items() if count > 1 or not title] == []


def test_rules_are_in_the_navigation(site: Path) -> None:
    """The page of each rule marks its tab, and leads to its neighbours by their names."""
    names = all_names()
    for before, name, after in zip(names, names[1:], names[2:], strict=False):
        html = (site / "reference" / "rules" / name / "index.html").read_text("utf-8")
        assert "md-tabs__item--active" in html
        assert f'aria-label="Previous: {before}"' in html
        assert f'aria-label="Next: {after}"' in html


def test_every_example_has_a_page(site: Path, pages: dict[str, Page]) -> None:
    """Each definition of each file has a page with its figure, and each spec a card in the gallery."""
    entries = json.loads((site / "specs.json").read_text("utf-8").replace(ADDRESS, ""))
    shown = [each for each in (*entries["specs"], *entries["fragments"]) if each["file"].startswith("examples/")]
    examples = ROOT / "examples"
    files = [path for folder in ("", "pml", "agents", "turn") for path in (examples / folder).glob("*.acdl")]
    names = [name for path in files for name in analyse(Source(path.read_text("utf-8"))).resolved.definitions]
    assert sorted(each["name"] for each in shown) == sorted(names)
    gallery = (site / "specs" / "index.html").read_text("utf-8")
    for each in shown:
        assert each["name"] in pages[f"{each['url']}index.html"].figure_ids
        assert f'href="{each["url"].removeprefix("specs/")}"' in gallery or each in entries["fragments"]


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


def test_figures_are_found(site: Path) -> None:
    """The search index has words that stand only in figures."""
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    texts = " ".join(entry["text"] for entry in index["docs"] if entry["location"].startswith("specs/"))
    assert "INSTRUCTIONS_AND_TOOLS" in texts


def test_parts_of_the_style_sheet(site: Path) -> None:
    """By their words, every page with elements that a part of the style sheet is for would load it."""
    styles, seen = read_styles(), set()
    names = {part: set(re.findall(r"\.(acdl-[\w-]+)", text)) for part, text in styles.items()}
    for path in site.rglob("*.html"):
        html = path.read_text("utf-8")
        used = {name for names in re.findall(r'class="([^"]+)"', html) for name in names.split()} - names["figure"]
        needed = {part for part in PARTS if used & names[part]}
        link = '<link rel="stylesheet" href="/acdl.css">'
        assert needed <= set(re.findall(r"/acdl-(\w+)\.css", load_parts(link + html))), path
        seen |= needed
    assert seen == set(PARTS)


def test_style_sheet(site: Path, pages: dict[str, Page]) -> None:
    """The style sheet is a file of the site, and pages link to it; the playground has it within its own."""
    assert (site / "assets" / "acdl" / "acdl.css").is_file()
    for name in pages.keys() - {"playground/index.html"}:
        page = pages[name]
        assert any(address.endswith("assets/acdl/acdl.css") for address in page.fetched), name

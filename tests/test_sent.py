"""What is sent, beside a figure: the HTML, problems of the state and of the evaluation, hostile texts, the cache."""

import os
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.docs.blocks import sent
from acdl_mkdocs.frontends.docs.blocks.block import PageBlock, from_fence
from acdl_mkdocs.frontends.docs.blocks.gallery_options import GalleryOptions
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.pages.gallery import render_card
from acdl_mkdocs.frontends.docs.pages.library import SiteLibrary
from acdl_mkdocs.frontends.docs.pages.search_text import hide_drawings
from acdl_mkdocs.frontends.docs.pages.spec_page import PageSurroundings, spec_page
from acdl_mkdocs.frontends.docs.settings import Settings
from acdl_mkdocs.prompts.tokens.counter import counter
from acdl_mkdocs.workspace.cache import open_page_cache
from acdl_mkdocs.workspace.fences import fences_of

SPEC = "Chat[@T]: {\n    S: RULES\n    ForEach(t: range(1, @T+1)) {\n        U: env.question[@t]\n    }\n}\n"
STATE = (
    'acdl_state: 1\ntemplates: {RULES: "Be kind."}\nsteps:\n  1: {env: {question: Hi}}\n  2: {env: {question: Bye}}\n'
)
FENCE = '```acdl src="chat.acdl" state="chat.state.yaml"\n```\n'

Log = list[tuple[str, str]]
Project = Callable[..., Path]


@pytest.fixture(autouse=True)
def estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts that are the same on every machine."""
    monkeypatch.setattr(sent, "counter", lambda: counter("estimate"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Write files of a project; the usual ones if nothing else is said."""

    def write(**files: str) -> Path:
        for name, text in {"chat.acdl": SPEC, "chat.state.yaml": STATE, **files}.items():
            (tmp_path / name).write_text(text, "utf-8")
        return tmp_path

    return write


def drawn(root: Path, text: str = FENCE, page: Page | None = None) -> tuple[PageBlock, Log]:
    """The first block of a page, and what the build log says."""
    log: Log = []
    page = page or Page(name="docs/a.md", text=text, root=root)
    page.report = lambda severity, line: log.append((severity, line))
    fences = [each for each in fences_of(text) if each.language == "acdl"]
    page.expect_fences(fences)
    return from_fence(fences[0], page), log


def points(html: str) -> list[str]:
    """The points that are shown."""
    return re.findall(r'<section class="acdl-sent-point" id="([^"]*)"', html)


def test_golden(case: Path, golden: Callable[[str, str], None]) -> None:
    """The whole element; read it like a page."""
    text = f'```acdl src="{case.name}" state="{case.stem}.state.yaml" show=figure\n```\n'
    block, log = drawn(case.parent, text)
    assert log == []
    html = block.html[block.html.index('<div class="acdl-sent"') :]
    golden(re.sub(r"(</(?:li|p|ul|ol|nav|section)>|<section[^>]*>)(?!\n)", r"\1\n", html), "html")


class _Checker(HTMLParser):
    """Finds what a strict policy forbids, and tags that do not match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("br", "img", "meta"):
            self.open.append(tag)
        for name, value in attrs:
            if name == "style" or name.startswith("on") or (value or "").startswith("javascript:"):
                self.wrong.append(f"{tag} {name}")
            if name == "id" and value:
                self.ids.append(value)
        if tag in ("script", "style", "iframe", "b") and tag != "b":
            self.wrong.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Closed already."""

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")


def test_markup_is_sound(project: Project) -> None:
    """Every tag is closed, every id is unique, and nothing is inline that a policy forbids; twice on a page too."""
    root = project()
    text = FENCE + "\n" + FENCE
    page = Page(name="docs/a.md", text=text, root=root)
    fences = fences_of(text)
    page.expect_fences(fences)
    checker = _Checker()
    for fence in fences:
        checker.feed(from_fence(fence, page).html)
    assert checker.wrong == []
    assert checker.open == []
    assert len(checker.ids) == len(set(checker.ids))
    assert {"Chat-at-1", "Chat-2-at-1"} <= set(checker.ids)


def test_hostile_texts(project: Project) -> None:
    """Whatever a state says is text."""
    evil = "</section></div></div><script>alert(1)</script><img src=x onerror=alert(1)>\\u202e\\u0007"
    root = project(**{"chat.state.yaml": STATE.replace("Hi", f'"{evil}"')})
    html = drawn(root)[0].html
    checker = _Checker()
    checker.feed(html)
    assert checker.wrong == []
    assert "<script" not in html
    assert "\u202e" not in html
    assert "&lt;script&gt;" in html


def test_points(project: Project) -> None:
    """All points that the state has, those that it names, or those of the block; sub-steps if the title has them."""
    root = project()
    assert points(drawn(root)[0].html) == ["Chat-at-1", "Chat-at-2"]
    project(**{"chat.state.yaml": STATE + "at: 2\n"})
    assert points(drawn(root)[0].html) == ["Chat-at-2"]
    assert points(drawn(root, FENCE.replace('yaml"', 'yaml" at="1..2"'))[0].html) == ["Chat-at-1", "Chat-at-2"]
    project(**{"chat.state.yaml": STATE + "  3: {substeps: {1: {env: {question: x}}}}\n"})
    assert points(drawn(root, FENCE.replace('yaml"', 'yaml" at="3.*"'))[0].html) == ["Chat-at-3"]


def test_snippet(project: Project) -> None:
    """A text without a title, written in the block itself, has messages too."""
    root = project()
    block, log = drawn(root, '```acdl state="chat.state.yaml" at=2\nU: env.question[@T]\n```\n')
    assert log == []
    assert points(block.html) == ["acdl-at-2"]
    assert "Bye" in block.html


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ('state="chat.stat.yaml"', "docs/a.md:1:32: error[missing-src]: the file `chat.stat.yaml` does not exist"),
        ('state="../x.yaml"', "docs/a.md:1:32: error[src-outside-project]: the file `../x.yaml` lies outside"),
        ('state="chat.state.yaml" at="2.x"', "docs/a.md:1:52: error[state-file]: `2.x` is not a point in time"),
        ('state="chat.state.yaml" at="1..900"', "docs/a.md:1:52: error[state-file]: these are 900 points"),
    ],
)
def test_problems_of_options(project: Project, option: str, said: str) -> None:
    """Problems have a place and words; the figure stands all the same."""
    block, log = drawn(project(), f'```acdl src="chat.acdl" {option}\n```\n')
    assert [severity for severity, _ in log] == ["error"]
    assert log[0][1].startswith(said)
    assert "<svg" in block.html
    assert "acdl-problem-error" in block.html


def test_problems_of_the_state(project: Project) -> None:
    """They have the place in the state file, and a near name is told; messages are shown all the same."""
    root = project(**{"chat.state.yaml": STATE.replace("2: {env: {question", "2: {env: {qestion")})
    block, log = drawn(root)
    lines = [line for _, line in log]
    assert any(line.startswith("chat.state.yaml:5:") and "did you mean question?" in line for line in lines)
    assert any("the state has no `env.question[@2]`" in line and severity == "error" for severity, line in log)
    assert points(block.html) == ["Chat-at-1", "Chat-at-2"]


def test_sample_for_several_specs(project: Project) -> None:
    """A state that names no spec need not have what each of several reads; one that names its spec must."""
    two = SPEC + "Other[@T]: { U: env.never[@T] }\n"
    root = project(**{"chat.acdl": two})
    text = FENCE.replace('chat.acdl"', 'chat.acdl#Other"')
    block, log = drawn(root, text)
    assert log == []
    assert "the state has no `env.never[@1]`" in block.html
    project(**{"chat.acdl": two, "chat.state.yaml": STATE + "spec: Other\n"})
    assert [severity for severity, _ in drawn(root, text)[1]] == ["error", "error"]


def test_broken_spec_is_told_once(project: Project) -> None:
    """What cannot be understood is no problem of the state."""
    root = project(**{"chat.acdl": SPEC.replace("S: RULES", "S: {{ RULES")})
    _, log = drawn(root)
    assert log
    assert all("misplaced-statement" not in line for _, line in log)


def test_cache_follows_the_state(project: Project, tmp_path: Path) -> None:
    """What is kept between builds is used while the state and the files that it names are the same."""
    root = project(**{"rules.txt": "Be kind.", "chat.state.yaml": STATE.replace('"Be kind."', "{file: rules.txt}")})
    folder = tmp_path / "cache"

    def build() -> str:
        page = Page(name="docs/a.md", text=FENCE, root=root, cache=open_page_cache(folder, "a"))
        html = drawn(root, FENCE, page)[0].html
        assert {root / "chat.state.yaml", root / "rules.txt"} <= page.files
        assert page.cache
        page.cache.save_file()
        return html

    first = build()
    assert build() == first
    (root / "rules.txt").write_text("Be short.")
    second = build()
    assert "Be short." in second
    assert "Be kind." not in second
    state = root / "chat.state.yaml"
    state.write_text(state.read_text().replace("Bye", "Servus"))
    assert "Servus" in build()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_cache_follows_why_a_file_cannot_be_read(project: Project, tmp_path: Path) -> None:
    """What is said of a file that a state names is about the file as it is now."""
    root = project(**{"chat.state.yaml": STATE.replace('"Be kind."', "{file: rules.txt}")})

    def said() -> str:
        page = Page(name="docs/a.md", text=FENCE, root=root, cache=open_page_cache(tmp_path / "cache", "a"))
        _, log = drawn(root, FENCE, page)
        assert page.cache
        page.cache.save_file()
        return "\n".join(line for _, line in log)

    assert "does not exist" in said()
    os.mkfifo(root / "rules.txt")
    assert "pipe" in said()


def test_search_has_no_messages(project: Project) -> None:
    """The words of samples are not what a site is about."""
    html = drawn(project())[0].html
    light = hide_drawings(html)
    assert "Bye" not in light.html
    assert "question" in light.html
    assert light.restore_drawings(light.html) == html


def library_of(root: Path) -> SiteLibrary:
    """A site whose specs have pages."""
    library = SiteLibrary(root.resolve(), Settings())
    for path in sorted(root.resolve().glob("*.acdl")):
        assert library.add_file(path, lambda name: f"specs/{name}/") is None
    return library


def test_states_beside_files(project: Project) -> None:
    """A state belongs to the spec that it names, or to all of its file; a comment of the spec comes first."""
    several = (
        SPEC
        + "\nNamed[@T]: { U: env.a }\n\nOwn[@T]: { U: env.a }\n\n// state: other.yaml\nSaid[@T]: { U: env.a }\n"
        + "\nStrFrag Part[@t]: { env.a }\n"
    )
    root = project(
        **{
            "chat.acdl": several,
            "chat.named.state.yaml": "acdl_state: 1\nspec: Named\n",
            "Own.state.json": '{"acdl_state": 1}',
            "other.yaml": "acdl_state: 1\n",
            "alone.acdl": "Alone[@T]: { U: env.a }\n",
        }
    )
    found = {entry.spec.name: entry.state for entry in library_of(root).spec_index.entries}
    assert found == {
        "Alone": "",
        "Chat": "chat.state.yaml",
        "Named": "chat.named.state.yaml",
        "Own": "Own.state.json",
        "Said": "other.yaml",
        "Part": "",
    }


def test_spec_page_and_card(project: Project) -> None:
    """The page of a spec shows what it sends, and its card says so."""
    spec_index = library_of(project()).spec_index
    (entry,) = spec_index.entries
    page = spec_page(entry, spec_index, (), PageSurroundings(href=str, file_href=str))
    assert '```acdl src="chat.acdl#Chat" show=both explain=on state="chat.state.yaml"' in page
    assert "**State** <code>chat.state.yaml</code>" in page
    assert "with a sample state" in render_card(entry, spec_index, GalleryOptions(), str)

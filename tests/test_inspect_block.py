"""`acdl-inspect` blocks: recordings in a page, what is wrong with them, and text for who cannot show HTML."""

import json
import re
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.docs.block_kinds import draw_block, fence_problems
from acdl_mkdocs.frontends.docs.blocks import inspect_block
from acdl_mkdocs.frontends.docs.blocks.inspect_block import plain
from acdl_mkdocs.frontends.docs.blocks.inspect_options import INSPECT_OPTIONS
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.workspace.cache import open_page_cache
from acdl_mkdocs.workspace.fences import fences_of

HELLO = {"messages": [{"role": "system", "content": "Today is Monday."}, {"role": "user", "content": "Hello?"}]}
LATER = {"messages": [{"role": "system", "content": "Today is Friday."}, {"role": "user", "content": "Hello?"}]}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with two recordings."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.jsonl").write_text(f"{json.dumps(HELLO)}\n{json.dumps(LATER)}\n", "utf-8")
    (tmp_path / "runs" / "b.jsonl").write_text(f"{json.dumps(HELLO)}\n", "utf-8")
    return tmp_path


def page_of(header: str, root: Path, log: list[str], body: str = "", end: str = "~~~\n") -> Page:
    """A page with one block."""
    text = f"# Page\n\n~~~ acdl-inspect {header}\n{body}{end}"
    return Page(name="a.md", text=text, root=root, report=lambda severity, line: log.append(f"{severity} {line}"))


def drawn(header: str, root: Path, body: str = "", end: str = "~~~\n") -> tuple[str, list[str]]:
    """A block as HTML, and what its page was told."""
    log: list[str] = []
    page = page_of(header, root, log, body, end)
    return draw_block(fences_of(page.text or "")[0], page).html, log


def test_block(project: Path) -> None:
    """A block shows its recordings, with ids that begin with its own, and neither styles nor scripts."""
    html, log = drawn('src="runs/a.jsonl" id=x title="A <b>" caption="Below" .wide', project)
    assert log == []
    assert html.startswith('<figure class="acdl acdl-inspect wide" id="x"><div class="acdl-title">A &lt;b&gt;</div>')
    assert "Prompt cache lost:</strong> a date in the instructions changed" in html
    assert "<figcaption>Below</figcaption>" in html
    ids = re.findall(' id="([^"]*)"', html)
    assert len(ids) == len(set(ids))
    assert all(each == "x" or each.startswith("x-") for each in ids)
    assert {*re.findall('href="#([^"]*)"', html)} <= {*ids}
    assert " style=" not in html
    assert "<script" not in html


def test_two_blocks(project: Path) -> None:
    """Blocks of one page have different ids; patterns name several recordings."""
    log: list[str] = []
    block = "~~~ acdl-inspect src=runs/*.jsonl\n~~~\n"
    page = Page(name="a.md", text=f"{block}\n{block}", root=project, report=lambda _, line: log.append(line))
    html = "".join(draw_block(each, page).html for each in fences_of(page.text or ""))
    ids = re.findall(' id="([^"]*)"', html)
    assert len(ids) == len(set(ids))
    assert "3 requests" in html
    assert log == []


def test_excerpts(project: Path) -> None:
    """Contents stay away where nobody wants them, by the block or by the whole site."""
    assert "Hello?" in drawn("src=runs/a.jsonl", project)[0]
    assert "Hello?" not in drawn("src=runs/a.jsonl excerpts=off", project)[0]


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("", "error a.md:3:1: error[run-file]: the block names no recorded run"),
        ("src=runs/c.jsonl", "error a.md:3:22: error[run-file]: the recorded run `runs/c.jsonl` does not exist"),
        ("src=../x.jsonl", "lies outside the project"),
        ("src=runs", "is a folder"),
        ("src=page.jsonl", "there is no request in it"),
        ("src=half.jsonl", "warning a.md:3:22: warning[run-file]: the recorded runs are incomplete: half.jsonl"),
        ("sorce=runs/a.jsonl", "unknown-option"),
        ("src=runs/a.jsonl excerpts=maybe", "bad-option-value"),
    ],
)
def test_problems(header: str, said: str, project: Path) -> None:
    """What is wrong is told in the page and in the log, once."""
    (project / "page.jsonl").write_text('{"a": 1}\n', "utf-8")
    (project / "half.jsonl").write_text(f'{json.dumps(HELLO)}\n{{"messages"\n', "utf-8")
    html, log = drawn(header, project)
    assert len(log) == 1, log
    assert said in log[0], log
    assert "acdl-inspect" in html
    page = page_of(header, project, [])
    found = list(fence_problems(fences_of(page.text or "")[0], page))
    assert len(found) == 1


def test_problems_of_the_fence(project: Path) -> None:
    """Text in the block means nothing; a block that is not closed is told."""
    assert "src-and-text" in drawn("src=runs/a.jsonl", project, "Text\n")[1][0]
    assert "unclosed-fence" in drawn("src=runs/a.jsonl", project, end="")[1][0]


def test_plain(project: Path) -> None:
    """Builders without HTML get what a terminal shows."""
    page = page_of("src=runs/a.jsonl title=Two", project, [])
    fence = fences_of(page.text or "")[0]
    assert plain(fence, page).startswith("Two\n\nruns/a.jsonl: 2 requests of 1 run")
    empty = page_of("", project, [])
    assert plain(fences_of(empty.text or "")[0], empty) == ""


def test_cache(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block comes from the cache until its recording changes."""
    cache = open_page_cache(project / ".cache", "a.md")

    def draw_it() -> str:
        page = page_of("src=runs/b.jsonl", project, [])
        page.cache = cache
        return draw_block(fences_of(page.text or "")[0], page).html

    first = draw_it()
    monkeypatch.setattr(inspect_block, "_inspect_cached", None)
    assert draw_it() == first
    monkeypatch.undo()
    (project / "runs" / "b.jsonl").write_text(f"{json.dumps(LATER)}\n", "utf-8")
    assert "Friday" in draw_it()


def test_options_are_documented() -> None:
    """The page about inspections has every option."""
    page = (Path(__file__).parent.parent / "site_src" / "runs" / "inspect.md").read_text("utf-8")
    assert all(f"| `{name}` |" in page for name in INSPECT_OPTIONS)

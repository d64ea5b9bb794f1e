"""`acdl-variants` blocks: columns of figures, results as they were written, what is best, what is wrong."""

import re
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.docs.block_kinds import draw_block, fence_problems
from acdl_mkdocs.frontends.docs.blocks.variants_block import plain
from acdl_mkdocs.frontends.docs.blocks.variants_options import VARIANTS_OPTIONS
from acdl_mkdocs.frontends.docs.blocks.variants_read import MeasureRow, best_of, number_in
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.workspace.cache import open_page_cache
from acdl_mkdocs.workspace.fences import fences_of

THREE = (
    "One[@T]: { U: env.question[@T] }\n\n"
    "Two[@T]: { S: RULES(sys.a)\n    U: env.question[@T] }\n\n"
    "Three[@T]: { A: env.question[@T] }\n"
)
SPECS = "specs: [a.acdl#One, a.acdl#Two, {spec: a.acdl#Three, name: last}]\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with three specs in a file."""
    (tmp_path / "a.acdl").write_text(THREE, "utf-8")
    return tmp_path


def page_of(body: str, root: Path, header: str = "", log: list[str] | None = None) -> Page:
    """A page with one block."""
    told: list[str] = [] if log is None else log
    text = f"# Page\n\n~~~ acdl-variants {header}\n{body}~~~\n"
    return Page(name="a.md", text=text, root=root, report=lambda _, line: told.append(line))


def drawn(body: str, root: Path, header: str = "") -> tuple[str, list[str]]:
    """A block as HTML, and what its page was told."""
    log: list[str] = []
    page = page_of(body, root, header, log)
    return draw_block(fences_of(page.text or "")[0], page).html, log


def table(html: str) -> list[list[str]]:
    """The cells of the results, row by row."""
    found = re.search(r"<table[^>]*>(.*?)</table>", html)
    rows = re.findall(r"<tr>(.*?)</tr>", found[1]) if found else []
    return [[re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row)] for row in rows]


def test_columns_stand_in_the_order_of_the_block(project: Path) -> None:
    """Each variant has a column with its figure; ids are unique; the block scrolls within itself by keyboard."""
    html, log = drawn(SPECS, project, "id=x title=Three")
    assert log == []
    assert re.findall(r'<div class="acdl-column" id="([^"]*)" role="group" aria-label="([^"]*)"', html) == [
        ("x-One", "One"),
        ("x-Two", "Two"),
        ("x-last", "last"),
    ]
    assert html.count("<svg") == 3
    ids = re.findall(r' id="([^"]*)"', html)
    assert len(ids) == len(set(ids))
    assert '<div class="acdl-columns" tabindex="0" role="group" aria-label="Three">' in html
    assert "<table" not in html
    assert not re.search(r"\sstyle=|<script", html)


def test_names_are_no_html(project: Path) -> None:
    """A name may say anything: anchors have none of it, and those of like names differ."""
    names = ['x"onmouseover="alert(1)', "<b onclick=1>", "a b", "a-b", "\u00e4"]
    listed = "".join(f"- {{spec: a.acdl#One, name: '{name}'}}\n" for name in names)
    results = "results:\n  A: {" + ", ".join(f"'{name}': 1" for name in names) + "}\n"
    html, log = drawn(f"specs:\n{listed}{results}", project, "id=x")
    assert log == []
    assert not re.search(r"<[^>]*\son[a-z]+=", re.sub(r'="[^"]*"', '=""', html))
    columns = re.findall(r'<div class="acdl-column" id="([^"]*)"', html)
    assert columns == ["x-x-onmouseover-alert-1", "x-b-onclick-1", "x-a-b", "x-a-b-2", "x-variant"]
    assert re.findall(r'<th scope="col"><a href="#([^"]*)">', html) == columns
    ids = re.findall(r' id="([^"]*)"', html)
    assert len(ids) == len(set(ids))


def test_variants_are_marked_against_the_base(project: Path) -> None:
    """With a base each column says and shows how it differs; that it has another name does not count."""
    html, log = drawn(SPECS + "base: One\n", project)
    assert log == []
    assert re.findall(r'<p class="acdl-column-said">(.*?)</p>', html) == [
        "the others are marked against it",
        "1 change: the messages can differ",
        "1 change: the messages can differ",
    ]
    assert 'id="acdl-variants-Two-edit-1"' in html
    assert "acdl-zqt" in html


RESULTS = """results:
  Success, %: {One: 54.40, Two: 54.4, last: 51.47}
  Cost: {One: 1.10, Two: $0.90, last: n/a}
  Verdict: {One: good, Two: bad, last: "-"}
best: {Cost: min, Verdict: none}
"""


def test_results_are_shown_as_written(project: Path) -> None:
    """Values keep every digit; equal best ones are all marked in words; rows and columns have heads."""
    html, log = drawn(SPECS + RESULTS, project)
    assert log == []
    assert table(html) == [
        ["Result", "One", "Two", "last"],
        ["Success, %", "54.40 best", "54.4 best", "51.47"],
        ["Cost", "1.10", "$0.90 best", "n/a"],
        ["Verdict", "good", "bad", "\u2014"],
    ]
    assert html.count('<th scope="row">') == 3
    assert html.count('<th scope="col">') == 4
    assert '<a href="#acdl-variants-Two">Two</a>' in html
    assert "<li>Cost <b>$0.90</b> <small>best</small></li>" in html


def test_results_as_a_list(project: Path) -> None:
    """Rows of a list say themselves what is best."""
    rows = (
        "results:\n  - {measure: Time, best: min, values: {One: 3 s, Two: 12 s, last: 4 s}}\n"
        "  - {measure: Score, values: {One: 3, Two: 12, last: 4}}\n"
    )
    html, log = drawn(SPECS + rows, project)
    assert log == []
    assert table(html)[1:] == [["Time", "3 s best", "12 s", "4 s"], ["Score", "3", "12 best", "4"]]


@pytest.mark.parametrize(
    "text",
    [
        "measure,One,Two,last\nA,1.50,2,3\nB,9,8,7\n",
        "variant;A;B\nOne;1.50;9\nTwo;2;8\nlast;3;7\n",
        "variant\tA\tB\nOne\t1.50\t9\nTwo\t2\t8\nlast\t3\t7\n",
    ],
    ids=["rows", "columns", "tabs"],
)
def test_results_of_a_file(project: Path, text: str) -> None:
    """A CSV file has variants in columns or in rows, and whatever stands between values; the page depends on it."""
    (project / "r.csv").write_text(text, "utf-8")
    page = page_of(SPECS + "results: {file: r.csv}\nbest: {B: min}\n", project)
    html = draw_block(fences_of(page.text or "")[0], page).html
    assert table(html)[1:] == [["A", "1.50", "2", "3 best"], ["B", "9", "8", "7 best"]]
    assert {project / "r.csv", project / "a.acdl"} <= page.files


def test_caption_and_source(project: Path) -> None:
    """The caption and the source of the results stand below; an address is a link; markup is text."""
    html, _ = drawn(SPECS + "caption: A <b> C\nsource: Paper, https://example.org/p\n", project)
    assert "<figcaption>A &lt;b&gt; C " in html
    assert 'Results: Paper, <a href="https://example.org/p">https://example.org/p</a>' in html


WRONG = {
    "empty": ("", "a.md:4:1: error[unreadable-variants]: the block is empty; name the variants: `specs: [Var1, Var2]`"),
    "no map": (
        "- One\n",
        "a.md:4:1: error[unreadable-variants]: the block is a list, and a map is needed; "
        "name the variants: `specs: [Var1, Var2]`",
    ),
    "no specs": ("base: One\n", "the block has no `specs`; add `specs: …`"),
    "unknown key": (SPECS + "bse: One\n", "a.md:5:1: error[unreadable-variants]: bse: did you mean base?"),
    "broken": ("specs: [a.acdl#One\n", "error[unreadable-variants]"),
    "unknown spec": (
        "specs: [a.acdl#On]\n",
        "a.md:4:9: error[unknown-spec]: there is no spec named `On`; did you mean",
    ),
    "no file": ("specs: [b.acdl#One]\n", "a.md:4:9: error[missing-src]"),
    "outside": ("specs: [../b.acdl]\n", "a.md:4:9: error[src-outside-project]"),
    "twice": ("specs: [a.acdl#One, a.acdl#One]\n", "specs.2 is `One` again; keep one"),
    "unknown base": (
        SPECS + "base: las\n",
        "a.md:5:7: error[unknown-column]: `las` is not a variant of this block; did you",
    ),
    "unknown value": (
        SPECS + "results: {A: {One: 1, Two: 2, lst: 3, last: 3}}\n",
        "a.md:5:31: error[unknown-column]: the results name `lst`, which is not a variant here; did you mean `last`?",
    ),
    "missing value": (
        SPECS + "results: {A: {One: 1, Two: 2}}\n",
        "a.md:5:11: warning[missing-result]: `A` has no value for `last`; add one, or say that there is none: `last: n",
    ),
    "no number": (
        SPECS + "best: {A: max}\nresults: {A: {One: x, Two: y, last: z}}\n",
        "warning[missing-result]: `A` has no number, so none is best; write `best: none`",
    ),
    "no scalar": (
        SPECS + "results: {A: {One: [1], Two: 2, last: 3}}\n",
        "results.A.One is a list, and a value is needed",
    ),
    "best": (SPECS + "best: most\n", "best is the text `most`, and it can be `max` or `min` or `none`"),
    "unknown measure": (
        SPECS + "best: {Cots: min}\nresults: {Cost: {One: 1, Two: 2, last: 3}}\n",
        "a.md:5:8: error[unknown-column]: the results have no `Cots`; did you mean `Cost`?",
    ),
    "no csv": (SPECS + "results: {file: r.csv}\n", "a.md:5:17: error[missing-src]: the file `r.csv` does not exist"),
    "csv outside": (SPECS + "results: {file: ../r.csv}\n", "a.md:5:17: error[src-outside-project]"),
    "option": (SPECS, "a.md:3:19: error[unknown-option]"),
}


@pytest.mark.parametrize(("body", "line"), WRONG.values(), ids=WRONG)
def test_problems_have_place_and_cure(project: Path, body: str, line: str) -> None:
    """What is wrong is told at its place, in the page too; the rest is drawn; `fence_problems` finds the same."""
    header = "wrong=1" if body == SPECS else ""
    html, log = drawn(body, project, header)
    assert any(line in each for each in log), log
    assert ("acdl-problem" in html) == any("error[" in each for each in log)
    page = page_of(body, project, header)
    rules = [f"[{each.rule}]" for each, _ in fence_problems(fences_of(page.text or "")[0], page)]
    assert any(rule in line or rule in "".join(log) for rule in rules)


def test_file_without_names_of_variants(project: Path) -> None:
    """A table in which no variant is found is told at the file's own places."""
    (project / "r.csv").write_text("measure,Uno,Dos\nA,1,2\n", "utf-8")
    _, log = drawn(SPECS + "results: {file: r.csv}\n", project)
    assert any(each.startswith("r.csv:2:1: error[unknown-column]: the results name `Uno`") for each in log), log
    (project / "r.csv").write_text("nothing\n", "utf-8")
    _, log = drawn(SPECS + "results: {file: r.csv}\n", project)
    assert any("error[unusable-results]: `r.csv` has no results" in each for each in log)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("77.53", "77.53"),
        ("77.53 %", "77.53"),
        ("77.5 \u00b1 0.3", "77.5"),
        ("\u22121.5", "-1.5"),
        ("1,234,567", "1234567"),
        ("$0.90", "0.90"),
        ("1e3", "1E+3"),
        (".5", "0.5"),
        ("12,3", None),
        ("n/a", None),
        ("good 5", None),
        ("", None),
    ],
)
def test_numbers_in_values(value: str, number: str | None) -> None:
    """The number at the beginning of a value; a comma that may be a decimal one is none."""
    found = number_in(value)
    assert (None if found is None else str(found)) == number


def test_nothing_is_best_without_a_choice() -> None:
    """Fewer than two numbers, or only equal ones, have no best."""
    assert best_of(MeasureRow("A", {"One": "3", "Two": "n/a"})) == frozenset()
    assert best_of(MeasureRow("A", {"One": "3", "Two": "3.0"})) == frozenset()
    assert best_of(MeasureRow("A", {"One": "3", "Two": "4"}, "min")) == {"One"}
    assert best_of(MeasureRow("A", {"One": "3 s", "Two": "4 s (2 runs)", "last": "timeout 9"})) == {"Two"}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("1 234", "500"),
        ("1.234,5", "500"),
        ("1.5k", "900"),
        ("0x10", "3"),
        ("1.5 k", "900"),
        ("3 s", "20 ms"),
        ("9", "8 %"),
    ],
)
def test_nothing_is_best_where_numbers_are_not_sure(project: Path, one: str, two: str) -> None:
    """A wrong best is worse than none; the page says which value it is about."""
    assert best_of(MeasureRow("A", {"One": one, "Two": two})) == frozenset()
    html, log = drawn(f'{SPECS}results: {{A: {{One: "{one}", Two: "{two}", last: n/a}}}}\n', project)
    assert "<small>best" not in html
    (line,) = [each for each in log if "missing-result" in each]
    assert "is not a number like the others, so none is marked as best; write plain numbers" in line
    assert drawn(f'{SPECS}best: none\nresults: {{A: {{One: "{one}", Two: "{two}", last: n/a}}}}\n', project)[1] == []


def test_words_for_who_cannot_see_figures(project: Path) -> None:
    """The block as text: what differs from the base, and the results."""
    page = page_of(SPECS + "base: One\n" + RESULTS + "source: us\n", project, "title=T")
    assert plain(fences_of(page.text or "")[0], page).split("\n") == [
        "T",
        "One",
        "Two: 1 change: the messages can differ",
        "last: 1 change: the messages can differ",
        "Success, %: One 54.40 (best), Two 54.4 (best), last 51.47",
        "Cost: One 1.10, Two $0.90 (best), last n/a",
        "Verdict: One good, Two bad, last -",
        "Results: us",
        "",
    ]


def test_cached_until_something_changes(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was drawn is taken from the cache; another text or result is drawn anew."""
    from acdl_mkdocs.frontends.docs.blocks import variants_draw

    calls: list[str] = []
    real = variants_draw.draw_columns

    def noted(text: object, name: str, page: object) -> object:
        calls.append(name)
        return real(text, name, page)  # type: ignore[arg-type]

    monkeypatch.setattr(variants_draw, "draw_columns", noted)
    cache = open_page_cache(tmp_path / "cache", "a.md")

    def build(body: str) -> str:
        page = page_of(body, project)
        page.cache = cache
        return draw_block(fences_of(page.text or "")[0], page).html

    assert build(SPECS + RESULTS) == build(SPECS + RESULTS)
    assert len(calls) == 1
    build(SPECS + RESULTS.replace("51.47", "51.48"))
    (project / "a.acdl").write_text(THREE.replace("RULES", "LAWS"), "utf-8")
    build(SPECS + RESULTS)
    assert len(calls) == 3


def test_fault_is_a_panel(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of the package does not end a build, and is not kept for the next."""
    from acdl_mkdocs.frontends.docs.blocks import variants_draw

    def fail(*_: object) -> None:
        raise RuntimeError("no")

    log: list[str] = []
    page = page_of(SPECS, project, "", log)
    page.cache = open_page_cache(tmp_path / "cache", "a.md")
    with monkeypatch.context() as patch:
        patch.setattr(variants_draw, "draw_columns", fail)
        html = draw_block(fences_of(page.text or "")[0], page).html
    assert "acdl-problem" in html
    assert any("error[internal-error]: drawing failed with RuntimeError" in each for each in log)
    assert page.cache.entries == {}


def test_options_are_those_of_the_docs() -> None:
    """Every option of a header is described in the reference."""
    page = (Path(__file__).parent.parent / "site_src" / "compare" / "variants.md").read_text("utf-8")
    assert all(f"`{name}`" in page for name in VARIANTS_OPTIONS)

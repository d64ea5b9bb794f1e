"""What is measured reaches the page of benchmarks whole, and tools that are not there are listed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from exhaustive import exhaustive

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "benchmarks"
sys.path.append(str(FOLDER))

import circumstances  # noqa: E402
import counts  # noqa: E402
import pages  # noqa: E402
import peers_all  # noqa: E402
import peers_figures  # noqa: E402
import peers_page  # noqa: E402
import peers_sites  # noqa: E402
import playground_speed  # noqa: E402
import run  # noqa: E402
import stages  # noqa: E402
from measure import Row, Series, added_row, emptied, in_turn, ratio_row  # noqa: E402
from peers_table import OURS, PEERS, Peer  # noqa: E402
from tables import number  # noqa: E402

WORDS = ("INSTRUCTIONS", "NO_TOOL", "FORMAT", "sys.tools", "sys.result", "resp.answer", "DOCUMENTS(sys.index)")


def figure(first_ms: float, next_ms: list[float] | None) -> dict[str, object]:
    """What was measured of a tool that draws one figure."""
    first = [first_ms, first_ms + 1, first_ms + 2]
    return {"first_ms": first, "next_ms": next_ms, "memory_mb": 5.5, "bytes": 7000, "gzip_bytes": 1500}


def page(added_ms: float, loaded: int) -> dict[str, object]:
    """What was measured of a tool that draws a page."""
    values = built(added_ms)
    return values | {"seen_ms": values["added_ms"], "loaded_bytes": loaded, "loaded_gzip_bytes": loaded // 4}


def built(added_ms: float) -> dict[str, object]:
    """What was measured of its builds alone."""
    times = [added_ms, added_ms + 1, added_ms + 2]
    return {"added_ms": times, "again_ms": times, "more_mb": added_ms}


RESULTS: dict[str, dict[str, Any]] = {
    "tools": {
        name: {"version": "1.2", "needs": "a program", "integration": "a plugin"} for name in (OURS, "Pikchr", "Slow")
    },
    "figures": {
        OURS: figure(100, [4.0, 4.0, 4.0]),
        "Pikchr": figure(10, None) | {"memory_mb": None},
        "Slow": figure(1000, [40.0, 40.0, 40.0]),
    },
    "pages": {
        peers_page.PLAIN: page(0, 1000),
        OURS: page(5, 9000),
        "Slow": page(50, 90_000) | {"ours": built(9)},
    },
    "missing": {"Absent": ["not there: `absent`", "`npm:absent`"]},
}


def cells(markdown: str) -> list[list[str]]:
    """The lines of a table without the rule below its head."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in (lines[0], *lines[2:])]


def test_pages_are_what_results_say() -> None:
    """The tables of the pages are those of the file of results; `python benchmarks/pages.py` writes them."""
    for page in pages.PAGES:
        text = page.read_text("utf-8")
        assert pages.written(text, pages.load()) == text


def test_every_part_is_on_a_page() -> None:
    """Each part that can be measured has its rows on a page, and each table side by side is there."""
    lines = [line for page in pages.PAGES for line in page.read_text("utf-8").splitlines()]
    shown = [words for line in lines if (words := line.split())[1:3] == BENCH]
    rows = {name for words in shown if words[3] == "rows" for name in words[4:-1]}
    assert rows >= {*run.PARTS, "playground", "editor", "soak"}
    assert ["marks", "soak"] in [words[3:5] for words in shown]
    assert {words[4] for words in shown if words[3] == "peers"} == {*peers_page.PEER_PARTS}


BENCH = ["generated:", "bench"]


def test_one_part_leaves_the_others(tmp_path: Path) -> None:
    """Measuring one part changes nothing of what is known of others, and no page unless the results are ours."""
    path = tmp_path / "results.json"
    before = [page.read_text("utf-8") for page in pages.PAGES]
    pages.keep("old", {"where": {"machine": "a"}, "rows": []}, path)
    pages.keep_rows("new", {"machine": "b"}, [Row("drawing", 3.14159, "ms", 3, 4, bar="<= 3 ms", is_met=False)], path)
    found = pages.load(path)
    assert found["old"] == {"where": {"machine": "a"}, "rows": []}
    assert cells(pages.part("rows old new", found))[1] == ["drawing", "3.14 ms", "3 to 4", "–", "–", "<= 3 ms", "NO"]
    assert pages.part("where new", found).startswith("b.\n")
    assert [page.read_text("utf-8") for page in pages.PAGES] == before


def test_pages_follow_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages that are written after a measurement say what they would if they were made anew from the file."""
    page = tmp_path / "page.md"
    page.write_text("<!-- generated: bench where new old -->\n<!-- end -->\n")
    monkeypatch.setattr(pages, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(pages, "PAGES", (page,))
    where = {"system": "c", "machine": "b", "Python": "3", "lark": "1"}
    pages.keep("old", {"where": where | {"commit": "z"}, "rows": []}, pages.RESULTS)
    pages.keep_rows("new", where | {"lark": "2", "commit": "a"}, [], pages.RESULTS)
    assert "\nb, c, Python 3.\n" in page.read_text()
    assert cells(page.read_text()) == [["part", "commit", "lark"], ["`new`", "a", "2"], ["`old`", "z", "1"]]
    assert pages.written(page.read_text(), pages.load(pages.RESULTS)) == page.read_text()


@exhaustive
def test_slower_machines(tmp_path: Path) -> None:
    """A time that misses its bar is told at the speed of the machine of the bars; ratios and sizes are not."""
    path = tmp_path / "results.json"
    rows = [
        Row("missed", 6, "ms", bar="<= 4 ms", is_met=False),
        Row("met", 3, "ms", bar="<= 4 ms", is_met=True),
        Row("missed by ratio", 3, "x", bar="<= 2.5 x", is_met=False),
    ]
    pages.keep_rows("new", {circumstances.SLOWNESS: "1.50 x"}, rows, path)
    met = [line[-1] for line in cells(pages.part("rows new", pages.load(path)))[1:]]
    assert met == ["NO; 4 ms at the reference speed", "yes", "NO"]
    around = circumstances.load_around({circumstances.SLOWNESS: "0.01 x", "load before": "2"})
    assert around == {circumstances.SLOWNESS: "0.01 x", "load before": "2"}
    around = circumstances.load_around({circumstances.SLOWNESS: "1e9 x"})
    assert 0 < circumstances.factor(around[circumstances.SLOWNESS]) < 1e9


def test_not_measured() -> None:
    """What was not measured is said once, and is no fault."""
    assert [pages.part(words, {}) for words in ("where none", "marks none")] == ["", ""]
    assert pages.part("peers figures", {}) == "Not measured yet."
    assert pages.part("rows none", {}) == "Not measured yet: `none`."
    old: dict[str, dict[str, Any]] = {"old": {"where": {}, "rows": []}}
    assert pages.part("rows old none", old).splitlines()[-1] == "Not measured yet: `none`."


def test_counts_are_on_the_page() -> None:
    """Instructions are told in millions, with what they are of."""
    told = pages.counts_table({"python": "3.11", "commit": "abc", "instructions": {"parse": 5_427_003}})
    assert told.startswith("Python 3.11, commit abc.\n")
    assert cells(told)[1:] == [["parse", "5.4"]]


@pytest.mark.parametrize("kind", ["figures", "pages", "missing"])
def test_tables_are_whole(kind: str) -> None:
    """Every line has a cell for each column, and every tool a line."""
    lines = cells(peers_page.PEER_PARTS[kind](RESULTS))
    assert {len(line) for line in lines} == {len(lines[0])}
    assert len(lines) == 1 + len(RESULTS[kind])


def test_ratios() -> None:
    """Times and multiples of ours are told with their spread; a tool without a batch has none for it."""
    lines = {line[0]: line for line in cells(peers_page.figures_table(RESULTS))}
    assert list(lines) == ["tool", "Pikchr", f"**{OURS}**", "Slow"]
    assert lines["Slow"][3:7] == ["1001 (1000 to 1002)", "9.91 (9.82 to 10)", "40 (40 to 40)", "10 (10 to 10)"]
    assert lines["Pikchr"][4:8] == ["0.109 (0.1 to 0.118)", "–", "–", "–"]
    assert {line[0]: line[6] for line in cells(peers_page.pages_table(RESULTS))}["Slow"] == "89"


def test_ratios_are_of_rounds() -> None:
    """What takes twice as long in most rounds is told as that, however the medians of both lie."""
    assert peers_page.ratio((2, 20, 6), (1, 10, 20)) == "2 (0.3 to 2)"  # medians: 6 and 10


def test_slow_tools_are_compared_in_their_own_builds() -> None:
    """A tool that drew fewer figures is compared with ours of the same builds, and its cells say so."""
    lines = {line[0]: line for line in cells(peers_page.pages_table(RESULTS))}
    assert lines["Slow"][2:6] == ["51 (50 to 52) †", "5.1 (4.73 to 5.56) †", "51 (50 to 52) †", "50 †"]
    assert lines[f"**{OURS}**"][2:6] == ["6 (5 to 7)", "1 (1 to 1)", "6 (5 to 7)", "5"]
    between = RESULTS | {"pages": RESULTS["pages"] | {"Slow": page(7, 0) | {"ours": built(9)}}}
    told = "- a new build of the page, ms per figure: nobody; about the same: Slow (8 against 10 †)"
    assert told in peers_page.ahead(between).splitlines()


def test_who_is_ahead() -> None:
    """Tools that are better than ours are named wherever they are, and nobody where there is none."""
    lines = peers_page.ahead(RESULTS).splitlines()
    assert lines[0] == "- the first figure of a process, ms: Pikchr (11 against 101)"
    assert lines[1] == "- the next figure in the same process, ms: nobody"
    assert lines[2] == "- memory for one figure, MB: nobody"
    pages = RESULTS["pages"] | {"Light": page(50, 5000), "Near": page(5.5, 9000)}
    lines = peers_page.ahead(RESULTS | {"pages": pages}).splitlines()
    assert lines[5] == "- a new build of the page, ms per figure: nobody"
    assert lines[8] == "- what a reader loads more than with plain fences, kB, gzip: Light (1 against 2)"
    lines = peers_page.ahead(RESULTS | {"pages": pages | {OURS: page(6, 9000)}}).splitlines()
    assert lines[5] == "- a new build of the page, ms per figure: nobody; about the same: Near (6.5 against 7)"


def test_counts_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ratios allow for an interpreter that needs twice as much for the yardstick; what changed has a word."""
    old = {stages.YARDSTICK: 1_000_000, "more": 1_000_000, "same": 1_000_000, "fewer": 1_000_000, "gone": 1}
    monkeypatch.setattr(counts, "previous", lambda: ("v1", {"python": "3.11.1", "instructions": old}))
    new = {stages.YARDSTICK: 2_000_000, "more": 2_100_000, "same": 2_039_000, "fewer": 1_900_000, "new": 5}
    told = counts.compared("3.12.1", new)
    assert told.split("\n\n")[0] == "Instructions of the core path, against v1"
    assert "Counted with Python 3.12.1, before with 3.11.1" in told
    assert [(line[3], line[4]) for line in cells(told)[1:]] == [
        *(("1.000", "–"), ("1.050", "more"), ("1.020", "–"), ("0.950", "fewer"), ("-", "–")),
    ]


def test_recorded_counts_are_of_what_is_counted() -> None:
    """Each stage has a number in the record, and so have whole commands."""
    recorded = json.loads(counts.RECORD.read_text("utf-8"))["instructions"]
    assert [name for name in stages.STAGES if name not in recorded] == []
    assert [name.partition(",")[0] for name in recorded if name not in stages.STAGES] == [
        *("acdl --version", "acdl render", "acdl check"),
    ]


def test_missing_tools_are_listed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where nothing is installed, every tool is listed with what it needs; an installer's own words are the reason."""
    said = {"npm:nomnoml": "npm error 404"}
    monkeypatch.setattr(peers_figures, "search_path", lambda: str(tmp_path))
    monkeypatch.setattr(peers_figures, "failures", lambda: said)
    found = peers_figures.missing()
    assert list(found) == [peer.name for peer in PEERS]
    assert found["Graphviz"] == ("not there: `dot`", "`apt:graphviz`, `pip:mkdocs-graphviz`")
    assert found["nomnoml"][0] == "npm:nomnoml: npm error 404"
    assert peers_figures.present() == []


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peers_figures.slug(peer.name))
def test_all_draw_the_same(peer: Peer, tmp_path: Path) -> None:
    """The drawing of every tool has the words of ours; 20 of them all differ, and say where they are drawn."""
    sources = peers_figures.write_sources(peer, tmp_path / "in")
    texts = {source.read_text("utf-8") for source in sources}
    assert len(texts) == len(sources) == peers_figures.N_MANY
    assert [word for word in WORDS for text in texts if word not in text] == []
    commands = [peers_figures.filled(words, sources, tmp_path) for words in (peer.one, peer.many) if words]
    assert [word for command in commands for word in command if word.startswith("{")] == []
    assert all(any(str(tmp_path) in word for word in command) for command in commands)


@exhaustive
def test_nothing_is_compared_without_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where nothing is installed, the part is left out with a sentence; other parts and results stay."""
    path = tmp_path / "results.json"
    pages.keep("peers", {"where": {}, **RESULTS}, path)
    kept = path.read_text("utf-8")
    monkeypatch.setattr(peers_figures, "search_path", lambda: str(tmp_path))
    monkeypatch.setattr(peers_all, "VENV", tmp_path / "venv")
    monkeypatch.setattr(sys, "argv", ["run.py", "peers", "--json", str(path)])
    assert peers_all.measure() is None
    run.main()
    assert path.read_text("utf-8") == kept


def test_tools_without_their_environment(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Programs of the system alone are not compared: what draws the pages is not there."""
    monkeypatch.setattr(peers_figures, "missing", dict)
    monkeypatch.setattr(peers_all, "VENV", Path("none"))
    assert peers_all.measure() is None
    assert "make bench-peers" in capsys.readouterr().err


@pytest.mark.parametrize("kind", peers_page.PEER_PARTS)
def test_tables_of_nothing(kind: str) -> None:
    """Each part of the page is a sentence where no tool was measured."""
    empty: dict[str, dict[str, Any]] = {"tools": {}, "figures": {}, "pages": {}, "missing": {}}
    assert peers_page.PEER_PARTS[kind](empty) in (peers_page.NOTHING, "Every tool of the list was there.")


def test_builds_keep_nothing_elsewhere(tmp_path: Path) -> None:
    """What a tool keeps in the folder for drafts or of the user is beside its site, and is forgotten with it."""
    folder = tmp_path / "site of a tool"
    peers_sites._write(folder, OURS, 2, 0)
    surroundings = peers_sites._surroundings(folder)
    peers_sites._forget(folder)()
    write = "import os, tempfile; os.makedirs(os.environ['XDG_CACHE_HOME']); print(tempfile.mkdtemp())"
    words = [sys.executable, "-c", write]
    made = subprocess.run(words, env=surroundings, capture_output=True, text=True, encoding="utf-8").stdout.strip()
    cache = Path(surroundings["XDG_CACHE_HOME"])
    assert cache.is_dir()
    assert Path(made).is_relative_to(tmp_path)
    assert not any(each.is_relative_to(folder) for each in (cache, Path(made)))
    peers_sites._forget(folder)()
    assert not cache.exists()
    assert [*Path(made).parent.iterdir()] == []
    assert sorted(path.name for path in folder.iterdir()) == ["docs", "mkdocs.yml", "page.md", "sources"]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_one_process_draws_many(tmp_path: Path) -> None:
    """The process that stays answers every line with a figure."""
    package = tmp_path / "node_modules" / "nomnoml"
    package.mkdir(parents=True)
    package.joinpath("index.js").write_text("exports.renderSvg = (text) => `<svg>${text}</svg>`;", "utf-8")
    words = ["node", str(FOLDER / "peers" / "drawing.mjs"), "nomnoml", str(tmp_path)]
    said = "".join(json.dumps(text) + "\n" for text in ("[a]", "[b]\n[c]"))
    ran = subprocess.run(words, input=said, capture_output=True, text=True, encoding="utf-8", check=True)
    assert [json.loads(line) for line in ran.stdout.splitlines()] == ["<svg>[a]</svg>", "<svg>[b]\n[c]</svg>"]


def test_next_figure_is_by_the_same_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One figure and all are drawn by one program in turn; what the others take is divided by their number."""
    ran: list[list[str]] = []
    monkeypatch.setattr(peers_figures, "_action", ran.append)
    monkeypatch.setattr(
        peers_figures, "in_turn", lambda *_, before: before and [Series((1.0, 1.0)), Series((20.0, 39.0))]
    )
    (peer,) = (each for each in PEERS if each.name == "nomnoml")
    assert peers_figures._nexts([peer], tmp_path) == {"nomnoml": [1000.0, 2000.0]}
    assert [sum(word.endswith(".nomnoml") for word in words) for words in ran] == [1, peers_figures.N_MANY]
    assert ran[0][:4] == ran[1][:4]


@pytest.mark.parametrize("browser", ["preferred"], indirect=True)
def test_text_is_no_figure(browser: "Browser", monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A page whose blocks a tool left as text, or drew in part, never shows its figures; plain fences are text."""
    monkeypatch.setattr(peers_sites, "N_MANY", 2)
    monkeypatch.setattr(peers_sites, "_PATIENCE_MS", 300)
    text, drawn = "<pre>a\nb\nc\nd\ne\nf\ng\nh</pre>", '<svg width="90" height="90"></svg>'
    for name, body in (("text", text + text), ("part", text + drawn), ("drawn", drawn + drawn)):
        tmp_path.joinpath(f"{name}.html").write_text(f"<!doctype html><article>{body}</article>", "utf-8")
    with playground_speed.served(tmp_path) as address:
        seen = {
            name: bool(peers_sites._visit(browser, f"{address}{name}.html", peers_sites._DRAWN))
            for name in ("text", "part")
        }
        monkeypatch.setattr(peers_sites, "_PATIENCE_MS", 30_000)
        seen["drawn"] = bool(peers_sites._visit(browser, f"{address}drawn.html", peers_sites._DRAWN))
        seen["plain"] = bool(peers_sites._visit(browser, f"{address}text.html", "pre"))
    assert seen == {"text": False, "part": False, "drawn": True, "plain": True}


def test_two_times_have_no_quartiles() -> None:
    """The spread never lies outside of what was measured."""
    assert Series((2.0, 1.0)).quartiles_s == (1.0, 2.0)
    assert Series((3.0, 1.0, 2.0)).quartiles_s == (1.0, 3.0)


def test_numbers_have_no_exponent() -> None:
    """Tables are for readers."""
    assert [number(value) for value in (0, 0.00000351, 0.0513, 12.34, 99.96, 5770.4)] == [
        "0", "0.00000351", "0.0513", "12.3", "100", "5770",
    ]  # fmt: skip


def test_what_is_compared_is_compared_in_each_round() -> None:
    """A machine that is slower in one round is slower for both sides; the result lies between its quartiles."""
    mine, other = Series((1.5, 3.0, 8.0)), Series((1.25, 1.0, 4.0))  # medians: 1.75 s more, 2.4 times
    added = added_row("mine", mine, "other", other, at_most_ms=1800)
    assert (added.low, added.value, added.high, added.is_met) == (250.0, 2000.0, 4000.0, False)
    times = ratio_row("mine", mine, "other", other, at_most=2.1)
    assert (times.low, times.value, times.high, times.is_met) == (1.2, 2.0, 3.0, True)


def test_results_make_no_commit_dirty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Results that a part has written change nothing of the commit of the next; code does."""
    monkeypatch.setattr(circumstances, "ROOT", tmp_path)
    code = tmp_path / "benchmarks" / "measured.py"
    code.parent.mkdir()
    code.write_text("", "utf-8")
    for words in ("init -q", "add .", "-c user.name=a -c user.email=a@example.com commit -qm first"):
        subprocess.run(["git", *words.split()], cwd=tmp_path, check=True)
    code.with_name("results.json").write_text("{}", "utf-8")
    clean = circumstances.where()["commit"]
    code.write_text("changed = True\n", "utf-8")
    assert circumstances.where()["commit"] == f"{clean}-dirty"
    assert not clean.endswith("-dirty")


def test_every_drawing_is_used() -> None:
    """No file of the folder is left over from a tool that is gone."""
    assert {path.name for path in (FOLDER / "peers").glob("shape.*")} == {peer.drawing for peer in PEERS}


def test_folders_are_emptied(tmp_path: Path) -> None:
    """What a round has written is not there in the next, and the folder is."""
    folder, found = tmp_path / "out", []
    measured = in_turn(2, lambda: found.append(os.listdir(folder)), before=[emptied(folder)])
    (folder / "a").write_text("b")
    in_turn(1, lambda: (folder / "b").touch(exist_ok=False), before=[emptied(folder)])
    assert len(measured[0].times_s) == 2
    assert found == [[], [], []]
    assert os.listdir(folder) == ["b"]

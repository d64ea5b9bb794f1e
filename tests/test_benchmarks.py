"""What is measured reaches the page of benchmarks whole, and tools that are not there are listed."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "benchmarks"
sys.path.append(str(FOLDER))

import counts  # noqa: E402
import pages  # noqa: E402
import peers_figures  # noqa: E402
import peers_page  # noqa: E402
import run  # noqa: E402
import stages  # noqa: E402
from measure import Row  # noqa: E402
from peers_table import OURS, PEERS, Peer  # noqa: E402

WORDS = ("INSTRUCTIONS", "NO_TOOL", "FORMAT", "sys.tools", "sys.result", "resp.answer", "DOCUMENTS(sys.index)")


def figure(first_ms: float, next_ms: list[float] | None) -> dict[str, object]:
    """What was measured of a tool that draws one figure."""
    first = [first_ms, first_ms + 1, first_ms + 2]
    return {"first_ms": first, "next_ms": next_ms, "memory_mb": 5.5, "bytes": 7000, "gzip_bytes": 1500}


def page(added_ms: float, loaded: int) -> dict[str, object]:
    """What was measured of a tool that draws a page."""
    times = [added_ms, added_ms + 1, added_ms + 2]
    values: dict[str, object] = {"added_ms": times, "again_ms": times, "seen_ms": times, "memory_mb": 60.0}
    return values | {"loaded_bytes": loaded, "loaded_gzip_bytes": loaded // 4}


RESULTS: dict[str, dict[str, Any]] = {
    "tools": {
        name: {"version": "1.2", "needs": "a program", "integration": "a plugin"} for name in (OURS, "Pikchr", "Slow")
    },
    "figures": {
        OURS: figure(100, [4.0, 4.0, 4.0]),
        "Pikchr": figure(10, None),
        "Slow": figure(1000, [40.0, 40.0, 40.0]),
    },
    "pages": {peers_page.PLAIN: page(0, 1000), OURS: page(5, 9000), "Slow": page(50, 90_000)},
    "missing": {"Absent": ["not there: `absent`", "`npm:absent`"]},
}


def cells(markdown: str) -> list[list[str]]:
    """The lines of a table without the rule below its head."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in (lines[0], *lines[2:])]


def test_page_is_what_results_say() -> None:
    """The tables of the page are those of the file of results; `python benchmarks/pages.py` writes them."""
    text = pages.PAGE.read_text("utf-8")
    assert pages.written(text, pages.load()) == text


def test_every_part_is_on_the_page() -> None:
    """Each part that can be measured has its rows on the page, and each table side by side is there."""
    shown = [words for line in pages.PAGE.read_text("utf-8").splitlines() if (words := line.split())[1:3] == BENCH]
    rows = {name for words in shown if words[3] == "rows" for name in words[4:-1]}
    assert rows >= {*run.PARTS, "playground", "editor"}
    assert {words[4] for words in shown if words[3] == "peers"} == {*peers_page.PEER_PARTS}


BENCH = ["generated:", "bench"]


def test_one_part_leaves_the_others(tmp_path: Path) -> None:
    """Measuring one part changes nothing of what is known of others, and no page unless the results are ours."""
    path = tmp_path / "results.json"
    before = pages.PAGE.read_text("utf-8")
    pages.keep("old", {"where": {"machine": "a"}, "rows": []}, path)
    pages.keep_rows("new", {"machine": "b"}, [Row("drawing", 3.14159, "ms", 3, 4, bar="<= 3 ms", is_met=False)], path)
    found = pages.load(path)
    assert found["old"] == {"where": {"machine": "a"}, "rows": []}
    assert cells(pages.part("rows old new", found))[1] == ["drawing", "3.14 ms", "3 to 4", "", "", "<= 3 ms", "NO"]
    assert pages.part("where new", found) == "b."
    assert pages.PAGE.read_text("utf-8") == before


@pytest.mark.parametrize("words", ["rows none", "where none", "peers figures"])
def test_not_measured(words: str) -> None:
    """What was not measured is said, and is no fault."""
    assert pages.part(words, {}) == "Not measured yet."


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
    assert lines["Pikchr"][4:7] == ["0.109 (0.1 to 0.118)", "–", "–"]
    assert {line[0]: line[6] for line in cells(peers_page.pages_table(RESULTS))}["Slow"] == "89"


def test_who_is_ahead() -> None:
    """Tools that are better than ours are named wherever they are, and nobody where there is none."""
    lines = peers_page.ahead(RESULTS).splitlines()
    assert lines[0] == "- the first figure of a process: Pikchr (11 against 101)"
    assert lines[1] == "- the next figure in the same process: nobody"


def test_counts_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ratios allow for an interpreter that needs twice as much for the yardstick; what changed has a word."""
    old = {stages.YARDSTICK: 1_000_000, "more": 1_000_000, "same": 1_000_000, "fewer": 1_000_000, "gone": 1}
    monkeypatch.setattr(counts, "previous", lambda: ("v1", {"python": "3.11.1", "instructions": old}))
    new = {stages.YARDSTICK: 2_000_000, "more": 2_100_000, "same": 2_039_000, "fewer": 1_900_000, "new": 5}
    told = counts.compared("3.12.1", new)
    assert told.split("\n\n")[0] == "Instructions of the core path, against v1"
    assert "Counted with Python 3.12.1, before with 3.11.1" in told
    assert [(line[3], line[4]) for line in cells(told)[1:]] == [
        *(("1.000", ""), ("1.050", "more"), ("1.020", ""), ("0.950", "fewer"), ("-", "")),
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


def test_every_drawing_is_used() -> None:
    """No file of the folder is left over from a tool that is gone."""
    assert {path.name for path in (FOLDER / "peers").glob("shape.*")} == {peer.drawing for peer in PEERS}

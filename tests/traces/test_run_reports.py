"""What recorded runs say, in every form: expected files beside each spec, and what must never be in any of them."""

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from exhaustive import exhaustive
from jsonschema import Draft202012Validator
from lxml import etree

from acdl_mkdocs.foundation.reports.comment_markdown import MOST_CHARACTERS
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.runs.check_files import CheckedFiles, check_requests, open_recordings
from acdl_mkdocs.runs.report import RUN_REPORTS, RunReportOptions
from acdl_mkdocs.runs.report.summary import summarize_check

FOLDER = Path(__file__).parent.parent / "golden" / "run_reports"
SCHEMA = Draft202012Validator(
    json.loads(files("acdl_mkdocs").joinpath("assets/check-run.schema.json").read_text("utf-8"))
)
ENDINGS = {"terminal": "txt", "json": "json", "junit": "xml", "markdown": "md", "badge": "badge.json"}


def checked(name: str, mutants: int = 30, text: str | None = None) -> CheckedFiles:
    """What the recording beside a spec says about it."""
    source = Source((FOLDER / f"{name}.acdl").read_text("utf-8") if text is None else text, f"{name}.acdl")
    return check_requests(parse_and_resolve(source).resolved, open_recordings([f"{name}.run.jsonl"]), mutants=mutants)


def test_run_reports(case: Path, golden: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every report of every case."""
    monkeypatch.chdir(FOLDER)
    found = checked(case.stem)
    assert set(ENDINGS) == set(RUN_REPORTS)
    for name, write in RUN_REPORTS.items():
        text = write(found, RunReportOptions())
        golden(text, ENDINGS[name])
        assert text.endswith("\n")
        assert text == write(checked(case.stem), None), "not the same each time"
    SCHEMA.validate(json.loads(RUN_REPORTS["json"](found, None)))
    suite = etree.fromstring(RUN_REPORTS["junit"](found, None).encode())
    assert int(suite.attrib["failures"]) == len(found.checked.list_lines("refuted"))
    assert int(suite.attrib["tests"]) == len(suite.findall("*/testcase"))
    assert len(RUN_REPORTS["markdown"](found, None)) <= MOST_CHARACTERS
    badge = json.loads(RUN_REPORTS["badge"](found, None))
    assert badge.keys() == {"schemaVersion", "label", "message", "color"}


@pytest.mark.parametrize("report", sorted(RUN_REPORTS))
@pytest.mark.parametrize("has_excerpts", [True, False])
def test_nothing_of_a_recording_acts_or_leaks(report: str, has_excerpts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """No control characters, no keys, no markup that a comment would understand, and never all of a message."""
    monkeypatch.chdir(FOLDER)
    text = RUN_REPORTS[report](checked("hostile"), RunReportOptions(has_excerpts=has_excerpts))
    assert not any(each in text for each in "\x1b\x07\u202e")
    assert "sk-proj" not in text
    assert "abcdefghijklmnop" not in text
    assert len(text) < 20_000
    if not has_excerpts:
        assert "octocat closes" not in text
        assert "yyyy" not in text
    if report == "markdown":
        outside = "".join(text.split("\n```")[::2])  # what stands in fences does not act
        assert "<script" not in outside
        assert "@octocat" not in outside
    if report == "junit":
        etree.fromstring(text.encode())


def test_colors_and_signs_are_only_there_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal without other characters gets letters."""
    monkeypatch.chdir(FOLDER)
    found = checked("refuted")
    plain = RUN_REPORTS["terminal"](found, RunReportOptions(is_ascii=True))
    assert plain.isascii()
    colored = RUN_REPORTS["terminal"](found, RunReportOptions(color=True))
    assert "\x1b[1;31m" in colored
    assert " ✗ " in colored


def test_mutants_of_a_refuted_spec_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What refutes the spec would refute them all."""
    monkeypatch.chdir(FOLDER)
    assert checked("refuted").score is None
    score = checked("weak").score
    assert score is not None
    assert 0 < score.n_killed < len(score.results)


def test_a_green_check_on_weak_evidence_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Numbers first, then what they come to."""
    monkeypatch.chdir(FOLDER)
    told = "agrees with all 3 requests; 2 of 12 lines unexercised"
    assert summarize_check(checked("weak", mutants=0)).sentence == told
    assert summarize_check(checked("weak")).sentence == f"{told}, 17 of 21 deliberate errors detected"
    few = "".join((FOLDER / "weak.run.jsonl").read_text("utf-8").splitlines(keepends=True)[:1])
    monkeypatch.chdir(tmp_path)
    Path("weak.run.jsonl").write_text(few, "utf-8")
    found = checked("weak", text=(FOLDER / "weak.acdl").read_text("utf-8"))
    assert summarize_check(found).sentence == (
        "agrees with the only request; 8 of 12 lines unexercised, 8 of 21 deliberate errors detected: weak evidence"
    )
    assert json.loads(RUN_REPORTS["badge"](found, None))["color"] == "yellow"


def test_what_is_lost_or_empty_is_no_green_badge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A recording that cannot be read in full, and a spec that no request could confirm."""
    monkeypatch.chdir(tmp_path)
    request = '{"model": "m", "messages": [{"role": "user", "content": "hello"}]}\n'
    Path("chat.run.jsonl").write_text(f'{request}{{"messages": [\n', "utf-8")
    damaged = checked("chat", 0, 'Chat[@T]: { U: "hello" }')
    assert summarize_check(damaged).sentence == (
        "agrees with the only request; 1 value could not be read; the only line confirmed: weak evidence"
    )
    assert json.loads(RUN_REPORTS["badge"](damaged, None))["color"] == "yellow"
    Path("chat.run.jsonl").write_text('{"model": "m", "messages": []}\n', "utf-8")
    empty = checked("chat", 0, "Chat[@T]: { }")
    assert summarize_check(empty).sentence.endswith(
        "; the spec has no line that a request could confirm: weak evidence"
    )
    assert summarize_check(empty).coverage_percent == 0
    badge = json.loads(RUN_REPORTS["badge"](empty, None))
    assert (badge["message"], badge["color"]) == ("no line to confirm", "lightgrey")


@exhaustive
def test_a_long_spec_is_folded_and_a_long_comment_keeps_within_its_limit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Only lines around those that are not confirmed are shown."""
    monkeypatch.chdir(tmp_path)
    n_lines = 3_000
    said = [{"role": "user", "content": f"text {n}"} for n in range(n_lines)]
    Path("long.run.jsonl").write_text(json.dumps({"model": "m", "messages": said}) + "\n", "utf-8")
    body = "".join(f'    {"U" if n != 2_000 else "A"}: "text {n}"\n' for n in range(n_lines))
    found = checked("long", 0, f"Long[@T]: {{\n{body}}}\n")
    shown = RUN_REPORTS["terminal"](found, None)
    assert [line.line for line in found.checked.list_lines("refuted")] == [2_002]
    assert "1998 lines" in shown
    with monkeypatch.context() as less:
        less.setattr("acdl_mkdocs.runs.match.match.MOST_CELLS", 20_000)
        huge = checked("long", 0, f"Long[@T]: {{\n{body.replace('U:', 'A:')}}}\n")
    (line,) = huge.checked.list_lines("refuted")
    assert (line.line, line.reason) == (1, "too much differs to say which line is wrong")
    Path("long.run.jsonl").write_text(json.dumps({"model": "m", "messages": said[:400]}) + "\n", "utf-8")
    other = checked("long", 0, "Long[@T]: {\n" + "".join(f'    A: "text {n}"\n' for n in range(400)) + "}\n")
    comment = RUN_REPORTS["markdown"](other, None)
    assert len(other.checked.list_lines("refuted")) == 400
    assert 10_000 < len(comment) <= MOST_CHARACTERS
    assert "and 200 more." in comment

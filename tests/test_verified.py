"""What recorded runs say about the spec of a block stands below its figure, and beside its lines."""

import gzip
import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.docs.blocks import run_findings
from acdl_mkdocs.frontends.docs.blocks.block import PageBlock, from_fence
from acdl_mkdocs.frontends.docs.blocks.run_marks import RunFindings
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.settings import Settings, set_setting
from acdl_mkdocs.runs.read import files
from acdl_mkdocs.workspace.cache import open_page_cache
from acdl_mkdocs.workspace.fences import fences_of
from acdl_mkdocs.workspace.folder_names import FolderNames
from acdl_mkdocs.workspace.recorded_runs import ENDINGS, MOST_FILES, find_runs
from acdl_mkdocs.workspace.spec import Spec

SPEC = """// title: Chat
Chat[@T]: {
    S: INSTRUCTIONS
    ForEach(t: range(1, @T)) {
        U: env.question[@t]
        A: resp.answer[@t]
    }
    U: env.question[@T]
}
"""
KEY = "sk-proj-" + "Zx9Qw3Rt7Yu2Kp5Lm8Nb4Vc6Df1Gh0"
"""In two halves so that scanners of this repository do not find it."""


def run(n_calls: int = 3, *, role: str = "assistant", question: str = "q") -> str:
    """A recorded run of `SPEC`."""
    messages: list[dict[str, str]] = [{"role": "system", "content": "be kind"}]
    lines = []
    for step in range(1, n_calls + 1):
        messages.append({"role": "user", "content": f"{question}{step}"})
        lines.append(json.dumps({"model": "gpt-x", "messages": messages}))
        messages.append({"role": role, "content": f"a{step}"})
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a spec and a run of it."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "chat.acdl").write_text(SPEC)
    (tmp_path / "runs" / "a.jsonl").write_text(run())
    return tmp_path


def drawn(root: Path, header: str, text: str = "", settings: Settings | None = None) -> PageBlock:
    """A block of a page."""
    page_text = f"# A\n\n```acdl {header}\n{text}```\n"
    page = Page(name="a.md", text=page_text, root=root, settings=settings or Settings())
    return from_fence(fences_of(page_text)[0], page)


SHOWN = 'src="chat.acdl" runs="runs/a.jsonl"'


def test_agreement(root: Path) -> None:
    """Three calls that agree confirm every line: in the figure, its text, its source and in words."""
    block = drawn(root, SHOWN)
    assert block.log == ()
    assert "Verified against 3 recorded calls" in block.html
    assert "all 5 lines confirmed" in block.html
    assert "<desc>5 confirmed." in block.html
    assert block.html.count("\u2713   ") > 0
    assert 'data-acdl-margin=" &#10; &#10;\u2713&#10;\u2713&#10;\u2713&#10;\u2713&#10; &#10;\u2713&#10; "' in block.html
    rows = re.findall(r'<tr class="acdl-is-(\w+)"><th scope="row">(\d+)', block.html)
    assert rows == [("confirmed", line) for line in "34568"]
    assert "<table class=" in block.html
    assert "<table>" not in block.html  # which Material would put into a box that no keyboard can scroll
    assert "<b>Models</b> gpt-x (3\u00d7)" in block.html


def test_weak_evidence(root: Path) -> None:
    """A first call says nothing about the history, and the page says so."""
    (root / "runs" / "a.jsonl").write_text(run(1))
    block = drawn(root, SHOWN)
    assert block.log == ()
    assert "Agrees with 1 recorded call, weak evidence" in block.html
    assert "Verified" not in block.html
    assert block.html.count("unexercised</td>") == 3


def test_a_refuted_line_is_a_warning_with_its_place_and_a_cure(root: Path) -> None:
    """The build log has file, line, request and what can be done; the section is open and shows the message."""
    (root / "runs" / "a.jsonl").write_text(run(role="user"))
    block = drawn(root, SHOWN)
    ((severity, line),) = block.log
    assert severity == "warning"
    assert line.startswith("chat.acdl:6:9: warning[refuted-line]: recorded runs refute this line: ")
    assert "(runs/a.jsonl:2, messages[2]); write the line as the agent sends it" in line
    assert line.endswith("(shown by a.md:3)")
    assert '<details class="acdl-more" data-search-exclude open>' in block.html
    assert '<li class="acdl-is-refuted"><code>messages[2] user</code> a1</li>' in block.html
    assert "[refuted] Assistant message" in block.html


def test_excerpts_can_be_left_out(root: Path) -> None:
    """No word of a recorded message is shown then: not in the section, not in the log, and also for a whole site."""
    state = "acdl_state: 1\nenv: {question: {1: other, 2: other, 3: other}}\n"
    (root / "runs" / "a.run.state.yaml").write_text(state)
    (root / "runs" / "a.run.jsonl").write_text(run(question="confidential"))
    header = 'src="chat.acdl" runs="runs/a.run.jsonl"'
    assert "confidential1" in drawn(root, header).html
    quiet = Settings()
    set_setting(quiet, "excerpts", False)
    site = replace(quiet, defaults=replace(quiet.defaults, excerpts=False))
    for block in (drawn(root, f"{header} excerpts=off"), drawn(root, header, settings=site)):
        assert "confidential" not in block.html
        assert "confidential" not in repr(block.log)
        assert "a request has something else here (runs/a.run.jsonl:1, messages[1])" in block.html


def test_no_secrets(root: Path) -> None:
    """Keys in recorded messages reach neither the page nor the log."""
    (root / "runs" / "a.jsonl").write_text(run(role="user", question=f"{KEY} "))
    block = drawn(root, SHOWN)
    assert "[redacted]" in block.html
    assert KEY[:16] not in block.html + repr(block.log)


def test_what_is_recorded_is_only_text(root: Path) -> None:
    """Recorded messages, models and names cannot bring anything into the page."""
    hostile = "<script>alert(1)</script>\u001b[31m"
    text = run(role="user", question=hostile).replace("gpt-x", "<img src=x onerror=alert(1)>")
    (root / "runs" / "a.jsonl").write_text(text)
    block = drawn(root, SHOWN)
    assert "<script" not in block.html
    assert "<img" not in block.html
    assert "\u001b" not in block.html + repr(block.log)
    assert " style=" not in block.html


def test_mutants(root: Path) -> None:
    """How much the runs would notice is said where it is asked for."""
    assert "Deliberate errors" not in drawn(root, SHOWN).html
    found = re.search(r"<b>Deliberate errors</b> (\d+) of (\d+) detected", drawn(root, f"{SHOWN} mutants=5").html)
    assert found is not None
    assert int(found[2]) == 5
    assert drawn(root, f"{SHOWN} mutants=many").log[0][1].endswith("`mutants` cannot be `many`")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("runs/a.json", "`runs/a.json` does not exist; did you mean `runs/a.jsonl`?"),
        ("runs", "`runs` is a folder; name the files in it: `runs/*.jsonl`"),
        ("nothing/*.jsonl", "`nothing/*.jsonl` names no file; record a run: `acdl record"),
        ("../a.jsonl", "`../a.jsonl` lies outside the project"),
        ("/etc/passwd", "`/etc/passwd` lies outside the project"),
        ("chat.acdl", "chat.acdl: there is no request in it"),
    ],
)
def test_recordings_that_cannot_be_used(root: Path, value: str, words: str) -> None:
    """They are told at their place in the page; the figure is drawn all the same, and claims nothing."""
    block = drawn(root, f'src="chat.acdl" runs="{value}"')
    ((severity, line),) = block.log
    assert severity == "error"
    assert line.startswith("a.md:3:")
    assert "error[run-file]" in line
    assert words in line
    assert "<svg" in block.html
    assert "acdl-verified" not in block.html


def test_options_about_runs_that_are_not_there(root: Path) -> None:
    """An option that says more about runs is told where there are none; what a value has to be is said once."""
    told = [line.partition(": ")[2] for _, line in drawn(root, 'src="chat.acdl" mutants=5 excerpts=off').log]
    assert [each.partition(";")[0] for each in told] == [
        "warning[idle-option]: `mutants` does nothing without `runs`",
        "warning[idle-option]: `excerpts` does nothing without `runs`",
    ]
    told = [line.partition(": ")[2] for _, line in drawn(root, 'src="chat.acdl" at=2').log]
    assert [each.partition(";")[0] for each in told] == ["warning[idle-option]: `at` does nothing without `state`"]
    assert "expected a number from 0 to" in drawn(root, f"{SHOWN} mutants=-1").html


def test_a_link_out_of_the_project_is_not_followed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A link to a recording elsewhere is refused."""
    outside = tmp_path_factory.mktemp("outside") / "x.jsonl"
    outside.write_text(run())
    (root / "runs" / "link.jsonl").symlink_to(outside)
    assert "lies outside the project" in drawn(root, 'src="chat.acdl" runs="runs/*.jsonl"').log[0][1]


def test_too_many_recordings(root: Path) -> None:
    """A page checks no more than it can in reasonable time, and says where to check the rest."""
    for number in range(MOST_FILES):
        (root / "runs" / f"{number}.jsonl").write_text("{}")
    line = drawn(root, 'src="chat.acdl" runs="runs/*.jsonl"').log[0][1]
    assert f"more than the {MOST_FILES} files" in line
    assert "`acdl check-run` in the CI" in line


def test_damage_is_told(root: Path) -> None:
    """What may be a request and cannot be read is a warning beside the verdict."""
    (root / "runs" / "a.jsonl").write_text(run() + '{"messages": [{"role": \n')
    block = drawn(root, SHOWN)
    assert [severity for severity, _ in block.log] == ["warning"]
    assert (
        "<strong>Agrees with 3 recorded calls, weak evidence</strong> <span>1 value could not be read; all"
        in block.html
    )
    assert "Verified" not in block.html
    assert "warning[run-file]: the recorded runs are incomplete: runs/a.jsonl:4" in block.log[0][1]


def test_a_spec_without_lines_is_not_verified(root: Path) -> None:
    """There is nothing that a request could confirm, and the page says so."""
    (root / "runs" / "a.jsonl").write_text('{"model": "m", "messages": []}\n')
    block = drawn(root, 'runs="runs/a.jsonl"', "Chat[@T]: { }\n")
    assert "Verified" not in block.html
    assert "Agrees with 1 recorded call, weak evidence" in block.html
    assert "the spec has no line that a request could confirm" in block.html


def test_several_forms(root: Path) -> None:
    """Patterns, several names and compressed files; the same recording counts once."""
    (root / "runs" / "b.jsonl.gz").write_bytes(gzip.compress(run(2).encode()))
    block = drawn(root, 'src="chat.acdl" runs="runs/*.jsonl runs/a.jsonl, runs/b.jsonl.gz"')
    assert block.log == ()
    assert "Verified against 5 recorded calls" in block.html
    assert "<b>Recordings</b> runs/a.jsonl, runs/b.jsonl.gz" in block.html


def test_a_manifest_beside_a_recording(root: Path) -> None:
    """Points that somebody gives come before those that are counted."""
    (root / "chat.run.jsonl").write_text(run())
    (root / "chat.run.manifest.json").write_text('["2", "3", "4"]')
    block = drawn(root, 'src="chat.acdl" runs="chat.run.jsonl"')
    assert "refuted-line" in repr(block.log)


def test_a_state_beside_a_recording(root: Path) -> None:
    """Contents are compared with it; one that cannot be read is told, and nothing is claimed."""
    (root / "chat.run.jsonl").write_text(run())
    header = 'src="chat.acdl" runs="chat.run.jsonl"'
    state = root / "chat.run.state.yaml"
    state.write_text("acdl_state: 1\nenv: {question: {1: q1, 2: q2, 3: q3}}\n")
    block = drawn(root, header)
    assert block.log == ()
    assert "<b>Contents</b> compared with a state" in block.html
    for wrong in ("- no state\n", "acdl_state: 1\ntemplates: {A: {file: none.txt}}\n"):
        state.write_text(wrong)
        block = drawn(root, header)
        assert "error[run-file]: chat.run.state.yaml: " in block.log[0][1]
        assert "acdl-verified" not in block.html


def test_a_block_with_its_own_text(root: Path) -> None:
    """A spec that stands in the page is checked too; problems have the lines of the page."""
    (root / "runs" / "a.jsonl").write_text(run(role="user"))
    block = drawn(root, 'runs="runs/a.jsonl"', SPEC)
    assert block.log[0][1].startswith("a.md:9:9: warning[refuted-line]")


def test_it_is_checked_once(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found is kept between builds, and found out again when spec or recording change, not when dates do."""
    n_checked = 0
    check = run_findings._check_runs

    def counting(*args: object) -> RunFindings:
        nonlocal n_checked
        n_checked += 1
        return check(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(run_findings, "_check_runs", counting)

    def build(*, is_fresh: bool = True) -> str:
        if is_fresh:
            run_findings._remembered.clear()
        text = f"# A\n\n```acdl {SHOWN}\n```\n"
        cache = open_page_cache(tmp_path / "cache", "a.md")
        page = Page(name="a.md", text=text, root=root, cache=cache)
        html = from_fence(fences_of(text)[0], page).html
        cache.save_file()
        return html

    first = build()
    assert (build(), build(is_fresh=False), n_checked) == (first, first, 1)
    os.utime(root / "runs" / "a.jsonl", (1, 1))
    for path in (tmp_path / "cache").glob("*.page"):
        path.unlink()
    assert (build(), n_checked) == (first, 1)
    (root / "runs" / "a.jsonl").write_text(run(1))
    assert build() != first
    assert n_checked == 2
    for path in (tmp_path / "cache" / "runs").glob("*.json"):
        path.write_text("damaged")
    for path in (tmp_path / "cache").glob("*.page"):
        path.unlink()
    build()
    assert n_checked == 3


def test_a_page_depends_on_its_recordings(root: Path) -> None:
    """Docs tools that rebuild what has changed know the files, also those that do not exist yet."""
    text = '```acdl src="chat.acdl" runs="runs/a.jsonl runs/later.jsonl"\n```\n'
    page = Page(name="a.md", text=text, root=root)
    from_fence(fences_of(text)[0], page)
    assert {path.name for path in page.files} >= {"chat.acdl", "a.jsonl", "later.jsonl"}


def _spec(name: str, runs: tuple[str, ...] = (), requests: str = "") -> Spec:
    source = Source("", "a.acdl")
    return Spec(
        name=name,
        kind="prompt",
        title=name,
        runs=runs,
        requests=requests,
        source=source,
        span=Span(0, 0),
        miniature="",
    )


def test_recordings_beside_a_spec(tmp_path: Path) -> None:
    """They are found by their names; of a file with several specs, only those that name one."""
    names = (
        "react.run.jsonl",
        "react.monday.run.har",
        "react.React2.run.jsonl.gz",
        "React1.run.otlp.json",
        "react.run.traj",
        "react.run.yaml",
    )
    others = (
        "reactor.run.jsonl",
        ".react.run.jsonl",
        "react.state.yaml",
        "react.run.state.yaml",
        "react.jsonl",
        "react.run.md",
    )
    for name in (*names, *others):
        (tmp_path / name).write_text("")
    found = find_runs(tmp_path / "react.acdl", ("React1", "React2"), FolderNames())
    assert found.find_recordings(_spec("React1"), is_alone=False) == ("React1.run.otlp.json",)
    assert found.find_recordings(_spec("React2"), is_alone=False) == ("react.React2.run.jsonl.gz",)
    assert found.find_recordings(_spec("React2", ("x/*.jsonl",)), is_alone=False) == ("x/*.jsonl",)
    sharing = _spec("React1", requests="model=gpt-*")
    assert "react.run.jsonl" in found.find_recordings(sharing, is_alone=False)
    alone = find_runs(tmp_path / "react.acdl", ("Agent",), FolderNames())
    assert alone.find_recordings(_spec("Agent"), is_alone=True) == (
        "react.React2.run.jsonl.gz",
        "react.monday.run.har",
        "react.run.jsonl",
        "react.run.traj",
        "react.run.yaml",
    )


def test_recordings_of_every_form_are_found() -> None:
    """What `check-run` reads of a folder, or where it is named, is also found beside a spec."""
    assert {f".run{each}" for each in (*files.ENDINGS, *files.TEXT_ENDINGS)} <= set(ENDINGS)

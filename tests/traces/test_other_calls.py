"""Calls of custom and built-in tools are steps of a run, as calls of functions are."""

import json
from pathlib import Path
from typing import Any

import pytest

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.resolve import resolve
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.runs.episodes import group_by_run
from acdl_mkdocs.runs.match.verdicts import check_runs
from acdl_mkdocs.runs.points import assign_points
from acdl_mkdocs.runs.read.files import read_trace
from acdl_mkdocs.runs.read.recorded import Recorded

ASKED: Any = {"role": "user", "content": "fix it"}
CALLED: list[Any] = [
    {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": "*** Begin Patch"},
    {"type": "custom_tool_call_output", "call_id": "c1", "output": "Success"},
]
SHELL: list[Any] = [
    {"type": "shell_call", "call_id": "c2", "action": {"commands": ["ls"]}},
    {"type": "shell_call_output", "call_id": "c2", "output": [{"stdout": "a.py", "stderr": ""}]},
]
SAID: Any = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]}


def requests(tmp_path: Path, inputs: list[list[Any]]) -> list[Recorded]:
    """The requests of a run, with their points."""
    file = tmp_path / "run.jsonl"
    file.write_text("".join(json.dumps({"model": "m", "input": each}) + "\n" for each in inputs), encoding="utf-8")
    found = [each for each in read_trace(file) if isinstance(each, Recorded)]
    assert all(each.problems == () for each in found)
    (run,) = group_by_run(assign_points(found)).values()
    return list(run)


def test_are_counted(tmp_path: Path) -> None:
    """Each call with its result is a sub-step."""
    first, second = [ASKED, *CALLED], [ASKED, *CALLED, *SHELL]
    run = requests(tmp_path, [[ASKED], first, second, [*second, SAID, ASKED]])
    assert [str(each.at) for each in run] == ["1.0", "1.1", "1.2", "2.0"]


def test_agree_with_a_spec(tmp_path: Path) -> None:
    """A spec of an agent with tools describes them."""
    text = "A[@T.I]: { U: env.q[@T] ForEach(i: range(1, @T.I + 1)) { A: resp.call[@T.i] T: sys.result[@T.i] } }"
    run = requests(tmp_path, [[ASKED], [ASKED, *CALLED], [ASKED, *CALLED, *SHELL]])
    checked = check_runs(resolve(parse(Source(text))), [run])
    assert not any(each.is_disagreeing for each in checked.calls)


@pytest.mark.parametrize("name", ["anthropic", "gemini"])
def test_several_answers_are_one(tmp_path: Path, name: str) -> None:
    """Several messages of the model in a row are one to Anthropic and Gemini."""
    ids = ("t1", "t2")
    calls: list[Any]
    results: list[Any]
    if name == "anthropic":
        calls = [
            {"role": "assistant", "content": [{"type": "tool_use", "id": each, "name": "f", "input": {}}]}
            for each in ids
        ]
        results = [{"type": "tool_result", "tool_use_id": each, "content": each} for each in ids]
        body: Any = {"max_tokens": 9, "messages": [ASKED, *calls, {"role": "user", "content": results}]}
    else:
        calls = [{"role": "model", "parts": [{"functionCall": {"id": each, "name": "f"}}]} for each in ids]
        results = [{"functionResponse": {"id": each, "name": "f", "response": {"output": each}}} for each in ids]
        asked: Any = {"role": "user", "parts": [{"text": "fix it"}]}
        body = {"contents": [asked, *calls, {"role": "user", "parts": results}]}
    file = tmp_path / "run.jsonl"
    file.write_text(json.dumps(body), encoding="utf-8")
    run = list(assign_points(each for each in read_trace(file) if isinstance(each, Recorded)))
    assert [str(each.at) for each in run] == ["1.1"]
    spec = resolve(parse(Source("A[@T.I]: { U: env.q[@1] A: sys.calls[@1.1] T: sys.results[@1.1] }")))
    assert not any(each.is_disagreeing for each in check_runs(spec, [run]).calls)

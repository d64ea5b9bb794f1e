"""Where messages are in a program: instructions that change with each round, and lists of what was seen."""

from functools import partial
from pathlib import Path

import pytest
from traces.sent import spec

from acdl_mkdocs.app.infer import infer
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.check_files import check_requests, open_recordings
from acdl_mkdocs.runs.infer import infer_spec
from acdl_mkdocs.runs.infer.program import Form
from inference.talks import record

FILES = ("one", "two", "three", "four", "five", "six")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def record_editing(name: str) -> None:
    """Write the run of an agent whose instructions have a file that each of its calls changes."""
    bodies: list[Json] = []
    said: list[Json] = []
    for number, text in enumerate(FILES):
        if number % 3 == 0:
            said.append({"role": "user", "content": f"question {number}?"})
        instructions = f"You edit.\n# The file:\n{text}\nBe brief."
        bodies.append({"messages": [{"role": "system", "content": instructions}, *said]})
        if number % 3 == 2:
            said.append({"role": "assistant", "content": f"answer {number}."})
            continue
        function: Json = {"name": "edit", "arguments": f'{{"text": "{text}"}}'}
        call: Json = {"id": f"c{number}", "type": "function", "function": function}
        said.append({"role": "assistant", "content": None, "tool_calls": [call]})
        said.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"edited {number}"})
    replies: list[Json] = [said[at] for at in (1, 3, 5, 7, 9, 11)]
    lines: list[Json] = [
        {"episode": "a", "request": body, "reply": {"choices": [{"index": 0, "message": reply}]}}
        for body, reply in zip(bodies, replies, strict=True)
    ]
    record(name, lines)


def test_instructions_made_anew_in_each_round() -> None:
    """They begin each request, whenever they were written."""
    record_editing("run.jsonl")
    text = infer(partial(open_recordings, ["run.jsonl"])).text
    assert "ForEach(i: range(1, @t.substeps)) {" in text
    assert text.split("\n")[2:7] == [
        "    S: {",
        "        INSTRUCTIONS",
        "        sys.file[@T.I]",
        "        BRIEF",
        "    }",
    ]


def test_a_list_of_what_was_seen_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no program sends the requests, positions are listed; a message at one is not the answer at that time."""
    record_editing("run.jsonl")
    monkeypatch.setattr(infer_spec, "_FORMS", (Form(is_flat=True),))
    monkeypatch.setattr(infer_spec, "_OWN_FORMS", ())
    monkeypatch.setattr("acdl_mkdocs.runs.infer.program.MOST_FLAT", 0)
    inferred = infer(partial(open_recordings, ["run.jsonl"]))
    assert "env.message[@T.I]" in inferred.text
    assert not check_requests(spec(inferred.text), open_recordings([Path("run.jsonl")])).checked.is_refuted


@pytest.mark.parametrize(
    ("reminder", "line"),
    [
        ("Keep going.", "U: KEEP_GOING"),
        ("<r>Turn {turn}</r>", "U: R_TURN_R(sys.r_turn[@T])"),
        ("Today is 2026-01-0{turn}.", "U: TODAY(sys.date[@T])"),
    ],
)
def test_a_reminder_behind_each_round(reminder: str, line: str) -> None:
    """It is one line after the loop over turns, even if one run is all there is."""
    bodies: list[Json] = []
    said: list[Json] = [{"role": "system", "content": "You help."}]
    for turn in (1, 2, 3):
        said.append({"role": "user", "content": f"question {turn}?"})
        for step in (0, 1, 2):
            bodies.append({"messages": [*said, {"role": "user", "content": reminder.format(turn=turn)}]})
            call: Json = {
                "id": f"c{turn}{step}",
                "type": "function",
                "function": {"name": "look", "arguments": f'{{"at": {turn}{step}}}'},
            }
            if step < 2:
                said.append({"role": "assistant", "content": None, "tool_calls": [call]})
                said.append({"role": "tool", "tool_call_id": f"c{turn}{step}", "content": f"found {turn} {step}"})
        said.append({"role": "assistant", "content": f"answer {turn}."})
    record("run.jsonl", bodies)
    assert infer(partial(open_recordings, ["run.jsonl"])).text.endswith(f"    }}\n    {line}\n}}\n")

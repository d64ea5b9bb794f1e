"""Transcripts of agents: requests are rebuilt, each from what precedes an answer, and what is missing is said."""

import json
from pathlib import Path
from typing import Any

import pytest

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.check_files import check_requests, open_recordings
from acdl_mkdocs.runs.read.json_values import find_list
from acdl_mkdocs.runs.read.recorded import Recorded, Skipped, Tally
from traces.runs import found_in, lines, requests, said, skipped
from traces.sent import spec


def read(path: Path, *values: Json) -> list[Recorded]:
    """The requests of a file with these lines."""
    return requests(found_in(path / "run.jsonl", lines(*values)))


def roles(found: Recorded) -> str:
    """The roles of the messages of a request, each by its letter."""
    return "".join(each.role[0] for each in found.request.messages)


def inside(value: Json, key: str) -> list[dict[str, Json]]:
    """The objects in a list of an object."""
    return [each for each in find_list(value, key) if isinstance(each, dict)]


def claude(kind: str, uuid: str, parent: str | None, content: Any, **more: Json) -> Json:
    """A line of a Claude Code session."""
    message: dict[str, Json] = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {"id": str(more.pop("answer", uuid)), "model": "claude-x", "type": "message"}
    line: dict[str, Json] = {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "isSidechain": False}
    return {**line, "message": message, **more}


def use(name: str) -> Json:
    """A call of a tool."""
    return [{"type": "tool_use", "id": name, "name": "look", "input": {"q": name}}]


def result(name: str) -> Json:
    """Its result."""
    return [{"type": "tool_result", "tool_use_id": name, "content": f"saw {name}"}]


TEXT: Json = [{"type": "text", "text": "Done."}]
SESSION: list[Json] = [
    {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    claude("user", "1", None, "Look twice."),
    claude("assistant", "2", "1", [{"type": "thinking", "thinking": "hm", "signature": "x"}], answer="a"),
    claude("assistant", "3", "2", use("t1"), answer="a"),
    claude("user", "4", "3", result("t1")),
    claude("assistant", "5", "3", use("t2"), answer="a"),
    claude("user", "6", "5", result("t2")),
    claude("assistant", "7", "6", TEXT, answer="b"),
]


def test_claude_code(tmp_path: Path) -> None:
    """An answer on several lines, with results between them, is one; its request is what came before it."""
    found = read(tmp_path, *SESSION)
    assert [(roles(each), each.at and str(each.at), each.episode, each.model) for each in found] == [
        ("u", None, "s", "claude-x"),
        ("uatt", None, "s", "claude-x"),
    ]
    assert [each.origin.line for each in found] == [3, 8]
    assert said(found[1].request)[1:] == [
        ("assistant", '<Thinking> look({"q": "t1"}) look({"q": "t2"})'),
        ("tool", "-> saw t1"),
        ("tool", "-> saw t2"),
    ]
    kinds = ["thinking", "tool_use", "tool_use"]
    assert [each["type"] for each in inside(found[0].reply, "content")] == kinds


def test_claude_code_goes_back(tmp_path: Path) -> None:
    """A line that links to an earlier message leaves out what came after it."""
    more = [
        claude("user", "8", "7", "Thanks."),
        claude("assistant", "9", "8", TEXT),
        claude("user", "10", "7", "Once more."),
        claude("assistant", "11", "10", TEXT),
    ]
    found = read(tmp_path, *SESSION, *more)
    assert [roles(each) for each in found] == ["u", "uatt", "uattau", "uattau"]
    assert said(found[3].request)[-1] == ("user", "Once more.")


def test_claude_code_summary(tmp_path: Path) -> None:
    """After a summary, requests begin with it."""
    more: list[Json] = [
        {"type": "system", "subtype": "compact_boundary", "uuid": "8", "parentUuid": None, "sessionId": "s"},
        claude("user", "9", "8", "The story so far.", isCompactSummary=True, isVisibleInTranscriptOnly=True),
        claude("assistant", "10", "9", TEXT),
        claude("user", "11", "10", "/cost", isVisibleInTranscriptOnly=True),
        claude("assistant", "12", "11", TEXT, isApiErrorMessage=True),
    ]
    found = found_in(tmp_path / "run.jsonl", lines(*SESSION, *more))
    assert [roles(each) for each in requests(found)] == ["u", "uatt", "u"]
    assert {reason for reason, _, is_damaged in skipped(found) if not is_damaged} == {
        "a Claude Code line that is not a message of the conversation",
        "a message that is only displayed and not sent to the model",
        "a message that Claude Code wrote itself",
    }


def test_claude_code_agents(tmp_path: Path) -> None:
    """Agents inside a session are runs of their own, with or without an id, also at the same time."""
    side: dict[str, Json] = {"isSidechain": True}
    more = [
        claude("user", "x1", None, "Search.", **side),
        claude("user", "y1", None, "Write.", **side),
        claude("assistant", "x2", "x1", use("t3"), **side),
        claude("assistant", "y2", "y1", TEXT, **side),
        claude("user", "x3", "x2", result("t3"), **side),
        claude("assistant", "x4", "x3", TEXT, **side),
        claude("user", "z1", None, "Check.", agentId="z", **side),
        claude("assistant", "z2", "z1", TEXT, agentId="z", **side),
    ]
    found = read(tmp_path, *SESSION[:7], *more, SESSION[7])
    assert {each.episode: [roles(other) for other in found if other.episode == each.episode] for each in found} == {
        "s": ["u", "uatt"],
        "s, agent 1": ["u", "uat"],
        "s, agent 2": ["u"],
        "s, agent z": ["u"],
    }


def test_claude_code_for_programs(tmp_path: Path) -> None:
    """What `stream-json` prints leaves out the user: it is not half-read."""
    line: Json = {"type": "system", "subtype": "init", "session_id": "s", "tools": []}
    (found,) = found_in(tmp_path / "run.jsonl", lines(line))
    assert isinstance(found, Skipped)
    assert found.is_damaged
    assert "~/.claude/projects" in found.cure


def test_claude_code_damage(tmp_path: Path) -> None:
    """A line that was cut off is reported with its number, and the others are read."""
    text = lines(*SESSION) + '{"type": "user", "uuid": "8", "mess'
    found = found_in(tmp_path / "run.jsonl", text)
    assert len(requests(found)) == 2
    assert [(each.origin.line, each.reason) for each in found if isinstance(each, Skipped) and each.is_damaged] == [
        (9, "not JSON")
    ]


def codex(kind: str, **payload: Json) -> Json:
    """A line of a rollout file of Codex."""
    return {"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}


def item(role: str, text: str) -> Json:
    """A message of a rollout file."""
    kind = "output_text" if role == "assistant" else "input_text"
    return codex("response_item", type="message", role=role, content=[{"type": kind, "text": text}])


ROLLOUT: list[Json] = [
    codex("session_meta", id="c1", base_instructions={"text": "You are careful."}),
    codex("turn_context", model="gpt-x"),
    item("developer", "Stay in the folder."),
    item("user", "Look."),
    codex("event_msg", type="user_message", message="Look."),
    codex("response_item", type="reasoning", summary=[], encrypted_content="x"),
    codex("response_item", type="function_call", name="look", call_id="1", arguments="{}"),
    codex("response_item", type="function_call", name="look", call_id="2", arguments="{}"),
    codex("event_msg", type="token_count"),
    codex("response_item", type="function_call_output", call_id="1", output="one"),
    codex("response_item", type="function_call_output", call_id="2", output="two"),
    item("assistant", "Done."),
    item("user", "Thanks."),
    codex("event_msg", type="user_message", message="Thanks."),
    item("assistant", "Welcome."),
]


def test_codex(tmp_path: Path) -> None:
    """Items of the model in a row are one answer; instructions are those of the session."""
    found = read(tmp_path, *ROLLOUT)
    assert [roles(each) for each in found] == ["ssu", "ssuatt", "ssuattau"]
    assert {(each.format, each.model, each.episode) for each in found} == {("responses", "gpt-x", "c1")}
    assert said(found[0].request)[0] == ("system", "You are careful.")
    assert found[0].incomplete is not None
    assert found[0].incomplete.missing == "tools"
    assert len(inside(found[0].reply, "output")) == 3


def test_codex_old(tmp_path: Path) -> None:
    """Old files have the items themselves, and no instructions."""
    plain = [line["payload"] for line in ROLLOUT if isinstance(line, dict) and line["type"] == "response_item"]
    first: Json = {"id": "c0", "timestamp": "2025-06-01T00:00:00Z", "instructions": None}
    found = read(tmp_path, first, {"record_type": "state"}, *plain)
    assert [roles(each) for each in found] == ["su", "suatt", "suattau"]
    assert found[0].incomplete is not None
    assert not found[0].incomplete.has_instructions


def test_codex_summary_and_way_back(tmp_path: Path) -> None:
    """A summary takes the place of the history; turns that were taken back are left out."""
    message: Json = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "So far."}]}
    back = [*ROLLOUT, codex("event_msg", type="thread_rolled_back", num_turns=1), item("user", "No."), ROLLOUT[-1]]
    assert [roles(each) for each in read(tmp_path, *back)][3:] == ["ssuattau"]
    summed = [*ROLLOUT, codex("compacted", message="", replacement_history=[message]), ROLLOUT[-1]]
    assert said(read(tmp_path, *summed)[3].request)[1:] == [("user", "So far.")]
    lost = found_in(tmp_path / "run.jsonl", lines(*ROLLOUT, codex("compacted", message="So far."), ROLLOUT[-1]))
    assert len(requests(lost)) == 3
    assert [reason for reason, _, is_damaged in skipped(lost) if is_damaged] == [
        "a reply after a summary that replaces an unknown part of the conversation"
    ]


def test_codex_damage(tmp_path: Path) -> None:
    """Lines that are none of a session are reported; a session without an answer is no request."""
    strange: list[Json] = [{"type": "response_item", "payload": "x"}, {"type": 5}, {"a": 1}]
    found = found_in(tmp_path / "run.jsonl", lines(*ROLLOUT, *strange))
    assert len(requests(found)) == 3
    assert sum(is_damaged for _, _, is_damaged in skipped(found)) == 3
    (alone,) = found_in(tmp_path / "run.jsonl", lines(*SESSION[1:2]))
    assert isinstance(alone, Skipped)
    assert (alone.reason, alone.is_damaged) == ("a recording without a model call", False)


def test_beginning_that_is_missing(tmp_path: Path) -> None:
    """Of a transcript that begins in the middle, no request can be rebuilt until a summary takes its place."""
    message: Json = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "So far."}]}
    summed = codex("compacted", message="", replacement_history=[message])
    found = found_in(tmp_path / "run.jsonl", lines(ROLLOUT[0], *ROLLOUT[5:], summed, ROLLOUT[-1]))
    assert [roles(each) for each in requests(found)] == ["su"]
    lost = "a reply in a conversation whose beginning is not recorded"
    assert [reason for reason, _, is_damaged in skipped(found) if is_damaged] == [lost] * 3


def test_claude_code_beginning_that_is_missing(tmp_path: Path) -> None:
    """A first line that goes on from a message of another file is no beginning."""
    found = found_in(tmp_path / "run.jsonl", lines(*SESSION[4:]))
    assert requests(found) == []
    assert [is_damaged for _, _, is_damaged in skipped(found)] == [True, True]


def event(kind: str, name: str, **more: Json) -> Json:
    """An event of OpenHands."""
    source = {"MessageEvent": "user", "ActionEvent": "agent"}.get(kind, "environment")
    return {"id": name, "timestamp": "2026-01-01T00:00:00", "source": source, "kind": kind, **more}


def action(name: str, answer: str) -> Json:
    """An action of an answer."""
    call: Json = {"id": name, "name": "look", "arguments": "{}", "origin": "completion"}
    thought: Json = [{"type": "text", "text": "I look."}] if name.endswith("1") else []
    return event("ActionEvent", name, thought=thought, tool_call=call, llm_response_id=answer)


def observed(name: str) -> Json:
    """The result of an action."""
    content: Json = [{"type": "text", "text": f"saw {name}"}]
    return event("ObservationEvent", f"o{name}", tool_call_id=name, observation={"content": content})


TOOL: Json = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
EVENTS: list[Json] = [
    event("SystemPromptEvent", "s", system_prompt={"type": "text", "text": "You help."}, tools=[TOOL]),
    event("MessageEvent", "u", llm_message={"role": "user", "content": [{"type": "text", "text": "Look."}]}),
    event("ConversationStateUpdateEvent", "x", key="stats", value={}),
    action("a1", "r1"),
    action("a2", "r1"),
    observed("a1"),
    observed("a2"),
    action("b1", "r2"),
    event("AgentErrorEvent", "e", tool_call_id="b1", error="It failed."),
]


@pytest.mark.parametrize("form", ["lines", "list", "history"])
def test_openhands(form: str, tmp_path: Path) -> None:
    """Actions that name one answer are one message; events come one a line, in a list, or in a result."""
    text = {"lines": lines(*EVENTS), "list": json.dumps(EVENTS), "history": lines({"history": EVENTS})}[form]
    found = requests(found_in(tmp_path / "events.jsonl", text))
    assert [roles(each) for each in found] == ["su", "suatt"]
    assert said(found[1].request)[2][1] == "I look. look({}) look({})"
    assert [tool.name for tool in found[0].request.tools] == ["look"]


def test_openhands_condenser(tmp_path: Path) -> None:
    """Events that are forgotten are left out, and the summary stands at its place."""
    condensed = event(
        "Condensation", "c", forgotten_event_ids=["a1", "a2", "oa1", "oa2"], summary="Looked.", summary_offset=2
    )
    found = read(tmp_path, *EVENTS, condensed, action("d1", "r3"))
    assert said(found[2].request)[1:3] == [("user", "Look."), ("user", "Looked.")]
    assert roles(found[2]) == "suuat"


def test_openhands_old_and_alone(tmp_path: Path) -> None:
    """Events before version 1 and events in files of their own give the way to what can be read."""
    old: Json = {"id": 1, "timestamp": "2025", "source": "agent", "action": "run", "args": {"command": "ls"}}
    (found, _) = found_in(tmp_path / "old.jsonl", lines(old))
    assert isinstance(found, Skipped)
    assert "log_completions" in found.cure
    alone = found_in(tmp_path / "event-1.json", json.dumps(EVENTS[1]))
    assert [(reason, is_damaged) for reason, _, is_damaged in skipped(alone)] == [
        ("a single event of a conversation", True)
    ]


HISTORY: list[Json] = [
    {"role": "system", "content": "You fix.", "agent": "main", "message_type": "system_prompt"},
    {"role": "user", "content": "A fix to learn from.", "agent": "main", "is_demo": True},
    {"role": "assistant", "content": "I looked.", "agent": "main", "is_demo": True},
    {"role": "user", "content": "Fix it.", "agent": "main"},
    {
        "role": "assistant",
        "content": "I look.",
        "agent": "main",
        "thought": "I look.",
        "action": "ls",
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}],
    },
    {"role": "tool", "content": "a.py", "agent": "main", "tool_call_ids": ["1"]},
    {"role": "assistant", "content": "Done.", "agent": "main"},
]
CONFIG = json.dumps({"agent": {"model": {"name": "gpt-x"}}})


def test_swe_agent(tmp_path: Path) -> None:
    """Without the messages of each step, they are those before each answer that is no demonstration."""
    step: Json = {"action": "ls", "observation": "a.py", "response": "I look.", "thought": "", "state": {}}
    document: Json = {"trajectory": [step], "history": HISTORY, "info": {}, "environment": "e", "replay_config": CONFIG}
    found = requests(found_in(tmp_path / "a.traj", json.dumps(document, indent=2)))
    assert [(roles(each), each.model, each.origin.inside) for each in found] == [
        ("suau", "gpt-x", "message 5"),
        ("suauat", "gpt-x", "message 7"),
    ]
    assert all(not each.problems for each in found)


def test_swe_agent_with_queries(tmp_path: Path) -> None:
    """With them, requests are what was sent: nothing is rebuilt."""
    steps: list[Json] = [
        {"action": "ls", "response": "I look.", "query": HISTORY[:4]},
        {"action": "", "response": "", "query": [{}]},
        {"action": "", "response": "Done.", "query": HISTORY[:6]},
    ]
    found = requests(found_in(tmp_path / "a.traj", json.dumps({"trajectory": steps, "info": {}})))
    assert [roles(each) for each in found] == ["suau", "suauat"]
    assert found[0].incomplete is not None
    assert not found[0].incomplete.is_rebuilt


def test_mini_swe_agent(tmp_path: Path) -> None:
    """Its trajectories are the messages of the run; what ends it is not a message."""
    messages: list[Json] = [
        {"role": "system", "content": "You fix."},
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "ls", "extra": {"response": {}}},
        {"role": "user", "content": "a.py", "extra": {"returncode": 0}},
        {"role": "assistant", "content": "Done."},
        {"role": "exit", "content": "Submitted"},
    ]
    info: Json = {"config": {"model": {"model_name": "claude-x"}}}
    document: Json = {"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"}
    found = requests(found_in(tmp_path / "a.traj.json", json.dumps(document)))
    assert [(roles(each), each.model) for each in found] == [("su", "claude-x"), ("suau", "claude-x")]
    assert found[1].reply == {"choices": [{"message": {"role": "assistant", "content": "Done."}}]}


def test_no_messages(tmp_path: Path) -> None:
    """A trajectory without messages says so."""
    (found,) = found_in(tmp_path / "a.traj", json.dumps({"trajectory": [{"action": "ls"}], "info": {}}))
    assert isinstance(found, Skipped)
    assert found.reason == "a trajectory without the messages that were sent"


def test_secrets(tmp_path: Path) -> None:
    """Keys are taken out, as everywhere."""
    key = "sk-proj-" + "aB3" * 12
    changed = json.loads(json.dumps(SESSION).replace("saw t1", f"OPENAI_API_KEY={key}"))
    assert key not in str(read(tmp_path, *changed))


def test_notes(tmp_path: Path) -> None:
    """What is missing is said once for all requests of a kind."""
    tally = Tally()
    list(tally.count_requests(found_in(tmp_path / "run.jsonl", lines(*SESSION))))
    assert tally.describe_incomplete() == (
        f"{tmp_path / 'run.jsonl'}: 2 requests are rebuilt from a Claude Code session, which does not record "
        "instructions, tools and the reminders that Claude Code adds",
    )


def test_instructions_that_are_not_recorded(tmp_path: Path) -> None:
    """A System message that the transcript cannot have is neither confirmed nor refuted."""
    text = (
        "P[@T.I]: {\nS: { RULES }\nU: env.q[@1]\nForEach(i: range(1, 2)) {\nA: resp.call[@T.i]\nT: sys.got[@T.i]\n}\n}"
    )
    found_in(tmp_path / "run.jsonl", lines(*SESSION))
    checked = check_requests(spec(text), open_recordings([tmp_path / "run.jsonl"])).checked
    assert [line.verdict for line in checked.lines if line.line == 2] == ["uncontrollable"]

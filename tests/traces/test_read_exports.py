"""Exports of tools that watch models, and cassettes of tests: requests as they were sent."""

import base64
import csv
import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from exhaustive import exhaustive

import acdl_mkdocs
from acdl_mkdocs.prompts.prompt import Json, Text
from acdl_mkdocs.runs.check_files import check_requests, open_recordings
from acdl_mkdocs.runs.match.units import read_reply
from acdl_mkdocs.runs.read import exports, files
from acdl_mkdocs.runs.read.json_values import Limits
from acdl_mkdocs.runs.read.readers import READERS
from acdl_mkdocs.runs.read.recorded import Skipped
from traces.runs import found_in, lines, requests, said, skipped
from traces.sent import spec

PAGE = Path(acdl_mkdocs.__file__).parent.parent / "site_src" / "runs" / "recordings.md"
CHAT: dict[str, Json] = {"model": "gpt-x", "messages": [{"role": "user", "content": "hi"}]}
REPLY: dict[str, Json] = {"choices": [{"message": {"role": "assistant", "content": "yes"}}]}
HI = [("user", "hi")]
TALK = [("system", "Be brief."), ("user", "Rain?"), ("assistant", 'look({"q": "rain"})'), ("tool", "-> wet")]


def test_every_reader_is_documented() -> None:
    """The page on recordings has a line for each form, in the order in which it is looked for."""
    text = PAGE.read_text("utf-8")
    assert re.findall(r"^\| `(\w[\w-]*)` \|", text, re.MULTILINE) == list(READERS)


def test_folder_of_cassettes(tmp_path: Path) -> None:
    """Of a folder, YAML is read where it is a cassette, and nothing else of it is taken for a recording."""
    (tmp_path / "chat.state.yaml").write_text("turns: []\n", "utf-8")
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n", "utf-8")
    (tmp_path / "chat.yaml").write_text(yaml.dump({"interactions": [interaction(json.dumps(CHAT))]}), "utf-8")
    checked = check_requests(spec("P[@T]: { U: env.hi[@T] }"), open_recordings([tmp_path]))
    assert [Path(name).name for name in checked.files] == ["chat.yaml"]
    assert not checked.checked.is_refuted


def chain(kind: str, **more: Json) -> Json:
    """A message as LangChain serializes it."""
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", kind], "kwargs": more}


CALL: Json = {"name": "look", "args": {"q": "rain"}, "id": "c", "type": "tool_call"}
CHAIN: list[Json] = [
    chain("SystemMessage", content="Be brief."),
    chain("HumanMessage", content="Rain?"),
    chain("AIMessage", content=[{"type": "tool_use", "id": "c", "name": "look", "input": {}}], tool_calls=[CALL]),
    chain("ToolMessage", content="wet", tool_call_id="c"),
]
DUMPED: list[Json] = [
    {"type": "system", "content": "Be brief."},
    {"type": "human", "data": {"content": "Rain?"}},
    {"type": "ai", "content": "", "tool_calls": [CALL], "additional_kwargs": {}},
    {"type": "tool", "content": "wet", "tool_call_id": "c"},
]


def run(number: int, inputs: Json, **more: Json) -> dict[str, Json]:
    """A run of LangSmith."""
    start = f"2026-01-01T00:00:{number:02}"
    return {
        "id": f"r{number}",
        "run_type": "llm",
        "name": "Chat",
        "trace_id": "t",
        "start_time": start,
        "inputs": inputs,
        **more,
    }


@pytest.mark.parametrize("messages", [[CHAIN], CHAIN, DUMPED], ids=["batch", "list", "dumped"])
def test_langsmith_messages(messages: Json, tmp_path: Path) -> None:
    """Messages of LangChain are read in every way in which it writes them, with the model and tools beside them."""
    tool: Json = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
    extra: Json = {"invocation_params": {"model": "gpt-x", "tools": [tool]}, "metadata": {"thread_id": "th"}}
    outputs: Json = {"generations": [[{"message": chain("AIMessage", content="yes")}]]}
    (found,) = requests(
        found_in(tmp_path / "runs.jsonl", lines(run(1, {"messages": messages}, extra=extra, outputs=outputs)))
    )
    assert (said(found.request), found.model, found.episode, found.problems) == (TALK, "gpt-x", "th", ())
    assert [tool.name for tool in found.request.tools] == ["look"]
    assert found.reply == REPLY


def test_langfuse_messages_of_langchain(tmp_path: Path) -> None:
    """Calls in the form of LangChain are read too where messages have the roles of Chat Completions."""
    messages: Json = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Rain?"},
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "tool", "content": "wet", "tool_call_id": "c"},
    ]
    (found,) = requests(found_in(tmp_path / "export", lines(observation(1, input=messages))))
    assert (said(found.request), found.problems) == (TALK, ())


CLAUDE: Json = {**CHAT, "system": "Be brief.", "max_tokens": 9}
MESSAGE: Json = {"role": "assistant", "content": [{"type": "text", "text": "yes"}]}


def test_replies_that_are_a_message(tmp_path: Path) -> None:
    """Tools export the message of a reply without the rest; it is read whatever the format of the request."""
    rows: list[Json] = [
        observation(1, input=CHAT["messages"], output={"role": "assistant", "content": "yes"}),
        run(2, CLAUDE, outputs={"message": MESSAGE}),
        {
            "request": {"contents": [{"parts": [{"text": "hi"}]}]},
            "reply": {"role": "model", "parts": [{"text": "yes"}]},
        },
        {"request": {"model": "m", "input": "hi"}, "reply": {"role": "assistant", "content": "yes"}},
    ]
    for row in rows:
        (found,) = requests(found_in(tmp_path / "export", lines(row)))
        assert [answer.parts for answer in read_reply(found)] == [(Text("yes"),)]


def test_langsmith_forms(tmp_path: Path) -> None:
    """Runs come in any order and inside others; those of chains are counted, and a hidden input has a cure."""
    runs: list[Json] = [
        run(3, {"messages": [{"role": "user", "content": "third"}]}),
        {**run(1, {"messages": [{"role": "user", "content": "first"}]}), "inputs": json.dumps(CHAT)},
        {"run_type": "chain", "trace_id": "t", "inputs": {}, "child_runs": [run(2, {"prompts": ["second"]})]},
        run(4, {}),
    ]
    for text in (lines(*runs), json.dumps(runs), json.dumps({"runs": runs})):
        found = found_in(tmp_path / "runs.json", text)
        assert [said(each.request)[0][1] for each in requests(found)] == ["hi", "second", "third"]
        assert skipped(found) == [
            ("a run that is not a model call", "", False),
            ("a model call without its messages", "Chat", True),
        ]


def observation(number: int, **more: Json) -> dict[str, Json]:
    """An observation of Langfuse."""
    start = f"2026-01-01T00:00:{number:02}.000Z"
    return {"id": f"o{number}", "traceId": "t", "type": "GENERATION", "name": "chat", "startTime": start, **more}


ROWS: list[dict[str, Json]] = [
    observation(2, model="gpt-x", input=CHAT["messages"], output={"role": "assistant", "content": "yes"}),
    observation(1, input=json.dumps({"messages": CHAIN}), output=None),
    observation(3, type="SPAN", input={"messages": CHAT["messages"]}),
    observation(4, input=None),
]


def table(*rows: dict[str, Any]) -> str:
    """A file of CSV, as Langfuse writes it: what is not text is JSON."""
    stream = io.StringIO()
    names = ["id", "traceId", "type", "name", "startTime", "model", "input", "output"]
    writer = csv.writer(stream)
    writer.writerow(names)
    for row in rows:
        cells = (row.get(name) for name in names)
        writer.writerow([each if isinstance(each, str | None) else json.dumps(each, indent=1) for each in cells])
    return stream.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        lines(*ROWS),
        json.dumps(ROWS),
        json.dumps({"data": ROWS, "meta": {"page": 1}}),
        json.dumps({"id": "t", "sessionId": "s", "observations": ROWS}),
        json.dumps({"trace": {"id": "t", "sessionId": "s"}, "observations": ROWS}),
        table(*ROWS),
    ],
    ids=["lines", "list", "page", "trace", "download", "csv"],
)
def test_langfuse(text: str, tmp_path: Path) -> None:
    """Generations are read from every export, in the order in which they began."""
    found = found_in(tmp_path / "export", text)
    assert [(said(each.request), each.model) for each in requests(found)] == [(TALK, None), (HI, "gpt-x")]
    assert {each.episode for each in requests(found)} == ({"s"} if "sessionId" in text else {None})
    assert sorted(skipped(found)) == [
        ("a model call without its messages", "chat", True),
        ("an observation that is not a model call", "", False),
    ]


def test_late_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes so late that its place is gone is reported."""
    monkeypatch.setattr(exports, "MOST_HELD_ROWS", 1)
    rows = [observation(number, input=CHAT["messages"]) for number in (3, 4, 5, 1)]
    found = found_in(tmp_path / "rows.jsonl", lines(*rows))
    assert len(requests(found)) == 3
    assert [reason for reason, _, _ in skipped(found)] == [
        "a call that is out of order: it started long before the one preceding it"
    ]


def test_table_damage(tmp_path: Path) -> None:
    """A row that was cut off is reported with the line where it begins."""
    text = table(ROWS[0], ROWS[1])
    found = found_in(tmp_path / "rows.csv", text[: text.rindex('"')])
    assert len(requests(found)) == 1
    (last,) = [each for each in found if isinstance(each, Skipped)]
    assert (last.reason, last.origin.line) == ("a row that does not match the header row", 11)


def interaction(body: Any, address: str = "https://api.openai.com/v1/chat/completions", **more: Json) -> Json:
    """An interaction as vcrpy writes it."""
    request: dict[str, Json] = {"method": "POST", "uri": address, "body": body, "headers": {"host": ["x"]}, **more}
    answer: Json = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": json.dumps(REPLY)}}
    return {"request": request, "response": answer}


PACKED = gzip.compress(json.dumps(CHAT).encode(), mtime=0)


@pytest.mark.parametrize(
    "request_",
    [
        interaction(json.dumps(CHAT)),
        interaction({"string": json.dumps(CHAT)}),
        interaction({"encoding": "UTF-8", "string": json.dumps(CHAT)}),
        interaction({"encoding": "", "base64_string": base64.encodebytes(json.dumps(CHAT).encode()).decode()}),
        interaction(PACKED, headers={"Content-Encoding": ["gzip"]}),
        interaction(CHAT),
        interaction(None, parsed_body=CHAT),
    ],
    ids=["text", "string", "ruby", "base64", "gzip", "object", "parsed"],
)
def test_cassettes(request_: Json, tmp_path: Path) -> None:
    """Bodies are read in every way in which cassettes hold them; calls of other addresses are counted."""
    other = interaction(
        json.dumps({"input": "hi", "model": "text-embedding-x"}), "https://api.openai.com/v1/embeddings"
    )
    document = {"interactions": [request_, other], "version": 1}
    found = found_in(tmp_path / "a.yaml", yaml.dump(document))
    (read,) = requests(found)
    assert (said(read.request), read.model, read.status, read.reply) == (HI, "gpt-x", 200, REPLY)
    assert read.origin.inside == "interaction 1"
    assert skipped(found) == [("a request that is not a model call", "", False)]


def test_cassettes_of_other_programs(tmp_path: Path) -> None:
    """Ruby's and Go's cassettes, and those in JSON."""
    of_go: Json = {"id": 0, "request": {"method": "post", "url": "https://x/v1/messages", "body": json.dumps(CHAT)}}
    (found,) = requests(found_in(tmp_path / "go.yaml", "---\n" + yaml.dump({"version": 2, "interactions": [of_go]})))
    assert (found.format, said(found.request)) == ("anthropic", HI)
    document: Json = {"http_interactions": [interaction({"string": json.dumps(CHAT)})], "recorded_with": "VCR 6"}
    assert len(requests(found_in(tmp_path / "ruby.json", json.dumps(document, indent=1)))) == 1
    assert len(requests(found_in(tmp_path / "ruby.yml", yaml.dump(document)))) == 1


@exhaustive
def test_cassette_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no YAML is reported with its line, and bodies that were left out with a cure."""
    text = yaml.dump({"interactions": [interaction(None)]})
    assert skipped(found_in(tmp_path / "a.yaml", text)) == [
        ("a model call without its body", "https://api.openai.com/v1/chat/completions", True)
    ]
    (found,) = found_in(tmp_path / "a.yaml", text + "\n - [broken")
    assert isinstance(found, Skipped)
    assert (found.reason, found.origin.line) == ("not YAML", 17)
    bomb = "interactions:\n- &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"- &{name} [*{last}, *{last}, *{last}, *{last}, *{last}, *{last}, *{last}, *{last}]\n"
        for last, name in zip("abcdefghij", "bcdefghijk", strict=True)
    )
    assert [reason for reason, _, _ in skipped(found_in(tmp_path / "a.yaml", bomb))] == ["not YAML"]
    monkeypatch.setattr(files.read_yaml, "__defaults__", (Limits(10),))
    assert skipped(found_in(tmp_path / "a.yaml", text))[0][0] == "a YAML file of more than 1 MB"

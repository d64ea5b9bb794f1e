"""Requests that were logged as JSON: bare, wrapped, in lists, compressed, damaged."""

import gzip
import json
from pathlib import Path

import pytest
from wire.fixtures import body_of, fixtures

from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.errors import TraceError, UnknownFormatError
from acdl_mkdocs.prompts.prompt import Json, Prompt, Text
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES
from acdl_mkdocs.prompts.providers.client_request import ClientRequest
from acdl_mkdocs.prompts.providers.event_stream import read_events
from acdl_mkdocs.prompts.providers.response_formats import RESPONSE_FORMATS
from acdl_mkdocs.prompts.providers.scripted_reply import ScriptedReply
from acdl_mkdocs.runs.match.units import read_reply
from acdl_mkdocs.runs.read.files import read_trace
from acdl_mkdocs.runs.read.json_values import Limits, read_values
from acdl_mkdocs.runs.read.recorded import Skipped, Tally
from traces.runs import found_in, lines, requests, said, skipped, user

CHAT: dict[str, Json] = {"model": "gpt-5", "messages": [{"role": "user", "content": "hi"}]}
CLAUDE: dict[str, Json] = {"model": "claude-x", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
GEMINI: dict[str, Json] = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
RESPONSES: dict[str, Json] = {"model": "gpt-5", "input": "hi"}
HI = [("user", "hi")]
PML = str(WIRES["pml"].write(Prompt((user("hi"),))).body)


@pytest.mark.parametrize("path", fixtures(), ids=lambda path: path.name)
@pytest.mark.parametrize("is_pretty", [True, False])
def test_every_format(path: Path, tmp_path: Path, is_pretty: bool) -> None:
    """A body of any provider is read as its format reads it, on one line or on many."""
    body = body_of(path)
    name = path.suffixes[-2][1:]
    (found,) = requests(found_in(tmp_path / "run.json", json.dumps(body, indent=2 if is_pretty else None)))
    assert (found.format, found.request) == (name, PROVIDERS[name].read(body).prompt)
    assert found.origin.line == (None if is_pretty else 1)


@pytest.mark.parametrize(
    ("value", "format", "path"),
    [
        pytest.param(CHAT, "openai", "", id="bare"),
        pytest.param({"request": CHAT}, "openai", "request", id="request"),
        pytest.param(
            {"request": {"url": "https://x/v1/messages", "body": CHAT}}, "anthropic", "request.body", id="url"
        ),
        pytest.param({"body": CLAUDE, "headers": {"x-api-key": "k"}}, "anthropic", "body", id="body"),
        pytest.param({"request": json.dumps(GEMINI)}, "gemini", "request", id="text"),
        pytest.param({"request": {"body": json.dumps(json.dumps(CHAT))}}, "openai", "request.body", id="text-of-text"),
        pytest.param(
            {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": CHAT},
            "openai",
            "body",
            id="batch",
        ),
        pytest.param({"custom_id": "1", "params": CLAUDE}, "anthropic", "params", id="batch-params"),
        pytest.param({"kwargs": CHAT, "duration": 1}, "openai", "kwargs", id="kwargs"),
        pytest.param({**CHAT, "litellm_call_id": "a", "response": {"choices": []}}, "openai", "", id="litellm"),
        pytest.param({**CHAT, "messages": json.dumps(CHAT["messages"])}, "openai", "", id="messages-as-text"),
        pytest.param(
            {"type": "GENERATION", "input": CHAT["messages"], "output": "x"}, "openai", "", id="langfuse-list"
        ),
        pytest.param(
            {"type": "GENERATION", "input": CHAT, "model": "m", "output": "x"}, "openai", "input", id="langfuse"
        ),
        pytest.param(
            {"input": json.dumps(CHAT["messages"]), "traceId": "t", "output": "x"}, "openai", "", id="langfuse-text"
        ),
        pytest.param({"run_type": "llm", "inputs": CHAT, "outputs": {}}, "openai", "inputs", id="langsmith"),
        pytest.param(
            {"format": "responses", "request": RESPONSES, "status": 200}, "responses", "request", id="recorder"
        ),
        pytest.param(RESPONSES, "responses", "", id="responses"),
        pytest.param({"requests": [{"params": CLAUDE}]}, "anthropic", "requests[0].params", id="list"),
        pytest.param({"body": PML}, "pml", "body", id="pml-inside"),
    ],
)
def test_wrappers(value: Json, format: str, path: str, tmp_path: Path) -> None:
    """The request is found in whatever is around it, and its place is told."""
    (found,) = requests(found_in(tmp_path / "run.jsonl", lines(value)))
    assert (found.format, found.origin.line, found.origin.inside) == (format, 1, path)
    assert said(found.request) == HI


def test_what_stands_around(tmp_path: Path) -> None:
    """Reply, point, run, status and model are taken from the wrapper; the innermost knows best."""
    value: Json = {
        "session_id": "outer",
        "at": "2.1",
        "request": {"body": CHAT, "session_id": "inner"},
        "response": {"choices": []},
        "status": 200,
    }
    (found,) = requests(found_in(tmp_path / "run.jsonl", lines(value)))
    assert (found.at, found.episode, found.status, found.model) == (Time((2, 1)), "inner", 200, "gpt-5")
    assert found.reply == {"choices": []}


@pytest.mark.parametrize("format", PROVIDERS)
@pytest.mark.parametrize("form", ["text", "response", "stream", "events"])
def test_forms_of_a_reply(format: str, form: str, tmp_path: Path) -> None:
    """A reply is read as text, in its HTTP response, as the text of a stream, and as a list of its events."""
    shape = RESPONSE_FORMATS[format]
    asked = ClientRequest(1, format, "POST", "", "alt=sse", json={"model": "m", "stream": True})
    whole = shape.build_body(ScriptedReply("1", "Hello there."), asked)
    stream = b"".join(shape.stream_body(whole, asked))
    forms: dict[str, Json] = {
        "text": json.dumps(whole),
        "response": {"status": 200, "headers": {}, "body": json.dumps(whole)},
        "stream": f": a comment\n\n{stream.decode()}",
        "events": [each.data for each in read_events(stream)],
    }
    request = PROVIDERS[format].write(Prompt((user("hi"),)), "m").body
    (found,) = requests(
        found_in(tmp_path / "run.jsonl", lines({"request": request, "response": forms[form]}), None, format)
    )
    (answer,) = read_reply(found)
    assert [part.text for part in answer.parts if isinstance(part, Text)] == ["Hello there."]


def test_model_and_tools_beside(tmp_path: Path) -> None:
    """Tools that a log has beside the messages are those of the request."""
    tools: Json = [{"type": "function", "function": {"name": "look"}}]
    value: Json = {"model": "m", "tools": tools, "input": {"messages": CHAT["messages"]}, "output": "x"}
    (found,) = requests(found_in(tmp_path / "run.jsonl", lines(value)))
    assert ([tool.name for tool in found.request.tools], found.model) == (["look"], "m")


def test_point_that_means_none(tmp_path: Path) -> None:
    """A wrong point is told with the request, and not used."""
    (found,) = requests(found_in(tmp_path / "run.jsonl", lines({"at": "soon", "request": CHAT})))
    assert found.at is None
    assert [each.sentence for each in found.problems] == ["`at` is not a point in time"]


def test_strange_role(tmp_path: Path) -> None:
    """A role that is not text is told as a problem of the request."""
    (found,) = requests(found_in(tmp_path / "run.jsonl", lines({"messages": [{"role": ["user"], "content": "hi"}]})))
    assert [each.path for each in found.problems] == ["messages[0].role"]


@pytest.mark.parametrize("beside", [{"format": "responses"}, {"url": "https://api.openai.com/v1/responses"}])
def test_input_that_is_none(beside: dict[str, Json], tmp_path: Path) -> None:
    """A request of Responses whose input is neither text nor a list is one, and what is wrong with it is reported."""
    line = json.dumps({**beside, "request": {"model": "m", "input": 3}})
    (request,) = requests(found_in(tmp_path / "a.jsonl", line))
    assert request.format == "responses"
    assert [problem.path for problem in request.problems] == ["input"]


def test_named_format(tmp_path: Path) -> None:
    """A named format wins over what a body looks like."""
    (found,) = requests(found_in(tmp_path / "run.jsonl", lines(CHAT), format="anthropic"))
    assert found.format == "anthropic"


@pytest.mark.parametrize(
    ("line", "reason", "is_damaged"),
    [
        ('{"messages": [', "not JSON", True),
        ('{"a": 1, "a": 2}', "not JSON", True),
        ("hello", "not JSON", True),
        ("7", "a value that is not an object", True),
        ("{}", "an object without `messages`, `contents` or `input`", True),
        ('{"messages": ["hi"]}', "an object whose `messages` are none", True),
        ('{"contents": "hi"}', "an object whose `contents` are none", True),
        ('{"object": "chat.completion", "choices": []}', "a model reply", False),
        ('{"type": "message", "content": []}', "a model reply", False),
        ('{"candidates": []}', "a model reply", False),
        (
            '{"model": "text-embedding-3-small", "input": "hi"}',
            "a call that does not generate a reply, such as an embedding",
            False,
        ),
    ],
)
def test_what_is_no_request(line: str, reason: str, is_damaged: bool, tmp_path: Path) -> None:
    """Everything that is not a request is told, and what is around it is read."""
    found = found_in(tmp_path / "run.jsonl", lines(CHAT) + line + "\n\n" + lines(CHAT))
    assert [(each[0], each[2]) for each in skipped(found)] == [(reason, is_damaged)]
    assert [each.origin.line for each in found] == [1, 2, 4]


def test_not_utf8(tmp_path: Path) -> None:
    """Bytes that are not text are told with their place."""
    found = found_in(tmp_path / "run.jsonl", lines(CHAT).encode() + b'{"a": "\xff"}\n')
    assert skipped(found) == [("not text", "byte 8 is not UTF-8", True)]


def test_tally(tmp_path: Path) -> None:
    """What was skipped is counted by its reason, with the first place and a cure."""
    path = tmp_path / "run.jsonl"
    path.write_text(lines(CHAT, {"choices": []}, {}, {"choices": []}, {}, {"messages": [{"role": "usr"}]}))
    tally = Tally()
    assert len([*tally.count_requests(read_trace(path))]) == tally.n_requests == 2
    assert (tally.n_damaged, tally.n_skipped, tally.n_with_problems) == (2, 4, 1)
    assert [each.removeprefix(str(tmp_path) + "/") for each in tally.describe_skipped()] == [
        "run.jsonl:3: cannot be read: an object without `messages`, `contents` or `input`, and 1 more; name the format "
        "of the bodies, or write the body of each request under the key `request`",
        "run.jsonl:2: skipped: a model reply, and 1 more",
    ]


def test_list_of_bodies(tmp_path: Path) -> None:
    """A file that is one list has a request in each element."""
    text = json.dumps([CHAT, {}, GEMINI], indent=1)
    found = found_in(tmp_path / "run.json", text)
    assert [each.origin.inside for each in found] == ["element 1", "element 2", "element 3"]
    assert [each.format for each in requests(found)] == ["openai", "gemini"]


def test_lists_on_lines(tmp_path: Path) -> None:
    """A list is its elements on any line, not on the first alone."""
    found = found_in(tmp_path / "run.jsonl", lines(CHAT, [CHAT, {}], CHAT))
    assert [str(each.origin).partition(":")[2] for each in found] == ["1", "2, element 1", "2, element 2", "3"]
    assert len(requests(found)) == 3


def test_values_on_many_lines(tmp_path: Path) -> None:
    """Values one after the other, as exporters and `jq` print them, each with the line where it begins."""
    text = "\n".join(json.dumps(each, indent=2) for each in (CHAT, GEMINI, [CHAT, CLAUDE], "x"))
    found = found_in(tmp_path / "run.json", text)
    assert [each.format for each in requests(found)] == ["openai", "gemini", "openai", "anthropic"]
    starts = [number for number, line in enumerate(text.splitlines(), 1) if line in ("{", "[", '"x"')]
    assert [each.origin.line for each in found] == [starts[0], starts[1], starts[2], starts[2], starts[3]]


def test_a_damaged_value_on_many_lines(tmp_path: Path) -> None:
    """It is told with its place in the file, and what stands behind it is read."""
    whole = json.dumps(CHAT, indent=2)
    lost = '{\n  "a": 1,\n  "b": oh\n}'
    found = found_in(tmp_path / "run.json", f"\n{whole}\n{lost}\n\n{whole}\n{lost[:5]}")
    n = whole.count("\n") + 1
    assert [each.origin.line for each in found] == [2, 2 + n, 2 + n + 5, 2 + n + 5 + n]
    assert len(requests(found)) == 2
    assert skipped(found)[0] == ("not JSON", f"expecting value at line {2 + n + 2}, column 8", True)
    assert skipped(found)[1][1] == f"unterminated string starting at line {2 + n + 5 + n + 1}, column 3"


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_wide_codings(tmp_path: Path, coding: str) -> None:
    """Another coding is told once, by its name."""
    found = found_in(tmp_path / "run.jsonl", lines(CHAT, CHAT).encode(coding))
    assert skipped(found) == [("not text", "it is UTF-16 or UTF-32", True)]


@pytest.mark.parametrize(
    ("line", "cure"),
    [
        ('{"seed": NaN}', "leave it out, or change it"),
        ('{"seed": 1, "seed": 2}', "leave it out, or change it"),
        ('{"a at line 1, column 2": 1, "a at line 1, column 2": 2}', "leave it out, or change it"),
        ("[" * 100 + "]" * 100, "leave it out, or change it"),
        ('{"seed": 1', "write one JSON value per line, or one for the whole file"),
    ],
)
def test_how_to_fix_what_is_not_json(line: str, cure: str, tmp_path: Path) -> None:
    """JSON that is refused has another cure than text that is not JSON."""
    _, found = found_in(tmp_path / "run.jsonl", f"{{}}\n{line}\n")
    assert isinstance(found, Skipped)
    assert found.cure == cure


@pytest.mark.parametrize(
    ("contents", "beside"),
    [
        ("hi", {"model": "gemini-x"}),
        ("hi", {"path": "/v1beta/models/g:generateContent"}),
        (["hi"], {}),
        ({"role": "user", "parts": {"text": "hi"}}, {}),
        ([{"role": "user", "parts": "hi"}], {}),
    ],
)
def test_contents_of_gemini(tmp_path: Path, contents: Json, beside: dict[str, Json]) -> None:
    """They are read as its packages take them: a text or one content in place of a list."""
    (found,) = requests(found_in(tmp_path / "run.jsonl", lines({"contents": contents, **beside})))
    assert (found.format, said(found.request), found.problems) == ("gemini", HI, ())


def test_documents_of_another_form(tmp_path: Path) -> None:
    """What another reader takes is told with its name."""
    found = found_in(tmp_path / "run.jsonl", lines(CHAT, {"resourceSpans": []}, {"log": {"entries": []}}))
    assert skipped(found) == [(f"a document in the format `{name}`", "", True) for name in ("otlp", "har")]
    assert [each.cure for each in found if isinstance(each, Skipped)] == [
        f"name the format of the file: `--from {name}`" for name in ("otlp", "har")
    ]


def test_first_line_damaged(tmp_path: Path) -> None:
    """A file whose first line was cut off is still read line by line."""
    found = found_in(tmp_path / "run.jsonl", 'ges": []}\n' + lines(CHAT, CHAT))
    assert len(requests(found)) == 2
    assert [each[0] for each in skipped(found)] == ["not JSON"]


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_empty_file(text: str, tmp_path: Path) -> None:
    """An empty file is told."""
    assert skipped(found_in(tmp_path / "run.jsonl", text)) == [("an empty file", "", True)]


def test_byte_order_mark(tmp_path: Path) -> None:
    """A mark at the beginning of a file is not part of it."""
    assert len(requests(found_in(tmp_path / "run.jsonl", b"\xef\xbb\xbf" + lines(CHAT).encode()))) == 1


def test_compressed(tmp_path: Path) -> None:
    """A compressed file is read as if it were not; one that is cut off is told, and its beginning read."""
    data = gzip.compress(lines(*[{**CHAT, "user": str(number)} for number in range(5000)]).encode())
    assert len(requests(found_in(tmp_path / "run.jsonl.gz", data))) == 5000
    found = found_in(tmp_path / "cut.jsonl.gz", data[: len(data) // 2])
    assert 0 < len(requests(found)) < 5000
    assert skipped(found)[-1][0] == "the rest of the compressed file"


def test_too_long_line(tmp_path: Path) -> None:
    """A line over the limit is passed over without being held, and the lines after it are read."""
    path = tmp_path / "run.jsonl"
    path.write_text(lines(CHAT, "x" * 5_000_000, CHAT))
    with path.open("rb") as stream:
        found = [*read_values(stream, "run.jsonl", Limits(value_bytes=1_000_000))]
    assert [isinstance(each, Skipped) for each in found] == [False, True, False]
    assert [each.origin.line for each in found] == [1, 2, 3]
    assert isinstance(found[1], Skipped)
    assert (found[1].reason, found[1].is_damaged) == ("a line of more than 1 MB", True)


def test_pml(tmp_path: Path) -> None:
    """A PML document is one request; one that is none is told."""
    (found,) = requests(found_in(tmp_path / "chat.pml.xml", PML))
    assert (found.format, said(found.request)) == ("pml", HI)
    (broken,) = skipped(found_in(tmp_path / "broken.pml.xml", "<prompt><user>"))
    assert broken[0] == "not a PML document"


def test_unreadable_files(tmp_path: Path) -> None:
    """A file that is not there, or is a folder, is an error with words of its own."""
    with pytest.raises(TraceError, match="there is no such file"):
        [*read_trace(tmp_path / "none.jsonl")]
    with pytest.raises(TraceError, match="is a folder"):
        [*read_trace(tmp_path)]


@pytest.mark.parametrize(
    ("reader", "format", "message"),
    [
        ("jsnol", None, "there is no reader `jsnol`: did you mean `jsonl`"),
        (None, "opnai", "there is no format of requests `opnai`: did you mean `openai`"),
    ],
)
def test_unknown_names(reader: str | None, format: str | None, message: str, tmp_path: Path) -> None:
    """A misspelled name is told with the one that was meant."""
    with pytest.raises(UnknownFormatError, match=message):
        [*read_trace(tmp_path / "run.jsonl", reader, format)]


def test_joined_files(tmp_path: Path) -> None:
    """Values on one line and on many may follow each other, each with its line; so may marks of byte order."""
    one, many = json.dumps(CHAT), json.dumps(CHAT, indent=1)
    begun = '{"messages": ['
    text = f"\ufeff{one}\n\ufeff{many}\r\n\n{one}\n{many}\n{begun}\n{one}\n{many[:-1]}]\n{begun}"
    found = found_in(tmp_path / "run.jsonl", text)
    n_lines = many.count("\n") + 1
    starts = [1, 2, n_lines + 3, n_lines + 4, 2 * n_lines + 5]
    assert [each.origin.line for each in requests(found)] == starts
    damaged = [(each.origin.line, each.detail) for each in found if isinstance(each, Skipped)]
    at = starts[-1]
    assert damaged == [
        (at - 1, f"expecting value at line {at}, column 1"),
        (at + 1, f"expecting ',' delimiter at line {at + n_lines}, column 1"),
        (at + n_lines + 1, "expecting value at column 15"),
    ]


def test_a_long_value_after_others(tmp_path: Path) -> None:
    """Its lines are counted together, and what follows it is read."""
    path = tmp_path / "run.jsonl"
    path.write_text(f"{json.dumps(CHAT)}\n{json.dumps([CHAT] * 9, indent=1)}\n{json.dumps(CHAT)}\n", "utf-8")
    with path.open("rb") as stream:
        found = list(read_values(stream, "run.jsonl", Limits(value_bytes=300)))
    assert next(each.reason for each in found if isinstance(each, Skipped)) == "a value of more than 1 MB"
    assert not isinstance(found[-1], Skipped)

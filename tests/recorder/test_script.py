"""Scripts of replies: what can be written, for whom a reply is, and what is said when none is left."""

import json
from pathlib import Path
from typing import cast

import pytest
import yaml
from jsonschema import Draft202012Validator

from acdl_mkdocs.foundation.errors import RecorderError
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers.client_request import ClientRequest, ClientResponse
from acdl_mkdocs.runs.record import script as reader
from acdl_mkdocs.runs.record.script import ScriptedAnswers, load_script, read_script
from recorder.upstream import script_of

ROOT = Path(__file__).parent.parent.parent
SCHEMA = json.loads((ROOT / "acdl_mkdocs" / "assets" / "replies.schema.json").read_text("utf-8"))
FULL = """\
acdl_replies: 1
replies:
  - when: {model: "gpt-*", system: planner, last: go, format: openai}
    times: 3
    thinking: I think.
    text: I say.
    calls:
      - {name: search, arguments: {q: Oslo, deep: {n: [1, 2.5, true, null]}}, id: mine}
      - name: stop
    stop: calls
    usage: {input: 10, output: 5}
  - error: {status: 429, message: slow down, type: my_error}
    times: any
"""


def chat(last: str, model: str = "gpt-x", system: str = "You are a planner.") -> ClientRequest:
    """A request."""
    messages: list[Json] = [{"role": "system", "content": system}, {"role": "user", "content": last}]
    return ClientRequest(4, "openai", "POST", "/chat/completions", json={"model": model, "messages": messages})


def body_of(answer: ClientResponse) -> dict[str, Json]:
    """What an answer says."""
    return cast("dict[str, Json]", json.loads(b"".join(answer.chunks)))


def text_of(answer: ClientResponse) -> Json:
    """The text of an answer of OpenAI, or of an error."""
    body = body_of(answer)
    if "error" in body:
        return cast("dict[str, Json]", body["error"])["message"]
    choice = cast("list[dict[str, dict[str, Json]]]", body["choices"])[0]
    return choice["message"]["content"]


def answers_of(*replies: str) -> ScriptedAnswers:
    """The answers of a script."""
    lines = "".join(f"  - {each}\n" for each in replies)
    return ScriptedAnswers("replies.yaml", read_script(f"acdl_replies: 1\nreplies:\n{lines}", "replies.yaml"))


def test_all_that_can_be_written() -> None:
    """Every key of the schema is read, and arrives in the answer."""
    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator(SCHEMA).validate(yaml.safe_load(FULL))
    answers = ScriptedAnswers("x", read_script(FULL, "x"))
    body = body_of(answers.answer_request(chat("go")))
    choice = cast("list[dict[str, dict[str, Json]]]", body["choices"])[0]
    calls = cast("list[dict[str, Json]]", choice["message"]["tool_calls"])
    assert [call["id"] for call in calls] == ["mine", "call_1_2"]
    function = cast("dict[str, str]", calls[0]["function"])
    assert json.loads(function["arguments"]) == {"q": "Oslo", "deep": {"n": [1, 2.5, True, None]}}
    assert (choice["message"]["content"], choice["message"]["reasoning_content"]) == ("I say.", "I think.")
    assert body["usage"] == {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    refused = answers.answer_request(chat("another"))
    assert (refused.status, body_of(refused)["error"]) == (
        429,
        {"message": "slow down", "type": "my_error", "param": None, "code": None},
    )
    assert "x-should-retry" not in dict(refused.pairs)


def test_schema_and_reader_have_the_same_keys() -> None:
    """What editors offer is what is read."""
    reply = SCHEMA["$defs"]["reply"]["properties"]
    found = [
        (tuple(SCHEMA["properties"]), ("$schema", *reader.KEYS[:2])),
        (tuple(reply), reader.REPLY_KEYS),
        (tuple(reply["when"]["properties"]), reader.WHEN_KEYS),
        (tuple(reply["calls"]["items"]["properties"]), reader.CALL_KEYS),
        (tuple(reply["usage"]["properties"]), reader.USAGE_KEYS),
        (tuple(reply["error"]["properties"]), reader.ERROR_KEYS),
        (tuple(reply["stop"]["enum"]), reader.STOPS),
    ]
    assert [(a, b) for a, b in found if a != b] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("", "s.yaml:1:1: the file is empty; begin with `acdl_replies: 1`", id="empty"),
        pytest.param("- text: a", "s.yaml:1:1: the file is a list, and a script is a map; begin with", id="list"),
        pytest.param("replies: []", "the file has no `acdl_replies`; add `acdl_replies: …`", id="no version"),
        pytest.param("acdl_replies: 2\nreplies: []", "s.yaml:1:15: acdl_replies is the number `2`", id="version"),
        pytest.param(
            "acdl_replies: 1\nreplies:\n  - txt: a", "s.yaml:3:5: replies.1.txt: did you mean text?; rename", id="key"
        ),
        pytest.param(
            "acdl_replies: 1\nreplies:\n  - when: {model: a}", "replies.1 has no content; add `text: …`", id="nothing"
        ),
        pytest.param(
            "acdl_replies: 1\nreplies:\n  - {text: a, times: 0}", "replies.1.times is the number `0`", id="times"
        ),
        pytest.param(
            "acdl_replies: 1\nreplies:\n  - {error: {status: 200}}",
            "is the number `200`, and it can be an HTTP status",
            id="status",
        ),
        pytest.param(
            "acdl_replies: 1\nreplies:\n  - {error: {status: 500}, text: a}",
            "replies.1.text cannot be combined with `error`",
            id="both",
        ),
        pytest.param(
            "acdl_replies: 1\nreplies:\n  - calls: [{name: f, arguments: [1]}]",
            "arguments is a list, and a map is",
            id="map",
        ),
        pytest.param(
            "acdl_replies: 1\nreplies:\n  - {text: a, when: {format: opnai}}", "did you mean `openai`?", id="format"
        ),
        pytest.param("acdl_replies: 1\nreplies: {", "s.yaml:2:11: ", id="no YAML"),
    ],
)
def test_problems(text: str, said: str) -> None:
    """What is wrong is said with its place and a cure; the schema finds it too, where it is YAML."""
    with pytest.raises(RecorderError) as raised:
        read_script(text, "s.yaml")
    assert said in str(raised.value)
    if not text.endswith("{"):
        assert not Draft202012Validator(SCHEMA).is_valid(yaml.safe_load(text))


def test_all_problems_are_told() -> None:
    """Not the first alone; of very many, the number."""
    text = "acdl_replies: 1\nreplies:\n" + "  - {txt: a}\n" * 8
    with pytest.raises(RecorderError) as raised:
        read_script(text, "s.yaml")
    assert str(raised.value).splitlines()[-1] == "s.yaml: 6 more problems"


def test_order_and_conditions() -> None:
    """A request gets the first reply that is left and is for it."""
    answers = answers_of(
        "{text: planned, when: {system: planner}}",
        "{text: any model, when: {model: other-*}, times: any}",
        "{text: found, when: {last: results}}",
        "{text: first}",
        "{text: second}",
    )
    said = [
        answers.answer_request(asked)
        for asked in (
            chat("x", system="none"),
            chat("x", model="other-1", system="none"),
            chat("the results are in"),
            chat("the results are in"),
            chat("x", model="other-2", system="none"),
            chat("x", system="none"),
        )
    ]
    assert [text_of(each) for each in said] == ["first", "any model", "planned", "found", "any model", "second"]
    assert (answers.list_failures(), answers.list_notes()) == ([], [])


def test_results_of_tools_are_words_of_the_last_message() -> None:
    """The same condition fits whichever provider is asked."""
    answers = answers_of("{text: done, when: {last: seven degrees}, times: any}")
    chat_body: Json = {
        "messages": [
            {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "a", "content": "seven degrees"},
        ]
    }
    result: Json = {"type": "tool_result", "tool_use_id": "a", "content": "seven degrees"}
    claude: Json = {"max_tokens": 1, "messages": [{"role": "user", "content": [result]}]}
    output: Json = {"type": "function_call_output", "call_id": "a", "output": "seven degrees"}
    gemini_result: Json = {"functionResponse": {"name": "f", "response": {"output": "seven degrees"}}}
    asked = [
        ("/chat/completions", chat_body),
        ("/v1/messages", claude),
        ("/responses", {"input": [output]}),
        ("/v1/models/g:generateContent", {"contents": [{"role": "user", "parts": [gemini_result]}]}),
    ]
    found = [
        answers.answer_request(ClientRequest(1, "x", "POST", path, json=cast("Json", body))).status
        for path, body in asked
    ]
    assert found == [200] * 4


def test_nothing_left() -> None:
    """What is asked, and what could be done, is in the error that the client gets and in what is told at the end."""
    answers = answers_of("{text: one}", "{text: two, when: {model: claude-*}}")
    answers.answer_request(chat("x"))
    refused = answers.answer_request(chat("what now, " * 20))
    assert refused.status == 400
    assert dict(refused.pairs)["x-should-retry"] == "false"
    sentence = str(text_of(refused))
    assert sentence.startswith("replies.yaml has no reply for request 4 (openai, model `gpt-x`, last: `what now, what")
    assert sentence.endswith("of the 1 unused replies matches it (the first is in line 4); check their `when`")
    assert answers.list_failures() == [sentence]
    assert answers.list_unused() == ["1 reply was never used; the first is in line 4 of replies.yaml"]
    answers.answer_request(chat("x", model="claude-1"))
    assert "all 2 replies were used; add a reply, or write `times: any`" in str(
        text_of(answers.answer_request(chat("x")))
    )


def test_no_key_in_what_is_told() -> None:
    """What a request says is told without keys, and so is its path."""
    answers = answers_of("{text: one, when: {model: x}}")
    key = "sk-proj-" + "a1B2c3D4e5" * 4
    told = str(text_of(answers.answer_request(chat(f"my key is {key}"))))
    assert "last: `my key is [redacted" in told
    answers.answer_request(ClientRequest(2, "openai", "POST", f"/{key}/embeddings", json={"input": "a"}))
    assert "a1B2c3" not in "".join((told, *answers.list_failures()))


@pytest.mark.parametrize(
    ("body", "note", "said"),
    [
        (None, "", "its body is empty"),
        ({}, "", "its body is empty"),
        ([1], "", "its body is not a JSON object"),
        (None, "the request is omitted: it is not JSON", "it is not JSON"),
    ],
)
def test_requests_that_say_nothing(body: Json, note: str, said: str) -> None:
    """They get an error, and it is told at the end."""
    answers = answers_of("{text: one}")
    asked = ClientRequest(3, "openai", "POST", "/chat/completions", json=body, note=note)
    assert answers.answer_request(asked).status == 400
    assert answers.list_failures() == [f"request 3 cannot be answered: {said}"]


def test_other_calls() -> None:
    """Counts and lists of models are answered; what a script cannot know is told."""
    answers = answers_of("{text: one}")
    counted = answers.answer_request(
        ClientRequest(1, "gemini", "POST", "/v1beta/models/g:countTokens", json={"contents": []})
    )
    assert cast("int", body_of(counted)["totalTokens"]) > 0
    assert body_of(answers.answer_request(ClientRequest(2, "openai", "GET", "/models")))["data"] == []
    assert (
        body_of(answers.answer_request(ClientRequest(3, "anthropic", "GET", "/v1/models/claude-x")))["id"] == "claude-x"
    )
    assert answers.list_failures() == []
    assert answers.answer_request(ClientRequest(4, "openai", "POST", "/embeddings", json={"input": "a"})).status == 404
    assert answers.list_failures()[0].startswith(
        "request 4 is `POST /embeddings`, which a script cannot answer; record"
    )


def test_files(tmp_path: Path) -> None:
    """A file with a byte order mark is read; what is not text, and what is not there, is told."""
    path = script_of(tmp_path / "r.yaml", "{text: hi}")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert text_of(load_script(path).answer_request(chat("x"))) == "hi"
    path.write_bytes(b"\xff")
    with pytest.raises(RecorderError, match="byte 1 is not UTF-8"):
        load_script(path)
    with pytest.raises(RecorderError, match="no such file"):
        load_script(tmp_path / "none.yaml")

"""Recordings as answers: the same request gets the same answer, another one an error that says what is another."""

import gzip
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest

from acdl_mkdocs.foundation.errors import RecorderError
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers.client_request import ClientRequest
from acdl_mkdocs.runs.record import recording, replay
from acdl_mkdocs.runs.record.replay import describe_first_difference, find_nearest, load_replay
from recorder.upstream import recorded_lines, script_of

CALLING = "{text: One moment., calls: [{name: search, arguments: {q: Oslo}}]}"
ANSWER = "{text: It is seven degrees in Oslo.}"
REFUSED = "{error: {status: 422, message: no such tool}}"


def agent(address: str, question: str = "How warm is it?", *, is_streamed: bool = False) -> str | None:
    """A loop of two calls, and one that is refused."""
    client: Any = openai.OpenAI(base_url=address, api_key="x", max_retries=0)
    messages: list[dict[str, Json]] = [{"role": "user", "content": question}]
    first = client.chat.completions.create(model="gpt-x", messages=messages)
    call = first.choices[0].message.tool_calls[0]
    messages.append({"role": "assistant", "tool_calls": [call.model_dump()]})
    messages.append({"role": "tool", "tool_call_id": call.id, "content": "7 degrees"})
    with pytest.raises(openai.UnprocessableEntityError):
        client.chat.completions.create(model="gpt-y", messages=messages)
    if is_streamed:
        chunks = client.chat.completions.create(model="gpt-x", messages=messages, stream=True)
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    content: str | None = client.chat.completions.create(model="gpt-x", messages=messages).choices[0].message.content
    return content


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A recording of the agent."""
    path = tmp_path / "kept.jsonl"
    with recording(path, script=script_of(tmp_path / "r.yaml", CALLING, REFUSED, ANSWER)) as variables:
        assert agent(variables["OPENAI_BASE_URL"]) == "It is seven degrees in Oslo."
    return path


def test_the_same_run(kept: Path, tmp_path: Path) -> None:
    """It is answered as before, errors too, and gives the same recording byte by byte."""
    with recording(tmp_path / "again" / kept.name, replay=kept) as variables:
        assert agent(variables["OPENAI_BASE_URL"]) == "It is seven degrees in Oslo."
    assert (tmp_path / "again" / kept.name).read_bytes() == kept.read_bytes()


def test_in_pieces(kept: Path) -> None:
    """Whether an answer comes in pieces makes no other request."""
    with recording(replay=kept) as variables:
        assert agent(variables["OPENAI_BASE_URL"], is_streamed=True) == "It is seven degrees in Oslo."


def ask_another(kept: Path) -> None:
    """Answer the agent from its recording, and ask it something else."""
    with (
        recording(replay=kept) as variables,
        pytest.raises(openai.BadRequestError, match="the most similar one is in line 1"),
    ):
        agent(variables["OPENAI_BASE_URL"], "How cold is it?")


def test_another_request(kept: Path) -> None:
    """The nearest is named, and the first difference; the block ends with an error."""
    with pytest.raises(RecorderError) as raised:
        ask_another(kept)
    clause = '`messages[0].content` is "How cold is it?", and "How warm is it?" in the recording'
    assert str(raised.value) == f"request 1 is not in {kept}; the most similar one is in line 1: {clause}"


def test_asked_too_often(kept: Path) -> None:
    """As often as it was recorded, and no more."""
    answers = load_replay(kept)
    asked = ClientRequest(1, "openai", "POST", "/chat/completions", json=recorded_lines(kept)[0]["request"])
    assert [answers.answer_request(asked).status for _ in range(2)] == [200, 400]
    assert f"request 1 was sent more often than recorded in {kept}; if the program should" in answers.list_failures()[0]
    assert answers.list_unused() == [f"2 requests were not sent again; the first is in line 2 of {kept}"]


def test_what_models_do_not_see(kept: Path) -> None:
    """Names of users and caches may be others; the model may not."""
    answers = load_replay(kept)
    request = recorded_lines(kept)[0]["request"]
    assert isinstance(request, dict)
    other = ClientRequest(
        1, "openai", "POST", "/chat/completions", json={**request, "user": "u-17", "metadata": {"run": "x"}}
    )
    assert answers.answer_request(other).status == 200
    asked = ClientRequest(2, "openai", "POST", "/chat/completions", json={**request, "model": "gpt-z"})
    assert answers.answer_request(asked).status == 400
    assert '`model` is "gpt-z", and "gpt-x" in the recording' in answers.list_failures()[0]
    elsewhere = ClientRequest(3, "openai", "POST", "/responses", json=request)
    assert answers.answer_request(elsewhere).status == 400
    assert "which has no request to `/responses`" in answers.list_failures()[1]


def test_requests_with_keys(tmp_path: Path) -> None:
    """A recording without keys answers a program that sends them."""
    key = "sk-proj-" + "a1B2c3D4e5" * 4
    body: Json = {"model": "m", "messages": [{"role": "user", "content": f"use {key}"}]}
    with recording(tmp_path / "kept.jsonl", script=script_of(tmp_path / "r.yaml", ANSWER)) as variables:
        httpx2.post(f"{variables['OPENAI_BASE_URL']}/chat/completions", json=body, trust_env=False)
    assert key not in (tmp_path / "kept.jsonl").read_text("utf-8")
    with recording(replay=tmp_path / "kept.jsonl") as variables:
        found = httpx2.post(f"{variables['OPENAI_BASE_URL']}/chat/completions", json=body, trust_env=False)
    assert found.status_code == 200


def test_other_calls(tmp_path: Path) -> None:
    """Counts of tokens and lists of models are replayed too."""
    with recording(tmp_path / "kept.jsonl", script=script_of(tmp_path / "r.yaml", ANSWER)) as variables:
        first = httpx2.get(f"{variables['OPENAI_BASE_URL']}/models/gpt-x", trust_env=False).json()
        httpx2.post(f"{variables['OPENAI_BASE_URL']}/chat/completions", json={"messages": []}, trust_env=False)
    with recording(replay=tmp_path / "kept.jsonl") as variables:
        httpx2.post(f"{variables['OPENAI_BASE_URL']}/chat/completions", json={"messages": []}, trust_env=False)
        assert httpx2.get(f"{variables['OPENAI_BASE_URL']}/models/gpt-x", trust_env=False).json() == first


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there is no request in it; record a run first"),
        ("{", ":1: not JSON; the file is damaged"),
        ('{"messages": []}', ":1: not a line written by `acdl record`"),
        ('{"acdl_record": 2}', ":1: written by another version of `acdl record`"),
    ],
)
def test_files_that_are_no_recordings(tmp_path: Path, text: str, said: str) -> None:
    """They are told with the line."""
    path = tmp_path / "x.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(RecorderError) as raised:
        load_replay(path)
    assert said in str(raised.value)
    with pytest.raises(RecorderError, match="no such file"):
        load_replay(tmp_path / "none.jsonl")


def test_requests_without_an_answer(tmp_path: Path) -> None:
    """A call that was cut off when it was recorded cannot be replayed, and that is told."""
    line = {
        "acdl_record": 1,
        "format": "openai",
        "path": "/chat/completions",
        "status": None,
        "request": {},
        "reply": None,
    }
    (tmp_path / "x.jsonl").write_text(json.dumps(line), "utf-8")
    answers = load_replay(tmp_path / "x.jsonl")
    assert answers.answer_request(ClientRequest(1, "openai", "POST", "/chat/completions", json={})).status == 400
    assert answers.list_failures() == [
        f"request 1 has no recorded answer in {tmp_path / 'x.jsonl'}:1; record the run again"
    ]


def test_unreadable_requests(kept: Path) -> None:
    """A body that nobody can read is not taken for another one that nobody could read."""
    line = {"acdl_record": 1, "format": "openai", "path": "/chat/completions", "status": 200, "request": None}
    with kept.open("a") as file:
        file.write(json.dumps({**line, "reply": {"choices": []}, "note": "the request is omitted: it is not JSON"}))
    with pytest.raises(RecorderError) as raised, recording(replay=kept) as variables:
        httpx2.post(f"{variables['OPENAI_BASE_URL']}/chat/completions", content=b"}", trust_env=False)
    assert str(raised.value) == f"request 1 cannot be found in {kept}: it is not JSON"


def test_compressed(kept: Path) -> None:
    """A recording is read as other readers take it; one that is cut off is told."""
    packed = gzip.compress(kept.read_bytes())
    request = recorded_lines(kept)[0]["request"]
    kept.write_bytes(packed)
    assert (
        load_replay(kept).answer_request(ClientRequest(1, "openai", "POST", "/chat/completions", json=request)).status
        == 200
    )
    for data in (packed[:-20], packed[:20] + b"x" * 50):
        kept.write_bytes(data)
        with pytest.raises(RecorderError, match=r"kept\.jsonl: the compressed file is incomplete"):
            load_replay(kept)


def test_too_much_in_all(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What all lines have together is limited too, blank ones and packed ones as well; the line is named."""
    data = kept.read_bytes()
    monkeypatch.setattr(replay, "MOST_BYTES", len(data))
    assert load_replay(kept).list_unused() == [f"3 requests were not sent again; the first is in line 1 of {kept}"]
    for more, number in ((data.splitlines(keepends=True)[0], 4), (b"\n" * 9, 4), (b"\n", 4)):
        for pack in (bytes, gzip.compress):
            kept.write_bytes(pack(data + more))
            with pytest.raises(RecorderError, match=rf"kept\.jsonl:{number}: the lines up to here have more than"):
                load_replay(kept)


def test_everything_has_to_be_asked(kept: Path) -> None:
    """A program that stops too early fails where all of the recording is wanted."""
    request = recorded_lines(kept)[0]["request"]
    for is_all_wanted in (False, True):
        with (
            pytest.raises(RecorderError, match=r"2 requests were not sent again") if is_all_wanted else nullcontext(),
            recording(replay=kept, is_all_wanted=is_all_wanted) as variables,
        ):
            httpx2.post(f"{variables['OPENAI_BASE_URL']}/chat/completions", json=request, trust_env=False)
    with (
        pytest.raises(RecorderError, match="`--all` needs a script or a recording"),
        recording(is_all_wanted=True),
    ):
        pass


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({"a": [1, 2]}, {"a": [1, 2]}, ""),
        ({"a": [1, 2]}, {"a": [1, 2, 3]}, "`a[2]` is 3, which the recording does not have"),
        ({"a": 1, "b": 2}, {"a": 1}, "`b` is missing; the recording has 2"),
        ({"a": True}, {"a": 1}, "`a` is 1, and true in the recording"),
        (
            "x" * 99 + "old",
            "x" * 99 + "new",
            '`` is "…' + "x" * 30 + 'new", and "…' + "x" * 30 + 'old" in the recording',
        ),
        ("a" + "x" * 99, "b" + "x" * 99, f'`` is "b{"x" * 59}…", and "a{"x" * 59}…" in the recording'),
    ],
)
def test_first_difference(old: Json, new: Json, said: str) -> None:
    """The place and both values, shortened to where they part."""
    assert describe_first_difference(old, new) == said


def test_nearest() -> None:
    """What has most in common, wherever in a list it stands."""
    many: list[Json] = [{"m": ["a", "b", "c"]}, {"m": ["b", "c", "x"]}, {"n": 1}]
    assert find_nearest({"m": ["b", "c", "d", "x"]}, many) == 1
    assert find_nearest({"m": []}, []) is None

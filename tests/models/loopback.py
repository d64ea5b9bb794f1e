"""A real HTTP server on this machine that answers as a script says, and records all that it is asked.

Where the script has run out, the server refuses the request and the `with` block fails with what was asked.
"""

import json
import socket
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import TracebackType
from typing import Any, Self, cast


@dataclass(frozen=True)
class Said:
    """One answer of the server."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    delay_s: float = 0.0
    drop_after: int | None = None
    """Close the connection after so many bytes of the body, although more were promised."""
    drip_s: float = 0.0
    """Wait so long after every byte."""


def said(text: str | None, finish: str = "stop", usage: tuple[int, int] | None = (10, 5), **message: object) -> Said:
    """An ordinary answer of a model."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    body: dict[str, object] = {"id": "1", "object": "chat.completion", "model": "served-1", "choices": [choice]}
    if usage is not None:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return as_json(body)


def as_json(body: object, status: int = 200, **headers: str) -> Said:
    """An answer that is JSON; `_` in names of headers is `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Said(json.dumps(body).encode(), status, named)


def refused(status: int, message: str = "no", **headers: str) -> Said:
    """An error as OpenAI says it."""
    return as_json({"error": {"message": message, "type": "x", "param": None, "code": None}}, status, **headers)


@dataclass(frozen=True)
class Request:
    """What the server was asked."""

    path: str
    headers: Mapping[str, str]
    """Names in small letters."""
    body: dict[str, Any]

    @property
    def last_words(self) -> str:
        """Text of the last message."""
        return str(self.body["messages"][-1]["content"])


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    loopback: "Loopback"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is part of some scripts."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        loopback = cast(_Server, self.server).loopback
        data = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = loopback.answer(Request(self.path, headers, json.loads(data)))
        time.sleep(answer.delay_s)
        self.send_response(answer.status)
        for name, value in {"Content-Type": answer.content_type, **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.body(answer)

    do_GET = do_POST  # noqa: N815 - a client that follows a redirect comes with GET

    def body(self, answer: Said) -> None:
        """Send the body, or as much of it as the script says."""
        data = answer.body if answer.drop_after is None else answer.body[: answer.drop_after]
        if answer.drip_s:
            for byte in data:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(answer.drip_s)
        else:
            self.wfile.write(data)
            self.wfile.flush()
        if answer.drop_after is not None:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on standard error."""


class Loopback:
    """The server: `with Loopback([said("hello")]) as server`, then ask `server.url`.

    Parameters:
        script: Answers in the order of the requests, or `(request) -> answer`.
    """

    def __init__(self, script: Sequence[Said] | Callable[[Request], Said]) -> None:
        self.requests: list[Request] = []
        self._script = script
        self._lock = Lock()
        self._unexpected: list[Request] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.loopback = self
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        """Base URL of the API."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def answer(self, request: Request) -> Said:
        """What is answered next."""
        with self._lock:
            place = len(self.requests)
            self.requests.append(request)
        if callable(self._script):
            return self._script(request)
        if place < len(self._script):
            return self._script[place]
        self._unexpected.append(request)
        return refused(418, "the script has no more answers")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self.check()
        if kind is None and not callable(self._script):
            left = len(self._script) - len(self.requests)
            assert left <= 0, f"{left} answers of the script were not asked for"

    def check(self) -> None:
        """Fail if more was asked than the script answers."""
        if self._unexpected:
            asked = self._unexpected[0].body.get("messages")
            raise AssertionError(f"the script ended after {len(self.requests)} requests, then was asked: {asked}")

    def forget(self) -> None:
        """Let what was asked too much pass."""
        self._unexpected.clear()

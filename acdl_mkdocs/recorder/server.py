"""The server on this machine that clients ask in place of their provider: one thread for each connection.

Takes connections of this machine alone, for the one name it has, below a path that nobody can guess: another program
of the machine, or a page in a browser, cannot use it.
"""

import json
import sys
from collections.abc import Iterator
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from secrets import token_urlsafe
from threading import Lock, Thread
from urllib.parse import urlsplit

from acdl_mkdocs.errors import RecorderError
from acdl_mkdocs.prompt import Json
from acdl_mkdocs.recorder.calls import LEFT_OUT, Answer, Answerer, Asked
from acdl_mkdocs.recorder.forward import HOP_BY_HOP, BrokenAnswerError
from acdl_mkdocs.recorder.offline import failed
from acdl_mkdocs.recorder.packing import read_json, unpacked
from acdl_mkdocs.recorder.providers import Provider
from acdl_mkdocs.recorder.records import MOST_BYTES, Lines, reply_of
from acdl_mkdocs.recorder.said import Failure

HOST = "127.0.0.1"
_IDLE_S = 600
_MOST_LINE = 1000
_MOST_DIGITS = 20
"""Of a length that is read at all."""
_WITHOUT_BODY = (204, 304)


class _RefusedError(Exception):
    """A call is none of the run; the message says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class RecordingServer(ThreadingHTTPServer):
    """Answers the clients of one run and writes down what they ask."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, providers: tuple[Provider, ...], answers: Answerer, lines: Lines) -> None:
        super().__init__((HOST, 0), _Handler)
        self.answers = answers
        self.lines = lines
        self.ends = {each.name: each.end for each in providers}
        self.secret = token_urlsafe(18)
        self.refusals: list[str] = []
        """Calls that were none of the run."""
        self.failures: list[str] = []
        """Calls that could not be answered because of this program."""
        self._numbers = count(1)
        self._lock = Lock()
        self._thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """What the addresses of all providers begin with."""
        return f"http://{HOST}:{self.port}/{self.secret}"

    def start(self) -> None:
        """Answer from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Take no more calls."""
        self.shutdown()
        self.server_close()
        self._thread.join()

    def handle_error(self, request: object, client_address: object) -> None:  # noqa: ARG002 - as the library asks
        """Keep what went wrong for the end; that a client hung up is nothing wrong."""
        fault = sys.exception()
        if not isinstance(fault, OSError):
            self.failures.append(f"the recorder failed with {type(fault).__name__}: {fault}")

    def begun(self, asked: Asked) -> Asked:
        """A call with its number, which is kept in mind from now on."""
        with self._lock:
            numbered = Asked(
                next(self._numbers),
                *(asked.provider, asked.method, asked.path, asked.query, asked.headers),
                *(asked.body, asked.json, asked.note),
            )
            self.lines.begin(numbered)
        return numbered


class _Handler(BaseHTTPRequestHandler):
    """One connection of a client."""

    server: RecordingServer
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_S
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the streams belong to the program."""

    def answer(self) -> None:
        """Answer a call."""
        try:
            asked = self._asked()
        except _RefusedError as refused:
            self.close_connection = True
            self.server.refusals.append(str(refused))
            self._refuse(refused)
            return
        except OSError:
            self.close_connection = True
            return
        asked = self.server.begun(asked)
        try:
            found = self.server.answers.answer(asked)
        except Exception as fault:
            sentence = f"request {asked.number}: the recorder failed with {type(fault).__name__}: {fault}"
            self.server.failures.append(sentence)
            found = failed(asked, Failure(500, sentence))
        self._give(asked, found)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = answer  # noqa: N815 - as the library asks

    def _refuse(self, refused: _RefusedError) -> None:
        body = json.dumps({"error": {"message": f"acdl record: {refused}", "type": "refused"}}).encode()
        self._head(refused.status, (("content-type", "application/json"),), len(body))
        if self.command != "HEAD":
            self.wfile.write(body)

    def _asked(self) -> Asked:
        """The call, if it is one of the run."""
        names = (f"{HOST}:{self.server.port}", f"localhost:{self.server.port}")
        if self.headers.get("host", "").lower() not in names:
            raise _RefusedError(403, "the header `Host` names another server")
        parts = urlsplit(self.path)
        words = parts.path.split("/", 3)
        secret, provider, rest = (*words[1:], "", "", "")[:3]
        if not compare_digest(secret.encode(), self.server.secret.encode()):
            raise _RefusedError(404, "this address is of no run that is recorded")
        if provider not in self.server.ends:
            raise _RefusedError(404, f"`{provider[:40]}` is no provider that is recorded; name it with --upstream")
        if self.headers.get("upgrade"):
            raise _RefusedError(501, "web sockets cannot be recorded; let the client use requests of HTTP")
        end = self.server.ends[provider]
        path = f"/{rest}" if len(words) > 3 else ""
        path = path.removeprefix(end) if end and (path == end or path.startswith(f"{end}/")) else path
        body = self._body()
        value, note = self._value(body)
        return Asked(0, provider, self.command, path, parts.query, tuple(self.headers.items()), body, value, note)

    def _body(self) -> bytes:
        length, coding = self.headers.get("content-length"), self.headers.get("transfer-encoding", "").lower()
        if length is not None and (coding or not (length.isascii() and length.isdigit())):
            raise _RefusedError(400, "the length of the body is not clear")
        if length is not None and (len(length) > _MOST_DIGITS or int(length) > MOST_BYTES):
            raise _RefusedError(413, f"the request has more than {MOST_BYTES:,} bytes")
        if coding not in ("", "chunked"):
            raise _RefusedError(501, f"the transfer coding `{coding[:40]}` is not known here")
        body = b"".join(self._chunks()) if coding else self.rfile.read(int(length or 0))
        if len(body) < int(length or 0):
            raise ConnectionError("the client hung up")
        return body

    def _chunks(self) -> Iterator[bytes]:
        """The body of a request that says its length piece by piece."""
        n_bytes = 0
        while True:
            line = self.rfile.readline(_MOST_LINE)
            try:
                size = int(line.split(b";")[0], 16)
            except ValueError:
                raise _RefusedError(400, "a piece of the request has no length") from None
            n_bytes += size
            if size < 0 or n_bytes > MOST_BYTES:
                raise _RefusedError(413, f"the request has more than {MOST_BYTES:,} bytes")
            if size == 0:
                while self.rfile.readline(_MOST_LINE).strip():
                    pass
                return
            yield self.rfile.read(size)
            self.rfile.readline(_MOST_LINE)

    def _value(self, body: bytes) -> tuple[Json, str]:
        """What a body says, or why that cannot be known."""
        try:
            plain = unpacked(body, self.headers.get("content-encoding", ""), MOST_BYTES)
            return read_json(plain) if plain else None, ""
        except RecorderError as reason:
            return None, f"{LEFT_OUT}{reason}"

    def _head(self, status: int, headers: tuple[tuple[str, str], ...], length: int | None) -> None:
        self.send_response_only(status)
        for key, value in headers:
            if key.lower() not in HOP_BY_HOP:
                self.send_header(key, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        elif self._is_chunked(status):
            self.send_header("Transfer-Encoding", "chunked")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()

    def _is_chunked(self, status: int) -> bool:
        return self.command != "HEAD" and status not in _WITHOUT_BODY and self.request_version != "HTTP/1.0"

    def _give(self, asked: Asked, found: Answer) -> None:
        """Pass an answer on as it comes, and write it down when it has ended."""
        kept, note = bytearray(), found.note or asked.note
        try:
            note = self._pass_on(found, kept) or note
        finally:
            close = getattr(found.chunks, "close", None)
            if close is not None:
                close()
            named = {key.lower(): value for key, value in found.pairs}
            if len(kept) > MOST_BYTES:
                reply, fault = None, f"the answer is left out: it has more than {MOST_BYTES:,} bytes"
            else:
                reply, fault = reply_of(
                    asked, bytes(kept), named.get("content-type", ""), named.get("content-encoding", "")
                )
            self.server.lines.end(asked, found.status, reply, "; ".join(filter(None, (note, fault))))

    def _pass_on(self, found: Answer, kept: bytearray) -> str:
        """Why an answer is not whole; nothing if it is."""
        is_chunked = found.length is None and self._is_chunked(found.status)
        if found.length is None and not is_chunked:
            self.close_connection = True
        try:
            self._head(found.status, found.pairs, found.length)
            for chunk in found.chunks:
                if len(kept) <= MOST_BYTES:
                    kept += chunk
                self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk) if is_chunked else chunk)
            if is_chunked:
                self.wfile.write(b"0\r\n\r\n")
        except BrokenAnswerError as reason:
            self.close_connection = True
            return f"the provider broke off: {reason}"
        except OSError:
            self.close_connection = True
            return "the program hung up before the end"
        return ""

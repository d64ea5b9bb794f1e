"""A provider of the tests: it answers what it is told to, and remembers what it was asked."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS


def path_of(name: str) -> str:
    """The path to which requests of a provider go."""
    return urlsplit(PROVIDERS[name].address.format(model="m")).path


@dataclass(slots=True)
class Said:
    """One answer of the provider."""

    chunks: list[bytes]
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    gates: list[threading.Event] = field(default_factory=list)
    """What it waits for before each chunk but the first."""
    is_cut: bool = False
    """Whether it hangs up before the end."""


@dataclass(slots=True)
class Got:
    """What it was asked."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Upstream(ThreadingHTTPServer):
    """The provider."""

    daemon_threads = True

    def __init__(self, answers: list[Said]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = answers
        self.got: list[Got] = []
        self.lock = threading.Lock()

    @property
    def address(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Upstream
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {key.lower(): value for key, value in self.headers.items()}
        with self.server.lock:
            self.server.got.append(Got(self.command, self.path, headers, body))
            said = self.server.answers.pop(0)
        self.send_response_only(said.status)
        for key, value in said.headers.items():
            self.send_header(key, value)
        if self.command == "HEAD" or said.status == HTTPStatus.NO_CONTENT:
            self.end_headers()
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number, chunk in enumerate(said.chunks):
            if 0 < number <= len(said.gates):
                assert said.gates[number - 1].wait(20)
            self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        if said.is_cut:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    do_GET = do_HEAD = do_CONNECT = do_POST  # noqa: N815 - as the library asks


@contextmanager
def upstream(*answers: Said) -> Iterator[Upstream]:
    """A provider for the time of a block."""
    server = Upstream(list(answers))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def said_json(value: Json, status: int = 200) -> Said:
    """An answer in one piece."""
    return Said([json.dumps(value).encode()], status)


def recorded_lines(path: Path) -> list[dict[str, Json]]:
    """The lines of a recording."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def script_of(path: Path, *replies: str) -> Path:
    """A script with replies, each as YAML on one line."""
    text = "".join(f"  - {each}\n" for each in replies)
    path.write_text(f"acdl_replies: 1\nreplies:\n{text}", "utf-8")
    return path

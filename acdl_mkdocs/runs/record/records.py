"""The lines of a recording, requests and answers without secrets; and the file that they are written to."""

import json
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Condition
from typing import BinaryIO, Literal, TypeAlias

from acdl_mkdocs.foundation.errors import RecorderError
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.providers.client_request import ClientRequest, is_other_address
from acdl_mkdocs.prompts.providers.event_stream import Event, read_events
from acdl_mkdocs.prompts.providers.response_formats import find_response_format
from acdl_mkdocs.prompts.redact import redact_text, redact_value
from acdl_mkdocs.runs.read.bodies import BodyFault, read_json, unpack_body

Mode: TypeAlias = Literal["new", "append", "replace"]
_FLAGS: Mapping[Mode, int] = {
    "new": os.O_WRONLY | os.O_CREAT | os.O_EXCL,
    "append": os.O_WRONLY | os.O_CREAT | os.O_APPEND,
    "replace": os.O_WRONLY | os.O_CREAT,
}
_FOR_ITS_OWNER = 0o600
"""Permissions of a new file: only its owner may read a recording, which has the whole conversation."""


class OutFile:
    """A file that is open for lines; the first line empties a file that is replaced."""

    def __init__(self, path: Path, mode: Mode) -> None:
        """Open the file.

        Raises:
            RecorderError: It is there already, or cannot be written.
        """
        self.fault = ""
        """Why no more could be written, with the name of the file."""
        self._path = path
        self._is_new = not os.path.lexists(path)
        self._is_unwritten = True
        try:
            self._file = _open_file(path, mode)
        except (KeyboardInterrupt, MemoryError):  # it may have been made just before
            if self._is_new:
                _drop_if_empty(path)
            raise
        self._is_replaced = mode == "replace" and stat.S_ISREG(os.fstat(self._file.fileno()).st_mode)

    @property
    def is_as_before(self) -> bool:
        """Whether it existed already and nothing was written."""
        return self._is_unwritten and not self._is_new

    def write_line(self, line: bytes) -> None:
        """Add a line, which is in the file when this returns; if that failed, `fault` has the reason."""
        if self.fault:
            return
        try:
            if self._is_replaced and self._is_unwritten:
                self._file.truncate(0)
            self._is_unwritten = False
            self._file.write(line)
            self._file.flush()
        except OSError as reason:
            self._report_failure(reason)

    def close_file(self) -> None:
        """Close the file; remove it if it is new and empty."""
        try:
            self._file.close()
            if self._is_new and self._is_unwritten:
                self._path.unlink(missing_ok=True)
        except OSError as reason:
            self._report_failure(reason)

    def _report_failure(self, reason: OSError) -> None:
        self.fault = self.fault or f"{self._path}: {(reason.strerror or str(reason)).lower()}"


def refuse_to_write(out: Path, inputs: Sequence[Path], command: Sequence[str]) -> None:
    """Raise an error if a recording would overwrite an input of the run.

    Parameters:
        out: The recording.
        inputs: Files with answers.
        command: The program and its arguments.

    Raises:
        RecorderError: It would, possibly under another name.
    """
    for path in inputs:
        if _is_same(out, path):
            what = f"`{out}` is the source of the answers"
            raise RecorderError(f"{what}; choose another file: `-o other.jsonl`")
    for word in command:
        if out.exists() and _is_same(out, Path(word)):
            raise RecorderError(f"`{out}` is an argument of the command to run; choose another file: `-o other.jsonl`")


def _is_same(one: Path, other: Path) -> bool:
    """Return whether two names are of the same file, also through a link."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # one is not there, or is not a name of a file
        return os.path.abspath(one) == os.path.abspath(other)


def _open_file(path: Path, mode: Mode) -> BinaryIO:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if mode == "append" and _ends_inside_line(path):
            raise RecorderError(f"{path}: its last line is incomplete; remove that line, or choose another file")
        flags = _FLAGS[mode] | getattr(os, "O_BINARY", 0)
        kind: Literal["ab", "wb"] = "ab" if mode == "append" else "wb"
        return open(path, kind, opener=lambda name, _: os.open(name, flags, _FOR_ITS_OWNER))
    except FileExistsError:
        cure = "replace it with `--force`, or add to it with `--append`"
        raise RecorderError(f"{path}: the file exists already; {cure}") from None
    except OSError as reason:
        raise RecorderError(f"{path}: cannot be written: {(reason.strerror or str(reason)).lower()}") from None


def _drop_if_empty(path: Path) -> None:
    """Remove an empty file."""
    with suppress(OSError):
        if path.is_file() and not path.stat().st_size:
            path.unlink()


def _ends_inside_line(path: Path) -> bool:
    """Return whether a file ends inside a line."""
    if not path.is_file() or path.stat().st_size == 0:
        return False
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


VERSION = 1
"""Value of `acdl_record`."""
MOST_BYTES = 64_000_000
"""Limit of bytes of a request, and of the kept part of an answer."""
_MOST_OTHER = 1_000_000
"""Limit of bytes of the kept part of an answer that is not from a model, such as embeddings."""
_MOST_LEVELS = 200
"""Nesting of lists and objects that every Python version can process; beyond it, that depends on the version."""
_STREAM = (b"data:", b"event:")
"""The beginning of streams, whatever their header: in one piece, data split between events is joined."""
_UNANSWERED = "the run ended before the response"
_LAST_WORDS_S = 3.0
"""Longest time for writing an answer after the program has ended."""


def build_line(
    request: ClientRequest, status: int | None, reply: Json, note: str, episode: str | None
) -> dict[str, Json]:
    """Return the line of a request."""
    line: dict[str, Json] = {"acdl_record": VERSION}
    if episode is not None:
        line["episode"] = redact_text(episode)
    try:
        sent, answered = redact_value(_check_depth(request.json)), redact_value(reply)
    except RecursionError:
        sent, answered, note = None, None, "request and response are omitted: they are nested too deeply"
    path = redact_text(request.path)
    if request.format is not None:
        line |= {"format": request.format, "path": path, "status": status, "request": sent, "reply": answered}
    else:
        line |= {"path": path, "method": request.method, "status": status, "sent": sent, "got": answered}
    return {**line, "note": redact_text(note)} if note else line


def read_reply(request: ClientRequest, body: bytes, content_type: str, coding: str) -> tuple[Json, str]:
    """Return the content of an answer, assembled from its pieces; and why it cannot be read, if so.

    Parameters:
        request: The answered request.
        body: The received bytes.
        content_type: The header of that name.
        coding: The header `Content-Encoding`.
    """
    try:
        reply, note = _parse_reply(request, unpack_body(body, coding, MOST_BYTES), content_type)
        return _check_depth(reply), note
    except BodyFault as reason:
        return None, f"the response is omitted: {reason}"
    except RecursionError:
        return None, "the response is omitted: it is nested too deeply"


def _parse_reply(request: ClientRequest, plain: bytes, content_type: str) -> tuple[Json, str]:
    if request.format is None and len(plain) > _MOST_OTHER:
        return None, f"the response is omitted: it has more than {_MOST_OTHER:,} bytes"
    if not plain:
        return None, ""
    if content_type.lower().startswith("text/event-stream") or (request.format and plain.lstrip().startswith(_STREAM)):
        return find_response_format(request).assemble_body(read_events(plain)), ""
    try:
        value = read_json(plain)
    except BodyFault as reason:
        if content_type.startswith("text/"):
            return plain.decode("utf-8", "replace"), ""
        return None, f"the response is omitted: {reason}"
    if request.format and PROVIDERS[request.format].is_streamed_as_list and isinstance(value, list):
        return find_response_format(request).assemble_body(Event(each) for each in value), ""
    return value, ""


def _check_depth(value: Json) -> Json:
    """Return the value unless it is nested too deeply.

    Raises:
        RecursionError: It is nested too deeply.
    """
    level: list[Json] = [value]
    for _ in range(_MOST_LEVELS + 1):
        inside = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list))]
        level = [each for values in inside for each in values]
        if not level:
            return value
    raise RecursionError


def list_episodes(path: Path) -> frozenset[str]:
    """Return the names of runs that a recording has already; empty if there is no such file."""
    names = set()
    with suppress(OSError), path.open("rb") as lines:  # reported when it is opened for writing
        for line in lines:
            with suppress(ValueError, RecursionError):  # reported when it is read
                value = json.loads(line) if b'"episode"' in line else None
                names.add(str(value.get("episode", "")) if isinstance(value, dict) else "")
    return frozenset(names)


class RecordingWriter:
    """A growing recording: a line is written when the lines of all earlier requests are written."""

    def __init__(self, file: OutFile | None, episode: str | None) -> None:
        """Begin a recording.

        Parameters:
            file: Where lines are written; `None` only counts them.
            episode: Name of the run.
        """
        self.n_requests = 0
        """Requests to models."""
        self.n_others = 0
        """Requests for something else."""
        self.by_format: dict[str, int] = {}
        self.unknown: dict[str, int] = {}
        """Paths of requests that may be for models in an unknown format, with counts."""
        self._episode = episode
        self._pending: dict[int, ClientRequest] = {}
        self._ready: dict[int, dict[str, Json]] = {}
        self._lock = Condition()
        self._file = file

    @property
    def fault(self) -> str:
        """Why no more could be written."""
        return self._file.fault if self._file is not None else ""

    def begin_request(self, request: ClientRequest) -> None:
        """Begin a request."""
        with self._lock:
            self._pending[request.number] = request
            if request.format is None:
                self.n_others += 1
                if request.method == "POST" and not is_other_address(request.path):
                    path = redact_text(request.path)
                    self.unknown[path] = self.unknown.get(path, 0) + 1
            else:
                self.n_requests += 1
                self.by_format[request.format] = self.by_format.get(request.format, 0) + 1

    def end_request(self, request: ClientRequest, status: int | None, reply: Json, note: str) -> None:
        """End a request."""
        line = build_line(request, status, reply, note, self._episode)
        with self._lock:
            if self._pending.pop(request.number, None) is not None:
                self._ready[request.number] = line
                self._write_lines(min(self._pending, default=None))
                self._lock.notify_all()

    def close_recording(self) -> None:
        """Write pending lines; of a request without an answer too."""
        with self._lock:
            self._lock.wait_for(lambda: not self._pending, _LAST_WORDS_S)
            for number, request in self._pending.items():
                self._ready[number] = build_line(request, None, None, _UNANSWERED, self._episode)
            self._pending.clear()
            self._write_lines(None)
            if self._file is not None:
                self._file.close_file()

    def _write_lines(self, before: int | None) -> None:
        for number in sorted(number for number in self._ready if before is None or number < before):
            line = self._ready.pop(number)
            if self._file is not None:
                self._file.write_line(_encode_line(line))


def _encode_line(line: dict[str, Json]) -> bytes:
    try:
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:  # a lone surrogate, which only an escape can represent
        return json.dumps(line, ensure_ascii=True).encode() + b"\n"

"""The lines of a recording: what was asked and answered, without keys, in the order in which it was asked."""

import json
from contextlib import suppress
from pathlib import Path
from threading import Condition

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers.client_request import Asked, is_other_address
from acdl_mkdocs.prompts.providers.event_stream import Event, read_events
from acdl_mkdocs.prompts.providers.response_formats import shape_of
from acdl_mkdocs.prompts.redact import redacted, redacted_text
from acdl_mkdocs.recorder.out_file import OutFile
from acdl_mkdocs.wire.packing import BodyFault, read_json, unpacked

VERSION = 1
"""Value of `acdl_record`."""
MOST_BYTES = 64_000_000
"""Of a request, and of what is kept of an answer."""
_MOST_OTHER = 1_000_000
"""Of what is kept of an answer that no model gave, such as embeddings."""
_MOST_LEVELS = 200
"""Of lists and objects in each other: every Python can go through so many, and how many more depends on its version."""
_STREAM = (b"data:", b"event:")
"""What streams begin with, whatever their header says they are: in one piece, what is split between events is whole."""
_UNANSWERED = "the run ended before it was answered"
_LAST_WORDS_S = 3.0
"""How long an answer may take to be written down after the program has ended."""


def line_of(asked: Asked, status: int | None, reply: Json, note: str, episode: str | None) -> dict[str, Json]:
    """What is written of a call."""
    line: dict[str, Json] = {"acdl_record": VERSION}
    if episode is not None:
        line["episode"] = redacted_text(episode)
    try:
        said, answered = redacted(_shallow(asked.json)), redacted(reply)
    except RecursionError:
        said, answered, note = None, None, "request and answer are left out: they are nested too deeply"
    path = redacted_text(asked.path)
    if asked.format is not None:
        line |= {"format": asked.format, "path": path, "status": status, "request": said, "reply": answered}
    else:
        line |= {"path": path, "method": asked.method, "status": status, "sent": said, "got": answered}
    return {**line, "note": redacted_text(note)} if note else line


def reply_of(asked: Asked, body: bytes, content_type: str, coding: str) -> tuple[Json, str]:
    """What an answer says, put together from its pieces; and why it cannot be read, or nothing.

    Parameters:
        asked: What it answers.
        body: As it came.
        content_type: The header of that name.
        coding: The header `Content-Encoding`.
    """
    try:
        reply, note = _reply(asked, unpacked(body, coding, MOST_BYTES), content_type)
        return _shallow(reply), note
    except BodyFault as reason:
        return None, f"the answer is left out: {reason}"
    except RecursionError:
        return None, "the answer is left out: it is nested too deeply"


def _reply(asked: Asked, plain: bytes, content_type: str) -> tuple[Json, str]:
    if asked.format is None and len(plain) > _MOST_OTHER:
        return None, "the answer is left out: it is long"
    if not plain:
        return None, ""
    if content_type.lower().startswith("text/event-stream") or (asked.format and plain.lstrip().startswith(_STREAM)):
        return shape_of(asked).assembled(read_events(plain)), ""
    try:
        value = read_json(plain)
    except BodyFault as reason:
        if content_type.startswith("text/"):
            return plain.decode("utf-8", "replace"), ""
        return None, f"the answer is left out: {reason}"
    if asked.format == "gemini" and isinstance(value, list):
        return shape_of(asked).assembled(Event(each) for each in value), ""
    return value, ""


def _shallow(value: Json) -> Json:
    """The value itself.

    Raises:
        RecursionError: It is nested too deeply.
    """
    level: list[Json] = [value]
    for _ in range(_MOST_LEVELS + 1):
        inside = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        level = [each for values in inside for each in values]
        if not level:
            return value
    raise RecursionError


def episodes_in(path: Path) -> frozenset[str]:
    """The names of runs that a recording has already; none if there is no such file."""
    found = set()
    with suppress(OSError), path.open("rb") as lines:  # told when it is opened for writing
        for line in lines:
            with suppress(ValueError, RecursionError):  # told when it is read
                value = json.loads(line) if b'"episode"' in line else None
                found.add(str(value.get("episode", "")) if isinstance(value, dict) else "")
    return frozenset(found)


class Lines:
    """A recording that grows: a line is written when all that were asked before are written."""

    def __init__(self, file: OutFile | None, episode: str | None) -> None:
        """Begin a recording.

        Parameters:
            file: Where lines are written; `None` only counts them.
            episode: Name of the run.
        """
        self.n_requests = 0
        """Requests to models."""
        self.n_others = 0
        """Calls for something else."""
        self.by_format: dict[str, int] = {}
        self.unknown: dict[str, int] = {}
        """Paths of calls that may be requests to models in a form that nobody here knows, and how many there were."""
        self._episode = episode
        self._waiting: dict[int, Asked] = {}
        self._ready: dict[int, dict[str, Json]] = {}
        self._lock = Condition()
        self._file = file

    @property
    def fault(self) -> str:
        """Why no more could be written."""
        return self._file.fault if self._file is not None else ""

    def begin(self, asked: Asked) -> None:
        """A call has come."""
        with self._lock:
            self._waiting[asked.number] = asked
            if asked.format is None:
                self.n_others += 1
                if asked.method == "POST" and not is_other_address(asked.path):
                    path = redacted_text(asked.path)
                    self.unknown[path] = self.unknown.get(path, 0) + 1
            else:
                self.n_requests += 1
                self.by_format[asked.format] = self.by_format.get(asked.format, 0) + 1

    def end(self, asked: Asked, status: int | None, reply: Json, note: str) -> None:
        """A call is answered."""
        line = line_of(asked, status, reply, note, self._episode)
        with self._lock:
            if self._waiting.pop(asked.number, None) is not None:
                self._ready[asked.number] = line
                self._write(min(self._waiting, default=None))
                self._lock.notify_all()

    def close(self) -> None:
        """Write what is left; of a call without an answer, what was asked."""
        with self._lock:
            self._lock.wait_for(lambda: not self._waiting, _LAST_WORDS_S)
            for number, asked in self._waiting.items():
                self._ready[number] = line_of(asked, None, None, _UNANSWERED, self._episode)
            self._waiting.clear()
            self._write(None)
            if self._file is not None:
                self._file.close()

    def _write(self, before: int | None) -> None:
        for number in sorted(number for number in self._ready if before is None or number < before):
            line = self._ready.pop(number)
            if self._file is not None:
                self._file.write(_bytes(line))


def _bytes(line: dict[str, Json]) -> bytes:
    try:
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:  # half of a character, which only an escape can say
        return json.dumps(line, ensure_ascii=True).encode() + b"\n"

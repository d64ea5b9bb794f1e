"""Answers from a recording: the same answer to the same request, as often as it was recorded."""

import json
import zlib
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from gzip import BadGzipFile, GzipFile
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from acdl_mkdocs.foundation.errors import RecorderError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers.client_request import ClientRequest, ClientResponse
from acdl_mkdocs.prompts.providers.scripted_reply import ScriptedError
from acdl_mkdocs.prompts.redact import redact_text, redact_value
from acdl_mkdocs.runs.record.offline import write_error, write_whole
from acdl_mkdocs.runs.record.records import VERSION

_MOST_SHOWN = 60
_MISSING = object()


def find_nearest(value: Json, others: Sequence[Json]) -> int | None:
    """Return the index of the most similar value; of several, the first."""
    leaf_counts = Counter(_list_leaves(value, ""))
    best, best_place = -1.0, None
    for index, other in enumerate(others):
        leaves = Counter(_list_leaves(other, ""))
        n_all = leaf_counts.total() + leaves.total()
        likeness = 2 * (leaf_counts & leaves).total() / n_all if n_all else 1.0
        if likeness > best:
            best, best_place = likeness, index
    return best_place


def _list_leaves(value: Json, path: str) -> Iterator[tuple[str, str]]:
    """Yield the leaves with their paths, for texts each word; indices do not count."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _list_leaves(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from _list_leaves(inner, f"{path}[]")
    elif isinstance(value, str):
        yield from ((path, word) for word in value.split())
        yield path, ""
    else:
        yield path, json.dumps(value)


def describe_first_difference(old: Json, new: Json) -> str:
    """Describe the first difference of two values in a clause; empty if there is none."""
    return _describe_difference(old, new, "")


def _describe_difference(old: object, new: object, path: str) -> str:
    pairs: list[tuple[str, object, object]]
    if isinstance(old, dict) and isinstance(new, dict):
        keys = dict.fromkeys((*old, *new))
        begin = f"{path}." if path else ""
        pairs = [(f"{begin}{key}", old.get(key, _MISSING), new.get(key, _MISSING)) for key in keys]
    elif isinstance(old, list) and isinstance(new, list):
        longest = range(max(len(old), len(new)))
        pairs = [(f"{path}[{at}]", _get_item(old, at), _get_item(new, at)) for at in longest]
    elif type(old) is type(new) and old == new:
        return ""
    else:
        return _describe_change(old, new, path)
    return next(filter(None, (_describe_difference(a, b, inner_path) for inner_path, a, b in pairs)), "")


def _get_item(items: Sequence[object], index: int) -> object:
    return items[index] if index < len(items) else _MISSING


def _describe_change(old: object, new: object, path: str) -> str:
    if old is _MISSING:
        return f"`{path}` is {_quote_value(new)}, which the recording does not have"
    if new is _MISSING:
        return f"`{path}` is missing; the recording has {_quote_value(old)}"
    start = 0
    if isinstance(old, str) and isinstance(new, str):
        same = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        start = max(0, same - _MOST_SHOWN // 2)
    return f"`{path}` is {_quote_value(new, start)}, and {_quote_value(old, start)} in the recording"


def _quote_value(value: object, start: int = 0) -> str:
    """Return a value, shortened: of a long text the part from an offset."""
    if isinstance(value, str):
        begin, words = ("…" if start else ""), value[start:]
        end = "…" if len(words) > _MOST_SHOWN else ""
        return json.dumps(f"{begin}{words[:_MOST_SHOWN]}{end}", ensure_ascii=False)
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


_GZIP = b"\x1f\x8b"
MOST_LINE_BYTES = 128_000_000
"""Limit of bytes of one line, uncompressed."""
MOST_BYTES = 256_000_000
"""Limit of bytes of all lines, uncompressed, which are kept in memory."""
_BESIDE = frozenset(("stream", "stream_options", "user", "metadata", "safety_identifier", "prompt_cache_key", "store"))
"""Keys of requests that a model never sees, and that may differ from run to run."""


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """A request of the recording and its reply."""

    line: int
    path: str
    request: Json
    status: int | None
    reply: Json


class ReplayedAnswers:
    """Answers requests that were recorded."""

    is_offline = True

    def __init__(self, name: str, exchanges: list[RecordedExchange]) -> None:
        self._name = name
        self._exchanges = exchanges
        self._unused: dict[str, deque[RecordedExchange]] = {}
        for each in exchanges:
            self._unused.setdefault(_make_key(each.path, each.request), deque()).append(each)
        self._complaints: list[str] = []
        self._lock = Lock()

    def answer_request(self, request: ClientRequest) -> ClientResponse:
        """Return the recorded answer to the same request."""
        body = redact_value(request.json)
        with self._lock:
            queue = self._unused.get(_make_key(redact_text(request.path), body))
            is_readable = request.format is None or not request.note
            exchange = queue.popleft() if queue and is_readable else None
            sentence = ""
            if not is_readable:
                sentence = f"request {request.number} cannot be found in {self._name}: {request.fault}"
            elif exchange is None:
                sentence = self._describe_unknown(request, body, is_spent=queue is not None)
            elif exchange.status is None or exchange.reply is None:
                position = f"{self._name}:{exchange.line}"
                sentence = f"request {request.number} has no recorded answer in {position}; record the run again"
            if sentence:
                self._complaints.append(sentence)
        if exchange is None or sentence:
            return write_error(request, ScriptedError(400, sentence))
        return write_whole(request, exchange.status or 200, exchange.reply)

    def _describe_unknown(self, request: ClientRequest, body: Json, *, is_spent: bool) -> str:
        if is_spent:
            cure = "if the program should send it again, record the run again"
            return f"request {request.number} was sent more often than recorded in {self._name}; {cure}"
        path = redact_text(request.path)
        same = [each for each in self._exchanges if _describe_position(each.path) == _describe_position(path)]
        index = find_nearest(_select_sent(body), [_select_sent(each.request) for each in same])
        sentence = f"request {request.number} is not in {self._name}"
        if index is None:
            return f"{sentence}, which has no request to `{path}`; record the run again"
        near = same[index]
        clause = describe_first_difference(_select_sent(near.request), _select_sent(body))
        return f"{sentence}; the most similar one is in line {near.line}: {clause}"

    def list_failures(self) -> list[str]:
        """Return the requests that could not be answered."""
        return list(self._complaints)

    def list_unused(self) -> list[str]:
        """Return the recorded requests that were not repeated."""
        lines = sorted(each.line for waiting in self._unused.values() for each in waiting)
        if not lines:
            return []
        many = "1 request was" if len(lines) == 1 else f"{len(lines)} requests were"
        return [f"{many} not sent again; the first is in line {lines[0]} of {self._name}"]

    def list_notes(self) -> list[str]:
        """Return nothing."""
        return []


def _describe_position(path: str) -> str:
    return path.replace(":streamGenerateContent", ":generateContent")


def _select_sent(body: Json) -> Json:
    """Return the part of a request that a model sees."""
    return {key: value for key, value in body.items() if key not in _BESIDE} if isinstance(body, dict) else body


def _make_key(path: str, body: Json) -> str:
    return f"{_describe_position(path)} {json.dumps(_select_sent(body), sort_keys=True)}"


def load_replay(path: Path | str) -> ReplayedAnswers:
    """Load the answers of a recording.

    Raises:
        RecorderError: The file cannot be read, or is not a recording of this program.
    """
    try:
        with open(path, "rb") as stream:
            plain = GzipFile(fileobj=stream) if stream.peek(2)[:2] == _GZIP else stream
            exchanges = [
                _read_exchange(line, number, str(path))
                for number, line in _read_lines(plain, str(path))
                if line.strip()
            ]
    except (BadGzipFile, EOFError, zlib.error):
        raise RecorderError(f"{path}: the compressed file is incomplete; copy it again") from None
    except OSError as reason:
        raise RecorderError(f"{path}: {(reason.strerror or 'it cannot be read').lower()}") from None
    if not exchanges:
        raise RecorderError(f"{path}: there is no request in it; record a run first")
    return ReplayedAnswers(str(path), exchanges)


def _read_lines(plain: BinaryIO | GzipFile, name: str) -> Iterator[tuple[int, bytes]]:
    """Yield the lines with their numbers, within a limit of memory."""
    n_bytes = 0
    for number, line in enumerate(iter(lambda: plain.readline(MOST_LINE_BYTES + 1), b""), 1):
        if len(line) > MOST_LINE_BYTES:
            raise RecorderError(f"{name}:{number}: the line has more than {MOST_LINE_BYTES / 1e6:g} MB; remove it")
        n_bytes += len(line)
        if n_bytes > MOST_BYTES:
            cure = "remove some of them, or record a shorter run"
            raise RecorderError(
                f"{name}:{number}: the lines up to here have more than {MOST_BYTES / 1e6:g} MB in total; {cure}"
            )
        yield number, line


def _read_exchange(line: bytes, number: int, name: str) -> RecordedExchange:
    try:
        value: Json = json.loads(line)
    except (ValueError, RecursionError):
        raise RecorderError(f"{name}:{number}: not JSON; the file is damaged, record the run again") from None
    if not isinstance(value, dict) or "acdl_record" not in value:
        raise RecorderError(
            f"{name}:{number}: not a line written by `acdl record`; only its recordings can be replayed"
        )
    if value["acdl_record"] != VERSION:
        raise RecorderError(f"{name}:{number}: written by another version of `acdl record`; record the run again")
    status = value.get("status")
    request = value["request"] if "request" in value else value.get("sent")
    reply = value["reply"] if "reply" in value else value.get("got")
    return RecordedExchange(
        number, str(value.get("path", "")), request, status if isinstance(status, int) else None, reply
    )

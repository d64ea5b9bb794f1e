"""The content of a file of a recorded run: the requests, and the tool calls in them."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import TypeAlias

from acdl_mkdocs.evaluation.values import Time, shorten_text
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Call, Json, Prompt
from acdl_mkdocs.prompts.providers.results import Problem


@dataclass(frozen=True, slots=True)
class CallKey:
    """A call without its id: equal for equal calls."""

    tool: str
    args: str
    number: int = 0
    """Number among equal calls of one message."""

    def __str__(self) -> str:
        """Return the call as in messages: `temp(town="Oslo")`."""
        return f"{self.tool}({shorten_text(self.args)})"


def list_call_keys(calls: Iterable[Call]) -> list[CallKey]:
    """Return the keys of the calls of one message."""
    call_keys: list[CallKey] = []
    counts: dict[tuple[str, str], int] = {}
    for call in calls:
        key = call.tool, ", ".join(f"{name}={_format_json(value)}" for name, value in sorted(call.args.items()))
        counts[key] = counts.get(key, -1) + 1
        call_keys.append(CallKey(*key, counts[key]))
    return call_keys


def _format_json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Origin:
    """The position of something in a recording."""

    file: str
    """Name of the file for messages: usually its path."""
    line: int | None = None
    """From 1, in files with a value on each line, and in documents if it is known."""
    inside: str = ""
    """The part of the line or document: `entry 3`, `span 00f067aa0ba902b7`, `request.body`."""

    def __str__(self) -> str:
        """Return the position as in messages: `run.jsonl:3, request.body`."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}, {self.inside}" if self.inside else place


@dataclass(frozen=True, slots=True)
class Incomplete:
    """Content of requests that a recording does not have."""

    source: str
    """The source of the requests: `a Claude Code session`."""
    missing: str
    """The missing content: `instructions and tools`."""
    has_instructions: bool = True
    """Whether instructions that were sent before the messages are recorded."""
    is_rebuilt: bool = True
    """Whether each request was put together from what precedes an answer."""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """A summary of a model's answer, for comparison with later requests."""

    text: str
    """Its words with single blanks."""
    call_keys: tuple[CallKey, ...] = ()
    """The keys of its calls of tools."""
    beginning: str = ""
    """Words that the request already contained as the beginning of the answer."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request that was sent to a model. Keys and passwords are removed from it."""

    request: Prompt
    format: str
    """Key in `WIRES`, or `otel` for the form of a trace."""
    origin: Origin
    at: Time | None = None
    """The point that it belongs to, from the file, a manifest or `assign_points()`."""
    episode: str | None = None
    """Name of the run that it belongs to: of a session or conversation, or as found by `group_requests()`."""
    model: str | None = None
    reply: Json = None
    """The recorded reply."""
    status: int | None = None
    """Of the answer, if it came over HTTP."""
    problems: tuple[Problem, ...] = ()
    """Problems of the request in its format; paths are those of its body."""
    incomplete: Incomplete | None = None
    """The content known to be missing, if the recording does not have the request itself."""
    request_id: str = ""
    """Id of the request, where records about it may be in several files."""
    answer: RecordedAnswer | None = None
    """A summary of the reply, if `reply` is no longer kept."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something in a file that is not a request."""

    origin: Origin
    reason: str
    """A description that many can share: `not JSON`, `a model reply`."""
    detail: str = ""
    """Details about this one only."""
    cure: str = ""
    is_damaged: bool = False
    """Whether a request may be lost; otherwise it is something that belongs beside the requests."""
    request: Recorded | None = None
    """The request whose messages are missing, if it is known: another file may have them."""


Found: TypeAlias = Recorded | Skipped


@dataclass(slots=True)
class _SkippedKind:
    """All that was skipped for a reason."""

    first: Skipped
    n_found: int = 0


@dataclass(slots=True)
class _IncompleteKind:
    """The requests with the same missing content."""

    first: Origin
    n_found: int = 0


@dataclass(slots=True)
class Tally:
    """Counts the content of a run while its requests are passed on."""

    n_requests: int = 0
    n_with_problems: int = 0
    """Requests that do not follow their format."""
    skipped: dict[tuple[bool, str], _SkippedKind] = field(default_factory=dict)
    incomplete: dict[Incomplete, _IncompleteKind] = field(default_factory=dict)
    """Incompletely recorded requests."""

    @property
    def n_damaged(self) -> int:
        """How many requests may be lost."""
        return sum(kind.n_found for (is_damaged, _), kind in self.skipped.items() if is_damaged)

    @property
    def n_skipped(self) -> int:
        """How many values were not requests."""
        return sum(kind.n_found for kind in self.skipped.values())

    def count_requests(self, items: Iterable[Found]) -> Iterator[Recorded]:
        """Yield the requests alone, one at a time, and count everything."""
        for each in items:
            if isinstance(each, Skipped):
                self.skipped.setdefault((each.is_damaged, each.reason), _SkippedKind(each)).n_found += 1
                continue
            self.n_requests += 1
            self.n_with_problems += any(not problem.is_advice for problem in each.problems)
            if each.incomplete is not None:
                self.incomplete.setdefault(each.incomplete, _IncompleteKind(each.origin)).n_found += 1
            yield each

    def describe_skipped(self) -> tuple[str, ...]:
        """Describe each kind of skipped values in a sentence, possible requests first."""
        kinds = sorted(self.skipped.items(), key=lambda item: (not item[0][0], item[0][1]))
        return tuple(_describe_skipped(kind) for _, kind in kinds)

    def describe_incomplete(self) -> tuple[str, ...]:
        """Describe each kind of incomplete requests in a sentence."""
        return tuple(_describe_incomplete(what, part) for what, part in self.incomplete.items())


def _describe_incomplete(what: Incomplete, part: _IncompleteKind) -> str:
    requests = "one request is" if part.n_found == 1 else f"{part.n_found:,} requests are"
    how = f"{requests} rebuilt from {what.source}" if what.is_rebuilt else f"{requests} from {what.source}"
    return f"{part.first.file}: {how}, which does not record {what.missing}"


def _describe_skipped(kind: _SkippedKind) -> str:
    first = kind.first
    detail = f": {first.detail}" if first.detail else ""
    times = "" if kind.n_found == 1 else f", and {kind.n_found - 1} more"
    cure = f"; {first.cure}" if first.cure else ""
    what = f"cannot be read: {first.reason}" if first.is_damaged else f"skipped: {first.reason}"
    return f"{first.origin}: {what}{detail}{times}{cure}"

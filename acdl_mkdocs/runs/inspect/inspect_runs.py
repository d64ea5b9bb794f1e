"""`inspect_found()`: recorded requests as an `Inspection`, in order of their runs and steps."""

from collections import Counter as Counts
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise

from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Call, Json, Opaque, Part
from acdl_mkdocs.prompts.providers.write_body import OWN_CALL_KEYS
from acdl_mkdocs.prompts.tokens.counter import Counter, counter
from acdl_mkdocs.runs.check_files import describe_no_request
from acdl_mkdocs.runs.episodes import MOST_OPEN, Trails, grouped
from acdl_mkdocs.runs.inspect.inspection import (
    Change,
    Inspection,
    Repeat,
    Run,
    Step,
    ToolUse,
    Usage,
    WeighedMessage,
    WeighedTool,
)
from acdl_mkdocs.runs.inspect.prefix import Kept, Sent, find_prefix
from acdl_mkdocs.runs.inspect.weigh_messages import Limits, Weigher, plain
from acdl_mkdocs.runs.match.units import reply_of
from acdl_mkdocs.runs.points import Manifest, assigned, with_manifest
from acdl_mkdocs.runs.read.recorded import Found, Recorded, Tally
from acdl_mkdocs.runs.requests import chosen, with_earlier


def read_usage(reply: Json) -> Usage | None:
    """Read the usage of a reply; `None` if it has none."""
    if not isinstance(reply, dict):
        return None
    usage = next((found for key in ("usage", "usageMetadata") if isinstance(found := reply.get(key), dict)), None)
    if usage is None:
        return None
    n_output = _number(usage, "completion_tokens", "output_tokens", "candidatesTokenCount")
    n_fresh = _number(usage, "prompt_tokens", "input_tokens", "promptTokenCount")
    details = next((d for key in _DETAILS if isinstance(d := usage.get(key), dict)), {})
    n_cached = _number(details, "cached_tokens")
    if n_cached is None:
        n_cached = _number(usage, "cachedContentTokenCount", "prompt_cache_hit_tokens")
    n_read, n_written = _number(usage, "cache_read_input_tokens"), _number(usage, "cache_creation_input_tokens")
    if n_read is not None or n_written is not None:  # Anthropic counts them apart from `input_tokens`
        n_fresh, n_cached = (n_fresh or 0) + (n_read or 0) + (n_written or 0), n_read or 0
    return None if n_fresh is None else Usage(n_fresh, n_cached, n_output)


_DETAILS = ("prompt_tokens_details", "input_tokens_details")


def _number(values: dict[str, Json], *keys: str) -> int | None:
    for key in keys:
        value = values.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None


_MOST_REPEATS = 20
"""Repeated texts that are listed of one request, those that cost most."""


@dataclass(frozen=True, slots=True)
class InspectOptions:
    """Options of an inspection."""

    counter: Counter | None = None
    """Counts model tokens; the default counter for `None`."""
    limits: Limits = Limits()
    """How much of the contents is kept."""
    manifest: Manifest | None = None
    """Points and runs of the requests."""
    first: Time | None = None
    """Point of the first request of each run; without it, points are counted from the messages."""
    only: Mapping[str, str] | None = None
    """Selections of requests, by the keys of `requests.KEYS`; all requests by default."""
    report: Callable[[int], None] | None = None
    """Called with the number of requests so far, each time one has been inspected."""


@system.relaxed()
def inspect_found(found: Iterable[Found], files: Sequence[str], options: InspectOptions | None = None) -> Inspection:
    """Inspect requests that are read already.

    Raises:
        TraceError: There is no request.
    """
    options = options or InspectOptions()
    counting, tally = options.counter or counter(), Tally()
    weigher, runs = Weigher(counting, options.limits), dict[str, _Run]()
    opened: dict[str, _Run] = {}
    requests: Iterable[Recorded] = tally.requests(with_earlier(found))
    if options.manifest is not None:
        requests = with_manifest(requests, options.manifest)
    if options.only:
        requests = chosen(requests, options.only)
    trails = Trails()
    for number, each in enumerate(assigned(grouped(requests, trails), options.first, trails), 1):
        name = each.episode or ""
        run = runs.setdefault(name, _Run(name, weigher))
        run.add(each)
        opened.pop(name, None)
        opened[name] = run
        if len(opened) > MOST_OPEN:
            opened.pop(next(iter(opened))).close()
        if options.report is not None:
            options.report(number)
    if not runs:
        raise TraceError(describe_no_request(files, tally))
    done = tuple(each.done() for each in runs.values())
    return Inspection(tuple(files), done, tally, counting.encoding, counting.is_estimate, weigher.is_cut, tally.told())


class _Run:
    """One run while its requests come."""

    def __init__(self, name: str, weigher: Weigher) -> None:
        self._name, self._weigher = name, weigher
        self._last: Sent | None = None
        self._steps: list[Step] = []
        self._tools: dict[str, WeighedTool] = {}
        self._n_defined, self._n_called = Counts[str](), Counts[str]()
        self._own = set[str]()
        """Tools that the provider runs or defines."""
        self._answer: Counts[str] = Counts()
        """Calls of the last reply, which the next request repeats."""

    def add(self, recorded: Recorded) -> None:
        """Add the next request."""
        last, request = self._last, recorded.request
        messages = plain(request.messages, last.plain if last else ())
        weighed = self._weigher.messages(messages, last.plain if last else (), last.messages if last else ())
        tools = self._weigher.tools(request.tools, last.tools if last else ())
        sent = Sent(recorded.model, recorded.format, _settings(recorded), tools, messages, weighed)
        self._steps.append(self._step(recorded, sent, last))
        self._note_tools(sent, recorded)
        self._last = sent

    def close(self) -> None:
        """Forget the last request: after a long rest, the next one is compared with nothing."""
        self._last = None

    def done(self) -> Run:
        """Return the finished run."""
        called = self._n_called + self._answer
        names = [*self._tools, *(name for name in called if name not in self._tools)]
        return Run(self._name, tuple(self._steps), tuple(self._use(name, called[name]) for name in names))

    def _use(self, name: str, n_calls: int) -> ToolUse:
        tool = self._tools.get(name)
        n_tokens = tool.n_tokens if tool else 0
        is_own = name in self._own and tool is None
        return ToolUse(name, n_tokens, self._n_defined[name], n_calls, tool.tool if tool else None, is_own)

    def _step(self, recorded: Recorded, sent: Sent, last: Sent | None) -> Step:
        usage = read_usage(recorded.reply)
        repeats = tuple(self._repeats(sent.messages))
        if self._steps and self._steps[-1].repeats == repeats:
            repeats = self._steps[-1].repeats
        kept = _first(sent) if last is None else find_prefix(last, sent, self._weigher)
        n_before = self._steps[-1].n_tokens if last is not None else 0
        return Step(
            origin=recorded.origin,
            at=recorded.at,
            format=recorded.format,
            model=recorded.model,
            tools=sent.tools,
            messages=sent.messages,
            changes=kept.changes,
            n_prefix=kept.n_prefix,
            n_again=kept.n_again,
            n_new=kept.n_new,
            n_gone=max(0, n_before - kept.n_prefix - kept.n_again),
            end=kept.end,
            others=kept.others,
            dropped=kept.dropped,
            repeats=repeats,
            settings_changed=kept.settings,
            usage=usage,
        )

    def _repeats(self, messages: Sequence[WeighedMessage]) -> Iterator[Repeat]:
        """Yield long paragraphs that occur several times; neighbouring ones that repeat together form one text."""
        places: dict[bytes, list[int]] = {}
        for number, message in enumerate(messages):
            for key, _, _ in message.blocks:
                places.setdefault(key, []).append(number)
        together: dict[tuple[int, ...], tuple[int, str]] = {}
        known = {key: (n_tokens, text) for message in messages for key, n_tokens, text in message.blocks}
        for key, numbers in places.items():
            if len(numbers) > 1:
                n_tokens, text = together.get(tuple(numbers), (0, known[key][1]))
                together[tuple(numbers)] = (n_tokens + known[key][0], text)
        found = [Repeat(numbers, n_tokens, text) for numbers, (n_tokens, text) in together.items()]
        yield from sorted(found, key=lambda each: -each.n_wasted)[:_MOST_REPEATS]

    def _note_tools(self, sent: Sent, recorded: Recorded) -> None:
        for tool in sent.tools:
            self._tools[tool.tool.name] = tool
            self._n_defined[tool.tool.name] += 1
        fresh = self._steps[-1].changes
        parts = (part for at, each in enumerate(sent.plain) if fresh[at] == "new" for part in each.parts)
        said = list(parts)
        self._n_called.update(part.tool for part in said if isinstance(part, Call))
        answers = [part for message in reply_of(recorded) for part in message.parts]
        self._own |= {*_own_tools(said), *_own_tools(answers)}
        self._answer = Counts(part.tool for part in answers if isinstance(part, Call))


def _own_tools(parts: Sequence[Part]) -> Iterator[str]:
    """Yield the names of tools with calls in a form of one provider, which runs or defines them itself."""
    for call, beside in pairwise(parts):
        if isinstance(call, Call) and isinstance(beside, Opaque) and beside.place == "more":
            said = beside.json if isinstance(beside.json, dict) else {}
            if said.keys() & OWN_CALL_KEYS:
                yield call.tool


def _first(sent: Sent) -> Kept:
    """Return the first request of a run, of which everything is new."""
    n_all = sum(each.n_tokens for each in sent.tools) + sum(each.n_tokens for each in sent.messages)
    changes: tuple[Change, ...] = tuple("new" for _ in sent.messages)
    return Kept(changes, 0, 0, n_all)


def _settings(recorded: Recorded) -> dict[str, Json]:
    return dict(
        chain.from_iterable(each.json.items() for each in recorded.request.settings if isinstance(each.json, dict))
    )

"""`inspect_requests()`: recorded requests as an `Inspection`, in order of their runs and steps."""

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
from acdl_mkdocs.runs.episodes import MOST_OPEN, Trails, group_requests
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
from acdl_mkdocs.runs.inspect.prefix import ComparedRequest, KeptPrefix, find_prefix
from acdl_mkdocs.runs.inspect.weigh_messages import Limits, Weigher, remove_marks
from acdl_mkdocs.runs.match.units import read_reply
from acdl_mkdocs.runs.points import Manifest, apply_manifest, assign_points
from acdl_mkdocs.runs.read.recorded import Found, Recorded, Tally
from acdl_mkdocs.runs.requests import add_earlier_messages, select_requests


def read_usage(reply: Json) -> Usage | None:
    """Read the usage of a reply; `None` if it has none."""
    if not isinstance(reply, dict):
        return None
    usage = next((value for key in ("usage", "usageMetadata") if isinstance(value := reply.get(key), dict)), None)
    if usage is None:
        return None
    n_output = _read_number(usage, "completion_tokens", "output_tokens", "candidatesTokenCount")
    n_fresh = _read_number(usage, "prompt_tokens", "input_tokens", "promptTokenCount")
    details = next((d for key in _DETAILS if isinstance(d := usage.get(key), dict)), {})
    n_cached = _read_number(details, "cached_tokens")
    if n_cached is None:
        n_cached = _read_number(usage, "cachedContentTokenCount", "prompt_cache_hit_tokens")
    n_read, n_written = (
        _read_number(usage, "cache_read_input_tokens"),
        _read_number(usage, "cache_creation_input_tokens"),
    )
    if n_read is not None or n_written is not None:  # Anthropic counts them apart from `input_tokens`
        n_fresh, n_cached = (n_fresh or 0) + (n_read or 0) + (n_written or 0), n_read or 0
    return None if n_fresh is None else Usage(n_fresh, n_cached, n_output)


_DETAILS = ("prompt_tokens_details", "input_tokens_details")


def _read_number(values: dict[str, Json], *keys: str) -> int | None:
    for key in keys:
        value = values.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None


_MOST_REPEATS = 20
"""Maximum number of listed repeated texts of one request, those that cost most."""


@dataclass(frozen=True, slots=True)
class InspectOptions:
    """Options of an inspection."""

    counter: Counter | None = None
    """Counts model tokens; the default counter for `None`."""
    limits: Limits = Limits()
    """Limits of the kept contents."""
    manifest: Manifest | None = None
    """Points and runs of the requests."""
    first: Time | None = None
    """Point of the first request of each run; without it, points are counted from the messages."""
    only: Mapping[str, str] | None = None
    """Selections of requests, by the keys of `requests.KEYS`; all requests by default."""
    report: Callable[[int], None] | None = None
    """Called with the number of requests so far, each time one has been inspected."""


@system.relax_collector()
def inspect_requests(items: Iterable[Found], files: Sequence[str], options: InspectOptions | None = None) -> Inspection:
    """Inspect requests that are read already.

    Raises:
        TraceError: There is no request.
    """
    options = options or InspectOptions()
    counting, tally = options.counter or counter(), Tally()
    weigher, runs = Weigher(counting, options.limits), dict[str, _RunInspector]()
    opened: dict[str, _RunInspector] = {}
    requests: Iterable[Recorded] = tally.count_requests(add_earlier_messages(items))
    if options.manifest is not None:
        requests = apply_manifest(requests, options.manifest)
    if options.only:
        requests = select_requests(requests, options.only)
    trails = Trails()
    for number, each in enumerate(assign_points(group_requests(requests, trails), options.first, trails), 1):
        name = each.episode or ""
        run = runs.setdefault(name, _RunInspector(name, weigher))
        run.add_request(each)
        opened.pop(name, None)
        opened[name] = run
        if len(opened) > MOST_OPEN:
            opened.pop(next(iter(opened))).close_run()
        if options.report is not None:
            options.report(number)
    if not runs:
        raise TraceError(describe_no_request(files, tally))
    done = tuple(each.build_run() for each in runs.values())
    return Inspection(
        tuple(files), done, tally, counting.encoding, counting.is_estimate, weigher.is_cut, tally.describe_skipped()
    )


class _RunInspector:
    """Collects the requests of one run."""

    def __init__(self, name: str, weigher: Weigher) -> None:
        self._name, self._weigher = name, weigher
        self._last: ComparedRequest | None = None
        self._steps: list[Step] = []
        self._tools: dict[str, WeighedTool] = {}
        self._n_defined, self._n_called = Counts[str](), Counts[str]()
        self._own = set[str]()
        """Tools that the provider runs or defines."""
        self._answer: Counts[str] = Counts()
        """Calls of the last reply, which the next request repeats."""

    def add_request(self, recorded: Recorded) -> None:
        """Add the next request."""
        last, request = self._last, recorded.request
        messages = remove_marks(request.messages, last.plain if last else ())
        weighed = self._weigher.weigh_messages(messages, last.plain if last else (), last.messages if last else ())
        tools = self._weigher.weigh_tools(request.tools, last.tools if last else ())
        sent = ComparedRequest(recorded.model, recorded.format, _read_settings(recorded), tools, messages, weighed)
        self._steps.append(self._make_step(recorded, sent, last))
        self._note_tools(sent, recorded)
        self._last = sent

    def close_run(self) -> None:
        """Forget the last request: after a long pause, the next one is compared with nothing."""
        self._last = None

    def build_run(self) -> Run:
        """Return the finished run."""
        called = self._n_called + self._answer
        names = [*self._tools, *(name for name in called if name not in self._tools)]
        return Run(self._name, tuple(self._steps), tuple(self._make_tool_use(name, called[name]) for name in names))

    def _make_tool_use(self, name: str, n_calls: int) -> ToolUse:
        tool = self._tools.get(name)
        n_tokens = tool.n_tokens if tool else 0
        is_own = name in self._own and tool is None
        return ToolUse(name, n_tokens, self._n_defined[name], n_calls, tool.tool if tool else None, is_own)

    def _make_step(self, recorded: Recorded, sent: ComparedRequest, last: ComparedRequest | None) -> Step:
        usage = read_usage(recorded.reply)
        repeats = tuple(self._find_repeats(sent.messages))
        if self._steps and self._steps[-1].repeats == repeats:
            repeats = self._steps[-1].repeats
        prefix = _make_first_prefix(sent) if last is None else find_prefix(last, sent, self._weigher)
        n_before = self._steps[-1].n_tokens if last is not None else 0
        return Step(
            origin=recorded.origin,
            at=recorded.at,
            format=recorded.format,
            model=recorded.model,
            tools=sent.tools,
            messages=sent.messages,
            changes=prefix.changes,
            n_prefix=prefix.n_prefix,
            n_again=prefix.n_again,
            n_new=prefix.n_new,
            n_gone=max(0, n_before - prefix.n_prefix - prefix.n_again),
            end=prefix.end,
            others=prefix.others,
            dropped=prefix.dropped,
            repeats=repeats,
            settings_changed=prefix.settings,
            usage=usage,
        )

    def _find_repeats(self, messages: Sequence[WeighedMessage]) -> Iterator[Repeat]:
        """Yield long paragraphs that occur several times; neighbouring ones that repeat together form one text."""
        places: dict[bytes, list[int]] = {}
        for number, message in enumerate(messages):
            for key, _, _ in message.blocks:
                places.setdefault(key, []).append(number)
        together: dict[tuple[int, ...], tuple[int, str]] = {}
        paragraphs = {key: (n_tokens, text) for message in messages for key, n_tokens, text in message.blocks}
        for key, numbers in places.items():
            if len(numbers) > 1:
                n_tokens, text = together.get(tuple(numbers), (0, paragraphs[key][1]))
                together[tuple(numbers)] = (n_tokens + paragraphs[key][0], text)
        repeats = [Repeat(numbers, n_tokens, text) for numbers, (n_tokens, text) in together.items()]
        yield from sorted(repeats, key=lambda each: -each.n_wasted)[:_MOST_REPEATS]

    def _note_tools(self, sent: ComparedRequest, recorded: Recorded) -> None:
        for tool in sent.tools:
            self._tools[tool.tool.name] = tool
            self._n_defined[tool.tool.name] += 1
        fresh = self._steps[-1].changes
        parts = (part for at, each in enumerate(sent.plain) if fresh[at] == "new" for part in each.parts)
        sent_parts = list(parts)
        self._n_called.update(part.tool for part in sent_parts if isinstance(part, Call))
        answers = [part for message in read_reply(recorded) for part in message.parts]
        self._own |= {*_list_provider_tools(sent_parts), *_list_provider_tools(answers)}
        self._answer = Counts(part.tool for part in answers if isinstance(part, Call))


def _list_provider_tools(parts: Sequence[Part]) -> Iterator[str]:
    """Yield the names of tools with calls in a form of one provider, which runs or defines them itself."""
    for call, beside in pairwise(parts):
        if isinstance(call, Call) and isinstance(beside, Opaque) and beside.place == "more":
            fields = beside.json if isinstance(beside.json, dict) else {}
            if fields.keys() & OWN_CALL_KEYS:
                yield call.tool


def _make_first_prefix(sent: ComparedRequest) -> KeptPrefix:
    """Return the first request of a run, of which everything is new."""
    n_all = sum(each.n_tokens for each in sent.tools) + sum(each.n_tokens for each in sent.messages)
    changes: tuple[Change, ...] = tuple("new" for _ in sent.messages)
    return KeptPrefix(changes, 0, 0, n_all)


def _read_settings(recorded: Recorded) -> dict[str, Json]:
    return dict(
        chain.from_iterable(each.json.items() for each in recorded.request.settings if isinstance(each.json, dict))
    )

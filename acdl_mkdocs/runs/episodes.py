"""Grouping of recorded requests into runs of an agent, what they share, and where one does not extend another."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import pairwise

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Call,
    Json,
    Message,
    Opaque,
    Output,
    Part,
    Prompt,
    Role,
    Text,
    Thinking,
)
from acdl_mkdocs.runs.match.units import Unit, list_units, order_by_calls, read_reply, summarize_answer
from acdl_mkdocs.runs.read.recorded import Recorded

MOST_OPEN = 256
"""Runs open at the same time; beyond this number, the one that was inactive longest is closed."""
_LEAST_SHARED = 20
"""Minimum length of a common beginning of two texts that is not a coincidence."""


@dataclass(frozen=True, slots=True)
class Trail:
    """The content of a request, short enough to be kept."""

    keys: tuple[int, ...]
    """A number for the content of each message; ids of calls, thoughts and keys of providers do not matter."""
    roles: tuple[Role, ...]
    are_notes: tuple[bool, ...]
    """Whether a message consists only of attachments or text in tags, as programs add them."""
    are_asking: tuple[bool, ...]
    """Whether a message has calls of tools."""
    last_text: str = ""
    """Of the last message, if it is only text."""
    ids: Mapping[str, int] = field(default_factory=dict)
    """The ids of all calls of tools, each with the number of its message."""
    reply: frozenset[int | str] = frozenset()
    """Evidence of its answer in a later request: a key, or the ids of calls."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """The way in which a request continues an earlier one."""

    shared: int
    """Number of consecutive messages that both have, up to the last of the earlier one."""
    start: int
    """Start of the new messages in the later one."""
    end: int
    """Their end: before the beginning of an answer that is requested each time."""
    is_grown: bool = False
    """Whether the last message of the earlier one has become longer."""


@dataclass(frozen=True, slots=True)
class _Traits:
    """The properties of one message in a trail."""

    message: Message
    key: int
    is_note: bool
    is_asking: bool
    ids: tuple[str, ...]


@dataclass(slots=True)
class Trails:
    """Makes trails; a message that several requests have is looked at once."""

    traits: dict[int, _Traits] = field(default_factory=dict)
    """Of the messages of the last request, by their identities."""
    last: tuple[Prompt, Json, Trail] | None = None
    """The last request, its answer and its trail."""

    def trace_request(self, recorded: Recorded) -> Trail:
        """Return the trail of a request; with instructions only if it has nothing else."""
        prompt, reply = recorded.request, recorded.reply
        if self.last is not None and self.last[0] is prompt and self.last[1] is reply:
            return self.last[2]
        spoken = [each for each in prompt.messages if each.role != "system"] or list(prompt.messages)
        messages = order_by_calls(spoken)
        traits = [self.traits.get(id(each)) or _find_traits(each) for each in messages]
        self.traits = {id(each.message): each for each in traits}
        last = messages[-1].parts if messages else ()
        trail = Trail(
            tuple(each.key for each in traits),
            tuple(each.role for each in messages),
            tuple(each.is_note for each in traits),
            tuple(each.is_asking for each in traits),
            "".join(part.text for part in last if isinstance(part, Text)) if all(map(_is_text, last)) else "",
            {name: at for at, each in enumerate(traits) for name in each.ids},
            _find_reply_keys(read_reply(recorded)),
        )
        self.last = prompt, reply, trail
        return trail


def _find_traits(message: Message) -> _Traits:
    calls = _list_calls(message)
    ids = tuple(call.id for call in calls if call.id)
    return _Traits(message, _hash_message(message), _is_note(message), bool(calls), ids)


def _find_reply_keys(reply: Sequence[Message]) -> frozenset[int | str]:
    """Return the evidence of an answer in later requests: the ids of its calls, or else a text long enough for that."""
    ids = {call.id for each in reply for call in _list_calls(each) if call.id}
    return frozenset(ids or (_hash_message(each) for each in reply if len(_get_text(each)) >= _LEAST_SHARED))


def _list_calls(message: Message) -> list[Call]:
    return [part for part in message.parts if isinstance(part, Call)]


def _get_text(message: Message) -> str:
    return "".join(part.text for part in message.parts if isinstance(part, Text))


def _is_text(part: Part) -> bool:
    return isinstance(part, Text)


def _is_note(message: Message) -> bool:
    text = _get_text(message).strip()
    return (text.startswith("<") and text.endswith(">")) if text else bool(message.parts)


def _hash_message(message: Message) -> int:
    contents = (_get_content(part) for part in message.parts if not isinstance(part, (Opaque, Thinking)))
    return hash((message.role, tuple(contents)))


def _get_content(part: Part) -> object:
    match part:
        case Text(text):
            return text
        case Call(tool, args):
            return tool, json.dumps(dict(args), sort_keys=True)
        case Output(parts):
            return tuple(_get_content(each) for each in parts)
        case Attachment():
            return part.type, part.data or part.text or part.href
        case _:
            return None


def find_continuation(earlier: Trail, later: Trail) -> Continuation | None:
    """Return how a request continues an earlier one; `None` if it does not."""
    old, new = earlier.keys, later.keys
    if not old or not new:
        return None
    if _has_prefill(earlier, later):
        old, new = old[:-1], new[:-1]
    if new[: len(old)] == old:
        return Continuation(len(old), len(old), len(new))
    inserted = _match_inserted(earlier, later, old, new)
    if inserted is not None:
        return inserted
    continuation = _find_longest_match(old, new)
    if continuation is not None and continuation.shared > 1 and not _is_of_other_calls(continuation, earlier, later):
        return continuation
    if continuation is not None and _is_significant(continuation, old, new):
        return continuation
    return _match_altered(earlier, later, old, new) or _match_reply(earlier, later)


def _match_inserted(earlier: Trail, later: Trail, old: Sequence[int], new: Sequence[int]) -> Continuation | None:
    """Return how a request continues one that ends with the same messages, as reminders and hints that come last do.

    The last message may say something else each time, if it begins as before.
    """
    n_same = _count_same(old, new)
    end = len(new) - (len(old) - n_same)
    is_last = n_same == len(old) - 1 and earlier.roles[n_same] == later.roles[-1] != "assistant"
    is_kept = new[end:] == old[n_same:] or (is_last and _begin_alike(earlier.last_text, later.last_text))
    is_between = 0 < n_same < end and is_kept and "assistant" in later.roles[n_same:end]
    return Continuation(n_same, n_same, end) if is_between else None


def _begin_alike(one: str, two: str) -> bool:
    return len(one) >= _LEAST_SHARED and one[:_LEAST_SHARED] == two[:_LEAST_SHARED]


def _count_same(old: Sequence[int], new: Sequence[int]) -> int:
    """Return how many messages both begin with."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (one, two) in pairs if one != two), min(len(old), len(new)))


def _match_altered(earlier: Trail, later: Trail, old: Sequence[int], new: Sequence[int]) -> Continuation | None:
    """Return how a request continues one whose last message has changed."""
    n_same = _count_same(old, new)
    if n_same < len(old) - 1:
        return None
    if len(new) == len(old) and _is_longer(earlier.last_text, later.last_text):
        return Continuation(n_same, len(new), len(new), is_grown=True)
    if len(new) > len(old) and n_same > 0:  # the last message was written differently for that one call
        return Continuation(n_same, len(old), len(new))
    return None


def _match_reply(earlier: Trail, later: Trail) -> Continuation | None:
    """Return how a request continues one whose answer it has, although it has dropped or changed earlier messages."""
    calls = [later.ids[each] for each in earlier.reply if isinstance(each, str) and each in later.ids]
    matching = [at for at, key in enumerate(later.keys) if key in earlier.reply]
    start = min(calls or matching, default=None)
    return None if start is None else Continuation(1, start, len(later.keys))


def _is_of_other_calls(continuation: Continuation, earlier: Trail, later: Trail) -> bool:
    """Return whether equal messages are a coincidence: another question precedes them, and all calls differ."""
    is_within = continuation.start > continuation.shared and earlier.keys[0] != later.keys[0]
    return is_within and bool(earlier.ids and later.ids) and earlier.ids.keys().isdisjoint(later.ids)


def _is_significant(continuation: Continuation, old: Sequence[int], new: Sequence[int]) -> bool:
    """Return whether one equal message is significant: a short one may be a coincidence."""
    is_window = continuation.start == 1 < continuation.end
    return len(old) == 1 or is_window or old[0] == new[0]


def _has_prefill(earlier: Trail, later: Trail) -> bool:
    """Return whether both end with the same beginning of an answer, which is not an exchanged message."""
    is_same = earlier.keys[-1] == later.keys[-1] and earlier.roles[-1] == "assistant"
    return is_same and len(later.keys) > len(earlier.keys) > 1


def _find_longest_match(old: Sequence[int], new: Sequence[int]) -> Continuation | None:
    """Return the longest row of messages in the later request that ends with the last message of the earlier one."""
    best: Continuation | None = None
    for end in range(len(new) - 1, -1, -1):
        if new[end] != old[-1]:
            continue
        most = min(len(old), end + 1)
        shared = next((n for n in range(1, most) if new[end - n] != old[-1 - n]), most)
        if best is None or shared > best.shared:
            best = Continuation(shared, end + 1, len(new))
        if best.shared >= min(len(old), end):  # no earlier place has room for a longer one
            break
    return best


def _is_longer(before: str, after: str) -> bool:
    return len(before) >= _LEAST_SHARED and len(after) > len(before) and after.startswith(before)


def group_requests(requests: Iterable[Recorded], trails: Trails | None = None) -> Iterator[Recorded]:
    """Yield the requests with names of runs: as recorded, else `run 1`, `run 2` and so on in their order.

    Parameters:
        requests: In their order.
        trails: Makes their trails; shared with `count_points()`, it makes each once.
    """
    trails = trails or Trails()
    opened: dict[str, Trail] = {}
    n_runs = 0
    for each in requests:
        trail = trails.trace_request(each)
        name = each.episode
        if name is None:
            name = _find_continued_run(opened, trail) or _find_resumed_run(opened, trail)
        if name is None:
            n_runs += 1
            name = f"run {n_runs}"
        if each.episode is None:
            opened.pop(name, None)
            opened[name] = trail
            if len(opened) > MOST_OPEN:
                del opened[next(iter(opened))]
        yield replace(each, episode=name)


def _find_continued_run(opened: dict[str, Trail], trail: Trail) -> str | None:
    """Return the run with which a request has most in common; of several, the latest.

    A run that it contains completely comes before one that it contains partly, however long: agents that run at the
        same time may make the same calls. A request with nothing new is a repeated call of the latest run.
    """
    best: tuple[bool, bool, int] = (False, False, 0)
    best_name: str | None = None
    latest = next(reversed(opened), None)
    keys = frozenset(trail.keys)
    for name, earlier in opened.items():
        if keys.isdisjoint(earlier.keys[-2:]) and not _may_continue(earlier, trail, keys):
            continue  # nothing that `find_continuation()` looks for
        continuation = find_continuation(earlier, trail)
        if continuation is None:
            continue
        is_new = name == latest or continuation.is_grown or continuation.start < continuation.end
        rank = (is_new, trail.keys[: len(earlier.keys)] == earlier.keys, continuation.shared)
        if rank >= best:
            best, best_name = rank, name
    return best_name


def _may_continue(earlier: Trail, later: Trail, keys: frozenset[int]) -> bool:
    """Return whether a request may continue one whose last messages it does not have."""
    is_answered = not earlier.reply.isdisjoint(keys) or not earlier.reply.isdisjoint(later.ids)
    return is_answered or _is_longer(earlier.last_text, later.last_text)


def _find_resumed_run(opened: dict[str, Trail], trail: Trail) -> str | None:
    """Return the latest run of which a request has everything except calls of tools and their results."""
    texts = _list_conversation(trail)
    for name, earlier in reversed(opened.items()):
        if earlier.keys[:1] != trail.keys[:1] or not any(earlier.are_asking):
            continue
        earlier_texts = _list_conversation(earlier)
        if (
            0 < len(earlier_texts) < len(texts)
            and texts[: len(earlier_texts)] == earlier_texts
            and trail.roles[len(earlier_texts)] == "assistant"
        ):
            return name
    return None


def _list_conversation(trail: Trail) -> list[int]:
    """Return the keys of messages without calls and results."""
    messages = zip(trail.keys, trail.roles, trail.are_asking, strict=True)
    return [key for key, role, is_asking in messages if role != "tool" and not is_asking]


def group_by_run(requests: Iterable[Recorded]) -> dict[str, tuple[Recorded, ...]]:
    """Return the runs by their names, each with its requests in their order."""
    runs: dict[str, list[Recorded]] = {}
    for each in group_requests(requests):
        runs.setdefault(each.episode or "", []).append(each)
    return {name: tuple(listed) for name, listed in runs.items()}


def share_messages(requests: Iterable[Recorded]) -> Iterator[Recorded]:
    """Yield the requests; messages equal to those of the request before become the same objects."""
    runs: dict[str, tuple[Message, ...]] = {}
    for each in requests:
        name = each.episode or ""
        before, messages = runs.pop(name, ()), each.request.messages
        n_same = next(
            (at for at, (one, two) in enumerate(zip(before, messages, strict=False)) if one is not two and one != two),
            min(len(before), len(messages)),
        )
        shared = (*before[:n_same], *messages[n_same:])
        runs[name] = shared
        if len(runs) > MOST_OPEN:
            del runs[next(iter(runs))]
        request = replace(each.request, messages=shared)
        yield replace(each, request=request, reply=None, answer=summarize_answer(each))


@dataclass(slots=True)
class GrowingUnits:
    """Makes the units of one request after the other; those of unchanged messages are reused."""

    messages: tuple[Message, ...] = ()
    units: list[Unit] = field(default_factory=list)

    def list_units(self, prompt: Prompt) -> list[Unit]:
        """Return the units of the next request, as from `list_units()`, with results in the order of their calls."""
        pairs = enumerate(zip(self.messages, prompt.messages, strict=False))
        n_same = next((at for at, (one, two) in pairs if one is not two), len(prompt.messages))
        n_same = min(n_same, len(self.messages))
        unchanged = [unit for unit in self.units if unit.message < n_same]
        self.messages, self.units = prompt.messages, [*unchanged, *list_units(prompt, n_same)]
        return order_by_calls(self.units)


@dataclass(frozen=True, slots=True)
class Cut:
    """Two requests of a run, the second of which does not extend the first."""

    run: int
    earlier: Recorded
    later: Recorded
    n_kept: int
    """Number of messages that both have in common from the beginning."""
    before: Unit
    """The first message of the earlier one that is not kept."""
    after: Unit | None
    """The unit there instead; `None` if the later request ends there."""


def find_cuts(runs: Sequence[Sequence[Recorded]]) -> Iterator[Cut]:
    """Yield the points at which the provider can no longer reuse earlier requests."""
    for run, requests in enumerate(runs):
        growing = GrowingUnits()
        units = ((each, growing.list_units(each.request)) for each in requests)
        for (earlier, before), (later, after) in pairwise(units):
            pairs = enumerate(zip(before, after, strict=False))
            n_kept = next((at for at, (one, two) in pairs if one is not two and one.content != two.content), None)
            if n_kept is None:
                n_kept = min(len(before), len(after))
            if n_kept < len(before):
                instead = after[n_kept] if n_kept < len(after) else None
                yield Cut(run, earlier, later, n_kept, before[n_kept], instead)

"""Content with one name in a spec that was sent differently, and replies that were not sent back."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import TypeAlias

from acdl_mkdocs.evaluation.transcript import Origin
from acdl_mkdocs.evaluation.values import shorten_text
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Text
from acdl_mkdocs.runs.match.match import MatchStep
from acdl_mkdocs.runs.match.pattern import ExpectedMessage, ExpectedPiece
from acdl_mkdocs.runs.match.units import Unit, index_calls, normalize_text, summarize_answer
from acdl_mkdocs.runs.read.recorded import CallKey, Recorded, RecordedAnswer, list_call_keys
from acdl_mkdocs.runs.read.recorded import Origin as RecordedOrigin

Name: TypeAlias = tuple[int | None, tuple[str, ...]]
"""The run, if it matters, and the names of the pieces of a message."""


@dataclass(frozen=True, slots=True)
class NamedMessage:
    """A message whose pieces all have names."""

    request_idx: int
    """Index of its request among all."""
    item: ExpectedMessage
    unit: Unit

    @property
    def content(self) -> tuple[object, ...]:
        """Equal for the same content, whatever the role."""
        _, *content = self.unit.content
        return tuple(content)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A message whose content differs from another one of the same name."""

    name: str
    expected: NamedMessage
    other: NamedMessage
    call_key: CallKey | None = None
    """The call of the result, if the message is one of several results."""


@dataclass(slots=True)
class Constancy:
    """Collects the content sent under each name."""

    named: dict[Name, list[NamedMessage]] = field(default_factory=dict)
    results: dict[tuple[Name, CallKey], list[NamedMessage]] = field(default_factory=dict)
    """The same of a piece that is the results of several calls: each by its call."""

    def add_request(self, request_idx: int, run: int, steps: Iterable[MatchStep]) -> None:
        """Add the messages of one request that agrees with the spec."""
        agreeing = [step for step in steps if step.kind == "agrees" and step.item is not None and step.unit is not None]
        split = Counter(step.item for step in agreeing)
        calls = index_calls(step.unit for step in agreeing if step.unit) if max(split.values(), default=0) > 1 else {}
        for step in agreeing:
            item, unit = step.item, step.unit
            if item is None or unit is None or item.is_loose or not step.is_certain:
                continue
            call_key = calls.get(id(unit)) if split[item] > 1 else None
            if split[item] > 1 and (call_key is None or len(item.pieces) > 1):
                continue
            keys = tuple(each.key for each in item.pieces if each.key is not None)
            if keys and len(keys) == len(item.pieces):
                scope = None if all(each.is_shared for each in item.pieces) else run
                seen = NamedMessage(request_idx, item, unit)
                if call_key is None:
                    self.named.setdefault((scope, keys), []).append(seen)
                else:
                    self.results.setdefault(((scope, keys), call_key), []).append(seen)

    def find_contradictions(self) -> Iterator[Contradiction]:
        """Yield content that differs between messages: the most frequent content, else the first, is the right one."""
        rests: dict[Name, list[NamedMessage]] = {}
        for (scope, keys), seen in self.named.items():
            different = list(_find_different(" ".join(keys), seen))
            yield from different
            if len(keys) > 1 and not different:
                missing = list(self._find_missing_content(scope, keys, seen))
                yield from missing
                for name, rest in () if missing else self._find_rests(scope, seen):
                    rests.setdefault(name, []).append(rest)
        for (_, keys), seen in rests.items():
            yield from _find_different(keys[0], seen)
        for ((_, keys), call_key), seen in self.results.items():
            yield from _find_different(" ".join(keys), seen, call_key)

    def _find_missing_content(
        self, scope: int | None, keys: tuple[str, ...], seen: list[NamedMessage]
    ) -> Iterator[Contradiction]:
        """Yield messages without the content that one of their pieces has elsewhere, or with it in another place."""
        for key in keys:
            alone = self._find_alone(scope, key)
            if alone is not None and alone.unit.normalized_text:
                text = alone.unit.normalized_text
                yield from (
                    Contradiction(key, each, alone)
                    for each in seen
                    if text not in each.unit.normalized_text
                    or (key == keys[0] and not each.unit.normalized_text.startswith(text))
                    or (key == keys[-1] and not each.unit.normalized_text.endswith(text))
                )

    def _find_alone(self, scope: int | None, key: str) -> NamedMessage | None:
        """Return a message that has only the content with a name."""
        return next(iter(self.named.get((scope, (key,))) or self.named.get((None, (key,))) or ()), None)

    def _find_rests(self, scope: int | None, seen: list[NamedMessage]) -> Iterator[tuple[Name, NamedMessage]]:
        """Yield the content of the only piece of a message that no other message has alone."""
        pieces = seen[0].item.pieces
        alone = [self._find_alone(scope, each.key or "") for each in pieces]
        if alone.count(None) != 1:
            return
        at = alone.index(None)
        before, after = (
            " ".join(each.unit.normalized_text for each in some if each is not None)
            for some in (alone[:at], alone[at + 1 :])
        )
        name: Name = (None if pieces[at].is_shared else scope, (pieces[at].key or "",))
        for each in seen:
            text = each.unit.normalized_text
            if text.startswith(before) and text.endswith(after) and len(text) >= len(before) + len(after):
                rest = Text(text[len(before) : len(text) - len(after)].strip())
                yield name, replace(each, unit=replace(each.unit, parts=(rest,)))

    def list_contents(self, run: int, item: ExpectedMessage) -> tuple[object, ...] | None:
        """Return the content of a message in a request of a run, or in any with the same meaning; `None` if unknown."""
        keys = tuple(each.key for each in item.pieces if each.key is not None)
        if not keys or len(keys) < len(item.pieces):
            return None
        scope = None if all(each.is_shared for each in item.pieces) else run
        return next((each.content for each in self.named.get((scope, keys), ())), None)

    def is_seen_again(self, run: int, keys: tuple[str, ...]) -> bool:
        """Return whether several requests have sent content with these names."""
        indices = (each.request_idx for scope in (None, run) for each in self.named.get((scope, keys), ()))
        first = next(indices, None)
        return any(request_idx != first for request_idx in indices)


def _find_different(name: str, seen: list[NamedMessage], call_key: CallKey | None = None) -> Iterator[Contradiction]:
    """Yield content that differs from the most frequent one under a name."""
    contents = Counter(each.content for each in seen)
    if len(contents) > 1:
        usual = contents.most_common(1)[0][0]
        other = next(each for each in seen if each.content == usual)
        yield from (Contradiction(name, each, other, call_key) for each in seen if each.content != usual)


_KEY = re.compile(r"resp\.(?P<name>\w+)\[@(?P<turn>\d+)(?:\.(?P<step>\d+))?\]")
_THOUGHT = ("<think>", "</think>")
"""Thoughts that many open models write before an answer; their developers advise against sending them again."""
_Time: TypeAlias = tuple[int, int | None]
Change: TypeAlias = tuple[Origin, str, Unit]
"""The place in the spec, what differs, and the message of the request."""


@dataclass(frozen=True, slots=True)
class _ReplyPart:
    """The part of a message of a request that repeats one reply."""

    name: str
    """Of the reply, or of what of it the spec means: `answer`."""
    time: _Time
    text: ExpectedPiece
    is_alone: bool
    """Whether the message has nothing else."""


@dataclass(slots=True)
class Replies:
    """Collects the replies of the model."""

    answers: dict[tuple[int, int], dict[int, list[tuple[RecordedOrigin, RecordedAnswer]]]] = field(default_factory=dict)
    """By run and turn, then by step: the position of each reply, and its content."""
    looked_at: dict[tuple[int, str], tuple[Unit, str]] = field(default_factory=dict)
    """By run and name of a piece: the message that was compared last, and its difference."""

    def add_reply(self, run: int, recorded: Recorded) -> None:
        """Add the reply to one request."""
        answer = None if recorded.at is None else summarize_answer(recorded)
        if recorded.at is not None and answer is not None and (answer.text or answer.call_keys):
            steps = self.answers.setdefault((run, recorded.at.get_part(0)), {})
            steps.setdefault(recorded.at.get_part(1), []).append((recorded.origin, answer))

    def find_changed(self, run: int, steps: Sequence[MatchStep]) -> Iterator[Change]:
        """Yield the messages of a request that differ from the replies that they repeat."""
        if not self.answers:
            return
        parts = list(_list_reply_parts(steps))
        counts = Counter(part.time for part, _ in parts)
        for part, unit in parts:
            key = run, part.text.key or ""
            before = self.looked_at.get(key)
            if before is None or before[0] is not unit:
                is_whole = part.is_alone and counts[part.time] == 1
                reason = self._describe_difference(run, part, unit, is_whole=is_whole)
                before = self.looked_at[key] = unit, reason
            if before[1]:
                yield part.text.origin, before[1], unit

    def _describe_difference(self, run: int, part: _ReplyPart, unit: Unit, *, is_whole: bool) -> str:
        """Describe how a message differs from the reply that it repeats; empty if not, or if none was recorded."""
        answers = self._find_replies(run, part.time)
        if not answers or any(_is_repeated(answer, part, unit, is_whole=is_whole) for _, answer in answers):
            return ""
        position, answer = answers[0]
        words = _extract_field(answer.text, part.name)
        is_cut = bool(unit.normalized_text) and unit.normalized_text.rstrip(".… ") in words
        says = "only a part of it is" if is_cut else "something else is"
        if unit.normalized_text == words:
            calls = ", ".join(map(str, answer.call_keys)) or "nothing"
            return f"`{part.text.key}` calls {calls} in the reply to {position}, and other calls are sent here"
        if not words:
            return f"`{part.text.key}` has no text in the reply to {position}, and {says} sent here"
        return f"`{part.text.key}` is `{shorten_text(words)}` in the reply to {position}, and {says} sent here"

    def _find_replies(self, run: int, time: _Time) -> list[tuple[RecordedOrigin, RecordedAnswer]]:
        """Return the replies of a time: the last of a turn, or one of its steps; also counted from 0."""
        steps, step = self.answers.get((run, time[0]), {}), time[1]
        if step is None:
            return steps[max(steps)] if steps else []
        if step - 1 not in steps:
            return []
        return [*steps[step - 1], *steps.get(step, ())]


def _list_reply_parts(steps: Iterable[MatchStep]) -> Iterator[tuple[_ReplyPart, Unit]]:
    """Yield the parts of messages that repeat replies, if nothing else of the spec is in the same message."""
    matched = [step for step in steps if step.item is not None and step.unit is not None]
    split = Counter(step.item for step in matched)
    for step in matched:
        item, unit = step.item, step.unit
        if item is None or unit is None or item.role != "assistant" or item.is_loose or not step.is_certain:
            continue
        if split[item] > 1:
            continue
        matches = [(piece, _KEY.fullmatch(piece.key or "")) for piece in item.pieces]
        named = [(piece, key) for piece, key in matches if key is not None]
        times = {(int(key["turn"]), int(key["step"]) if key["step"] else None) for _, key in named}
        if len(times) == 1:
            piece, key = named[0]
            yield _ReplyPart(key["name"], times.pop(), piece, len(named) == len(item.pieces)), unit


def _remove_thoughts(text: str) -> str:
    """Return a text without the text between tags of thoughts."""
    begin, end = _THOUGHT
    texts, at = [], 0
    while (start := text.find(begin, at)) >= 0 and (stop := text.find(end, start)) >= 0:
        texts.append(text[at:start])
        at = stop + len(end)
    return "".join((*texts, text[at:]))


def _is_repeated(answer: RecordedAnswer, part: _ReplyPart, unit: Unit, *, is_whole: bool) -> bool:
    """Return whether a message is a reply, or the part of it that the spec names."""
    call_keys = list_call_keys(unit.calls)
    if answer.call_keys and call_keys and _remove_numbers(answer.call_keys) != _remove_numbers(call_keys):
        return False
    words = unit.normalized_text
    if not words or not answer.text:
        return (
            bool(call_keys and answer.call_keys) or (not words and not answer.text) or bool(words and answer.call_keys)
        )
    ways = {answer.text, normalize_text(f"{answer.beginning} {answer.text}"), f"{answer.beginning}{answer.text}"}
    ways |= {normalize_text(_remove_thoughts(each)) for each in ways} | {_extract_field(answer.text, part.name)}
    if is_whole:
        return words in ways
    return any(way in words or (part.is_alone and words in way) for way in ways)


def _extract_field(text: str, name: str) -> str:
    """Return the value under a name in a JSON reply; otherwise all of the reply."""
    if text.startswith("{"):
        with suppress(ValueError, RecursionError):
            value = json.loads(text).get(name)
            return normalize_text(value if isinstance(value, str) else json.dumps(value)) if value is not None else text
    return text


def _remove_numbers(call_keys: Iterable[CallKey]) -> list[tuple[str, str]]:
    return [(each.tool, each.args) for each in call_keys]

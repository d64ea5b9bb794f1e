"""The part of a request that repeats the one before it, and how messages at the same position differ."""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import islice

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Call,
    Json,
    Message,
    Opaque,
    Output,
    Part,
    Role,
    Text,
    Thinking,
    get_text,
)
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.runs.inspect.inspection import Change, PrefixEnd, Reason, WeighedMessage, WeighedTool
from acdl_mkdocs.runs.inspect.weigh_messages import Weigher, format_tool

_AROUND = 60
"""Characters around a difference in which a date, a time or a number may begin and end."""
_SHOWN = 60
"""Characters of each side that are quoted."""
_CLEARED = 400
"""Maximum length of a result of which only a note is left."""
_MONTHS = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
_MONTH = rf"(?:{_MONTHS}|nov(?:ember)?|dec(?:ember)?)\.?"
_DAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)(?:day|sday|nesday|rsday|urday)?)\b"
_NUMBER = r"\d{1,2}(?:st|nd|rd|th)?"
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]\.?m\b\.?)?(?: ?(?:z|utc|[+-]\d{2}:?\d{2})\b)?"
_DATE = (
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{4}-W?\d{2}\b"
    rf"|(?:{_DAY},? )?(?:{_NUMBER}\.? (?:of )?{_MONTH}|{_MONTH} {_NUMBER})(?:,? \d{{4}})?"
    rf"|{_MONTH} \d{{4}}|{_DAY}"
)
_KINDS: Sequence[tuple[Reason, str, re.Pattern[str]]] = (
    ("identifier", "an id", re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)),
    ("date", "a date and time", re.compile(rf"(?:{_DATE})(?:[T ,]| at ){{1,3}}{_TIME}", re.IGNORECASE)),
    ("date", "a date", re.compile(rf"(?<![\w])(?:{_DATE})", re.IGNORECASE)),
    ("time", "a time", re.compile(rf"(?<![\w:]){_TIME}", re.IGNORECASE)),
    ("number", "a number", re.compile(r"(?<![\w.])[-+]?[$€£]?\d[\d,._]*(?:\s?%)?(?![\w])")),
    ("identifier", "an id", re.compile(r"\b(?=[\w-]{0,200}\d)(?=[\w-]{0,200}[A-Za-z])[\w-]{8,}\b")),
)
"""Kinds of text at a difference on both sides, the most specific first."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The beginning of a difference between two messages."""

    reason: Reason
    words: str
    part: int
    """Number of the part, from 0."""
    character: int | None = None
    """Offset in the words of the part, in code points."""
    common: str = ""
    """The words of the part before it."""
    again: str = ""
    """Its words after the difference that the earlier part ends with, too."""
    before: str = ""
    after: str = ""


def explain_parts(old: Message, new: Message, role: Role) -> Difference:
    """Return the first difference of two messages that are not equal; `role` is that of the later one."""
    pairs = zip(old.parts, new.parts, strict=False)
    at = next((at for at, (one, two) in enumerate(pairs) if one != two), min(len(old.parts), len(new.parts)))
    if _remove_thinking(old.parts) == _remove_thinking(new.parts):
        return Difference("thinking", "a thought of the model was added or removed", at)
    if at == len(old.parts) or at == len(new.parts):
        if old.role == new.role and old.parts == new.parts:
            return Difference("parts", f"the name of {_describe_role(role)} changed", 0)
        what = "parts were added to" if at == len(old.parts) else "parts were removed from"
        return Difference("parts", f"{what} {_describe_role(role)}", at)
    return _explain_part(old.parts[at], new.parts[at], at, role)


def _remove_thinking(parts: Sequence[Part]) -> list[Part]:
    return [each for each in parts if not isinstance(each, Thinking)]


def _explain_part(old: Part, new: Part, at: int, role: Role) -> Difference:
    match old, new:
        case Text(before), Text(after):
            return explain_text(before, after, at, _describe_role(role))
        case Output(), Output():
            return _explain_result(old, new, at)
        case Call(), Call():
            what = "the arguments of the call of" if old.args != new.args else "the id of the call of"
            words = f"{what} `{new.tool}` changed" if old.tool == new.tool else f"another tool is called: `{new.tool}`"
            difference = explain_text(get_text(old), get_text(new), at, "a call")
            return Difference(
                "arguments", words, at, difference.character, difference.common, "", difference.before, difference.after
            )
        case Thinking(before), Thinking(after):
            return explain_text(before, after, at, "a thought of the model")
        case Attachment(), Attachment():
            return Difference("attachment", f"{_add_article(new.type)} in {_describe_role(role)} changed", at)
        case Opaque(), Opaque():
            before, after = (json.dumps(each.json, ensure_ascii=False) for each in (old, new))
            return explain_text(before, after, at, f"a part only for `{new.provider}`")
    return Difference("parts", f"{_describe_role(role)} has other parts", at)


def _explain_result(old: Output, new: Output, at: int) -> Difference:
    named = f"the result of `{new.tool}`" if new.tool else "a tool result"
    before, after = get_text(old), get_text(new)
    if before == after:
        return Difference("parts", f"{named} has other parts or another id", at)
    difference = explain_text(before, after, at, named)
    if len(after) <= _CLEARED and len(after) * 2 < len(before):
        return _change_reason(difference, "cleared", f"{named} was cleared")
    if len(after) < len(before) and difference.reason not in ("date", "time", "number", "identifier"):
        return _change_reason(difference, "shortened", f"{named} was shortened")
    return difference


def _change_reason(difference: Difference, reason: Reason, words: str) -> Difference:
    return Difference(
        reason,
        words,
        difference.part,
        difference.character,
        difference.common,
        difference.again,
        difference.before,
        difference.after,
    )


def explain_text(old: str, new: str, part: int, where: str) -> Difference:
    """Return the first difference of two texts."""
    start = count_common_prefix(old, new)
    most = min(len(old), len(new)) - start
    n_end = count_common_prefix(old[len(old) - most :][::-1], new[len(new) - most :][::-1])
    reason, words, (before, after) = _explain_change(old, new, start, n_end, where)
    again = new[len(new) - n_end :] if n_end else ""
    return Difference(reason, words, part, start, new[:start], again, before, after)


def _explain_change(old: str, new: str, start: int, n_end: int, where: str) -> tuple[Reason, str, tuple[str, str]]:
    for reason, what, pattern in _KINDS:
        both = _find_at(pattern, old, start), _find_at(pattern, new, start)
        if all(both) and both[0] != both[1]:
            return reason, f"{what} in {where} changed", both
    was, now = old[start : len(old) - n_end], new[start : len(new) - n_end]
    quoted = _quote_change(old, start, n_end), _quote_change(new, start, n_end)
    if not was and not n_end:
        return "appended", f"text was added at the end of {where}", quoted
    if not now and not n_end:
        return "shortened", f"the end of {where} is no longer sent", quoted
    if not was:
        return "text", f"text was inserted into {where}", quoted
    if not now:
        return "text", f"text was removed from {where}", quoted
    return "text", f"the text of {where} changed", quoted


def _find_at(pattern: re.Pattern[str], text: str, at: int) -> str:
    """Return the match of a pattern around an offset; empty if there is none."""
    begin = max(0, at - _AROUND)
    for match in pattern.finditer(text[begin : at + _AROUND]):
        if match.start() + begin <= at <= match.end() + begin:
            return match[0]
    return ""


def _quote_change(text: str, start: int, n_end: int) -> str:
    """Quote the part of a text that differs, in whole words, shortened."""
    end = len(text) - n_end
    if start == end:
        return ""
    while start and start > end - _SHOWN and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and end - start < _SHOWN and not text[end].isspace():
        end += 1
    return text[start:end] if end - start <= _SHOWN else f"{text[start : start + _SHOWN]}…"


def count_common_prefix(one: str, two: str) -> int:
    """Count the characters that two texts have in common at their beginning."""
    low, high = 0, min(len(one), len(two))
    if one[:high] == two[:high]:
        return high
    while low < high - 1:  # one[:low] is common, one[:high] is not
        middle = (low + high) // 2
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _add_article(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def _describe_role(role: Role) -> str:
    return {
        "system": "the instructions",
        "user": "a user message",
        "assistant": "an assistant message",
        "tool": "a tool result",
        "none": "the text",
    }[role]


_ALIKE = 0.2
"""Share of a message that has to be equal at its beginning and end for it to count as changed, not as another one."""


@dataclass(frozen=True, slots=True)
class ComparedRequest:
    """A request, prepared for comparison."""

    model: str | None
    format: str
    settings: Mapping[str, Json]
    tools: tuple[WeighedTool, ...]
    plain: tuple[Message, ...]
    messages: tuple[WeighedMessage, ...]
    """The same, weighed."""


@dataclass(frozen=True, slots=True)
class MessageMatches:
    """Equal messages of two requests, by their numbers."""

    again: Mapping[int, int]
    """From the later request to the earlier one: equal messages after the common prefix."""
    changed: Mapping[int, int]
    """The same for messages in the same place that have another content."""
    dropped: tuple[int, ...]


def match_messages(old: ComparedRequest, new: ComparedRequest, n_same: int) -> MessageMatches:
    """Match the messages after those that both requests begin with."""
    places: dict[bytes, list[int]] = {}
    for at in range(len(old.messages) - 1, n_same - 1, -1):
        places.setdefault(old.messages[at].key, []).append(at)
    again: dict[int, int] = {}
    for at in range(n_same, len(new.messages)):
        if positions := places.get(new.messages[at].key):
            again[at] = positions.pop()
    used = set(again.values())
    left = [at for at in range(n_same, len(old.messages)) if at not in used]
    changed = _match_changed(old, new, left, [at for at in range(n_same, len(new.messages)) if at not in again])
    replaced = set(changed.values())
    return MessageMatches(again, changed, tuple(at for at in left if at not in replaced))


def _match_changed(
    old: ComparedRequest, new: ComparedRequest, left: Sequence[int], fresh: Sequence[int]
) -> dict[int, int]:
    """Match messages with changed content: results of the same calls, else similar ones after the same message.

    Instructions at the same number are the same instructions, whatever their content.
    """
    calls = {call: at for at in left for call in _list_answered_ids(old.plain[at])}
    free = dict.fromkeys(left)
    matches: dict[int, int] = {}
    for at in fresh:
        same_call = next((calls[call] for call in _list_answered_ids(new.plain[at]) if calls.get(call) in free), None)
        index = at if same_call is None else same_call
        if index in free and (same_call is not None or _is_alike(old, new, index, at)):
            matches[at] = index
            del free[index]
    return matches


def _list_answered_ids(message: Message) -> list[str]:
    return [part.call_id for part in message.parts if isinstance(part, Output) and part.call_id]


def _is_alike(old: ComparedRequest, new: ComparedRequest, before: int, after: int) -> bool:
    one, two = old.messages[before], new.messages[after]
    if one.role != two.role:
        return False
    if one.role == "system" or old.plain[before].parts[:1] == new.plain[after].parts[:1]:
        return True
    texts = _get_text(old.plain[before]), _get_text(new.plain[after])
    shared = count_common_prefix(*texts)
    shared += count_common_prefix(texts[0][shared:][::-1], texts[1][shared:][::-1])
    return shared >= _ALIKE * max(map(len, texts), default=0) > 0


def _get_text(message: Message) -> str:
    return "\n".join(map(get_text, message.parts))


def _list_invalidations(format: str) -> Mapping[str, str]:
    provider = PROVIDERS.get(format)
    return provider.cache_invalidating_parameters if provider is not None else {}


_MOST_OTHERS = 20
_NAMED = 4
"""Tools that are named in a sentence."""


@dataclass(frozen=True, slots=True)
class KeptPrefix:
    """The content of the previous request that a request keeps."""

    changes: tuple[Change, ...]
    n_prefix: int
    n_again: int
    n_new: int
    end: PrefixEnd | None = None
    others: tuple[PrefixEnd, ...] = ()
    dropped: tuple[WeighedMessage, ...] = ()
    settings: tuple[str, ...] = ()


def find_prefix(old: ComparedRequest, new: ComparedRequest, weigher: Weigher) -> KeptPrefix:
    """Compare a request with the one before it in its run."""
    settings = tuple(
        sorted(key for key in {**old.settings, **new.settings} if _get_setting(old, key) != _get_setting(new, key))
    )
    n_tools = _count_equal(old.tools, new.tools)
    n_same = next(
        (at for at, (one, two) in enumerate(zip(old.messages, new.messages, strict=False)) if one is not two),
        min(len(old.messages), len(new.messages)),
    )
    matched = match_messages(old, new, n_same)
    differences = {
        at: explain_parts(old.plain[before], new.plain[at], new.messages[at].role)
        for at, before in matched.changed.items()
    }
    end, n_tools, n_kept = _find_prefix_end(old, new, settings, (n_tools, n_same), (matched, differences))
    begun = differences.get(n_kept) if end is not None and end.path.startswith(f"{_format_path(n_kept)}.") else None
    others = (_explain_changed_message(at, each) for at, each in sorted(differences.items()) if each is not begun)
    sums = _TokenSums(old, new, weigher, (n_tools, n_kept, n_same), begun)
    changes = tuple(sums.add_message(at, matched, differences) for at in range(len(new.messages)))
    dropped = tuple(old.messages[at] for at in matched.dropped)
    return KeptPrefix(
        changes, sums.n_prefix, sums.n_again, sums.n_new, end, tuple(islice(others, _MOST_OTHERS)), dropped, settings
    )


def _get_setting(sent: ComparedRequest, key: str) -> tuple[bool, Json]:
    return key in sent.settings, sent.settings.get(key)


def _count_equal(old: Sequence[WeighedTool], new: Sequence[WeighedTool]) -> int:
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (one, two) in pairs if one.key != two.key), min(len(old), len(new)))


# ---------------------------------------------------------------------------------------------------- end of the prefix

_Found = tuple[PrefixEnd | None, int, int]
"""The end of the prefix, and the numbers of tools and messages before it."""


def _find_prefix_end(
    old: ComparedRequest,
    new: ComparedRequest,
    settings: Sequence[str],
    counts: tuple[int, int],
    messages: tuple[MessageMatches, Mapping[int, Difference]],
) -> _Found:
    n_tools, n_same = counts
    if old.model != new.model:
        words = f"the model changed from `{old.model or 'none'}` to `{new.model or 'none'}`"
        return PrefixEnd("model", words, "model", None, old.model or "", new.model or ""), 0, 0
    beginnings = {_list_invalidations(new.format).get(key, ""): key for key in reversed(settings)}
    if "tools" in beginnings:
        words = "the tools run by the provider changed"
        return PrefixEnd("tools", words, f"settings.{beginnings['tools']}"), 0, 0
    if n_tools < max(len(old.tools), len(new.tools)):
        return _explain_tools_change(old.tools, new.tools, n_tools), n_tools, 0
    for beginning, first in (("system", 0), ("messages", _count_system(new))):
        if beginning in beginnings and n_same > first:
            name = beginnings[beginning]
            words = (
                f"the parameter `{name}` changed, which comes before the {'instructions' if first == 0 else 'messages'}"
            )
            return PrefixEnd("parameter", words, f"settings.{name}"), n_tools, first
    if n_same == len(old.messages):
        return None, n_tools, n_same
    if n_same == len(new.messages):
        n_gone = len(old.messages) - n_same
        end = PrefixEnd(
            "shorter",
            f"{_format_number(n_gone)} at the end {_conjugate_verb(n_gone)} no longer sent",
            _format_path(n_same),
        )
        return end, n_tools, n_same
    return _explain_message_change(old, new, n_same, *messages), n_tools, n_same


def _count_system(sent: ComparedRequest) -> int:
    return next((at for at, each in enumerate(sent.messages) if each.role != "system"), len(sent.messages))


def _explain_tools_change(old: Sequence[WeighedTool], new: Sequence[WeighedTool], at: int) -> PrefixEnd:
    was, now = [each.tool.name for each in old], [each.tool.name for each in new]
    path = f"tools[{at}]"
    if sorted(each.key for each in old) == sorted(each.key for each in new):
        words = f"the same {len(now)} tools are defined in a different order"
        return PrefixEnd("tool-order", words, path, None, was[at], now[at])
    added, removed = [each for each in now if each not in was], [each for each in was if each not in now]
    if added or removed:
        changes = [f"{_join_names(names)} {what}" for names, what in ((added, "added"), (removed, "removed")) if names]
        words = f"the list of tools changed: {', '.join(changes)}"
        return PrefixEnd("tools", words, path, None, *((each[at] if at < len(each) else "") for each in (was, now)))
    if at >= min(len(old), len(new)) or was[at] != now[at]:
        return PrefixEnd("tools", "the list of tools changed", path)
    one, two = format_tool(old[at].tool), format_tool(new[at].tool)
    start = count_common_prefix(one, two)
    excerpts = one[start : start + 60], two[start : start + 60]
    return PrefixEnd("tool-definition", f"the definition of the tool `{now[at]}` changed", path, start, *excerpts)


def _join_names(names: Sequence[str]) -> str:
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(f"`{each}`" for each in islice(names, _NAMED)) + rest


def _explain_message_change(
    old: ComparedRequest, new: ComparedRequest, at: int, matched: MessageMatches, differences: Mapping[int, Difference]
) -> PrefixEnd:
    """Return the end of a prefix inside the messages, if both requests continue."""
    path = _format_path(at)
    if matched.changed.get(at) == at:
        return _explain_changed_message(at, differences[at])
    next_old = next((later for later, earlier in sorted(matched.again.items()) if earlier == at), None)
    next_new = matched.again.get(at)
    if next_old is not None and next_new is None:
        n_in = next_old - at
        return PrefixEnd("inserted", f"{_format_number(n_in)} {_conjugate_verb(n_in, 'was')} inserted", path)
    if next_new is not None and next_old is None:
        return _explain_removed(old, at, next_new)
    if next_new is not None:
        return PrefixEnd("order", "the messages are in a different order", path)
    n_gone = len(matched.dropped)
    fresh = range(at, len(new.messages))
    n_fresh = sum(number not in matched.again and number not in matched.changed for number in fresh)
    place = "its place" if n_gone == 1 else "their place"
    removal = f"{_format_number(n_gone)} {_conjugate_verb(n_gone)} no longer sent"
    return PrefixEnd("replaced", f"{removal}; {_format_number(n_fresh)} {_conjugate_verb(n_fresh)} in {place}", path)


def _explain_changed_message(at: int, difference: Difference) -> PrefixEnd:
    """Describe how a message changed, as the end of a prefix."""
    path = f"{_format_path(at)}.parts[{difference.part}]"
    return PrefixEnd(
        difference.reason, difference.words, path, difference.character, difference.before, difference.after
    )


def _explain_removed(old: ComparedRequest, at: int, end: int) -> PrefixEnd:
    n_turns = sum(each.role == "user" for each in old.messages[at:end])
    is_turn = old.messages[at].role == "user" and (end == len(old.messages) or old.messages[end].role == "user")
    n_gone = end - at
    what = (
        f"{n_turns} earlier turn{'s' if n_turns > 1 else ''} ({_format_number(n_gone)})"
        if is_turn
        else _format_number(n_gone)
    )
    return PrefixEnd(
        "removed", f"{what} {_conjugate_verb(n_turns if is_turn else n_gone, 'was')} removed", _format_path(at)
    )


def _format_path(message: int) -> str:
    return f"messages[{message}]"


def _format_number(number: int) -> str:
    return f"{number} message{'' if number == 1 else 's'}"


def _conjugate_verb(number: int, one: str = "is") -> str:
    return one if number == 1 else {"is": "are", "was": "were"}[one]


# ------------------------------------------------------------------------------------------------------------- counting


class _TokenSums:
    """The sums of a request while its messages are counted; every model token is in one of them."""

    def __init__(
        self,
        old: ComparedRequest,
        new: ComparedRequest,
        weigher: Weigher,
        n_kept: tuple[int, int, int],
        begun: Difference | None,
    ) -> None:
        self._old, self._new, self._weigher, self._begun = old, new, weigher, begun
        n_tools, self._n_kept, self._n_same = n_kept
        keys = {each.key for each in old.tools}
        self.n_prefix = sum(each.n_tokens for each in new.tools[:n_tools])
        self.n_again = sum(each.n_tokens for each in new.tools[n_tools:] if each.key in keys)
        self.n_new = sum(each.n_tokens for each in new.tools[n_tools:] if each.key not in keys)

    def add_message(self, at: int, matched: MessageMatches, differences: Mapping[int, Difference]) -> Change:
        """Count a message."""
        message = self._new.messages[at]
        if at < self._n_kept:
            self.n_prefix += message.n_tokens
            return "kept"
        if at in differences:
            self._add_changed(at, matched.changed[at], differences[at])
            return "changed"
        if at < self._n_same or at in matched.again:
            self.n_again += message.n_tokens
            return "again"
        self.n_new += message.n_tokens
        return "new"

    def _add_changed(self, at: int, before: int, difference: Difference) -> None:
        """Count a message that changed.

        A token can be partly in equal and partly in different text, so new tokens are the rest of the whole.
        """
        message, parts, old = self._new.messages[at], self._new.plain[at].parts, self._old.plain[before].parts
        n_equal = sum(each.n_tokens for each in message.parts[: difference.part])
        n_again = 0
        for idx, part in enumerate(message.parts[difference.part :], difference.part):
            if idx == difference.part and difference.character is not None:
                n_common = min(self._weigher.count_tokens(difference.common), part.n_tokens)
                n_equal += n_common
                n_again += min(self._weigher.count_tokens(difference.again), part.n_tokens - n_common)
            elif parts[idx] in old:
                n_again += part.n_tokens
        self.n_new += message.n_tokens - n_equal - n_again
        self.n_again += n_again
        if difference is self._begun:
            self.n_prefix += n_equal
        else:
            self.n_again += n_equal

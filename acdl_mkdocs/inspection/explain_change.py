"""`explain_parts()`: where two messages in the same place begin to differ, and what kind of change it is, in words."""

import json
import re
from collections.abc import Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.inspection.inspection import Reason
from acdl_mkdocs.prompts.prompt import Attachment, Call, Message, Opaque, Output, Part, Role, Text, Thinking, words_of

_AROUND = 60
"""Characters around a difference in which a date, a time or a number may begin and end."""
_SHOWN = 60
"""Characters of each side that are quoted."""
_CLEARED = 400
"""Characters that a result has at most when nothing but a note is left of it."""
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
"""What may be at a difference on both sides, the most telling first."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two messages begin to differ."""

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
    """The first difference of two messages that are not equal; `role` is the later one's."""
    pairs = zip(old.parts, new.parts, strict=False)
    at = next((at for at, (one, two) in enumerate(pairs) if one != two), min(len(old.parts), len(new.parts)))
    if _without_thoughts(old.parts) == _without_thoughts(new.parts):
        return Difference("thinking", "a thought of the model is no longer sent, or is sent only now", at)
    if at == len(old.parts) or at == len(new.parts):
        if old.role == new.role and old.parts == new.parts:
            return Difference("parts", f"the name of {_who(role)} changed", 0)
        what = "parts were added to" if at == len(old.parts) else "parts were removed from"
        return Difference("parts", f"{what} {_who(role)}", at)
    return _different(old.parts[at], new.parts[at], at, role)


def _without_thoughts(parts: Sequence[Part]) -> list[Part]:
    return [each for each in parts if not isinstance(each, Thinking)]


def _different(old: Part, new: Part, at: int, role: Role) -> Difference:
    match old, new:
        case Text(before), Text(after):
            return explain_text(before, after, at, _who(role))
        case Output(), Output():
            return _result(old, new, at)
        case Call(), Call():
            what = "the arguments of the call of" if old.args != new.args else "the id of the call of"
            words = f"{what} `{new.tool}` changed" if old.tool == new.tool else f"another tool is called: `{new.tool}`"
            found = explain_text(words_of(old), words_of(new), at, "a call")
            return Difference("arguments", words, at, found.character, found.common, "", found.before, found.after)
        case Thinking(before), Thinking(after):
            return explain_text(before, after, at, "a thought of the model")
        case Attachment(), Attachment():
            return Difference("attachment", f"{_article(new.type)} in {_who(role)} changed", at)
        case Opaque(), Opaque():
            before, after = (json.dumps(each.json, ensure_ascii=False) for each in (old, new))
            return explain_text(before, after, at, f"a part for `{new.provider}` alone")
    return Difference("parts", f"{_who(role)} has other parts", at)


def _result(old: Output, new: Output, at: int) -> Difference:
    named = f"the result of `{new.tool}`" if new.tool else "a result of a tool"
    before, after = words_of(old), words_of(new)
    if before == after:
        return Difference("parts", f"{named} has other parts or another id", at)
    found = explain_text(before, after, at, named)
    if len(after) <= _CLEARED and len(after) * 2 < len(before):
        return _as(found, "cleared", f"{named} was cleared")
    if len(after) < len(before) and found.reason not in ("date", "time", "number", "identifier"):
        return _as(found, "shortened", f"{named} was shortened")
    return found


def _as(found: Difference, reason: Reason, words: str) -> Difference:
    return Difference(reason, words, found.part, found.character, found.common, found.again, found.before, found.after)


def explain_text(old: str, new: str, part: int, where: str) -> Difference:
    """The first difference of two texts."""
    start = common_prefix(old, new)
    most = min(len(old), len(new)) - start
    n_end = common_prefix(old[len(old) - most :][::-1], new[len(new) - most :][::-1])
    reason, words, (before, after) = _kind(old, new, start, n_end, where)
    again = new[len(new) - n_end :] if n_end else ""
    return Difference(reason, words, part, start, new[:start], again, before, after)


def _kind(old: str, new: str, start: int, n_end: int, where: str) -> tuple[Reason, str, tuple[str, str]]:
    for reason, what, pattern in _KINDS:
        both = _found_at(pattern, old, start), _found_at(pattern, new, start)
        if all(both) and both[0] != both[1]:
            return reason, f"{what} in {where} changed", both
    was, now = old[start : len(old) - n_end], new[start : len(new) - n_end]
    quoted = _quoted(old, start, n_end), _quoted(new, start, n_end)
    if not was and not n_end:
        return "appended", f"text was added at the end of {where}", quoted
    if not now and not n_end:
        return "shortened", f"the end of {where} is no longer sent", quoted
    if not was:
        return "text", f"text was inserted into {where}", quoted
    if not now:
        return "text", f"text was removed from {where}", quoted
    return "text", f"the text of {where} changed", quoted


def _found_at(pattern: re.Pattern[str], text: str, at: int) -> str:
    """What a pattern finds around a place; empty if nothing."""
    begin = max(0, at - _AROUND)
    for found in pattern.finditer(text[begin : at + _AROUND]):
        if found.start() + begin <= at <= found.end() + begin:
            return found[0]
    return ""


def _quoted(text: str, start: int, n_end: int) -> str:
    """The part of a text that is different, whole words of it, shortened."""
    end = len(text) - n_end
    if start == end:
        return ""
    while start and start > end - _SHOWN and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and end - start < _SHOWN and not text[end].isspace():
        end += 1
    return text[start:end] if end - start <= _SHOWN else f"{text[start : start + _SHOWN]}…"


def common_prefix(one: str, two: str) -> int:
    """How many characters two texts have in common at their beginning."""
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


def _article(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def _who(role: Role) -> str:
    return {
        "system": "the instructions",
        "user": "a message of the user",
        "assistant": "an answer of the model",
        "tool": "a result of a tool",
        "none": "the text",
    }[role]

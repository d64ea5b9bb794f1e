"""Whether a message of a request can be a message of a pattern, by its content. Knows nothing of order."""

import posixpath
from collections.abc import Iterable, Sequence
from html import unescape
from typing import TypeAlias
from urllib.parse import urlsplit

from acdl_mkdocs.evaluation.values import shortened
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import counted
from acdl_mkdocs.prompts.prompt import Attachment, Call, Output, Part, Text, Thinking
from acdl_mkdocs.traces.pattern import Item, Said
from acdl_mkdocs.traces.units import IN_TAGS, Custom, Unit, squeezed, words_of

Taken: TypeAlias = tuple[int, int]
"""What of a message of a request is explained: so many characters, and so many calls and attachments."""
NOTHING: Taken = (0, 0)
WHOLE: Taken = (-1, 0)
"""All of it is explained."""
FREE: Taken = (-2, 0)
"""Something of which nothing is known stands in it, so that all the rest may belong to that."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why a message is not the one that the spec sends."""

    said: Said | None
    """The piece that is not there."""
    reason: str


@dataclass(frozen=True, slots=True)
class Fit:
    """How a message of the spec stands in one of a request."""

    misfit: Misfit | None
    taken: Taken
    """What of the message of the request is explained behind it."""


def fit(item: Item, unit: Unit, taken: Taken, custom: Custom, *, is_shared: bool) -> Fit:
    """How a message of the spec stands in a message of a request, behind others that stand in it too.

    Parameters:
        item: The message of the spec.
        unit: The message of the request; its role is the right one.
        taken: What of the message of the request is explained already.
        custom: What becomes of messages on the way to the provider.
        is_shared: Whether other messages of the spec may stand in it too.
    """
    is_known = bool(item.said) and not item.is_loose and all(each.text is not None or each.parts for each in item.said)
    words, texts = _words(unit, custom), [(said, text) for said in item.said for text in _texts_of(said, unit, custom)]
    missing = _absent(item, unit, words, texts, custom)
    if missing is not None:
        return Fit(missing, FREE)
    if not is_known:
        return Fit(_wrong_ends(item, unit, words, taken, custom, is_shared=is_shared), FREE)
    rest = _without(words, texts)
    if not is_shared:
        return Fit(_surplus(item, unit, rest), FREE)
    if taken == FREE:
        is_all = bool(texts) and not rest.strip() and not _n_others(unit.parts)
        return Fit(
            Misfit(None, "it says nothing else, and the spec sends something before that") if is_all else None, FREE
        )
    begin = (len(words), _n_others(unit.parts)) if taken == WHOLE else taken
    at = _end(words, begin[0], [text for _, text in texts])
    n_others = begin[1] + sum(_n_others(said.parts) for said in item.said)
    if at is None or n_others > _n_others(unit.parts):
        wrong = _surplus(item, unit, _without(words[begin[0] :], texts))
        return Fit(wrong or Misfit(None, "nothing of the message is left for it"), FREE)
    behind = (at, n_others)
    return Fit(None, WHOLE if left_over(unit, behind, custom) is None else behind)


def shown(items: Sequence[Item], unit: Unit, custom: Custom) -> set[Item]:
    """Of several messages of the spec that stand in one of a request, those that are there for sure.

    Those of which something is known, and the only one of which nothing is, where something is left for it.
    """
    known = [each for each in items if any(_texts_of(said, unit, custom) or said.parts for said in each.said)]
    others = [each for each in items if each not in known]
    texts = [(said, text) for each in known for said in each.said for text in _texts_of(said, unit, custom)]
    n_known = sum(_n_others(said.parts) for each in known for said in each.said)
    is_left = bool(_without(_words(unit, custom), texts).strip()) or _n_others(unit.parts) > n_known
    return {*known, *(others if len(others) == 1 and is_left else ())}


def left_over(unit: Unit, taken: Taken, custom: Custom) -> Misfit | None:
    """What of a message of a request is not explained."""
    if taken in (FREE, WHOLE):
        return None
    rest, n_others = _words(unit, custom)[taken[0] :].strip(), _n_others(unit.parts)
    if rest:
        return Misfit(None, f"it also says `{shortened(rest)}`")
    return Misfit(None, _more_than(unit, taken[1])) if n_others > taken[1] else None


def _words(unit: Unit, custom: Custom) -> str:
    """What a message says; tags that stand for a role are left out."""
    return _untagged(unit.text) if _has_tags(unit, custom) else unit.squeezed


def _has_tags(unit: Unit, custom: Custom) -> bool:
    return custom.is_system_apart and unit.role == "user" and IN_TAGS in unit.text


def _untagged(text: str) -> str:
    return squeezed(unescape(text.replace(IN_TAGS, " ").replace(IN_TAGS.replace("<", "</"), " ")))


def _texts_of(said: Said, unit: Unit, custom: Custom) -> list[str]:
    texts = [said.text or "", *(words_of(part) for part in said.parts if isinstance(part, Text | Output))]
    clean = _untagged if _has_tags(unit, custom) else squeezed
    return [text for text in map(clean, texts) if text]


def _absent(item: Item, unit: Unit, words: str, texts: Sequence[tuple[Said, str]], custom: Custom) -> Misfit | None:
    """The first piece that is known and not in a message."""
    begin, rest = 0, words
    for said in item.said:
        for text in (text for each, text in texts if each is said):
            at = rest.find(text, begin)
            if at < 0:
                return Misfit(said, f"`{shortened(text)}` is not in it")
            rest, begin = f"{rest[:at]}{rest[at + len(text) :]}", at
        wrong = next((part for part in said.parts if not _is_in(part, unit, has_thoughts=custom.has_thoughts)), None)
        if wrong is not None:
            return Misfit(said, _missing(wrong))
    return None


def _without(words: str, texts: Sequence[tuple[Said, str]]) -> str:
    """Words without those that are known."""
    begin = 0
    for _, text in texts:
        at = words.find(text, begin)
        if at >= 0:
            words, begin = f"{words[:at]}{words[at + len(text) :]}", at
    return words


def _wrong_ends(item: Item, unit: Unit, words: str, taken: Taken, custom: Custom, *, is_shared: bool) -> Misfit | None:
    """What is wrong with a message of which not all is known: what is known may have to be its beginning or its end."""
    if taken == WHOLE:
        return Misfit(item.said[0] if item.said else None, "the message says nothing more")
    if item.is_loose or item.role == "tool":
        return _too_few(item, unit, has_thoughts=custom.has_thoughts)
    first = _leading(item.said, unit, custom)
    if taken != FREE and _end(words, taken[0], first) is None:
        before = words[max(taken[0], 0) :].partition(first[0])[0].strip()
        return Misfit(item.said[0], f"it says `{shortened(before)}` before `{shortened(first[0])}`")
    last = [text[::-1] for text in _leading(item.said[::-1], unit, custom)]
    if not is_shared and _end(words[::-1], 0, last) is None:
        at = words.rfind(last[0][::-1]) + len(last[0])
        return Misfit(item.said[-1], f"it says `{shortened(words[at:].strip())}` behind `{shortened(last[0][::-1])}`")
    return _too_few(item, unit, has_thoughts=custom.has_thoughts)


def _leading(pieces: Sequence[Said], unit: Unit, custom: Custom) -> list[str]:
    """The known text with which pieces begin."""
    said = next(iter(pieces), None)
    return _texts_of(said, unit, custom)[:1] if said is not None and said.text else []


def _end(words: str, begin: int, texts: Sequence[str]) -> int | None:
    """Where texts end that stand one after the other in words; `None` where they do not."""
    for text in texts:
        begin += words[begin : begin + 1] == " "
        if not words.startswith(text, begin):
            return None
        begin += len(text)
    return begin


def _is_in(part: Part, unit: Unit, *, has_thoughts: bool) -> bool:
    if isinstance(part, Call):
        return any(call.tool == part.tool and dict(call.args) == dict(part.args) for call in unit.calls)
    if isinstance(part, Attachment):
        return any(isinstance(each, Attachment) and _may_be(part, each) for each in unit.parts)
    if isinstance(part, Thinking) and has_thoughts:  # its words may be left out
        thoughts = {squeezed(each.text) for each in unit.parts if isinstance(each, Thinking)}
        return squeezed(part.text) in thoughts or "" in thoughts
    return True  # words are compared as words


def _may_be(known: Attachment, other: Attachment) -> bool:
    """Whether an attachment of a request may be the one that a state knows: what both say is the same."""
    if "image" in (known.type, other.type) and known.type != other.type:
        return False
    pairs = ((known.data, other.data), (known.text, other.text), (known.href, other.href))
    if any(one and two and one != two for one, two in pairs):
        return False
    if other.href and not known.href and (known.path or known.name):
        return posixpath.basename(urlsplit(other.href).path) == posixpath.basename(known.path or known.name or "")
    return True


def _missing(part: Part) -> str:
    if isinstance(part, Thinking):
        return f"what the model thought, `{shortened(squeezed(part.text))}`, is not in it"
    return f"the call of `{part.tool}` is not in it" if isinstance(part, Call) else "the attachment is not in it"


def _surplus(item: Item, unit: Unit, rest: str) -> Misfit | None:
    """What a request has more than the spec."""
    if item.role == "tool" and item.n_outputs > 1:
        return None
    if rest.strip():
        return Misfit(None, f"it also says `{shortened(rest.strip())}`")
    expected = sum(_n_others(said.parts) for said in item.said)
    return Misfit(None, _more_than(unit, expected)) if _n_others(unit.parts) > expected else None


def _n_others(parts: Iterable[Part]) -> int:
    """How many parts are neither words nor thoughts."""
    return sum(isinstance(part, Call | Attachment) for part in parts)


def _more_than(unit: Unit, expected: int) -> str:
    """That a message has more calls or attachments than the spec sends."""
    n_others, one, several = _n_others(unit.parts), "attachment", "attachments"
    if unit.calls:
        is_mixed = len(unit.calls) < n_others
        one, several = "call of a tool", "calls of tools and attachments" if is_mixed else "calls of tools"
    return f"it has {n_others} {one if n_others == 1 else several} instead of {expected}"


def _too_few(item: Item, unit: Unit, *, has_thoughts: bool) -> Misfit | None:
    """A part that is no text cannot hold two pieces, and blank text is one piece."""
    n_others = sum(not isinstance(part, Text) for part in unit.parts)
    has_blank = n_others < len(unit.parts)
    pieces = [each for each in item.said if has_thoughts or not _is_thought(each)]
    if item.role == "tool" or unit.squeezed or len(pieces) <= max(n_others + has_blank, not unit.parts):
        return None  # a message without anything may be a piece that is empty
    said = next((each for each in pieces if not each.parts), pieces[0])
    count = counted(n_others, "part")
    return Misfit(said, f"the spec sends {len(pieces)} pieces, and the message has {count} and no text")


def _is_thought(said: Said) -> bool:
    return bool(said.parts) and all(isinstance(part, Thinking) for part in said.parts)

"""`of_parts()`: which parts are read again as they were, whatever stands between them; knows no format."""

import json
import re
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from typing import NamedTuple

from acdl_mkdocs.prompt import Call, Output, Part, Role

_MEANT = {
    "args_raw": "the arguments are not spelled as they were; their values are the same",
    "signature": "the signature is not kept",
    "more": "what one provider alone understands is not kept",
    "has_trigger": "that words of a person may ask for it is not kept",
}
"""Words for fields whose name says little."""
_TOLD_ONCE: Mapping[type[Part], str] = {Call: "signature", Output: "mime"}
"""What is said once about all messages, where it is gone."""
_LONGEST = 60
_PART = re.compile(r"messages\[\d+\]\.parts\[\d+\]")


class Placed(NamedTuple):
    """A part, and where it stands."""

    path: str
    role: Role
    part: Part


def of_parts(
    sent: Sequence[Placed], back: Sequence[Placed], told: Collection[str], whole: str = "messages"
) -> Iterator[tuple[str, str, bool]]:
    """Parts that differ and of which nothing is told: their places, sentences, and whether something is lost.

    Parameters:
        sent: Parts of a message, or of all messages, each with its place in the prompt.
        back: Parts that are read again.
        told: Places of what is known to be changed, as `covering` gives them.
        whole: Where all of them are.
    """
    is_told = any(_is_told(each.path, told) for each in sent)
    kinds, kinds_back = ([(each.role, type(each.part)) for each in placed] for placed in (sent, back))
    if kinds == kinds_back or (len(sent) == len(back) and not is_told and whole != "messages"):
        for before, after in zip(sent, back, strict=True):
            if before.part != after.part and not _is_told(before.path, told):
                yield from _of_part(before, after.part, told)
        return
    lost, new = _unmatched(sent, back)
    yield from _of_others(lost, new, told, whole)


def covering(told: Collection[str]) -> frozenset[str]:
    """Places, and those of all parts around them."""
    return frozenset((*told, *(found[0] for each in told if (found := _PART.match(each)))))


def _is_told(path: str, told: Collection[str]) -> bool:
    return path in told or path.rpartition("[")[0] in told


def _unmatched(sent: Sequence[Placed], back: Sequence[Placed]) -> tuple[list[Placed], list[Placed]]:
    """Parts that have none like them on the other side."""
    by_words: defaultdict[str, deque[int]] = defaultdict(deque)
    for number, each in enumerate(back):
        by_words[_words(each)].append(number)
    found: set[int] = set()
    lost = []
    for each in sent:
        waiting = by_words[_words(each)]
        if waiting:
            found.add(waiting.popleft())
        else:
            lost.append(each)
    return lost, [each for number, each in enumerate(back) if number not in found]


def _words(placed: Placed) -> str:
    """What a part says, as one text that is the same for the same."""
    part = placed.part
    if isinstance(part, Output) and part.call_id is not None:
        part = replace(part, tool=None)
    return f"{placed.role} {type(part).__name__} {json.dumps(asdict(part), sort_keys=True, default=dict)}"


def _of_others(
    lost: Sequence[Placed], new: Sequence[Placed], told: Collection[str], whole: str
) -> Iterator[tuple[str, str, bool]]:
    """What became of parts that are not there again, and what is there and was not meant."""
    by_kind: defaultdict[type[Part], deque[Placed]] = defaultdict(deque)
    for each in new:
        by_kind[type(each.part)].append(each)
    n_free: Counter[bool] = Counter()
    for before in lost:
        if _is_told(before.path, told):
            n_free[isinstance(before.part, Call)] += 1
        elif not by_kind[type(before.part)]:
            yield before.path, "the part is not read again", True
        else:
            after = by_kind[type(before.part)].popleft()
            if after.role != before.role and before.path.rpartition(".parts")[0] not in told:
                yield before.path, f"the part is read again in a message of `{after.role}`", True
            yield from _of_part(before, after.part, told)
    for each in (each for waiting in by_kind.values() for each in waiting):
        is_call = isinstance(each.part, Call)
        if n_free[is_call] == 0:
            what = f"a call of `{each.part.tool}`" if isinstance(each.part, Call) else "a part"
            yield whole, f"{what} is read again that the prompt does not have", True
        n_free[is_call] = max(n_free[is_call] - 1, 0)


def _of_part(sent: Placed, back: Part, told: Collection[str]) -> Iterator[tuple[str, str, bool]]:
    part, path = sent.part, sent.path
    if type(part) is not type(back):
        yield path, f"a part is read again as another kind of part, {type(back).__name__.lower()}", True
        return
    for each in fields(part):
        before, after = getattr(part, each.name), getattr(back, each.name)
        if before == after or ("messages" in told and after is None and _TOLD_ONCE.get(type(part)) == each.name):
            continue
        if isinstance(part, Output) and each.name == "parts":
            yield path, "the content of the result is not read again as it was", True
        elif not (isinstance(part, Output) and each.name == "tool" and before is None and part.call_id is not None):
            yield path, *said_of_field(each.name, before, after)


def said_of_field(name: str, before: object, after: object) -> tuple[str, bool]:
    """A sentence about a field that is otherwise, and whether something is lost."""
    if before is None:
        return f"`{name}` is filled in: {_short(after)}", False
    return _MEANT.get(name, f"`{name}` is read again as {_short(after)}"), name != "args_raw"


def _short(value: object) -> str:
    """A value as people write it: words, or JSON."""
    if value is None:
        return "nothing"
    plain = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
    words = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False, default=_plain)
    return f"`{words[:_LONGEST]}...`" if len(words) > _LONGEST else f"`{words}`"


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)

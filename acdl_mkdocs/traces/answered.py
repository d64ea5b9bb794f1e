"""Which call of a tool each result belongs to, and results in the order of their calls.

Programs that run several tools at once may send the results in the order in which these end: the id of a call says
which result is whose, not its place. Knows nothing of specs.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from acdl_mkdocs.prompts.prompt import Call, Message, Output
from acdl_mkdocs.traces.asked import Asked, asked_by
from acdl_mkdocs.traces.units import Unit

_Sent = TypeVar("_Sent", Unit, Message)


def in_order_of_calls(sent: Sequence[_Sent]) -> list[_Sent]:
    """The messages; of neighbouring results, all of known calls, that of the first call stands first."""
    found = list(sent)
    numbers: dict[str, int] = {}
    n_read = n_calls = 0
    for start, end in _groups(sent):
        for call in (part for each in sent[n_read:start] for part in each.parts if isinstance(part, Call)):
            n_calls += 1
            numbers[_name_of(call)] = n_calls
        n_read = end
        _sort(found, start, end, [numbers.get(_name_of_result(each)) for each in sent[start:end]])
    return found


def in_order_of(sent: Sequence[Unit], calls: Iterable[Asked]) -> list[Unit]:
    """The messages; of neighbouring results, all of known calls, those stand first whose calls do in a list."""
    found, places = list(sent), answered(sent)
    numbers = {call: number for number, call in enumerate(calls)}
    for start, end in _groups(sent):
        asked = [places.get(id(unit)) for unit in sent[start:end]]
        _sort(found, start, end, [None if each is None else numbers.get(each) for each in asked])
    return found


def _groups(sent: Sequence[Unit] | Sequence[Message]) -> Iterator[tuple[int, int]]:
    """Where neighbouring results begin and end, of which there are at least two."""
    start = 0
    for end, role in enumerate([each.role for each in sent]):
        if role != "tool":
            if end - start > 1:
                yield start, end
            start = end + 1
    if len(sent) - start > 1:
        yield start, len(sent)


def _sort(found: list[_Sent], start: int, end: int, places: Sequence[int | None]) -> None:
    """Put a part of a list in the order of its places, where all are known."""
    known = [place for place in places if place is not None]
    if len(known) == len(places) and known != sorted(known):
        pairs = sorted(zip(known, found[start:end], strict=True), key=lambda each: each[0])
        found[start:end] = [each for _, each in pairs]


def as_sent(units: Sequence[Unit]) -> list[Unit]:
    """The messages in the order of the request."""
    return sorted(units, key=lambda unit: (unit.message, unit.part))


def answered(units: Iterable[Unit]) -> dict[int, Asked]:
    """By the identity of each result: the call that it belongs to, the latest one of that id."""
    open_calls: dict[str, Asked] = {}
    found: dict[int, Asked] = {}
    for unit in units:
        if unit.calls:
            asked = asked_by(unit.calls)
            names = [_name_of(call) for call in unit.calls]
            open_calls.update(zip(names, asked, strict=True))
            for name in {name for name in names if names.count(name) > 1}:
                del open_calls[name]  # nothing says which of them a result belongs to
        elif unit.role == "tool" and (call := open_calls.get(_name_of_result(unit))) is not None:
            found[id(unit)] = call
    return found


def _name_of(call: Call) -> str:
    """What a result names a call by: its id, or where a provider has none, its tool."""
    return call.id or f"\0{call.tool}"


def _name_of_result(sent: Unit | Message) -> str:
    result = next((part for part in sent.parts if isinstance(part, Output)), None)
    return "" if result is None else result.call_id or f"\0{result.tool}"

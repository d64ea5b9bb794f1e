"""`KnownMessages`: messages that a body repeats from the body before it are read once. Knows no format."""

from collections.abc import Callable, Iterable

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompt import Json, Message
from acdl_mkdocs.wire.answers import Answers, Event
from acdl_mkdocs.wire.place import Place
from acdl_mkdocs.wire.results import Problem


@dataclass(frozen=True, slots=True)
class _Known:
    """What was read of one message of a body."""

    value: Json
    path: str
    is_special: bool
    messages: tuple[Message, ...]
    events: tuple[Event, ...]
    problems: tuple[Problem, ...]


class KnownMessages:
    """Messages of the last body, as far as the next one begins with them.

    Bodies that repeat a conversation have to repeat the same objects: whoever reads a recording sees to that.
    """

    def __init__(self) -> None:
        self._known: list[_Known] = []

    def read(
        self,
        places: Iterable[Place],
        answers: Answers,
        read_one: Callable[[Place, bool], Iterable[Message]],
        special: frozenset[int] = frozenset(),
    ) -> list[Message]:
        """Read the messages of a body.

        Parameters:
            places: The messages as the body has them.
            answers: Follows calls and results.
            read_one: Reads a message; it may depend on what `answers` was told before, and on nothing else.
            special: The numbers of messages that are read differently, which `read_one` is told.
        """
        if answers.events:  # what they depend on may differ from what it was for the last body
            self._known.clear()
        found: list[Message] = []
        number = -1
        for number, place in enumerate(places):
            known = self._repeated(number, place, is_special=number in special)
            n_problems, n_events = len(place.problems), len(answers.events)
            if known is None:
                messages = tuple(read_one(place, number in special))
                events, problems = tuple(answers.events[n_events:]), tuple(place.problems[n_problems:])
                known = _Known(place.value, place.path, number in special, messages, events, problems)
                self._known.append(known)
            else:
                answers.repeat(known.events, place.problems)
                place.problems[n_problems:] = known.problems
            found.extend(known.messages)
        del self._known[number + 1 :]
        return found

    def _repeated(self, number: int, place: Place, *, is_special: bool) -> _Known | None:
        """What is known of a message; those behind one that is not known depend on it, and are forgotten."""
        known = self._known[number] if number < len(self._known) else None
        if known is None or (
            known.value is place.value and known.path == place.path and known.is_special == is_special
        ):
            return known
        del self._known[number:]
        return None

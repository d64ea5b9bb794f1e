"""How many steps a regular expression takes: it is matched as `re` does, by trying one way after another, and counted.

`re` counts nothing, and a clock is not the same twice. So the tree that `re` makes of a pattern is walked here: what
each part of it can match is tried in the order of `re`, and each character that is looked at and each way that is tried
is a step. Nothing here is fast, so texts are short.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import islice
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as kinds
from re import _parser as parser
from typing import Any

REPEATS = (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT)
SINGLE = (kinds.LITERAL, kinds.NOT_LITERAL, kinds.ANY, kinds.IN)
Items = Iterable[tuple[Any, Any]]
_DEEPEST = 10_000
"""Calls in each other: a group that is repeated is a call for each time."""
Way = Callable[[int], Iterator[int]]
"""Where a part of a pattern can end that begins somewhere, in the order in which that is tried."""


class TooManyError(Exception):
    """More steps than anybody wants to see."""


@dataclass
class Run:
    """A text that is matched, and what that has cost."""

    text: str = ""
    most: int = 0
    n_steps: int = 0
    groups: dict[int, str] = field(default_factory=dict)

    def step(self, n: int = 1) -> None:
        """Count steps.

        Raises:
            TooManyError: There are more than the most.
        """
        self.n_steps += n
        if self.n_steps > self.most:
            raise TooManyError


@cache
def fits(kind: Any, value: Any, flags: int) -> Callable[[str], bool]:
    """Whether an element for one character takes a character."""
    one = parser.SubPattern(parser.State(), [(kind, list(value) if isinstance(value, tuple) else value)])
    one.state.flags = flags
    matches = compiler.compile(one, flags & ~re.VERBOSE).fullmatch
    known: dict[str, bool] = {}

    def does_fit(character: str) -> bool:
        if character not in known:
            known[character] = matches(character) is not None
        return known[character]

    return does_fit


def character(kind: Any, value: Any, flags: int) -> Callable[[str], bool]:
    """The same for a value of the parser, which may be a list."""
    return fits(kind, tuple(value) if isinstance(value, list) else value, flags & ~re.MULTILINE)


def sequence(items: Items, flags: int, run: Run) -> Way:
    """All of some elements, one behind the other."""
    ways = [way(kind, value, flags, run) for kind, value in items]
    if len(ways) == 1:
        return ways[0]

    def from_part(start: int, number: int) -> Iterator[int]:
        if number == len(ways):
            yield start
            return
        for end in ways[number](start):
            yield from from_part(end, number + 1)

    return lambda start: from_part(start, 0)


def way(kind: Any, value: Any, flags: int, run: Run) -> Way:
    """One element of a pattern."""
    if kind in SINGLE:
        return _single(character(kind, value, flags), run)
    if kind in REPEATS:
        return _repeat(kind, value, flags, run)
    return _WAYS[kind](value, flags, run)


def _single(does_fit: Callable[[str], bool], run: Run) -> Way:
    def one(start: int) -> Iterator[int]:
        text = run.text
        run.step()
        if start < len(text) and does_fit(text[start]):
            yield start + 1

    return one


def _repeat(kind: Any, value: Any, flags: int, run: Run) -> Way:
    low, high, body = value
    if len(body) == 1 and body[0][0] in SINGLE:
        repeated = _characters(character(body[0][0], body[0][1], flags), low, high, kind is kinds.MIN_REPEAT, run)
    else:
        repeated = _groups(sequence(body, flags, run), low, high, kind is kinds.MIN_REPEAT, run)
    return _first_of(repeated) if kind is kinds.POSSESSIVE_REPEAT else repeated


def _characters(does_fit: Callable[[str], bool], low: int, high: int, is_lazy: bool, run: Run) -> Way:
    def greedy(start: int) -> Iterator[int]:
        text = run.text
        end, most = start, min(len(text), start + high)
        while end < most and does_fit(text[end]):
            end += 1
        run.step(end - start + 1)
        for each in range(end, start + low - 1, -1):
            run.step()
            yield each

    def lazy(start: int) -> Iterator[int]:
        text = run.text
        for end in range(start, min(len(text), start + high) + 1):
            run.step()
            if end > start and not does_fit(text[end - 1]):
                return
            if end - start >= low:
                yield end

    return lazy if is_lazy else greedy


def _groups(body: Way, low: int, high: int, is_lazy: bool, run: Run) -> Way:
    def more(start: int, n: int) -> Iterator[int]:
        if n < high:
            for end in body(start):
                if end > start or n < low:
                    yield from greedy_or_lazy(end, n + 1)

    def greedy_or_lazy(start: int, n: int) -> Iterator[int]:
        run.step()
        if is_lazy and n >= low:
            yield start
        yield from more(start, n)
        if not is_lazy and n >= low:
            yield start

    return lambda start: greedy_or_lazy(start, 0)


def _first_of(tried: Way) -> Way:
    return lambda start: islice(tried(start), 1)


def _first(items: Any, flags: int) -> Callable[[str], bool] | None:
    """What takes the first character, where it is told by the first element."""
    return character(items[0][0], items[0][1], flags) if len(items) and items[0][0] in SINGLE else None


def _branch(value: Any, flags: int, run: Run) -> Way:
    branches = [(_first(each, flags), sequence(each, flags, run)) for each in value[1]]
    by_first: dict[str, list[Way]] = {}

    def one_of(start: int) -> Iterator[int]:
        run.step()
        first = run.text[start : start + 1]
        if first not in by_first:
            by_first[first] = [each for begins, each in branches if begins is None or (first and begins(first))]
        for each in by_first[first]:
            run.step()
            yield from each(start)

    return one_of


def _group(value: Any, flags: int, run: Run) -> Way:
    number, added, removed, items = value
    body = sequence(items, (flags | added) & ~removed, run)

    def kept(start: int) -> Iterator[int]:
        for end in body(start):
            before = run.groups.get(number)
            run.groups[number] = run.text[start:end]
            yield end
            if before is None:
                run.groups.pop(number, None)
            else:
                run.groups[number] = before

    return body if number is None else kept


def _looks(is_wanted: bool) -> Callable[[Any, int, Run], Way]:
    def make(value: Any, flags: int, run: Run) -> Way:
        direction, items = value
        body = sequence(items, flags, run)
        back = items.getwidth()[0] if direction < 0 else 0

        def looked(start: int) -> Iterator[int]:
            run.step()
            found = start >= back and next(body(start - back), None) is not None
            if found is is_wanted:
                yield start

        return looked

    return make


def _reference(value: Any, flags: int, run: Run) -> Way:
    del flags

    def same(start: int) -> Iterator[int]:
        words = run.groups.get(value)
        run.step(1 if words is None else len(words) + 1)
        if words is not None and run.text.startswith(words, start):
            yield start + len(words)

    return same


def _if_group(value: Any, flags: int, run: Run) -> Way:
    number, yes, no = value
    then, otherwise = sequence(yes, flags, run), sequence(no or [], flags, run)
    return lambda start: (then if number in run.groups else otherwise)(start)


def _place(value: Any, flags: int, run: Run) -> Way:
    one = parser.SubPattern(parser.State(), [(kinds.AT, value)])
    one.state.flags = flags
    search = compiler.compile(one, flags & ~re.VERBOSE).match

    def here(start: int) -> Iterator[int]:
        run.step()
        if search(run.text, start):
            yield start

    return here


_WAYS: dict[Any, Callable[[Any, int, Run], Way]] = {
    kinds.BRANCH: _branch,
    kinds.SUBPATTERN: _group,
    kinds.ASSERT: _looks(True),
    kinds.ASSERT_NOT: _looks(False),
    kinds.GROUPREF: _reference,
    kinds.GROUPREF_EXISTS: _if_group,
    kinds.AT: _place,
    kinds.ATOMIC_GROUP: lambda value, flags, run: _first_of(sequence(value, flags, run)),
}


def spans(pattern: str, flags: int, text: str, methods: frozenset[str], most: int) -> tuple[list[tuple[int, int]], int]:
    """What a pattern finds in a text, and the steps that it takes.

    Parameters:
        pattern: As `re` takes it.
        flags: Of `re`.
        text: What it is matched with.
        methods: What is called: the pattern is tried at the beginning for `match` and `fullmatch`, at each place up to
            the first find for `search`, and beyond it for any other, and where none is named.
        most: After so many steps the answer is that there are more.
    """
    find, run = _compiled(pattern, flags)
    run.text, run.most, run.n_steps = text, most, 0
    found: list[tuple[int, int]] = []
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEEPEST))
    try:
        _search(find, run, methods, found)
    except TooManyError:
        return found, most + 1
    finally:
        sys.setrecursionlimit(limit)
    return found, run.n_steps


@lru_cache(maxsize=4)
def _compiled(pattern: str, flags: int) -> tuple[Way, Run]:
    tree, run = parser.parse(pattern, flags), Run()
    return sequence(tree, tree.state.flags, run), run


def _search(find: Way, run: Run, methods: frozenset[str], found: list[tuple[int, int]]) -> None:
    is_here = bool(methods) and methods <= {"match", "fullmatch"}
    is_whole = methods == {"fullmatch"}
    start, after_empty = 0, False
    while start <= (0 if is_here else len(run.text)):
        run.step()
        run.groups.clear()
        ends = (
            end for end in find(start) if not (is_whole and end < len(run.text)) and not (after_empty and end == start)
        )
        end = next(ends, None)
        if end is None:
            start, after_empty = start + 1, False
            continue
        found.append((start, end))
        if is_here or methods == {"search"}:
            return
        start, after_empty = end, end == start

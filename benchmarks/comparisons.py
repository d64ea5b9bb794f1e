"""What `acdl diff` does with two long specs once they are read: as they are, changed everywhere, without likeness."""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from random import Random

from measure import Row, in_turn, timed_row
from specs import long

import acdl_mkdocs
from acdl_mkdocs.compare.structure.diff import diff
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.parse import Parsed, parse

N_LINES = 5_000
AT_MOST_MS = 3_000
N_POINTS = 50
SENT_AT_MOST_MS = 5_000


def measure() -> list[Row]:
    """All rows of this part."""
    rows = []
    for what, (old, new) in _pairs().items():
        sides = parse(Source(old)), parse(Source(new))
        compared, read = in_turn(3, partial(diff, *sides), partial(_read, old, new))
        against = ("reading both", read)
        rows.append(timed_row(f"diff, 2 x {N_LINES:,} lines, {what}", compared, at_most_ms=AT_MOST_MS, against=against))
    return [*rows, *_sent()]


def _sent() -> Iterator[Row]:
    """Two specs evaluated at many points: nothing changed, and every message."""
    values = {str(number): f"words {number} {'more ' * 60}" for number in range(1, N_POINTS + 60)}
    state = {"acdl_state": 1, "env": {"q": values}, "resp": {"a": values}}
    old = "P[@T]: { ForEach(t: range(@T, @T+50)) { U: env.q[@t-49] A: resp.a[@t-49] } }"
    at = f"50..{49 + N_POINTS}"
    other = old.replace("U: env.q[@t-49]", 'U: { "so" env.q[@t-49] }').replace("A: resp.a", 'A: "so" A: resp.a')
    for what, new in (("equal", old), ("every message", other)):
        (compared,) = in_turn(3, partial(acdl_mkdocs.diff_sent, old, new, state, at, tokens="none"))
        name = f"diff of what is sent, {N_POINTS} points x 100 messages, {what}"
        yield timed_row(name, compared, at_most_ms=SENT_AT_MOST_MS)


def _read(old: str, new: str) -> tuple[Parsed, Parsed]:
    return parse(Source(old)), parse(Source(new))


def _pairs() -> Mapping[str, tuple[str, str]]:
    """Texts to compare, by what is between them."""
    many, one = long(N_LINES), _one_spec("U: env.q{}[@T]\nIf sys.f{} {{ A: R{} }}")
    bodies = re.compile(r"(\]: \{\n)(.*?)(\n\}\n)", re.DOTALL)
    first, *lines, last = one.strip().split("\n")
    Random(1).shuffle(lines)  # noqa: S311 - nothing is secret
    return {
        "equal": (many, many),
        "one word": (many, many.replace("INSTRUCTIONS_AND_TOOLS", "OTHER", 1)),
        "a bound and a role in every spec": (
            many,
            many.replace("@t.substeps)", "@t.substeps + 1)").replace("A: resp.answer", "U: resp.answer"),
        ),
        "a block around every spec": (many, bodies.sub(r"\1If x {\n\2\n}\3", many)),
        "nothing in common": (many, _one_spec("ForEach(d: env.a{}) {{ S: d.b{} }}\nU: {{ B{}\n}}")),
        "one spec, shuffled": (one, "\n".join((first, *lines, last))),
    }


def _one_spec(lines: str) -> str:
    """One long spec of statements that are much like each other."""
    body = "\n".join(lines.format(number % 50, number % 7, number % 13) for number in range(N_LINES // 2))
    return f"P[@T]: {{\n{body}\n}}\n"

"""Examples with one token deleted, doubled or exchanged with the next: the checker survives and points at the place."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import pytest
from exhaustive import few

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.syntax.tokenize import tokenize

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.acdl"))

Kind = Literal["delete", "double", "exchange"]

N_MUTANTS = 1_700
"""Of each kind, at least."""
N_OF_A_TEXT = 50
"""Of each kind, from one text, at most."""
LONG = 60
"""Lines of an example that is not taken as a whole."""
NEAR = 2
"""Lines between a mutation and the message about it that a person still sees at once."""
WANTED = 0.93
"""Part of the rejected mutants whose first error is near."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A text that was changed at one place."""

    name: str
    text: str
    place: Span
    """Where it was changed, in the new text."""


def mutant(path: Path, text: str, first: Span, second: Span, kind: Kind) -> Mutant:
    """Change a token of a text, which another one follows."""
    token, rest = text[first.start : first.end], text[first.end :]
    if kind == "delete":
        changed, end = text[: first.start] + rest, first.start
    elif kind == "double":
        changed, end = f"{text[: first.end]} {token}{rest}", first.end + 1 + len(token)
    else:
        between, other = text[first.end : second.start], text[second.start : second.end]
        changed, end = f"{text[: first.start]}{other}{between}{token}{text[second.end :]}", second.end
    return Mutant(path.name, changed, Span(first.start, end))


def errors_in(source: Source) -> list[Diagnostic]:
    """What a text is rejected for."""
    return [found for found in analyse(source).diagnostics if found.severity == "error"]


def texts(path: Path) -> Iterator[str]:
    """An example; a long one definition by definition, as far as these stand alone."""
    source = Source(path.read_text("utf-8"), path.name)
    if len(source.line_starts) <= LONG:
        yield source.text
        return
    for (definition,) in analyse(source).resolved.definitions.values():
        span = definition.node.span
        text = source.text[span.start : span.end] + "\n"
        if not errors_in(Source(text)):
            yield text


def mutants(kind: Kind) -> Iterator[Mutant]:
    """Different mutants of every example, more of the short ones."""
    chosen = random.Random(f"mutants: {kind}")  # noqa: S311 - the same ones in every run
    for path in EXAMPLES:
        for text in texts(path):
            tokens = [token.span for token in tokenize(text).tokens if token.end > token.start]
            for at in sorted(chosen.sample(range(len(tokens) - 1), min(N_OF_A_TEXT, len(tokens) - 1))):
                yield mutant(path, text, tokens[at], tokens[at + 1], kind)


def distance(source: Source, place: Span, found: Span) -> int:
    """Lines between the place of a mutation and that of a message."""
    first, last, line = (source.line_index(at) for at in (place.start, place.end, found.start))
    return max(first - line, line - last, 0)


@pytest.mark.parametrize("kind", few(get_args(Kind)))
def test_mutants(kind: Kind) -> None:
    """None makes the checker fail or hang; nearly all messages are where the mistake is."""
    n_rejected = 0
    far: list[str] = []
    made = tuple(dict.fromkeys(mutants(kind)))
    assert len(made) >= N_MUTANTS
    for each in made:
        source = Source(each.text, each.name)
        errors = errors_in(source)
        if errors:
            n_rejected += 1
            first = min(errors, key=lambda found: found.label.span.start)
            if distance(source, each.place, first.label.span) > NEAR:
                line = source.line_index(each.place.start) + 1
                far.append(f"{each.name}:{line}: {source.find_place(first.label.span.start).line}: {first.message}")
    assert n_rejected > len(made) // 2
    assert len(far) <= (1 - WANTED) * n_rejected, "\n".join(sorted(far))

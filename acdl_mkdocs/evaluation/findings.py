"""What an evaluation says about itself, once at each place, and what is needed and not known."""

from collections.abc import Callable, Iterable
from dataclasses import field
from functools import partial

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.state import MissingMode
from acdl_mkdocs.evaluation.transcript import Choice, Finding
from acdl_mkdocs.evaluation.values import Unknown, Value, kind_of, specials_in
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.nodes import Expression

MOST = 1000
"""More findings than anyone reads."""


@dataclass(slots=True)
class Findings:
    """Grows while a spec is evaluated."""

    missing: MissingMode
    """What becomes of content that the state does not have."""
    found: dict[tuple[Source, str, Span, str], Finding] = field(default_factory=dict)
    lacking: list[Unknown] = field(default_factory=list)
    """What was needed as words and is not known."""
    _choices: dict[tuple[Source, Span, str], Choice] = field(default_factory=dict)
    _told: set[tuple[Source, str, Span]] = field(default_factory=set)
    _is_full: bool = False

    def say(self, here: Here, diagnostic: Diagnostic) -> None:
        """Something to be said about a place."""
        key = (here.source, diagnostic.rule, diagnostic.label.span, diagnostic.message)
        if key in self.found:
            return
        if len(self.found) < MOST:
            self.found[key] = Finding(here.source, diagnostic)
        elif diagnostic.severity == "error" and not self._is_full:
            self._is_full = True
            more = problems.limit(diagnostic.label.span, f"more than {MOST:,} problems; the others are not listed")
            self.found[(here.source, more.rule, more.label.span, more.message)] = Finding(here.source, more)

    def say_once(self, here: Here, rule: str, span: Span, problem: Callable[[], Diagnostic]) -> None:
        """Something to be said about a place the first time that it comes up there."""
        key = (here.source, rule, span)
        if key not in self._told:
            self._told.add(key)
            self.say(here, problem())

    def need(self, here: Here, unknowns: Iterable[Unknown]) -> None:
        """Values are needed and not known: errors, unless stand-ins were asked for."""
        for unknown in unknowns:
            self.lacking.append(unknown)
            if unknown.problem is None or self._is_full:
                continue
            if unknown.kind != "missing" or self.missing == "error":
                self.say(here, unknown.problem())
            elif self.missing == "empty":
                problem = unknown.problem()
                self.say_once(here, "missing-value", problem.label.span, partial(problems.left_out, problem))

    def tell_flattened(self, here: Here, span: Span, value: Value) -> None:
        """Say that calls, results, images and thoughts in a value become text."""
        if isinstance(value, str | int):
            return
        part = next(specials_in(value), None)
        if part is not None:
            self.say_once(here, "flattened-part", span, lambda: problems.flattened(span, kind_of(part)))

    def undecided(self, here: Here, condition: Expression, text: str, unknown: Unknown) -> None:
        """A condition that the state does not decide: an error, or a choice that was left free."""
        if unknown.kind == "error":
            self.need(here, (unknown,))
        elif self.missing == "error":
            self.say(here, problems.undecided(condition.span, text, unknown.text))
        else:
            choice = Choice(here.origin(condition.span), text, (unknown.text,))
            self._choices.setdefault((here.source, condition.span, unknown.text), choice)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The conditions that were left free."""
        return tuple(self._choices.values())

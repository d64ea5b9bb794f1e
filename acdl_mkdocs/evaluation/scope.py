"""Meaning of names at one place during an evaluation: loop variables, parameters, `Name`s, parts of the time."""

from dataclasses import field

from acdl_mkdocs.evaluation.transcript import Origin, Round
from acdl_mkdocs.evaluation.values import ABSENT, Absent, Time, Value
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.nodes import Fragment


@dataclass(slots=True)
class Scope:
    """The names of one block; those of the blocks around it are visible too."""

    outer: "Scope | None" = None
    variables: dict[str, Value] = field(default_factory=dict)
    """Loop variables and parameters, written `x` or `@x`."""
    names: dict[str, Value] = field(default_factory=dict)
    """Values that `Name` defines, written `$x`."""

    def get_variable(self, name: str) -> Value | Absent:
        """Return the value of a loop variable or parameter."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.variables:
                return scope.variables[name]
            scope = scope.outer
        return ABSENT

    def get_name(self, name: str) -> Value | Absent:
        """Return the value of a `Name`, once it has been evaluated."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return ABSENT


@dataclass(frozen=True, slots=True)
class PromptTime:
    """A point in time and the names of its parts in a title: `T` of `[@T.I]` is the turn, `I` the step."""

    names: tuple[str, ...]
    at: Time

    def get_part(self, name: str) -> Value:
        """Return the part of the time with a name of `names`: a turn as a time, a step as a number."""
        position = self.names.index(name)
        number = self.at.get_part(position)
        return Time((number,)) if position == 0 else number


@dataclass(frozen=True, slots=True)
class Here:
    """The place of an expression."""

    source: Source
    """The text that its spans are of."""
    scope: Scope
    now: PromptTime
    """The time that the title of the spec or of the fragment around it names."""
    loop_time: Time | None = None
    """The value of the nearest loop over times around it."""
    substep: int | None = None
    """The number of the step in the nearest loop over steps around it."""
    stack: tuple[Round, ...] = ()
    """Rounds and fragments around it, the outermost first."""
    fragments: tuple[Fragment, ...] = ()
    """The fragments around it, the outermost first."""

    def enter_block(self) -> "Here":
        """Return the same place in a new scope."""
        return Here(self.source, Scope(self.scope), self.now, self.loop_time, self.substep, self.stack, self.fragments)

    def bind_variable(self, name: str, value: Value) -> "Here":
        """Return the place in one round of a loop, with its variable bound and, for a loop over times, its time."""
        time = value if isinstance(value, Time) else self.loop_time
        scope = Scope(self.scope, {name: value})
        return Here(self.source, scope, self.now, time, self.substep, self.stack, self.fragments)

    def enter_round(self, turn: Round, substep: int | None) -> "Here":
        """Return the place inside a loop that an expression can be traced back to."""
        number = self.substep if substep is None else substep
        return Here(self.source, self.scope, self.now, self.loop_time, number, (*self.stack, turn), self.fragments)

    def locate_span(self, span: Span) -> Origin:
        """Return the origin for a span."""
        return Origin(self.source, span)

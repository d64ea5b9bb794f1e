"""The times in expressions: which index is the current one, the distance between two, what loops run over.

Only certain results are returned; everything else is `None` or `False`.
"""

from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.outline import InheritedFact, Outline, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import (
    Comprehension,
    ContextVar,
    Expression,
    Field,
    ForEach,
    Group,
    Identifier,
    Index,
    Node,
    Number,
    Operation,
    Prompt,
    Range,
    Symbol,
    TimeIndex,
    Unary,
)
from acdl_mkdocs.language.syntax.pragmas import read_settings


@dataclass(frozen=True, slots=True)
class Distance:
    """An expression as something that is not known here plus a known number: `@T-5` is five before `@T`."""

    origin: str
    """The unknown part as words, such as `@T` or `@T.I`; empty for a plain number."""
    steps: int

    def __str__(self) -> str:
        """Format the distance: `@T`, `@T-5`."""
        return f"{self.origin}{self.steps:+d}" if self.steps else self.origin


def range_mode(resolved: Resolved, config: Config) -> RangeMode:
    """Return how ranges are read in a text: by its comment `// acdl: range=...`, else by the project's setting."""
    return "inclusive" if read_settings(resolved.parsed.file).get("range", config.range) == "inclusive" else "half-open"


def is_current(time: Node, resolved: Resolved, outline: Outline) -> bool:
    """Return whether an index is the time that the prompt is built for: `@T`, or a time parameter of the spec.

    A parameter of a fragment has any value that the caller passes, so it is not.
    """
    if not isinstance(time, TimeIndex) or time.is_reference or not time.name or time.name[0].isdigit():
        return False
    binder = resolved.bindings.get(time)
    if binder is None:
        return time.name.isupper() and time not in resolved.wrong_signs
    return isinstance(outline.parents.get(binder), Prompt)


def format_time(time: TimeIndex) -> str:
    """Format an index with plain parts: `@T`, `@t.i`."""
    sign = "@$" if time.is_reference else "@"
    return sign + time.name + "".join(f".{part.name}" for part in time.parts if isinstance(part, Field))


def measure_distance(value: Expression) -> Distance | None:
    """Return an index plus or minus whole numbers as a distance; `None` for any other expression."""
    match value:
        case Number():
            return Distance("", int(value.text)) if value.text.isdecimal() else None
        case TimeIndex() if all(isinstance(part, Field) for part in value.parts):
            is_number = value.name.isdecimal() and not value.parts
            return Distance("", int(value.name)) if is_number else Distance(format_time(value), 0)
        case Symbol(parts=()):
            return Distance(value.name, 0)
        case Group():
            return measure_distance(value.value)
        case Unary(operators=("-",)):
            inner = measure_distance(value.value)
            return Distance("", -inner.steps) if inner is not None and not inner.origin else None
        case Operation():
            return _sum_distance(value)
        case _:
            return None


def _sum_distance(value: Operation) -> Distance | None:
    origin, steps = "", 0
    for operator, operand in zip(("+", *value.operators), value.operands, strict=True):
        inner = measure_distance(operand)
        if inner is None or operator not in ("+", "-") or (inner.origin and (origin or operator == "-")):
            return None
        origin = origin or inner.origin
        steps += -inner.steps if operator == "-" else inner.steps
    return Distance(origin, steps)


def first_time(value: Expression) -> TimeIndex | None:
    """Return the index that a distance is relative to: the `@T` of `@T-1`."""
    match value:
        case TimeIndex():
            return value
        case Group():
            return first_time(value.value)
        case Operation():
            return next((time for each in value.operands if (time := first_time(each)) is not None), None)
        case _:
            return None


def distance_from_now(value: Expression, resolved: Resolved, outline: Outline) -> Distance | None:
    """Return the distance of an expression from the current time; `None` if it is not relative to it."""
    now = first_time(value)
    return measure_distance(value) if now is not None and is_current(now, resolved, outline) else None


def loop_of(variable: Node, outline: Outline) -> ForEach | Comprehension | None:
    """Return the loop that binds a variable."""
    loop = outline.parents.get(variable)
    return loop if isinstance(loop, (ForEach, Comprehension)) and loop.variable is variable else None


def exclusive_range_of(value: Expression, resolved: Resolved, outline: Outline) -> Range | None:
    """Return the range of the loop that binds a name, if it excludes its end."""
    if not isinstance(value, (TimeIndex, Symbol)) or value.parts:
        return None
    loop = loop_of(resolved.bindings.get(value, value), outline)
    bounds = loop.iterable if loop is not None else None
    if not isinstance(bounds, Range) or bounds.includes_stop or isinstance(outline.parents.get(value), ContextVar):
        return None
    return bounds


def definitions_with_last_turn(resolved: Resolved, outline: Outline) -> set[Node | None]:
    """Return the specs and fragments that read the turn before the current one: some value at `@T-1`."""
    definitions: set[Node | None] = set()
    for value in outline.nodes_of(Operation):
        now = distance_from_now(value, resolved, outline) if isinstance(outline.parents.get(value), Index) else None
        if now is not None and now.steps == -1:
            definitions.add(outline.definition_of(value))
    return definitions


def runs_over_time(loop: ForEach | Comprehension) -> bool:
    """Return whether a loop certainly runs over turns or steps: its range ends at or begins with an index."""
    bounds = loop.iterable
    if not isinstance(bounds, Range):
        return False
    return any(
        (time := first_time(bound)) is not None and not time.parts and bool(time.name)
        for bound in (bounds.start, bounds.stop)
    )


def turns_of_loops(outline: Outline) -> InheritedFact[str]:
    """Return, for any node, the variable of the innermost loop over time around it; empty if there is none."""
    return InheritedFact(outline.parents, _turn_of_loop, "")


def _turn_of_loop(inner: Node, outer: Node) -> str | None:
    is_inside = isinstance(outer, (ForEach, Comprehension)) and inner is not outer.iterable
    if is_inside and isinstance(outer, (ForEach, Comprehension)) and outer.variable and runs_over_time(outer):
        return outer.variable.name
    return None


def time_binder(use: Node, resolved: Resolved) -> Node | None:
    """Return what binds a name to a time: the variable of a loop over time, or a name written with `@`."""
    binder = resolved.bindings.get(use)
    if isinstance(binder, Identifier):
        return binder if is_time_variable(binder, build_outline(resolved.parsed.file)) else None
    if isinstance(binder, TimeIndex) and isinstance(use, Symbol):
        return binder if binder.name == use.name else None
    return None


def is_time_variable(variable: Identifier, outline: Outline) -> bool:
    """Return whether a loop variable is a time: its range consists of times, or it is written with `@`."""
    loop = loop_of(variable, outline)
    if loop is not None and isinstance(loop.iterable, Range):
        return runs_over_time(loop)
    return variable.is_time


def is_bare_time(word: Symbol, resolved: Resolved) -> bool:
    """Return whether a word is a step without its `@`: `T.I`, `T.0`, `t.substeps`."""
    first = word.parts[0] if word.parts else None
    if not isinstance(first, Field):
        return False
    if word in resolved.bindings:
        return time_binder(word, resolved) is not None
    is_part = first.name in ("substeps", "*") or first.name.isdigit() or len(first.name) == 1
    return word.name in ("t", "T") and is_part

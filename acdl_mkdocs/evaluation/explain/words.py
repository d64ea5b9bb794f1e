"""Expressions in English: times, values, conditions and loops.

What has no short name in English is shown as it is written, between backticks.
"""

from typing import assert_never

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.times import Distance, distance, first_time
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Call,
    Comprehension,
    ContextVar,
    Expression,
    Field,
    ForEach,
    FragUse,
    Group,
    HostValue,
    Identifier,
    Index,
    ListOf,
    MessageNumber,
    NameRef,
    Number,
    Operation,
    Range,
    String,
    Symbol,
    Template,
    TimeIndex,
    Unary,
)
from acdl_mkdocs.language.syntax.words import WRITTEN, text_of, words_of, written_variable


def most_rounds(bounds: Range, mode: RangeMode) -> int | None:
    """Return the largest number of rounds of a range; `None` if the distance between its ends varies."""
    first, last = distance(bounds.start), distance(bounds.stop)
    if first is None or last is None or first.origin != last.origin or bounds.step is not None:
        return None
    is_open = not bounds.includes_stop and mode == "half-open"
    return max(last.steps - first.steps + (not is_open), 0)


def growth(iterable: Expression, fixed: frozenset[str], mode: RangeMode) -> str | None:
    """Describe the limit of the growth of a loop: empty if it grows for ever, `None` if it may not grow.

    Parameters:
        iterable: What the loop runs over. A list of the state may or may not grow, so the result is `None` for it.
        fixed: Names whose values are constant while the loop runs: variables of loops around it.
        mode: How `range(a, b)` is read.
    """
    while isinstance(iterable, Group):
        iterable = iterable.value
    if not isinstance(iterable, Range) or not is_moving(iterable.stop, fixed):
        return None
    most = _most(iterable, mode)
    if most is not None:
        return f"never more than {most}" if most else None
    if isinstance(iterable.stop, Call):
        return "up to a limit"
    if is_moving(iterable.start, fixed):
        return "both ends move"
    first = distance(iterable.start)
    return "" if first is not None and not first.origin else "while its beginning stays"


def is_moving(value: Expression, fixed: frozenset[str]) -> bool:
    """Return whether an end of a range moves with time."""
    if isinstance(value, Call):
        return value.name in ("min", "max") and any(is_moving(each, fixed) for each in _arguments(value))
    found = distance(value)
    name = found.origin.removeprefix("@").partition(".")[0] if found is not None else ""
    is_time = found is not None and found.origin.startswith("@")
    is_held = name.startswith("$")  # the time of a `Name` is in the state
    return bool(name) and not is_held and name not in fixed and (is_time or name.isupper())


def _most(bounds: Range, mode: RangeMode) -> int | None:
    """Return the result of `most_rounds`, also if the range begins with `max(1, @T-6)`."""
    start = bounds.start
    if not isinstance(start, Call) or start.name != "max":
        return most_rounds(bounds, mode)
    last, is_open = distance(bounds.stop), not bounds.includes_stop and mode == "half-open"
    for each in _arguments(start):
        first = distance(each)
        if first is not None and last is not None and first.origin == last.origin and bounds.step is None:
            return max(last.steps - first.steps + (not is_open), 0)
    return None


def _arguments(call: Call) -> list[Expression]:
    return [each for part in call.parts if isinstance(part, Arguments) for each in part.values]


_LONGEST = 160
_COMPARED = {
    "==": "is",
    "!=": "is not",
    "<": "is less than",
    ">": "is more than",
    "<=": "is at most",
    ">=": "is at least",
}
_IN_TIME = {
    "==": "is",
    "!=": "is not",
    "<": "is before",
    ">": "is after",
    "<=": "is not after",
    ">=": "is not before",
}
_JOINED = {"&": "and", "&&": "and", "and": "and", "|": "or", "||": "or", "or": "or"}
_NOT = ("!", "not")
NEVER = "never"
"""The beginning of the sentence about a loop without rounds."""


@dataclass(frozen=True, slots=True)
class Now:
    """Names of times at the place of an expression."""

    levels: tuple[str, ...] = ("T", "I")
    """The names of the present turn and step in the title of a spec; in a fragment, nothing is known to be present."""
    mode: RangeMode = "half-open"
    """How `range(a, b)` is read."""
    fixed: frozenset[str] = frozenset()
    """Names whose values do not change with time: variables of loops around, and constant arguments of a fragment."""


def code(node: Expression) -> str:
    """Quote an expression in normal form."""
    text = text_of(words_of(node, WRITTEN))
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}`"


# --------------------------------------------------------------------------------------------------------------- times


def time(node: Expression, now: Now) -> str:
    """Describe a time: `the present turn`, `the turn before`, `step i of turn t`; empty if it has no name."""
    found = distance(node) if first_time(node) is not None else None
    if found is None or not found.origin.startswith("@"):
        return f"turn {found.steps}" if found is not None and not found.origin else ""
    name, _, rest = found.origin.removeprefix("@").partition(".")
    if "." in rest:
        return ""
    if not rest:
        return _moved(_turn(name, now), "turn", found.steps)
    step = _step(rest, now, is_present=name == _level(now, 0))
    turn = "" if step == "the present step" else f" of {_turn(name, now)}" if name else ""
    return _moved(f"{step}{turn}", "step", found.steps)


def _level(now: Now, number: int) -> str:
    return now.levels[number] if number < len(now.levels) else ""


def _turn(name: str, now: Now) -> str:
    return "the present turn" if name == _level(now, 0) else f"turn {name}"


def _step(name: str, now: Now, *, is_present: bool) -> str:
    if name == "*":
        return "all steps"
    return "the present step" if is_present and name == _level(now, 1) else f"step {name}"


def _moved(time: str, noun: str, steps: int) -> str:
    """Describe a time some turns or steps earlier or later."""
    if not steps:
        return time
    side = "before" if steps < 0 else "after"
    count = f"the {noun}" if abs(steps) == 1 else f"{abs(steps)} {noun}s"
    return f"{count} {side} {time}"


# -------------------------------------------------------------------------------------------------------------- values


def value(node: Expression, now: Now) -> str:
    """Describe an expression as a noun."""
    match node:
        case ContextVar():
            return _variable(node, now)
        case Template():
            given = [each for part in node.parts if isinstance(part, Arguments) for each in part.values]
            filled = f", filled with {_listed([value(each, now) for each in given])}" if given else ""
            return f"the template `{node.name}`{filled}"
        case Call():
            return f"what {code(node)} gives"
        case HostValue():
            return f"what another tool puts in for {code(node)}"
        case String():
            return f"the words {code(node)}"
        case Group():
            return value(node.value, now)
        case TimeIndex():
            said = time(node, now)
            return f"the number of {said}" if said and not node.name.isdecimal() else code(node)
        case NameRef() | Symbol() | MessageNumber() | Number() | Unary() | Operation():
            return code(node)
        case ListOf() | Comprehension() | Range() | FragUse():
            return code(node)
        case _:
            assert_never(node)


def _variable(node: ContextVar, now: Now) -> str:
    """Describe a variable: `env.question` of the present turn; unchanged if it has several indices."""
    indices = [part for part in node.parts if isinstance(part, Index)]
    fields = [part.name for part in node.parts if isinstance(part, Field)]
    path = f"`{'.'.join([node.namespace, *fields])}`"
    if not indices and len(fields) == len(node.parts):
        return path
    said = time(indices[0].values[0], now) if len(indices) == 1 and len(indices[0].values) == 1 else ""
    if not said or len(indices) + len(fields) != len(node.parts):
        return code(node)
    return f"{path} of {said}"


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


# ---------------------------------------------------------------------------------------------------------- conditions


def condition(node: Expression, now: Now) -> str:
    """Describe a condition as a clause: `the number of the present turn is more than 1`."""
    match node:
        case Group():
            return condition(node.value, now)
        case Unary(operators=operators) if operators and all(each in _NOT for each in operators):
            return _unless(node, now) if len(operators) % 2 else condition(node.value, now)
        case Operation(operators=operators) if all(each in _JOINED for each in operators):
            words = [_part(each, now) for each in node.operands]
            said = words[0]
            for operator, each in zip(operators, words[1:], strict=True):
                said += f" {_JOINED[operator]} {each}"
            return said
        case Operation(operators=(operator,), operands=(left, right)) if operator in _COMPARED:
            if isinstance(left, TimeIndex) and (one := time(left, now)) and (other := _time_or_number(right, now, one)):
                return f"{one} {_IN_TIME[operator]} {other}"
            return f"{value(left, now)} {_COMPARED[operator]} {_compared(right, now)}"
        case ContextVar() | NameRef() | Symbol() | Call():
            return f"there is {value(node, now)}"
        case TimeIndex() if node.parts:
            return _reached(node, now)
        case _:
            return f"{code(node)} holds"


def _reached(node: TimeIndex, now: Now) -> str:
    """Describe a time used as a condition: `@T.0` means before the first step, `@T.I` after it."""
    last = node.parts[-1]
    turn = _turn(node.name, now)
    if isinstance(last, Field) and last.name == "0":
        return f"no step of {turn} is made yet"
    return f"{code(node)} holds (a step of {turn} is made; in a loop over steps, it is that one)"


def _time_or_number(node: Expression, now: Now, other: str) -> str:
    """Describe what a time is compared with; a plain number is of the same kind as the other side."""
    if isinstance(node, Number):
        return f"{'step' if 'step' in other else 'turn'} {node.text}"
    return time(node, now)


def _compared(node: Expression, now: Now) -> str:
    is_word = isinstance(node, Number | String) or (isinstance(node, Symbol) and not node.parts)
    return code(node).strip("`") if is_word else value(node, now)


def _part(node: Expression, now: Now) -> str:
    """Describe a condition inside another: in brackets if the words alone would be ambiguous."""
    inner = node.value if isinstance(node, Group) else node
    is_joined = isinstance(inner, Operation) and any(each in _JOINED for each in inner.operators)
    said = condition(inner, now)
    return f"({said})" if is_joined else said


def _unless(node: Unary, now: Now) -> str:
    inner = node.value.value if isinstance(node.value, Group) else node.value
    if isinstance(inner, ContextVar | NameRef | Symbol | Call):
        return f"there is no {value(inner, now)}".replace("no what", "nothing that")
    return f"it is not so that {condition(inner, now)}"


# --------------------------------------------------------------------------------------------------------------- loops


def loop(node: ForEach, now: Now) -> str:
    """Describe a loop: `for each turn t from 1 to the turn before the present turn`."""
    if node.variable is None or node.iterable is None:
        return "again and again (the loop is not understood)"
    return rounds(node.variable, node.iterable, now)


def rounds(variable: Identifier, iterable: Expression, now: Now) -> str:
    """Describe the rounds of a loop or a comprehension."""
    name = f"`{written_variable(variable)}`"
    if not isinstance(iterable, Range):
        return f"for each {name} of {value(iterable, now)}"
    bounds = iterable
    most = most_rounds(bounds, now.mode)
    if most == 0:
        return f"{NEVER}, since {code(bounds)} has nothing in it"
    noun = _noun(bounds.stop, now)
    every = f", every {code(bounds.step)}" if bounds.step is not None else ""
    start = _bound(bounds.start, noun, now)
    is_open = not bounds.includes_stop and now.mode == "half-open"
    if is_open and (bounds.step is not None or distance(bounds.stop) is None):
        return f"for each {noun} {name} from {start} up to, but without, {_bound(bounds.stop, noun, now)}{every}"
    stop = _bound(bounds.stop, noun, now, -1 if is_open else 0)
    return f"for each {noun} {name} from {start} to {stop}{every}{_window(bounds, most)}"


def _window(bounds: Range, most: int | None) -> str:
    """Describe the largest number of rounds if both ends move together."""
    first = distance(bounds.start)
    return f" (never more than {most})" if most is not None and first is not None and first.origin else ""


def _noun(stop: Expression, now: Now) -> str:
    """Return the noun for what a loop counts."""
    found = distance(stop)
    name = found.origin.removeprefix("@") if found is not None else ""
    if name.endswith(".substeps") or (len(now.levels) > 1 and name in (now.levels[1], ".".join(now.levels[:2]))):
        return "step"
    return "turn" if name and name == _level(now, 0) else "number"


def _bound(node: Expression, noun: str, now: Now, moved: int = 0) -> str:
    """Describe an end of a range, or one step earlier than it is written."""
    found = distance(node)
    if found is None:
        return code(node)
    found = Distance(found.origin, found.steps + moved)
    if not found.origin:
        return str(found.steps)
    name = found.origin.removeprefix("@")
    if noun == "turn" and name == _level(now, 0):
        return _moved("the present turn", "turn", found.steps)
    if noun == "step" and name.rpartition(".")[2] == _level(now, 1):
        return _moved("the present step", "step", found.steps)
    if name.endswith(".substeps") and not found.steps:
        return f"the last step of {_turn(name.partition('.')[0], now)}"
    return f"`{found}`"

"""Expressions in English: times, values, conditions and loops.

What has no short name in English is shown as it is written, between backticks.
"""

from dataclasses import replace
from typing import assert_never

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.times import Distance, first_time, format_time, measure_distance
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
    list_case_values,
)
from acdl_mkdocs.language.syntax.words import WRITTEN, format_variable, text_of, words_of


def count_most_rounds(bounds: Range, mode: RangeMode) -> int | None:
    """Return the largest number of rounds of a range; `None` if the distance between its ends varies."""
    first, last = measure_distance(bounds.start), measure_distance(bounds.stop)
    if first is None or last is None or first.origin != last.origin or bounds.step is not None:
        return None
    is_open = not bounds.includes_stop and mode == "half-open"
    return max(last.steps - first.steps + (not is_open), 0)


def describe_growth(iterable: Expression, fixed: frozenset[str], mode: RangeMode) -> str | None:
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
    most = _find_most_rounds(iterable, mode)
    if most is not None:
        return f"never more than {most}" if most else None
    if isinstance(iterable.stop, Call):
        return "up to a limit"
    if is_moving(iterable.start, fixed):
        return "both ends move"
    first = measure_distance(iterable.start)
    return "" if first is not None and not first.origin else "while its beginning stays"


def is_moving(value: Expression, fixed: frozenset[str]) -> bool:
    """Return whether an end of a range moves with time."""
    if isinstance(value, Call):
        return value.name in ("min", "max") and any(is_moving(each, fixed) for each in _list_arguments(value))
    distance = measure_distance(value)
    name = distance.origin.removeprefix("@").partition(".")[0] if distance is not None else ""
    is_time = distance is not None and distance.origin.startswith("@")
    is_held = name.startswith("$")  # the time of a `Name` is in the state
    return bool(name) and not is_held and name not in fixed and (is_time or name.isupper())


def _find_most_rounds(bounds: Range, mode: RangeMode) -> int | None:
    """Return the result of `count_most_rounds`, also if the range begins with `max(1, @T-6)`."""
    start = bounds.start
    if not isinstance(start, Call) or start.name != "max":
        return count_most_rounds(bounds, mode)
    last, is_open = measure_distance(bounds.stop), not bounds.includes_stop and mode == "half-open"
    for each in _list_arguments(start):
        first = measure_distance(each)
        if first is not None and last is not None and first.origin == last.origin and bounds.step is None:
            return max(last.steps - first.steps + (not is_open), 0)
    return None


def _list_arguments(call: Call) -> list[Expression]:
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
_COUNT_OF_STEPS = "substeps"
"""The field of a time that counts its steps."""
NEVER = "never"
"""The beginning of the sentence about a loop without rounds."""


@dataclass(frozen=True, slots=True)
class TimeNames:
    """Names of times at the place of an expression."""

    levels: tuple[str, ...] = ("T", "I")
    """The names of the current turn and step in the title of a spec; in a fragment, nothing is known to be present."""
    mode: RangeMode = "half-open"
    """How `range(a, b)` is read."""
    fixed: frozenset[str] = frozenset()
    """Names whose values do not change with time: variables of loops around, and constant arguments of a fragment."""


def quote_code(node: Expression) -> str:
    """Quote an expression in normal form."""
    text = text_of(words_of(node, WRITTEN))
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}`"


# --------------------------------------------------------------------------------------------------------------- times


def describe_time(node: Expression, now: TimeNames) -> str:
    """Describe a time: `the current turn`, `the turn before`, `step i of turn t`; empty if it has no name."""
    distance = measure_distance(node) if first_time(node) is not None else None
    if distance is None or not distance.origin.startswith("@"):
        return f"turn {distance.steps}" if distance is not None and not distance.origin else ""
    name, _, rest = distance.origin.removeprefix("@").partition(".")
    if "." in rest or rest == _COUNT_OF_STEPS:
        return ""
    if not rest:
        return _describe_shift(_describe_turn(name, now), "turn", distance.steps)
    step = _describe_step(rest, now, is_present=name == _get_level(now, 0))
    turn = "" if step == "the current step" else f" of {_describe_turn(name, now)}" if name else ""
    return _describe_shift(f"{step}{turn}", "step", distance.steps)


def _get_level(now: TimeNames, number: int) -> str:
    return now.levels[number] if number < len(now.levels) else ""


def _describe_turn(name: str, now: TimeNames) -> str:
    return "the current turn" if name == _get_level(now, 0) else f"turn {name}"


def _describe_step(name: str, now: TimeNames, *, is_present: bool) -> str:
    if name == "*":
        return "all steps"
    return "the current step" if is_present and name == _get_level(now, 1) else f"step {name}"


def _describe_shift(time: str, noun: str, steps: int) -> str:
    """Describe a time some turns or steps earlier or later."""
    if not steps:
        return time
    side = "before" if steps < 0 else "after"
    count = f"the {noun}" if abs(steps) == 1 else f"{abs(steps)} {noun}s"
    return f"{count} {side} {time}"


# -------------------------------------------------------------------------------------------------------------- values


def describe_value(node: Expression, now: TimeNames) -> str:
    """Describe an expression as a noun."""
    match node:
        case ContextVar():
            return _describe_variable(node, now)
        case Template():
            return _describe_template(node, now)
        case Call():
            return f"what {quote_code(node)} gives"
        case HostValue():
            return f"what another tool puts in for {quote_code(node)}"
        case String():
            return f"the words {quote_code(node)}"
        case Group():
            return describe_value(node.value, now)
        case TimeIndex():
            return _describe_number(node, now)
        case NameRef() | Symbol() | MessageNumber() | Number() | Unary() | Operation():
            return quote_code(node)
        case ListOf() | Comprehension() | Range() | FragUse():
            return quote_code(node)
        case _:
            assert_never(node)


def _describe_template(node: Template, now: TimeNames) -> str:
    """Describe a template, or the `I` of a title, which looks like one."""
    if not node.parts and node.name in now.levels[1:]:
        return "the number of completed steps" if node.name == now.levels[1] else quote_code(node)
    arguments = [each for part in node.parts if isinstance(part, Arguments) for each in part.values]
    filled = f", filled with {_join_words([describe_value(each, now) for each in arguments])}" if arguments else ""
    return f"the template `{node.name}`{filled}"


def _describe_number(node: TimeIndex, now: TimeNames) -> str:
    """Describe a time that is content or compared: its number, or the number of its steps."""
    if format_time(node) == f"@{node.name}.{_COUNT_OF_STEPS}":
        return f"the number of steps of {_describe_turn(node.name, now)}"
    time = describe_time(node, now)
    return f"the number of {time}" if time and not node.name.isdecimal() else quote_code(node)


def _describe_variable(node: ContextVar, now: TimeNames) -> str:
    """Describe a variable: `env.question` of the current turn; unchanged if it has several indices."""
    indices = [part for part in node.parts if isinstance(part, Index)]
    fields = [part.name for part in node.parts if isinstance(part, Field)]
    path = f"`{'.'.join([node.namespace, *fields])}`"
    if not indices and len(fields) == len(node.parts):
        return path
    time = describe_time(indices[0].values[0], now) if len(indices) == 1 and len(indices[0].values) == 1 else ""
    if not time or len(indices) + len(fields) != len(node.parts):
        return quote_code(node)
    return f"{path} of {time}"


def _join_words(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


# ---------------------------------------------------------------------------------------------------------- conditions


def describe_condition(node: Expression, now: TimeNames) -> str:
    """Describe a condition as a clause: `the number of the current turn is more than 1`."""
    match node:
        case Group():
            return describe_condition(node.value, now)
        case Unary(operators=operators) if operators and all(each in _NOT for each in operators):
            return _describe_negation(node, now) if len(operators) % 2 else describe_condition(node.value, now)
        case Operation(operators=operators) if all(each in _JOINED for each in operators):
            words = [_describe_operand(each, now) for each in node.operands]
            description = words[0]
            for operator, each in zip(operators, words[1:], strict=True):
                description += f" {_JOINED[operator]} {each}"
            return description
        case Operation(operators=(operator,), operands=(left, right)) if operator in _COMPARED:
            if isinstance(left, Unary) and all(each in _NOT for each in left.operators):
                compared = describe_condition(replace(node, operands=(left.value, right)), now)
                return f"it is not so that {compared}" if len(left.operators) % 2 else compared
            if (
                isinstance(left, TimeIndex)
                and (one := describe_time(left, now))
                and (other := _describe_time_or_number(right, now, one))
            ):
                return f"{one} {_IN_TIME[operator]} {other}"
            return f"{describe_value(left, now)} {_COMPARED[operator]} {_describe_comparison(right, now)}"
        case ContextVar() | NameRef() | Symbol() | Call():
            return f"there is {describe_value(node, now)}"
        case TimeIndex() if node.parts:
            return _describe_reached_time(node, now)
        case _:
            return f"{quote_code(node)} holds"


def _describe_reached_time(node: TimeIndex, now: TimeNames) -> str:
    """Describe a time used as a condition: `@T.0` means before the first step, `@T.I` after it."""
    last = node.parts[-1]
    turn = _describe_turn(node.name, now)
    if isinstance(last, Field) and last.name == "0":
        return f"no step of {turn} is made yet"
    return f"{quote_code(node)} holds (a step of {turn} is made; in a loop over steps, it is that one)"


def _describe_time_or_number(node: Expression, now: TimeNames, other: str) -> str:
    """Describe what a time is compared with; a plain number is of the same kind as the other side."""
    if isinstance(node, Number):
        return f"{'step' if 'step' in other else 'turn'} {node.text}"
    return describe_time(node, now)


def _describe_comparison(node: Expression, now: TimeNames) -> str:
    is_word = isinstance(node, (Number, String)) or (isinstance(node, Symbol) and not node.parts)
    return quote_code(node).strip("`") if is_word else describe_value(node, now)


def describe_case(test: Expression | None) -> str:
    """Describe the values that a `Case` matches: `search or calculate`."""
    if test is None:
        return "something that is not understood"
    return " or ".join(quote_code(each).strip("`") for each in list_case_values(test))


def _describe_operand(node: Expression, now: TimeNames) -> str:
    """Describe a condition inside another: in brackets if the words alone would be ambiguous."""
    inner = node.value if isinstance(node, Group) else node
    is_joined = isinstance(inner, Operation) and any(each in _JOINED for each in inner.operators)
    condition = describe_condition(inner, now)
    return f"({condition})" if is_joined else condition


def _describe_negation(node: Unary, now: TimeNames) -> str:
    inner = node.value.value if isinstance(node.value, Group) else node.value
    if isinstance(inner, (ContextVar, NameRef, Symbol, Call)):
        return f"there is no {describe_value(inner, now)}".replace("no what", "nothing that")
    return f"it is not so that {describe_condition(inner, now)}"


# --------------------------------------------------------------------------------------------------------------- loops


def describe_loop(node: ForEach, now: TimeNames) -> str:
    """Describe a loop: `for each turn t from 1 to the turn before the current turn`."""
    if node.variable is None or node.iterable is None:
        return "again and again (the loop is not understood)"
    return describe_rounds(node.variable, node.iterable, now)


def describe_rounds(variable: Identifier, iterable: Expression, now: TimeNames) -> str:
    """Describe the rounds of a loop or a comprehension."""
    name = f"`{format_variable(variable)}`"
    if not isinstance(iterable, Range):
        return f"for each {name} of {describe_value(iterable, now)}"
    bounds = iterable
    most = count_most_rounds(bounds, now.mode)
    if most == 0:
        return f"{NEVER}, since {quote_code(bounds)} has nothing in it"
    back = _measure_back(bounds)
    noun = _find_counted_noun(bounds.start if back else bounds.stop, now)
    every = f", every {f'`{back}`' if back else quote_code(bounds.step)}" if bounds.step is not None else ""
    every = "" if back == 1 else every
    begin = f"for each {noun} {name} from {_describe_bound(bounds.start, noun, now)}{' down' if back else ''}"
    is_open = not bounds.includes_stop and now.mode == "half-open"
    if is_open and (measure_distance(bounds.stop) is None or (bounds.step is not None and back != 1)):
        return f"{begin}{'' if back else ' up'} to, but without, {_describe_bound(bounds.stop, noun, now)}{every}"
    moved = 0 if not is_open else 1 if back else -1
    stop = _describe_bound(bounds.stop, noun, now, moved)
    return f"{begin} to {stop}{every}{_describe_window(bounds, most)}"


def _measure_back(bounds: Range) -> int:
    """Return the size of the steps of a range that runs down; 0 if it runs up, or if that depends on values."""
    step = measure_distance(bounds.step) if bounds.step is not None else None
    if step is None or step.origin:
        return 0
    first, last = measure_distance(bounds.start), measure_distance(bounds.stop)
    if step.steps > 0 and (first is None or last is None or first.origin != last.origin or first.steps <= last.steps):
        return 0
    return abs(step.steps)


def _describe_window(bounds: Range, most: int | None) -> str:
    """Describe the largest number of rounds if both ends move together."""
    first = measure_distance(bounds.start)
    return f" (never more than {most})" if most is not None and first is not None and first.origin else ""


def _find_counted_noun(stop: Expression, now: TimeNames) -> str:
    """Return the noun for what a loop counts."""
    distance = measure_distance(stop)
    name = distance.origin.removeprefix("@") if distance is not None else ""
    if name.endswith(".substeps") or (len(now.levels) > 1 and name in (now.levels[1], ".".join(now.levels[:2]))):
        return "step"
    return "turn" if name and name == _get_level(now, 0) else "number"


def _describe_bound(node: Expression, noun: str, now: TimeNames, moved: int = 0) -> str:
    """Describe an end of a range, or one step earlier than it is written."""
    distance = measure_distance(node)
    if distance is None:
        return quote_code(node)
    distance = Distance(distance.origin, distance.steps + moved)
    if not distance.origin:
        return str(distance.steps)
    name = distance.origin.removeprefix("@")
    if noun == "turn" and name == _get_level(now, 0):
        return _describe_shift("the current turn", "turn", distance.steps)
    if noun == "step" and name.rpartition(".")[2] == _get_level(now, 1):
        return _describe_shift("the current step", "step", distance.steps)
    if name.endswith(".substeps") and not distance.steps:
        return f"the last step of {_describe_turn(name.partition('.')[0], now)}"
    return f"`{distance}`"

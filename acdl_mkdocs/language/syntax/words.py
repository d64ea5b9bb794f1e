"""Expressions as words: the only printer of expressions in the package.

A word is a `Run` of text in one style or a `Pill` that frames other words. The formatter joins the texts; the figure
keeps the styles.
"""

from typing import TypeAlias, assert_never

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.keywords import INSIDE_QUOTES
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Call,
    Comprehension,
    ContextVar,
    Expression,
    Field,
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
    Part,
    Range,
    String,
    Symbol,
    Template,
    TimeIndex,
    Unary,
)


@dataclass(frozen=True, slots=True)
class Run:
    """A few characters in one style."""

    text: str
    style: str
    """A theme key: `keyword`, `title`, `template`, `function`, `variable`, `index`, `reference`, `path`, `string`,
    `number`, `operator`, `plain`, `muted`, `fragment`, `comment`, `role`, `badge`."""


@dataclass(frozen=True, slots=True)
class Pill:
    """Words in a frame; pills nest."""

    style: str
    """A theme key: `template`, `function`, `variable` or `fragment`."""
    words: tuple["Run | Pill", ...]
    target: str = ""
    """Name of the definition that it refers to, empty if none."""


Words: TypeAlias = tuple[Run | Pill, ...]


def text_of(words: Words) -> str:
    """Return the words as one string, without frames and styles."""
    return "".join(word.text if isinstance(word, Run) else text_of(word.words) for word in words)


# ------------------------------------------------------------------------------------------------ expressions to words

_TIGHT = frozenset("+-*/%")
_TIGHT_WRITTEN = frozenset("+-*/")
_WIDE = (ContextVar, Template, Call, String, FragUse)
"""Operands that a written sign keeps its distance from: `@T-1`, but `env.n[@T] + 1`."""
_COMMA = Run(", ", "plain")


@dataclass(frozen=True, slots=True)
class Notation:
    """The two ways an expression is spelled out."""

    is_drawn: bool
    """Drawn: names without `$`, ranges as `a ... b`. Written: as the formatter writes them."""
    marks_open_end: bool = False
    """Whether a drawn `range(a, b)` shows that its end is excluded (half-open ranges)."""
    closes_ranges: bool = False
    """Whether a written `range(a, b)` includes its end, so that a loop over `a ... b` can be written that way."""


WRITTEN = Notation(is_drawn=False)


def words_of(node: Expression, notation: Notation) -> Words:  # noqa: C901  # one short case a construct
    """Return an expression in words."""
    match node:
        case ContextVar():
            return (
                Pill("variable", (Run(node.namespace, "variable"), *_part_words(node.parts, notation, "variable"))),
            )
        case Template():
            return (Pill("template", (Run(node.name, "template"), *_part_words(node.parts, notation, "template"))),)
        case Call():
            return (Pill("function", (Run(node.name, "function"), *_part_words(node.parts, notation, "function"))),)
        case NameRef():
            sign = "" if notation.is_drawn else "$"
            return (Run(sign + node.name, "reference"), *_part_words(node.parts, notation, "reference"))
        case TimeIndex():
            sign = "@$" if node.is_reference and not notation.is_drawn else "@"
            return _join_runs(Run(sign + node.name, "index"), _part_words(node.parts, notation, "index"))
        case Symbol():
            return _join_runs(Run(node.name, "path"), _part_words(node.parts, notation, "path"))
        case HostValue():
            name = " ".join(node.name.split()) if notation.is_drawn else node.name
            return (Run(name, "plain"), *_part_words(node.parts, notation, "plain"))
        case MessageNumber():
            return (Run("#msg", "index"), *_part_words(node.parts, notation, "index"))
        case Number():
            return (Run(node.text, "number"),)
        case String():
            return (Run(quote_string(node.value, node.quote), "string"),)
        case Group():
            return (Run("(", "plain"), *words_of(node.value, notation), Run(")", "plain"))
        case Unary():
            return (Run("".join(node.operators), "operator"), *words_of(node.value, notation))
        case Operation():
            return _operation_words(node, notation)
        case ListOf():
            return (Run("[", "plain"), *_list_words(node.values, notation), Run("]", "plain"))
        case Comprehension():
            return _comprehension_words(node, notation)
        case Range():
            return _range_words(node, notation)
        case FragUse():
            return _fragment_use(node, notation)
        case _:
            assert_never(node)


def quote_string(value: str, quote: str = '"') -> str:
    """Quote a string: with double quotes, unless it contains some without a backslash."""
    return f'"{value}"' if quote == '"' and INSIDE_QUOTES['"'].fullmatch(value) else f"'{value}'"


def _join_runs(first: Run, rest: Words) -> Words:
    """Merge the first run with the next one if they have the same style."""
    if rest and isinstance(rest[0], Run) and rest[0].style == first.style:
        return (Run(first.text + rest[0].text, first.style), *rest[1:])
    return (first, *rest)


def _part_words(parts: tuple[Part, ...], notation: Notation, style: str) -> Words:
    words: list[Run | Pill] = []
    for part in parts:
        match part:
            case Field():
                _add_run(words, Run("." + part.name, style))
            case Index():
                words.append(Run("[", "index"))
                words.extend(_index_words(part.values, notation))
                words.append(Run("]", "index"))
            case Arguments():
                _add_run(words, Run("(", style))
                words.extend(_list_words(part.values, notation))
                words.append(Run(")", style))
            case _:
                assert_never(part)
    return tuple(words)


def _add_run(words: list[Run | Pill], run: Run) -> None:
    last = words[-1] if words else None
    if isinstance(last, Run) and last.style == run.style:
        words[-1] = Run(last.text + run.text, run.style)
    else:
        words.append(run)


def _list_words(values: tuple[Expression, ...], notation: Notation) -> Words:
    words: list[Run | Pill] = []
    for value in values:
        if words:
            words.append(_COMMA)
        words.extend(words_of(value, notation))
    return tuple(words)


def _index_words(values: tuple[Expression, ...], notation: Notation) -> Words:
    """Return indices as one run in the index colour, unless they contain something with a frame."""
    words = _list_words(values, notation)
    if all(isinstance(word, Run) for word in words):
        return (Run(text_of(words), "index"),) if words else ()
    return words


def _operation_words(node: Operation, notation: Notation) -> Words:
    words: list[Run | Pill] = list(words_of(node.operands[0], notation))
    if notation.is_drawn:
        tight = _TIGHT
    else:
        tight = frozenset() if any(isinstance(operand, _WIDE) for operand in node.operands) else _TIGHT_WRITTEN
    for operator, operand in zip(node.operators, node.operands[1:], strict=True):
        words.append(Run(operator if operator in tight else f" {operator} ", "operator"))
        words.extend(words_of(operand, notation))
    return tuple(words)


def _comprehension_words(node: Comprehension, notation: Notation) -> Words:
    variable = Run(format_variable(node.variable), "path")
    between = (" | ", " ∈ ") if notation.is_drawn else (" for ", " in ")
    words: list[Run | Pill] = [
        Run("[", "plain"),
        *words_of(node.element, notation),
        Run(between[0], "plain" if notation.is_drawn else "keyword"),
        variable,
        Run(between[1], "plain" if notation.is_drawn else "keyword"),
        *iterable_words(node.iterable, notation),
    ]
    if node.condition is not None:
        words += [Run(" if ", "keyword"), *words_of(node.condition, notation)]
    return (*words, Run("]", "plain"))


def format_variable(variable: Identifier) -> str:
    """Format a loop variable as spelled: `t` or `@t`."""
    return ("@" if variable.is_time else "") + variable.name


def iterable_words(node: Expression, notation: Notation) -> Words:
    """Return what a loop runs over, in words."""
    return _range_words(node, notation, is_loop=True) if isinstance(node, Range) else words_of(node, notation)


def _range_words(node: Range, notation: Notation, *, is_loop: bool = False) -> Words:
    start, stop = words_of(node.start, notation), words_of(node.stop, notation)
    step = words_of(node.step, notation) if node.step is not None else ()
    is_call = not node.includes_stop or (is_loop and notation.closes_ranges)
    if not notation.is_drawn and is_call:
        rest = (_COMMA, *step) if step else ()
        return (Run("range(", "function"), *start, _COMMA, *stop, *rest, Run(")", "function"))
    words: list[Run | Pill] = [*start, Run(" ... ", "operator"), *stop]
    if notation.marks_open_end and not node.includes_stop:
        words.append(Run(" excl.", "muted"))
    if step:
        words += [Run(" every ", "keyword" if notation.is_drawn else "plain"), *step]
    return tuple(words)


def _fragment_use(node: FragUse, notation: Notation) -> Words:
    name = node.name.name
    inner = (Run("Frag ", "reference"), Run(name, "fragment"), *_part_words(node.parts, notation, "fragment"))
    return (Pill("fragment", inner, target=name),)

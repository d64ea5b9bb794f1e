"""The opening line of a fence, `acdl title="A" #id .wide`, read into any frozen value that a table describes.

Gives diagnostics, never an exception. Knows no option: `options` and `gallery_options` have the tables.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Generic, TypeAlias, TypeVar

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span

T = TypeVar("T")
Choice = TypeVar("Choice", bound=str)

Setter: TypeAlias = Callable[[T, str], T]
"""Put a value, as written, into the options; raises `ValueError` whose text says what was expected."""

_WORD = r"[\w.-]+"
_WORDS = r"""[{},\s]+
    | (?P<key>[^\s={}"',]+)\s*=\s*(?P<value>"(?:\\.|[^"\\])*(?:"|$) | '(?:\\.|[^'\\])*(?:'|$) | [^\s{}"']*)
    | (?P<word>[^\s{}]+)"""
"""Compiled when a header is read, because most commands read none."""


@dataclass(frozen=True, slots=True)
class Table(Generic[T]):
    """What a header may say."""

    thing: str
    """What the options are of, as a person calls it: `a block`."""
    setters: Mapping[str, Setter[T]]
    """Every option that `name=value` may give; `#name` gives `id`."""
    add_class: Setter[T]
    """Take the name of a CSS class (`.wide`)."""


@dataclass(frozen=True, slots=True)
class Header(Generic[T]):
    """A header as understood."""

    options: T
    diagnostics: tuple[Diagnostic, ...] = ()
    """Spans are those of the header's own source."""
    places: Mapping[str, Span] = field(default_factory=dict)
    """Where the value of each option stands that the header mentions."""


class _NotOneOfError(ValueError):
    """A value is none of those that exist."""

    def __init__(self, choices: tuple[str, ...]) -> None:
        super().__init__(listed(choices, "or"))
        self.choices = choices


def read(header: Source, defaults: T, table: Table[T], language: str) -> Header[T]:
    """Read the opening line of a fence.

    Parameters:
        header: The marks and everything after them: "```acdl title="A" #id", "~~~ {.acdl #id title="A"}".
        defaults: Values of the options that the header does not mention.
        table: What it may say.
        language: The word or class that made this block ours; its first occurrence says nothing more.

    What is wrong several times in the same words is reported where it is first.
    """
    options = defaults
    found: dict[str, Diagnostic] = {}
    places: dict[str, Span] = {}
    is_language_pending = True
    tokens = re.compile(_WORDS, re.VERBOSE)
    for token in tokens.finditer(header.text, len(header.text) - len(header.text.lstrip("`~"))):
        if word := token["word"]:
            if is_language_pending and word.lstrip(".").lower() == language:
                is_language_pending = False
                continue
            options, problem = _take_word(options, word, Span(*token.span("word")), table)
            name = "id" if word[0] == "#" else ""
        elif token["key"]:
            options, problem = _take_pair(options, token, table)
            name = token["key"]
        else:
            continue
        if problem:
            found.setdefault(problem.message, problem)
        elif name:
            places[name] = Span(*token.span("word" if word else "value"))
    return Header(options, tuple(found.values()), places)


def read_line(text: str, header: Header[T], name: Span, value: Span, table: Table[T]) -> Header[T]:
    """A header with one more option, which stands on a line of its own below it: `old: React1`.

    Parameters:
        text: The whole text of the header and the lines below it.
        header: What was read before.
        name: Where its name stands in the text.
        value: Where its value stands.
        table: What it may say.
    """
    key, words = text[name.start : name.end], text[value.start : value.end]
    if key not in table.setters:
        problem: Diagnostic | None = _unknown(key, name, table)
        options = header.options
    else:
        unquoted = re.sub(r"""^(["'])(.*)\1$""", r"\2", words)
        options, problem = _set(header.options, key, unquoted, value, table)
    if problem:
        return Header(options, (*header.diagnostics, problem), header.places)
    return Header(options, header.diagnostics, {**header.places, key: value})


def idle_options(places: Mapping[str, Span], needs: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Options that do nothing, because the one that they say more about is not given.

    Parameters:
        places: Where the value of each option stands that is given.
        needs: Option to the one that it needs.
    """
    for option, needed in needs.items():
        if option in places and needed not in places:
            label = Label(places[option], f"this says more about `{needed}`, which is not given")
            cure = f"give `{needed}` too, or remove `{option}`"
            yield warning("idle-option", f"`{option}` does nothing without `{needed}`", label, help=cure)


def set_one(options: T, name: str, value: object, table: Table[T]) -> T:
    """Set one option from a settings file or a directive.

    Raises:
        ValueError: The option does not exist or the value does not fit; the text says what was expected.
    """
    if name not in table.setters:
        raise ValueError(f"one of {listed(tuple(table.setters))}")
    text = {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
    return table.setters[name](options, text)


def near_choice(value: object, expected: ValueError) -> str | None:
    """The choice that was probably meant, if an option has choices and one is close."""
    from acdl_mkdocs.foundation.wording import closest

    return closest(str(value), expected.choices) if isinstance(expected, _NotOneOfError) else None


def one_of(value: str, choices: tuple[Choice, ...]) -> Choice:
    """The choice that a value names.

    Raises:
        ValueError: It names none.
    """
    for choice in choices:
        if choice == value:
            return choice
    raise _NotOneOfError(choices)


def choices_of(setter: Setter[T], options: T) -> tuple[str, ...]:
    """The values of an option that has only some; none for an option that takes any text.

    Parameters:
        setter: Of the option.
        options: Any.
    """
    try:
        setter(options, "\0")
    except _NotOneOfError as reason:
        return reason.choices
    except ValueError:
        pass
    return ()


def is_on(value: str) -> bool:
    """Whether a value is `on`.

    Raises:
        ValueError: It is neither `on` nor `off`.
    """
    return one_of(value, ("on", "off")) == "on"


def a_word(value: str) -> str:
    """A value that can be an id or a class.

    Raises:
        ValueError: It cannot.
    """
    if not re.fullmatch(_WORD, value):
        raise ValueError("letters, digits, `-`, `_` and `.`, without spaces")
    return value


def listed(words: tuple[str, ...], last: str = "and") -> str:
    """Words as a person lists them: "`a`, `b` or `c`"."""
    quoted = [f"`{word}`" for word in words]
    return f"{', '.join(quoted[:-1])} {last} {quoted[-1]}"


def _take_word(options: T, word: str, span: Span, table: Table[T]) -> tuple[T, Diagnostic | None]:
    """A word without `=`: `#id`, `.class`, or a mistake."""
    if word[0] in "#." and re.fullmatch(_WORD, word[1:]):
        take = table.setters["id"] if word[0] == "#" else table.add_class
        return take(options, word[1:]), None
    if word in table.setters:
        return options, error(
            "bad-option-value",
            f"the option `{word}` has no value",
            Label(span, "expected `=` and a value after this"),
            help=f"`{word}=...`",
        )
    return options, _unknown(word, span, table)


def _take_pair(options: T, token: re.Match[str], table: Table[T]) -> tuple[T, Diagnostic | None]:
    """A `name=value`."""
    name, value = token["key"], token["value"]
    if name not in table.setters:
        return options, _unknown(name, Span(*token.span("key")), table)
    quote = value[:1] if value[:1] in ("'", '"') else ""
    span = Span(*token.span("value"))
    if quote and (len(value) == 1 or not value.endswith(quote)):
        cure = "end the value with the quote that it begins with"
        return options, error("bad-option-value", f"the quote of `{name}` is not closed", Label(span, cure))
    if quote:
        value = re.sub(r"\\([\\\"'])", r"\1", value[1:-1])
    return _set(options, name, value, span, table)


def _set(options: T, name: str, value: str, span: Span, table: Table[T]) -> tuple[T, Diagnostic | None]:
    """Set an option that there is."""
    try:
        return table.setters[name](options, value), None
    except ValueError as expected:
        message = f"`{name}` cannot be `{value}`"
        near = near_choice(value, expected)
        helps = [f"did you mean `{name}={near}`?"] if near else []
        return options, error("bad-option-value", message, Label(span, f"expected {expected}"), help=helps)


def _unknown(word: str, span: Span, table: Table[T]) -> Diagnostic:
    """A word of the header that means nothing."""
    from acdl_mkdocs.foundation.wording import closest

    names = tuple(table.setters)
    near = closest(word, names)
    cure = f"did you mean `{near}`?" if near else f"the options are {listed(names)}"
    return error("unknown-option", f"{table.thing} has no option `{word}`", Label(span, "not an option"), help=cure)

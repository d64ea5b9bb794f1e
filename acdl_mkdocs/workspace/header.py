"""Read the opening line of a fence, `acdl title="A" #id .wide`, into any frozen value that a table describes.

Returns diagnostics and never raises. Knows no option: `options` and `gallery_options` have the tables.
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
"""Sets a value, as written, in the options; raises `ValueError` with the expected values."""

_WORD = r"[\w.-]+"
_WORDS = r"""[{},\s]+
    | (?P<key>[^\s={}"',]+)\s*=\s*(?P<value>
        "(?:\\.|[^"\\])*(?:"|$) | '(?:\\.|[^'\\])*(?:'|$) | [“”„][^“”„]*[“”] | [^\s{}"']*)
    | (?P<word>[^\s{}]+)"""
"""Compiled on first use, because most commands read no header."""
_TYPOGRAPHIC_QUOTES = ("“", "”", "„")


@dataclass(frozen=True, slots=True)
class Table(Generic[T]):
    """The options that a header may have."""

    thing: str
    """What has the options, in words: `a block`."""
    setters: Mapping[str, Setter[T]]
    """All options that `name=value` may set; `#name` sets `id`."""
    add_class: Setter[T]
    """Adds the name of a CSS class (`.wide`)."""


@dataclass(frozen=True, slots=True)
class Header(Generic[T]):
    """A header that was read."""

    options: T
    diagnostics: tuple[Diagnostic, ...] = ()
    """Spans refer to the header's own source."""
    places: Mapping[str, Span] = field(default_factory=dict)
    """The span of the value of each option in the header."""


class _NotOneOfError(ValueError):
    """A value is not one of the choices."""

    def __init__(self, choices: tuple[str, ...]) -> None:
        super().__init__(list_words(choices, "or"))
        self.choices = choices


def parse_header(header: Source, defaults: T, table: Table[T], language: str) -> Header[T]:
    """Read the opening line of a fence.

    Parameters:
        header: The marks and everything after them: "```acdl title="A" #id", "~~~ {.acdl #id title="A"}".
        defaults: Values of the options that the header does not mention.
        table: The options that it may have.
        language: The word or class that identifies the block; its first occurrence is skipped.

    Repeated problems with the same message are reported once, at the first place.
    """
    options = defaults
    diagnostics: dict[str, Diagnostic] = {}
    places: dict[str, Span] = {}
    is_language_pending = True
    tokens = re.compile(_WORDS, re.VERBOSE)
    for token in tokens.finditer(header.text, len(header.text) - len(header.text.lstrip("`~:"))):
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
        found = [problem] if problem else [*_find_repeated(name, places)]
        for each in found:
            diagnostics.setdefault(each.message, each)
        if name and problem is None:
            places[name] = Span(*token.span("word" if word else "value"))
    return Header(options, tuple(diagnostics.values()), places)


def read_option_line(text: str, header: Header[T], name: Span, value: Span, table: Table[T]) -> Header[T]:
    """Return a header with one more option, from a separate line below it: `old: React1`.

    Parameters:
        text: The whole text of the header and the lines below it.
        header: The header so far.
        name: The span of its name in the text.
        value: The span of its value.
        table: The options that it may have.
    """
    key, words = text[name.start : name.end], text[value.start : value.end]
    if key not in table.setters:
        problem: Diagnostic | None = _report_unknown(key, name, table)
        options = header.options
    else:
        unquoted = re.sub(r"""^(["'])(.*)\1$""", r"\2", words)
        options, problem = _set_known(header.options, key, unquoted, value, table)
    if problem:
        return Header(options, (*header.diagnostics, problem), header.places)
    repeated = _find_repeated(key, header.places)
    return Header(options, (*header.diagnostics, *repeated), {**header.places, key: value})


def _find_repeated(name: str, places: Mapping[str, Span]) -> Iterator[Diagnostic]:
    """Find an earlier value of an option, which the value just read replaces."""
    if name in places:
        label = Label(places[name], "this value has no effect, because a later one follows")
        yield warning("bad-option-value", f"`{name}` is set twice", label, help="remove one of the two")


def find_idle_options(places: Mapping[str, Span], needs: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Find options without effect, because the option that they depend on is missing.

    Parameters:
        places: The span of the value of each option.
        needs: Maps an option to the one that it needs.
    """
    for option, needed in needs.items():
        if option in places and needed not in places:
            label = Label(places[option], f"this says more about `{needed}`, which is not given")
            cure = f"give `{needed}` too, or remove `{option}`"
            yield warning("idle-option", f"`{option}` does nothing without `{needed}`", label, help=cure)


def set_option(options: T, name: str, value: object, table: Table[T]) -> T:
    """Set one option from a settings file or a directive.

    Raises:
        ValueError: The option does not exist or the value does not fit; the message says what was expected.
    """
    if name not in table.setters:
        raise ValueError(f"one of {list_words(tuple(table.setters))}")
    text = {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
    return table.setters[name](options, text)


def find_near_choice(value: object, expected: ValueError) -> str | None:
    """Return the choice that was probably meant, if an option has choices and one is close."""
    from acdl_mkdocs.foundation.wording import find_closest

    return find_closest(str(value), expected.choices) if isinstance(expected, _NotOneOfError) else None


def choose_one(value: str, choices: tuple[Choice, ...]) -> Choice:
    """Return the choice that a value names.

    Raises:
        ValueError: There is none of that name.
    """
    for choice in choices:
        if choice == value:
            return choice
    raise _NotOneOfError(choices)


def choices_of(setter: Setter[T], options: T) -> tuple[str, ...]:
    """Return the values of an option with choices; none for an option that takes any text.

    Parameters:
        setter: The setter of the option.
        options: Any value.
    """
    try:
        setter(options, "\0")
    except _NotOneOfError as reason:
        return reason.choices
    except ValueError:
        pass
    return ()


def is_on(value: str) -> bool:
    """Return whether a value is `on`.

    Raises:
        ValueError: It is neither `on` nor `off`.
    """
    return choose_one(value, ("on", "off")) == "on"


def check_word(value: str) -> str:
    """Return a value that is a valid id or class.

    Raises:
        ValueError: It is not valid.
    """
    if not re.fullmatch(_WORD, value):
        raise ValueError("letters, digits, `-`, `_` and `.`, without spaces")
    return value


def list_words(words: tuple[str, ...], last: str = "and") -> str:
    """Join words for a sentence: "`a`, `b` or `c`"."""
    quoted = [f"`{word}`" for word in words]
    return f"{', '.join(quoted[:-1])} {last} {quoted[-1]}"


def _take_word(options: T, word: str, span: Span, table: Table[T]) -> tuple[T, Diagnostic | None]:
    """Read a word without `=`: `#id`, `.class`, or a mistake."""
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
    return options, _report_unknown(word, span, table)


def _take_pair(options: T, token: re.Match[str], table: Table[T]) -> tuple[T, Diagnostic | None]:
    """Read a `name=value`."""
    name, value = token["key"], token["value"]
    if name not in table.setters:
        return options, _report_unknown(name, Span(*token.span("key")), table)
    quote = value[:1] if value[:1] in ("'", '"') else ""
    span = Span(*token.span("value"))
    if value[:1] in _TYPOGRAPHIC_QUOTES:
        straight = value.strip("".join(_TYPOGRAPHIC_QUOTES))
        label = Label(span, "only `\"` and `'` are quotes here")
        message = f"the value of `{name}` is in typographic quotes"
        return options, error("bad-option-value", message, label, help=f'write `{name}="{straight}"`')
    if quote and (len(value) == 1 or not value.endswith(quote)):
        cure = "end the value with the quote that it begins with"
        return options, error("bad-option-value", f"the quote of `{name}` is not closed", Label(span, cure))
    if quote:
        value = re.sub(r"\\([\\\"'])", r"\1", value[1:-1])
    return _set_known(options, name, value, span, table)


def _set_known(options: T, name: str, value: str, span: Span, table: Table[T]) -> tuple[T, Diagnostic | None]:
    """Set an option that exists."""
    try:
        return table.setters[name](options, value), None
    except ValueError as expected:
        message = f"`{name}` cannot be `{value}`"
        near = find_near_choice(value, expected)
        helps = [f"did you mean `{name}={near}`?"] if near else []
        return options, error("bad-option-value", message, Label(span, f"expected {expected}"), help=helps)


def _report_unknown(word: str, span: Span, table: Table[T]) -> Diagnostic:
    """Return the diagnostic for a word of the header without a meaning."""
    from acdl_mkdocs.foundation.wording import find_closest

    names = tuple(table.setters)
    near = find_closest(word, names)
    cure = f"did you mean `{near}`?" if near else f"the options are {list_words(names)}"
    return error("unknown-option", f"{table.thing} has no option `{word}`", Label(span, "not an option"), help=cure)

"""What the header of a fence may say, as one typed value.

One table of options serves every docs tool; a header is read into `BlockOptions` and diagnostics, never an exception.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar, get_args

from acdl_mkdocs.config import RangeMode
from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.source import Source, Span

Show = Literal["both", "figure", "source", "text"]
ColorScheme = Literal["auto", "light", "dark"]
"""What an output calls its theme; importing that would cost more than all of this."""


@dataclass(frozen=True, slots=True)
class BlockOptions:
    """How one block is shown."""

    title: str = ""
    """Heading of the figure, also its accessible name."""
    id: str = ""
    """Anchor of the figure; without it, the name of its first spec."""
    caption: str = ""
    """Sentence under the figure."""
    show: Show = "both"
    """`both`: the figure with its source folded below; `figure` or `source` alone; `text`: the figure as plain text."""
    spec: str = ""
    """Draw only the definition with this name."""
    range: RangeMode = "half-open"
    """Whether `range(a, b)` stops before `b` or at it."""
    theme: ColorScheme = "auto"
    """Colours: those of the page, or always light or dark."""
    width: float | None = None
    """Widest figure wanted, in px; long lines are wrapped."""
    comments: bool = True
    """Whether comments are drawn (`on`) or left out (`off`)."""
    header: bool = False
    """Whether comments outside definitions are drawn too (`on`), such as those at the top of a file."""
    src: str = ""
    """A file to draw in place of the text of the block, from the project's folder: `examples/react.acdl#React2`."""
    classes: tuple[str, ...] = ()
    """Further CSS classes of the figure (`.wide`)."""


@dataclass(frozen=True, slots=True)
class Header:
    """A header as understood."""

    options: BlockOptions
    diagnostics: tuple[Diagnostic, ...] = ()
    """Spans are those of the header's own source."""
    places: Mapping[str, Span] = field(default_factory=dict)
    """Where the value of each option stands that the header mentions."""


Setter = Callable[[BlockOptions, str], BlockOptions]
"""Put a value, as written, into the options; raises `ValueError` whose text says what was expected."""

Choice = TypeVar("Choice", bound=str)

_WORD = r"[\w.-]+"
_WIDTH_PX = r"(\d+(?:\.\d+)?)(?:px)?"


class _NotOneOfError(ValueError):
    """A value is none of those that exist."""

    def __init__(self, choices: tuple[str, ...]) -> None:
        super().__init__(_listed(choices, "or"))
        self.choices = choices


def _show(options: BlockOptions, value: str) -> BlockOptions:
    return replace(options, show=_one_of(value, get_args(Show)))


def _range(options: BlockOptions, value: str) -> BlockOptions:
    return replace(options, range=_one_of(value, get_args(RangeMode)))


def _theme(options: BlockOptions, value: str) -> BlockOptions:
    return replace(options, theme=_one_of(value, get_args(ColorScheme)))


def _id(options: BlockOptions, value: str) -> BlockOptions:
    return replace(options, id=_word(value))


def _spec(options: BlockOptions, value: str) -> BlockOptions:
    return replace(options, spec=_word(value))


def _width(options: BlockOptions, value: str) -> BlockOptions:
    from acdl_mkdocs.outputs.options import checked_width  # few blocks say how wide they want to be

    found = re.fullmatch(_WIDTH_PX, value)
    return replace(options, width=checked_width(float(found[1]) if found else math.nan))


def _comments(options: BlockOptions, value: str) -> BlockOptions:
    return replace(options, comments=_is_on(value))


def _header(options: BlockOptions, value: str) -> BlockOptions:
    return replace(options, header=_is_on(value))


SITE_OPTIONS: Mapping[str, Setter] = {
    "show": _show,
    "range": _range,
    "theme": _theme,
    "width": _width,
    "comments": _comments,
    "header": _header,
}
"""The options that make sense for all blocks of a site too: settings of the Markdown extension and of the plugin."""

OPTIONS: Mapping[str, Setter] = {
    "title": lambda options, value: replace(options, title=value),
    "id": _id,
    "caption": lambda options, value: replace(options, caption=value),
    "spec": _spec,
    **SITE_OPTIONS,
    "src": lambda options, value: replace(options, src=value),
}
"""Every option that a header may give with `name=value`."""

_WORDS = r"""[{},\s]+
    | (?P<key>[^\s={}"',]+)\s*=\s*(?P<value>"(?:\\.|[^"\\])*(?:"|$) | '(?:\\.|[^'\\])*(?:'|$) | [^\s{}"']*)
    | (?P<word>[^\s{}]+)"""
"""Compiled when a header is read, because most commands read none."""


def read_header(header: Source, defaults: BlockOptions | None = None, language: str = "acdl") -> Header:
    """Read the opening line of a fence.

    Parameters:
        header: The marks and everything after them: "```acdl title="A" #id", "~~~ {.acdl #id title="A"}".
        defaults: Values of the options that the header does not mention.
        language: The word or class that made this block ours; its first occurrence says nothing more.
    """
    options = defaults or BlockOptions()
    found: list[Diagnostic] = []
    places: dict[str, Span] = {}
    is_language_pending = True
    tokens = re.compile(_WORDS, re.VERBOSE)
    for token in tokens.finditer(header.text, len(header.text) - len(header.text.lstrip("`~"))):
        if word := token["word"]:
            if is_language_pending and word.lstrip(".").lower() == language:
                is_language_pending = False
                continue
            options, problem = _take_word(options, word, Span(*token.span("word")))
            name = "id" if word[0] == "#" else ""
        elif token["key"]:
            options, problem = _take_pair(options, token)
            name = token["key"]
        else:
            continue
        if problem:
            found.append(problem)
        elif name:
            places[name] = Span(*token.span("word" if word else "value"))
    return Header(options, tuple(found), places)


def set_option(options: BlockOptions, name: str, value: object) -> BlockOptions:
    """Set one option from a settings file.

    Raises:
        ValueError: The option does not exist or the value does not fit; the text says what was expected.
    """
    if name not in OPTIONS:
        raise ValueError(f"one of {_listed(tuple(OPTIONS))}")
    text = {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
    return OPTIONS[name](options, text)


def _take_word(options: BlockOptions, word: str, span: Span) -> tuple[BlockOptions, Diagnostic | None]:
    """A word without `=`: `#id`, `.class`, or a mistake."""
    if word[0] in "#." and re.fullmatch(_WORD, word[1:]):
        if word[0] == "#":
            return replace(options, id=word[1:]), None
        return replace(options, classes=(*options.classes, word[1:])), None
    if word in OPTIONS:
        return options, error(
            "bad-option-value",
            f"the option `{word}` has no value",
            Label(span, "expected `=` and a value after this"),
            help=f"`{word}=...`",
        )
    return options, _unknown(word, span)


def _take_pair(options: BlockOptions, token: re.Match[str]) -> tuple[BlockOptions, Diagnostic | None]:
    """A `name=value`."""
    name, value = token["key"], token["value"]
    if name not in OPTIONS:
        return options, _unknown(name, Span(*token.span("key")))
    quote = value[:1] if value[:1] in ("'", '"') else ""
    span = Span(*token.span("value"))
    if quote and (len(value) == 1 or not value.endswith(quote)):
        cure = "end the value with the quote that it begins with"
        return options, error("bad-option-value", f"the quote of `{name}` is not closed", Label(span, cure))
    if quote:
        value = re.sub(r"\\([\\\"'])", r"\1", value[1:-1])
    try:
        return OPTIONS[name](options, value), None
    except ValueError as expected:
        message = f"`{name}` cannot be `{value}`"
        near = near_choice(value, expected)
        helps = [f"did you mean `{name}={near}`?"] if near else []
        return options, error("bad-option-value", message, Label(span, f"expected {expected}"), help=helps)


def near_choice(value: object, expected: ValueError) -> str | None:
    """The choice that was probably meant, if an option has choices and one is close."""
    from acdl_mkdocs.suggest import closest

    return closest(str(value), expected.choices) if isinstance(expected, _NotOneOfError) else None


def _unknown(word: str, span: Span) -> Diagnostic:
    """A word of the header that means nothing."""
    from acdl_mkdocs.suggest import closest

    near = closest(word, tuple(OPTIONS))
    cure = f"did you mean `{near}`?" if near else f"the options are {_listed(tuple(OPTIONS))}"
    return error("unknown-option", f"a block has no option `{word}`", Label(span, "not an option"), help=cure)


def _one_of(value: str, choices: tuple[Choice, ...]) -> Choice:
    for choice in choices:
        if choice == value:
            return choice
    raise _NotOneOfError(choices)


def _is_on(value: str) -> bool:
    return _one_of(value, ("on", "off")) == "on"


def _word(value: str) -> str:
    if not re.fullmatch(_WORD, value):
        raise ValueError("letters, digits, `-`, `_` and `.`, without spaces")
    return value


def _listed(words: tuple[str, ...], last: str = "and") -> str:
    """Words as a person lists them: "`a`, `b` or `c`"."""
    quoted = [f"`{word}`" for word in words]
    return f"{', '.join(quoted[:-1])} {last} {quoted[-1]}"

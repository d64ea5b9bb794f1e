"""The options of an `acdl-diff` block, which are on its opening line or on lines below it."""

import re
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.workspace import header
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.header import check_word, choose_one, is_on
from acdl_mkdocs.workspace.options import ColorScheme

LANGUAGE = "acdl-diff"
"""The first word of the fence, and the name of the directive."""

Show = Literal["unified", "side-by-side", "text", "all"]

_LINE = re.compile(r"[ \t]*(?P<name>[a-z][a-z-]*)[ \t]*+[:=](?![ \t]*\{)[ \t]*+(?P<value>(?:.*[^ \t\n])?)[ \t]*")


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """Which two specs are compared, and how the difference is shown."""

    old: str = ""
    """The old version: a spec or fragment of the site (`React1`), a file (`examples/react.acdl`), a definition in a
    file (`examples/react.acdl#React1`), or one of these in a git revision (`HEAD~1:examples/react.acdl`)."""
    new: str = ""
    """The new version, named in the same way."""
    show: Show = "unified"
    """`unified`: one figure; `side-by-side`: two; `text`: the edits as text; `all` of them."""
    state: str = ""
    """A file with a sample state, relative to the project's folder: the messages of both versions are compared too."""
    at: str = ""
    """The points in time to compare: `2.1`, `1..3`; by default, all in the state."""
    fold: bool = True
    """Whether long unchanged parts are folded (`on`) or drawn in full (`off`)."""
    range: RangeMode = "half-open"
    """Whether `range(a, b)` stops before `b` or at it, where the texts do not say it."""
    theme: ColorScheme = "auto"
    """Colours: those of the page, or always light or dark."""
    title: str = ""
    """Heading of the block, also its accessible name."""
    id: str = ""
    """Anchor of the block; without it, `acdl-diff`."""
    caption: str = ""
    """Sentence under the block."""
    classes: tuple[str, ...] = ()
    """Additional CSS classes for the block (`.wide`)."""


Header: TypeAlias = header.Header[DiffOptions]
"""The options of a block as understood."""

DIFF_OPTIONS = MappingProxyType[str, header.Setter[DiffOptions]](
    {
        "old": lambda options, value: replace(options, old=value.strip()),
        "new": lambda options, value: replace(options, new=value.strip()),
        "show": lambda options, value: replace(options, show=choose_one(value, get_args(Show))),
        "state": lambda options, value: replace(options, state=value),
        "at": lambda options, value: replace(options, at=value),
        "fold": lambda options, value: replace(options, fold=is_on(value)),
        "range": lambda options, value: replace(options, range=choose_one(value, get_args(RangeMode))),
        "theme": lambda options, value: replace(options, theme=choose_one(value, get_args(ColorScheme))),
        "title": lambda options, value: replace(options, title=value),
        "id": lambda options, value: replace(options, id=check_word(value)),
        "caption": lambda options, value: replace(options, caption=value),
    }
)
"""Every option that a block may give with `name=value`."""

_TABLE = header.Table(
    "a difference", DIFF_OPTIONS, lambda options, name: replace(options, classes=(*options.classes, name))
)


@dataclass(frozen=True, slots=True)
class OpeningLines:
    """The lines of a block with its options, and the rest of the block."""

    text: str
    """The lines with options as written: the opening line, then those below it."""
    pairs: tuple[tuple[Span, Span], ...]
    """Name and value of each option on its own line."""
    body: str
    """The other lines, with empty ones in place of the options."""


def opening_of(fence: Fence) -> OpeningLines:
    """Separate options on the first lines, such as `old: React1`, from a text inside the block.

    They are options if one of them has the name of an option, or nearly so; anything else is a text.
    """
    lines = fence.text.split("\n")
    n_empty = next((at for at, line in enumerate(lines) if line.strip()), 0)
    matches = [_LINE.fullmatch(line) for line in lines[n_empty:]]
    n_options = next((at for at, each in enumerate(matches) if each is None), len(matches))
    if not any(map(_is_option, filter(None, matches[:n_options]))):
        return OpeningLines(fence.opening, (), fence.text)
    n_above = n_empty + n_options
    text = fence.opening + "\n" * (n_empty - fence.header.count("\n"))
    pairs: list[tuple[Span, Span]] = []
    for line in filter(None, matches[:n_options]):
        start = len(text) + 1 + len(fence.body_indent)
        spans = [Span(start + line.start(part), start + line.end(part)) for part in ("name", "value")]
        pairs.append((spans[0], spans[1]))
        text += f"\n{fence.body_indent}{line[0]}"
    return OpeningLines(text, tuple(pairs), "\n" * n_above + "\n".join(lines[n_above:]))


def _is_option(line: re.Match[str]) -> bool:
    """Return whether a line is surely meant as an option, even a mistyped one: no text begins with a file name."""
    name = line["name"]
    return name in DIFF_OPTIONS or find_closest(name, DIFF_OPTIONS) is not None or ".acdl" in line["value"]


def read_diff_header(text: Source, pairs: tuple[tuple[Span, Span], ...], defaults: DiffOptions) -> Header:
    """Read the options of a block: "```acdl-diff old=React1 new=React2", with those of the lines below it.

    Parameters:
        text: The lines with the options.
        pairs: The places of options on their own lines.
        defaults: Values of the options that the block does not mention.
    """
    head = text.text[: text.text.rfind("\n", 0, pairs[0][0].start)] if pairs else text.text
    read = header.parse_header(replace(text, text=head), defaults, _TABLE, LANGUAGE)
    for name, value in pairs:
        read = header.read_option_line(text.text, read, name, value, _TABLE)
    return read

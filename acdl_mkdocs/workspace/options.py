"""The options of the header of a fence, as one typed value.

One table of options serves every docs tool; a header is read into `BlockOptions` and diagnostics, never an exception.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, TypeAlias, get_args

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.workspace import header
from acdl_mkdocs.workspace.header import check_word, choose_one, is_on

Show = Literal["both", "side", "figure", "source", "text"]
ColorScheme = Literal["auto", "light", "dark"]
"""The name of a theme in outputs; importing it would cost more than this whole module."""


@dataclass(frozen=True, slots=True)
class BlockOptions:
    """The options of one block."""

    title: str = ""
    """Heading of the figure, also its accessible name."""
    id: str = ""
    """Anchor of the figure; without it, the name of its first spec."""
    caption: str = ""
    """Sentence under the figure."""
    show: Show = "both"
    """`both`: the figure, with source and text a click away; `side`: the figure beside its source; `figure` or
    `source`: only that; `text`: the figure as text."""
    spec: str = ""
    """Draw only the definition with this name."""
    range: RangeMode = "half-open"
    """Whether `range(a, b)` stops before `b` or at it."""
    theme: ColorScheme = "auto"
    """Colours: those of the page, or always light or dark."""
    width: float | None = None
    """Maximum width of the figure, in px; long lines are wrapped."""
    comments: bool = True
    """Whether comments are drawn (`on`) or left out (`off`)."""
    header: bool = False
    """Whether comments outside definitions, such as those at the top of a file, are drawn too (`on`)."""
    src: str = ""
    """A file to draw instead of the text of the block, relative to the project's folder:
    `examples/react.acdl#React2`."""
    state: str = ""
    """A file with a sample state, relative to the project's folder: its messages are shown beside the figure."""
    at: str = ""
    """The points in time to show: `2.1`, `1..3`, `*.*`; by default, those listed in the state, or all."""
    runs: str = ""
    """Recorded runs to check the spec against, relative to the project's folder: `runs/*.jsonl`, several separated by
    spaces; the results are shown below the figure and beside its lines."""
    mutants: int = 0
    """Number of deliberate errors in the spec to try; the runs should refute them."""
    excerpts: bool = True
    """Whether the beginnings of recorded messages that refute a line are shown (`on`) or not (`off`)."""
    explain: bool | None = None
    """Whether the figure has a view *In words*, with a sentence from `acdl explain` for each statement (`on`), or not
    (`off`); for `show=both` and `show=side`. By default, only the pages of specs have the view."""
    classes: tuple[str, ...] = ()
    """Additional CSS classes for the figure (`.wide`)."""


Header: TypeAlias = header.Header[BlockOptions]
"""A block header that was read."""

Setter: TypeAlias = header.Setter[BlockOptions]
"""Sets a value, as written, in the options; raises `ValueError` with the expected values."""

_MOST_MUTANTS = 200
_WIDTH_PX = r"(\d+(?:\.\d+)?)(?:px)?"


def _show(options: BlockOptions, value: str) -> BlockOptions:
    return replace(options, show=choose_one(value, get_args(Show)))


def _range(options: BlockOptions, value: str) -> BlockOptions:
    return replace(options, range=choose_one(value, get_args(RangeMode)))


def _theme(options: BlockOptions, value: str) -> BlockOptions:
    return replace(options, theme=choose_one(value, get_args(ColorScheme)))


def _id(options: BlockOptions, value: str) -> BlockOptions:
    return replace(options, id=check_word(value))


def _spec(options: BlockOptions, value: str) -> BlockOptions:
    return replace(options, spec=check_word(value))


def _width(options: BlockOptions, value: str) -> BlockOptions:
    from acdl_mkdocs.drawing.formats.options import check_width  # few blocks set a width

    match = re.fullmatch(_WIDTH_PX, value)
    return replace(options, width=check_width(float(match[1]) if match else math.nan))


def _comments(options: BlockOptions, value: str) -> BlockOptions:
    return replace(options, comments=is_on(value))


def _header(options: BlockOptions, value: str) -> BlockOptions:
    return replace(options, header=is_on(value))


def _mutants(options: BlockOptions, value: str) -> BlockOptions:
    if not value.isdecimal() or len(value) > len(str(_MOST_MUTANTS)) or int(value) > _MOST_MUTANTS:
        raise ValueError(f"a number from 0 to {_MOST_MUTANTS}")
    return replace(options, mutants=int(value))


def _excerpts(options: BlockOptions, value: str) -> BlockOptions:
    return replace(options, excerpts=is_on(value))


def _explain(options: BlockOptions, value: str) -> BlockOptions:
    return replace(options, explain=is_on(value))


SITE_OPTIONS: Mapping[str, Setter] = {
    "show": _show,
    "range": _range,
    "theme": _theme,
    "width": _width,
    "comments": _comments,
    "header": _header,
    "excerpts": _excerpts,
    "explain": _explain,
}
"""Options that also apply to all blocks of a site: settings of the Markdown extension and of the plugin."""

OPTIONS: Mapping[str, Setter] = {
    "title": lambda options, value: replace(options, title=value),
    "id": _id,
    "caption": lambda options, value: replace(options, caption=value),
    "spec": _spec,
    **SITE_OPTIONS,
    "src": lambda options, value: replace(options, src=value),
    "state": lambda options, value: replace(options, state=value),
    "at": lambda options, value: replace(options, at=value),
    "runs": lambda options, value: replace(options, runs=value),
    "mutants": _mutants,
}
"""All options that a header may set with `name=value`."""

_TABLE = header.Table("a block", OPTIONS, lambda options, name: replace(options, classes=(*options.classes, name)))


def read_block_header(text: Source, defaults: BlockOptions | None = None, language: str = "acdl") -> Header:
    """Read the opening line of a fence.

    Parameters:
        text: The marks and everything after them: "```acdl title="A" #id", "~~~ {.acdl #id title="A"}".
        defaults: Values of the options that the header does not mention.
        language: The word or class that identifies the block; its first occurrence is skipped.
    """
    return header.parse_header(text, defaults or BlockOptions(), _TABLE, language)


def set_option(options: BlockOptions, name: str, value: object) -> BlockOptions:
    """Set one option from a settings file.

    Raises:
        ValueError: The option does not exist or the value does not fit; the message says what was expected.
    """
    return header.set_option(options, name, value, _TABLE)

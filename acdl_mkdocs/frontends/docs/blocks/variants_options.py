"""The options in the header of an `acdl-variants` block; the compared texts are in the block."""

from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias, get_args

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.workspace import header
from acdl_mkdocs.workspace.header import check_word, choose_one, is_on
from acdl_mkdocs.workspace.options import ColorScheme

LANGUAGE = "acdl-variants"
"""The first word of the fence, and the name of the directive."""


@dataclass(frozen=True, slots=True)
class VariantsOptions:
    """How variants are shown."""

    title: str = ""
    """Heading of the block, also its accessible name."""
    id: str = ""
    """Anchor of the block; without it, `acdl-variants`."""
    caption: str = ""
    """Sentence under the block; one in the block counts more."""
    fold: bool = False
    """Whether long parts that are as in the base are folded (`on`) or drawn in full (`off`)."""
    range: RangeMode = "half-open"
    """Whether `range(a, b)` stops before `b` or at it, where the texts do not say it."""
    theme: ColorScheme = "auto"
    """Colours: those of the page, or always light or dark."""
    classes: tuple[str, ...] = ()
    """Additional CSS classes for the block (`.wide`)."""


Header: TypeAlias = header.Header[VariantsOptions]
"""The header of a block as understood."""

VARIANTS_OPTIONS = MappingProxyType[str, header.Setter[VariantsOptions]](
    {
        "title": lambda options, value: replace(options, title=value),
        "id": lambda options, value: replace(options, id=check_word(value)),
        "caption": lambda options, value: replace(options, caption=value),
        "fold": lambda options, value: replace(options, fold=is_on(value)),
        "range": lambda options, value: replace(options, range=choose_one(value, get_args(RangeMode))),
        "theme": lambda options, value: replace(options, theme=choose_one(value, get_args(ColorScheme))),
    }
)
"""Every option that a header may give with `name=value`."""

_TABLE = header.Table(
    "variants", VARIANTS_OPTIONS, lambda options, name: replace(options, classes=(*options.classes, name))
)


def read_variants_header(text: Source, defaults: VariantsOptions) -> Header:
    """Read the header of a block: "```acdl-variants id=mint"."""
    return header.parse_header(text, defaults, _TABLE, LANGUAGE)

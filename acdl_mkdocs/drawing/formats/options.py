"""The options of all output formats."""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, get_args

from acdl_mkdocs.foundation.frozen import dataclass

ThemeName = Literal["auto", "light", "dark"]

_MIN_WIDTH_PX, _MAX_WIDTH_PX = 120, 10_000
_MIN_SCALE, _MAX_SCALE = 0.25, 8


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """Options of every output; each uses those that concern it."""

    title: str = ""
    """Name of the figure; made from its definitions if empty."""
    id_prefix: str = ""
    """Put before every id, so that figures on one page cannot collide."""
    theme: ThemeName = "auto"
    """`auto` follows the page, or the system if the figure is a separate file."""
    width_px: float | None = None
    """Widest figure wanted, in CSS px, from 120 to 10000."""
    standalone: bool = True
    """Whether the figure is a separate file; else the page has `acdl.css`."""
    reflows: bool = False
    """Whether an SVG in a page is followed by a drawing for narrow columns, which `acdl.css` shows in place of it."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Definition name to href, for definitions that are not in the figure."""
    source_url: str = ""
    """Root of the source repository, to which `// <- file:line` comments link; no links if empty."""
    scale: float = 2
    """Pixels of a PNG for each CSS px, from 0.25 to 8."""
    fonts: tuple[str, ...] = ()
    """Paths of fonts for characters that the font of PNG and PDF does not have, such as those of CJK scripts."""

    def __post_init__(self) -> None:
        """Refuse a theme, width or scale that no figure can have.

        Raises:
            ValueError: The text explains what was expected.
        """
        if self.theme not in get_args(ThemeName):
            raise ValueError(f"`theme` cannot be {self.theme!r}: expected one of {', '.join(get_args(ThemeName))}")
        try:
            check_width(_MIN_WIDTH_PX if self.width_px is None else self.width_px)
        except ValueError as expected:
            raise ValueError(f"`width_px` cannot be {self.width_px}: expected {expected}") from None
        try:
            check_scale(self.scale)
        except ValueError as expected:
            raise ValueError(f"`scale` cannot be {self.scale}: expected {expected}") from None


def check_width(width_px: float) -> float:
    """Return the width if a figure can have it.

    Raises:
        ValueError: It is too small, too large or no number; the text explains what was expected.
    """
    if not _MIN_WIDTH_PX <= width_px <= _MAX_WIDTH_PX:
        raise ValueError(f"a number of px from {_MIN_WIDTH_PX} to {_MAX_WIDTH_PX}, such as 480")
    return width_px


def check_scale(scale: float) -> float:
    """Return the scale if a picture can have it.

    Raises:
        ValueError: It is too small, too large or no number; the text explains what was expected.
    """
    if not _MIN_SCALE <= scale <= _MAX_SCALE:
        raise ValueError(f"a number from {_MIN_SCALE} to {_MAX_SCALE}, such as 2")
    return scale

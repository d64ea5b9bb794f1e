"""What a writer may be told about a figure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

ThemeName = Literal["auto", "light", "dark"]


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """Options of every output; each uses those that concern it."""

    title: str = ""
    """Name of the figure; made from its definitions if empty."""
    id_prefix: str = ""
    """Put before every id, so that figures on one page cannot collide."""
    theme: ThemeName = "auto"
    """`auto` follows the page, or the system where the figure stands alone."""
    width_px: float | None = None
    """Widest figure wanted, in CSS px."""
    standalone: bool = True
    """Whether the figure is a file of its own; else the page has `acdl.css`."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Definition name to href, for definitions that are not in the figure."""
    source_url: str = ""
    """Root of the source repository, to which `// <- file:line` comments link; no links if empty."""

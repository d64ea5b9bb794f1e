"""What a figure shows: words and nesting, before anyone asks where things go.

Made by `describe`; laid out by `layout`; the text, HTML and JSON outputs read it directly. Knows no geometry and no
ACDL syntax.
"""

from dataclasses import dataclass

from acdl_mkdocs.source import Span
from acdl_mkdocs.syntax.words import Words


@dataclass(frozen=True, slots=True)
class Box:
    """One construct of a figure: a header in words, and what stands inside it."""

    kind: str
    """A theme key. `figure` is the root; then `prompt`, `string-fragment`, `roles-fragment`, `role.system`,
    `role.user`, `role.assistant`, `role.tool`, `role.none`, `foreach`, `if`, `elseif`, `else`, `switch`, `case`,
    `default`, `mark`, `label`, `content`, `name`, `ends-here`, `break`, `continue`, `comment`, `skipped`, `broken`."""
    header: Words = ()
    children: tuple["Box", ...] = ()
    comment: str = ""
    """Text of the comment that stands beside the header, without `//`."""
    anchor: str = ""
    """Name of this construct in its figure, unique within it; empty for what nobody links to."""
    span: Span | None = None

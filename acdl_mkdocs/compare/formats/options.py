"""Options for showing a difference."""

from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.frozen import dataclass

if TYPE_CHECKING:
    from acdl_mkdocs.compare.sent.sent import SentDifference


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """Options of all formats; each format uses those that apply to it."""

    color: bool = False
    """Whether a terminal gets colours."""
    sent: "SentDifference | None" = None
    """The messages of both specs at the points of a state; without it only the specs are compared."""
    title: str = ""
    """Name of what is compared; made from the names of both sides if empty."""
    is_side_by_side: bool = False
    """Whether a drawing shows both sides instead of one figure of both."""
    is_folded: bool = True
    """Whether a drawing leaves out long unchanged parts."""
    theme: str = "auto"
    """`auto`, `light` or `dark`: that of a drawing."""
    limit: int = 65_536
    """Maximum length of a comment, in characters."""

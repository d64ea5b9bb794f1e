"""What a way to show transcripts may be told, and what it gives."""

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.frozen import dataclass

if TYPE_CHECKING:
    from acdl_mkdocs.evaluation.transcript import Finding
    from acdl_mkdocs.model_tokens import Counter


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """Options of every way; each uses those that concern it."""

    counter: "Counter | None" = None
    """Counts model tokens; without it none are shown."""
    model: str | None = None
    """Name of the model that a request asks."""
    is_command: bool = False
    """Whether a request is written as a command that sends it."""
    place_of: Callable[[str], str] | None = None
    """Where a path of the state stands: `chat.state.yaml:12:5`."""
    id_prefix: str = ""
    """Put before every id, so that transcripts on one page cannot collide."""
    is_standalone: bool = True
    """Whether HTML is a document of its own; else the page around it has the styles."""
    figure: str = ""
    """Markup of the figure of the spec, shown beside the messages of a document."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Text, and what it does not say."""

    text: str
    findings: "tuple[Finding, ...]" = ()
    """What a format cannot hold, with the place of the spec."""
    remarks: tuple[str, ...] = field(default=())
    """Sentences about the whole, which has no place."""

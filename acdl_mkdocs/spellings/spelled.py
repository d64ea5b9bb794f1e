"""`Spelled`: a prompt in one spelling, with the pieces of its text that are tools, calls, files and so on."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass

Kind: TypeAlias = Literal["tools", "memory", "calls", "results", "files", "words"]
KINDS: tuple[Kind, ...] = ("tools", "memory", "calls", "results", "files", "words")
"""What a prompt consists of. `words` are the texts of messages; all but them is counted as it is spelled."""


@dataclass(frozen=True, slots=True)
class Spelled:
    """A prompt in one spelling."""

    whole: str | None
    """The text; `None` where the spelling has no place for a whole prompt."""
    pieces: Mapping[Kind, Sequence[str]]
    """What of the text is of a kind; a kind that is missing has no place in the spelling."""
    lost: tuple[str, ...] = ()
    """What of the prompt cannot be read from the text again; nothing where all of it can."""

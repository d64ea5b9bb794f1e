"""Options of reports of recorded runs."""

from acdl_mkdocs.foundation.frozen import dataclass


@dataclass(frozen=True, slots=True)
class RunReportOptions:
    """Options of every report of recorded runs."""

    color: bool = False
    """Whether terminal colours are used."""
    is_ascii: bool = False
    """Whether signs are ASCII letters, for terminals without other characters."""
    has_excerpts: bool = True
    """Whether beginnings of messages are shown; keys and passwords never are."""
    command: str = "acdl check-run"
    """The command to reproduce the check."""

"""Settings of a project, as one frozen value that every front end fills and hands down."""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from acdl_mkdocs.foundation.frozen import dataclass

RangeMode = Literal["half-open", "inclusive"]
Level = Literal["off", "note", "warning", "error"]
"""The level that a project gives a rule: off, or a severity."""


@dataclass(frozen=True, slots=True)
class Config:
    """Settings for reading and checking ACDL text."""

    range: RangeMode = "half-open"
    """Whether `range(a, b)` stops before `b` (the paper) or at it (the website reference)."""
    snippet: bool = False
    """Whether text without a title (`S: A`) is accepted: yes in a fence, no in an `.acdl` file."""
    levels: Mapping[str, Level] = field(default_factory=dict)
    """Levels of rules by name; a rule that is not listed keeps its own severity."""
    is_site_known: bool = False
    """Whether all texts of the site were searched, so that a fragment that no text defines is missing."""

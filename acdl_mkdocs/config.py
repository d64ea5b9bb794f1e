"""Settings of a project, as one frozen value that every front end fills and hands down."""

from dataclasses import dataclass
from typing import Literal

RangeMode = Literal["half-open", "inclusive"]


@dataclass(frozen=True, slots=True)
class Config:
    """How ACDL text is read and checked."""

    range: RangeMode = "half-open"
    """Whether `range(a, b)` stops before `b` (the paper) or at it (the website reference)."""
    snippet: bool = False
    """Whether text without a title (`S: A`) is accepted: yes in a fence, no in an `.acdl` file."""

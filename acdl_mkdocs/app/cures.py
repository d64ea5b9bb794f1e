"""Why something is not done, and what can be done about it: data that every front end puts into its own words."""

from collections.abc import Callable
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a question, which a front end calls `--missing placeholder` or names by a button."""

    name: str
    value: str = ""
    """The value that it should have; empty if a person has to choose one."""


OptionWords: TypeAlias = Callable[[Option], str]
"""What a front end calls an option."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something is not done."""

    reason: str
    """Empty where the diagnostics beside it say it."""
    cure: tuple[str | Option, ...]
    """Words and options that together are a sentence."""

    def sentence(self, words_of: OptionWords) -> str:
        """Return reason and cure.

        Parameters:
            words_of: What the front end calls an option.
        """
        cure = "".join(each if isinstance(each, str) else words_of(each) for each in self.cure)
        return f"{self.reason}; {cure}" if self.reason else cure

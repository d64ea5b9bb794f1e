"""Reasons for refusals and their fixes: data that every front end words in its own way."""

from collections.abc import Callable
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """An option that every front end names differently: `--missing placeholder`, or a button."""

    name: str
    """Its name without dashes: `missing`."""
    value: str = ""
    """The value to set; empty if a person has to choose one."""


OptionWords: TypeAlias = Callable[[Option], str]
"""Returns the name of an option in a front end."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a request is refused, and the cure."""

    reason: str
    """Empty if the diagnostics beside it explain it."""
    cure: tuple[str | Option, ...]
    """Words and options that together form a sentence."""

    def write_sentence(self, words_of: OptionWords) -> str:
        """Return reason and cure as a sentence.

        Parameters:
            words_of: Returns the name of an option in the front end.
        """
        cure = self.cure_in_words(words_of)
        return f"{self.reason}; {cure}" if self.reason else cure

    def cure_in_words(self, words_of: OptionWords) -> str:
        """Return the cure alone, as `write_sentence()` does."""
        return "".join(each if isinstance(each, str) else words_of(each) for each in self.cure)

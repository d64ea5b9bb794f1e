"""Expressions as words: the only printer of expressions in the package.

A word is a `Run` of text in one style or a `Pill` that frames other words. The formatter joins the texts; the figure
keeps the styles.
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Run:
    """A few characters in one style."""

    text: str
    style: str
    """A theme key: `keyword`, `title`, `template`, `function`, `variable`, `index`, `reference`, `path`, `string`,
    `number`, `operator`, `plain`, `comment`, `role`, `badge`."""


@dataclass(frozen=True, slots=True)
class Pill:
    """Words in a frame of their own; pills nest."""

    style: str
    """A theme key: `template`, `function`, `variable` or `fragment`."""
    words: tuple["Run | Pill", ...]
    target: str = ""
    """Name of the definition that it refers to, empty if none."""


Words: TypeAlias = tuple[Run | Pill, ...]


def text_of(words: Words) -> str:
    """The words as one string, without frames and styles."""
    return "".join(word.text if isinstance(word, Run) else text_of(word.words) for word in words)

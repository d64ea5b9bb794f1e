"""What a grammar is made of: attributes, and steps of elements that follow each other."""

from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute that an element may have."""

    name: str
    summary: str
    is_required: bool = False
    choices: tuple[str, ...] = ()
    """The only values that it may have, where there are such."""
    pattern: str | None = None
    """A regular expression that the whole value has to match; of the kind that Python and XML Schema both read."""
    example: str = ""
    """A value, where the pattern needs one to be understood."""


@dataclass(frozen=True, slots=True)
class Some:
    """Elements of these kinds, in any order: at least and at most so many."""

    kinds: tuple[str, ...]
    least: int = 0
    most: int | None = None
    """`None` for any number."""


@dataclass(frozen=True, slots=True)
class Maybe:
    """All of these steps, or none."""

    steps: tuple[Some, ...]


Step: TypeAlias = Some | Maybe

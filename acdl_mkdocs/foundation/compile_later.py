"""Patterns that are compiled on first use.

A figure needs few of the patterns of the modules that draw it, and compiling all of them took a sixth of the time to
load these modules. Knows nothing about ACDL.
"""

import re
from typing import cast


def compile_later(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return an object that compiles the pattern when an attribute is first read; functions of `re` do not accept it.

    Raises:
        re.error: On first use, not here, if the pattern is invalid.
    """
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))


class _LazyPattern:
    """A pattern that may not be compiled yet."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._text = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        """Return an attribute of the pattern and cache it here, so that this method is not called for it again."""
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, value)
        return value

    def __repr__(self) -> str:
        return f"compile_later({self._text!r}, {self._flags})"

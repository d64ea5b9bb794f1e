"""Counts as Claude would give them, by the package ctok: what was worked out from counts, no published encoding.

Anthropic publishes neither the vocabulary nor the encoder of these models. Whoever prints these counts says so.
"""

import sys
import unicodedata

from acdl_mkdocs.foundation import extras
from acdl_mkdocs.foundation.errors import MissingExtraError

FAMILY = "4.8"
"""The models whose counts are worked out: Opus 4.8 and what came after it."""
EXTRA = "claude"

_MIN_PYTHON = (3, 12)
_MAX_MARKS = 30
"""Combining characters in a row that normal text has at most; Unicode Standard Annex 15, "Stream-Safe Text Format"."""
_JOINER = "\u034f"


class Reconstruction:
    """Counts the content of messages.

    Raises:
        MissingExtraError: ctok is not installed, or Python is too old for it.
    """

    def __init__(self) -> None:
        if sys.version_info < _MIN_PYTHON:
            raise MissingExtraError(
                f"`{EXTRA}` needs Python {'.'.join(map(str, _MIN_PYTHON))} for the package ctok, this is "
                f"{sys.version_info.major}.{sys.version_info.minor}: choose another encoding, such as o200k_base"
            )
        self._ctok = extras.load("ctok", EXTRA)
        self._frame = self._whole_message("")

    def count(self, text: str) -> int:
        """About how many tokens a text adds to a message; line ends at its end are free, as they are in a message."""
        return self._whole_message(stream_safe(text)) - self._frame

    def _whole_message(self, text: str) -> int:
        count: int = self._ctok.token_count(text, FAMILY)
        return count


def stream_safe(text: str) -> str:
    """The text with a joiner in every long row of combining characters, which to normalize would take ever longer.

    Source: Unicode Standard Annex 15, "Conversion to Stream-Safe Text Format". Only texts that nobody reads change.
    """
    if text.isascii():
        return text
    safe: list[str] = []
    n_marks = 0
    for character in text:
        n_marks = n_marks + 1 if unicodedata.combining(character) else 0
        if n_marks > _MAX_MARKS:
            safe.append(_JOINER)
            n_marks = 1
        safe.append(character)
    return "".join(safe)

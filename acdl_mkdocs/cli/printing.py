"""What standard output gets of texts that somebody else wrote."""

import re
import sys

from acdl_mkdocs.foundation import text_width
from acdl_mkdocs.foundation.reports.excerpt import visible

_COLOR = re.compile(r"(\x1b\[[0-9;]*m)")


def shown(text: str, *, has_color: bool = False) -> str:
    """A text as standard output gets it: what is no terminal, such as a file or a pipe, gets all of it.

    Parameters:
        text: The text.
        has_color: Whether the text is a report of this package in colour, whose colours are kept.
    """
    if not sys.stdout.isatty():
        return text
    if not has_color:
        return harmless(text)
    return "".join(each if idx % 2 else harmless(each) for idx, each in enumerate(_COLOR.split(text)))


def say(sentence: str) -> None:
    """Print a sentence on what was done, in which the name of a file neither acts on a terminal nor ends the line."""
    print(text_width.visible(sentence))


def harmless(text: str) -> str:
    """A text with its lines and tabs, and no character that would act on a terminal."""
    return "\n".join("\t".join(map(visible, line.removesuffix("\r").split("\t"))) for line in text.split("\n"))

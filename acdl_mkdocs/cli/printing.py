"""What standard output gets of texts that somebody else wrote."""

import sys

from acdl_mkdocs.reports.excerpt import visible


def shown(text: str) -> str:
    """A text as standard output gets it: what is no terminal, such as a file or a pipe, gets all of it."""
    return harmless(text) if sys.stdout.isatty() else text


def harmless(text: str) -> str:
    """A text with its lines and tabs, and no character that would act on a terminal."""
    return "\n".join("\t".join(map(visible, line.removesuffix("\r").split("\t"))) for line in text.split("\n"))

"""Fences that MyST reads as directives: ```` ```{acdl} ```` with a line `:name: value` for each option.

Gives the same block as a fence with all options in its header, at the columns of their lines.
"""

import re
from dataclasses import replace

from acdl_mkdocs.site.fences import Fence

_DIRECTIVE = re.compile(r"\s*\{[\w-]+\}")
_OPTION = re.compile(r"(?P<indent>\s*):(?P<name>[\w-]+):[ \t]*(?P<value>.*)")
_OWN = re.compile(r"\s*:(?:name|class|no-index|noindex):")
"""Options that every directive has: they say nothing about the figure."""


def with_options(fence: Fence) -> Fence:
    """The fence with the options of a directive in its header; other fences as they are.

    The lines of the options stay in the text as empty ones, so that every other line keeps its place.
    """
    if not _DIRECTIVE.match(fence.header):
        return fence
    lines = fence.text.split("\n")
    head = [fence.header]
    while len(head) <= len(lines) and (option := _OPTION.fullmatch(lines[len(head) - 1])):
        pair = f'{option["name"]}="{_escaped(option["value"].strip())}"'
        head.append("" if _OWN.match(option[0]) else f"{option['indent']} {pair}")
    text = "\n".join(["", *lines[len(head) - 1 :]]) if len(head) > 1 else fence.text
    return replace(fence, header="\n".join(head), text="\n" * (len(head) - 2) + text)


def below_options(fence: Fence) -> Fence:
    """The fence as if it began below its options, which are then words of one line: for whoever changes its text."""
    read = with_options(fence)
    n_options = read.header.count("\n")
    if not n_options:
        return fence
    text = read.text.lstrip("\n")
    n_above = len(read.text) - len(text)
    return replace(fence, first=fence.first + n_above, header=" ".join(read.header.split("\n")), text=text)


def _escaped(value: str) -> str:
    unquoted = re.sub(r"""^(["'])(.*)\1$""", r"\2", value)
    return unquoted.replace("\\", "\\\\").replace('"', '\\"')

"""Directives of MyST, ```` ```{acdl} ````, and of reStructuredText, `.. acdl::`, with an option line `:name: value`.

The result is the same as for a fence with all options in its header, at the columns of their lines.
"""

import re
from dataclasses import replace

from acdl_mkdocs.workspace.fences import Fence

_DIRECTIVE = re.compile(r"\s*\{[\w-]+\}")
_OPTION = re.compile(r"(?P<indent>\s*):(?P<name>[\w-]+):[ \t]*+(?P<value>.*)")
_OWN = re.compile(r"\s*:(?:name|class|no-index|noindex):")
"""Options that every directive has: they do not affect the figure."""
_FILE = re.compile(r"(?P<before>\s*(?:\{[\w-]+\}|acdl)[ \t]+)(?=\S+[ \t]*\Z)(?P<file>[^\s=\"']+\.acdl(?:#\S+)?)[ \t]*")
"""A single word after the name that is a file, as other directives take one."""


def move_options(fence: Fence) -> Fence:
    """Move the options of a directive into the header of its fence; return other fences unchanged.

    The lines of the options stay in the text as empty ones, so that all other lines keep their positions.
    """
    if not is_directive(fence):
        return fence
    lines = fence.text.split("\n")
    file = _FILE.fullmatch(fence.header)
    head = [f'{file["before"]}src="{_escape_value(file["file"])}"' if file else fence.header]
    while len(head) <= len(lines) and (option := _OPTION.fullmatch(lines[len(head) - 1])):
        pair = f'{option["name"]}="{_escape_value(option["value"].strip())}"'
        head.append("" if _OWN.match(option[0]) else f"{option['indent']} {pair}")
    text = "\n".join(["", *lines[len(head) - 1 :]]) if len(head) > 1 else fence.text
    if len(head) == 1 and not file:
        return fence
    return replace(fence, header="\n".join(head), text="\n" * (len(head) - 2) + text)


def is_directive(fence: Fence) -> bool:
    """Return whether a block has lines of options."""
    return fence.body_prefix is not None or _DIRECTIVE.match(fence.header) is not None


def skip_options(fence: Fence) -> Fence:
    """Return the fence as if it began below its options, for changes of its text only."""
    read = move_options(fence)
    n_options = read.header.count("\n")
    if not n_options and fence.body_prefix is None:
        return read
    text = read.text.lstrip("\n")
    n_above = len(read.text) - len(text)
    return replace(fence, first=fence.first + n_above, header=" ".join(read.header.split("\n")), text=text)


def _escape_value(value: str) -> str:
    unquoted = re.sub(r"""^(["'])(.*)\1$""", r"\2", value)
    return unquoted.replace("\\", "\\\\").replace('"', '\\"')

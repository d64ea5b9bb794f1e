"""Directives of MyST, ```` ```{acdl} ````, and of reStructuredText, `.. acdl::`, with an option line `:name: value`.

In MyST, lines `name: value` between two lines `---` are options too. The result is the same as for a fence with all
options in its header, at the columns of their lines.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from acdl_mkdocs.workspace.fences import Fence

_DIRECTIVE = re.compile(r"\s*\{[\w-]+\}")
_OPTION = re.compile(r"(?P<before>\s*:)(?P<name>[\w-]+):[ \t]*+(?P<value>.*)")
_YAML_OPTION = re.compile(r"(?P<before>\s*)(?P<name>[\w-]+):[ \t]*+(?P<value>.*)")
_YAML_MARK = "---"
_OWN = ("name", "class", "no-index", "noindex")
"""Options that every directive has: they do not affect the figure."""
_WORD = re.compile(r"(?P<before>\s*\{?(?P<name>[\w-]+)\}?[ \t]+)(?P<word>\S+)[ \t]*")
_NO_FILE = re.compile(r"[\s=\"']")
_FILES: Mapping[str, tuple[str, ...]] = {
    "acdl": (".acdl",),
    "acdl-playbook": (".yaml", ".yml", ".json"),
    "laic": (".xml",),
    "pml": (".xml",),
}
"""The suffixes of the files that a directive shows."""


def move_options(fence: Fence) -> Fence:
    """Move the options of a directive into the header of its fence; return other fences unchanged.

    The lines of the options stay in the text as empty ones, so that all other lines keep their positions.
    """
    if not is_directive(fence):
        return fence
    lines = fence.text.split("\n")
    file = _WORD.fullmatch(fence.header)
    if file and not names_file(file["name"], file["word"]):
        file = None
    options = [
        _option_pair(line, fence.body_indent)
        for line in lines[: _count_option_lines(lines, is_myst=fence.body_prefix is None)]
    ]
    head = [f'{file["before"]}src="{_escape_value(file["word"])}"' if file else fence.header, *options]
    text = "\n".join(["", *lines[len(options) :]]) if options else fence.text
    if len(head) == 1 and not file:
        return fence
    return replace(fence, header="\n".join(head), text="\n" * (len(head) - 2) + text)


def is_directive(fence: Fence) -> bool:
    """Return whether a block has lines of options."""
    return fence.body_prefix is not None or _DIRECTIVE.match(fence.header) is not None


def names_file(language: str, words: str) -> bool:
    """Return whether the words after the name of a directive are a single file, as other directives take one."""
    suffixes = _FILES.get(language.lower(), ())
    return not _NO_FILE.search(words) and (words.endswith(suffixes) or words.rpartition("#")[0].endswith(suffixes))


def skip_options(fence: Fence) -> Fence:
    """Return the fence as if it began below its options, for changes of its text only."""
    read = move_options(fence)
    n_options = read.header.count("\n")
    if not n_options and fence.body_prefix is None:
        return read
    text = read.text.lstrip("\n")
    n_above = len(read.text) - len(text)
    return replace(fence, first=fence.first + n_above, header=" ".join(read.header.split("\n")), text=text)


def _count_option_lines(lines: list[str], *, is_myst: bool) -> int:
    """Return how many lines at the top of a directive are options."""
    if is_myst and lines[0].startswith(_YAML_MARK):
        return next((at for at, line in enumerate(lines[1:], 2) if line.startswith(_YAML_MARK)), len(lines))
    return next((at for at, line in enumerate(lines) if not _OPTION.fullmatch(line)), len(lines))


def _option_pair(line: str, indent: str) -> str:
    """Return an option as it would be in a header, at its column; empty if it does not affect the figure."""
    option = _OPTION.fullmatch(line) or _YAML_OPTION.fullmatch(line)
    if option is None or option["name"] in _OWN:
        return ""
    return f'{indent}{" " * len(option["before"])}{option["name"]}="{_escape_value(option["value"].strip())}"'


def _escape_value(value: str) -> str:
    unquoted = re.sub(r"""^(["'])(.*)\1$""", r"\2", value)
    return unquoted.replace("\\", "\\\\").replace('"', '\\"')

"""Print the differences of two versions of a file line by line, as `diff -u` does."""

from difflib import unified_diff

from acdl_mkdocs.foundation.safe_text import mask_controls
from acdl_mkdocs.frontends.cli.writing import escape_controls, format_for_stdout

_COLORS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_RESET = "\x1b[0m"


def print_diff(name: str, before: str, after: str, *, color: bool, is_patch: bool = True) -> None:
    """Print the lines that differ with a few around them; nothing if there are none.

    Parameters:
        name: That of the file.
        before: Its text.
        after: The new text.
        color: Whether lines are coloured.
        is_patch: Whether a file or a pipe gets an applicable patch. Git shows its input in a pager, where nothing
            may act on the terminal.
    """
    old, new = _split_lines(before), _split_lines(after)
    name = mask_controls(name)  # a line end in it would break the header of the patch
    for line in unified_diff(old, new, name, name, "before", "after", lineterm=""):
        style = _COLORS.get(line[:1], "") if color else ""
        printable = format_for_stdout(line) if is_patch else escape_controls(line)
        print(f"{style}{printable}{_RESET}" if style else printable)


def _split_lines(text: str) -> list[str]:
    """Return the lines of a text; the last one is marked if it has no line end."""
    lines = text.split("\n")
    if lines[-1]:
        return [*lines[:-1], f"{lines[-1]}\n\\ No newline at end of file"]
    return lines[:-1]

"""Print how two versions of a file differ, line by line, as `diff -u` does."""

from difflib import unified_diff

from acdl_mkdocs.reports.excerpt import visible

_COLORS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_RESET = "\x1b[0m"


def print_diff(name: str, before: str, after: str, *, color: bool) -> None:
    """Print the lines that differ with a few around them, without what acts on a terminal; nothing if none does."""
    old, new = _lines(before), _lines(after)
    for line in unified_diff(old, new, name, name, "before", "after", lineterm=""):
        style = _COLORS.get(line[:1], "") if color else ""
        shown = "\n".join(map(_visible, line.split("\n")))
        print(f"{style}{shown}{_RESET}" if style else shown)


def _lines(text: str) -> list[str]:
    """The lines of a text; the last one says so if no line end follows it."""
    lines = text.split("\n")
    if lines[-1]:
        return [*lines[:-1], f"{lines[-1]}\n\\ No newline at end of file"]
    return lines[:-1]


def _visible(line: str) -> str:
    """A line as a terminal may get it; its tabs, and the half of a line end that files of Windows have, stay."""
    end = "\r" if line.endswith("\r") else ""
    return "\t".join(map(visible, line.removesuffix("\r").split("\t"))) + end

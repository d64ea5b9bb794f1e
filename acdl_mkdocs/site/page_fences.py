"""The fence that shows a spec on a page that is written by machine, whatever its file is called."""

import re

from acdl_mkdocs.site.bundle import with_comments
from acdl_mkdocs.site.shelf import Shown
from acdl_mkdocs.workspace.files import printable


def fence_of(entry: Shown, options: str) -> str:
    """A fenced block that draws a spec.

    A spec that has a page is drawn from its file, so that its problems are reported there; one that stands in a page
    is written out.

    Parameters:
        entry: The spec.
        options: What else the header says.
    """
    name = entry.file
    text = ""
    if entry.has_page and printable(name) == name and not re.search(r"[\n\r\f]", name):
        options = f'src="{quoted(name)}#{entry.spec.name}" {options}'
    else:
        text = f"{with_comments(entry.spec)}\n"
    mark = _mark(options, text)
    return f"{mark}acdl {options}\n{text}{mark}"


def difference_fence(old: Shown, new: Shown, title: str) -> str:
    """A fenced block that draws what differs between two specs."""
    options = f'old="{quoted(_named(old))}" new="{quoted(_named(new))}" title="{quoted(title)}"'
    mark = _mark(options, "")
    return f"{mark}acdl-diff {options}\n{mark}"


def inspection_fence(entry: Shown) -> str:
    """A fenced block that shows what the recorded runs of a spec sent."""
    options = f'src="{quoted(" ".join(entry.runs))}"'
    mark = _mark(options, "")
    return f"{mark}acdl-inspect {options}\n{mark}"


def _named(entry: Shown) -> str:
    """What a block calls a spec: by its file, if it has a page, since other files may have the name too."""
    name = entry.file
    is_file = entry.has_page and printable(name) == name and not re.search(r"[\n\r\f:]", name)
    return f"{name}#{entry.spec.name}" if is_file else entry.spec.name


def quoted(name: str) -> str:
    """A value as it stands between double quotes."""
    return re.sub(r'([\\"])', r"\\\1", name)


def _mark(header: str, text: str) -> str:
    """Signs that end the block and occur nowhere in it: backquotes, which a header must not have, or else tildes."""
    sign = "~" if "`" in header else "`"
    longest = max((len(found) for found in re.findall(f"{sign}+", header + text)), default=0)
    return sign * max(3, longest + 1)

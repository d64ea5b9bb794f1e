"""The kinds of pages, and how the blocks of each are found: one table for every command, editor and build.

A page of any kind has the lines of its file, so that positions, formatting and fixes are those of the file. Only a
notebook is read cell by cell: its cells are pages with separate names.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.workspace.fences import Fence, blank_code, fences_of, lines_of, myst_fences_of
from acdl_mkdocs.workspace.myst import is_directive
from acdl_mkdocs.workspace.project import has_configuration
from acdl_mkdocs.workspace.remembered import cache_across_builds

PageKind: TypeAlias = Literal["markdown", "myst", "rst", "python", "notebook"]

PAGE_KINDS: Mapping[str, PageKind] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdown": "markdown",
    ".mkdn": "markdown",
    ".mkd": "markdown",
    ".mdx": "markdown",
    ".qmd": "markdown",
    ".rst": "rst",
    ".py": "python",
    ".ipynb": "notebook",
}
"""Maps the suffix of a file, in lower case, to how it is read."""

ALSO_OTHERS = ("rst", "python", "notebook")
"""Kinds of which most files have no blocks: in a folder, only those that mention ACDL are read."""

UNREAD = (".tex", ".adoc", ".asciidoc", ".org", ".textile", ".typ", ".rmd")
"""Suffixes of documents that are not read."""

_MYST_FILES = ("conf.py", "myst.yml", "_config.yml")
"""Configurations of docs tools that use MyST: those of the nearest folder determine how Markdown is read."""
_N_REMEMBERED = 256


@dataclass(frozen=True, slots=True)
class PagePart:
    """A part of a page that is read separately: all of it, or a cell of a notebook."""

    name: str
    """Its name in messages: `docs/a.md`, `demo.ipynb:cell 3`."""
    text: str
    kind: PageKind


@dataclass(frozen=True, slots=True)
class SkippedBlock:
    """Blocks of a page that are not read."""

    line: int
    """0-based index."""
    reason: str
    cure: str


def kind_of(path: PurePath | str) -> PageKind | None:
    """Return how a file is read, by its suffix; `None` if it is not a page."""
    return PAGE_KINDS.get(PurePath(path).suffix.lower())


def kind_at(path: Path | None) -> PageKind:
    """Return how a page is read, considering the docs tool of its project.

    MyST reads the body of a directive such as ```` ```{note} ````, other tools show it as code. Without a docs tool, or
    without a file, it is read.
    """
    kind = (kind_of(path) or "markdown") if path else "markdown"
    if kind != "markdown" or path is None:
        return "myst" if kind == "markdown" else kind
    for folder in path.absolute().parents:
        if has_configuration(str(folder)):
            return "markdown"
        if any((folder / name).is_file() for name in _MYST_FILES) or (folder / ".git").exists():
            break
    return "myst"


def blocks_in(text: str, kind: PageKind) -> tuple[Fence, ...]:
    """Return all blocks of a text, of any language, in order; none of a notebook, whose parts have them."""
    if kind == "markdown":
        return fences_of(text)
    reader = _READERS.get(kind)
    return reader(text) if reader else ()


def specs_in(part: PagePart) -> Iterator[Fence]:
    """Yield the `acdl` blocks of a part."""
    return (each for each in blocks_in(part.text, part.kind) if each.language == "acdl" and not each.is_code)


def parts_of(text: str, name: str, kind: PageKind) -> tuple[PagePart, ...]:
    """Return the parts of a page that are read.

    Parameters:
        text: The file.
        name: Its name in messages.
        kind: How it is read.
    """
    if kind != "notebook":
        return (PagePart(name, text, kind),)
    from acdl_mkdocs.workspace.notebook import cells_of

    return tuple(PagePart(f"{name}:cell {each.number}", each.text, "myst") for each in cells_of(text))


def replace_parts(text: str, kind: PageKind, texts: list[str]) -> str:
    """Replace the texts of the parts of a page, in their order; everything else is kept, to the byte."""
    if kind != "notebook":
        return "".join(texts)
    from acdl_mkdocs.workspace.notebook import replace_cells

    return replace_cells(text, texts)


def blank_code_in(text: str, kind: PageKind) -> str:
    """Replace code by blanks, character for character: in Python, everything but docstrings is code."""
    if kind == "python":
        from acdl_mkdocs.workspace.docstrings import blank_outside_docstrings

        text = blank_outside_docstrings(text)
    return blank_code(text, is_markdown=kind not in ("python", "rst"))


def find_skipped_blocks(text: str, kind: PageKind) -> Iterator[SkippedBlock]:
    """Yield the blocks of a page that are not read, with the reasons."""
    if kind == "python":
        from acdl_mkdocs.workspace.docstrings import find_unread_docstrings

        yield from (SkippedBlock(*each) for each in find_unread_docstrings(text))
    elif kind == "notebook":
        from acdl_mkdocs.workspace.notebook import explain_unread

        reason = explain_unread(text)
        if reason:
            yield SkippedBlock(0, f"this notebook cannot be read: {reason}", "save it again in Jupyter")


@cache_across_builds(_N_REMEMBERED)
def _read_myst(text: str) -> tuple[Fence, ...]:
    """Return the blocks of a page for MyST; ```` ```{eval-rst} ```` contains reStructuredText."""
    return tuple(each for fence in myst_fences_of(text) for each in _read_directive(fence, text))


def _read_directive(fence: Fence, text: str) -> tuple[Fence, ...]:
    if fence.language != "eval-rst" or fence.is_code or not is_directive(fence):
        return (fence,)
    from acdl_mkdocs.workspace.docstrings import directives_in

    return tuple(directives_in(lines_of(text), fence.first + 1, fence.body_end))


@cache_across_builds(_N_REMEMBERED)
def _read_rst(text: str) -> tuple[Fence, ...]:
    from acdl_mkdocs.workspace.docstrings import directives_of

    return directives_of(text)


@cache_across_builds(_N_REMEMBERED)
def _read_python(text: str) -> tuple[Fence, ...]:
    from acdl_mkdocs.workspace.docstrings import blocks_of_docstrings

    return blocks_of_docstrings(text)


_READERS: Mapping[PageKind, Callable[[str], tuple[Fence, ...]]] = {
    "myst": _read_myst,
    "rst": _read_rst,
    "python": _read_python,
}

"""The other texts that a side of a difference takes fragments from, as they were when the side was so.

A side of a git revision takes those of its repository from that revision, too. Parses nothing.
"""

from acdl_mkdocs.compare.revisions import read_blob
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.foundation.errors import RevisionError
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.site.diff_sides import Side
from acdl_mkdocs.site.page import Page
from acdl_mkdocs.workspace.catalog import Levels
from acdl_mkdocs.workspace.files import UnreadableFileError, decode, printable
from acdl_mkdocs.workspace.read_block import BlockText

_USED = 1
"""The level of files that a text names, which are of its revision already."""


def levels_of(side: Side, page: Page) -> tuple[Levels, tuple[Diagnostic, ...]]:
    """The texts, and a warning where one of them cannot be had as it was; its span is one of the side's text.

    Parameters:
        side: A side that was found.
        page: The page, which knows the texts of its site.
    """
    if side.source is None:
        return (), ()
    levels = page.catalog.all_sources(BlockText(side.source, uses=side.uses))
    if not side.commit:
        return levels, ()
    revision = side.source.name.partition(":")[0]
    found: list[tuple[Source, ...]] = []
    newer: dict[str, None] = {}
    for number, level in enumerate(levels):
        texts: list[Source] = []
        for source in level:
            old = source if number == _USED else _at(source, side.commit, revision, page)
            texts.append(old or source)
            newer |= {} if old else {source.name: None}
        found.append(tuple(texts))
    return tuple(found), tuple(_newer(name, revision) for name in newer)


def _at(source: Source, commit: str, revision: str, page: Page) -> Source | None:
    """A file of the project in a revision; `None` for a text of a page, or what the revision does not have."""
    if not source.name.endswith(".acdl"):
        return None
    root = page.root.resolve()
    try:
        return Source(printable(decode(read_blob(commit, revision, source.name, root))), f"{revision}:{source.name}")
    except (RevisionError, UnreadableFileError):
        return None


def _newer(name: str, revision: str) -> Diagnostic:
    message = f"fragments of `{name}` are taken as they are now, not as in `{revision}`"
    cure = "keep them in a file that the spec names: `// acdl: use common.acdl`"
    return warning("newer-fragments", message, Label(Span(0, 0), "this text uses them"), help=cure)

"""One fence as it looks in a page, for the Markdown preview of an editor."""

from functools import lru_cache
from pathlib import Path

from acdl_mkdocs.editor.documents import Document
from acdl_mkdocs.editor.workspace import Workspace
from acdl_mkdocs.language_server.session import Session
from acdl_mkdocs.site.blocks import BLOCKS, draw
from acdl_mkdocs.site.page import Page
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.fences import fences_of
from acdl_mkdocs.workspace.project import project_of


def fence_html(session: Session, document: Document | None, header: str, text: str, line: int = 0) -> str:
    """The HTML of a fence; empty if it is none of ours.

    Parameters:
        session: The documents, whose fragments the fence may use.
        document: The page that it stands in, if that is known.
        header: Its opening line.
        text: The lines inside.
        line: How many lines of the page stand before it, which problems count.
    """
    opening = header if header.lstrip()[:3] in ("```", "~~~") else f"```{header}"
    mark = opening.lstrip()[0] * (len(opening.lstrip()) - len(opening.lstrip().lstrip("`~")))
    words = "\n" * line + f"{opening.strip()}\n{text if text.endswith(chr(10)) or not text else text + chr(10)}{mark}\n"
    fence = next(iter(fences_of(words)), None)
    if fence is None or fence.language not in BLOCKS:
        return ""
    path = document.path if document else None
    root = project_of(path) if path else Path()
    name = document.name if document else "<text>"
    if path and root and path.is_relative_to(root):
        name = path.relative_to(root).as_posix()
    page = Page(name=name, text=words, path=path, root=root, catalog=Catalog(lambda: _site(session.workspace)))
    return draw(fence, page).html


@lru_cache(maxsize=2)
def _site(workspace: Workspace) -> Catalog:
    """The texts of all documents, for fragments that a page does not define."""
    catalog = Catalog()
    for piece in workspace.all_pieces():
        catalog.add(workspace.text_of(piece))
    return catalog

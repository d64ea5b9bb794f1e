"""The blocks of new pages of a MkDocs site, drawn by several processes before MkDocs renders its pages in one."""

from collections.abc import Callable
from pathlib import Path

from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page as MkDocsPage

from acdl_mkdocs.integrations.mkdocs_inputs import text_of
from acdl_mkdocs.site.ahead import draw_ahead
from acdl_mkdocs.site.cache import is_current, page_path
from acdl_mkdocs.site.page import Page


def draw_new(files: Files, folder: Path, n_jobs: int, opened: Callable[[MkDocsPage, str], Page]) -> None:
    """Draw the blocks of the pages that the cache knows nothing of.

    Parameters:
        files: Those of the site.
        folder: Of the cache.
        n_jobs: At most so many processes; 0 is one for each core.
        opened: Gives a page from that of MkDocs and its text.
    """
    new: list[Page] = []
    for file in files.documentation_pages():
        if file.page and not is_current(page_path(folder, file.src_uri)):
            text = text_of(file)
            if "acdl" in text:
                new.append(opened(file.page, text))
    draw_ahead(((page, page.fences("acdl")) for page in new), n_jobs)

"""New blocks of a MkDocs site, drawn by several processes while MkDocs renders its pages in one."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page as MkDocsPage
from mkdocs.utils.meta import get_data

from acdl_mkdocs.frontends.docs.mkdocs.draw_ahead import draw_ahead
from acdl_mkdocs.frontends.docs.mkdocs.inputs import text_of
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.pages.library import SiteLibrary
from acdl_mkdocs.frontends.docs.workers import Workers
from acdl_mkdocs.language.syntax.host_text import holds_host_text
from acdl_mkdocs.workspace.cache import digest_of, is_current, key_of, page_path
from acdl_mkdocs.workspace.fences import Fence, fences_of


def draw_new_blocks(
    files: Files, library: SiteLibrary, cache: Path, n_jobs: int, opened: Callable[[MkDocsPage, str], Page]
) -> Workers | None:
    """Begin to draw the new blocks of new or changed pages; checking all pages would take as long as rendering them.

    Parameters:
        files: Those of the site.
        library: The texts of the site.
        cache: The folder of the project's caches.
        n_jobs: The most processes; 0 is one for each core.
        opened: Returns our page for that of MkDocs and its text.
    """

    def changed() -> Iterator[tuple[Page, Sequence[Fence]]]:
        for file in files.documentation_pages():
            path = page_path(cache, file.src_uri)
            text = text_of(file)
            if file.page and "acdl" in text and not is_current(path, digest_of_page(file, library)):
                text, _ = get_data(text)  # blocks of a page without a file have the lines that MkDocs renders
                blocks = [each for each in fences_of(text) if each.language == "acdl" and not each.is_code]
                if blocks and not any(holds_host_text(each.text) for each in blocks):
                    yield opened(file.page, text), blocks

    return draw_ahead(changed(), n_jobs)


def digest_of_page(file: File, library: SiteLibrary) -> str:
    """Return a digest of the inputs of a page: its text, the files that its blocks show and the settings.

    Fragments of other pages are not in it, since it takes time to find them.
    """
    texts = library.texts_on_pages.get(unquote(file.url), ())
    return key_of(text_of(file), digest_of(library.settings), [digest_of(text) for text in texts])

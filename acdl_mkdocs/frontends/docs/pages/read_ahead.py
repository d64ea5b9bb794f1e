"""Read a site's new spec files in several processes, and make the download files of specs that need no other file.

The only spec of a file is parsed once for both. Only caches change: the build finds results in them, and reads and
makes what is missing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from acdl_mkdocs.frontends.docs.pages.bundle import has_all_fragments
from acdl_mkdocs.frontends.docs.pages.downloads import SiteDownloads
from acdl_mkdocs.frontends.docs.pages.library import AddedText, SiteLibrary, index_texts
from acdl_mkdocs.frontends.docs.pages.specs_cache import SpecsCache
from acdl_mkdocs.frontends.docs.workers import receive_work, run_workers
from acdl_mkdocs.workspace.used_files import Uses

_TextWork: TypeAlias = tuple[Path, tuple[Path | None, Sequence[str], Sequence[str]], Path, AddedText]
"""The cache of specs, the arguments of `SiteDownloads`, the project's folder, and a text."""

_MOST_SPECS = 8
"""Above this many specs in one text, `make_ahead` distributes their files over all processes."""


def read_ahead(library: SiteLibrary, cache: SpecsCache, downloads: SiteDownloads, n_jobs: int) -> None:
    """Read new texts whose specs have pages, and make the files of specs that need no other text.

    Parameters:
        library: The texts of the site.
        cache: What is known of texts.
        downloads: The files of specs.
        n_jobs: The most processes; 0 is one for each core, but 8 at most; 1 reads nothing.
    """
    new = {
        each.text.source.text: replace(each, text=replace(each.text, uses=Uses()))  # which lead to all known files
        for each in library.texts
        if any(address for _, address in each.pages) and not cache.has_specs(each.text.source)
    }
    n_workers = downloads.count_workers(len(new), n_jobs)
    if n_workers > 1:
        work = [(cache.path, downloads.arguments, library.root, each) for each in new.values()]
        run_workers(__name__, work, n_workers)
        cache.add_parts()


def read_in_process(work: Iterable[_TextWork]) -> None:
    """Read texts into a part of the cache of specs, and make files."""
    caches: dict[Path, SpecsCache] = {}
    try:
        for path, arguments, root, text in work:
            cache = caches[path] = caches.get(path) or SpecsCache.begin_part(path)
            spec_index = index_texts([text], cache.specs_of, root)
            downloads = SiteDownloads(*arguments)
            if len(spec_index.entries) <= _MOST_SPECS:
                for entry in spec_index.entries:
                    if entry.has_page and has_all_fragments(entry, spec_index):
                        downloads.files_of(entry, spec_index)
    finally:  # what was read before a failure counts
        for cache in caches.values():
            cache.save_cache()


if __name__ == "__main__":
    read_in_process(receive_work())

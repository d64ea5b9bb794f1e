"""Read a site's new spec files in several processes, and make the download files of specs that need no other file.

If a file has one spec, it is parsed only once. The build reads and makes what is missing.
"""

from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from acdl_mkdocs.frontends.docs.pages.bundle import has_all_fragments
from acdl_mkdocs.frontends.docs.pages.downloads import DownloadArguments, SiteDownloads
from acdl_mkdocs.frontends.docs.pages.library import AddedText, SiteLibrary, index_texts
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecIndex
from acdl_mkdocs.frontends.docs.pages.specs_cache import SpecsCache, SpecsEntry, read_entry
from acdl_mkdocs.frontends.docs.workers import do_work, run_workers
from acdl_mkdocs.workspace.parts import specs_in
from acdl_mkdocs.workspace.used_files import Uses

TextWork: TypeAlias = tuple[DownloadArguments, Path, AddedText]
"""The arguments of `SiteDownloads`, the project's folder, and a text."""

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
        each.text.source.text: replace(each, text=replace(each.text, uses=Uses()))  # its own lead to all known files
        for each in library.texts
        if any(address for _, address in each.pages) and not cache.has_specs(each.text.source)
    }
    n_workers = downloads.count_workers(len(new), n_jobs)
    if n_workers > 1:
        work = [(downloads.arguments, library.root, each) for each in new.values()]
        cache.add_entries(run_workers(__name__, work, n_workers))


def read_text(work: TextWork) -> SpecsEntry:
    """Read a text, and make files of its specs."""
    arguments, root, text = work
    _make_files(SiteDownloads(*arguments), index_texts([text], specs_in, root))
    return read_entry(text.text.source)


def _make_files(downloads: SiteDownloads, spec_index: SpecIndex) -> None:
    """Make the files of the specs of a text that need no other text, unless they are too many for one process."""
    entries = spec_index.entries if len(spec_index.entries) <= _MOST_SPECS else ()
    for entry in entries:
        if entry.has_page and has_all_fragments(entry, spec_index):
            downloads.files_of(entry, spec_index)


if __name__ == "__main__":
    do_work(read_text)

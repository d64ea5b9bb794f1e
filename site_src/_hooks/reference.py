"""MkDocs hook of this project's own site: the pages of commands and of Python functions in the navigation."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files

FOLDERS = ("reference/cli", "reference/python")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Put the pages of each folder below its first page, wherever that is in the navigation."""
    paths = sorted((file.src_uri for file in files.documentation_pages()), key=lambda path: path.removesuffix(".md"))
    for folder in FOLDERS:
        _replace(config.nav, f"{folder}/index.md", list(_list_pages(paths, folder)))
    return files


def _list_pages(paths: list[str], folder: str) -> Iterator[object]:
    """Yield the first page of a folder, then its other pages; a folder in it is a section."""
    yield f"{folder}/index.md"
    for path in paths:
        parent, name = PurePosixPath(path).parent, PurePosixPath(path).name
        if str(parent) == folder and name != "index.md":
            yield path
        elif str(parent.parent) == folder and name == "index.md":
            yield {f"acdl {parent.name}": list(_list_pages(paths, str(parent)))}


def _replace(entries: list[object] | None, page: str, pages: list[object]) -> None:
    for entry in entries or ():
        if isinstance(entry, dict):
            for title, value in entry.items():
                if value == page:
                    entry[title] = pages
                elif isinstance(value, list):
                    _replace(value, page, pages)

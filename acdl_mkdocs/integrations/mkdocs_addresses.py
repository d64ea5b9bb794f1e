"""Where things of a MkDocs site are: addresses as links of a page, and the files of pages."""

import os
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url


def from_page(address: str, page: Page, config: MkDocsConfig) -> str:
    """An address as a link of a page: one without a host is meant from the home page.

    A page that has a folder of its own in one site is a file of that name in another: `rules/{rule}.html`.
    """
    if not address or "://" in address or address[0] == "/":
        return address
    path, *rest = re.split(r"(?=[?#])", address, maxsplit=1)
    if path.endswith("/") and not config.use_directory_urls:
        path = f"{path.rstrip('/')}.html"
    return get_relative_url("".join([path, *rest]), page.url)


def source_of(file: File, root: Path) -> tuple[str, Path | None]:
    """What a person calls the file of a page, and where it is."""
    if file.abs_src_path is None or not os.path.isfile(file.abs_src_path):
        return file.src_uri, None
    name = Path(os.path.relpath(file.abs_src_path, root)).as_posix()
    return (file.src_uri if name.startswith("../") else name), Path(file.abs_src_path)

"""Addresses between the pages and files of a playbook: `index`, `changes`, `playbook.json`, all in one folder.

Docs tools publish a page either as a folder (`changes/`) or as a file (`changes.html`).
"""

from collections.abc import Callable
from typing import TypeAlias

INDEX = "index"

Address: TypeAlias = Callable[[str, str], str]
"""From the name of a page and the name of another page or file to the relative address of the other."""


def in_folders(page: str, other: str) -> str:
    """The address where each page is a folder: from `index` to `changes` it is `changes/`."""
    up = "" if page == INDEX else "../"
    if is_file(other):
        return f"{up}{other}"
    return (up if other == INDEX else f"{up}{other}/") or "./"


def as_files(page: str, other: str) -> str:
    """The address where each page is a file: from `index` to `changes` it is `changes.html`."""
    del page
    return other if is_file(other) else f"{other}.html"


def is_file(name: str) -> bool:
    """Whether a name is that of a file; names of pages have no dot."""
    return "." in name

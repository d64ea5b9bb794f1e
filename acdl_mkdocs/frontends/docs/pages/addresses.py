"""Addresses within a site: the page of a file, and links between pages. Knows no docs tool."""

import posixpath
import re

from acdl_mkdocs.foundation.compile_later import compile_later

_INDICES = ("index", "README")
_DEVICE = compile_later(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)", re.IGNORECASE)
"""Names that Windows reserves for devices, with any suffix: no file or folder can have them."""


def address_of(path: str, *, has_directories: bool) -> str:
    """Return the address of the page of a Markdown file, from the root of the site.

    Parameters:
        path: The file, from the folder of pages: `guide/agents.md`.
        has_directories: Whether that is `guide/agents/` or `guide/agents.html`.
    """
    folder, name = posixpath.split(posixpath.splitext(path)[0])
    if name in _INDICES:
        name = "" if has_directories else "index.html"
    else:
        name += "/" if has_directories else ".html"
    return posixpath.join(folder, name)


def file_name(name: str) -> str:
    """Return a name that a file or folder can have on every system: `CON-spec` for `CON`."""
    return _DEVICE.sub(lambda device: f"{device[0]}-spec", name) if _DEVICE.match(name) else name


def link_from(base: str, address: str) -> str:
    """Return an address of the site as a link of the page at `base`."""
    page, hash_sign, anchor = address.partition("#")
    path, mark, query = page.partition("?")
    if path == base:
        return f"{mark}{query}{hash_sign}{anchor}" or "./"
    relative = posixpath.relpath(path or ".", posixpath.dirname(base) or ".")
    slash = "/" if not path or path.endswith("/") else ""
    return f"{relative}{slash}{mark}{query}{hash_sign}{anchor}"

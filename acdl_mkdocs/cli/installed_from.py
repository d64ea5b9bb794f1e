"""Where this package was installed from, so that what `acdl new` writes installs the same one from there.

Installers write it down (`direct_url.json`, https://packaging.python.org/en/latest/specifications/direct-url/): a
repository with its commit, an archive, or a folder. Whatever has no such record came from a package index.
"""

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TypedDict, cast

from acdl_mkdocs import __version__

_NAME = "acdl-mkdocs"


class _Vcs(TypedDict, total=False):
    vcs: str
    commit_id: str


class _DirectUrl(TypedDict, total=False):
    url: str
    vcs_info: _Vcs
    subdirectory: str


def requirement(extra: str = "") -> str:
    """What installs this package again: a line of a requirements file.

    Parameters:
        extra: Name of an extra that is wanted too.
    """
    name = f"{_NAME}[{extra}]" if extra else _NAME
    url = _url()
    return f"{name} @ {url}" if url else f"{name}>={__version__}"


def is_from_address() -> bool:
    """Whether it came from an address, and not from an index, which only needs its name."""
    return bool(_url())


def is_on_this_machine() -> bool:
    """Whether it can be installed again on this machine only."""
    return _url().startswith("file:")


def _url() -> str:
    """The address that pip takes; empty if the package came from an index."""
    try:
        written = distribution(_NAME).read_text("direct_url.json")
    except PackageNotFoundError:  # run from a checkout
        return Path(__file__).parents[2].as_uri()
    if not written:
        return ""
    found = cast(_DirectUrl, json.loads(written))
    url, vcs = found.get("url", ""), found.get("vcs_info")
    if vcs:
        url = f"{vcs.get('vcs', 'git')}+{url}@{vcs.get('commit_id', '')}"
    part = found.get("subdirectory")
    return f"{url}#subdirectory={part}" if part else url

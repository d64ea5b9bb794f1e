"""A cache of drawn blocks between builds: one file for each page, safe to delete.

The key of an entry is a digest of everything that it depends on: text, options and the code of this package. A file
that is damaged or of another version counts as absent. Knows nothing about ACDL.
"""

import json
import os
import sys
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from dataclasses import field
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import get_args
from zlib import crc32

from acdl_mkdocs.foundation.atomic import drop_old_drafts, replace_file
from acdl_mkdocs.foundation.diagnostics import Severity
from acdl_mkdocs.foundation.errors import NoCacheError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.user_cache import project_cache
from acdl_mkdocs.workspace.remembered import cache_across_builds

_PACKAGE = str(Path(__file__).parent.parent)
_SUFFIXES = (".py", ".lark", ".json", ".css", ".ttf")
_DRAWS_NOTHING = ("cli", "lsp", "mcp", "__pycache__", "node_modules")
"""Folders with nothing on which a drawing could depend."""


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """One drawn block."""

    html: str
    ids: tuple[str, ...]
    """All `id`s in it."""
    log: tuple[tuple[Severity, str], ...] = ()
    """Severity and line for the build log, for each diagnostic."""
    is_sound: bool = True
    """Whether drawing succeeded: after a failure, perhaps for lack of memory, the next build tries again."""


@dataclass(slots=True)
class PageCache:
    """The entries of one page: those of the last build, and those used by this build."""

    path: Path
    old_entries: dict[str, CacheEntry]
    entries: dict[str, CacheEntry] = field(default_factory=dict)
    page_digest: str = ""
    """Digest of the inputs of the page that are known early; see `is_current`."""

    def find_entry(self, key: str) -> CacheEntry | None:
        """Return the entry of the last build, and keep it for the next one."""
        entry = self.entries.get(key) or self.old_entries.get(key)
        if entry:
            self.entries[key] = entry
        return entry

    def keep_entry(self, key: str, entry: CacheEntry) -> None:
        """Keep an entry for the next build, if it is sound."""
        if entry.is_sound:
            self.entries[key] = entry

    def keep_all(self) -> None:
        """Keep unused entries too: this build draws only some blocks of the page."""
        self.entries = self.old_entries | self.entries

    def save_file(self) -> None:
        """Write the entries used by this build if they differ from the file; a full or read-only disk is ignored."""
        if self.entries.keys() == self.old_entries.keys() and (
            not self.entries or is_current(self.path, self.page_digest)
        ):
            return
        try:
            if self.entries:
                _write(self.path, self.entries, self.page_digest)
            else:
                self.path.unlink(missing_ok=True)
        except OSError:
            return
        self.old_entries, self.entries = self.entries, {}


def open_page_cache(folder: Path, page: str) -> PageCache:
    """Open the cache of a page, empty if there is no valid one."""
    return open_cache(page_path(folder, page))


def page_path(folder: Path, page: str) -> Path:
    """Return the path of the cache of a page."""
    return folder / f"{blake2b(page.encode('utf-8', 'replace'), digest_size=10).hexdigest()}.page"


def is_current(path: Path, page_digest: str) -> bool:
    """Return whether the cache at a path was written for a page with the same inputs; it may be damaged."""
    begin = json.dumps({"made_of": page_digest})[:-1].encode()
    try:
        with path.open("rb") as file:
            return file.read(len(begin)) == begin
    except OSError:
        return False


def open_cache(path: Path) -> PageCache:
    """Open the cache at a path, empty if there is no valid one."""
    try:
        return PageCache(path, _read(path.read_bytes()))
    except (OSError, ValueError, KeyError, TypeError):
        return PageCache(path, {})


def prune_pages(folder: Path, keep: Iterable[Path]) -> None:
    """Delete the files of pages that no longer exist, and unfinished ones; files that cannot be deleted stay."""
    names = {path.name for path in keep}
    with suppress(OSError):  # the folder may not be ours
        drop_old_drafts(folder)
        for path in folder.glob("*.page"):
            if path.name not in names:
                with suppress(OSError):
                    path.unlink()


def is_disabled() -> bool:
    """Return whether the environment disables caches."""
    return os.environ.get("ACDL_NO_CACHE", "") not in ("", "0")


def find_cache_folder(root: Path, *, is_wanted: bool, warn: Callable[[str], None] = lambda _: None) -> Path | None:
    """Return the cache folder of a project; `None` if settings or environment disable it, or it cannot be created.

    Parameters:
        root: The project's folder.
        is_wanted: Whether its settings enable it.
        warn: Called with the reason why it cannot be created.
    """
    if not is_wanted or is_disabled():
        return None
    try:
        return project_cache(root)
    except NoCacheError as reason:
        warn(f"nothing is kept for the next build: {reason}")
        return None


def key_of(*parts: object) -> str:
    """Return a digest of values with distinctive `repr`, and of the code that draws."""
    return blake2b(f"{code_digest()}{parts!r}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@cache_across_builds(4096)
def digest_of(part: Hashable) -> str:
    """Return a cached digest of a value that many keys share, to use in them."""
    return blake2b(repr(part).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@cache
def code_digest() -> str:
    """Return a digest of everything that could change a drawing: this package, and Python with its Unicode tables."""
    digest = blake2b(repr(sys.version_info).encode(), digest_size=16)
    for path in list_drawing_files():
        digest.update(path.removeprefix(_PACKAGE).encode())
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def list_drawing_files() -> list[str]:
    """Return the paths of this package's modules and assets on which a drawing could depend, sorted."""
    paths: list[str] = []
    for folder, folders, names in os.walk(_PACKAGE):
        folders[:] = [name for name in folders if name not in _DRAWS_NOTHING]
        paths += [os.path.join(folder, name) for name in names if name.endswith(_SUFFIXES)]
    return sorted(paths)


def _read(data: bytes) -> dict[str, CacheEntry]:
    """Read the entries of a file; raises for anything but the exact output of `_write`."""
    head, _, body = data.partition(b"\n")
    index = json.loads(head)
    if index["code"] != code_digest() or index["body"] != compute_checksum(body):
        return {}
    severities: dict[str, Severity] = {severity: severity for severity in get_args(Severity)}
    entries: dict[str, CacheEntry] = {}
    at = 0
    for key, length, ids, log in index["entries"]:
        html = body[at : at + length].decode()
        entries[key] = CacheEntry(html, tuple(ids), tuple((severities[severity], line) for severity, line in log))
        at += length
    return entries


def _write(path: Path, entries: dict[str, CacheEntry], page_digest: str) -> None:
    """Write the whole file atomically, so that a reader never sees a part of it."""
    texts = [entry.html.encode("utf-8", "replace") for entry in entries.values()]
    body = b"".join(texts)
    index = {
        "made_of": page_digest,
        "code": code_digest(),
        "body": compute_checksum(body),
        "entries": [
            [key, len(text), entry.ids, entry.log] for (key, entry), text in zip(entries.items(), texts, strict=True)
        ],
    }
    replace_cache_file(path, json.dumps(index).encode() + b"\n" + body)


def replace_cache_file(path: Path, data: bytes) -> None:
    """Replace the contents of a file in one step, also of one that may not be read.

    Raises:
        OSError: It cannot be written.
    """
    if path.exists() and not os.access(path, os.R_OK):
        path.unlink(missing_ok=True)  # `replace_file` keeps the permissions
    replace_file(path, data)


def compute_checksum(body: bytes) -> str:
    """Return a checksum of the contents of a file, to check that it is complete."""
    return f"{crc32(body):08x}"

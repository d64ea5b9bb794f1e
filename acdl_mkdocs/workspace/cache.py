"""Blocks as they were drawn before, kept between builds: one file for each page, safe to delete.

An entry is found by a digest of everything that it depends on: text, options and the code of this package. A file
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

from acdl_mkdocs.foundation.atomic import drop_old_drafts, replace_file
from acdl_mkdocs.foundation.diagnostics import Severity
from acdl_mkdocs.foundation.errors import NoCacheError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.user_cache import project_cache
from acdl_mkdocs.workspace.remembered import remembered

_SUFFIXES = (".py", ".lark", ".json", ".css", ".ttf")


@dataclass(frozen=True, slots=True)
class Entry:
    """One drawn block."""

    html: str
    ids: tuple[str, ...]
    """Every `id` in it."""
    log: tuple[tuple[Severity, str], ...] = ()
    """Severity and line for the build log, one for each diagnostic."""
    is_sound: bool = True
    """Whether drawing did not fail: what did may have had too little memory, and is tried again by the next build."""


@dataclass(slots=True)
class PageCache:
    """The entries of one page: those of the last build, and those that this build used."""

    path: Path
    known: dict[str, Entry]
    used: dict[str, Entry] = field(default_factory=dict)
    made_of: str = ""
    """Digest of what the page is made of, as far as that is found out soon; see `is_current`."""

    def get(self, key: str) -> Entry | None:
        """The entry of the last build, which is then kept for the next one."""
        entry = self.used.get(key) or self.known.get(key)
        if entry:
            self.used[key] = entry
        return entry

    def put(self, key: str, entry: Entry) -> None:
        """Keep an entry for the next build, if it is sound."""
        if entry.is_sound:
            self.used[key] = entry

    def keep_all(self) -> None:
        """Keep what this build does not use, too: it draws some blocks of the page only."""
        self.used = self.known | self.used

    def save(self) -> None:
        """Write what this build used if it differs from the file; a full or read-only disk is no error."""
        if self.used.keys() == self.known.keys() and (not self.used or is_current(self.path, self.made_of)):
            return
        try:
            if self.used:
                _write(self.path, self.used, self.made_of)
            else:
                self.path.unlink(missing_ok=True)
        except OSError:
            return
        self.known, self.used = self.used, {}


def open_page(folder: Path, page: str) -> PageCache:
    """The cache of a page, empty if there is none that can be used."""
    return open_at(page_path(folder, page))


def page_path(folder: Path, page: str) -> Path:
    """Where the cache of a page is."""
    return folder / f"{blake2b(page.encode('utf-8', 'replace'), digest_size=10).hexdigest()}.page"


def is_current(path: Path, made_of: str) -> bool:
    """Whether there is a cache at a path that was written for a page made of the same; it may be damaged."""
    begin = json.dumps({"made_of": made_of})[:-1].encode()
    try:
        with path.open("rb") as file:
            return file.read(len(begin)) == begin
    except OSError:
        return False


def open_at(path: Path) -> PageCache:
    """The cache at a path, empty if there is none that can be used."""
    try:
        return PageCache(path, _read(path.read_bytes()))
    except (OSError, ValueError, KeyError, TypeError):
        return PageCache(path, {})


def prune(folder: Path, keep: Iterable[Path]) -> None:
    """Delete the files of pages that no longer exist, and those that were never finished; what cannot be, stays."""
    kept = {path.name for path in keep}
    with suppress(OSError):  # the folder may be somebody else's
        drop_old_drafts(folder)
        for path in folder.glob("*.page"):
            if path.name not in kept:
                with suppress(OSError):
                    path.unlink()


def is_disabled() -> bool:
    """Whether the environment switches caches off."""
    return os.environ.get("ACDL_NO_CACHE", "") not in ("", "0")


def folder_of(root: Path, *, is_wanted: bool, say: Callable[[str], None] = lambda _: None) -> Path | None:
    """The folder of a project's caches; `None` where its settings or the environment want none, or none can be had.

    Parameters:
        root: The project's folder.
        is_wanted: Whether its settings want one.
        say: Told why none can be had.
    """
    if not is_wanted or is_disabled():
        return None
    try:
        return project_cache(root)
    except NoCacheError as reason:
        say(f"nothing is kept for the next build: {reason}")
        return None


def key_of(*parts: object) -> str:
    """Digest of values whose `repr` tells them apart, and of the code that draws."""
    return blake2b(f"{code_digest()}{parts!r}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@remembered(4096)
def digest_of(part: Hashable) -> str:
    """Digest of a value that many keys have in common, to stand for it in them; remembered."""
    return blake2b(repr(part).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@cache
def code_digest() -> str:
    """Digest of everything that could change what is drawn: this package, and Python with its tables of letters."""
    digest = blake2b(repr(sys.version_info).encode(), digest_size=16)
    package = Path(__file__).parent.parent
    for folder in sorted(
        path for path in package.iterdir() if path.is_dir() and path.name not in ("cli", "__pycache__")
    ):
        for path in sorted(folder.iterdir()):
            if path.suffix in _SUFFIXES:
                digest.update(path.name.encode())
                digest.update(path.read_bytes())
    for path in sorted(package.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _read(data: bytes) -> dict[str, Entry]:
    """The entries of a file; raises on anything that is not exactly what `_write` made."""
    head, _, body = data.partition(b"\n")
    index = json.loads(head)
    if index["code"] != code_digest() or index["body"] != checksum(body):
        return {}
    severities: dict[str, Severity] = {severity: severity for severity in get_args(Severity)}
    entries: dict[str, Entry] = {}
    at = 0
    for key, length, ids, log in index["entries"]:
        html = body[at : at + length].decode()
        entries[key] = Entry(html, tuple(ids), tuple((severities[severity], line) for severity, line in log))
        at += length
    return entries


def _write(path: Path, entries: dict[str, Entry], made_of: str) -> None:
    """Put the whole file in place at once, so that a reader never sees a part of it."""
    texts = [entry.html.encode("utf-8", "replace") for entry in entries.values()]
    body = b"".join(texts)
    index = {
        "made_of": made_of,
        "code": code_digest(),
        "body": checksum(body),
        "entries": [
            [key, len(text), entry.ids, entry.log] for (key, entry), text in zip(entries.items(), texts, strict=True)
        ],
    }
    replace_file(path, json.dumps(index).encode() + b"\n" + body)


def checksum(body: bytes) -> str:
    """Digest of the contents of a file, to see whether it is whole."""
    return blake2b(body, digest_size=16).hexdigest()

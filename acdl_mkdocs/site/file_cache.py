"""Files that were made before, kept between builds: a folder for each group of files, safe to delete.

A group is found by a digest of everything that it depends on, and appears with all of its files at once. One that is
damaged counts as absent. Knows nothing about ACDL.
"""

import json
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from secrets import token_hex

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.workspace.cache import checksum

_INDEX = "index.json"
_UNUSED_S = 3600.0
"""After which a group is deleted that this build has not used; another build may be about to copy a younger one."""
_MOST_UNUSED = 500
"""Of more groups that this build has not used the oldest go sooner: each edit under a preview leaves some."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A group of files."""

    sizes: Mapping[str, int]
    """In bytes, by name."""
    notes: Sequence[str] = ()
    """What was said when they were made."""
    folder: Path | None = None
    """Where they lie; `None` if they could not be kept."""
    contents: Mapping[str, bytes] = field(default_factory=dict)
    """What is in them, if they have no folder."""


class FileCache:
    """All groups, and which of them this build has used. Several builds may share a folder."""

    def __init__(self, folder: Path | None) -> None:
        """Open a folder, which need not exist; `None` keeps nothing."""
        self._folder = folder
        self._used: set[str] = set()

    def get(self, key: str) -> Kept | None:
        """The group of an earlier build, which is then kept for the next one; `None` unless all files are whole."""
        if self._folder is None:
            return None
        folder = self._folder / key
        try:
            head, _, body = (folder / _INDEX).read_bytes().partition(b"\n")
            if head.decode() != checksum(body):
                return None
            index = json.loads(body)
            sizes: dict[str, int] = {}
            for name, digest in index["files"].items():
                content = (folder / name).read_bytes()
                if checksum(content) != digest:
                    return None
                sizes[name] = len(content)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        self._used.add(key)
        with suppress(OSError):
            os.utime(folder)
        return Kept(sizes, index["notes"], folder)

    def put(self, key: str, contents: Mapping[str, bytes], notes: Sequence[str]) -> Kept:
        """Keep a group for the next build; a full or read-only disk is no error."""
        sizes = {name: len(content) for name, content in contents.items()}
        if self._folder is None:
            return Kept(sizes, notes, None, contents)
        folder, own = self._folder / key, f"{key}.{token_hex(4)}"
        draft, aside = self._folder / f"{own}.tmp", self._folder / f"{own}.old"
        try:
            draft.mkdir(parents=True)
            for name, content in contents.items():
                (draft / name).write_bytes(content)
            digests = {name: checksum(content) for name, content in contents.items()}
            body = json.dumps({"files": digests, "notes": [*notes]}).encode()
            (draft / _INDEX).write_bytes(checksum(body).encode() + b"\n" + body)
            if not _take(draft, folder) and self.get(key) is None:  # else another build made it, and may be reading it
                folder.replace(aside)
                draft.replace(folder)
        except OSError:
            return Kept(sizes, notes, None, contents)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
            shutil.rmtree(aside, ignore_errors=True)
        self._used.add(key)
        return Kept(sizes, notes, folder)

    def prune(self) -> None:
        """Delete the groups that no build has used lately, those that are too many, and what was never finished."""
        unused: list[tuple[float, Path]] = []
        for path in self._all():
            with suppress(OSError):
                if path.name not in self._used and path.is_dir():
                    unused.append((path.stat().st_mtime, path))
        now, n_too_many = time.time(), len(unused) - _MOST_UNUSED
        for number, (used_s, path) in enumerate(sorted(unused)):
            if number < n_too_many or abs(now - used_s) > _UNUSED_S:
                shutil.rmtree(path, ignore_errors=True)

    def _all(self) -> list[Path]:
        """What there is in the folder."""
        with suppress(OSError):
            return list(self._folder.iterdir()) if self._folder else []
        return []


def _take(draft: Path, folder: Path) -> bool:
    """Give a draft its name; whether there was nothing of that name."""
    with suppress(OSError):
        draft.replace(folder)
        return True
    return False

"""The bundle: everything that a browser gets except the examples, built once and kept in the user's cache.

All projects share it: it is made of this package and of npm packages whose digests are in its lock file.

The folder of a bundle is named by a digest of its inputs, and appears whole or not at all: two processes wait
for each other, and one that is killed leaves nothing that is used.
"""

import atexit
import gzip
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from filelock import FileLock

from acdl_mkdocs.foundation.errors import NoCacheError, PlaygroundError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.user_cache import user_cache
from acdl_mkdocs.frontends.playground.archive import build_archive
from acdl_mkdocs.frontends.playground.node import NodePrograms, find_node

_ASSETS = Path(__file__).parents[2] / "assets"
FRONT_END = _ASSETS / "playground"
"""The sources of the page."""
_PACK = Path(__file__).with_name("pack.py")
_LEFT_OUT = ("node_modules", "dist", "tmp")
_SHARED = (
    "acdl.css",
    "acdl-steps.js",
    "JetBrainsMono-OFL.txt",
    *(f"JetBrainsMono-{style}.ttf" for style in ("Regular", "Bold", "Italic")),
)
"""Assets of the package that are part of the bundle too."""
_INDEX = "bundle.json"
_FOLDER = "playground"
_KEY_LENGTH = 12
_UNUSED_S = 3600.0
"""Seconds after which a bundle of another version is deleted; a younger one may be in use by another process."""
AT_TOP = ("index.html", "service_worker.js")
"""The files at the top of the playground; the rest is in a folder of its version."""
LATER = (".LEGAL.txt", "NOTICES.txt", ".ttf")
"""Suffixes of files that no visit fetches before the first figure."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle on the disk."""

    folder: Path
    version: str
    """The version: a digest of the inputs."""
    sizes: Mapping[str, int]
    """The compressed size in bytes of each file, by its path."""

    @property
    def transfer_bytes(self) -> int:
        """The bytes that a first visit fetches."""
        return sum(size for name, size in self.sizes.items() if not name.endswith(LATER))


def build_bundle(project: Path, say: Callable[[str], None] = lambda _: None) -> Bundle:
    """Return the bundle of this package; built if there is none yet, also where other caches are switched off.

    Parameters:
        project: The folder of the project that it is for.
        say: Called with messages: that something takes a while, and why it cannot be kept.

    Raises:
        PlaygroundError: It cannot be built; the message says what to do.
    """
    try:
        return bundle_in(user_cache(project) / _FOLDER, say)
    except (NoCacheError, OSError) as reason:
        why = str(reason) if isinstance(reason, NoCacheError) else f"{reason.filename}: {reason.strerror}"
    try:
        folder = _temporary_folder()
        if not any(folder.iterdir()):
            say(f"the playground is built for this run only: {why}")
        return bundle_in(folder, say)
    except OSError as reason:
        raise PlaygroundError(
            f"the playground cannot be built in {reason.filename}: {reason.strerror}; free some space, or set "
            f"`TMPDIR` to a folder that can be written"
        ) from None


@cache
def _temporary_folder() -> Path:
    """Return a folder that exists until the process ends."""
    folder = Path(mkdtemp(prefix="acdl-playground-")).resolve()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def bundle_in(folder: Path, say: Callable[[str], None] = lambda _: None) -> Bundle:
    """Return the bundle of this package, kept in a folder.

    Parameters:
        folder: An absolute path. What is in the folder is run, and folders that are old are deleted.
        say: Called with messages that something takes a while.

    Raises:
        PlaygroundError: It cannot be built; the message says what to do.
        OSError: The folder cannot be written.
    """
    sources = build_archive()
    version = _key_of(sources)
    bundle = _find_built(folder / version, version)
    if bundle:
        return bundle
    node = find_node()
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "lock"):
        bundle = _find_built(folder / version, version)
        if bundle:
            return bundle
        say("building the playground; this takes half a minute, once")
        with _make_draft(folder, version) as draft:
            _fill_folder(draft, sources, _install_modules(node, folder), node)
        _delete_old_bundles(folder, version)
    return Bundle(folder / version, version, _read_index(folder / version))


def front_end_files() -> tuple[Path, ...]:
    """Return the sources of the page, sorted, without build output."""
    inside = (path for path in FRONT_END.rglob("*") if path.is_file())
    own = (path for path in inside if not {*_LEFT_OUT} & {*path.relative_to(FRONT_END).parts})
    return tuple(sorted((*own, *(_ASSETS / name for name in _SHARED))))


def _key_of(sources: bytes) -> str:
    """Return a digest of all inputs of a bundle."""
    digest = hashlib.sha256(sources + _PACK.read_bytes())
    for path in front_end_files():
        content = path.read_bytes()
        digest.update(f"{path.relative_to(_ASSETS).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:_KEY_LENGTH]


def _find_built(folder: Path, version: str) -> Bundle | None:
    """Return a bundle that was built before; `None` unless all its files are there."""
    try:
        sizes = _read_index(folder)
    except (OSError, ValueError):
        return None
    if not all((folder / name).is_file() for name in sizes):
        return None
    with suppress(OSError):  # a cache that cannot be written can still be read
        os.utime(folder)
    return Bundle(folder, version, sizes)


def _read_index(folder: Path) -> dict[str, int]:
    listed = json.loads((folder / _INDEX).read_text("utf-8"))
    return {str(name): int(size) for name, size in listed.items()}


@contextmanager
def _make_draft(folder: Path, version: str) -> Iterator[Path]:
    """Yield a folder to build in, which becomes that of the version if nothing fails."""
    draft = folder / f"{version}.tmp"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        yield draft
        shutil.rmtree(folder / version, ignore_errors=True)
        draft.replace(folder / version)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _install_modules(node: NodePrograms, folder: Path) -> Path:
    """Install the npm packages that the lock file names, once for all bundles with the same lock file."""
    named = ("package.json", "package-lock.json", ".npmrc")
    digest = hashlib.sha256(b"".join((FRONT_END / name).read_bytes() for name in named)).hexdigest()[:_KEY_LENGTH]
    installed = folder / f"modules-{digest}"
    if not (installed / "node_modules").is_dir():
        with _make_draft(folder, installed.name) as draft:
            for name in named:
                shutil.copyfile(FRONT_END / name, draft / name)
            node.run_npm(("ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"), draft)
    return installed / "node_modules"


def _fill_folder(draft: Path, sources: bytes, modules: Path, node: NodePrograms) -> None:
    """Fill a folder, and list its files."""
    packed = draft / "sources.zip"
    packed.write_bytes(sources)
    script = FRONT_END / "build.mjs"
    node.run_script((str(script), "--out", str(draft), "--modules", str(modules), "--archive", str(packed)), draft)
    packed.unlink()
    files = sorted(path for path in draft.rglob("*") if path.is_file())
    sizes = {path.relative_to(draft).as_posix(): _transfer_size(path.read_bytes()) for path in files}
    (draft / _INDEX).write_text(json.dumps(sizes, indent=1) + "\n", "utf-8")


def _transfer_size(content: bytes) -> int:
    """Return the transfer size of a file: compressed as most servers do it, unless that makes it longer."""
    return min(len(content), len(gzip.compress(content, 6, mtime=0)))


def _delete_old_bundles(folder: Path, version: str) -> None:
    """Delete bundles of other versions that were not used lately; packages are kept."""
    for path in folder.iterdir():
        is_bundle = path.is_dir() and path.name != version and not path.name.startswith("modules-")
        if is_bundle and time.time() - path.stat().st_mtime > _UNUSED_S:
            shutil.rmtree(path, ignore_errors=True)

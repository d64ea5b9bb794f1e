"""The files of a spec that readers can download: its source, and its figure in every format.

They are made once and kept between builds. Pictures need extras of the package: without them they are left out, which
`SiteDownloads.notes` reports once. A picture that lacks something is made anyway, and `SiteDownloads.warnings` reports
that.
"""

import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from functools import cache
from importlib import metadata
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.errors import AcdlError, MissingExtraError, UnknownFormatError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.docs.pages.addresses import file_name
from acdl_mkdocs.frontends.docs.pages.bundle import bundle_text
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry, SpecIndex
from acdl_mkdocs.frontends.docs.workers import do_work, most_workers, run_workers
from acdl_mkdocs.workspace.cache import compute_checksum, key_of, replace_cache_file
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import figure_name

if TYPE_CHECKING:
    from acdl_mkdocs.drawing.figure.boxes import Box

_INDEX = "index.json"
_UNUSED_S = 3600.0
"""Seconds after which an unused group is deleted; a younger one may be in use by another build."""
_LEAST_SPECS = 3
"""The fewest specs with pictures for a process; fewer are drawn sooner than it starts."""
_LEAST_TEXTS = 50
"""The same for specs whose files are all text."""
_MOST_UNUSED = 500
"""Of more unused groups than this the oldest are deleted sooner: each edit during a preview leaves some."""


@dataclass(frozen=True, slots=True)
class CachedFiles:
    """A group of files."""

    sizes: Mapping[str, int]
    """In bytes, by name."""
    notes: Sequence[str] = ()
    """Messages from when they were made."""
    paths: Mapping[str, Path] = field(default_factory=dict)
    """The files on the disk; empty if they could not be kept."""
    contents: Mapping[str, bytes] = field(default_factory=dict)
    """The contents, if they have no path."""


class FileCache:
    """All groups, and those used by this build. Several builds may share a folder.

    The files of all groups are in one folder, since a file in a folder of its own takes some file systems ten times as
    long. The index of a group is written last, and has the checksums of its files.
    """

    def __init__(self, folder: Path | None) -> None:
        """Open a folder, which need not exist; `None` keeps nothing."""
        self.folder = folder
        self._used_keys: set[str] = set()

    def has_group(self, key: str) -> bool:
        """Return whether an earlier build has made a group, without reading it."""
        return self.folder is not None and _path_of(self.folder, key, _INDEX).is_file()

    def find_group(self, key: str) -> CachedFiles | None:
        """Return the group of an earlier build, and keep it for the next one; `None` unless all files are complete."""
        if self.folder is None:
            return None
        index_path = _path_of(self.folder, key, _INDEX)
        try:
            head, _, body = index_path.read_bytes().partition(b"\n")
            if head.decode() != compute_checksum(body):
                return None
            index = json.loads(body)
            sizes: dict[str, int] = {}
            for name, digest in index["files"].items():
                content = _path_of(self.folder, key, name).read_bytes()
                if compute_checksum(content) != digest:
                    return None
                sizes[name] = len(content)
            notes = index["notes"]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        self._used_keys.add(key)
        with suppress(OSError):
            os.utime(index_path)
        return CachedFiles(sizes, notes, {name: _path_of(self.folder, key, name) for name in sizes})

    def store_group(self, key: str, contents: Mapping[str, bytes], notes: Sequence[str]) -> CachedFiles:
        """Keep a group for the next build; a full or read-only disk is not an error."""
        sizes = {name: len(content) for name, content in contents.items()}
        if self.folder is None:
            return CachedFiles(sizes, notes, contents=contents)
        paths = {name: _path_of(self.folder, key, name) for name in contents}
        digests = {name: compute_checksum(content) for name, content in contents.items()}
        body = json.dumps({"files": digests, "notes": [*notes]}).encode()
        try:
            for name, path in paths.items():
                replace_cache_file(path, contents[name])
            replace_cache_file(_path_of(self.folder, key, _INDEX), compute_checksum(body).encode() + b"\n" + body)
        except OSError:
            return CachedFiles(sizes, notes, contents=contents)
        self._used_keys.add(key)
        return CachedFiles(sizes, notes, paths)

    def delete_unused(self) -> None:
        """Delete the groups that were not used lately, those beyond the limit, and unfinished ones."""
        unused: dict[str, float] = {}
        """When each was used, which the time of its index says."""
        paths: dict[str, list[Path]] = {}
        for path in self._list_files():
            key = path.name.partition(".")[0] or path.name  # of a draft
            with suppress(OSError):
                if key not in self._used_keys:
                    used_s = path.stat().st_mtime
                    if key not in unused or path.name.endswith(f".{_INDEX}"):
                        unused[key] = used_s
                    paths.setdefault(key, []).append(path)
        now, n_too_many = time.time(), len(unused) - _MOST_UNUSED
        for number, (key, used_s) in enumerate(sorted(unused.items(), key=itemgetter(1, 0))):
            if number < n_too_many or abs(now - used_s) > _UNUSED_S:
                for path in paths[key]:
                    _delete(path)

    def _list_files(self) -> list[Path]:
        """Return all entries of the folder."""
        with suppress(OSError):
            return list(self.folder.iterdir()) if self.folder else []
        return []


def _path_of(folder: Path, key: str, name: str) -> Path:
    return folder / f"{key}.{name}"


def _delete(path: Path) -> None:
    """Delete a file, or a folder, in which earlier versions kept a group."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        shutil.rmtree(path, ignore_errors=True)


PACKAGES: Mapping[str, tuple[str, ...]] = {"png": ("resvg-py", "fonttools"), "pdf": ("pydyf", "fonttools")}
"""The packages that a format needs, by the names for installing them."""


@dataclass(frozen=True, slots=True)
class _DownloadKind:
    """One of the files of a spec."""

    format: str
    ending: str
    label: str


_KINDS = (
    _DownloadKind("acdl", ".acdl", "the source, with all that it needs"),
    _DownloadKind("svg", "-light.svg", "the figure, for light pages"),
    _DownloadKind("svg", "-dark.svg", "the figure, for dark pages"),
    _DownloadKind("png", ".png", "the figure in pixels"),
    _DownloadKind("pdf", ".pdf", "the figure on paper"),
    _DownloadKind("json", ".json", "the figure as data"),
)

FORMATS = tuple(dict.fromkeys(kind.format for kind in _KINDS))
"""The possible downloads of a spec."""


@dataclass(frozen=True, slots=True)
class Download:
    """A file of a spec."""

    address: str
    """From the root of the site: `specs/React1/React1-light.svg`."""
    label: str
    """A description in a few words."""
    n_bytes: int
    path: Path | None = None
    """The path of the file; `None` if it could not be kept on the disk."""
    content: bytes = b""
    """The content, if it has no path."""

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.address.rpartition("/")[2]

    def read_content(self) -> bytes:
        """Return the content of the file.

        Raises:
            OSError: Someone has deleted it since.
        """
        return self.path.read_bytes() if self.path else self.content


DownloadArguments: TypeAlias = tuple[Path | None, Sequence[str], Sequence[str]]
"""The arguments of `SiteDownloads`, to make the same files in another process."""


@dataclass(frozen=True, slots=True)
class _Order:
    """What the files of a spec are made of."""

    key: str
    text: str
    name: str
    title: str
    file: str
    line: int
    range: RangeMode


class SiteDownloads:
    """The files of all specs of a site. Lives as long as a build."""

    def __init__(self, folder: Path | None, formats: Sequence[str] = FORMATS, fonts: Sequence[str] = ()) -> None:
        """Open the folder where files are kept.

        Parameters:
            folder: In the cache of the project; `None` keeps nothing.
            formats: The wanted formats, of `FORMATS`.
            fonts: Paths of fonts for characters that the font of PNG and PDF does not have.

        Raises:
            UnknownFormatError: There is no such format.
        """
        for name in formats:
            if name not in FORMATS:
                near = find_closest(name, FORMATS)
                hint = f"did you mean `{near}`?" if near else f"there are {', '.join(FORMATS)}"
                raise UnknownFormatError(f"specs cannot be downloaded as `{name}`; {hint}")
        self._cache = FileCache(folder)
        self._missing = [name for name in formats if not all(_list_versions(name))]
        self._kinds = [kind for kind in _KINDS if kind.format in formats and kind.format not in self._missing]
        self._fonts = tuple(fonts)
        self._warnings: list[str] = []
        self.n_made = 0
        """How many specs this object had to draw or have drawn, because their files were not kept."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Messages for the person who builds the site: the command for missing extras."""
        if not self._missing:
            return ()
        names = " and ".join(name.upper() for name in self._missing)
        cure = f"pip install 'acdl-mkdocs[{','.join(self._missing)}]'"
        return (f"specs cannot be downloaded as {names}, which needs other packages: {cure}",)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Problems of requested files, each with the place of its spec and a cure."""
        return tuple(self._warnings)

    def files_of(self, entry: SpecEntry, spec_index: SpecIndex) -> tuple[Download, ...]:
        """Return the files of a spec or fragment that has a page."""
        if not self._kinds:
            return ()
        order = self._order_files(entry, spec_index)
        files = self._cache.find_group(order.key)
        if files is None:
            files = self._make_files(order)
            self.n_made += 1
        self._warnings += files.notes
        return tuple(self._list_downloads(files, entry))

    def make_ahead(self, entries: Iterable[SpecEntry], spec_index: SpecIndex, n_jobs: int) -> None:
        """Make the missing files of many specs by several processes, so that `files_of` finds them.

        Parameters:
            entries: Specs that have a page.
            spec_index: All specs.
            n_jobs: The most processes; 0 is one for each core, but 8 at most; 1 makes nothing.
        """
        if not self._cache.folder or most_workers(n_jobs) < 2 or not self._kinds:
            return
        orders = [self._order_files(entry, spec_index) for entry in entries]
        missing = [each for each in orders if not self._cache.has_group(each.key)]
        n_workers = self.count_workers(len(missing), n_jobs)
        if n_workers > 1:
            run_workers(__name__, [(self.arguments, each) for each in missing], n_workers)
            self.n_made += sum(self._cache.has_group(each.key) for each in missing)

    def count_workers(self, n_specs: int, n_jobs: int) -> int:
        """Return how many processes to start for new specs.

        Parameters:
            n_specs: The number of new specs, or of texts that have them.
            n_jobs: As of `make_ahead`.
        """
        has_pictures = any(kind.format in PACKAGES for kind in self._kinds)
        return min(most_workers(n_jobs), n_specs // (_LEAST_SPECS if has_pictures else _LEAST_TEXTS))

    @property
    def _formats(self) -> tuple[str, ...]:
        """The formats of all files, each once."""
        return tuple(dict.fromkeys(kind.format for kind in self._kinds))

    @property
    def arguments(self) -> DownloadArguments:
        """The arguments to make the same files in another process."""
        return self._cache.folder, self._formats, self._fonts

    def delete_unused(self) -> None:
        """Delete files that no spec of this build has."""
        self._cache.delete_unused()

    def _list_downloads(self, files: CachedFiles, entry: SpecEntry) -> Iterator[Download]:
        stem = folder_of(entry.address) + file_name(figure_name(BlockOptions(spec=entry.spec.name), ""))
        for kind in self._kinds:
            name = f"file{kind.ending}"
            if name in files.sizes:
                path = files.paths.get(name)
                content = b"" if path else files.contents[name]
                yield Download(f"{stem}{kind.ending}", kind.label, files.sizes[name], path, content)

    def _order_files(self, entry: SpecEntry, spec_index: SpecIndex) -> "_Order":
        text, spec = bundle_text(entry, spec_index), entry.spec
        kinds = [(kind, _list_versions(kind.format)) for kind in self._kinds]
        fonts = [(font, _stamp_of(font)) for font in self._fonts]
        key = key_of(text, spec.name, spec.title, entry.file, entry.range, kinds, fonts)
        return _Order(key, text, spec.name, spec.title, entry.file, entry.line, entry.range)

    def _make_files(self, order: "_Order") -> CachedFiles:
        """Draw a spec in every format; it is drawn again by the next build if a package did not work."""
        from acdl_mkdocs.app.render import collected_remarks
        from acdl_mkdocs.drawing.figure.describe import View, describe
        from acdl_mkdocs.workspace.parts import resolve_source

        box = describe(resolve_source(Source(order.text, order.file)), View(spec=order.name, range=order.range))
        options = OutputOptions(
            title=order.title if order.title != order.name else "", theme="light", fonts=self._fonts
        )
        contents: dict[str, bytes] = {}
        problems: dict[str, list[str]] = {}
        is_kept = True
        for wanted in self._formats:
            names = [f"file{kind.ending}" for kind in self._kinds if kind.format == wanted]
            with collected_remarks() as remarks:
                try:
                    contents |= zip(names, _write_format(wanted, order.text, box, options), strict=True)
                except AcdlError as problem:
                    problems.setdefault(str(problem), []).append(wanted)
                    is_kept = is_kept and not isinstance(problem, MissingExtraError)
            for each in remarks:
                problems.setdefault(each, []).append(wanted)
        place = f"{order.file}:{order.line}"
        notes = [_format_note(place, order.name, words, formats) for words, formats in problems.items()]
        return (self._cache if is_kept else FileCache(None)).store_group(order.key, contents, notes)


def _write_format(format: str, text: str, box: "Box", options: OutputOptions) -> list[bytes]:
    """Return the files of a spec in a format, in the order of `_KINDS`."""
    from acdl_mkdocs.app.render import write
    from acdl_mkdocs.drawing.formats.svg import write_light_and_dark

    if format == "svg":
        written: tuple[str | bytes, ...] = write_light_and_dark(box, options)
    else:
        written = (text if format == "acdl" else write(box, format, options),)
    return [each if isinstance(each, bytes) else each.encode("utf-8", "replace") for each in written]


def _format_note(place: str, name: str, words: str, formats: Sequence[str]) -> str:
    """Return a sentence about problems of some of the files of a spec."""
    listed = " and ".join(formats)
    leave_out = " and ".join(f"`{each}`" for each in formats)
    return f"{place}: `{name}` as {listed}: {words}; or leave {leave_out} out of the option `downloads`"


def folder_of(address: str) -> str:
    """Return the folder of the site for the files of a page."""
    folder = address.partition("#")[0].removesuffix(".html").rstrip("/")
    return f"{folder}/" if folder else ""


@cache
def _version_of(package: str) -> str:
    """Return the version of a package; empty if it is not installed."""
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(package)
    return ""


def _list_versions(format: str) -> list[str]:
    """Return the versions of the packages that make a format."""
    return [_version_of(package) for package in PACKAGES.get(format, ())]


def _stamp_of(font: str) -> tuple[int, int]:
    """Return a stamp that changes with a font file."""
    with suppress(OSError):
        status = Path(font).stat()
        return status.st_size, status.st_mtime_ns
    return 0, 0


def _make_order(work: tuple[DownloadArguments, _Order]) -> None:
    """Make the files of a spec in the cache."""
    arguments, order = work
    SiteDownloads(*arguments)._make_files(order)


if __name__ == "__main__":
    do_work(_make_order)

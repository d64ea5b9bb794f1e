"""Find the recorded runs of a spec: those beside its file, and those that a block names."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.real_path import real_path
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.workspace.files import find_nearest_file, fixed_part, match_pattern
from acdl_mkdocs.workspace.folder_names import FolderNames

if TYPE_CHECKING:
    from acdl_mkdocs.workspace.spec import Spec

ENDINGS = (
    ".run.jsonl",
    ".run.ndjson",
    ".run.json",
    ".run.har",
    ".run.traj",
    ".run.yaml",
    ".run.yml",
    ".run.csv",
    ".run.otlp.json",
    ".run.pml.xml",
)
"""Suffixes of recordings; also followed by `.gz`."""
_ENDING = compile_later(rf"(?P<words>.+?)(?:{'|'.join(map(re.escape, ENDINGS))})(?:\.gz)?")


@dataclass(frozen=True, slots=True)
class Runs:
    """The recordings beside a file."""

    folder: Path
    """The folder of the file."""
    by_spec: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """File names by spec."""
    shared: tuple[str, ...] = ()
    """Recordings named after the file only."""

    def find_recordings(self, spec: "Spec", *, is_alone: bool) -> tuple[str, ...]:
        """Return the recordings of a spec, as paths or patterns relative to the folder; fragments have none.

        Parameters:
            spec: The spec.
            is_alone: Whether its file has no other spec, so that recordings of the file belong to it; they also belong
                to a spec that says which of their requests it describes.
        """
        if spec.is_fragment:
            return ()
        if spec.runs:
            return spec.runs
        return (*(self.shared if is_alone or spec.requests else ()), *self.by_spec.get(spec.name, ()))


def find_runs(file: Path, names: Sequence[str], folders: FolderNames) -> Runs:
    """Find the recordings beside a file of specs.

    Parameters:
        file: The file.
        names: The names of its specs.
        folders: A cache of folder listings.
    """
    named: dict[str, tuple[str, ...]] = {}
    shared: list[str] = []
    stem = file.name.removesuffix(file.suffix)
    for name in folders.find_names(file.parent, (stem, *names)):
        match = _ENDING.fullmatch(name)
        words = match["words"] if match and not name.startswith(".") else ""
        first, _, rest = words.partition(".")
        spec = next((each for each in (words, first, rest.partition(".")[0]) if each in names and each != stem), "")
        if spec and (first in (spec, stem)):
            named[spec] = (*named.get(spec, ()), name)
        elif first == stem:
            shared.append(name)
    return Runs(file.parent, named, tuple(shared))


def companion_of(run: Path, ending: str) -> Path | None:
    """Return the path of a companion file of a recording: `react.run.state.yaml` for `react.run.jsonl`."""
    match = _ENDING.fullmatch(run.name)
    return run.with_name(f"{match['words']}.run{ending}") if match else None


MOST_BYTES = 200_000_000
"""Of all recordings of a block; more would take minutes to build."""
MOST_FILES = 200
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class RunsText:
    """The recorded runs that a block is checked against."""

    paths: tuple[Path, ...]
    """Readable files, in order."""
    names: tuple[str, ...]
    """Their names in messages: relative to the project's folder."""
    watched: tuple[Path, ...]
    """All files that it depends on, whether they exist or not, and the folders that patterns begin with."""
    state: Path | None = None
    """A state beside the requests."""
    manifest: Path | None = None
    """Assigns points and runs to the requests."""

    @property
    def facts(self) -> tuple[object, ...]:
        """Everything that can change the output."""
        files = [*self.paths, *filter(None, (self.state, self.manifest))]
        return (self.names, tuple(map(digest_of_file, files)))


def read_runs_text(
    value: str, header: Source, option_span: Span, root: Path
) -> tuple[RunsText, tuple[Diagnostic, ...]]:
    """Find recordings.

    Parameters:
        value: Paths relative to the project's folder, separated by blanks or commas; `*` matches any text.
        header: The header of the block.
        option_span: The span of the paths in it.
        root: The project's folder. Files outside of it, also by links, are refused.
    """
    base = root.resolve()
    unique_paths: dict[Path, None] = {}
    watched: list[Path] = []
    problems: list[Diagnostic] = []
    named = list(dict.fromkeys(each for each in re.split(r"[\s,]+", value) if each))
    for name in named[:MOST_FILES]:
        span = _find_name_span(name, header, option_span)
        paths = sorted(_paths(base, name))
        outside = [each for each in paths if not each.is_relative_to(base)]
        if outside or _leads_out(name):
            problems.append(_outside(name, span))
            continue
        watched += [*paths, *({fixed_part(base, name)} - {base})]
        if not paths:
            problems.append(_missing(name, span, base))
        unique_paths |= dict.fromkeys(paths)
    paths = list(unique_paths)
    if too_much := _too_much(paths, len(named), option_span):
        problems.append(too_much)
        paths = []
    names = tuple(each.relative_to(base).as_posix() for each in paths)
    alone = paths[0] if len(paths) == 1 else None
    companions = [companion_of(alone, ending) if alone else None for ending in (".state.yaml", ".manifest.json")]
    watched += filter(None, companions)
    state, manifest = (each if each and each.is_file() else None for each in companions)
    return RunsText(tuple(paths), names, tuple(watched), state, manifest), tuple(problems)


def digest_of_file(path: Path) -> str:
    """Return a digest of the contents of a file, which is read again only when its size or date change."""
    try:
        status = path.stat()
        return _digest(path, status.st_size, status.st_mtime_ns)
    except OSError:
        return ""


@lru_cache(maxsize=1024)
def _digest(path: Path, n_bytes: int, changed_ns: int) -> str:
    del n_bytes, changed_ns  # they identify a version of a file
    from hashlib import blake2b  # OpenSSL; few specs have runs

    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _paths(base: Path, name: str) -> Iterator[Path]:
    """Yield the files that a path or a pattern names, with links resolved."""
    if _leads_out(name):
        return
    try:
        candidates = match_pattern(base, name) if "*" in name else [base / name]
        yield from (real_path(each) for each in candidates if each.is_file() and not each.name.startswith("."))
    except (OSError, ValueError):
        return


def _leads_out(name: str) -> bool:
    return Path(name).is_absolute() or ".." in Path(name).parts


def _find_name_span(name: str, header: Source, span: Span) -> Span:
    at = header.text.find(name, span.start, span.end)
    return Span(at, at + len(name)) if at >= 0 else span


def _missing(name: str, span: Span, base: Path) -> Diagnostic:
    if "*" not in name and os.path.isdir(base / name):
        label = Label(span, "recordings are named one by one, or by a pattern")
        cure = f"name the files in it: `{name.rstrip('/')}/*.jsonl`"
        return error("run-file", f"the recorded run `{name}` is a folder", label, help=cure)
    near = None if "*" in name else find_nearest_file(name, base)
    record = "record a run: `acdl record --out FILE -- COMMAND`"
    cures = (f"did you mean `{near}`?", record) if near else (record, "name files by their paths from the project")
    what = "names no file" if "*" in name else "does not exist"
    label = Label(span, "looked for in the project's folder")
    return error("run-file", f"the recorded run `{name}` {what}", label, help=cures)


def _outside(name: str, span: Span) -> Diagnostic:
    label = Label(span, "only files of the project's folder are read")
    cure = "copy the recording into the project and name it by its path from there"
    return error("run-file", f"the recorded run `{name}` lies outside the project", label, help=cure)


def _too_much(paths: list[Path], n_named: int, span: Span) -> Diagnostic | None:
    n_bytes, n_files = sum(each.stat().st_size for each in paths), max(len(paths), n_named)
    if n_bytes <= MOST_BYTES and n_files <= MOST_FILES:
        return None
    many = f"{n_files} files with {n_bytes // 1_000_000:,} MB" if n_files == len(paths) else f"{n_files} files"
    most = f"more than the {MOST_FILES} files or {MOST_BYTES // 1_000_000} MB that are checked on a page"
    cure = "name fewer runs here, and check all of them with `acdl check-run` in the CI"
    return error("run-file", f"the recorded runs are {many}: {most}", Label(span, "named here"), help=cure)

"""Read text files that people name: the `src` of a block, the arguments of a command.

Every failure is a sentence for a person.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from glob import glob
from pathlib import Path, PureWindowsPath

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.real_path import is_on_share, real_path
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span

MAX_BYTES = 10_000_000
"""A larger file is not a handwritten spec."""

_STARS = re.compile(r"\*{2,}")
_WILDCARD = re.compile(r"[*?\[]")


_UNSAVED: ContextVar[Mapping[Path, str] | None] = ContextVar("unsaved", default=None)


class UnreadableFileError(Exception):
    """A file cannot be read as text; the message is the reason, without the name of the file."""


class TooLargeFileError(UnreadableFileError):
    """The file has more bytes than any handwritten text."""


class MissingFileError(UnreadableFileError):
    """The file does not exist."""


@dataclass(frozen=True, slots=True)
class IncludedFile:
    """The file that the `src` of a block names."""

    path: Path | None = None
    """The file, or where it should be, to watch for changes; `None` if it is outside the project."""
    source: Source | None = None
    spec: str = ""
    """The part after `#`."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Spans are those of the header that named the file."""


def read_text(path: Path) -> str:
    """Read a UTF-8 file, without a byte order mark.

    Raises:
        MissingFileError: It does not exist.
        UnreadableFileError: It is a folder, a device, a pipe, binary, not UTF-8, or larger than `MAX_BYTES`.
    """
    unsaved = _UNSAVED.get()
    text = unsaved.get(Path(os.path.realpath(path))) if unsaved else None
    return decode_text(read_bytes(path)) if text is None else text


@contextmanager
def use_unsaved_texts(texts: Mapping[Path, str]) -> Iterator[None]:
    """Within a block, let `read_text` return texts that are open in an editor instead of their files.

    Parameters:
        texts: By path, without links.
    """
    token = _UNSAVED.set(texts)
    try:
        yield
    finally:
        _UNSAVED.reset(token)


def read_bytes(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Read a file, up to one byte more than a limit.

    Raises:
        MissingFileError: It does not exist.
        UnreadableFileError: It is a folder, a device or a pipe, or cannot be read.
    """
    try:
        if path.is_dir():
            raise UnreadableFileError("is a folder")
        if path.exists() and not path.is_file():
            raise UnreadableFileError("is a device or a pipe, not a file")
        with path.open("rb") as file:
            return file.read(max_bytes + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise MissingFileError("does not exist") from None
    except (OSError, ValueError) as problem:
        reason = os.strerror(problem.errno) if isinstance(problem, OSError) and problem.errno else str(problem)
        raise UnreadableFileError(f"cannot be read: {reason[:1].lower()}{reason[1:]}") from None


def decode_text(data: bytes) -> str:
    """Decode UTF-8 bytes.

    Raises:
        UnreadableFileError: There are too many, or they are not UTF-8.
    """
    if len(data) > MAX_BYTES:
        raise TooLargeFileError(f"is larger than {MAX_BYTES // 1_000_000} MB")
    if b"\0" in data[:8192]:
        raise UnreadableFileError("is a binary file, not text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise UnreadableFileError(f"is not UTF-8 text: byte 0x{data[problem.start]:02x} in line {line}") from None


def include_file(src: str, header: Source, root: Path, *, is_raw: bool = False) -> IncludedFile:
    """Find and read the file that a block names.

    Parameters:
        src: `path` or `path#Spec`, relative to `root`.
        header: The header of the fence, for the span of a diagnostic.
        root: The project's folder. A file outside it, also by a symbolic link, is refused.
        is_raw: Whether to keep characters that no output may contain.
    """
    start = max(header.text.find(src), 0) if src else 0
    label = Span(start, start + len(src))
    name, spec = _split_src(src, root)
    if spec and not name:
        example = f"write the path of the file before `#`: `specs/chat.acdl#{spec}`"
        problem = error("missing-src", f"`{src}` names no file", Label(label, "only a definition"), help=example)
        return IncludedFile(diagnostics=(problem,))
    try:
        base = root.resolve()
        path = None if is_on_share(name, base) else real_path(base / name)
    except (OSError, ValueError):
        return IncludedFile(diagnostics=(_missing(name, label, root),))
    if path is None or not path.is_relative_to(base):
        inside = name.lstrip("/")
        is_inside = path is not None and inside != name and os.path.isfile(base / inside)
        copy = "copy the file into the project and name it by its path from there"
        problem = error(
            "src-outside-project",
            f"the file `{name}` lies outside the project",
            Label(label, "only files of the project's folder are read"),
            help=f"paths begin at the project's folder: write `{inside}`" if is_inside else copy,
        )
        return IncludedFile(diagnostics=(problem,))
    try:
        text = read_text(path)
    except MissingFileError:
        return IncludedFile(path, diagnostics=(_missing(name, label, base),))
    except UnreadableFileError as reason:
        cure = "name a file with a part of it" if isinstance(reason, TooLargeFileError) else ()
        problem = error("unreadable-src", f"the file `{name}` {reason}", Label(label, "named here"), help=cure)
        return IncludedFile(path, diagnostics=(problem,))
    printable = text if is_raw else make_printable(text)
    return IncludedFile(path, Source(printable, path.relative_to(base).as_posix()), spec)


def _split_src(src: str, root: Path) -> tuple[str, str]:
    """Return the path and the definition that a block names; the name of a file may contain `#`."""
    name, mark, spec = src.rpartition("#")
    is_path = not mark or (not is_on_share(src, root) and os.path.isfile(root / src))
    return (src, "") if is_path else (name, spec)


def _missing(name: str, label: Span, root: Path) -> Diagnostic:
    """Return the diagnostic for a missing file, with the nearest name in its folder or in the project."""
    near = find_nearest_file(name, root)
    return error(
        "missing-src",
        f"the file `{name}` does not exist",
        Label(label, "looked for in the project's folder"),
        help=f"did you mean `{near}`?" if near else "name the file by its path from the project's folder",
    )


def match_pattern(folder: Path, pattern: str) -> list[Path]:
    """Return what a pattern matches in a folder: `**` alone between slashes is any number of folders, else it is `*`.

    An invalid pattern or path matches nothing, independent of the version of Python.
    """
    parts = [part if part == "**" else _STARS.sub("*", part) for part in pattern.split("/")]
    parts += ["*"] if parts[-1] == "**" else []
    paths: list[Path] = []
    with suppress(OSError, ValueError, IndexError, AttributeError, NotImplementedError, RecursionError):
        paths.extend(folder.glob("/".join(parts)))
    return paths


def fixed_part(root: Path, pattern: str) -> Path:
    """Return the folder or file that a pattern such as `specs/*/*.acdl` begins with.

    Parameters:
        root: The project's folder.
        pattern: A path from there, with or without wildcards.
    """
    parts = Path(pattern).parts
    n_fixed = next((idx for idx, part in enumerate(parts) if _WILDCARD.search(part)), len(parts))
    return root.joinpath(*parts[:n_fixed])


def find_nearest_file(name: str, root: Path) -> str | None:
    """Return the file with a similar name in the folder of `name`, or with the same name elsewhere below `root`.

    Names are compared without their suffix, which most files share. A name with backslashes is read as a Windows path;
    files above `root` are not considered.
    """
    if is_on_share(name, root):
        return None
    slashed = name.replace("\\", "/")
    is_inside = slashed != name and not PureWindowsPath(name).anchor
    if is_inside and (".." in slashed.split("/") or os.path.isfile(root / slashed)):
        return slashed
    try:
        with os.scandir((root / name).parent) as entries:
            siblings = {entry.name for entry in entries if entry.is_file()}
    except (FileNotFoundError, NotADirectoryError):
        siblings = set()
    except (OSError, ValueError):
        return None
    near = _find_closest(Path(name).name, siblings)
    if near:
        return (Path(name).parent / near).as_posix()
    specs = {Path(path).as_posix() for path in glob("*/*.acdl", root_dir=root) if os.path.isfile(root / path)}
    return _find_closest(name, specs) or next(
        (path for path in sorted(specs) if Path(path).name == Path(name).name), None
    )


def _find_closest(name: str, files: set[str]) -> str | None:
    """Return the path nearest to another; of several that differ only in their suffix, the one with the same suffix."""
    from acdl_mkdocs.foundation.wording import find_closest

    stem, suffix = os.path.splitext(name)
    stems: dict[str, str] = {}
    for each in sorted(files, key=lambda file: (not file.endswith(suffix), not file.endswith(".acdl"), file)):
        stems.setdefault(os.path.splitext(each)[0], each)
    near = find_closest(stem, stems)
    return stems[near] if near is not None else None

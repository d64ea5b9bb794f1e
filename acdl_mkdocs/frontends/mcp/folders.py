"""The folders that the server may read, and whether it may write; every path of a client is checked here."""

import os
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from acdl_mkdocs.compare.revisions import commit_of, run_git
from acdl_mkdocs.foundation.atomic import replace_file
from acdl_mkdocs.foundation.errors import RevisionError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.real_path import real_path
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.frontends.mcp.answers import CallError
from acdl_mkdocs.workspace.files import (
    MissingFileError,
    UnreadableFileError,
    decode_text,
    find_nearest_file,
    read_bytes,
)

_OF_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\|[^/]*\\")
_MAX_BYTES = 2_000_000
_LONGEST = 4_096
_SKIPPED = ("node_modules", "__pycache__")
_SITE_FILES = ("sitemap.xml", "objects.inv")
"""Files that docs tools write into the folder of a built site."""
_MOST_FILES = 500


@dataclass(frozen=True, slots=True)
class FoundPath:
    """A file or folder that may be read."""

    path: Path
    """The path with links resolved."""
    root: Path
    """The folder of the server that contains it, with links resolved."""
    name: str
    """The client's name for it."""


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders of a server. Paths outside of them, also by a symbolic link, are refused."""

    roots: tuple[Path, ...]
    may_write: bool = False

    def find_path(self, name: str) -> FoundPath:
        """Return a file or folder, existing or not; a relative path starts at the first folder that has it.

        Raises:
            CallError: It is outside, or is not a path.
        """
        path = self._parse_path(name)
        try:
            bases = [root.resolve() for root in self.roots]
            candidates = [(real_path(base / path), base) for base in bases] if not path.is_absolute() else []
            candidates = candidates or [(real_path(path), base) for base in bases]
        except PermissionError:
            raise CallError(f"`{name[:80]}` cannot be read: permission denied", "name another file") from None
        except (OSError, ValueError):
            raise CallError(f"`{name[:80]}` is not a path", "name a file by its path from the folder") from None
        inside = [(each, base) for each, base in candidates if each.is_relative_to(base)]
        if not inside:
            listed = ", ".join(map(str, bases))
            own = f"name a file below {listed}, or " if bases else "send the text itself, or "
            cure = f"{own}let a person start the server with `--root` for another folder"
            raise CallError(f"`{name}` lies outside the folders that this server may read", cure)
        existing = [each for each in inside if each[0].exists()]
        return FoundPath(*(existing or inside)[0], name)

    def find_file(self, name: str, endings: tuple[str, ...], *, can_be_sent: bool = True) -> FoundPath:
        """Return a file of a kind, or a folder, existing or not.

        Parameters:
            name: Its path.
            endings: What its name may end in.
            can_be_sent: Whether the tool also takes the text of such a file.

        Raises:
            CallError: It is outside, is hidden, or is of another kind: such files may contain secrets, and no specs.
        """
        found = self.find_path(name)
        is_hidden = any(each.startswith(".") for each in found.path.relative_to(found.root).parts)
        if is_hidden or not (found.path.is_dir() or found.path.name.lower().endswith(endings)):
            why = "is hidden" if is_hidden else "is not a file of such a kind"
            cure = f"name a file that ends in {' or '.join(endings)}"
            raise CallError(f"`{name}` {why}", f"{cure}, or send its text" if can_be_sent else cure)
        return found

    def _parse_path(self, name: str) -> Path:
        if name.startswith("file://"):
            name = unquote(urlsplit(name).path)
        if not name or "\0" in name or len(name) > _LONGEST:
            raise CallError("the path is empty, too long or has a zero byte", "name a file, as `specs/chat.acdl`")
        if os.name != "nt" and _OF_WINDOWS.match(name):
            raise CallError(f"`{name[:80]}` is a path of Windows", "write it with `/`, from the folder of the server")
        return Path(name)

    def read_file(self, found: FoundPath) -> str:
        """The text of a file, with signs for code points that cannot be shown.

        Raises:
            CallError: It cannot be read as text.
        """
        return make_printable(self.read_raw(found))

    def read_raw(self, found: FoundPath) -> str:
        """The text of a file as it is.

        Raises:
            CallError: It cannot be read as text.
        """
        try:
            data = read_bytes(found.path, _MAX_BYTES)
            if len(data) > _MAX_BYTES:
                raise UnreadableFileError(f"is larger than {_MAX_BYTES // 1_000_000} MB")
            return decode_text(data)
        except MissingFileError:
            near = find_nearest_file(str(found.path.relative_to(found.root)), found.root)
            cure = f"did you mean `{near}`?" if near else f"paths start at {found.root}"
            raise CallError(f"`{found.name}` does not exist", cure) from None
        except UnreadableFileError as reason:
            raise CallError(f"`{found.name}` {reason}", "name a text file, or send its text") from None

    def read_revision(self, found: FoundPath, revision: str) -> str:
        """Return the text of a file in a git revision; links are not followed, since they may lead outside.

        Raises:
            CallError: There is no such revision, or no such file in it.
        """
        folder = next((each for each in found.path.parents if each.is_dir()), found.root)
        folder = folder if folder.is_relative_to(found.root) else found.root
        name = found.path.relative_to(folder).as_posix()
        try:
            blob = f"{commit_of(revision, folder)}:./{name}"
            size = run_git(folder, "cat-file", "-s", blob)
            if size is None:
                own = found.path.relative_to(found.root).as_posix()
                cure = f"`git log --oneline -- {own}` lists those that have it, or send the text itself"
                raise CallError(f"`{revision[:80]}` has no file `{found.name}`", cure)
            if int(size) > _MAX_BYTES:
                raise UnreadableFileError(f"is larger than {_MAX_BYTES // 1_000_000} MB")
            return make_printable(decode_text(run_git(folder, "cat-file", "blob", blob) or b""))
        except UnreadableFileError as reason:
            raise CallError(f"`{found.name}` {reason}", "name a text file, or send its text") from None
        except RevisionError as reason:
            raise CallError(str(reason), "send the text itself instead") from None

    def list_files(self, found: FoundPath, endings: tuple[str, ...]) -> list[FoundPath]:
        """Return the files of a folder and its subfolders, sorted by name, without links that lead outside.

        Raises:
            CallError: There are too many.
        """
        paths: list[FoundPath] = []
        for folder, names, files in os.walk(found.path):
            names[:] = sorted(each for each in names if not _is_left_out(Path(folder) / each))
            for file in sorted(each for each in files if each.lower().endswith(endings)):
                path = resolve_links(Path(folder) / file)
                is_own = path is not None and path.is_file() and path.is_relative_to(found.root)
                if path is not None and is_own and not file.startswith("."):
                    relative = (Path(folder) / file).relative_to(found.path).as_posix()
                    paths.append(
                        FoundPath(
                            path,
                            found.root,
                            relative if found.name in (".", "") else f"{found.name.rstrip('/')}/{relative}",
                        )
                    )
            if len(paths) > _MOST_FILES:
                raise CallError(f"`{found.name}` has more than {_MOST_FILES} files", "name a folder in it")
        return paths

    def write_file(
        self, name: str, content: str | bytes, endings: tuple[str, ...], *, replaces: bytes | None = b""
    ) -> str:
        """Write a file atomically and return its name.

        Parameters:
            name: Its path.
            content: All of it.
            endings: What its name may end in.
            replaces: How an existing file has to begin so that it may be replaced; `None` if none may.

        Raises:
            CallError: Writing is not allowed, not at this path, or not possible.
        """
        if not self.may_write:
            cure = "let a person start it with `--allow-writes`, or write the text of the answer yourself"
            raise CallError("this server may not write files", cure)
        found = self.find_path(name)
        parts = found.path.relative_to(found.root).parts
        if not found.path.name.endswith(endings) or any(each.startswith(".") for each in parts):
            raise CallError(f"`{name}` cannot be written", f"name a file that ends in {' or '.join(endings)}")
        data = content.encode() if isinstance(content, str) else content
        if found.path.exists() and not _is_replaced(found.path, data, replaces):
            raise CallError(f"`{name}` exists already", "name another file, or let a person remove this one")
        _replace_file(found, data)
        return name


def resolve_links(path: Path) -> Path | None:
    """Resolve the links of a path; `None` if they form a loop."""
    try:
        return real_path(path)
    except OSError:
        return None


def _is_replaced(path: Path, data: bytes, begin: bytes | None) -> bool:
    """Return whether an existing file may be overwritten: it is of a replaceable kind, or has just these contents."""
    if not path.is_file():
        return False
    if begin == b"":
        return True
    try:
        contents = path.read_bytes()
    except OSError:
        return False
    return contents == data or (begin is not None and contents.startswith(begin))


def _is_left_out(folder: Path) -> bool:
    """Return whether a folder has no hand-written files: caches, packages, a built site."""
    is_hidden = folder.name.startswith(".") or folder.name in _SKIPPED
    return is_hidden or any(os.path.exists(folder / name) for name in _SITE_FILES)


def _replace_file(found: FoundPath, data: bytes) -> None:
    try:
        replace_file(found.path, data)
    except OSError as reason:
        why = (reason.strerror or str(reason)).lower()
        raise CallError(f"`{found.name}` cannot be written: {why}", "name another file") from None

"""Find the files that the arguments of a command name, and those below folders.

The settings of their folders exclude files. Of Python files and similar ones, only those that mention ACDL are found.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.workspace.folder_names import is_skipped
from acdl_mkdocs.workspace.page_kinds import ALSO_OTHERS, UNREAD, PageKind, kind_at, kind_of
from acdl_mkdocs.workspace.project import find_project, project_of
from acdl_mkdocs.workspace.settings import Settings

_SPEC = ".acdl"
_BLOCK = re.compile(
    rb"(?:```|~~~)[ \t]*\{?\.?acdl|\.\.[ \t]+acdl|\[(?:source)?,[ \t]*acdl|\\begin\{acdl|begin_src acdl|language=acdl",
    re.I,
)
"""The beginning of a block in a document that is not read."""


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file that the arguments name."""

    path: Path | None
    """`None` is standard input."""
    relative: Path
    """Path of its figure in the folder of results; without a suffix."""
    is_argument: bool = True
    """Whether the file itself is an argument, and not its folder."""
    text: str | None = None
    """The text of the file, if it is already known."""

    @property
    def is_page(self) -> bool:
        """True if it is a page with blocks, and not a spec."""
        return self.path is not None and kind_of(self.path) is not None

    @property
    def is_markdown(self) -> bool:
        """True if it is a page in Markdown."""
        return self.path is not None and kind_of(self.path) == "markdown"

    @property
    def kind(self) -> PageKind:
        """The way a page is read."""
        return kind_at(self.path)

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return "<stdin>" if self.path is None else str(self.path)

    @property
    def folder(self) -> Path:
        """The folder where the search for its settings begins."""
        return Path() if self.path is None else self.path.parent

    @property
    def project(self) -> Path:
        """The folder of its project; standard input belongs to that of the working folder."""
        return find_project(Path()) if self.path is None else project_of(self.path)


def find_files(
    arguments: Sequence[str],
    settings_of: Callable[[Path], Settings] = lambda _: Settings(),
    unread: list[Path] | None = None,
) -> tuple[list[NamedFile], list[str]]:
    """Find the files of the arguments, including folders, each once and in order; and return the problems.

    Parameters:
        arguments: Names of files and folders; `-` is standard input.
        settings_of: The settings of a folder, which may exclude files and folders. A folder with unreadable settings is
            excluded with everything below it.
        unread: Collects the documents below folders of kinds that are not read.
    """
    files: dict[str, NamedFile] = {}
    problems: list[str] = []
    for argument in arguments:
        path = Path(argument)
        if not argument.strip():
            problems.append("an empty argument names no file; the working folder is `.`")
        elif argument == "-":
            files["-"] = NamedFile(None, Path("stdin"))
        elif os.path.isdir(path):
            folder_problems: list[str] = []
            below = [each for _, texts in _search(path, settings_of, folder_problems, unread) for each in texts]
            problems += folder_problems if below or folder_problems else [_explain_empty(argument, settings_of)]
            for each in below:
                relative = each.relative_to(path).with_suffix("")
                files.setdefault(os.path.abspath(each), NamedFile(each, relative, is_argument=False))
        else:
            files.setdefault(os.path.abspath(path), NamedFile(path, Path(path.stem)))
    return list(files.values()), list(dict.fromkeys(problems))


def _explain_empty(argument: str, settings_of: Callable[[Path], Settings]) -> str:
    """Return why a folder has nothing to read."""
    if not any(texts for _, texts in _search(Path(argument), lambda _: Settings(), [])):
        return f"{argument}: no .acdl files or pages in this folder"
    where = settings_of(Path(argument)).name or "the settings"
    return f"{argument}: `exclude` in {where} leaves out all .acdl files and pages in this folder; name single files"


def seems_to_have_blocks(path: Path) -> bool:
    """Return whether a document that is not read seems to contain the beginning of a block."""
    try:
        return path.is_file() and _BLOCK.search(path.read_bytes()) is not None
    except OSError:
        return False


def find_folders(
    arguments: Sequence[str], settings_of: Callable[[Path], Settings] = lambda _: Settings()
) -> Iterator[Path]:
    """Yield the folders that `find_files` searches: those among the arguments, and all below them."""
    for argument in arguments:
        if argument.strip() and os.path.isdir(argument):
            yield from (folder for folder, _ in _search(Path(argument), settings_of, []))


def _search(
    folder: Path, settings_of: Callable[[Path], Settings], problems: list[str], unread: list[Path] | None = None
) -> Iterator[tuple[Path, list[Path]]]:
    """Yield each folder with its specs and pages, by name; report what cannot be searched."""
    for current_folder, paths in _walk(folder, settings_of, problems):
        if unread is not None:
            unread += [path for path in paths if path.suffix.lower() in UNREAD]
        yield current_folder, [path for path in paths if is_spec_or_page(path)]


def _walk(
    folder: Path, settings_of: Callable[[Path], Settings], problems: list[str]
) -> Iterator[tuple[Path, list[Path]]]:
    """Yield each folder with its files that the settings do not exclude."""

    def refused(reason: OSError) -> None:
        problems.append(f"{reason.filename}: cannot be read: {(reason.strerror or str(reason)).lower()}")

    for current, folders, files in os.walk(folder, onerror=refused):
        current_folder = Path(current)
        try:
            settings = settings_of(current_folder)
            _ = settings.config
        except SettingsError as reason:
            problems.append(str(reason))
            folders.clear()
            continue
        excludes = settings.is_excluded
        folders[:] = sorted(
            name for name in folders if not is_skipped(current_folder / name) and not excludes(current_folder / name)
        )
        paths = (current_folder / name for name in sorted(files))
        yield current_folder, [path for path in paths if not excludes(path)]


def is_searched(path: Path, top: Path, settings_of: Callable[[Path], Settings]) -> bool:
    """Return whether a search of a folder looks at a file below it, which may be in another revision only."""
    folders = list(path.parents)[: len(path.relative_to(top).parts) - 1]
    return not any(map(is_skipped, folders)) and not any(
        settings_of(each.parent).is_excluded(each) for each in (path, *folders)
    )


def is_spec_or_page(path: Path) -> bool:
    """Return whether a file of a folder is a spec or a page; one of Python and the like, only if it mentions ACDL."""
    kind = kind_of(path)
    if kind in ALSO_OTHERS:
        with suppress(OSError):
            return path.is_file() and b"acdl" in path.read_bytes()
        return False
    return kind is not None or path.suffix.lower() == _SPEC

"""The files that the arguments of a command lead to: those that they name, and those below folders.

Reads no file; which ones are left out is what the settings of their folders say.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from acdl_mkdocs.errors import SettingsError
from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.settings import Settings

_MARKDOWN = (".md", ".markdown", ".mdx", ".qmd")
_SPEC = ".acdl"
_SKIPPED_FOLDERS = ("node_modules", "__pycache__")
_BUILT = ("sitemap.xml", "objects.inv", os.path.join("search", "search_index.json"))
"""Files that docs tools write into the folder of a finished site."""


@dataclass(frozen=True, slots=True)
class Named:
    """A file that the arguments lead to."""

    path: Path | None
    """`None` is standard input."""
    relative: Path
    """Where its figure goes, from the folder of results; without a suffix."""
    is_argument: bool = True
    """Whether the file itself is an argument, and not the folder in which it was found."""
    text: str | None = None
    """What the file says, if that is known already."""

    @property
    def is_page(self) -> bool:
        """Whether it is a Markdown page with blocks, and no spec."""
        return self.path is not None and self.path.suffix.lower() in _MARKDOWN

    @property
    def name(self) -> str:
        """What a person calls the file."""
        return "<stdin>" if self.path is None else str(self.path)

    @property
    def folder(self) -> Path:
        """Where the settings of the file are looked for."""
        return Path() if self.path is None else self.path.parent


def find_files(
    arguments: Sequence[str], settings_of: Callable[[Path], Settings] = lambda _: Settings()
) -> tuple[list[Named], list[str]]:
    """The files of the arguments, folders searched through, each once and in order; and what is wrong with them.

    Parameters:
        arguments: Names of files and folders; `-` is standard input.
        settings_of: The settings of a folder, which may leave files and folders out. A folder whose settings cannot be
            read is left out with all that is below it.
    """
    found: dict[str, Named] = {}
    problems: list[str] = []
    for argument in arguments:
        path = Path(argument)
        if not argument.strip():
            problems.append("an empty argument names no file; the working folder is `.`")
        elif argument == "-":
            found["-"] = Named(None, Path("stdin"))
        elif os.path.isdir(path):
            said: list[str] = []
            below = [each for _, texts in _search(path, settings_of, said) for each in texts]
            problems += said if below or said else [f"{argument}: no .acdl or Markdown files in this folder"]
            for each in below:
                relative = each.relative_to(path).with_suffix("")
                found.setdefault(os.path.abspath(each), Named(each, relative, is_argument=False))
        else:
            found.setdefault(os.path.abspath(path), Named(path, Path(path.stem)))
    return list(found.values()), list(dict.fromkeys(problems))


def find_folders(
    arguments: Sequence[str], settings_of: Callable[[Path], Settings] = lambda _: Settings()
) -> Iterator[Path]:
    """The folders in which `find_files` looks for files: those among the arguments, and all below that are searched."""
    for argument in arguments:
        if argument.strip() and os.path.isdir(argument):
            yield from (here for here, _ in _search(Path(argument), settings_of, []))


def _search(
    folder: Path, settings_of: Callable[[Path], Settings], problems: list[str]
) -> Iterator[tuple[Path, list[Path]]]:
    """Each folder with its specs and Markdown files, by name; what cannot be searched is reported."""

    def refused(reason: OSError) -> None:
        problems.append(f"{reason.filename}: cannot be read: {(reason.strerror or str(reason)).lower()}")

    for current, folders, files in os.walk(folder, onerror=refused):
        here = Path(current)
        try:
            settings = settings_of(here)
            _ = settings.config
        except SettingsError as reason:
            problems.append(str(reason))
            folders.clear()
            continue
        excludes = settings.excludes
        folders[:] = sorted(name for name in folders if not _is_skipped(here / name) and not excludes(here / name))
        texts = (here / name for name in sorted(files) if Path(name).suffix.lower() in (_SPEC, *_MARKDOWN))
        yield here, [path for path in texts if not excludes(path)]


def _is_skipped(folder: Path) -> bool:
    """Whether nobody writes specs there: a hidden folder, one of packages, or a site that was built."""
    if folder.name.startswith(".") or folder.name in _SKIPPED_FOLDERS:
        return True
    return any(os.path.exists(folder / name) for name in _BUILT)

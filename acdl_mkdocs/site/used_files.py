"""Files that texts use, each read once, and which of them lead to which others.

What is wrong with a file is kept for whoever names it. Knows no comment but `// acdl: use`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.real_path import is_on_share, real_path
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.pragmas import used_files
from acdl_mkdocs.site.files import UnreadableFileError, printable, read_text
from acdl_mkdocs.site.fragment_names import defined


@dataclass(slots=True, eq=False)
class UsedFile:
    """A file that a comment names."""

    path: Path
    source: Source | None
    """Its text; `None` if it cannot be read."""
    reason: UnreadableFileError | None
    """Why it cannot be read."""
    named: tuple[Path, ...]
    """The files that it names itself."""
    reach: int
    """The files that it leads to, itself included: the bit of a file's number is set. Rings have all of theirs."""


def _from_project(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


class UsedFiles:
    """Files that texts use, each read once for all texts of a run: to be made anew when they may have changed."""

    def __init__(
        self, name_of: Callable[[Path, Path], str] = _from_project, read: Callable[[Path], str] | None = None
    ) -> None:
        """Know no file.

        Parameters:
            name_of: What a person calls a file, given with its project's folder.
            read: Gives the text of a file, or raises `UnreadableFileError`; without it, files are those of the disk.
        """
        self._name_of, self._read_text = name_of, read or read_text
        self._files: list[UsedFile] = []
        self._numbers: dict[tuple[Path, Path], int] = {}
        self._defining: dict[str, list[int]] = {}

    def __len__(self) -> int:
        """How many files are known."""
        return len(self._files)

    def __getitem__(self, number: int) -> UsedFile:
        """The file with that number; they are numbered as they are read."""
        return self._files[number]

    def since(self, number: int) -> list[Source]:
        """The texts of the files that were read after so many others."""
        return [file.source for file in self._files[number:] if file.source]

    def number_of(self, path: Path, root: Path) -> int:
        """The number of a file, which is read if that was not done, with all that it leads to.

        Parameters:
            path: The file, without links, inside the project.
            root: The project's folder. A file outside it that the file names is left out.
        """
        read: list[UsedFile] = []
        waiting: list[tuple[Path, UsedFile | None]] = [(path, None)]
        while waiting:
            each, file = waiting.pop()
            if file:
                read.append(file)
            elif (each, root) not in self._numbers:
                file = self._read(each, root)
                waiting.append((each, file))
                waiting += ((other, None) for other in reversed(file.named))
        self._complete(read, root)
        return self._numbers[path, root]

    def _read(self, path: Path, root: Path) -> UsedFile:
        number = len(self._files)
        file = UsedFile(path, None, None, (), 1 << number)
        try:
            file.source = Source(printable(self._read_text(path)), self._name_of(path, root))
            found = (resolved(path.parent, name) for name, _ in used_files(file.source.text))
            file.named = tuple(each for each in found if each and each.is_relative_to(root))
            for name in defined(file.source.text):
                self._defining.setdefault(name, []).append(number)
        except UnreadableFileError as reason:
            file.reason = reason
        self._files.append(file)
        self._numbers[path, root] = number
        return file

    def _complete(self, read: list[UsedFile], root: Path) -> None:
        """Find out what each file leads to; they come after those that they name, where that is no ring."""
        has_news = bool(read)
        while has_news:  # once more to see that nothing is new, and a few times where rings lie in rings
            has_news = False
            for file in read:
                reach = file.reach
                for each in file.named:
                    reach |= self._files[self._numbers[each, root]].reach
                has_news |= reach != file.reach
                file.reach = reach

    def defining(self, name: str, reach: int) -> list[Source]:
        """The texts, of the files that something leads to, that define a fragment; in the order of their names."""
        found = [self._files[each].source for each in self._defining.get(name, ()) if reach >> each & 1]
        return sorted(filter(None, found), key=lambda source: source.name)


@dataclass(frozen=True, slots=True, eq=False)
class Uses:
    """The files that a text leads to: a view of all that are known."""

    known: UsedFiles | None = None
    reach: int = 0

    def defining(self, name: str) -> list[Source]:
        """The texts of those that define a fragment."""
        return self.known.defining(name, self.reach) if self.known is not None else []

    def files(self) -> Iterator[Path]:
        """All that were looked for, whether they exist or not."""
        return (each.path for each in self._reached())

    def sources(self) -> tuple[Source, ...]:
        """The texts of those that can be read."""
        return tuple(each.source for each in self._reached() if each.source)

    def _reached(self) -> Iterator[UsedFile]:
        reach = self.reach
        while reach and self.known is not None:
            lowest = reach & -reach
            yield self.known[lowest.bit_length() - 1]
            reach ^= lowest


def resolved(folder: Path, name: str) -> Path | None:
    """The file that a name leads to from a folder, links followed; `None` if no file can have that name."""
    try:
        return None if is_on_share(name, folder) else real_path(folder / name)
    except (OSError, ValueError):
        return None

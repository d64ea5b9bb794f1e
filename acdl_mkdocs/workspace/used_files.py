"""The files that texts use, which other files those use, and the names of fragments in a text."""

from collections.abc import Callable, Iterator
from pathlib import Path

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.real_path import is_on_share, real_path
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.letters import LETTER, normalize_name
from acdl_mkdocs.language.syntax.pragmas import used_files
from acdl_mkdocs.workspace.files import MissingFileError, UnreadableFileError, find_nearest_file, read_text
from acdl_mkdocs.workspace.remembered import cache_across_builds

_USE = compile_later(rf"\bFrag\s+({LETTER}+)")
_DEFINITION = compile_later(rf"\b(?:StrFrag|RolesFrag|RoleFrag|Fragment)\s+({LETTER}+)")
_WORD = compile_later(rf"//[^\n]*|[.$@]{LETTER}+|({LETTER}+)")

_N_REMEMBERED = 4096
"""Size of the cache, in texts."""


@cache_across_builds(_N_REMEMBERED)
def find_used_names(words: str) -> dict[str, None]:
    """Return the names of fragments that a text uses, in order."""
    return dict.fromkeys(map(normalize_name, _USE.findall(words))) if "Frag" in words else {}


@cache_across_builds(_N_REMEMBERED)
def list_definitions(words: str) -> dict[str, None]:
    """Return the names of fragments that a text defines, in order."""
    return dict.fromkeys(map(normalize_name, _DEFINITION.findall(words))) if "Frag" in words else {}


@cache_across_builds(_N_REMEMBERED)
def find_mentioned_names(words: str) -> dict[str, None]:
    """Return the words of a text that may be fragments, in order: not those of comments, fields and `$names`."""
    names = dict.fromkeys(filter(None, _WORD.findall(words)))
    return names if words.isascii() else dict.fromkeys(map(normalize_name, names))


@dataclass(slots=True, eq=False)
class UsedFile:
    """A file that a comment names."""

    path: Path
    source: Source | None
    """Its text; `None` if it cannot be read."""
    reason: UnreadableFileError | None
    """Why it cannot be read."""
    named_files: tuple[Path, ...]
    """The files that it names itself."""
    reach: int
    """The files that it leads to, including itself, as a bit set of file numbers. Files on a cycle share all."""


def _from_project(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


class UsedFiles:
    """Files that texts use, each read once for all texts of a run: to be created again when they may have changed."""

    def __init__(
        self, name_of: Callable[[Path, Path], str] = _from_project, read: Callable[[Path], str] | None = None
    ) -> None:
        """Start without files.

        Parameters:
            name_of: Returns the name of a file in messages, given its project's folder.
            read: Returns the text of a file, or raises `UnreadableFileError`; by default files are read from disk.
        """
        self._name_of, self._read_text = name_of, read or read_text
        self._files: list[UsedFile] = []
        self._numbers: dict[tuple[Path, Path], int] = {}
        self._defining: dict[str, list[int]] = {}

    def __len__(self) -> int:
        """Return the number of known files."""
        return len(self._files)

    def __getitem__(self, number: int) -> UsedFile:
        """Return the file with that number; files are numbered in the order of reading."""
        return self._files[number]

    def sources_since(self, number: int) -> list[Source]:
        """Return the texts of the files read after the first `number`."""
        return [file.source for file in self._files[number:] if file.source]

    def number_of(self, path: Path, root: Path) -> int:
        """Return the number of a file; read it first if necessary, with all that it leads to.

        Parameters:
            path: The file, without links, inside the project.
            root: The project's folder. Files outside of it are ignored.
        """
        read: list[UsedFile] = []
        stack: list[tuple[Path, UsedFile | None]] = [(path, None)]
        while stack:
            each, file = stack.pop()
            if file:
                read.append(file)
            elif (each, root) not in self._numbers:
                file = self._read(each, root)
                stack.append((each, file))
                stack += ((other, None) for other in reversed(file.named_files))
        self._complete_reach(read, root)
        return self._numbers[path, root]

    def _read(self, path: Path, root: Path) -> UsedFile:
        number = len(self._files)
        file = UsedFile(path, None, None, (), 1 << number)
        try:
            file.source = Source(make_printable(self._read_text(path)), self._name_of(path, root))
            paths = (resolve_path(path.parent, name) for name, _ in used_files(file.source.text))
            file.named_files = tuple(each for each in paths if each and each.is_relative_to(root))
            for name in list_definitions(file.source.text):
                self._defining.setdefault(name, []).append(number)
        except UnreadableFileError as reason:
            file.reason = reason
        self._files.append(file)
        self._numbers[path, root] = number
        return file

    def _complete_reach(self, read: list[UsedFile], root: Path) -> None:
        """Compute the reach of each file; files come after those that they name, except on cycles."""
        has_news = bool(read)
        while has_news:  # once more to see that nothing is new, and a few times for nested cycles
            has_news = False
            for file in read:
                reach = file.reach
                for each in file.named_files:
                    reach |= self._files[self._numbers[each, root]].reach
                has_news |= reach != file.reach
                file.reach = reach

    def find_definitions(self, name: str, reach: int) -> list[Source]:
        """Return the texts, within a reach, that define a fragment; in the order of their names."""
        sources = [self._files[each].source for each in self._defining.get(name, ()) if reach >> each & 1]
        return sorted(filter(None, sources), key=lambda source: source.name)


@dataclass(frozen=True, slots=True, eq=False)
class Uses:
    """The files that a text leads to: a view of all known files."""

    known: UsedFiles | None = None
    reach: int = 0

    def find_definitions(self, name: str) -> list[Source]:
        """Return the texts that define a fragment."""
        return self.known.find_definitions(name, self.reach) if self.known is not None else []

    def list_files(self) -> Iterator[Path]:
        """Yield all files that were searched, whether they exist or not."""
        return (each.path for each in self._list_reached())

    def list_sources(self) -> tuple[Source, ...]:
        """Return the readable texts."""
        return tuple(each.source for each in self._list_reached() if each.source)

    def _list_reached(self) -> Iterator[UsedFile]:
        reach = self.reach
        while reach and self.known is not None:
            lowest = reach & -reach
            yield self.known[lowest.bit_length() - 1]
            reach ^= lowest


def resolve_path(folder: Path, name: str) -> Path | None:
    """Return the file that a name refers to from a folder, without links; `None` if no file can have that name."""
    try:
        return None if is_on_share(name, folder) else real_path(folder / name)
    except (OSError, ValueError):
        return None


def may_use_files(text: str) -> bool:
    """Return whether a text may name files; without parsing it, and without knowing its project."""
    return "acdl:" in text


def read_uses(
    source: Source, folder: Path, root: Path, shared_files: UsedFiles | None = None
) -> tuple[Uses, tuple[Diagnostic, ...]]:
    """Return the files that a text leads to, and the problems of its own comments.

    Parameters:
        source: The text.
        folder: The folder of its file.
        root: The project's folder. A file outside it, also by a symbolic link, is refused.
        shared_files: The files that other texts of the run use; those of this text are added.
    """
    if not may_use_files(source.text):
        return Uses(), ()
    shared_files = UsedFiles() if shared_files is None else shared_files
    base = root.resolve()
    reach = 0
    named: set[int] = set()
    problems: list[Diagnostic] = []
    for name, span in used_files(source.text):
        path = resolve_path(folder, name)
        if path is None or not path.is_relative_to(base):
            problems.append(_outside(name, span))
            continue
        number = shared_files.number_of(path, base)
        reason = shared_files[number].reason
        if reason and number not in named:
            problems.append(_unreadable(reason, name, span, folder))
        named.add(number)
        reach |= shared_files[number].reach
    return Uses(shared_files, reach), tuple(problems)


def _outside(name: str, span: Span) -> Diagnostic:
    message, cure = f"the file `{name}` lies outside the project", "copy it into the project"
    return error("src-outside-project", message, Label(span, "only files of the project are read"), help=cure)


def _unreadable(reason: UnreadableFileError, name: str, span: Span, folder: Path) -> Diagnostic:
    if not isinstance(reason, MissingFileError):
        return error("unreadable-src", f"the file `{name}` {reason}", Label(span, "named here"))
    near = find_nearest_file(name, folder)
    cure = f"did you mean `{near}`?" if near else "name the file by its path from the folder of this file"
    label = Label(span, "looked for in the folder of this file")
    return error("missing-src", f"the file `{name}` does not exist", label, help=cure)

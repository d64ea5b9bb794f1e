"""The files that a text names with `// acdl: use other.acdl`, to use their fragments.

A path starts at the folder of the file that has the comment. A file that is used may name others in turn.
"""

from dataclasses import dataclass
from pathlib import Path

from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.site.files import MissingFileError, UnreadableFileError, nearest_file, printable, read_text
from acdl_mkdocs.source import Source, Span
from acdl_mkdocs.syntax.pragmas import used_files


@dataclass(frozen=True, slots=True)
class Used:
    """What the comments of a text led to."""

    sources: tuple[Source, ...] = ()
    files: tuple[Path, ...] = ()
    """All that were looked for, whether they exist or not, for watching."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """What is wrong with the comments of the text itself."""


NOTHING = Used()


def read_uses(source: Source, folder: Path, root: Path) -> Used:
    """Read the files that a text names, and those that they name.

    Parameters:
        source: The text.
        folder: That of its file.
        root: The project's folder. A file outside it, also by a symbolic link, is refused.
    """
    if "acdl:" not in source.text:
        return NOTHING
    sources: dict[Path, Source] = {}
    files: dict[Path, None] = {}
    problems: list[Diagnostic] = []
    waiting = [(source, folder)]
    while waiting:
        text, base = waiting.pop(0)
        for name, span in used_files(text.text):
            path = _resolved(base, name)
            if path in files:
                continue
            found = _read(path, name, span, base, root)
            if path is not None and not (isinstance(found, Diagnostic) and found.rule == "src-outside-project"):
                files[path] = None
            if isinstance(found, Source) and path is not None:
                sources[path] = found
                waiting.append((found, path.parent))
            elif isinstance(found, Diagnostic) and text is source:
                problems.append(found)
    return Used(tuple(sources.values()), tuple(files), tuple(problems))


def _resolved(folder: Path, name: str) -> Path | None:
    try:
        return (folder / name).resolve()
    except (OSError, ValueError, RuntimeError):
        return None


def _read(path: Path | None, name: str, span: Span, folder: Path, root: Path) -> Source | Diagnostic:
    """The text of a file, or why there is none."""
    base = root.resolve()
    if path is None or not path.is_relative_to(base):
        message, cure = f"the file `{name}` lies outside the project", "copy it into the project"
        return error("src-outside-project", message, Label(span, "only files of the project are read"), help=cure)
    try:
        return Source(printable(read_text(path)), path.relative_to(base).as_posix())
    except MissingFileError:
        near = nearest_file(name, folder)
        cure = f"did you mean `{near}`?" if near else "name the file by its path from the folder of this file"
        label = Label(span, "looked for in the folder of this file")
        return error("missing-src", f"the file `{name}` does not exist", label, help=cure)
    except UnreadableFileError as reason:
        return error("unreadable-src", f"the file `{name}` {reason}", Label(span, "named here"))

"""The files that a text names with `// acdl: use other.acdl`, to use their fragments.

A path starts at the folder of the file that has the comment. A file that is used may name others in turn.
"""

from pathlib import Path

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.pragmas import used_files
from acdl_mkdocs.site.files import MissingFileError, UnreadableFileError, nearest_file
from acdl_mkdocs.site.used_files import UsedFiles, Uses, resolved


def may_use_files(text: str) -> bool:
    """Whether a text may name files; found without reading it, and without knowing its project."""
    return "acdl:" in text


def read_uses(
    source: Source, folder: Path, root: Path, known: UsedFiles | None = None
) -> tuple[Uses, tuple[Diagnostic, ...]]:
    """The files that a text leads to, and what is wrong with its own comments.

    Parameters:
        source: The text.
        folder: That of its file.
        root: The project's folder. A file outside it, also by a symbolic link, is refused.
        known: The files that other texts of the run use; this text's are added.
    """
    if not may_use_files(source.text):
        return Uses(), ()
    known = UsedFiles() if known is None else known
    base = root.resolve()
    reach = 0
    named: set[int] = set()
    problems: list[Diagnostic] = []
    for name, span in used_files(source.text):
        path = resolved(folder, name)
        if path is None or not path.is_relative_to(base):
            problems.append(_outside(name, span))
            continue
        number = known.number_of(path, base)
        reason = known[number].reason
        if reason and number not in named:
            problems.append(_unreadable(reason, name, span, folder))
        named.add(number)
        reach |= known[number].reach
    return Uses(known, reach), tuple(problems)


def _outside(name: str, span: Span) -> Diagnostic:
    message, cure = f"the file `{name}` lies outside the project", "copy it into the project"
    return error("src-outside-project", message, Label(span, "only files of the project are read"), help=cure)


def _unreadable(reason: UnreadableFileError, name: str, span: Span, folder: Path) -> Diagnostic:
    if not isinstance(reason, MissingFileError):
        return error("unreadable-src", f"the file `{name}` {reason}", Label(span, "named here"))
    near = nearest_file(name, folder)
    cure = f"did you mean `{near}`?" if near else "name the file by its path from the folder of this file"
    label = Label(span, "looked for in the folder of this file")
    return error("missing-src", f"the file `{name}` does not exist", label, help=cure)

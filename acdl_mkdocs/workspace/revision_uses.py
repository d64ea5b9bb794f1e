"""Read the files that a text of a git revision uses, as of that revision. Knows no comment and no fragment."""

import os
from pathlib import Path

from acdl_mkdocs.compare.revisions import read_blob
from acdl_mkdocs.foundation.errors import RevisionError
from acdl_mkdocs.workspace.files import UnreadableFileError, decode_text
from acdl_mkdocs.workspace.used_files import UsedFiles


def files_of_revision(commit: str, revision: str, root: Path) -> UsedFiles:
    """Return the files of a commit, for `read_uses`; uses the local repository, never the network.

    Parameters:
        commit: The commit.
        revision: Its name in messages.
        root: The project's folder, where git runs.
    """
    base = root.resolve()

    def name_of(path: Path, _: Path) -> str:
        return f"{revision}:{path.relative_to(base).as_posix()}"

    def read(path: Path) -> str:
        try:
            return decode_text(read_blob(commit, revision, os.path.relpath(path, base), base))
        except RevisionError:
            raise UnreadableFileError(f"is not in `{revision}`") from None

    return UsedFiles(name_of, read)

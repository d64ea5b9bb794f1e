"""New playbooks on the disk: the file, its history, and the schema that gives editors completion."""

import json
from pathlib import Path

from acdl_mkdocs.foundation.errors import PlaybookError
from acdl_mkdocs.playbook.bullets import Playbook, ordered
from acdl_mkdocs.playbook.report import Report
from acdl_mkdocs.store import files, shapes
from acdl_mkdocs.store.comments import Comments
from acdl_mkdocs.store.events import Cause, events_of
from acdl_mkdocs.store.history import NO_PREVIOUS
from acdl_mkdocs.store.load import history_path, loaded_from
from acdl_mkdocs.store.read_playbook import Loaded
from acdl_mkdocs.store.replay import NOTHING
from acdl_mkdocs.store.save import Opened, check

MODELINE = Comments({("key", "schema_version"): (shapes.MODELINE,)})
"""The comments of a new file."""


def create(path: Path, playbook: Playbook, *, time: str | None = None, actor: str | None = "person") -> None:
    """Write a new playbook, its history and, beside it, the schema for editors.

    Raises:
        PlaybookError: There is such a file already, or it cannot be written.
    """
    playbook = ordered(playbook)
    if not path.parent.is_dir():
        raise PlaybookError(f"{path}: there is no folder `{path.parent}`", "make it first")
    check(playbook, playbook, path)
    with files.locked(path):
        for each in (path, history_path(path)):
            if each.exists() or each.is_symlink():
                raise PlaybookError(f"{each} exists already{_owner(path, each)}", _cure(path, each))
        write_schema(path.parent)
        empty = Loaded(None, (), source=loaded_from(b"", str(path)).source, comments=MODELINE)
        new = Opened(path, empty, playbook, 0, NO_PREVIOUS)
        try:
            new.commit(playbook, events_of(NOTHING, playbook, Report(), Cause(actor, time, op="INIT")))
        except BaseException:  # also of an interrupt: a history alone would be in the way of the same command
            if not path.exists():
                files.cut(history_path(path), 0)
            raise


def write_schema(folder: Path) -> None:
    """Put the schema of playbooks into a folder, unless it is there; that of another version is replaced.

    Raises:
        PlaybookError: Another file has its name, or it cannot be written.
    """
    schema = folder / shapes.SCHEMA_FILE
    text = shapes.schema_text().encode()
    found = schema.read_bytes() if schema.is_file() else None  # a link can lead to a device
    if found == text:
        return
    if found and _title_of(found) != _title_of(text):
        raise PlaybookError(f"{schema} is not the schema of playbooks", "rename it: editors look for the schema there")
    files.replace_file(schema, text)


def _title_of(schema: bytes) -> object:
    """What a schema says that it is of."""
    try:
        data = json.loads(schema)
    except (ValueError, RecursionError):
        return None
    return data.get("title") if isinstance(data, dict) else None


def _cure(path: Path, there: Path) -> str:
    """What to do about a file that is in the way of a new playbook."""
    is_history_alone = there != path and not _owner(path, there)
    restore = f"`acdl playbook repair {path}` makes the playbook of this history, or " if is_history_alone else ""
    return f"{restore}choose another name, or remove it"


def _owner(path: Path, history: Path) -> str:
    """Whose history is in the way of a new playbook, in words."""
    others = sorted(each for each in path.parent.glob("*.y*ml") if history_path(each) == history and each != path)
    return f": it is the history of {others[0]}" if history != path and others else ""

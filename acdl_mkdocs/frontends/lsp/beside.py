"""The sample states of a document: files beside it, and files named by its comments."""

from collections.abc import Iterator
from pathlib import Path

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.workspace.files import UnreadableFileError, read_text
from acdl_mkdocs.workspace.folder_names import FolderNames
from acdl_mkdocs.workspace.read_block import find_defined_names
from acdl_mkdocs.workspace.specs import specs_of
from acdl_mkdocs.workspace.states import find_states


def states_for(path: Path, text: str) -> dict[str, Source]:
    """Return the readable state texts of a file, by the spec that each is for; that of the whole file is under "".

    Parameters:
        path: The file.
        text: Its text, as open in the editor.
    """
    return {name: state for name, file in _find_files(path, text) if (state := _read_source(file)) is not None}


def _find_files(path: Path, text: str) -> Iterator[tuple[str, Path]]:
    beside = find_states(path, find_defined_names(text), FolderNames())
    own = (
        {each.name: beside.find_state(each) for each in specs_of(parse_and_resolve(Source(text)).resolved)}
        if _is_acdl(path)
        else {}
    )
    usual = next(filter(None, (beside.first, beside.shared, *beside.by_spec.values(), *own.values())), None)
    if usual is not None:
        yield "", usual
    for name, file in own.items():
        if file is not None and file != usual:
            yield name, file


def _is_acdl(path: Path) -> bool:
    return path.suffix.lower() == ".acdl"


def _read_source(file: Path) -> Source | None:
    try:
        return Source(read_text(file), str(file))
    except UnreadableFileError:
        return None

"""The recordings that a call names: files in the folders of the server, whatever form they are in."""

from collections.abc import Sequence

from acdl_mkdocs.mcp_server.answers import CallError
from acdl_mkdocs.mcp_server.folders import Folders, FoundPath
from acdl_mkdocs.runs.read.files import ENDINGS, TEXT_ENDINGS

_ENDINGS = (*ENDINGS, *(f"{each}.gz" for each in ENDINGS))


def find_recordings(names: Sequence[str], argument: str, folders: Folders) -> list[FoundPath]:
    """The files of recordings; no folder is left to whoever reads them, since links may lead out of it.

    Parameters:
        names: Paths of files and folders.
        argument: Name of the argument that has them.
        folders: What may be read.

    Raises:
        CallError: One is not there, may not be read, or there is no file.
    """
    found: list[FoundPath] = []
    for name in names:
        place = folders.file(name, (*_ENDINGS, *TEXT_ENDINGS))
        if not place.path.exists():
            raise CallError(f"`{name}` does not exist", f"paths start at {place.root}")
        found += folders.below(place, _ENDINGS) if place.path.is_dir() else [place]
    if not found:
        cure = f"name files that end in {', '.join(ENDINGS)}, or their folder"
        raise CallError(f"`{argument}` leads to no file", cure)
    return found

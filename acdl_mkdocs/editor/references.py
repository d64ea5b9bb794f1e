"""Where what stands at a cursor is used."""

from acdl_mkdocs.editor.occurrences import names_at, occurrences
from acdl_mkdocs.editor.places import Place
from acdl_mkdocs.editor.workspace import Workspace
from acdl_mkdocs.foundation import system


def references(workspace: Workspace, uri: str, offset: int, with_definition: bool = False) -> tuple[Place, ...]:
    """The places of all documents where something is used, in their order.

    Parameters:
        workspace: The documents.
        uri: The document of the cursor.
        offset: The cursor.
        with_definition: Whether the places that define it are among them.
    """
    named = names_at(workspace, uri, offset)
    if named is None:
        return ()
    with system.paused():  # it makes the trees of all documents that say the name
        found = occurrences(workspace, named.targets)
    return tuple(Place(each.uri, each.span) for each in found if with_definition or not each.is_definition)

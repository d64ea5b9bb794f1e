"""Where what stands at a cursor is defined."""

from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.links import file_at
from acdl_mkdocs.frontends.editor.occurrences import Occurrence, names_at, occurrences
from acdl_mkdocs.frontends.editor.places import Place
from acdl_mkdocs.frontends.editor.workspace import Workspace


def definition(workspace: Workspace, uri: str, offset: int) -> tuple[Place, ...]:
    """The places where a name is defined, or the beginning of a file that is named; none for anything else.

    Several where a fragment is ambiguous, or where alternatives each define the same `Name`.
    """
    named = names_at(workspace, uri, offset)
    if named is not None and named.definitions:
        return named.definitions
    file = file_at(workspace, uri, offset)
    return (Place(file, Span(0, 0)),) if file else ()


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


def same_name(workspace: Workspace, uri: str, offset: int) -> tuple[Occurrence, ...]:
    """The places in the same document, that of the cursor among them; each says whether it gets a value there."""
    named = names_at(workspace, uri, offset)
    if named is None:
        return ()
    return occurrences(workspace, named.targets, within=(uri,))

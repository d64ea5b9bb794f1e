"""Definitions and references of the name at a cursor."""

from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.links import file_at
from acdl_mkdocs.frontends.editor.occurrences import Occurrence, find_occurrences, names_at
from acdl_mkdocs.frontends.editor.places import Location
from acdl_mkdocs.frontends.editor.workspace import Workspace


def find_definition(workspace: Workspace, uri: str, offset: int) -> tuple[Location, ...]:
    """Return the places where a name is defined, or the beginning of a named file; none for anything else.

    Several where a fragment is ambiguous, or where alternatives each define the same `Name`.
    """
    named = names_at(workspace, uri, offset)
    if named is not None and named.definitions:
        return named.definitions
    file = file_at(workspace, uri, offset)
    return (Location(file, Span(0, 0)),) if file else ()


def find_references(workspace: Workspace, uri: str, offset: int, with_definition: bool = False) -> tuple[Location, ...]:
    """Return the places in all documents where a name is used, in order.

    Parameters:
        workspace: The documents.
        uri: The document of the cursor.
        offset: The cursor.
        with_definition: Whether to include the places that define it.
    """
    named = names_at(workspace, uri, offset)
    if named is None:
        return ()
    with system.pause_collector():  # it parses all documents that contain the name
        occurrences = find_occurrences(workspace, named.targets)
    return tuple(Location(each.uri, each.span) for each in occurrences if with_definition or not each.is_definition)


def same_name(workspace: Workspace, uri: str, offset: int) -> tuple[Occurrence, ...]:
    """Return the uses of a name in the same document, the cursor's included; each shows whether it assigns a value."""
    named = names_at(workspace, uri, offset)
    if named is None:
        return ()
    return find_occurrences(workspace, named.targets, within=(uri,))

"""Where what stands at a cursor is defined."""

from acdl_mkdocs.editor.links import file_at
from acdl_mkdocs.editor.occurrences import names_at
from acdl_mkdocs.editor.places import Place
from acdl_mkdocs.editor.workspace import Workspace
from acdl_mkdocs.foundation.source import Span


def definition(workspace: Workspace, uri: str, offset: int) -> tuple[Place, ...]:
    """The places where a name is defined, or the beginning of a file that is named; none for anything else.

    Several where a fragment is ambiguous, or where alternatives each define the same `Name`.
    """
    named = names_at(workspace, uri, offset)
    if named is not None and named.definitions:
        return named.definitions
    file = file_at(workspace, uri, offset)
    return (Place(file, Span(0, 0)),) if file else ()

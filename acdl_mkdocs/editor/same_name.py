"""The other places of a document where what stands at a cursor stands too, to be made visible."""

from acdl_mkdocs.editor.occurrences import Occurrence, names_at, occurrences
from acdl_mkdocs.editor.workspace import Workspace


def same_name(workspace: Workspace, uri: str, offset: int) -> tuple[Occurrence, ...]:
    """The places in the same document, that of the cursor among them; each says whether it gets a value there."""
    named = names_at(workspace, uri, offset)
    if named is None:
        return ()
    return occurrences(workspace, named.targets, within=(uri,))

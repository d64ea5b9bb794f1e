"""The text that a document is compared with: that of a revision of git, of another document, or one that is given."""

from collections.abc import Mapping

from acdl_mkdocs.compare.revisions import read_revision
from acdl_mkdocs.editor.documents import Document, path_of
from acdl_mkdocs.foundation.errors import RevisionError
from acdl_mkdocs.language_server.session import Session
from acdl_mkdocs.workspace.files import UnreadableFileError, decode, read_text


def old_text(session: Session, document: Document, against: Mapping[str, object]) -> tuple[str, str]:
    """The other text, and what a person calls it.

    Parameters:
        session: The other documents.
        document: What is compared.
        against: `revision`, `uri`, or `text` with `name`.

    Raises:
        RevisionError: It cannot be read; the message says what to do.
    """
    text, revision, uri = against.get("text"), against.get("revision"), against.get("uri")
    if isinstance(text, str):
        return text, str(against.get("name") or "the other text")
    try:
        if isinstance(revision, str) and revision:
            return _of_revision(document, revision)
        if isinstance(uri, str) and uri:
            return _of_document(session, uri)
    except UnreadableFileError as reason:
        raise RevisionError(f"the other text {reason}") from None
    raise RevisionError("nothing to compare with; name a `revision`, a `uri` or a `text`")


def _of_revision(document: Document, revision: str) -> tuple[str, str]:
    if document.path is None:
        raise RevisionError("the document was never saved, so git has no revision of it; save and commit it first")
    data = read_revision(revision, document.path.name, document.path.parent)
    return decode(data), f"{document.path.name} at {revision}"


def _of_document(session: Session, uri: str) -> tuple[str, str]:
    document, path = session.document(uri), path_of(uri)
    if document is not None:
        return document.text, document.path.name if document.path else uri
    if path is None:
        raise RevisionError("there is no such document; open it first")
    return read_text(path), path.name

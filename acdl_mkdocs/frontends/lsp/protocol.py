"""Our plain values converted to those of the language server protocol, with positions as the editor counts them.

Asks nothing and decides nothing: one function for each kind of answer.
"""

from collections.abc import Iterable, Mapping

from lsprotocol import types as lsp

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.editor.documents import path_of
from acdl_mkdocs.frontends.editor.places import Location, TextEdit
from acdl_mkdocs.frontends.editor.positions import Position, Positions
from acdl_mkdocs.frontends.lsp.session import Session
from acdl_mkdocs.workspace.files import read_text

SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}
_UNNECESSARY = ("unused-name", "unused-fragment", "unreachable-case", "text-after-prompt-end")
"""Problems of superfluous text, which editors show faded."""


def to_position(position: Position) -> lsp.Position:
    """Convert a position to the protocol."""
    return lsp.Position(position.line, position.character)


def from_position(position: lsp.Position) -> Position:
    """Convert a position from the protocol."""
    return Position(position.line, position.character)


def to_range(positions: Positions, span: Span) -> lsp.Range:
    """Convert a span of a text whose lines are known."""
    start, end = positions.range_of(span)
    return lsp.Range(to_position(start), to_position(end))


def range_in(session: Session, uri: str, span: Span) -> lsp.Range:
    """Convert a span of a document; its beginning if the document is not known."""
    document = session.find_document(uri)
    return to_range(document.positions_in(session.encoding) if document else Positions("", session.encoding), span)


def to_location(session: Session, location: Location) -> lsp.Location:
    """Convert a location in a document."""
    return lsp.Location(location.uri, range_in(session, location.uri, location.span))


def to_edits(session: Session, edits: Iterable[TextEdit]) -> lsp.WorkspaceEdit:
    """Convert edits of any number of documents; those of open ones are for the version that they were made from."""
    by_uri: dict[str, list[lsp.TextEdit]] = {}
    for edit in edits:
        by_uri.setdefault(edit.uri, []).append(lsp.TextEdit(_range_of(session, edit), edit.text))
    changes: list[lsp.TextDocumentEdit | lsp.CreateFile | lsp.RenameFile | lsp.DeleteFile] = []
    for uri, listed in by_uri.items():
        document = session.find_document(uri)
        version = document.version if document and session.is_open(uri) else None
        changes.append(lsp.TextDocumentEdit(lsp.OptionalVersionedTextDocumentIdentifier(uri, version), [*listed]))
    if session.has_versioned_edits:
        return lsp.WorkspaceEdit(document_changes=changes)
    return lsp.WorkspaceEdit(changes=by_uri)


def _range_of(session: Session, edit: TextEdit) -> lsp.Range:
    """Return the range of an edit, which may be in a state: a file that is not a document."""
    path = path_of(edit.uri)
    if session.find_document(edit.uri) is not None or path is None:
        return range_in(session, edit.uri, edit.span)
    return to_range(Positions(read_text(path), session.encoding), edit.span)


def convert_span(source: Source, span: Span, text: str, positions: Positions) -> lsp.Range:
    """Return a span of a file, or of a text inside one, as a range of the file.

    Parameters:
        source: The text; a fence knows its place in the file.
        span: Of the text.
        text: The file.
        positions: The lines of the file.
    """
    if not source.prefix and source.first_line == 1 and len(source.text) == len(text):
        return to_range(positions, span)

    def offset(at: int) -> int:
        place = source.find_place(at)
        line = positions.line_span(place.line - 1)
        return min(line.start + place.column - 1, line.end)

    return to_range(positions, Span(offset(span.start), offset(span.end)))


def to_diagnostic(
    diagnostic: Diagnostic, lsp_range: lsp.Range, related: Iterable[tuple[lsp.Location, str]], rule_url: str
) -> lsp.Diagnostic:
    """Convert a problem.

    Parameters:
        diagnostic: The problem.
        lsp_range: Its range in the file.
        related: Other places, with the message for each.
        rule_url: Address of the page of a rule, with `{rule}` for its name; empty if there is none.
    """
    lines = [diagnostic.message, diagnostic.label.text, *(f"help: {each}" for each in diagnostic.help)]
    url = rule_url.replace("{rule}", diagnostic.rule)
    return lsp.Diagnostic(
        lsp_range,
        "\n".join(filter(None, lines)),
        severity=SEVERITIES[diagnostic.severity],
        code=diagnostic.rule,
        code_description=lsp.CodeDescription(url) if url else None,
        source="acdl",
        tags=[lsp.DiagnosticTag.Unnecessary] if diagnostic.rule in _UNNECESSARY else None,
        related_information=[lsp.DiagnosticRelatedInformation(where, what) for where, what in related] or None,
        data={"rule": diagnostic.rule, "help": list(diagnostic.help), "isFixable": diagnostic.fix is not None},
    )


SYMBOLS: Mapping[str, lsp.SymbolKind] = {
    "spec": lsp.SymbolKind.Class,
    "fragment": lsp.SymbolKind.Function,
    "role": lsp.SymbolKind.Namespace,
    "block": lsp.SymbolKind.Struct,
    "name": lsp.SymbolKind.Variable,
}

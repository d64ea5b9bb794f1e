"""Requests that change texts: renaming, formatting, fixes. The editor gets edits and applies them itself."""

from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.errors import RenameError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.editor.actions import list_actions
from acdl_mkdocs.frontends.editor.documents import Document
from acdl_mkdocs.frontends.editor.formatting import format_edits
from acdl_mkdocs.frontends.editor.on_type import CHARACTERS, edits_on_type
from acdl_mkdocs.frontends.editor.positions import Positions
from acdl_mkdocs.frontends.editor.rename import rename_at, rename_range
from acdl_mkdocs.frontends.lsp import protocol
from acdl_mkdocs.frontends.lsp.answers_whole import refuse_old, span_of

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.lsp.server import Server

REQUEST_FAILED = -32803
"""The protocol's error code for a request that was understood but cannot be done."""
FIX_ALL = "source.fixAll.acdl"
_KINDS = ("quickfix", "refactor.extract", "refactor.inline", "refactor.rewrite", "source.fixAll", FIX_ALL)


def register_edits(server: "Server") -> None:
    """Register the handlers that answer with edits."""
    server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)(on_prepare_rename)
    server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))(on_rename)
    server.feature(lsp.TEXT_DOCUMENT_FORMATTING)(on_format)
    server.feature(lsp.TEXT_DOCUMENT_RANGE_FORMATTING)(on_format_range)
    typed = lsp.DocumentOnTypeFormattingOptions(CHARACTERS[0], list(CHARACTERS[1:]))
    server.feature(lsp.TEXT_DOCUMENT_ON_TYPE_FORMATTING, typed)(on_type)
    server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=list(_KINDS)))(on_actions)


def refuse_request(message: str, cure: str = "") -> JsonRpcException:
    """Return an error with the reason why something cannot be done."""
    return JsonRpcException(message, code=REQUEST_FAILED, data={"cure": cure} if cure else None)


def _require_document_at(ls: "Server", uri: str, position: lsp.Position) -> tuple[Document, int]:
    document = ls.session.find_document(uri)
    if document is None:
        raise refuse_request("the document is not open")
    return document, document.positions_in(ls.session.encoding).offset_at(position.line, position.character)


async def on_prepare_rename(ls: "Server", params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder | None:
    """Return the name that would be renamed."""
    document, offset = _require_document_at(ls, params.text_document.uri, params.position)
    before = ls.session.workspace
    try:
        span = await ls.aside.run_query(lambda workspace: rename_range(workspace, document.uri, offset))
    except RenameError as reason:
        raise refuse_request(str(reason)) from None
    refuse_old(ls, before, [document.uri])
    if span is None:
        return None
    lsp_range = protocol.range_in(ls.session, document.uri, span)
    return lsp.PrepareRenamePlaceholder(lsp_range, document.text[span.start : span.end])


async def on_rename(ls: "Server", params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    """Return the edits that rename a name in all documents."""
    document, offset = _require_document_at(ls, params.text_document.uri, params.position)
    before = ls.session.workspace
    try:
        edits = await ls.aside.run_query(lambda workspace: rename_at(workspace, document.uri, offset, params.new_name))
    except RenameError as reason:
        raise refuse_request(str(reason)) from None
    refuse_old(ls, before, before.documents)
    return protocol.to_edits(ls.session, edits)


def on_format(ls: "Server", params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
    """Return the edits that format a document."""
    return _format_range(ls, params.text_document.uri, None)


def on_format_range(ls: "Server", params: lsp.DocumentRangeFormattingParams) -> list[lsp.TextEdit]:
    """Return the edits that format a part of a document."""
    return _format_range(ls, params.text_document.uri, params.range)


def on_type(ls: "Server", params: lsp.DocumentOnTypeFormattingParams) -> list[lsp.TextEdit]:
    """Return the edits of the indentation of the typed line, for editors that ask."""
    document = ls.session.find_document(params.text_document.uri)
    if document is None:
        return []
    positions = document.positions_in(ls.session.encoding)
    offset = positions.offset_at(params.position.line, params.position.character)
    edits = edits_on_type(ls.session.workspace, document.uri, offset, params.ch)
    return [lsp.TextEdit(protocol.to_range(positions, each.span), each.text) for each in edits]


def _format_range(ls: "Server", uri: str, part: lsp.Range | None) -> list[lsp.TextEdit]:
    document = ls.session.find_document(uri)
    if document is None:
        return []
    positions = document.positions_in(ls.session.encoding)
    edits = format_edits(ls.session.workspace, document.uri, span_of(positions, part) if part else None)
    return [lsp.TextEdit(protocol.to_range(positions, each.span), each.text) for each in edits]


def on_actions(ls: "Server", params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    """Return the fixes of problems in a part of a document, and the other actions for the selection."""
    document = ls.session.find_document(params.text_document.uri)
    if document is None:
        return []
    positions = document.positions_in(ls.session.encoding)
    wanted = [str(getattr(each, "value", each)) for each in params.context.only or ()]
    actions = []
    for each in list_actions(ls.session.workspace, document.uri, span_of(positions, params.range)):
        kind = FIX_ALL if each.kind == "source.fixAll" else each.kind
        if wanted and not any(kind == only or kind.startswith(f"{only}.") for only in wanted):
            continue
        solved = [
            diagnostic
            for diagnostic in params.context.diagnostics
            if each.diagnostic
            and diagnostic.code == each.diagnostic.rule
            and diagnostic.range == protocol.to_range(positions, each.diagnostic.label.span)
        ]
        actions.append(
            lsp.CodeAction(
                each.title,
                kind=kind,
                diagnostics=solved or None,
                is_preferred=each.is_preferred or None,
                edit=protocol.to_edits(ls.session, each.edits),
            )
        )
    return [*actions, *_other_fixes(ls, document, params, actions, wanted)]


def _other_fixes(
    ls: "Server",
    document: Document,
    params: lsp.CodeActionParams,
    actions: list[lsp.CodeAction],
    wanted: list[str],
) -> list[lsp.CodeAction]:
    """Return fixes of problems of the document that are only found by checking other files too."""
    if wanted and "quickfix" not in wanted:
        return []
    positions = document.positions_in(ls.session.encoding)
    titles = {each.title for each in actions}
    answers = []
    for diagnostic, source in ls.published.findings_of(document.uri):
        lsp_range = protocol.convert_span(source, diagnostic.label.span, document.text, positions)
        if diagnostic.fix is None or diagnostic.fix.title in titles or not _is_touching(lsp_range, params.range):
            continue
        edits = _fix_edits(diagnostic, source, document, positions)
        change = lsp.WorkspaceEdit(changes={document.uri: edits})
        answers.append(lsp.CodeAction(diagnostic.fix.title, kind=lsp.CodeActionKind.QuickFix, edit=change))
    return answers


def _fix_edits(diagnostic: Diagnostic, source: Source, document: Document, positions: Positions) -> list[lsp.TextEdit]:
    edits = diagnostic.fix.edits if diagnostic.fix else ()
    return [
        lsp.TextEdit(protocol.convert_span(source, each.span, document.text, positions), source.in_host(each.text))
        for each in edits
    ]


def _is_touching(one: lsp.Range, other: lsp.Range) -> bool:
    def key(position: lsp.Position) -> tuple[int, int]:
        return position.line, position.character

    return key(one.start) <= key(other.end) and key(other.start) <= key(one.end)

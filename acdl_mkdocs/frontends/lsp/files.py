"""Notifications of texts, files, folders and settings, and requests for diagnostics."""

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from acdl_mkdocs.frontends.editor.documents import path_of
from acdl_mkdocs.frontends.lsp.protocol import from_position
from acdl_mkdocs.frontends.lsp.session import TextChange

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.lsp.server import Server


def register_files(server: "Server") -> None:
    """Register the handlers for texts, files, folders and settings, and for diagnostics."""
    pull = lsp.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=True, identifier="acdl")
    for name, handler in (
        (lsp.INITIALIZE, handle_initialize),
        (lsp.INITIALIZED, handle_initialized),
        (lsp.SHUTDOWN, handle_shutdown),
        (lsp.TEXT_DOCUMENT_DID_OPEN, did_open),
        (lsp.TEXT_DOCUMENT_DID_CHANGE, did_change),
        (lsp.TEXT_DOCUMENT_DID_CLOSE, did_close),
        (lsp.TEXT_DOCUMENT_DID_SAVE, did_save),
        (lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, did_change_files),
        (lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, did_change_folders),
        (lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, did_change_settings),
        (lsp.WORKSPACE_DIAGNOSTIC, workspace_diagnostics),
    ):
        server.feature(name)(handler)
    server.feature(lsp.TEXT_DOCUMENT_DIAGNOSTIC, pull)(handle_diagnostics)


def handle_initialize(ls: "Server", params: lsp.InitializeParams) -> None:
    """Read what the editor can do."""
    ls.begin_session(params)


def handle_initialized(ls: "Server", params: lsp.InitializedParams) -> None:
    """Start to look at the workspace."""
    del params
    ls.start_checks()


def handle_shutdown(ls: "Server", params: object) -> None:
    """Stop working."""
    del params
    ls.checks.stop_checks()
    ls.aside.stop_queries()


def did_open(ls: "Server", params: lsp.DidOpenTextDocumentParams) -> None:
    """Take a text and check it."""
    document = params.text_document
    before = ls.session.path_of(document.uri)
    former_uri = ls.session.uri_of(before) if before else document.uri
    if ls.session.open_document(document.uri, document.text, document.language_id, document.version):
        path = ls.session.path_of(document.uri)
        if path and former_uri != document.uri:
            ls.published.move_file(path, former_uri)
        ls.find_states()
        ls.checks.check_edited(document.uri)


def did_change(ls: "Server", params: lsp.DidChangeTextDocumentParams) -> None:
    """Apply edits and check the new text."""
    changes = []
    for each in params.content_changes:
        if isinstance(each, lsp.TextDocumentContentChangePartial):
            changes.append(TextChange(each.text, from_position(each.range.start), from_position(each.range.end)))
        else:
            changes.append(TextChange(each.text))
    if ls.session.change_document(params.text_document.uri, changes, params.text_document.version):
        ls.checks.check_edited(params.text_document.uri)


def did_close(ls: "Server", params: lsp.DidCloseTextDocumentParams) -> None:
    """Close a text; the file on the disk counts again."""
    uri = params.text_document.uri
    path = ls.session.close_document(uri)
    ls.tokens.pop(uri, None)
    if path is None:
        return
    if ls.session.text_of(path) is None:
        ls.published.forget_files({path})
    ls.published.move_file(path, uri)
    ls.checks.check_all_later()


def did_save(ls: "Server", params: lsp.DidSaveTextDocumentParams) -> None:
    """Read a file that was written, in case the editor does not watch files."""
    path = path_of(params.text_document.uri)
    if path:
        ls.reread_files([path.absolute()])


def did_change_files(ls: "Server", params: lsp.DidChangeWatchedFilesParams) -> None:
    """Read files again that were added, removed or changed."""
    paths = [path.absolute() for each in params.changes if (path := path_of(each.uri))]
    if paths:
        ls.reread_files(paths)


def did_change_folders(ls: "Server", params: lsp.DidChangeWorkspaceFoldersParams) -> None:
    """Update the workspace to the new folders."""
    removed = {path_of(each.uri) for each in params.event.removed}
    added = [path for each in params.event.added if (path := path_of(each.uri))]
    ls.take_folders([*(each for each in ls.session.folders if each not in removed), *added])
    ls.search_folders()


def did_change_settings(ls: "Server", params: lsp.DidChangeConfigurationParams) -> None:
    """Apply settings: those in the notification, or else those that the editor returns on request."""
    if params.settings:
        ls.apply_settings(params.settings)
        ls.apply_changed_settings()
    else:
        ls.ask_settings(ls.apply_changed_settings)


async def handle_diagnostics(ls: "Server", params: lsp.DocumentDiagnosticParams) -> lsp.DocumentDiagnosticReport:
    """Return the problems of a document as it is now."""
    uri = params.text_document.uri
    if ls.session.is_open(uri):
        await ls.checks.check_document(uri)
    result_id = ls.published.result_id(uri)
    if params.previous_result_id == result_id:
        return lsp.RelatedUnchangedDocumentDiagnosticReport(result_id)
    return lsp.RelatedFullDocumentDiagnosticReport(ls.published.list_diagnostics(uri), result_id=result_id)


def workspace_diagnostics(ls: "Server", params: lsp.WorkspaceDiagnosticParams) -> lsp.WorkspaceDiagnosticReport:
    """Return the problems of all files as last found."""
    before = {each.uri: each.value for each in params.previous_result_ids}
    items: list[lsp.WorkspaceFullDocumentDiagnosticReport | lsp.WorkspaceUnchangedDocumentDiagnosticReport] = []
    for uri in dict.fromkeys((*ls.published.uris, *before)):
        document = ls.session.find_document(uri)
        version = document.version if document and ls.session.is_open(uri) else None
        result_id = ls.published.result_id(uri)
        if before.get(uri) == result_id:
            items.append(lsp.WorkspaceUnchangedDocumentDiagnosticReport(uri, result_id, version=version))
        else:
            diagnostics = ls.published.list_diagnostics(uri)
            items.append(
                lsp.WorkspaceFullDocumentDiagnosticReport(uri, diagnostics, version=version, result_id=result_id)
            )
    return lsp.WorkspaceDiagnosticReport(items)

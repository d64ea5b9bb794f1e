"""The server of one editor: its texts, its settings, and the findings in its folders."""

import logging
import os
from collections.abc import Callable
from pathlib import Path

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer

from acdl_mkdocs import __version__
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.editor.documents import SUFFIXES, path_of
from acdl_mkdocs.frontends.lsp.background_queries import BackgroundQueries
from acdl_mkdocs.frontends.lsp.beside import states_for
from acdl_mkdocs.frontends.lsp.checks import WorkspaceChecker
from acdl_mkdocs.frontends.lsp.json_rpc import JsonRpcConnection, build_converter
from acdl_mkdocs.frontends.lsp.message_queue import MessageQueue
from acdl_mkdocs.frontends.lsp.progress import ProgressReporter
from acdl_mkdocs.frontends.lsp.publishing import Findings, FoundFiles, PublishedProblems
from acdl_mkdocs.frontends.lsp.session import Session, read_settings


def is_refusal(reason: BaseException | None) -> bool:
    """Return whether an error is a regular refusal of a request, and not a fault."""
    return isinstance(reason, JsonRpcException) and reason.code != JsonRpcInternalError.CODE


_LOG = logging.getLogger(__name__)


class Server(LanguageServer):
    """The server of one editor."""

    protocol: JsonRpcConnection

    def __init__(self) -> None:
        """Start to wait for the editor."""
        super().__init__("acdl", __version__, protocol_cls=JsonRpcConnection, converter_factory=build_converter)
        self.turns = MessageQueue(self.protocol)
        self.session = Session()
        self.published = PublishedProblems(self.session, self._publish_diagnostics)
        self.checks = WorkspaceChecker(self.session, self._take_findings, self._finish_search)
        self.aside = BackgroundQueries(self.session)
        self.looking = ProgressReporter(self)
        self.tokens: dict[str, tuple[str, list[int]]] = {}
        """The last tokens sent for each document, with the id of that answer."""
        self.has_snippets = self.has_commands = False
        self._shown_messages: set[str] = set()
        self._told_files: set[Path] = set()

    # ------------------------------------------------------------------------------------------------------- lifecycle

    def begin_session(self, params: lsp.InitializeParams) -> None:
        """Read what the editor can do and where its folders are."""
        encoding = self.protocol.position_encoding(params.capabilities)
        workspace = params.capabilities.workspace
        edits = workspace.workspace_edit if workspace else None
        self.session.encoding = encoding
        self.session.has_versioned_edits = bool(edits and edits.document_changes)
        document = params.capabilities.text_document
        item = document.completion.completion_item if document and document.completion else None
        self.has_snippets = bool(item and item.snippet_support)
        options = params.initialization_options if isinstance(params.initialization_options, dict) else {}
        self.has_commands = options.get("commands") is True
        self.apply_settings(options.get("settings"))
        root = params.root_uri or (Path(params.root_path).absolute().as_uri() if params.root_path else None)
        uris = [each.uri for each in params.workspace_folders or ()] or ([root] if root else [])
        self.take_folders([path for each in uris if (path := path_of(each))])

    def take_folders(self, folders: list[Path]) -> None:
        """Set the folders of the workspace; file names in messages are relative to the first."""
        self.session.folders = tuple(dict.fromkeys(each.absolute() for each in folders))
        if self.session.folders and self.session.folders[0].is_dir():
            os.chdir(self.session.folders[0])

    def start_checks(self) -> None:
        """Search the folders, and ask to be notified of changes in them."""
        capabilities = self.client_capabilities.workspace
        watched = capabilities.did_change_watched_files if capabilities else None
        registrations = []
        if watched and watched.dynamic_registration:
            patterns = (
                f"**/*.{{{','.join(each[1:] for each in SUFFIXES)}}}",
                "**/{acdl,pyproject}.toml",
                "**/*.{yaml,yml,json,jsonl}",
            )
            options = lsp.DidChangeWatchedFilesRegistrationOptions([lsp.FileSystemWatcher(each) for each in patterns])
            registrations.append(lsp.Registration("acdl-files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
        changed = capabilities.did_change_configuration if capabilities else None
        if changed and changed.dynamic_registration:
            section = lsp.DidChangeConfigurationRegistrationOptions(section="acdl")
            registrations.append(lsp.Registration("acdl-settings", lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, section))
        if registrations:
            self.client_register_capability(lsp.RegistrationParams(registrations))
        self.ask_settings(self.search_folders)

    def ask_settings(self, then: Callable[[], None]) -> None:
        """Ask the editor for its settings if it has any, then continue."""
        capabilities = self.client_capabilities.workspace
        if not (capabilities and capabilities.configuration):
            then()
            return

        def take(values: object) -> None:
            self.apply_settings(values[0] if isinstance(values, (list, tuple)) and values else None)
            then()

        item = lsp.ConfigurationItem(section="acdl")
        self.workspace_configuration(lsp.ConfigurationParams([item]), callback=take)

    def apply_settings(self, value: object) -> None:
        """Apply settings, and report their problems."""
        settings, problems = read_settings(value)
        self.session.take_settings(settings)
        for problem in problems:
            self.show_message_once(problem, lsp.MessageType.Warning)

    # -------------------------------------------------------------------------------------------------------- findings

    def search_folders(self) -> None:
        """Find the files of the folders and check them."""
        self.looking.begin_progress()
        self.checks.search_folders(self._take_files)

    def _take_files(self, files: FoundFiles) -> None:
        self.session.take_files(files.texts, files.configs)
        self.find_states()
        self.turns.handle_postponed()
        if files.is_cut:
            limit = self.session.settings.max_files
            self.show_message_once(
                f"the workspace has more than {limit} files of specs and pages; the others are not looked at until"
                " they are opened: open a smaller folder, or set `acdl.maxFiles`",
                lsp.MessageType.Warning,
            )
        self.published.forget_files(self.published.reported_paths - files.texts.keys() - set(self.session.open_texts()))

    def find_states(self) -> None:
        """Find the sample states of open documents."""
        states_by_uri: dict[str, Source] = {}
        for uri in self.session.open_uris:
            document = self.session.find_document(uri)
            states = states_for(document.path, document.text) if document and document.path else {}
            states_by_uri |= {f"{uri}#{spec}" if spec else uri: state for spec, state in states.items()}
        self.session.take_states(states_by_uri)

    def apply_changed_settings(self) -> None:
        """Show, check and search according to the changed settings."""
        self.published.publish_again()
        self._refresh_diagnostics()
        self.search_folders()

    def reread_files(self, paths: list[Path]) -> None:
        """Read files again that changed on the disk."""
        self.checks.reread_files(paths, self.search_folders, self._take_reread_files)

    def _take_reread_files(self, files: FoundFiles) -> None:
        self._take_files(files)
        self.checks.check_all_later()

    def _take_findings(self, path: Path, findings: Findings, version: int | None) -> None:
        self.looking.report_step(len(self.session.workspace.documents))
        if self.published.update_findings(path, findings, version):
            self._refresh_diagnostics()

    def _finish_search(self) -> None:
        self.looking.end_progress()
        self.aside.read_ahead()
        for problem in self.checks.list_problems():
            self.show_message_once(problem, lsp.MessageType.Warning)
        self.protocol.notify("acdl/checked", {})

    def _publish_diagnostics(self, uri: str, version: int | None, diagnostics: list[lsp.Diagnostic]) -> None:
        if not self.is_pulled:
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, diagnostics, version))
        if self.session.is_open(uri):
            self.protocol.notify("acdl/changed", {"uri": uri, "version": version})

    @property
    def is_pulled(self) -> bool:
        """Whether the editor pulls diagnostics, so that none are pushed."""
        document = self.client_capabilities.text_document
        return bool(document and document.diagnostic)

    def _refresh_diagnostics(self) -> None:
        """Ask an editor that pulls diagnostics to ask again."""
        workspace = self.client_capabilities.workspace
        if self.is_pulled and workspace and workspace.diagnostics and workspace.diagnostics.refresh_support:
            self.workspace_diagnostic_refresh(None)

    def show_message_once(self, message: str, kind: lsp.MessageType) -> None:
        """Show a message to the person at the editor, once."""
        if message not in self._shown_messages:
            self._shown_messages.add(message)
            self.window_show_message(lsp.ShowMessageParams(kind, f"acdl: {message}"))

    def report_server_error(self, error: Exception, source: object) -> None:
        """Log a fault; a pending answer is an error already."""
        if not is_refusal(error):
            _LOG.error("%s: %s", getattr(source, "__name__", source), error)

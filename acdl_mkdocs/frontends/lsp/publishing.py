"""Findings in files as the diagnostics that an editor shows: pushed when they change, or returned on request.

A file may have problems that are found in another: those of a spec that a page shows, or of its state.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import field
from hashlib import blake2b
from pathlib import Path

from lsprotocol import types as lsp

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.editor.positions import Positions
from acdl_mkdocs.frontends.lsp.protocol import convert_span, to_diagnostic
from acdl_mkdocs.frontends.lsp.session import Session

Findings = tuple[tuple[Diagnostic, Source], ...]
"""Diagnostics, each with the text of its spans."""


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files of all folders."""

    texts: Mapping[Path, str] = field(default_factory=dict)
    """The texts of the readable files, as on the disk."""
    configs: Mapping[Path, Config] = field(default_factory=dict)
    """The settings for reading and checking texts, by folder, where a project has them."""
    problems: tuple[str, ...] = ()
    """Sentences about files that are left out."""
    is_cut: bool = False
    """Whether there are more files than wanted."""


Publish = Callable[[str, int | None, list[lsp.Diagnostic]], None]


class PublishedProblems:
    """The problems of all files, as last sent to the editor."""

    def __init__(self, session: Session, publish: Publish) -> None:
        """Begin without problems.

        Parameters:
            session: The texts, for positions.
            publish: Sends the editor all problems of a file.
        """
        self._session, self._publish = session, publish
        self._problems: dict[Path, dict[Path, list[tuple[Diagnostic, Source]]]] = {}
        """By the file that was checked, then by the file that has the problem."""
        self._owners: dict[Path, dict[Path, None]] = {}
        """The files that were checked, by the file that has a problem."""
        self._published: dict[str, list[lsp.Diagnostic]] = {}

    def update_findings(self, path: Path, findings: Findings, version: int | None) -> bool:
        """Replace the findings of a file, and send them to the editor; return True if those in other files changed.

        Parameters:
            path: The file.
            findings: All findings.
            version: Version of the open text that was checked; if it was edited since, the findings are outdated.
        """
        uri = self._session.uri_of(path)
        document = self._session.find_document(uri)
        if document and self._session.is_open(uri) and document.version != version:
            return False
        before = self._problems.get(path, {})
        by_file: dict[Path, list[tuple[Diagnostic, Source]]] = {}
        for diagnostic, source in findings:
            by_file.setdefault(Path(os.path.abspath(source.name)), []).append((diagnostic, source))
        unsaved = by_file.pop(Path(os.path.abspath("<stdin>")), None)
        if unsaved:
            by_file.setdefault(path, []).extend(unsaved)
        self._problems[path] = by_file
        for file in before.keys() - by_file.keys():
            self._owners.get(file, {}).pop(path, None)
        for file in by_file:
            self._owners.setdefault(file, {})[path] = None
        changed = [self.publish_file(file) for file in dict.fromkeys([path, *before, *by_file])]
        return any(changed[1:])

    def forget_files(self, paths: set[Path]) -> None:
        """Drop the findings of files that are not checked any more."""
        for path in paths & self._problems.keys():
            for file in self._problems.pop(path):
                self._owners.get(file, {}).pop(path, None)
                self.publish_file(file)

    @property
    def reported_paths(self) -> set[Path]:
        """The files with reported findings."""
        return set(self._problems)

    @property
    def uris(self) -> tuple[str, ...]:
        """The URIs of files that have problems, or had any."""
        return tuple(self._published)

    def publish_file(self, path: Path) -> bool:
        """Send the editor the problems of a file; return True if they changed."""
        uri = self._session.uri_of(path)
        diagnostics = self.list_diagnostics(uri)
        if self._published.get(uri, []) == diagnostics:
            return False
        self._published[uri] = diagnostics
        document = self._session.find_document(uri)
        self._publish(uri, document.version if document and self._session.is_open(uri) else None, diagnostics)
        return True

    def publish_again(self) -> None:
        """Send all problems again, after a change of the settings that affect them."""
        for path in [*self._owners]:
            self.publish_file(path)

    def move_file(self, path: Path, uri: str) -> None:
        """Withdraw the problems that the editor knows by the old name of a file, and send them by its new one."""
        if self._published.pop(uri, None):
            self._publish(uri, None, [])
        self.publish_file(path)

    def findings_of(self, uri: str) -> list[tuple[Diagnostic, Source]]:
        """Return the problems of a file, wherever they were found."""
        path = self._session.path_of(uri)
        owners = self._owners.get(path, {}) if path else {}
        return [each for owner in owners for each in self._problems[owner][path]] if path else []

    def list_diagnostics(self, uri: str) -> list[lsp.Diagnostic]:
        """Return the problems in the protocol's types; nothing if diagnostics are off."""
        wanted = self._session.settings.diagnostics
        if wanted == "off" or (wanted == "open" and not self._session.is_open(uri)):
            return []
        findings = self.findings_of(uri)
        if not findings:
            return []
        path = self._session.path_of(uri)
        text = self._session.text_of(path) if path else None
        text = findings[0][1].text if text is None else text
        positions = Positions(text, self._session.encoding)
        uri = self._session.uri_of(path) if path else uri
        return [self._convert_diagnostic(each, source, uri, text, positions) for each, source in findings]

    def _convert_diagnostic(
        self, diagnostic: Diagnostic, source: Source, uri: str, text: str, positions: Positions
    ) -> lsp.Diagnostic:
        related = [
            (lsp.Location(uri, convert_span(source, label.span, text, positions)), label.text)
            for label in diagnostic.related
        ]
        lsp_range = convert_span(source, diagnostic.label.span, text, positions)
        return to_diagnostic(diagnostic, lsp_range, related, self._session.settings.rule_url)

    def result_id(self, uri: str) -> str:
        """Return an id that stays equal as long as the problems of a file are the same."""
        return blake2b(repr(self.list_diagnostics(uri)).encode("utf-8", "replace"), digest_size=12).hexdigest()

"""The verdicts of recorded runs on the specs of a site that have pages: for pages, files and `specs.json`."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.docs.blocks.run_findings import findings_of
from acdl_mkdocs.frontends.docs.blocks.run_marks import RunFindings
from acdl_mkdocs.frontends.docs.pages.addresses import file_name
from acdl_mkdocs.frontends.docs.pages.downloads import Download, folder_of
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import BlockText, figure_name
from acdl_mkdocs.workspace.recorded_runs import read_runs_text

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.docs.pages.library import SiteLibrary
    from acdl_mkdocs.language.names.resolve import Resolved
    from acdl_mkdocs.workspace.catalog import Levels

BADGE_LABEL = "what recorded runs say, for services that draw badges"


class CheckedSpecs:
    """The findings of each spec, computed when needed. Lives as long as a build."""

    def __init__(self, library: "SiteLibrary", folder: Path | None) -> None:
        """Begin without findings.

        Parameters:
            library: The texts of the site.
            folder: The folder that keeps blocks between builds; `None` keeps nothing.
        """
        self._library = library
        self._folder = folder
        self._findings: dict[tuple[str, str], RunFindings] = {}

    def findings_of(self, entry: SpecEntry) -> RunFindings:
        """Return the verdict of recorded runs on a spec; empty without runs."""
        key = (entry.file, entry.spec.name)
        if entry.runs and entry.has_page and key not in self._findings:
            self._findings[key] = self._find_findings(entry)
        return self._findings.get(key, RunFindings())

    def list_badges(self, entry: SpecEntry) -> tuple[Download, ...]:
        """Return the badge of a spec as a file of the site."""
        found = self.findings_of(entry)
        if not found.badge:
            return ()
        name = file_name(figure_name(BlockOptions(spec=entry.spec.name), ""))
        content = found.badge.encode()
        return (Download(f"{folder_of(entry.address)}{name}.badge.json", BADGE_LABEL, len(content), None, content),)

    def _find_findings(self, entry: SpecEntry) -> RunFindings:
        library = self._library
        text = library.file_text(entry.file)
        if text is None:
            return RunFindings()
        value = " ".join(entry.runs)
        runs, _ = read_runs_text(value, Source(value, entry.file), Span(0, len(value)), library.root)
        options = replace(library.settings.defaults, spec=entry.spec.name)
        text = replace(text, options=options, runs=runs)
        others = library.catalog.find_sources(text)
        config = Config(levels=dict(library.settings.rules), is_site_known=not library.catalog.has_unread)
        return findings_of(text, others, config, lambda: self._understand_text(text, others), self._folder)

    def _understand_text(self, text: BlockText, others: "Levels") -> "Resolved":
        from acdl_mkdocs.language.analyse import parse_and_resolve

        return parse_and_resolve(text.source, self._library.catalog.build_library(others)).resolved

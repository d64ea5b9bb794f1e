"""The texts of the page as documents of an editor: each read once for any number of requests."""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from pathlib import PurePosixPath

from acdl_mkdocs.app.understood import ResolvedText
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.editor.documents import Document, Piece
from acdl_mkdocs.frontends.editor.places import TextEdit
from acdl_mkdocs.frontends.editor.positions import Positions
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.frontends.playground.on_page import on_page
from acdl_mkdocs.frontends.playground.params import Data, Params
from acdl_mkdocs.language.analyse import Analysis
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax import fixed_wording  # noqa: F401  # for `PlaygroundText`
from acdl_mkdocs.language.syntax.pragmas import used_files

# Modules that explain mistakes are imported above, so that they are in the memory snapshot for later visits.
URI = "playground:text"
"""The URI of the text's document; its files have others."""
STATE = "state.yaml"
"""The name of its state in messages."""
_NAME = "playground.acdl"
_REMEMBERED = 4
"""Number of cached texts: that of the editor, that before it, and both sides of a difference."""
_RANGES: tuple[RangeMode, ...] = ("half-open", "inclusive")
_SEVERITIES = {"error": "error", "warning": "warning", "note": "info"}
_NUMBER = re.compile(r"(?<!\d)\d+-")
"""A number before the names of files where several of a site have the same name."""


@dataclass(frozen=True)
class PlaygroundText:
    """A text with everything known of it."""

    text: str
    files: tuple[tuple[str, str], ...] = ()
    """Names and texts of files whose fragments it may use."""
    range: RangeMode = "half-open"

    @property
    def config(self) -> Config:
        """The settings: as in a fence, a few messages are enough."""
        return Config(range=self.range, snippet=True)

    @cached_property
    def workspace(self) -> Workspace:
        """The workspace of the text and its files."""
        documents = {URI: Document(URI, self.text, "acdl", display_name=_NAME)}
        for number, (name, words) in enumerate(self.files):
            uri = f"playground:files/{number:04}"
            documents[uri] = Document(uri, words, "acdl", display_name=name)
        return Workspace(documents, self.config)

    def with_state(self, state: str) -> Workspace:
        """Return the text with its sample state, if there is one."""
        return self.workspace.with_settings(states={URI: Source(state, STATE)}) if state.strip() else self.workspace

    @property
    def piece(self) -> Piece:
        """The text as a piece of the workspace."""
        return self.workspace.pieces_of(URI)[0]

    @property
    def source(self) -> Source:
        """The text for the pipeline."""
        return self.piece.source

    @cached_property
    def analysis(self) -> Analysis:
        """The tree, names and problems."""
        return self.workspace.check_piece(self.piece)

    @cached_property
    def resolved(self) -> Resolved:
        """The tree and names for drawing and evaluation: with the fragments that those of files use."""
        return self.workspace.resolve_for_figure(self.piece) if self.files else self.analysis.resolved

    @cached_property
    def understood(self) -> ResolvedText:
        """The text for `app`."""
        diagnostics = (*self.resolved.parsed.diagnostics, *self._missing_files())
        return ResolvedText(
            self.resolved, self.config, tuple((each, self.source) for each in diagnostics), self.diagnostics
        )

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The problems of the text, in its order."""
        problems = (*self.analysis.diagnostics, *self._missing_files())
        return tuple(sorted(problems, key=lambda each: (each.label.span.start, each.rule)))

    def _missing_files(self) -> Iterator[Diagnostic]:
        """Yield problems of named files that the page does not have, unless no fragment is missing."""
        if not self.resolved.unknown_fragments:
            return
        names = {PurePosixPath(name).name for name, _ in self.files}
        names |= {_NUMBER.sub("", name, count=1) for name in names}
        for name, span in used_files(self.source.text):
            if PurePosixPath(name).name not in names:
                label = Label(span, "a text of this page cannot read files")
                cures = (
                    "open that file too, or drop it on this page",
                    "write the fragments that it has into this text",
                )
                yield error("missing-src", f"the file `{name}` is not here", label, help=cures)

    @cached_property
    def positions(self) -> Positions:
        """The positions of the text as the page counts them."""
        return Positions(self.text)

    def span_data_of(self, span: Span) -> Data:
        """Return a span as the page counts."""
        return span_data(span, self.positions)

    def own_edits(self, edits: Iterable[TextEdit]) -> list[Data]:
        """Return the edits of the text, without those of its files."""
        return [{**self.span_data_of(each.span), "text": each.text} for each in edits if each.uri == URI]


@lru_cache(_REMEMBERED)
def _build_text(text: str, files: tuple[tuple[str, str], ...], mode: RangeMode) -> PlaygroundText:
    return PlaygroundText(text, files, mode)


def text_of(params: Params, name: str = "text") -> PlaygroundText:
    """Return the text of a request.

    Raises:
        SettingsError: There is none.
    """
    return _build_text(params.text_of(name), params.texts_of("files"), read_range(params))


def read_range(params: Params) -> RangeMode:
    """Return how ranges are read where a text does not say it.

    Raises:
        SettingsError: There is no such way.
    """
    return params.params_in("settings").choice_of("range", _RANGES, "half-open")


def span_data(span: Span, positions: Positions) -> Data:
    """Return a span as the page counts."""
    return {"from": positions.units_before(span.start), "to": positions.units_before(span.end)}


def problem_data(
    diagnostic: Diagnostic, positions: Positions, rule_url: str = "", actions: Iterable[Data] = ()
) -> Data:
    """Return a problem in the page's form.

    Parameters:
        diagnostic: The problem.
        places: The positions of its text.
        rule_url: Address of the page of a rule, with `{rule}` for its name.
        actions: Actions that fix it.
    """
    return {
        **span_data(diagnostic.label.span, positions),
        "severity": _SEVERITIES[diagnostic.severity],
        "name": diagnostic.rule,
        "message": on_page(diagnostic.message),
        "label": diagnostic.label.text,
        "help": list(filter(None, map(on_page, diagnostic.help))),
        "related": [{**span_data(each.span, positions), "message": each.text} for each in diagnostic.related],
        "actions": list(actions),
        "url": rule_url.replace("{rule}", diagnostic.rule),
    }

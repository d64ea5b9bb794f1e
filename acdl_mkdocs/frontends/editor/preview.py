"""The specs of a document as they look in a page: figures, messages with its state, changes from another text.

Returns HTML with classes only, safe for any text, in which `data-acdl="12-40"` is the part of the document that
an element shows. Reads no file.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from acdl_mkdocs.compare.choose_specs import diff_specs
from acdl_mkdocs.compare.formats.figure import draw_unified
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.compare.formats.text import write as write_comparison
from acdl_mkdocs.drawing.figure.boxes import is_understood
from acdl_mkdocs.drawing.figure.describe import View, describe
from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.evaluation.state.read import StateFile
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.docs.blocks.diff_html import DiffParts, difference_element
from acdl_mkdocs.frontends.docs.blocks.diff_options import DiffOptions
from acdl_mkdocs.frontends.docs.blocks.diff_sides import DiffSide
from acdl_mkdocs.frontends.docs.blocks.element import DrawnText, ProblemPanel, figure_element
from acdl_mkdocs.frontends.editor.documents import Document, Piece
from acdl_mkdocs.frontends.editor.sampled import points_of, state_of
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.syntax.nodes import Fragment, Prompt
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.workspace.examine import Examined, source_of
from acdl_mkdocs.workspace.options import BlockOptions, read_block_header
from acdl_mkdocs.workspace.parts import add_anchors
from acdl_mkdocs.workspace.read_block import BlockText, Finding, figure_name
from acdl_mkdocs.workspace.state_text import StateText

_SPAN_ATTRIBUTE = re.compile(r'( data-acdl(?:-rounds|-unreached|-ended|-spec|-via)?=")([\d\s:-]+)"')
_SPAN = re.compile(r"(?<!\d)(\d+)-(\d+)")


@dataclass(frozen=True, slots=True)
class PreviewSpec:
    """A definition that can be previewed alone."""

    name: str
    kind: str
    """`prompt` or `fragment`."""
    span: Span
    """In code points of the document."""


@dataclass(frozen=True)
class Preview:
    """The preview of a document."""

    title: str
    html: str
    """Figures one after another; with `against`, the changes."""
    specs: tuple[PreviewSpec, ...]
    points: tuple[str, ...]
    """The points in time that the state has."""
    has_state: bool
    is_equal: bool | None
    """Whether the messages are surely equal to those of the other text; `None` without another text."""

    @cached_property
    def parts(self) -> tuple[Span, ...]:
        """Every part of the document that `data-acdl` of the HTML names, once, in order."""
        found = {
            (int(one), int(other))
            for _, words in _SPAN_ATTRIBUTE.findall(self.html)
            for one, other in _SPAN.findall(words)
        }
        return tuple(Span(*each) for each in sorted(found))


def preview_document(
    workspace: Workspace,
    uri: str,
    *,
    spec: str = "",
    state: StateFile | None = None,
    at: str = "",
    against: str | None = None,
    against_name: str = "",
) -> Preview:
    """Render a document; a text with errors yields a panel that lists them, and what can be drawn.

    Parameters:
        workspace: The documents.
        uri: Of the document.
        spec: Only the definition of that name; by default, or if there is none, all.
        state: A sample state; by default that of the document, if it has one.
        at: The points in time to show; by default those that the state names, else all.
        against: Another text, to show the changes from it.
        against_name: The display name of that text.
    """
    document = workspace.documents[uri]
    pieces = tuple(each for each in document.pieces if spec in each.definitions)[:1]
    if not pieces:  # the one that was chosen is being renamed
        spec, pieces = "", document.pieces
    state = state or state_of(workspace, uri, spec)
    state_values = state.state if state is not None else None
    is_equal: bool | None = None
    if against is not None:
        html, is_equal = _draw_difference(workspace, document, spec, against, against_name)
    else:
        taken: set[str] = set()
        figures = (_draw_piece(workspace, piece, spec, state, at, taken) for piece in pieces)
        html = "\n".join(filter(None, figures))
    return Preview(
        spec or Path(document.name).name,
        html,
        tuple(_list_specs(document)),
        points_of(state_values, pieces, spec) if state_values is not None else (),
        state_values is not None,
        is_equal,
    )


def _list_specs(document: Document) -> Iterator[PreviewSpec]:
    for piece in document.pieces:
        for item in piece.parsed.file.items:
            if isinstance(item, (Prompt, Fragment)):
                kind = "prompt" if isinstance(item, Prompt) else "fragment"
                yield PreviewSpec(item.name.name, kind, piece.to_document(item.span))


# ------------------------------------------------------------------------------------------------------------- figures


def _draw_piece(
    workspace: Workspace, piece: Piece, spec: str, state: StateFile | None, at: str, taken: set[str]
) -> str:
    """Draw a piece, with its messages beside the figure; empty for a piece without any text."""
    if not piece.source.text.strip():
        return ""
    config = workspace.config_of(piece)
    options = replace(
        _read_options(piece), spec=spec or _read_options(piece).spec, at=at, range=config.range, show="both"
    )
    resolved = workspace.resolve_for_figure(piece)
    if options.spec not in resolved.definitions:
        options = replace(options, spec="")
    called = replace(piece.source, name=Path(piece.source.name).name)
    findings: tuple[Finding, ...] = tuple((each, called) for each in workspace.list_diagnostics(piece))
    view = View(options.spec, options.comments, options.header, config.range)
    name = _free_name(figure_name(options, piece.source.text), taken)
    box = describe(resolved, view)
    figure = words = ""
    if is_understood(box):
        output = OutputOptions(id_prefix=f"{name}-", standalone=False, title=options.title)
        figure = add_anchors(OUTPUTS["svg"](box, output), name, f"{name}-", piece.source)
        words = OUTPUTS["text"](box, output)
    sent = ""
    if state is not None and _has_spec(resolved.parsed.file.items, options.spec):
        from acdl_mkdocs.frontends.docs.blocks.sent import render_sent  # few documents have a state

        path = Path(state.source.name)
        text = BlockText(piece.source, options, state=StateText(replace(state.source, name=path.name), path))
        evaluated = render_sent(text, Examined(resolved, view, findings), name, config)
        sent, findings = evaluated.html, (*findings, *evaluated.findings)
    source = source_of(Examined(resolved, view, ())) if spec else piece.source.text
    drawing = DrawnText(figure, source, findings, words=words, sent_html=sent)
    serious = [each for each in findings if each[0].severity != "note"]
    return _shift_spans(figure_element(options, name, drawing, ProblemPanel(serious)), piece)


def _has_spec(items: tuple[object, ...], spec: str) -> bool:
    """Return whether there is a spec with messages: the shown one, or any."""
    return any(isinstance(item, Prompt) and (not spec or item.name.name == spec) for item in items)


def _read_options(piece: Piece) -> BlockOptions:
    """Return the options of the opening line of a fence."""
    if piece.lines is None:
        return BlockOptions()
    return read_block_header(Source(piece.lines.fence.opening)).options


def _free_name(name: str, taken: set[str]) -> str:
    """Return a name that no earlier figure has."""
    candidate, number = name, 2
    while candidate in taken:
        candidate, number = f"{name}-{number}", number + 1
    taken.add(candidate)
    return candidate


def _shift_spans(html: str, piece: Piece) -> str:
    """Shift the spans in HTML to those of the document."""
    if piece.lines is None:
        return html

    def moved(match: re.Match[str]) -> str:
        span = piece.to_document(Span(int(match[1]), int(match[2])))
        return f"{span.start}-{span.end}"

    return _SPAN_ATTRIBUTE.sub(lambda match: f'{match[1]}{_SPAN.sub(moved, match[2])}"', html)


# --------------------------------------------------------------------------------------------------------- differences


def _draw_difference(
    workspace: Workspace, document: Document, spec: str, against: str, against_name: str
) -> tuple[str, bool]:
    """Draw the changes from another text of the document in one figure."""
    old = Document(document.uri, against, document.language)
    sources = (
        Source(_join_pieces(old), against_name or "the other text"),
        Source(_join_pieces(document), Path(document.name).name),
    )
    mode = workspace.config_of(document.pieces[0]).range if document.pieces else workspace.config.range
    parsed = [parse(each) for each in sources]
    difference = diff_specs(parsed[0], parsed[1], None, spec or None, (mode, mode))
    options = DiffOptions(range=mode)
    svg = OUTPUTS["svg"](draw_unified(difference, is_folded=False, mode=mode), OutputOptions(standalone=False))
    sides = (DiffSide(sources[0].name, sources[0]), DiffSide(sources[1].name, sources[1]))
    parts = DiffParts(difference, sides, svg, words=write_comparison(difference, CompareOptions()))
    html = difference_element(options, "acdl-difference", parts, "", "")
    if document.language == "acdl":
        return html, difference.is_equal_sent
    return re.sub(r' data-acdl="\d+-\d+"', "", html), difference.is_equal_sent


def _join_pieces(document: Document) -> str:
    """Return all ACDL of a document as one text."""
    return "\n".join(each.source.text for each in document.pieces)

"""Files and texts that an editor saves or shows: figures, and the messages of a spec at a point in time.

Reads no file.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast, get_args

from acdl_mkdocs.app.render import render
from acdl_mkdocs.app.understood import ResolvedText
from acdl_mkdocs.app.unroll import Unrolled, UnrollOptions, unroll, write_unrolled
from acdl_mkdocs.drawing.figure.describe import View
from acdl_mkdocs.drawing.formats import FORMATS, MEDIA_TYPES, SUFFIXES
from acdl_mkdocs.drawing.formats.options import OutputOptions, ThemeName
from acdl_mkdocs.evaluation.formats import TRANSCRIPTS, TranscriptOptions, TranscriptOutput
from acdl_mkdocs.evaluation.point import parse_points
from acdl_mkdocs.evaluation.state.read import StateFile
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Finding
from acdl_mkdocs.foundation.diagnostics import Severity
from acdl_mkdocs.foundation.errors import UnknownFormatError, UnknownSpecError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.editor.documents import Document, Piece
from acdl_mkdocs.frontends.editor.sampled import points_of, state_of, usual_point
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.prompts.redact import redact_text
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import figure_name

_LANGUAGES = {"html": "html", "transcript": "plaintext", "growth": "plaintext", "pml": "xml"}
"""The languages of texts that are not JSON."""


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file to be saved."""

    name: str
    mime: str
    content: str | bytes


@dataclass(frozen=True, slots=True)
class EvaluationProblem:
    """A problem found while evaluating."""

    severity: Severity
    message: str
    span: Span | None
    """The place, in code points of the document; `None` if it is in another one."""


@dataclass(frozen=True, slots=True)
class SentText:
    """The messages of a spec at a point in time."""

    at: str
    points: tuple[str, ...]
    """The points that the state has."""
    text: str
    language: str
    """The language of the text: `plaintext`, `json`, `xml` or `html`."""
    html: str
    """The messages as HTML for a page that has our style sheet."""
    problems: tuple[EvaluationProblem, ...]


def export_figure(
    workspace: Workspace,
    uri: str,
    format: str,
    *,
    spec: str = "",
    theme: str = "auto",
    width_px: float | None = None,
    scale: float = 2,
) -> ExportedFile:
    """Export the figure of a document, or of one of its specs, as a file.

    Parameters:
        workspace: The documents.
        uri: Of the document.
        format: One of `acdl_mkdocs.drawing.formats.FORMATS`.
        spec: Name of the definition; by default all of the document's first block.
        theme: `auto`, `light` or `dark`.
        width_px: Widest figure wanted.
        scale: Pixels of a PNG for each CSS px.

    Raises:
        UnknownFormatError: There is no such format or theme, or no figure of that size.
        UnknownSpecError: The document has no definition of that name, or nothing to draw.
        MissingExtraError: The packages that the format needs are not installed.
    """
    if format not in FORMATS or theme not in get_args(ThemeName):
        value, names = (theme, get_args(ThemeName)) if format in FORMATS else (format, tuple(FORMATS))
        near = find_closest(value, names)
        hint = f"did you mean `{near}`?" if near else f"there are {', '.join(names)}"
        raise UnknownFormatError(f"no output format or theme `{value}`; {hint}")
    piece = _find_piece(workspace.documents[uri], spec)
    try:
        options = OutputOptions(theme=cast(ThemeName, theme), width_px=width_px, scale=scale)
    except ValueError as reason:
        raise UnknownFormatError(str(reason)) from None
    view = View(spec, range=workspace.config_of(piece).range)
    content = render(workspace.resolve_for_figure(piece), format, view, options)
    name = figure_name(BlockOptions(spec=spec), piece.source.text)
    return ExportedFile(f"{name}{SUFFIXES[format]}", MEDIA_TYPES[format], content)


def _find_piece(document: Document, spec: str) -> Piece:
    """Return the piece that defines a spec, or the first one."""
    pieces = [each for each in document.pieces if not spec or spec in each.definitions]
    if pieces:
        return pieces[0]
    names = ", ".join(f"`{name}`" for each in document.pieces for name in each.definitions)
    if not document.pieces:
        raise UnknownSpecError(f"{document.name} has no ACDL; write a fence with the language `acdl`")
    raise UnknownSpecError(
        f"{document.name} has no spec `{spec}`; {f'there are {names}' if names else 'give it a title'}"
    )


def evaluate_document(
    workspace: Workspace,
    uri: str,
    *,
    spec: str = "",
    state: StateFile | None = None,
    at: str = "",
    format: str = "transcript",
) -> SentText:
    """Evaluate a spec of a document.

    Parameters:
        workspace: The documents.
        uri: Of the document.
        spec: Name of the spec; without it the one that the state names, else the first.
        state: A sample state; without it that of the document. Without any, names stand for all values.
        at: The point in time; without it the first that the state names, else its last turn.
        format: One of `acdl_mkdocs.evaluation.formats.TRANSCRIPTS`.

    Raises:
        UnknownFormatError: There is no such format.
        UnknownSpecError: The document has no spec of that name.
        PointError: `at` is not a point in time.
    """
    if format not in TRANSCRIPTS:
        near = find_closest(format, TRANSCRIPTS)
        hint = f"did you mean `{near}`?" if near else f"there are {', '.join(TRANSCRIPTS)}"
        raise UnknownFormatError(f"no format `{format}`; {hint}")
    state = state or state_of(workspace, uri, spec)
    state_values = state.state if state is not None and state.state is not None else State()
    document = workspace.documents[uri]
    piece = _find_piece(document, spec or _spec_of_state(document, state_values))
    point = parse_points(at, state_values)[0] if at else usual_point(state_values)
    options = UnrollOptions(spec=spec or None, at=[point], format=format, show=TranscriptOptions(is_standalone=False))
    unrolled = unroll(_understand_piece(workspace, piece), state, options)
    output, html = _format_messages(unrolled)
    points = points_of(state_values, (piece,), spec)
    return SentText(
        str(point),
        points if str(point) in points else (str(point), *points),
        output.text,
        _LANGUAGES.get(format, "json"),
        html,
        (*_list_problems([*unrolled.reported, *output.findings], piece), *_explain_missing_text(unrolled)),
    )


def _understand_piece(workspace: Workspace, piece: Piece) -> ResolvedText:
    """Convert a piece for `app`, named by the last part of its path, so that no folders of the machine are shown."""
    resolved = workspace.resolve_for_figure(piece)
    source = replace(piece.source, name=Path(piece.source.name).name)
    resolved = replace(resolved, parsed=replace(resolved.parsed, source=source))
    findings = tuple((each, source) for each in resolved.parsed.diagnostics)
    return ResolvedText(resolved, workspace.config_of(piece), findings, workspace.list_diagnostics(piece))


def _format_messages(unrolled: Unrolled) -> tuple[TranscriptOutput, str]:
    """Return the text, and the messages for a page; both are empty if there are no messages."""
    if not unrolled.transcripts:
        return TranscriptOutput(""), ""
    html = write_unrolled(replace(unrolled, options=replace(unrolled.options, format="html"))).text
    return (TranscriptOutput("") if unrolled.refusal is not None else write_unrolled(unrolled)), html


def _explain_missing_text(unrolled: Unrolled) -> Iterator[EvaluationProblem]:
    """Explain why there is no text, unless another problem does."""
    if unrolled.refusal is not None and unrolled.refusal.reason:
        yield EvaluationProblem("error", f"nothing is sent: {redact_text(unrolled.refusal.reason)}", None)


def _spec_of_state(document: Document, state: State) -> str:
    """Return the spec that the state names, if the document defines it."""
    return state.spec if state.spec and any(state.spec in each.definitions for each in document.pieces) else ""


def _list_problems(findings: Sequence[Finding], piece: Piece) -> list[EvaluationProblem]:
    own = Path(piece.source.name).name, piece.source.text
    return [
        EvaluationProblem(
            each.diagnostic.severity,
            redact_text(each.diagnostic.message),
            piece.to_document(each.diagnostic.label.span) if (each.source.name, each.source.text) == own else None,
        )
        for each in findings
    ]

"""Inlay hints: the last element of a loop, and the parameter of an argument."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.documents import Piece
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.names.outline import Outline, build_outline
from acdl_mkdocs.language.names.resolve import Resolved, binding_part
from acdl_mkdocs.language.names.times import measure_distance, range_mode
from acdl_mkdocs.language.syntax.edits import format_expression
from acdl_mkdocs.language.syntax.nodes import Arguments, Expression, FragUse, Index, NameRef, Range, Symbol, TimeIndex


@dataclass(frozen=True, slots=True)
class Hint:
    """A short text shown at a place of a document."""

    offset: int
    label: str
    tooltip: str
    is_before: bool = False
    """Whether the hint belongs to what follows."""


def list_hints(workspace: Workspace, uri: str, span: Span | None = None) -> tuple[Hint, ...]:
    """Return the hints of a document, or of a part of it, in order."""
    hints: list[Hint] = []
    for piece in workspace.pieces_of(uri):
        if span is None or (piece.span.start <= span.end and span.start <= piece.span.end):
            for hint in _find_hints(piece, workspace):
                offset = piece.to_document(Span(hint.offset, hint.offset)).start
                if span is None or span.start <= offset <= span.end:
                    hints.append(Hint(offset, hint.label, hint.tooltip, hint.is_before))
    return tuple(sorted(hints, key=lambda each: each.offset))


def _find_hints(piece: Piece, workspace: Workspace) -> Iterator[Hint]:
    resolved = workspace.resolve_piece(piece)
    tree = build_outline(resolved.parsed.file)
    if range_mode(resolved, workspace.config_of(piece)) == "half-open":
        yield from _hint_range_ends(tree)
    for use in tree.nodes_of(FragUse):
        yield from _hint_argument_names(use, resolved)


def _hint_range_ends(outline: Outline) -> Iterator[Hint]:
    """Yield a hint with the last element of each range whose end is excluded."""
    for bounds in outline.nodes_of(Range):
        if bounds.includes_stop:
            continue
        last = _one_before(bounds.stop) if bounds.step is None else ""
        stop = format_expression(bounds.stop)
        tooltip = f"the end of a half-open range is left out: the last one is {last or f'before {stop}'}"
        yield Hint(bounds.stop.span.end, f"→ {last}" if last else "(left out)", tooltip)


def _one_before(stop: Expression) -> str:
    """Return the element before the end of a range; empty if it cannot be computed."""
    distance = measure_distance(stop)
    if distance is None:
        return ""
    if not distance.origin:
        return str(distance.steps - 1)
    return f"{distance.origin}{distance.steps - 1:+d}" if distance.steps != 1 else distance.origin


def _hint_argument_names(use: FragUse, resolved: Resolved) -> Iterator[Hint]:
    """Yield the names of parameters before arguments that do not show them."""
    entry = resolved.fragment_of(use, resolved.source)
    if entry is None:
        return
    arguments = [value for part in use.parts if isinstance(part, (Index, Arguments)) for value in part.values]
    for parameter, value in zip(entry.node.parameters, arguments, strict=False):
        name = format_expression(binding_part(parameter))
        if _name_of(value).lower() != name.lstrip("@$").lower() or isinstance(value, TimeIndex) != name.startswith("@"):
            yield Hint(value.span.start, f"{name}:", f"the parameter `{name}` of `{entry.name}`", is_before=True)


def _name_of(value: Expression) -> str:
    """Return the name of an argument that is a single name; empty for any other."""
    return value.name if isinstance(value, (Symbol, NameRef, TimeIndex)) and not value.parts else ""

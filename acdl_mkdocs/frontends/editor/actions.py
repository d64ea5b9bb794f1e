"""The code actions of a part of a document: fixes for its problems, and other ways to write the same.

A rewrite that keeps the messages is only offered where a comparison of the messages confirms it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from acdl_mkdocs.drawing.from_drawing.read import read_drawing
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, apply_fixes, select_fixes
from acdl_mkdocs.foundation.diagnostics import TextEdit as PieceEdit
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.documents import Piece
from acdl_mkdocs.frontends.editor.extract import UnmovableError, extract_fragment, inline_use
from acdl_mkdocs.frontends.editor.places import TextEdit
from acdl_mkdocs.frontends.editor.proof import sends_the_same
from acdl_mkdocs.frontends.editor.rewrite import allow_rule, definition_of, missing_name, with_braces, without_braces
from acdl_mkdocs.frontends.editor.under import nodes_at
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Content, FragUse, Node, RoleMessage

Kind: TypeAlias = Literal["quickfix", "refactor.extract", "refactor.inline", "refactor.rewrite", "source.fixAll"]


@dataclass(frozen=True, slots=True)
class Action:
    """A code action."""

    title: str
    kind: Kind
    edits: tuple[TextEdit, ...]
    diagnostic: Diagnostic | None = None
    """The problem that the action fixes; spans are those of the document."""
    is_preferred: bool = False
    """Whether most people want this action."""


def list_actions(workspace: Workspace, uri: str, span: Span) -> tuple[Action, ...]:
    """Return the code actions for a part of a document, fixes first.

    Parameters:
        workspace: The documents.
        uri: Of the document.
        span: What is selected, or a place.
    """
    actions: list[Action] = []
    for piece in workspace.pieces_of(uri):
        if piece.span.start <= span.end and span.start <= piece.span.end:
            start, end = _clip_to_piece(piece, span)
            actions += _list_touched_fixes(workspace, piece, start, end)
            actions += _convert_drawing(workspace, piece)
            actions += _define_missing_names(workspace, piece, start)
            actions += _list_rewrites(workspace, piece, start, end)
    all_safe = _all_safe(workspace, uri)
    return (*actions, *([all_safe] if all_safe else []))


def list_problem_fixes(workspace: Workspace, piece: Piece, problem: Diagnostic) -> Iterator[Action]:
    """Yield the actions that fix one problem: its fix, a drawing as ACDL, or a definition of the missing name."""
    if problem.fix is not None:
        edits = piece.translate_edits(problem.fix.edits)
        yield Action(problem.fix.title, "quickfix", edits, _shift_to_document(problem, piece), problem.fix.is_safe)
    elif problem.rule == "drawn-form":
        yield from _convert_drawing(workspace, piece)
    else:
        yield from _define_missing_names(workspace, piece, problem.label.span.start)


def _clip_to_piece(piece: Piece, span: Span) -> tuple[int, int]:
    start = piece.from_document(max(span.start, piece.span.start))
    end = piece.from_document(min(span.end, piece.span.end))
    return start or 0, len(piece.source.text) if end is None else end


# --------------------------------------------------------------------------------------------------------------- fixes


def _list_touched_fixes(workspace: Workspace, piece: Piece, start: int, end: int) -> Iterator[Action]:
    """Yield fixes of problems in the selection, alone and with all of their kind, and comments that allow them."""
    problems = workspace.list_diagnostics(piece)
    touched = [each for each in problems if each.label.span.start <= end and start <= each.label.span.end]
    for each in touched:
        if each.fix is not None:
            edits = piece.translate_edits(each.fix.edits)
            yield Action(each.fix.title, "quickfix", edits, _shift_to_document(each, piece), each.fix.is_safe)
    for rule in dict.fromkeys(each.rule for each in touched if each.fix is not None):
        same = [each.fix for each in problems if each.rule == rule and each.fix is not None]
        if len(same) > 1:
            edits, n_fixed = _merge_fixes(same, piece)
            yield Action(f"fix all {n_fixed} problems `{rule}` of this text", "quickfix", edits)
    for each in touched:
        edits = piece.translate_edits(allow_rule(piece.source, each))
        if edits:
            yield Action(f"allow `{each.rule}` here with a comment", "quickfix", edits, _shift_to_document(each, piece))


def _convert_drawing(workspace: Workspace, piece: Piece) -> Iterator[Action]:
    """Yield an action that converts drawn notation to ACDL; parts that are not understood become comments."""
    problem = next((each for each in workspace.list_diagnostics(piece) if each.rule == "drawn-form"), None)
    if problem is None:
        return
    text = piece.source.text
    read = read_drawing(text, workspace.config_of(piece).range)
    n_unread = sum(each.severity == "error" for each in read.diagnostics)
    n_guessed = sum(each.severity == "warning" for each in read.diagnostics)
    if read.text.strip():
        counts = [f"{n} {word}" for n, word in ((n_unread, "not understood"), (n_guessed, "guessed")) if n]
        title = "convert this drawing to ACDL" + (f" ({', '.join(counts)})" if counts else "")
        new_text = read.text if text.endswith("\n") else read.text.rstrip("\n")
        edits = piece.translate_edits([PieceEdit(Span(0, len(text)), new_text)])
        yield Action(title, "quickfix", edits, _shift_to_document(problem, piece), is_preferred=not n_unread)


def _all_safe(workspace: Workspace, uri: str) -> Action | None:
    """Return an action that applies all fixes of a document that keep its meaning."""
    edits: list[TextEdit] = []
    n_fixed = 0
    for piece in workspace.pieces_of(uri):
        piece_edits, n = _merge_fixes(select_fixes(workspace.list_diagnostics(piece)), piece)
        edits += piece_edits
        n_fixed += n
    title = "fix all problems that can be fixed safely"
    return Action(title, "source.fixAll", tuple(edits)) if n_fixed else None


def _merge_fixes(fixes: Sequence[Fix], piece: Piece) -> tuple[tuple[TextEdit, ...], int]:
    """Merge the edits of several fixes; where two fixes overlap, only the first counts."""
    taken: list[Fix] = []
    for fix in sorted(fixes, key=lambda each: min(edit.span.start for edit in each.edits)):
        if apply_fixes(piece.source.text, [*taken, fix]).n_fixed > len(taken):
            taken.append(fix)
    return piece.translate_edits(edit for fix in taken for edit in fix.edits), len(taken)


def _shift_to_document(problem: Diagnostic, piece: Piece) -> Diagnostic:
    """Return a problem with its spans in the document."""
    labels = (replace(each, span=piece.to_document(each.span)) for each in problem.related)
    label = Label(piece.to_document(problem.label.span), problem.label.text)
    return replace(problem, label=label, related=tuple(labels), fix=None)


def _define_missing_names(workspace: Workspace, piece: Piece, at: int) -> Iterator[Action]:
    """Yield actions that define the undefined names at an offset."""
    resolved = workspace.resolve_piece(piece)
    for use in resolved.unknown_fragments:
        if use.span.start <= at <= use.span.end:
            yield Action(f"define `{use.name.name}`", "quickfix", piece.translate_edits([definition_of(use, resolved)]))
    for name in resolved.unknown_names:
        if name.span.start <= at <= name.span.end:
            edit = missing_name(name, resolved)
            if edit is not None:
                yield Action(f"define `${name.name}`", "quickfix", piece.translate_edits([edit]))


# ---------------------------------------------------------------------------------------------------------- rewritings


def _list_rewrites(workspace: Workspace, piece: Piece, start: int, end: int) -> Iterator[Action]:
    """Yield other ways to write the selection that send the same messages."""
    resolved = workspace.resolve_piece(piece)
    if resolved.parsed.diagnostics:
        return
    chain = nodes_at(resolved.parsed.file, start)
    yield from _add_or_remove_braces(chain, piece, start)
    if end > start:
        yield from _offer_extraction(workspace, piece, resolved, start, end)
    yield from _offer_inlining(workspace, piece, resolved, chain)


def _add_or_remove_braces(chain: Sequence[Node], piece: Piece, at: int) -> Iterator[Action]:
    message = next((each for each in reversed(chain) if isinstance(each, RoleMessage)), None)
    if message is None or not message.marker.start <= at <= message.marker.end:
        return
    if message.is_braced:
        edits, title = without_braces(piece.source, message), "write this message without braces"
    else:
        edits, title = with_braces(piece.source, message), "write this message with braces"
    if edits:
        yield Action(title, "refactor.rewrite", piece.translate_edits(edits))


def _offer_extraction(workspace: Workspace, piece: Piece, resolved: Resolved, start: int, end: int) -> Iterator[Action]:
    try:
        edits = extract_fragment(resolved, start, end, {*resolved.definitions, *workspace.spec_names})
    except UnmovableError:
        return
    if sends_the_same(workspace, piece, edits):
        yield Action("extract these lines into a fragment", "refactor.extract", piece.translate_edits(edits))


def _offer_inlining(workspace: Workspace, piece: Piece, resolved: Resolved, chain: Sequence[Node]) -> Iterator[Action]:
    use = next((each for each in chain if isinstance(each, FragUse)), None)
    content = next((each for each in chain if isinstance(each, Content) and each.value is use), None)
    entry = resolved.fragment_of(use, resolved.source) if use is not None else None
    if use is None or content is None or entry is None:
        return
    others = (each for each in workspace.all_pieces() if each.source == entry.source)
    owner = piece if entry.source == piece.source else next(others, None)
    if owner is None:
        return
    try:
        edit = inline_use(resolved, content, use, entry, workspace.resolve_piece(owner))
    except UnmovableError:
        return
    if sends_the_same(workspace, piece, (edit,)):
        title = f"put the body of `{entry.name}` here"
        yield Action(title, "refactor.inline", piece.translate_edits([edit]))

"""Requests about a whole document, or all of them: outline, highlighting, folds, links, lenses, hints."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from acdl_mkdocs.foundation.real_path import find_repository
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.folding import list_folds
from acdl_mkdocs.frontends.editor.highlight import MODIFIERS, TYPES, list_tokens
from acdl_mkdocs.frontends.editor.inlay import list_hints
from acdl_mkdocs.frontends.editor.lens import Lens, list_lenses
from acdl_mkdocs.frontends.editor.links import list_links
from acdl_mkdocs.frontends.editor.places import Location
from acdl_mkdocs.frontends.editor.positions import Positions
from acdl_mkdocs.frontends.editor.symbols import OutlineSymbol, list_symbols, workspace_symbols
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.frontends.lsp import protocol

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.lsp.server import Server

CONTENT_MODIFIED = -32801
"""The protocol's error code for an answer whose positions belong to an older text."""
_NUMBERS = count(1)
_FOLDS = {
    "comment": lsp.FoldingRangeKind.Comment,
    "imports": lsp.FoldingRangeKind.Imports,
    "region": lsp.FoldingRangeKind.Region,
}


def register_whole(server: "Server") -> None:
    """Register the handlers for questions about whole documents."""
    server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(on_symbols)
    server.feature(lsp.WORKSPACE_SYMBOL)(on_workspace_symbols)
    legend = lsp.SemanticTokensLegend(token_types=list(TYPES), token_modifiers=list(MODIFIERS))
    server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)(on_tokens)
    server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, legend)(on_tokens_again)
    server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, legend)(on_tokens_of_range)
    server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)(on_folds)
    server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_LINK, lsp.DocumentLinkOptions())(on_links)
    server.feature(lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensOptions())(on_lenses)
    server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT, lsp.InlayHintOptions())(on_hints)


def refuse_old(ls: "Server", before: Workspace, uris: Iterable[str]) -> None:
    """Refuse an answer with positions in documents that have changed since the request."""
    texts = ((before.find_document(uri), ls.session.workspace.find_document(uri)) for uri in uris)
    if any(old is not new and (old is None or new is None or old.text != new.text) for old, new in texts):
        raise JsonRpcException("a text was edited meanwhile", code=CONTENT_MODIFIED)


def on_symbols(ls: "Server", params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    """Return the outline of a document."""
    document = ls.session.find_document(params.text_document.uri)
    if document is None:
        return []
    positions = document.positions_in(ls.session.encoding)
    return [_convert_symbol(each, positions) for each in list_symbols(ls.session.workspace, document.uri)]


def _convert_symbol(symbol: OutlineSymbol, positions: Positions) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        symbol.name or "-",
        protocol.SYMBOLS[symbol.kind],
        protocol.to_range(positions, symbol.span),
        protocol.to_range(positions, symbol.name_span),
        detail=symbol.detail or None,
        children=[_convert_symbol(each, positions) for each in symbol.children],
    )


def on_workspace_symbols(ls: "Server", params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
    """Return the specs and fragments of all documents whose names match a word."""
    return [
        lsp.WorkspaceSymbol(
            protocol.to_location(ls.session, each.location),
            each.name,
            protocol.SYMBOLS[each.kind],
            container_name=each.container or None,
        )
        for each in workspace_symbols(ls.session.workspace, params.query)
    ]


def on_tokens(ls: "Server", params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
    """Return the highlighting of the words of a document."""
    uri = params.text_document.uri
    data = _encode_tokens(ls, uri)
    result_id = str(next(_NUMBERS))
    ls.tokens[uri] = result_id, data
    return lsp.SemanticTokens(data, result_id=result_id)


def on_tokens_again(
    ls: "Server", params: lsp.SemanticTokensDeltaParams
) -> lsp.SemanticTokens | lsp.SemanticTokensDelta:
    """Return the changes of the highlighting since the last answer."""
    uri = params.text_document.uri
    known, before = ls.tokens.get(uri, ("", []))
    answer = on_tokens(ls, lsp.SemanticTokensParams(params.text_document))
    if known != params.previous_result_id:
        return answer
    return lsp.SemanticTokensDelta(_diff_tokens(before, ls.tokens[uri][1]), result_id=answer.result_id)


def _diff_tokens(before: list[int], after: list[int]) -> list[lsp.SemanticTokensEdit]:
    """Return the one part that differs, if any does."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    if start == len(before) == len(after):
        return []
    return [lsp.SemanticTokensEdit(start, len(before) - end - start, after[start : len(after) - end])]


def on_tokens_of_range(ls: "Server", params: lsp.SemanticTokensRangeParams) -> lsp.SemanticTokens:
    """Return the highlighting of the words of a part of a document."""
    return lsp.SemanticTokens(_encode_tokens(ls, params.text_document.uri, params.range))


def _encode_tokens(ls: "Server", uri: str, part: lsp.Range | None = None) -> list[int]:
    """Return five numbers for each token, positions relative to the token before; none is longer than its line."""
    document = ls.session.find_document(uri)
    if document is None:
        return []
    positions = document.positions_in(ls.session.encoding)
    data: list[int] = []
    last_line = last_start = 0
    for token in list_tokens(ls.session.workspace, document.uri, span_of(positions, part) if part else None):
        flags = sum(1 << MODIFIERS.index(each) for each in token.modifiers)
        start, end = positions.range_of(token.span)
        for line in range(start.line, end.line + 1):
            at = start.character if line == start.line else 0
            until = (
                end.character if line == end.line else positions.position_of(positions.line_span(line).end).character
            )
            if until > at:
                first = at - last_start if line == last_line else at
                data += (line - last_line, first, until - at, TYPES.index(token.kind), flags)
                last_line, last_start = line, at
    return data


def span_of(positions: Positions, part: lsp.Range) -> Span:
    """Return the span of a range."""
    return positions.span_between(protocol.from_position(part.start), protocol.from_position(part.end))


def on_folds(ls: "Server", params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
    """Return the parts of a document that can be folded."""
    document = ls.session.find_document(params.text_document.uri)
    if document is None:
        return []
    positions = document.positions_in(ls.session.encoding)
    answers = []
    for each in list_folds(ls.session.workspace, document.uri):
        start, end = positions.range_of(each.span)
        answers.append(lsp.FoldingRange(start.line, end.line, kind=_FOLDS.get(each.kind)))
    return answers


def on_links(ls: "Server", params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink]:
    """Return the files and figures that a document links to."""
    document = ls.session.find_document(params.text_document.uri)
    if document is None:
        return []
    positions = document.positions_in(ls.session.encoding)
    links = list_links(ls.session.workspace, document.uri)
    return [lsp.DocumentLink(protocol.to_range(positions, each.span), each.target, each.tooltip) for each in links]


async def on_lenses(ls: "Server", params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    """Return the lenses above specs and fragments; some only for clients that have our commands."""
    document = ls.session.find_document(params.text_document.uri)
    if document is None or not ls.session.settings.has_lenses:
        return []
    positions = document.positions_in(ls.session.encoding)
    is_in_git = ls.has_commands and document.path is not None and _is_in_git(document.path.parent)
    before = ls.session.workspace
    lenses = await ls.aside.run_query(lambda workspace: list_lenses(workspace, document.uri, is_in_git=is_in_git))
    places = (each for lens in lenses for each in lens.arguments if isinstance(each, tuple))
    refuse_old(ls, before, (document.uri, *(each.uri for listed in places for each in listed)))
    return [
        lsp.CodeLens(protocol.to_range(positions, each.span), _command_of_lens(ls, each))
        for each in lenses
        if ls.has_commands or each.command == "acdl.showReferences"
    ]


@lru_cache
def _is_in_git(folder: Path) -> bool:
    return find_repository(folder) is not None


def _command_of_lens(ls: "Server", lens: Lens) -> lsp.Command:
    """Return the command of a lens: none if the client does not know it, but the lens keeps its text."""
    if not ls.has_commands:
        return lsp.Command(lens.title, "")
    arguments = [_convert_argument(ls, each) for each in lens.arguments]
    if lens.command == "acdl.showReferences" and isinstance(lens.arguments[1], int):
        span = Span(lens.arguments[1], lens.arguments[1])
        arguments[1] = protocol.range_in(ls.session, str(lens.arguments[0]), span).start
    return lsp.Command(lens.title, lens.command, arguments=arguments)


def _convert_argument(ls: "Server", value: object) -> object:
    """Return an argument in the protocol's types."""
    if isinstance(value, Location):
        return protocol.to_location(ls.session, value)
    return [_convert_argument(ls, each) for each in value] if isinstance(value, (tuple, list)) else value


def on_hints(ls: "Server", params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
    """Return the inlay hints of a document."""
    document = ls.session.find_document(params.text_document.uri)
    if document is None or not ls.session.settings.has_hints:
        return []
    positions = document.positions_in(ls.session.encoding)
    hints = list_hints(ls.session.workspace, document.uri, span_of(positions, params.range))
    return [
        lsp.InlayHint(
            protocol.to_position(positions.position_of(each.offset)),
            each.label,
            kind=lsp.InlayHintKind.Parameter if each.is_before else None,
            tooltip=each.tooltip or None,
            padding_left=not each.is_before,
            padding_right=each.is_before,
        )
        for each in hints
    ]

"""Requests about a position of a document: hover, definition, references, completion, signature.

Each answer comes from a function that knows no protocol; nothing is decided here.
"""

from typing import TYPE_CHECKING, TypeVar

from lsprotocol import types as lsp

from acdl_mkdocs.frontends.editor.complete import complete_at
from acdl_mkdocs.frontends.editor.completion import strip_placeholders
from acdl_mkdocs.frontends.editor.definition import find_definition, find_references, same_name
from acdl_mkdocs.frontends.editor.documents import Document
from acdl_mkdocs.frontends.editor.hover import hover_at
from acdl_mkdocs.frontends.editor.positions import Positions
from acdl_mkdocs.frontends.editor.selection import expand_selection
from acdl_mkdocs.frontends.editor.signature import signature_at
from acdl_mkdocs.frontends.lsp import protocol
from acdl_mkdocs.frontends.lsp.answers_edits import register_edits
from acdl_mkdocs.frontends.lsp.answers_whole import refuse_old, register_whole

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.lsp.server import Server

_T = TypeVar("_T")

_KINDS = {
    "keyword": lsp.CompletionItemKind.Keyword,
    "role": lsp.CompletionItemKind.EnumMember,
    "variable": lsp.CompletionItemKind.Variable,
    "field": lsp.CompletionItemKind.Field,
    "template": lsp.CompletionItemKind.Constant,
    "function": lsp.CompletionItemKind.Function,
    "fragment": lsp.CompletionItemKind.Function,
    "name": lsp.CompletionItemKind.Variable,
    "time": lsp.CompletionItemKind.Unit,
    "loop": lsp.CompletionItemKind.Variable,
    "option": lsp.CompletionItemKind.Property,
    "value": lsp.CompletionItemKind.Value,
    "rule": lsp.CompletionItemKind.Reference,
    "spec": lsp.CompletionItemKind.Class,
}


def register_answers(server: "Server") -> None:
    """Register the handlers for questions about positions."""
    register_whole(server)
    register_edits(server)
    server.feature(lsp.TEXT_DOCUMENT_HOVER)(on_hover)
    server.feature(lsp.TEXT_DOCUMENT_DEFINITION)(on_definition)
    server.feature(lsp.TEXT_DOCUMENT_REFERENCES)(on_references)
    server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)(on_highlight)
    server.feature(lsp.TEXT_DOCUMENT_SELECTION_RANGE)(on_selection)
    triggers = lsp.CompletionOptions(trigger_characters=["$", "@", ".", "[", "="])
    server.feature(lsp.TEXT_DOCUMENT_COMPLETION, triggers)(on_completion)
    signs = lsp.SignatureHelpOptions(trigger_characters=["[", "(", ","], retrigger_characters=[","])
    server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, signs)(on_signature)


def find_document_at(ls: "Server", uri: str, position: lsp.Position) -> tuple[Document, int] | None:
    """Return the document and the offset that a request is about; `None` if the document is not ours."""
    document = ls.session.find_document(uri)
    if document is None:
        return None
    return document, document.positions_in(ls.session.encoding).offset_at(position.line, position.character)


async def on_hover(ls: "Server", params: lsp.HoverParams) -> lsp.Hover | None:
    """Return the hover text at a position; counting uses may take a while until all texts have been read."""
    found = find_document_at(ls, params.text_document.uri, params.position)
    if found is None:
        return None
    uri, offset, before = found[0].uri, found[1], ls.session.workspace
    hover = (
        hover_at(before, uri, offset)
        if ls.aside.is_read
        else await ls.aside.run_query(lambda workspace: hover_at(workspace, uri, offset))
    )
    if hover is None:
        return None
    refuse_old(ls, before, (uri,))
    content = lsp.MarkupContent(lsp.MarkupKind.Markdown, hover.markdown)
    return lsp.Hover(content, protocol.range_in(ls.session, uri, hover.span))


def on_definition(ls: "Server", params: lsp.DefinitionParams) -> list[lsp.Location]:
    """Return the places where a name is defined."""
    found = find_document_at(ls, params.text_document.uri, params.position)
    places = find_definition(ls.session.workspace, found[0].uri, found[1]) if found else ()
    return [protocol.to_location(ls.session, each) for each in places]


async def on_references(ls: "Server", params: lsp.ReferenceParams) -> list[lsp.Location]:
    """Return the places where a name is used."""
    found = find_document_at(ls, params.text_document.uri, params.position)
    if found is None:
        return []
    uri, offset, with_definition = found[0].uri, found[1], params.context.include_declaration
    before = ls.session.workspace
    places = await ls.aside.run_query(lambda workspace: find_references(workspace, uri, offset, with_definition))
    refuse_old(ls, before, (each.uri for each in places))
    return [protocol.to_location(ls.session, each) for each in places]


def on_highlight(ls: "Server", params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
    """Return the same name in the same document."""
    found = find_document_at(ls, params.text_document.uri, params.position)
    if found is None:
        return []
    positions = found[0].positions_in(ls.session.encoding)
    occurrences = same_name(ls.session.workspace, found[0].uri, found[1])
    write, read = lsp.DocumentHighlightKind.Write, lsp.DocumentHighlightKind.Read
    return [
        lsp.DocumentHighlight(
            protocol.to_range(positions, each.span), write if each.is_definition or each.is_write else read
        )
        for each in occurrences
    ]


def on_selection(ls: "Server", params: lsp.SelectionRangeParams) -> list[lsp.SelectionRange] | None:
    """Return the growing selections for each position."""
    answers: list[lsp.SelectionRange] = []
    for position in params.positions:
        found = find_document_at(ls, params.text_document.uri, position)
        if found is None:
            return None
        positions = found[0].positions_in(ls.session.encoding)
        spans = expand_selection(ls.session.workspace, found[0].uri, found[1])
        grown: lsp.SelectionRange | None = None
        for span in reversed(spans):
            grown = lsp.SelectionRange(protocol.to_range(positions, span), grown)
        answers.append(grown or lsp.SelectionRange(lsp.Range(position, position)))
    return answers


def on_completion(ls: "Server", params: lsp.CompletionParams) -> lsp.CompletionList:
    """Return the completions at a position."""
    found = find_document_at(ls, params.text_document.uri, params.position)
    if found is None:
        return lsp.CompletionList(is_incomplete=False, items=[])
    document, offset = found
    positions = document.positions_in(ls.session.encoding)
    has_snippets = ls.has_snippets
    items = []
    for number, each in enumerate(complete_at(ls.session.workspace, document.uri, offset)):
        is_snippet = each.is_snippet and has_snippets
        insert = each.insert if is_snippet or not each.is_snippet else strip_placeholders(each.insert)
        form = lsp.InsertTextFormat.Snippet if is_snippet else lsp.InsertTextFormat.PlainText
        documentation = lsp.MarkupContent(lsp.MarkupKind.Markdown, each.documentation) if each.documentation else None
        items.append(
            lsp.CompletionItem(
                each.label,
                kind=_KINDS[each.kind],
                detail=each.detail or None,
                documentation=documentation,
                sort_text=f"{number:05}",
                insert_text_format=form,
                text_edit=lsp.TextEdit(protocol.to_range(positions, each.span), insert),
            )
        )
    return lsp.CompletionList(is_incomplete=False, items=items)


def on_signature(ls: "Server", params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
    """Return the parameters of the fragment or function whose brackets contain a position."""
    found = find_document_at(ls, params.text_document.uri, params.position)
    signature = signature_at(ls.session.workspace, found[0].uri, found[1]) if found else None
    if signature is None:
        return None
    documentation = (
        lsp.MarkupContent(lsp.MarkupKind.Markdown, signature.documentation) if signature.documentation else None
    )
    units = Positions(signature.label, "utf-16").units_before
    parameters = [lsp.ParameterInformation((units(start), units(end))) for start, end in signature.parameters]
    information = lsp.SignatureInformation(signature.label, documentation=documentation, parameters=parameters)
    return lsp.SignatureHelp([information], active_signature=0, active_parameter=signature.active)

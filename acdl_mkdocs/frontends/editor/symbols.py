"""The outline of a document, and a fuzzy search for specs and fragments of all documents."""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.documents import Piece
from acdl_mkdocs.frontends.editor.name_occurrences import name_span
from acdl_mkdocs.frontends.editor.neighbours import order_of
from acdl_mkdocs.frontends.editor.places import Location
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.names.outline import body_of
from acdl_mkdocs.language.syntax.nodes import (
    ROLE_WORDS,
    Arm,
    Broken,
    BrokenBlock,
    Comment,
    Content,
    Declaration,
    EndsHere,
    ForEach,
    Fragment,
    HostLine,
    If,
    Label,
    LoopControl,
    Mark,
    NameDef,
    Node,
    Prompt,
    RoleMessage,
    Skipped,
    Switch,
)

SymbolKind: TypeAlias = Literal["spec", "fragment", "role", "block", "name"]

_MOST_WORDS = 60
"""The longest condition or value that is shown, in characters."""
_MOST_FOUND = 500
_ARM_WORDS = {"if": "If", "elseif": "ElseIf", "else": "Else", "case": "Case", "default": "Default"}


@dataclass(frozen=True, slots=True)
class OutlineSymbol:
    """An entry of the outline, with its children."""

    name: str
    detail: str
    kind: SymbolKind
    span: Span
    name_span: Span
    """The span to put the cursor on; within `span`."""
    children: tuple["OutlineSymbol", ...] = ()


@dataclass(frozen=True, slots=True)
class WorkspaceSymbol:
    """A spec or fragment of some document."""

    name: str
    kind: SymbolKind
    location: Location
    """The place of its name in its definition."""
    container: str
    """The display name of the file."""


def list_symbols(workspace: Workspace, uri: str) -> tuple[OutlineSymbol, ...]:
    """Return the outline of a document, nested as written."""
    return tuple(
        each for piece in workspace.pieces_of(uri) for each in _collect_symbols(piece, piece.parsed.file.items)
    )


def workspace_symbols(workspace: Workspace, query: str) -> tuple[WorkspaceSymbol, ...]:
    """Return the specs and fragments whose names have the letters of a query in this order, best matches first."""
    pattern = query.casefold().replace(" ", "")
    matches: list[tuple[tuple[int, int, int, str], WorkspaceSymbol]] = []
    for document in sorted(workspace.documents.values(), key=lambda each: order_of(each.uri)):
        for piece in document.pieces:
            for name, entries in piece.definitions.items():
                distance = _match_distance(pattern, name)
                for entry in entries if distance is not None else ():
                    location = Location(piece.uri, piece.to_document(_span_of_name(piece, entry.node.name.span)))
                    symbol = WorkspaceSymbol(name, _kind_of_definition(entry.node), location, document.name)
                    matches.append(((*(distance or (0, 0)), len(name), name), symbol))
    return tuple(symbol for _, symbol in sorted(matches, key=lambda each: each[0])[:_MOST_FOUND])


def _match_distance(pattern: str, name: str) -> tuple[int, int] | None:
    """Return the distance of a name from a query: kind of match, and letters between; `None` if it does not match."""
    folded = name.casefold()
    if pattern in folded:
        return (0 if folded.startswith(pattern) else 1), 0
    at, gaps = -1, 0
    for letter in pattern:
        following = folded.find(letter, at + 1)
        if following < 0:
            return None
        gaps += following - at - 1
        at = following
    return 2, gaps


def _collect_symbols(piece: Piece, nodes: Iterable[Node]) -> tuple[OutlineSymbol, ...]:
    symbols: list[OutlineSymbol] = []
    for node in nodes:
        if isinstance(node, If):
            symbols += _collect_symbols(piece, node.arms)
            continue
        description = _describe_node(piece, node)
        if description is not None:
            name, detail, kind, start = description
            span = piece.to_document(node.span)
            name_span = piece.to_document(start)
            name_span = Span(max(name_span.start, span.start), min(name_span.end, span.end))
            symbols.append(OutlineSymbol(name, detail, kind, span, name_span, _collect_symbols(piece, body_of(node))))
    return tuple(symbols)


def _describe_node(piece: Piece, node: Node) -> tuple[str, str, SymbolKind, Span] | None:  # noqa: C901  # one short case a construct
    """Return name, detail, kind and span of the name; `None` if the outline omits the node."""
    match node:
        case Prompt() | Fragment():
            return (
                node.name.name,
                _format_parameters(piece, node),
                _kind_of_definition(node),
                _span_of_name(piece, node.name.span),
            )
        case RoleMessage():
            detail = "" if node.is_braced else _format_words(piece, node.body[0].span if node.body else None)
            return ROLE_WORDS[node.role], detail, "role", node.marker
        case ForEach():
            variable = f"ForEach {node.variable.name}" if node.variable else "ForEach"
            return variable, _format_words(piece, node.iterable.span if node.iterable else None), "block", node.keyword
        case Arm():
            test = node.test.span if node.test else None
            return _ARM_WORDS[node.kind], _format_words(piece, test), "block", node.keyword
        case Switch():
            return "Switch", _format_words(piece, node.subject.span if node.subject else None), "block", node.keyword
        case Mark():
            number = _format_words(piece, node.number.span if node.number else None)
            return f"Mark {number}".rstrip(), "", "block", node.keyword
        case Label():
            return _format_words(piece, node.title.span), "", "block", node.title.span
        case BrokenBlock():
            return (
                " ".join(node.text.split())[:_MOST_WORDS] or "block",
                "",
                "block",
                Span(node.span.start, node.span.start),
            )
        case NameDef() if node.targets:
            target = node.targets[0].span
            return _format_words(piece, target).lstrip("@$"), _format_words(piece, node.value.span), "name", target
        case Content() | NameDef() | EndsHere() | LoopControl() | If() | Comment():
            return None
        case Declaration() | Skipped() | HostLine() | Broken():
            return None
        case _:
            raise TypeError(f"no statement: {type(node).__name__}")


def _kind_of_definition(node: Prompt | Fragment) -> SymbolKind:
    return "spec" if isinstance(node, Prompt) else "fragment"


def _format_parameters(piece: Piece, node: Prompt | Fragment) -> str:
    """Return the parameters as written, with the kind of fragment."""
    words = ", ".join(_format_words(piece, each.span) for each in node.parameters)
    parameter_list = f"[{words}]" if words else ""
    return (
        parameter_list
        if isinstance(node, Prompt)
        else f"{parameter_list} {'text' if node.kind == 'string' else 'messages'}".strip()
    )


def _span_of_name(piece: Piece, span: Span) -> Span:
    return name_span(piece.source.text, span.start)


def _format_words(piece: Piece, span: Span | None) -> str:
    """Return text on one line, shortened if it is long."""
    words = piece.source.one_line(span.start, span.end) if span else ""
    return words if len(words) <= _MOST_WORDS else f"{words[: _MOST_WORDS - 1].rstrip()}…"

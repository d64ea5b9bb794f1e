"""Growing selections: from the name at the cursor out to the document, along the tree."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.documents import Piece
from acdl_mkdocs.frontends.editor.name_occurrences import name_span
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.names.outline import body_of
from acdl_mkdocs.language.syntax.letters import end_of_word
from acdl_mkdocs.language.syntax.nodes import Comment, Node, children


def expand_selection(workspace: Workspace, uri: str, offset: int) -> tuple[Span, ...]:
    """Return the spans around an offset, innermost first; each contains the one before it and more."""
    document = workspace.find_document(uri)
    if document is None:
        return ()
    spans: list[Span] = []
    piece = document.piece_at(offset)
    inner = piece.from_document(offset) if piece else None
    if piece and inner is not None:
        spans += map(piece.to_document, _list_piece_spans(piece, inner))
    for fence in document.fences:
        if fence.header.start <= offset <= max(fence.body.end, fence.header.end):
            spans += fence.body, fence.whole
    spans.append(Span(0, len(document.text)))
    return tuple(_keep_growing_spans(spans, offset))


def _keep_growing_spans(spans: list[Span], offset: int) -> Iterator[Span]:
    last = Span(offset, offset)
    for span in spans:
        if span.start <= last.start and last.end <= span.end and span != last:
            yield span
            last = span


def _list_piece_spans(piece: Piece, offset: int) -> Iterator[Span]:
    text = piece.source.text
    nodes = _find_nodes_around(piece.parsed.file, offset)
    yield _find_word(text, offset)
    for node in reversed(nodes):
        body = body_of(node)
        if body:
            yield Span(body[0].span.start, max(_end_of(each) for each in body))
        yield name_span(text, node.span.start) if not body else node.span
        yield node.span
        yield Span(node.span.start, _end_of(node))
    yield Span(0, len(text))


def _find_nodes_around(file: Node, offset: int) -> list[Node]:
    """Return the nodes around an offset, outermost first; at the border of two, the later one."""
    nodes: list[Node] = []
    inside = children(file)
    while inside:
        touching = [each for each in inside if each.span.start <= offset <= _end_of(each)]
        if not touching:
            break
        node = next((each for each in touching if offset < each.span.end), touching[-1])
        nodes.append(node)
        inside = children(node)
    return nodes


def _end_of(node: Node) -> int:
    """Return the end of a node, including the comment beside it."""
    comment = getattr(node, "comment", None)
    return max(node.span.end, comment.span.end if isinstance(comment, Comment) else 0)


def _find_word(text: str, offset: int) -> Span:
    """Return the word that contains an offset or ends at it; empty if there is none."""
    line = text.rfind("\n", 0, offset) + 1
    at = line
    while at < len(text) and at <= offset:
        end = end_of_word(text, at)
        if end > at and at <= offset <= end:
            return Span(at, end)
        at = max(end, at + 1)
    return Span(offset, offset)

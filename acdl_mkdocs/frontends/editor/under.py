"""The nodes of a tree at an offset. Knows nothing of their meaning."""

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.nodes import File, Node, children


def nodes_at(file: File, offset: int) -> tuple[Node, ...]:
    """Return the nodes around an offset, innermost last; between two nodes, the later one."""
    nodes: list[Node] = []
    inside: list[Node] = list(file.items)
    while inside:
        touching = [each for each in inside if _is_touching(each, offset)]
        if not touching:
            break
        node = next((each for each in reversed(touching) if offset < each.span.end), touching[-1])
        nodes.append(node)
        inside = children(node)
    return tuple(nodes)


def _is_touching(node: Node, offset: int) -> bool:
    comment = getattr(node, "comment", None)
    end = max(node.span.end, comment.span.end if isinstance(comment, Node) else 0)
    return node.span.start <= offset <= end


def word_at(text: str, offset: int) -> Span:
    """Return the word at an offset, with its `@` or `$`; empty between words."""
    start = end = offset
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    while start and text[start - 1] in "@$" and end > start:
        start -= 1
    return Span(start, end)

"""Any text as ACDL: read, names found, checked by all rules."""

from collections.abc import Sequence
from itertools import pairwise

from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.syntax.nodes import Comment, HostLine, Node, children, walk
from fuzz.target import Target, files, text_of
from fuzz.words import acdl


def run(data: bytes) -> None:
    """Read and check."""
    text = text_of(data)
    source = Source(text)
    analysis = analyse(source)
    for node in walk(analysis.resolved.parsed.file):
        assert 0 <= node.span.start <= node.span.end <= len(text)
        inside = [child for child in children(node) if not isinstance(child, Comment)]
        assert all(node.span.start <= each.span.start and each.span.end <= node.span.end for each in inside), node
        assert all(one.span.end <= other.span.start for one, other in pairwise(without_heads(inside))), node
    for found in analysis.diagnostics:
        assert found.message
        assert "\n" not in found.message
        assert all(found.help)
        for label in (found.label, *found.related):
            assert 0 <= label.span.start <= label.span.end <= len(text)
            source.find_place(label.span.start)
    places = [found.label.span.start for found in analysis.diagnostics]
    assert places == sorted(places)


def without_heads(nodes: Sequence[Node]) -> list[Node]:
    """Nodes without the lines of another tool inside the statement that follows them in the tree."""
    kept: list[Node] = []
    for node in reversed(nodes):
        span = kept[-1].span if kept else Span(0, 0)
        if not (isinstance(node, HostLine) and span.start < node.span.start < node.span.end <= span.end):
            kept.append(node)
    return kept[::-1]


TARGET = Target(
    run=run,
    promise="has a tree whose parts lie inside each other, and problems with a place and a sentence",
    seeds=lambda: files("examples/*.acdl", "tests/golden/**/*.acdl", most_bytes=1500),
    words=acdl(),
    max_bytes=1500,
)

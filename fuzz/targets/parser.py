"""Any text as ACDL: read, names found, checked by all rules."""

from itertools import pairwise

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.syntax.nodes import Comment, children, walk
from fuzz.target import Target, files, text_of
from fuzz.words import acdl


def run(data: bytes) -> None:
    """Read and check."""
    text = text_of(data)
    source = Source(text)
    analysis = analyse(source)
    for node in walk(analysis.resolved.parsed.file):
        assert 0 <= node.span.start <= node.span.end <= len(text)
        inside = [child.span for child in children(node) if not isinstance(child, Comment)]
        assert all(one.end <= other.start for one, other in pairwise(inside)), node
        assert all(node.span.start <= span.start and span.end <= node.span.end for span in inside), node
    for found in analysis.diagnostics:
        assert found.message
        assert "\n" not in found.message
        assert all(found.help)
        for label in (found.label, *found.related):
            assert 0 <= label.span.start <= label.span.end <= len(text)
            source.place(label.span.start)
    places = [found.label.span.start for found in analysis.diagnostics]
    assert places == sorted(places)


TARGET = Target(
    run=run,
    promise="has a tree whose parts lie inside each other, and problems with a place and a sentence",
    seeds=lambda: files("examples/*.acdl", "tests/golden/**/*.acdl", most_bytes=1500),
    words=acdl(),
    max_bytes=1500,
)

"""An explanation as HTML beside the figure of its spec: what it is, and its statements in words.

`data-acdl="start-end"` is the span of the statement that a sentence is about, as in figures.
"""

from collections.abc import Container, Iterator, Sequence
from html import escape

from acdl_mkdocs.evaluation.explain.model import Explanation, Item
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_visible, mark_code
from acdl_mkdocs.foundation.source import Source


@dataclass(frozen=True, slots=True)
class DrawnLines:
    """The lines of a figure, which sentences link to."""

    source: Source
    """The text that is drawn."""
    figure: str
    """The anchor of the figure."""
    anchors: Container[str]
    """All anchors in it."""

    def write_span(self, item: Item) -> str:
        """Return the attribute with the span of a statement; empty if it is in another file."""
        if item.span is None or item.file != self.source.name:
            return ""
        return f' data-acdl="{item.span.start}-{item.span.end}"'

    def link_line(self, item: Item) -> str:
        """Return a link to the line of a statement; empty if the figure has none."""
        if item.span is None or item.file != self.source.name:
            return ""
        line = self.source.line_index(item.span.start) + 1
        anchor = f"{self.figure}-line-{line}"
        return f' <a href="#{anchor}">line {line}</a>' if anchor in self.anchors else ""


def write(explanations: Sequence[Explanation], lines: DrawnLines) -> str:
    """Return explanations as paragraphs and lists; the examples and the state are left to other formats."""
    return "".join(part for each in explanations for part in _write_explanation(each, lines))


def _write_explanation(explanation: Explanation, lines: DrawnLines) -> Iterator[str]:
    yield f"<p>{_write_text(explanation.summary)}</p>"
    yield _write_list(explanation.items, lines)
    if explanation.unknown:
        unknown = "".join(f"<li>{_write_text(each)}</li>" for each in explanation.unknown)
        yield f"<p>What could not be explained:</p><ul>{unknown}</ul>"


def _write_list(items: Sequence[Item], lines: DrawnLines, *, is_growing: bool = False) -> str:
    listed = "".join(_write_item(each, lines, is_growing=is_growing) for each in items)
    return f"<ul>{listed}</ul>" if listed else ""


def _write_item(item: Item, lines: DrawnLines, *, is_growing: bool) -> str:
    """Write a statement with those inside it; the only piece of a message is part of its sentence.

    Parameters:
        item: The statement.
        lines: The lines of the figure.
        is_growing: Whether something around it grows already.
    """
    inside, text = item.items, item.text
    if item.kind == "message" and len(inside) == 1 and not inside[0].items:
        text, inside = f"{text}: {_describe_item(inside[0], inside[0].text, is_growing=is_growing)}", ()
    sentence = _write_text(_describe_item(item, text, is_growing=is_growing) + (":" if inside else ""))
    nested = _write_list(inside, lines, is_growing=is_growing or bool(item.grows))
    return f"<li><span{lines.write_span(item)}>{sentence}{lines.link_line(item)}</span>{nested}</li>"


def _describe_item(item: Item, text: str, *, is_growing: bool) -> str:
    """Return a statement in words, with its growth and the comment of the author."""
    growth = ""
    for each in () if is_growing else item.grows:
        limit = f" ({each.limit})" if each.limit and each.limit not in each.loop else ""
        growth += f", with {each.what or 'more rounds'} as time goes on{limit}"
    return f"{text}{growth}" + (f" ({item.comment})" if item.comment else "")


def _write_text(text: str) -> str:
    return mark_code(escape(make_visible(text)))

"""Edits of a text that keep its lines tidy: take a statement out, move it, put a block around it."""

from acdl_mkdocs.foundation.diagnostics import TextEdit
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.nodes import Expression, Mark, Node, RoleMessage
from acdl_mkdocs.language.syntax.words import WRITTEN, text_of, words_of

_STEP = "    "
_BLANK = " \t"


def format_expression(node: Expression) -> str:
    """Format an expression in its documented spelling, on one line."""
    return text_of(words_of(node, WRITTEN))


def indent_of(source: Source, offset: int) -> str:
    """Return the white space at the beginning of the line of an offset."""
    line = source.line_text(source.line_index(offset))
    return line[: len(line) - len(line.lstrip())]


def insert_text(offset: int, text: str) -> TextEdit:
    """Insert a text at a place."""
    return TextEdit(Span(offset, offset), text)


def replace_text(span: Span, text: str) -> TextEdit:
    """Replace a text by another."""
    return TextEdit(span, text)


def remove_statement(source: Source, span: Span) -> TextEdit:
    """Remove a statement, with its lines and the comment beside it if they contain nothing else."""
    text = source.text
    start, end = span.start, span.end
    while start and text[start - 1] in _BLANK:
        start -= 1
    line_end = _line_end(text, end)
    rest = text[end:line_end].strip()
    if (start == 0 or text[start - 1] == "\n") and (not rest or rest.startswith(("//", "#"))):
        return TextEdit(Span(start, min(line_end + 1, len(text))), "")
    while end < len(text) and text[end] in _BLANK:
        end += 1
    is_between = 0 < start < span.start and end > span.end
    return TextEdit(Span(start, end), " " if is_between else "")


def indent_statement(source: Source, span: Span, indent: str) -> str:
    """Return the text of a statement with its first line at `indent` and the other lines moved with it."""
    lines = source.text[span.start : span.end].split("\n")
    old = indent_of(source, span.start)
    moved = [indent + line.removeprefix(old) if line.strip() else line for line in lines[1:]]
    return "\n".join([indent + lines[0], *moved])


def wrap_statements(source: Source, span: Span, opening: str = "") -> tuple[TextEdit, ...]:
    """Put `opening`, `{` and `}` around statements, on separate lines, and indent what is between."""
    indent = indent_of(source, span.start)
    first = source.line_index(span.start)
    last = source.line_index(max(span.end - 1, span.start))
    starts = [source.line_starts[index] for index in range(first + 1, last + 1) if source.line_text(index).strip()]
    return (
        insert_text(span.start, f"{opening}{{\n{indent}{_STEP}"),
        *(insert_text(start, _STEP) for start in starts),
        insert_text(span.end, f"\n{indent}}}"),
    )


def _split_head(message: RoleMessage, source: Source) -> tuple[str, int]:
    """Return the head that the message has with braces, and where its content begins."""
    if message.is_braced:
        end = source.text.index("{", message.marker.end) + 1
        return source.text[message.span.start : end], end
    return "N: {", message.body[0].span.start


def move_mark_inside(mark: Mark, message: RoleMessage, source: Source) -> tuple[TextEdit, ...]:
    """Move a mark into the only message that it contains; return nothing if it contains more."""
    if len(mark.body) != 1 or mark.body[0] is not message or not message.body:
        return ()
    opening = source.text.index("{", mark.span.start) + 1
    head, begin = _split_head(message, source)
    edits = [replace_text(Span(mark.span.start, opening), head)]
    inner = source.text[mark.span.start : opening]
    edits.append(replace_text(Span(message.span.start, begin), inner if message.is_braced else f"{inner} "))
    if not message.is_braced:
        edits.append(insert_text(message.span.end, " }"))
    return tuple(edits)


def move_inside(node: Node, message: RoleMessage, source: Source) -> tuple[TextEdit, ...]:
    """Move a statement into the message that follows it, as its first; return nothing if it comes later."""
    if node.span.start > message.span.start or not message.body:
        return ()
    text = source.text[node.span.start : node.span.end]
    indent = indent_of(source, message.body[0].span.start)
    edits = [remove_statement(source, node.span)]
    if message.is_braced:
        edits.append(insert_text(message.body[0].span.start, f"{text}\n{indent}"))
    else:
        edits.append(insert_text(message.body[0].span.start, f"{{\n{indent}    {text}\n{indent}    "))
        edits.append(insert_text(message.span.end, f"\n{indent}}}"))
    return tuple(edits)


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end

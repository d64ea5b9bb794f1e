"""The figure as indented text, in the wording of the reference's rendered output. Two blanks a level.

If there are signs, each line begins with one or with blanks; old and new words are in `[-…-]` and `{+…+}`.
"""

from acdl_mkdocs.drawing.figure.boxes import SIGNS, Box, format_comment, signs_of
from acdl_mkdocs.drawing.formats.box_text import BADGES, DEFINITIONS, header_text, walk_boxes
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.safe_text import make_visible


def write(figure: Box, options: OutputOptions) -> str:
    """Write one line per statement, a blank line before each definition, and the content of a mark inside it."""
    del options  # nothing in the text depends on them
    lines: list[str] = []
    has_signs = bool(signs_of(figure))
    for box, depth, is_beginning in walk_boxes(figure):
        if not depth or not is_beginning:
            continue
        indent = "  " * (depth - 1)
        text = " ".join(filter(None, (_format_header(box), _format_sign_words(box), format_comment(box))))
        if box.kind in DEFINITIONS and lines:
            lines.append("")
        sign = f"{SIGNS.get(box.sign, ''):2}" if has_signs else ""
        lines += [sign + indent + text] if text else []
        if box.kind in BADGES:
            lines.append(" " * len(sign) + indent + BADGES[box.kind])
    return "\n".join(lines) + "\n" if lines else ""


def _format_header(box: Box) -> str:
    """Return the header; one that would read like content gets a word or sign that shows its kind."""
    if box.kind == "mark":
        return f"Mark {header_text(box)}".rstrip()
    return f"{header_text(box)}:" if box.kind == "label" else header_text(box)


def _format_sign_words(box: Box) -> str:
    """Format the words of a sign, separate from those of the box."""
    words = make_visible(box.sign_words).strip() if box.sign_words else ""
    return f"({words})" if words else ""

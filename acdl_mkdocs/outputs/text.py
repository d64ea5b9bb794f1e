"""The figure as indented text, in the wording of the reference's rendered output. Two blanks a level.

Where there are signs, each line begins with one or with blanks; what was and what is stand in `[-…-]` and `{+…+}`.
"""

from acdl_mkdocs.figure.boxes import SIGNS, Box, comment, signs_of
from acdl_mkdocs.figure.metrics import visible
from acdl_mkdocs.outputs.options import OutputOptions
from acdl_mkdocs.outputs.reading import BADGES, DEFINITIONS, header, walk


def write(figure: Box, options: OutputOptions) -> str:
    """One line for each statement; a definition begins after an empty line; a mark's number follows its content."""
    del options  # nothing in the text depends on them
    lines: list[str] = []
    n_marks = 0
    has_signs = bool(signs_of(figure))
    for box, depth, is_beginning in walk(figure):
        indent = "  " * (depth - 1 - n_marks)
        if box.kind == "mark":
            n_marks += 1 if is_beginning else -1
            texts = [" ".join(filter(None, (_told(box), comment(box))))] if is_beginning else [header(box)]
            indent = indent if is_beginning else indent + "  "
        elif is_beginning and depth:
            texts = [" ".join(filter(None, (header(box), _told(box), comment(box))))]
            if box.kind in DEFINITIONS and lines:
                lines.append("")
        else:
            texts = []
        sign = f"{SIGNS.get(box.sign, '') if is_beginning else '':2}" if has_signs else ""
        lines += [sign + indent + text for text in texts if text]
        if is_beginning and box.kind in BADGES:
            lines.append(" " * len(sign) + indent + BADGES[box.kind])
    return "\n".join(lines) + "\n" if lines else ""


def _told(box: Box) -> str:
    """The words of a sign, kept apart from those of the box."""
    words = visible(box.sign_words).strip()
    return f"({words})" if words else ""

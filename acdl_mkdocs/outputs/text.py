"""The figure as indented text, in the wording of the reference's rendered output. Two blanks a level."""

from acdl_mkdocs.figure.boxes import Box, comment
from acdl_mkdocs.outputs.options import OutputOptions
from acdl_mkdocs.outputs.reading import BADGES, DEFINITIONS, header, walk


def write(figure: Box, options: OutputOptions) -> str:
    """One line for each statement; a definition begins after an empty line; a mark's number follows its content."""
    del options  # nothing in the text depends on them
    lines: list[str] = []
    n_marks = 0
    for box, depth, is_beginning in walk(figure):
        indent = "  " * (depth - 1 - n_marks)
        if box.kind == "mark":
            n_marks += 1 if is_beginning else -1
            texts = [comment(box)] if is_beginning else [header(box)]
            indent = indent if is_beginning else indent + "  "
        elif is_beginning and depth:
            texts = [" ".join(filter(None, (header(box), comment(box))))]
            if box.kind in DEFINITIONS and lines:
                lines.append("")
        else:
            texts = []
        lines += [indent + text for text in texts if text]
        if is_beginning and box.kind in BADGES:
            lines.append(indent + BADGES[box.kind])
    return "\n".join(lines) + "\n" if lines else ""

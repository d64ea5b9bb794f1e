"""The indentation of a line while it is typed: after a new line, and after a `}` that closes a block.

What is not finished yet has no normal form; its braces say all that is needed.
"""

from acdl_mkdocs.foundation.diagnostics import TextEdit as PieceEdit
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.places import TextEdit
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.syntax.tokenize import tokenize

CHARACTERS = ("}", "\n")
"""The characters that trigger it."""
_STEP = "    "
_DEPTH = {"{": 1, "}": -1}
_BRACKETS = {"(": 1, "[": 1, ")": -1, "]": -1}


def edits_on_type(workspace: Workspace, uri: str, offset: int, character: str) -> tuple[TextEdit, ...]:
    """Return the edits at the beginning of the cursor's line; none where braces do not determine it.

    Parameters:
        workspace: The documents.
        uri: Of the document.
        offset: Behind what was typed, in code points of the document.
        character: What was typed, one of `CHARACTERS`.
    """
    document = workspace.find_document(uri)
    piece = document.piece_at(offset) if document is not None else None
    at = piece.from_document(offset) if piece is not None else None
    if piece is None or at is None:
        return ()
    text = piece.source.text
    start = text.rfind("\n", 0, at) + 1
    line = text[start:].partition("\n")[0]
    blank = line[: len(line) - len(line.lstrip(" \t"))]
    closes = line[len(blank) :].startswith("}")
    if character == "}" and text[:at].rpartition("\n")[2].strip() != "}":
        return ()
    depth = _count_open_blocks(text, start)
    if depth is None:
        return ()
    width = _STEP * max(depth - closes, 0)
    if width == blank:
        return ()
    return piece.translate_edits([PieceEdit(Span(start, start + len(blank)), width)])


def _count_open_blocks(text: str, start: int) -> int | None:
    """Count the open blocks where a line begins; `None` where that does not determine its indentation."""
    cut = tokenize(text)
    before = [each for each in cut.tokens if each.start < start and each.text]
    spans = [*(Span(each.start, each.end) for each in before), *(each.span for each in cut.comments)]
    is_inside = any(each.start < start < each.end for each in spans)
    has_braces = any(each.text == "{" for each in before)
    if is_inside or not has_braces or sum(_BRACKETS.get(each.text, 0) for each in before) > 0:
        return None
    return None if before[-1].text == ":" else sum(_DEPTH.get(each.text, 0) for each in before)

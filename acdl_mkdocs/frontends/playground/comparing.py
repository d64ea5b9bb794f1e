"""The changes between two texts, as the page shows them."""

from acdl_mkdocs.app.compare import Side, compare
from acdl_mkdocs.compare.formats import text as comparison_text
from acdl_mkdocs.compare.formats.edit_text import summarize_difference
from acdl_mkdocs.compare.formats.figure import draw_sides, draw_unified
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.frontends.playground.params import Data, Params
from acdl_mkdocs.frontends.playground.texts import text_of

_MODES = ("unified", "side-by-side")
_HALF_PX = 420


def diff(params: Params) -> Data:
    """Compare two texts: figure, text and verdict."""
    old, new = text_of(params, "old"), text_of(params, "new")
    difference = compare(Side(old.understood), Side(new.understood))
    is_folded = params.params_in("settings").is_on("fold", default=True)
    mode = new.range
    if params.choice_of("mode", _MODES, "unified") == "unified":
        figures = [_render_svg(draw_unified(difference, is_folded=is_folded, mode=mode), "diff-")]
    else:
        pair = zip(draw_sides(difference, is_folded=is_folded, mode=mode), ("old-", "new-"), strict=True)
        figures = [_render_svg(box, prefix, _HALF_PX) for box, prefix in pair]
    return {
        "svg": figures[0],
        "other": figures[1] if len(figures) > 1 else "",
        "html": "".join(f'<div class="acdl-half">{svg}</div>' for svg in figures) if len(figures) > 1 else figures[0],
        "text": comparison_text.write(difference, CompareOptions()),
        "summary": summarize_difference(difference),
        "isEmpty": difference.is_empty,
        "isEqualSent": difference.is_equal_sent,
        "nEdits": len(difference.edits) + len(difference.comments),
    }


def _render_svg(box: Box, prefix: str, width_px: float | None = None) -> str:
    return OUTPUTS["svg"](box, OutputOptions(id_prefix=prefix, width_px=width_px, standalone=False))

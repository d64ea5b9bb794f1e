"""Compute and draw the difference of a block. Knows the texts that are compared, not where they come from."""

from acdl_mkdocs.compare.formats import text as comparison_text
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.compare.sent.sent import SentDifference
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.frontends.docs.blocks.diff_html import DiffParts, describe_verdict
from acdl_mkdocs.frontends.docs.blocks.diff_options import DiffOptions
from acdl_mkdocs.frontends.docs.blocks.diff_read import DiffText
from acdl_mkdocs.frontends.docs.blocks.diff_trees import difference_of, resolved_side
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.workspace.read_block import Finding

_HALF_PX = 420
"""The widest figure wanted of two side by side."""


def draw_diff(text: DiffText, prefix: str, page: Page) -> tuple[DiffParts | None, list[Finding]]:
    """Return the parts of a difference, and the problems of its texts; no parts for a block without both sides.

    Parameters:
        text: The block.
        prefix: Prefix of the ids in drawings.
        page: Its page.
    """
    if text.sides is None:
        return None, []
    from acdl_mkdocs.compare.formats.figure import draw_sides, draw_unified  # words alone need none of this
    from acdl_mkdocs.frontends.docs.blocks.diff_sent import sent_table

    difference, sent, findings = _compare_sides(text, page)
    options = text.options
    is_folded = options.fold
    svg = ""
    pair = None
    if options.show in ("unified", "all"):
        svg = _render_svg(draw_unified(difference, is_folded=is_folded, mode=options.range), options, prefix)
    if options.show in ("side-by-side", "all"):
        old, new = draw_sides(difference, is_folded=is_folded, mode=options.range)
        pair = (
            _render_svg(old, options, f"{prefix}old-", _HALF_PX),
            _render_svg(new, options, f"{prefix}new-", _HALF_PX),
        )
    words = comparison_text.write(difference, CompareOptions())
    table = sent_table(sent) if sent is not None else ""
    is_same = sent.is_same if sent is not None else None
    return DiffParts(difference, text.sides, svg, pair, words, table, is_same, text.is_unsure, prefix), findings


def plain_text(text: DiffText, page: Page) -> str:
    """Return the verdict and the edits of a block that has both sides."""
    assert text.sides is not None  # noqa: S101 - whoever calls has looked
    difference, sent, _ = _compare_sides(text, page)
    words = comparison_text.write(difference, CompareOptions(sent=sent))
    is_same = sent.is_same if sent is not None else None
    verdict, about = describe_verdict(DiffParts(difference, text.sides, is_same_sent=is_same, is_unsure=text.is_unsure))
    title = f"{text.options.title}\n" if text.options.title else ""
    return f"{title}{verdict}: {about}.\n{words}"


def _compare_sides(text: DiffText, page: Page) -> tuple[Difference, SentDifference | None, list[Finding]]:
    """Return the difference of the specs, and of their messages if there is a state."""
    assert text.sides is not None  # noqa: S101 - whoever calls has looked
    pairs = zip(text.sides, text.others, strict=True)
    old, new = (resolved_side(side, others, page) for side, others in pairs)
    findings: list[Finding] = [(each, side.source) for side in (old, new) for each in side.parsed.diagnostics]
    difference = difference_of(text.sides, (old, new), text.options.range)
    if text.state is None:
        return difference, None, findings
    from acdl_mkdocs.frontends.docs.blocks.diff_sent import compare_messages  # few blocks have a state

    both = compare_messages(text, (old, new))
    return difference, both.difference, [*findings, *both.findings]


def _render_svg(box: Box, options: DiffOptions, prefix: str, width_px: float | None = None) -> str:
    output = OutputOptions(
        id_prefix=prefix,
        theme=options.theme,
        width_px=width_px,
        standalone=False,
        reflows=True,
        title=options.title,
    )
    return OUTPUTS["svg"](box, output)

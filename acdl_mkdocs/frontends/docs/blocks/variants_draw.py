"""The figures of variants, each marked against the base if there is one. Knows texts, not their origin."""

import re
from collections.abc import Iterator, Sequence
from html import escape

from acdl_mkdocs.compare.formats.edit_text import summarize_difference
from acdl_mkdocs.compare.formats.figure import draw_unified
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.drawing.figure.describe import View, describe
from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.frontends.docs.blocks.diff_trees import difference_of, resolved_side, select_side
from acdl_mkdocs.frontends.docs.blocks.variants_read import NOT_MEASURED, MeasureRow, Variant, VariantsText, best_of
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.language.names.resolve import Resolved, resolve
from acdl_mkdocs.workspace.read_block import Finding

_COLUMN_PX = 420
"""The widest figure wanted."""
_NO_ANCHOR = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class VariantColumn:
    """A variant and its figure."""

    variant: Variant
    anchor: str
    svg: str = ""
    """Empty if there is no such spec."""
    summary: str = ""
    """How it differs from the base, in words."""


def draw_columns(text: VariantsText, prefix: str, page: Page) -> tuple[list[VariantColumn], list[Finding]]:
    """Draw the columns of a block in order, and return the problems of the texts.

    Parameters:
        text: The block.
        prefix: Prefix of the ids of the columns and in the drawings.
        page: Its page.
    """
    findings: list[Finding] = []
    base = _find_base(text, page)
    mode = text.options.range
    columns: list[VariantColumn] = []
    for variant, anchor in zip(text.variants, _list_anchors(text, prefix), strict=True):
        if variant.side.source is None:
            columns.append(VariantColumn(variant, anchor))
            continue
        resolved = resolved_side(variant.side, variant.others, page)
        findings += [(each, resolved.source) for each in resolved.parsed.diagnostics]
        if base is None or variant.name == text.base:
            figure = describe(resolve(select_side(resolved.parsed, variant.side.definition)), View(range=mode))
            summary = "the others are marked against it" if base is not None else ""
        else:
            difference = _compare_with_base(text, base, variant, resolved)
            figure = draw_unified(difference, is_folded=text.options.fold, mode=mode)
            summary = summarize_difference(difference)
        output = OutputOptions(
            id_prefix=f"{anchor}-",
            theme=text.options.theme,
            width_px=_COLUMN_PX,
            standalone=False,
            reflows=True,
            title=variant.name,
        )
        columns.append(VariantColumn(variant, anchor, OUTPUTS["svg"](figure, output), summary))
    return columns, findings


def difference_words(text: VariantsText, page: Page) -> list[str]:
    """Return how each variant differs from the base, in one line each."""
    base = _find_base(text, page)
    lines: list[str] = []
    for variant in text.variants:
        summary = ""
        if base is not None and variant.name != text.base and variant.side.source is not None:
            resolved = resolved_side(variant.side, variant.others, page)
            summary = f": {summarize_difference(_compare_with_base(text, base, variant, resolved))}"
        lines.append(f"{variant.name}{summary}")
    return lines


def _list_anchors(text: VariantsText, prefix: str) -> list[str]:
    """Return an anchor for each column, independent of its name."""
    anchors: dict[str, None] = {}
    for variant in text.variants:
        plain = _NO_ANCHOR.sub("-", variant.name).strip("-") or "variant"
        anchor, number = f"{prefix}{plain}", 1
        while anchor in anchors:
            number += 1
            anchor = f"{prefix}{plain}-{number}"
        anchors[anchor] = None
    return list(anchors)


def _find_base(text: VariantsText, page: Page) -> tuple[Variant, Resolved] | None:
    """Return the base of the variants, if it was found."""
    base = next((each for each in text.variants if each.name == text.base and each.side.source is not None), None)
    return None if base is None else (base, resolved_side(base.side, base.others, page))


def _compare_with_base(
    text: VariantsText, base: tuple[Variant, Resolved], variant: Variant, resolved: Resolved
) -> Difference:
    """Compare a variant with the base; different names do not count."""
    before, old = base
    return difference_of((before.side, variant.side), (old, resolved), text.options.range)


_ADDRESS = re.compile(r"https?://[^\s<>\"]+")
_NOTHING = "\u2014"


def variants_element(text: VariantsText, name: str, columns: Sequence[VariantColumn], panel: str) -> str:
    """Render the element of a block.

    Parameters:
        text: The block.
        name: Its anchor.
        columns: The variants in order.
        panel: The problems, as HTML.
    """
    options = text.options
    called = _escape_words(
        options.title or options.caption or ", ".join(each.name for each in text.variants) or "Variants"
    )
    link = f"Link to these variants: {called}"
    classes = " ".join(("acdl", "acdl-variants", *(escape(each) for each in options.classes)))
    html_parts = [
        f'<figure class="{classes}" id="{name}">',
        f'<div class="acdl-title">{_escape_words(options.title)}</div>' if options.title else "",
        panel,
        results_table(text, columns) if text.rows else "",
        _render_figures(text, columns, called) if columns else "",
        f'<a class="acdl-permalink" href="#{name}" title="{link}" aria-label="{link}">#</a>',
        _render_caption(text),
        "</figure>",
    ]
    return "".join(html_parts)


def results_table(text: VariantsText, columns: Sequence[VariantColumn]) -> str:
    """Render the results, one row for each measure; the columns are those of the figures, to which their heads link."""
    anchors = {each.variant.name: each.anchor for each in columns}
    names = [(_escape_words(each.name), anchors.get(each.name, "")) for each in text.variants]
    linked = [f'<a href="#{anchor}">{words}</a>' if anchor else words for words, anchor in names]
    heads = "".join(f'<th scope="col">{words}</th>' for words in linked)
    rows = "".join(_render_row(row, [each.name for each in text.variants]) for row in text.rows)
    called = _escape_words(f"Results{f' of {text.options.title}' if text.options.title else ''}")
    return (
        f'<div class="acdl-results" tabindex="0" role="group" aria-label="{called}"><table class="acdl-values">'
        f'<thead><tr><th scope="col">Result</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _render_row(row: MeasureRow, names: Sequence[str]) -> str:
    best = best_of(row)
    cells = []
    for name in names:
        value = row.values.get(name, "")
        words = _NOTHING if value.lower() in NOT_MEASURED and value != "n/a" else value
        if name in best:
            cells.append(f'<td class="acdl-best"><strong>{_escape_words(words)}</strong> <small>best</small></td>')
        else:
            cells.append(f"<td>{_escape_words(words)}</td>")
    return f'<tr><th scope="row">{_escape_words(row.measure)}</th>{"".join(cells)}</tr>'


def _render_figures(text: VariantsText, columns: Sequence[VariantColumn], called: str) -> str:
    parts = "".join(_render_column(column, text.rows) for column in columns)
    return f'<div class="acdl-columns" tabindex="0" role="group" aria-label="{called}">{parts}</div>'


def _render_column(column: VariantColumn, rows: Sequence[MeasureRow]) -> str:
    side = column.variant.side
    words = _escape_words(column.variant.name)
    title = f'<a href="{escape(side.address)}">{words}</a>' if side.address else words
    values = "".join(f"<li>{each}</li>" for each in _list_values(rows, column.variant.name))
    listed = f'<ul class="acdl-column-results">{values}</ul>' if values else ""
    summary = f'<p class="acdl-column-said">{_escape_words(column.summary)}</p>' if column.summary else ""
    figure = column.svg or "<p>This spec was not found.</p>"
    return (
        f'<div class="acdl-column" id="{column.anchor}" role="group" aria-label="{words}">'
        f'<div class="acdl-column-head"><strong>{title}</strong>{listed}</div>{summary}{figure}</div>'
    )


def _list_values(rows: Sequence[MeasureRow], name: str) -> Iterator[str]:
    for row in rows:
        value = row.values.get(name, "")
        if value.lower() not in NOT_MEASURED:
            is_best = " <small>best</small>" if name in best_of(row) else ""
            yield f"{_escape_words(row.measure)} <b>{_escape_words(value)}</b>{is_best}"


def _render_caption(text: VariantsText) -> str:
    source = _ADDRESS.sub(lambda match: f'<a href="{match[0]}">{match[0]}</a>', _escape_words(text.source))
    parts = [
        _escape_words(text.options.caption),
        f'<span class="acdl-results-source">Results: {source}</span>' if source else "",
    ]
    caption = " ".join(filter(None, parts))
    return f"<figcaption>{caption}</figcaption>" if caption else ""


def _escape_words(text: str) -> str:
    return escape(make_printable(text))

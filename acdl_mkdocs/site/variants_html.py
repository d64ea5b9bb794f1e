"""The element of variants in a page: their results as a table, their figures in columns. Reads no file."""

import re
from collections.abc import Iterator, Sequence
from html import escape

from acdl_mkdocs.site.variants_draw import Column
from acdl_mkdocs.site.variants_read import VariantsText
from acdl_mkdocs.site.variants_results import NOT_MEASURED, Row, best_of
from acdl_mkdocs.workspace.files import printable

_ADDRESS = re.compile(r"https?://[^\s<>\"]+")
_NOTHING = "\u2014"


def variants_element(text: VariantsText, name: str, columns: Sequence[Column], panel: str) -> str:
    """The element of a block.

    Parameters:
        text: The block.
        name: Its anchor.
        columns: The variants in their order.
        panel: What is said of problems, as HTML.
    """
    options = text.options
    called = _words(options.title or options.caption or ", ".join(each.name for each in text.variants) or "Variants")
    link = f"Link to these variants: {called}"
    classes = " ".join(("acdl", "acdl-variants", *(escape(each) for each in options.classes)))
    made = [
        f'<figure class="{classes}" id="{name}">',
        f'<div class="acdl-title">{_words(options.title)}</div>' if options.title else "",
        panel,
        results_table(text, columns) if text.rows else "",
        _figures(text, columns, called) if columns else "",
        f'<a class="acdl-permalink" href="#{name}" title="{link}" aria-label="{link}">#</a>',
        _caption(text),
        "</figure>",
    ]
    return "".join(made)


def results_table(text: VariantsText, columns: Sequence[Column]) -> str:
    """The results, one row for each measure; the columns are those of the figures, to which their heads lead."""
    anchors = {each.variant.name: each.anchor for each in columns}
    names = [(_words(each.name), anchors.get(each.name, "")) for each in text.variants]
    linked = [f'<a href="#{anchor}">{words}</a>' if anchor else words for words, anchor in names]
    heads = "".join(f'<th scope="col">{words}</th>' for words in linked)
    rows = "".join(_row(row, [each.name for each in text.variants]) for row in text.rows)
    called = _words(f"Results{f' of {text.options.title}' if text.options.title else ''}")
    return (
        f'<div class="acdl-results" tabindex="0" role="group" aria-label="{called}"><table class="acdl-values">'
        f'<thead><tr><th scope="col">Result</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _row(row: Row, names: Sequence[str]) -> str:
    best = best_of(row)
    cells = []
    for name in names:
        value = row.values.get(name, "")
        shown = _NOTHING if value.lower() in NOT_MEASURED and value != "n/a" else value
        if name in best:
            cells.append(f'<td class="acdl-best"><strong>{_words(shown)}</strong> <small>best</small></td>')
        else:
            cells.append(f"<td>{_words(shown)}</td>")
    return f'<tr><th scope="row">{_words(row.measure)}</th>{"".join(cells)}</tr>'


def _figures(text: VariantsText, columns: Sequence[Column], called: str) -> str:
    parts = "".join(_column(column, text.rows) for column in columns)
    return f'<div class="acdl-columns" tabindex="0" role="group" aria-label="{called}">{parts}</div>'


def _column(column: Column, rows: Sequence[Row]) -> str:
    side = column.variant.side
    words = _words(column.variant.name)
    title = f'<a href="{escape(side.address)}">{words}</a>' if side.address else words
    values = "".join(f"<li>{each}</li>" for each in _values(rows, column.variant.name))
    listed = f'<ul class="acdl-column-results">{values}</ul>' if values else ""
    said = f'<p class="acdl-column-said">{_words(column.said)}</p>' if column.said else ""
    figure = column.svg or "<p>This spec was not found.</p>"
    return (
        f'<div class="acdl-column" id="{column.anchor}" role="group" aria-label="{words}">'
        f'<div class="acdl-column-head"><strong>{title}</strong>{listed}</div>{said}{figure}</div>'
    )


def _values(rows: Sequence[Row], name: str) -> Iterator[str]:
    for row in rows:
        value = row.values.get(name, "")
        if value.lower() not in NOT_MEASURED:
            is_best = " <small>best</small>" if name in best_of(row) else ""
            yield f"{_words(row.measure)} <b>{_words(value)}</b>{is_best}"


def _caption(text: VariantsText) -> str:
    source = _ADDRESS.sub(lambda found: f'<a href="{found[0]}">{found[0]}</a>', _words(text.source))
    parts = [
        _words(text.options.caption),
        f'<span class="acdl-results-source">Results: {source}</span>' if source else "",
    ]
    said = " ".join(filter(None, parts))
    return f"<figcaption>{said}</figcaption>" if said else ""


def _words(text: str) -> str:
    return escape(printable(text))

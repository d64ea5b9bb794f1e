"""Results that an author gives for variants: rows of values as they were written, and which of them is best.

Takes rows that are read already, from the block or from a CSV file. Knows no YAML and no HTML.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from decimal import Decimal
from typing import Literal

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import closest

Best = Literal["max", "min", "none"]
BEST: tuple[Best, ...] = ("max", "min", "none")

NOT_MEASURED = frozenset(("", "-", "\u2013", "\u2014", "n/a", "null", "~"))
"""What a value may say where there is none."""
_NUMBER = re.compile(
    r"[<>\u2248~\u2264\u2265]?\s*+(?P<sign>[-+\u2212]?)\s*+[$\u20ac\u00a3]?\s*+(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d++(?:\.\d++)?|\.\d++)(?![\d,])"
    r"(?P<power>[eE][-+]?\d{1,3})?(?=\s*$|\s+[^\s\d]|[%\u2030\u00b1([*\u2020\u2021])(?P<unit>\s*(?:[%\u2030]|[^\W\d_]+))?"
)
"""Nothing but its unit may follow a number at once, since `1 234`, `1.5k` and `0x10` are others than 1, 1.5 and 0."""
_DELIMITERS = ",;\t"


@dataclass(frozen=True, slots=True)
class Row:
    """One measure with a value for each variant."""

    measure: str
    values: Mapping[str, str]
    """By the name of the variant, as the author wrote them; nothing for those without a value."""
    best: Best = "max"
    places: Mapping[str, Span] = field(default_factory=dict)
    """Where each value stands."""
    span: Span = field(default_factory=lambda: Span(0, 0))
    is_asked: bool = False
    """Whether this row says itself what is best."""


def best_of(row: Row) -> frozenset[str]:
    """The variants with the best value: several if they are equal, none if fewer than two have a number.

    None either where what a value comes to is not sure.
    """
    if doubtful(row):
        return frozenset()
    numbers = {name: found for name, value in row.values.items() if (found := number_in(value)) is not None}
    if row.best == "none" or len(numbers) < 2:
        return frozenset()
    best = max(numbers.values()) if row.best == "max" else min(numbers.values())
    if len(set(numbers.values())) == 1:
        return frozenset()  # then nothing is better than another
    return frozenset(name for name, value in numbers.items() if value == best)


def number_in(value: str) -> Decimal | None:
    """The number that a value begins with: 77.53 of `77.53 %` and of `77.53 ± 0.4`."""
    found = _NUMBER.match(value.strip())
    if found is None:
        return None
    sign = "-" if found["sign"] in ("-", "\u2212") else ""
    return Decimal(f"{sign}{found['digits'].replace(',', '')}{found['power'] or ''}")


def doubtful(row: Row) -> str:
    """The first value that begins with digits and cannot be compared with those before it; empty if there is none."""
    units: set[str] = set()
    for value in row.values.values():
        found = _NUMBER.match(value.strip())
        if found is None and re.match(r"\W{0,3}\d", value.strip()):
            return value
        units |= {(found["unit"] or "").strip()} if found else set()
        if len(units) > 1:
            return value
    return ""


def row_problems(rows: Sequence[Row], names: Sequence[str]) -> Iterator[Diagnostic]:
    """Values of variants that the block does not show, missing ones, and rows without a number to compare."""
    for row in rows:
        for name in row.values:
            if name not in names:
                near = closest(name, names)
                listed = ", ".join(f"`{each}`" for each in names)
                cure = f"did you mean `{near}`?" if near else f"the variants of this block are {listed}"
                label = Label(row.places.get(name, row.span), "no column has this name")
                yield error("unknown-column", f"the results name `{name}`, which is no variant here", label, help=cure)
        missing = [name for name in names if name not in row.values]
        if missing:
            listed = ", ".join(f"`{each}`" for each in missing)
            message = f"`{row.measure}` has no value for {listed}"
            cure = f"add one, or say that there is none: `{missing[0]}: n/a`"
            yield warning("missing-result", message, Label(row.span, "this row is not complete"), help=cure)
        if row.best != "none" and (value := doubtful(row)):
            places = [row.places.get(name, row.span) for name, each in row.values.items() if each == value]
            label = Label(places[0], "compared with the others")
            message = f"`{row.measure}`: `{value}` is no number like the others, so none is marked as best"
            cures = ("write plain numbers such as `1234.5`, all with the same unit", "or say `best: none`")
            yield warning("missing-result", message, label, help=cures)
        elif (
            row.is_asked and row.best != "none" and not any(number_in(each) is not None for each in row.values.values())
        ):
            label = Label(row.span, f"`best: {row.best}` looks for a number")
            message = f"`{row.measure}` has no number, so none is best"
            yield warning("missing-result", message, label, help="write `best: none`")


@dataclass(frozen=True, slots=True)
class Table:
    """What a CSV file says."""

    rows: tuple[Row, ...] = ()
    problems: tuple[Diagnostic, ...] = ()


def rows_of_csv(source: Source, names: Sequence[str], best: Mapping[str, Best], usual: Best) -> Table:
    """The rows of a CSV file: variants in columns and measures in rows, or the other way round.

    Parameters:
        source: The file.
        names: Of the variants.
        best: What is best, by the name of the measure.
        usual: What is best in all others.
    """
    lines = source.text.split("\n")
    delimiter = max(_DELIMITERS, key=lines[0].count)
    try:
        cells = [[cell.strip() for cell in line] for line in csv.reader(io.StringIO(source.text), delimiter=delimiter)]
    except csv.Error as reason:
        return Table((), (_unusable(source, f"is no CSV file: {reason}"),))
    cells = [line for line in cells if any(line)]
    if len(cells) < 2 or len(cells[0]) < 2:
        return Table((), (_unusable(source, "has no results: a header and a row are needed"),))
    if not set(cells[0][1:]) & set(names) and {line[0] for line in cells[1:]} & set(names):
        width = max(map(len, cells))
        cells = [list(column) for column in zip(*([*line, *[""] * (width - len(line))] for line in cells), strict=True)]
    heads, rows, problems = cells[0][1:], [], []
    for line in cells[1:]:
        at = source.text.find(line[0]) if line[0] else 0
        span = Span(max(at, 0), max(at, 0) + len(line[0]))
        if len(line) - 1 > len(heads):
            problems.append(_unusable(source, f"has more values than columns in the row `{line[0]}`", span))
        values = {name: value for name, value in zip(heads, line[1:], strict=False) if name}
        rows.append(Row(line[0], values, best.get(line[0], usual), {}, span, line[0] in best))
    return Table(tuple(rows), tuple(problems))


def _unusable(source: Source, what: str, span: Span | None = None) -> Diagnostic:
    cure = "begin it with a line such as `measure,Var1,Var2`, and give each measure a line"
    return error("unusable-results", f"`{source.name}` {what}", Label(span or Span(0, 0), "read here"), help=cure)

"""An `acdl-variants` block as read: YAML with the variants, their base, and their results.

Draws nothing; most builds take the drawing from a cache.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from decimal import Decimal
from pathlib import Path
from typing import Literal

from acdl_mkdocs.evaluation.state.entries import Entries, Entry
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.foundation.yaml.nodes import Scalar, YamlList, YamlMap, describe_value
from acdl_mkdocs.foundation.yaml.read import read_yaml
from acdl_mkdocs.frontends.docs.blocks.diff_sides import DiffSide, levels_of, side_of
from acdl_mkdocs.frontends.docs.blocks.variants_options import VariantsOptions, read_variants_header
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.workspace.catalog import Levels
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.files import include_file
from acdl_mkdocs.workspace.myst import move_options
from acdl_mkdocs.workspace.read_block import Finding, find_defined_names
from acdl_mkdocs.workspace.used_files import list_definitions

Best = Literal["max", "min", "none"]
BEST: tuple[Best, ...] = ("max", "min", "none")

NOT_MEASURED = frozenset(("", "-", "\u2013", "\u2014", "n/a", "null", "~"))
"""Values that mean that there is no measurement."""
_NUMBER = re.compile(
    r"[<>\u2248~\u2264\u2265]?\s*+(?P<sign>[-+\u2212]?)\s*+[$\u20ac\u00a3]?\s*+(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d++(?:\.\d++)?|\.\d++)(?![\d,])"
    r"(?P<power>[eE][-+]?\d{1,3})?(?=\s*$|\s+[^\s\d]|[%\u2030\u00b1([*\u2020\u2021])(?P<unit>\s*(?:[%\u2030]|[^\W\d_]+))?"
)
"""Only a unit may directly follow a number, since `1 234`, `1.5k` and `0x10` are not 1, 1.5 and 0."""
_DELIMITERS = ",;\t"


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """One measure with a value for each variant."""

    measure: str
    values: Mapping[str, str]
    """The values as written, by the name of the variant; variants without a value are missing."""
    best: Best = "max"
    places: Mapping[str, Span] = field(default_factory=dict)
    """The place of each value."""
    span: Span = field(default_factory=lambda: Span(0, 0))
    is_asked: bool = False
    """Whether this row itself sets which values are best."""


def best_of(row: MeasureRow) -> frozenset[str]:
    """Return the variants with the best value: several if they are equal, none if fewer than two have a number.

    None either if the number of a value is not sure.
    """
    if find_doubtful_value(row):
        return frozenset()
    numbers = {name: number for name, value in row.values.items() if (number := number_in(value)) is not None}
    if row.best == "none" or len(numbers) < 2:
        return frozenset()
    best = max(numbers.values()) if row.best == "max" else min(numbers.values())
    if len(set(numbers.values())) == 1:
        return frozenset()  # then nothing is better than another
    return frozenset(name for name, value in numbers.items() if value == best)


def number_in(value: str) -> Decimal | None:
    """Return the number that a value begins with: 77.53 of `77.53 %` and of `77.53 ± 0.4`."""
    match = _NUMBER.match(value.strip())
    if match is None:
        return None
    sign = "-" if match["sign"] in ("-", "\u2212") else ""
    return Decimal(f"{sign}{match['digits'].replace(',', '')}{match['power'] or ''}")


def find_doubtful_value(row: MeasureRow) -> str:
    """Return the first value with leading digits that cannot be compared with those before; empty if there is none."""
    units: set[str] = set()
    for value in row.values.values():
        match = _NUMBER.match(value.strip())
        if match is None and re.match(r"\W{0,3}\d", value.strip()):
            return value
        units |= {(match["unit"] or "").strip()} if match else set()
        if len(units) > 1:
            return value
    return ""


def row_problems(rows: Sequence[MeasureRow], names: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield problems: values of variants that are not shown, missing ones, and rows without a number to compare."""
    for row in rows:
        for name in row.values:
            if name not in names:
                near = find_closest(name, names)
                listed = ", ".join(f"`{each}`" for each in names)
                cure = f"did you mean `{near}`?" if near else f"the variants of this block are {listed}"
                label = Label(row.places.get(name, row.span), "no column has this name")
                yield error(
                    "unknown-column", f"the results name `{name}`, which is not a variant here", label, help=cure
                )
        missing = [name for name in names if name not in row.values]
        if missing:
            listed = ", ".join(f"`{each}`" for each in missing)
            message = f"`{row.measure}` has no value for {listed}"
            cure = f"add one, or say that there is none: `{missing[0]}: n/a`"
            yield warning("missing-result", message, Label(row.span, "this row is not complete"), help=cure)
        if row.best != "none" and (value := find_doubtful_value(row)):
            places = [row.places.get(name, row.span) for name, each in row.values.items() if each == value]
            label = Label(places[0], "compared with the others")
            message = f"`{row.measure}`: `{value}` is not a number like the others, so none is marked as best"
            cures = ("write plain numbers such as `1234.5`, all with the same unit", "or say `best: none`")
            yield warning("missing-result", message, label, help=cures)
        elif (
            row.is_asked and row.best != "none" and not any(number_in(each) is not None for each in row.values.values())
        ):
            label = Label(row.span, f"`best: {row.best}` looks for a number")
            message = f"`{row.measure}` has no number, so none is best"
            yield warning("missing-result", message, label, help="write `best: none`")


@dataclass(frozen=True, slots=True)
class CsvTable:
    """The contents of a CSV file."""

    rows: tuple[MeasureRow, ...] = ()
    problems: tuple[Diagnostic, ...] = ()


def rows_of_csv(source: Source, names: Sequence[str], best: Mapping[str, Best], usual: Best) -> CsvTable:
    """Read the rows of a CSV file: variants in columns and measures in rows, or the other way round.

    Parameters:
        source: The file.
        names: Of the variants.
        best: Which values are best, by the name of the measure.
        usual: Which values are best in all others.
    """
    lines = source.text.split("\n")
    delimiter = max(_DELIMITERS, key=lines[0].count)
    try:
        cells = [[cell.strip() for cell in line] for line in csv.reader(io.StringIO(source.text), delimiter=delimiter)]
    except csv.Error as reason:
        return CsvTable((), (_unusable_results(source, f"is not a CSV file: {reason}"),))
    cells = [line for line in cells if any(line)]
    if len(cells) < 2 or len(cells[0]) < 2:
        return CsvTable((), (_unusable_results(source, "has no results: a header and a row are needed"),))
    if not set(cells[0][1:]) & set(names) and {line[0] for line in cells[1:]} & set(names):
        width = max(map(len, cells))
        cells = [list(column) for column in zip(*([*line, *[""] * (width - len(line))] for line in cells), strict=True)]
    heads, rows, problems = cells[0][1:], [], []
    for line in cells[1:]:
        at = source.text.find(line[0]) if line[0] else 0
        span = Span(max(at, 0), max(at, 0) + len(line[0]))
        if len(line) - 1 > len(heads):
            problems.append(_unusable_results(source, f"has more values than columns in the row `{line[0]}`", span))
        values = {name: value for name, value in zip(heads, line[1:], strict=False) if name}
        rows.append(MeasureRow(line[0], values, best.get(line[0], usual), {}, span, line[0] in best))
    return CsvTable(tuple(rows), tuple(problems))


def _unusable_results(source: Source, what: str, span: Span | None = None) -> Diagnostic:
    cure = "begin it with a line such as `measure,Var1,Var2`, and give each measure a line"
    return error("unusable-results", f"`{source.name}` {what}", Label(span or Span(0, 0), "read here"), help=cure)


PROBLEM = "unreadable-variants"
_KEYS = ("specs", "base", "results", "best", "caption", "source", "title")
_ROW_KEYS = ("measure", "best", "values")
_BEGIN = "name the variants: `specs: [Var1, Var2]`"


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant of a block."""

    name: str
    """The name in the block, which results refer to."""
    side: DiffSide
    span: Span
    others: Levels = ()
    """The other texts from which its text takes fragments."""


@dataclass(frozen=True, slots=True)
class VariantsText:
    """A block that has been read."""

    opening: Source
    body: Source
    options: VariantsOptions
    variants: tuple[Variant, ...] = ()
    base: str = ""
    """Name of the base; empty for none."""
    rows: tuple[MeasureRow, ...] = ()
    source: str = ""
    """Where the results are from."""
    findings: tuple[Finding, ...] = ()
    files: tuple[Path, ...] = ()
    id_span: Span = field(default_factory=lambda: Span(0, 0))

    @property
    def requested_id(self) -> str:
        """The requested anchor."""
        return self.options.id

    def get_option_span(self, option: str) -> Span:
        """Return the place of its `id`, else that of all options."""
        return self.id_span if option == "id" else Span(0, len(self.opening.text))


def read_variants(fence: Fence, page: Page) -> VariantsText:
    """Read a block.

    Parameters:
        fence: The fence as the tool found it.
        page: Its page, which knows the specs of the site.
    """
    located, name = page.locate_fence(fence)
    located = move_options(located)
    opening = Source(make_printable(located.opening), name, located.first + 1, len(located.prefix) + 1)
    defaults = page.settings.defaults
    header = read_variants_header(opening, VariantsOptions(range=defaults.range, theme=defaults.theme))
    problems = list(header.diagnostics)
    opening_span = Span(0, len(opening.text))
    if not located.is_closed:
        label = Label(opening_span, "no end was found for this block")
        problems.append(error("unclosed-fence", "the block is not closed", label, help=located.how_to_close))
    body = Source(make_printable(located.text), name, located.first + 2, located.column, located.inside)
    read = _VariantsReader(body, page)
    text = read.read_block(header.options)
    findings = (*((each, opening) for each in problems), *((each, body) for each in read.list_problems()), *read.found)
    id_span = dict(header.places).get("id", opening_span)
    return replace(text, opening=opening, findings=findings, files=tuple(read.files), id_span=id_span)


def _suggest_name(name: str, names: Sequence[str]) -> str:
    """Return the help for a name that is not one of the names."""
    near = find_closest(name, names)
    return f"did you mean `{near}`?" if near else f"name one of them: {', '.join(f'`{each}`' for each in names)}"


class _VariantsReader:
    """The YAML of one block."""

    def __init__(self, body: Source, page: Page) -> None:
        self.body, self.page = body, page
        self.entries = Entries(body, None)
        self.problems: list[Diagnostic] = []
        self.found: list[Finding] = []
        """Problems of other files."""
        self.files: list[Path] = []
        self.is_from_file = False
        """Whether the results are in a file, whose problems are reported there."""
        self.best_places: dict[str, Span] = {}
        """The places of the measures that `best` names."""

    def list_problems(self) -> list[Diagnostic]:
        """Return all problems of the block, in the order of its lines."""
        prefix = "the file "
        own = [
            replace(each, rule=PROBLEM, message=each.message.replace(prefix, "the block ", 1))
            if each.message.startswith(prefix)
            else replace(each, rule=PROBLEM)
            for each in self.entries.problems
        ]
        return sorted((*own, *self.problems), key=lambda each: each.label.span.start)

    def read_block(self, options: VariantsOptions) -> VariantsText:
        """Read the contents of the block."""
        read = read_yaml(self.body)
        self.problems += [replace(each, rule=PROBLEM) for each in read.problems]
        empty = VariantsText(self.body, self.body, options)
        top = Entry(read.root or Scalar("", 0, 0), "", Span(0, 0))
        if not isinstance(read.root, YamlMap):
            if not read.problems:
                what = "is empty" if read.root is None else f"is {describe_value(read.root)}, and a map is needed"
                self.entries.report_problem(top, what, _BEGIN)
            return empty
        entries = self.entries.read_known_keys(top, _KEYS, needed=("specs",))
        variants = self._read_variants(entries["specs"]) if "specs" in entries else ()
        names = [each.name for each in variants]
        texts = {
            key: self.entries.read_text(entries[key]) or "" for key in ("caption", "source", "title") if key in entries
        }
        rows = self._read_rows(entries, names)
        self.problems += row_problems(rows, names) if not self.is_from_file else ()
        return replace(
            empty,
            options=replace(
                options, caption=texts.get("caption", options.caption), title=texts.get("title", options.title)
            ),
            variants=variants,
            base=self._read_base(entries["base"], names) if "base" in entries else "",
            rows=tuple(replace(row, values={n: v for n, v in row.values.items() if n in names}) for row in rows),
            source=texts.get("source", ""),
        )

    # -------------------------------------------------------------------------------------------------------- variants

    def _read_variants(self, entry: Entry) -> tuple[Variant, ...]:
        items = self.entries.read_items(entry) or []
        if not items and isinstance(entry.node, (YamlList, Scalar)):
            self.entries.report_problem(entry, "names no variant", _BEGIN)
        named_sides: list[tuple[Entry, str, str, DiffSide]] = []
        for each in items:
            name, spec = self._read_names(each)
            if spec:
                side = side_of(spec, each.span, self.body, self.page)
                self.problems += side.problems
                self.files += side.files
                named_sides.append((each, name, spec, side))
        counts = Counter(_name_variant(*each[1:]) for each in named_sides)
        variants: dict[str, Variant] = {}
        for each, name, spec, side in named_sides:
            called = _name_variant(name, spec, side)
            called = called if counts[called] == 1 else name or spec.rpartition("#")[2] or spec
            if called in variants:
                cure = "keep one, or give one another name: `- {spec: Var1, name: first}`"
                self.entries.report_problem(each, f"is `{called}` again", cure)
                continue
            others, unknown = levels_of(side, self.page)
            if side.source is not None:
                self.found += [(problem, side.source) for problem in (*side.use_problems, *unknown)]
            variants[called] = Variant(called, side, each.span, others)
        return tuple(variants.values())

    def _read_names(self, entry: Entry) -> tuple[str, str]:
        """Return the name of a variant in the block, if there is one, and its spec."""
        if not isinstance(entry.node, YamlMap):
            return "", self.entries.read_text(entry) or ""
        entries = self.entries.read_known_keys(entry, ("spec", "name"), needed=("spec",))
        spec = (self.entries.read_text(entries["spec"]) or "") if "spec" in entries else ""
        return (self.entries.read_text(entries["name"]) or "") if "name" in entries else "", spec

    def _read_base(self, entry: Entry, names: Sequence[str]) -> str:
        name = self.entries.read_text(entry)
        if name is None or name in names:
            return name or ""
        label, cure = Label(entry.span, "the others are to be marked against it"), _suggest_name(name, names)
        self.problems.append(error("unknown-column", f"`{name}` is not a variant of this block", label, help=cure))
        return ""

    # --------------------------------------------------------------------------------------------------------- results

    def _read_rows(self, entries: dict[str, Entry], names: Sequence[str]) -> list[MeasureRow]:
        usual, best = self._read_best(entries["best"]) if "best" in entries else ("max", {})
        rows = self._read_results(entries.get("results"), names, usual, best)
        measures = [each.measure for each in rows]
        for measure in best if rows else ():
            if measure not in measures:
                label, cure = Label(self.best_places[measure], "no row has this name"), _suggest_name(measure, measures)
                self.problems.append(error("unknown-column", f"the results have no `{measure}`", label, help=cure))
        return rows

    def _read_results(
        self, entry: Entry | None, names: Sequence[str], usual: Best, best: dict[str, Best]
    ) -> list[MeasureRow]:
        if entry is None:
            return []
        if isinstance(entry.node, YamlList):
            return [
                row
                for each in self.entries.read_items(entry) or []
                if (row := self._read_listed_row(each, usual, best))
            ]
        pairs = self.entries.read_pairs(entry) or []
        if [each.key for each in pairs] == ["file"] and isinstance(pairs[0].node, Scalar):
            return self._from_file(pairs[0], names, usual, best)
        return [self._read_row(each.key, each, usual, best, each.name_span) for each in pairs]

    def _read_best(self, entry: Entry) -> tuple[Best, dict[str, Best]]:
        """Return which values are best by default, and for some rows by name."""
        if not isinstance(entry.node, YamlMap):
            return self._read_choice(entry) or "max", {}
        pairs = self.entries.read_pairs(entry) or []
        self.best_places = {each.key: each.name_span for each in pairs}
        choices = {each.key: self._read_choice(each) for each in pairs}
        return "max", {name: word for name, word in choices.items() if word}

    def _read_choice(self, entry: Entry) -> Best | None:
        word = self.entries.read_choice(entry, BEST)
        return next((each for each in BEST if each == word), None)

    def _read_listed_row(self, entry: Entry, usual: Best, best: dict[str, Best]) -> MeasureRow | None:
        """Read a row of a list: `{measure: Success, best: max, values: {Var1: 74.68}}`."""
        if not isinstance(entry.node, YamlMap):
            self.entries.report_problem(
                entry, f"is {describe_value(entry.node)}", "write `measure: …`, and `values: {Var1: 1.5}` below it"
            )
            return None
        entries = self.entries.read_known_keys(entry, _ROW_KEYS, needed=("measure", "values"))
        if "measure" not in entries or "values" not in entries:
            return None
        measure = self.entries.read_text(entries["measure"]) or ""
        own = self._read_choice(entries["best"]) if "best" in entries else None
        row = self._read_row(measure, entries["values"], own or usual, {} if own else best, entries["measure"].span)
        return replace(row, is_asked=True) if own else row

    def _read_row(self, measure: str, entry: Entry, usual: Best, best: dict[str, Best], span: Span) -> MeasureRow:
        values: dict[str, str] = {}
        places: dict[str, Span] = {}
        for each in self.entries.read_pairs(entry) or []:
            places[each.key] = each.name_span
            if isinstance(each.node, Scalar):
                values[each.key] = each.node.text.strip()  # as it was written: 54.40 stays 54.40
            else:
                self.entries.report_problem(
                    each, f"is {describe_value(each.node)}, and a value is needed", "write a number or a word"
                )
        return MeasureRow(measure, values, best.get(measure, usual), places, span, measure in best)

    def _from_file(self, entry: Entry, names: Sequence[str], usual: Best, best: dict[str, Best]) -> list[MeasureRow]:
        """Read the rows of a CSV file of the project."""
        name = self.entries.read_text(entry) or ""
        included = include_file(name, self.body, self.page.root)
        self.files += [included.path] if included.path else []
        self.problems += [replace(each, label=replace(each.label, span=entry.span)) for each in included.diagnostics]
        if included.source is None:
            return []
        table = rows_of_csv(included.source, names, best, usual)
        problems = (*table.problems, *row_problems(table.rows, names))
        self.found += [(each, included.source) for each in problems]
        self.is_from_file = True
        return list(table.rows)


def _name_variant(name: str, spec: str, side: DiffSide) -> str:
    """Return the name of a variant: as in the block, else that of its spec, optional in a file with one spec."""
    behind = spec.rpartition("#")[2] if "#" in spec else ""
    if name or behind or side.source is None or side.definition:
        return name or behind or spec
    fragments = list_definitions(side.source.text)
    specs = [each for each in find_defined_names(side.source.text) if each not in fragments]
    return specs[0] if len(specs) == 1 else spec

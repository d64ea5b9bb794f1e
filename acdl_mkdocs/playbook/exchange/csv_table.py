"""Bullets as a table (CSV, RFC 4180) for spreadsheets: every bullet is a row, including archived ones.

A cell that a spreadsheet would run as a formula is written with a leading apostrophe, which reading removes, so nothing
is lost. Name, revision, policy and pairs of the playbook are not in the table.
"""

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from acdl_mkdocs.foundation.errors import PlaybookDataError
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.playbook.exchange.read_lessons import MAX_DIGITS, Problem, ReadDraft, ReadPlaybook
from acdl_mkdocs.playbook.model.bullets import COUNTERS, Bullet, Playbook
from acdl_mkdocs.playbook.model.plain import bullet_of, source_data
from acdl_mkdocs.prompts.prompt import Json

_TITLE = "section_title"
COLUMNS = tuple(
    name for each in fields(Bullet) for name in ((each.name, _TITLE) if each.name == "section" else (each.name,))
)
_COUNTS = frozenset((*COUNTERS, "added", "updated"))
_FACTS = frozenset(("pinned", "publish", "send"))
_LISTS = frozenset(("applies_to", "aliases", "source"))
_FORMULA = re.compile(r"'*\s*[=+\-@\t\r\n＝＋－＠]")
"""Text that a spreadsheet may run as a formula, also after blanks and apostrophes."""


def write(playbook: Playbook) -> str:
    """Write the table, with a header row; lines end as the RFC requires."""
    titles = {section.id: section.title for section in playbook.sections}
    out = io.StringIO(newline="")
    rows = csv.writer(out, lineterminator="\r\n")
    rows.writerow(COLUMNS)
    for bullet in playbook.bullets:
        cells = {name: _cell(name, getattr(bullet, name, None)) for name in COLUMNS}
        cells[_TITLE] = titles.get(bullet.section, "")
        rows.writerow([_guard_formula(cells[name]) for name in COLUMNS])
    return out.getvalue()


def _cell(name: str, value: Any) -> str:
    if value is None or value == ():
        return ""
    if name == "source":
        return json.dumps([source_data(each) for each in value], ensure_ascii=False)
    if isinstance(value, tuple):
        return json.dumps(list(value), ensure_ascii=False)
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _guard_formula(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _unguard_formula(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def read(text: str) -> ReadPlaybook:
    """Read the bullets of a table. Only the column `content` is required; columns may be in any order."""
    text = text.removeprefix("\ufeff")
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)  # spreadsheets use the separator of the locale
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    draft = ReadDraft()
    line = 1
    try:
        names = [name.strip().lower() for name in next(rows, [])]
        if "content" not in names:
            return ReadPlaybook(
                None, (Problem(1, "there is no column `content`", f"the columns are {', '.join(COLUMNS)}"),)
            )
        twice = next((name for name in COLUMNS if names.count(name) > 1), None)
        if twice:
            return ReadPlaybook(None, (Problem(1, f"the column `{twice}` is there twice", "remove one of them"),))
        _report_unknown(names, draft)
        line = rows.line_num + 1
        for row in rows:
            if any(cell.strip() for cell in row):
                _add_row(row, names, line, draft)
            line = rows.line_num + 1
    except csv.Error as fault:
        draft.report_problem(line, f"is not a row of a table: {fault}; what follows is left out")
    return draft.build_result()


def _report_unknown(names: list[str], draft: ReadDraft) -> None:
    """Report columns that are ignored."""
    for name in names:
        if name and name not in COLUMNS:
            near = find_closest(name, COLUMNS)
            hint = f"did you mean `{near}`?" if near else ""
            draft.report_problem(1, f"the column `{name[:80]}` is not known and left out", hint, is_note=True)


def _add_row(row: list[str], names: list[str], line: int, draft: ReadDraft) -> None:
    """Add the bullet of a row to the draft, if the row has a cell for each column."""
    if len(row) < len(names) or any(cell.strip() for cell in row[len(names) :]):
        counted = "1 cell" if len(row) == 1 else f"{len(row)} cells"
        cure = "put quotes around cells with a delimiter, and leave cells empty that say nothing"
        draft.report_problem(line, f"left out: has {counted}, and there are {len(names)} columns", cure)
        return
    _add_bullet(dict(zip(names, map(_unguard_formula, row), strict=False)), line, draft)


def _add_bullet(row: Mapping[str, str], line: int, draft: ReadDraft) -> None:
    """Add the bullet of a row to the draft."""
    section, title = row.get("section", "").strip(), row.get(_TITLE, "").strip()
    data: dict[str, Json] = {"section": "x", "id": "x", "content": row["content"]}
    for name in COLUMNS:
        cell = row.get(name, "").strip()
        if cell and name not in ("id", "section", _TITLE, "content"):
            data[name] = _parse_cell(name, cell)
    try:
        bullet = bullet_of(data)
        home = draft.choose_section(section, title, line)
    except PlaybookDataError as fault:
        draft.report_problem(line, f"left out: {fault}")
        return
    values = {each.name: getattr(bullet, each.name) for each in fields(Bullet)}
    draft.add_bullet(Bullet(**{**values, "id": row.get("id", "").strip(), "section": home}), line)


def _parse_cell(name: str, cell: str) -> Json:
    """Parse the value of a cell; return the cell itself if it is invalid, which the reader then reports."""
    if name in _COUNTS and cell.isascii() and cell.isdigit() and len(cell) <= MAX_DIGITS:
        return int(cell)
    if name in _FACTS and cell.lower() in ("true", "false"):
        return cell.lower() == "true"
    if name in _LISTS:
        try:
            value: Json = json.loads(cell)
        except (ValueError, RecursionError):
            return cell
        return value
    return cell

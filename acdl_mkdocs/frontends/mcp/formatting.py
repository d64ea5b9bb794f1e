"""The tool `format`: specs in their normal form."""

from acdl_mkdocs.frontends.mcp.answers import MAX_CHARACTERS, Answer, CallError, Data
from acdl_mkdocs.frontends.mcp.arguments import Given
from acdl_mkdocs.frontends.mcp.folders import Folders, FoundPath
from acdl_mkdocs.frontends.mcp.schemas import FLAG, STRING, TEXT_OR_NULL, with_problems
from acdl_mkdocs.frontends.mcp.texts import (
    MODES,
    PAGES,
    SPECS,
    errors_of,
    named_texts,
    problem_data,
    problem_text,
    read_specs,
)
from acdl_mkdocs.frontends.mcp.tool import LINES, PATH, RANGE, TEXT, WRITE, Tool
from acdl_mkdocs.language.analyse import format_analysed
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.page_edits import format_page
from acdl_mkdocs.workspace.page_kinds import kind_at
from acdl_mkdocs.workspace.read_block import Finding

_ABOUT = (
    "Write ACDL in its normal form; what it means stays the same. Give `text`, or `path` of a file: of a page, its "
    "acdl blocks are formatted. A definition that holds an error comes back as it is, with the error. `write: true` "
    "changes the file."
)


def _run(given: Given, folders: Folders) -> Answer:
    before, after, findings = _formatted(given, folders)
    is_formatted = not errors_of(findings)
    written = ""
    if given.flag("write"):
        path = given.text("path")
        if path is None:
            raise CallError("`write` needs `path`", "name the file, or write the text of the answer yourself")
        written = folders.write(path, after, SPECS + PAGES) if after != before else ""
    data: Data = {
        "text": after if len(after) <= 2 * MAX_CHARACTERS else None,
        "is_changed": after != before,
        "is_formatted": is_formatted,
        "written": written,
    }
    notes = "" if after != before else "this is the normal form already"
    if not is_formatted:
        left = "definitions with errors are left as they are; the others are formatted"
        said = left if after != before else "nothing is formatted: solve the errors first"
        text = f"\n\n{after}" if after != before and not written else ""
        return Answer(f"{said}\n\n{problem_text(findings)}{text}", data=data | problem_data(findings))
    return Answer(f"{written} is formatted" if written else after, notes, data | problem_data(findings))


def _formatted(given: Given, folders: Folders) -> tuple[str, str, tuple[Finding, ...]]:
    """Return a text before and after formatting, and its syntax errors."""
    path = given.text("path")
    place = folders.file(path, SPECS + PAGES) if path is not None and given.text("text") is None else None
    if place is not None and place.path.suffix.lower() in PAGES:
        return _page(place, folders, given.text("range"))
    (only,) = named_texts(given, folders)[0]
    source = only.block.source
    made = format_analysed(only.analysed(), None, only.range)
    return source.text, made.text, tuple((each, source) for each in made.diagnostics)


def _page(place: FoundPath, folders: Folders, mode: str | None) -> tuple[str, str, tuple[Finding, ...]]:
    texts = read_specs(place, folders, mode)
    text = folders.read(place)
    reading = texts[0].range if texts else MODES[mode or "half-open"]
    options, kind = BlockOptions(range=reading), kind_at(place.path)
    page = format_page(text, place.name, options, None, lambda number: texts[number].analysed(), kind)
    return text, page.text, page.findings


TOOL = Tool(
    "format",
    "Format ACDL specs",
    _ABOUT,
    (TEXT, PATH, RANGE, WRITE, LINES),
    with_problems({"text": TEXT_OR_NULL, "is_changed": FLAG, "is_formatted": FLAG, "written": STRING}),
    _run,
    can_write=True,
)

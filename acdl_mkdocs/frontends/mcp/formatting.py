"""The tool `format`: specs in their normal form."""

from acdl_mkdocs.app.check import analyse_input
from acdl_mkdocs.app.format import Formatted, format_file
from acdl_mkdocs.app.format import format as format_text
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.frontends.mcp.answers import MAX_CHARACTERS, Answer, CallError, Data
from acdl_mkdocs.frontends.mcp.arguments import ToolArguments
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.schemas import FLAG, STRING, TEXT_OR_NULL, with_problems
from acdl_mkdocs.frontends.mcp.texts import (
    PAGES,
    SPECS,
    config_of,
    named_texts,
    problem_data,
    problem_text,
    range_of,
    read_specs,
)
from acdl_mkdocs.frontends.mcp.tool import LINES, PATH, RANGE, TEXT, WRITE, Tool
from acdl_mkdocs.workspace.page_kinds import kind_at

_ABOUT = (
    "Format ACDL in its normal form, which does not change its meaning. Give `text`, or `path` of a file; in a page, "
    "the acdl blocks are formatted. A definition with an error is returned unchanged, with the error. `write: true` "
    "changes the file."
)


def _run(args: ToolArguments, folders: Folders) -> Answer:
    formatted = _format_text(args, folders)
    after, findings = make_printable(formatted.text), formatted.errors
    written = ""
    if args.is_set("write"):
        path = args.text_of("path")
        if path is None:
            raise CallError("`write` needs `path`", "name the file, or write the text of the answer yourself")
        written = folders.write_file(path, formatted.text, SPECS + PAGES) if formatted.is_changed else ""
    data: Data = {
        "text": after if len(after) <= 2 * MAX_CHARACTERS else None,
        "is_changed": formatted.is_changed,
        "is_formatted": not findings,
        "written": written,
    }
    notes = "" if formatted.is_changed else "this is the normal form already"
    if findings:
        left = "definitions with errors are left as they are; the others are formatted"
        message = "nothing is formatted: solve the errors first" if formatted.is_refused else left
        text = f"\n\n{after}" if formatted.is_changed and not written else ""
        return Answer(f"{message}\n\n{problem_text(findings)}{text}", data=data | problem_data(findings))
    return Answer(f"{written} is formatted" if written else after, notes, data | problem_data(findings))


def _format_text(args: ToolArguments, folders: Folders) -> Formatted:
    path = args.text_of("path")
    found = folders.find_file(path, SPECS + PAGES) if path is not None and args.text_of("text") is None else None
    is_page = found is not None and found.path.suffix.lower() in PAGES
    texts = read_specs(found, folders, args.text_of("range")) if found and is_page else named_texts(args, folders)[0]
    if found is None:
        return format_text(analyse_input(texts[0]), None, texts[0].text.options.range)
    mode, kind = range_of(args) or config_of(found).range, kind_at(found.path) if is_page else None
    return format_file(
        folders.read_raw(found), found.name, lambda number: analyse_input(texts[number]), mode, page_kind=kind
    )


TOOL = Tool(
    "format",
    "Format ACDL specs",
    _ABOUT,
    (TEXT, PATH, RANGE, WRITE, LINES),
    with_problems({"text": TEXT_OR_NULL, "is_changed": FLAG, "is_formatted": FLAG, "written": STRING}),
    _run,
    can_write=True,
)

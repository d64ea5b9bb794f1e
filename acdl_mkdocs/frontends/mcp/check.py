"""The tool `check`: everything that is wrong with specs, with the cure of each."""

from dataclasses import replace

from acdl_mkdocs.app.check import check, fix
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.mcp.answers import Answer, CallError, Data
from acdl_mkdocs.frontends.mcp.arguments import Argument, ToolArguments
from acdl_mkdocs.frontends.mcp.folders import Folders, FoundPath
from acdl_mkdocs.frontends.mcp.schemas import COUNT, FLAG, STRING, TEXT_OR_NULL, with_problems
from acdl_mkdocs.frontends.mcp.texts import (
    PAGES,
    SPECS,
    SpecText,
    is_left_out,
    name_of_text,
    named_texts,
    one_text,
    problem_data,
    problem_text,
    read_specs,
)
from acdl_mkdocs.frontends.mcp.tool import LINES, PATH, RANGE, TEXT, WRITE, Tool
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.inputs import mark_reported
from acdl_mkdocs.workspace.search import is_spec_or_page

_ABOUT = (
    "Check ACDL and list every problem with its rule, its place and how to fix it. Call it after every change of a "
    "spec, until `is_fine` is true. Give `text`, or `path` of a file or folder. With `fix: true`, the answer also has "
    "the text with every safe fix applied. To read more about a rule, call `explain` with `rule`."
)


def _run(args: ToolArguments, folders: Folders) -> Answer:
    if args.is_set("write") and not args.is_set("fix"):
        raise CallError("`write` has nothing to write", "send `fix: true` too, which fixes the text")
    texts, name, unread = _read_texts(args, folders)
    checked = check(texts, name)
    if name is not None:
        one_text(texts, name, name_of_text(args))
    counts, findings = checked.counts, checked.findings
    fixed = _fix_text(args, folders, texts) if args.is_set("fix") else None
    summary = f"{checked.summary or 'nothing is wrong'} in {format_count(len(texts), 'text')}"
    parts = [summary, "\n".join(f"not checked: {each}" for each in unread), problem_text(findings)]
    if fixed is not None and fixed != texts[0].text.source.text:
        parts.append(f"fixed as far as that keeps the meaning:\n\n{fixed}")
    data: Data = {
        "is_fine": not unread and checked.is_fine(is_strict=not args.is_set("lenient")),
        "n_errors": counts["error"],
        "n_warnings": counts["warning"],
        "n_notes": counts["note"],
        "n_texts": len(texts),
        "fixed": fixed,
        "written": args.text_of("path") or "" if fixed is not None and args.is_set("write") else "",
    }
    return Answer("\n\n".join(filter(None, parts)), data=data | problem_data(findings))


def _read_texts(args: ToolArguments, folders: Folders) -> tuple[list[SpecText], str | None, list[str]]:
    """Return the texts of a call, its spec, and the files that cannot be read.

    Each text of a folder may use the fragments of the others.
    """
    path = args.text_of("path")
    found = _find_folder(path, folders) if path is not None and args.text_of("text") is None else None
    name, unread = None, list[str]()
    if found is None:
        texts, name = named_texts(args, folders)
    else:
        texts, unread = _texts_below(found, args, folders)
    spec_paths = {each.found.path for each in texts if each.found is not None and each.text.header is None}
    return [replace(each, is_reported_elsewhere=mark_reported(each.text, spec_paths)) for each in texts], name, unread


def _texts_below(found: FoundPath, args: ToolArguments, folders: Folders) -> tuple[list[SpecText], list[str]]:
    files = [
        each
        for each in folders.list_files(found, SPECS + PAGES)
        if is_spec_or_page(each.path) and not is_left_out(each)
    ]
    texts: list[SpecText] = []
    unread: list[str] = []
    for file in files:
        try:
            texts += read_specs(file, folders, args.text_of("range"))
        except CallError as reason:
            unread.append(reason.message)
    if not texts:
        wrong = unread[0] if unread else f"`{args.text_of('path')}` has no specs"
        raise CallError(wrong, "name a folder with .acdl files, or pages with acdl blocks")
    site = Catalog()
    for each in texts:
        site.add_text(each.text)
    catalogs: dict[str, Catalog] = {}
    for each in texts:
        catalogs.setdefault(each.text.source.name, Catalog(site)).add_text(each.text)
    return [replace(each, catalog=catalogs[each.text.source.name]) for each in texts], unread


def _find_folder(path: str, folders: Folders) -> FoundPath | None:
    """Return the folder of a call, if its path is one."""
    found = folders.find_path(path)
    return folders.find_file(path, ()) if found.path.is_dir() else None


def _fix_text(args: ToolArguments, folders: Folders, texts: list[SpecText]) -> str:
    """Fix the one text, and write it to its file if asked to."""
    if len(texts) != 1 or texts[0].text.header is not None:
        raise CallError("`fix` changes one .acdl text", "name one file, or send the text of a block")
    only = texts[0]
    text = folders.read_raw(only.found) if only.found is not None else only.text.source.text
    fixed = fix(text, lambda changed: [only.with_text(make_printable(changed))]).text
    if args.is_set("write"):
        path = args.text_of("path")
        if path is None:
            raise CallError("`write` needs `path`", "name the file, or write the text of the answer yourself")
        folders.write_file(path, fixed, SPECS)
    return make_printable(fixed)


TOOL = Tool(
    "check",
    "Check ACDL specs",
    _ABOUT,
    (
        TEXT,
        PATH,
        Argument("spec", "only the problems of this spec or fragment"),
        RANGE,
        Argument("lenient", "whether `is_fine` ignores warnings", "boolean"),
        Argument("fix", "whether to return the fixed text too", "boolean"),
        WRITE,
        LINES,
    ),
    with_problems(
        {
            "is_fine": FLAG,
            "n_errors": COUNT,
            "n_warnings": COUNT,
            "n_notes": COUNT,
            "n_texts": COUNT,
            "fixed": TEXT_OR_NULL,
            "written": STRING,
        }
    ),
    _run,
    can_write=True,
)

"""The tool `check`: everything that is wrong with specs, with the cure of each."""

from acdl_mkdocs.foundation.diagnostics import Diagnostic, fix_until_stable
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.wording import counted
from acdl_mkdocs.frontends.mcp.answers import Answer, CallError, Data
from acdl_mkdocs.frontends.mcp.arguments import Argument, Given
from acdl_mkdocs.frontends.mcp.folders import Folders, FoundPath
from acdl_mkdocs.frontends.mcp.schemas import COUNT, FLAG, STRING, TEXT_OR_NULL, with_problems
from acdl_mkdocs.frontends.mcp.texts import (
    PAGES,
    SPECS,
    SpecText,
    called,
    is_left_out,
    named_texts,
    one_text,
    problem_data,
    problem_text,
    read_specs,
)
from acdl_mkdocs.frontends.mcp.tool import LINES, PATH, RANGE, TEXT, WRITE, Tool
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.read_block import BlockText, Examined, Finding
from acdl_mkdocs.workspace.search import is_ours

_ABOUT = (
    "Say what is wrong with ACDL: each problem with its rule, place, and what to write instead. Call it after every "
    "change of a spec, until `is_fine`. Give `text`, or `path` of a file or folder. `fix: true` also gives the text "
    "with all mechanical cures that keep the meaning. `explain` with `rule` says more about a rule."
)


def _run(given: Given, folders: Folders) -> Answer:
    if given.flag("write") and not given.flag("fix"):
        raise CallError("`write` has nothing to write", "send `fix: true` too, which mends the text")
    texts, name = _texts(given, folders)
    findings: list[Finding] = []
    for each in texts:
        examined = each.examined(is_checked=True)
        findings += [found for found in each.findings(examined) if name is None or _is_in(name, found, examined)]
    if name is not None:
        one_text(texts, name, called(given))
    counts = {each: sum(found.severity == each for found, _ in findings) for each in ("error", "warning", "note")}
    fixed = _fixed(given, folders, texts) if given.flag("fix") else None
    is_fine = not counts["error"] and not (counts["warning"] and not given.flag("lenient"))
    listed = ", ".join(counted(number, each) for each, number in counts.items() if number) or "nothing is wrong"
    parts = [f"{listed} in {counted(len(texts), 'text')}", problem_text(findings)]
    if fixed is not None and fixed != texts[0].block.source.text:
        parts.append(f"mended as far as that keeps the meaning:\n\n{fixed}")
    data: Data = {
        "is_fine": is_fine,
        "n_errors": counts["error"],
        "n_warnings": counts["warning"],
        "n_notes": counts["note"],
        "n_texts": len(texts),
        "fixed": fixed,
        "written": given.text("path") or "" if fixed is not None and given.flag("write") else "",
    }
    return Answer("\n\n".join(filter(None, parts)), data=data | problem_data(findings))


def _texts(given: Given, folders: Folders) -> tuple[list[SpecText], str | None]:
    """Return the texts of a call; for a folder all, each of which may use the fragments of the others."""
    path = given.text("path")
    place = _folder(path, folders) if path is not None and given.text("text") is None else None
    if place is None:
        return named_texts(given, folders)
    files = [each for each in folders.below(place, SPECS + PAGES) if is_ours(each.path) and not is_left_out(each)]
    texts = [each for file in files for each in read_specs(file, folders, given.text("range"))]
    if not texts:
        raise CallError(f"`{path}` has no specs", "name a folder with .acdl files, or pages with acdl blocks")
    site = Catalog()
    for each in texts:
        site.add(each.block)
    catalogs: dict[str, Catalog] = {}
    found: list[SpecText] = []
    for each in texts:
        own = catalogs.setdefault(each.name, Catalog(site))
        own.add(each.block)
        found.append(SpecText(each.block, each.config, own, each.place))
    return found, None


def _folder(path: str, folders: Folders) -> FoundPath | None:
    """Return the folder of a call, if its path is one."""
    place = folders.find(path)
    return folders.file(path, ()) if place.path.is_dir() else None


def _is_in(name: str, finding: Finding, examined: Examined) -> bool:
    """Report whether a problem is in a definition."""
    diagnostic, source = finding
    spans = [each.node.span for each in examined.resolved.definitions.get(name, ())]
    is_own = source is examined.resolved.source
    return is_own and any(span.start <= diagnostic.label.span.start <= span.end for span in spans)


def _fixed(given: Given, folders: Folders, texts: list[SpecText]) -> str:
    """Fix the one text, and write it to its file if asked to."""
    if len(texts) != 1 or texts[0].block.header is not None:
        raise CallError("`fix` mends one .acdl text", "name one file, or send the text of a block")
    only = texts[0]

    def check(text: str) -> list[Diagnostic]:
        block = BlockText(Source(text, only.name), only.block.options, uses=only.block.uses)
        examined = SpecText(block, only.config, only.catalog, only.place).examined(is_checked=True)
        return [found for found, _ in examined.findings]

    fixed = fix_until_stable(only.block.source.text, check).text
    if given.flag("write"):
        path = given.text("path")
        if path is None:
            raise CallError("`write` needs `path`", "name the file, or write the text of the answer yourself")
        folders.write(path, fixed, SPECS)
    return fixed


TOOL = Tool(
    "check",
    "Check ACDL specs",
    _ABOUT,
    (
        TEXT,
        PATH,
        Argument("spec", "only the problems of this spec or fragment"),
        RANGE,
        Argument("lenient", "whether warnings leave `is_fine` true", "boolean"),
        Argument("fix", "whether the mended text is given too", "boolean"),
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

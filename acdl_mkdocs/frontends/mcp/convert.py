"""The tool `convert`: formal ACDL of a drawn notation, as papers and whiteboards have it."""

from acdl_mkdocs.app.convert import drawing_to_acdl
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.mcp.answers import MAX_CHARACTERS, Answer, CallError, Data
from acdl_mkdocs.frontends.mcp.arguments import Argument, ToolArguments
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.schemas import STRING, TEXT_OR_NULL, with_problems
from acdl_mkdocs.frontends.mcp.texts import PAGES, SPECS, config_of, problem_data, problem_text
from acdl_mkdocs.frontends.mcp.tool import LINES, OUTPUT, WRITE, Tool

_ABOUT = (
    "Convert a drawing in words to formal ACDL: indented lines such as `ROLE: SYSTEM` and `ForEach t : 1 ... @T`, as "
    "found in papers, on whiteboards, and in the `text` format of `render`. Check the result."
)
_DRAWINGS = (*SPECS, *PAGES, ".txt")


def _run(args: ToolArguments, folders: Folders) -> Answer:
    text, path = args.text_of("text"), args.text_of("path")
    if (text is None) == (path is None):
        raise CallError(f"{'neither' if text is None else 'both'} of `text` and `path` given", "send one of them")
    name = path or "<text>"
    if text is not None:
        source = Source(make_printable(text), name)
        conversion = drawing_to_acdl(source)
    else:
        found = folders.find_file(name, _DRAWINGS)
        source = Source(folders.read_file(found), name)
        conversion = drawing_to_acdl(source, config_of(found).range)
    findings = tuple((each, source) for each in conversion.diagnostics)
    output = args.text_of("output")
    if args.is_set("write") != (output is not None):
        raise CallError("`write: true` and `output` belong together", "send both, or neither")
    written = folders.write_file(output, conversion.text, SPECS, replaces=None) if output is not None else ""
    data: Data = {"text": conversion.text if len(conversion.text) <= 2 * MAX_CHARACTERS else None, "written": written}
    answer_text = f"{written} is written" if written else conversion.text
    return Answer(answer_text, problem_text(findings), data | problem_data(findings))


TOOL = Tool(
    "convert",
    "Convert a drawing to ACDL",
    _ABOUT,
    (
        Argument("text", "the drawing; or give `path`"),
        Argument("path", "path of a file with the drawing"),
        WRITE,
        OUTPUT,
        LINES,
    ),
    with_problems({"text": TEXT_OR_NULL, "written": STRING}),
    _run,
    can_write=True,
)

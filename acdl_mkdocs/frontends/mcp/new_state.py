"""The tool `new_state`: a first sample state of a spec, with a placeholder for everything that it reads."""

from acdl_mkdocs.app.new_state import new_state
from acdl_mkdocs.app.understood import understand_input
from acdl_mkdocs.frontends.mcp.answers import Answer, CallError, Data
from acdl_mkdocs.frontends.mcp.arguments import ToolArguments
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.schemas import STRING, with_problems
from acdl_mkdocs.frontends.mcp.texts import name_of_text, named_texts, one_text, problem_data, problem_text
from acdl_mkdocs.frontends.mcp.tool import LINES, OUTPUT, PATH, SPEC, TEXT, WRITE, Tool
from acdl_mkdocs.workspace.states import ENDINGS

_ABOUT = (
    "Write a first sample state for a spec: YAML with every value that the spec reads, for two turns. Replace each "
    "placeholder by what the agent really sees, then call `unroll` with the state."
)


def _run(args: ToolArguments, folders: Folders) -> Answer:
    texts, name = named_texts(args, folders)
    chosen = one_text(texts, name, name_of_text(args))
    result = new_state(understand_input(chosen), name)
    data: Data = {"state": result.text, "spec": result.spec, "written": ""}
    if result.errors:
        text = f"nothing was made: solve the errors of the spec first\n\n{problem_text(result.errors)}"
        return Answer(text, data=data | problem_data(result.errors))
    output = args.text_of("output")
    if args.is_set("write") != (output is not None):
        raise CallError("`write: true` and `output` belong together", "send both, or neither")
    written = folders.write_file(output, result.text, ENDINGS, replaces=None) if output is not None else ""
    text = f"{written} is written" if written else result.text
    return Answer(text, data=data | {"written": written} | problem_data(()))


TOOL = Tool(
    "new_state",
    "Write a first sample state",
    _ABOUT,
    (TEXT, PATH, SPEC, WRITE, OUTPUT, LINES),
    with_problems({"state": STRING, "spec": STRING, "written": STRING}),
    _run,
    can_write=True,
)

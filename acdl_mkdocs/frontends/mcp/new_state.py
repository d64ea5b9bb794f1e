"""The tool `new_state`: a first sample state of a spec, with a placeholder for everything that it reads."""

from acdl_mkdocs.evaluation.evaluate import spec_of
from acdl_mkdocs.evaluation.state.skeleton import skeleton
from acdl_mkdocs.evaluation.state.spec_reads import reads_of
from acdl_mkdocs.frontends.mcp.answers import Answer, CallError, Data
from acdl_mkdocs.frontends.mcp.arguments import Given
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.schemas import STRING, with_problems
from acdl_mkdocs.frontends.mcp.texts import called, errors_of, named_texts, one_text, problem_data, problem_text
from acdl_mkdocs.frontends.mcp.tool import LINES, OUTPUT, PATH, SPEC, TEXT, WRITE, Tool
from acdl_mkdocs.workspace.states import ENDINGS

_ABOUT = (
    "Write a first sample state of a spec: YAML with everything that the spec reads, for two turns. Put what the agent "
    "really sees in the place of every placeholder, then call `unroll` with it."
)
_SCHEMA = "state.schema.json"


def _run(given: Given, folders: Folders) -> Answer:
    texts, name = named_texts(given, folders)
    chosen = one_text(texts, name, called(given))
    examined = chosen.examined()
    findings = errors_of(chosen.findings(examined))
    data: Data = {"state": "", "spec": "", "written": ""}
    if findings:
        text = f"nothing was made: solve the errors of the spec first\n\n{problem_text(findings)}"
        return Answer(text, data=data | problem_data(findings))
    prompt = spec_of(examined.resolved, name)
    spec = prompt.name.name if prompt is not None else ""
    made = skeleton(reads_of(examined.resolved, [prompt] if prompt is not None else []), spec, _SCHEMA)
    output = given.text("output")
    if given.flag("write") != (output is not None):
        raise CallError("`write: true` and `output` belong together", "send both, or neither")
    written = folders.write(output, made, ENDINGS, replaces=None) if output is not None else ""
    said = f"{written} is written" if written else made
    return Answer(said, data=data | {"state": made, "spec": spec, "written": written} | problem_data(()))


TOOL = Tool(
    "new_state",
    "Write a first sample state",
    _ABOUT,
    (TEXT, PATH, SPEC, WRITE, OUTPUT, LINES),
    with_problems({"state": STRING, "spec": STRING, "written": STRING}),
    _run,
    can_write=True,
)

"""The tool `infer_spec`: recorded requests of an agent as the spec that sends them, with its proof."""

from acdl_mkdocs.app.infer import NAME, InferOptions, infer
from acdl_mkdocs.app.infer_report import build_report, describe_inferred
from acdl_mkdocs.frontends.mcp.answers import Answer, Data, is_small_enough
from acdl_mkdocs.frontends.mcp.arguments import Argument, ToolArguments
from acdl_mkdocs.frontends.mcp.check_run import MOST_MUTANTS, open_named_recordings
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.schemas import STRING, answer_schema
from acdl_mkdocs.frontends.mcp.tool import LINES, Tool
from acdl_mkdocs.runs.read.forms import FORMS_IN_WORDS

_FILE = "agent.acdl"
_ABOUT = (
    "Infer the spec of an agent from recorded requests, without its code and without a model. Each request is checked "
    "against the spec; `report` lists what is proven and which choices the recordings do not decide. Use it where an "
    "agent has no spec yet, then improve names and comments. `states` has a sample state for each prompt, to save "
    f"beside the spec. Recordings: {FORMS_IN_WORDS}."
)


def _infer_spec(args: ToolArguments, folders: Folders) -> Answer:
    options = InferOptions(
        args.text_of("name") or NAME,
        _FILE,
        only=args.texts_of("only"),
        mutants=min(args.number_of("mutants", 0), MOST_MUTANTS),
    )
    inferred = infer(lambda: open_named_recordings(args.texts_of("recordings"), "recordings", folders), options)
    states = {each.name: each.states[0] for each in inferred.prompts}
    data: Data = {
        "spec": inferred.text,
        "states": states if is_small_enough(states) else None,
        "report": build_report(inferred, _FILE),
    }
    return Answer(inferred.text, notes="\n".join(describe_inferred(inferred, _FILE)), data=data)


TOOL = Tool(
    "infer_spec",
    "Infer an ACDL spec from recorded requests",
    _ABOUT,
    (
        Argument("recordings", "paths of recordings, or of folders with them", "strings", is_required=True),
        Argument("name", "name of the spec if there is a single agent; default: Agent"),
        Argument(
            "only", "only these requests: `model=GLOB`, `episode=GLOB` or `system=WORDS`; default: all", "strings"
        ),
        Argument(
            "mutants",
            "number of deliberate errors to put into the spec, one at a time, to see whether the requests reveal them",
            "integer",
        ),
        LINES,
    ),
    answer_schema(
        {"spec": STRING, "states": {"type": ["object", "null"], "additionalProperties": STRING}}, report="infer"
    ),
    _infer_spec,
)

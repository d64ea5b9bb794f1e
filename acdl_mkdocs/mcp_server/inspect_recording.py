"""The tool `inspect_recording`: what recorded requests sent at each step, without a spec."""

from acdl_mkdocs.mcp_server.answers import MAX_CHARACTERS, Answer, CallError, Data, fits
from acdl_mkdocs.mcp_server.arguments import Argument, Given
from acdl_mkdocs.mcp_server.folders import Folders
from acdl_mkdocs.mcp_server.recordings import find_recordings
from acdl_mkdocs.mcp_server.schemas import STRING, answer_schema
from acdl_mkdocs.mcp_server.tool import LINES, Tool
from acdl_mkdocs.prompts.tokens.counter import ENCODINGS, counter
from acdl_mkdocs.runs.inspect import INSPECTIONS
from acdl_mkdocs.runs.inspect.inspect_runs import InspectOptions, inspect_files
from acdl_mkdocs.runs.inspect.json_tree import tree_of
from acdl_mkdocs.runs.inspect.options import InspectionOptions, Price
from acdl_mkdocs.runs.inspect.summary import sentence_of
from acdl_mkdocs.runs.read.forms import FORMS_IN_WORDS
from acdl_mkdocs.runs.requests import read_only

_ABOUT = (
    "Show what an agent sent at each step, from a recording alone: messages that are new, changed or no longer sent, "
    "model tokens, and where and why the prompt cache was lost. No spec is needed. Use it to find out why an agent is "
    f"slow or expensive, or what its model really saw. Recordings: {FORMS_IN_WORDS}."
)


def _run(given: Given, folders: Folders) -> Answer:
    encoding = given.text("tokens")
    found = inspect_files(
        [str(each.path) for each in find_recordings(given.texts("recordings"), "recordings", folders)],
        InspectOptions(counter=counter(encoding), only=read_only(given.texts("only"))),
    )
    options = InspectionOptions(price=_price(given.text("price")))
    text, report = INSPECTIONS["terminal"](found, options), tree_of(found, options)
    sentence = sentence_of(found)
    data: Data = {"sentence": sentence, "report": report if fits(report) else None}
    return Answer(text, notes=sentence if len(text) > MAX_CHARACTERS else "", data=data)


def _price(said: str | None) -> Price | None:
    """A price as it is given.

    Raises:
        CallError: It is none.
    """
    if said is None:
        return None
    price = Price.read(said)
    if price is None:
        raise CallError(f"`price` is `{said[:40]}`", "send two numbers such as `2.50,0.25`, the larger one first")
    return price


TOOL = Tool(
    "inspect_recording",
    "Inspect recorded requests",
    _ABOUT,
    (
        Argument("recordings", "paths of recordings, or of folders with them", "strings", is_required=True),
        Argument("only", "which requests: `model=GLOB`, `episode=GLOB` or `system=WORDS`; default: all", "strings"),
        Argument("tokens", "how model tokens are counted", choices=tuple(ENCODINGS)),
        Argument("price", "of a million input tokens, and of a million cached ones, as `2.50,0.25`: adds costs"),
        LINES,
    ),
    answer_schema({"sentence": STRING}, report="inspect"),
    _run,
)

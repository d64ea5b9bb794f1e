"""The definition of a tool: its texts, its arguments, the schema of its answer, and its function."""

from collections.abc import Callable

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.mcp.answers import Answer, Data
from acdl_mkdocs.frontends.mcp.arguments import Argument, ToolArguments
from acdl_mkdocs.frontends.mcp.folders import Folders

LINES = Argument("lines", 'lines of the answer to show, such as "1:200"; only needed if an answer says so')
TEXT = Argument("text", "ACDL text; or give `path`")
PATH = Argument(
    "path",
    "path of an .acdl file, or of a Markdown file with fenced acdl blocks; `file.acdl#Name` selects one spec, "
    "`page.md#2` the second block",
)
SPEC = Argument("spec", "name of one spec or fragment, if there are several")
RANGE = Argument(
    "range",
    "whether `range(a, b)` excludes `b` (half-open) or includes it, unless the text says so itself",
    choices=("half-open", "inclusive"),
)
WRITE = Argument(
    "write", "whether to write the result to a file; the server must be started with --allow-writes", "boolean"
)
OUTPUT = Argument("output", "path of the file to write, with `write: true`")
STATE = Argument("state", "sample state as YAML or JSON; `new_state` writes a first one")
STATE_PATH = Argument(
    "state_path", "path of a state file, instead of `state`; default: NAME.state.yaml beside the spec"
)
AT = Argument("at", "points in time: `3`, `3.2` (turn 3, step 2), `1..3`, `2.*`; default: the points in the state")


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool."""

    name: str
    title: str
    about: str
    """The description for the model that decides whether to call it."""
    arguments: tuple[Argument, ...]
    answer: Data
    """JSON schema of `Answer.data`."""
    run: Callable[[ToolArguments, Folders], Answer]
    can_write: bool = False
    """Whether it writes a file if asked to and allowed."""
    is_adding: bool = False
    """Whether its writes only add to what is there, again with each call."""

"""The tool `read_reference`: language, skill, grammar, rules and examples, for clients without resources."""

from acdl_mkdocs.frontends.mcp.answers import Answer, CallError
from acdl_mkdocs.frontends.mcp.arguments import Argument, ToolArguments
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.resources import RESOURCES, SCHEME, TEMPLATES, read_resource
from acdl_mkdocs.frontends.mcp.schemas import STRING, answer_schema
from acdl_mkdocs.frontends.mcp.tool import LINES, Tool

_ABOUT = (
    "Read how to write ACDL before you write or change a spec: the language on one page (`language`), the complete "
    "skill for coding agents (`skill`), the grammar, the rules of `check`, and specs of real systems. `name` selects "
    "one rule or one example. The resources of this server have the same content."
)
_TOPICS = tuple(each.name for each in RESOURCES)
_NAMED = tuple(each.uri.removeprefix(SCHEME).partition("/")[0] for each in TEMPLATES)


def _run(args: ToolArguments, folders: Folders) -> Answer:
    del folders
    topic, name = args.choice_of("topic", "language"), args.text_of("name")
    if name is not None and topic not in _NAMED:
        raise CallError(
            f"`{topic}` is one text", f"leave `name` away, or ask for {' or '.join(f'`{each}`' for each in _NAMED)}"
        )
    uri = f"{SCHEME}{topic}" + (f"/{name}" if name is not None else "")
    text = "\n".join(each.text for each in read_resource(uri))
    return Answer(text, data={"uri": uri})


TOOL = Tool(
    "read_reference",
    "Read about ACDL",
    _ABOUT,
    (
        Argument("topic", "what to read; default: language", choices=_TOPICS),
        Argument("name", "name of one rule or example, with the topic `rules` or `examples`"),
        LINES,
    ),
    answer_schema({"uri": STRING}),
    _run,
)

"""Lists of tools without a request around them, as files of tools are kept: read and written for every provider."""

from acdl_mkdocs.prompt import Json, Prompt
from acdl_mkdocs.wire import PROVIDERS
from acdl_mkdocs.wire.results import Loss, Problem, Read

_MESSAGES = {"openai": "messages", "anthropic": "messages", "responses": "input", "gemini": "contents"}
"""The key of each request without which it is only tools."""
_DECLARATIONS = ("functionDeclarations", "function_declarations")


def is_tool_list(body: Json) -> bool:
    """Whether JSON is a list of tools, an object that has nothing else, or one of Gemini's that declares some."""
    if isinstance(body, dict):
        is_declaring = any(key in body for key in _DECLARATIONS) and "contents" not in body
        return is_declaring or (body.keys() == {"tools"} and isinstance(body["tools"], list))
    return isinstance(body, list)


def sniff_tools(body: Json) -> str | None:
    """Key in `PROVIDERS` of the format that a list of tools is in, or `None` where it could be of any."""
    for tool in _listed(body):
        if not isinstance(tool, dict):
            continue
        if any(key in tool for key in _DECLARATIONS):
            return "gemini"
        if isinstance(tool.get("function"), dict):
            return "openai"
        if "input_schema" in tool:
            return "anthropic"
        if "parametersJsonSchema" in tool:
            return "gemini"
        if "parameters" in tool and "name" in tool:
            return "responses" if tool.get("type") == "function" else "gemini"
    return None


def read_tools(body: Json, format: str) -> Read:
    """The tools of a list: a prompt without messages.

    Parameters:
        body: The list, or an object with `tools`.
        format: Key in `PROVIDERS`.
    """
    tools = _listed(body)
    if format == "gemini":
        declared: list[Json] = [tool for tool in tools if isinstance(tool, dict) and "name" in tool]
        tools = [{"functionDeclarations": declared}] if declared and len(declared) == len(tools) else tools
    read = PROVIDERS[format].read({_MESSAGES[format]: [], "tools": tools})
    odd = [] if format == "gemini" else [number for number, tool in enumerate(tools) if not _is_tool(tool, format)]
    cure = f"write it as a tool of `{format}`, or say which format it is in, as `--from openai`"
    found = [Problem(f"tools[{number}]", f"this is no tool of `{format}`", cure) for number in odd]
    return Read(read.prompt, (*read.problems, *found))


def written_tools(prompt: Prompt, format: str) -> tuple[list[Json], tuple[Loss, ...]]:
    """The list of the tools of a prompt in the format of a provider, and what it does not say."""
    written = PROVIDERS[format].write(Prompt((), prompt.tools, settings=prompt.settings))
    tools = written.request.get("tools")
    losses = tuple(loss for loss in written.losses if loss.path.startswith(("tools", "settings")))
    return tools if isinstance(tools, list) else [], losses


def _listed(body: Json) -> list[Json]:
    if isinstance(body, dict):
        tools = body.get("tools")
        return tools if isinstance(tools, list) else [body]
    return body if isinstance(body, list) else []


def _is_tool(tool: Json, format: str) -> bool:
    """Whether it is a tool that is declared, or one that the provider knows by its type and runs itself."""
    if not isinstance(tool, dict):
        return False
    key = {"openai": "function", "anthropic": "input_schema"}.get(format, "type")
    return key in tool or isinstance(tool.get("type"), str)

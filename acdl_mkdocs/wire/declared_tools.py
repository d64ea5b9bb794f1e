"""The list of tools of a request: those that are declared there, and those that only their provider knows."""

from collections.abc import Callable

from acdl_mkdocs.prompt import Json, Tool
from acdl_mkdocs.wire.place import Place


def read_declared_tools(
    place: Place, is_declared: Callable[[Place], bool], read_tool: Callable[[Place, dict[str, str]], Tool]
) -> tuple[tuple[Tool, ...], dict[str, Json]]:
    """Read the tools of a request body.

    Parameters:
        place: The body.
        is_declared: Whether an entry of `tools` is a declaration.
        read_tool: Reads a declaration; the second argument has the names that were read before.

    Returns:
        The declared tools in order, and the other entries under the key `tools` if there are any.
    """
    tools: list[Tool] = []
    others: list[Json] = []
    names: dict[str, str] = {}
    for each in place.at("tools").items() if place.has("tools") else ():
        if is_declared(each):
            tools.append(read_tool(each, names))
        else:
            others.append(each.value)
    place.at("tools").tell_order(others)
    return tuple(tools), {"tools": others} if others else {}

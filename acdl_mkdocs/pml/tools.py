"""Tools, both ways: `Tool` and `<tool>`."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal, TypeAlias, get_args

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.pml.impossible import Impossible, impossible
from acdl_mkdocs.pml.parameters import parameter_lines, schema_line, schema_of
from acdl_mkdocs.pml.problems import bad_json
from acdl_mkdocs.pml.spelled import Line, attributes, block, json_text, leaf, namespace
from acdl_mkdocs.pml.strict_json import JsonFault, strict_json
from acdl_mkdocs.pml.tree import Element
from acdl_mkdocs.prompt import Opaque, Tool

_Place: TypeAlias = Literal["part", "more", "instead", "message"]
_MOST_TOLD = 10
"""Of what no call can satisfy in one tool."""
_PLACES: tuple[_Place, ...] = get_args(_Place)


def tools_text(tools: Sequence[Tool]) -> str:
    """`<tools>` in one line for the instructions of a model, without what one provider alone understands."""
    lines = [line for tool in tools for line in tool_lines(replace(tool, more=None), 1)]
    return "".join(text for _, text in block("tools", namespace(lines), lines, 0))


def tool_lines(tool: Tool, depth: int) -> list[Line]:
    """A tool with its parameters."""
    trigger = "1" if tool.has_trigger else None
    pairs = [("name", tool.name), ("alias", tool.alias), ("desc", tool.description), ("trigger", trigger)]
    said = parameter_lines(tool.parameters, depth + 1)
    closed, lines = said if said is not None else ("", [schema_line(tool.parameters, depth + 1)])
    if not tool.parameters:
        lines = []
    if tool.more is not None:
        lines = [*lines, opaque_line(tool.more, depth + 1)]
    return block("tool", attributes(pairs) + closed, lines, depth)


def by_name(tools: Sequence[Tool]) -> dict[str, Tool]:
    """Tools by what calls name them: a name is preferred to the alias of another, the first to those after it."""
    found = {tool.alias: tool for tool in reversed(tools) if tool.alias is not None}
    found.update({tool.name: tool for tool in reversed(tools)})
    return found


def tool_of(element: Element, problems: list[Diagnostic]) -> Tool:
    """The tool that an element says; what cannot be read is a problem and left out."""
    said = element.attributes
    more = [each for each in element.elements if each.name == "x:opaque"]
    n_before = len(problems)
    parameters = schema_of(element, problems)
    if len(problems) == n_before:
        problems += (_impossible(element, found) for found in islice(impossible(parameters), _MOST_TOLD))
    return Tool(
        name=said.get("name", ""),
        description=said.get("desc"),
        parameters=parameters,
        alias=said.get("alias"),
        more=opaque_of(more[0], problems) if more else None,
        has_trigger=said.get("trigger") == "1",
    )


def _impossible(element: Element, found: Impossible) -> Diagnostic:
    """A warning at the parameter, or at the tool where it is in its schema."""
    key = found.path.split(".")[0].removesuffix("[]")
    params = [each for each in element.elements if each.name == "param" and each.attributes.get("key") == key]
    at = params[0] if params else element
    where = f"`{found.path}` of the tool `{element.attributes.get('name', '')}`" if found.path else "the schema"
    return warning("unreadable-parameter", f"{where}: {found.message}", Label(at.span, "here"), help=found.cure)


def opaque_line(opaque: Opaque, depth: int) -> Line:
    """What one provider alone understands."""
    place = None if opaque.place == "part" else opaque.place
    said = attributes([("provider", opaque.provider), ("place", place)])
    return depth, leaf("x:opaque", said, json_text(opaque.json))


def opaque_of(element: Element, problems: list[Diagnostic]) -> Opaque | None:
    """What one provider alone understands, or `None` where it is no JSON, which is a problem."""
    said = element.attributes
    place: _Place = next((each for each in _PLACES if each == said.get("place")), "part")
    try:
        return Opaque(said.get("provider", ""), strict_json(element.text), place)
    except JsonFault as fault:
        problems.append(bad_json(element.span, "`x:opaque`", str(fault)))
        return None

"""Tools for actions of `acdl pml`: from a PML document, or from JSON in the format of a provider."""

import argparse
from collections.abc import Sequence
from itertools import islice

from acdl_mkdocs.frontends.cli.messages import StoppedError, print_error
from acdl_mkdocs.frontends.cli.pml.files import print_problems, text_at
from acdl_mkdocs.prompts.parse_input import is_tool_list, read_tools, sniff_tools
from acdl_mkdocs.prompts.pml.document_problems import list_read_problems
from acdl_mkdocs.prompts.pml.read import ReadPml, read
from acdl_mkdocs.prompts.pml.tools import find_impossible
from acdl_mkdocs.prompts.prompt import Json, Tool
from acdl_mkdocs.prompts.providers import WIRES, sniff
from acdl_mkdocs.prompts.providers.results import Read
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json

TOOLS_HELP = "tools: a PML document, or JSON of a provider's request or of its list of tools; `-` is standard input"
_MOST_TOLD = 10
"""Number of reported constraints in one tool that no call can satisfy."""


def tools_at(path: str, args: argparse.Namespace) -> tuple[Tool, ...]:
    """Return the tools of a file; its problems are printed.

    Raises:
        StoppedError: It cannot be read, has errors, or has no tools.
    """
    text = text_at(path)
    name = "<stdin>" if path == "-" else path
    tools = _read_json_tools(text, name) if text.lstrip()[:1] in ("{", "[") else _read_document_tools(text, name, args)
    if not tools:
        raise StoppedError(f"{name}: has no tools", 1)
    return tools


def _read_document_tools(text: str, name: str, args: argparse.Namespace) -> tuple[Tool, ...]:
    document = read(text, is_lenient=args.lenient, name=name)
    print_problems(list_read_problems(document), document.source, args)
    if document.prompt is None or _has_wrong_tools(document):
        raise StoppedError(f"{name}: its tools cannot be read: solve the errors first", 1)
    return document.prompt.tools


def _has_wrong_tools(document: ReadPml) -> bool:
    """Return whether an error is in a tool; those in the conversation do not matter."""
    spans = [span for path, span in document.places.items() if path.startswith("tools[")]
    errors = [each.label.span.start for each in document.problems if each.severity == "error"]
    return any(span.start <= start < span.end for span in spans for start in errors)


def _read_json_tools(text: str, name: str) -> tuple[Tool, ...]:
    try:
        result = _read_tools(strict_json(text))
    except JsonFault as fault:
        raise StoppedError(f"{name}: is not JSON that can be read: {fault}", 1) from None
    if result is None:
        raise StoppedError(f"{name}: is JSON of no known format, expected tools of OpenAI, Anthropic or Gemini", 1)
    problems = [each for each in result.problems if each.path.startswith("tools")]
    for problem in problems:
        print_error(f"{name}: {problem.path}: {problem.sentence}" + (f"; {problem.cure}" if problem.cure else ""))
    if problems:
        raise StoppedError(f"{name}: its tools cannot be read: solve the errors first", 1)
    _check_tools(result.prompt.tools, name)
    return result.prompt.tools


def _check_tools(tools: Sequence[Tool], name: str) -> None:
    """Report constraints that no call can satisfy, as for a document of tools.

    Raises:
        StoppedError: Two tools have the same name, so that calls are ambiguous.
    """
    names: set[str] = set()
    for number, tool in enumerate(tools):
        if tool.name in names:
            raise StoppedError(f"{name}: tools[{number}]: another tool is called `{tool.name}` too: rename one", 1)
        names.add(tool.name)
        for problem in islice(find_impossible(tool.parameters), _MOST_TOLD):
            where = f"`{problem.path}` of `{tool.name}`" if problem.path else f"the schema of `{tool.name}`"
            print_error(f"{name}: tools[{number}]: {where}: {problem.message}; {problem.cure}")


def _read_tools(body: Json) -> Read | None:
    """Read a request or a list of tools; nothing if its format is not known."""
    form = None if is_tool_list(body) else sniff(body)
    if form is not None:
        return WIRES[form].read(body)
    has_tools = is_tool_list(body) or (isinstance(body, dict) and isinstance(body.get("tools"), list))
    return read_tools(body, sniff_tools(body) or "openai") if has_tools else None

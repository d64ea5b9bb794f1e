"""The tools that agents can call, and `run_tool()`, which runs one from the arguments of a client.

Never raises for what a client sends: that is an answer too. Knows no protocol.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.mcp import (
    check,
    check_run,
    convert,
    diff,
    explain,
    formatting,
    infer_spec,
    new_state,
    playbooks,
    read_reference,
    render,
    unroll,
)
from acdl_mkdocs.frontends.mcp.answers import Answer, CallError, Data, limit_answer
from acdl_mkdocs.frontends.mcp.arguments import check_arguments
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.tool import Tool
from acdl_mkdocs.prompts.redact import REDACTED, redact_text

_IS_REDACTED = f"`{REDACTED}` stands for what looks like a key or a password"
_OPTION = re.compile(r"`--(model|missing|spec|state|at|range|tokens|format|only|price)(?: (?:([a-z][a-z-]*)|[A-Z]+))?`")

TOOLS: tuple[Tool, ...] = (
    read_reference.TOOL,
    check.TOOL,
    formatting.TOOL,
    render.TOOL,
    explain.TOOL,
    unroll.TOOL,
    diff.TOOL,
    new_state.TOOL,
    convert.TOOL,
    check_run.TOOL,
    check_run.INSPECT_TOOL,
    infer_spec.TOOL,
    *playbooks.TOOLS,
)
"""The tools in the order in which an agent is likely to need them."""


def run_tool(name: str, sent: Mapping[str, object] | None, folders: Folders) -> Answer:
    """Run a tool and return its answer.

    Parameters:
        name: Of the tool.
        sent: The arguments of the client.
        folders: The folders that may be read and written.
    """
    try:
        tool = _find_tool(name)
        args = check_arguments(tool.arguments, sent)
        answer = _redact_answer(tool.run(args, folders))
        return limit_answer(replace(answer, notes=_rename_options(answer.notes)), args.text_of("lines"))
    except (CallError, AcdlError) as reason:
        return Answer(f"error: {_rename_options(redact_text(str(reason)))}", is_error=True)
    except (OSError, RecursionError, MemoryError, UnicodeError) as reason:
        why = getattr(reason, "strerror", None) or type(reason).__name__
        return Answer(f"error: `{name}` failed: {why}; send a smaller text, or check the paths", is_error=True)
    except Exception as reason:  # a fault of ours: report it to the client, and continue
        return Answer(
            f"error: `{name}` failed: {type(reason).__name__}; send another text, and report it", is_error=True
        )


def _find_tool(name: str) -> Tool:
    tool = next((each for each in TOOLS if each.name == name), None)
    if tool is None:
        names = [each.name for each in TOOLS]
        near = find_closest(name, names)
        cure = f"did you mean `{near}`?" if near else f"there are {', '.join(names)}"
        raise CallError(f"there is no tool `{name[:80]}`", cure)
    return tool


def _rename_options(text: str) -> str:
    """Replace options of the command line by arguments: `--model NAME` is `model`."""
    return _OPTION.sub(lambda match: f"`{match[1]}: {match[2]}`" if match[2] else f"`{match[1]}`", text)


def _redact_answer(answer: Answer) -> Answer:
    """Mask keys and passwords in an answer, since specs, states and recordings may have them.

    Names and numbers in the data stay, since they have a schema to fit.
    """
    data: Data = {key: _redact_value(value) for key, value in answer.data.items()}
    redacted = replace(answer, text=redact_text(answer.text), notes=redact_text(answer.notes), data=data)
    if redacted == answer and REDACTED not in answer.text:
        return redacted
    return replace(redacted, notes="\n\n".join(filter(None, [redacted.notes, _IS_REDACTED])))


def _redact_value(value: object) -> object:
    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, list):
        return [_redact_value(each) for each in value]
    return {key: _redact_value(each) for key, each in value.items()} if isinstance(value, dict) else value

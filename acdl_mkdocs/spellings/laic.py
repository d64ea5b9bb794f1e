"""The convention for tools (LAIC): the tools as a model is told them, and calls as it writes them."""

from dataclasses import replace

from acdl_mkdocs.pml.calls import call_text
from acdl_mkdocs.pml.tools import by_name, tools_text
from acdl_mkdocs.prompt import Call, Prompt
from acdl_mkdocs.spellings.spelled import Spelled


def laic(prompt: Prompt) -> Spelled:
    """Tools and calls; a prompt as a whole is no matter of the convention."""
    tools = by_name(prompt.tools)
    calls = [part for message in prompt.messages for part in message.parts if isinstance(part, Call)]
    pieces = [call_text(replace(call, id=None), tools.get(call.tool)) for call in calls]
    lost = ("ids of calls, so that results belong to them by their order",) if any(call.id for call in calls) else ()
    return Spelled(None, {"tools": [tools_text(prompt.tools)] if prompt.tools else [], "calls": pieces}, lost)

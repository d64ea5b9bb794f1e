"""`with_values()`: a prompt with other values at some places, made in one pass; knows no paths."""

from collections.abc import Mapping
from dataclasses import replace as changed

from acdl_mkdocs.foundation.errors import SegmentError
from acdl_mkdocs.pml.paths import Place, Value
from acdl_mkdocs.prompt import Attachment, Memory, Message, Opaque, Output, Part, Prompt, Text, Tool


def with_values(prompt: Prompt, values: Mapping[Place, Value]) -> Prompt:
    """The prompt with other values at some places, of which none is in another."""
    messages, tools, memory = list(prompt.messages), list(prompt.tools), list(prompt.memory)
    parts: dict[int, list[Part]] = {}
    for place, value in {**values, **_results(prompt, values)}.items():
        match place, value:
            case ("memory", int(number)), Memory():
                memory[number] = value
            case ("tools", int(number)), Tool():
                tools[number] = value
            case (_, int(number)), Message():
                messages[number] = value
            case (_, int(number), int(at)), _ if not isinstance(value, Message | Memory | Tool):
                parts.setdefault(number, list(messages[number].parts))[at] = value
    for number, own in parts.items():
        messages[number] = changed(messages[number], parts=tuple(own))
    return changed(prompt, messages=tuple(messages), tools=tuple(tools), memory=tuple(memory))


def _results(prompt: Prompt, values: Mapping[Place, Value]) -> dict[Place, Value]:
    """The results of tools in which something is another, each at its place."""
    inner: dict[tuple[int, int], list[Text | Attachment | Opaque]] = {}
    for place, value in values.items():
        match place, value:
            case (_, int(number), int(at), int(inside)), Text() | Attachment() | Opaque():
                inner.setdefault((number, at), list(_result(prompt, number, at).parts))[inside] = value
            case (_, _, _, _), _:
                raise SegmentError("a result of a tool has texts and attachments only")
    return {("messages", *at): changed(_result(prompt, *at), parts=tuple(parts)) for at, parts in inner.items()}


def _result(prompt: Prompt, number: int, at: int) -> Output:
    output = prompt.messages[number].parts[at]
    assert isinstance(output, Output)  # noqa: S101 - only results have parts
    return output

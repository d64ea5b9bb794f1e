"""`write()`: a prompt as a PML document that is read back as the same prompt.

A message has the shape that the grammar gives its role; any other is an `x:message` of the documented
extension, so that no content is dropped. `losses.losses()` lists what not even that can hold.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from acdl_mkdocs.prompts.pml.calls import write_document_call
from acdl_mkdocs.prompts.pml.losses import is_number
from acdl_mkdocs.prompts.pml.tools import index_by_name, write_opaque, write_tool
from acdl_mkdocs.prompts.pml.xml_text import NOT_XML, Line, write_attributes, write_block, write_leaf, write_namespace
from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Call,
    Memory,
    Message,
    Opaque,
    Output,
    Part,
    Prompt,
    Text,
    Thinking,
    Tool,
    group_turns,
)

Style = Literal["pretty", "min"]
Section = Literal["prompt", "conversation", "memory", "tools"]

_ALLOWED: Mapping[str, tuple[type[Part], ...]] = {
    "system": (Text, Attachment, Output, Opaque),
    "user": (Text, Attachment, Opaque),
    "assistant": (Thinking, Text, Attachment, Output, Opaque),
}
"""Allowed parts of a message of a role; one of an assistant may end with calls."""
_LABELS = {"fact": "key", "summary": "label", "content": "label"}


def write(prompt: Prompt, style: Style = "pretty", section: Section = "prompt") -> str:
    """Return a PML document with all of a prompt; the same prompt always gives the same text.

    Parameters:
        prompt: The prompt.
        style: `pretty` has a line for each element, `min` no white space between them.
        section: The section to write: `memory` or `tools` alone, otherwise the whole prompt.
    """
    lines = _write_section(prompt, section) if section in {"memory", "tools"} else _write_document(prompt)
    if style == "min":
        return "".join([line for _, line in lines])
    return "".join([piece for depth, line in lines for piece in ("  " * depth, line, "\n")])  # no line is copied


def _write_section(prompt: Prompt, section: Section) -> list[Line]:
    """Write the memory or the tools alone."""
    if section == "memory":
        attributes = write_attributes([("id", prompt.memory_id)])
        lines = [(1, text) for _, text in map(_write_memory, prompt.memory)]
        return write_block("memory", attributes + write_namespace([(0, attributes), *lines]), lines, 0)
    lines = [line for tool in prompt.tools for line in write_tool(tool, 1)]
    return write_block("tools", write_namespace(lines), lines, 0)


def _write_document(prompt: Prompt) -> list[Line]:
    """Write a prompt, or only its conversation if it has nothing else."""
    tools = index_by_name(prompt.tools)
    attributes = write_attributes([("id", prompt.id), ("topic", prompt.topic)])
    has_memory = bool(prompt.memory) or prompt.memory_id is not None
    if not (prompt.tools or has_memory or prompt.settings):
        lines = _write_conversation(prompt.messages, tools, 1)
        return write_block("conversation", attributes + write_namespace([(0, attributes), *lines]), lines, 0)
    lines = [line for tool in prompt.tools for line in write_tool(tool, 2)]
    lines = write_block("tools", "", lines, 1) if prompt.tools else []
    if has_memory:
        own = write_attributes([("id", prompt.memory_id)])
        lines = [*write_block("memory", own, [_write_memory(each) for each in prompt.memory], 1), *lines]
    lines += write_block("conversation", attributes, _write_conversation(prompt.messages, tools, 2), 1)
    lines += [write_opaque(each, 1) for each in prompt.settings]
    return write_block("prompt", ' version="1"' + write_namespace(lines), lines, 0)


def _write_memory(memory: Memory) -> Line:
    return 2, write_leaf(memory.kind, write_attributes([(_LABELS[memory.kind], memory.key)]), memory.text)


def _write_conversation(messages: Sequence[Message], tools: Mapping[str, Tool], depth: int) -> list[Line]:
    """Write messages in turns; a number that a turn cannot have is written at each message."""
    lines: list[Line] = []
    highest = 1
    for turn in group_turns(messages):
        index = turn.number if turn.number is not None and highest <= turn.number and is_number(turn.number) else None
        highest = index or highest
        inner = depth if turn.is_outside else depth + 1
        own_number = str(turn.number) if turn.number != index and is_number(turn.number) else None
        children = [line for message in turn.messages for line in _write_message(message, tools, inner, own_number)]
        number = write_attributes([("index", None if index is None else str(index))])
        lines += children if turn.is_outside else write_block("turn", number, children, depth)
    return lines


def _choose_element(message: Message) -> str:
    """Return the element for the shape of a message."""
    if message.role == "tool":
        is_plain = message.parts and message.name is None and message.id is None
        return "tool_output" if is_plain and _are_of_kinds(message.parts, (Output,)) else "x:message"
    if message.role not in _ALLOWED:
        return "x:message"
    parts = [part for part in message.parts if not isinstance(part, Opaque)]
    while message.role == "assistant" and parts and isinstance(parts[-1], Call):
        parts.pop()
    return message.role if _are_of_kinds(parts, _ALLOWED[message.role]) else "x:message"


def _are_of_kinds(parts: Sequence[Part], kinds: tuple[type[Part], ...]) -> bool:
    return all(isinstance(part, kinds) for part in parts)


def _write_message(message: Message, tools: Mapping[str, Tool], depth: int, turn: str | None) -> list[Line]:
    """Write a message; `turn` is the number of its turn, if the element of the turn does not have it."""
    name = _choose_element(message)
    if name == "tool_output":
        outputs = [part for part in message.parts if isinstance(part, Output)]
        joined = [None, *("1" for _ in outputs[1:])]
        other_pairs = [[("x:turn", turn), ("x:joined", each)] for each in joined]
        return [
            line
            for output, attributes in zip(outputs, other_pairs, strict=True)
            for line in _write_output(output, depth, attributes)
        ]
    role = message.role if name == "x:message" else None
    attributes = write_attributes([("role", role), ("name", message.name), ("id", message.id), ("x:turn", turn)])
    return write_block(
        name, attributes, [line for part in message.parts for line in _write_part(part, tools, depth + 1)], depth
    )


def _write_part(part: Part, tools: Mapping[str, Tool], depth: int) -> list[Line]:
    """Write a part of a message.

    Parameters:
        part: The part.
        tools: The tools by the names that calls use; they define the types of the attributes of a call.
        depth: Depth of the element.
    """
    match part:
        case Text(text):
            return [(depth, write_leaf("text", "", text))]
        case Thinking():
            return [(depth, _write_thinking(part))]
        case Attachment():
            return _write_attachment(part, depth)
        case Call():
            return [(depth, write_document_call(part, tools.get(part.tool)))]
        case Output():
            return _write_output(part, depth)
        case Opaque():
            return [write_opaque(part, depth)]


def _write_output(output: Output, depth: int, other_pairs: Sequence[tuple[str, str | None]] = ()) -> list[Line]:
    """Write a result: its text alone if it is one text, else elements.

    Parameters:
        output: The result.
        depth: Depth of the element.
        other_pairs: Further attributes.
    """
    status = "error" if output.is_error else None
    attributes = write_attributes(
        [("id", output.call_id), ("name", output.tool), ("status", status), ("mime", output.mime), *other_pairs]
    )
    match output.parts:
        case (Text(text),) if _is_plain(text):
            return [(depth, write_leaf("tool_output", attributes, text))]
        case _:
            return write_block(
                "tool_output",
                attributes,
                [line for each in output.parts for line in _write_output_parts(each, depth + 1)],
                depth,
            )


def _write_thinking(thinking: Thinking) -> str:
    redacted = "1" if thinking.is_redacted else None
    attributes = [("signature", thinking.signature), ("redacted", redacted), ("x:provider", thinking.provider)]
    return write_leaf("thinking", write_attributes(attributes), thinking.text)


def _write_output_parts(part: Text | Attachment | Opaque, depth: int) -> list[Line]:
    match part:
        case Text(text):
            return [(depth, write_leaf("content", "", text))]
        case Attachment():
            return _write_attachment(part, depth)
        case Opaque():
            return [write_opaque(part, depth)]


def _write_attachment(attachment: Attachment, depth: int) -> list[Line]:
    """Write a file: a text of one line alone, other texts and data in `<content>`."""
    data = None if attachment.data is None or NOT_XML.search(attachment.data) else attachment.data
    text = attachment.text
    pairs: list[tuple[str, str | None]] = [
        ("type", attachment.type),
        ("name", attachment.name),
        ("path", attachment.path),
        ("id", attachment.id),
        ("mime", attachment.mime),
        ("href", attachment.href),
    ]
    if data is not None:
        attributes = write_attributes([*pairs, ("x:text", text)])
        return write_block(
            "attachment", attributes, [(depth + 1, write_leaf("content", ' encoding="base64"', data))], depth
        )
    attributes = write_attributes(pairs)
    if text is not None and _is_plain(text) and "\n" not in text:
        return [(depth, write_leaf("attachment", attributes, text))]
    content = [] if text is None else [(depth + 1, write_leaf("content", "", text, is_file=True))]
    return write_block("attachment", attributes, content, depth)


def _is_plain(text: str) -> bool:
    """Return whether a text can do without its own element: it is more than white space, and XML can hold it."""
    return bool(text.strip()) and not NOT_XML.search(text)

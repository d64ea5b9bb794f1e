"""Calls and results of OpenAI Responses beside functions: custom tools, and tools that the provider defines.

An item of a tool that the provider runs itself is a call and its result at once; it is read as both. Everything that an
item has beside them stays with the call or the result, together with its type, so that it is written unchanged.
"""

from collections.abc import Mapping

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Attachment, Call, Json, Opaque, Output, Part, Text
from acdl_mkdocs.prompts.providers.arguments import read_arguments, read_json, write_arguments, write_json
from acdl_mkdocs.prompts.providers.media import is_base64, make_data_url, read_url
from acdl_mkdocs.prompts.providers.opaque import attach_keys, merge_keys
from acdl_mkdocs.prompts.providers.read_body import JsonNode, PairedCalls, read_id

NAME = "responses"


@dataclass(frozen=True, slots=True)
class CallKind:
    """The call in an item of a type, and the item of its result."""

    tool: str
    """Name of the tool; empty where the item has it."""
    args: tuple[str, ...] = ()
    """Keys that are arguments; none where `arguments` is the text of an object, as in the call of a function."""
    id: str = "call_id"
    """Key of the id."""
    is_run: bool = False
    """Whether the provider runs the tool; then the item has the result too."""
    result: str = ""
    """Key of the result, in the item or in that of the result; empty where the provider keeps it."""
    is_words: bool = False
    """Whether a result is a text, not other JSON."""
    output: str = ""
    """Type of the item of the result, if it is a separate item."""
    answers: str = "call_id"
    """Key of the id in that item."""


CALLS: Mapping[str, CallKind] = {
    "custom_tool_call": CallKind("", ("input",), result="output", output="custom_tool_call_output"),
    "computer_call": CallKind("computer", ("action", "actions"), result="output", output="computer_call_output"),
    "local_shell_call": CallKind(
        "local_shell", ("action",), result="output", is_words=True, output="local_shell_call_output", answers="id"
    ),
    "shell_call": CallKind("shell", ("action",), result="output", output="shell_call_output"),
    "apply_patch_call": CallKind(
        "apply_patch", ("operation",), result="output", is_words=True, output="apply_patch_call_output"
    ),
    "tool_search_call": CallKind("tool_search", ("arguments",), result="tools", output="tool_search_output"),
    "program": CallKind("program", ("code",), result="result", is_words=True, output="program_output"),
    "mcp_approval_request": CallKind(
        "mcp_approval_request",
        ("server_label", "name", "arguments"),
        "id",
        result="approve",
        output="mcp_approval_response",
        answers="approval_request_id",
    ),
    "mcp_call": CallKind("", (), "id", is_run=True, result="output", is_words=True),
    "mcp_list_tools": CallKind("mcp_list_tools", ("server_label",), "id", is_run=True, result="tools"),
    "web_search_call": CallKind("web_search", ("action",), "id", is_run=True),
    "file_search_call": CallKind("file_search", ("queries",), "id", is_run=True, result="results"),
    "code_interpreter_call": CallKind("code_interpreter", ("code",), "id", is_run=True, result="outputs"),
    "image_generation_call": CallKind("image_generation", ("revised_prompt",), "id", is_run=True, result="result"),
}
"""By type of the item."""
OUTPUTS: Mapping[str, CallKind] = {kind.output: kind for kind in CALLS.values() if kind.output}
"""By type of the item of the result."""
CUSTOM = "custom_tool_call_output"
"""The one whose result is written as that of a function."""
_FIRST = ("type", "id", "call_id", "status")
_IMAGE = "image_generation_call"
_ERROR = "error"
"""Key of what went wrong, in items of tools that the provider runs."""


def read_call(node: JsonNode, pairing: PairedCalls) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Read the parts of the call in an item, and those of its result if the item has it."""
    kind = CALLS[str(node.get_key("type").value)]
    call_id = read_id(node.get_key(kind.id), is_optional=True)
    tool = kind.tool or node.get_key("name").read_text()
    args, raw = (
        {key: node.value[key] for key in kind.args if node.has_key(key) and isinstance(node.value, dict)},
        None,
    )
    if not kind.args:
        args, raw = read_arguments(node.get_key("arguments"))
    pairing.add_call(node, call_id, tool)
    own_keys = (*(args if kind.args else ("arguments",)), *(() if kind.tool else ("name",)))
    other_keys = node.list_other_keys(*own_keys, *(() if call_id is None else (kind.id,)))
    result: tuple[Part, ...] = ()
    if kind.is_run:
        pairing.add_result(node, call_id, tool)
        is_error = node.has_key(_ERROR) and not node.has_key(kind.result)
        inside = _take_value(other_keys, _ERROR if is_error else kind.result, kind)
        result = (Output(inside, call_id, tool, is_error),)
    return attach_keys(NAME, Call(tool, args, call_id, raw), other_keys), result


def read_output(node: JsonNode, ids: Mapping[str, str], pairing: PairedCalls) -> tuple[Part, ...]:
    """Read the parts of a result in a separate item.

    Parameters:
        node: The item.
        ids: Ids of items by which results may name a call, with the id of that call.
        pairing: The calls so far.
    """
    kind = OUTPUTS[str(node.get_key("type").value)]
    key = "call_id" if node.has_key("call_id") else kind.answers
    recorded_id = read_id(node.get_key(key), is_optional=True)
    call_id = recorded_id if recorded_id is None else ids.get(recorded_id, recorded_id)
    tool = pairing.add_result(node, call_id, kind.tool or None)
    other_keys = node.list_other_keys(*((key,) if recorded_id is not None and recorded_id == call_id else ()))
    parts = _take_value(other_keys, kind.result, kind)
    return attach_keys(NAME, Output(parts, call_id, tool), other_keys)


def _take_value(other_keys: dict[str, Json], key: str, kind: CallKind) -> tuple[Text | Attachment, ...]:
    """Read a value and remove its key, unless it would be written differently."""
    value = other_keys.get(key)
    if value is None:
        return ()
    parts = _read_result_parts(value, other_keys)
    if _write_result_value(parts, other_keys, kind) == value:
        del other_keys[key]
    return parts


def _read_result_parts(value: Json, other_keys: Mapping[str, Json]) -> tuple[Text | Attachment, ...]:
    """Read a result: words, an image, or other JSON as text."""
    match value:
        case str() if other_keys.get("type") == _IMAGE and is_base64(value):
            image_format = other_keys.get("output_format")
            return (
                Attachment(
                    "image", mime=f"image/{image_format}" if isinstance(image_format, str) else None, data=value
                ),
            )
        case {"type": "computer_screenshot", "image_url": str(url), **rest} if not rest:
            image = read_url("image", url)
            return (Text(write_json(value)),) if image is None else (image,)
        case str():
            return (Text(value),)
    return (Text(write_json(value)),)


def _write_result_value(
    parts: tuple[Text | Attachment | Opaque, ...], other_keys: Mapping[str, Json], kind: CallKind
) -> Json:
    """Write a result in the form of the provider."""
    image = parts[0] if len(parts) == 1 else None
    if isinstance(image, Attachment) and (image.data or image.href):
        if other_keys.get("type") == _IMAGE:
            return image.data
        return {"type": "computer_screenshot", "image_url": make_data_url(image) if image.data else image.href}
    text = "\n".join(part.text for part in parts if isinstance(part, Text))
    return text if kind.is_words else read_json(text)


def write_call(call: Call, other_keys: dict[str, Json], result: Output | None) -> dict[str, Json] | None:
    """Write the item of a call that is not of a function; `None` if its further data match no such item.

    Parameters:
        call: The call, with the id that is sent.
        other_keys: Further data of the provider, with the type of the item.
        result: Its result.
    """
    kind = CALLS.get(str(other_keys.get("type")))
    if kind is None or (kind.tool and call.tool != kind.tool) or (kind.args and not call.args.keys() <= {*kind.args}):
        return None
    item: dict[str, Json] = {"type": other_keys["type"], kind.id: other_keys.get(kind.id, call.id)}
    if not kind.tool:
        item["name"] = call.tool
    item |= call.args if kind.args else {"arguments": write_arguments(call)}
    if kind.is_run and result is not None:
        _add_value(item, _ERROR if result.is_error else kind.result, result, other_keys, kind)
    return _order_keys(merge_keys(item, other_keys))


def write_output(output: Output, other_keys: dict[str, Json], name: str, function: Json) -> dict[str, Json]:
    """Write the item of a result.

    Parameters:
        output: The result, with the id of its call.
        other_keys: Further data of the provider.
        name: Type of the item, a key of `OUTPUTS`.
        function: Its content, as in the result of a function.
    """
    kind = OUTPUTS[name]
    key = "call_id" if other_keys.get("call_id") is not None else kind.answers
    item: dict[str, Json] = {"type": name, key: other_keys.get(key, output.call_id)}
    if name == CUSTOM:
        item[kind.result] = function
    else:
        _add_value(item, kind.result, output, {**other_keys, "type": name}, kind)
    return _order_keys(merge_keys(item, other_keys))


def _order_keys(item: dict[str, Json]) -> dict[str, Json]:
    """Return an item with its keys in the order of the provider: its type comes first."""
    return {key: item[key] for key in dict.fromkeys((*_FIRST, *item)) if key in item}


def _add_value(item: dict[str, Json], key: str, output: Output, other_keys: dict[str, Json], kind: CallKind) -> None:
    """Write a result into an item, in the provider's spelling if that says the same."""
    if (
        output.parts
        and key
        and (key not in other_keys or _read_result_parts(other_keys[key], other_keys) != output.parts)
    ):
        item[key] = _write_result_value(output.parts, other_keys, kind)

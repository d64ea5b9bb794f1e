"""Parts of tools that Gemini runs itself: code, and the content of `toolCall` and `toolResponse`, such as a search.

They are read as calls and results. The key of the part stays beside them, with what they do not say.
"""

from acdl_mkdocs.prompts.prompt import Call, Json, Output, Part, Text
from acdl_mkdocs.prompts.providers.arguments import read_json, write_json
from acdl_mkdocs.prompts.providers.opaque import attach_keys
from acdl_mkdocs.prompts.providers.read_body import JsonNode, PairedCalls, read_id
from acdl_mkdocs.prompts.providers.results import ProviderPart

NAME = "gemini"
CODE, RAN = "executableCode", "codeExecutionResult"
ASKED, GIVEN = "toolCall", "toolResponse"
CALLS, RESULTS = (CODE, ASKED), (RAN, GIVEN)
"""Keys of calls and results of tools that the provider runs."""
_TOOL = "code_execution"
_CODE_ARGS = {"language", "code"}
_FINE, _FAILED = "OUTCOME_OK", "OUTCOME_FAILED"
_SIGNATURE = "thoughtSignature"


def find_own_key(piece: ProviderPart) -> str | None:
    """Return the key that shows that a piece belongs to a tool that the provider runs."""
    match piece.part:
        case Call(tool=tool, args=args):
            key = next((key for key in CALLS if key in piece.more), None)
            is_changed = key == CODE and not (tool == _TOOL and args.keys() <= _CODE_ARGS)
            return None if is_changed else key
        case Output():
            return next((key for key in RESULTS if key in piece.more), None)
    return None


def read_own_call(node: JsonNode, pairing: PairedCalls) -> tuple[Part, ...]:
    """Read the parts of a call."""
    key = CODE if node.has_key(CODE) else ASKED
    call = node.get_key(key)
    call_id = read_id(call.get_key("id"), is_optional=True)
    if key == CODE:
        tool, own_keys = _TOOL, ("id", *_CODE_ARGS)
        args = {name: value for name, value in call.read_object().items() if name in _CODE_ARGS}
    else:
        tool, own_keys = _get_tool_name(call), ("id", "args")
        args = call.get_key("args").read_object() if call.has_key("args") else {}
    pairing.add_call(node, call_id, tool)
    signature = node.get_key(_SIGNATURE).read_optional_text()
    other_keys = {**node.list_other_keys(key, _SIGNATURE), key: call.list_other_keys(*own_keys)}
    return attach_keys(NAME, Call(tool, args, call_id, signature=signature), other_keys)


def read_own_result(node: JsonNode, pairing: PairedCalls) -> tuple[Part, ...]:
    """Read the parts of a result."""
    key = RAN if node.has_key(RAN) else GIVEN
    result = node.get_key(key)
    call_id = read_id(result.get_key("id"), is_optional=True)
    tool = pairing.add_result(node, call_id, _TOOL if key == RAN else _get_tool_name(result))
    text, is_error, own_keys = result.get_key("output").read_optional_text(), False, ("id", "output")
    if key == RAN:
        is_error = result.get_key("outcome").value not in (None, _FINE)
    else:
        text, own_keys = (
            write_json(result.get_key("response").read_object()) if result.has_key("response") else None,
            ("id", "response"),
        )
    other_keys = {**node.list_other_keys(key), key: result.list_other_keys(*own_keys)}
    return attach_keys(NAME, Output(() if text is None else (Text(text),), call_id, tool, is_error), other_keys)


def _get_tool_name(node: JsonNode) -> str:
    """Return the name of a tool: `google_search_web`."""
    return (node.get_key("toolType").read_optional_text() or "tool").lower()


def write_own_call(call: Call, key: str, other_data: Json) -> dict[str, Json]:
    """Write the part of a call.

    Parameters:
        call: The call.
        key: Its marker.
        other_data: Further data of the provider under that key.
    """
    arguments: dict[str, Json] = dict(call.args) if key == CODE else {"args": dict(call.args)} if call.args else {}
    block = {**_write_id(call.id), **_read_object(other_data), **arguments}
    return {key: block} | ({} if call.signature is None else {_SIGNATURE: call.signature})


def write_own_result(output: Output, key: str, other_data: Json) -> dict[str, Json]:
    """Write the part of a result.

    Parameters:
        output: The result.
        key: Its marker.
        other_data: Further data of the provider under that key.
    """
    text = "\n".join(part.text for part in output.parts if isinstance(part, Text))
    block = {**_write_id(output.call_id), **_read_object(other_data)}
    if key == RAN:
        if output.is_error != (block.get("outcome") not in (None, _FINE)):
            block["outcome"] = _FAILED if output.is_error else _FINE
        return {key: block | ({"output": text} if output.parts else {})}
    value = read_json(text)
    response: Json = value if isinstance(value, dict) else {"output": text}
    return {key: block | ({"response": response} if output.parts else {})}


def _write_id(call_id: str | None) -> dict[str, Json]:
    return {} if call_id is None else {"id": call_id}


def _read_object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}

"""What the spans of the Vercel AI SDK say was sent, in the form of the GenAI conventions."""

from collections.abc import Mapping

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json

MESSAGES = "ai.prompt.messages"
_TOOLS = "ai.prompt.tools"
_VALUES = ("text", "json", "error-text", "error-json")


def messages_of(given: list[Json]) -> list[Json]:
    """The messages of a prompt."""
    return [_message(each) for each in given]


def _message(given: Json) -> Json:
    if not isinstance(given, dict):
        return given
    content = given.get("content")
    parts: list[Json] = [{"type": "text", "content": content}] if isinstance(content, str) else []
    for each in content if isinstance(content, list) else ():
        parts.append(_part(each) if isinstance(each, dict) else each)
    return {"role": given.get("role"), "parts": parts}


def _part(part: dict[str, Json]) -> Json:
    match part.get("type"):
        case "text" | "reasoning" as kind:
            return {"type": kind, "content": part.get("text")}
        case "tool-call":
            args = part.get("input", part.get("args"))
            return {"type": "tool_call", "id": part.get("toolCallId"), "name": part.get("toolName"), "arguments": args}
        case "tool-result":
            result = _result(part.get("output", part.get("result")))
            return {"type": "tool_call_response", "id": part.get("toolCallId"), "response": result}
        case "file" | "image" as kind:
            data = part.get("data", part.get("image"))
            mime = part.get("mediaType", part.get("mimeType"))
            modality = "image" if kind == "image" or str(mime).startswith("image/") else "file"
            is_address = isinstance(data, str) and data.startswith(("http://", "https://"))
            where: dict[str, Json] = {"type": "uri", "uri": data} if is_address else {"type": "blob", "content": data}
            return {**where, "modality": modality, "mime_type": mime} if isinstance(data, str) else part
    return part


def _result(output: Json) -> Json:
    """What a tool answered; since version 5 it says its type."""
    if not isinstance(output, dict) or "value" not in output:
        return output
    if output.get("type") in _VALUES:
        return output["value"]
    listed = output["value"] if output.get("type") == "content" else None
    if isinstance(listed, list):
        return [_part(each) if isinstance(each, dict) else each for each in listed]
    return output


def tools_of(attributes: Mapping[str, Json]) -> list[Json]:
    """The tools of a prompt, each of which is JSON text."""
    listed = attributes.get(_TOOLS)
    found: list[Json] = []
    for each in listed if isinstance(listed, list) else ():
        try:
            tool = strict_json(each) if isinstance(each, str) else each
        except JsonFault:
            continue
        if isinstance(tool, dict) and "name" in tool:
            schema = tool.get("inputSchema", tool.get("parameters"))
            found.append({**tool, "parameters": schema} if isinstance(schema, dict) else tool)
    return found

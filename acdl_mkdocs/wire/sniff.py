"""`sniff()`: which format a request body is in."""

import re
from collections.abc import Iterator

from acdl_mkdocs.prompt import Json

_ANTHROPIC_BLOCKS = {"tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document"}
_ANTHROPIC_KEYS = {"system", "thinking", "stop_sequences", "anthropic_version", "top_k", "container", "mcp_servers"}
_OPENAI_ROLES = ("developer", "tool", "function")
_OPENAI_BLOCKS = {"image_url", "input_audio", "file", "refusal"}
_OPENAI_KEYS = {"max_completion_tokens", "response_format", "logit_bias", "n", "seed", "stop", "reasoning_effort"}
_PML = re.compile(
    r"\ufeff?\s*+(?:<(?:\?[^>]*+>|!--(?:[^-]|-(?!-))*+-->)\s*+)*+"
    r"<(?:prompt|conversation|memory|tools|tool|turn|user|system|assistant)[\s/>]"
)
"""A text that begins as a document does, behind a declaration and comments; also with a root that only lenient reading
takes."""


def sniff(body: Json) -> str | None:
    """Key in `WIRES` of the format that a body is in, or `None` where it is in none of them; a text may be `pml`.

    A body that means the same in two formats is taken as `anthropic` where it asks a model of that provider, or names
    no model and says `max_tokens`, which that format needs; else as `openai`.
    """
    if isinstance(body, str):
        return "pml" if _PML.match(body) else None
    if not isinstance(body, dict):
        return None
    if isinstance(body.get("contents"), list):
        return "gemini"
    messages = body.get("messages")
    if isinstance(messages, list):
        return _of_messages(body, messages)
    if isinstance(body.get("input"), str | list) or "previous_response_id" in body or _has_stored(body):
        return "responses"
    return "gemini" if isinstance(body.get("systemInstruction", body.get("system_instruction")), dict) else None


def _has_stored(body: dict[str, Json]) -> bool:
    """Whether the provider has the messages, as a prompt that is stored there."""
    prompt = body.get("prompt")
    return isinstance(prompt, dict) and "id" in prompt and "messages" not in body


def _of_messages(body: dict[str, Json], messages: list[Json]) -> str | None:
    objects = [message for message in messages if isinstance(message, dict)]
    if len(objects) < len(messages):
        return None
    tools = body.get("tools")
    first_tool = tools[0] if isinstance(tools, list) and tools and isinstance(tools[0], dict) else {}
    kinds = set(_kinds(objects))
    if kinds & _ANTHROPIC_BLOCKS or body.keys() & _ANTHROPIC_KEYS or "input_schema" in first_tool:
        return "anthropic"
    is_openai = any(str(message.get("role")) in _OPENAI_ROLES or "tool_calls" in message for message in objects)
    if is_openai or kinds & _OPENAI_BLOCKS or body.keys() & _OPENAI_KEYS or "function" in first_tool:
        return "openai"
    model = body.get("model")
    if isinstance(model, str) and model:
        return "anthropic" if model.startswith("claude") else "openai"
    has_system = any(message.get("role") == "system" for message in objects)
    return "anthropic" if "max_tokens" in body and not has_system else "openai"


def _kinds(messages: list[dict[str, Json]]) -> Iterator[str]:
    """Types of all blocks."""
    for message in messages:
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            kind = block.get("type") if isinstance(block, dict) else None
            if isinstance(kind, str):
                yield kind

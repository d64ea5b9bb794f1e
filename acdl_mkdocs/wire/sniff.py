"""`sniff()`: which format a request body is in."""

import re
from collections.abc import Iterator

from acdl_mkdocs.foundation.possessive import possessive
from acdl_mkdocs.prompt import Json
from acdl_mkdocs.wire.anthropic_blocks import CALLS, KEPT, RESULTS
from acdl_mkdocs.wire.dialects import dialect_of

_ANTHROPIC_BLOCKS = {"tool_use", "tool_result", "redacted_thinking", *CALLS, *RESULTS, *KEPT}
_SOURCED = ("image", "document")
"""Blocks that have a `source` where they are Anthropic's; others have blocks of these names too."""
_ANTHROPIC_KEYS = {"stop_sequences", "anthropic_version", "anthropic_beta", "container", "mcp_servers"}
_ANTHROPIC_KEYS |= {"context_management", "output_config"}
_ANTHROPIC_CHOICES = ("auto", "any", "tool", "none")
_OPENAI_ROLES = ("developer", "tool", "function")
_OPENAI_BLOCKS = {"image_url", "input_audio", "file", "refusal"}
_OPENAI_KEYS = {"max_completion_tokens", "response_format", "logit_bias", "n", "seed", "stop", "reasoning_effort"}
_OPENAI_KEYS |= {"stream_options", "frequency_penalty", "presence_penalty", "logprobs", "top_logprobs", "user"}
_OPENAI_KEYS |= {"parallel_tool_calls", "functions", "function_call", "modalities", "prediction", "verbosity", "store"}
_PML = re.compile(
    r"\ufeff?\s*+"
    + possessive(rf"<(?:\?[^>]*+>|!--{possessive('[^-]++|-(?!-)')}-->)\s*+")
    + r"<(?:prompt|conversation|memory|tools|tool|turn|user|system|assistant)[\s/>]"
)
"""A text that begins as a document does, behind a declaration and comments; also with a root that only lenient reading
takes."""


def sniff(body: Json, likely: str | None = None) -> str | None:
    """Key in `WIRES` of the format that a body is in, or `None` where it is in none of them; a text may be `pml`.

    The shape decides: how calls, results, tools and images are written, then keys that only one provider has. A body
    that means the same in two formats is taken as `anthropic` where it asks a model of that provider, or names no model
    and says `max_tokens`, which that format needs; else as `openai`.

    Parameters:
        body: The body, or a text.
        likely: The format that an address or a log names: taken where nothing but single keys says another one.
    """
    if isinstance(body, str):
        return "pml" if _PML.match(body) else None
    if not isinstance(body, dict) or dialect_of(body) is not None:
        return None
    contents = body.get("contents")
    if isinstance(contents, list) or (isinstance(contents, dict) and "parts" in contents):
        return "gemini"
    messages = body.get("messages")
    if isinstance(messages, list):
        return _of_messages(body, messages, likely)
    if isinstance(body.get("input"), str | list) or "previous_response_id" in body or _has_stored(body):
        return "responses"
    return "gemini" if isinstance(body.get("systemInstruction", body.get("system_instruction")), dict) else None


def _has_stored(body: dict[str, Json]) -> bool:
    """Whether the provider has the messages, as a prompt that is stored there."""
    prompt = body.get("prompt")
    return isinstance(prompt, dict) and "id" in prompt and "messages" not in body


def _of_messages(body: dict[str, Json], messages: list[Json], likely: str | None) -> str | None:
    objects = [message for message in messages if isinstance(message, dict)]
    if len(objects) < len(messages):
        return None
    tools = body.get("tools")
    declared = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    kinds = set(_kinds(objects))
    has_calls = any("tool_calls" in message or str(message.get("role")) in _OPENAI_ROLES for message in objects)
    is_instructed = bool(objects) and objects[0].get("role") == "system"  # Anthropic takes it between messages only
    is_openai = has_calls or bool(kinds & _OPENAI_BLOCKS) or any("function" in tool for tool in declared)
    is_openai = is_openai or is_instructed
    is_anthropic = isinstance(body.get("system"), str | list) or any("input_schema" in tool for tool in declared)
    is_anthropic = is_anthropic or bool(kinds & _ANTHROPIC_BLOCKS)
    if is_openai != is_anthropic:
        return "openai" if is_openai else "anthropic"
    if is_openai:  # a mixture: the messages say more than what stands beside them
        return "openai" if has_calls else "anthropic"
    if likely in ("openai", "anthropic"):
        return likely
    n_anthropic, n_openai = _n_anthropic_keys(body), _n_openai_keys(body)
    if n_anthropic != n_openai:
        return "anthropic" if n_anthropic > n_openai else "openai"
    model = body.get("model")
    if isinstance(model, str) and model:
        return "anthropic" if model.startswith("claude") else "openai"
    return "anthropic" if "max_tokens" in body else "openai"


def _n_anthropic_keys(body: dict[str, Json]) -> int:
    thinking, choice, metadata = (body.get(key) for key in ("thinking", "tool_choice", "metadata"))
    return (
        len(body.keys() & _ANTHROPIC_KEYS)
        + (isinstance(thinking, dict) and ("budget_tokens" in thinking or thinking.get("type") == "adaptive"))
        + (isinstance(choice, dict) and choice.get("type") in _ANTHROPIC_CHOICES)
        + (isinstance(metadata, dict) and metadata.keys() == {"user_id"})
    )


def _n_openai_keys(body: dict[str, Json]) -> int:
    choice = body.get("tool_choice")
    is_own_choice = isinstance(choice, str) or (isinstance(choice, dict) and choice.get("type") == "function")
    return len(body.keys() & _OPENAI_KEYS) + is_own_choice


def _kinds(messages: list[dict[str, Json]]) -> Iterator[str]:
    """Types of all blocks, those that several providers have by what only one has in them."""
    for message in messages:
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            kind = block.get("type") if isinstance(block, dict) else None
            if not isinstance(block, dict) or not isinstance(kind, str):
                continue
            is_own = (kind in _SOURCED and "source" in block) or (kind == "thinking" and "signature" in block)
            yield "tool_use" if is_own else kind

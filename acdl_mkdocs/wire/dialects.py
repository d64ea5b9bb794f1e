"""`dialect_of()`: whose request a body is that no format of `WIRES` reads, by its shape; knows names and cures only.

Such a body is named and refused, since read as a request of another provider it would lose most of what it says.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeGuard

from acdl_mkdocs.prompt import Json

Body = Mapping[str, Json]


class Dialect(NamedTuple):
    """A format of requests that is not read."""

    name: str
    cure: str


_CHAT = 'write it as Chat Completions: `{"messages": [{"role": "system", "content": "..."}, ...]}`'
_CONVERSE_BLOCKS = {"text", "toolUse", "toolResult", "image", "document", "video", "audio", "cachePoint"}
_CONVERSE_BLOCKS |= {"guardContent", "reasoningContent", "citationsContent"}
_CONVERSE_KEYS = {"inferenceConfig", "additionalModelRequestFields", "guardrailConfig", "performanceConfig"}
_INTERACTION_KEYS = {"previous_interaction_id", "generation_config", "system_instruction", "agent_config"}
_INTERACTION_KEYS |= {"response_modalities", "response_mime_type", "continuation_token", "safety_settings"}
_INTERACTION_ITEMS = {"text", "image", "audio", "video", "document", "user_input", "model_output", "thought"}
_INTERACTION_ITEMS |= {"function_result"}
_COHERE_KEYS = {"chat_history", "preamble", "connectors", "prompt_truncation", "search_queries_only"}
_COHERE = {"message", "model", "stream", "temperature", "max_tokens", "k", "p", "seed", "documents", "tools"}
_OLLAMA_KEYS = {"system", "template", "raw", "keep_alive", "options", "context", "images", "format"}
_PICTURE_KEYS = {"size", "quality", "aspect_ratio", "negative_prompt", "duration"}
"""What a model that draws is asked for, beside a `prompt`."""
_REALTIME = {"session.update": "session", "conversation.item.create": "item", "response.create": "type"}
_MOST_ITEMS = 20
"""Items of an input that are looked at: those of a format are alike."""
_CONVERSE, _INTERACTIONS, _MISTRAL = (
    "Bedrock Converse",
    "the Interactions API of Gemini",
    "the Conversations API of Mistral",
)
_MISTRAL_KEYS = {"agent_id", "agent_version", "completion_args", "handoff_execution", "store"}
_ADDRESSES: Mapping[str, tuple[str, str]] = {
    r"/converse(?:-stream)?$": (_CONVERSE, "messages"),
    r"/interactions$": (_INTERACTIONS, "input"),
    r"/conversations(?:/[\w-]+(?:/restart)?)?$": (_MISTRAL, "inputs"),
}
"""How addresses of such formats end, with a key that their bodies have."""
_CHAT_KEYS = ("messages", "contents", "input")


def dialect_of(body: Json, address: str = "") -> Dialect | None:
    """The format of a body that is not read; `None` where it may be one that is.

    Parameters:
        body: The body of a request.
        address: Where it was sent to, which says what the shape alone does not.
    """
    if not isinstance(body, dict):
        return None
    path = re.split(r"[?#]", address, maxsplit=1)[0].rstrip("/")
    sent_to = next((name for end, (name, key) in _ADDRESSES.items() if re.search(end, path) and key in body), None)
    return next((Dialect(name, cure) for name, cure, is_it in _DIALECTS if name == sent_to or is_it(body)), None)


def _is_converse(body: Body) -> bool:
    """Whether blocks have keys instead of a `type`, or beside the messages stands what only Converse has."""
    messages = body.get("messages")
    if not isinstance(messages, list):
        return False
    tools = body.get("toolConfig")
    if (
        body.keys() & _CONVERSE_KEYS
        or _are_typeless(body.get("system"))
        or (isinstance(tools, dict) and "tools" in tools)
    ):
        return True
    blocks = _blocks(messages)
    first = next(blocks, None)
    return first is not None and all("type" not in each and each.keys() & _CONVERSE_BLOCKS for each in (first, *blocks))


def _are_typeless(system: Json) -> bool:
    return isinstance(system, list) and any(isinstance(each, dict) and "type" not in each for each in system)


def _blocks(messages: list[Json]) -> Iterator[Body]:
    for message in messages:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list):
            yield from (block for block in content if isinstance(block, dict))


def _is_interaction(body: Body) -> bool:
    given = body.get("input")
    if given is None or "messages" in body or "contents" in body:
        return False
    items = given[:_MOST_ITEMS] if isinstance(given, list) else [given]
    return bool(body.keys() & _INTERACTION_KEYS) or any(
        isinstance(each, dict) and (each.get("role") == "model" or _is_content(each)) for each in items
    )


def _is_content(item: Body) -> bool:
    return "role" not in item and str(item.get("type")) in _INTERACTION_ITEMS


def _is_mistral(body: Body) -> bool:
    """Whether a conversation goes on with inputs."""
    inputs = body.get("inputs")
    if not isinstance(inputs, str | list) or any(key in body for key in _CHAT_KEYS):
        return False
    entries = inputs[:_MOST_ITEMS] if isinstance(inputs, list) else []
    return bool(body.keys() & _MISTRAL_KEYS) or any(isinstance(each, dict) and "role" in each for each in entries)


def _is_prompt(body: Body) -> TypeGuard[Body]:
    """Whether a model is to go on with a text, without roles."""
    prompt = body.get("prompt")
    is_text = isinstance(prompt, str) or (isinstance(prompt, list) and bool(prompt))
    return is_text and not body.keys() & _PICTURE_KEYS and not any(key in body for key in _CHAT_KEYS)


def _is_text(body: Body, key: str, *beside: str) -> bool:
    """Whether there is a text under a key, no messages, and one of other keys, if some are given."""
    is_beside = not beside or any(each in body for each in beside)
    return isinstance(body.get(key), str) and is_beside and not any(each in body for each in _CHAT_KEYS if each != key)


_DIALECTS: tuple[tuple[str, str, Callable[[Body], bool]], ...] = (
    (
        _CONVERSE,
        "write its messages as Anthropic Messages: blocks with a `type`, `toolUse` as `tool_use`, `toolResult` as "
        "`tool_result`",
        _is_converse,
    ),
    (
        _INTERACTIONS,
        "write it as a request of generateContent, with `contents` instead of `input`, or as Chat Completions",
        _is_interaction,
    ),
    (
        "the chat API of Cohere, version 1",
        "write it as Chat Completions, as its version 2 does: `preamble`, `chat_history` and `message` as `messages`",
        lambda body: _is_text(body, "message", *_COHERE_KEYS) or (_is_text(body, "message") and body.keys() <= _COHERE),
    ),
    (
        "the API of Anthropic for completing text",
        _CHAT,
        lambda body: _is_prompt(body) and "max_tokens_to_sample" in body,
    ),
    ("a completion of llama.cpp", _CHAT, lambda body: _is_prompt(body) and "n_predict" in body),
    (
        "the text API of Bedrock",
        _CHAT,
        lambda body: _is_text(body, "inputText") or (_is_prompt(body) and "max_gen_len" in body),
    ),
    (
        "the generate API of Ollama",
        "record calls of `/api/chat` or `/v1/chat/completions`, which have messages",
        lambda body: _is_prompt(body) and isinstance(body["prompt"], str) and bool(body.keys() & _OLLAMA_KEYS),
    ),
    ("an API that completes text, without messages", _CHAT, _is_prompt),
    (
        _MISTRAL,
        "record calls of `/v1/chat/completions`, which have messages",
        _is_mistral,
    ),
    (
        "the text API of Hugging Face",
        "record calls of `/v1/chat/completions`, which have messages",
        lambda body: _is_text(body, "inputs", "parameters", "options", "model") or _is_conversational(body),
    ),
    ("the text API of watsonx", _CHAT, lambda body: _is_text(body, "input", "model_id")),
    (
        "a prediction of Vertex AI",
        _CHAT,
        lambda body: isinstance(body.get("instances"), list) and "messages" not in body,
    ),
    (
        "a run of OpenAI Assistants",
        "record calls of Chat Completions or Responses, which have messages",
        lambda body: "assistant_id" in body and not any(key in body for key in _CHAT_KEYS),
    ),
    (
        "an event of OpenAI Realtime",
        "record calls of Chat Completions or Responses, which have messages",
        lambda body: _REALTIME.get(str(body.get("type"))) in body,
    ),
)
"""Name, cure, and what tells a body of each; the first that fits is it."""


def _is_conversational(body: Body) -> bool:
    inputs = body.get("inputs")
    return isinstance(inputs, dict) and "past_user_inputs" in inputs

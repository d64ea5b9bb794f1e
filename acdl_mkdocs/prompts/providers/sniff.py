"""`sniff()`: the format of a request body; `find_dialect()`: its origin if no format of `WIRES` reads it."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeGuard

from acdl_mkdocs.foundation.possessive import repeat_possessively
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers.provider import PROVIDERS

Body = Mapping[str, Json]


class Dialect(NamedTuple):
    """A format of requests that is not read."""

    name: str
    """Name of its API: `the Bedrock Converse API`."""
    cure: str

    @property
    def sentence(self) -> str:
        """The reason why a request in this format cannot be read."""
        return f"a request of {self.name}, which is not supported"


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
"""Keys of requests for images, beside a `prompt`."""
_REALTIME = {"session.update": "session", "conversation.item.create": "item", "response.create": "type"}
_MOST_ITEMS = 20
"""Number of items of an input to look at: all items of a format are alike."""
_CONVERSE, _INTERACTIONS, _MISTRAL = (
    "the Bedrock Converse API",
    "the Gemini Interactions API",
    "the Mistral Conversations API",
)
_MISTRAL_KEYS = {"agent_id", "agent_version", "completion_args", "handoff_execution", "store"}
_ADDRESSES: Mapping[str, tuple[str, str]] = {
    r"/converse(?:-stream)?$": (_CONVERSE, "messages"),
    r"/interactions$": (_INTERACTIONS, "input"),
    r"/conversations(?:/[\w-]+(?:/restart)?)?$": (_MISTRAL, "inputs"),
}
"""Endings of the addresses of such formats, each with a key of their bodies."""
_CHAT_KEYS = ("messages", "contents", "input")


def find_dialect(body: Json, address: str = "") -> Dialect | None:
    """Return the format of a body that cannot be read; `None` if it may be a readable one.

    Parameters:
        body: The body of a request.
        address: The address it was sent to, which distinguishes bodies of the same shape.
    """
    if not isinstance(body, dict):
        return None
    path = re.split(r"[?#]", address, maxsplit=1)[0].rstrip("/")
    sent_to = next((name for end, (name, key) in _ADDRESSES.items() if re.search(end, path) and key in body), None)
    return next((Dialect(name, cure) for name, cure, is_it in _DIALECTS if name == sent_to or is_it(body)), None)


def _is_converse(body: Body) -> bool:
    """Return whether blocks have keys instead of a `type`, or a body has keys that only Converse has."""
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
    blocks = list_blocks(messages)
    return bool(blocks) and all("type" not in each and each.keys() & _CONVERSE_BLOCKS for each in blocks)


def _are_typeless(system: Json) -> bool:
    return isinstance(system, list) and any(isinstance(each, dict) and "type" not in each for each in system)


def list_blocks(messages: Iterable[Json]) -> list[dict[str, Json]]:
    """Return the blocks of the messages of a chat."""
    contents = (message.get("content") for message in messages if isinstance(message, dict))
    return [block for each in contents if isinstance(each, list) for block in each if isinstance(block, dict)]


def list_tools(body: Body) -> list[dict[str, Json]]:
    """Return the tools that a chat declares."""
    tools = body.get("tools")
    return [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []


def _is_interaction(body: Body) -> bool:
    value = body.get("input")
    if value is None or "messages" in body or "contents" in body:
        return False
    items = value[:_MOST_ITEMS] if isinstance(value, list) else [value]
    return bool(body.keys() & _INTERACTION_KEYS) or any(
        isinstance(each, dict) and (each.get("role") == "model" or _is_content(each)) for each in items
    )


def _is_content(item: Body) -> bool:
    return "role" not in item and str(item.get("type")) in _INTERACTION_ITEMS


def _is_mistral(body: Body) -> bool:
    """Return whether inputs continue a conversation."""
    inputs = body.get("inputs")
    if not isinstance(inputs, (str, list)) or any(key in body for key in _CHAT_KEYS):
        return False
    entries = inputs[:_MOST_ITEMS] if isinstance(inputs, list) else []
    return bool(body.keys() & _MISTRAL_KEYS) or any(isinstance(each, dict) and "role" in each for each in entries)


def _is_prompt(body: Body) -> TypeGuard[Body]:
    """Return whether the request asks a model to continue a text without roles."""
    prompt = body.get("prompt")
    is_text = isinstance(prompt, str) or (isinstance(prompt, list) and bool(prompt))
    return is_text and not body.keys() & _PICTURE_KEYS and not any(key in body for key in _CHAT_KEYS)


def _is_text(body: Body, key: str, *beside: str) -> bool:
    """Return whether there is a text under a key, no messages, and one of other keys, if some are given."""
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
        "version 1 of the Cohere Chat API",
        "write it as Chat Completions, as its version 2 does: `preamble`, `chat_history` and `message` as `messages`",
        lambda body: _is_text(body, "message", *_COHERE_KEYS) or (_is_text(body, "message") and body.keys() <= _COHERE),
    ),
    (
        "the Anthropic Text Completions API",
        _CHAT,
        lambda body: _is_prompt(body) and "max_tokens_to_sample" in body,
    ),
    ("the llama.cpp completion API", _CHAT, lambda body: _is_prompt(body) and "n_predict" in body),
    (
        "the Bedrock text API",
        _CHAT,
        lambda body: _is_text(body, "inputText") or (_is_prompt(body) and "max_gen_len" in body),
    ),
    (
        "the Ollama generate API",
        "record calls of `/api/chat` or `/v1/chat/completions`, which have messages",
        lambda body: _is_prompt(body) and isinstance(body["prompt"], str) and bool(body.keys() & _OLLAMA_KEYS),
    ),
    ("a text completion API", _CHAT, _is_prompt),
    (
        _MISTRAL,
        "record calls of `/v1/chat/completions`, which have messages",
        _is_mistral,
    ),
    (
        "the Hugging Face text API",
        "record calls of `/v1/chat/completions`, which have messages",
        lambda body: _is_text(body, "inputs", "parameters", "options", "model") or _is_conversational(body),
    ),
    ("the watsonx text API", _CHAT, lambda body: _is_text(body, "input", "model_id")),
    (
        "the Vertex AI prediction API",
        _CHAT,
        lambda body: isinstance(body.get("instances"), list) and "messages" not in body,
    ),
    (
        "the OpenAI Assistants API",
        "record calls of Chat Completions or Responses, which have messages",
        lambda body: "assistant_id" in body and not any(key in body for key in _CHAT_KEYS),
    ),
    (
        "the OpenAI Realtime API",
        "record calls of Chat Completions or Responses, which have messages",
        lambda body: _REALTIME.get(str(body.get("type"))) in body,
    ),
)
"""Name, help, and test of a body for each; the first that matches is used."""


def _is_conversational(body: Body) -> bool:
    inputs = body.get("inputs")
    return isinstance(inputs, dict) and "past_user_inputs" in inputs


_PML = re.compile(
    r"\ufeff?\s*+"
    + repeat_possessively(rf"<(?:\?[^>]*+>|!--{repeat_possessively('[^-]++|-(?!-)')}-->)\s*+")
    + r"<(?:prompt|conversation|memory|tools|tool|turn|user|system|assistant)[\s/>]"
)
"""A text that begins like a document, after a declaration and comments; also with a root for lenient reading."""


def sniff(body: Json, likely: str | None = None) -> str | None:
    """Return the key in `WIRES` of the format of a body, or `None` if there is none; a text may be `pml`.

    The shape decides: how calls, results, tools and images are written, then keys that only one provider has. If a
    chat is valid in several formats, the model decides, or a key that one of them requires; otherwise it is
    `openai`, the first of them, which others imitate.

    Parameters:
        body: The body, or a text.
        likely: The format that an address or a log names: used unless more than single keys show another one.
    """
    if isinstance(body, str):
        return "pml" if _PML.match(body) else None
    if not isinstance(body, dict) or find_dialect(body) is not None:
        return None
    sure = next((name for name, provider in PROVIDERS.items() if provider.is_sure(body)), None)
    if sure is not None:
        return sure
    messages = body.get("messages")
    if isinstance(messages, list):
        return _sniff_chat(body, messages, likely)
    return next((name for name, provider in PROVIDERS.items() if provider.is_likely(body)), None)


def _sniff_chat(body: dict[str, Json], messages: list[Json], likely: str | None) -> str | None:
    objects = [message for message in messages if isinstance(message, dict)]
    if len(objects) < len(messages):
        return None
    chats = {name: provider for name, provider in PROVIDERS.items() if provider.messages_key == "messages"}
    if own := _find_greatest({name: provider.weigh_chat(body, objects) for name, provider in chats.items()}):
        return own
    if likely in chats:
        return likely
    if own := _find_greatest({name: provider.count_own_keys(body) for name, provider in chats.items()}):
        return own
    return next((name for name, provider in chats.items() if provider.is_likely_chat(body)), next(iter(chats)))


def _find_greatest(numbers: Mapping[str, int]) -> str | None:
    """Return the name of the greatest number; `None` if several are."""
    most = max(numbers.values())
    names = [name for name, number in numbers.items() if number == most]
    return names[0] if len(names) == 1 else None

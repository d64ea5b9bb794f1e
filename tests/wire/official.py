"""Request bodies against the types of the providers' own client packages, strict about unknown keys."""

import os
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import pytest

from acdl_mkdocs.prompts.prompt import Json

Check = Callable[[dict[str, Json]], None]


def client(package: str) -> None:
    """Skip a test where a package is not installed; in CI it has to be."""
    if not os.environ.get("CI"):
        pytest.importorskip(package)


def typed_dict(package: str, module: str, name: str) -> Check:
    """A check of bodies against a `TypedDict` of a client."""
    client(package)
    from pydantic import TypeAdapter
    from typing_extensions import is_typeddict

    wanted = getattr(import_module(f"{package}.types.{module}"), name)
    for path, loaded in list(sys.modules.items()):
        for each in list(vars(loaded).values()) if path.startswith(f"{package}.types") else ():
            if is_typeddict(each) and "__pydantic_config__" not in vars(each):
                each.__pydantic_config__ = {"extra": "forbid"}
    adapter = TypeAdapter(wanted)

    def check(body: dict[str, Json]) -> None:
        _consumed(adapter.validate_python(body))

    return check


def _consumed(value: Any) -> None:  # what a validator gives has no type
    """Go through what was validated: lists are checked when they are read, and answers may have more keys."""
    if getattr(value, "model_extra", None):
        raise ValueError(f"unknown keys: {list(value.model_extra)}")
    if isinstance(value, dict):
        for each in value.values():
            _consumed(each)
    elif not isinstance(value, str | int | float | bytes | None):
        for each in value:
            _consumed(each)


@cache
def openai_chat() -> Check:
    """Types of Chat Completions."""
    return typed_dict("openai", "chat.completion_create_params", "CompletionCreateParamsNonStreaming")


@cache
def openai_responses() -> Check:
    """Types of Responses, but that a message of the assistant does without an id and a status, as the service does."""
    strict = typed_dict("openai", "responses.response_create_params", "ResponseCreateParamsNonStreaming")

    def check(body: dict[str, Json]) -> None:
        items = body["input"]
        assert isinstance(items, list)
        strict({**body, "input": [_with_id(item) for item in items]})

    return check


def _with_id(item: Json) -> Json:
    if isinstance(item, dict) and item.get("role") == "assistant" and isinstance(item.get("content"), list):
        return {"id": "msg_1", "status": "completed", **item}
    return item


@cache
def anthropic() -> Check:
    """Types of Messages."""
    return typed_dict("anthropic", "message_create_params", "MessageCreateParamsNonStreaming")


@cache
def gemini() -> Check:
    """Types of contents and tools; the client makes the body of them."""
    client("google.genai")
    types = import_module("google.genai.types")

    def check(body: dict[str, Json]) -> None:
        rest = dict(body)
        for content in _list(rest.pop("contents")):
            types.Content.model_validate(content)
        if "systemInstruction" in rest:
            types.Content.model_validate(rest.pop("systemInstruction"))
        for tool in _list(rest.pop("tools", [])):
            types.Tool.model_validate(tool)
        if "toolConfig" in rest:
            types.ToolConfig.model_validate(rest.pop("toolConfig"))
        types.GenerateContentConfig.model_validate(rest.pop("generationConfig", {}))
        assert rest == {}

    return check


def _list(value: Json) -> list[Json]:
    assert isinstance(value, list)
    return value

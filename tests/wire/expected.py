"""What tests know of each provider and cannot derive from its `Provider`, whose code they test: one row each."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from wire.documents import SCHEMA
from wire.official import Check, anthropic, gemini, openai_chat, openai_responses

if TYPE_CHECKING:
    from pydantic import BaseModel

_WEATHER = {"name": "get_weather", "description": "Weather of a city"}


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What a provider's requests and answers have to be."""

    check: Callable[[], Check]
    """Makes a check that raises `ValueError` for a request that the types of the client package refuse, and for unknown
    keys."""
    answer: str
    """Type of an answer in the client package, a model of pydantic."""
    tool_choice: dict[str, Any]
    """Keys of a request that make the model call `get_weather`."""
    tool_path: str
    """Place of the first tool in a request: keys and numbers between blanks."""
    tool: dict[str, Any]
    """The first tool of `documents.TOOLS` in a request."""
    tool_format: str = ""
    """The format in which a list of its tools is recognized, if another provider's tools look the same."""

    @property
    def answer_type(self) -> "type[BaseModel]":
        """The type of an answer."""
        module, _, name = self.answer.rpartition(".")
        answer_type: type[BaseModel] = getattr(import_module(module), name)
        return answer_type


EXPECTED = {
    "openai": Expected(
        check=openai_chat,
        answer="openai.types.chat.ChatCompletion",
        tool_choice={"tool_choice": {"type": "function", "function": {"name": "get_weather"}}},
        tool_path="tools 0",
        tool={"type": "function", "function": {**_WEATHER, "parameters": SCHEMA}},
    ),
    "responses": Expected(
        check=openai_responses,
        answer="openai.types.responses.Response",
        tool_choice={"tool_choice": {"type": "function", "name": "get_weather"}},
        tool_path="tools 0",
        tool={"type": "function", **_WEATHER, "parameters": SCHEMA, "strict": False},
    ),
    "anthropic": Expected(
        check=anthropic,
        answer="anthropic.types.Message",
        tool_choice={"tool_choice": {"type": "tool", "name": "get_weather"}},
        tool_path="tools 0",
        tool={**_WEATHER, "input_schema": SCHEMA},
    ),
    "gemini": Expected(
        check=gemini,
        answer="google.genai.types.GenerateContentResponse",
        tool_choice={"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["get_weather"]}}},
        tool_path="tools 0 functionDeclarations 0",
        tool={**_WEATHER, "parametersJsonSchema": SCHEMA},
    ),
}


def expected(name: str) -> Expected:
    """Return the row of a provider."""
    assert name in EXPECTED, f"add a row for `{name}` to EXPECTED in tests/wire/expected.py"
    return EXPECTED[name]

"""The request that an OpenAI-compatible endpoint is sent, and how it changes when a server does not know a part of it.

Pure. The messages are those of `wire`; this adds what is asked of the answer.
"""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.models.json_schema import is_strict
from acdl_mkdocs.models.model_errors import ModelSettingsError
from acdl_mkdocs.prompts.prompt import Json, Prompt
from acdl_mkdocs.prompts.providers import WIRES

JsonMode: TypeAlias = Literal["json_schema", "json_object", "none"]
_WEAKER: Mapping[JsonMode, JsonMode] = {"json_schema": "json_object", "json_object": "none"}
_ABOUT_FORMAT = (
    "response_format",
    "json_schema",
    "json_object",
    "guided",
    "structured output",
    "'messages' must contain",
)
_UNKNOWN = (
    "unsupported",
    "not supported",
    "does not support",
    "unrecognized",
    "unknown",
    "not permitted",
    "not allowed",
    "unexpected",
    "deprecated",
    "max_completion_tokens",
)
_OPTIONAL = ("seed", "temperature")


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of one answer."""

    json_schema: Mapping[str, Json] | None = None
    max_model_tokens: int | None = None
    temperature: float = 0.0
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """Which parts of the protocol a server knows, as far as was found out."""

    json_mode: JsonMode = "json_schema"
    limit_key: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    left_out: frozenset[str] = field(default_factory=frozenset)
    """Settings that the server does not take."""

    def notes(self) -> tuple[str, ...]:
        """What the server was not asked for because it refused that, in words."""
        said = []
        if self.json_mode != "json_schema":
            said.append(f"the server does not take a JSON schema: replies are asked for with `{self.json_mode}`")
        said += [f"the server does not take `{name}`: it is not sent" for name in sorted(self.left_out)]
        return tuple(said)


def chat_request(prompt: Prompt, model: str, asked: Asked, dialect: Dialect) -> dict[str, Json]:
    """The body of a request.

    Raises:
        ModelSettingsError: The prompt has no message.
    """
    body = dict(WIRES["openai"].write(prompt, model).request)
    if not body.get("messages"):
        raise ModelSettingsError("the prompt has no message", "give it one with text")
    body.pop("stream", None)
    if asked.max_model_tokens is not None:
        body[dialect.limit_key] = asked.max_model_tokens
    body["temperature"] = asked.temperature
    if asked.seed is not None:
        body["seed"] = asked.seed
    if asked.json_schema is not None and dialect.json_mode != "none":
        body["response_format"] = _response_format(asked.json_schema, dialect.json_mode)
    return {key: value for key, value in body.items() if key not in dialect.left_out}


def _response_format(schema: Mapping[str, Json], mode: JsonMode) -> Json:
    if mode == "json_object":
        return {"type": "json_object"}
    whole: dict[str, Json] = dict(schema)
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": whole, "strict": is_strict(whole)}}


def adapted(dialect: Dialect, body: Mapping[str, Json], complaint: str) -> Dialect | None:
    """What to try after a server refused a request with a complaint (status 400 or 422); `None` if it is no dialect.

    Every step leaves something out for good, so that there is an end.
    """
    said = complaint.lower()
    weaker = _WEAKER.get(dialect.json_mode)
    if weaker and "response_format" in body and any(word in said for word in _ABOUT_FORMAT):
        return replace(dialect, json_mode=weaker)
    if not any(word in said for word in _UNKNOWN):
        return None
    if "max_tokens" in body and "max_tokens" in said:
        return replace(dialect, limit_key="max_completion_tokens")
    for name in _OPTIONAL:
        if name in body and name in said:
            return replace(dialect, left_out=dialect.left_out | {name})
    return None

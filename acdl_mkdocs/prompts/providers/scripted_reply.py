"""A scripted model reply, independent of the provider."""

import json
from collections.abc import Mapping
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json

Stop: TypeAlias = Literal["end", "calls", "length", "refusal"]
"""The reason for the end of a reply."""
_CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A call of a tool."""

    name: str
    arguments: Mapping[str, Json]
    call_id: str

    @property
    def text(self) -> str:
        """The arguments as text."""
        return json.dumps(dict(self.arguments), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """One answer."""

    mark: str
    """Distinguishes it from other answers in ids: its number in the script."""
    text: str = ""
    thinking: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    stop: Stop = "end"
    usage: tuple[int, int] | None = None
    """Model tokens of the request and of the answer, if the script gives them."""

    def count_model_tokens(self, request: Json) -> tuple[int, int]:
        """Return model tokens of the request and of the answer: from the script, else one for four characters."""
        if self.usage is not None:
            return self.usage
        text = "".join((self.thinking, self.text, *(call.name + call.text for call in self.calls)))
        return _estimate_tokens(json.dumps(request, ensure_ascii=False)), _estimate_tokens(text)


def _estimate_tokens(text: str) -> int:
    return -(-len(text) // _CHARACTERS_A_TOKEN)


@dataclass(frozen=True, slots=True)
class ScriptedError:
    """An error instead of an answer."""

    status: int
    message: str
    kind: str = ""
    """Name of the kind of error, if it is not the usual one of the status."""


def find_openai_kind(failure: ScriptedError) -> str:
    """Return the kind of an error, as OpenAI and Anthropic name it."""
    kinds = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
    usual = "invalid_request_error" if failure.status < 500 else "api_error"
    return failure.kind or {**kinds, 413: "request_too_large", 529: "overloaded_error"}.get(failure.status, usual)

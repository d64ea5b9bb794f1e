"""What a model is asked for and gives: the `Model` protocol and the values that every way to reach a model shares.

Knows nothing about networks, providers or what is done with a reply.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Protocol, runtime_checkable

from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.prompt import Json, Prompt


@dataclass(frozen=True, slots=True)
class Usage:
    """Model tokens that were paid for, as the provider counted them; 0 where it said nothing."""

    prompt_model_tokens: int = 0
    reply_model_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_model_tokens + other.prompt_model_tokens,
            self.reply_model_tokens + other.reply_model_tokens,
        )

    @property
    def model_tokens(self) -> int:
        """Both together."""
        return self.prompt_model_tokens + self.reply_model_tokens


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered."""

    text: str
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    """Which model says that it answered; may be more precise than the name that was asked."""
    finish: str = "stop"
    """Why it ended, in the provider's word; a reply that was cut or filtered is an error instead."""


@runtime_checkable
class Model(Protocol):
    """A language model that answers prompts."""

    @property
    def name(self) -> str:
        """What it is asked by, and what is written into logs."""

    def complete(
        self,
        prompt: Prompt,
        *,
        json_schema: Mapping[str, Json] | None = None,
        max_model_tokens: int | None = None,
        temperature: float = 0.0,
        seed: int | None = None,
    ) -> Reply:
        """The answer to a prompt.

        Parameters:
            prompt: All that is sent.
            json_schema: What the text of the reply should be JSON of. A wish: use `json_reply` to be sure.
            max_model_tokens: Most model tokens of the reply.
            temperature: 0 is as repeatable as the provider makes it.
            seed: For providers that can repeat what they said.

        Raises:
            ModelError: There is no usable answer; its class says why.
        """

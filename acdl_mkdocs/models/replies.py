"""What a model is asked for and gives: the `Model` protocol and the values that every way to reach a model shares.

Knows nothing about networks, providers or what is done with a reply.
"""

from collections.abc import Mapping
from typing import Protocol, TypedDict, runtime_checkable

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json, Prompt

MAX_SENT_BACK = 20_000
"""Characters of a reply that are sent back to a model; a model that repeats itself may write millions."""


def shorten(text: str, most: int = MAX_SENT_BACK) -> str:
    """A text with at most so many characters: of a longer one the beginning and the end, with what is left out."""
    if len(text) <= most:
        return text
    n_head = most * 2 // 3
    n_tail = most - n_head
    return f"{text[:n_head]}\n[… {len(text) - most:,} characters left out …]\n{text[len(text) - n_tail :]}"


@dataclass(frozen=True, slots=True)
class Usage:
    """Model tokens that were paid for, as the provider counted them."""

    prompt_model_tokens: int = 0
    reply_model_tokens: int = 0
    n_unreported: int = 0
    """Calls that were answered without any count: with one of them the sums are only what is known."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_model_tokens + other.prompt_model_tokens,
            self.reply_model_tokens + other.reply_model_tokens,
            self.n_unreported + other.n_unreported,
        )

    @property
    def model_tokens(self) -> int:
        """Both together."""
        return self.prompt_model_tokens + self.reply_model_tokens

    @property
    def is_unknown(self) -> bool:
        """Whether nothing at all was reported, although there were calls."""
        return self.n_unreported > 0 and not self.model_tokens


UNREPORTED = Usage(n_unreported=1)
"""Of one call whose provider did not say what it cost."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered."""

    text: str
    usage: Usage = UNREPORTED
    model: str = ""
    """Which model says that it answered; may be more precise than the name that was asked."""
    finish: str = "stop"
    """Why it ended, in the provider's word; a reply that was cut or filtered is an error instead."""


class CallSettings(TypedDict, total=False):
    """What a call of a model can ask for beside the prompt, as `Model.complete` explains it."""

    json_schema: Mapping[str, Json] | None
    max_model_tokens: int | None
    temperature: float
    seed: int | None


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

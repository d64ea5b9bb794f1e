"""The `Model` protocol: what a model is asked for and gives, and why it gave no usable answer.

```text
ModelError
├── ModelSettingsError     what is said about the endpoint cannot be used
├── NoConnectionError      the server cannot be reached, or ended the connection
├── OverdueError           the time for all attempts together is over
├── StatusError            the server answered with a status that is no success
├── NotJsonError           the answer is no JSON: often the page of a proxy, or a wrong address
├── OversizedReplyError    the answer is larger than any answer of a model
├── UnreadableReplyError   the answer is JSON, but nothing that an endpoint of this kind says
├── EmptyReplyError        the answer has no text
├── CutReplyError          the reply was cut at the most model tokens
├── FilteredReplyError     a filter of the provider kept the reply back
├── ModelRefusalError      the model says that it will not answer
├── AgentError             an agent that answers questions failed, or gave no answer
└── BadJsonReplyError      a reply that has to be JSON is not as asked for, also after one repair
```

No message holds a key: what a server says is repeated without it.
"""

import re
from collections.abc import Mapping
from typing import Protocol, TypedDict, runtime_checkable

from acdl_mkdocs.foundation.errors import AcdlError
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


_TRANSIENT = frozenset({408, 409, 429})
_FIRST_SERVER_FAULT = 500
_FORBIDDEN = 403
_FINAL = frozenset({401, 402, 403, 404})
_MODERATED = re.compile(r"moderation|flagged|content.?(?:policy|filter)|safety", re.IGNORECASE)
"""In a refusal that is about one prompt, although its status is that of a key without rights."""
_ACCOUNT = re.compile(
    r"insufficient[_ ](?:quota|funds|balance|credits?)|billing_(?:hard_limit_reached|not_active)|account_deactivated"
    r"|exceeded your current quota|exceeded_current_quota|quota[_ ]?(?:exhausted|exceeded)(?! for)|out of credits?"
    r"|credit balance is too low|credits? (?:is|are|has been|have been) (?:depleted|exhausted|used up)"
    r"|spend(?:ing)? limit"
    r"|depleted your [^.\"]{0,40}credits?|usage[_ ]limits?[_ ](?:has been |have been )?reached|billing_error|arrearage"
    r"|reached your [^.\"]{0,40}usage limits?|payment[_ ]required|account (?:is|has been) (?:suspended|deactivated)",
    re.IGNORECASE,
)
_PASSES = re.compile(r"retryDelay|retry in \d|per[ _-]?minute|rate_limit", re.IGNORECASE)
"""What servers say of a limit that is over in a moment, also in the words of one that is not."""
ACCOUNT_HELP = (
    "the account has no credit or quota left: add some, or use another server; then run the same command again"
)


def is_about_account(complaint: str) -> bool:
    """Whether a server says that an account may not ask any more, which no waiting changes."""
    return bool(_ACCOUNT.search(complaint)) and not _PASSES.search(complaint)


class ModelError(AcdlError):
    """A model gave no usable answer. Survives being sent between processes."""

    def __init__(self, message: str, help: str = "", usage: Usage | None = None) -> None:
        super().__init__(message, help, usage)
        self.message = message
        """What happened; lower case, no full stop."""
        self.help = help
        """What can be done about it."""
        self.usage = usage or Usage()
        """What was paid for although there is no answer."""

    def __str__(self) -> str:
        return f"{self.message}; {self.help}" if self.help else self.message

    @property
    def is_transient(self) -> bool:
        """Whether the same request may succeed a moment later."""
        return False

    @property
    def is_final(self) -> bool:
        """Whether every other request will fail in the same way, so that going on is of no use."""
        return False


class ModelSettingsError(ModelError):
    """What is said about the endpoint cannot be used."""

    @property
    def is_final(self) -> bool:
        """No request can be made."""
        return True


class NoConnectionError(ModelError):
    """The server cannot be reached, or ended the connection before its answer was whole."""

    @property
    def is_transient(self) -> bool:
        """Networks recover."""
        return True


class OverdueError(ModelError):
    """The time for all attempts together is over."""


class StatusError(ModelError):
    """The server answered with a status that is no success."""

    def __init__(
        self,
        message: str,
        help: str = "",
        usage: Usage | None = None,
        status: int = 0,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message, help, usage)
        self.args = (message, help, usage, status, retry_after_s)
        self.status = status
        self.retry_after_s = retry_after_s
        """How long the server asks to wait."""
        self.complaint = message
        """All that the server said, for those who look for a word in it."""

    @property
    def is_transient(self) -> bool:
        """Timeouts, conflicts, too many requests and faults of the server pass; an account without credit does not."""
        is_passing = self.status in _TRANSIENT or self.status >= _FIRST_SERVER_FAULT
        return is_passing and not self.is_about_account

    @property
    def is_about_account(self) -> bool:
        """Whether the account has no credit or quota left. A server that names a time to wait says otherwise."""
        return self.retry_after_s is None and is_about_account(self.complaint)

    @property
    def is_final(self) -> bool:
        """A wrong key, no rights, no credit, or an address or model that does not exist."""
        if self.status == _FORBIDDEN and _MODERATED.search(self.complaint):
            return False
        return self.status in _FINAL or self.is_about_account


class NotJsonError(ModelError):
    """The answer is no JSON."""


class OversizedReplyError(ModelError):
    """The answer is larger than any answer of a model."""


class UnreadableReplyError(ModelError):
    """The answer is JSON, but nothing that an endpoint of this kind says."""


class EmptyReplyError(ModelError):
    """The answer has no text."""


class CutReplyError(ModelError):
    """The reply was cut at the most model tokens."""

    def __init__(self, message: str, help: str = "", usage: Usage | None = None, text: str = "") -> None:
        super().__init__(message, help, usage)
        self.args = (message, help, usage, text)
        self.text = text
        """What there is of it."""


class FilteredReplyError(ModelError):
    """A filter of the provider kept the reply back."""


class ModelRefusalError(ModelError):
    """The model says that it will not answer."""


class AgentError(ModelError):
    """An agent that answers questions in place of a model failed, or gave nothing that is an answer."""

    def __init__(self, message: str, help: str = "", usage: Usage | None = None, *, is_final: bool = False) -> None:
        super().__init__(message, help, usage)
        self._is_final = is_final

    @property
    def is_final(self) -> bool:
        """Whether the agent cannot be run at all, or its account has no credit."""
        return self._is_final


class BadJsonReplyError(ModelError):
    """A reply that has to be JSON is not as asked for, also after one repair."""

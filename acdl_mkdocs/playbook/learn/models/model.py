"""The `Model` protocol: requests and replies, and why there is no usable answer.

```text
ModelError
├── ModelSettingsError     the settings of the endpoint are invalid
├── NoConnectionError      the server cannot be reached, or ended the connection
├── OverdueError           the time limit of all attempts was exceeded
├── StatusError            the server answered with an error status
├── NotJsonError           the answer is not JSON: often the page of a proxy, or a wrong address
├── OversizedReplyError    the answer is larger than any answer of a model
├── UnreadableReplyError   the answer is JSON, but not of this protocol
├── EmptyReplyError        the answer has no text
├── CutReplyError          the reply was cut at the limit of model tokens
├── FilteredReplyError     a filter of the provider blocked the reply
├── ModelRefusalError      the model refuses to answer
├── AgentError             an agent that answers questions failed, or gave no answer
└── BadJsonReplyError      a reply that has to be JSON is invalid, even after one repair
```

No message contains a key: it is removed from messages of servers.
"""

import re
from collections.abc import Mapping
from typing import Protocol, TypedDict, runtime_checkable

from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json, Prompt

MAX_SENT_BACK = 20_000
"""Characters of a reply that are sent back to a model; a looping model may write millions."""


def shorten_text(text: str, most: int = MAX_SENT_BACK) -> str:
    """Shorten a text to its beginning and its end, with a note about the omission."""
    if len(text) <= most:
        return text
    n_head = most * 2 // 3
    n_tail = most - n_head
    return f"{text[:n_head]}\n[… {len(text) - most:,} characters left out …]\n{text[len(text) - n_tail :]}"


@dataclass(frozen=True, slots=True)
class Usage:
    """Model tokens that were paid for, as counted by the provider."""

    prompt_model_tokens: int = 0
    """Tokens of the prompts."""
    reply_model_tokens: int = 0
    """Tokens of the replies."""
    n_unreported: int = 0
    """Number of answered calls without a count; if there are any, the sums are incomplete."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_model_tokens + other.prompt_model_tokens,
            self.reply_model_tokens + other.reply_model_tokens,
            self.n_unreported + other.n_unreported,
        )

    @property
    def model_tokens(self) -> int:
        """The sum of both."""
        return self.prompt_model_tokens + self.reply_model_tokens

    @property
    def is_unknown(self) -> bool:
        """True if nothing at all was reported, although there were calls."""
        return self.n_unreported > 0 and not self.model_tokens


UNREPORTED = Usage(n_unreported=1)
"""The usage of a call whose cost the provider did not report."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply of a model."""

    text: str
    usage: Usage = UNREPORTED
    model: str = ""
    """The model that answered; may be more precise than the requested name."""
    finish: str = "stop"
    """Why it ended, in the provider's term; a cut or filtered reply is an error instead."""


class CallSettings(TypedDict, total=False):
    """The options of a call of a model beside the prompt; see `Model.complete`."""

    json_schema: Mapping[str, Json] | None
    max_model_tokens: int | None
    temperature: float
    seed: int | None


@runtime_checkable
class Model(Protocol):
    """A language model that answers prompts."""

    @property
    def name(self) -> str:
        """Its name in requests and logs."""

    def complete(
        self,
        prompt: Prompt,
        *,
        json_schema: Mapping[str, Json] | None = None,
        max_model_tokens: int | None = None,
        temperature: float = 0.0,
        seed: int | None = None,
    ) -> Reply:
        """Return the reply to a prompt.

        Parameters:
            prompt: The whole prompt.
            json_schema: The schema of the JSON in the reply. Not guaranteed: use `json_reply` to be sure.
            max_model_tokens: Most model tokens of the reply.
            temperature: 0 is as repeatable as the provider allows.
            seed: For providers with repeatable replies.

        Raises:
            ModelError: There is no usable answer; its class is the reason.
        """


_TRANSIENT = frozenset({408, 409, 429})
_FIRST_SERVER_FAULT = 500
_FORBIDDEN = 403
_FINAL = frozenset({401, 402, 403, 404})
_MODERATED = re.compile(r"moderation|flagged|content.?(?:policy|filter)|safety", re.IGNORECASE)
"""Marks a refusal of one prompt, although its status is that of a key without rights."""
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
"""Marks a temporary limit, also in the words of a permanent one."""
ACCOUNT_HELP = (
    "the account has no credit or quota left: add some, or use another server; then run the same command again"
)


def is_about_account(complaint: str) -> bool:
    """Return whether a server reports that an account is exhausted, which waiting does not change."""
    return bool(_ACCOUNT.search(complaint)) and not _PASSES.search(complaint)


class ModelError(AcdlError):
    """A model gave no usable answer. Can be sent between processes."""

    def __init__(self, message: str, help: str = "", usage: Usage | None = None) -> None:
        super().__init__(message, help, usage)
        self.message = message
        """The problem; lower case, no full stop."""
        self.help = help
        """The cure."""
        self.usage = usage or Usage()
        """The cost, although there is no answer."""

    def __str__(self) -> str:
        return f"{self.message}; {self.help}" if self.help else self.message

    @property
    def is_transient(self) -> bool:
        """True if the same request may succeed a moment later."""
        return False

    @property
    def is_final(self) -> bool:
        """True if every other request will fail in the same way, so that the run should stop."""
        return False


class ModelSettingsError(ModelError):
    """The settings of the endpoint are invalid."""

    @property
    def is_final(self) -> bool:
        """True: no request can be made."""
        return True


class NoConnectionError(ModelError):
    """The server cannot be reached, or closed the connection before its answer was complete."""

    @property
    def is_transient(self) -> bool:
        """True: networks recover."""
        return True


class OverdueError(ModelError):
    """The time limit of all attempts was exceeded."""


class StatusError(ModelError):
    """The server answered with an error status."""

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
        """The wait that the server asks for."""
        self.complaint = message
        """The whole answer of the server, for searches."""

    @property
    def is_transient(self) -> bool:
        """True for timeouts, conflicts, too many requests and server errors; not for an account without credit."""
        is_passing = self.status in _TRANSIENT or self.status >= _FIRST_SERVER_FAULT
        return is_passing and not self.is_about_account

    @property
    def is_about_account(self) -> bool:
        """True if the account has no credit or quota left, unless the server gives a time to wait."""
        return self.retry_after_s is None and is_about_account(self.complaint)

    @property
    def is_final(self) -> bool:
        """True for a wrong key, no rights, no credit, or an address or model that does not exist."""
        if self.status == _FORBIDDEN and _MODERATED.search(self.complaint):
            return False
        return self.status in _FINAL or self.is_about_account


class NotJsonError(ModelError):
    """The answer is not JSON."""


class OversizedReplyError(ModelError):
    """The answer is larger than any answer of a model."""


class UnreadableReplyError(ModelError):
    """The answer is JSON, but not of this protocol."""


class EmptyReplyError(ModelError):
    """The answer has no text."""


class CutReplyError(ModelError):
    """The reply was cut at the limit of model tokens."""

    def __init__(self, message: str, help: str = "", usage: Usage | None = None, text: str = "") -> None:
        super().__init__(message, help, usage)
        self.args = (message, help, usage, text)
        self.text = text
        """The part before the cut."""


class FilteredReplyError(ModelError):
    """A filter of the provider blocked the reply."""


class ModelRefusalError(ModelError):
    """The model refuses to answer."""


class AgentError(ModelError):
    """An agent that answers questions in place of a model failed, or returned something that is not an answer."""

    def __init__(self, message: str, help: str = "", usage: Usage | None = None, *, is_final: bool = False) -> None:
        super().__init__(message, help, usage)
        self._is_final = is_final

    @property
    def is_final(self) -> bool:
        """True if the agent cannot be run at all, or its account has no credit."""
        return self._is_final


class BadJsonReplyError(ModelError):
    """A reply that has to be JSON is invalid, even after one repair."""

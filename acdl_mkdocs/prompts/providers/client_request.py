"""A request of a client to the recorder, its answer, and the meaning of a provider's addresses."""

import re
from collections.abc import Iterable, Mapping
from typing import Protocol

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS

_OTHER_CALLS = re.compile(
    r"/(?:embeddings|moderations|audio/\w+|images/\w+|files|batches|models|rerank|messages/count_tokens)(?:/|$)"
    r"|:(?:countTokens|embedContent|batchEmbedContents)$"
)

_OTHER_DIALECTS = re.compile(
    r"/(?:converse(?:-stream)?|invoke(?:-with-response-stream)?|completions?|complete|generate|chat|interactions|runs)$"
    r"|/conversations(?:/[\w-]+(?:/restart)?)?$"
    r"|:predict$|^[^?#]*huggingface"
)
"""Endings of the addresses of models whose requests are not read."""


def find_format(address: str) -> str | None:
    """Return the key in `WIRES` of requests to an address; `None` if it is not a known call of a model."""
    path = re.split(r"[?#]", address, maxsplit=1)[0].rstrip("/")
    return next(
        (name for name, provider in PROVIDERS.items() if any(re.search(end, path) for end in provider.paths)), None
    )


def is_other_address(address: str) -> bool:
    """Return whether an address belongs to a provider, but is not for a call that gives a model a context."""
    path = re.split(r"[?#]", address, maxsplit=1)[0]
    return find_format(address) is None and _OTHER_CALLS.search(path) is not None


def may_be_dialect(address: str) -> bool:
    """Return whether an address may be for a model whose requests cannot be read."""
    return _OTHER_DIALECTS.search(re.split(r"[?#]", address, maxsplit=1)[0].rstrip("/")) is not None


def find_model(address: str) -> str | None:
    """Return the name of the model in an address."""
    match = re.search(r"/models/([^/:?#]+):|/deployments/([^/?#]+)/", address)
    return (match[1] or match[2]) if match else None


LEFT_OUT = "the request is omitted: "
"""Prefix of notes about a body that could not be read."""


@dataclass(frozen=True, slots=True)
class ClientRequest:
    """A request of a client."""

    number: int
    """From 1, in the order of the calls."""
    provider: str
    method: str
    path: str
    """Below the address of the provider: `/chat/completions`."""
    query: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    """The body, unchanged."""
    json: Json = None
    """The content of the body; `None` if it is not readable JSON."""
    note: str = ""
    """Why the body could not be read."""

    @property
    def format(self) -> str | None:
        """Key in `WIRES` of the request; `None` if it does not ask a model for an answer."""
        return find_format(self.path) if self.method == "POST" else None

    @property
    def request(self) -> dict[str, Json]:
        """The body, if it is an object."""
        return self.json if isinstance(self.json, dict) else {}

    @property
    def fault(self) -> str:
        """Why the request cannot be understood; empty for an object with content."""
        if self.request:
            return ""
        return self.note.removeprefix(LEFT_OUT) or (
            "its body is not a JSON object" if self.json else "its body is empty"
        )

    @property
    def is_streamed(self) -> bool:
        """Whether the client asks for a stream."""
        return self.request.get("stream") is True or ":stream" in self.path

    def get_header(self, name: str) -> str:
        """Return the value of a header; empty if there is none."""
        return next((value for key, value in self.headers if key.lower() == name), "")


@dataclass(frozen=True, slots=True)
class ClientResponse:
    """The answer to a client."""

    status: int
    headers: Mapping[str, str] | tuple[tuple[str, str], ...] = ()
    chunks: Iterable[bytes] = ()
    """Its bytes as they arrive."""
    length: int | None = None
    """Bytes of the body, if it is known in advance."""
    note: str = ""
    """A note for readers of the recording."""

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The headers, some of which may occur several times."""
        return tuple(self.headers.items()) if isinstance(self.headers, Mapping) else self.headers


class ResponseSource(Protocol):
    """A source of answers: a provider, a recording or a script."""

    is_offline: bool

    def answer_request(self, request: ClientRequest) -> ClientResponse:
        """Answer a call; used by several threads."""

    def list_failures(self) -> list[str]:
        """Return what could not be answered, one sentence each."""

    def list_unused(self) -> list[str]:
        """Return which answers were not used, one sentence each."""

    def list_notes(self) -> list[str]:
        """Return further notes for the end of the run."""

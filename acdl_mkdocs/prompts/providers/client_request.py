"""A request of a client to the recorder, its answer, and what the address of a provider is for."""

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
"""How addresses of models end whose requests are not read."""


def format_of_address(address: str) -> str | None:
    """Key in `WIRES` of what is sent to an address; `None` where that is no call of a model that we know."""
    path = re.split(r"[?#]", address, maxsplit=1)[0].rstrip("/")
    return next((name for name, wire in PROVIDERS.items() if any(re.search(end, path) for end in wire.paths)), None)


def is_other_address(address: str) -> bool:
    """Whether an address is one of a provider, but not of a call that gives a model a context."""
    path = re.split(r"[?#]", address, maxsplit=1)[0]
    return format_of_address(address) is None and _OTHER_CALLS.search(path) is not None


def may_be_dialect(address: str) -> bool:
    """Whether an address may be one of a model whose requests are not read."""
    return _OTHER_DIALECTS.search(re.split(r"[?#]", address, maxsplit=1)[0].rstrip("/")) is not None


def model_of_address(address: str) -> str | None:
    """Name of the model that an address has in it."""
    found = re.search(r"/models/([^/:?#]+):|/deployments/([^/?#]+)/", address)
    return (found[1] or found[2]) if found else None


LEFT_OUT = "the request is left out: "
"""What notes begin with about a body that could not be read."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a client asks."""

    number: int
    """From 1, in the order in which calls came."""
    provider: str
    method: str
    path: str
    """Below the address of the provider: `/chat/completions`."""
    query: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    """As it came."""
    json: Json = None
    """What the body says; `None` where it is no JSON that can be read."""
    note: str = ""
    """Why the body could not be read."""

    @property
    def format(self) -> str | None:
        """Key in `WIRES` of the request; `None` where a model is not asked for an answer."""
        return format_of_address(self.path) if self.method == "POST" else None

    @property
    def request(self) -> dict[str, Json]:
        """The body, where it is an object."""
        return self.json if isinstance(self.json, dict) else {}

    @property
    def fault(self) -> str:
        """Why nobody can know what is asked; nothing where it is an object with something in it."""
        if self.request:
            return ""
        return self.note.removeprefix(LEFT_OUT) or ("its body is no JSON object" if self.json else "its body is empty")

    @property
    def is_streamed(self) -> bool:
        """Whether the answer is wanted piece by piece."""
        return self.request.get("stream") is True or ":stream" in self.path

    def header(self, name: str) -> str:
        """The value of a header, or nothing."""
        return next((value for key, value in self.headers if key.lower() == name), "")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a client gets."""

    status: int
    headers: Mapping[str, str] | tuple[tuple[str, str], ...] = ()
    chunks: Iterable[bytes] = ()
    """Its bytes as they come."""
    length: int | None = None
    """Bytes of the body, where that is known before."""
    note: str = ""
    """What a reader of the recording should know of it."""

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The headers, of which some may be there several times."""
        return tuple(self.headers.items()) if isinstance(self.headers, Mapping) else self.headers


class Answerer(Protocol):
    """Where answers come from: a provider, a recording or a script."""

    is_offline: bool

    def answer(self, asked: Asked) -> Answer:
        """The answer to a call; called from several threads."""

    def complaints(self) -> list[str]:
        """What could not be answered, a sentence each."""

    def left_over(self) -> list[str]:
        """What could have been answered and was not asked for, a sentence each."""

    def remarks(self) -> list[str]:
        """What else a person should know at the end."""

"""Formats of provider answers: `RESPONSE_FORMATS`, one module for each format of requests."""

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Protocol

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.providers.client_request import ClientRequest
from acdl_mkdocs.prompts.providers.event_stream import Event
from acdl_mkdocs.prompts.providers.scripted_reply import ScriptedError, ScriptedReply


class ResponseFormat(Protocol):
    """The functions of a provider's module for answers."""

    def build_body(self, reply: ScriptedReply, request: ClientRequest, /) -> dict[str, Json]:
        """Build the body of an answer."""

    def make_call_id(self, mark: str, number: int, /) -> str:
        """Return the id of a call."""

    def build_error(self, error: ScriptedError, /) -> dict[str, Json]:
        """Build the body of an error."""

    def stream_body(self, body: dict[str, Json], request: ClientRequest, /) -> Iterator[bytes]:
        """Yield an answer as a stream of bytes."""

    def assemble_body(self, events: Iterable[Event], /) -> Json:
        """Assemble the answer from its events."""


def _load_response_format(name: str) -> ResponseFormat:
    module = PROVIDERS[name].answers or PROVIDERS.modules[name]
    shape: ResponseFormat = import_module(f"acdl_mkdocs.prompts.providers.{module}")
    return shape


RESPONSE_FORMATS: Mapping[str, ResponseFormat] = {name: _load_response_format(name) for name in PROVIDERS}
"""By keys of `PROVIDERS`."""
_FORMATS_OF_HOSTS = {host.name: name for name, provider in PROVIDERS.items() for host in provider.hosts}


def find_format(request: ClientRequest) -> str:
    """Return the key in `PROVIDERS` for a client, also for requests that do not ask a model."""
    return request.format or _FORMATS_OF_HOSTS.get(
        request.provider, request.provider if request.provider in PROVIDERS else "openai"
    )


def find_response_format(request: ClientRequest) -> ResponseFormat:
    """Return the format that a client expects, also for requests that do not ask a model."""
    return RESPONSE_FORMATS[find_format(request)]


def choose_content_type(request: ClientRequest) -> str:
    """Return the content type of a streamed answer."""
    is_list = PROVIDERS[find_format(request)].is_streamed_as_list and "alt=sse" not in request.query
    return "application/json" if is_list else "text/event-stream; charset=utf-8"

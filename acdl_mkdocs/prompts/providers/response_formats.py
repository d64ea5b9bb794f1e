"""Formats of provider answers: `SHAPES`, one module for each format of requests."""

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Protocol

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.providers.client_request import Asked
from acdl_mkdocs.prompts.providers.event_stream import Event
from acdl_mkdocs.prompts.providers.scripted_reply import Failure, Said


class Shape(Protocol):
    """The functions of a provider's module for answers."""

    def body(self, said: Said, asked: Asked, /) -> dict[str, Json]:
        """Build the body of an answer."""

    def call_id(self, mark: str, number: int, /) -> str:
        """Return the id of a call."""

    def failure(self, failed: Failure, /) -> dict[str, Json]:
        """Build the body of an error."""

    def streamed(self, whole: dict[str, Json], asked: Asked, /) -> Iterator[bytes]:
        """Yield an answer as a stream of bytes."""

    def assembled(self, events: Iterable[Event], /) -> Json:
        """Assemble the answer from its events."""


def _shape(name: str) -> Shape:
    module = PROVIDERS[name].answers or PROVIDERS.modules[name]
    shape: Shape = import_module(f"acdl_mkdocs.prompts.providers.{module}")
    return shape


SHAPES: Mapping[str, Shape] = {name: _shape(name) for name in PROVIDERS}
"""By keys of `PROVIDERS`."""
_OF_HOSTS = {host.name: name for name, provider in PROVIDERS.items() for host in provider.hosts}


def format_of(asked: Asked) -> str:
    """Return the key in `PROVIDERS` for a client, also for requests that do not ask a model."""
    return asked.format or _OF_HOSTS.get(asked.provider, asked.provider if asked.provider in PROVIDERS else "openai")


def shape_of(asked: Asked) -> Shape:
    """Return the format that a client expects, also for requests that do not ask a model."""
    return SHAPES[format_of(asked)]


def content_type(asked: Asked) -> str:
    """Return the content type of a streamed answer."""
    is_list = PROVIDERS[format_of(asked)].is_streamed_as_list and "alt=sse" not in asked.query
    return "application/json" if is_list else "text/event-stream; charset=utf-8"

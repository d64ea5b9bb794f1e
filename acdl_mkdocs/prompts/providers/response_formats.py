"""Formats of provider answers: `SHAPES`, one module for each format of requests."""

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Protocol

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS, Wire, gemini
from acdl_mkdocs.prompts.providers.client_request import Asked
from acdl_mkdocs.prompts.providers.event_stream import Event
from acdl_mkdocs.prompts.providers.scripted_reply import Failure, Said


class Shape(Protocol):
    """What a module of a provider has."""

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


def _shape(wire: Wire) -> Shape:
    shape: Shape = import_module(f"acdl_mkdocs.prompts.providers.{wire.answers or wire.module}")
    return shape


SHAPES: Mapping[str, Shape] = {name: _shape(wire) for name, wire in PROVIDERS.items()}
"""By keys of `PROVIDERS`."""
_OF_PROVIDERS = {**{name: name for name in PROVIDERS}, "vertex": "gemini"}


def shape_of(asked: Asked) -> Shape:
    """Return the format that a client expects, also for requests that do not ask a model."""
    return SHAPES[asked.format or _OF_PROVIDERS.get(asked.provider, "openai")]


def content_type(asked: Asked) -> str:
    """Return the content type of a streamed answer."""
    is_list = shape_of(asked) is gemini and "alt=sse" not in asked.query
    return "application/json" if is_list else "text/event-stream; charset=utf-8"

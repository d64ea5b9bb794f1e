"""Formats of prompts, one module each: the requests of `PROVIDERS`, and PML documents; `WIRES` names them all.

A module has `write(prompt, model) -> Written` and `read(body) -> Read`. What a format cannot hold is in
`Written.losses`, what is not as the format says is in `Read.problems`; neither ever raises because of what a prompt or
a body says. A module is imported when it is first used.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json, Prompt
from acdl_mkdocs.prompts.providers.results import Loss, Problem, Read, Written
from acdl_mkdocs.prompts.providers.sniff import sniff

if TYPE_CHECKING:
    from acdl_mkdocs.prompts.providers.read_body import KnownMessages

Write: TypeAlias = Callable[[Prompt, str | None], Written]


@dataclass(frozen=True, slots=True)
class Wire:
    """A format, both ways."""

    module: str
    is_by_message: bool = False
    """Whether it reads message by message, and `KnownMessages` once."""

    def write(self, prompt: Prompt, model: str | None = None) -> Written:
        """A request body for a prompt."""
        try:
            written: Written = import_module(f"acdl_mkdocs.prompts.providers.{self.module}").write(prompt, model)
        except RecursionError:
            return Written({}, (Loss("", "the prompt is nested too deeply to be written", "send fewer levels"),))
        return written

    def read(self, body: Json, known: "KnownMessages | None" = None) -> Read:
        """What a request body says.

        Parameters:
            body: The body.
            known: What was read of the body before, whose messages this one may begin with.
        """
        more = (known,) if self.is_by_message else ()
        try:
            read: Read = import_module(f"acdl_mkdocs.prompts.providers.{self.module}").read(body, *more)
        except RecursionError:
            return Read(Prompt(()), (Problem("", "the body is nested too deeply to be read", "send fewer levels"),))
        return read


PROVIDERS: Mapping[str, Wire] = {
    "openai": Wire("chat_completions", is_by_message=True),
    "responses": Wire("responses"),
    "anthropic": Wire("anthropic", is_by_message=True),
    "gemini": Wire("gemini", is_by_message=True),
}
"""What can be sent to somebody."""
WIRES: Mapping[str, Wire] = {**PROVIDERS, "pml": Wire("pml")}

__all__ = ["PROVIDERS", "WIRES", "Loss", "Problem", "Read", "Wire", "Written", "sniff"]

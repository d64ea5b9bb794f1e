"""What exports of observability tools have in common: rows in any order, of which some are calls of a model."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.traces.by_start import by_start
from acdl_mkdocs.traces.read_jsonl import recorded
from acdl_mkdocs.traces.read_values import Value
from acdl_mkdocs.traces.read_wrapped import dialect_inside, requests_in
from acdl_mkdocs.traces.recorded import Found, Origin, Skipped


@dataclass(frozen=True, slots=True)
class ExportedCall:
    """A call of a model, as a row has it."""

    body: Json
    """The body of the request; `None` where the row has no messages."""
    name: str
    """What the tool calls it."""
    path: str
    """Where in the row the messages are."""
    reply: Json
    episode: str | None


def read_export(
    values: Iterator[Value | Skipped], rows: Callable[[Value], Iterator[tuple[str, Found]]]
) -> Iterator[Found]:
    """The calls of an export, in the order in which they began.

    Args:
        values: What the file says.
        rows: What a value has, each with the time when it began.
    """

    def found() -> Iterator[tuple[str, Found]]:
        for each in values:
            if isinstance(each, Skipped):
                yield "", each
            else:
                yield from rows(each)

    yield from by_start(found())


def read_call(call: ExportedCall, origin: Origin, format: str | None, cure: str) -> Found:
    """The request of a call, or why it cannot be read.

    Args:
        call: The call.
        origin: Where it is recorded.
        format: Key in `WIRES` of the format of all bodies; `None` detects it.
        cure: How calls are exported with their messages.
    """
    wrapped = next(requests_in({"request": call.body}, format), None) if call.body else None
    if wrapped is not None:
        return recorded(replace(wrapped, path=call.path, reply=call.reply, episode=call.episode), origin)
    if (other := dialect_inside(call.body)) is not None:
        return Skipped(origin, f"this is {other.name}", call.name, other.cure, is_damaged=True)
    return Skipped(origin, "a call of a model without its messages", call.name, cure, is_damaged=True)

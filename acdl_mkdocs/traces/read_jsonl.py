"""Reads requests that were logged as JSON: bodies, bare or wrapped, one on each line or in a list."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import WIRES
from acdl_mkdocs.prompts.providers.read_body import KnownMessages
from acdl_mkdocs.prompts.providers.results import Problem
from acdl_mkdocs.prompts.redact import redacted_document
from acdl_mkdocs.traces.read_values import Value
from acdl_mkdocs.traces.read_wrapped import Wrapped, dialect_inside, requests_in
from acdl_mkdocs.traces.recorded import Found, Origin, Recorded, Skipped
from acdl_mkdocs.traces.sniff import what_else

_CURE = "name the format of the bodies, or write the body of each request under the key `request`"


def _is_jsonl(_: Json) -> str:
    return "jsonl"


def read(
    values: Iterator[Value | Skipped], format: str | None = None, reader_of: Callable[[Json], str] = _is_jsonl
) -> Iterator[Found]:
    """The requests of a log.

    Args:
        values: What the file says.
        format: Key in `WIRES` of the format of all bodies; `None` finds out for each.
        reader_of: Says which reader a value needs that has no request.
    """
    known: dict[str, KnownMessages] = {}
    for each in values:
        if isinstance(each, Skipped):
            yield each
            continue
        n_found = 0
        for wrapped in requests_in(each.json, format):
            n_found += 1
            yield recorded(wrapped, each.origin, known.setdefault(wrapped.format, KnownMessages()))
        if n_found == 0:
            yield _skipped(each, reader_of(each.json))


def _skipped(value: Value, reader: str) -> Skipped:
    """What a value is that has no request."""
    if reader != "jsonl":
        cure = f"name the form of the file: `--from {reader}`"
        return Skipped(value.origin, f"a document of the form `{reader}`", cure=cure, is_damaged=True)
    if (other := dialect_inside(value.json)) is not None:
        return Skipped(value.origin, f"this is {other.name}", cure=other.cure, is_damaged=True)
    what, is_damaged = what_else(value.json)
    return Skipped(value.origin, what, cure=_CURE if is_damaged else "", is_damaged=is_damaged)


def recorded(wrapped: Wrapped, origin: Origin, known: KnownMessages | None = None) -> Recorded:
    """A request as its format reads it; `known` is what was read of the one before."""
    read = WIRES[wrapped.format].read(wrapped.body, known)
    if wrapped.format == "pml":
        read = redacted_document(read)
    inside = ", ".join(filter(None, (origin.inside, wrapped.path)))
    problems = read.problems
    if wrapped.is_point_unusable:
        sentence, cure = "`at` is no point in time", "write a step such as `3`, or a step and sub-step such as `3.2`"
        problems = (*problems, Problem("", sentence, cure))
    return Recorded(
        read.prompt,
        wrapped.format,
        replace(origin, inside=inside),
        wrapped.at,
        wrapped.episode,
        read.model or wrapped.model,
        wrapped.reply,
        wrapped.status,
        problems,
    )

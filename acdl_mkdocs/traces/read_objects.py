"""`read_objects()`: requests that a program has at hand, as plain data or as typed objects of client packages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.redact import redacted
from acdl_mkdocs.traces import read_jsonl
from acdl_mkdocs.traces.read_values import Value
from acdl_mkdocs.traces.recorded import Found, Origin, Recorded

_LEFT_OUT = ("NotGiven", "Omit")
"""Types of what client packages put where nothing is given."""


def read_objects(requests: Sequence[object], format: str | None) -> Iterator[Found]:
    """The requests as a recording has them.

    Args:
        requests: Bodies in their order, or lists of them, each a run.
        format: Key in `PROVIDERS` of the format of all bodies; `None` detects it for each.

    Raises:
        TraceError: There is no such format.
        TypeError: A body is no plain data, and cannot become that.
    """
    if format is not None and format not in PROVIDERS:
        raise TraceError(f"there is no format `{format}` of requests; there are {', '.join(PROVIDERS)}")
    number = 0
    for run, each in enumerate(requests, 1):
        is_run = isinstance(each, list | tuple)
        for body in each if isinstance(each, list | tuple) else (each,):
            number += 1
            value = Value(redacted(_plain(body)), Origin(f"request {number}"))
            for found in read_jsonl.read(iter((value,)), format):
                if is_run and isinstance(found, Recorded):
                    yield _of_run(found, run)
                else:
                    yield found


def _of_run(found: Recorded, run: int) -> Recorded:
    return found if found.episode is not None else replace(found, episode=f"run {run}")


def _plain(value: object) -> Json:
    """A value as JSON has it, with what typed objects hold inside.

    Raises:
        TypeError: It cannot be made plain.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        pairs = ((str(key), each) for key, each in value.items())
        return {key: _plain(each) for key, each in pairs if type(each).__name__ not in _LEFT_OUT}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return _plain(dump(mode="json", by_alias=True, exclude_none=True))
    plain = getattr(value, "to_dict", None)
    if callable(plain):
        return _plain(plain())
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    raise TypeError(
        f"a request has a `{kind}` in it, which is no plain data; give the body that is sent, as a dictionary"
    )

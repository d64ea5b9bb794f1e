"""`READERS`: the forms of recordings that can be read, and `reader_of()`: which of them a value is in."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.traces import (
    read_claude_code,
    read_codex,
    read_har,
    read_jsonl,
    read_langfuse,
    read_langsmith,
    read_openhands,
    read_otlp,
    read_trajectory,
    read_vcr,
)
from acdl_mkdocs.traces.read_values import Value
from acdl_mkdocs.traces.recorded import Found, Skipped
from acdl_mkdocs.traces.sniff import is_har, is_otlp

Read: TypeAlias = Callable[[Iterator[Value | Skipped], str | None], Iterator[Found]]


@dataclass(frozen=True, slots=True)
class Reader:
    """How a form of recordings is known and read."""

    is_form_of: Callable[[Json], bool]
    """Whether a value, the first of a file, is in this form."""
    read: Read | None
    """Reads the values of a file; `None` where the file is no values."""


def reader_of(value: Json) -> str:
    """Key in `READERS` of the reader for a file that has such a value first."""
    return next((name for name, reader in READERS.items() if reader.is_form_of(value)), "jsonl")


def _read_jsonl(values: Iterator[Value | Skipped], format: str | None) -> Iterator[Found]:
    return read_jsonl.read(values, format, reader_of)


def _is_none(_: Json) -> bool:
    return False


READERS: Mapping[str, Reader] = {
    "jsonl": Reader(_is_none, _read_jsonl),
    "har": Reader(is_har, read_har.read),
    "otlp": Reader(is_otlp, read_otlp.read),
    "vcr": Reader(read_vcr.is_cassette, read_vcr.read),
    "langfuse": Reader(read_langfuse.is_export, read_langfuse.read),
    "langsmith": Reader(read_langsmith.is_run, read_langsmith.read),
    "claude-code": Reader(read_claude_code.is_line, read_claude_code.read),
    "codex": Reader(read_codex.is_line, read_codex.read),
    "openhands": Reader(read_openhands.is_event, read_openhands.read),
    "swe-agent": Reader(read_trajectory.is_trajectory, read_trajectory.read),
    "pml": Reader(_is_none, None),
}
"""By the name that `--from` takes, as in `FORMS`. The first whose form a value has reads a file; `jsonl` takes what no
other does."""

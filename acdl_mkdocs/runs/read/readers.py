"""`READERS`: the forms of recordings that can be read, and `reader_of()`: the form of a value."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.read import claude_code, codex, har, jsonl, langfuse, langsmith, openhands, otlp, trajectory, vcr
from acdl_mkdocs.runs.read.json_values import Value
from acdl_mkdocs.runs.read.logged_request import is_har, is_otlp
from acdl_mkdocs.runs.read.recorded import Found, Skipped

Read: TypeAlias = Callable[[Iterator[Value | Skipped], str | None], Iterator[Found]]


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader of a form of recordings, and the test for the form."""

    is_form_of: Callable[[Json], bool]
    """Whether a value, the first of a file, is in this form."""
    read: Read | None
    """Reads the values of a file; `None` where the file is no values."""


def reader_of(value: Json) -> str:
    """Return the key in `READERS` of the reader for a file with such a first value."""
    return next((name for name, reader in READERS.items() if reader.is_form_of(value)), "jsonl")


def _read_jsonl(values: Iterator[Value | Skipped], format: str | None) -> Iterator[Found]:
    return jsonl.read(values, format, reader_of)


def _is_none(_: Json) -> bool:
    return False


READERS: Mapping[str, Reader] = {
    "jsonl": Reader(_is_none, _read_jsonl),
    "har": Reader(is_har, har.read),
    "otlp": Reader(is_otlp, otlp.read),
    "vcr": Reader(vcr.is_cassette, vcr.read),
    "langfuse": Reader(langfuse.is_export, langfuse.read),
    "langsmith": Reader(langsmith.is_run, langsmith.read),
    "claude-code": Reader(claude_code.is_line, claude_code.read),
    "codex": Reader(codex.is_line, codex.read),
    "openhands": Reader(openhands.is_event, openhands.read),
    "swe-agent": Reader(trajectory.is_trajectory, trajectory.read),
    "pml": Reader(_is_none, None),
}
"""By the name for `--from`, as in `FORMS`. The first reader whose form a value has reads a file; `jsonl` reads all
others."""

"""`READERS`: the forms of recordings that can be read, and `find_reader()`: the form of a value."""

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
class TraceReader:
    """A reader of a form of recordings, and the test for the form."""

    is_form_of: Callable[[Json], bool]
    """Whether a value, the first of a file, is in this form."""
    read: Read | None
    """Reads the values of a file; `None` if the file does not consist of values."""


def find_reader(value: Json) -> str:
    """Return the key in `READERS` of the reader for a file with such a first value."""
    return next((name for name, reader in READERS.items() if reader.is_form_of(value)), "jsonl")


def _read_jsonl(values: Iterator[Value | Skipped], format: str | None) -> Iterator[Found]:
    return jsonl.read(values, format, find_reader)


def _is_none(_: Json) -> bool:
    return False


READERS: Mapping[str, TraceReader] = {
    "jsonl": TraceReader(_is_none, _read_jsonl),
    "har": TraceReader(is_har, har.read),
    "otlp": TraceReader(is_otlp, otlp.read),
    "vcr": TraceReader(vcr.is_cassette, vcr.read),
    "langfuse": TraceReader(langfuse.is_export, langfuse.read),
    "langsmith": TraceReader(langsmith.is_run, langsmith.read),
    "claude-code": TraceReader(claude_code.is_line, claude_code.read),
    "codex": TraceReader(codex.is_line, codex.read),
    "openhands": TraceReader(openhands.is_event, openhands.read),
    "swe-agent": TraceReader(trajectory.is_trajectory, trajectory.read),
    "pml": TraceReader(_is_none, None),
}
"""By the name for `--from`, as in `FORMS`. The first reader whose form a value has reads a file; `jsonl` reads all
others."""

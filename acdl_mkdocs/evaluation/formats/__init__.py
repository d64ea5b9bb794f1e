"""Formats of transcripts, one module each; `TRANSCRIPTS` lists them all.

A format is `show(transcripts, options) -> Shown`: the transcripts are those of one spec at one point or several, in
their order. `EXPORTS` are those that are sent to a model. A module is imported when it is first used.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.providers import WIRES

if TYPE_CHECKING:
    from acdl_mkdocs.evaluation.transcript import Finding, Transcript
    from acdl_mkdocs.prompts.tokens.counter import Counter


@dataclass(frozen=True, slots=True)
class TranscriptOptions:
    """Options of all formats; each format uses those that apply to it."""

    counter: "Counter | None" = None
    """Counts model tokens; without it none are shown."""
    model: str | None = None
    """Name of the model that a request asks."""
    is_command: bool = False
    """Whether a request is written as a command that sends it."""
    place_of: Callable[[str], str] | None = None
    """Finds the position of a path of the state: `chat.state.yaml:12:5`."""
    id_prefix: str = ""
    """Prefix of every id, so that transcripts on one page do not collide."""
    is_standalone: bool = True
    """Whether HTML is a complete document; otherwise the page around it has the styles."""
    figure: str = ""
    """Markup of the figure of the spec, shown beside the messages of a document."""


@dataclass(frozen=True, slots=True)
class TranscriptOutput:
    """The formatted text, and what the format cannot express."""

    text: str
    findings: "tuple[Finding, ...]" = ()
    """Content that the format cannot express, with its place in the spec."""
    remarks: tuple[str, ...] = field(default=())
    """Sentences about the transcript as a whole."""


WriteTranscripts: TypeAlias = Callable[[Sequence["Transcript"], TranscriptOptions], TranscriptOutput]


def _load_on_first_use(module: str) -> WriteTranscripts:
    def show(transcripts: "Sequence[Transcript]", options: TranscriptOptions) -> TranscriptOutput:
        output: TranscriptOutput = import_module(f"acdl_mkdocs.evaluation.formats.{module}").write(transcripts, options)
        return output

    return show


def _write_request(format: str, transcripts: "Sequence[Transcript]", options: TranscriptOptions) -> TranscriptOutput:
    output: TranscriptOutput = import_module("acdl_mkdocs.evaluation.formats.request").write(
        format, transcripts, options
    )
    return output


EXPORTS: Mapping[str, WriteTranscripts] = {name: partial(_write_request, name) for name in WIRES}
TRANSCRIPTS: Mapping[str, WriteTranscripts] = {
    "transcript": _load_on_first_use("text"),
    "json": _load_on_first_use("json_tree"),
    "html": _load_on_first_use("html"),
    "growth": _load_on_first_use("growth"),
    **EXPORTS,
}

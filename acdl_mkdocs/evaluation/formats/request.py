"""Prompts as requests, as commands that send them, or as a document; several requests are JSON lines."""

import re
from collections.abc import Iterator, Sequence

from acdl_mkdocs.evaluation.formats import TranscriptOptions, TranscriptOutput
from acdl_mkdocs.evaluation.transcript import Finding, Origin, SentMessage, Transcript, build_prompt
from acdl_mkdocs.foundation.diagnostics import Label, warning
from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.safe_text import escape_json, escape_xml, json_text
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES, Loss
from acdl_mkdocs.prompts.providers.curl import curl

_MESSAGE = re.compile(r"messages\[(\d+)\](?:\.parts\[(\d+)\])?")


def write(format: str, transcripts: Sequence[Transcript], options: TranscriptOptions) -> TranscriptOutput:
    """Return the requests in a format of `WIRES`.

    Raises:
        SettingsError: A command is requested without a model; or for a document, which is not sent; or a document with
            several points is requested.
    """
    if format not in PROVIDERS:
        _check_document(format, transcripts, options)
    texts: list[str] = []
    findings: list[Finding] = []
    remarks: list[str] = []
    for transcript in transcripts:
        written = WIRES[format].write(build_prompt(transcript), options.model)
        for loss in written.losses:
            finding = _make_finding(loss, transcript, format)
            if finding:
                findings.append(finding)
            else:
                remarks.append(f"{format}: {loss.sentence}; {loss.cure}")
        if options.is_command:
            head = f"# at @{transcript.at}\n" if len(transcripts) > 1 else ""
            texts.append(head + escape_json(curl(written.request, format, options.model)))
        elif isinstance(written.body, str):
            texts.append(escape_xml(written.body))
        else:
            texts.append(json_text(written.body, None if len(transcripts) > 1 else 1) + "\n")
    text = ("\n" if options.is_command else "").join(texts)
    return TranscriptOutput(text, tuple(dict.fromkeys(findings)), tuple(dict.fromkeys(remarks)))


def _check_document(format: str, transcripts: Sequence[Transcript], options: TranscriptOptions) -> None:
    """Raise an error for options that do not apply to a document."""
    if options.is_command:
        named = ", ".join(f"`{name}`" for name in PROVIDERS)
        raise SettingsError(f"`{format}` is a document, which nobody is sent: choose a request, one of {named}")
    if len(transcripts) > 1:
        last = transcripts[-1].at
        raise SettingsError(f"{len(transcripts)} points are {len(transcripts)} documents: choose one, `--at {last}`")


def _make_finding(loss: Loss, transcript: Transcript, format: str) -> Finding | None:
    """Return a loss as a finding at the place of the spec that sends it; `None` for a loss of the whole prompt."""
    match = _MESSAGE.match(loss.path)
    if match is None or int(match[1]) >= len(transcript.messages):
        return None
    message = transcript.messages[int(match[1])]
    origin = _find_origin(message, int(match[2])) if match[2] else message.origin
    label = Label(_cut_to_first_line(origin), "sent from here")
    return Finding(origin.source, warning("lossy-request", f"{format}: {loss.sentence}", label, help=loss.cure))


def _find_origin(message: SentMessage, wanted: int) -> Origin:
    """Return the origin of the piece that begins a part."""
    for at, origin in enumerate(_list_origins(message)):
        if at == wanted:
            return origin
    return message.origin


def _list_origins(message: SentMessage) -> Iterator[Origin]:
    """Yield the first piece of each part of a message: neighbouring words form one part."""
    is_words = False
    for piece in message.pieces:
        if piece.parts:
            yield from (piece.origin for _ in piece.parts)
        elif not is_words:
            yield piece.origin
        is_words = not piece.parts


def _cut_to_first_line(origin: Origin) -> Span:
    """Return the first line of a span."""
    end = origin.source.text.find("\n", origin.span.start, origin.span.end)
    return Span(origin.span.start, origin.span.end if end < 0 else end)

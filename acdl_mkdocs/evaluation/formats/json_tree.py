"""A transcript for programs: one JSON object, described by `assets/transcript.schema.json`.

Lines and columns are 1-based, offsets are 0-based code points of the file. Several points are one object with a list.
"""

from collections.abc import Sequence
from hashlib import sha256

from acdl_mkdocs.evaluation.formats import TranscriptOptions, TranscriptOutput
from acdl_mkdocs.evaluation.transcript import Finding, Origin, Piece, Round, SentMessage, Transcript
from acdl_mkdocs.evaluation.weights import Weights, weigh_transcript
from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.prompts import prompt
from acdl_mkdocs.prompts.prompt import Json

VERSION = 1
"""Incremented when a key changes its meaning or is removed."""


def write(transcripts: Sequence[Transcript], options: TranscriptOptions) -> TranscriptOutput:
    """Return one JSON object."""
    trees = [_build_transcript(each, options) for each in transcripts]
    tree: dict[str, Json] = {"acdl_unroll": VERSION}
    tree.update(trees[0] if len(trees) == 1 else {"transcripts": [*trees]})
    return TranscriptOutput(json_text(tree) + "\n")


def _build_transcript(transcript: Transcript, options: TranscriptOptions) -> dict[str, Json]:
    weights = weigh_transcript(transcript, options.counter) if options.counter else None
    return {
        "spec": transcript.spec,
        "file": transcript.source.name,
        "sha256": sha256(transcript.source.text.encode("utf-8", "surrogatepass")).hexdigest(),
        "at": str(transcript.at),
        "range": transcript.range,
        "messages": [_build_message(number, each, weights, options) for number, each in enumerate(transcript.messages)],
        "ended": _build_span(transcript.ended.source, transcript.ended.span) if transcript.ended else None,
        "free": [
            {"condition": each.condition, "span": _build_origin(each.origin), "unknown": list(each.unknown)}
            for each in transcript.choices
        ],
        "notes": [_build_finding(each) for each in transcript.findings],
        "model_tokens": _build_weights(weights) if weights else None,
    }


def _build_message(number: int, message: SentMessage, weights: Weights | None, options: TranscriptOptions) -> Json:
    return {
        "n": number + 1,
        "role": message.role,
        "span": _build_origin(message.origin),
        "stack": [_build_round(each) for each in message.stack],
        "joiner": message.joiner,
        "pieces": [
            _build_piece(piece, weights.pieces[number][at] if weights else None, options)
            for at, piece in enumerate(message.pieces)
        ],
        "model_tokens": weights.messages[number] if weights else None,
    }


def _build_piece(piece: Piece, weight: int | None, options: TranscriptOptions) -> Json:
    has_place = options.place_of is not None and piece.state_path
    return {
        "kind": piece.kind,
        "expr": piece.expression,
        "span": _build_origin(piece.origin),
        "stack": [_build_round(each) for each in piece.stack],
        "resolved": piece.resolved,
        "state_path": piece.state_path or None,
        "state_place": options.place_of(piece.state_path) if options.place_of and has_place else None,
        "text": piece.text,
        "parts": [_build_part(each) for each in piece.parts],
        "model_tokens": weight,
        "status": piece.status,
    }


def _build_round(each: Round) -> Json:
    """Return a round of a loop, or a use of a fragment, as data."""
    return {"line": each.origin.line, "file": each.origin.source.name, each.kind: each.name, "value": each.value}


def _build_origin(origin: Origin) -> Json:
    return _build_span(origin.source, origin.span)


def _build_span(source: Source, span: Span) -> Json:
    start, end = source.find_place(span.start), source.find_place(span.end)
    return {
        "file": source.name,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "start": span.start,
        "end": span.end,
    }


def _build_finding(finding: Finding) -> Json:
    diagnostic = finding.diagnostic
    span = _build_span(finding.source, diagnostic.label.span)
    return {
        "rule": diagnostic.rule,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "span": span,
        "help": list(diagnostic.help),
    }


def _build_weights(weights: Weights) -> Json:
    return {
        "encoding": weights.encoding,
        "is_estimate": weights.is_estimate,
        "total": weights.total,
        "by_role": dict(weights.by_role),
        "by_expr": dict(weights.by_expression),
        "by_line": dict(weights.by_line),
    }


def _build_part(part: prompt.Part) -> Json:
    """Return a part that is not text as data, with the names of the state file."""
    match part:
        case prompt.Text():
            return {"type": "text", "text": part.text}
        case prompt.Call():
            return {"type": "call", "id": part.id, "name": part.tool, "arguments": dict(part.args)}
        case prompt.Output():
            content: list[Json] = [_build_part(each) for each in part.parts]
            return {"type": "result", "id": part.call_id, "name": part.tool, "error": part.is_error, "content": content}
        case prompt.Thinking():
            return {"type": "thinking", "text": part.text, "signature": part.signature, "redacted": part.is_redacted}
        case prompt.Attachment():
            return {
                "type": "attachment",
                "kind": part.type,
                "name": part.name,
                "path": part.path,
                "mime": part.mime,
                "href": part.href,
                "text": part.text,
                "data": part.data,
            }
        case prompt.Opaque():
            return {"type": "opaque", "provider": part.provider, "json": part.json}

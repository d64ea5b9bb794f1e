"""A transcript for a terminal: roles and words, with the line of the spec and the rounds in the margin."""

from collections.abc import Iterator, Sequence

from acdl_mkdocs.evaluation.formats import TranscriptOptions, TranscriptOutput
from acdl_mkdocs.evaluation.transcript import Finding, Piece, Transcript, format_stack
from acdl_mkdocs.evaluation.weights import Weights, format_line, list_parts, weigh_transcript
from acdl_mkdocs.foundation.safe_text import make_visible, visible_lines
from acdl_mkdocs.foundation.text_width import count_columns
from acdl_mkdocs.language.syntax.nodes import ROLE_WORDS
from acdl_mkdocs.prompts import prompt
from acdl_mkdocs.prompts.prompt import get_text, write_arguments

_WIDEST_MARGIN = 32


def write(transcripts: Sequence[Transcript], options: TranscriptOptions) -> TranscriptOutput:
    """Return the transcripts, one after another."""
    return TranscriptOutput("\n".join("\n".join(_format_transcript(each, options)) + "\n" for each in transcripts))


def _format_transcript(transcript: Transcript, options: TranscriptOptions) -> Iterator[str]:
    weights = weigh_transcript(transcript, options.counter) if options.counter else None
    yield from format_heading(transcript, weights)
    rows = list(format_rows(transcript, weights))
    width = min(max((count_columns(margin) for margin, _ in rows), default=0), _WIDEST_MARGIN)
    for margin, words in rows:
        if count_columns(margin) > width:  # text too long for the margin gets its own row
            yield f"{margin} |"
            margin = ""
        yield f"{' ' * (width - count_columns(margin))}{margin} | {words}".rstrip() if words or margin else ""
    yield from _format_remarks(transcript)


def format_heading(transcript: Transcript, weights: Weights | None) -> Iterator[str]:
    """Yield the lines above a transcript: its spec, its point, its size."""
    name = make_visible(transcript.spec) or "The text"
    yield f"{name} at @{transcript.at}, {transcript.range} ranges ({make_visible(transcript.source.name)})"
    number = len(transcript.messages)
    counted = f"{number:,} message{'' if number == 1 else 's'}"
    tokens = f", {weights.describe_count(weights.total, 'model token')} ({weights.encoding})" if weights else ""
    yield f"{counted}{tokens}"


def format_rows(transcript: Transcript, weights: Weights | None = None) -> Iterator[tuple[str, str]]:
    """Yield margin and words of each row; both are empty for an empty row."""
    for number, message in enumerate(transcript.messages):
        yield "", ""
        role = "Text without a role" if message.role == "none" else ROLE_WORDS[message.role]
        tokens = f" · {weights.describe_count(weights.messages[number])}" if weights else ""
        begin = _format_margin(format_line(message.origin, transcript), format_stack(message.stack))
        yield begin, f"{role}{tokens}"
        before = format_line(message.origin, transcript)
        for piece in message.pieces:
            margin = _format_margin(format_line(piece.origin, transcript), format_stack(piece.stack))
            margin, before = "" if margin == before else margin, margin
            for words in _format_piece(piece):
                yield margin, f"  {words}"
                margin = ""


def _format_margin(line: str, around: str) -> str:
    return make_visible(f"{around}  {line}" if around else line)


def _format_piece(piece: Piece) -> Iterator[str]:
    for part in list_parts(piece):
        sign = _choose_sign(part)
        for at, line in enumerate(visible_lines(_format_part(part))):
            yield line if not sign else f"{sign if not at else ' ' * count_columns(sign)} {line}"


def _choose_sign(part: prompt.Part) -> str:
    """Return the sign before a part that is not only words."""
    match part:
        case prompt.Call():
            return "calls"
        case prompt.Output():
            return "failed:" if part.is_error else "answers:"
        case prompt.Thinking():
            return "thinks:"
        case prompt.Attachment() if part.text:
            return "attaches:"
    return ""


def _format_part(part: prompt.Part) -> str:
    match part:
        case prompt.Call():
            return f"{part.tool} {write_arguments(part)}"
        case prompt.Attachment() if not part.text:
            return f"[{part.type}: {part.name or part.path or part.href or part.mime or 'no name'}]"
        case prompt.Output():
            return "\n".join(_format_part(each) for each in part.parts)
        case prompt.Thinking() if part.is_redacted:
            return "(kept from readers by the provider)"
    return get_text(part)


def _format_remarks(transcript: Transcript) -> Iterator[str]:
    """Yield the remarks below a transcript: why it ended, undecided conditions, ambiguous readings."""
    remarks: list[str] = []
    if transcript.ended is not None:
        remarks.append(f"ended by PromptEndsHere in line {format_line(transcript.ended, transcript)}")
    for choice in transcript.choices:
        where = format_line(choice.origin, transcript)
        missing = ", ".join(f"`{each}`" for each in choice.unknown if each != choice.condition)
        why = f": the state has no {missing}" if missing else ""
        remarks.append(f"left open: `{choice.condition}` in line {where} counts as false{why}")
    notes = (each for each in transcript.findings if each.diagnostic.severity == "note")
    # The name in ⟦ ⟧ shows what has no text.
    remarks += [_format_finding(each, transcript) for each in notes if each.diagnostic.rule != "no-text"]
    if remarks:
        yield ""
        yield from (make_visible(each) for each in remarks)


def _format_finding(finding: Finding, transcript: Transcript) -> str:
    place = finding.source.find_place(finding.diagnostic.label.span.start).line
    is_own = finding.source.name == transcript.source.name
    return f"note: line {place if is_own else f'{finding.source.name}:{place}'}: {finding.diagnostic.message}"

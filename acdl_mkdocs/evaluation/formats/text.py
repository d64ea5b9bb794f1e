"""A transcript for a terminal: roles and words, with the line of the spec and the rounds in the margin."""

from collections.abc import Iterator, Sequence

from acdl_mkdocs.evaluation import transcript as rounds
from acdl_mkdocs.evaluation.formats import Shown, ShowOptions
from acdl_mkdocs.evaluation.transcript import Finding, Piece, Transcript
from acdl_mkdocs.evaluation.weights import Weights, line_of, parts_of, weigh
from acdl_mkdocs.foundation.safe_text import lines_of, visible
from acdl_mkdocs.foundation.text_width import columns
from acdl_mkdocs.language.syntax.nodes import ROLE_WORDS
from acdl_mkdocs.prompts import prompt
from acdl_mkdocs.prompts.prompt import arguments, words_of

_WIDEST_MARGIN = 32


def show(transcripts: Sequence[Transcript], options: ShowOptions) -> Shown:
    """Return the transcripts, one after another."""
    return Shown("\n".join("\n".join(_one(each, options)) + "\n" for each in transcripts))


def _one(transcript: Transcript, options: ShowOptions) -> Iterator[str]:
    weights = weigh(transcript, options.counter) if options.counter else None
    yield from heading(transcript, weights)
    found = list(rows(transcript, weights))
    width = min(max((columns(margin) for margin, _ in found), default=0), _WIDEST_MARGIN)
    for margin, words in found:
        if columns(margin) > width:  # text too long for the margin gets its own row
            yield f"{margin} |"
            margin = ""
        yield f"{' ' * (width - columns(margin))}{margin} | {words}".rstrip() if words or margin else ""
    yield from _below(transcript)


def heading(transcript: Transcript, weights: Weights | None) -> Iterator[str]:
    """Yield the lines above a transcript: its spec, its point, its size."""
    name = visible(transcript.spec) or "The text"
    yield f"{name} at @{transcript.at}, {transcript.range} ranges ({visible(transcript.source.name)})"
    number = len(transcript.messages)
    counted = f"{number:,} message{'' if number == 1 else 's'}"
    tokens = f", {weights.shown(weights.total)} model tokens ({weights.encoding})" if weights else ""
    yield f"{counted}{tokens}"


def rows(transcript: Transcript, weights: Weights | None = None) -> Iterator[tuple[str, str]]:
    """Yield margin and words of each row; both are empty for an empty row."""
    for number, message in enumerate(transcript.messages):
        yield "", ""
        role = "Text without a role" if message.role == "none" else ROLE_WORDS[message.role]
        tokens = f" · {weights.in_words(weights.messages[number])}" if weights else ""
        begin = _margin(line_of(message.origin, transcript), rounds.shown(message.stack))
        yield begin, f"{role}{tokens}"
        before = line_of(message.origin, transcript)
        for piece in message.pieces:
            margin = _margin(line_of(piece.origin, transcript), rounds.shown(piece.stack[len(message.stack) :]))
            margin, before = "" if margin == before else margin, margin
            for words in _words(piece):
                yield margin, f"  {words}"
                margin = ""


def _margin(line: str, around: str) -> str:
    return visible(f"{around}  {line}" if around else line)


def _words(piece: Piece) -> Iterator[str]:
    for part in parts_of(piece):
        sign = _sign(part)
        for at, line in enumerate(lines_of(_shown(part))):
            yield line if not sign else f"{sign if not at else ' ' * columns(sign)} {line}"


def _sign(part: prompt.Part) -> str:
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


def _shown(part: prompt.Part) -> str:
    match part:
        case prompt.Call():
            return f"{part.tool} {arguments(part)}"
        case prompt.Attachment() if not part.text:
            return f"[{part.type}: {part.name or part.path or part.href or part.mime or 'no name'}]"
        case prompt.Output():
            return "\n".join(_shown(each) for each in part.parts)
        case prompt.Thinking() if part.is_redacted:
            return "(kept from readers by the provider)"
    return words_of(part)


def _below(transcript: Transcript) -> Iterator[str]:
    """Yield the remarks below a transcript: why it ended, what was left open, how things were read."""
    said: list[str] = []
    if transcript.ended is not None:
        said.append(f"ended by PromptEndsHere in line {line_of(transcript.ended, transcript)}")
    for choice in transcript.choices:
        where = line_of(choice.origin, transcript)
        lacking = ", ".join(f"`{each}`" for each in choice.unknown if each != choice.condition)
        why = f": the state has no {lacking}" if lacking else ""
        said.append(f"left open: `{choice.condition}` in line {where} counts as false{why}")
    notes = (each for each in transcript.findings if each.diagnostic.severity == "note")
    said += [_note(each, transcript) for each in notes if each.diagnostic.rule != "no-text"]  # the name in ⟦ ⟧ shows it
    if said:
        yield ""
        yield from (visible(each) for each in said)


def _note(finding: Finding, transcript: Transcript) -> str:
    place = finding.source.place(finding.diagnostic.label.span.start).line
    is_own = finding.source.name == transcript.source.name
    return f"note: line {place if is_own else f'{finding.source.name}:{place}'}: {finding.diagnostic.message}"

"""A transcript as HTML: a section for each point with the list of messages, complete without styles and scripts.

`data-acdl="start-end"` is the span of the spec that a message or a piece comes from, as in figures; what comes
from a fragment of another file has the span of the use of that fragment. Class names begin with `acdl-sent`.
"""

from collections.abc import Callable, Iterator, Sequence
from html import escape
from importlib.resources import files
from itertools import groupby, pairwise

from acdl_mkdocs.evaluation.formats import TranscriptOptions, TranscriptOutput
from acdl_mkdocs.evaluation.formats.growth import Comparison, compare_transcripts
from acdl_mkdocs.evaluation.formats.message_html import (
    NO_TOOLS,
    Anchors,
    Pair,
    Tools,
    format_count,
    index_tools,
    pair_calls,
    write_memory_panel,
    write_message,
    write_part,
    write_result,
    write_text,
    write_tools_panel,
)
from acdl_mkdocs.evaluation.transcript import Origin, Piece, Round, SentMessage, Transcript, build_prompt, format_stack
from acdl_mkdocs.evaluation.weights import Weights, format_line, weigh_transcript
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.prompts.prompt import Output


def write_piece(
    piece: Piece,
    data: str,
    count: str,
    place_of: Callable[[str], str] | None,
    pairs: Sequence[Pair | None],
    tools: Tools = NO_TOOLS,
) -> str:
    """Write a piece.

    Parameters:
        piece: The piece.
        data: The attribute that says which part of the spec it comes from.
        count: Its model tokens as they are printed; empty if not counted.
        place_of: Finds the position of a path of the state.
        pairs: The call or result that belongs to each of its parts.
        tools: Those that are described on the page.
    """
    tooltip = escape(make_visible(" · ".join(_list_facts(piece, count, place_of))))
    classes = f"acdl-sent-piece acdl-sent-{piece.kind}"
    if piece.status != "given":
        classes += f" acdl-sent-is-{piece.status}"
    content = _write_source(piece) + _write_content(piece, pairs, tools)
    return f'<div class="{classes}"{data} title="{tooltip}">{content}</div>'


def _write_content(piece: Piece, pairs: Sequence[Pair | None], tools: Tools) -> str:
    if not piece.parts:
        return write_text(piece.text)
    return "".join(write_part(part, pair, tools) for part, pair in zip(piece.parts, pairs, strict=True))


def _write_source(piece: Piece) -> str:
    """Return the source of the words of a piece, unless it is the words themselves."""
    source = piece.resolved or piece.expression
    if piece.status != "given" or piece.kind in ("literal", "number"):
        return ""
    return f'<code class="acdl-sent-source">{escape(make_visible(source))}</code>'


def _list_facts(piece: Piece, count: str, place_of: Callable[[str], str] | None) -> Iterator[str]:
    """Yield facts about a piece."""
    yield piece.resolved or piece.expression
    if piece.resolved and piece.resolved != piece.expression:
        yield f"written {piece.expression}"
    if piece.state_path:
        yield place_of(piece.state_path) if place_of else piece.state_path
    if piece.status != "given":
        yield {"placeholder": "shown by its name", "missing": "the state has no value", "error": "no value"}[
            piece.status
        ]
    if count:
        yield count


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def write(transcripts: Sequence[Transcript], options: TranscriptOptions) -> TranscriptOutput:
    """Return a complete document, or only its content."""
    body = "\n".join(write_sections(transcripts, options))
    if not options.is_standalone:
        return TranscriptOutput(body + "\n")
    name = escape(make_visible(transcripts[0].spec or transcripts[0].source.name))
    styles = (files("acdl_mkdocs") / "assets" / "transcript.css").read_text("utf-8")
    head = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>What {name} sends</title>",
        f"<style>\n{styles}</style>",
        "</head>",
    ]
    figure = [f'<div class="acdl-sent-figure">\n{options.figure.strip()}\n</div>'] if options.figure else []
    main = ["<main>", f"<h1>What {name} sends</h1>", *figure, f'<div class="acdl-sent">\n{body}\n</div>', "</main>"]
    return TranscriptOutput("\n".join([*head, "<body>", *main, "</body>", "</html>"]) + "\n")


def write_sections(transcripts: Sequence[Transcript], options: TranscriptOptions) -> Iterator[str]:
    """Write memory and tools, then a section for each point.

    Each section has a heading, what changed since the point before it, and the messages.
    """
    tools = NO_TOOLS
    for earlier, later in pairwise((None, *transcripts)):
        if earlier is None and later is not None:
            tools = collect_tools(later, f"{options.id_prefix}{later.spec or 'acdl'}")
            yield from write_memory_and_tools(later, tools)
        if later is not None:
            yield write_section(later, options, earlier, tools)


def collect_tools(transcript: Transcript, name: str) -> Tools:
    """Collect the tools of the state, with ids that begin with a name; all points of a state have the same tools."""
    return index_tools(transcript.tools, Anchors(name))


def write_memory_and_tools(transcript: Transcript, tools: Tools) -> Iterator[str]:
    """Write memory and tools of the state, in lines."""
    yield from write_memory_panel(transcript.memory)
    yield from write_tools_panel(tools)


def write_section(
    transcript: Transcript, options: TranscriptOptions, earlier: Transcript | None = None, tools: Tools = NO_TOOLS
) -> str:
    """Write the section of one point."""
    comparison = compare_transcripts(earlier, transcript) if earlier is not None else None
    weights = weigh_transcript(transcript, options.counter) if options.counter else None
    anchor = escape(make_anchor(transcript, options))
    attributes = f'id="{anchor}" data-at="{transcript.at}" aria-labelledby="{anchor}-title"'
    return "\n".join(
        [
            f'<section class="acdl-sent-point" {attributes}>',
            f'<h2 class="acdl-sent-title" id="{anchor}-title">{_write_title(transcript)}</h2>',
            '<p class="acdl-sent-summary">'
            f"{escape(summarize_transcript(transcript, weights, earlier, comparison))}</p>",
            *write_messages(transcript, options, weights, comparison, make_anchor(transcript, options), tools),
            *write_remarks(transcript),
            "</section>",
        ]
    )


def make_anchor(transcript: Transcript, options: TranscriptOptions) -> str:
    """Return the id of the section of a point: `React2-at-2.1`."""
    return f"{options.id_prefix}{transcript.spec or 'acdl'}-at-{transcript.at}"


def summarize_transcript(
    transcript: Transcript, weights: Weights | None, earlier: Transcript | None, comparison: Comparison | None
) -> str:
    """Describe how much is sent, and how much of that was sent before."""
    facts = [format_count(len(transcript.messages), "message")]
    if weights is not None:
        facts.append(f"{weights.format_count(weights.total)} model tokens ({weights.encoding})")
    if earlier is not None and comparison is not None:
        numbers = (
            (comparison.count_messages("new"), "new"),
            (comparison.count_messages("changed"), "changed"),
            (comparison.n_removed, "gone"),
        )
        facts += [f"{number} {word}" for number, word in numbers if number]
        if comparison.is_prefix:
            facts.append(f"extends @{earlier.at} (cacheable)")
        else:
            facts.append(f"begins with {comparison.same} of {len(earlier.messages)} messages of @{earlier.at}")
    return ", ".join(facts)


def _write_title(transcript: Transcript) -> str:
    name = f"{escape(make_visible(transcript.spec))} at " if transcript.spec else "At "
    return f"{name}<code>@{transcript.at}</code>"


def write_messages(
    transcript: Transcript,
    options: TranscriptOptions,
    weights: Weights | None,
    comparison: Comparison | None,
    anchor: str,
    tools: Tools = NO_TOOLS,
) -> Iterator[str]:
    """Write the list of messages; ids of calls and results begin with the anchor, calls link to their tools."""
    most = max(weights.messages, default=0) if weights else 0
    joined = pair_calls(build_prompt(transcript).messages, anchor)
    yield '<ol class="acdl-sent-messages">'
    for number, message in enumerate(transcript.messages):
        change = comparison.changes[number] if comparison else "kept"
        content: list[str] = []
        for part, pieces in _group_parts(message):
            part_html: list[str] = []
            for at, first in pieces:
                piece = message.pieces[at]
                count = weights.describe_count(weights.pieces[number][at]) if weights else ""
                own = [joined.get((number, each)) for each in range(first, first + len(piece.parts))]
                data = _write_span_attribute(find_span(piece.origin, piece.stack, transcript))
                part_html.append(write_piece(piece, data, count, options.place_of, own, tools))
            if message.role == "tool" and part is not None:
                part_html = [write_result(Output(()), "".join(part_html), joined.get((number, part)))]
            content += part_html
        yield from write_message(
            message.role,
            content,
            head=(*_write_head(message, transcript, change), *_write_weight_bar(number, weights, most)),
            classes=f"acdl-sent-{change}" if change != "kept" else "",
            attributes=_write_span_attribute(find_span(message.origin, message.stack, transcript))
            + _describe_fragment_uses(message.stack, transcript),
        )
    yield "</ol>"


def _group_parts(message: SentMessage) -> Iterator[tuple[int | None, list[tuple[int, int]]]]:
    """Group the pieces of a message: neighbouring text pieces form one part, whose number is given.

    Of each piece its number, and the number of its first part.
    """
    part = 0
    for is_words, group in groupby(enumerate(message.pieces), lambda each: not each[1].parts):
        pieces: list[tuple[int, int]] = []
        first = part
        for at, piece in group:
            pieces.append((at, part))
            part += len(piece.parts)
        part += is_words
        yield first if is_words else None, pieces


def _write_head(message: SentMessage, transcript: Transcript, change: str) -> Iterator[str]:
    if change != "kept":
        yield f'<em class="acdl-sent-change">{change}</em>'
    if message.stack:
        yield f'<span class="acdl-sent-round">{escape(make_visible(format_stack(message.stack)))}</span>'
    yield f'<span class="acdl-sent-line">line {escape(make_visible(format_line(message.origin, transcript)))}</span>'


def _write_weight_bar(number: int, weights: Weights | None, most: int) -> Iterator[str]:
    """Write the length of a message relative to the longest one, and its model tokens."""
    if weights is None:
        return
    words = weights.describe_count(weights.messages[number])
    value = f'max="{most or 1}" value="{weights.messages[number]}" aria-hidden="true"'
    yield f'<meter class="acdl-sent-bar" {value}></meter>'
    yield f'<span class="acdl-sent-tokens">{words}</span>'


def find_span(origin: Origin, stack: Sequence[Round], transcript: Transcript) -> Span | None:
    """Return the span of the spec that something comes from; for a fragment of another file, the span of its use."""
    for candidate in (origin, *(each.origin for each in reversed(stack))):
        if candidate.source == transcript.source:
            return candidate.span
    return None


def _describe_fragment_uses(stack: Sequence[Round], transcript: Transcript) -> str:
    """Describe the uses of fragments that led to a message, as the spec writes them."""
    uses = [each.origin for each in stack if each.kind == "fragment" and each.origin.source == transcript.source]
    spans = " ".join(f"{use.span.start}-{use.span.end}" for use in uses)
    return f' data-acdl-via="{spans}"' if spans else ""


def _write_span_attribute(span: Span | None) -> str:
    return f' data-acdl="{span.start}-{span.end}"' if span else ""


def write_remarks(transcript: Transcript) -> Iterator[str]:
    """Write why the prompt ended, and the conditions that the state does not decide."""
    remarks: list[str] = []
    if transcript.ended is not None:
        line = escape(make_visible(format_line(transcript.ended, transcript)))
        span = _write_span_attribute(find_span(transcript.ended, (), transcript))
        remarks.append(f"<li{span}>ended by <code>PromptEndsHere</code> in line {line}</li>")
    for choice in transcript.choices:
        line = escape(make_visible(format_line(choice.origin, transcript)))
        condition = f"<code>{escape(make_visible(choice.condition))}</code>"
        span = _write_span_attribute(find_span(choice.origin, (), transcript))
        remarks.append(
            f"<li{span}>left open: {condition} in line {line} counts as false, the state does not say it</li>"
        )
    for finding in transcript.errors:
        remarks.append(f'<li class="acdl-sent-error">error: {escape(make_visible(finding.diagnostic.message))}</li>')
    if remarks:
        yield '<ul class="acdl-sent-remarks">'
        yield from remarks
        yield "</ul>"

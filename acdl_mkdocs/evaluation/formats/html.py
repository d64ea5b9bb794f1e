"""A transcript as HTML: a section for each point with the list of messages, complete without styles and scripts.

`data-acdl="start-end"` is the span of the spec that a message or a piece comes from, as figures have it too; what comes
from a fragment of another file has that of the place that uses it. Class names begin with `acdl-sent`.
"""

from collections.abc import Callable, Iterator, Sequence
from html import escape
from importlib.resources import files
from itertools import groupby, pairwise

from acdl_mkdocs.evaluation import transcript as rounds
from acdl_mkdocs.evaluation.formats import Shown, ShowOptions
from acdl_mkdocs.evaluation.formats.growth import Comparison, compare
from acdl_mkdocs.evaluation.formats.message_html import (
    NO_TOOLS,
    Anchors,
    Pair,
    Tools,
    counted,
    memory_panel,
    message_markup,
    pairs,
    part_markup,
    result_markup,
    text_markup,
    tools_panel,
    tools_with,
)
from acdl_mkdocs.evaluation.transcript import Origin, Piece, Round, SentMessage, Transcript, to_prompt
from acdl_mkdocs.evaluation.weights import Weights, line_of, weigh
from acdl_mkdocs.foundation.safe_text import visible
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.prompts.prompt import Output


def piece_markup(
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
    tooltip = escape(visible(" · ".join(_facts(piece, count, place_of))))
    classes = f"acdl-sent-piece acdl-sent-{piece.kind}"
    if piece.status != "given":
        classes += f" acdl-sent-is-{piece.status}"
    content = _source(piece) + _sent(piece, pairs, tools)
    return f'<div class="{classes}"{data} title="{tooltip}">{content}</div>'


def _sent(piece: Piece, pairs: Sequence[Pair | None], tools: Tools) -> str:
    if not piece.parts:
        return text_markup(piece.text)
    return "".join(part_markup(part, pair, tools) for part, pair in zip(piece.parts, pairs, strict=True))


def _source(piece: Piece) -> str:
    """Return the source of the words of a piece, unless it is the words themselves."""
    shown = piece.resolved or piece.expression
    if piece.status != "given" or piece.kind in ("literal", "number"):
        return ""
    return f'<code class="acdl-sent-source">{escape(visible(shown))}</code>'


def _facts(piece: Piece, count: str, place_of: Callable[[str], str] | None) -> Iterator[str]:
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


def show(transcripts: Sequence[Transcript], options: ShowOptions) -> Shown:
    """Return a complete document, or only its content."""
    body = "\n".join(sections(transcripts, options))
    if not options.is_standalone:
        return Shown(body + "\n")
    name = escape(visible(transcripts[0].spec or transcripts[0].source.name))
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
    return Shown("\n".join([*head, "<body>", *main, "</body>", "</html>"]) + "\n")


def sections(transcripts: Sequence[Transcript], options: ShowOptions) -> Iterator[str]:
    """Write memory and tools, then a section for each point.

    Each section has a heading, what changed since the point before it, and the messages.
    """
    tools = NO_TOOLS
    for earlier, later in pairwise((None, *transcripts)):
        if earlier is None and later is not None:
            tools = tools_of(later, f"{options.id_prefix}{later.spec or 'acdl'}")
            yield from beside(later, tools)
        if later is not None:
            yield section(later, options, earlier, tools)


def tools_of(transcript: Transcript, name: str) -> Tools:
    """Collect the tools of the state, with ids that begin with a name; all points of a state have the same tools."""
    return tools_with(transcript.tools, Anchors(name))


def beside(transcript: Transcript, tools: Tools) -> Iterator[str]:
    """Write memory and tools of the state, in lines."""
    yield from memory_panel(transcript.memory)
    yield from tools_panel(tools)


def section(
    transcript: Transcript, options: ShowOptions, earlier: Transcript | None = None, tools: Tools = NO_TOOLS
) -> str:
    """Write the section of one point."""
    comparison = compare(earlier, transcript) if earlier is not None else None
    weights = weigh(transcript, options.counter) if options.counter else None
    anchor = escape(anchor_of(transcript, options))
    attributes = f'id="{anchor}" data-at="{transcript.at}" aria-labelledby="{anchor}-title"'
    return "\n".join(
        [
            f'<section class="acdl-sent-point" {attributes}>',
            f'<h2 class="acdl-sent-title" id="{anchor}-title">{_title(transcript)}</h2>',
            f'<p class="acdl-sent-summary">{escape(summary(transcript, weights, earlier, comparison))}</p>',
            *messages(transcript, options, weights, comparison, anchor_of(transcript, options), tools),
            *remarks(transcript),
            "</section>",
        ]
    )


def anchor_of(transcript: Transcript, options: ShowOptions) -> str:
    """Return the id of the section of a point: `React2-at-2.1`."""
    return f"{options.id_prefix}{transcript.spec or 'acdl'}-at-{transcript.at}"


def summary(
    transcript: Transcript, weights: Weights | None, earlier: Transcript | None, comparison: Comparison | None
) -> str:
    """Describe how much is sent, and how much of it was sent before."""
    said = [counted(len(transcript.messages), "message")]
    if weights is not None:
        said.append(f"{weights.shown(weights.total)} model tokens ({weights.encoding})")
    if earlier is not None and comparison is not None:
        numbers = (
            (comparison.count("new"), "new"),
            (comparison.count("changed"), "changed"),
            (comparison.gone, "gone"),
        )
        said += [f"{number} {word}" for number, word in numbers if number]
        if comparison.is_prefix:
            said.append(f"begins with all of @{earlier.at}")
        else:
            said.append(f"begins with {comparison.same} of {len(earlier.messages)} messages of @{earlier.at}")
    return ", ".join(said)


def _title(transcript: Transcript) -> str:
    name = f"{escape(visible(transcript.spec))} at " if transcript.spec else "At "
    return f"{name}<code>@{transcript.at}</code>"


def messages(
    transcript: Transcript,
    options: ShowOptions,
    weights: Weights | None,
    comparison: Comparison | None,
    anchor: str,
    tools: Tools = NO_TOOLS,
) -> Iterator[str]:
    """Write the list of messages; ids of calls and results begin with the anchor, calls link to their tools."""
    most = max(weights.messages, default=0) if weights else 0
    joined = pairs(to_prompt(transcript).messages, anchor)
    yield '<ol class="acdl-sent-messages">'
    for number, message in enumerate(transcript.messages):
        change = comparison.changes[number] if comparison else "kept"
        content: list[str] = []
        for part, pieces in _parts(message):
            drawn: list[str] = []
            for at, first in pieces:
                piece = message.pieces[at]
                count = weights.in_words(weights.pieces[number][at]) if weights else ""
                own = [joined.get((number, each)) for each in range(first, first + len(piece.parts))]
                data = _data(span_in(piece.origin, piece.stack, transcript))
                drawn.append(piece_markup(piece, data, count, options.place_of, own, tools))
            if message.role == "tool" and part is not None:
                drawn = [result_markup(Output(()), "".join(drawn), joined.get((number, part)))]
            content += drawn
        yield from message_markup(
            message.role,
            content,
            head=(*_head(message, transcript, change), *_bar(number, weights, most)),
            classes=f"acdl-sent-{change}" if change != "kept" else "",
            attributes=_data(span_in(message.origin, message.stack, transcript)) + _via(message.stack, transcript),
        )
    yield "</ol>"


def _parts(message: SentMessage) -> Iterator[tuple[int | None, list[tuple[int, int]]]]:
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


def _head(message: SentMessage, transcript: Transcript, change: str) -> Iterator[str]:
    if change != "kept":
        yield f'<em class="acdl-sent-change">{change}</em>'
    if message.stack:
        yield f'<span class="acdl-sent-round">{escape(visible(rounds.shown(message.stack)))}</span>'
    yield f'<span class="acdl-sent-line">line {escape(visible(line_of(message.origin, transcript)))}</span>'


def _bar(number: int, weights: Weights | None, most: int) -> Iterator[str]:
    """Write the length of a message relative to the longest one, and its model tokens."""
    if weights is None:
        return
    words = weights.in_words(weights.messages[number])
    value = f'max="{most or 1}" value="{weights.messages[number]}" aria-hidden="true"'
    yield f'<meter class="acdl-sent-bar" {value}></meter>'
    yield f'<span class="acdl-sent-tokens">{words}</span>'


def span_in(origin: Origin, stack: Sequence[Round], transcript: Transcript) -> Span | None:
    """Return the span of the spec that something comes from; for a fragment of another file, the span of its use."""
    for place in (origin, *(each.origin for each in reversed(stack))):
        if place.source == transcript.source:
            return place.span
    return None


def _via(stack: Sequence[Round], transcript: Transcript) -> str:
    """Describe the uses of fragments that led to a message, as the spec writes them."""
    uses = [each.origin for each in stack if each.kind == "fragment" and each.origin.source == transcript.source]
    spans = " ".join(f"{use.span.start}-{use.span.end}" for use in uses)
    return f' data-acdl-via="{spans}"' if spans else ""


def _data(span: Span | None) -> str:
    return f' data-acdl="{span.start}-{span.end}"' if span else ""


def remarks(transcript: Transcript) -> Iterator[str]:
    """Write why the prompt ended, and what the state left open."""
    said: list[str] = []
    if transcript.ended is not None:
        line = escape(visible(line_of(transcript.ended, transcript)))
        span = _data(span_in(transcript.ended, (), transcript))
        said.append(f"<li{span}>ended by <code>PromptEndsHere</code> in line {line}</li>")
    for choice in transcript.choices:
        line = escape(visible(line_of(choice.origin, transcript)))
        condition = f"<code>{escape(visible(choice.condition))}</code>"
        span = _data(span_in(choice.origin, (), transcript))
        said.append(f"<li{span}>left open: {condition} in line {line} counts as false, the state does not say it</li>")
    for finding in transcript.errors:
        said.append(f'<li class="acdl-sent-error">error: {escape(visible(finding.diagnostic.message))}</li>')
    if said:
        yield '<ul class="acdl-sent-remarks">'
        yield from said
        yield "</ul>"

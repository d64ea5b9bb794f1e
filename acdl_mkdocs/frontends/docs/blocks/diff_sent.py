"""The messages of both specs of a difference with a sample state, as a table below the figure."""

from collections.abc import Iterator
from html import escape
from itertools import groupby

from acdl_mkdocs.app.evaluate_block import MOST_POINTS
from acdl_mkdocs.compare.sent.messages import MessageChange
from acdl_mkdocs.compare.sent.sent import (
    PointDifference,
    SenderOptions,
    SentDifference,
    make_senders,
    points_of,
    sent_difference,
)
from acdl_mkdocs.compare.sent.summary import (
    cache_of,
    count_changes,
    describe_prefixes,
    format_messages,
    list_reasons,
    sent_verdict,
    tokens_of,
)
from acdl_mkdocs.compare.sent.words import Paint
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.foundation.diagnostics import Label, error
from acdl_mkdocs.foundation.errors import PointError, UnknownSpecError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.frontends.docs.blocks.diff_read import DiffText
from acdl_mkdocs.frontends.docs.blocks.element import render_folded
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.prompts.tokens.counter import counter
from acdl_mkdocs.workspace.read_block import Finding

_MOST_DETAILED = 3
_VERDICTS = {
    "same": "= the same",
    "same as far as known": "= the same, as far as known",
    "undecided": "? not decided by the state",
    "different": "≠ differs",
}


@dataclass(frozen=True, slots=True)
class SentBoth:
    """The result of a block with a state."""

    difference: SentDifference | None = None
    findings: tuple[Finding, ...] = ()


def compare_messages(text: DiffText, resolved: tuple[Resolved, Resolved]) -> SentBoth:
    """Compare the messages of both sides of a block with its state.

    Parameters:
        text: The block.
        resolved: Both sides, resolved.
    """
    if text.state is None or text.state.source is None or text.sides is None:
        return SentBoth()
    file = read_state(text.state.source.text, text.state.source.name, text.state.path.parent)
    findings: list[Finding] = [(each, file.source) for each in file.problems]
    if file.state is None:
        return SentBoth(findings=tuple(findings))
    try:
        points = points_of(text.options.at or None, file.state, file.state)
        if len(points) > MOST_POINTS:
            raise PointError(f"these are {len(points):,} points, and a page shows {MOST_POINTS} at most; name fewer")
        names = [side.definition or None for side in text.sides]
        sender_options = SenderOptions(names[0], names[1], modes=(text.options.range, text.options.range))
        difference = sent_difference(*make_senders(*resolved, file.state, options=sender_options), points, counter())
    except (PointError, UnknownSpecError) as reason:
        span = text.get_option_span("at" if isinstance(reason, PointError) and text.options.at else "state")
        findings.append((error("state-file", str(reason), Label(span, "asked for here")), text.opening))
        return SentBoth(findings=tuple(findings))
    return SentBoth(difference, tuple(findings))


def sent_table(sent: SentDifference) -> str:
    """Render a table of points with what differs at each, and the messages of the first of them, folded."""
    heads = [
        "Point",
        "Verdict",
        "Messages",
        *(["Model tokens"] if sent.encoding else []),
        "Kept from the beginning",
        "Changes",
    ]
    head = "".join(f'<th scope="col">{each}</th>' for each in heads)
    rows = "".join(_render_rows(sent, len(heads)))
    encoding = f" Model tokens in {escape(sent.encoding)}." if sent.encoding else ""
    prefix = describe_prefixes(sent)
    notes = f"{prefix[:1].upper()}{prefix[1:]}." if prefix else ""
    seen = set[MessageChange]()
    plain = Paint(is_wanted=False)
    details = []
    for point in [each for each in sent.points if each.verdict == "different"][:_MOST_DETAILED]:
        lines = [line.removeprefix("      ") for line in format_messages(point, plain, seen)]
        if lines:
            words = escape("\n".join(lines))
            written = f'<pre class="acdl-text" tabindex="0">{words}</pre>'
            details.append(render_folded("acdl-more", f"Messages at @{point.at}", written))
    return (
        '<div class="acdl-diff-sent">'
        f"<p><strong>With the sample state</strong>: {escape(make_visible(sent_verdict(sent)))}.</p>"
        '<div class="acdl-diff-points" tabindex="0" role="group" aria-label="Messages at each point">'
        '<table class="acdl-points">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        f"<p>{escape(notes)}{encoding}</p>{''.join(details)}</div>"
    )


def _render_rows(sent: SentDifference, n_columns: int) -> Iterator[str]:
    for is_same, group in groupby(sent.points, lambda each: each.verdict == "same"):
        points = list(group)
        if is_same and len(points) > 1:
            at = f"@{points[0].at} … @{points[-1].at}"
            text = f"{_VERDICTS['same']}, {len(points)} points"
            yield f'<tr><th scope="row">{at}</th><td colspan="{n_columns - 1}">{text}</td></tr>'
            continue
        for point in points:
            at, *cells = _render_cells(point, sent)
            yield f'<tr><th scope="row">{at}</th>{"".join(f"<td>{each}</td>" for each in cells)}</tr>'


def _render_cells(point: PointDifference, sent: SentDifference) -> Iterator[str]:
    old, new, is_failed = point.old, point.new, point.verdict == "failed"
    yield f"@{point.at}"
    yield _VERDICTS.get(point.verdict, "? not compared")
    n_messages = str(old.n_messages) if old.n_messages == new.n_messages else f"{old.n_messages} → {new.n_messages}"
    yield "" if is_failed else n_messages
    if sent.encoding:
        tokens = tokens_of(old.n_tokens, new.n_tokens, is_estimate=sent.is_estimate).replace("->", "→")
        yield "" if is_failed else tokens
    yield cache_of(point) if point.verdict == "different" else ""
    reasons = [escape(make_visible(f"{side}: {sentence}")) for side, sentence in list_reasons(point)]
    yield "<br>".join(filter(None, (count_changes(point), *reasons)))

"""An inspection as HTML: sums, then for each run a chart of its growth, its steps and its tables."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from itertools import groupby

from acdl_mkdocs.evaluation.formats.message_html import (
    Anchors,
    Pair,
    Place,
    Tools,
    index_tools,
    pair_calls,
    write_message,
    write_panel,
    write_part,
    write_tools_panel,
)
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.prompts.prompt import Message, Output
from acdl_mkdocs.runs.inspect.growth_chart import Bar, draw_growth_chart
from acdl_mkdocs.runs.inspect.inspection import Inspection, PrefixEnd, Run, Step, WeighedMessage
from acdl_mkdocs.runs.inspect.options import InspectionOptions
from acdl_mkdocs.runs.inspect.summary import (
    describe_counting,
    describe_inspection,
    describe_loss,
    describe_point,
    describe_repeat,
    describe_step,
    format_point,
    has_sides,
    is_losing,
    list_facts,
    shorten_message,
)
from acdl_mkdocs.runs.report.recording import shorten_line

_HEADS = ("At", "Messages", "Tokens", "Prefix", "Lost", "New", "Gone")
_COUNTED = ("Input", "Cached")
"""Tokens that providers count."""
_USE = ("Tool", "Tokens", "Requests", "Calls")


def write_steps_table(run: Run, anchor_of: Callable[[int], str]) -> str:
    """Write a row for each step.

    Parameters:
        run: The run.
        anchor_of: From the number of a step to the id of its section.
    """
    n_counted = 2 if any(step.usage and step.usage.n_cached is not None for step in run.steps) else 1
    heads = (*_HEADS, *_COUNTED[: n_counted if any(step.usage for step in run.steps) else 0])
    rows = [_write_row(step, anchor_of(number), len(heads) - 1) for number, step in enumerate(run.steps)]
    return write_panel(
        "acdl-inspect-numbers",
        "Model tokens of each step",
        _write_table(heads, rows, f"Model tokens of each step of {run.name}"),
    )


def _write_row(step: Step, anchor: str, n_cells: int) -> str:
    counted = (step.usage.n_input, step.usage.n_cached) if step.usage else (None, None)
    sums = (len(step.messages), step.n_tokens, step.n_prefix, step.n_again, step.n_new, step.n_gone, *counted)
    cells = "".join(f"<td>{'' if value is None else f'{value:,}'}</td>" for value in sums[:n_cells])
    lost = ' class="acdl-inspect-losing"' if is_losing(step) else ""
    return f'<tr{lost}><th scope="row"><a href="#{escape(anchor)}">{format_point(step)}</a></th>{cells}</tr>'


def write_tools_table(run: Run) -> Iterator[str]:
    """Write a row for each tool; nothing if there are none."""
    if not run.tools:
        return
    rows = [
        f'<tr><th scope="row"><code>{escape(make_visible(each.name))}</code></th><td>{each.n_tokens:,}</td>'
        f"<td>{each.n_steps:,}</td><td>{f'{each.n_calls:,}' if each.n_calls else 'never'}</td></tr>"
        for each in run.tools
    ]
    n_unused = sum(not each.n_calls for each in run.tools)
    title = f"Use of tools <small>{f'{n_unused} never called' if n_unused else 'all called'}</small>"
    yield write_panel("acdl-inspect-use", title, _write_table(_USE, rows, f"Tools of {run.name}"))


def _write_table(heads: Sequence[str], rows: Sequence[str], label: str) -> str:
    """Write a table that scrolls within itself, also by keyboard."""
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    table = f'<table class="acdl-inspect-table"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    around = f'class="acdl-inspect-scroll" tabindex="0" role="group" aria-label="{escape(make_visible(label))}"'
    return f"<div {around}>{table}</div>"


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_CODE = re.compile(r"`([^`]+)`")
_EXCERPT, _LINE = 200, 120


def write(inspection: Inspection, options: InspectionOptions | None = None) -> str:
    """Write a complete document."""
    title = escape(make_visible(", ".join(inspection.files[:3]) + (" and more" if len(inspection.files) > 3 else "")))
    styles = (files("acdl_mkdocs") / "assets" / "transcript.css").read_text("utf-8")
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>What {title} sent</title>",
            f"<style>\n{styles}</style>",
            "</head>",
            "<body>",
            "<main>",
            f"<h1>What {title} sent</h1>",
            *write_body(inspection, options, level=2),
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def write_body(inspection: Inspection, options: InspectionOptions | None = None, *, level: int = 0) -> Iterator[str]:
    """Write the sums and the runs, in lines.

    Parameters:
        inspection: The inspection.
        options: How it is shown.
        level: Of the headings of runs; 0 for a part of a page, whose table of contents has other headings.
    """
    options = options or InspectionOptions()
    yield from _write_totals(inspection, options)
    for number, run in enumerate(inspection.runs, 1):
        yield from _RunWriter(inspection, run, options, (number, level)).write_run()


def _write_totals(inspection: Inspection, options: InspectionOptions) -> Iterator[str]:
    """Write the sums."""
    kind = "lost" if any(map(is_losing, inspection.steps)) else "kept"
    yield f'<div class="acdl-inspect-sums acdl-inspect-{kind}">'
    yield f'<p class="acdl-inspect-sentence">{_write_text(_capitalize_first(describe_inspection(inspection)))}.</p>'
    facts = [
        *list_facts(inspection, inspection.runs, options.price),
        *(("skipped", each) for each in inspection.skipped),
    ]
    items = "".join(f"<div><dt>{_write_text(name)}</dt><dd>{_write_prose(words)}</dd></div>" for name, words in facts)
    yield f'<dl class="acdl-inspect-facts">{items}</dl>'
    counting = describe_counting(inspection)
    sentence = f"{counting[0].upper()}{counting[1:]}."
    hint = " Long contents are shortened." if inspection.is_cut else ""
    yield f'<p class="acdl-inspect-note">{_write_text(sentence + hint)}</p></div>'


class _RunWriter:
    """Writes one run."""

    def __init__(
        self, inspection: Inspection, run: Run, options: InspectionOptions, number_and_level: tuple[int, int]
    ) -> None:
        number, level = number_and_level
        self._found, self._run, self._options = inspection, run, options
        self._name = f"{options.id_prefix}run-{number}"
        self._level = level
        self._tools: Tools = index_tools([each.tool for each in run.tools if each.tool], Anchors(self._name))

    def write_run(self) -> Iterator[str]:
        """Write the run."""
        run, name = self._run, escape(self._name)
        yield f'<section class="acdl-evaluated acdl-inspect-run" aria-labelledby="{name}">'
        yield '<div class="acdl-sent" data-acdl-spec="0-0" data-search-exclude>'
        yield self._write_heading(_write_text(run.name), f'class="acdl-inspect-title" id="{name}"')
        yield f'<p class="acdl-sent-intro"><small>{_write_text(_describe_run(run))}</small></p>'
        yield write_steps_table(run, self._make_anchor)
        yield from write_tools_table(run)
        yield from write_tools_panel(self._tools)
        if len(run.steps) > 1:
            bars = [self._make_bar(number, step) for number, step in enumerate(run.steps)]
            yield draw_growth_chart(bars, make_visible(run.name))
        yield '<div class="acdl-sent-points">'
        for number, step in enumerate(run.steps):
            yield from self._write_step(number, step)
        yield "</div></div></section>"

    def _make_anchor(self, number: int) -> str:
        return f"{self._name}-step-{number + 1}"

    def _write_heading(self, words: str, attributes: str, below: int = 0) -> str:
        """Write the name of the run, or of a step below it."""
        tag = f"h{self._level + below}" if self._level else "p"
        return f"<{tag} {attributes}>{words}</{tag}>"

    def _make_bar(self, number: int, step: Step) -> Bar:
        """Return the bar of a step: kept tokens at the bottom, then lost ones, then new ones by role."""
        new = [(m.role, m.n_tokens) for m, change in zip(step.messages, step.changes, strict=True) if change == "new"]
        rest = step.n_new - sum(tokens for _, tokens in new)  # of tools, and in messages that changed
        grouped = [(role, sum(n for _, n in each)) for role, each in groupby(new, key=lambda pair: pair[0])]
        slices = [("kept", step.n_prefix), ("lost", step.n_again), ("system", rest), *grouped]
        before = self._run.steps[number - 1] if number else None
        is_turn = before is None or before.at is None or step.at is None or before.at.get_part(0) != step.at.get_part(0)
        title = describe_step(step, before, self._found)
        return Bar(
            self._make_anchor(number), describe_point(step), title, [each for each in slices if each[1]], is_turn
        )

    # --------------------------------------------------------------------------------------------------------- one step

    def _write_step(self, number: int, step: Step) -> Iterator[str]:
        before = self._run.steps[number - 1] if number else None
        anchor = escape(self._make_anchor(number))
        yield f'<section class="acdl-sent-point" id="{anchor}" aria-labelledby="{anchor}-title">'
        title = self._write_heading(
            f"<code>{format_point(step)}</code>", f'class="acdl-sent-title" id="{anchor}-title"', below=1
        )
        summary = f'<p class="acdl-sent-summary">{_write_text(describe_step(step, before, self._found))}</p>'
        yield f'<div class="acdl-sent-top">{title}{summary}</div>'
        if step.end is not None:
            yield from self._write_prefix_end(step, step.end)
        facts = "".join(f"<li>{each}</li>" for each in self._list_facts(step, before))
        yield f'<ul class="acdl-sent-facts">{facts}</ul>'
        yield '<div class="acdl-sent-list">'
        yield '<ol class="acdl-sent-messages">'
        yield from self._write_messages(number, step)
        yield "</ol>"
        yield from self._write_dropped(step)
        yield "</div></section>"

    def _write_prefix_end(self, step: Step, end: PrefixEnd) -> Iterator[str]:
        """Write where the prefix ends, why, and what it costs."""
        kind, word = ("lost", "Prompt cache lost") if step.n_again else ("other", "Not kept")
        place = f"<code>{_write_text(end.path)}</code>"
        place += "" if end.character is None else f", character {end.character:,}"
        yield f'<div class="acdl-inspect-end acdl-inspect-end-{kind}">'
        yield f"<p><strong>{word}:</strong> {_write_prose(end.words)} <small>({place})</small></p>"
        if self._options.has_excerpts and has_sides(end):
            pair = (("del", end.before), ("ins", end.after))
            sides = "".join(f"<{tag}>{_write_text(shorten_line(text, _EXCERPT))}</{tag}>" for tag, text in pair if text)
            yield f'<p class="acdl-inspect-pair">{sides}</p>'
        if words := describe_loss(step, self._found):
            yield f"<p>{_write_text(_capitalize_first(words))}.</p>"
        others = "".join(
            f"<li>{_write_prose(each.words)} <small>(<code>{_write_text(each.path)}</code>)</small></li>"
            for each in step.others
        )
        yield f"<p>Also changed after it:</p><ul>{others}</ul></div>" if others else "</div>"

    def _list_facts(self, step: Step, before: Step | None) -> Iterator[str]:
        """Write where a step is recorded, and other facts about it."""
        yield f"<code>{_write_text(str(step.origin))}</code>"
        if step.model and (before is None or before.model != step.model):
            yield f"<b>model</b> {_write_text(step.model)}"
        if step.n_tools:
            yield f"<b>tools</b> {self._found.tokens(step.n_tools)}"
        if step.settings_changed:
            yield f"<b>parameters changed</b> {_write_text(', '.join(step.settings_changed))}"
        if step.usage is not None:
            cached = "" if step.usage.n_cached is None else f", {step.usage.n_cached:,} cached"
            yield f"<b>provider counted</b> {step.usage.n_input:,} input tokens{cached}"
        for repeat in step.repeats if before is None or before.repeats is not step.repeats else ():
            text = f": {_write_text(shorten_line(repeat.text, _LINE))}" if self._options.has_excerpts else ""
            yield f"<b>repeated</b> {_write_text(describe_repeat(repeat, self._found))}{text}"

    def _write_messages(self, number: int, step: Step) -> Iterator[str]:
        """Write messages in order; neighbours that were sent before are counted together."""
        numbered = list(zip(step.messages, step.changes, strict=True))
        fresh = [m for m, change in numbered if change in ("new", "changed")]
        sent = (Message(each.role, tuple(weighed.part for weighed in each.parts)) for each in fresh)
        joined = pair_calls(sent, self._make_anchor(number))
        at = 0
        for change, group in groupby(numbered, key=lambda each: each[1]):
            messages = [message for message, _ in group]
            if change in ("kept", "again"):
                yield self._write_kept(number, messages, is_kept=change == "kept")
                continue
            for message in messages:
                yield from self._write_message(message, change, joined, at)
                at += 1

    def _write_kept(self, number: int, messages: Sequence[WeighedMessage], *, is_kept: bool) -> str:
        amount = (
            f"{format_count(len(messages), 'message')}, {self._found.tokens(sum(each.n_tokens for each in messages))}"
        )
        link = f'<a href="#{escape(self._make_anchor(number - 1))}">{format_point(self._run.steps[number - 1])}</a>'
        relation, kind = ("as at", "kept") if is_kept else ("sent before, processed again: as at", "again")
        return f'<li class="acdl-inspect-before acdl-inspect-before-{kind}">{amount}, {relation} {link}</li>'

    def _write_message(
        self, message: WeighedMessage, change: str, joined: Mapping[Place, Pair], at: int
    ) -> Iterator[str]:
        head = [f'<em class="acdl-sent-change">{change}</em>']
        if message.name:
            head.append(f'<span class="acdl-sent-who">{_write_text(message.name)}</span>')
        head.append(f'<span class="acdl-sent-line acdl-sent-tokens">{self._found.tokens(message.n_tokens)}</span>')
        content = []
        for idx, each in enumerate(message.parts if self._options.has_excerpts else ()):
            pair = joined.get((at, idx))
            if isinstance(each.part, Output) and not (pair and pair.other):
                pair = None  # its call was shown at an earlier step
            markup = write_part(each.part, pair, self._tools)
            content.append(f'<div class="acdl-sent-piece">{markup}</div>')
        yield from write_message(message.role, content, head=head, classes=f"acdl-sent-{change}")

    def _write_dropped(self, step: Step) -> Iterator[str]:
        """Write the beginning of each dropped message."""
        if not step.dropped:
            return
        n_tokens = sum(each.n_tokens for each in step.dropped)
        items = []
        for message in step.dropped:
            text = f" {_write_text(shorten_message(message, _LINE))}" if self._options.has_excerpts else ""
            role = f'<strong class="acdl-sent-role">{message.role}</strong>'
            tokens = f"<small>{self._found.tokens(message.n_tokens)}</small>"
            items.append(f'<li class="acdl-sent-{message.role}">{role} {tokens}{text}</li>')
        title = f"No longer sent <small>{format_count(len(items), 'message')}, {self._found.tokens(n_tokens)}</small>"
        yield write_panel("acdl-inspect-gone", title, f'<ul class="acdl-inspect-gone">{"".join(items)}</ul>')


def _describe_run(run: Run) -> str:
    models = ", ".join(dict.fromkeys(step.model for step in run.steps if step.model))
    formats = ", ".join(dict.fromkeys(step.format for step in run.steps))
    return ", ".join(filter(None, (format_count(len(run.steps), "request"), models, formats)))


def _capitalize_first(words: str) -> str:
    return words[:1].upper() + words[1:]


def _write_prose(text: str) -> str:
    """Write words with names between backticks as code."""
    return _CODE.sub(r"<code>\1</code>", _write_text(text))


def _write_text(text: str) -> str:
    return escape(make_visible(text))

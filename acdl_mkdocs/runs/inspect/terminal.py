"""An inspection for a terminal: a table of growth, then what each step adds, loses and costs."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.language.syntax.nodes import ROLE_WORDS
from acdl_mkdocs.runs.inspect.inspection import Change, Inspection, PrefixEnd, Run, Step, WeighedMessage
from acdl_mkdocs.runs.inspect.options import InspectionOptions
from acdl_mkdocs.runs.inspect.summary import (
    describe_counting,
    describe_inspection,
    describe_loss,
    describe_prefix_end,
    describe_repeat,
    describe_step,
    format_point,
    has_sides,
    is_losing,
    list_facts,
    shorten_message,
)
from acdl_mkdocs.runs.report.recording import shorten_line

_WIDTH = 80
_MOST_MESSAGES, _MOST_GONE, _MOST_REPEATS, _MOST_OTHERS = 12, 6, 3, 3
_RESET = "\x1b[0m"
_GREEN, _YELLOW, _RED, _BLUE, _FAINT = "\x1b[32m", "\x1b[33m", "\x1b[1;31m", "\x1b[1;34m", "\x1b[2m"
_SIGNS: dict[Change, tuple[str, str]] = {
    "new": ("+", _GREEN),
    "changed": ("~", _YELLOW),
    "again": ("=", ""),
    "kept": ("", ""),
}


def write(inspection: Inspection, options: InspectionOptions | None = None) -> str:
    """Write the whole report."""
    return "\n".join(_ReportWriter(inspection, options or InspectionOptions()).write_lines()) + "\n"


class _ReportWriter:
    """Writes one report."""

    def __init__(self, inspection: Inspection, options: InspectionOptions) -> None:
        self._found, self._options = inspection, options

    def write_lines(self) -> Iterator[str]:
        inspection = self._found
        yield from wrap(self._write_head(), _WIDTH)
        yield from wrap(describe_counting(inspection), _WIDTH)
        for run in inspection.runs:
            yield ""
            yield self._color_text(_format_run_title(run), _BLUE)
            yield from self._write_growth(run)
            for number, step in enumerate(run.steps):
                yield ""
                yield from self._write_step(step, run.steps[number - 1] if number else None)
        yield ""
        yield from self._write_facts()
        yield ""
        color = _RED if any(map(is_losing, inspection.steps)) else _GREEN
        yield from (self._color_text(each, color) for each in wrap(describe_inspection(inspection), _WIDTH))

    def _write_head(self) -> str:
        inspection = self._found
        names = ", ".join(map(make_visible, inspection.files[:3])) + (" and more" if len(inspection.files) > 3 else "")
        formats = ", ".join(dict.fromkeys(step.format for step in inspection.steps))
        return (
            f"{names}: {format_count(len(inspection.steps), 'request')} of "
            f"{format_count(len(inspection.runs), 'run')} ({formats})"
        )

    # ----------------------------------------------------------------------------------------------------------- growth

    def _write_growth(self, run: Run) -> Iterator[str]:
        """Write a row for each step."""
        heads = ("at", "messages", "tokens", "prefix", "lost", "new", "gone")
        rows = [(format_point(step), *(f"{number:,}" for number in _list_sums(step))) for step in run.steps]
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        yield self._color_text(_format_row(heads, widths), _FAINT)
        for step, row in zip(run.steps, rows, strict=True):
            yield self._color_text(_format_row(row, widths), _YELLOW if is_losing(step) else "")

    # ------------------------------------------------------------------------------------------------------------ steps

    def _write_step(self, step: Step, before: Step | None) -> Iterator[str]:
        at = format_point(step)
        lines = wrap(f"{at}  {describe_step(step, before, self._found)}", _WIDTH, subsequent_indent=" " * (len(at) + 2))
        yield self._color_text(at, _BLUE) + lines[0][len(at) :]
        yield from lines[1:]
        yield self._color_text(f"    {make_visible(str(step.origin))}", _FAINT)
        if step.end is not None:
            yield from self._write_prefix_end(step, step.end)
        for other in step.others[:_MOST_OTHERS]:
            yield from _wrap_text(f"also: {describe_prefix_end(other)}", "    ")
        if len(step.others) > _MOST_OTHERS:
            yield f"    and {len(step.others) - _MOST_OTHERS} more changes"
        listed = [(at, each) for at, each in enumerate(step.changes) if each != "kept"]
        yield from self._write_messages(step, listed)
        yield from self._write_dropped(step.dropped)
        if before is None or step.repeats is not before.repeats:
            for repeat in step.repeats[:_MOST_REPEATS]:
                text = f": {shorten_line(repeat.text, 40)}" if self._options.has_excerpts else ""
                yield from _wrap_text(f"repeats {describe_repeat(repeat, self._found)}{text}", "    ")

    def _write_prefix_end(self, step: Step, end: PrefixEnd) -> Iterator[str]:
        """Write where the prefix ends, and why."""
        color = _RED if step.n_again else _YELLOW
        sign = "cache lost" if step.n_again else "not kept"
        for line in _wrap_text(f"{sign}: {describe_prefix_end(end)}", "    "):
            yield self._color_text(line, color)
        if self._options.has_excerpts and has_sides(end):
            yield f"      - {shorten_line(end.before, _WIDTH - 8)}".rstrip()
            yield f"      + {shorten_line(end.after, _WIDTH - 8)}".rstrip()
        if words := describe_loss(step, self._found):
            yield from _wrap_text(words, "      ")

    def _write_messages(self, step: Step, listed: Sequence[tuple[int, Change]]) -> Iterator[str]:
        """Write messages that are not kept, one line each; messages sent again are only counted."""
        again = [at for at, change in listed if change == "again"]
        if again:
            n_tokens = sum(step.messages[at].n_tokens for at in again)
            yield f"    = {format_count(len(again), 'message')} sent before, {self._found.tokens(n_tokens)}"
        fresh = [(at, change) for at, change in listed if change != "again"]
        for at, change in fresh[:_MOST_MESSAGES]:
            sign, color = _SIGNS[change]
            yield self._color_text(self._write_message(sign, step.messages[at]), color)
        if len(fresh) > _MOST_MESSAGES:
            yield f"    and {len(fresh) - _MOST_MESSAGES} more"

    def _write_dropped(self, dropped: Sequence[WeighedMessage]) -> Iterator[str]:
        for message in dropped[:_MOST_GONE]:
            yield self._color_text(self._write_message("-", message), _RED)
        if len(dropped) > _MOST_GONE:
            n_tokens = sum(each.n_tokens for each in dropped[_MOST_GONE:])
            yield f"    and {len(dropped) - _MOST_GONE} more gone, {self._found.tokens(n_tokens)}"

    def _write_message(self, sign: str, message: WeighedMessage) -> str:
        role = "Text" if message.role == "none" else ROLE_WORDS[message.role]
        head = f"    {sign} {role:<9} {self._found.shown(message.n_tokens):>7}"
        if not self._options.has_excerpts:
            return head
        return f"{head}  {shorten_message(message, _WIDTH - len(head) - 2)}"

    # ------------------------------------------------------------------------------------------------------------ facts

    def _write_facts(self) -> Iterator[str]:
        facts = list(list_facts(self._found, self._found.runs, self._options.price))
        facts += [("skipped", make_visible(each)) for each in self._found.skipped]
        width = max(len(name) for name, _ in facts)
        for name, words in facts:
            yield from _wrap_text(words, " " * (width + 2), f"{name:<{width}}  ")

    def _color_text(self, text: str, color: str) -> str:
        return f"{color}{text}{_RESET}" if self._options.color and color else text


def _format_run_title(run: Run) -> str:
    models = ", ".join(dict.fromkeys(make_visible(step.model) for step in run.steps if step.model))
    facts = [format_count(len(run.steps), "request"), *([models] if models else [])]
    n_tools = sum(bool(each.n_steps) for each in run.tools)
    return f"{make_visible(run.name)}: {', '.join(facts)}" + (f", {format_count(n_tools, 'tool')}" if n_tools else "")


def _list_sums(step: Step) -> tuple[int, ...]:
    return len(step.messages), step.n_tokens, step.n_prefix, step.n_again, step.n_new, step.n_gone


def _format_row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join((cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:]))).rstrip()


def _wrap_text(words: str, indent: str, first: str | None = None) -> list[str]:
    return wrap(words, _WIDTH, initial_indent=indent if first is None else first, subsequent_indent=indent)

"""An inspection for a terminal: a table of growth, then what each step adds, loses and costs."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from acdl_mkdocs.foundation.safe_text import visible
from acdl_mkdocs.foundation.wording import counted
from acdl_mkdocs.language.syntax.nodes import ROLE_WORDS
from acdl_mkdocs.runs.inspect.inspection import Change, Inspection, PrefixEnd, Run, Step, WeighedMessage
from acdl_mkdocs.runs.inspect.options import InspectionOptions
from acdl_mkdocs.runs.inspect.summary import (
    brief,
    counting_of,
    end_words,
    facts_of,
    has_sides,
    is_losing,
    label_of,
    lost_words,
    repeat_words,
    sentence_of,
    summary_of,
)
from acdl_mkdocs.runs.report.recording import shown

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


def write(found: Inspection, options: InspectionOptions | None = None) -> str:
    """Write the whole report."""
    return "\n".join(_Terminal(found, options or InspectionOptions()).lines()) + "\n"


class _Terminal:
    """One report."""

    def __init__(self, found: Inspection, options: InspectionOptions) -> None:
        self._found, self._options = found, options

    def lines(self) -> Iterator[str]:
        found = self._found
        yield from wrap(self._head(), _WIDTH)
        yield from wrap(counting_of(found), _WIDTH)
        for run in found.runs:
            yield ""
            yield self._painted(_run_title(run), _BLUE)
            yield from self._growth(run)
            for number, step in enumerate(run.steps):
                yield ""
                yield from self._step(step, run.steps[number - 1] if number else None)
        yield ""
        yield from self._facts()
        yield ""
        color = _RED if any(map(is_losing, found.steps)) else _GREEN
        yield from (self._painted(each, color) for each in wrap(sentence_of(found), _WIDTH))

    def _head(self) -> str:
        found = self._found
        names = ", ".join(map(visible, found.files[:3])) + (" and more" if len(found.files) > 3 else "")
        formats = ", ".join(dict.fromkeys(step.format for step in found.steps))
        return f"{names}: {counted(len(found.steps), 'request')} of {counted(len(found.runs), 'run')} ({formats})"

    # ----------------------------------------------------------------------------------------------------------- growth

    def _growth(self, run: Run) -> Iterator[str]:
        """Write a row for each step."""
        heads = ("at", "messages", "tokens", "prefix", "lost", "new", "gone")
        rows = [(label_of(step), *(f"{number:,}" for number in _sums(step))) for step in run.steps]
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        yield self._painted(_row(heads, widths), _FAINT)
        for step, row in zip(run.steps, rows, strict=True):
            yield self._painted(_row(row, widths), _YELLOW if is_losing(step) else "")

    # ------------------------------------------------------------------------------------------------------------ steps

    def _step(self, step: Step, before: Step | None) -> Iterator[str]:
        at = label_of(step)
        lines = wrap(f"{at}  {summary_of(step, before, self._found)}", _WIDTH, subsequent_indent=" " * (len(at) + 2))
        yield self._painted(at, _BLUE) + lines[0][len(at) :]
        yield from lines[1:]
        yield self._painted(f"    {visible(str(step.origin))}", _FAINT)
        if step.end is not None:
            yield from self._end(step, step.end)
        for other in step.others[:_MOST_OTHERS]:
            yield from _wrapped(f"also: {end_words(other)}", "    ")
        if len(step.others) > _MOST_OTHERS:
            yield f"    and {len(step.others) - _MOST_OTHERS} more changes"
        listed = [(at, each) for at, each in enumerate(step.changes) if each != "kept"]
        yield from self._messages(step, listed)
        yield from self._gone(step.dropped)
        if before is None or step.repeats is not before.repeats:
            for repeat in step.repeats[:_MOST_REPEATS]:
                text = f": {shown(repeat.text, 40)}" if self._options.has_excerpts else ""
                yield from _wrapped(f"repeats {repeat_words(repeat, self._found)}{text}", "    ")

    def _end(self, step: Step, end: PrefixEnd) -> Iterator[str]:
        """Write where the prefix ends, and why."""
        color = _RED if step.n_again else _YELLOW
        sign = "cache lost" if step.n_again else "not kept"
        for line in _wrapped(f"{sign}: {end_words(end)}", "    "):
            yield self._painted(line, color)
        if self._options.has_excerpts and has_sides(end):
            yield f"      - {shown(end.before, _WIDTH - 8)}".rstrip()
            yield f"      + {shown(end.after, _WIDTH - 8)}".rstrip()
        if words := lost_words(step, self._found):
            yield from _wrapped(words, "      ")

    def _messages(self, step: Step, listed: Sequence[tuple[int, Change]]) -> Iterator[str]:
        """Write messages that are not kept, one line each; messages sent again are only counted."""
        again = [at for at, change in listed if change == "again"]
        if again:
            n_tokens = sum(step.messages[at].n_tokens for at in again)
            yield f"    = {counted(len(again), 'message')} sent before, {self._found.tokens(n_tokens)}"
        fresh = [(at, change) for at, change in listed if change != "again"]
        for at, change in fresh[:_MOST_MESSAGES]:
            sign, color = _SIGNS[change]
            yield self._painted(self._message(sign, step.messages[at]), color)
        if len(fresh) > _MOST_MESSAGES:
            yield f"    and {len(fresh) - _MOST_MESSAGES} more"

    def _gone(self, dropped: Sequence[WeighedMessage]) -> Iterator[str]:
        for message in dropped[:_MOST_GONE]:
            yield self._painted(self._message("-", message), _RED)
        if len(dropped) > _MOST_GONE:
            n_tokens = sum(each.n_tokens for each in dropped[_MOST_GONE:])
            yield f"    and {len(dropped) - _MOST_GONE} more gone, {self._found.tokens(n_tokens)}"

    def _message(self, sign: str, message: WeighedMessage) -> str:
        role = "Text" if message.role == "none" else ROLE_WORDS[message.role]
        head = f"    {sign} {role:<9} {self._found.shown(message.n_tokens):>7}"
        if not self._options.has_excerpts:
            return head
        return f"{head}  {brief(message, _WIDTH - len(head) - 2)}"

    # ------------------------------------------------------------------------------------------------------------ facts

    def _facts(self) -> Iterator[str]:
        facts = list(facts_of(self._found, self._found.runs, self._options.price))
        facts += [("skipped", visible(each)) for each in self._found.skipped]
        width = max(len(name) for name, _ in facts)
        for name, words in facts:
            yield from _wrapped(words, " " * (width + 2), f"{name:<{width}}  ")

    def _painted(self, text: str, color: str) -> str:
        return f"{color}{text}{_RESET}" if self._options.color and color else text


def _run_title(run: Run) -> str:
    models = ", ".join(dict.fromkeys(visible(step.model) for step in run.steps if step.model))
    said = [counted(len(run.steps), "request"), *([models] if models else [])]
    n_tools = sum(bool(each.n_steps) for each in run.tools)
    return f"{visible(run.name)}: {', '.join(said)}" + (f", {counted(n_tools, 'tool')}" if n_tools else "")


def _sums(step: Step) -> tuple[int, ...]:
    return len(step.messages), step.n_tokens, step.n_prefix, step.n_again, step.n_new, step.n_gone


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join((cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:]))).rstrip()


def _wrapped(words: str, indent: str, first: str | None = None) -> list[str]:
    return wrap(words, _WIDTH, initial_indent=indent if first is None else first, subsequent_indent=indent)

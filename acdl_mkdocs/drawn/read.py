"""`read_drawing()`: text in the drawn notation to ACDL in its normal form.

The drawn notation is that of figures in papers, of whiteboards and of `acdl render --format text`: what stands further
in belongs to what stands above it. Any text gives a result; what was guessed or given up is told at its place in the
drawing. Knows nothing of files.
"""

import re
from dataclasses import replace

from acdl_mkdocs.drawn.blocks import Block, Told
from acdl_mkdocs.drawn.doubts import doubtful, truth_values
from acdl_mkdocs.drawn.edits import bare_parameters, bare_times, in_full, unbound_times
from acdl_mkdocs.drawn.kinds import kind_of
from acdl_mkdocs.drawn.lines import Line, lines_of
from acdl_mkdocs.drawn.messages import settle
from acdl_mkdocs.drawn.nesting import nested
from acdl_mkdocs.drawn.net import of_structure
from acdl_mkdocs.drawn.titles import Definition, definitions
from acdl_mkdocs.drawn.write import Writer
from acdl_mkdocs.drawn.written import Written
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, note
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.analyse import analyse, format_analysed
from acdl_mkdocs.language.syntax.foreign import looks_drawn
from acdl_mkdocs.language.syntax.format import format_text
from acdl_mkdocs.language.syntax.nodes import Comment, Content
from acdl_mkdocs.language.syntax.parse import Parsed, parse

_MAX_CHARACTERS = 1_000_000
_MAX_ROUNDS = 4
"""How often lines that are not understood are looked for: most problems are gone when the first ones are left out."""
_BRACED_TITLE = compile_later(
    r"^(?:[^\W\d]\w*+[ \t]++)?[^\W\d]\w*+[ \t]*+(?:\[[^\]\n]*\][ \t]*+:?|:)[ \t]*+\{", re.MULTILINE
)
"""A title in the first column with the block that a drawing does not have."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing as ACDL."""

    text: str
    """ACDL in its normal form; empty if there is nothing in the drawing."""
    diagnostics: tuple[Diagnostic, ...]
    """What was guessed or given up, in the order of the drawing; places are places in it."""


def is_drawing(text: str) -> bool:
    """Whether a text looks like the drawn notation, not like ACDL or anything else."""
    return looks_drawn(text)


def read_drawing(text: str, mode: RangeMode = "half-open") -> Drawing:
    """Read a drawing; never raises.

    Parameters:
        text: The drawing.
        mode: How `range(a, b)` will be read where the text does not say it. The ACDL says it where that is not what is
            drawn: `1 ... @T` takes in its end, `1 ... @T excl.` does not.
    """
    with system.paused():
        refused = _refused(text)
        if refused is not None:
            return Drawing("", (refused,))
        given = _given(text, mode)
        return given if given is not None else _read(text, mode)


def _refused(text: str) -> Diagnostic | None:
    if len(text) > _MAX_CHARACTERS:
        help_ = "convert it in parts, one definition after the other"
        label = Label(Span(0, 0), "nothing of it was read")
        return error("too-large", f"the drawing is longer than {_MAX_CHARACTERS:,} characters", label, help=help_)
    if "\0" in text:
        at = text.index("\0")
        label = Label(Span(at, at + 1), "a NUL character")
        return error("not-text", "this is not text", label, help="copy the drawing again, as text")
    if not text.strip():
        return _nothing(text, "a drawing belongs here")
    return None


def _nothing(text: str, words: str) -> Diagnostic:
    start = len(text) - len(text.lstrip()) if text.strip() else 0
    end = text.find("\n", start)
    label = Label(Span(start, max(start, end if end >= 0 else len(text))) if text.strip() else Span(0, 0), words)
    return error("empty-drawing", "the drawing is empty", label, help="draw a spec: `Name[@T]:`, `  Role: User`")


def _given(text: str, mode: RangeMode) -> Drawing | None:
    """The text itself if it is ACDL already: its definitions in their normal form, but for those that hold errors."""
    if "{" not in text or is_drawing(text):
        return None
    parsed = parse(Source(text))
    is_mixed = any(isinstance(item, Content) for item in parsed.file.items) and any(
        not isinstance(item, Content | Comment) for item in parsed.file.items
    )
    if (parsed.diagnostics or is_mixed) and not _BRACED_TITLE.search(text):  # a title without braces reads as content
        return None
    first = text.find(text.lstrip()[:1])
    end = text.find("\n", first)
    label = Label(Span(first, end if end >= 0 else len(text)), "this has braces")
    formatted = format_analysed(analyse(Source(text), Config(range=mode)), mode=mode)
    help_ = "`acdl format` brings it to its normal form"
    if formatted.diagnostics:
        help_ += " when its errors are corrected"
    told = note("not-a-drawing", "this is ACDL already", label, help=help_)
    return Drawing(formatted.text, (told, *formatted.diagnostics))


def _read(text: str, mode: RangeMode) -> Drawing:
    told: list[Diagnostic] = []
    found = [each for each in definitions(lines_of(text, told)) if each.head or each.lines]
    run = _Run(found, told)
    written, parsed = run.written()
    full = in_full(written.text, parsed.file, written.open_ends, mode)
    made = format_text(Source(full), mode=mode)
    diagnostics = (*run.told, *run.of_text(written, parsed))
    if not made.text.strip() and not diagnostics:
        diagnostics = (_nothing(text, "this draws nothing"),)
    return Drawing(made.text, tuple(sorted(diagnostics, key=lambda each: each.label.span.start)))


class _Run:
    """The definitions of a drawing, and the lines that were found not to be ACDL."""

    def __init__(self, found: list[Definition], told: list[Diagnostic]) -> None:
        self.found = found
        self.joined = tuple(told)
        self.told: tuple[Diagnostic, ...] = ()
        self.guesses = Told()
        self.unread: set[int] = set()
        self.has_frames = any(kind_of(line.code).kind == "bracket" for each in found for line in each.lines)

    def written(self) -> tuple[Written, Parsed]:
        """ACDL of everything, without the lines that a parser does not understand.

        If some remain after a few rounds, a problem is reported at another line than its own, or hides many others.
        Then lines around it are left out, twice as many each time.
        """
        written, parsed = self.write_and_parse()
        for _ in range(_MAX_ROUNDS):
            lines = [written.line_at(each.label.span.start) for each in parsed.diagnostics]
            new = {line.start for line in lines if line is not None} | doubtful(parsed.file, written)
            if new <= self.unread:
                break
            self.unread |= new
            written, parsed = self.write_and_parse()
        n_around = 1
        while parsed.diagnostics and n_around < 2 * len(written.lines):
            for each in parsed.diagnostics:
                self.unread |= {line.start for line in written.lines_around(each.label.span.start, n_around)}
            n_around *= 2
            written, parsed = self.write_and_parse()
        return written, parsed

    def write_and_parse(self) -> tuple[Written, Parsed]:
        """ACDL of the lines that are not known to be unread, and what a parser makes of it."""
        written = self.write()
        return written, parse(Source(written.text))

    def write(self) -> Written:
        told = Told()
        writer = Writer(told, frozenset(self.unread), has_frames=self.has_frames)
        for definition in self.found:
            root = _root(definition)
            nested(root, definition.lines, told, frozenset(self.unread))
            settle(root, told)
            writer.definition(root, definition.before)
        self.told = (*self.joined, *told.diagnostics)
        return writer.made

    def of_text(self, written: Written, parsed: Parsed) -> list[Diagnostic]:
        """What the parser still says, at places of the drawing."""
        times = {written.line_at(each.span.start): each for each in bare_times(parsed.file)}
        for line, symbol in times.items():
            if line is not None:
                cure = f"write `@{symbol.name}`; a variable of the spec needs another name"
                self.guesses.guess(line, f"`{symbol.name}` is read as the time `@{symbol.name}`", cure)
        told = {each.label.span.start for each in self.told}
        for symbol in unbound_times(parsed.file):
            line = written.line_at(symbol.span.start)
            if line is not None:
                cure = f"write `@{symbol.name}` if it is a time"
                self.guesses.guess(line, f"`{symbol.name}` is read as a variable of this name", cure)
        self.guess_values(written, parsed)
        said = {line.start for line in times if line is not None}
        found = [
            _moved(each, written)
            for each in parsed.diagnostics or tuple(of_structure(parsed))
            if each.rule != "bare-time-variable" or _start_of(written.line_at(each.label.span.start)) not in said
        ]
        return [*self.guesses.diagnostics, *(each for each in found if each.label.span.start not in told)]

    def guess_values(self, written: Written, parsed: Parsed) -> None:
        """Say which words are read as values that are perhaps none."""
        for parameter in bare_parameters(parsed.file):
            line = written.line_at(parameter.span.start)
            if line is not None:
                cure = f"write `[@{parameter.name}]` for the time, or give the value another name"
                self.guesses.guess(line, f"`{parameter.name}` is read as a value, not as the time", cure)
        for content in truth_values(parsed.file):
            line = written.line_at(content.span.start)
            if line is not None:
                cure = "to send both, write each of them on a line of its own"
                self.guesses.guess(line, "read as a condition, of which only the truth is sent", cure)


def _start_of(line: Line | None) -> int:
    return line.start if line is not None else -1


def _root(definition: Definition) -> Block:
    """The block of a definition: lines in the column of its title are in it too."""
    columns = [line.column for line in definition.lines if line.code]
    lowest = min(columns, default=0)
    if definition.head is None:
        return Block(Line(0, 0, -1, ""), "figure", column=lowest - 1)
    column = definition.head.column
    column = lowest - 1 if lowest <= column else column
    return Block(definition.head, "title", definition.title, definition.keyword, column)


def _moved(found: Diagnostic, written: Written) -> Diagnostic:
    """A diagnostic of the text that was made, at its place in the drawing."""
    label = replace(found.label, span=written.in_drawing(found.label.span))
    related = tuple(replace(each, span=written.in_drawing(each.span)) for each in found.related)
    return replace(found, label=label, related=related, fix=None)

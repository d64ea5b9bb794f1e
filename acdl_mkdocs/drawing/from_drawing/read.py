"""`read_drawing()`: text in the drawn notation to ACDL in its normal form.

The drawn notation is that of figures in papers, of whiteboards and of `acdl render --format text`: indented lines
belong to the line above them. Any text gives a result; guesses and omissions are reported at their places in the
drawing. Knows nothing about files.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from acdl_mkdocs.drawing.from_drawing.blocks import Block, DrawingReport, DrawnDefinition, nest_lines, split_definitions
from acdl_mkdocs.drawing.from_drawing.kinds import classify_line
from acdl_mkdocs.drawing.from_drawing.lines import Line, read_lines
from acdl_mkdocs.drawing.from_drawing.messages import fix_nesting, has_columns
from acdl_mkdocs.drawing.from_drawing.write import (
    AcdlText,
    AcdlWriter,
    find_doubtful_lines,
    loops_over_pairs,
    truth_values,
)
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, TextEdit, error, note, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.analyse import analyse, format_analysis
from acdl_mkdocs.language.names.resolve import resolve
from acdl_mkdocs.language.rules import RULES
from acdl_mkdocs.language.syntax.foreign import looks_like_drawing
from acdl_mkdocs.language.syntax.format import format_text
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Arm,
    Call,
    Comment,
    Comprehension,
    Content,
    File,
    ForEach,
    Fragment,
    NameDef,
    NameRef,
    Node,
    Prompt,
    Range,
    RoleMessage,
    Symbol,
    Template,
    TimeIndex,
    children,
    walk,
)
from acdl_mkdocs.language.syntax.parse import Parsed, parse

_EXCLUSIVE = re.compile(r"\bexcl", re.IGNORECASE)
STRUCTURE_RULES = (
    "arm-after-else",
    "bare-time-variable",
    "break-outside-loop",
    "case-after-default",
    "content-outside-role",
    "empty-body",
    "missing-frag",
    "nested-role",
    "role-fragment-inside-role",
    "role-in-string-fragment",
    "string-fragment-outside-role",
    "unknown-block",
)
"""Rules whose findings suggest that the nesting, or a word, is probably not as drawn."""


def structural_problems(parsed: Parsed) -> Iterator[Diagnostic]:
    """Yield the findings of these rules in a text without mistakes; a note becomes a warning for a drawing."""
    yield from _beside_messages(parsed)
    resolved = resolve(parsed)
    config = Config(snippet=True)
    for name in STRUCTURE_RULES:
        for problem in RULES[name](resolved, config):
            yield replace(problem, severity="warning") if problem.severity == "note" else problem


def _beside_messages(parsed: Parsed) -> Iterator[Diagnostic]:
    """Find content outside of definitions beside messages: a title that was not recognised."""
    items = parsed.file.items
    if any(isinstance(node, (RoleMessage, Prompt)) for item in items for node in walk(item)):
        for item in items:
            if isinstance(item, Content):
                yield warning(
                    "content-outside-role",
                    "content stands outside any message",
                    Label(item.span, "in no message and no definition"),
                    help="put it below a role; if it is the title of what stands below it, end it with `:`",
                )


def complete_spelling(text: str, file: File, open_ends: set[int], mode: RangeMode) -> str:
    """Return the text with `$` before names and ranges spelled so that it sends what is drawn.

    Parameters:
        text: ACDL generated from a drawing.
        file: Its tree.
        open_ends: Offsets of the ends of ranges that exclude their end.
        mode: How `range(a, b)` will be read by default.
    """
    ranges = [node for node in walk(file) if isinstance(node, Range) and _is_drawn(node)]
    n_open = sum(node.stop.span.end in open_ends for node in ranges)
    has_calls = any(_is_call(node) for node in walk(file))
    wanted: RangeMode = "inclusive" if ranges and not n_open and not has_calls else "half-open" if n_open else mode
    edits = [
        *_add_name_signs(file),
        *(_sign_of_time(each) for each in bare_times(file)),
        *(edit for node in ranges for edit in _spell_range(node, open_ends)),
    ]
    pragma = f"// acdl: range={wanted}\n\n" if wanted != mode else ""
    pieces: list[str] = [pragma]
    at = 0
    for edit in sorted(edits, key=lambda each: (each.span.start, each.span.end)):
        pieces += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join((*pieces, text[at:]))


def _is_drawn(node: Range) -> bool:
    """Return whether a range is spelled `a ... b` or `a, b`, not `range(a, b)`."""
    return node.includes_stop or node.span.start == node.start.span.start


def _is_call(node: Node) -> bool:
    """Return whether a range is spelled `range(a, b)`, as figures do in arguments and content."""
    return (isinstance(node, Range) and not _is_drawn(node)) or (isinstance(node, Call) and node.name == "range")


def _spell_range(node: Range, open_ends: set[int]) -> Iterator[TextEdit]:
    """Yield edits that turn a range without its end into a call, and `a, b` into `a ... b`."""
    start, stop, step = node.start.span, node.stop.span, node.step.span if node.step is not None else None
    if stop.end in open_ends:
        yield TextEdit(Span(start.start, start.start), "range(")
        yield TextEdit(Span(start.end, stop.start), ", ")
        if step is not None:
            yield TextEdit(Span(stop.end, step.start), ", ")
        end = (step or stop).end
        yield TextEdit(Span(end, end), ")")
    elif not node.includes_stop:
        yield TextEdit(Span(start.end, stop.start), " ... ")
        if step is not None:
            yield TextEdit(Span(stop.end, step.start), " every ")


def bare_times(file: File) -> Iterator[Symbol]:
    """Yield each otherwise unbound `T` in a spec of `@T`: on paper the sign is easily left out."""
    for prompt in file.items:
        if isinstance(prompt, Prompt):
            times = {node.name for node in prompt.parameters if isinstance(node, TimeIndex) and node.name}
            inside = [node for child in prompt.body for node in walk(child)]
            for node in inside:
                if isinstance(node, (ForEach, Comprehension)) and node.variable is not None:
                    times.discard(node.variable.name)
                elif isinstance(node, NameDef):
                    times -= {target.name for target in node.targets if isinstance(target, (Symbol, Template, NameRef))}
            yield from (node for node in inside if isinstance(node, Symbol) and node.name in times and not node.parts)


def unbound_times(file: File) -> Iterator[Symbol]:
    """Yield each unbound `t` in a spec of `@T`: on paper, perhaps a time without its sign."""
    for prompt in file.items:
        if isinstance(prompt, Prompt):
            times = {node.name for node in prompt.parameters if isinstance(node, TimeIndex) and node.name}
            small = {name.lower() for name in times}
            inside = [node for child in prompt.body for node in walk(child)]
            small -= set(_symbol_names(prompt.parameters)) | {
                node.variable.name
                for node in inside
                if isinstance(node, (ForEach, Comprehension)) and node.variable is not None
            }
            small -= {
                target.name
                for node in inside
                if isinstance(node, NameDef)
                for target in node.targets
                if isinstance(target, (Symbol, Template, NameRef))
            }
            yield from (node for node in inside if isinstance(node, Symbol) and node.name in small and not node.parts)


def bare_parameters(file: File) -> Iterator[Symbol]:
    """Yield the `T` or `t` in the title of a spec that names no time: on paper, `Chat[t]` and `Chat(T)` mean `@T`."""
    for prompt in file.items:
        if isinstance(prompt, Prompt) and not any(isinstance(node, TimeIndex) for node in prompt.parameters):
            yield from (node for node in prompt.parameters if isinstance(node, Symbol) and node.name in ("t", "T"))


def _sign_of_time(node: Symbol) -> TextEdit:
    return TextEdit(Span(node.span.start, node.span.start), "@")


def _add_name_signs(file: File) -> Iterator[TextEdit]:
    """Yield edits that add `$` to words that a `Name` above defines, unless something nearer binds them."""
    named: set[str] = set()
    stack: list[tuple[Node | NameDef, frozenset[str], bool]] = [(file, frozenset(), False)]
    while stack:
        node, bound, is_defined = stack.pop()
        if isinstance(node, NameDef) and is_defined:
            named |= {target.name for target in node.targets if isinstance(target, (Symbol, Template, NameRef))}
            continue
        if isinstance(node, (Prompt, Fragment)):
            named, bound = set(), frozenset(_symbol_names(node.parameters))
            stack += [(child, bound, False) for child in reversed(node.body)]
            continue
        if isinstance(node, NameDef):
            stack += [(node, bound, True), (node.value, bound, False)]
            continue
        if isinstance(node, (Symbol, Template, TimeIndex)) and node.name in named and node.name not in bound:
            yield from _add_sign(node)
        stack += [(child, inner, False) for child, inner in reversed([*_inner_nodes(node, bound)])]


def _add_sign(node: Symbol | Template | TimeIndex) -> Iterator[TextEdit]:
    if isinstance(node, TimeIndex):
        if not node.is_reference:
            yield TextEdit(Span(node.span.start + 1, node.span.start + 1), "$")
    elif not (node.parts and isinstance(node.parts[0], Arguments)):
        yield TextEdit(Span(node.span.start, node.span.start), "$")


def _inner_nodes(node: Node, bound: frozenset[str]) -> Iterator[tuple[Node, frozenset[str]]]:
    """Yield the nodes inside a node, each with the words that are bound there."""
    if isinstance(node, (ForEach, Comprehension)) and node.variable is not None:
        inner = bound | {node.variable.name}
        for child in children(node):
            yield child, bound if child is node.iterable else inner
    else:
        test = node.test if isinstance(node, Arm) and node.kind == "case" else None
        for child in children(node):
            if child is not test or not isinstance(child, Symbol):
                yield child, bound


def _symbol_names(values: tuple[Node, ...]) -> Iterator[str]:
    for value in values:
        for node in walk(value):
            if isinstance(node, (Symbol, Template, TimeIndex)):
                yield node.name


_MAX_CHARACTERS = 1_000_000
_MAX_ROUNDS = 4
"""The maximum number of searches for lines that are not understood: leaving out the first ones solves most problems."""
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
    """Guesses and omissions, in the order of the drawing; places are those in the drawing."""


def is_drawing(text: str) -> bool:
    """Return whether a text looks like the drawn notation rather than ACDL or anything else."""
    return looks_like_drawing(text)


def read_drawing(text: str, mode: RangeMode = "half-open") -> Drawing:
    """Read a drawing; never raises.

    Parameters:
        text: The drawing.
        mode: How `range(a, b)` will be read by default. The ACDL states it where this differs from the drawing: `1 ...
            @T` includes its end, `1 ... @T excl.` does not.
    """
    with system.pause_collector():
        refused = _refuse_text(text)
        if refused is not None:
            return Drawing("", (refused,))
        drawing = _read_acdl(text, mode)
        return drawing if drawing is not None else _read_lines(text, mode)


def _refuse_text(text: str) -> Diagnostic | None:
    if len(text) > _MAX_CHARACTERS:
        help_ = "convert it in parts, one definition after the other"
        label = Label(Span(0, 0), "nothing of it was read")
        return error("too-large", f"the drawing is longer than {_MAX_CHARACTERS:,} characters", label, help=help_)
    if "\0" in text:
        at = text.index("\0")
        label = Label(Span(at, at + 1), "a NUL character")
        return error("not-text", "this is not text", label, help="copy the drawing again, as text")
    if not text.strip():
        return _make_empty_problem(text, "a drawing belongs here")
    return None


def _make_empty_problem(text: str, words: str) -> Diagnostic:
    start = len(text) - len(text.lstrip()) if text.strip() else 0
    end = text.find("\n", start)
    label = Label(Span(start, max(start, end if end >= 0 else len(text))) if text.strip() else Span(0, 0), words)
    return error("empty-drawing", "the drawing is empty", label, help="draw a spec: `Name[@T]:`, `  Role: User`")


def _read_acdl(text: str, mode: RangeMode) -> Drawing | None:
    """Return a text that is already ACDL, with its correct definitions in the normal form."""
    if "{" not in text or is_drawing(text):
        return None
    parsed = parse(Source(text))
    is_mixed = any(isinstance(item, Content) for item in parsed.file.items) and any(
        not isinstance(item, (Content, Comment)) for item in parsed.file.items
    )
    if (parsed.diagnostics or is_mixed) and not _BRACED_TITLE.search(text):  # a title without braces reads as content
        return None
    first = text.find(text.lstrip()[:1])
    end = text.find("\n", first)
    label = Label(Span(first, end if end >= 0 else len(text)), "this has braces")
    formatted = format_analysis(analyse(Source(text), Config(range=mode)), mode=mode)
    help_ = "`acdl format` brings it to its normal form"
    if formatted.diagnostics:
        help_ += " when its errors are corrected"
    diagnostic = note("not-a-drawing", "this is ACDL already", label, help=help_)
    return Drawing(formatted.text, (diagnostic, *formatted.diagnostics))


def _read_lines(text: str, mode: RangeMode) -> Drawing:
    problems: list[Diagnostic] = []
    definitions = [each for each in split_definitions(read_lines(text, problems)) if each.head or each.lines]
    run = _DrawingReader(definitions, problems)
    written, parsed = run.write_readable()
    full = complete_spelling(written.text, parsed.file, written.open_ends, mode)
    formatted = format_text(Source(full), mode=mode)
    diagnostics = (*run.diagnostics, *run.remaining_problems(written, parsed))
    if not formatted.text.strip() and not diagnostics:
        diagnostics = (_make_empty_problem(text, "this draws nothing"),)
    return Drawing(formatted.text, tuple(sorted(diagnostics, key=lambda each: each.label.span.start)))


class _DrawingReader:
    """The definitions of a drawing, and the lines that were found not to be ACDL."""

    def __init__(self, definitions: list[DrawnDefinition], problems: list[Diagnostic]) -> None:
        self.definitions = definitions
        self.joined = tuple(problems)
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.guesses = DrawingReport()
        self.unread: set[int] = set()
        self.has_frames = any(classify_line(line.code).kind == "bracket" for each in definitions for line in each.lines)

    def write_readable(self) -> tuple[AcdlText, Parsed]:
        """Write everything as ACDL, without the lines that the parser does not understand.

        If some remain after a few rounds, a problem is reported at another line than its own, or hides many others.
        Then lines around it are left out, twice as many each time.
        """
        written, parsed = self.write_and_parse()
        for _ in range(_MAX_ROUNDS):
            lines = [written.line_at(each.label.span.start) for each in parsed.diagnostics]
            new = {line.start for line in lines if line is not None} | find_doubtful_lines(parsed.file, written)
            if new <= self.unread:
                break
            self.unread |= new
            written, parsed = self.write_and_parse()
        n_around = 1
        while parsed.diagnostics:
            places = [each.label.span.start for each in parsed.diagnostics]
            new = {line.start for offset in places for line in written.lines_around(offset, n_around)}
            if new <= self.unread and n_around >= len(written.lines):
                break
            self.unread |= new
            n_around *= 2
            written, parsed = self.write_and_parse()
        return written, parsed

    def write_and_parse(self) -> tuple[AcdlText, Parsed]:
        """Write the lines that are not known to be unreadable as ACDL, and parse the result."""
        written = self.write_acdl()
        return written, parse(Source(written.text))

    def write_acdl(self) -> AcdlText:
        report = DrawingReport()
        writer = AcdlWriter(report, frozenset(self.unread), has_frames=self.has_frames)
        roots = [*map(_root_block, self.definitions)]
        for root, definition in zip(roots, self.definitions, strict=True):
            nest_lines(root, definition.lines, report, frozenset(self.unread))
        is_indented = any(map(has_columns, roots))
        for root, definition in zip(roots, self.definitions, strict=True):
            fix_nesting(root, report, is_indented=is_indented)
            writer.write_definition(root, definition.before)
        self.diagnostics = (*self.joined, *report.diagnostics)
        return writer.output

    def remaining_problems(self, written: AcdlText, parsed: Parsed) -> list[Diagnostic]:
        """Return the remaining parser problems, at their places in the drawing."""
        times = {written.line_at(each.span.start): each for each in bare_times(parsed.file)}
        for line, symbol in times.items():
            if line is not None:
                cure = f"write `@{symbol.name}`; a variable of the spec needs another name"
                self.guesses.report_guess(line, f"`{symbol.name}` is read as the time `@{symbol.name}`", cure)
        reported = {each.label.span.start for each in self.diagnostics}
        for symbol in unbound_times(parsed.file):
            line = written.line_at(symbol.span.start)
            if line is not None:
                cure = f"write `@{symbol.name}` if it is a time"
                self.guesses.report_guess(line, f"`{symbol.name}` is read as a variable of this name", cure)
        self.guess_values(written, parsed)
        guessed = {line.start for line in times if line is not None}
        problems = [
            _move_to_drawing(each, written)
            for each in parsed.diagnostics or tuple(structural_problems(parsed))
            if each.rule != "bare-time-variable" or _start_of(written.line_at(each.label.span.start)) not in guessed
        ]
        return [*self.guesses.diagnostics, *(each for each in problems if each.label.span.start not in reported)]

    def guess_values(self, written: AcdlText, parsed: Parsed) -> None:
        """Report words that were read as values but may not be values."""
        for parameter in bare_parameters(parsed.file):
            line = written.line_at(parameter.span.start)
            if line is not None:
                cure = f"write `[@{parameter.name}]` for the time, or give the value another name"
                self.guesses.report_guess(line, f"`{parameter.name}` is read as a value, not as the time", cure)
        for loop, first, last in loops_over_pairs(parsed.file):
            line = written.line_at(loop.span.start)
            if line is not None:
                over = f"{_text_of(first, written)} ... {_text_of(last, written)}"
                cure = f"write `{_loop_over(loop, over)}` to loop over everything from the first to the last"
                self.guesses.report_guess(line, "read as a list of these two", cure)
        for loop, iterable in loops_with_ends(parsed.file, written.open_ends):
            line = written.line_at(loop.span.start)
            if line is not None and line.comment is not None and _EXCLUSIVE.search(line.comment):
                cure = f"write `{_loop_over(loop, f'{_text_of(iterable, written)} excl.')}`"
                self.guesses.report_guess(line, "its end is included, whatever the comment says", cure)
        for content in truth_values(parsed.file):
            line = written.line_at(content.span.start)
            if line is not None:
                cure = "to send both, write each of them on a line of its own"
                self.guesses.report_guess(line, "read as a condition, of which only the truth is sent", cure)


def loops_with_ends(file: File, open_ends: set[int]) -> Iterator[tuple[ForEach, Range]]:
    """Yield each loop over a drawn range that includes its end, with the range."""
    for node in walk(file):
        match node:
            case ForEach(iterable=Range() as over) if _is_drawn(over) and over.stop.span.end not in open_ends:
                yield node, over


def _loop_over(loop: ForEach, over: str) -> str:
    """Return the head of a loop, as drawn, over something else."""
    variable = loop.variable.name if loop.variable is not None else "t"
    return f"ForEach {variable} : {over}"


def _text_of(node: Node, written: AcdlText) -> str:
    return written.text[node.span.start : node.span.end]


def _start_of(line: Line | None) -> int:
    return line.start if line is not None else -1


def _root_block(definition: DrawnDefinition) -> Block:
    """Return the block of a definition; lines in the column of its title belong to it too."""
    columns = [line.column for line in definition.lines if line.code]
    lowest = min(columns, default=0)
    if definition.head is None:
        return Block(Line(0, 0, -1, ""), "figure", column=lowest - 1)
    column = definition.head.column
    column = lowest - 1 if lowest <= column else column
    return Block(definition.head, "title", definition.title, definition.keyword, column)


def _move_to_drawing(diagnostic: Diagnostic, written: AcdlText) -> Diagnostic:
    """Return a diagnostic of the generated text, moved to its place in the drawing."""
    label = replace(diagnostic.label, span=written.to_drawing_span(diagnostic.label.span))
    related = tuple(replace(each, span=written.to_drawing_span(each.span)) for each in diagnostic.related)
    return replace(diagnostic, label=label, related=related, fix=None)

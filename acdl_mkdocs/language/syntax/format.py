"""`format_text()`: text to the same text in its normal form.

A definition with an error is left unchanged; the others are formatted. The result is parsed first and must have the
same meaning and the same errors, so that nothing is ever lost.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.host_text import needs_line
from acdl_mkdocs.language.syntax.kept_lines import LineRange, errors_on, is_left_whole, kept_lines, same_errors
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Broken,
    BrokenBlock,
    Comment,
    Content,
    Declaration,
    File,
    Group,
    HostLine,
    HostValue,
    If,
    Node,
    RoleMessage,
    Skipped,
    Switch,
    children,
    field_names,
    walk,
)
from acdl_mkdocs.language.syntax.parse import Parsed, parse
from acdl_mkdocs.language.syntax.pragmas import read_settings
from acdl_mkdocs.language.syntax.printer import Item, end_of, is_apart, print_items
from acdl_mkdocs.language.syntax.words import Notation

_BYTE_ORDER_MARK = "\ufeff"
"""What some editors put at the start of a file; a normal form has none."""


def first_difference(one: File, other: File, *, closes_ranges: bool) -> Node | None:
    """Return the first node that is missing or different in another tree; `None` if both say the same.

    Parentheses only group, so their contents are compared. Comments are compared by their words: one of several lines
    may have become several.

    Parameters:
        one: A tree.
        other: The tree to compare with.
        closes_ranges: Whether `a ... b` and `range(a, b)` are the same.
    """
    comments: tuple[list[Comment], list[Comment]] = ([], [])
    stack: list[tuple[object, object, Node]] = [(one, other, one)]
    while stack:
        left, right, holder = stack.pop()
        if isinstance(left, Node) and isinstance(right, Node) and not isinstance(left, Comment):
            left, right = _strip_parentheses(left), _strip_parentheses(right)
            if type(left) is not type(right):
                return left
            for name in field_names(type(left)):
                one_value, other_value = getattr(left, name), getattr(right, name)
                if one_value != other_value and not (closes_ranges and name == "includes_stop"):
                    stack.append((one_value, other_value, left))
            continue
        left, right = _separate_comments(left, comments[0]), _separate_comments(right, comments[1])
        if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            stack += [(a, b, holder) for a, b in zip(left, right, strict=True)]
        elif left != right and not _is_same_block(left, right, holder):
            return holder
    return _first_lost(*comments)


def _strip_parentheses(node: Node) -> Node:
    while isinstance(node, Group):
        node = node.value
    if isinstance(node, Content) and isinstance(node.value, HostValue) and not node.value.parts:
        return HostLine(span=node.span, text=node.value.name)  # the same content, with a line for itself
    return node


def _separate_comments(value: object, comments: list[Comment]) -> object:
    """Return a value without its comments, which are collected; a tuple becomes a list.

    The comment beside host content follows it as soon as that has its own line.
    """
    if isinstance(value, tuple):
        for each in value:
            if isinstance(each, Comment):
                comments.append(each)
            elif isinstance(each, Content) and isinstance(each.value, HostValue) and each.comment is not None:
                comments.append(each.comment)
        return [each for each in value if not isinstance(each, Comment)]
    if isinstance(value, Comment):
        comments.append(value)
        return None
    return value


def _is_same_block(left: object, right: object, holder: Node) -> bool:
    """Return whether two texts that are kept as written differ only in white space."""
    if isinstance(holder, HostLine) and isinstance(left, str) and isinstance(right, str):
        return [line.lstrip() for line in left.split("\n")] == [line.lstrip() for line in right.split("\n")]
    if not isinstance(holder, (Declaration, Skipped)) or not isinstance(left, str) or not isinstance(right, str):
        return False
    return left.split() == right.split()


def _first_lost(mine: list[Comment], theirs: list[Comment]) -> Comment | None:
    """Return the first comment whose words are missing or at another position among the other comments."""
    words = [word for comment in sorted(theirs, key=_comment_start) for word in comment.text.split()]
    own_words = [(word, comment) for comment in sorted(mine, key=_comment_start) for word in comment.text.split()]
    for word, own in zip_longest(words, own_words):
        if own is None:
            return mine[-1] if mine else theirs[0]
        if word != own[0]:
            return own[1]
    return None


def _comment_start(comment: Comment) -> int:
    return comment.span.start


_BLANK = " \t\r;,"


@dataclass(frozen=True, slots=True)
class Selection:
    """Statements that follow each other and have their lines for themselves."""

    items: Sequence[Item]
    depth: int
    """The number of blocks around them."""
    span: Span
    """Their lines, without the last line end."""


def select_statements(source: Source, file: File, first: int, last: int) -> Selection | None:
    """Select the smallest group of whole statements on some lines; `None` if there are none.

    Parameters:
        source: The text.
        file: Its tree.
        first: 0-based index of the first line.
        last: 0-based index of the last line.
    """
    selection: Selection | None = None
    bodies: list[tuple[Sequence[Item], int]] = [(file.items, 0)]
    while bodies:
        items, depth = bodies.pop()
        if not any(_is_on(source, item, first, last) for item in items):
            return None
        selection = _select_in_body(source, items, depth, first, last) or selection
        bodies += [(body, depth + 1) for body in _find_body(source, items, first, last)]
    return selection or Selection(file.items, 0, Span(0, len(source.text.rstrip("\n"))))


def _select_in_body(source: Source, items: Sequence[Item], depth: int, first: int, last: int) -> Selection | None:
    """Return the statements of a body on the lines, if none of another body shares a line with them."""
    chosen = [at for at, item in enumerate(items) if _is_on(source, item, first, last)]
    if not chosen:
        return None
    begin, end = chosen[0], chosen[-1] + 1
    top = min(source.line_index(item.span.start) for item in items[begin:end])
    while begin and _last_line(source, items[begin - 1]) >= top:
        begin -= 1
        top = min(top, source.line_index(items[begin].span.start))
    while end < len(items) and source.line_index(items[end].span.start) <= _last_line(source, items[end - 1]):
        end += 1
    run = items[begin:end]
    start, stop = min(item.span.start for item in run), max(map(end_of, run))
    line_start = source.line_starts[source.line_index(start)]
    last_line = source.line_index(max(stop - 1, start))
    line_end = source.line_starts[last_line] + len(source.line_text(last_line))
    if source.text[line_start:start].strip(_BLANK) or source.text[stop:line_end].strip(_BLANK):
        return None
    return Selection(run, depth, Span(line_start, line_end))


def _is_on(source: Source, item: Item, first: int, last: int) -> bool:
    return source.line_index(item.span.start) <= last and _last_line(source, item) >= first


def _last_line(source: Source, item: Item) -> int:
    return source.line_index(max(end_of(item) - 1, 0))


def _find_body(source: Source, items: Sequence[Item], first: int, last: int) -> Iterator[Sequence[Item]]:
    """Yield the body directly inside these statements that contains all of the lines between its braces, if any."""
    for item in items:
        for body, span in _inner_bodies(item):
            begins = source.line_index(body[0].span.start) if body else last + 1
            if begins <= first and last < source.line_index(span.end - 1):
                yield body


def _inner_bodies(item: Item) -> Iterator[tuple[Sequence[Item], Span]]:
    """Yield the bodies directly inside a statement."""
    if isinstance(item, If):
        yield from ((arm.body, arm.span) for arm in item.arms if isinstance(arm, Arm))
    elif isinstance(item, Switch):
        yield item.arms, item.span
    elif not isinstance(item, Comment) and not (isinstance(item, RoleMessage) and not item.is_braced):
        yield getattr(item, "body", ()), item.span


@dataclass(frozen=True, slots=True)
class Formatted:
    """A text in its normal form, as far as it has no errors."""

    text: str
    diagnostics: tuple[Diagnostic, ...]
    """The errors that keep definitions unchanged; empty if all of the text was formatted."""


def format_text(
    source: Source,
    lines: tuple[int, int] | None = None,
    mode: RangeMode = "half-open",
    *,
    parsed: Parsed | None = None,
    errors: Sequence[Diagnostic] = (),
) -> Formatted:
    """Format ACDL text in its normal form; never raises.

    Parameters:
        source: The text.
        lines: First and last line to format, counted from 1 within the text: the smallest group of whole statements
            that holds them. `None` formats everything.
        mode: How `range(a, b)` is read by default.
        parsed: Its tree, if it was parsed before.
        errors: Findings of the rules that keep a definition unchanged. The errors of the parser may be among them.
    """
    with system.pause_collector():
        parsed = parsed or parse(source)
        return _Formatter(source, parsed, _all_errors(parsed, errors), mode).format_lines(lines)


class _Formatter:
    """A text to format, and its lines that stay unchanged."""

    def __init__(self, source: Source, parsed: Parsed, errors: Sequence[Diagnostic], mode: RangeMode) -> None:
        self.source = source
        self.errors = errors
        self.kept_ranges = [] if is_left_whole(errors) else kept_lines(parsed, errors)
        text = source.text.lstrip(_BYTE_ORDER_MARK).replace("\r\n", "\n")
        self.is_same_text = len(text) == len(source.text)
        self.parsed = parsed if self.is_same_text else parse(Source(text, source.name))
        self.closes_ranges = read_settings(parsed.file).get("range", mode) == "inclusive"
        self.notation = Notation(is_drawn=False, closes_ranges=self.closes_ranges)

    def format_lines(self, lines: tuple[int, int] | None) -> Formatted:
        """Format the text, or some lines of it."""
        if is_left_whole(self.errors):
            return Formatted(self.source.text, tuple(self.errors))
        formatted, left = self.print_lines(lines)
        if formatted == self.parsed.source.text and left:
            return Formatted(self.source.text.lstrip(_BYTE_ORDER_MARK), left)
        if self.kept_ranges and "\r\n" in self.source.text:
            if self.source.text.count("\n") != self.source.text.count("\r\n"):
                return Formatted(self.source.text, tuple(self.errors))
            formatted = formatted.replace("\n", "\r\n")
        if formatted == self.source.text:
            return Formatted(formatted, left)
        again = parse(Source(formatted, self.source.name))
        lost = first_difference(self.parsed.file, again.file, closes_ranges=self.closes_ranges)
        if lost is not None or not same_errors(self.parsed.diagnostics, again.diagnostics):
            reason = _make_not_formatted_problem(lost if self.is_same_text else None)
            return Formatted(self.source.text, tuple(self.errors) or (reason,))
        return Formatted(formatted, left)

    def print_lines(self, lines: tuple[int, int] | None) -> tuple[str, tuple[Diagnostic, ...]]:
        """Return the text with all or some lines formatted, and the errors that keep definitions unchanged."""
        source, file = self.parsed.source, self.parsed.file
        if lines is None:
            if len(self.kept_ranges) == 1 and _holds_all(self.kept_ranges[0], source):
                return source.text, tuple(self.errors)
            printed = self.join_statements(file.items, LineRange(0, len(source.line_starts)))
            return "".join(f"{line}\n" for line in printed), tuple(self.errors)
        selected = select_statements(source, file, lines[0] - 1, lines[1] - 1)
        if selected is None:
            return source.text, ()
        last = max(selected.span.end - 1, selected.span.start)
        chosen = LineRange(source.line_index(selected.span.start), source.line_index(last))
        touched = [each for each in self.kept_ranges if each.has_common_line(chosen)]
        left = tuple(error for each in touched for error in errors_on(self.source, each, self.errors))
        if touched and selected.depth:
            return source.text, left
        if selected.depth:
            printed = print_items(selected.items, source.text, self.notation, depth=selected.depth)
        else:
            printed = self.join_statements(selected.items, chosen)
        before, after = source.text[: selected.span.start], source.text[selected.span.end :]
        return before + "\n".join(printed) + after, left

    def join_statements(self, items: Sequence[Item], chosen: LineRange) -> list[str]:
        """Return top-level statements as lines: unchanged or in the normal form.

        Parameters:
            items: The statements.
            chosen: The lines that they have for themselves.
        """
        source = self.parsed.source
        output: list[str] = []
        previous: Item | None = None
        at = 0
        end = source.line_starts[min(chosen.first, len(source.line_starts) - 1)]
        for unchanged in [*(each for each in self.kept_ranges if each.has_common_line(chosen)), None]:
            run: list[Item] = []
            while at < len(items) and (unchanged is None or source.line_index(items[at].span.start) < unchanged.first):
                run.append(items[at])
                at += 1
            if run:
                output += [""] if output and self.is_apart(previous, run[0], end, run[0].span.start) else []
                output += print_items(run, source.text, self.notation)
                previous, end = run[-1], end_of(run[-1])
            if unchanged is None:
                break
            first, last = max(unchanged.first, chosen.first), min(unchanged.last, chosen.last)
            inside: list[Item] = []
            while at < len(items) and source.line_index(items[at].span.start) <= last:
                inside.append(items[at])
                at += 1
            start, stop = source.line_starts[first], source.line_starts[last] + len(source.line_text(last))
            output += [""] if output and self.is_apart(previous, inside[0] if inside else None, end, start) else []
            output += source.text[start:stop].split("\n")
            previous, end = inside[-1] if inside else None, stop
        return output

    def is_apart(self, previous: Item | None, item: Item | None, end: int, start: int) -> bool:
        """Return whether a blank line belongs between two statements at these offsets."""
        return is_apart(previous, item, self.parsed.source.text, end, start)


def _all_errors(parsed: Parsed, errors: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """Return the errors of the parser and of the rules, in text order."""
    all_errors = list(errors)
    reported = {(each.rule, each.label.span) for each in all_errors}
    all_errors += [each for each in parsed.diagnostics if (each.rule, each.label.span) not in reported]
    all_errors += () if all_errors else _report_not_understood(parsed.file)
    all_errors += _report_moved_host_lines(parsed.file)
    return sorted(all_errors, key=lambda each: each.label.span.start)


def _holds_all(lines: LineRange, source: Source) -> bool:
    """Return whether only white space is around some lines."""
    starts = source.line_starts
    after = starts[lines.last + 1] if lines.last + 1 < len(starts) else len(source.text)
    return not source.text[: starts[lines.first]].strip() and not source.text[after:].strip()


def _report_not_understood(file: File) -> Iterator[Diagnostic]:
    """Find what the rules report and the parser does not, such as a block of another notation that never ends."""
    for node in walk(file):
        if isinstance(node, (Broken, BrokenBlock)):
            yield error(
                "not-formatted",
                "the text holds something that is not understood",
                Label(node.span, "nothing says what this is"),
                help="`acdl check` says what is wrong with it",
            )


def _report_moved_host_lines(file: File) -> Iterator[Diagnostic]:
    """Find host lines that would not stay in place."""
    for node in walk(file):
        nodes = children(node)
        lines = [nodes[at] for at in range(len(nodes)) if isinstance(nodes[at], HostLine) and _is_moved(nodes, at)]
        for line in lines if not isinstance(node, HostValue) or not needs_line(node.name) else [node]:
            yield error(
                "not-formatted",
                "the normal form would move what another tool looks for",
                Label(line.span, "this has to stay where it is"),
                help="give it a line of its own between two statements",
            )


def _is_moved(nodes: list[Node], at: int) -> bool:
    """Return whether a host line is inside the head of the statement that follows it in the tree."""
    return at + 1 < len(nodes) and nodes[at + 1].span.start < nodes[at].span.start


def _make_not_formatted_problem(lost: Node | None) -> Diagnostic:
    """Return the diagnostic for a text with something that has only one spelling, such as a keyword used as a name."""
    return error(
        "not-formatted",
        "the text has no normal form that says the same",
        Label(lost.span if lost is not None else Span(0, 0), "this would be read otherwise"),
        help="does a name look like a keyword? give it another one",
    )

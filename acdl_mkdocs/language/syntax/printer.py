"""Statements as lines in the normal form: the spelling of each construct, and the places of its comments.

Expressions are printed by `words.py`. Comments and groups of lines are kept: a comment keeps its own line or its place
beside a statement, and several blank lines become one.
"""

import re
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import TypeAlias, assert_never

from acdl_mkdocs.language.syntax.letters import normalize_name
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Arm,
    Break,
    Broken,
    BrokenBlock,
    Call,
    Comment,
    Content,
    ContextVar,
    Continue,
    Declaration,
    EndsHere,
    Expression,
    ForEach,
    Fragment,
    Group,
    HostLine,
    Identifier,
    If,
    Label,
    ListOf,
    Mark,
    NameDef,
    Operation,
    Prompt,
    RoleMessage,
    RoleName,
    Skipped,
    Statement,
    Switch,
    Template,
)
from acdl_mkdocs.language.syntax.words import WRITTEN, Notation, iterable_words, text_of, words_of

WIDTH = 120
"""Columns of the widest line that is not broken; a comment beside it does not count."""
STEP = 4
"""Columns of one level of indentation."""


def wrap_expression(node: Expression, indent: int, before: str, after: str, notation: Notation) -> list[str]:
    """Format an expression as lines.

    Parameters:
        node: The expression.
        indent: Columns before the first line.
        before: The text before the expression on its first line, such as `Name docs := `.
        after: The text after it on its last line, such as ` {`.
        notation: How it is spelled.
    """
    text = text_of(words_of(node, notation))
    line = " " * indent + before + text + after
    if len(line) <= WIDTH:
        return [line]
    if isinstance(node, Operation) and node.operators[0] in ("&", "|"):
        return _wrap_operation(node, indent, before, after, notation)
    values = _bracket_values(node)
    if not values:
        return [line]
    inner = sum(len(text_of(words_of(value, notation))) + 2 for value in values) - 1
    opening, closing = text[: len(text) - inner], text[-1]
    lines = [" " * indent + before + opening]
    for value in values[:-1]:
        lines += wrap_expression(value, indent + STEP, "", ",", notation)
    lines += wrap_expression(values[-1], indent + STEP, "", "", notation)
    return [*lines, " " * indent + closing + after]


def _bracket_values(node: Expression) -> tuple[Expression, ...]:
    """Return the expressions between the last brackets of a call or list; empty for other expressions."""
    if isinstance(node, ListOf):
        return node.values
    if isinstance(node, (Call, Template, ContextVar)) and node.parts and isinstance(node.parts[-1], Arguments):
        return node.parts[-1].values
    return ()


def _wrap_operation(node: Operation, indent: int, before: str, after: str, notation: Notation) -> list[str]:
    """Return a condition with one operand per line and the sign at its end, so no line looks like a statement."""
    ends = [*(f" {operator}" for operator in node.operators), after]
    lines = wrap_expression(node.operands[0], indent, before, ends[0], notation)
    for operand, end in zip(node.operands[1:], ends[1:], strict=True):
        lines += wrap_expression(operand, indent + 2 * STEP, "", end, notation)
    return lines


Item: TypeAlias = Statement | Arm
_Line: TypeAlias = Content | NameDef | EndsHere | Break | Continue
_Block: TypeAlias = RoleMessage | ForEach | Arm | Switch | Mark | Label | BrokenBlock | Prompt | Fragment
_Printing: TypeAlias = Iterator["_Printing"]
"""A coroutine that prints up to the body of a block and yields the printing of that body, so that depth needs no
recursion."""

_LETTERS: dict[RoleName, str] = {"system": "S", "user": "U", "assistant": "A", "tool": "T", "none": "N"}
_KEYWORDS = {"if": "If ", "elseif": "ElseIf ", "else": "Else", "case": "Case ", "default": "Default"}
_LINES = (Content, NameDef, EndsHere, Break, Continue)
_DEFINITIONS = (Prompt, Fragment)
_BLANK_LINE = re.compile(r"\n\s*\n")
_TITLE = re.compile(r"[^\[({:/#]*")
_FIELD_AFTER_INDEX = re.compile(r"[\])]\s*\.")
CONTINUES = re.compile(r"[(\[-]|(?:and|or|in|every|not)\b", re.IGNORECASE)
"""Text that would continue the expression before it if only a line break separated them."""


def print_items(items: Sequence[Item], text: str, notation: Notation, *, depth: int = 0) -> list[str]:
    """Format statements in the normal form, as lines.

    Parameters:
        items: Statements that follow each other.
        text: The text they were read from.
        notation: How expressions are spelled.
        depth: The number of blocks around them.
    """
    printer = _Printer(text, notation)
    printing = [printer.print_body(items, depth)]
    while printing:
        inner = next(printing[-1], None)
        if inner is None:
            printing.pop()
        else:
            printing.append(inner)
    return printer.lines


def print_head(item: Item, text: str, *, is_top: bool) -> str:
    """Format the part before the braces of a block, or a whole statement without braces; without the comment beside it.

    Parameters:
        item: The statement; not an `If`, whose arms have heads.
        text: The text it was read from.
        is_top: Whether it is outside of all blocks.
    """
    printer = _Printer(text, WRITTEN)
    match item:
        case Content() | NameDef() | EndsHere() | Break() | Continue():
            printer.print_line(item, 0, "")
            printer.lines[-1] = printer.lines[-1][: printer.open_column]
            lines = printer.lines
        case Comment():
            return "\n".join(printer.format_comment(item))
        case HostLine() | Declaration() | Skipped() | Broken():
            return item.text
        case If():
            raise ValueError("an `If` has a head for each arm")
        case _:
            lines = printer.format_head(item, 0, "", "", is_top=is_top)
    return " ".join(line.strip() for line in lines)


class _Printer:
    """The lines so far, and what has to be known of them."""

    def __init__(self, text: str, notation: Notation) -> None:
        self.text = text
        self.notation = notation
        self.lines: list[str] = []
        self.open_line = -1  # the line that ends in an expression, if the last statement does
        self.open_column = 0  # where that expression ends, before its comment

    def print_body(self, items: Sequence[Item], depth: int) -> _Printing:
        """Print statements that follow each other."""
        previous: Item | None = None
        is_after_definition = False
        for item in items:
            if isinstance(item, Comment) and previous is not None and self.is_beside(previous, item):
                self.lines[-1] += _format_side_comment(item)
                previous = item
                continue
            if previous is not None and self.is_apart(previous, item, depth, is_after_definition):
                self.lines.append("")
            yield from self.print_statement(item, depth)
            previous = item
            is_after_definition = isinstance(item, _DEFINITIONS)

    def is_beside(self, previous: Item, comment: Comment) -> bool:
        """Return whether a comment is beside the end of the previous statement, and is the first there."""
        inner = _innermost_item(previous)
        if isinstance(inner, Comment) or (isinstance(inner, _LINES) and inner.comment is not None):
            return False
        between = self.text[previous.span.end : comment.span.start]
        return previous.span.end <= comment.span.start and "\n" not in between

    def is_apart(self, previous: Item, item: Item, depth: int, is_after_definition: bool) -> bool:
        """Return whether a blank line separates two statements."""
        is_definition = isinstance(item, _DEFINITIONS) and not isinstance(previous, Comment)
        if depth == 0 and (is_definition or is_after_definition):
            return True
        return _BLANK_LINE.search(self.text, end_of(previous), max(item.span.start, end_of(previous))) is not None

    def print_statement(self, item: Item, depth: int) -> _Printing:
        """Print a statement, after the markers of the one-line messages around it."""
        before = ""
        while isinstance(item, RoleMessage) and not item.is_braced:
            *comments, inner = item.body
            for comment in comments:
                yield from self.print_statement(comment, depth)
            before += f"{_LETTERS[item.role]}: "
            item = inner
        match item:
            case Comment():
                self.lines += [f"{' ' * STEP * depth}{line}" for line in self.format_comment(item)]
            case Content() | NameDef() | EndsHere() | Break() | Continue():
                self.print_line(item, depth, before)
            case If():
                yield from self.print_conditional(item, depth, before)
            case HostLine():
                self.lines.append(self.host_line(item, STEP * depth))
            case Declaration() | Skipped() | Broken():
                self.begin_statement([" " * STEP * depth + before + "\n".join(map(str.rstrip, item.text.split("\n")))])
            case _:
                yield from self.print_block(item, depth, before)

    def print_line(self, item: _Line, depth: int, before: str) -> None:
        """Print a statement without a body."""
        indent = STEP * depth
        match item:
            case Content():
                lines = wrap_expression(item.value, indent, before, "", self.notation)
            case NameDef():
                targets = ", ".join(map(self.format_expression, item.targets))
                lines = wrap_expression(item.value, indent, f"{before}Name {targets} := ", "", self.notation)
                if len(lines) == 1 and len(lines[0]) > WIDTH:
                    head = f"{' ' * indent}{before}Name {targets} :="
                    lines = [head, *wrap_expression(item.value, indent + STEP, "", "", self.notation)]
            case EndsHere(condition=condition) if condition is not None:
                lines = wrap_expression(
                    _strip_parentheses(condition), indent, f"{before}PromptEndsHere when ", "", self.notation
                )
            case EndsHere():
                lines = [f"{' ' * indent}{before}PromptEndsHere"]
            case Break():
                lines = [f"{' ' * indent}{before}break"]
            case Continue():
                lines = [f"{' ' * indent}{before}continue"]
            case _:
                assert_never(item)
        self.begin_statement(lines)
        self.open_line, self.open_column = len(self.lines) - 1, len(self.lines[-1])
        if item.comment is not None:
            self.lines[-1] += _format_side_comment(item.comment)

    def print_conditional(self, item: If, depth: int, before: str) -> _Printing:
        """Print `If`, `ElseIf` and `Else` on separate lines, with the comments between them."""
        previous: Arm | Comment | HostLine | None = None
        for arm in item.arms:
            if isinstance(arm, Comment):
                if previous is not None and self.is_beside(previous, arm):
                    self.lines[-1] += _format_side_comment(arm)
                else:
                    yield from self.print_statement(arm, depth)
            elif isinstance(arm, HostLine):
                yield from self.print_statement(arm, depth)
            else:
                yield from self.print_block(arm, depth, before)
                before = ""
            previous = arm

    def print_block(self, item: _Block, depth: int, before: str) -> _Printing:
        """Print the head of a block, and its body in braces."""
        body: Sequence[Item] = item.arms if isinstance(item, Switch) else item.body
        is_empty = not body and item.comment is None
        self.begin_statement(
            self.format_head(item, STEP * depth, before, " {}" if is_empty else " {", is_top=depth == 0)
        )
        if item.comment is not None:
            self.lines[-1] += _format_side_comment(item.comment)
        if not is_empty:
            yield self.print_body(body, depth + 1)
            self.lines.append(" " * STEP * depth + "}")
        self.open_line = -1

    def format_head(self, item: _Block, indent: int, before: str, after: str, *, is_top: bool) -> list[str]:  # noqa: C901  # one short case a construct
        """Format the part before the braces of a block."""
        notation = self.notation
        match item:
            case RoleMessage():
                head = f"{_LETTERS[item.role]}:"
            case ForEach(variable=variable, iterable=iterable) if variable is not None and iterable is not None:
                sign = "@" if self.text[variable.span.start] == "@" else ""
                head = f"ForEach({sign}{variable.name}: {text_of(iterable_words(iterable, notation))})"
            case Arm(test=test) if test is not None:
                bare = test if item.kind == "case" else _strip_parentheses(test)
                return wrap_expression(bare, indent, before + _KEYWORDS[item.kind], after, notation)
            case Arm():
                head = _KEYWORDS[item.kind].rstrip()
            case Switch(subject=subject) if subject is not None:
                return wrap_expression(_strip_parentheses(subject), indent, f"{before}Switch ", after, notation)
            case Mark():
                head = f"Mark {self.format_expression(item.number)}" if item.number is not None else "Mark"
            case Label():
                return wrap_expression(item.title, indent, before, after, notation)
            case Prompt():
                head = ("" if is_top else "Prompt ") + self.format_title(item.name, item.parameters)
            case Fragment():
                keyword = "StrFrag" if item.kind == "string" else "RolesFrag"
                head = f"{keyword} {self.format_title(item.name, item.parameters)}"
            case ForEach() | Switch() | BrokenBlock():
                head = self.text[item.span.start : item.span.end].partition("{")[0].rstrip()
            case _:
                assert_never(item)
        return [" " * indent + before + head + after]

    def format_title(self, name: Identifier, parameters: tuple[Expression, ...]) -> str:
        """Format name, parameters and colon of a definition."""
        head = self.text[name.span.start : max(self.text.find("{", name.span.start), 0)]
        if _FIELD_AFTER_INDEX.search(head):
            return f"{' '.join(head.split()).rstrip(': ')}:"
        match = _TITLE.match(head)
        spelled = "".join(normalize_name(match[0]).split()) if match else ""
        listed = ", ".join(map(self.format_parameter, parameters))
        return f"{spelled or name.name}{f'[{listed}]' if listed else ''}:"

    def format_parameter(self, value: Expression) -> str:
        """Format a parameter of a definition; one with a fixed value is `@T=1`."""
        if isinstance(value, Operation) and value.operators == ("==",):
            return "=".join(map(self.format_expression, value.operands))
        return self.format_expression(value)

    def format_expression(self, value: Expression) -> str:
        """Format an expression on one line."""
        return text_of(words_of(value, self.notation))

    def format_comment(self, comment: Comment) -> list[str]:
        """Format a comment on separate lines; the indentation of its text is kept."""
        raw = self.text[comment.span.start : comment.span.end]
        if not raw.startswith(("/*", "<!--")):
            return [_add_comment_sign(raw.lstrip(raw[0]) if raw[0] in "/-" else raw[1:])]
        first, *others = comment.text.split("\n")
        others = dedent("\n".join(others)).split("\n") if others else []
        return [f"// {line}".rstrip() for line in (first, *others)]

    def host_line(self, item: HostLine, indent: int) -> str:
        """Format host text unchanged; its lines are indented together.

        A line that does not begin as the first one does stays where it is.
        """
        begin = self.text.rfind("\n", 0, item.span.start) + 1
        first, *others = item.text.split("\n")
        before = self.text[begin : item.span.start]
        moved = (" " * indent + line[len(before) :] if line and line.startswith(before) else line for line in others)
        return "\n".join((" " * indent + first, *moved))

    def begin_statement(self, lines: list[str]) -> None:
        """Add the first lines of a statement, separated from an expression that they would continue."""
        if self.open_line >= 0 and CONTINUES.match(lines[0].lstrip()):
            line = self.lines[self.open_line]
            self.lines[self.open_line] = f"{line[: self.open_column]};{line[self.open_column :]}"
        self.open_line = -1
        self.lines += lines


def is_apart(previous: Item | None, item: Item | None, text: str, end: int, start: int) -> bool:
    """Return whether a blank line belongs between two top-level pieces, one of which is left unchanged.

    Parameters:
        previous: The last statement of the first piece.
        item: The first one of the second piece.
        text: The text.
        end: Where the first piece ends.
        start: Where the second one begins.
    """
    is_definition = isinstance(item, _DEFINITIONS) and not isinstance(previous, Comment)
    if is_definition or isinstance(previous, _DEFINITIONS):
        return True
    return _BLANK_LINE.search(text, end, max(start, end)) is not None


def _strip_parentheses(value: Expression) -> Expression:
    """Return a condition without parentheses around all of it."""
    while isinstance(value, Group):
        value = value.value
    return value


def end_of(item: Item) -> int:
    """Return the end of a statement, including the comment beside it."""
    inner = _innermost_item(item)
    if isinstance(inner, _LINES) and inner.comment is not None:
        return max(item.span.end, inner.comment.span.end)
    return item.span.end


def _innermost_item(item: Item) -> Item:
    """Return the content of a one-line message; any other statement itself."""
    while isinstance(item, RoleMessage) and not item.is_braced:
        item = item.body[-1]
    return item


def _format_side_comment(comment: Comment) -> str:
    """Format a comment at the end of a line."""
    return f" {_add_comment_sign(' '.join(line.strip() for line in comment.text.split(chr(10))))}"


def _add_comment_sign(text: str) -> str:
    return f"//{'' if text[:1].isspace() else ' '}{text}".rstrip()

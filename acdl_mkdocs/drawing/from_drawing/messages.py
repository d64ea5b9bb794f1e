"""`fix_nesting()`: the assignment of lines to messages and blocks where the columns of a drawing do not show it.

On paper the lines of a message often begin below its role without indentation, and loops over messages are in the
column of the content before them. Text copied from a page may have no columns at all.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from acdl_mkdocs.drawing.from_drawing.blocks import (
    CONTROL,
    MAX_DEPTH,
    NEUTRAL,
    Block,
    DrawingReport,
    blocks_with_content,
    blocks_with_roles,
    walk_blocks,
)
from acdl_mkdocs.drawing.from_drawing.kinds import LETTERS, role_named

_ARMS = frozenset(("elseif", "else"))
_CASES = frozenset(("case", "default"))


def fix_nesting(root: Block, report: DrawingReport, *, is_indented: bool) -> None:
    """Correct the nesting of a definition.

    Parameters:
        root: The definition.
        report: Takes the guesses.
        is_indented: Whether any definition of the drawing shows by its columns what is inside what.
    """
    if not is_indented and _has_open_blocks(root):
        _nest_by_words(root, report)
    if root.name != "StrFrag":
        _read_bare_roles(root)
    for block in [root, *walk_blocks(root.children)]:
        block.children = _collect_cases(block.children)
        _read_otherwise(block)
        _read_capitals(block)
        _read_numbers(block)
    run = _NestingFixer(root, report)
    run.assign_lines(root)
    root.children = run.lift_messages(root.children)


def has_columns(root: Block) -> bool:
    """Return whether any line of a definition is in another one by its column."""
    return any(item.children and not item.has_inline for item in root.children)


def _has_open_blocks(root: Block) -> bool:
    """Return whether some lines of a definition, all in one column, can be inside the blocks above them."""
    items = root.children
    kinds = [item.kind for item in items]
    first = next((at for at, kind in enumerate(kinds) if kind in CONTROL), len(items))
    return any(item.kind == "content" and not item.is_frag for item in items[first:])


def _nest_by_words(root: Block, report: DrawingReport) -> None:
    """Nest lines without columns: a block extends to the end of its container, or to its next arm."""
    items, root.children = root.children, []
    last_role = max((at for at, item in enumerate(items) if item.kind == "role"), default=-1)
    opened = [root]
    first = next(item for item in items if item.kind in CONTROL)
    report.report_nesting(
        first.line,
        "nothing says where the blocks of this drawing end",
        "every line begins in one column: this goes on to the last line, or to its next arm",
        "indent what stands in it by two blanks",
    )
    for at, item in enumerate(items):
        if item.kind in _ARMS:
            _close_blocks(opened, frozenset(("if", "elseif")))
        elif item.kind in _CASES:
            _close_blocks(opened, _CASES)
        elif item.kind == "role" or (item.kind in CONTROL and at < last_role):
            _close_blocks(opened, frozenset(("role",)))
        opened[-1].children.append(item)
        if (item.kind == "role" or item.kind in CONTROL) and len(opened) <= MAX_DEPTH:
            opened.append(item)


def _close_blocks(opened: list[Block], kinds: frozenset[str]) -> None:
    """Close the innermost open block of these kinds and what is open in it; do nothing if there is none."""
    at = next((at for at in range(len(opened) - 1, 0, -1) if opened[at].kind in kinds), None)
    if at is not None:
        del opened[at:]


class _NestingFixer:
    """The facts about a definition that its nesting depends on."""

    def __init__(self, root: Block, report: DrawingReport) -> None:
        self.report = report
        self.roles = blocks_with_roles(root.children)
        self.contents = blocks_with_content(root.children)
        blocks = [root, *walk_blocks(root.children)]
        self.is_flat = any(self.begins_flat(block.children) for block in blocks)

    def begins_flat(self, items: list[Block]) -> bool:
        """Return whether the content of a message is at the same indentation as its role."""
        return any(
            role.kind == "role" and not role.children and after.kind == "content" and not after.is_frag
            for role, after in pairwise(items)
        )

    def assign_lines(self, block: Block) -> None:
        """Move the lines below each message that belong to it into the message, at every depth."""
        for child in block.children:
            self.assign_lines(child)
        block.children = self.with_messages(block.children)
        has_content = block.kind != "role" and any(child in self.contents for child in block.children)
        if block.kind != "content" and not has_content:
            self.contents.discard(block)

    def with_messages(self, items: list[Block]) -> list[Block]:
        """Return lines of one column, with the content after each message moved into it."""
        output: list[Block] = []
        role: Block | None = None
        pending: list[Block] = []
        for unit in _group_lines(items):
            if role is not None and not any(item in self.roles for item in unit):
                pending += unit
                if self.is_content(unit):
                    role.children += pending
                    pending = []
                continue
            if role is not None and any(item in self.roles and item in self.contents for item in unit):
                self.wrap_all(unit, role, output)
            output += pending + unit
            pending = []
            last = unit[-1]
            is_open = last.kind == "role" and all(child.kind == "comment" for child in last.children)
            role = last if is_open else None
        return output + pending

    def wrap_all(self, unit: list[Block], role: Block, output: list[Block]) -> None:
        """Wrap content beside messages into messages; drop the original message if it becomes empty."""
        self.report.report_nesting(
            unit[0].line,
            "this holds content of the message above it, and messages",
            "its content is read as messages of the same role",
            "begin the content and the messages in columns of their own",
        )
        if not role.children:
            is_noted = role.line.comment is not None
            at = output.index(role)
            output[at : at + 1] = [Block(replace(role.line, code=""), "comment")] if is_noted else []
        for item in unit:
            self.wrap_content(item, role)

    def wrap_content(self, block: Block, role: Block) -> None:
        """Wrap the content in a block into messages."""
        children, block.children = block.children, []
        part: Block | None = None
        for unit in _group_lines(children):
            if any(item in self.roles for item in unit):
                part = None
                for item in unit:
                    if item.kind != "role" and item in self.contents:
                        self.wrap_content(item, role)
            elif any(item in self.contents for item in unit):
                if part is None:
                    part = Block(unit[0].line, "role", role.words, "", role.column, has_inline=True)
                    self.roles.add(part)
                    block.children.append(part)
                part.children += unit
                continue
            block.children += unit

    def is_content(self, unit: list[Block]) -> bool:
        """Return whether some lines are only possible in a message."""
        return any(item in self.contents or (self.is_flat and item.is_frag) for item in unit)

    def lift_messages(self, items: list[Block]) -> list[Block]:
        """Return lines without nested messages: an inner message, or what holds one, follows the outer message."""
        output: list[Block] = []
        for item in items:
            item.children = self.lift_messages(item.children)
            if item.kind == "role" and any(child in self.roles for child in item.children):
                output += self.split_message(item)
            else:
                output.append(item)
        return output

    def split_message(self, role: Block) -> Iterator[Block]:
        """Split a message with nested messages into its beginning, those, and its rest as another message."""
        first = next(child for child in role.children if child in self.roles)
        self.report.report_nesting(
            first.line,
            "a message cannot stand in a message",
            "read as if it came after the message above it",
            f"begin it in the column of that role, which is {role.column + 1}",
        )
        part: Block | None = Block(role.line, "role", role.words, "", role.column, has_inline=role.has_inline)
        children, role.children = role.children, []
        for unit in _group_lines(children):
            if any(child in self.roles for child in unit):
                if part is not None:
                    yield part
                part = None
                yield from unit
            elif part is None and all(child.kind in NEUTRAL for child in unit):
                yield from unit
            else:
                part = part or Block(children[-1].line, "role", role.words, "", role.column, has_inline=True)
                self.roles.add(part)
                part.children += unit
        if part is not None:
            yield part


def _group_lines(items: list[Block]) -> Iterator[list[Block]]:
    """Group lines that stay together: an `If` with its other arms and the comments between; other lines are alone."""
    unit: list[Block] = []
    comments: list[Block] = []
    for item in items:
        is_chain = bool(unit) and unit[0].kind in ("if", *_ARMS)
        if is_chain and item.kind in _ARMS:
            unit += [*comments, item]
            comments = []
        elif is_chain and item.kind == "comment":
            comments.append(item)
        else:
            if unit:
                yield unit
            yield from ([comment] for comment in comments)
            unit, comments = [item], []
    if unit:
        yield unit
    yield from ([comment] for comment in comments)


def _collect_cases(items: list[Block]) -> list[Block]:
    """Return lines of one column, with the cases below each `Switch` moved into it."""
    output: list[Block] = []
    switch: Block | None = None
    for item in items:
        is_otherwise = item.kind == "else" and switch is not None and bool(switch.children)
        if switch is not None and (item.kind in _CASES or is_otherwise):
            switch.children.append(item)
            continue
        if item.kind != "comment":
            switch = item if item.kind == "switch" else None
        output.append(item)
    return output


def _read_bare_roles(root: Block) -> None:
    """Turn words that name roles into roles if no message is drawn in another way, since content needs one."""
    stack = [root]
    while stack:
        block = stack.pop()
        inner = [item for item in block.children if item.kind != "role"]
        stack += inner
        if len(inner) < len(block.children):
            continue
        for item, after in pairwise(block.children):
            role = role_named(item.words) if item.kind == "content" and not item.words.islower() else None
            if role is not None and after.kind in ("content", *CONTROL):
                item.kind, item.words = "role", LETTERS[role]


def _read_otherwise(block: Block) -> None:
    """Read `otherwise` as the default of a `Switch`."""
    if block.kind == "switch" and any(item.kind == "case" for item in block.children):
        for item in block.children:
            if item.kind == "else" and item.line.code[:9].lower() == "otherwise":
                item.kind = "default"


def _read_capitals(block: Block) -> None:
    """Read `DEFAULT` or `ELSE` as a template where no arm is possible."""
    before = ""
    for item in block.children:
        if item.kind in ("default", "else") and item.line.code.isupper() and not item.children:
            can_be = block.kind == "switch" if item.kind == "default" else before in ("if", "elseif")
            if not can_be:
                item.kind, item.words = "content", item.line.code.rstrip(": ")
        before = item.kind if item.kind != "comment" else before


def _read_numbers(block: Block) -> None:
    """Read a number below the content of a message as the bracket of a mark, if they count up: 1, 2, 3."""
    if not any(item.kind == "role" and not item.children for item in block.children):
        return
    n_marks = 0
    for item, after in zip(block.children, (*block.children[1:], None), strict=True):
        is_last = after is None or after.kind == "role"
        if item.kind == "content" and is_last and item.words == str(n_marks + 1):
            n_marks += 1
            item.kind, item.name = "mark-end", item.words

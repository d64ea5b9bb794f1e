"""The content of a drawing: lines with their meaning, nested. Knows nothing about columns and ACDL text."""

import re
from collections.abc import Iterator
from dataclasses import field, replace

from acdl_mkdocs.drawing.from_drawing.kinds import (
    LETTERS,
    Kind,
    LineMeaning,
    classify_line,
    is_repetition,
    is_sentence,
    role_named,
)
from acdl_mkdocs.drawing.from_drawing.lines import Line
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.letters import LETTER

MAX_DEPTH = 100
"""The number of levels that are distinguished."""
CONTROL = frozenset(("foreach", "if", "elseif", "else", "switch", "case", "default", "mark", "label"))
"""Kinds of blocks that may contain messages, and may be inside one."""
HOLDERS = CONTROL | {"role", "title", "figure"}
"""Kinds of blocks that contain other lines."""
NEUTRAL = frozenset(
    ("comment", "name", "ends", "break", "continue", "badge", "bracket", "unread", "skipped", "mark-end")
)
"""Kinds that are possible inside and outside of messages."""


@dataclass(slots=True, eq=False)
class Block:
    """A line and the lines in it."""

    line: Line
    kind: Kind | str
    """As in `kinds`, or `title` for the head of a definition and `figure` for what has none."""
    words: str = ""
    name: str = ""
    column: int = 0
    children: list["Block"] = field(default_factory=list)
    has_inline: bool = False
    """Whether some of its content is on its own line."""
    guess: str = ""
    """The guess about it, if any."""

    @property
    def is_frag(self) -> bool:
        """Whether it is the use of a fragment, which may contain messages or be part of one."""
        return self.kind == "content" and self.words.lower().startswith("frag ")


def inline_content(block: Block) -> Block | None:
    """Return the content on the line of a block, or the block itself if it is content."""
    while block.kind != "content":
        inside = next((child for child in block.children if child.line is block.line), None)
        if inside is None:
            return None
        block = inside
    return block


@dataclass(slots=True)
class DrawingReport:
    """The guesses and omissions while reading a drawing, as diagnostics."""

    diagnostics: list[Diagnostic] = field(default_factory=list)

    def report_nesting(self, line: Line, message: str, label: str, cure: str) -> None:
        """Report that the nesting does not show what belongs where."""
        self.diagnostics.append(warning("unclear-nesting", message, Label(line.span, label), help=cure))

    def report_guess(self, line: Line, label: str, cure: str) -> None:
        """Report that a line was read in one of several possible ways."""
        message = "a line of the drawing can be read in more than one way"
        self.diagnostics.append(warning("guessed-line", message, Label(line.span, label), help=cure))


def walk_blocks(blocks: list[Block]) -> Iterator[Block]:
    """Yield the blocks and all that is in them, in the order of the drawing."""
    stack = [*reversed(blocks)]
    while stack:
        block = stack.pop()
        yield block
        stack += reversed(block.children)


def blocks_with_roles(blocks: list[Block]) -> set[Block]:
    """Return the blocks that are or contain a message."""
    marked: set[Block] = set()
    for block in reversed([*walk_blocks(blocks)]):
        if block.kind == "role" or any(child in marked for child in block.children):
            marked.add(block)
    return marked


def blocks_with_content(blocks: list[Block]) -> set[Block]:
    """Return the blocks that certainly are message content, or contain some outside of messages."""
    marked: set[Block] = set()
    for block in reversed([*walk_blocks(blocks)]):
        has_some = block.kind != "role" and any(child in marked for child in block.children)
        if has_some or (block.kind == "content" and not block.is_frag):
            marked.add(block)
    return marked


_TITLE = re.compile(
    rf"(?:(?P<keyword>Prompt|StrFrag|Roles?Frag)\s+)?(?P<name>[^\W\d]{LETTER}*(?:\.{LETTER}+)*)\s*+"
    r"(?P<parameters>\[.*\]|\([^()]*\))?\s*+(?P<colon>(?:(?<=[\])\s]):?=|:)?)\s*+(?P<badge>\(?\s*(?:SF|RF)\s*\)?)?",
    re.IGNORECASE,
)
_WORD = re.compile(rf"[^\W\d]{LETTER}*")
_CAPS = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z0-9]{4,}")
_DATA = re.compile(r"(?:env|sys|resp)\b")


@dataclass(slots=True)
class DrawnDefinition:
    """A spec or a fragment as drawn; without a head, the lines before the first one."""

    head: Line | None
    keyword: str = ""
    title: str = ""
    before: list[Line] = field(default_factory=list)
    """The comments above it."""
    lines: list[Line] = field(default_factory=list)


def is_name(words: str) -> bool:
    """Return whether some words can be the title of a group: one word that is not data."""
    return _WORD.fullmatch(words) is not None and not _DATA.fullmatch(words)


def split_definitions(lines: list[Line]) -> list[DrawnDefinition]:
    """Return the definitions of a drawing, in order; the first may have no head if the drawing has no title."""
    base = min((line.column for line in lines if line.code), default=0)
    definitions = [DrawnDefinition(None)]
    at = 0
    while at < len(lines):
        line = lines[at]
        title = _read_title(lines, at, base, definitions[-1]) if line.code and line.column <= base else None
        if title is None:
            definitions[-1].lines.append(line)
            at += 1
            continue
        title.before = _comments_above(definitions[-1], line.column)
        definitions.append(title)
        following = _next_code(lines, at)
        if following is not None and classify_line(lines[following].code).kind == "badge":
            title.lines += lines[at + 1 : following]
            if lines[following].comment is not None:
                title.lines.append(replace(lines[following], code=""))
            at = following
        at += 1
    return definitions


def _read_title(lines: list[Line], at: int, base: int, before: DrawnDefinition) -> DrawnDefinition | None:
    """Return the definition that a line begins, if it begins one."""
    line = lines[at]
    match = _TITLE.fullmatch(line.code.removesuffix("{").rstrip())
    if match is None or (classify_line(line.code).kind not in ("content", "label") and not match["keyword"]):
        return None
    following = _next_code(lines, at)
    meaning = classify_line(lines[following].code) if following is not None else None
    keyword = "StrFrag" if "S" in (match["badge"] or "").upper() else "RolesFrag" if match["badge"] else ""
    if meaning is not None and meaning.kind == "badge":
        keyword = meaning.words
    own_keyword = (match["keyword"] or "").lower()
    keyword = {"strfrag": "StrFrag", "rolefrag": "RolesFrag", "rolesfrag": "RolesFrag"}.get(own_keyword, keyword)
    parameters = match["parameters"] or ""
    if parameters[:1] == "(" and "@" not in parameters and (meaning is None or meaning.kind != "role"):
        return None
    parameters = f"[{parameters[1:-1]}]" if parameters else ""
    title = " ".join(f"{match['name']}{parameters}".split())
    if keyword or own_keyword:
        return DrawnDefinition(line, keyword, title)
    if following is not None and role_named(lines[following].code) is not None:
        meaning = LineMeaning("role")
    is_deeper = following is not None and lines[following].column > line.column
    is_certain = is_deeper and "@" in parameters and meaning is not None and meaning.kind in ("role", "foreach", "if")
    if _DATA.match(match["name"]) or (_CAPS.fullmatch(match["name"]) and not match["colon"] and not is_certain):
        return None
    if match["colon"]:
        is_group = is_deeper and not match["parameters"] and _is_flat(before, base)
        return None if is_group else DrawnDefinition(line, "", title)
    is_block = meaning is not None and (is_deeper or meaning.kind == "role") and match["parameters"]
    is_first = before.head is None and not before.lines and meaning is not None and meaning.kind == "role"
    return DrawnDefinition(line, "", title) if is_block or is_first else None


def _is_flat(definition: DrawnDefinition, base: int) -> bool:
    """Return whether the lines of a definition begin in the column of its title."""
    return definition.head is not None and any(line.code and line.column <= base for line in definition.lines)


def _next_code(lines: list[Line], at: int) -> int | None:
    """Return the next line that is not only a comment."""
    return next((index for index in range(at + 1, len(lines)) if lines[index].code), None)


def _comments_above(definition: DrawnDefinition, column: int) -> list[Line]:
    """Remove and return the comments at the end of a definition that belong to the next title."""
    lines = definition.lines
    at = len(lines)
    while at and not lines[at - 1].code and lines[at - 1].column <= column:
        at -= 1
    above = lines[at:]
    del lines[at:]
    return above


def nest_lines(root: Block, lines: list[Line], report: DrawingReport, unread: frozenset[int] = frozenset()) -> None:
    """Put the lines of a definition into its block.

    Parameters:
        root: The block.
        lines: The lines.
        report: Collects the guesses.
        unread: Offsets of lines that are known not to be understood; their contents take their place.
    """
    run = _Nesting(root, report, unread)
    for line in lines:
        for block in _blocks_of(line):
            if block.kind == "badge" and line.column > root.column:  # a badge is below its title, not indented
                block.kind, block.words = "content", line.code
            if block.kind == "comment":
                run.comments.append(block)
            else:
                run.place_comments(block.column)
                run.place_block(block)
    run.place_comments(-1)


_MOST_HEADS = 3
"""Heads of blocks that may share a line: `If a: For each d in b: User: d.text`."""
_ARMS = frozenset(("else", "elseif", "case", "default", "switch", "mark"))
"""Blocks that begin a line."""


def _blocks_of(line: Line) -> list[Block]:
    """Return a line as a block, or as several if heads of nested blocks share it."""
    meaning = classify_line(line.code)
    block = Block(line, meaning.kind, meaning.words, meaning.name, line.column, guess=meaning.guess)
    if meaning.kind == "mark-end" and meaning.words:  # a bracket beside one line
        inner = classify_line(meaning.words)
        inside = Block(line, inner.kind, inner.words, inner.name, line.column)
        if inner.kind in HOLDERS or inner.inline:
            return [Block(replace(line, comment=None), "mark-end", "", meaning.name, line.column), inside]
        return [
            Block(line, "mark", meaning.name, "", line.column, [inside], has_inline=True, guess=meaning.guess),
        ]
    return _with_inline(block, meaning)


def _with_inline(block: Block, meaning: LineMeaning) -> list[Block]:
    """Return the head of a block and what shares its line; indented lines go into an inner message or block."""
    line, heads = block.line, [block]
    while meaning.inline:
        is_odd = meaning.is_odd
        meaning = classify_line(meaning.inline)
        kind = "unread" if is_odd else meaning.kind
        column = line.column + len(heads)
        inner = Block(line, kind, meaning.words, meaning.name, column, guess=meaning.guess)
        if len(heads) == _MOST_HEADS or kind in ("label", "mark-end") or (kind in _ARMS and len(heads) > 0):
            return [Block(line, "unread", line.code, "", line.column)]
        heads[-1].has_inline = True
        if kind not in HOLDERS:
            inner.column = line.column
            heads[-1].children.append(inner)
            return heads
        heads.append(inner)
    return heads


class _Nesting:
    """The blocks that are open, outermost first."""

    def __init__(self, root: Block, report: DrawingReport, unread: frozenset[int]) -> None:
        self.open = [root]
        self.report = report
        self.unread = unread
        self.comments: list[Block] = []
        """Comments whose level the next line decides with their column."""
        self.was_uneven = False

    def place_comments(self, column: int) -> None:
        """Place the waiting comments where they are, or before the next line if that is further in."""
        for comment in self.comments:
            stack = self.open
            at = len(stack) - 1
            wanted = max(comment.column, column)
            while at and stack[at].column >= wanted:
                at -= 1
            while at and stack[at].kind not in HOLDERS:
                at -= 1
            if comment.column >= column:
                del stack[at + 1 :]
            stack[at].children.append(comment)
        self.comments.clear()

    def place_block(self, block: Block) -> None:
        """Put a line below the nearest line that is further out."""
        stack = self.open
        closed: Block | None = None
        while len(stack) > 1 and stack[-1].column >= block.column:
            closed = stack.pop()
        parent = stack[-1]
        if parent.kind == "content" and parent.line.start not in self.unread:
            self.turn_into_holder(parent)
        if len(stack) > MAX_DEPTH:
            block.column = parent.column
            stack.pop()
        if stack[-1] is not parent or not self.can_hold(parent):
            self.report_uneven(block, "further in than the line above, which nothing can stand in")
        elif closed is not None and closed.column > block.column:
            self.place_between(block, closed, parent)
        else:
            self.was_uneven = False
        holder = next(each for each in reversed(stack) if self.can_hold(each))
        holder.children.append(block)
        stack.append(block)

    def can_hold(self, block: Block) -> bool:
        """Return whether a line can hold the lines below it, or they take its place; a sentence is sent as it is."""
        is_unread = block.line.start in self.unread and not (block.kind == "content" and is_sentence(block.words))
        return block.kind in HOLDERS or block.kind == "unread" or is_unread

    def place_between(self, block: Block, closed: Block, parent: Block) -> None:
        """Handle a line that returns to a column without a line: use the nearer level."""
        if block.column - parent.column < closed.column - block.column and len(self.open) > 1:
            self.open.pop()
            block.column = parent.column
        else:
            block.column = closed.column
        self.report_uneven(block, "between two levels: read as the nearer one")

    def report_uneven(self, block: Block, label: str) -> None:
        """Report uneven indentation once for consecutive lines."""
        if not self.was_uneven:
            self.report.report_nesting(
                block.line,
                "a line stands at no level of the drawing",
                label,
                "begin it in the column of the line that it belongs beside",
            )
        self.was_uneven = True

    def turn_into_holder(self, block: Block) -> None:
        """Turn content that contains other lines into a message named by its word, or the title of a group."""
        role = role_named(block.words)
        if is_repetition(block.words):
            block.kind = "unread"
        elif role is not None:
            block.kind, block.words = "role", {"none": "N", "tool": "T"}.get(role, role[0].upper())
        elif block.words in LETTERS.values():
            block.kind = "role"
        elif is_name(block.words):
            block.kind = "label"

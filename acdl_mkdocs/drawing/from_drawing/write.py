"""`AcdlWriter`: the blocks of a drawing as ACDL text.

Lines that are impossible in ACDL become comments and are reported. Knows nothing about columns.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import field
from functools import lru_cache

from acdl_mkdocs.drawing.from_drawing.blocks import Block, DrawingReport, inline_content
from acdl_mkdocs.drawing.from_drawing.kinds import is_sentence
from acdl_mkdocs.drawing.from_drawing.lines import Line, n_open
from acdl_mkdocs.drawing.from_drawing.spelling import QUOTED, SpelledWords, spell_words
from acdl_mkdocs.foundation.diagnostics import Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.nodes import (
    Call,
    Content,
    ContextVar,
    Expression,
    File,
    ForEach,
    Group,
    ListOf,
    NameDef,
    Number,
    Operation,
    Path,
    RoleMessage,
    String,
    Symbol,
    TimeIndex,
    Unary,
    walk,
)
from acdl_mkdocs.language.syntax.nodes import Label as LabelNode
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.language.syntax.spellings import has_keyword, plain_name


@dataclass(slots=True)
class AcdlText:
    """ACDL text made of a drawing."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    starts: list[int] = field(default_factory=list)
    """The offset of each piece that is from the drawing, ascending."""
    lines: list[Line] = field(default_factory=list)
    """The line of the drawing that each is from."""
    words: list[str] = field(default_factory=list)
    open_ends: set[int] = field(default_factory=set)
    """Offsets of the ends of ranges that exclude their end."""

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.parts)

    def line_at(self, offset: int) -> Line | None:
        """Return the line of the drawing that produced the text at an offset."""
        at = bisect_right(self.starts, offset) - 1
        return self.lines[at] if at >= 0 else None

    def lines_around(self, offset: int, n_around: int) -> list[Line]:
        """Return the lines of the drawing for `n_around` pieces before and after an offset."""
        at = bisect_right(self.starts, offset) - 1
        return self.lines[max(at - n_around, 0) : at + n_around + 1]

    def to_drawing_span(self, span: Span) -> Span:
        """Return the place in the drawing of a place in the text; the whole line if its words were changed."""
        at = bisect_right(self.starts, span.start) - 1
        if at < 0:
            return Span(0, 0)
        line, start, words = self.lines[at], self.starts[at], self.words[at]
        inside = line.code.find(words) if words else -1
        if inside < 0 or span.start > start + len(words):
            return line.span
        first = min(line.start + inside + span.start - start, line.end)
        return Span(first, max(first, min(first + span.end - span.start, line.end)))

    def add_text(self, text: str) -> None:
        """Append text."""
        self.parts.append(text)
        self.length += len(text)

    def begin_line(self, line: Line) -> None:
        """Note the line of the drawing that the next text comes from."""
        self.starts.append(self.length)
        self.lines.append(line)
        self.words.append("")

    def add_words(self, line: Line, spelled: SpelledWords, words: str) -> None:
        """Append the words of a line."""
        self.starts.append(self.length)
        self.lines.append(line)
        self.words.append(words)
        self.open_ends |= {self.length + end for end in spelled.open_ends}
        self.add_text(spelled.text)


_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
_LOGICAL = frozenset(("&", "|"))
_N_TEMPLATE = 4

_GLUED = re.compile(
    r"[\])]\s+[(\[]|[\w*]\s{2,}[(\[]|\.\w+\s+\(|@\s*[-<>=+]"
    r"|\b(?!AND\b|OR\b|NOT\b|IN\b|IF\b)[A-Z][A-Z0-9_]+\s+[(\[][a-z ]+[)\]]"
)
"""A gap before a bracket that would be a call or an index, and an `@` without a time."""
_HYPHENED = re.compile(r"(?<![\w.@$])[a-z]\w*+(?>(?:-[a-z]\w*+)+)(?P<call>\(?)")
"""Words joined by dashes, matched as a whole, so that text that is not a call is not searched again from each word."""


def name_template(words: str) -> str:
    """Return a template for a sentence, named after its first words."""
    first = re.findall(r"[^\W\d_]+", words)[:_N_TEMPLATE]
    return "_".join(first).upper() or "INSTRUCTIONS"


@lru_cache(maxsize=4096)
def is_one_content(text: str) -> bool:
    """Return whether a text is a single content, which a message without braces can hold."""
    if text.replace(".", "").replace("_", "").isalnum():
        return True
    parsed = parse(Source(f"U: {text}"))
    match parsed.file.items:
        case (RoleMessage(body=(Content(),)),):
            return True
        case _:
            return bool(parsed.diagnostics)


def is_glued(words: str) -> bool:
    """Return whether words join by accident: an aside after a word reads as its call or index."""
    return _GLUED.search(_STRING.sub('""', words)) is not None


def opens_comment(words: str) -> bool:
    """Return whether words such as `src/*` would begin a comment in ACDL, which ends at any later `*/`."""
    return "/*" in words and "/*" in _STRING.sub('""', words)


def hyphened_call(words: str) -> str:
    """Return the name of a call such as `top-k(x)`, which is a subtraction in ACDL; empty if there is none."""
    matches = _HYPHENED.finditer(_STRING.sub('""', words))
    return next((each[0].removesuffix("(") for each in matches if each["call"]), "")


def is_no_list(value: Expression) -> bool:
    """Return whether a loop over a value is implausible: a number, a time, a comparison, or a dash between bounds."""
    if isinstance(value, Operation):
        is_dash = set(value.operators) == {"-"} and all(_is_end(each) for each in value.operands)
        return is_dash or any(operator in _COMPARISONS for operator in value.operators)
    return isinstance(value, (Number, String)) or (isinstance(value, TimeIndex) and not value.parts)


def _is_end(value: Expression) -> bool:
    """Return whether a value may be the end of a range: a number, a time, a word."""
    return isinstance(value, (Number, TimeIndex)) or (isinstance(value, Symbol) and not value.parts)


def find_doubtful_lines(file: File, output: AcdlText) -> set[int]:
    """Return the starts of lines in the drawing that were read as something implausible.

    Parameters:
        file: The tree of the text generated from the drawing.
        output: That text.
    """
    text = output.text
    starts: set[int] = set()
    last: Expression | None = None
    last_line: Line | None = None
    for piece, is_loop in _find_pieces(file):
        line = output.line_at(piece.span.start)
        if line is None:
            continue
        if is_loop:
            starts |= {line.start} if is_no_list(piece) else set()
            continue
        if output.line_at(piece.span.end - 1) is not line:  # a sign at the end of a line joins it with the next
            starts.add(line.start)
        if last is not None and line is last_line and (_is_bare(last) or _is_bare(piece)):
            starts |= set() if text.startswith((",", ";"), last.span.end) else {line.start}
        last, last_line = piece, line
    for node in walk(file):
        if isinstance(node, NameDef) and not (has_keyword(node) or plain_name(node)):
            line = output.line_at(node.span.start)
            starts |= {line.start} if line is not None else set()
    return starts


def truth_values(file: File) -> Iterator[Operation]:
    """Yield content that is a logical operation: on a whiteboard, `a and b` in a message means both."""
    for node in walk(file):
        if isinstance(node, Content) and isinstance(node.value, Operation) and _LOGICAL & {*node.value.operators}:
            yield node.value


def loops_over_pairs(file: File) -> Iterator[tuple[ForEach, Expression, Expression]]:
    """Yield each loop over a list of two, with the two: on a whiteboard, `[1, @T]` may mean a range."""
    for node in walk(file):
        match node:
            case ForEach(iterable=ListOf(values=(first, last))) if _are_ends(first, last):
                yield node, first, last


def _are_ends(first: Expression, last: Expression) -> bool:
    """Return whether two values may be the ends of a range, perhaps with a sum or a difference: `1` and `@T-1`."""
    first, last = _first_operand(first), _first_operand(last)
    if isinstance(first, (Number, TimeIndex)):
        return isinstance(last, (Number, TimeIndex, Path, ContextVar))
    return _is_end(first) and (_is_end(last) or isinstance(last, Call))


def _first_operand(value: Expression) -> Expression:
    """Return the first value of a sum or a difference, without signs and parentheses."""
    while isinstance(value, (Unary, Group, Operation)):
        if isinstance(value, Operation):
            if not {*value.operators} <= {"+", "-"}:
                return value
            value = value.operands[0]
        else:
            value = value.value
    return value


def _find_pieces(file: File) -> Iterator[tuple[Expression, bool]]:
    """Yield content, group titles and loop iterables, in text order."""
    for node in walk(file):
        if isinstance(node, Content):
            yield node.value, False
        elif isinstance(node, LabelNode):
            yield node.title, False
        elif isinstance(node, ForEach) and node.iterable is not None:
            yield node.iterable, True


def _is_bare(value: Expression) -> bool:
    """Return whether content is just a word, a number or a time, or words with a sign between them."""
    while isinstance(value, (Unary, Group)):
        value = value.value
    return isinstance(value, (Number, TimeIndex)) or (isinstance(value, Symbol) and not value.parts)


_HEADS = {"if": "If ", "elseif": "ElseIf ", "else": "Else", "switch": "Switch ", "case": "Case ", "default": "Default"}
_LONGEST_EXCERPT = 60
_STRING = re.compile(QUOTED)
_NAMED_ARGUMENT = re.compile(r"\w\([^()]*?(?<=[(,\s])[a-z]\w*\s*=\s*(?P<value>(?!=)[^,()]+)")


class AcdlWriter:
    """Writes definitions one after the other."""

    def __init__(self, report: DrawingReport, unread: frozenset[int], *, has_frames: bool) -> None:
        """Begin an empty text.

        Parameters:
            report: Collects the omissions.
            unread: Offsets of the lines of the drawing that are known not to be understood.
            has_frames: Whether square brackets without a name before them are frames.
        """
        self.output = AcdlText()
        self.report = report
        self.unread = unread
        self.has_frames = has_frames
        self.after_words = -1
        """Index of the part after an expression that the next line would continue."""

    def write_definition(self, root: Block, above: list[Line]) -> None:
        """Write a definition with the comments above it, or only its statements if it has no head."""
        for line in above:
            self.write_comment_line(line, 0)
        if root.kind != "title":
            self.write_statements(root.children, 0)
            return
        words = root.words
        if root.line.start in self.unread or _has_braces(words) or opens_comment(words):
            words = "Drawing"
            self.report_unread(root, f"give the definition a title, such as `{words}[@T]:`")
            self.output.add_text(f"// not understood: {root.line.code}\n")
        self.begin_statement(0)
        self.output.begin_line(root.line)
        self.output.add_text(root.name and f"{root.name} ")
        self.output.add_words(root.line, SpelledWords(words), words)
        self.output.add_text(":")
        self.write_body(root, 0)
        self.output.add_text("\n")

    def write_statements(self, blocks: list[Block], depth: int) -> None:
        """Write statements, one per line."""
        for block in blocks:
            self.write_statement(block, depth)

    def write_statement(self, block: Block, depth: int) -> None:
        """Write a statement and its content."""
        line = block.line
        if block.kind in ("bracket", "badge"):
            if line.comment is not None:
                self.write_comment_line(line, depth)
            return
        if not self.is_unread(block):
            self.report_guess(block)
        if block.kind == "comment":
            self.write_comment_line(line, depth)
        elif block.kind == "mark-end":
            self.report.report_nesting(
                line,
                "a bracket says where a mark ends, but not where it begins",
                "this mark is left out",
                f"write `Mark {block.name or 1}` above what is marked, and indent that",
            )
            if line.comment is not None:
                self.write_comment_line(line, depth)
            self.write_statements(block.children, depth)
        elif self.is_unread(block):
            self.leave_out(block, depth)
        elif block.kind in ("content", "name", "ends", "break", "continue", "skipped"):
            self.begin_statement(depth, block.words if block.kind == "content" else "x")
            self.output.begin_line(line)
            self.write_simple(block)
            self.write_comment(line)
        else:
            self.begin_statement(depth)
            self.output.begin_line(line)
            self.write_head(block)
            self.write_body(block, depth)

    def report_guess(self, block: Block) -> None:
        """Report the guess about a line, if there is one."""
        guess = _describe_guess(block)
        if guess is not None:
            self.report.report_guess(block.line, *guess)

    def is_unread(self, block: Block) -> bool:
        """Return whether the words of a line are impossible in ACDL."""
        if block.kind == "unread" or (block.line.start in self.unread and not self.is_text(block)):
            return True
        if block.kind == "skipped":
            return False
        has_signs = _has_braces(block.words) or opens_comment(f"{block.name} {block.words}")
        return n_open(block.words) != 0 or has_signs or is_glued(block.words)

    def is_text(self, block: Block) -> bool:
        """Return whether a line that is not ACDL is a sentence in a message, which is sent as drawn."""
        content = inline_content(block) if block.kind in ("content", "role") else None
        return content is not None and block.line.start in self.unread and is_sentence(content.words)

    def leave_out(self, block: Block, depth: int) -> None:
        """Write a line as a comment, and its contents in its place."""
        self.report_unread(block, _suggest_help(block))
        self.output.add_text("    " * depth)  # a comment does not end an expression before it
        excerpt = " ".join(block.line.code.split())
        self.output.add_text(f"// {excerpt}" if excerpt.startswith("[not ") else f"// not understood: {excerpt}")
        if block.line.comment:
            self.output.add_text(f" // {block.line.comment}")
        self.output.add_text("\n")
        self.write_statements([*_on_other_lines(block)], depth)

    def report_unread(self, block: Block, cure: str) -> None:
        """Report that a line was not understood."""
        self.report.diagnostics.append(
            error(
                "unread-line",
                "a line of the drawing is not understood",
                Label(block.line.span, "kept as a comment"),
                help=cure,
            )
        )

    def write_simple(self, block: Block) -> None:
        """Write a statement that is not a block."""
        if block.kind in ("break", "continue"):
            self.output.add_text(block.kind)
        elif block.kind == "name":
            targets = ", ".join(target.strip().lstrip("@$") for target in block.name.split(","))
            self.output.add_text(f"Name {targets} := ")
            self.write_words(block)
            self.note_open_expression()
        elif block.kind == "ends":
            self.output.add_text("PromptEndsHere when " if block.words else "PromptEndsHere")
            self.write_words(block)
            self.note_open_expression()
        elif block.kind == "skipped":
            self.output.add_words(block.line, SpelledWords(block.words), block.words)
        else:
            self.write_words(block)
            self.note_open_expression()

    def note_open_expression(self) -> None:
        """Note the end of an expression that the next line might continue."""
        self.after_words = len(self.output.parts)
        self.output.add_text("")

    def write_words(self, block: Block) -> None:
        """Write the expression of a line."""
        if block.kind == "content" and self.is_text(block):
            self.report.report_guess(
                block.line,
                "read as text that is sent as it is",
                f"write a template for it, such as `{name_template(block.words)}`, or put it in quotes",
            )
            text = '"' + " ".join(block.words.split()) + '"'
            self.output.add_words(block.line, SpelledWords(text), block.words)
        elif block.words:
            spelled = spell_words(block.words, has_frames=self.has_frames, is_loop=block.kind == "foreach")
            self.output.add_words(block.line, spelled, block.words)

    def write_head(self, block: Block) -> None:
        """Write the part before the brace of a block."""
        match block.kind:
            case "role":
                self.output.add_text(f"{block.words}:")
            case "foreach":
                self.output.add_text(f"ForEach({block.name}: ")
                self.write_words(block)
                self.output.add_text(")")
            case "mark":
                self.output.add_text(f"Mark {block.words}".rstrip())
            case "label":
                self.write_words(block)
            case kind:
                self.output.add_text(_HEADS[kind])
                self.write_words(block)

    def write_body(self, block: Block, depth: int) -> None:
        """Write the content of a block: on the line of a role if it is a single content, else in braces."""
        children = block.children
        has_comment = block.line.comment is not None and not block.has_inline
        only = children[0] if len(children) == 1 and block.kind == "role" and not has_comment else None
        if only is not None and only.kind == "content" and not self.is_unread(only) and self.is_piece(only):
            self.report_guess(only)
            self.output.add_text(" ")
            self.write_simple(only)
            self.write_comment(only.line)
            return
        self.output.add_text(" {")
        if has_comment:
            self.write_comment(block.line)
        else:
            self.output.add_text("\n")
        self.write_statements(children, depth + 1)
        self.begin_statement(depth)
        self.output.add_text("}\n")

    def is_piece(self, block: Block) -> bool:
        """Return whether content is a single piece: several need braces."""
        return self.is_text(block) or is_one_content(spell_words(block.words, has_frames=self.has_frames).text)

    def write_comment(self, line: Line) -> None:
        """Write the comment beside a line, and end the line."""
        self.output.add_text(f" // {line.comment}\n" if line.comment is not None else "\n")

    def write_comment_line(self, line: Line, depth: int) -> None:
        """Write a comment on a separate line."""
        self.output.add_text(f"{'    ' * depth}// {line.comment}".rstrip() + "\n")

    def begin_statement(self, depth: int, words: str = "x") -> None:
        """Begin a statement, separated from an expression that its first sign would continue."""
        first = spell_words(words).text[:1]
        if self.after_words >= 0 and not (first.isalnum() or first in '_$@"“'):
            self.output.parts[self.after_words] = ";"
            self.output.length += 1
        self.after_words = -1
        self.output.add_text("    " * depth)


def _has_braces(words: str) -> bool:
    """Return whether there are braces outside of strings."""
    if "{" not in words and "}" not in words:
        return False
    outside = _STRING.sub("", spell_words(words).text)
    return "{" in outside or "}" in outside


def _describe_guess(block: Block) -> tuple[str, str] | None:
    """Return the guess about a line, and how to write it unambiguously."""
    if block.guess and block.kind == "foreach":
        return block.guess, f"write `ForEach {block.name} : {block.words}`"
    if block.guess and block.kind == "name":
        cure = f"write `{block.name} := {block.words}`; a comparison is `{block.name} == {block.words}`"
        return block.guess, cure
    if block.guess:
        return block.guess, f"write `Mark {block.words}` above what is marked, and indent that"
    if block.kind == "content" and block.words.lower() in ("end", "done"):
        return "read as a variable of this name", "leave it out if it only says where a block ends"
    if named := _NAMED_ARGUMENT.search(block.words):
        return "read as a comparison", f"ACDL has no arguments with names: write `{named['value']}`"
    if hyphened := hyphened_call(block.words):
        return "read as a difference", f"no function has `-` in its name: write `{hyphened.replace('-', '_')}(...)`"
    return None


def _on_other_lines(block: Block) -> Iterator[Block]:
    """Yield the parts of a block that are not on its line."""
    for child in block.children:
        if child.line is block.line:
            yield from _on_other_lines(child)
        else:
            yield child


def _suggest_help(block: Block) -> str:
    words = block.line.code[:_LONGEST_EXCERPT]
    if block.kind in ("content", "unread") and block.words.startswith("[not"):
        return "draw it again from a spec without errors: `acdl check` names them"
    if opens_comment(f"{block.name} {block.words}"):
        return "put a path such as `src/*` in quotes; for a comment, write a space before `/*`"
    if n_open(block.words):
        return f"close what is open in `{words}`, or close nothing that is not open"
    return "write it as ACDL: `env.x[@T]`, `TEMPLATE`, `f(x)`, `ForEach t : 1 ... @T`, `If a == b`"

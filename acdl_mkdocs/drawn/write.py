"""`Writer`: the blocks of a drawing as ACDL text.

What cannot stand in ACDL becomes a comment, and that is told. Knows nothing of columns.
"""

import re
from collections.abc import Iterator

from acdl_mkdocs.drawn.blocks import Block, Told, inline_content
from acdl_mkdocs.drawn.doubts import hyphened_call, is_glued, is_one, is_sentence, template_named
from acdl_mkdocs.drawn.lines import Line, n_open
from acdl_mkdocs.drawn.quoted import QUOTED
from acdl_mkdocs.drawn.spelling import Spelled, spelled
from acdl_mkdocs.drawn.written import Written
from acdl_mkdocs.foundation.diagnostics import Label, error

_HEADS = {"if": "If ", "elseif": "ElseIf ", "else": "Else", "switch": "Switch ", "case": "Case ", "default": "Default"}
_LONGEST_EXCERPT = 60
_STRING = re.compile(QUOTED)
_PAIR = re.compile(r"\[[^\[\],]+,[^\[\],]+\]")
_NAMED_ARGUMENT = re.compile(r"\w\([^()]*?(?<=[(,\s])[a-z]\w*\s*=\s*(?P<value>(?!=)[^,()]+)")


class Writer:
    """Writes definitions one after the other."""

    def __init__(self, told: Told, unread: frozenset[int], *, has_frames: bool) -> None:
        """Begin an empty text.

        Parameters:
            told: Takes what is given up.
            unread: Offsets of the lines of the drawing that are known not to be understood.
            has_frames: Whether square brackets that hang on nothing are frames.
        """
        self.made = Written()
        self.told = told
        self.unread = unread
        self.has_frames = has_frames
        self.after_words = -1
        """Index of the part behind an expression that the next line would go on with."""

    def definition(self, root: Block, above: list[Line]) -> None:
        """Add a definition, with the comments above it; its statements alone if it has no head."""
        for line in above:
            self.comment_line(line, 0)
        if root.kind != "title":
            self.statements(root.children, 0)
            return
        words = root.words
        if root.line.start in self.unread or _has_braces(words):
            words = "Drawing"
            self.tell_unread(root, f"give the definition a title, such as `{words}[@T]:`")
            self.made.add(f"// not understood: {root.line.code}\n")
        self.indent(0)
        self.made.begin(root.line)
        self.made.add(root.name and f"{root.name} ")
        self.made.add_words(root.line, Spelled(words), words)
        self.made.add(":")
        self.body(root, 0)
        self.made.add("\n")

    def statements(self, blocks: list[Block], depth: int) -> None:
        """Add statements, each on a line."""
        for block in blocks:
            self.statement(block, depth)

    def statement(self, block: Block, depth: int) -> None:
        """Add a statement with what is in it."""
        line = block.line
        if block.kind == "bracket" or block.kind == "badge":
            return
        if not self.is_unread(block):
            self.tell_guess(block)
        if block.kind == "comment":
            self.comment_line(line, depth)
        elif block.kind == "mark-end":
            self.told.nesting(
                line,
                "a bracket says where a mark ends, but not where it begins",
                "this mark is left out",
                f"write `Mark {block.name or 1}` above what is marked, and indent that",
            )
            self.statements(block.children, depth)
        elif self.is_unread(block):
            self.leave_out(block, depth)
        elif block.kind in ("content", "name", "ends", "break", "continue", "skipped"):
            self.indent(depth, block.words if block.kind == "content" else "x")
            self.made.begin(line)
            self.simple(block)
            self.comment(line)
        else:
            self.indent(depth)
            self.made.begin(line)
            self.head(block)
            self.body(block, depth)

    def tell_guess(self, block: Block) -> None:
        """Say what is guessed of a line, if anything is."""
        guess = _guess(block)
        if guess is not None:
            self.told.guess(block.line, *guess)

    def is_unread(self, block: Block) -> bool:
        """Whether the words of a line cannot stand in ACDL."""
        if block.kind == "unread" or (block.line.start in self.unread and not self.is_text(block)):
            return True
        if block.kind == "skipped":
            return False
        return n_open(block.words) != 0 or _has_braces(block.words) or is_glued(block.words)

    def is_text(self, block: Block) -> bool:
        """Whether a line that is not ACDL is a sentence in a message, which is sent as it is drawn."""
        content = inline_content(block) if block.kind in ("content", "role") else None
        return content is not None and block.line.start in self.unread and is_sentence(content.words)

    def leave_out(self, block: Block, depth: int) -> None:
        """Add a line as a comment; what is in it stands in its place."""
        self.tell_unread(block, _cure(block))
        self.made.add("    " * depth)  # a comment does not end an expression before it
        excerpt = " ".join(block.line.code.split())
        self.made.add(f"// {excerpt}" if excerpt.startswith("[not ") else f"// not understood: {excerpt}")
        if block.line.comment:
            self.made.add(f" // {block.line.comment}")
        self.made.add("\n")
        self.statements([*_on_other_lines(block)], depth)

    def tell_unread(self, block: Block, cure: str) -> None:
        """Say that a line is not understood."""
        self.told.diagnostics.append(
            error(
                "unread-line",
                "a line of the drawing is not understood",
                Label(block.line.span, "kept as a comment"),
                help=cure,
            )
        )

    def simple(self, block: Block) -> None:
        """Add what is no block."""
        if block.kind in ("break", "continue"):
            self.made.add(block.kind)
        elif block.kind == "name":
            targets = ", ".join(target.strip().lstrip("@$") for target in block.name.split(","))
            self.made.add(f"Name {targets} := ")
            self.words(block)
            self.may_go_on()
        elif block.kind == "ends":
            self.made.add("PromptEndsHere when " if block.words else "PromptEndsHere")
            self.words(block)
            self.may_go_on()
        elif block.kind == "skipped":
            self.made.add_words(block.line, Spelled(block.words), block.words)
        else:
            self.words(block)
            self.may_go_on()

    def may_go_on(self) -> None:
        """Remember where an expression ends that the next line could be read as part of."""
        self.after_words = len(self.made.parts)
        self.made.add("")

    def words(self, block: Block) -> None:
        """Add the expression of a line."""
        if block.kind == "content" and self.is_text(block):
            self.told.guess(
                block.line,
                "read as text that is sent as it is",
                f"write a template for it, such as `{template_named(block.words)}`, or put it in quotes",
            )
            text = '"' + " ".join(block.words.split()) + '"'
            self.made.add_words(block.line, Spelled(text), block.words)
        elif block.words:
            made = spelled(block.words, has_frames=self.has_frames, is_loop=block.kind == "foreach")
            self.made.add_words(block.line, made, block.words)

    def head(self, block: Block) -> None:
        """Add what stands before the brace of a block."""
        match block.kind:
            case "role":
                self.made.add(f"{block.words}:")
            case "foreach":
                self.made.add(f"ForEach({block.name}: ")
                self.words(block)
                self.made.add(")")
            case "mark":
                self.made.add(f"Mark {block.words}".rstrip())
            case "label":
                self.words(block)
            case kind:
                self.made.add(_HEADS[kind])
                self.words(block)

    def body(self, block: Block, depth: int) -> None:
        """Add what is in a block: on the line of a role if it is one piece of content, else in braces."""
        children = block.children
        has_comment = block.line.comment is not None and not block.has_inline
        only = children[0] if len(children) == 1 and block.kind == "role" and not has_comment else None
        if only is not None and only.kind == "content" and not self.is_unread(only) and self.is_piece(only):
            self.tell_guess(only)
            self.made.add(" ")
            self.simple(only)
            self.comment(only.line)
            return
        self.made.add(" {")
        if has_comment:
            self.comment(block.line)
        else:
            self.made.add("\n")
        self.statements(children, depth + 1)
        self.indent(depth)
        self.made.add("}\n")

    def is_piece(self, block: Block) -> bool:
        """Whether content is one piece of it: a message holds several in braces only."""
        return self.is_text(block) or is_one(spelled(block.words, has_frames=self.has_frames).text)

    def comment(self, line: Line) -> None:
        """Add the comment beside a line, and end it."""
        self.made.add(f" // {line.comment}\n" if line.comment is not None else "\n")

    def comment_line(self, line: Line, depth: int) -> None:
        """Add a comment that has a line of its own."""
        self.made.add(f"{'    ' * depth}// {line.comment}".rstrip() + "\n")

    def indent(self, depth: int, words: str = "x") -> None:
        """Begin a statement, apart from an expression before it that its first sign would continue."""
        first = spelled(words).text[:1]
        if self.after_words >= 0 and not (first.isalnum() or first in '_$@"“'):
            self.made.parts[self.after_words] = ";"
            self.made.length += 1
        self.after_words = -1
        self.made.add("    " * depth)


def _has_braces(words: str) -> bool:
    """Whether there are braces that are no part of a string."""
    if "{" not in words and "}" not in words:
        return False
    outside = _STRING.sub("", spelled(words).text)
    return "{" in outside or "}" in outside


def _guess(block: Block) -> tuple[str, str] | None:
    """What is guessed of a line, and how it is written that it can be read in one way only."""
    if block.guess and block.kind == "foreach":
        return block.guess, f"write `ForEach {block.name} : {block.words}`"
    if block.guess and block.kind == "name":
        cure = f"write `{block.name} := {block.words}`; a comparison is `{block.name} == {block.words}`"
        return block.guess, cure
    if block.guess:
        return block.guess, f"write `Mark {block.words}` above what is marked, and indent that"
    if block.kind == "content" and block.words.lower() in ("end", "done"):
        return "read as a variable of this name", "leave it out if it only says where a block ends"
    if block.kind == "foreach" and _PAIR.fullmatch(block.words):
        return "read as a list of these two", f"write `ForEach {block.name} : 1 ... @T` for all between two ends"
    if named := _NAMED_ARGUMENT.search(block.words):
        return "read as a comparison", f"ACDL has no arguments with names: write `{named['value']}`"
    if hyphened := hyphened_call(block.words):
        return "read as a difference", f"no function has `-` in its name: write `{hyphened.replace('-', '_')}(...)`"
    is_excluded = block.line.comment is not None and block.line.comment.lower().startswith("excl")
    if block.kind == "foreach" and is_excluded and not spelled(block.words, is_loop=True).open_ends:
        return "its end is taken in, whatever the comment says", f"write `ForEach {block.name} : {block.words} excl.`"
    return None


def _on_other_lines(block: Block) -> Iterator[Block]:
    """What is in a block and does not share its line."""
    for child in block.children:
        if child.line is block.line:
            yield from _on_other_lines(child)
        else:
            yield child


def _cure(block: Block) -> str:
    words = block.line.code[:_LONGEST_EXCERPT]
    if block.kind in ("content", "unread") and block.words.startswith("[not"):
        return "draw it again from a spec without errors: `acdl check` names them"
    if n_open(block.words):
        return f"close what is open in `{words}`, or close nothing that is not open"
    return "write it as ACDL: `env.x[@T]`, `TEMPLATE`, `f(x)`, `ForEach t : 1 ... @T`, `If a == b`"

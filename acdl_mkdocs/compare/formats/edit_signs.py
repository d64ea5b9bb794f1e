"""The sign and the words of every box in a drawn difference."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace

from acdl_mkdocs.compare.formats.edit_text import describe_change, head_of, statement_lines
from acdl_mkdocs.compare.structure.edits import CommentEdit, Difference, Edit
from acdl_mkdocs.compare.structure.elements import statements_in
from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.describe import View, describe
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.sequences import match_equal
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.resolve import resolve
from acdl_mkdocs.language.syntax.nodes import Comment, If, Node
from acdl_mkdocs.language.syntax.parse import Parsed
from acdl_mkdocs.language.syntax.pragmas import is_for_tools
from acdl_mkdocs.language.syntax.words import Pill, Run, Words, text_of

_ATOMS = re.compile(r"[\w.@$-]+|\s+|[^\w\s]")
_JOINER = re.compile(r" [^ ]+ ")
"""The text between two operands, which is one piece for the layout too."""
BLANK = Run(" ", "plain")
"""The blank between deleted and added words."""
_WAS, _NOW = frozenset(("was", "was-role")), frozenset(("now",))


def merge_words(old: Words, new: Words) -> Words:
    """Return the new words, with deleted words before their replacements."""
    olds, news = _split_atoms(old), _split_atoms(new)
    words: list[Run | Pill] = []
    i = j = 0
    for a, b in (*match_equal(olds, news), (len(olds), len(news))):
        words += _merge_gap(olds[i:a], news[j:b])
        words += news[b : b + 1]
        i, j = a + 1, b + 1
    return tuple(_join_runs(words))


def is_marked(words: Words) -> bool:
    """Return whether any of the words was added or deleted."""
    return any(isinstance(word, Pill) and (word.style in _WAS | _NOW or is_marked(word.words)) for word in words)


def old_side(words: Words) -> Words:
    """Return merged words without the added ones."""
    return tuple(_drop_styles(words, _NOW))


def new_side(words: Words) -> Words:
    """Return merged words without the deleted ones."""
    return tuple(_drop_styles(words, _WAS))


def _drop_styles(words: Words, styles: frozenset[str]) -> list[Run | Pill]:
    """Return words without frames of these styles, and without the blank that separated them."""
    output: list[Run | Pill] = []
    is_after = False
    for word in words:
        if isinstance(word, Pill) and word.style in styles:
            is_after = True
            if output[-1:] == [BLANK] and len(output) > 1 and isinstance(output[-2], Pill) and output[-2].style in _WAS:
                output.pop()
            continue
        if isinstance(word, Pill):
            output.append(Pill(word.style, tuple(_drop_styles(word.words, styles)), word.target))
        elif not (is_after and word == BLANK):
            output.append(word)
        is_after = False
    return output


def _split_atoms(words: Words) -> list[Run | Pill]:
    """Return the smallest parts that are compared."""
    atoms: list[Run | Pill] = []
    for word in _join_runs(words):
        if isinstance(word, Pill) or _JOINER.fullmatch(word.text):
            atoms.append(word)
        else:
            atoms += [Run(text, word.style) for text in _ATOMS.findall(word.text)]
    return atoms


def _merge_gap(old: list[Run | Pill], new: list[Run | Pill]) -> Iterator[Run | Pill]:
    """Yield the deleted words, then their replacement."""
    if len(old) == len(new) == 1:
        one, other = old[0], new[0]
        if isinstance(one, Pill) and isinstance(other, Pill) and one.style == other.style and _is_alike(one, other):
            yield Pill(other.style, merge_words(one.words, other.words), other.target)
            return
    went, came = _trim_blanks(old), _trim_blanks(new)
    if went:
        yield Pill("was", went)
    if went and came:
        yield BLANK
    before, _, after = _split_blanks(new) if came else _split_blanks(old)
    if before and not went:
        yield BLANK
    if came:
        yield Pill("now", came)
    if after:
        yield BLANK


def _is_alike(one: Pill, other: Pill) -> bool:
    """Return whether two frames share more than brackets."""
    olds, news = _split_atoms(one.words), _split_atoms(other.words)
    return any(re.search(r"\w", text_of((olds[i],))) for i, _ in match_equal(olds, news))


def _split_blanks(atoms: Sequence[Run | Pill]) -> tuple[bool, Sequence[Run | Pill], bool]:
    """Return whether there are blanks at the beginning, the words between, and whether there are blanks at the end."""
    start, end = 0, len(atoms)
    while start < end and _is_blank(atoms[start]):
        start += 1
    while end > start and _is_blank(atoms[end - 1]):
        end -= 1
    return start > 0, atoms[start:end], end < len(atoms)


def _trim_blanks(atoms: Sequence[Run | Pill]) -> Words:
    """Return atoms without surrounding blanks."""
    inner = _join_runs(_split_blanks(atoms)[1])
    if not inner:
        return ()
    first, last = inner[0], inner[-1]
    if isinstance(first, Run):
        inner[0] = Run(first.text.lstrip(" "), first.style)
    last = inner[-1]
    if isinstance(last, Run):
        inner[-1] = Run(last.text.rstrip(" "), last.style)
    return tuple(inner)


def _is_blank(word: Run | Pill) -> bool:
    return isinstance(word, Run) and word.text.isspace()


def _join_runs(words: Iterable[Run | Pill]) -> list[Run | Pill]:
    """Merge neighbouring runs of one style, except text between operands."""
    joined: list[Run | Pill] = []
    for word in words:
        last = joined[-1] if joined else None
        is_same = isinstance(word, Run) and isinstance(last, Run) and last.style == word.style
        if (
            is_same
            and isinstance(word, Run)
            and isinstance(last, Run)
            and not _is_joiner(word)
            and not _is_joiner(last)
        ):
            joined[-1] = Run(last.text + word.text, last.style)
        else:
            joined.append(word)
    return joined


def _is_joiner(run: Run) -> bool:
    return _JOINER.fullmatch(run.text) is not None


@dataclass(frozen=True, slots=True, eq=False)
class DrawnSide:
    """A text and its figure."""

    figure: Box
    boxes: dict[Node, Box] = field(default_factory=dict)
    nodes: dict[int, Node] = field(default_factory=dict)
    """By the identity of the box."""
    parents: dict[int, Box] = field(default_factory=dict)
    choices: dict[Node, If] = field(default_factory=dict)
    """The `If` of each of its alternatives; it has no box itself."""

    def node_of(self, box: Box) -> Node | None:
        """Return the statement that a box shows."""
        return self.nodes.get(id(box))

    def box_of(self, node: Node | None) -> Box | None:
        """Return the box that shows a statement; for an `If`, that of its first alternative."""
        return self.boxes.get(head_statement(node)) if node is not None else None

    def enclosing_index(self, box: Box, inside: dict[int, int]) -> int | None:
        """Return the index of the sibling box that is or contains another box."""
        current: Box | None = box
        while current is not None:
            if id(current) in inside:
                return inside[id(current)]
            current = self.parents.get(id(current))
        return None

    def is_first(self, node: Node) -> bool:
        """Return whether a statement is not a later alternative of an `If`."""
        choice = self.choices.get(node)
        return choice is None or choice.arms[0] is node


def head_statement(node: Node) -> Node:
    """Return the statement whose box represents another: for an `If`, its first alternative."""
    return node.arms[0] if isinstance(node, If) and node.arms else node


def draw_side(parsed: Parsed, mode: RangeMode) -> DrawnSide:
    """Draw one side like any figure of its text."""
    side = DrawnSide(describe(resolve(parsed), View(range=mode)))
    by_span: dict[tuple[Span, bool], Node] = {}
    for node in _all_statements(parsed.file):
        if isinstance(node, If):
            side.choices.update(dict.fromkeys(node.arms, node))
        else:
            by_span.setdefault((node.span, isinstance(node, Comment)), node)
    pending = [side.figure]
    while pending:
        box = pending.pop()
        statement = by_span.get((box.span, box.kind == "comment")) if box.span and box is not side.figure else None
        if statement is not None:
            side.nodes[id(box)] = statement
            side.boxes[statement] = box
        side.parents.update({id(child): box for child in box.children})
        pending += box.children
    return side


def _all_statements(file: Node) -> Iterator[Node]:
    """Yield every statement, parents first, and the comments on separate lines."""
    pending = [file]
    while pending:
        node = pending.pop()
        if node is not file:
            yield node
        inside = getattr(node, "body", None) or getattr(node, "items", None) or ()
        yield from (each for each in inside if isinstance(each, Comment))
        pending += reversed(statements_in(node))


_FIRST = ("moved", "role", "changed", "renamed")
"""Precedence of the signs if a statement has several edits."""
_GONE = frozenset(("removed", "unwrapped"))
_ROLE_WAS = 2
"""Words of the header of a role up to the old role."""
_LONGEST = 60
"""The maximum number of characters of old words beside a box."""


class DifferenceSigns:
    """The signs of one difference."""

    def __init__(self, difference: Difference, old: DrawnSide, new: DrawnSide) -> None:
        """Find the edits of every statement."""
        self.difference, self.old, self.new = difference, old, new
        self._of_new: dict[Node, list[Edit]] = {}
        self._of_old: dict[Node, list[Edit]] = {}
        self._numbers = {id(edit): number for number, edit in enumerate(difference.edits, 1)}
        self._new_of = {old: new for new, old in difference.pairs.items()}
        self._moves: dict[Node, int] = {}
        for edit in difference.edits:
            if edit.new is not None:
                self._of_new.setdefault(head_statement(edit.new), []).append(edit)
            elif edit.old is not None:
                self._of_old.setdefault(head_statement(edit.old), []).append(edit)
            if edit.kind == "moved" and edit.new is not None:
                self._moves[edit.new] = len(self._moves) + 1
        self._added_comments = {node: edit for edit in difference.comments for node in edit.new}
        self._removed_comments = {node: edit for edit in difference.comments for node in edit.old}
        self._drawn_old, self._drawn_new = _drawn_comments(old), _drawn_comments(new)

    # -------------------------------------------------------------------------------------------------- moves and edits

    def is_moved(self, new: Node) -> bool:
        """Return whether a statement of the new text has moved, or is an alternative of an `If` that has."""
        return self._move_number(new) > 0

    def _move_number(self, new: Node) -> int:
        choice = self.new.choices.get(new)
        return self._moves.get(new, 0) or (self._moves.get(choice, 0) if choice is not None else 0)

    def sign_of_new(self, node: Node, inherited: str) -> str:
        """Return the sign of a statement that only the new text has."""
        own = [edit.kind for edit in self._edits_of(self._of_new, node, self.new) if edit.kind in ("added", "wrapped")]
        return own[0] if own else inherited or "added"

    def sign_of_old(self, node: Node, inherited: str) -> str:
        """Return the sign of a statement that only the old text has."""
        own = [edit.kind for edit in self._edits_of(self._of_old, node, self.old) if edit.kind in _GONE]
        return own[0] if own else inherited or "removed"

    @staticmethod
    def _edits_of(edits_by_node: dict[Node, list[Edit]], node: Node, side: DrawnSide) -> list[Edit]:
        """Return the edits of a statement; a later alternative of an `If` without edits has those of the `If`."""
        choice = side.choices.get(node)
        return edits_by_node.get(node) or (edits_by_node.get(choice.arms[0], []) if choice is not None else [])

    # ------------------------------------------------------------------------------------------------------ statements

    def mark_added(self, box: Box, node: Node, sign: str) -> Box:
        """Return an added box with its sign."""
        words = "put around existing statements" if sign == "wrapped" and self.new.is_first(node) else ""
        edits = [edit for edit in self._of_new.get(node, []) if edit.kind == sign]
        return self._add_sign(box, edits, sign, words)

    def mark_removed(self, box: Box, node: Node, sign: str) -> Box:
        """Return a removed box with its sign."""
        words = "removed, contents kept" if sign == "unwrapped" and self.old.is_first(node) else ""
        edits = self._of_old.get(node, [])
        return self._add_sign(replace(box, anchor=""), edits, sign, words)

    def mark_moved_away(self, node: Node | None) -> list[Box]:
        """Return a mark at the old place of a moved statement; later alternatives of an `If` have none."""
        other = self._new_of.get(node) if node is not None else None
        if node is None or other is None or not self.old.is_first(node):
            return []
        number = self._move_number(other)
        text = _shorten_text(" ".join(statement_lines(self.old.choices.get(node, node), self.difference.old)))
        return [Box("moved-away", (Run(text, "muted"),), sign="moved", sign_words=f"moved away, {number}")]

    def mark_kept(self, box: Box, old: Box | None, node: Node, old_node: Node) -> Box:
        """Return a box that both texts have, with its sign."""
        edits = self._of_new.get(node, [])
        words = self._describe_edits(edits, node, "moved here")
        box, header_words = self._merge_header(box, old, edits)
        words += header_words + self._describe_comment(node, old_node)
        sign = next((kind for kind in _FIRST if any(edit.kind == kind for edit in edits)), "")
        return self._add_sign(box, edits, sign or ("comment" if words else ""), ", ".join(words))

    def mark_on_side(self, box: Box, node: Node, other: Node, *, is_old: bool) -> Box:
        """Return a box of one of two side-by-side figures that the other text has too."""
        new_node, old_node = (other, node) if is_old else (node, other)
        edits = self._of_new.get(new_node, [])
        old, new = self.old.box_of(old_node), self.new.box_of(new_node)
        header_words: list[str] = []
        header = box.header
        if old is not None and new is not None:
            both, header_words = self._merge_header(new, old, edits)
            if both is not new and box.kind.startswith("role."):
                header = both.header[:_ROLE_WAS] if is_old else box.header
            elif both is not new:
                header = old_side(both.header) if is_old else new_side(both.header)
        words = self._describe_edits(edits, new_node, "moved away" if is_old else "moved here") + header_words
        words += [] if is_old else self._describe_comment(node, other)
        sign = next((kind for kind in _FIRST if any(edit.kind == kind for edit in edits)), "")
        sign = sign or ("comment" if words else "")
        return self._add_sign(replace(box, header=header), [] if is_old else edits, sign, ", ".join(words))

    def _add_sign(self, box: Box, edits: Iterable[Edit], sign: str, words: str) -> Box:
        numbers = [self._numbers[id(edit)] for edit in edits]
        anchor = f"edit-{numbers[0]}" if numbers else box.anchor
        return replace(box, sign=sign, sign_words=words, anchor=anchor) if sign else box

    def _describe_edits(self, edits: Iterable[Edit], node: Node, moved: str) -> list[str]:
        """Describe the edits of a statement."""
        words: list[str] = []
        edits = list(edits)
        for edit in edits:
            descriptions = dict.fromkeys(describe_change(change) for change in edit.changes)
            if edit.kind == "moved":
                words.append(f"{moved}, {self._move_number(node)}")
            elif "same text, different meaning" in descriptions:
                words.append("same text, different meaning")
            elif edit.kind in ("changed", "renamed", "role"):
                descriptions = dict.fromkeys(change.what for change in edit.changes)
                words.append(f"{' and '.join(descriptions)} {'renamed' if edit.kind == 'renamed' else 'changed'}")
        if edits and not any(edit.can_change_sent for edit in edits):
            words.append("the messages are the same")
        return words

    @staticmethod
    def _merge_header(box: Box, old: Box | None, edits: Iterable[Edit]) -> tuple[Box, list[str]]:
        """Return the box with old and new header; what the drawing does not show is returned in words."""
        changed = [edit for edit in edits if edit.kind in ("changed", "renamed", "role")]
        if old is None or not changed:
            return box, []
        header = (
            _merge_role(old.header, box.header) if box.kind.startswith("role.") else merge_words(old.header, box.header)
        )
        if box.kind != "mark" and is_marked(header):
            return replace(box, header=header), []
        were = dict.fromkeys(change.old for edit in changed for change in edit.changes if change.old != change.new)
        return box, [f"was {_shorten_text(were_words) or 'nothing'}" for were_words in were]

    # -------------------------------------------------------------------------------------------------------- comments

    def mark_comment(self, box: Box, node: Node | None, inherited: str) -> Box:
        """Return a comment on a separate line with its sign."""
        edit = self._added_comments.get(node) if isinstance(node, Comment) else None
        if edit is None:
            return box
        sign = "added" if inherited == "added" else "comment"
        return replace(box, sign=sign, sign_words="" if sign == "added" else _describe_comment_edit(edit))

    def mark_old_comment(self, box: Box, node: Node | None, inherited: str) -> Box:
        """Return a comment of the old text with its sign."""
        edit = self._removed_comments.get(node) if isinstance(node, Comment) else None
        if edit is None or edit.kind == "changed":
            return box  # a changed comment shows its old text beside the new one
        return replace(box, sign="removed" if inherited == "removed" else "comment", sign_words="comment taken out")

    def mark_lost_comment(self, box: Box, node: Node | None, inherited: str) -> list[Box]:
        """Return a deleted comment of the old text at its place; empty if it still exists."""
        comment = self.mark_old_comment(box, node, inherited)
        return [replace(comment, span=None, anchor="")] if comment.sign else []

    def _describe_comment(self, node: Node, old_node: Node) -> list[str]:
        """Describe the change of the comment beside a statement."""
        new: Comment | None = getattr(node, "comment", None)
        old: Comment | None = getattr(old_node, "comment", None)
        edit = (
            self._added_comments.get(new)
            if new is not None
            else self._removed_comments.get(old)
            if old is not None
            else None
        )
        return [_describe_comment_edit(edit)] if edit is not None else []

    # ------------------------------------------------------------------------------------------------- without a box

    def list_undrawn(self) -> tuple[Box, ...]:
        """Return a line for every edit that figures do not show: settings of the text, declarations."""
        boxes: list[Box] = []
        for edit in self.difference.edits:
            if edit.kind == "setting":
                for change in edit.changes:
                    was, now = (_frame_text(style, text) for style, text in (("was", change.old), ("now", change.new)))
                    header = (
                        Run(f"{change.what}: ", "keyword"),
                        *was,
                        *((Run(" ", "plain"),) if was and now else ()),
                        *now,
                    )
                    boxes.append(self._add_sign(Box("setting", header), [edit], "changed", "how the text is read"))
                continue
            side, parsed, node = self.new, self.difference.new, edit.new
            if node is None:
                side, parsed, node = self.old, self.difference.old, edit.old
            if node is not None and side.box_of(node) is None:
                head_words = (Run(head_of(node, parsed), "plain"),)
                words = ", ".join(self._describe_edits([edit], node, "moved"))
                boxes.append(self._add_sign(Box("undrawn", head_words), [edit], edit.kind, words))
        number = sum(not self._is_drawn(edit) for edit in self.difference.comments)
        if number:
            text = Run("comments that figures do not show", "muted")
            boxes.append(Box("undrawn", (text,), sign="comment", sign_words=f"{number} changed"))
        return tuple(boxes)

    def _is_drawn(self, edit: CommentEdit) -> bool:
        """Return whether a figure shows a comment, or an edit of the settings describes its effect."""
        is_setting = any(each.kind == "setting" for each in self.difference.edits)
        if is_setting and all(is_for_tools(each) for each in (*edit.old, *edit.new)):
            return True
        return any(each in self._drawn_old for each in edit.old) or any(each in self._drawn_new for each in edit.new)


def count_edits(difference: Difference) -> Iterator[tuple[str, str]]:
    """Yield each kind of edits with its number, in words; comments come last. A move counts once."""
    for kind, number in Counter(edit.kind for edit in difference.edits).items():
        yield kind, f"{number} {kind}"
    number = len(difference.comments)
    if number:
        yield "comment", f"{number} comment{'' if number == 1 else 's'}"


def anchor_numbers(difference: Difference) -> list[int]:
    """Return, for each edit, the number of the edit whose anchor its box has: the first of the same statement."""
    first: dict[object, int] = {}
    numbers: list[int] = []
    for number, edit in enumerate(difference.edits, 1):
        node = edit.new if edit.new is not None else edit.old
        key = (edit.new is None, head_statement(node)) if node is not None and edit.kind != "setting" else number
        numbers.append(first.setdefault(key, number))
    return numbers


def _drawn_comments(side: DrawnSide) -> frozenset[Node]:
    """Return the comments of a figure: on separate lines, and beside statements."""
    beside = (getattr(node, "comment", None) for node in side.boxes)
    return frozenset((*side.boxes, *filter(None, beside)))


def _describe_comment_edit(edit: CommentEdit) -> str:
    """Describe the edit of a comment."""
    if edit.kind == "added":
        return "new comment"
    text = " ".join(each.text for each in edit.old)
    return (
        f"comment taken out: {_shorten_text(text)}" if edit.kind == "removed" else f"comment was: {_shorten_text(text)}"
    )


def _shorten_text(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}\u2026"


def _frame_text(style: str, text: str) -> Words:
    return (Pill(style, (Run(text, "plain"),)),) if text else ()


def _merge_role(old: Words, new: Words) -> Words:
    """Return a role with the old one struck through in a separate frame, since roles are light on dark."""
    before, after = ("".join(word.text for word in words if isinstance(word, Run)) for words in (old, new))
    if before == after:
        return new
    role = before.partition(": ")[2].upper()
    now = Run(after.partition(": ")[2], "role")
    return (Run("Role: ", "role"), Pill("was-role", (Run(role, "plain"),)), BLANK, now)

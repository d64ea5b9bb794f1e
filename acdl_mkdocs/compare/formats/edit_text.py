"""The name and subject of an edit, in words that all formats share."""

from dataclasses import replace

from acdl_mkdocs.compare.structure.edits import Change, Difference, Edit, Path
from acdl_mkdocs.compare.structure.elements import statements_in
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Broken,
    BrokenBlock,
    Comment,
    Content,
    Declaration,
    EndsHere,
    File,
    ForEach,
    Fragment,
    HostLine,
    If,
    Label,
    LoopControl,
    Mark,
    NameDef,
    Node,
    Prompt,
    RoleMessage,
    Skipped,
    Switch,
)
from acdl_mkdocs.language.syntax.parse import Parsed
from acdl_mkdocs.language.syntax.printer import print_items
from acdl_mkdocs.language.syntax.words import WRITTEN

_MOST_SHOWN = 100
"""Characters of a head that are shown."""
_SAME_WORDS = {
    "meaning": "same text, different meaning",
    "used fragment": "a different fragment is used",
    "used fragments": "used fragments",
}
"""The subject of a change if both sides are written alike."""


def head_of(node: Node, parsed: Parsed) -> str:
    """Return the first line of a statement in its normal form, without comment and brace."""
    match node:
        case File():
            return ""
        case If(arms=(Arm() as first, *_)):
            return head_of(first, parsed)
        case Switch():
            bare: Node = replace(node, arms=(), comment=None)
        case RoleMessage():
            bare = replace(node, body=(), comment=None, is_braced=True)
        case ForEach() | Mark() | Label() | BrokenBlock() | Prompt() | Fragment() | Arm():
            bare = replace(node, body=(), comment=None)
        case Content() | NameDef() | EndsHere() | LoopControl():
            bare = replace(node, comment=None)
        case If() | Declaration() | Skipped() | HostLine() | Broken() | Comment():
            bare = node
        case _:
            raise TypeError(f"no statement: {type(node).__name__}")
    lines = print_items((bare,), parsed.source.text, WRITTEN)  # type: ignore[arg-type]
    text = " ".join(line.strip() for line in lines).removesuffix(" {}").removesuffix(":")
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 1]}…"


def statement_lines(node: Node, parsed: Parsed) -> list[str]:
    """Return the lines of a statement in its normal form."""
    return print_items((node,), parsed.source.text, WRITTEN)  # type: ignore[arg-type]


def heads_around(edit: Edit, difference: Difference) -> tuple[str, ...]:
    """Return the heads of the blocks around an edit, outermost first."""
    return BlockHeads(difference).heads_around(edit)


class BlockHeads:
    """The heads of the blocks of one difference, each written once."""

    def __init__(self, difference: Difference) -> None:
        """Start without any heads."""
        self.difference = difference
        self._inside: dict[Node, list[Node]] = {}
        self._blocks: dict[tuple[bool, Path], tuple[tuple[str, ...], Node]] = {
            (is_old, ()): ((), parsed.file) for is_old, parsed in ((True, difference.old), (False, difference.new))
        }

    def heads_around(self, edit: Edit) -> tuple[str, ...]:
        """Return the heads of the blocks around an edit, outermost first."""
        is_old = edit.new_path is None
        path = (edit.old_path if is_old else edit.new_path) or ()
        return self._find_block(path[:-1], is_old=is_old)[0]

    def _find_block(self, path: Path, *, is_old: bool) -> tuple[tuple[str, ...], Node]:
        """Return the heads down to the block at a path, including its own, and the block."""
        n_known = next(n for n in range(len(path), -1, -1) if (is_old, path[:n]) in self._blocks)
        heads, node = self._blocks[is_old, path[:n_known]]
        parsed = self.difference.old if is_old else self.difference.new
        for n in range(n_known, len(path)):
            node = self._inner_statements(node)[path[n]]
            heads = heads if isinstance(node, If) else (*heads, head_of(node, parsed))
            self._blocks[is_old, path[: n + 1]] = heads, node
        return heads, node

    def _inner_statements(self, node: Node) -> list[Node]:
        if node not in self._inside:
            self._inside[node] = statements_in(node)
        return self._inside[node]


def describe_change(change: Change) -> str:
    """Describe the subject of a change."""
    if change.old == change.new:
        return _SAME_WORDS.get(change.what, f"{change.what} read differently")
    return change.what


def summarize_difference(difference: Difference) -> str:
    """Summarize the difference in one line."""
    if difference.is_empty:
        return "no difference"
    counts = (
        _count_if_any(len(difference.edits), "change", ""),
        _count_if_any(len(difference.comments), "change", " of comments"),
    )
    effect = "the messages are the same" if difference.is_equal_sent else "the messages can differ"
    return f"{' and '.join(filter(None, counts))}: {effect}"


def _count_if_any(number: int, noun: str, rest: str) -> str:
    return format_count(number, noun) + rest if number else ""

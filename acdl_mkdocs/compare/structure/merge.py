"""`list_hunks()`: what makes one prompt another, as changes of its text that can be made one by one.

Lines that stay keep their bytes; comments are never lost. Knows nothing about which of the changes are wanted.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.diagnostics import TextEdit
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.sequences import longest_rise
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.edits import format_expression
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Comment,
    Content,
    EndsHere,
    Expression,
    File,
    ForEach,
    Fragment,
    FragUse,
    HostLine,
    If,
    Index,
    Label,
    Mark,
    NameDef,
    Node,
    Prompt,
    RoleMessage,
    String,
    Switch,
    children,
    walk,
)

_INDENT = "    "
_TIE = compile_later(r"or `.+ would decide")
"""A comment of an inferred spec about what recordings do not decide, which belongs to the condition beside it."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """A change that can be made alone."""

    path: tuple[int, ...]
    """Where it is, from the prompt down: changes in one block have a beginning of it in common."""
    splices: tuple[TextEdit, ...]


def apply_hunks(text: str, hunks: Iterable[Hunk]) -> str:
    """Return the text with some of the changes."""
    return _apply_splices(text, (each for hunk in hunks for each in hunk.splices))


def _apply_splices(text: str, splices: Iterable[TextEdit]) -> str:
    pieces: list[str] = []
    at = 0
    for each in sorted(splices, key=lambda splice: (splice.span.start, splice.span.end)):
        pieces += [text[at : each.span.start], each.text]
        at = max(at, each.span.end)
    return "".join([*pieces, text[at:]])


def list_hunks(
    old: tuple[Source, File],
    new: Source,
    prompts: tuple[Prompt, Prompt],
    old_of: Mapping[Node, Node],
    shared: Collection[str] = (),
) -> tuple[Hunk, ...]:
    """Return the changes that make a prompt of the old text the one of the new text.

    Parameters:
        old: The old text and its tree.
        new: The new text.
        prompts: The old and the new prompt.
        old_of: For statements of the new text those of the old text that they were, as `diff()` finds them.
        shared: Fragments that other prompts use too, which stay as they are.
    """
    return tuple(_start_merge(old, new, old_of, shared).compare_nodes(*prompts, ()))


def rewrite_prompt(old: tuple[Source, File], new: Source, prompts: tuple[Prompt, Prompt]) -> Hunk:
    """Return the change of a prompt as a whole; its comments are kept before it."""
    return Hunk((0,), (_start_merge(old, new, {}).replace_statement(prompts[0], [prompts[1]]),))


def _start_merge(
    old: tuple[Source, File], new: Source, old_of: Mapping[Node, Node], shared: Collection[str] = ()
) -> "_Merge":
    source, file = old
    comments = sorted((each.span for each in walk(file) if isinstance(each, Comment)), key=lambda span: span.start)
    single = {name: each for name, each in _find_single_uses(file).items() if name not in shared}
    return _Merge(source.text, new.text, old_of, comments, single)


def list_expressions(node: Node) -> tuple[Expression, ...]:
    """Return the expressions of a statement itself: its condition, its range, its content."""
    match node:
        case Prompt():
            return node.parameters
        case ForEach(iterable=found) | Switch(subject=found) | EndsHere(condition=found) | Arm(test=found):
            return () if found is None else (found,)
        case Content() | NameDef():
            return (node.value,)
        case _:
            return ()


def _find_single_uses(file: File) -> dict[str, Fragment]:
    """Return the fragments that are used once, with the names of their parameters, so that changes fit into them."""
    uses = [each for each in walk(file) if isinstance(each, FragUse)]
    names = [each.name.name for each in uses]
    found: dict[str, Fragment] = {}
    for fragment in file.items:
        if isinstance(fragment, Fragment) and names.count(fragment.name.name) == 1:
            use = uses[names.index(fragment.name.name)]
            values = [value for part in use.parts if isinstance(part, Index) for value in part.values]
            if list(map(format_expression, values)) == list(map(format_expression, fragment.parameters)):
                found[fragment.name.name] = fragment
    return found


def _is_statement(node: Node) -> bool:
    return not isinstance(node, (Comment, HostLine))


@dataclass(slots=True)
class _Merge:
    """Two texts that are compared statement by statement."""

    old: str
    new: str
    old_of: Mapping[Node, Node]
    comments: Sequence[Span]
    """Those of the old text, in order."""
    single_uses: Mapping[str, Fragment]
    moved: set[Node] = field(default_factory=set)
    """Old statements that are at another place of the same block."""

    def compare_nodes(self, old: Node, new: Node, path: tuple[int, ...]) -> Iterator[Hunk]:
        """Yield what makes a statement another one."""
        if not _has_same_form(old, new):
            yield Hunk(path, (self.replace_statement(old, [new]),))
            return
        yield from self._compare_heads(old, new, (*path, -1))
        if isinstance(old, (If, Switch)) and isinstance(new, (If, Switch)):
            yield from self._compare_arms(_list_arms(old), _list_arms(new), path)
        elif isinstance(old, RoleMessage) and isinstance(new, RoleMessage) and not old.is_braced:
            yield from self.compare_nodes(old.body[0], new.body[0], (*path, 0))
        elif hasattr(old, "body"):
            yield from self._compare_bodies(old, new, path)

    def _compare_heads(self, old: Node, new: Node, path: tuple[int, ...]) -> Iterator[Hunk]:
        mine, others = list_expressions(old), list_expressions(new)
        words = ", ".join(map(format_expression, others))
        if ", ".join(map(format_expression, mine)) == words or not words:
            return
        if mine:
            head = TextEdit(Span(mine[0].span.start, mine[-1].span.end), words)
        elif isinstance(old, Prompt):
            head = TextEdit(Span(old.name.span.end, old.name.span.end), f"[{words}]")
        else:
            return
        yield Hunk(path, (head, *self._replace_tie(old, new)))

    def _replace_tie(self, old: Node, new: Node) -> Iterator[TextEdit]:
        """Yield the change of what a comment says about other conditions."""
        before, after = (getattr(each, "comment", None) for each in (old, new))
        tie = f" // {after.text}" if isinstance(after, Comment) and _TIE.match(after.text) else ""
        if isinstance(before, Comment) and _TIE.match(before.text):
            start = len(self.old[: before.span.start].rstrip(" \t"))
            yield TextEdit(Span(start, before.span.end), tie)
        elif before is None and tie and isinstance(old, Arm):
            brace = self._find_brace(old)
            yield TextEdit(
                Span(brace, brace), tie if self._ends_line(brace) else f"{tie}\n{self._indent_of(old)}{_INDENT}"
            )

    def _compare_arms(self, olds: Sequence[Arm], news: Sequence[Arm], path: tuple[int, ...]) -> Iterator[Hunk]:
        for at, (old, new) in enumerate(zip(olds, news, strict=False)):
            yield from self.compare_nodes(old, new, (*path, at))
        at = min(len(olds), len(news))
        end, indent = olds[-1].span.end, self._indent_of(olds[0])
        for new in news[at:]:
            yield Hunk((*path, at), (TextEdit(Span(end, end), f"\n{indent}{self._render(new, indent, ())}"),))
        for before, old in zip(olds[at - 1 :], olds[at:], strict=False):
            lost = self._list_lost(before.span.end, old.span.end, ())
            yield Hunk(
                (*path, at),
                (TextEdit(Span(before.span.end, old.span.end), "".join(f"\n{indent}{each}" for each in lost)),),
            )

    def _compare_bodies(self, old: Node, new: Node, path: tuple[int, ...]) -> Iterator[Hunk]:
        olds = list(self._list_statements(old))
        news = [each for each in new.body if _is_statement(each)]  # type: ignore[attr-defined]  # blocks have bodies
        index_of = {each: at for at, each in enumerate(olds)}
        paired = [
            (at, index_of[self.old_of[each]]) for at, each in enumerate(news) if self.old_of.get(each) in index_of
        ]
        aligned = [paired[each] for each in longest_rise([number for _, number in paired])]
        self.moved |= {olds[number] for at, number in paired if (at, number) not in aligned}
        left = right = 0
        for number, (at, old_at) in enumerate([*aligned, (len(news), len(olds))]):
            before = olds[left - 1] if left else None
            gap = [each for each in olds[left:old_at] if each not in self.moved]
            yield from self._fill_gap(old, before, gap, news[right:at], index_of, (*path, 2 * number))
            if at < len(news):
                yield from self.compare_nodes(olds[old_at], news[at], (*path, 2 * number + 1))
            left, right = old_at + 1, at + 1

    def _list_statements(self, block: Node) -> Iterator[Node]:
        """Yield the statements of a block, with those of groups and of fragments that only it uses."""
        for each in block.body:  # type: ignore[attr-defined]  # blocks have bodies
            if isinstance(each, (Mark, Label)):
                yield from self._list_statements(each)
            elif isinstance(each, Content) and isinstance(each.value, FragUse) and self._fragment_of(each.value):
                yield from self._list_statements(self.single_uses[each.value.name.name])
            elif _is_statement(each):
                yield each

    def _fragment_of(self, use: FragUse) -> Fragment | None:
        return self.single_uses.get(use.name.name)

    def _fill_gap(
        self,
        block: Node,
        before: Node | None,
        olds: Sequence[Node],
        news: Sequence[Node],
        index_of: Mapping[Node, int],
        path: tuple[int, ...],
    ) -> Iterator[Hunk]:
        """Yield the changes between two statements that stay.

        Parameters:
            block: The old block around them.
            before: The old statement after which they begin.
            olds: Old statements to remove.
            news: New statements to insert; what they contain of the old ones keeps its text.
            index_of: The position of each old statement in its block.
            path: Where the changes are.
        """
        anchor = before
        left = list(olds)
        for number, new in enumerate(news):
            origin = self.old_of.get(new)
            sources = [each for each in left if any(self._origins_in(new, each))]
            if origin is not None and origin in index_of:
                splices = (
                    self._insert(block, anchor, new, [origin]),
                    self._delete(origin, self._spans_in(new, [origin])),
                )
                yield Hunk((*path, number), splices)
            elif sources:
                left = [each for each in left if each not in sources]
                first, *others = sources
                reused = self._spans_in(new, sources)
                rest = (self._delete(each, reused) for each in others)
                yield Hunk((*path, number), (self.replace_statement(first, [new], sources), *rest))
                anchor = first
            else:
                yield Hunk((*path, number), (self._insert(block, anchor, new, ()),))
        for number, old in enumerate(left, len(news)):
            yield Hunk((*path, number), (self._delete(old, ()),))

    # ------------------------------------------------------------------------------------------------------------ texts

    def _origins_in(self, new: Node, old: Node) -> Iterator[tuple[Node, Node]]:
        """Yield the outermost statements of a new statement that were in an old one, with what they were."""
        stack = [new]
        while stack:
            current = stack.pop()
            origin = self.old_of.get(current)
            is_inside = origin is not None and _is_inside(origin.span, old.span)
            if is_inside and origin is not None and not isinstance(origin, Arm) and _has_same_form(origin, current):
                yield current, origin
            else:
                stack.extend(reversed(children(current)))

    def _list_reused(self, new: Node, olds: Sequence[Node]) -> list[tuple[Node, Node]]:
        """Return the outermost statements of a new statement that were in old ones, with what they were."""
        found = [each for old in olds for each in self._origins_in(new, old)]
        spans = [inner.span for inner, _ in found]
        return [
            (inner, origin)
            for inner, origin in found
            if not any(span is not inner.span and _is_inside(inner.span, span) for span in spans)
        ]

    def _spans_in(self, new: Node, olds: Sequence[Node]) -> list[Span]:
        """Return the pieces of old statements whose text a new statement keeps."""
        return [Span(origin.span.start, self._end_of(origin)) for _, origin in self._list_reused(new, olds)]

    def _render(self, new: Node, indent: str, olds: Sequence[Node]) -> str:
        """Return the text of a new statement; what was in old statements keeps its text, changed where it differs."""
        splices: list[TextEdit] = []
        for inner, origin in self._list_reused(new, olds):
            start, end = origin.span.start, self._end_of(origin)
            changed = (
                TextEdit(Span(each.span.start - start, each.span.end - start), each.text)
                for hunk in self.compare_nodes(origin, inner, ())
                for each in hunk.splices
                if _is_inside(each.span, Span(start, end))
            )
            text = _apply_splices(self.old[start:end], changed)
            indent_inside = _indent_at(self.new, inner.span.start)
            if not any(isinstance(each, String) and "\n" in each.value for each in walk(origin)):
                text = _indent_again(text, self._indent_of(origin), indent_inside)
            if end > origin.span.end and self.new[inner.span.end :].split("\n", 1)[0].strip():
                text += f"\n{indent_inside}"  # nothing stands behind a comment
            splices.append(TextEdit(inner.span, text))
        start = new.span.start
        moved = (TextEdit(Span(each.span.start - start, each.span.end - start), each.text) for each in splices)
        text = _apply_splices(self.new[start : new.span.end], moved)
        return _indent_again(text, _indent_at(self.new, start), indent)

    def replace_statement(self, old: Node, news: Sequence[Node], sources: Sequence[Node] = ()) -> TextEdit:
        """Return the change of an old statement to new ones, with the comments inside it."""
        indent = self._indent_of(old)
        sources = sources or [old]
        reused = [span for new in news for span in self._spans_in(new, sources)]
        lines = [*self._list_lost(old.span.start, old.span.end, reused)]
        lines += [self._render(new, indent, sources) for new in news]
        return TextEdit(old.span, f"\n{indent}".join(lines))

    def _insert(self, block: Node, before: Node | None, new: Node, sources: Sequence[Node]) -> TextEdit:
        """Return the insertion of a statement behind another one, or at the beginning of a block."""
        if before is not None:
            at, indent = self._end_of(before), self._indent_of(before)
        else:
            at = self._skip_comment(self._find_brace(block))
            inner = next(self._list_statements(block), None)
            is_own_line = inner is not None and self.old[at : inner.span.start].lstrip(" \t\r").startswith("\n")
            indent = self._indent_of(inner) if inner is not None and is_own_line else self._indent_of(block) + _INDENT
        text = f"\n{indent}{self._render(new, indent, sources)}"
        return TextEdit(Span(at, at), text if self._ends_line(at) else f"{text}\n{self._indent_of(block)}")

    def _delete(self, old: Node, reused: Sequence[Span]) -> TextEdit:
        """Return the removal of a statement; the comments beside and in it stay as lines."""
        start, end = old.span.start, self._end_of(old)
        lost = self._list_lost(start, end, reused)
        if lost:
            return TextEdit(Span(start, end), f"\n{self._indent_of(old)}".join(lost))
        line_start = self.old.rfind("\n", 0, start) + 1
        if not self.old[line_start:start].strip() and self._ends_line(end):
            line_end = self.old.find("\n", end) + 1
            return TextEdit(Span(line_start, line_end or len(self.old)), "")
        return TextEdit(Span(start, end), "")

    def _list_lost(self, start: int, end: int, reused: Sequence[Span]) -> list[str]:
        """Return the comments in a piece of the old text, outside of what is kept; choices of before are dropped."""
        inside = [each for each in self.comments if start <= each.start < end]
        texts = [
            self.old[each.start : each.end].rstrip()
            for each in inside
            if not any(_is_inside(each, span) for span in reused)
        ]
        return [each for each in texts if not _TIE.match(each.lstrip("/ "))]

    def _indent_of(self, old: Node) -> str:
        return _indent_at(self.old, old.span.start)

    def _ends_line(self, at: int) -> bool:
        """Return whether nothing follows on the line."""
        end = self.old.find("\n", at)
        return not self.old[at : end if end >= 0 else len(self.old)].strip()

    def _end_of(self, old: Node) -> int:
        """Return the end of a statement with the comment beside it."""
        return self._skip_comment(old.span.end)

    def _skip_comment(self, at: int) -> int:
        beside = (each for each in self.comments if each.start >= at and not self.old[at : each.start].strip(" \t"))
        return next((len(self.old[: each.end].rstrip()) for each in beside), at)

    def _find_brace(self, block: Node) -> int:
        """Return the offset behind the opening brace of a block."""
        heads = [each.span.end for each in list_expressions(block)]
        start = max(
            [block.span.start, *heads, *([block.name.span.end] if isinstance(block, (Prompt, Fragment)) else [])]
        )
        return self.old.index("{", start) + 1


def _is_inside(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _indent_at(text: str, offset: int) -> str:
    """Return the blanks before the line of an offset."""
    start = text.rfind("\n", 0, offset) + 1
    found = re.match(r"[ \t]*", text[start:offset])
    return found[0] if found else ""


def _indent_again(text: str, before: str, after: str) -> str:
    """Return a text whose lines, except the first, are indented differently."""
    first, *rest = text.split("\n")
    return "\n".join([first, *(after + each.removeprefix(before) if each.strip() else each for each in rest)])


def _list_arms(node: If | Switch) -> list[Arm]:
    return [each for each in node.arms if isinstance(each, Arm)]


def _has_same_form(old: Node, new: Node) -> bool:
    """Return whether a statement becomes another one by changes of its expressions and of its body."""
    match old, new:
        case RoleMessage(), RoleMessage():
            is_same_line = not new.is_braced and len(old.body) == len(new.body) == 1
            return old.role == new.role and (old.is_braced or is_same_line)
        case ForEach(), ForEach():
            has_heads = None not in (old.iterable, new.iterable, old.variable, new.variable)
            return has_heads and _name_of(old) == _name_of(new)
        case (If(), If()) | (Switch(), Switch()):
            kinds, others = ([each.kind for each in _list_arms(side)] for side in (old, new))  # type: ignore[arg-type]
            n_both = min(len(kinds), len(others))
            return kinds == others or (isinstance(old, If) and kinds[:n_both] == others[:n_both])
        case NameDef(), NameDef():
            return list(map(format_expression, old.targets)) == list(map(format_expression, new.targets))
        case _:
            return type(old) is type(new)


def _name_of(loop: ForEach) -> str:
    return loop.variable.name if loop.variable is not None else ""

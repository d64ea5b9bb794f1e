"""The edits between two trees, and whether matched elements are the same apart from new names."""

from collections.abc import Iterator
from dataclasses import replace

from acdl_mkdocs.compare.structure.edits import CarriedStatement, Change, Edit, EditKind
from acdl_mkdocs.compare.structure.elements import Element, Side, Slot
from acdl_mkdocs.compare.structure.expression_tokens import BoundName, NamedValue, Token, Tokens
from acdl_mkdocs.compare.structure.match import Matching
from acdl_mkdocs.foundation.sequences import heaviest_rise
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Broken,
    BrokenBlock,
    ContextVar,
    FragUse,
    Index,
    NameDef,
    Node,
    Path,
    Range,
)
from acdl_mkdocs.language.syntax.words import WRITTEN, text_of, words_of


class NameMapping:
    """The mapping of names in the old text to names in the new one."""

    def __init__(self, matching: Matching) -> None:
        """Read the mapping from the matched pairs."""
        self.new_of = matching.new_of
        self._bound: dict[Element, dict[str, str]] = {}
        self._renames: dict[Element, dict[str, str]] = {}
        for old, new in matching.new_of.items():
            if not old.binds:
                continue
            if not isinstance(old.node, NameDef):
                self._bound[old] = _pair_names(old.binds, new.binds)
            elif old.definition is not None and new.binds and self.new_of.get(old.definition) is new.definition:
                renamed, name = self._renames.setdefault(old.definition, {}), old.binds[0]
                renamed[name] = new.binds[0] if renamed.get(name, new.binds[0]) == new.binds[0] else name
        for definition, renamed in self._renames.items():
            _make_one_to_one(renamed, definition.names)

    def new_name(self, owner: Element, name: str) -> str:
        """Return the new name of a name that an element binds."""
        if isinstance(owner.node, NameDef):
            new_names = self._renames.get(owner.definition, {}) if owner.definition is not None else {}
        else:
            new_names = self._bound.get(owner, {})
        return new_names.get(name, name)

    def is_same(self, old: Tokens, new: Tokens) -> bool:
        """Return whether two expressions mean the same."""
        return len(old) == len(new) and all(map(self._is_same_token, old, new))

    def _is_same_token(self, old: Token, new: Token) -> bool:
        if isinstance(old, BoundName) and isinstance(new, BoundName):
            owner = old.owner
            if not isinstance(owner, Element) or self.new_of.get(owner) is not new.owner:
                return False
            return not old.name or self._bound.get(owner, {}).get(old.name, old.name) == new.name
        if isinstance(old, NamedValue) and isinstance(new, NamedValue):
            owner = old.owner
            if not isinstance(owner, Element) or self.new_of.get(owner) is not new.owner:
                return False
            return self._renames.get(owner, {}).get(old.name, old.name) == new.name
        return type(old) is type(new) and old == new

    def find_changes(self, old: Element, new: Element) -> Iterator[Change]:
        """Yield what differs in a statement."""
        theirs = {slot.what: slot for slot in new.slots}
        for slot in old.slots:
            other = theirs.pop(slot.what, None)
            if other is None:
                yield Change(slot.what, slot.normal_form, "", slot.span, new.node.span)
            elif not self.is_same(slot.tokens, other.tokens):
                yield _make_change(slot, other)
        for slot in theirs.values():
            yield Change(slot.what, "", slot.normal_form, old.node.span, slot.span)


def _pair_names(old: tuple[str, ...], new: tuple[str, ...]) -> dict[str, str]:
    """Pair equal names with each other, and the others in their order."""
    both = set(old) & set(new)
    rest = zip((name for name in old if name not in both), (name for name in new if name not in both), strict=False)
    return {**{name: name for name in old if name in both}, **dict(rest)}


def _make_one_to_one(renamed: dict[str, str], names: set[str]) -> None:
    """Undo renames until no two names become one."""
    for name in names:
        renamed.setdefault(name, name)
    is_settled = False
    while not is_settled:
        holders: dict[str, list[str]] = {}
        for name in sorted(renamed):
            holders.setdefault(renamed[name], []).append(name)
        wrong = [name for many in holders.values() if len(many) > 1 for name in many if renamed[name] != name]
        for name in wrong:
            renamed[name] = name
        is_settled = not wrong


def _make_change(old: Slot, new: Slot) -> Change:
    """Return the change from one slot to another."""
    one, other = old, new
    span, other_span = one.span, other.span
    if one.nodes and other.nodes:
        span, other_span = _span_of(one.nodes), _span_of(other.nodes)
    return Change(_name_aspect(old, new), one.normal_form, other.normal_form, span, other_span)


def _span_of(nodes: tuple[Node, ...]) -> Span:
    return Span(nodes[0].span.start, nodes[-1].span.end)


def _name_aspect(old: Slot, new: Slot) -> str:
    """Return the changed aspect, in one word."""
    if len(old.nodes) != 1 or len(new.nodes) != 1:
        return old.what
    one, other = old.nodes[0], new.nodes[0]
    if isinstance(one, Range) and isinstance(other, Range):
        return "bounds"
    if old.normal_form == new.normal_form:
        return "meaning"
    for what, kind in (("arguments", Arguments), ("index", Index)):
        if _text_without(one, kind) == _text_without(other, kind) != "":
            return "arguments" if isinstance(one, FragUse) else what
    return old.what


def _text_without(node: Node, kind: type[Arguments | Index]) -> str:
    """Return a path as written without its arguments or indices; empty for any other node."""
    if not isinstance(node, (Path, ContextVar, FragUse)):
        return ""
    bare = replace(node, parts=tuple(part for part in node.parts if not isinstance(part, kind)))
    return text_of(words_of(bare, WRITTEN))  # type: ignore[arg-type]


_DRAWN_ONLY = frozenset(("Mark", "Label", "Declaration", "Skipped"))
"""Kinds that send nothing themselves."""
_NOT_SENT = frozenset(("number", "title", "text"))
_ARMS = frozenset(("test", "else", "case", "default"))
_DEFINITIONS = frozenset(("Prompt", "Fragment"))


class TreeEdits:
    """Edits of one comparison."""

    def __init__(self, old: Side, new: Side, same: tuple[str, str] | None) -> None:
        self.old, self.new = old, new
        self.matching = Matching(old.root, new.root, same)
        self.new_of, self.old_of = self.matching.new_of, self.matching.old_of
        self.sameness = NameMapping(self.matching)
        self.olds, self.news = list(old.root.walk_elements()), list(new.root.walk_elements())
        self.old_holder = _matched_holders(self.olds, self.new_of)
        self.new_holder = _matched_holders(self.news, self.old_of)
        self.n_old_kept = _count_matched(self.olds, self.new_of)
        self.n_new_kept = _count_matched(self.news, self.old_of)
        self.moved, self.carried = self._find_moves()
        self.special = old.special | new.special
        self.is_unique = _has_unique_titles(old.root) and _has_unique_titles(new.root)

    def find_edits(self) -> tuple[Edit, ...]:
        """Return all edits, in the order of the new text."""
        at = {element: number for number, element in enumerate(self.news)}
        ordered: list[tuple[int, int, Edit]] = []
        for element in self.news:
            other = self.old_of.get(element)
            edits = self._added_edits(element) if other is None else self._kept_edits(other, element)
            ordered += [(at[element], 0, edit) for edit in edits]
        last = 0
        for element in self.olds:
            other = self.new_of.get(element)
            if other is not None:
                last = at[other]
                continue
            ordered += [(last, 1, edit) for edit in self._removed_edits(element)]
        return tuple(edit for _, _, edit in sorted(ordered, key=lambda each: each[:2]))

    def is_in_place(self, element: Element, *, is_new: bool) -> bool:
        """Return whether a matched element did not move and is in the same definition on both sides."""
        old, new = (self.old_of[element], element) if is_new else (element, self.new_of[element])
        around = new.definition
        return new not in self.moved and around is not None and self.old_of.get(around) is old.definition

    def is_covered(self, element: Element, *, is_new: bool) -> bool:
        """Return whether a wholly added or removed element, or the head of an `If`, covers an element of one side."""
        matched, n_kept = (self.old_of, self.n_new_kept) if is_new else (self.new_of, self.n_old_kept)
        parent = element.parent
        if parent is None or parent in matched:
            return False
        return not n_kept[parent] or (element.kind in _ARMS and n_kept[element] > 0)

    # ---------------------------------------------------------------------------------------------------------- places

    def _find_moves(self) -> tuple[set[Element], dict[Element, list[CarriedStatement]]]:
        """Return the moved elements of the new tree, and for blocks of both trees the statements that stayed."""
        at = {element: number for number, element in enumerate(self.olds)}
        groups: dict[Element, list[Element]] = {}
        moved: set[Element] = set()
        for element in self.news[1:]:
            other = self.old_of.get(element)
            if other is None:
                continue
            holder = self.new_holder[element]
            if holder is not None and self.old_of[holder] is self.old_holder[other]:
                groups.setdefault(holder, []).append(element)
            else:
                moved.add(element)
        carried: dict[Element, list[CarriedStatement]] = {}
        for group in groups.values():
            rise = heaviest_rise([at[self.old_of[each]] for each in group], [each.size for each in group])
            in_order = {group[number] for number in rise}
            moved.update(each for each in group if each not in in_order)
            for each in group:
                if each in in_order:
                    self._carry_element(self.old_of[each], each, carried)
        return moved, carried

    def _carry_element(self, old: Element, new: Element, carried: dict[Element, list[CarriedStatement]]) -> None:
        """Record that an element stayed while blocks around it were added or removed."""
        for element, matched in ((old, self.new_of), (new, self.old_of)):
            block = element.parent
            if block is not None and block.kind in _ARMS and block not in matched:
                block = block.parent if block.parent not in matched else block
            if block is not None and block not in matched:
                carried.setdefault(block, []).append(CarriedStatement(old.path, new.path))

    # ----------------------------------------------------------------------------------------------------------- edits

    def _added_edits(self, element: Element) -> Iterator[Edit]:
        """Yield the edit of an added element, unless the block around it covers it."""
        if self.is_covered(element, is_new=True):
            return
        carried, is_head = tuple(self.carried.get(element, ())), self.n_new_kept[element] > 0
        kind: EditKind = "wrapped" if self._has_carried(element, self.old_of) else "added"
        yield Edit(
            kind,
            None,
            element.node,
            None,
            element.path,
            (),
            carried,
            is_head,
            _can_change_sent(element, is_head=is_head),
        )

    def _removed_edits(self, element: Element) -> Iterator[Edit]:
        """Yield the edit of a removed element, unless the block around it covers it."""
        if self.is_covered(element, is_new=False):
            return
        carried, is_head = tuple(self.carried.get(element, ())), self.n_old_kept[element] > 0
        kind: EditKind = "unwrapped" if self._has_carried(element, self.new_of) else "removed"
        yield Edit(
            kind,
            element.node,
            None,
            element.path,
            None,
            (),
            carried,
            is_head,
            _can_change_sent(element, is_head=is_head),
        )

    def _has_carried(self, element: Element, matched: dict[Element, Element]) -> bool:
        """Return whether a block was put around something that stays, or removed from around it."""
        stack = [element]
        while stack:
            current = stack.pop()
            if current in self.carried:
                return True
            stack += [each for each in current.children if each not in matched]
        return False

    def _kept_edits(self, old: Element, new: Element) -> Iterator[Edit]:
        """Yield the edits of an element that is on both sides."""
        places = (old.node, new.node, old.path, new.path)
        if new in self.moved:
            is_sent = new.kind not in ("Declaration", "Skipped")
            is_definition = new.kind in _DEFINITIONS and len(new.path) == len(old.path) == 1
            yield Edit("moved", *places, can_change_sent=is_sent and not (is_definition and self.is_unique))
        names = tuple(self._find_renames(old, new))
        if names:
            yield Edit("renamed", *places, names, can_change_sent=self._can_matter(new, names))
        if not old.slots and not new.slots:
            return
        changes = tuple(self.sameness.find_changes(old, new))
        roles = tuple(each for each in changes if each.what == "role")
        others = tuple(each for each in changes if each.what != "role")
        if roles:
            yield Edit("role", *places, roles)
        if others:
            is_broken = isinstance(new.node, (Broken, BrokenBlock))
            is_sent = is_broken or not all(each.what in _NOT_SENT for each in others) or new.kind not in _DRAWN_ONLY
            yield Edit("changed", *places, others, can_change_sent=is_sent)

    def _find_renames(self, old: Element, new: Element) -> Iterator[Change]:
        """Yield renames."""
        if old.title != new.title:
            yield Change("name", old.title, new.title, _name_span(old.node), _name_span(new.node))
        what = "parameter" if new.kind in _DEFINITIONS else "name" if isinstance(new.node, NameDef) else "variable"
        for name in old.binds:
            other = self.sameness.new_name(old, name)
            is_bound = other in new.binds
            if other != name and is_bound:
                yield Change(what, name, other, _name_span(old.node), _name_span(new.node))
        if (
            isinstance(new.node, NameDef)
            and tuple(self.sameness.new_name(old, each) for each in old.binds) != new.binds
        ):
            names = ("".join(old.binds), "".join(new.binds))
            yield Change("other name", *names, _name_span(old.node), _name_span(new.node))
        for one, two in zip(old.slots, new.slots, strict=False):
            if len(one.names) == len(two.names):
                pairs = zip(one.names, two.names, strict=True)
                yield from (Change("variable", a, b, one.span, two.span) for a, b in pairs if a != b)

    def _can_matter(self, new: Element, names: tuple[Change, ...]) -> bool:
        """Return whether new names can change the meaning: for a state, or as parts of the time."""
        for each in names:
            if each.what == "other name" or (each.what == "parameter" and new.kind == "Prompt"):
                return True
            if each.what != "name" or new.kind not in _DEFINITIONS:
                words = {each.old, each.new}
                if words & self.special or any(word.isupper() for word in words):
                    return True
        return False


def _can_change_sent(element: Element, *, is_head: bool) -> bool:
    """Return whether an added or removed element can change the messages."""
    is_drawn_only = element.kind in _DRAWN_ONLY
    return not is_drawn_only or (not is_head and element.size > 1)


def _matched_holders(elements: list[Element], matched: dict[Element, Element]) -> dict[Element, Element | None]:
    """Return, for each element, the nearest matched element around it."""
    holders: dict[Element, Element | None] = {}
    for each in elements:
        holders[each] = each.parent if each.parent is None or each.parent in matched else holders[each.parent]
    return holders


def _count_matched(elements: list[Element], matched: dict[Element, Element]) -> dict[Element, int]:
    """Return, for each element, how many of its descendants are matched."""
    counts = dict.fromkeys(elements, 0)
    for each in reversed(elements):
        if each.parent is not None:
            counts[each.parent] += counts[each] + (each in matched)
    return counts


def _has_unique_titles(root: Element) -> bool:
    """Return whether all definitions have different names."""
    titles = [each.title for each in root.children if each.title]
    return len(titles) == len(set(titles))


def _name_span(node: Node) -> Span:
    """Return the span of the name that a statement defines."""
    for attribute in ("name", "variable"):
        part = getattr(node, attribute, None)
        if isinstance(part, Node):
            return part.span
    return node.targets[0].span if isinstance(node, NameDef) and node.targets else node.span

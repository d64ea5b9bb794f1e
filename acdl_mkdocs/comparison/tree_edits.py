"""The edits between two trees. Knows how to tell edits, not how elements are matched."""

from collections.abc import Iterator

from acdl_mkdocs.comparison.edits import Carried, Change, Edit, EditKind
from acdl_mkdocs.comparison.elements import Element, Side
from acdl_mkdocs.comparison.match import Matching
from acdl_mkdocs.comparison.same import Sameness
from acdl_mkdocs.comparison.sequences import heaviest_rise
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.nodes import Broken, BrokenBlock, NameDef, Node

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
        self.sameness = Sameness(self.matching)
        self.olds, self.news = list(old.root.walk()), list(new.root.walk())
        self.old_holder = _holders(self.olds, self.new_of)
        self.new_holder = _holders(self.news, self.old_of)
        self.n_old_kept = _n_kept(self.olds, self.new_of)
        self.n_new_kept = _n_kept(self.news, self.old_of)
        self.moved, self.carried = self._places()
        self.special = old.special | new.special
        self.is_unique = _titles(old.root) and _titles(new.root)

    def found(self) -> tuple[Edit, ...]:
        """All of them, in the order of the new text."""
        at = {element: number for number, element in enumerate(self.news)}
        ordered: list[tuple[int, int, Edit]] = []
        for element in self.news:
            other = self.old_of.get(element)
            told = self._added(element) if other is None else self._kept(other, element)
            ordered += [(at[element], 0, edit) for edit in told]
        last = 0
        for element in self.olds:
            other = self.new_of.get(element)
            if other is not None:
                last = at[other]
                continue
            ordered += [(last, 1, edit) for edit in self._removed(element)]
        return tuple(edit for _, _, edit in sorted(ordered, key=lambda each: each[:2]))

    # ---------------------------------------------------------------------------------------------------------- places

    def _places(self) -> tuple[set[Element], dict[Element, list[Carried]]]:
        """The elements of the new tree that have moved, and for blocks of both trees what they were put around."""
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
        carried: dict[Element, list[Carried]] = {}
        for group in groups.values():
            rise = heaviest_rise([at[self.old_of[each]] for each in group], [each.size for each in group])
            in_order = {group[number] for number in rise}
            moved.update(each for each in group if each not in in_order)
            for each in group:
                if each in in_order:
                    self._carry(self.old_of[each], each, carried)
        return moved, carried

    def _carry(self, old: Element, new: Element, carried: dict[Element, list[Carried]]) -> None:
        """An element stayed while blocks around it came or went."""
        for element, matched in ((old, self.new_of), (new, self.old_of)):
            block = element.parent
            if block is not None and block.kind in _ARMS and block not in matched:
                block = block.parent if block.parent not in matched else block
            if block is not None and block not in matched:
                carried.setdefault(block, []).append(Carried(old.path, new.path))

    # ----------------------------------------------------------------------------------------------------------- edits

    def _added(self, element: Element) -> Iterator[Edit]:
        """What a new element is, unless that is said of the block around it."""
        if self._is_told(element, self.old_of, self.n_new_kept):
            return
        carried, is_head = tuple(self.carried.get(element, ())), self.n_new_kept[element] > 0
        kind: EditKind = "wrapped" if self._has_carried(element, self.old_of) else "added"
        yield Edit(kind, None, element.node, None, element.path, (), carried, is_head, _sends(element, is_head=is_head))

    def _removed(self, element: Element) -> Iterator[Edit]:
        """What an old element was, unless that is said of the block around it."""
        if self._is_told(element, self.new_of, self.n_old_kept):
            return
        carried, is_head = tuple(self.carried.get(element, ())), self.n_old_kept[element] > 0
        kind: EditKind = "unwrapped" if self._has_carried(element, self.new_of) else "removed"
        yield Edit(kind, element.node, None, element.path, None, (), carried, is_head, _sends(element, is_head=is_head))

    @staticmethod
    def _is_told(element: Element, matched: dict[Element, Element], n_kept: dict[Element, int]) -> bool:
        """Whether an element belongs to one that came or went as a whole, or to the head of its `If`."""
        parent = element.parent
        if parent is None or parent in matched:
            return False
        return not n_kept[parent] or (element.kind in _ARMS and n_kept[element] > 0)

    def _has_carried(self, element: Element, matched: dict[Element, Element]) -> bool:
        """Whether a block was put around something that stays, or taken away from it."""
        waiting = [element]
        while waiting:
            current = waiting.pop()
            if current in self.carried:
                return True
            waiting += [each for each in current.children if each not in matched]
        return False

    def _kept(self, old: Element, new: Element) -> Iterator[Edit]:
        """What became of an element."""
        places = (old.node, new.node, old.path, new.path)
        if new in self.moved:
            is_sent = new.kind not in ("Declaration", "Skipped")
            is_definition = new.kind in _DEFINITIONS and len(new.path) == len(old.path) == 1
            yield Edit("moved", *places, can_change_sent=is_sent and not (is_definition and self.is_unique))
        names = tuple(self._renames(old, new))
        if names:
            yield Edit("renamed", *places, names, can_change_sent=self._matters(new, names))
        if not old.slots and not new.slots:
            return
        changes = tuple(self.sameness.changes(old, new))
        roles = tuple(each for each in changes if each.what == "role")
        others = tuple(each for each in changes if each.what != "role")
        if roles:
            yield Edit("role", *places, roles)
        if others:
            is_broken = isinstance(new.node, Broken | BrokenBlock)
            is_sent = is_broken or not all(each.what in _NOT_SENT for each in others) or new.kind not in _DRAWN_ONLY
            yield Edit("changed", *places, others, can_change_sent=is_sent)

    def _renames(self, old: Element, new: Element) -> Iterator[Change]:
        """What is called otherwise."""
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

    def _matters(self, new: Element, names: tuple[Change, ...]) -> bool:
        """Whether other names can mean something else: to a state, or as parts of the time."""
        for each in names:
            if each.what == "other name" or (each.what == "parameter" and new.kind == "Prompt"):
                return True
            if each.what != "name" or new.kind not in _DEFINITIONS:
                words = {each.old, each.new}
                if words & self.special or any(word.isupper() for word in words):
                    return True
        return False


def _sends(element: Element, *, is_head: bool) -> bool:
    """Whether what came or went can change what is sent."""
    is_drawn_only = element.kind in _DRAWN_ONLY
    return not is_drawn_only or (not is_head and element.size > 1)


def _holders(elements: list[Element], matched: dict[Element, Element]) -> dict[Element, Element | None]:
    """For each element the nearest one around it that is matched."""
    found: dict[Element, Element | None] = {}
    for each in elements:
        found[each] = each.parent if each.parent is None or each.parent in matched else found[each.parent]
    return found


def _n_kept(elements: list[Element], matched: dict[Element, Element]) -> dict[Element, int]:
    """For each element how many of those inside are matched."""
    found = dict.fromkeys(elements, 0)
    for each in reversed(elements):
        if each.parent is not None:
            found[each.parent] += found[each] + (each in matched)
    return found


def _titles(root: Element) -> bool:
    """Whether no definition has the name of another."""
    titles = [each.title for each in root.children if each.title]
    return len(titles) == len(set(titles))


def _name_span(node: Node) -> Span:
    """Where a name stands that a statement gives."""
    for attribute in ("name", "variable"):
        found = getattr(node, attribute, None)
        if isinstance(found, Node):
            return found.span
    return node.targets[0].span if isinstance(node, NameDef) and node.targets else node.span

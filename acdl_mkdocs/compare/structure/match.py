"""Pairs of elements of the old and the new tree that correspond to each other. Knows nothing about edits.

First come definitions of one name, and elements that are unique on both sides, wherever they are; then, from the top
down, equal and similar elements. Last come the remaining ones: equal subtrees at different places, and the contents of
blocks that were added or removed around them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from acdl_mkdocs.compare.structure.elements import Element
from acdl_mkdocs.compare.structure.expression_tokens import drop_names
from acdl_mkdocs.foundation.sequences import match_equal, match_heaviest

_LEAST_LIKE, _LEAST_LIKE_ELSEWHERE = 0.3, 0.6
"""The minimum similarity of two matching statements: at one place, and at different places."""
_FEW_PAIRS = 4_096
_FEW_BESIDE = 200
"""Up to this many remaining statements are searched for those that a block was put around."""
_FEW_AROUND = 400
"""Up to this many pairs of one inside such a block and one beside it are weighed."""
_MOST_WEIGHED = 64
"""The number of elements of a subtree to compare for similarity."""
_LEAST_SIZE = 2
"""The minimum size of a subtree that is matched at another place."""
_STAY = frozenset(("Break", "Continue", "else", "default", "File"))
"""Kinds that are too common to be matched at another place."""
_ARMS = frozenset(("test", "else", "case", "default"))


class Matching:
    """Pairs of elements of two trees, each in at most one."""

    def __init__(self, old: Element, new: Element, same: tuple[str, str] | None = None) -> None:
        """Match the trees; definitions of the two names in `same` are matched in any case."""
        self.new_of: dict[Element, Element] = {}
        self.old_of: dict[Element, Element] = {}
        self._bags: dict[Element, Counter[object]] = {}
        self._pending_pairs: list[tuple[Element, Element]] = []
        self._match_files(old, new, same)
        self._match_moved(old, new)
        self._match_wrapped(new, self.old_of, is_new=True)
        self._match_wrapped(old, self.new_of, is_new=False)
        self._match_similar_elsewhere(old, new)

    # ------------------------------------------------------------------------------------------------------- top down

    def _match_files(self, old: Element, new: Element, same: tuple[str, str] | None) -> None:
        """Match two files: definitions by their names first."""
        self.new_of[old], self.old_of[new] = new, old
        if same is not None:
            sides = ((old, same[0]), (new, same[1]))
            one, other = (next((each for each in root.children if each.title == name), None) for root, name in sides)
            if one is not None and other is not None and one.kind == other.kind:
                self._pair_elements(one, other)
        named = {(each.kind, each.title): each for each in reversed(new.children) if each.title}
        for each in old.children:
            other = named.pop((each.kind, each.title), None) if each.title else None
            if self._is_paired(each) or (other is not None and self._is_paired(other)):
                continue
            if other is not None:
                self._pair_elements(each, other)
        self._match_unique(old, new)
        self._align_statements(old.children, new.children)
        self._match_waiting()

    def _match_unique(self, old: Element, new: Element) -> None:
        """Match elements that are unique on both sides and not empty, except in definitions that are equal."""
        places: tuple[dict[int, Element | None], dict[int, Element | None]] = ({}, {})
        for root, matched, unique in ((old, self.new_of, places[0]), (new, self.old_of, places[1])):
            for each in _changed_elements(root, matched):
                unique[each.key] = None if each.key in unique else each
        for key, element in places[1].items():
            other = places[0].get(key)
            if element is None or other is None or element in self.old_of or other in self.new_of:
                continue
            is_small = element.size < _LEAST_SIZE or element.kind in _ARMS or element.kind in _STAY
            if not is_small and _can_be_one(other, element):
                for one, two in zip(other.walk_elements(), element.walk_elements(), strict=True):
                    if one not in self.new_of and two not in self.old_of:
                        self.new_of[one], self.old_of[two] = two, one

    def _pair_elements(self, old: Element, new: Element) -> None:
        """Pair two elements; their contents are matched later."""
        self.new_of[old], self.old_of[new] = new, old
        self._pending_pairs.append((old, new))

    def _match_waiting(self) -> None:
        """Match the contents of the pairs found so far."""
        while self._pending_pairs:
            old, new = self._pending_pairs.pop()
            if old.key == new.key and not any(self._is_paired(each) for each in (*old.children, *new.children)):
                for one, other in zip(old.children, new.children, strict=True):
                    self._pair_elements(one, other)
            else:
                self._align_statements(old.children, new.children)

    def _is_paired(self, element: Element) -> bool:
        return element in self.new_of or element in self.old_of

    def _align_statements(self, old: Sequence[Element], new: Sequence[Element]) -> None:
        """Match statements of two bodies."""
        olds = [each for each in old if each not in self.new_of]
        news = [each for each in new if each not in self.old_of]
        fixed = match_equal([each.key for each in olds], [each.key for each in news])
        for i, j in fixed:
            self._pair_elements(olds[i], news[j])
        left = right = 0
        for i, j in (*fixed, (len(olds), len(news))):
            self._match_gap(olds[left:i], news[right:j])
            left, right = i + 1, j + 1

    def _match_gap(self, olds: list[Element], news: list[Element]) -> None:
        """Match statements that have no equal."""
        if not olds or not news:
            return
        if len(olds) * len(news) <= _FEW_PAIRS:
            is_sole = _sole_kinds(olds) & _sole_kinds(news)
            pairs = match_heaviest(olds, news, lambda one, other: self._pair_weight(one, other, is_sole))
        else:
            pairs = match_equal([(each.label, each.kind) for each in olds], [(each.label, each.kind) for each in news])
            taken, taken_new = {i for i, _ in pairs}, {j for _, j in pairs}
            i_left = [i for i in range(len(olds)) if i not in taken]
            j_left = [j for j in range(len(news)) if j not in taken_new]
            rest = match_equal([olds[i].body for i in i_left], [news[j].body for j in j_left])
            pairs += [(i_left[i], j_left[j]) for i, j in rest]
        for i, j in pairs:
            if _can_be_one(olds[i], news[j]):
                self._pair_elements(olds[i], news[j])

    def _pair_weight(self, old: Element, new: Element, sole: frozenset[str]) -> float:
        """Return how likely it is that two statements at one place are the same; 0 for not at all."""
        if not _can_be_one(old, new):
            return 0.0
        like = self._element_similarity(old, new)
        if old.kind in ("else", "default") or like >= _LEAST_LIKE:
            return 0.05 + like
        is_certain = old.kind in sole and old.kind not in ("Prompt", "Fragment")
        is_other_role = old.kind == "RoleMessage" and old.label != new.label
        return 0.05 if is_certain and not is_other_role else 0.0

    def _element_similarity(self, old: Element, new: Element) -> float:
        """Return the similarity of two elements, from 0 to 1."""
        if old.key == new.key:
            return 1.0
        like = self._slot_similarity(old, new)
        if old.label == new.label or (old.children and old.body == new.body):
            like = max(like, 0.5) + 0.1
        return min(like, 0.95)

    def _slot_similarity(self, old: Element, new: Element) -> float:
        """Return the share of words and descendants that two elements have in common, from 0 to 1."""
        one, other = self._count_keys(old), self._count_keys(new)
        n_all = one.total() + other.total()
        return 2 * (one & other).total() / n_all if n_all else 0.0

    def _count_keys(self, element: Element) -> Counter[object]:
        """Count the words of an element, and its first descendants by label."""
        bag = self._bags.get(element)
        if bag is None:
            bag = Counter(
                token for slot in element.slots for token in drop_names(slot.tokens) if isinstance(token, str)
            )
            bag.update(each.label for each in islice(element.walk_elements(), 1, _MOST_WEIGHED))
            self._bags[element] = bag
        return bag

    # ----------------------------------------------------------------------------------------------- remaining elements

    def _match_moved(self, old: Element, new: Element) -> None:
        """Match equal subtrees at different places, largest first."""
        places: dict[int, list[Element]] = {}
        for each in _unmatched_elements(old, self.new_of):
            places.setdefault(each.key, []).append(each)
        for queue in places.values():
            queue.reverse()
        for each in sorted(_unmatched_elements(new, self.old_of), key=lambda element: -element.size):
            queue = places.get(each.key, [])
            while queue and each not in self.old_of:
                other = queue.pop()
                if other not in self.new_of and each.kind not in _STAY and _can_be_one(other, each):
                    self._pair_elements(other, each)
            self._match_waiting()

    def _match_wrapped(self, root: Element, mine: dict[Element, Element], *, is_new: bool) -> None:
        """Match the content of an added block with the unmatched statements around it, and vice versa."""
        theirs = self.new_of if is_new else self.old_of
        left: dict[Element, list[Element]] = {}
        for block in _unmatched_elements(root, mine):
            if block in mine or not block.children or block.kind in ("Prompt", "Fragment"):
                continue
            holder = block.parent
            while holder is not None and holder not in mine:
                holder = holder.parent
            if holder is None:
                continue
            if holder not in left:
                left[holder] = [each for each in mine[holder].children if each not in theirs]
            if len(left[holder]) > _FEW_BESIDE:
                continue
            inside = [each for child in block.children for each in (child.children if child.kind in _ARMS else [child])]
            inside = [each for each in inside if each.kind not in _ARMS and each not in mine]
            kinds = {each.kind for each in inside}
            beside = [each for each in left[holder] if each.kind in kinds]
            if not 0 < len(inside) * len(beside) <= _FEW_AROUND:
                continue
            if is_new:
                self._align_statements(beside, inside)
            else:
                self._align_statements(inside, beside)
            self._match_waiting()
            left[holder] = [each for each in left[holder] if each not in theirs]

    def _match_similar_elsewhere(self, old: Element, new: Element) -> None:
        """Match similar blocks at different places."""
        olds = [
            each for each in _unmatched_elements(old, self.new_of) if each.children and each.kind not in _STAY | _ARMS
        ]
        news = [
            each for each in _unmatched_elements(new, self.old_of) if each.children and each.kind not in _STAY | _ARMS
        ]
        if len(olds) * len(news) > _FEW_PAIRS:
            return
        scored = [
            (self._slot_similarity(one, other), -i, -j)
            for i, one in enumerate(olds)
            for j, other in enumerate(news)
            if _can_be_one(one, other)
        ]
        for score, i, j in sorted(scored, reverse=True):
            one, other = olds[-i], news[-j]
            if score >= _LEAST_LIKE_ELSEWHERE and one not in self.new_of and other not in self.old_of:
                self._pair_elements(one, other)
                self._match_waiting()


def _changed_elements(root: Element, matched: dict[Element, Element]) -> Iterator[Element]:
    """Yield elements, parents first, without those that have an equal match and their contents."""
    stack = [root]
    while stack:
        current = stack.pop()
        other = matched.get(current)
        if other is None or other.key != current.key:
            yield current
            stack.extend(reversed(current.children))


def _unmatched_elements(root: Element, matched: dict[Element, Element]) -> list[Element]:
    """Return unmatched elements in order."""
    return [each for each in root.walk_elements() if each not in matched]


def _sole_kinds(elements: Iterable[Element]) -> frozenset[str]:
    """Return the kinds that occur exactly once."""
    counts = Counter(each.kind for each in elements)
    return frozenset(kind for kind, count in counts.items() if count == 1)


def _can_be_one(old: Element, new: Element) -> bool:
    """Return whether an element can have become another: the same kind, and alternatives only alternatives."""
    if old.kind != new.kind:
        return False
    if old.kind in _ARMS:
        return old.parent is not None and new.parent is not None and old.parent.kind == new.parent.kind
    return True

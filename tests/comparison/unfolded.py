"""Differences in which the bodies of extracted and inlined fragments are written out at every use."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from acdl_mkdocs.compare.structure.diff import FragmentInlining
from acdl_mkdocs.compare.structure.edits import CarriedStatement, Difference, Edit, Path
from acdl_mkdocs.compare.structure.elements import Element, Keys, elements_of
from acdl_mkdocs.language.syntax.nodes import Fragment, Node
from acdl_mkdocs.language.syntax.parse import Parsed

_Pair = tuple[Element | None, Element | None]


class Tree:
    """One of both trees, whose elements have paths in it."""

    def __init__(self, parsed: Parsed, written_out: set[Node], keys: Keys) -> None:
        names = {each.name.name for each in written_out if isinstance(each, Fragment)}
        self.side = elements_of(parsed.file, "half-open", keys, inlining=FragmentInlining(parsed.file, names))
        root = self.side.root
        root.children[:] = [each for each in root.children if each.node not in written_out]
        self._at: dict[Path, list[Element]] = {}
        for element in root.walk_elements():
            self._at.setdefault(element.path, []).append(element)
        for element in root.walk_elements():
            for number, child in enumerate(element.children):
                child.path = (*element.path, number)

    def at(self, path: Path | None) -> list[Element | None]:
        """The elements for a path of the text: those of a fragment are at each of its uses."""
        return [None] if path is None else [*self._at.get(path, ())]

    def each_in_turn(self, paths: Iterable[Path], elsewhere: Collection[Path | None]) -> Iterator[Element]:
        """The elements for some paths of the text; for one that is there again the next one.

        Parameters:
            paths: The paths.
            elsewhere: Statements of the text in which they are not.
        """
        outside = {each for path in elsewhere for each in self.at(path)}
        left = {
            path: (each for each in elements if not outside.intersection(_around(each)))
            for path, elements in self._at.items()
        }
        return (next(left[path]) for path in paths)


class Unfolded:
    """Both trees, and the edits between them."""

    def __init__(self, compared: Difference) -> None:
        """Write out the fragments; the edits that say so are left out."""
        self._new_of: dict[Element, Element] = {}
        folds = [edit for edit in compared.edits if _is_fold(edit)]
        self._read(compared, folds)
        if not all(self._every_pair(edit) for edit in compared.edits if edit not in folds):
            folds = []  # these are edits of uses: the fragments were compared as they are
            self._read(compared, folds)
        whole = [edit for edit in compared.edits if None in (edit.old, edit.new) and not edit.is_head]
        for edit in compared.edits:
            if edit in folds or len(self._every_pair(edit)) > 1:
                own = [each for each in edit.carried if _is_inside(each, edit)]  # not of a fragment that it uses
                olds = self.old.each_in_turn((each.old_path for each in own), [each.old_path for each in whole])
                news = self.new.each_in_turn((each.new_path for each in own), [each.new_path for each in whole])
                self._new_of.update(zip(olds, news, strict=True))
        self.edits = [each for edit in compared.edits if edit not in folds for each in self._unfold(edit)]

    def _read(self, compared: Difference, folds: list[Edit]) -> None:
        written_out = {each for edit in folds for each in (edit.old, edit.new) if each is not None}
        keys = Keys()
        self.old, self.new = (Tree(each, written_out, keys) for each in (compared.old, compared.new))

    def _unfold(self, edit: Edit) -> Iterator[Edit]:
        """What an edit of the texts is at every use."""
        carried = [pair for each in edit.carried for pair in self._pairs(each)]
        for old, new in self._pairs(edit):
            inside = [
                CarriedStatement(one.path, other.path)
                for one, other in carried
                if one is not None and other is not None
                if (old or new) in (*_around(one), *_around(other))
            ]
            old_path, new_path = (None if each is None else each.path for each in (old, new))
            yield replace(edit, old_path=old_path, new_path=new_path, carried=tuple(inside))

    def _pairs(self, edit: Edit | CarriedStatement) -> list[_Pair]:
        """The elements that an edit is about."""
        every = self._every_pair(edit)
        return every if len(every) == 1 else [pair for pair in every if self._is_at_one_use(*pair)]

    def _every_pair(self, edit: Edit | CarriedStatement) -> list[_Pair]:
        return [(old, new) for old in self.old.at(edit.old_path) for new in self.new.at(edit.new_path)]

    def _is_at_one_use(self, old: Element | None, new: Element | None) -> bool:
        if old is None or new is None:
            return True
        outer = next((each for each in _around(old) if each in self._new_of), None)
        return outer is not None and self._new_of[outer] in _around(new)


def _is_fold(edit: Edit) -> bool:
    """Whether an edit is about a fragment that was extracted or inlined."""
    is_around = edit.kind in ("wrapped", "unwrapped")
    return is_around and isinstance(edit.new or edit.old, Fragment) and not edit.can_change_sent


def _is_inside(carried: CarriedStatement, edit: Edit) -> bool:
    """Whether a carried statement is in the same definition as the block around it."""
    if edit.new_path is not None:
        return carried.new_path[:1] == edit.new_path[:1]
    return edit.old_path is not None and carried.old_path[:1] == edit.old_path[:1]


def _around(element: Element) -> Iterator[Element]:
    """An element and those around it."""
    current: Element | None = element
    while current is not None:
        yield current
        current = current.parent

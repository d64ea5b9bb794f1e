"""Texts compared, versions of texts for properties, and edits applied to a tree."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from hypothesis import strategies as st

from acdl_mkdocs.compare.structure.diff import diff
from acdl_mkdocs.compare.structure.edits import Difference, Edit, Path
from acdl_mkdocs.compare.structure.elements import Element, Side
from acdl_mkdocs.compare.structure.expression_tokens import BoundName, NamedValue
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.nodes import If, NameDef, Switch
from acdl_mkdocs.language.syntax.parse import parse
from comparison.unfolded import Unfolded


def difference(old: str, new: str) -> Difference:
    """What changed from one text to another."""
    return diff(parse(Source(old, "old.acdl")), parse(Source(new, "new.acdl")))


def told(old: str, new: str) -> list[str]:
    """The edits, each in a few words."""
    return [_words(edit) for edit in difference(old, new).edits]


def _words(edit: Edit) -> str:
    changes = "; ".join(f"{each.what} {each.old} -> {each.new}" for each in edit.changes)
    node = type(edit.new or edit.old).__name__
    return f"{edit.kind} {node}" + (f": {changes}" if changes else "")


# ----------------------------------------------------------------------------------------------------- applying edits


@dataclass(eq=False)
class Shape:
    """A statement as plain data, without places."""

    kind: str
    said: dict[str, object]
    inner: list["Shape"] = field(default_factory=list)
    parent: "Shape | None" = None

    def plain(self) -> object:
        """For comparing."""
        return (self.kind, self.said, [each.plain() for each in self.inner])


def _said(element: Element, names: dict[tuple[Path, str], str]) -> dict[str, object]:
    """What a statement says, with names as they are called by now."""
    said: dict[str, object] = {}
    for slot in element.slots:
        said[slot.what] = [
            (type(each).__name__, names.get((each.owner.path, each.name), each.name or each.owner.title))
            if isinstance(each, BoundName | NamedValue) and isinstance(each.owner, Element)
            else each
            for each in slot.tokens
        ]
    if element.title:
        said["title"] = names.get((element.path, ""), element.title)
    if element.binds:
        owner = element.definition.path if isinstance(element.node, NameDef) and element.definition else element.path
        said["binds"] = [names.get((owner, each), each) for each in element.binds]
    return said


def _shapes(side: Side, names: dict[tuple[Path, str], str]) -> dict[Path, Shape]:
    found: dict[Path, Shape] = {}
    for element in side.root.walk_elements():
        shape = Shape(element.kind, _said(element, names))
        found[element.path] = shape
        if element.path:
            shape.parent = found[element.path[:-1]]
            shape.parent.inner.append(shape)
    return found


def aim(compared: Difference) -> object:
    """The new tree as plain data; the bodies of extracted fragments replace their uses, which have no edits."""
    return _shapes(Unfolded(compared).new.side, {})[()].plain()


def applied(compared: Difference) -> object:
    """The old tree with all edits made to it, as plain data; of the new tree only what edits have is looked at.

    The bodies of extracted and inlined fragments replace their uses in both trees.
    """
    unfolded = Unfolded(compared)
    old, new, edits = unfolded.old.side, unfolded.new.side, unfolded.edits
    elements = {each.path: each for each in old.root.walk_elements()}
    olds, news = _shapes(old, _renames(edits, elements)), _shapes(new, {})
    arriving = _moving(edits, olds)
    leaving = [olds[each.old_path] for each in edits if each.new is None and each.old_path is not None]
    for shape in (*arriving.values(), *leaving):
        if shape.parent is not None and shape in shape.parent.inner:
            shape.parent.inner.remove(shape)
    for edit in edits:
        if edit.new_path is None:
            continue
        if edit.old_path is None:
            arriving.update(_arrivals(edit, news[edit.new_path], edits))
        else:
            _change(olds[edit.old_path], news[edit.new_path], edit)
    for path in sorted(arriving):
        holder = olds[()]
        for position in path[:-1]:
            holder = holder.inner[position]
        holder.inner.insert(path[-1], arriving[path])
    return olds[()].plain()


def _moving(edits: Iterable[Edit], olds: dict[Path, Shape]) -> dict[Path, Shape]:
    """The statements that have another place in the tree, by their new paths."""
    moving: dict[Path, Shape] = {}
    for edit in edits:
        moving.update({each.new_path: olds[each.old_path] for each in edit.carried})
        if edit.kind == "moved" and edit.new_path is not None and edit.old_path is not None:
            moving[edit.new_path] = olds[edit.old_path]
    return moving


def _renames(edits: Iterable[Edit], elements: dict[Path, Element]) -> dict[tuple[Path, str], str]:
    """What renamed names are called, by the path of their binder."""
    names: dict[tuple[Path, str], str] = {}
    for edit in edits:
        if edit.kind != "renamed" or edit.old_path is None:
            continue
        element = elements[edit.old_path]
        for change in edit.changes:
            if change.what == "name" and isinstance(element.node, NameDef):
                assert element.definition is not None
                names[element.definition.path, change.old] = change.new
            elif change.what == "name":
                names[edit.old_path, ""] = change.new
            elif change.what in ("variable", "parameter") and change.old in element.binds:
                names[edit.old_path, change.old] = change.new
    return names


def _change(old: Shape, new: Shape, edit: Edit) -> None:
    """Take over what an edit says is otherwise; names are taken over by renames alone."""
    names = ("title", "binds")
    if edit.kind in ("changed", "role"):
        kept = {what: said for what, said in old.said.items() if what in names}
        old.said = {**{what: said for what, said in new.said.items() if what not in names}, **kept}
    if any(change.what == "title" for change in edit.changes):
        old.said["title"] = new.said["title"]
    is_other_title = "title" in old.said and len(_binds(old)) != len(_binds(new))
    if is_other_title or any(change.what == "other name" for change in edit.changes):
        old.said = {what: said for what, said in old.said.items() if what != "binds"}
        old.said.update({what: said for what, said in new.said.items() if what == "binds"})


def _binds(shape: Shape) -> list[object]:
    """The names that a statement binds, in its title or header."""
    binds = shape.said.get("binds", [])
    assert isinstance(binds, list)
    return binds


def _arrivals(edit: Edit, shape: Shape, edits: Iterable[Edit]) -> dict[Path, Shape]:
    """What an edit brings: a whole statement, or the head of one with the alternatives that have no edits."""
    assert edit.new_path is not None
    if not edit.is_head:
        return {edit.new_path: shape}
    brought = {edit.new_path: Shape(shape.kind, shape.said)}
    if isinstance(edit.new, If | Switch):
        own = {each.new_path for each in edits if each.kind in ("added", "wrapped", "moved")}
        own |= {each.new_path for each in edit.carried}
        for number, arm in enumerate(shape.inner):
            path = (*edit.new_path, number)
            if path not in own:
                brought[path] = Shape(arm.kind, arm.said)
    return brought


# ----------------------------------------------------------------------------------------------------------- versions

CHANGED_WORDS = (
    ("env.q", "sys.x"),
    ("range(1,", "range(2,"),
    ("U:", "A:"),
    ("@t]", "@T]"),
    ("T_TEXT", "U_TEXT"),
    (" == ", " = "),
    (" and ", " && "),
    ("If ", "if "),
    ("\n", "\n\n    // said\n"),
    ("t:", "s:"),
    ("Name n", "Name m"),
    ("break", "continue"),
    ("Else", "ElseIf env.q"),
)
_AROUND = (
    "Mark 1 {{\n{}\n}}",
    "If env.q {{\n{}\n}}",
    "ForEach(w: env.list) {{\n{}\n}}",
    "If true {{ }} Else {{\n{}\n}}",
)
_RENAMES = (("v", "w"), ("t", "s"), ("n", "m"), ("i", "k"))


@st.composite
def versions(draw: st.DrawFn, statements: st.SearchStrategy[str]) -> tuple[str, str]:
    """Statements, and others that were made of them."""
    old = draw(st.lists(statements, min_size=1, max_size=4))
    new = list(old)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(new) - 1)) if new else 0
        match draw(st.sampled_from(("take", "double", "move", "wrap", "word", "put", "rename"))):
            case "put":
                new.insert(at, draw(statements))
            case _ if not new:
                continue
            case "take":
                del new[at]
            case "double":
                new.insert(at, new[at])
            case "move":
                new.insert(draw(st.integers(0, len(new) - 1)), new.pop(at))
            case "wrap":
                new[at] = draw(st.sampled_from(_AROUND)).format(new[at])
            case "word":
                new[at] = new[at].replace(*draw(st.sampled_from(CHANGED_WORDS)))
            case _:
                new[at] = renamed(new[at], *draw(st.sampled_from(_RENAMES)))
    return "\n".join(old), "\n".join(new)


def renamed(text: str, old: str, new: str) -> str:
    """A text in which a name is another wherever it stands as a word of its own."""
    return re.sub(rf"\b{old}\b", new, text)

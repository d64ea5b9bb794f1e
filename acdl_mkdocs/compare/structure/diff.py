"""`diff()`: all changes between two texts, including those in fragments of other files."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from acdl_mkdocs.compare.structure.comments import comment_edits
from acdl_mkdocs.compare.structure.edits import CarriedStatement, Change, Difference, Edit, EditKind
from acdl_mkdocs.compare.structure.elements import (
    Element,
    InlinedUse,
    Keys,
    PlacedStatement,
    Side,
    elements_of,
    statements_in,
)
from acdl_mkdocs.compare.structure.expression_tokens import names_bound_by
from acdl_mkdocs.compare.structure.tree_edits import TreeEdits
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.language.names.library import LibraryEntry
from acdl_mkdocs.language.names.resolve import Resolved, binding_part
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Content,
    File,
    ForEach,
    Fragment,
    FragUse,
    Index,
    LoopControl,
    MessageNumber,
    NameDef,
    NameRef,
    Node,
    Path,
    RoleMessage,
    Symbol,
    TimeIndex,
    walk,
)
from acdl_mkdocs.language.syntax.parse import Parsed, parse
from acdl_mkdocs.language.syntax.pragmas import all_pragmas
from acdl_mkdocs.language.syntax.tokenize import tokenize

_MOST_STATEMENTS = 20_000
"""Limit of statements of fragments that replace uses; further uses are kept."""


class FragmentInlining:
    """Replaces the uses of the fragments of one text by their bodies."""

    def __init__(self, file: File, names: Collection[str]) -> None:
        """Collect the fragments of a text that have one of the names."""
        named = [(item, at) for at, item in enumerate(statements_in(file)) if isinstance(item, Fragment)]
        counts = Counter(item.name.name for item, _ in named if item.name.name in names)
        self._fragments = {item.name.name: (item, at) for item, at in named if counts[item.name.name] == 1}
        self._is_movable: dict[Fragment, bool] = {}
        self._names: dict[Element, set[str]] = {}
        """The `Name`s of each definition."""
        self._names_put: dict[Element, set[str]] = {}
        """Those of the fragments that are put into it."""
        self._n_left = _MOST_STATEMENTS
        self.uses: dict[str, FragUse] = {}
        """The fragments that are put in the place of uses, each with the first use."""

    def expand_statements(self, around: Element, statements: Sequence[PlacedStatement]) -> Iterator[PlacedStatement]:
        """Yield the statements directly inside an element, with those of the fragments that it uses."""
        stack = list(reversed(statements))
        outer = _uses_around(around)
        while stack:
            placed = stack.pop()
            inlined = self._find_fragment(placed.node, around, (*outer, *placed.uses))
            if inlined is None:
                yield placed
                continue
            use, at = inlined
            self.uses.setdefault(use.fragment.name.name, use.node)
            body = statements_in(use.fragment)
            self._n_left -= len(body)
            uses = (*placed.uses, use)
            stack += [PlacedStatement(each, (at, number), uses) for number, each in reversed(list(enumerate(body)))]

    def _find_fragment(self, node: Node, around: Element, outer: Sequence[InlinedUse]) -> tuple[InlinedUse, int] | None:
        """Return the fragment that a statement uses and its number in the text, if it can be inlined."""
        value = node.value if isinstance(node, Content) else None
        if not isinstance(value, FragUse) or value.name.name not in self._fragments or around.definition is None:
            return None
        fragment, at = self._fragments[value.name.name]
        arguments = [each for part in value.parts if isinstance(part, (Index, Arguments)) for each in part.values]
        is_text = isinstance(around.definition.node, Fragment) and around.definition.node.kind == "string"
        is_text = is_text or any(isinstance(each.node, RoleMessage) for each in _enclosing_elements(around))
        is_fitting = len(arguments) == len(fragment.parameters) and is_text == (fragment.kind == "string")
        is_inside = around.definition.node is fragment or any(use.fragment is fragment for use in outer)
        if not is_fitting or is_inside or self._n_left < len(fragment.body):
            return None
        if any(isinstance(each, MessageNumber) for value in arguments for each in walk(value)):
            return None  # it counts the messages before the use
        if fragment not in self._is_movable:
            self._is_movable[fragment] = _is_movable(fragment)
        if not self._is_movable[fragment] or not self._takes_names(fragment, around.definition):
            return None
        return InlinedUse(fragment, value), at

    def _takes_names(self, fragment: Fragment, definition: Element) -> bool:
        """Return whether no `Name` of a fragment conflicts with one of the definition that it is put into.

        Several uses may define the same one, where each defines it before it reads it.
        """
        names = _names_in(fragment)
        if definition not in self._names:
            self._names[definition] = _names_in(definition.node)
        own = self._names[definition]
        taken = self._names_put.setdefault(definition, set())
        if own & names or (taken & names and not _defines_first(fragment)):
            return False
        taken |= names
        return True


def _enclosing_elements(element: Element) -> Iterator[Element]:
    """Yield an element and those around it."""
    current: Element | None = element
    while current is not None:
        yield current
        current = current.parent


def _uses_around(element: Element) -> tuple[InlinedUse, ...]:
    return tuple(use for each in _enclosing_elements(element) for use in each.uses)


def _names_in(definition: Node) -> set[str]:
    return {
        target.name
        for node in walk(definition)
        if isinstance(node, NameDef)
        for target in node.targets
        if isinstance(target, (Path, TimeIndex))
    }


def _defines_first(fragment: Fragment) -> bool:
    """Return whether a fragment certainly defines its `Name`s before it reads any."""
    defined: set[str] = set()
    for statement in fragment.body:
        is_definition = isinstance(statement, NameDef)
        read = _names_read_in(statement.value if isinstance(statement, NameDef) else statement)
        if not read <= defined or (not is_definition and _names_in(statement)):
            return False
        defined |= _names_in(statement)
    return True


def _names_read_in(node: Node) -> set[str]:
    return {
        each.name
        for each in walk(node)
        if isinstance(each, NameRef) or (isinstance(each, TimeIndex) and each.is_reference)
        if isinstance(each, (NameRef, TimeIndex))
    }


def _is_movable(fragment: Fragment) -> bool:
    """Return whether the body of a fragment means the same in place of its uses."""
    plain = [binding_part(each) for each in fragment.parameters]
    if any(not names_bound_by(each) or getattr(each, "is_reference", False) for each in plain):
        return False
    if any(isinstance(each, Symbol) and each.parts for each in plain):
        return False
    has_steps = any(isinstance(each, TimeIndex) and each.parts for each in plain)
    names, parameter_names = _names_in(fragment), {name for each in plain for name in names_bound_by(each)}
    if not _names_read_in(fragment) <= names:
        return False
    for node in walk(fragment):
        if isinstance(node, TimeIndex) and not node.name and not node.is_reference:
            return False
        if has_steps and isinstance(node, TimeIndex) and node.name.isupper() and node.name not in parameter_names:
            return False  # in such a fragment the time is that of its parameter
    return not any(map(_has_loop_control, fragment.body))


def _has_loop_control(statement: Node) -> bool:
    """Return whether a statement controls a loop around it."""
    if isinstance(statement, LoopControl):
        return True
    return not isinstance(statement, ForEach) and any(map(_has_loop_control, statements_in(statement)))


@dataclass(frozen=True, slots=True)
class FragmentPair:
    """The fragments that one name refers to on both sides."""

    name: str
    old: LibraryEntry | None
    """`None` where nothing defines it."""
    new: LibraryEntry | None
    old_span: Span
    """The place in the old text that leads to it."""
    new_span: Span


def find_fragment_pairs(resolved: tuple[Resolved, Resolved], parsed: tuple[Parsed, Parsed]) -> Iterator[FragmentPair]:
    """Yield each fragment that both texts use but do not define, in the order of the new text.

    A name that only one side uses is covered by the edit of its use.

    Parameters:
        resolved: Both texts with the texts that they use.
        parsed: The compared parts of both texts.
    """
    uses = [_first_uses(each.file) for each in parsed]
    stack = [
        (name, (resolved[0].source, resolved[1].source), (uses[0][name], span))
        for name, span in reversed(uses[1].items())
        if name in uses[0]
    ]
    seen = set[tuple[str, int, int]]()
    while stack:
        name, sources, spans = stack.pop()
        old, new = (_resolve_fragment(each, name, source) for each, source in zip(resolved, sources, strict=True))
        key = (name, id(old.node if old else None), id(new.node if new else None))
        if key in seen or (old is None and new is None):
            continue
        seen.add(key)
        if not _is_own(old, resolved[0], sources[0]) or not _is_own(new, resolved[1], sources[1]):
            yield FragmentPair(name, old, new, *spans)
        if old is not None and new is not None:
            inner = _first_uses(old.node), _first_uses(new.node)
            both = [each for each in inner[1] if each in inner[0]]
            stack += ((each, (old.source, new.source), spans) for each in reversed(both))


def _first_uses(root: Node) -> dict[str, Span]:
    """Return the names of the fragments used in a tree, with the place of the first use."""
    places: dict[str, Span] = {}
    for node in walk(root):
        if isinstance(node, FragUse):
            places.setdefault(node.name.name, node.span)
    return places


def _resolve_fragment(resolved: Resolved, name: str, source: Source) -> LibraryEntry | None:
    """Return the fragment that a name refers to in a text."""
    entry = resolved.library.resolve_fragment(source, name) if source is not resolved.source else None
    return entry or resolved.find_fragment(name)


def _is_own(entry: LibraryEntry | None, resolved: Resolved, source: Source) -> bool:
    """Return whether a text itself defines what it uses, so that it is compared with the whole text."""
    return entry is not None and entry.source is resolved.source and source is resolved.source


_START = Span(0, 0)


def diff(
    old: Parsed,
    new: Parsed,
    mode: RangeMode = "half-open",
    same: tuple[str, str] | None = None,
    new_mode: RangeMode | None = None,
    resolved: tuple[Resolved, Resolved] | None = None,
) -> Difference:
    """Compare two texts; never raises.

    Parameters:
        old: The old text.
        new: The new text.
        mode: How `range(a, b)` is read by default.
        same: A definition of the old text and one of the new that are compared with each other in any case.
        new_mode: How ranges of the new text are read, if differently.
        resolved: Both texts with the texts that they use, whose fragments are then compared too. Without it, a text
            that uses fragments of files that it names may always send something different.
    """
    with system.pause_collector():
        modes = mode, new_mode or mode
        difference, sides = _diff_trees(old, new, modes, same, frozenset())
        difference = inline_fragments(difference, modes, same)
        broken = _diff_broken(old, new, same)
        setting = _diff_settings(old, new, sides, difference.edits, is_known=resolved is not None)
        if resolved is None:
            return _add_edits(difference, (*broken, *setting, *_unread_edits(old, new, sides)))
        fragment_edits, inside = _diff_used_fragments(resolved, old, new, sides)
        return _add_edits(difference, (*broken, *setting, *fragment_edits), tuple(inside))


def inline_fragments(
    difference: Difference, modes: tuple[RangeMode, RangeMode], same: tuple[str, str] | None
) -> Difference:
    """Return the difference with each extracted or inlined fragment reported once, as such.

    If a fragment is new and its content existed before wherever it is used, its uses are compared as if its body
    replaced them; likewise if it was removed.
    """
    files = difference.old.file, difference.new.file
    names = _fragment_names(files[0]), _fragment_names(files[1])
    if difference.is_equal_sent or not any(names):
        return difference
    every = _compare_inlined(files, modes, same, names)
    one_sided = names[0] - names[1], names[1] - names[0]
    if any(one_sided):
        # The uses of a fragment of both sides are compared as uses; only the verdict depends on its body.
        inlined = every if one_sided == names else _compare_inlined(files, modes, same, one_sided)
        if inlined.is_shorter_than(difference.edits):
            pairs = {new.node: old.node for new, old in reversed(inlined.trees.old_of.items())}
            edits = (*inlined.fragment_edits, *inlined.edits)
            difference = replace(difference, edits=edits, comments=comment_edits(*files, pairs), pairs=pairs)
    if every.is_equal_sent:
        return replace(difference, edits=tuple(replace(edit, can_change_sent=False) for edit in difference.edits))
    return difference


def _fragment_names(file: File) -> set[str]:
    return {each.name.name for each in file.items if isinstance(each, Fragment)}


@dataclass(frozen=True, slots=True)
class _InlinedTrees:
    """Two trees in which the bodies of fragments replace their uses, and the changes between them."""

    trees: TreeEdits
    edits: tuple[Edit, ...]
    """Those outside of the definitions of the fragments."""
    fragment_edits: tuple[Edit, ...]
    """One for each fragment that was extracted or inlined."""
    n_fragments: int
    """The number of the used fragments that only one side has."""

    @property
    def is_equal_sent(self) -> bool:
        """Whether both trees certainly send the same."""
        return not any(edit.can_change_sent for edit in self.edits)

    def is_shorter_than(self, edits: tuple[Edit, ...]) -> bool:
        """Return whether each fragment was extracted or inlined, and reporting that is shorter than other edits."""
        if not 0 < len(self.fragment_edits) == self.n_fragments:
            return False
        return self.is_equal_sent or len(self.fragment_edits) + len(self.edits) < len(edits)


def _compare_inlined(
    files: tuple[File, File],
    modes: tuple[RangeMode, RangeMode],
    same: tuple[str, str] | None,
    names: tuple[set[str], set[str]],
) -> _InlinedTrees:
    """Compare two trees in which the bodies of the named fragments replace their uses."""
    keys = Keys()
    inlinings = FragmentInlining(files[0], names[0]), FragmentInlining(files[1], names[1])
    sides = [
        elements_of(file, mode, keys, inlining=inlining)
        for file, mode, inlining in zip(files, modes, inlinings, strict=True)
    ]
    titles = [{each.title for each in side.root.children if each.kind == "Fragment"} for side in sides]
    outer: list[list[Element]] = []
    for at, side in enumerate(sides):
        one_sided = set(inlinings[at].uses) & (titles[at] - titles[1 - at])
        outer.append([each for each in side.root.children if each.kind == "Fragment" and each.title in one_sided])
        side.root.children[:] = [each for each in side.root.children if each not in outer[-1]]
    trees = TreeEdits(sides[0], sides[1], same)
    fragment_edits = (*_fragment_edits(outer[0], trees, is_new=False), *_fragment_edits(outer[1], trees, is_new=True))
    return _InlinedTrees(
        trees, tuple(_join_repeated(trees.find_edits())), fragment_edits, len(outer[0]) + len(outer[1])
    )


def _join_repeated(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield each edit once, although a fragment may replace several uses."""
    joined: dict[tuple[object, ...], Edit] = {}
    for edit in edits:
        key = (edit.kind, edit.old, edit.new, edit.changes)
        first = joined.get(key)
        joined[key] = edit if first is None else replace(first, carried=(*first.carried, *edit.carried))
    yield from joined.values()


def _fragment_edits(fragments: Sequence[Element], trees: TreeEdits, *, is_new: bool) -> Iterator[Edit]:
    """Yield the edits of fragments that are on one side only and whose content is mostly on both.

    Edits do not name the uses. So each statement of the fragment has to be on both sides at every use or at none,
    except uses that a wholly added or removed statement shows.
    """
    matched, root = (trees.old_of, trees.new.root) if is_new else (trees.new_of, trees.old.root)
    inside: dict[Node, list[Element]] = {}
    for each in root.walk_elements():
        for use in each.uses:
            if not trees.is_covered(each, is_new=is_new):
                inside.setdefault(use.fragment, []).append(each)
    for fragment in fragments:
        statements = inside.get(fragment.node, [])
        all_inside = [each for outer in statements for each in outer.walk_elements()]
        on_both = [each for each in all_inside if each in matched]
        on_one = {each.node for each in all_inside if each not in matched}
        is_clear = all(each.node not in on_one and trees.is_in_place(each, is_new=is_new) for each in on_both)
        if not is_clear or not on_both or 2 * len(on_both) < len(all_inside):
            continue
        carried = tuple(
            CarriedStatement(matched[each].path, each.path)
            if is_new
            else CarriedStatement(each.path, matched[each].path)
            for each in statements
            if each in matched
        )
        kind: EditKind = "wrapped" if is_new else "unwrapped"
        edit = Edit(kind, None, None, None, None, (), carried, is_head=True, can_change_sent=False)
        if is_new:
            yield replace(edit, new=fragment.node, new_path=fragment.path)
        else:
            yield replace(edit, old=fragment.node, old_path=fragment.path)


def _diff_trees(
    old: Parsed, new: Parsed, modes: tuple[RangeMode, RangeMode], same: tuple[str, str] | None, special: frozenset[str]
) -> tuple[Difference, tuple[Side, Side]]:
    """Compare two trees and their comments."""
    keys = Keys()
    sides = elements_of(old.file, modes[0], keys, special), elements_of(new.file, modes[1], keys, special)
    trees = TreeEdits(*sides, same)
    pairs = {new.node: old.node for new, old in trees.old_of.items()}
    return Difference(old, new, trees.find_edits(), comment_edits(old.file, new.file, pairs), pairs), sides


def _add_edits(difference: Difference, edits: tuple[Edit, ...], used: tuple[Difference, ...] = ()) -> Difference:
    return Difference(
        difference.old, difference.new, (*edits, *difference.edits), difference.comments, difference.pairs, used
    )


def _whole_text_edit(old: Parsed, new: Parsed, *changes: Change, can_change_sent: bool = True) -> Edit:
    """Return an edit about both texts as a whole."""
    return Edit("setting", old.file, new.file, (), (), changes, can_change_sent=can_change_sent)


# ------------------------------------------------------------------------------------------------- outside statements


def _diff_broken(old: Parsed, new: Parsed, same: tuple[str, str] | None) -> Iterator[Edit]:
    """Compare the words of texts that were not understood, because they may be in no tree."""
    counts = [sum(each.severity == "error" for each in side.diagnostics) for side in (old, new)]
    if not any(counts):
        return
    is_one = same is None or same[0] == same[1]
    if is_one and all(counts) and _token_texts(old) == _token_texts(new):
        return
    one, other = (format_count(each, "syntax error") if each else "all understood" for each in counts)
    places = _first_error(old), _first_error(new)
    new_state = f"{other}, other words" if one == other else other
    yield _whole_text_edit(old, new, Change("what is not understood", one, new_state, *places))


def _first_error(parsed: Parsed) -> Span:
    return next((each.label.span for each in parsed.diagnostics if each.severity == "error"), _START)


def _token_texts(parsed: Parsed) -> list[str]:
    """Return all words of a text except its comments."""
    return [each.text for each in tokenize(parsed.source.text).tokens]


def _diff_settings(
    old: Parsed, new: Parsed, sides: tuple[Side, Side], edits: tuple[Edit, ...], *, is_known: bool
) -> Iterator[Edit]:
    """Yield changed settings in comments, and changes that affect how the text is read."""
    modes = ["inclusive" if side.is_inclusive else "half-open" for side in sides]
    is_in_bounds = any(change.what == "bounds" for edit in edits for change in edit.changes)
    if modes[0] != modes[1] and (is_in_bounds or any(side.uses_elsewhere for side in sides)):
        yield _whole_text_edit(old, new, Change("range", modes[0], modes[1], _START, _START))
    used = _named_files(old), _named_files(new)
    if used[0] != used[1] and any(side.uses_elsewhere for side in sides):
        names = Change("used files", ", ".join(used[0]), ", ".join(used[1]), _START, _START)
        yield _whole_text_edit(old, new, names, can_change_sent=not is_known)


def _named_files(parsed: Parsed) -> list[str]:
    return sorted({name for each in all_pragmas(parsed.file, parsed.source) for name, _ in each.files})


# ------------------------------------------------------------------------------------------------------ used texts


def _unread_edits(old: Parsed, new: Parsed, sides: tuple[Side, Side]) -> Iterator[Edit]:
    """Yield edits for files that a text names and that were not read, so that their fragments are unknown."""
    names = sorted({*_named_files(old), *_named_files(new)})
    if names and any(side.uses_elsewhere for side in sides):
        text = f"not read: {', '.join(names)}"
        yield _whole_text_edit(old, new, Change("used fragments", text, text, _START, _START))


def _diff_used_fragments(
    resolved: tuple[Resolved, Resolved], old: Parsed, new: Parsed, sides: tuple[Side, Side]
) -> tuple[list[Edit], list[Difference]]:
    """Return edits for changed fragments of other texts, and the edits inside those fragments."""
    edits: list[Edit] = []
    inside: list[Difference] = []
    special = sides[0].special | sides[1].special
    modes: tuple[RangeMode, RangeMode] = tuple("inclusive" if side.is_inclusive else "half-open" for side in sides)  # type: ignore[assignment]
    for pair in find_fragment_pairs(resolved, (old, new)):
        if pair.old is None or pair.new is None:
            edits.append(_whole_text_edit(old, new, _fragment_change(pair)))
            continue
        if pair.old.source.text == pair.new.source.text and modes[0] == modes[1]:
            continue
        both = _single_fragment(pair.old), _single_fragment(pair.new)
        difference, _ = _diff_trees(*both, modes, (pair.name, pair.name), special)
        difference = _add_edits(difference, tuple(_diff_broken(*both, None)))
        if difference.edits:
            inside.append(difference)
            edits.append(
                _whole_text_edit(old, new, _fragment_change(pair), can_change_sent=not difference.is_equal_sent)
            )
    return edits, inside


def _single_fragment(entry: LibraryEntry) -> Parsed:
    """Return a fragment as a separate text that keeps its places."""
    items = (entry.node,)
    return Parsed(entry.source, File(span=entry.node.span, items=items), _syntax_errors(entry.source))


@lru_cache(maxsize=32)
def _syntax_errors(source: Source) -> tuple[Diagnostic, ...]:
    """Return the syntax errors of a used text, since its library has only its definitions."""
    return parse(source).diagnostics


def _fragment_change(pair: FragmentPair) -> Change:
    old, new = (f"{pair.name} of {entry.source.name}" if entry else "" for entry in (pair.old, pair.new))
    return Change("used fragment", old, new, pair.old_span, pair.new_span)

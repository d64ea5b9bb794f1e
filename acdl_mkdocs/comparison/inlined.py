"""Fragments in the place of their uses, so that one that was extracted or inlined is the same as what it says.

Only where nothing can mean something else there; everywhere else a use stays a use.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from acdl_mkdocs.comparison.elements import Element, Placed, Use, statements_in
from acdl_mkdocs.comparison.tokens import names_bound_by
from acdl_mkdocs.language.names.resolve import bare
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

_MOST_STATEMENTS = 20_000
"""Statements of fragments that are put in the place of uses; further uses stay uses."""


class FragmentInlining:
    """Puts the bodies of the fragments of one text in the place of their uses."""

    def __init__(self, file: File) -> None:
        """Look at the fragments of a text."""
        named = [(item, at) for at, item in enumerate(statements_in(file)) if isinstance(item, Fragment)]
        counts = Counter(item.name.name for item, _ in named)
        self._fragments = {item.name.name: (item, at) for item, at in named if counts[item.name.name] == 1}
        self._is_movable: dict[Fragment, bool] = {}
        self._names: dict[Element, set[str]] = {}
        """The `Name`s of each definition."""
        self._names_put: dict[Element, set[str]] = {}
        """Those of the fragments that are put into it."""
        self._n_left = _MOST_STATEMENTS
        self.uses: dict[str, FragUse] = {}
        """The fragments that are put in the place of uses, each with the first use."""

    def expanded(self, around: Element, statements: Sequence[Placed]) -> Iterator[Placed]:
        """The statements directly inside an element, with those of the fragments that it uses."""
        waiting = list(reversed(statements))
        outer = _uses_around(around)
        while waiting:
            placed = waiting.pop()
            found = self._used(placed.node, around, (*outer, *placed.uses))
            if found is None:
                yield placed
                continue
            use, at = found
            self.uses.setdefault(use.fragment.name.name, use.node)
            body = statements_in(use.fragment)
            self._n_left -= len(body)
            uses = (*placed.uses, use)
            waiting += [Placed(each, (at, number), uses) for number, each in reversed(list(enumerate(body)))]

    def _used(self, node: Node, around: Element, outer: Sequence[Use]) -> tuple[Use, int] | None:
        """The fragment that a statement uses and its number in the text, if it can be put there."""
        value = node.value if isinstance(node, Content) else None
        if not isinstance(value, FragUse) or value.name.name not in self._fragments or around.definition is None:
            return None
        fragment, at = self._fragments[value.name.name]
        arguments = [each for part in value.parts if isinstance(part, Index | Arguments) for each in part.values]
        is_text = isinstance(around.definition.node, Fragment) and around.definition.node.kind == "string"
        is_text = is_text or any(isinstance(each.node, RoleMessage) for each in _around(around))
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
        return Use(fragment, value), at

    def _takes_names(self, fragment: Fragment, definition: Element) -> bool:
        """Whether no `Name` of a fragment can be read for one of the definition that it is put into.

        Several uses may define the same one, where each defines it before it reads it.
        """
        names = _names_in(fragment)
        own = self._names.setdefault(definition, _names_in(definition.node))
        taken = self._names_put.setdefault(definition, set())
        if own & names or (taken & names and not _defines_first(fragment)):
            return False
        taken |= names
        return True


def _around(element: Element) -> Iterator[Element]:
    """An element and those around it."""
    current: Element | None = element
    while current is not None:
        yield current
        current = current.parent


def _uses_around(element: Element) -> tuple[Use, ...]:
    return tuple(use for each in _around(element) for use in each.uses)


def _names_in(definition: Node) -> set[str]:
    return {
        target.name
        for node in walk(definition)
        if isinstance(node, NameDef)
        for target in node.targets
        if isinstance(target, Path | TimeIndex)
    }


def _defines_first(fragment: Fragment) -> bool:
    """Whether a fragment defines its `Name`s before it reads any, whatever is true."""
    known: set[str] = set()
    for statement in fragment.body:
        is_definition = isinstance(statement, NameDef)
        read = _read_in(statement.value if isinstance(statement, NameDef) else statement)
        if not read <= known or (not is_definition and _names_in(statement)):
            return False
        known |= _names_in(statement)
    return True


def _read_in(node: Node) -> set[str]:
    return {
        each.name
        for each in walk(node)
        if isinstance(each, NameRef) or (isinstance(each, TimeIndex) and each.is_reference)
        if isinstance(each, NameRef | TimeIndex)
    }


def _is_movable(fragment: Fragment) -> bool:
    """Whether the body of a fragment means the same in the place of its uses."""
    plain = [bare(each) for each in fragment.parameters]
    if any(not names_bound_by(each) or getattr(each, "is_reference", False) for each in plain):
        return False
    if any(isinstance(each, Symbol) and each.parts for each in plain):
        return False
    has_steps = any(isinstance(each, TimeIndex) and each.parts for each in plain)
    names, known = _names_in(fragment), {name for each in plain for name in names_bound_by(each)}
    if not _read_in(fragment) <= names:
        return False
    for node in walk(fragment):
        if isinstance(node, TimeIndex) and not node.name and not node.is_reference:
            return False
        if has_steps and isinstance(node, TimeIndex) and node.name.isupper() and node.name not in known:
            return False  # in such a fragment the time is that of its parameter
    return not any(map(_steers, fragment.body))


def _steers(statement: Node) -> bool:
    """Whether a statement steers a loop that is around it."""
    if isinstance(statement, LoopControl):
        return True
    return not isinstance(statement, ForEach) and any(map(_steers, statements_in(statement)))

"""`validate()`: whether a tree is as the grammar says; the table is `grammar.py`, nothing is repeated here."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import Known
from acdl_mkdocs.pml import problems
from acdl_mkdocs.pml.grammar import ELEMENT_NAMES, KINDS, ROOTS, Kind
from acdl_mkdocs.pml.parts_of_source import attribute, loose_text, start_tag
from acdl_mkdocs.pml.steps import Attribute, Maybe, Some, Step
from acdl_mkdocs.pml.tree import Element

MOST_PROBLEMS = 100
"""After so many the rest of the document is not looked at."""
HOMES = {"user": "text", "assistant": "text", "system": "text", "x:message": "text", "memory": "fact"}
"""The element that words are put into, by the kind of the element around it."""


class _EnoughError(Exception):
    """There are so many problems that more would not help."""


def validate(root: Element, text: str, roots: Sequence[str] = ROOTS) -> list[Diagnostic]:
    """What is not as the grammar says, in document order; at most a hundred problems.

    Parameters:
        root: The root of the document.
        text: The source, for places.
        roots: What the root may be.
    """
    checking = _Checking(text)
    try:
        if root.name in roots:
            checking.check(root, KINDS[root.name])
        else:
            checking.report_root(root)
    except _EnoughError:
        pass
    return checking.found


class _Checking:
    """One walk through a tree."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Diagnostic] = []
        self.known = Known(dict.fromkeys(ELEMENT_NAMES, None))

    def report(self, problem: Diagnostic) -> None:
        self.found.append(problem)
        if len(self.found) >= MOST_PROBLEMS:
            raise _EnoughError

    def report_root(self, root: Element) -> None:
        span = start_tag(self.text, root)
        if root.name.startswith("{"):
            self.report(problems.foreign_element(span, root.name))
        elif root.name in ELEMENT_NAMES:
            self.report(problems.no_root(span, root.name, ROOTS))
        else:
            self.report(problems.unknown_element(span, root.name, self.known))

    def check(self, element: Element, kind: Kind) -> None:
        """An element and all that is in it."""
        if element.attributes or kind.needed:
            self.check_attributes(element, kind)
        if not element.elements and kind.is_text:
            return
        names: list[str] = []
        kinds, extensions = kind.kinds, kind.extensions
        for child in element.elements:
            inner = kinds.get(child.name)
            if inner is None:
                self.report_child(child, element, kind)
                continue
            if inner.key not in extensions:
                names.append(child.name)
            self.check(child, inner)
        if element.text and not element.text.isspace():
            home = HOMES.get(kind.key, "content" if kind.is_text else "")
            self.report(problems.misplaced_text(loose_text(self.text, element), element.name, home))
        if kind.key in ORDERED:
            self.check_order(element, kind, names)

    def report_child(self, child: Element, parent: Element, kind: Kind) -> None:
        span = start_tag(self.text, child)
        if child.name.startswith("{"):
            self.report(problems.foreign_element(span, child.name))
        elif child.name not in ELEMENT_NAMES:
            self.report(problems.unknown_element(span, child.name, self.known))
        else:
            allowed = [name for name in kind.children if not name.startswith("x:")]
            self.report(problems.misplaced_element(span, child.name, parent.name, allowed))

    def check_order(self, element: Element, kind: Kind, names: list[str]) -> None:
        wrong = fault(kind, names)
        if wrong is None:
            return
        if wrong.at == len(names):
            self.report(problems.missing_element(start_tag(self.text, element), element.name, wrong.needed))
            return
        own = [child for child in element.elements if child.name in kind.children]
        own = [child for child in own if kind.children[child.name] not in kind.extensions]
        span, name = start_tag(self.text, own[wrong.at]), names[wrong.at]
        cure = cure_of_order(kind, names[: wrong.at], name)
        before = names[wrong.at - 1] if wrong.at else ""
        self.report(problems.disordered_element(span, name, element.name, before, cure))

    def check_attributes(self, element: Element, kind: Kind) -> None:
        known = kind.known
        for name, value in element.attributes.items():
            rule = known.get(name)
            if rule is not None:
                if (rule.choices or rule.pattern) and not has_value(rule, value):
                    span = attribute(self.text, element, name)
                    self.report(problems.attribute_value(span, name, value, expected(rule)))
            elif name.startswith("{"):
                self.report(problems.foreign_element(attribute(self.text, element, name), name))
            elif not kind.has_any_attribute or name.startswith("x:"):
                span = attribute(self.text, element, name)
                self.report(
                    problems.unknown_attribute(span, name, element.name, [each.name for each in kind.attributes])
                )
        for name in kind.needed:
            if name not in element.attributes:
                self.report(problems.missing_attribute(start_tag(self.text, element), name, element.name))


_compiled = lru_cache(re.compile)


def has_value(rule: Attribute, value: str) -> bool:
    """Whether an attribute can have a value."""
    if rule.choices:
        return value in rule.choices
    return rule.pattern is None or _compiled(rule.pattern).fullmatch(value) is not None


def expected(rule: Attribute) -> str:
    """What can be written instead of a value that an attribute cannot have."""
    if rule.choices:
        return " or ".join(f'`{rule.name}="{choice}"`' for choice in rule.choices)
    return f'`{rule.name}="{rule.example}"` or another value that matches `{rule.pattern}`'


@dataclass(frozen=True, slots=True)
class OrderFault:
    """Where a list of elements is not as its parent's kind says."""

    at: int
    """Number of the element; how many there are where something is missing at the end."""
    needed: tuple[str, ...] = ()
    """Names of the elements of which one is missing there, if that is the fault."""


def fault(kind: Kind, names: Sequence[str]) -> OrderFault | None:
    """The first fault of elements of these names, extensions not among them, or `None`."""
    return _known_fault(kind.key, tuple(names)) if len(names) <= _FEW else _fault_of(kind, names)


_FEW = 6
"""Most lists are as short as this, and like others."""


@lru_cache(maxsize=1_000)
def _known_fault(key: str, names: tuple[str, ...]) -> OrderFault | None:
    return _fault_of(KINDS[key], names)


def _fault_of(kind: Kind, names: Sequence[str]) -> OrderFault | None:
    faults = []
    for model in kind.models:
        found = _fault(model, names)
        if found is None:
            return None
        faults.append(found)
    return max(faults, key=lambda each: each.at)


def _fault(model: Sequence[Step], names: Sequence[str]) -> OrderFault | None:
    at = 0
    for some in _steps(model, names):
        allowed = {KINDS[kind].name for kind in some.kinds}
        first, end = at, len(names) if some.most is None else min(len(names), at + some.most)
        while at < end and names[at] in allowed:
            at += 1
        if at - first < some.least:
            return OrderFault(at, tuple(KINDS[kind].name for kind in some.kinds))
    return OrderFault(at) if at < len(names) else None


def _steps(model: Sequence[Step], names: Sequence[str]) -> Sequence[Some]:
    """The steps to take: those that may be left out only where their first element is there at all."""
    taken: list[Some] = []
    for step in model:
        if isinstance(step, Some):
            taken.append(step)
        elif any(KINDS[kind].name in names for kind in step.steps[0].kinds):
            taken.extend(step.steps)
    return taken


def cure_of_order(kind: Kind, before: list[str], name: str) -> str:
    """Where an element belongs that cannot stand behind others.

    Parameters:
        kind: Of the element around them.
        before: Names of those that stand before it, which are in order.
        name: Its name.
    """
    if kind.key == "turn" and name == "user":
        return "begin another `<turn>` before it"
    changes = (at for at in range(len(before) - 1, -1, -1) if at == 0 or before[at] != before[at - 1])
    for at in islice(changes, _MOST_TRIED):
        if _begins_right(kind, [*before[:at], name, *before[at:]]):
            other = ", or begin another `<assistant>`" if kind.key == "assistant" else ""
            return f"put it before `<{before[at]}>`{other}"
    if name in before and kind.key != "turn":
        return f"keep one `<{name}>` only"
    allowed = [each for each in kind.children if not each.startswith("x:") and _begins_right(kind, [*before, each])]
    named = " ".join(f"`<{each}>`" for each in allowed)
    return f"there may be: {named}" if allowed else "remove it"


_MOST_TRIED = 20


def _begins_right(kind: Kind, names: list[str]) -> bool:
    """Whether elements are in order as far as they go."""
    wrong = fault(kind, names)
    return wrong is None or wrong.at == len(names)


def is_ordered(kind: Kind) -> bool:
    """Whether the order or the number of elements can be wrong, where each of them may be there."""
    (model, *others) = kind.models
    return bool(others) or not (len(model) == 1 and _is_free(model[0]))


def _is_free(step: Step) -> bool:
    return not isinstance(step, Maybe) and step.least == 0 and step.most is None


ORDERED = frozenset(kind.key for kind in KINDS.values() if kind.models != ((),) and is_ordered(kind))
"""Kinds of which the order of elements has to be looked at."""

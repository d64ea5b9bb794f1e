"""`has_stray_words()`: whether a tree has words where a misspelled keyword would leave them."""

from collections.abc import Sequence

from acdl_mkdocs.syntax.nodes import Arm, Content, ForEach, Fragment, If, Label, Mark, Node, Prompt, Symbol

_HOLDERS = frozenset((ForEach, Mark, Label, Prompt))
"""Statements whose bodies hold messages."""


def has_stray_words(items: Sequence[Node]) -> bool:
    """Whether a word stands between messages, where a misspelled keyword would: content, or a title after an `If`."""
    bodies = [items]
    for body in bodies:  # grows
        before: type[Node] | None = None
        for item in body:
            kind = type(item)
            if kind is Content:
                return True
            if isinstance(item, Label) and before is If and isinstance(item.title, Symbol) and not item.title.parts:
                return True
            if isinstance(item, If):
                bodies += [arm.body for arm in item.arms if isinstance(arm, Arm)]
            elif kind in _HOLDERS or (isinstance(item, Fragment) and item.kind == "roles"):
                bodies.append(item.body)  # type: ignore[attr-defined]  # each of them has one
            before = kind
    return False

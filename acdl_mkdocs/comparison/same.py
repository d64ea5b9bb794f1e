"""Whether matched elements say the same, when names that were renamed alike count as the same name."""

from collections.abc import Iterator
from dataclasses import replace

from acdl_mkdocs.comparison.edits import Change
from acdl_mkdocs.comparison.elements import Element, Slot
from acdl_mkdocs.comparison.match import Matching
from acdl_mkdocs.comparison.tokens import Bound, Named, Token, Tokens
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.nodes import Arguments, ContextVar, FragUse, Index, NameDef, Node, Path, Range
from acdl_mkdocs.language.syntax.words import WRITTEN, text_of, words_of


class Sameness:
    """What names of the old text are called in the new one."""

    def __init__(self, matching: Matching) -> None:
        """Read it off the pairs."""
        self.new_of = matching.new_of
        self._bound: dict[Element, dict[str, str]] = {}
        self._named: dict[Element, dict[str, str]] = {}
        for old, new in matching.new_of.items():
            if not old.binds:
                continue
            if not isinstance(old.node, NameDef):
                self._bound[old] = _in_pairs(old.binds, new.binds)
            elif old.definition is not None and new.binds and self.new_of.get(old.definition) is new.definition:
                renamed, name = self._named.setdefault(old.definition, {}), old.binds[0]
                renamed[name] = new.binds[0] if renamed.get(name, new.binds[0]) == new.binds[0] else name
        for definition, renamed in self._named.items():
            _make_one_to_one(renamed, definition.names)

    def new_name(self, owner: Element, name: str) -> str:
        """What a name that an element binds is called in the new text."""
        if isinstance(owner.node, NameDef):
            found = self._named.get(owner.definition, {}) if owner.definition is not None else {}
        else:
            found = self._bound.get(owner, {})
        return found.get(name, name)

    def is_same(self, old: Tokens, new: Tokens) -> bool:
        """Whether two expressions say the same."""
        return len(old) == len(new) and all(map(self._is_same_token, old, new))

    def _is_same_token(self, old: Token, new: Token) -> bool:
        if isinstance(old, Bound) and isinstance(new, Bound):
            owner = old.owner
            if not isinstance(owner, Element) or self.new_of.get(owner) is not new.owner:
                return False
            return not old.name or self._bound.get(owner, {}).get(old.name, old.name) == new.name
        if isinstance(old, Named) and isinstance(new, Named):
            owner = old.owner
            if not isinstance(owner, Element) or self.new_of.get(owner) is not new.owner:
                return False
            return self._named.get(owner, {}).get(old.name, old.name) == new.name
        return type(old) is type(new) and old == new

    def changes(self, old: Element, new: Element) -> Iterator[Change]:
        """What a statement says otherwise."""
        theirs = {slot.what: slot for slot in new.slots}
        for slot in old.slots:
            other = theirs.pop(slot.what, None)
            if other is None:
                yield Change(slot.what, slot.written, "", slot.span, new.node.span)
            elif not self.is_same(slot.tokens, other.tokens):
                yield _change(slot, other)
        for slot in theirs.values():
            yield Change(slot.what, "", slot.written, old.node.span, slot.span)


def _in_pairs(old: tuple[str, ...], new: tuple[str, ...]) -> dict[str, str]:
    """Each name with the same one, the others in their order."""
    both = set(old) & set(new)
    rest = zip((name for name in old if name not in both), (name for name in new if name not in both), strict=False)
    return {**{name: name for name in old if name in both}, **dict(rest)}


def _make_one_to_one(renamed: dict[str, str], names: set[str]) -> None:
    """Take back renames until no two names become one."""
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


def _change(old: Slot, new: Slot) -> Change:
    """How one thing became another."""
    one, other = old, new
    span, other_span = one.span, other.span
    if one.nodes and other.nodes:
        span, other_span = _around(one.nodes), _around(other.nodes)
    return Change(_aspect(old, new), one.written, other.written, span, other_span)


def _around(nodes: tuple[Node, ...]) -> Span:
    return Span(nodes[0].span.start, nodes[-1].span.end)


def _aspect(old: Slot, new: Slot) -> str:
    """What has changed, in one word."""
    if len(old.nodes) != 1 or len(new.nodes) != 1:
        return old.what
    one, other = old.nodes[0], new.nodes[0]
    if isinstance(one, Range) and isinstance(other, Range):
        return "bounds"
    if old.written == new.written:
        return "meaning"
    for what, kind in (("arguments", Arguments), ("index", Index)):
        if _without(one, kind) == _without(other, kind) != "":
            return "arguments" if isinstance(one, FragUse) else what
    return old.what


def _without(node: Node, kind: type[Arguments | Index]) -> str:
    """A path as it is written without its arguments, or without its indices; empty for what is none."""
    if not isinstance(node, Path | ContextVar | FragUse):
        return ""
    bare = replace(node, parts=tuple(part for part in node.parts if not isinstance(part, kind)))
    return text_of(words_of(bare, WRITTEN))  # type: ignore[arg-type]

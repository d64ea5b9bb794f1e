"""Intended namespaces: misspelled ones, those separated from their variable, and words that need one."""

from functools import lru_cache
from itertools import pairwise

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.language.names.outline import Outline, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unknown_headers import find_explained_lines
from acdl_mkdocs.language.syntax.nodes import NAMESPACES, Arm, Content, Index, NameDef, Operation, Symbol


@dataclass(frozen=True, slots=True)
class SplitNamespace:
    """Two contents that were meant as one: `env query[@T]`."""

    namespace: Symbol
    rest: Symbol

    @property
    def gap(self) -> Span:
        """The place of the missing dot."""
        return Span(self.namespace.span.end, self.rest.span.start)


_OTHERS = {
    "env": "obs observation observations world user users human customer query question input request external",
    "sys": "act action actions mem memory memories state agent history session context config settings tool tools skill"
    " skills plan scratchpad cache db store",
    "resp": "llm model assistant ai output outputs reply replies thought thoughts completion",
}
"""Words that people write before a dot for each namespace; older versions had `obs`, `act` and `mem`."""
_NAMESPACE_OF_WORD = {word: namespace for namespace, words in _OTHERS.items() for word in words.split()}
REASONS = {
    "env": "it comes from outside the agent",
    "sys": "the agent keeps it",
    "resp": "the model said it",
}
"""The reason why something belongs to a namespace."""


def namespace_of_word(name: str) -> str | None:
    """Return the namespace that a word suggests: `env` for `obs`, `sys` for `memory`."""
    return _NAMESPACE_OF_WORD.get(name.casefold())


def closest_namespace(name: str) -> str | None:
    """Return the namespace that a misspelled one resembles: `ENV`, `environment`, `evn`."""
    plain = name.casefold()
    for namespace in NAMESPACES:
        if plain.startswith(namespace) or sorted(plain) == sorted(namespace):
            return namespace
    return find_closest(plain, NAMESPACES) if len(plain) > 2 else None


def find_split_namespaces(resolved: Resolved) -> list[SplitNamespace]:
    """Return the namespaces separated from the next word only by blanks, where nothing else explains the line."""
    tree, source = build_outline(resolved.parsed.file), resolved.source
    pairs: list[SplitNamespace] = []
    for word, rest in pairwise(tree.nodes_of(Symbol)):
        if word.name not in NAMESPACES or word.parts or word in resolved.bindings or rest in resolved.bindings:
            continue
        between = source.text[word.span.end : rest.span.start]
        if between and not between.strip(" \t") and isinstance(tree.parents.get(rest), Content):
            pairs.append(SplitNamespace(word, rest))
    skipped = find_explained_lines(resolved) if pairs else frozenset()
    return [pair for pair in pairs if source.line_index(pair.rest.span.start) not in skipped]


def needs_namespace(word: Symbol, outline: Outline) -> bool:
    """Return whether the word represents something that is sent or looked up, not a value such as `search`."""
    parent = outline.parents.get(word)
    if word.parts:
        is_value = isinstance(parent, Arm) and parent.kind == "case"
        is_value = is_value or (isinstance(parent, NameDef) and parent.value is not word)
        return isinstance(word.parts[0], Index) and not is_value
    if isinstance(parent, Operation) and _is_sum(parent):
        parent = outline.parents.get(parent)
    return isinstance(parent, Content) and not word.name[:1].isupper()


@lru_cache(maxsize=16)  # asked again for each operand of one operation
def _is_sum(operation: Operation) -> bool:
    return set(operation.operators) == {"+"}

"""Arguments with a name, as other languages write them: the `lang="en"` of `RULES(lang="en")`.

The grammar reads them as comparisons, and the formatter writes them as such.
"""

from functools import lru_cache

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Arguments, Expression, Index, Operation, Symbol, Template


@dataclass(frozen=True, slots=True)
class NamedArgument:
    """A value with a name before it."""

    node: Operation
    name: Symbol | Template
    value: Expression
    is_bound: bool
    """Whether a loop, a title or a `Name` gives the name a value."""


@lru_cache(maxsize=1)
def find_named_arguments(resolved: Resolved) -> tuple[NamedArgument, ...]:
    """Return the arguments and indices with a name, also before `==` if it is a word that nothing can bind.

    The last text's result is cached, as two rules need it.
    """
    text, tree = resolved.source.text, build_outline(resolved.parsed.file)
    found: list[NamedArgument] = []
    for part in (*tree.nodes_of(Arguments), *tree.nodes_of(Index)):
        for each in part.values:
            if not isinstance(each, Operation) or each.operators != ("==",):
                continue
            name, value = each.operands
            if not isinstance(name, (Symbol, Template)) or name.parts:
                continue
            is_bound = name in resolved.bindings
            is_word = not is_bound and isinstance(name, Symbol) and len(name.name) > 1
            if text[name.span.end : value.span.start].strip() == "=" or (is_word and tree.definition_of(name)):
                found.append(NamedArgument(each, name, value, is_bound))
    return tuple(found)

"""Fixed wording in a script without capitals: there a bare word is a template, as `INSTRUCTIONS` is.

What a loop, a parameter or a `Name` calls so stays a plain word. This is the last step of parsing.
"""

from collections.abc import Iterable

from acdl_mkdocs.language.syntax.nodes import (
    Content,
    File,
    ForEach,
    Fragment,
    NameDef,
    Node,
    Path,
    Prompt,
    Symbol,
    Template,
    TimeIndex,
    children,
    walk,
)
from acdl_mkdocs.language.syntax.tokens import Token


def has_no_case(word: str) -> bool:
    """Return whether a word is in a script without capitals, such as Chinese, Hebrew, Arabic, Hindi or Korean."""
    return not word.isascii() and word.lower() == word.upper()


def mark_fixed_wording(file: File, tokens: Iterable[Token]) -> None:
    """Turn bare words for fixed wording into templates."""
    if not any(token.kind == "IDENT" and has_no_case(token.text) for token in tokens):
        return
    stack: list[tuple[Node, frozenset[str]]] = [(file, _defined_names(file))]
    while stack:
        node, bound = stack.pop()
        if isinstance(node, Content):
            word = node.value
            if isinstance(word, Symbol) and not word.parts and has_no_case(word.name) and word.name not in bound:
                wording = Template(span=word.span, name=word.name, name_end=word.name_end, parts=())
                object.__setattr__(node, "value", wording)  # the tree is not in use yet
            continue
        if isinstance(node, (Prompt, Fragment)):
            words = (each for parameter in node.parameters for each in walk(parameter))
            bound = _defined_names(node) | {each.name for each in words if isinstance(each, (Symbol, TimeIndex))}
        elif isinstance(node, ForEach) and node.variable is not None:
            bound |= {node.variable.name}
        stack += ((child, bound) for child in children(node))


def _defined_names(around: Node) -> frozenset[str]:
    """Return the names that the `Name`s inside a node define."""
    targets = (target for each in walk(around) if isinstance(each, NameDef) for target in each.targets)
    return frozenset(target.name for target in targets if isinstance(target, (Path, TimeIndex)))

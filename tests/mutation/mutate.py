"""The mutants of a module: its text with one small change each, by the operators of mutmut.

mutmut's own runner is not used: it calls each function through another, which needs more of the stack than deep nesting
leaves, and it does not change tables and properties.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

_PASSED_OVER = (cst.Annotation, cst.Decorator, cst.Import, cst.ImportFrom)
"""What no mutant changes: most of it is for the type checker, and without the rest a module cannot be imported."""
_FOR_TYPES = {"NewType", "TypeVar", "assert_never", "cast", "isinstance", "len"}
"""Functions whose arguments are only for the type checker, or which fail with any other argument."""


@dataclass(frozen=True, eq=False)
class Mutant:
    """One change of one module."""

    id: str
    """The same as long as the line is the same, wherever it stands."""
    module: str
    line: int
    tree: cst.Module
    original: cst.CSTNode
    changed: cst.CSTNode

    @cached_property
    def text(self) -> str:
        """The text of the whole module with the change."""
        return str(self.tree.deep_replace(self.original, self.changed).code)


def find_mutants(module: str, text: str) -> Iterator[Mutant]:
    """Yield all mutants of a module in the order of its text."""
    tree = cst.parse_module(text)
    positions = MetadataWrapper(tree, unsafe_skip_copy=True).resolve(PositionProvider)
    lines = text.split("\n")
    seen: Counter[tuple[str, str, str]] = Counter()
    for node in _walk(tree):
        changes = [each for kind, operator in mutation_operators if isinstance(node, kind) for each in operator(node)]
        before = tree.code_for_node(node) if changes else ""
        for changed in changes:
            after = tree.code_for_node(changed)
            if _is_same(before, after):
                continue
            line = positions[node].start.line
            key = (lines[line - 1].strip(), before, after)
            seen[key] += 1
            name = sha256("\n".join((module, *key, str(seen[key]))).encode()).hexdigest()[:10]
            yield Mutant(name, module, line, tree, node, changed)


def _is_same(before: str, after: str) -> bool:
    """Whether a change leaves out a case that no value reaches, or has `None` in place of `False`."""
    is_unreached = "assert_never" in before and "assert_never" not in after
    return is_unreached or (before.endswith("= False") and after.endswith("= None"))


def _walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield a node and all below it that may be changed, outer ones first."""
    if isinstance(node, _PASSED_OVER) or _is_for_types(node):
        return
    yield node
    for child in node.children:
        yield from _walk(child)


def _is_for_types(node: cst.CSTNode) -> bool:
    """Whether a node is a call of one of `_FOR_TYPES`, a name of a type, or the list of public names."""
    match node:
        case cst.Call(func=cst.Name(value=name)):
            return name in _FOR_TYPES
        case cst.Subscript(value=cst.Name(value="Literal")):
            return True
        case cst.AnnAssign(annotation=cst.Annotation(annotation=cst.Name(value="TypeAlias"))):
            return True
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value="__all__"))]):
            return True
    return False

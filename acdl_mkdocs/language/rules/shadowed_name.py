"""Rule `shadowed-name`: a loop variable or a `Name` takes a name that already means something."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.outline import body_of, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import (
    Comprehension,
    Field,
    File,
    ForEach,
    Fragment,
    NameDef,
    Node,
    Path,
    Prompt,
    Symbol,
    TimeIndex,
    children,
    walk,
)

_Step: TypeAlias = Literal["visit", "enter", "bind", "leave"]


@dataclass(frozen=True, slots=True)
class ShadowedPair:
    """Two places that bind the same name."""

    name: str
    inner: Node
    """The one that hides the other."""
    outer: Node
    by: Node
    """The loop, list or `Name` that binds the inner one."""


class _Scope:
    """The bindings of names at one place of a spec or fragment."""

    def __init__(self) -> None:
        self.bound: dict[str, tuple[Node, int]] = {}  # what binds them, and how many blocks are around that
        self.before: list[tuple[str, tuple[Node, int] | None]] = []  # what the names bound since meant, to go back
        self.blocks: list[int] = []  # how long that was where each of the blocks around began

    def enter_block(self) -> None:
        self.blocks.append(len(self.before))

    def leave_block(self) -> None:
        begin = self.blocks.pop()
        while len(self.before) > begin:
            name, previous = self.before.pop()
            if previous is None:
                del self.bound[name]
            else:
                self.bound[name] = previous

    def bind_name(self, name: str, node: Node, *, again: bool = False) -> Node | None:
        """Give a name a meaning until the block ends; `again` means also if this block has given it one.

        Returns:
            What it meant until then.
        """
        previous, n_blocks = self.bound.get(name, (None, -1))
        if again or n_blocks != len(self.blocks):
            self.before.append((name, self.bound.get(name)))
            self.bound[name] = (node, len(self.blocks))
        return previous


def find_shadowed(file: File) -> Iterator[ShadowedPair]:
    """Yield loop variables that hide a parameter or another variable, and targets of a `Name` that is defined again.

    A `Name` is seen in its body after the definition and in the blocks there, so alternatives may each define it.
    """
    holding = _nodes_with_bindings(file)
    scopes = [_Scope()]
    stack: list[tuple[Node, _Step]] = [(file, "visit")] if holding else []
    while stack:
        node, step = stack.pop()
        match step:
            case "visit":
                stack += reversed(_list_steps(node, holding))
            case "enter":
                _enter_block(node, scopes)
            case "bind":
                yield from _bind_names(node, scopes[-1])
            case "leave":
                _leave_block(node, scopes)


def _nodes_with_bindings(file: File) -> set[Node]:
    """Return all nodes that bind a name inside a definition, and everything around them."""
    tree = build_outline(file)
    holding: set[Node] = set()
    for kind in (ForEach, Comprehension, NameDef):
        for node in tree.nodes_of(kind):
            around: Node | None = node
            while around is not None and around not in holding:
                holding.add(around)
                around = tree.parents.get(around)
    return holding


def _list_steps(node: Node, holding: set[Node]) -> list[tuple[Node, _Step]]:
    """Return the steps to process a node, in order; nodes that bind no name are left out."""
    inner: list[tuple[Node, _Step]] = [(each, "visit") for each in children(node) if each in holding]
    if isinstance(node, NameDef):
        return [(node, "bind"), *inner]
    if isinstance(node, (ForEach, Comprehension)) and node.iterable is not None:  # it does not see the variable
        rest = [each for each in inner if each[0] is not node.iterable]
        first: list[tuple[Node, _Step]] = [(node.iterable, "visit")] if node.iterable in holding else []
        return [(node, "enter"), *first, (node, "bind"), *rest, (node, "leave")]
    return [(node, "enter"), *inner, (node, "leave")] if body_of(node) else inner


def _enter_block(block: Node, scopes: list[_Scope]) -> None:
    """Begin a block; names outside of a definition are not visible in it."""
    if isinstance(block, (Prompt, Fragment)):
        scopes.append(_Scope())
        for name, parameter in _parameters_by_name(block).items():
            scopes[-1].bind_name(name, parameter)
    scopes[-1].enter_block()


def _leave_block(block: Node, scopes: list[_Scope]) -> None:
    if isinstance(block, (Prompt, Fragment)):
        scopes.pop()
    else:
        scopes[-1].leave_block()


def _bind_names(node: Node, scope: _Scope) -> Iterator[ShadowedPair]:
    """Give the variable of a loop, or the targets of a `Name`, their meaning."""
    if isinstance(node, (ForEach, Comprehension)) and node.variable is not None:
        outer = scope.bind_name(node.variable.name, node.variable, again=True)
        if outer is not None:
            yield ShadowedPair(node.variable.name, node.variable, outer, node)
    elif isinstance(node, NameDef):
        for target in node.targets:
            if isinstance(target, (Path, TimeIndex)) and target.name and not target.parts:
                outer = scope.bind_name(f"${target.name}", target)
                if outer is not None:
                    yield ShadowedPair(target.name, target, outer, node)


def _parameters_by_name(definition: Prompt | Fragment) -> dict[str, Node]:
    """Return the parameters by name; `@T.I` has two."""
    parameters: dict[str, Node] = {}
    for name, node in _list_parameters(definition):
        parameters.setdefault(name, node)
    return parameters


def _list_parameters(definition: Prompt | Fragment) -> Iterator[tuple[str, Node]]:
    for node in (each for parameter in definition.parameters for each in walk(parameter)):
        if isinstance(node, (Symbol, TimeIndex)):
            yield node.name, node
            for part in node.parts:
                if isinstance(part, Field):
                    yield part.name, part


def _find_repeated_parameters(definition: Prompt | Fragment) -> Iterator[ShadowedPair]:
    first: dict[str, Node] = {}
    for name, node in _list_parameters(definition):
        if first.setdefault(name, node) is not node:
            yield ShadowedPair(name, node, first[name], definition)


_LETTERS = "kijmnpqr"


def shadowed_name(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report variables that hide a parameter or an outer variable, a `Name` defined again and a parameter given twice.

    Alternatives of one `If` or `Switch` may each define the same `Name`.

    ## Why
    Inside, the outer one cannot be read, and readers mistake one for the other.

    ## Example
    ```acdl
    P[@T]: {
        ForEach(i: env.rooms) {
            ForEach(i: env.doors[i]) { U: env.door[i] }
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        ForEach(i: env.rooms) {
            ForEach(k: env.doors[i]) {
                U: env.door[i, k]
            }
        }
    }
    ```

    Reference: Language Reference, "ForEach".
    """
    for definition in resolved.parsed.file.items:
        if isinstance(definition, (Prompt, Fragment)):
            yield from map(_report_parameter, _find_repeated_parameters(definition))
    for pair in find_shadowed(resolved.parsed.file):
        yield _report_repeated(pair) if isinstance(pair.by, NameDef) else _report_shadowed(pair)


def _report_parameter(pair: ShadowedPair) -> Diagnostic:
    return warning(
        "shadowed-name",
        f"there are two parameters `{pair.name}`",
        Label(pair.inner.span, "the value for this one replaces the other"),
        related=[Label(pair.outer.span, "so this one cannot be read")],
        help="give one of them another name, or leave it out",
    )


def _report_shadowed(pair: ShadowedPair) -> Diagnostic:
    name, span = pair.name, pair.inner.span
    other = next(letter for letter in _LETTERS if letter != name)
    sign = "@" if span.end - span.start > len(name) else ""
    return warning(
        "shadowed-name",
        f"the variable `{name}` hides another `{name}`",
        Label(span, f"this is what `{name}` means inside the {'loop' if isinstance(pair.by, ForEach) else 'list'}"),
        related=[Label(pair.outer.span, "so this one cannot be read there")],
        help=f"give it another name: `{sign}{other}`",
    )


def _report_repeated(pair: ShadowedPair) -> Diagnostic:
    return warning(
        "shadowed-name",
        f"`${pair.name}` is defined again",
        Label(pair.inner.span, "from here on it is another value"),
        related=[Label(pair.outer.span, "first defined here")],
        help=f"give it another name: `Name new_{pair.name} := ...`",
    )

"""Rule `shadowed-name`: a loop variable or a `Name` takes a name that already means something."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.names.outline import Outline, outline
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.syntax.nodes import (
    Comprehension,
    Field,
    ForEach,
    Fragment,
    Identifier,
    NameDef,
    Node,
    Path,
    Prompt,
    Symbol,
    TimeIndex,
    walk,
)

_LETTERS = "kijmnpqr"


def shadowed_name(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report loop variables that hide a parameter or an outer loop variable, and a `Name` that is defined again.

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
            ForEach(k: env.doors[i]) { U: env.door[i, k] }
        }
    }
    ```

    Reference: Language Reference, "ForEach".
    """
    tree = outline(resolved.parsed.file)
    definitions: list[Prompt | Fragment] = [*tree.of(Prompt), *tree.of(Fragment)]
    parameters: dict[Node, dict[str, Node]] = {node: _parameters(node) for node in definitions}
    loops: list[ForEach | Comprehension] = [*tree.of(ForEach), *tree.of(Comprehension)]
    for node in loops:
        outer = _outer(node.variable.name, node, tree, parameters) if node.variable is not None else None
        if node.variable is not None and outer is not None:
            yield _hidden(node.variable, outer, "inside the loop" if isinstance(node, ForEach) else "inside the list")
    defined: dict[tuple[Node | None, str], Node] = {}
    for name in tree.of(NameDef):
        yield from _again(name, tree, defined)


def _parameters(definition: Prompt | Fragment) -> dict[str, Node]:
    """The parameters by name; `@T.I` is two."""
    found: dict[str, Node] = {}
    for node in (each for parameter in definition.parameters for each in walk(parameter)):
        if isinstance(node, Symbol | TimeIndex):
            found.setdefault(node.name, node)
            for part in node.parts:
                if isinstance(part, Field):
                    found.setdefault(part.name, part)
    return found


def _outer(name: str, inner: Node, tree: Outline, parameters: dict[Node, dict[str, Node]]) -> Node | None:
    """What the name is bound to around a loop or comprehension: a variable or a parameter."""
    node = tree.parents.get(inner)
    while node is not None and not isinstance(node, Prompt | Fragment):
        if isinstance(node, ForEach | Comprehension) and node.iterable is not inner:
            variable = node.variable
            if variable is not None and variable.name == name:
                return variable
        inner, node = node, tree.parents.get(node)
    return parameters[node].get(name) if node is not None else None


def _again(definition: NameDef, tree: Outline, defined: dict[tuple[Node | None, str], Node]) -> Iterator[Diagnostic]:
    """The names of a `Name` that one in the same body, or in one around it, defined before."""
    body = tree.parents.get(definition)
    for target in definition.targets:
        name = target.name if isinstance(target, Path | TimeIndex) and not target.parts else ""
        node = body
        while name and node is not None:
            first = defined.get((node, name))
            if first is not None:
                yield warning(
                    "shadowed-name",
                    f"`${name}` is defined again",
                    Label(target.span, "from here on it is another value"),
                    related=[Label(first.span, "first defined here")],
                    help=f"give it another name: `Name new_{name} := ...`",
                )
                break
            node = None if isinstance(node, Prompt | Fragment) else tree.parents.get(node)
        defined.setdefault((body, name), target)


def _hidden(variable: Identifier, outer: Node, where: str) -> Diagnostic:
    name = variable.name
    other = next(letter for letter in _LETTERS if letter != name)
    sign = "@" if variable.span.end - variable.span.start > len(name) else ""
    return warning(
        "shadowed-name",
        f"the variable `{name}` hides another `{name}`",
        Label(variable.span, f"this is what `{name}` means {where}"),
        related=[Label(outer.span, "so this one cannot be read there")],
        help=f"give it another name: `{sign}{other}`",
    )

"""Rule `unused-name`: nothing refers to a `Name`."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Fix, Label, note
from acdl_mkdocs.names.outline import outline
from acdl_mkdocs.names.places import Place, expressions, places
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.suggest import closest
from acdl_mkdocs.syntax.edits import insertion, removal
from acdl_mkdocs.syntax.nodes import Content, NameDef, NameRef, Node, Path, Symbol, TimeIndex, walk

_N_COMPARED = 20
"""So many misspelled uses are compared with the names: one of them may be meant."""


def unused_name(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `Name` that no `$x` of its spec or fragment refers to.

    A snippet may leave the use out.

    ## Why
    What it stands for is sent nowhere. Often a use was taken out, or written without `$`.

    ## Example
    ```acdl
    P[@T]: {
        Name docs := find(env.query[@T])
        U: env.query[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        Name docs := find(env.query[@T])
        U: { $docs env.query[@T] }
    }
    ```

    Reference: Language Reference, "Name Definitions".
    """
    if not resolved.named:
        return
    used = {
        (name, bound)
        for use, bound in resolved.bindings.items()
        if isinstance(use, NameRef | TimeIndex) and (name := use.name)
    }
    first: dict[tuple[Node, str], Node] = {}
    unused: list[tuple[Place, Path | TimeIndex]] = []
    broken = [each.label.span.start for each in resolved.parsed.diagnostics]
    for place in places(resolved.parsed.file):
        target = _target(place.node)
        definition = place.definition
        if target is None or definition is None:
            continue
        bound = first.setdefault((definition, target.name), target)
        if (target.name, bound) in used:
            continue
        if not any(definition.span.start <= at <= definition.span.end for at in broken):
            unused.append((place, target))  # after a syntax error the use may be what was not understood
    yield from _told(unused, resolved)


def _told(unused: list[tuple[Place, Path | TimeIndex]], resolved: Resolved) -> Iterator[Diagnostic]:
    """A note on each, but not on those of which an unknown `$x` is a misspelling."""
    if not unused:
        return
    unknown = sorted({use.name for use in resolved.unknown_names})[:_N_COMPARED]
    misspelled = {closest(name, resolved.named) for name in unknown}
    tree, bare = outline(resolved.parsed.file), _bare_words(resolved)
    for place, target in unused:
        word = bare.get((place.definition or place.node, target.name))
        is_told = word is not None and isinstance(tree.parents.get(word), Content)  # by `implicit-namespace`
        if target.name not in misspelled and not is_told:
            yield _unused(place, target, word, resolved)


def _target(node: Node) -> Path | TimeIndex | None:
    """The one plain name that a `Name` defines."""
    target = node.targets[0] if isinstance(node, NameDef) and len(node.targets) == 1 else None
    return target if isinstance(target, Path | TimeIndex) and not target.parts else None


def _bare_words(resolved: Resolved) -> dict[tuple[Node, str], Symbol]:
    """The first word of each name in each definition that is bound to nothing: it may be a use without `$`."""
    found: dict[tuple[Node, str], Symbol] = {}
    for place in places(resolved.parsed.file):
        if place.definition is None:
            continue
        named = place.node.targets if isinstance(place.node, NameDef) else ()
        for node in (inner for each in expressions(place.node) if each not in named for inner in walk(each)):
            if isinstance(node, Symbol) and node not in resolved.bindings:
                found.setdefault((place.definition, node.name), node)
    return found


def _unused(place: Place, target: Path | TimeIndex, bare: Symbol | None, resolved: Resolved) -> Diagnostic:
    name = target.name
    edit = removal(resolved.source, place.node.span)
    fix = None if place.is_needed else Fix("take it out", (edit,), is_safe=False)
    if bare is not None:
        fix = Fix(f"write `${name}`", (insertion(bare.span.start, "$"),), is_safe=False)
    return note(
        "unused-name",
        f"nothing refers to `${name}`",
        Label(target.span, "never used"),
        related=[Label(bare.span, "without `$` this is another thing")] if bare is not None else [],
        help=f"write `${name}` where it is meant" if bare is not None else f"use it, `${name}`, or take the `Name` out",
        fix=fix,
    )

"""Rule `unbound-index`: an index is used where nothing gives it a value."""

from collections.abc import Callable, Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.language.names.outline import outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unbound import Kind, NameWithoutSign, Unbound, names_without_sign, unbound
from acdl_mkdocs.language.syntax.edits import replacement
from acdl_mkdocs.language.syntax.nodes import Fragment


def cures_of(found: Unbound) -> tuple[list[str], str]:
    """Return the choices as help lines, and the replacement text; empty if it is not certain."""
    return _CURES[found.kind](found)


def _time(found: Unbound) -> tuple[list[str], str]:
    cures = [f"for the current turn, write `{found.now}`"]
    if found.turn:
        cures.insert(0, f"for the turn of the loop, write `{found.turn}`")
    elif isinstance(found.definition, Fragment):
        cures.append(f"for a turn that the caller gives, make it a parameter: `{found.parameter_title}`")
    else:
        loop = f"ForEach(@{found.name}: range(1, {found.now})) {{ ... }}"
        cures.append(f"for every turn before it, put this inside `{loop}`")
    return cures, found.turn or found.now


def _current(found: Unbound) -> tuple[list[str], str]:
    name, now = found.definition.name.name, found.now
    if found.written.startswith("@"):
        title = f"{name}[{now}, {found.written}]: {{"
        return [f"for the current turn, write `{now}`", f"for a second time, name it in the title: `{title}`"], ""
    return [f"if the spec is built for every sub-step, say so in its title: `{name}[{now}.{found.name}]: {{`"], ""


def _step(found: Unbound) -> tuple[list[str], str]:
    loop = f"ForEach({found.name}: range(1, {found.turn}.substeps+1)) {{ ... }}"
    return [f"for every sub-step, put this inside `{loop}`", f"for the first sub-step, write `{found.turn}.1`"], ""


_CURES: dict[Kind, Callable[[Unbound], tuple[list[str], str]]] = {
    "time": _time,
    "current": _current,
    "step": _step,
    "substeps": lambda found: ([f"did you mean `{found.turn}.substeps`?"], "substeps"),
    "variable": lambda found: ([f"move this into the braces of the loop over `{found.name}`"], ""),
}


def unbound_index(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report indices and loop variables outside of the loop, spec or fragment that binds them.

    A `Name` is an index as `@$C`. A bare word that may be a value, such as `search` in `If sys.tool[@T] == search`, is
    not reported.

    ## Why
    It is not clear which turn, step or element is meant.

    ## Example
    ```acdl
    P[@T]: {
        If t > 1 {
            A: resp.answer[@T-1]
        }
        U: env.query[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        If @T > 1 {
            A: resp.answer[@T-1]
        }
        U: env.query[@T]
    }
    ```

    Reference: Language Reference, "Time Indices".
    """
    yield from (_reported(found, resolved) for found in unbound(resolved))
    yield from map(_name, names_without_sign(resolved))


def _reported(found: Unbound, resolved: Resolved) -> Diagnostic:
    label, cures, cure = "no loop around this binds it", *cures_of(found)
    target = resolved.named.get(found.name) if found.written == found.name and found.kind != "step" else None
    if target is not None and outline(resolved.parsed.file).definition(target) is found.definition:
        label, cure = "a reference to a `Name` begins with `$`", f"${found.name}"
        cures = [f"write `{cure}`"]
    elif found.kind == "current":
        label = f"the title of `{found.definition.name.name}` does not have it"
    elif found.kind == "variable":
        label = "outside of the loop that binds it"
    return warning(
        "unbound-index",
        f"nothing binds `{found.written}` here",
        Label(found.span, label),
        related=[Label(found.loop.span, f"this loop binds `{found.name}`, for its own body only")]
        if found.loop
        else [],
        help=cures,
        fix=Fix(f"write `{cure}`", (replacement(found.span, cure),), is_safe=False) if cure else None,
    )


def _name(uses: NameWithoutSign) -> Diagnostic:
    """Report all uses of one `Name` as `@C`, as one mistake."""
    name, others = f"@${uses.name}", len(uses.places) - 1
    return warning(
        "unbound-index",
        f"`{uses.name}` is a `Name`, so as an index it is `{name}`",
        Label(uses.places[0], f"`$` is missing{f', here and in {others} more' if others else ''}"),
        related=[Label(uses.target.span, "this `Name` defines it")],
        help=f"write `{name}`",
        fix=Fix(f"write `{name}`", tuple(replacement(place, name) for place in uses.places)),
    )

"""Rule `unbound-index`: an index is used where nothing gives it a value."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.counted import counted
from acdl_mkdocs.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.names.unbound import Unbound, unbound
from acdl_mkdocs.syntax.edits import insertion, replacement
from acdl_mkdocs.syntax.nodes import Fragment, Node


def unbound_index(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report indices and loop variables outside of the loop, spec or fragment that binds them.

    A `Name` is an index as `@$C`: all uses of one as `@C` are one report.

    A bare word that may be a value, such as `search` in `If sys.tool[@T] == search`, is not reported.

    ## Why
    Nobody can tell which turn, step or element is meant.

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
    names: dict[tuple[Node, str], list[Unbound]] = {}
    for found in unbound(resolved):
        if found.kind == "name":
            names.setdefault((found.definition, found.name), []).append(found)
        else:
            yield _WORDED[found.kind](found)
    yield from map(_name, names.values())


def _reported(found: Unbound, label: str, cures: list[str], cure: str = "") -> Diagnostic:
    related = [Label(found.loop.span, f"this loop binds `{found.name}`, for its own body only")] if found.loop else []
    return warning(
        "unbound-index",
        f"nothing binds `{found.written}` here",
        Label(found.span, label),
        related=related,
        help=cures,
        fix=Fix(f"write `{cure}`", (replacement(found.span, cure),), is_safe=False) if cure else None,
    )


def _name(uses: list[Unbound]) -> Diagnostic:
    """All uses of one `Name` with `@` alone: one mistake, however often it is made."""
    first, name = uses[0], uses[0].name
    edits = tuple(insertion(each.span.start + 1, "$") for each in uses)
    others = f", here and in {counted(len(uses) - 1, 'other place')}" if len(uses) > 1 else ""
    return warning(
        "unbound-index",
        f"`{name}` is a `Name`, so as an index it is `@${name}`",
        Label(first.span, f"`$` is missing{others}"),
        related=[Label(first.target.span, "this `Name` defines it")] if first.target else [],
        help=f"write `@${name}`",
        fix=Fix(f"write `@${name}`", edits, is_safe=True),
    )


def _time(found: Unbound) -> Diagnostic:
    cures = [f"for the current turn, write `{found.now}`"]
    definition = found.definition
    if found.turn:
        cures.insert(0, f"for the turn of the loop, write `{found.turn}`")
    elif isinstance(definition, Fragment):
        keyword = "StrFrag" if definition.kind == "string" else "RolesFrag"
        title = f"{keyword} {definition.name.name}[@{found.name}]: {{"
        cures.append(f"for a turn that the caller gives, make it a parameter: `{title}`")
    else:
        loop = f"ForEach(@{found.name}: range(1, {found.now})) {{ ... }}"
        cures.append(f"for every turn before it, put this inside `{loop}`")
    return _reported(found, "no loop around this binds it", cures, found.turn or found.now)


def _current(found: Unbound) -> Diagnostic:
    name, now = found.definition.name.name, found.now
    if found.written.startswith("@"):
        title = f"{name}[{now}, {found.written}]: {{"
        cures = [f"for the current turn, write `{now}`", f"for a second time, name it in the title: `{title}`"]
    else:
        cures = [f"if the spec is built for every sub-step, say so in its title: `{name}[{now}.{found.name}]: {{`"]
    return _reported(found, f"the title of `{name}` does not have it", cures)


def _step(found: Unbound) -> Diagnostic:
    loop = f"ForEach({found.name}: range(1, {found.turn}.substeps+1)) {{ ... }}"
    cures = [f"for every sub-step, put this inside `{loop}`", f"for the first sub-step, write `{found.turn}.1`"]
    return _reported(found, "no loop around this binds it", cures)


def _substeps(found: Unbound) -> Diagnostic:
    return _reported(found, "no loop around this binds it", [f"did you mean `{found.turn}.substeps`?"], "substeps")


def _variable(found: Unbound) -> Diagnostic:
    cures = [f"move this into the braces of the loop over `{found.name}`"]
    return _reported(found, "outside of the loop that binds it", cures)


_WORDED = {"time": _time, "current": _current, "step": _step, "substeps": _substeps, "variable": _variable}

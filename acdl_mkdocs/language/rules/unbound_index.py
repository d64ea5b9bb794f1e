"""Rule `unbound-index`: an index is used where nothing gives it a value."""

from collections.abc import Callable, Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unbound import (
    Kind,
    NameWithoutSign,
    UnboundName,
    find_unbound_names,
    name_for_data,
    names_without_sign,
)
from acdl_mkdocs.language.syntax.edits import replace_text
from acdl_mkdocs.language.syntax.nodes import Fragment


def suggest_help(unbound: UnboundName) -> tuple[list[str], str]:
    """Return the choices as help lines, and the replacement text; empty if it is not certain."""
    return _CURES[unbound.kind](unbound)


def _suggest_for_time(unbound: UnboundName) -> tuple[list[str], str]:
    cures = [f"for the current turn, write `{unbound.current_time}`"]
    if unbound.turn:
        cures.insert(0, f"for the turn of the loop, write `{unbound.turn}`")
    elif isinstance(unbound.definition, Fragment):
        cures.append(f"for a turn that the caller gives, make it a parameter: `{unbound.parameter_title}`")
    else:
        loop = f"ForEach(@{unbound.name}: range(1, {unbound.current_time})) {{ ... }}"
        cures.append(f"for every turn before it, put this inside `{loop}`")
    return cures, unbound.turn or unbound.current_time


def _suggest_for_current(unbound: UnboundName) -> tuple[list[str], str]:
    name, now = unbound.definition.name.name, unbound.current_time
    if unbound.text.startswith("@"):
        title = f"{name}[{now}, {unbound.text}]: {{"
        return [f"for the current turn, write `{now}`", f"for a second time, name it in the title: `{title}`"], ""
    return [f"if the spec is built for every sub-step, say so in its title: `{name}[{now}.{unbound.name}]: {{`"], ""


def _suggest_for_step(unbound: UnboundName) -> tuple[list[str], str]:
    loop = f"ForEach({unbound.name}: range(1, {unbound.turn}.substeps+1)) {{ ... }}"
    return [f"for every sub-step, put this inside `{loop}`", f"for the first sub-step, write `{unbound.turn}.1`"], ""


_CURES: dict[Kind, Callable[[UnboundName], tuple[list[str], str]]] = {
    "time": _suggest_for_time,
    "current": _suggest_for_current,
    "step": _suggest_for_step,
    "substeps": lambda unbound: ([f"did you mean `{unbound.turn}.substeps`?"], "substeps"),
    "data": lambda unbound: ([name_for_data(unbound.text)], ""),
    "variable": lambda unbound: ([f"move this into the braces of the loop over `{unbound.name}`"], ""),
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
    yield from (_report_unbound(unbound, resolved) for unbound in find_unbound_names(resolved))
    yield from map(_report_name, names_without_sign(resolved))


def _report_unbound(unbound: UnboundName, resolved: Resolved) -> Diagnostic:
    label, cures, cure = "no loop around this binds it", *suggest_help(unbound)
    target = (
        resolved.defined_names.get(unbound.name) if unbound.text == unbound.name and unbound.kind != "step" else None
    )
    if target is not None and build_outline(resolved.parsed.file).definition_of(target) is unbound.definition:
        label, cure = "a reference to a `Name` begins with `$`", f"${unbound.name}"
        cures = [f"write `{cure}`"]
    elif unbound.kind == "current":
        label = f"the title of `{unbound.definition.name.name}` does not have it"
    elif unbound.kind == "data":
        label = "only a `Name` makes a time of data"
    elif unbound.kind == "variable":
        label = "outside of the loop that binds it"
    return warning(
        "unbound-index",
        f"nothing binds `{unbound.text}` here",
        Label(unbound.span, label),
        related=[Label(unbound.loop.span, f"this loop binds `{unbound.name}`, for its own body only")]
        if unbound.loop
        else [],
        help=cures,
        fix=Fix(f"write `{cure}`", (replace_text(unbound.span, cure),), is_safe=False) if cure else None,
    )


def _report_name(uses: NameWithoutSign) -> Diagnostic:
    """Report all uses of one `Name` as `@C`, as one mistake."""
    name, others = f"@${uses.name}", len(uses.places) - 1
    return warning(
        "unbound-index",
        f"`{uses.name}` is a `Name`, so as an index it is `{name}`",
        Label(uses.places[0], f"`$` is missing{f', here and in {others} more' if others else ''}"),
        related=[Label(uses.target.span, "this `Name` defines it")],
        help=f"write `{name}`",
        fix=Fix(f"write `{name}`", tuple(replace_text(span, name) for span in uses.places)),
    )

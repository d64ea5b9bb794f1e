"""Rule `unbound-index`: an index is used where nothing gives it a value."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.names.cures import cures_of
from acdl_mkdocs.names.outline import outline
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.names.unbound import NameWithoutSign, Unbound, names_without_sign, unbound
from acdl_mkdocs.syntax.edits import replacement


def unbound_index(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report indices and loop variables outside of the loop, spec or fragment that binds them.

    A `Name` is an index as `@$C`. A bare word that may be a value, such as `search` in `If sys.tool[@T] == search`, is
    not reported.

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
    """All uses of one `Name` as `@C`: one mistake."""
    name, others = f"@${uses.name}", len(uses.places) - 1
    return warning(
        "unbound-index",
        f"`{uses.name}` is a `Name`, so as an index it is `{name}`",
        Label(uses.places[0], f"`$` is missing{f', here and in {others} more' if others else ''}"),
        related=[Label(uses.target.span, "this `Name` defines it")],
        help=f"write `{name}`",
        fix=Fix(f"write `{name}`", tuple(replacement(place, name) for place in uses.places)),
    )

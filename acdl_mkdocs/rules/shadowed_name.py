"""Rule `shadowed-name`: a loop variable or a `Name` takes a name that already means something."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.names.hiding import Pair, hidden
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.syntax.nodes import ForEach, NameDef

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
    for pair in hidden(resolved.parsed.file):
        yield _again(pair) if isinstance(pair.by, NameDef) else _hidden(pair)


def _hidden(pair: Pair) -> Diagnostic:
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


def _again(pair: Pair) -> Diagnostic:
    return warning(
        "shadowed-name",
        f"`${pair.name}` is defined again",
        Label(pair.inner.span, "from here on it is another value"),
        related=[Label(pair.outer.span, "first defined here")],
        help=f"give it another name: `Name new_{pair.name} := ...`",
    )

"""Rule `fixed-time-header`: the title of a spec or fragment fixes the time."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import format_expression, replace_text
from acdl_mkdocs.language.syntax.nodes import Expression, Field, Fragment, Number, Operation, Prompt, Symbol, TimeIndex


def fixed_time_header(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every title with a fixed time, such as `[@T=1]` or `[@1]`.

    ## Why
    Such a spec describes one single call. A spec is for every time; use a condition for content of only one time.

    ## Example
    ```acdl
    Chat[@T=1]: {
        S: WELCOME
        U: env.user_input[@T]
    }
    ```

    ## Use instead
    ```acdl
    Chat[@T]: {
        If @T == 1 { S: WELCOME }
        U: env.user_input[@T]
    }
    ```

    Reference: Language Reference, "Specification Structure".
    """
    for entries in resolved.definitions.values():
        for entry in entries:
            for parameter in entry.node.parameters:
                fixed = _find_fixed_time(parameter)
                if fixed is not None:
                    yield _report_fixed_time(parameter, *fixed, entry.node)


def _find_fixed_time(parameter: Expression) -> tuple[str, str] | None:
    """Return the time that a parameter fixes and its value; `None` if it fixes none."""
    if isinstance(parameter, Operation) and parameter.operators == ("==",):
        left, right = parameter.operands
        if isinstance(left, TimeIndex) or (isinstance(left, Symbol) and isinstance(right, (Number, TimeIndex))):
            return "@T" if format_expression(left) == "T" else format_expression(left), format_expression(right)
    if isinstance(parameter, TimeIndex) and parameter.name.isdecimal():
        steps = [part.name for part in parameter.parts if isinstance(part, Field)]
        return "@" + ".".join(["T", *("I" if step.isdecimal() else step for step in steps)]), format_expression(
            parameter
        )
    return None


def _report_fixed_time(parameter: Expression, time: str, value: str, node: Prompt | Fragment) -> Diagnostic:
    limit = value if "." in value else value.removeprefix("@")
    return warning(
        "fixed-time-header",
        f"`{node.name.name}` is described only at {time.removeprefix('@')} = {limit}",
        Label(parameter.span, "a title names the time, it does not fix it"),
        help=f"write `{time}` here, and `If {time} == {limit} {{ ... }}` around what is sent only then",
        fix=Fix(f"write `{time}`", (replace_text(parameter.span, time),), is_safe=False),
    )

"""Rule `digit-first-name`: a name begins with a digit and is not a number."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import format_expression, insert_text
from acdl_mkdocs.language.syntax.nodes import Call, ContextVar, Field, NameRef, Symbol, Template, TimeIndex


def digit_first_name(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report fields and times such as `env.1st` and `@2nd`; a field or a time may be a whole number.

    ## Why
    A name begins with a letter or `_`. Other tools read the digits as a number and the rest as the next content.

    ## Example
    ```acdl
    P[@T]: {
        U: env.1st_question[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        U: env._1st_question[@T]
    }
    ```

    Reference: Language Reference, "Identifiers and Naming Conventions".
    """
    tree = build_outline(resolved.parsed.file)
    for field in tree.nodes_of(Field):
        if "0" <= field.name < ":" and not field.name.isdigit():
            owner = tree.parents[field]
            corrected = f"_{field.name}"
            if isinstance(owner, (ContextVar, Symbol, Template, Call, NameRef)):
                corrected = format_expression(owner).replace(f".{field.name}", f"._{field.name}", 1)
            at = field.span.end - len(field.name)
            yield warning(
                "digit-first-name",
                f"the name `{field.name}` begins with a digit",
                Label(field.span, "a name begins with a letter or `_`"),
                help=f"write `{corrected}`",
                fix=Fix("put `_` before it", (insert_text(at, "_"),), is_safe=False),
            )
    for time in tree.nodes_of(TimeIndex):
        if "0" <= time.name < ":" and not time.name.isdigit():
            digits = time.name[: len(time.name) - len(time.name.lstrip("0123456789"))]
            yield warning(
                "digit-first-name",
                f"the time `@{time.name}` is neither a number nor a name",
                Label(time.span, "a name begins with a letter or `_`"),
                help=f"for the step of that number, write `@{digits}`",
            )

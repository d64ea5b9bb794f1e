"""Rule `case-after-default`: a `Case` follows the `Default` of its `Switch`."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import indent_of, indent_statement, insert_text, remove_statement
from acdl_mkdocs.language.syntax.nodes import Arm, Switch


def case_after_default(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report the first `Case` after a `Default`.

    ## Why
    `Default` is for what no `Case` takes: read from the top, it hides every `Case` below it.

    ## Example
    ```acdl
    P[@T]: {
        Switch sys.mode[@T] {
            Default { U: env.query[@T] }
            Case "search" { U: env.results[@T] }
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        Switch sys.mode[@T] {
            Case "search" { U: env.results[@T] }
            Default { U: env.query[@T] }
        }
    }
    ```

    Reference: Language Reference, "Switch / Case / Default".
    """
    for node in build_outline(resolved.parsed.file).nodes_of(Switch):
        arms = [arm for arm in node.arms if isinstance(arm, Arm)]
        default = next((arm for arm in arms if arm.kind == "default"), None)
        after = [arm for arm in arms[arms.index(default) + 1 :] if arm.kind == "case"] if default else []
        if default and after:
            yield warning(
                "case-after-default",
                "a `Case` stands after `Default`",
                Label(after[0].keyword, "stands after it"),
                related=[Label(default.keyword, "this takes everything that no `Case` takes")],
                help="put the `Default` last",
                fix=_move_to_end(default, arms[-1], resolved.source),
            )


def _move_to_end(default: Arm, last: Arm, source: Source) -> Fix:
    """Return a fix that moves the `Default` behind the other alternatives."""
    moved = indent_statement(source, default.span, indent_of(source, last.span.start))
    edits = (remove_statement(source, default.span), insert_text(last.span.end, "\n" + moved))
    return Fix("move the `Default` to the end", edits, is_safe=False)

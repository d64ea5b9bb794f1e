"""Rule `arm-after-else`: an `ElseIf` or `Else` follows the `Else` of its conditional."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Arm, If


def arm_after_else(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every alternative after the `Else` of its conditional.

    ## Why
    `Else` takes everything that is left: what follows it can never be sent.

    ## Example
    ```acdl
    P[@T]: {
        If @T == 1 { S: WELCOME }
        Else { S: INSTRUCTIONS }
        ElseIf @T > 9 { S: REMINDER }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        If @T == 1 { S: WELCOME }
        ElseIf @T > 9 { S: REMINDER }
        Else { S: INSTRUCTIONS }
    }
    ```

    Reference: Language Reference, "If / ElseIf / Else".
    """
    for node in build_outline(resolved.parsed.file).nodes_of(If):
        arms = [arm for arm in node.arms if isinstance(arm, Arm)]
        last = next((arm for arm in arms if arm.kind == "else"), arms[-1])
        for arm in arms[arms.index(last) + 1 :]:
            word = resolved.source.text[arm.keyword.start : arm.keyword.end]
            yield error(
                "arm-after-else",
                f"`{word}` stands after `Else`",
                Label(arm.keyword, "never reached"),
                related=[Label(last.keyword, "this takes everything that is left")],
                help="put the `Else` last, and write only one",
            )

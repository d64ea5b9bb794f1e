"""Rule `several-names`: one `Name` defines several names, or an element of one."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.names.outline import outline
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.source import Span
from acdl_mkdocs.syntax.nodes import NameDef


def several_names(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `Name` whose left side is not one plain name.

    ## Why
    A `Name` stands for one value; nothing says how a value would be shared out.

    ## Example
    ```acdl
    P[@T]: {
        Name docs, scores := find(env.query[@T])
        U: $docs.text
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        Name docs := find(env.query[@T])
        Name scores := rate($docs)
        U: { $docs.text $scores }
    }
    ```

    Reference: Language Reference, "Name Definitions".
    """
    for node in outline(resolved.parsed.file).of(NameDef):
        first = node.targets[0]
        if len(node.targets) > 1:
            yield error(
                "several-names",
                "a `Name` defines one name",
                Label(Span(first.span.start, node.targets[-1].span.end), f"these are {len(node.targets)}"),
                help="write one `Name` for each of them",
            )
        elif getattr(first, "parts", ()) or not getattr(first, "name", ""):
            yield error(
                "several-names",
                "a `Name` defines a whole value, not an element of one",
                Label(first.span, "expected a plain name"),
                help="make the list at once: `Name xs := [f(@t) for t in range(1, @T)]`",
            )

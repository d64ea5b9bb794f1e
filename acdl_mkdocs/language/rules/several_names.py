"""Rule `several-names`: one `Name` defines several names, an element of one, or a context variable."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import ContextVar, Field, NameDef
from acdl_mkdocs.language.syntax.spellings import name_before, plain_name

_NO_NAME = "value"


def several_names(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `Name` whose left side is not one plain name.

    ## Why
    A `Name` represents one value, which cannot be split. Context variables such as `env.query` come from outside the
    spec, so a spec reads them and never sets them.

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
    for node in build_outline(resolved.parsed.file).nodes_of(NameDef):
        first = node.targets[0]
        shared = name_before(resolved.source, node)
        if len(node.targets) > 1 or shared is not None:
            begin = shared.start if shared is not None else first.span.start
            yield error(
                "several-names",
                "a `Name` defines one name",
                Label(Span(begin, node.targets[-1].span.end), f"these are {len(node.targets) + (shared is not None)}"),
                help="write one `Name` for each of them",
            )
        elif isinstance(first, ContextVar):
            yield _report_variable(first, node, resolved.source)
        elif not plain_name(node):
            yield error(
                "several-names",
                "a `Name` defines a whole value, not an element of one",
                Label(first.span, "expected a plain name"),
                help="make the list at once: `Name xs := [f(@t) for t in range(1, @T)]`",
            )


def _report_variable(target: ContextVar, node: NameDef, source: Source) -> Diagnostic:
    """Report an assignment to a context variable, such as `env.a = 1`."""
    written = source.one_line(target.span.start, target.span.end)
    fields = [part.name for part in target.parts if isinstance(part, Field) and part.name.isidentifier()]
    name = fields[-1] if fields else _NO_NAME
    value = source.one_line(node.value.span.start, node.value.span.end)
    return error(
        "several-names",
        f"a spec cannot set `{written}`",
        Label(target.span, "context variables come from outside the spec"),
        help=f"give the value a name: `Name {name} := {value}`, and use it as `${name}`",
    )

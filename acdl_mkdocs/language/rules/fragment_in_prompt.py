"""Rule `fragment-in-prompt`: a fragment or a spec is defined inside another definition."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.outline import NodePosition, build_outline, find_positions
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import indent_statement, insert_text, remove_statement
from acdl_mkdocs.language.syntax.nodes import File, Fragment, Node, Prompt


def fragment_in_prompt(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every fragment, and every spec, that is not defined at the top level of its text.

    ## Why
    A definition can be used from everywhere: inside a spec it reads as if it were sent there, or known only there.

    ## Example
    ```acdl
    P[@T]: {
        StrFrag Document[doc]: { env.content[doc] }
        U: { Frag Document[env.newest] }
    }
    ```

    ## Use instead
    ```acdl
    StrFrag Document[doc]: { env.content[doc] }
    P[@T]: {
        U: { Frag Document[env.newest] }
    }
    ```

    Reference: Language Reference, "Fragment Parameters and Invocation".
    """
    tree = build_outline(resolved.parsed.file)
    if all(isinstance(tree.parents[node], File) for node in (*tree.nodes_of(Prompt), *tree.nodes_of(Fragment))):
        return
    tops: dict[Node, Node] = {}
    for position in find_positions(resolved.parsed.file):
        tops[position.node] = position.node if isinstance(position.parent, File) else tops[position.parent]
        if isinstance(position.node, (Prompt, Fragment)) and not isinstance(position.parent, File):
            yield _report_definition(position.node, position, tops[position.node], resolved)


def _report_definition(node: Prompt | Fragment, position: NodePosition, top: Node, resolved: Resolved) -> Diagnostic:
    name = node.name.name
    around = position.definition
    is_fragment = isinstance(node, Fragment)
    moved = indent_statement(resolved.source, node.span, "")
    edits = (insert_text(top.span.start, f"{moved}\n\n"), remove_statement(resolved.source, node.span))
    return warning(
        "fragment-in-prompt",
        f"the {'fragment' if is_fragment else 'spec'} `{name}` is defined inside another definition",
        Label(Span(node.span.start, node.name.span.end), "defined here"),
        related=[Label(around.name.span, f"`{around.name.name}` is not closed yet")] if around is not None else [],
        help=f"move it out, above `{around.name.name}`" if around is not None else "move it to the top level",
        fix=Fix(f"move `{name}` to the top level", edits, is_safe=False),
    )

"""Rule `unused-name`: nothing refers to a `Name`."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, note
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.language.names.includes import find_host_content
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unbound import UnusedName, find_unbound_names, unused_names
from acdl_mkdocs.language.syntax.edits import insert_text, remove_statement
from acdl_mkdocs.language.syntax.nodes import Content

_N_COMPARED = 20
"""Up to this many misspelled uses are compared with the names, because one may mean them."""


def unused_name(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `Name` that no `$x` of its spec or fragment refers to.

    A snippet may leave the use out.

    ## Why
    Its value is never sent. Often a use was deleted, or written without `$`.

    ## Example
    ```acdl
    P[@T]: {
        Name docs := find(env.query[@T])
        U: env.query[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        Name docs := find(env.query[@T])
        U: { $docs env.query[@T] }
    }
    ```

    Reference: Language Reference, "Name Definitions".
    """
    unused = unused_names(resolved)
    if not unused:
        return
    unknown = sorted({use.name for use in resolved.unknown_names})[:_N_COMPARED]
    misspelled = {find_closest(name, resolved.defined_names) for name in unknown}
    tree = build_outline(resolved.parsed.file)
    has_bare = any(each.bare is not None for each in unused)
    unbound_at = {unbound.span.start for unbound in find_unbound_names(resolved)} if has_bare else set()
    for each in unused:
        if find_host_content(resolved.parsed.file).may_change(tree.definition_of(each.target)):
            continue  # unread text may use it
        is_reported = each.bare is not None and (
            isinstance(tree.parents.get(each.bare), Content)  # by `implicit-namespace`
            or each.bare.span.start in unbound_at  # by `unbound-index`
        )
        if each.target.name not in misspelled and not is_reported:
            yield _report_unused(each, resolved)


def _report_unused(unused: UnusedName, resolved: Resolved) -> Diagnostic:
    name, bare = unused.target.name, unused.bare
    edit = remove_statement(resolved.source, unused.position.node.span)
    fix = None if unused.position.is_needed else Fix("take it out", (edit,), is_safe=False)
    if bare is not None:
        fix = Fix(f"write `${name}`", (insert_text(bare.span.start, "$"),), is_safe=False)
    return note(
        "unused-name",
        f"nothing refers to `${name}`",
        Label(unused.target.span, "never used"),
        related=[Label(bare.span, "without `$` this is another thing")] if bare is not None else [],
        help=f"write `${name}` where it is meant" if bare is not None else f"use it, `${name}`, or take the `Name` out",
        fix=fix,
    )

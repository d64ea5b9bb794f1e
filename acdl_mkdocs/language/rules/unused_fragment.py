"""Rule `unused-fragment`: no `Frag` uses a fragment of a file that has specs."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, note
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.language.names.includes import find_host_content
from acdl_mkdocs.language.names.outline import find_positions
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import format_expression, remove_statement
from acdl_mkdocs.language.syntax.nodes import Call, Content, Fragment, FragUse, Prompt, Symbol, Template

_N_COMPARED = 20
"""Up to this many misspelled uses are compared with the fragments, because one may mean them."""


def unused_fragment(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report every fragment that nothing but itself uses, nor any other text that is read together with this one.

    A text without specs is a library of fragments, and another block of a page may use those of a block: nothing is
    reported there.

    ## Why
    It is never sent. Often its use was deleted.

    ## Example
    ```acdl
    P[@T]: { U: env.query[@T] }
    StrFrag Greeting[@t]: { HELLO(env.name[@t]) }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        U: { Frag Greeting[@T] env.query[@T] }
    }
    StrFrag Greeting[@t]: { HELLO(env.name[@t]) }
    ```

    Reference: Language Reference, "Fragments".
    """
    fragments = resolved.fragments
    nodes = [entry.node for entries in resolved.definitions.values() for entry in entries]
    if config.snippet or resolved.parsed.diagnostics or not any(isinstance(node, Prompt) for node in nodes):
        return  # after a syntax error, the use may be in text that was not understood
    used = {
        fragment
        for use, fragment in resolved.bindings.items()
        if isinstance(use, FragUse) and not fragment.span.start <= use.span.start < fragment.span.end
    }
    unused = {name: fragment for name, fragment in fragments.items() if fragment not in used}
    if not unused or find_host_content(resolved.parsed.file).is_in_text:
        return  # unread text may use them
    unknown = sorted({use.name.name for use in resolved.unknown_fragments})[:_N_COMPARED]
    excused = (
        resolved.library.used_names | _content_names(resolved) | {find_closest(name, fragments) for name in unknown}
    )
    for name, fragment in unused.items():
        if name not in excused and len(resolved.definitions[name]) == 1:
            yield _report_unused(fragment, resolved)


def _content_names(resolved: Resolved) -> frozenset[str]:
    """Return names used as content: where they are fragments, `missing-frag` reports them."""
    values = (
        position.node.value for position in find_positions(resolved.parsed.file) if isinstance(position.node, Content)
    )
    return frozenset(value.name for value in values if isinstance(value, (Symbol, Call, Template)))


def _report_unused(fragment: Fragment, resolved: Resolved) -> Diagnostic:
    name = fragment.name.name
    parameters = f"[{', '.join(map(format_expression, fragment.parameters))}]" if fragment.parameters else ""
    return note(
        "unused-fragment",
        f"nothing uses `{name}`",
        Label(fragment.name.span, "never used"),
        help=f"use it, `Frag {name}{parameters}`, or take it out",
        fix=Fix("take it out", (remove_statement(resolved.source, fragment.span),), is_safe=False),
    )

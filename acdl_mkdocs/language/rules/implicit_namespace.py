"""Rule `implicit-namespace`: data is named without saying where it comes from."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.namespaces import SplitNamespace, find_split_namespaces, needs_namespace
from acdl_mkdocs.language.names.outline import build_outline, find_loop_variables, is_header
from acdl_mkdocs.language.names.outside_messages import content_outside_messages
from acdl_mkdocs.language.names.ranges import is_indexed_range
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unbound import find_certainty
from acdl_mkdocs.language.names.unknown_headers import find_explained_lines
from acdl_mkdocs.language.syntax.edits import insert_text, replace_text
from acdl_mkdocs.language.syntax.fixed_wording import has_no_case
from acdl_mkdocs.language.syntax.nodes import Symbol


def implicit_namespace(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report bare words that represent content: `user_input[@T]`, `datetime` alone in a message, and `env query`.

    ## Why
    The namespace shows the origin of data: without it, readers cannot distinguish external input from the agent's
    notes.

    ## Example
    ```acdl
    P[@T]: {
        U: user_input[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        U: env.user_input[@T]
    }
    ```

    Reference: Language Reference, "Context Variables".
    """
    tree = build_outline(resolved.parsed.file)
    loops = find_loop_variables(tree)
    stray = {position.node for position in content_outside_messages(resolved)}
    certain = find_certainty(tree)
    skipped: frozenset[int] | None = None
    pairs = find_split_namespaces(resolved)
    yield from (_report_split(pair, resolved) for pair in pairs)
    apart = {word for pair in pairs for word in (pair.namespace, pair.rest)}
    for word in tree.nodes_of(Symbol):
        is_known = word in resolved.bindings or word.name in resolved.definitions or word in apart
        if is_known or is_indexed_range(word) or not needs_namespace(word, tree) or resolved.find_fragment(word.name):
            continue
        definition = tree.definition_of(word)
        is_unseen = definition is None and not word.parts  # perhaps bound by a loop around the snippet
        is_stray = not word.parts and tree.parents.get(word) in stray  # `content-outside-role` suggests a role first
        if is_unseen or is_stray or word.name in loops.get(definition, {}) or is_header(word, tree):
            continue
        skipped = find_explained_lines(resolved) if skipped is None else skipped
        if resolved.source.line_index(word.span.start) not in skipped and certain.fact_of(word):
            yield _report_word(word, resolved)


def _report_split(pair: SplitNamespace, resolved: Resolved) -> Diagnostic:
    namespace, name = pair.namespace.name, pair.rest.name
    written = resolved.source.one_line(pair.rest.span.start, pair.rest.span.end)
    return warning(
        "implicit-namespace",
        f"`{namespace}` stands apart from `{name}`",
        Label(Span(pair.namespace.span.start, pair.rest.span.end), "read as two contents"),
        help=f"write `{namespace}.{written}`",
        fix=Fix("join them with a dot", (replace_text(pair.gap, "."),), is_safe=False),
    )


def _report_word(word: Symbol, resolved: Resolved) -> Diagnostic:
    written = resolved.source.one_line(word.span.start, word.span.end)
    if word.name in resolved.defined_names:
        target = resolved.defined_names[word.name]
        return warning(
            "implicit-namespace",
            f"`{word.name}` has no namespace",
            Label(Span(word.span.start, word.name_end), "a reference to a `Name` begins with `$`"),
            related=[Label(target.span, "this `Name` is spelled the same")],
            help=f"did you mean `${written}`?",
            fix=Fix("refer to the `Name`", (insert_text(word.span.start, "$"),), is_safe=False),
        )
    cures = [
        f"from outside the agent: `env.{written}`",
        f"kept by the agent: `sys.{written}`",
        f"said by the model: `resp.{written}`",
    ]
    if not word.parts and len(word.name) > 1 and not has_no_case(word.name):
        cures.append(f"fixed wording: `{word.name.upper()}`")
    return warning(
        "implicit-namespace",
        f"`{word.name}` has no namespace",
        Label(word.span, "where does it come from?"),
        help=cures,
    )

"""Rule `unknown-namespace`: data is read from a namespace that ACDL does not have."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, note, warning
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.includes import find_host_content
from acdl_mkdocs.language.names.namespaces import REASONS, closest_namespace, namespace_of_word
from acdl_mkdocs.language.names.outline import Outline, build_outline, find_loop_variables, is_header
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import is_bare_time
from acdl_mkdocs.language.names.unbound import find_certainty
from acdl_mkdocs.language.names.unknown_headers import find_explained_lines
from acdl_mkdocs.language.syntax.edits import replace_text
from acdl_mkdocs.language.syntax.nodes import Arm, Declaration, Field, Symbol, Template


def unknown_namespace(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report dotted words whose first word is neither a namespace nor a bound name.

    `prompt` was a namespace once: a note reports it. `Namespace mem := { ... }` declares another namespace.

    ## Why
    The namespace shows where data comes from: `env` from outside, `sys` from the agent, `resp` from the model.

    ## Example
    ```acdl
    P[@T]: {
        U: obs.image[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        U: env.obs.image[@T]
    }
    ```

    Reference: Language Reference, "Context Variables".
    """
    tree = build_outline(resolved.parsed.file)
    loops = find_loop_variables(tree)
    namespaces = {each.namespace for each in tree.nodes_of(Declaration)}
    certain = find_certainty(tree)
    skipped: frozenset[int] | None = None
    words: list[Symbol | Template] = [*tree.nodes_of(Symbol), *tree.nodes_of(Template)]
    for word in words:
        if (
            not word.parts
            or not isinstance(word.parts[0], Field)
            or word in resolved.bindings
            or word.name in namespaces
        ):
            continue
        if isinstance(word, Symbol) and is_bare_time(word, resolved):
            continue  # `bare-time-variable` reports it
        near = None if namespace_of_word(word.name) else closest_namespace(word.name)
        definition = tree.definition_of(word)
        is_unseen = near is None and definition is None and word.name != "prompt"  # bound outside of the snippet
        if is_unseen or (near is None and isinstance(word, Template)) or word.name in loops.get(definition, {}):
            continue
        skipped = find_explained_lines(resolved) if skipped is None else skipped
        if near is None and (find_host_content(resolved.parsed.file).is_in_text or not certain.fact_of(word)):
            continue  # unread text may declare it, or the header of a loop that is not understood bind it
        if not _is_no_data(word, tree) and resolved.source.line_index(word.span.start) not in skipped:
            yield _report_unknown(word, near, resolved)


def _is_no_data(word: Symbol | Template, outline: Outline) -> bool:
    """Return whether a word is a title or the value of a `Case`."""
    parent = outline.parents.get(word)
    return (isinstance(parent, Arm) and parent.kind == "case") or is_header(word, outline)


def _report_unknown(word: Symbol | Template, near: str | None, resolved: Resolved) -> Diagnostic:
    text = resolved.source.text[word.span.start : word.span.end]
    position = Span(word.span.start, word.span.start + len(word.name))
    rest = " ".join(text[len(word.name) :].split())
    if word.name == "prompt":
        return note(
            "unknown-namespace",
            "`prompt` is no longer a namespace",
            Label(position, "older versions of the language had it"),
            help=f"what the agent keeps is `sys`: `sys{rest}`",
            fix=Fix("read it from `sys`", (replace_text(position, "sys"),), is_safe=False),
        )
    namespace, fix = namespace_of_word(word.name), None
    cures = [
        f"from outside the agent: `env.{word.name}{rest}`",
        f"kept by the agent: `sys.{word.name}{rest}`",
        f"said by the model: `resp.{word.name}{rest}`",
    ]
    if namespace is not None:
        head = namespace if namespace == "resp" else f"{namespace}.{word.name}"
        cures = [f"{REASONS[namespace]}, so write `{head}{rest}`"]
        fix = Fix(f"write `{head}`", (replace_text(position, head),), is_safe=False)
    elif near is not None:
        cures = [f"did you mean `{near}{rest}`?"]
        fix = Fix(f"write `{near}`", (replace_text(position, near),), is_safe=False)
    label = Label(position, "expected `env`, `sys` or `resp`")
    return warning("unknown-namespace", f"`{word.name}` is not a namespace", label, help=cures, fix=fix)

"""Rule `undefined-name`: `$x` refers to no `Name`."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.language.names.includes import find_host_content
from acdl_mkdocs.language.names.outline import Outline, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import is_time_variable
from acdl_mkdocs.language.syntax.edits import replace_text
from acdl_mkdocs.language.syntax.nodes import Content, Field, Identifier, NameRef, Node, TimeIndex

_SIMILAR = "a similar name is defined here"
_ELSEWHERE = "defined here, for another spec"


def undefined_name(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report every `$x` and `@$x` that no `Name` of the same definition binds.

    `$doc.title` and `@doc.title` are reported too where `doc` is the variable of a loop or a parameter: that is
    written `doc.title`.

    In a snippet the definition may be elsewhere, so nothing is reported there.

    ## Why
    A reader cannot know the content, and nothing can be evaluated.

    ## Example
    ```acdl
    P[@T]: {
        Name docs := find(env.query[@T])
        U: $dcos.text
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        Name docs := find(env.query[@T])
        U: $docs.text
    }
    ```

    Reference: Language Reference, "Name Definitions".
    """
    if config.snippet and resolved.parsed.file.is_snippet:
        return
    tree = build_outline(resolved.parsed.file)
    for time in tree.nodes_of(TimeIndex):
        binder = resolved.bindings.get(time) if time.parts else None
        if isinstance(binder, Identifier) and _is_no_time(time, binder, tree):
            yield _wrong_sign(time, binder, resolved)
    broken = resolved.broken_words() if resolved.unknown_names else frozenset()
    for use in resolved.unknown_names:
        if use.name in broken:
            continue  # its definition may be in text that was not understood
        if find_host_content(resolved.parsed.file).may_change(build_outline(resolved.parsed.file).definition_of(use)):
            continue  # its definition may be in unread text
        if use in resolved.wrong_signs:
            yield _wrong_sign(use, resolved.wrong_signs[use], resolved)
            continue
        near = find_closest(use.name, resolved.defined_names)
        yield error(
            "undefined-name",
            f"no `Name` defines `${use.name}`",
            Label(use.span, "not defined in this spec"),
            related=[Label(resolved.defined_names[near].span, _SIMILAR if near != use.name else _ELSEWHERE)]
            if near
            else [],
            help=f"did you mean `${near}`?"
            if near and near != use.name
            else f"write `Name {use.name} := ...` before it",
        )


def _is_no_time(time: TimeIndex, variable: Identifier, outline: Outline) -> bool:
    """Return whether `@doc.title` is content that means a list element."""
    field = time.parts[0] if time.parts else None
    is_element = isinstance(field, Field) and len(field.name) > 1 and field.name != "substeps"
    return is_element and isinstance(outline.parents.get(time), Content) and not is_time_variable(variable, outline)


def _wrong_sign(use: NameRef | TimeIndex, binder: Node, resolved: Resolved) -> Diagnostic:
    """Report `$doc` or `@doc` where `doc` is a loop variable or a parameter."""
    is_variable = isinstance(binder, Identifier)
    is_time = isinstance(binder, TimeIndex) or (
        isinstance(binder, Identifier) and is_time_variable(binder, build_outline(resolved.parsed.file))
    )
    signs = ("@$" if use.is_reference else "@") if isinstance(use, TimeIndex) else "$"
    span = Span(use.span.start, use.span.start + len(signs) + len(use.name))
    name = f"@{use.name}" if is_time else use.name
    return error(
        "undefined-name",
        f"`{use.name}` is {'the variable of a loop' if is_variable else 'a parameter'}, not a `Name`",
        Label(span, f"`{signs}` does not belong before it"),
        related=[Label(binder.span, "this loop defines it" if is_variable else "defined here")],
        help=f"write `{name}{resolved.source.one_line(span.end, use.span.end)}`",
        fix=Fix(f"write `{name}`", (replace_text(span, name),), is_safe=True),
    )

"""Rule `content-outside-role`: content is between messages instead of in one."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.names.outline import NodePosition, definitions_with_messages
from acdl_mkdocs.language.names.outside_messages import (
    choose_marker,
    content_values,
    groups_outside_messages,
    message_before,
    suggest_keyword,
    suggest_message,
)
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unknown_headers import find_explained_lines
from acdl_mkdocs.language.syntax.edits import format_expression, insert_text, replace_text, wrap_statements
from acdl_mkdocs.language.syntax.nodes import Expression, Fragment, Node, Symbol
from acdl_mkdocs.language.syntax.nodes import Label as TitledGroup
from acdl_mkdocs.language.syntax.tokens import ROLES

_N_SHOWN = 2


def content_outside_role(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report content of a spec or roles fragment that no message holds; neighbours together.

    ## Why
    A chat interface takes messages, and each has a role: this content has none.

    ## Example
    ```acdl
    P[@T]: {
        S: INSTRUCTIONS
        sys.plan[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        S: INSTRUCTIONS
        U: sys.plan[@T]
    }
    ```

    Reference: Language Reference, "Role Messages".
    """
    groups = list(groups_outside_messages(resolved))
    skipped = find_explained_lines(resolved) if groups else frozenset()
    for group in groups:
        values = content_values([position.node for position in group])
        span = Span(values[0].span.start, values[-1].span.end)
        if not any(resolved.source.line_index(value.span.start) in skipped for value in values):
            yield _report_content(group[0], values, span, resolved)


def _report_content(position: NodePosition, values: list[Expression], span: Span, resolved: Resolved) -> Diagnostic:
    source, definition = resolved.source, position.definition
    cures, fix = _suggest_role(position.parent) or _suggest_help(values, span, source)
    related = []
    if isinstance(definition, Fragment) and definition not in definitions_with_messages(resolved.parsed.file):
        related = [Label(definition.keyword, "this says that the fragment gives messages")]
        cures = [f"if the fragment gives text, write `StrFrag {definition.name.name}`", *cures]
        fix = Fix("make it a string fragment", (replace_text(definition.keyword, "StrFrag"),), is_safe=False)
    before = message_before(position, source)
    if before is not None:
        marker = source.text[before.marker.start : before.marker.end]
        inside = _quote_values([*content_values(before.body), *values])
        cures = [f"if it belongs to the message before it, write `{marker}: {{ {inside} }}`", f"if not, {cures[0]}"]
        fix = Fix(
            "put braces around both", wrap_statements(source, Span(before.body[0].span.start, span.end)), is_safe=False
        )
    return error(
        "content-outside-role",
        "content stands outside any message",
        Label(span, "needs a role" if len(values) == 1 else "these need a role"),
        related=related,
        help=cures,
        fix=fix
        or Fix("put it into a message", wrap_statements(source, span, f"{choose_marker(values)}: "), is_safe=False),
    )


def _suggest_role(group: Node) -> tuple[list[str], Fix] | None:
    """Return the role whose `:` is missing in `user { AA }`, which is read as a group with a title."""
    title = group.title if isinstance(group, TitledGroup) else None
    if not isinstance(title, Symbol) or title.parts or title.name.lower() not in ROLES:
        return None
    role = f"{ROLES[title.name.lower()][0].upper()}:"
    fix = Fix(f"write `{role}`", (replace_text(title.span, role),), is_safe=False)
    return [f"did you mean `{role} {{ ... }}`?"], fix


def _suggest_help(values: list[Expression], span: Span, source: Source) -> tuple[list[str], Fix | None]:
    """Return what to write instead, and the fix if it is not a message around the content."""
    value, marker = values[0], choose_marker(values)
    word, message = suggest_keyword(value), suggest_message(values)
    if word:
        at = source.line_index(value.span.end)
        rest = source.line_text(at)[value.span.end - source.line_starts[at] :].lstrip()
        written = f"{word};" if rest and rest[0] not in "};/#" else word  # or it would be the condition
        return [f"did you mean `{word}`?"], Fix(f"write `{word}`", (replace_text(value.span, written),), is_safe=False)
    if message:
        role, content, before = message
        edit = replace_text(before, f"{role}: ")
        return [f"did you mean `{role}: {format_expression(content)}`?"], Fix(
            f"write `{role}:`", (edit,), is_safe=False
        )
    if len(values) > 1:
        return [f"put it into a message: `{marker}: {{ {_quote_values(values)} }}`"], None
    edit = insert_text(span.start, f"{marker}: ")
    return [f"write `{marker}: {format_expression(value)}`"], Fix("make it a message", (edit,), is_safe=False)


def _quote_values(values: list[Expression]) -> str:
    """Format the first values in words."""
    return " ".join(map(format_expression, values[:_N_SHOWN])) + (" ..." if len(values) > _N_SHOWN else "")

"""Rule `content-outside-role`: content stands between messages instead of in one."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.names.places import Place, speaking
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.names.stray import is_role, meant_keyword, message_before, neighbours, stray_content
from acdl_mkdocs.rules.implicit_namespace import explained
from acdl_mkdocs.source import Span
from acdl_mkdocs.syntax.edits import around, insertion, replacement, written
from acdl_mkdocs.syntax.nodes import (
    Call,
    Content,
    ContextVar,
    Expression,
    Fragment,
    FragUse,
    Prompt,
    RoleMessage,
    String,
    Symbol,
    Template,
)
from acdl_mkdocs.syntax.nodes import Label as LabelBlock
from acdl_mkdocs.syntax.tokens import ROLES

_N_SHOWN = 2


def content_outside_role(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report content of a spec or roles fragment that no message holds; neighbours together.

    ## Why
    A chat interface takes messages, and each has a role: nobody knows who would say this.

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
    stray = [place for place in stray_content(resolved) if not _is_told_elsewhere(place, resolved)]
    skipped = explained(resolved, config) if stray else frozenset()
    for group in neighbours(stray):
        values = [place.node.value for place in group if isinstance(place.node, Content)]
        span = Span(values[0].span.start, values[-1].span.end)
        if not any(resolved.source.line_index(value.span.start) in skipped for value in values):
            yield _outside(group[0], values, span, resolved)


def _is_told_elsewhere(place: Place, resolved: Resolved) -> bool:
    """Whether it is a fragment, a spec or the unknown keyword of a block: other rules say what is wrong with it."""
    value = place.node.value if isinstance(place.node, Content) else None
    is_defined = isinstance(value, Symbol | Call | Template) and value.name in resolved.definitions
    at = place.index + 1
    following = place.siblings[at] if at < len(place.siblings) else None
    is_keyword = (
        isinstance(following, LabelBlock | Prompt)
        and "\n" not in resolved.source.text[place.node.span.end : following.span.start]
    )
    return is_keyword or isinstance(value, FragUse) or is_defined


def _outside(place: Place, values: list[Expression], span: Span, resolved: Resolved) -> Diagnostic:
    source, definition = resolved.source, place.definition
    cures, fix = _advice(values, span)
    related = []
    if isinstance(definition, Fragment) and definition not in speaking(resolved.parsed.file):
        keyword = Label(definition.keyword, "this says that the fragment gives messages")
        related = [keyword]
        cures = [f"if the fragment gives text, write `StrFrag {definition.name.name}`", *cures]
        fix = Fix("make it a string fragment", (replacement(definition.keyword, "StrFrag"),), is_safe=False)
    before = message_before(place, source)
    if before is not None:
        marker = source.text[before.marker.start : before.marker.end]
        inside = _shown([*_values(before), *values])
        cures = [f"if it belongs to the message before it, write `{marker}: {{ {inside} }}`", f"if not, {cures[0]}"]
        fix = Fix("put braces around both", around(source, Span(before.body[0].span.start, span.end)), is_safe=False)
    return error(
        "content-outside-role",
        "content stands outside any message",
        Label(span, "needs a role" if len(values) == 1 else "these need a role"),
        related=related,
        help=cures,
        fix=fix or Fix("put it into a message", around(source, span, f"{_role(values)}: "), is_safe=False),
    )


def _values(message: RoleMessage) -> list[Expression]:
    return [each.value for each in message.body if isinstance(each, Content)]


def _advice(values: list[Expression], span: Span) -> tuple[list[str], Fix | None]:
    """What to write instead, and the fix if it is another one than a message around it."""
    value = values[0]
    word = meant_keyword(value)
    if word:
        return [f"did you mean `{word}`?"], Fix(f"write `{word}`", (replacement(value.span, word),), is_safe=False)
    if len(values) > 1 and is_role(value):
        marker = ROLES[value.name.lower()][0].upper()
        edit = replacement(value.span, f"{marker}:")
        return [f"did you mean `{marker}: {written(values[1])}`?"], Fix(f"write `{marker}:`", (edit,), is_safe=False)
    if len(values) > 1:
        return [f"put it into a message: `{_role(values)}: {{ {_shown(values)} }}`"], None
    text = written(value)
    edit = insertion(span.start, f"{_role(values)}: ")
    return [f"write `{_role(values)}: {text}`"], Fix("make it a message", (edit,), is_safe=False)


def _shown(values: list[Expression]) -> str:
    """The first of them in words."""
    return " ".join(map(written, values[:_N_SHOWN])) + (" ..." if len(values) > _N_SHOWN else "")


def _role(values: list[Expression]) -> str:
    """The marker that fits best: what the model said, instructions, or anything else."""
    if all(isinstance(value, ContextVar) and value.namespace == "resp" for value in values):
        return "A"
    return "S" if isinstance(values[0], Template | String) else "U"

"""Rule `operator-between-contents`: contents are joined by a sign that calculates or compares."""

from collections.abc import Iterator
from itertools import pairwise

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, TextEdit, error, warning
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.kinds import ExpressionKinds, JoinedContent, find_joined_content
from acdl_mkdocs.language.names.outline import NodePosition, build_outline, find_positions
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unknown_headers import find_explained_lines
from acdl_mkdocs.language.syntax.edits import format_expression, insert_text
from acdl_mkdocs.language.syntax.nodes import Content, Operation, RoleMessage, Unary
from acdl_mkdocs.language.syntax.tokenize import tokenize


def operator_between_contents(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report `-`, `*`, `/`, `%`, `&` and `|` between contents of a message; `plus-between-contents` reports `+`.

    A list with a dash before every content, each on its own line, is understood.

    ## Why
    The signs calculate with numbers. Write contents one after the other inside the braces of their message.

    ## Example
    ```acdl
    P[@T]: {
        S: { TASK - TOOLS }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        S: { TASK TOOLS }
    }
    ```

    Reference: Language Reference, "Multi-Line Form".
    """
    contents = {
        each for each in build_outline(resolved.parsed.file).nodes_of(Content) if type(each.value) in (Operation, Unary)
    }
    if not contents:
        return
    kinds = ExpressionKinds(resolved)
    skipped: frozenset[int] | None = None
    for position in find_positions(resolved.parsed.file):
        joined = find_joined_content(position.node, kinds) if position.node in contents and position.is_text else None
        if joined is None or joined.operators == {"+"}:
            continue
        skipped = find_explained_lines(resolved) if skipped is None else skipped
        if resolved.source.line_index(joined.content.span.start) not in skipped:
            yield _report_operators(joined, position, resolved)


def _report_operators(joined: JoinedContent, position: NodePosition, resolved: Resolved) -> Diagnostic:
    text = resolved.source.text
    operands = joined.operands
    start = joined.content.value.span.start
    head = Span(start, operands[0].span.start)
    between = [head] if head.start < head.end else []
    between += [Span(one.span.end, two.span.start) for one, two in pairwise(operands)]
    first = next(each for each in between if text[each.start : each.end].strip())
    cut = tokenize(text)
    words = [each for each in cut.tokens if first.start <= each.start < first.end]
    place_of_sign = Span(words[0].start, words[-1].end)
    sign = text[place_of_sign.start : place_of_sign.end]
    listed = " ".join(map(format_expression, operands))
    message = position.parent if position.is_needed and isinstance(position.parent, RoleMessage) else None
    marker = text[message.marker.start : message.marker.end] if message is not None else ""
    is_bare = message is None or len(operands) == 1
    edits = [TextEdit(each, _drop_sign(text[each.start : each.end])) for each in between]
    if head.start < head.end:
        edits[0] = TextEdit(head, "")
    if not is_bare:
        edits = [insert_text(start, "{ "), *edits, insert_text(operands[-1].span.end, " }")]
    has_comment = any(each.start <= note.span.start < each.end for note in cut.comments for each in between)
    operator = " ".join(sign.split())
    return (error if joined.is_text else warning)(
        "operator-between-contents",
        f"contents are joined by `{operator}`" if len(operands) > 1 else f"a content begins with `{operator}`",
        Label(place_of_sign, "this sign is for numbers and conditions, not for contents"),
        help=f"leave the sign out: `{listed}`" if is_bare else f"write them inside braces: `{marker}: {{ {listed} }}`",
        fix=None if has_comment else Fix("leave the sign out", tuple(edits), is_safe=False),
    )


def _drop_sign(between: str) -> str:
    """Return the blanks between two contents without the sign: the line ends, else one blank."""
    blanks = [between[: len(between) - len(between.lstrip())], between[len(between.rstrip()) :]]
    return next((each for each in blanks if "\n" in each), " ")

"""Grammar production to node: one function per alias of `grammar.lark`, each from the pieces to what they make.

The functions know nothing of parsing and report nothing: what the reference forbids but a person understands becomes a
node that a rule can look at. Those of expressions are in `build_expressions.py`.
"""

from collections.abc import Callable
from typing import TypeAlias

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax import build_expressions as expressions
from acdl_mkdocs.language.syntax.nodes import (
    AnyPath,
    Arm,
    Break,
    Broken,
    BrokenBlock,
    Call,
    Content,
    Continue,
    Declaration,
    EndsHere,
    Expression,
    File,
    ForEach,
    Fragment,
    HostValue,
    Identifier,
    If,
    Label,
    Mark,
    NameDef,
    Prompt,
    RoleMessage,
    RoleName,
    Skipped,
    Statement,
    Switch,
    Symbol,
    Template,
)
from acdl_mkdocs.language.syntax.pieces import Body, Piece, T, span_between
from acdl_mkdocs.language.syntax.tokens import ROLES, Token

_Case: TypeAlias = Arm | Broken | BrokenBlock

# -------------------------------------------------------------------------------------------------- lists and blocks


def _more_items(items: list[Piece], item: Piece) -> list[Piece]:
    items.append(item)
    return items


def _block(opening: Token, items: list[T], closing: Token) -> Body[T]:
    return Body(items, opening.start, closing.end)


def _block_after_colon(colon: Token, _opening: Token, items: list[T], closing: Token) -> Body[T]:
    return Body(items, colon.start, closing.end)


def _file(items: list[Statement]) -> File:
    statements = tuple(_at_top(item) for item in items)
    return File(span=span_between(statements[0], statements[-1]) if statements else Span(0, 0), items=statements)


def _at_top(item: Statement) -> Statement:
    """Convert a title before braces at the top level to a spec."""
    if not isinstance(item, Label) or not isinstance(item.title, (Symbol, Template, Call, HostValue)):
        return item
    name, parameters = expressions.split_header(item.title)
    return Prompt(span=item.span, name=name, parameters=parameters, body=item.body)


# ------------------------------------------------------------------------------------------------------- definitions


def _prompt(keyword: Token, title: AnyPath, body: Body[Statement]) -> Prompt:
    name, parameters = expressions.split_header(title)
    return Prompt(span=Span(keyword.start, body.end), name=name, parameters=parameters, body=tuple(body.items))


def _fragment(keyword: Token, title: AnyPath, body: Body[Statement]) -> Fragment:
    name, parameters = expressions.split_header(title)
    return Fragment(
        span=Span(keyword.start, body.end),
        kind="string" if keyword.kind == "STRING_FRAGMENT" else "roles",
        keyword=keyword.span,
        name=name,
        parameters=parameters,
        body=tuple(body.items),
    )


def _label(title: Expression, body: Body[Statement]) -> Label:
    return Label(span=Span(title.span.start, body.end), title=title, body=tuple(body.items))


def _declaration(token: Token) -> Declaration:
    words = token.text.split(None, 2)
    return Declaration(span=token.span, namespace=words[1].rstrip(":={"), text=token.text)


def _skipped(token: Token) -> Skipped:
    return Skipped(span=token.span, keyword=token.text.split(None, 1)[0], text=token.text)


def _broken(token: Token) -> Broken:
    return Broken(span=token.span, text=token.text)


def _broken_block(first: Token, *rest: Token | Body[Statement]) -> BrokenBlock:
    """Build a block whose header was not understood, perhaps after its keyword."""
    *words, body = rest
    head = " ".join(word.text for word in (first, *words) if isinstance(word, Token))
    inside = body.items if isinstance(body, Body) else []
    return BrokenBlock(span=Span(first.start, body.end), text=head, body=tuple(inside))


# -------------------------------------------------------------------------------------------------------- statements


def _role(marker: Token) -> RoleName:
    return ROLES[marker.text.split()[-1].lower()]


def _role_message(marker: Token, body: Body[Statement]) -> RoleMessage:
    span = Span(marker.start, body.end)
    return RoleMessage(span=span, role=_role(marker), marker=marker.span, is_braced=True, body=tuple(body.items))


def _role_line(marker: Token, _colon: Token, item: Statement) -> RoleMessage:
    return RoleMessage(
        span=span_between(marker, item), role=_role(marker), marker=marker.span, is_braced=False, body=(item,)
    )


def _foreach(
    keyword: Token, variable: Identifier, _within: Token, iterable: Expression, body: Body[Statement]
) -> ForEach:
    return ForEach(
        span=Span(keyword.start, body.end),
        keyword=keyword.span,
        variable=variable,
        iterable=expressions.unwrap_range(iterable),
        body=tuple(body.items),
    )


def _foreach_in_parentheses(
    keyword: Token,
    _opening: Token,
    variable: Identifier,
    within: Token,
    iterable: Expression,
    _closing: Token,
    body: Body[Statement],
) -> ForEach:
    return _foreach(keyword, variable, within, iterable, body)


def _foreach_broken(keyword: Token, _header: Token, body: Body[Statement]) -> ForEach:
    span = Span(keyword.start, body.end)
    return ForEach(span=span, keyword=keyword.span, variable=None, iterable=None, body=tuple(body.items))


def _test(piece: Expression | Token) -> Expression | None:
    """Return the condition, or `None` if it was not understood."""
    return None if isinstance(piece, Token) else piece


def _if_arm(keyword: Token, test: Expression | Token, body: Body[Statement]) -> list[Arm]:
    span = Span(keyword.start, body.end)
    return [Arm(span=span, kind="if", keyword=keyword.span, test=_test(test), body=tuple(body.items))]


def _elseif_arm(arms: list[Arm], keyword: Token, test: Expression | Token, body: Body[Statement]) -> list[Arm]:
    span = Span(keyword.start, body.end)
    arms.append(Arm(span=span, kind="elseif", keyword=keyword.span, test=_test(test), body=tuple(body.items)))
    return arms


def _else_arm(arms: list[Arm], keyword: Token, body: Body[Statement]) -> list[Arm]:
    span = Span(keyword.start, body.end)
    arms.append(Arm(span=span, kind="else", keyword=keyword.span, test=None, body=tuple(body.items)))
    return arms


def _else_broken(arms: list[Arm], keyword: Token, _header: Token, body: Body[Statement]) -> list[Arm]:
    return _else_arm(arms, keyword, body)


def _conditional(arms: list[Arm]) -> If:
    return If(span=span_between(arms[0], arms[-1]), arms=tuple(arms))


def _switch(keyword: Token, subject: Expression | Token, cases: Body[_Case]) -> Switch:
    span = Span(keyword.start, cases.end)
    return Switch(span=span, keyword=keyword.span, subject=_test(subject), arms=tuple(cases.items))


def _case(keyword: Token, test: Expression | Token, body: Body[Statement]) -> Arm:
    span = Span(keyword.start, body.end)
    return Arm(span=span, kind="case", keyword=keyword.span, test=_test(test), body=tuple(body.items))


def _default(keyword: Token, body: Body[Statement]) -> Arm:
    span = Span(keyword.start, body.end)
    return Arm(span=span, kind="default", keyword=keyword.span, test=None, body=tuple(body.items))


def _mark(keyword: Token, body: Body[Statement]) -> Mark:
    return Mark(span=Span(keyword.start, body.end), keyword=keyword.span, number=None, body=tuple(body.items))


def _numbered_mark(keyword: Token, number: Expression, body: Body[Statement]) -> Mark:
    return Mark(span=Span(keyword.start, body.end), keyword=keyword.span, number=number, body=tuple(body.items))


def _name_definition(keyword: Token, targets: list[Expression], _sign: Token, value: Expression) -> NameDef:
    return NameDef(
        span=span_between(keyword, value), targets=tuple(map(expressions.build_target, targets)), value=value
    )


def _assignment(to: Expression, _sign: Token, value: Expression) -> NameDef:
    return NameDef(span=span_between(to, value), targets=(expressions.build_target(to),), value=value)


def _ends_here(keyword: Token) -> EndsHere:
    return EndsHere(span=keyword.span, condition=None)


def _ends_when(keyword: Token, condition: Expression) -> EndsHere:
    return EndsHere(span=span_between(keyword, condition), condition=condition)


def _content(value: Expression) -> Content:
    return Content(span=value.span, value=_as_template(value))


def _marked_content(marker: Token, value: Expression) -> Content:
    return Content(span=span_between(marker, value), value=_as_template(value))


def _as_template(value: Expression) -> Expression:
    """Convert a single capital to a template: it is an index only inside `[ ]`."""
    if isinstance(value, (Symbol, Call)) and len(value.name) == 1 and value.name.isupper():
        return Template(span=value.span, name=value.name, name_end=value.name_end, parts=value.parts)
    return value


def _break_loop(word: Token) -> Break:
    return Break(span=word.span)


def _continue_loop(word: Token) -> Continue:
    return Continue(span=word.span)


ACTIONS: dict[str, Callable[..., Piece]] = {
    "file": _file,
    "more_items": _more_items,
    "block": _block,
    "block_after_colon": _block_after_colon,
    "prompt": _prompt,
    "fragment": _fragment,
    "label": _label,
    "declaration": _declaration,
    "skipped": _skipped,
    "broken": _broken,
    "broken_block": _broken_block,
    "role_message": _role_message,
    "role_line": _role_line,
    "foreach": _foreach,
    "foreach_in_parentheses": _foreach_in_parentheses,
    "foreach_broken": _foreach_broken,
    "if_arm": _if_arm,
    "elseif_arm": _elseif_arm,
    "else_arm": _else_arm,
    "else_broken": _else_broken,
    "conditional": _conditional,
    "switch": _switch,
    "case": _case,
    "default": _default,
    "mark": _mark,
    "numbered_mark": _numbered_mark,
    "name_definition": _name_definition,
    "assignment": _assignment,
    "ends_here": _ends_here,
    "ends_when": _ends_when,
    "content": _content,
    "marked_content": _marked_content,
    "break_loop": _break_loop,
    "continue_loop": _continue_loop,
    "one_value": expressions.one_value,
    "more_values": expressions.more_values,
    "variable": expressions.build_variable,
    "iterable": expressions.build_iterable,
    "range_of_two": expressions.range_of_two,
    "range_of_three": expressions.range_of_three,
    "chain": expressions.build_chain,
    "longer_chain": expressions.extend_chain,
    "operation": expressions.build_operation,
    "unary": expressions.build_unary,
    "number": expressions.build_number,
    "string": expressions.build_string,
    "group": expressions.build_group,
    "list_of": expressions.build_list,
    "empty_list": expressions.build_empty_list,
    "comprehension": expressions.build_comprehension,
    "comprehension_if": expressions.build_comprehension_if,
    "span_of": expressions.build_span,
    "span_every": expressions.build_span_every,
    "fragment_use": expressions.build_fragment_use,
    "word": expressions.begin_path,
    "fields": expressions.add_fields,
    "index": expressions.add_index,
    "empty_index": expressions.add_empty_index,
    "arguments": expressions.add_arguments,
    "no_arguments": expressions.add_no_arguments,
    "path": expressions.build_path,
    "value_path": expressions.build_value_path,
}
"""The function for every alias of the grammar, called with the pieces of the production; an alias that only passes on
what it holds has none."""

"""Grammar production to node: one function per alias of `grammar.lark`, each from the pieces to what they make.

A piece is a `Token`, a node, or a list of pieces that is still growing. The functions know nothing of parsing and
report nothing: what the reference forbids but a person understands becomes a node that a rule can look at.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, cast

from acdl_mkdocs.source import Span
from acdl_mkdocs.syntax.nodes import (
    Arguments,
    Arm,
    Break,
    Broken,
    BrokenBlock,
    Call,
    Comprehension,
    Content,
    ContextVar,
    Continue,
    Declaration,
    EndsHere,
    Expression,
    Field,
    File,
    ForEach,
    Fragment,
    FragUse,
    Group,
    Identifier,
    If,
    Index,
    Label,
    ListOf,
    Mark,
    MessageNumber,
    NameDef,
    NameRef,
    Node,
    Number,
    Operation,
    Part,
    Prompt,
    Range,
    RoleMessage,
    RoleName,
    Skipped,
    Statement,
    String,
    Switch,
    Symbol,
    Template,
    TimeIndex,
    Unary,
)
from acdl_mkdocs.syntax.tokens import INVISIBLE, ROLES, Token, is_all_caps

Pieces: TypeAlias = list[Any]
"""What the parser hands over: as many pieces as the production has, of the types that its parts make."""

_BLANK = " \t" + "".join(map(chr, INVISIBLE))

NAMESPACES = ("env", "sys", "resp")
"""The namespaces of the reference; any other dotted word is a `Symbol` until `resolve` knows better."""

_OPERATORS = {
    "&&": "&",
    "and": "&",
    "||": "|",
    "or": "|",
    "not": "!",
    "=": "==",
    "≠": "!=",
    "<>": "!=",
    "≤": "<=",
    "≥": ">=",
    "–": "-",
    "−": "-",
    "×": "*",
    "÷": "/",
}


def _start(piece: Token | Node) -> int:
    return piece.start if isinstance(piece, Token) else piece.span.start


def _end(piece: Token | Node) -> int:
    return piece.end if isinstance(piece, Token) else piece.span.end


def _span(pieces: Pieces) -> Span:
    return Span(_start(pieces[0]), _end(pieces[-1]))


# -------------------------------------------------------------------------------------------------- lists and blocks


class _Body(list[Statement]):
    """The statements of a block and the braces around them."""

    __slots__ = ("end", "start")

    def __init__(self, statements: list[Statement], start: int, end: int) -> None:
        super().__init__(statements)
        self.start = start
        self.end = end


def _closed(pieces: Pieces, body: _Body) -> Span:
    return Span(_start(pieces[0]), body.end)


def _same(pieces: Pieces) -> object:
    return pieces[0]


def _more_items(pieces: Pieces) -> object:
    pieces[0].append(pieces[1])
    return pieces[0]


def _one_value(pieces: Pieces) -> object:
    return pieces


def _more_values(pieces: Pieces) -> object:
    pieces[0].append(pieces[2])
    return pieces[0]


def _block(pieces: Pieces) -> _Body:
    return _Body(pieces[-2], pieces[0].start, pieces[-1].end)


def _file(pieces: Pieces) -> File:
    items = tuple(_at_top(item) for item in pieces[0])
    return File(span=Span(items[0].span.start, items[-1].span.end) if items else Span(0, 0), items=items)


def _at_top(item: Statement) -> Statement:
    """A title before braces at the top level is a spec."""
    if not isinstance(item, Label) or not isinstance(item.title, Symbol | Template | Call):
        return item
    name, parameters = _header(item.title)
    return Prompt(span=item.span, name=name, parameters=parameters, body=item.body)


# ------------------------------------------------------------------------------------------------------- definitions


def _header(title: Expression) -> tuple[Identifier, tuple[Expression, ...]]:
    """Name and parameters of a title such as `React2[@T.I]`."""
    name = "#msg" if isinstance(title, MessageNumber) else getattr(title, "name", "")
    parts: tuple[Part, ...] = getattr(title, "parts", ())
    given = [value for part in parts if isinstance(part, Index | Arguments) for value in part.values]
    end = parts[0].span.start if parts else title.span.end
    n_signs = isinstance(title, TimeIndex | NameRef) + getattr(title, "is_reference", False)
    span = Span(title.span.start, min(end, title.span.start + n_signs + len(name)) if name.isascii() else end)
    return Identifier(span=span, name=name), tuple(given)


def _prompt(pieces: Pieces) -> Prompt:
    name, parameters = _header(pieces[1])
    return Prompt(span=_closed(pieces, pieces[2]), name=name, parameters=parameters, body=tuple(pieces[2]))


def _fragment(pieces: Pieces) -> Fragment:
    keyword, title, body = pieces
    name, parameters = _header(title)
    return Fragment(
        span=_closed(pieces, body),
        kind="string" if keyword.kind == "STRING_FRAGMENT" else "roles",
        keyword=keyword.span,
        name=name,
        parameters=parameters,
        body=tuple(body),
    )


def _label(pieces: Pieces) -> Label:
    return Label(span=_closed(pieces, pieces[1]), title=pieces[0], body=tuple(pieces[1]))


def _declaration(pieces: Pieces) -> Declaration:
    words = pieces[0].text.split(None, 2)
    return Declaration(span=pieces[0].span, namespace=words[1].rstrip(":={"), text=pieces[0].text)


def _skipped(pieces: Pieces) -> Skipped:
    return Skipped(span=pieces[0].span, keyword=pieces[0].text.split(None, 1)[0], text=pieces[0].text)


def _broken(pieces: Pieces) -> Broken:
    return Broken(span=pieces[0].span, text=pieces[0].text)


def _broken_block(pieces: Pieces) -> BrokenBlock:
    head = " ".join(piece.text for piece in pieces[:-1])
    return BrokenBlock(span=_closed(pieces, pieces[-1]), text=head, body=tuple(pieces[-1]))


# -------------------------------------------------------------------------------------------------------- statements


def _role(marker: Token) -> RoleName:
    return cast(RoleName, ROLES[marker.text.split()[-1].lower()])


def _role_message(pieces: Pieces) -> RoleMessage:
    return RoleMessage(
        span=_span(pieces),
        role=_role(pieces[0]),
        marker=pieces[0].span,
        is_braced=True,
        body=tuple(pieces[-2]),
    )


def _role_line(pieces: Pieces) -> RoleMessage:
    return RoleMessage(
        span=_span(pieces), role=_role(pieces[0]), marker=pieces[0].span, is_braced=False, body=(pieces[2],)
    )


def _foreach(pieces: Pieces) -> ForEach:
    at = 2 if len(pieces) == 7 else 1  # after the parenthesis, if there is one
    return ForEach(
        span=_closed(pieces, pieces[-1]),
        keyword=pieces[0].span,
        variable=pieces[at],
        iterable=pieces[at + 2],
        body=tuple(pieces[-1]),
    )


def _foreach_broken(pieces: Pieces) -> ForEach:
    return ForEach(
        span=_closed(pieces, pieces[-1]),
        keyword=pieces[0].span,
        variable=None,
        iterable=None,
        body=tuple(pieces[-1]),
    )


def _test(piece: object) -> Expression | None:
    return None if isinstance(piece, Token) else cast(Expression, piece)


def _if_arm(pieces: Pieces) -> If:
    keyword, test, body = pieces
    span = _closed(pieces, body)
    return If(span=span, arms=(Arm(span=span, kind="if", keyword=keyword.span, test=_test(test), body=tuple(body)),))


def _elseif_arm(pieces: Pieces) -> If:
    before, keyword, test, body = pieces
    arm = Arm(
        span=Span(keyword.start, body.end), kind="elseif", keyword=keyword.span, test=_test(test), body=tuple(body)
    )
    return If(span=_closed(pieces, body), arms=(*before.arms, arm))


def _else_arm(pieces: Pieces) -> If:
    before, keyword, body = pieces[0], pieces[1], pieces[-1]
    arm = Arm(span=Span(keyword.start, body.end), kind="else", keyword=keyword.span, test=None, body=tuple(body))
    return If(span=_closed(pieces, body), arms=(*before.arms, arm))


def _switch(pieces: Pieces) -> Switch:
    return Switch(span=_span(pieces), keyword=pieces[0].span, subject=_test(pieces[1]), arms=tuple(pieces[-2]))


def _case(pieces: Pieces) -> Arm:
    keyword, test, body = pieces
    return Arm(span=_closed(pieces, body), kind="case", keyword=keyword.span, test=_test(test), body=tuple(body))


def _default(pieces: Pieces) -> Arm:
    return Arm(
        span=_closed(pieces, pieces[1]), kind="default", keyword=pieces[0].span, test=None, body=tuple(pieces[1])
    )


def _mark(pieces: Pieces) -> Mark:
    return Mark(
        span=_closed(pieces, pieces[-1]),
        keyword=pieces[0].span,
        number=pieces[1] if len(pieces) == 3 else None,
        body=tuple(pieces[-1]),
    )


def _name_definition(pieces: Pieces) -> NameDef:
    return NameDef(span=_span(pieces), targets=tuple(pieces[1]), value=pieces[3])


def _ends_here(pieces: Pieces) -> EndsHere:
    return EndsHere(span=_span(pieces), condition=pieces[1] if len(pieces) == 2 else None)


def _content(pieces: Pieces) -> Content:
    value = pieces[-1]
    if isinstance(value, Symbol | Call) and len(value.name) == 1 and value.name.isupper():
        value = Template(span=value.span, name=value.name, parts=value.parts)  # a capital is an index only inside [ ]
    return Content(span=_span(pieces), value=value)


def _variable(pieces: Pieces) -> Identifier:
    token = pieces[0]
    return Identifier(span=token.span, name=token.text.lstrip("@$"))


def _iterable(pieces: Pieces) -> Expression:
    """What a loop runs over; a written `range(a, b, c)` is a `Range` here and a function anywhere else."""
    value = pieces[0]
    if not isinstance(value, Call) or value.name != "range" or len(value.parts) != 1:
        return cast(Expression, value)
    bounds = value.parts[0].values if isinstance(value.parts[0], Arguments) else ()
    if len(bounds) not in (2, 3):
        return value
    return Range(
        span=value.span,
        start=bounds[0],
        stop=bounds[1],
        step=bounds[2] if len(bounds) == 3 else None,
        includes_stop=False,
    )


def _range_of_two(pieces: Pieces) -> Range:
    """`(i: 1, @t.substeps)`: the bounds of a range without its name."""
    step = pieces[4] if len(pieces) == 5 else None
    return Range(span=_span(pieces), start=pieces[0], stop=pieces[2], step=step, includes_stop=False)


# ------------------------------------------------------------------------------------------------------- expressions


def _operation(pieces: Pieces) -> Operation:
    left, sign, right = pieces
    operator = _OPERATORS.get(sign.text.lower(), sign.text)
    if isinstance(left, Operation) and _LEVEL[left.operators[0]] == _LEVEL[operator]:
        operators, operands = (*left.operators, operator), (*left.operands, right)
    else:
        operators, operands = (operator,), (left, right)
    return Operation(span=_span(pieces), operators=operators, operands=operands)


_LEVEL = {
    operator: level
    for level, operators in enumerate(("|", "&", "== != < > <= >=", "+ -", "* / %"))
    for operator in operators.split()
}


def _unary(pieces: Pieces) -> Unary:
    sign, value = pieces
    operator = _OPERATORS.get(sign.text.lower(), sign.text)
    if isinstance(value, Unary):
        return Unary(span=_span(pieces), operators=(operator, *value.operators), value=value.value)
    return Unary(span=_span(pieces), operators=(operator,), value=value)


def _number(pieces: Pieces) -> Number:
    return Number(span=pieces[0].span, text=pieces[0].text)


def _string(pieces: Pieces) -> String:
    return String(span=pieces[0].span, value=pieces[0].text[1:-1])


def _group(pieces: Pieces) -> Group:
    return Group(span=_span(pieces), value=pieces[1])


def _list_of(pieces: Pieces) -> ListOf:
    return ListOf(span=_span(pieces), values=tuple(pieces[1]) if len(pieces) == 3 else ())


def _comprehension(pieces: Pieces) -> Comprehension:
    return Comprehension(
        span=_span(pieces),
        element=pieces[1],
        variable=pieces[3],
        iterable=pieces[5],
        condition=pieces[7] if len(pieces) == 9 else None,
    )


def _span_of(pieces: Pieces) -> Range:
    step = pieces[4] if len(pieces) == 5 else None
    return Range(span=_span(pieces), start=pieces[0], stop=pieces[2], step=step, includes_stop=True)


def _fragment_use(pieces: Pieces) -> FragUse:
    path = pieces[1]
    name, _ = _header(path)
    return FragUse(span=_span(pieces), name=name, parts=path.parts)


# --------------------------------------------------------------------------------------------------------- paths


def _path(pieces: Pieces) -> Expression:
    token = pieces[0]
    if token.kind == "TIME":
        name = token.text[1:]
        is_reference = name.startswith("$")
        return TimeIndex(span=token.span, name=name.lstrip("$"), is_reference=is_reference, parts=())
    if token.kind == "REFERENCE":
        return NameRef(span=token.span, name=token.text[1:], parts=())
    if token.kind == "MESSAGE_NUMBER":
        return MessageNumber(span=token.span, parts=())
    if is_all_caps(token.text):
        return Template(span=token.span, name=token.text, parts=())
    return Symbol(span=token.span, name=token.text, parts=())


def _with(path: Expression, parts: tuple[Part, ...], end: int) -> Expression:
    """The path with more parts; a dotted word of a known namespace becomes a context variable, a called one a call."""
    span = Span(path.span.start, end)
    match path:
        case Symbol(name=name, parts=()) if name in NAMESPACES:
            return ContextVar(span=span, namespace=name, parts=parts)
        case Symbol(name=name, parts=()) if isinstance(parts[0], Arguments):
            return Call(span=span, name=name, parts=parts)
        case ContextVar():
            return ContextVar(span=span, namespace=path.namespace, parts=(*path.parts, *parts))
        case TimeIndex():
            return TimeIndex(span=span, name=path.name, is_reference=path.is_reference, parts=(*path.parts, *parts))
        case MessageNumber():
            return MessageNumber(span=span, parts=(*path.parts, *parts))
        case Symbol() | Template() | Call() | NameRef():
            return type(path)(span=span, name=path.name, parts=(*path.parts, *parts))
        case _:
            raise TypeError(f"{type(path).__name__} is not a path")


def _fields(pieces: Pieces) -> Expression:
    path, token = pieces
    parts: list[Part] = []
    at = token.start
    for piece in token.text[1:].split("."):
        written = piece.strip(_BLANK)
        begin = at + 1 + len(piece) - len(piece.lstrip(_BLANK))
        name = written if written.isascii() else written.translate(INVISIBLE)
        parts.append(Field(span=Span(begin, begin + len(written)), name=name.lstrip("@$") or name))
        at += 1 + len(piece)
    return _with(path, tuple(parts), token.end)


def _index(pieces: Pieces) -> Expression:
    path, opening, closing = pieces[0], pieces[1], pieces[-1]
    values = tuple(pieces[2]) if len(pieces) == 4 else ()
    return _with(path, (Index(span=Span(opening.start, closing.end), values=values),), closing.end)


def _arguments(pieces: Pieces) -> Expression:
    path, opening, closing = pieces[0], pieces[1], pieces[-1]
    values = tuple(pieces[2]) if len(pieces) == 4 else ()
    return _with(path, (Arguments(span=Span(opening.start, closing.end), values=values),), closing.end)


ACTIONS: dict[str, Callable[[Pieces], object]] = {
    "file": _file,
    "more_items": _more_items,
    "same_items": _same,
    "same": _same,
    "one_value": _one_value,
    "more_values": _more_values,
    "block": _block,
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
    "foreach_broken": _foreach_broken,
    "if_arm": _if_arm,
    "elseif_arm": _elseif_arm,
    "else_arm": _else_arm,
    "switch": _switch,
    "case": _case,
    "default": _default,
    "mark": _mark,
    "name_definition": _name_definition,
    "ends_here": _ends_here,
    "content": _content,
    "break_loop": lambda pieces: Break(span=pieces[0].span),
    "continue_loop": lambda pieces: Continue(span=pieces[0].span),
    "variable": _variable,
    "iterable": _iterable,
    "range_of_two": _range_of_two,
    "operation": _operation,
    "unary": _unary,
    "number": _number,
    "string": _string,
    "group": _group,
    "list_of": _list_of,
    "comprehension": _comprehension,
    "span_of": _span_of,
    "fragment_use": _fragment_use,
    "path": _path,
    "fields": _fields,
    "index": _index,
    "arguments": _arguments,
}
"""The function for every alias of the grammar; `same` is for productions that only pass on what they hold."""

"""The tree: one frozen class per construct.

Nodes compare by identity (two `$docs` are two references), so tables about them are plain dicts. Everything that only
concerns how a construct was spelled can be read from the source through its spans.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import ClassVar, Literal, TypeAlias, get_origin

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span

RoleName: TypeAlias = Literal["system", "user", "assistant", "tool", "none"]
ROLE_WORDS: dict[RoleName, str] = {
    "system": "System",
    "user": "User",
    "assistant": "Assistant",
    "tool": "Tool",
    "none": "None",
}
"""The name that people use for each role."""
NAMESPACES = ("env", "sys", "resp")  # those of the reference; any other dotted word is a `Symbol`


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Node:
    """A piece of the text. Every node has a span; a generated node takes that of the construct it was made from."""

    span: Span
    binds: ClassVar[str] = ""
    """Name of the field that binds a name inside this node, empty if none does."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Comment(Node):
    """A comment: an element of a body if it has its own line, else the `comment` of the element before it."""

    text: str
    """Without the comment sign and the spaces around."""


# ---------------------------------------------------------------------------------------------- names and their parts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Identifier(Node):
    """A name where it is defined or bound: of a spec, a fragment, a loop variable, a `Name`."""

    name: str
    """Without `@` and `$`: `t` and `@t` are the same variable."""
    is_time: bool = False
    """Whether it is spelled with `@`."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Field(Node):
    """`.name` after something; in a time index also `.I`, `.*` and `.0`."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Values(Node):
    """Expressions with commas between them."""

    values: tuple["Expression", ...]


class Index(Values):
    """`[a, b]` after something."""

    __slots__ = ()


class Arguments(Values):
    """`(a, b)` after something."""

    __slots__ = ()


Part: TypeAlias = Field | Index | Arguments


# -------------------------------------------------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Path(Node):
    """A name with its fields, indices and arguments."""

    name: str
    name_end: int
    """The offset of the end of the name."""
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ContextVar(Node):
    """`env.query[@T]`: run-time data of a namespace, with indices and fields at any level."""

    namespace: str
    parts: tuple[Part, ...]


class Symbol(Path):
    """A bare word and its parts: a loop variable (`doc.content`), a parameter, or a value such as `search`."""

    __slots__ = ()


class Template(Path):
    """`ALL_CAPS`, perhaps with arguments: text that is written elsewhere."""

    __slots__ = ()


class Call(Path):
    """`name(args)[indices]`: computed content. The first part is the arguments."""

    __slots__ = ()


class NameRef(Path):
    """`$docs[i].source`: a reference to a `Name`."""

    __slots__ = ()


class HostValue(Path):
    """`{{ macro("x") }}`: another tool puts something in its place. The name is all of it, with its braces."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TimeIndex(Node):
    """`@T`, `@t.i`, `@T.*`, `@$C`, `@1`; `name` is empty in `@.i`."""

    name: str
    is_reference: bool
    """Whether it is `@$name`: the time held by a `Name`."""
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class MessageNumber(Node):
    """`#msg`: the number of the message being built."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Number(Node):
    """A number as written."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class String(Node):
    """A quoted text; `value` is the text between the quotes."""

    value: str
    quote: str = '"'
    """In the normal form; kept as written if another tool may insert quotes into the text: `{{ x }}`."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Group(Node):
    """An expression in parentheses."""

    value: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Unary(Node):
    """`!x`, `-x`; `operators` holds a run of them, outermost first, in the documented spelling."""

    operators: tuple[str, ...]
    value: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Operation(Node):
    """Operands of one precedence and the operators between them, in the documented spelling: `a - b + c` is one."""

    operators: tuple[str, ...]
    operands: tuple["Expression", ...]


class ListOf(Values):
    """`[a, b]` as a value."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Comprehension(Node):
    """`[element for variable in iterable]`, perhaps with `if condition`."""

    element: "Expression"
    variable: Identifier
    iterable: "Expression"
    condition: "Expression | None"
    binds: ClassVar[str] = "variable"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Range(Node):
    """Numbers from `start` to `stop`."""

    start: "Expression"
    stop: "Expression"
    step: "Expression | None"
    includes_stop: bool
    """True for `a ... b`, which always includes its end; a written `range(a, b)` depends on the settings."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FragUse(Node):
    """`Frag Name[args]`: the use of a fragment, replaced by its body."""

    name: Identifier
    parts: tuple[Part, ...]
    """Empty, or the one list of arguments."""


AnyPath: TypeAlias = ContextVar | Symbol | Template | Call | NameRef | HostValue | TimeIndex | MessageNumber
Expression: TypeAlias = AnyPath | Number | String | Group | Unary | Operation | ListOf | Comprehension | Range | FragUse


# --------------------------------------------------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Content(Node):
    """One piece of information inside a message."""

    value: Expression
    comment: Comment | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class NameDef(Node):
    """`Name x := value`. More than one target is a mistake that `several-names` explains."""

    targets: tuple[Expression, ...]
    value: Expression
    comment: Comment | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class EndsHere(Node):
    """`PromptEndsHere when condition`."""

    condition: Expression | None
    comment: Comment | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LoopControl(Node):
    """A word that steers the loop around it."""

    comment: Comment | None = None


class Break(LoopControl):
    """`break`: leave the loop."""

    __slots__ = ()


class Continue(LoopControl):
    """`continue`: next turn of the loop."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RoleMessage(Node):
    """A message of a role: braced, or one line with one element."""

    role: RoleName
    marker: Span
    is_braced: bool
    body: tuple["Statement", ...]
    comment: Comment | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ForEach(Node):
    """`ForEach(variable: iterable) { body }`; both are `None` where the header could not be understood."""

    keyword: Span
    variable: Identifier | None
    iterable: Expression | None
    body: tuple["Statement", ...]
    comment: Comment | None = None
    binds: ClassVar[str] = "variable"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Arm(Node):
    """One alternative of an `If` or a `Switch`; `test` is `None` for `else`, `default` and where it is broken."""

    kind: Literal["if", "elseif", "else", "case", "default"]
    keyword: Span
    test: Expression | None
    body: tuple["Statement", ...]
    comment: Comment | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class If(Node):
    """`If`, any number of `ElseIf`, perhaps `Else`; comments between them stay where they are."""

    arms: tuple["Arm | Comment | HostLine", ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Switch(Node):
    """`Switch subject { Case m { } Default { } }`."""

    keyword: Span
    subject: Expression | None
    arms: tuple["Arm | Broken | BrokenBlock | Comment | HostLine", ...]
    comment: Comment | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Mark(Node):
    """`Mark n { body }`: a numbered bracket beside its body."""

    keyword: Span
    number: Expression | None
    body: tuple["Statement", ...]
    comment: Comment | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Label(Node):
    """`Title { body }` inside a prompt: a named group, from an older version of the language."""

    title: Expression
    body: tuple["Statement", ...]
    comment: Comment | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Declaration(Node):
    """`Namespace env := { name: type }`: a declaration of data; nothing is drawn."""

    namespace: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Skipped(Node):
    """A balanced block that is not ACDL (`Struct`, `Event`, `Pipeline`, `Flow`, `Fact`)."""

    keyword: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class HostLine(Node):
    """A line, or several, for which another tool puts in something: `--8<-- "file"`, `{% include "file" %}`.

    One inside the head of a statement comes before that statement in the tree, as a comment does.
    """

    text: str
    """As written, without the blanks before it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Broken(Node):
    """Text that was not understood; a diagnostic explains why."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class BrokenBlock(Node):
    """A block whose header was not understood, with its body."""

    text: str
    """The header as written."""
    body: tuple["Statement", ...]
    comment: Comment | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Prompt(Node):
    """`Name[params]: { body }`: a spec."""

    name: Identifier
    parameters: tuple[Expression, ...]
    body: tuple["Statement", ...]
    comment: Comment | None = None
    binds: ClassVar[str] = "parameters"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Fragment(Node):
    """`StrFrag Name[params]: { body }` or `RolesFrag Name[params]: { body }`."""

    kind: Literal["string", "roles"]
    keyword: Span
    name: Identifier
    parameters: tuple[Expression, ...]
    body: tuple["Statement", ...]
    comment: Comment | None = None
    binds: ClassVar[str] = "parameters"


Statement: TypeAlias = (
    Content
    | NameDef
    | EndsHere
    | Break
    | Continue
    | RoleMessage
    | ForEach
    | If
    | Switch
    | Mark
    | Label
    | Declaration
    | Skipped
    | HostLine
    | Broken
    | BrokenBlock
    | Prompt
    | Fragment
    | Comment
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class File(Node):
    """A whole text: definitions, comments between them, and in a snippet anything else."""

    items: tuple[Statement, ...]

    @property
    def is_snippet(self) -> bool:
        """Whether the top level contains anything other than definitions, declarations and comments."""
        return any(not isinstance(item, AT_TOP) for item in self.items)


AT_TOP = (Prompt, Fragment, Declaration, Skipped, HostLine, Comment, Broken, BrokenBlock)
"""The nodes that a file has at its top level; any other makes it a snippet."""


# ---------------------------------------------------------------------------------------------------- about any tree


_SPELLING = frozenset(("span", "keyword", "marker", "is_time", "name_end", "quote"))
_PLAIN = (str, int, bool, tuple[str, ...])  # what a field has that holds no nodes
_FIELD_NAMES: dict[type[Node], tuple[str, ...]] = {}
_NODE_FIELDS: dict[type[Node], tuple[str, ...]] = {}


def field_names(kind: type[Node]) -> tuple[str, ...]:
    """Return the fields of a node class that are not about spelling or position, in source order."""
    if kind not in _FIELD_NAMES:
        _FIELD_NAMES[kind] = tuple(field.name for field in fields(kind) if field.name not in _SPELLING)
    return _FIELD_NAMES[kind]


def children(node: Node) -> list[Node]:
    """Return the nodes directly inside a node, in field order."""
    kind = type(node)
    if kind not in _NODE_FIELDS:
        plain = {each.name for each in fields(kind) if each.type in _PLAIN or get_origin(each.type) is Literal}
        _NODE_FIELDS[kind] = tuple(name for name in field_names(kind) if name not in plain)
    nodes: list[Node] = []
    for name in _NODE_FIELDS[kind]:
        value = getattr(node, name)
        if value.__class__ is tuple:
            nodes += value
        elif value is not None:
            nodes.append(value)
    return nodes


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and everything inside it, parents before children, in field order."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(children(current)))


def same_shape(one: Node, other: Node) -> bool:
    """Return whether two trees are equal apart from their spans."""
    stack: list[tuple[object, object]] = [(one, other)]
    while stack:
        left, right = stack.pop()
        if isinstance(left, Node) and type(left) is type(right):
            stack.extend((getattr(left, name), getattr(right, name)) for name in field_names(type(left)))
        elif isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
            stack.extend(zip(left, right, strict=True))
        elif isinstance(left, (Node, tuple)) or left != right:
            return False
    return True


def strip_parentheses(node: Expression) -> Expression:
    """Return an expression without the parentheses around it."""
    while isinstance(node, Group):
        node = node.value
    return node


def list_case_values(test: Expression) -> list[Expression]:
    """Return the values that a `Case` matches: `a | b` are two."""
    values: list[Expression] = []
    stack = [test]
    while stack:
        node = strip_parentheses(stack.pop())
        if isinstance(node, Operation) and set(node.operators) == {"|"}:
            stack.extend(reversed(node.operands))
        else:
            values.append(node)
    return values

"""Everything that a spec reads from a state, also through fragments, and what it expects of each value.

Runs over the statements once, whatever conditions say, with shapes in the place of values.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Literal, TypeAlias, assert_never

from acdl_mkdocs.evaluation.functions import BUILT_IN
from acdl_mkdocs.evaluation.state.shapes import Inserted, Shape, SpecReads
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.outline import body_of
from acdl_mkdocs.language.names.resolve import Resolved, bare
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Arm,
    Break,
    Broken,
    BrokenBlock,
    Call,
    Comment,
    Comprehension,
    Content,
    ContextVar,
    Continue,
    Declaration,
    EndsHere,
    Expression,
    Field,
    ForEach,
    Fragment,
    FragUse,
    Group,
    HostLine,
    HostValue,
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
    Path,
    Prompt,
    Range,
    RoleMessage,
    Skipped,
    String,
    Switch,
    Symbol,
    Template,
    TimeIndex,
    Unary,
    children,
)

Bound: TypeAlias = Shape | Literal["time", "number"] | None
"""The meaning of a name: a value, a time, a number, or unknown."""


@dataclass(slots=True)
class Scope:
    """The meaning of names at one place."""

    source: Source
    variables: dict[str, Bound] = field(default_factory=dict)
    names: dict[str, Bound] = field(default_factory=dict)
    comment: str = ""

    def inside(self, name: str, bound: Bound) -> "Scope":
        """Return the scope inside a loop."""
        return Scope(self.source, {**self.variables, name: bound}, self.names, self.comment)


def values_of(part: Part) -> tuple[Expression, ...]:
    """Return the expressions between brackets or parentheses."""
    return () if isinstance(part, Field) else part.values


def mark(bound: Bound, name: str) -> None:
    """Record how a value is used: `is_text`, `is_number`, `is_condition`."""
    if isinstance(bound, Shape):
        setattr(bound, name, True)


def kind_of(bound: Bound) -> str:
    """Return `time`, `number`, or an empty text."""
    return bound if isinstance(bound, str) else ""


def word_of(node: Node | None) -> str | None:
    """Return a bare word or a text."""
    if isinstance(node, String):
        return node.value
    return node.name if isinstance(node, Symbol) and not node.parts else None


def name_of(value: Expression) -> str:
    """Return the last field of a path, as the name of an argument."""
    if isinstance(value, ContextVar):
        return next((part.name for part in reversed(value.parts) if isinstance(part, Field)), "")
    if isinstance(value, Symbol):
        return next((part.name for part in reversed(value.parts) if isinstance(part, Field)), value.name)
    return value.name if isinstance(value, NameRef | Call) else ""


def is_substeps(time: TimeIndex) -> bool:
    """Return whether it is the number of sub-steps of a step."""
    return any(isinstance(part, Field) and part.name == "substeps" for part in time.parts)


def levels_of(value: Expression, scope: Scope) -> set[int]:
    """Return 1 for a step, 2 for a sub-step; both for the current sub-step, because there may be none yet."""
    if isinstance(value, TimeIndex):
        fields = [part.name for part in value.parts if isinstance(part, Field)]
        fields = [name for name in fields if name not in ("0", "substeps")]
        is_bound = all(scope.variables.get(name) == "number" or name.isdecimal() for name in fields)
        return {1 + len(fields)} if is_bound else {1, 1 + len(fields)}
    inner = (levels_of(child, scope) for child in children(value) if isinstance(child, Expression))
    return max(inner, key=max, default={1})


def fixed_step(value: Expression) -> int | None:
    """Return the step of `@1`."""
    is_fixed = isinstance(value, TimeIndex) and value.name.isdecimal() and not value.parts
    return int(value.name) if isinstance(value, TimeIndex) and is_fixed else None


_CONSTANTS = frozenset(("true", "false", "none", "null", "empty"))
_COMPARISONS = frozenset(("==", "!=", "<", ">", "<=", ">="))


class Expected:
    """Collects the values that expressions read."""

    def __init__(self, reads: SpecReads, fragment: Callable[[FragUse, Scope], None]) -> None:
        """Prepare an empty collection.

        Parameters:
            reads: Takes the collected values.
            fragment: Called for every use of a fragment.
        """
        self.reads = reads
        self.fragment = fragment

    def condition(self, node: Expression | None, scope: Scope) -> None:
        """Read a condition: its values count as true or false."""
        if isinstance(node, Group) or (isinstance(node, Unary) and node.operators[-1] == "!"):
            self.condition(node.value, scope)
        elif isinstance(node, Operation) and node.operators[0] in ("&", "|"):
            for each in node.operands:
                self.condition(each, scope)
        elif node is not None:
            mark(self.value(node, scope), "is_condition")

    def value(self, node: Expression, scope: Scope) -> Bound:  # noqa: C901  # one short case a construct
        """Read an expression and return what it means."""
        match node:
            case ContextVar():
                return self.variable(node, scope)
            case Symbol(name="prompt", parts=(Field(), *_)) if node.name not in scope.variables:  # a former namespace
                head = Field(span=node.span, name=node.name)
                return self.variable(ContextVar(span=node.span, namespace="env", parts=(head, *node.parts)), scope)
            case Symbol():
                return self.path(node.name, scope.variables.get(node.name), node.parts, scope)
            case NameRef():
                return self.path(f"${node.name}", scope.names.get(node.name), node.parts, scope)
            case TimeIndex():
                if node.is_reference:
                    mark(scope.names.get(node.name), "is_number")
                return "time"
            case Number():
                return "number"
            case Template():
                self.template(node, scope)
                return None
            case Call():
                return self.call(node, scope)
            case Group():
                return self.value(node.value, scope)
            case Operation():
                return self.operation(node, scope)
            case Comprehension():
                inner = scope.inside(node.variable.name, self.element(node.iterable, node.variable.name, scope))
                self.condition(node.condition, inner)
                found = self.value(node.element, inner)
                return Shape(element=found if isinstance(found, Shape) else Shape())
            case FragUse():
                self.fragment(node, scope)
                return None
            case ListOf():
                values = [self.value(each, scope) for each in node.values]
                return Shape(element=next((each for each in values if isinstance(each, Shape)), Shape()))
            case HostValue() | MessageNumber():
                for each in (each for part in node.parts for each in values_of(part)):
                    self.value(each, scope)
                return None
            case Unary() | Range() | String():
                for child in children(node):
                    self.value(child, scope)  # type: ignore[arg-type]  # what is inside of an expression is one
                return None
            case _:
                assert_never(node)

    def element(self, iterable: Expression | None, name: str, scope: Scope) -> Bound:
        """Read the iterable of a loop and return what its variable means."""
        if isinstance(iterable, Range):
            bounds = [each for each in (iterable.start, iterable.stop, iterable.step) if each is not None]
            found = [self.value(each, scope) for each in bounds]
            for each in found:
                mark(each, "is_number")
            is_substep = isinstance(iterable.stop, TimeIndex) and is_substeps(iterable.stop)
            return "time" if "time" in found and not is_substep else "number"
        found_one = self.value(iterable, scope) if iterable is not None else None
        return found_one.each(name) if isinstance(found_one, Shape) else None

    def variable(self, node: ContextVar, scope: Scope) -> Bound:
        """Read a variable of a namespace, or of an agent."""
        parts = node.parts
        if any(isinstance(part, Arguments) for part in parts):
            return self.path(node.namespace, Shape(), parts, scope)
        root = self.reads.values
        if parts and isinstance(parts[0], Index) and parts[0].values and not self.is_time(parts[0].values[0], scope):
            root = self.reads.agents.under(self.key(parts[0].values[0], scope))
            parts = parts[1:]
        chain = [root.below(node.namespace)]
        times: set[tuple[int, int | None]] = set()
        for part in parts:
            if isinstance(part, Field):
                chain.append(chain[-1].below(part.name))
                continue
            for value in part.values if isinstance(part, Index) else ():
                if not times and self.is_time(value, scope):
                    self.value(value, scope)
                    times = {(levels, fixed_step(value)) for levels in levels_of(value, scope)}
                else:
                    chain.append(self.indexed(chain[-1], value, scope))
        for each in chain[1:]:
            each.times |= times or {(0, None)}
        found = chain[-1]
        if scope.comment:
            found.comments[scope.comment] = None
        return found

    def indexed(self, shape: Shape, value: Expression, scope: Scope) -> Shape:
        """Read an index that is not a time: a position, or a key."""
        if isinstance(value, Number) or self.value(value, scope) == "number":
            return shape.each("")
        return shape.under(self.key(value, scope))

    def key(self, value: Expression, scope: Scope) -> Shape | str:
        """Read a key: a word, or the shape of its value."""
        word = word_of(value)
        if word is not None and not (isinstance(value, Symbol) and value.name in scope.variables):
            return word
        found = self.value(value, scope)
        return found if isinstance(found, Shape) else "key"

    def path(self, name: str, bound: Bound, parts: Sequence[Part], scope: Scope) -> Bound:
        """Follow a path below a name; a field with arguments is a function: `env.in_dialog(other)`."""
        at = next((idx for idx, part in enumerate(parts) if isinstance(part, Arguments)), None)
        if at is not None:
            name = ".".join([name, *(part.name for part in parts[:at] if isinstance(part, Field))])
            return self.called(name, parts[at:], scope)
        for part in parts:
            if not isinstance(bound, Shape):
                return None
            if isinstance(part, Field):
                bound = bound.below(part.name)
            elif isinstance(part, Index):
                for value in part.values:
                    bound = self.indexed(bound, value, scope) if isinstance(bound, Shape) else None
        if isinstance(bound, Shape) and scope.comment:
            bound.comments[scope.comment] = None
        return bound

    def operation(self, node: Operation, scope: Scope) -> Bound:
        """Read an operation: operands of arithmetic are numbers; a compared word is a possible value."""
        values = [self.value(each, scope) for each in node.operands]
        words = [word_of(each) for each in node.operands]
        if node.operators[0] in _COMPARISONS:
            for value, (other, word) in zip(values, reversed(list(zip(values, words, strict=True))), strict=False):
                if isinstance(value, Shape) and word is not None and word.lower() not in _CONSTANTS:
                    value.words[word] = None
                elif other in ("time", "number"):
                    mark(value, "is_number")
            return None
        is_sum = set(node.operators) <= {"+"} and not {"time", "number"} & set(map(kind_of, values))
        if node.operators[0] in "+-*/%" and not is_sum:
            for value in values:
                mark(value, "is_number")
            return "time" if "time" in values else "number"
        for value in values:
            mark(value, "is_text")
        return None

    def template(self, node: Template, scope: Scope) -> None:
        """Read a template, and name its arguments."""
        names = self.arguments(node.parts, scope)
        found = self.reads.templates.setdefault(node.name, Inserted(names))
        found.params = max(found.params, names, key=len)
        if scope.comment:
            found.comments[scope.comment] = None

    def call(self, node: Call, scope: Scope) -> Bound:
        """Read a function call and return its result."""
        if node.name in BUILT_IN:
            values = [self.value(each, scope) for part in node.parts[:1] for each in values_of(part)]
            for value in values:
                mark(value, "is_number")
            return "time" if "time" in values else "number"
        return self.called(node.name, node.parts, scope)

    def called(self, name: str, parts: Sequence[Part], scope: Scope) -> Bound:
        """Read a function by its name; the first part has its arguments."""
        names = self.arguments(parts[:1], scope)
        found = self.reads.functions.setdefault(name, Inserted(names))
        if scope.comment:
            found.comments[scope.comment] = None
        return self.path(name, found.result, parts[1:], scope)

    def arguments(self, parts: Sequence[Part], scope: Scope) -> tuple[str, ...]:
        """Return names for the arguments between parentheses; all of them are sent."""
        names: dict[str, None] = {}
        for value in (each for part in parts if isinstance(part, Arguments) for each in part.values):
            mark(self.value(value, scope), "is_text")
            name = name_of(value) or f"value{len(names) + 1}"
            names[name if name not in names else f"{name}{len(names) + 1}"] = None
        return tuple(names)

    def is_time(self, value: Expression, scope: Scope) -> bool:
        """Return whether an index is a time."""
        match value:
            case TimeIndex():
                return True
            case Symbol(parts=()):
                is_header = value.name.upper() in self.reads.times and len(value.name) == 1
                return scope.variables.get(value.name, "time" if is_header else None) == "time"
            case Group():
                return self.is_time(value.value, scope)
            case Operation() if value.operators[0] in "+-*/%":
                return any(self.is_time(each, scope) for each in value.operands)
            case Call() if value.name in BUILT_IN:
                return any(self.is_time(each, scope) for part in value.parts[:1] for each in values_of(part))
        return False


_MOST_FRAGMENTS = 2000
_DEEPEST = 60
"""Fragments in fragments."""


def reads_of(resolved: Resolved, prompts: Sequence[Prompt]) -> SpecReads:
    """Collect what the specs of a text read; the whole text if it has no spec."""
    run = _Run(resolved)
    for prompt in prompts:
        run.prompt(prompt)
    if not prompts:
        run.statements(resolved.parsed.file.items, Scope(resolved.source))
    return run.reads


class _Run:
    """Reads the statements of a spec, and each fragment once for the same arguments."""

    def __init__(self, resolved: Resolved) -> None:
        self.resolved = resolved
        self.reads = SpecReads()
        self.fragments: set[tuple[object, ...]] = set()
        self.depth = 0
        self.expected = Expected(self.reads, self.fragment)

    def prompt(self, prompt: Prompt) -> None:
        scope = Scope(self.resolved.source)
        for parameter in map(bare, prompt.parameters):
            if isinstance(parameter, TimeIndex):
                fields = [part.name for part in parameter.parts if isinstance(part, Field)]
                self.reads.times = tuple(dict.fromkeys((*self.reads.times, parameter.name, *fields)))
                self.reads.levels = max(self.reads.levels, 1 + len(fields))
                scope.variables |= dict.fromkeys((parameter.name, *fields), "time")
            elif isinstance(parameter, Symbol):
                shape = self.reads.args.setdefault(parameter.name, Shape(parameter.name))
                scope.variables[parameter.name] = shape
        self.statements(prompt.body, scope)

    # ------------------------------------------------------------------------------------------------------ statements

    def statements(self, items: Iterable[Node], scope: Scope) -> None:
        for item in items:
            comment = getattr(item, "comment", None)
            is_beside = isinstance(comment, Comment) and not body_of(item)
            scope.comment = comment.text.strip() if comment is not None and is_beside else ""
            self.statement(item, scope)

    def statement(self, item: Node, scope: Scope) -> None:  # noqa: C901  # one short case a construct
        match item:
            case Content():
                mark(self.expected.value(item.value, scope), "is_text")
            case NameDef():
                bound = self.expected.value(item.value, scope)
                for target in item.targets:
                    if isinstance(target, Path | TimeIndex):
                        scope.names[target.name] = bound
            case ForEach():
                name = item.variable.name if item.variable is not None else ""
                self.statements(item.body, scope.inside(name, self.expected.element(item.iterable, name, scope)))
            case Arm():
                self.expected.condition(item.test, scope)
                self.statements(item.body, scope)
            case Switch():
                self.switch(item, scope)
            case EndsHere():
                self.expected.condition(item.condition, scope)
            case Prompt() | Fragment():
                pass
            case RoleMessage() | If() | Mark() | Label() | BrokenBlock():
                self.statements(body_of(item), scope)
            case Break() | Continue() | Comment() | Declaration() | Skipped() | HostLine() | Broken():
                pass
            case _:
                raise TypeError(f"no statement: {type(item).__name__}")

    def switch(self, item: Switch, scope: Scope) -> None:
        subject = self.expected.value(item.subject, scope) if item.subject is not None else None
        for arm in item.arms:
            if isinstance(arm, Arm):
                word = word_of(arm.test)
                if word is None and arm.test is not None:
                    self.expected.value(arm.test, scope)
                elif isinstance(subject, Shape) and word is not None:
                    subject.words[word] = None
                self.statements(arm.body, scope)

    def fragment(self, use: FragUse, scope: Scope) -> None:
        """Read the body of a fragment, with its parameters bound to the arguments."""
        entry = self.resolved.fragment_of(use, scope.source)
        if entry is None or len(self.fragments) > _MOST_FRAGMENTS:
            return
        given = [self.expected.value(each, scope) for part in use.parts for each in values_of(part)]
        seen = (entry.node, *given)
        if seen in self.fragments or self.depth > _DEEPEST:
            return
        self.fragments.add(seen)
        self.depth += 1
        inner = Scope(entry.source, dict.fromkeys(self.reads.times, "time"))
        for parameter, value in zip(map(bare, entry.node.parameters), given, strict=False):
            if isinstance(parameter, TimeIndex):
                inner.variables[parameter.name] = "time"
                inner.variables |= {part.name: "number" for part in parameter.parts if isinstance(part, Field)}
            elif isinstance(parameter, Symbol):
                inner.variables[parameter.name] = value
        self.statements(entry.node.body, inner)
        self.depth -= 1

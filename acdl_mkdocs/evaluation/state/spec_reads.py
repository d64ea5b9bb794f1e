"""Everything that a spec reads from a state, also through fragments, and what it expects of each value.

Goes through the statements once, regardless of conditions, with shapes instead of values.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from typing import Literal, TypeAlias, assert_never

from acdl_mkdocs.evaluation.functions import BUILT_IN
from acdl_mkdocs.evaluation.state.shapes import InsertedText, SpecReads, ValueShape
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.outline import body_of
from acdl_mkdocs.language.names.resolve import Resolved, binding_part
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
    list_case_values,
)

Bound: TypeAlias = ValueShape | Literal["time", "number"] | None
"""The meaning of a name: a value, a time, a number, or unknown."""


@dataclass(slots=True)
class Scope:
    """The meaning of names at one place."""

    source: Source
    variables: dict[str, Bound] = field(default_factory=dict)
    names: dict[str, Bound] = field(default_factory=dict)
    comment: str = ""

    def enter_loop(self, name: str, bound: Bound) -> "Scope":
        """Return the scope inside a loop."""
        return Scope(self.source, {**self.variables, name: bound}, self.names, self.comment)


def list_values(part: Part) -> tuple[Expression, ...]:
    """Return the expressions between brackets or parentheses."""
    return () if isinstance(part, Field) else part.values


def mark_use(bound: Bound, name: str) -> None:
    """Record how a value is used: `is_text`, `is_number`, `is_condition`."""
    if isinstance(bound, ValueShape):
        setattr(bound, name, True)


def find_time_kind(bound: Bound) -> str:
    """Return `time`, `number`, or an empty text."""
    return bound if isinstance(bound, str) else ""


def get_word(node: Node | None) -> str | None:
    """Return a bare word or a text."""
    if isinstance(node, String):
        return node.value
    return node.name if isinstance(node, Symbol) and not node.parts else None


def choose_key(value: Expression, bound: Bound, scope: Scope) -> ValueShape | str:
    """Return the key that an index is: a word, or the shape of its value."""
    word = get_word(value)
    if word is not None and not (isinstance(value, Symbol) and value.name in scope.variables):
        return word
    return bound if isinstance(bound, ValueShape) else "key"


def get_argument_name(value: Expression) -> str:
    """Return the last field of a path, as the name of an argument."""
    if isinstance(value, ContextVar):
        return next((part.name for part in reversed(value.parts) if isinstance(part, Field)), "")
    if isinstance(value, Symbol):
        return next((part.name for part in reversed(value.parts) if isinstance(part, Field)), value.name)
    return value.name if isinstance(value, (NameRef, Call)) else ""


def is_substeps(time: TimeIndex) -> bool:
    """Return whether it is the number of sub-steps of a step."""
    return any(isinstance(part, Field) and part.name == "substeps" for part in time.parts)


def find_levels(value: Expression, scope: Scope) -> set[int]:
    """Return 1 for a step, 2 for a sub-step; both for the current sub-step, because there may be none yet."""
    if isinstance(value, TimeIndex):
        fields = [part.name for part in value.parts if isinstance(part, Field)]
        fields = [name for name in fields if name not in ("0", "substeps")]
        is_bound = all(scope.variables.get(name) == "number" or name.isdecimal() for name in fields)
        return {1 + len(fields)} if is_bound else {1, 1 + len(fields)}
    inner = (find_levels(child, scope) for child in children(value) if isinstance(child, Expression))
    return max(inner, key=max, default={1})


def find_fixed_step(value: Expression) -> int | None:
    """Return the step of `@1`."""
    is_fixed = isinstance(value, TimeIndex) and value.name.isdecimal() and not value.parts
    return int(value.name) if isinstance(value, TimeIndex) and is_fixed else None


_CONSTANTS = frozenset(("true", "false", "none", "null", "empty"))
_COMPARISONS = frozenset(("==", "!=", "<", ">", "<=", ">="))


class ReadCollector:
    """Collects the values that expressions read."""

    def __init__(self, reads: SpecReads, fragment: Callable[[FragUse, Scope], None]) -> None:
        """Prepare an empty collection.

        Parameters:
            reads: Takes the collected values.
            fragment: Called for every use of a fragment.
        """
        self.reads = reads
        self.fragment = fragment

    def read_condition(self, node: Expression | None, scope: Scope) -> None:
        """Read a condition: its values count as true or false."""
        if isinstance(node, Group) or (isinstance(node, Unary) and node.operators[-1] == "!"):
            self.read_condition(node.value, scope)
        elif isinstance(node, Operation) and node.operators[0] in ("&", "|"):
            for each in node.operands:
                self.read_condition(each, scope)
        elif node is not None:
            mark_use(self.read_expression(node, scope), "is_condition")

    def read_expression(self, node: Expression, scope: Scope) -> Bound:  # noqa: C901  # one short case a construct
        """Read an expression and return what it means."""
        match node:
            case ContextVar():
                return self.read_variable(node, scope)
            case Symbol(name="prompt", parts=(Field(), *_)) if node.name not in scope.variables:  # a former namespace
                head = Field(span=node.span, name=node.name)
                return self.read_variable(ContextVar(span=node.span, namespace="env", parts=(head, *node.parts)), scope)
            case Symbol():
                return self.read_path(node.name, scope.variables.get(node.name), node.parts, scope)
            case NameRef():
                return self.read_path(f"${node.name}", scope.names.get(node.name), node.parts, scope)
            case TimeIndex():
                if node.is_reference:
                    mark_use(scope.names.get(node.name), "is_number")
                return "time"
            case Number():
                return "number"
            case Template():
                self.read_template(node, scope)
                return None
            case Call():
                return self.read_call(node, scope)
            case Group():
                return self.read_expression(node.value, scope)
            case Operation():
                return self.read_operation(node, scope)
            case Comprehension():
                inner = scope.enter_loop(
                    node.variable.name, self.read_element(node.iterable, node.variable.name, scope)
                )
                self.read_condition(node.condition, inner)
                element = self.read_expression(node.element, inner)
                return ValueShape(element=element if isinstance(element, ValueShape) else ValueShape())
            case FragUse():
                self.fragment(node, scope)
                return None
            case ListOf():
                values = [self.read_expression(each, scope) for each in node.values]
                return ValueShape(element=next((each for each in values if isinstance(each, ValueShape)), ValueShape()))
            case HostValue() | MessageNumber():
                for each in (each for part in node.parts for each in list_values(part)):
                    self.read_expression(each, scope)
                return None
            case Unary() | Range() | String():
                for child in children(node):
                    self.read_expression(child, scope)  # type: ignore[arg-type]  # what is inside of an expression is one
                return None
            case _:
                assert_never(node)

    def read_element(self, iterable: Expression | None, name: str, scope: Scope) -> Bound:
        """Read the iterable of a loop and return what its variable means."""
        if isinstance(iterable, Range):
            bounds = [each for each in (iterable.start, iterable.stop, iterable.step) if each is not None]
            kinds = [self.read_expression(each, scope) for each in bounds]
            for each in kinds:
                mark_use(each, "is_number")
            is_substep = isinstance(iterable.stop, TimeIndex) and is_substeps(iterable.stop)
            return "time" if "time" in kinds and not is_substep else "number"
        found_one = self.read_expression(iterable, scope) if iterable is not None else None
        return found_one.get_element(name) if isinstance(found_one, ValueShape) else None

    def read_variable(self, node: ContextVar, scope: Scope) -> Bound:
        """Read a variable of a namespace, or of an agent."""
        parts = node.parts
        if any(isinstance(part, Arguments) for part in parts):
            return self.read_path(node.namespace, ValueShape(), parts, scope)
        root = self.reads.values
        if parts and isinstance(parts[0], Index) and parts[0].values and not self.is_time(parts[0].values[0], scope):
            root = self.reads.agents.get_keyed(
                choose_key(parts[0].values[0], self.read_expression(parts[0].values[0], scope), scope)
            )
            parts = parts[1:]
        chain = [root.get_field(node.namespace)]
        times: set[tuple[int, int | None]] = set()
        for part in parts:
            if isinstance(part, Field):
                chain.append(chain[-1].get_field(part.name))
                continue
            for value in part.values if isinstance(part, Index) else ():
                if not times and self.is_time(value, scope):
                    self.read_expression(value, scope)
                    times = {(levels, find_fixed_step(value)) for levels in find_levels(value, scope)}
                else:
                    chain.append(self.read_index(chain[-1], value, scope))
        for each in chain[1:]:
            each.times |= times or {(0, None)}
        shape = chain[-1]
        if scope.comment:
            shape.comments[scope.comment] = None
        return shape

    def read_index(self, shape: ValueShape, value: Expression, scope: Scope) -> ValueShape:
        """Read an index that is not a time: a position, or a key."""
        key = self.read_expression(value, scope)
        if isinstance(value, Number) or key == "number":
            return shape.get_element("")
        return shape.get_keyed(choose_key(value, key, scope))

    def read_path(self, name: str, bound: Bound, parts: Sequence[Part], scope: Scope) -> Bound:
        """Follow a path below a name; a field with arguments is a function: `env.in_dialog(other)`."""
        at = next((idx for idx, part in enumerate(parts) if isinstance(part, Arguments)), None)
        if at is not None:
            name = ".".join([name, *(part.name for part in parts[:at] if isinstance(part, Field))])
            return self.read_function(name, parts[at:], scope)
        for part in parts:
            if not isinstance(bound, ValueShape):
                return None
            if isinstance(part, Field):
                bound = bound.get_field(part.name)
            elif isinstance(part, Index):
                for value in part.values:
                    bound = self.read_index(bound, value, scope) if isinstance(bound, ValueShape) else None
        if isinstance(bound, ValueShape) and scope.comment:
            bound.comments[scope.comment] = None
        return bound

    def read_operation(self, node: Operation, scope: Scope) -> Bound:
        """Read an operation: operands of arithmetic are numbers; a compared word is a possible value."""
        values = [self.read_expression(each, scope) for each in node.operands]
        words = [get_word(each) for each in node.operands]
        if node.operators[0] in _COMPARISONS:
            for value, (other, word) in zip(values, reversed(list(zip(values, words, strict=True))), strict=False):
                if isinstance(value, ValueShape) and word is not None and word.lower() not in _CONSTANTS:
                    value.words[word] = None
                elif other in ("time", "number"):
                    mark_use(value, "is_number")
            return None
        is_sum = set(node.operators) <= {"+"} and not {"time", "number"} & set(map(find_time_kind, values))
        if node.operators[0] in "+-*/%" and not is_sum:
            for value in values:
                mark_use(value, "is_number")
            return "time" if "time" in values else "number"
        for value in values:
            mark_use(value, "is_text")
        return None

    def read_template(self, node: Template, scope: Scope) -> None:
        """Read a template, and name its arguments."""
        names = self.read_arguments(node.parts, scope)
        inserted = self.reads.templates.setdefault(node.name, InsertedText(names))
        inserted.params = max(inserted.params, names, key=len)
        if scope.comment:
            inserted.comments[scope.comment] = None

    def read_call(self, node: Call, scope: Scope) -> Bound:
        """Read a function call and return its result."""
        if node.name in BUILT_IN:
            values = [self.read_expression(each, scope) for part in node.parts[:1] for each in list_values(part)]
            for value in values:
                mark_use(value, "is_number")
            return "time" if "time" in values else "number"
        return self.read_function(node.name, node.parts, scope)

    def read_function(self, name: str, parts: Sequence[Part], scope: Scope) -> Bound:
        """Read a function by its name; the first part has its arguments."""
        names = self.read_arguments(parts[:1], scope)
        inserted = self.reads.functions.setdefault(name, InsertedText(names))
        if scope.comment:
            inserted.comments[scope.comment] = None
        return self.read_path(name, inserted.result, parts[1:], scope)

    def read_arguments(self, parts: Sequence[Part], scope: Scope) -> tuple[str, ...]:
        """Return names for the arguments between parentheses; all of them are sent."""
        names: dict[str, None] = {}
        for value in (each for part in parts if isinstance(part, Arguments) for each in part.values):
            mark_use(self.read_expression(value, scope), "is_text")
            name = get_argument_name(value) or f"value{len(names) + 1}"
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
                return any(self.is_time(each, scope) for part in value.parts[:1] for each in list_values(part))
        return False


_MOST_FRAGMENTS = 2000
_DEEPEST = 60
"""Fragments in fragments."""


def collect_reads(resolved: Resolved, prompts: Sequence[Prompt]) -> SpecReads:
    """Collect what the specs of a text read; the whole text if it has no spec."""
    run = _SpecReader(resolved)
    for prompt in prompts:
        run.read_prompt(prompt)
    if not prompts:
        run.read_statements(resolved.parsed.file.items, Scope(resolved.source))
    return run.reads


_Body: TypeAlias = tuple[Iterable[Node], Scope]
"""Statements inside another one, with the scope in which they are read."""


class _SpecReader:
    """Reads the statements of a spec, and each fragment once for the same arguments."""

    def __init__(self, resolved: Resolved) -> None:
        self.resolved = resolved
        self.reads = SpecReads()
        self.fragments: set[tuple[object, ...]] = set()
        self.depth = 0
        self.expected = ReadCollector(self.reads, self.read_fragment)

    def read_prompt(self, prompt: Prompt) -> None:
        scope = Scope(self.resolved.source)
        for parameter in map(binding_part, prompt.parameters):
            if isinstance(parameter, TimeIndex):
                fields = [part.name for part in parameter.parts if isinstance(part, Field)]
                self.reads.times = tuple(dict.fromkeys((*self.reads.times, parameter.name, *fields)))
                self.reads.levels = max(self.reads.levels, 1 + len(fields))
                scope.variables |= dict.fromkeys((parameter.name, *fields), "time")
            elif isinstance(parameter, Symbol):
                shape = self.reads.args.setdefault(parameter.name, ValueShape(parameter.name))
                scope.variables[parameter.name] = shape
        self.read_statements(prompt.body, scope)

    # ------------------------------------------------------------------------------------------------------ statements

    def read_statements(self, items: Iterable[Node], scope: Scope) -> None:
        """Read statements in order, each with those inside it; without recursion, so no nesting is too deep."""
        pending = [self.read_body(items, scope)]
        while pending:
            inside = next(pending[-1], None)
            if inside is None:
                pending.pop()
            else:
                pending.append(self.read_body(*inside))

    def read_body(self, items: Iterable[Node], scope: Scope) -> Iterator[_Body]:
        """Read statements, and yield the bodies inside each when they are to be read."""
        for item in items:
            comment = getattr(item, "comment", None)
            is_beside = isinstance(comment, Comment) and not body_of(item)
            scope.comment = comment.text.strip() if comment is not None and is_beside else ""
            yield from self.read_statement(item, scope)

    def read_statement(self, item: Node, scope: Scope) -> Iterator[_Body]:  # noqa: C901  # one short case a construct
        match item:
            case Content():
                mark_use(self.expected.read_expression(item.value, scope), "is_text")
            case NameDef():
                bound = self.expected.read_expression(item.value, scope)
                for target in item.targets:
                    if isinstance(target, (Path, TimeIndex)):
                        scope.names[target.name] = bound
            case ForEach():
                name = item.variable.name if item.variable is not None else ""
                yield item.body, scope.enter_loop(name, self.expected.read_element(item.iterable, name, scope))
            case Arm():
                self.expected.read_condition(item.test, scope)
                yield item.body, scope
            case Switch():
                yield from self.read_switch(item, scope)
            case EndsHere():
                self.expected.read_condition(item.condition, scope)
            case Prompt() | Fragment():
                pass
            case RoleMessage() | If() | Mark() | Label() | BrokenBlock():
                yield body_of(item), scope
            case Break() | Continue() | Comment() | Declaration() | Skipped() | HostLine() | Broken():
                pass
            case _:
                raise TypeError(f"no statement: {type(item).__name__}")

    def read_switch(self, item: Switch, scope: Scope) -> Iterator[_Body]:
        subject = self.expected.read_expression(item.subject, scope) if item.subject is not None else None
        for arm in item.arms:
            if isinstance(arm, Arm):
                for value in list_case_values(arm.test) if arm.test is not None else ():
                    word = get_word(value)
                    if word is None:
                        self.expected.read_expression(value, scope)
                    elif isinstance(subject, ValueShape):
                        subject.words[word] = None
                yield arm.body, scope

    def read_fragment(self, use: FragUse, scope: Scope) -> None:
        """Read the body of a fragment, with its parameters bound to the arguments."""
        entry = self.resolved.fragment_of(use, scope.source)
        if entry is None or len(self.fragments) > _MOST_FRAGMENTS:
            return
        arguments = [self.expected.read_expression(each, scope) for part in use.parts for each in list_values(part)]
        seen = (entry.node, *arguments)
        if seen in self.fragments or self.depth > _DEEPEST:
            return
        self.fragments.add(seen)
        self.depth += 1
        inner = Scope(entry.source, dict.fromkeys(self.reads.times, "time"))
        for parameter, value in zip(map(binding_part, entry.node.parameters), arguments, strict=False):
            if isinstance(parameter, TimeIndex):
                inner.variables[parameter.name] = "time"
                inner.variables |= {part.name: "number" for part in parameter.parts if isinstance(part, Field)}
            elif isinstance(parameter, Symbol):
                inner.variables[parameter.name] = value
        self.read_statements(entry.node.body, inner)
        self.depth -= 1

"""Indices and loop variables that are not bound where they are used.

Only certain cases are found: nothing in snippets, whose surroundings are unknown, nor in blocks whose header was not
understood. A bare word may be a value (`== search`), so only names that cannot be one count.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.language.names.named_arguments import find_named_arguments
from acdl_mkdocs.language.names.outline import (
    InheritedFact,
    NodePosition,
    Outline,
    build_outline,
    content_of,
    find_loop_variables,
    find_positions,
    is_header,
    own_expressions,
)
from acdl_mkdocs.language.names.outside_messages import suggest_message
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import turns_of_loops
from acdl_mkdocs.language.syntax.nodes import (
    NAMESPACES,
    BrokenBlock,
    Comprehension,
    Content,
    Field,
    ForEach,
    Fragment,
    Group,
    Identifier,
    Index,
    Label,
    NameDef,
    NameRef,
    Node,
    Number,
    Operation,
    Path,
    Prompt,
    Range,
    Symbol,
    Template,
    TimeIndex,
    Unary,
    walk,
)

Kind: TypeAlias = Literal["time", "current", "step", "substeps", "variable", "data"]
"""`@t` or `t`; `@K` or `I`; the `i` of `@t.i`; a misspelled `@t.substeps`; any other variable of a loop; `@env.n`."""

_COUNTS = ("substeps", "len")
_ORDERS = frozenset(("<", ">", "<=", ">="))
_ARITHMETIC = frozenset("+-*/%")


@dataclass(frozen=True, slots=True)
class UnboundName:
    """A name without a value."""

    kind: Kind
    name: str
    span: Span
    """The name, with its `@` if it has one."""
    text: str
    """The text of that span."""
    loop: Identifier | None
    """The variable of that name that a loop elsewhere in the definition binds."""
    definition: Prompt | Fragment
    turn: str = ""
    """The turn of a step; for a time, the variable of the loop over time around it, if there is one."""

    @property
    def current_time(self) -> str:
        """The current time of the spec: `@T`."""
        parameters = self.definition.parameters
        return "@" + next(
            (each.name for each in parameters if isinstance(each, TimeIndex) and each.name.isupper()), "T"
        )

    @property
    def parameter_title(self) -> str:
        """The title of the fragment with the name as a parameter."""
        definition = self.definition
        keyword = "StrFrag" if isinstance(definition, Fragment) and definition.kind == "string" else "RolesFrag"
        return f"{keyword} {definition.name.name}[@{self.name}]: {{"


@dataclass(frozen=True, slots=True)
class NameWithoutSign:
    """A `Name C` whose uses as an index lack their `$`."""

    name: str
    target: Node
    places: tuple[Span, ...]
    """Of every `@C`."""


def name_for_data(text: str) -> str:
    """Return what to write for a time that data gives, such as `@env.n`."""
    name = text.rpartition(".")[2].partition("[")[0]
    return f"give it a name before this, `Name {name} := {text[1:]}`, and write `@${name}`"


def names_without_sign(resolved: Resolved) -> list[NameWithoutSign]:
    """Return the `Name`s of each definition that are used as `@C` instead of `@$C`."""
    places: dict[tuple[str, Node], list[Span]] = {}
    for use, target in resolved.wrong_signs.items():
        if isinstance(use, TimeIndex) and not use.is_reference:
            bare_span = Span(use.span.start, use.span.start + 1 + len(use.name))
            places.setdefault((use.name, target), []).append(bare_span)
    return [
        NameWithoutSign(name, target, tuple(sorted(spans, key=lambda span: span.start)))
        for (name, target), spans in places.items()
    ]


def find_unbound_names(resolved: Resolved) -> Iterator[UnboundName]:
    """Yield every unbound use of a name that is certainly an index or a loop variable."""
    tree = build_outline(resolved.parsed.file)
    loops, turns, around = find_loop_variables(tree), turns_of_loops(tree), _names_around(tree)
    certain = find_certainty(tree)
    names: list[tuple[Node, UnboundName]] = []
    for time in tree.nodes_of(TimeIndex):
        definition = tree.definition_of(time)
        if definition is not None and time.name in NAMESPACES and time.parts and _is_free(time, resolved):
            text = resolved.source.one_line(time.span.start, time.span.end)
            names.append((time, UnboundName("data", time.name, time.span, text, None, definition)))
        elif definition is not None:
            mine = loops.get(definition, {})
            if _is_free(time, resolved) and (time.name.islower() or _lacks_name(definition, time.name)):
                kind: Kind = "time" if time.name.islower() else "current"
                loop = mine.get(time.name)
                names.append((time, _make_unbound(kind, time, "@" + time.name, loop, definition, turns.fact_of(time))))
            names += ((time, step) for step in _find_unbound_steps(time, definition, around, mine))
    labels = {each.name for each in find_named_arguments(resolved)}
    for word in tree.nodes_of(Symbol):
        is_free = word not in resolved.bindings and word not in labels
        definition = tree.definition_of(word) if is_free else None
        if definition is not None:
            loop = loops.get(definition, {}).get(word.name)
            kind_of_word = _kind_of_word(word, loop, definition, tree)
            if kind_of_word is not None:
                names.append(
                    (word, _make_unbound(kind_of_word, word, word.name, loop, definition, turns.fact_of(word)))
                )
    yield from (each for node, each in names if certain.fact_of(node) and not is_header(node, tree))


def find_certainty(outline: Outline) -> InheritedFact[bool]:
    """Return, for any node, whether everything around it that may bind a name was understood."""
    return InheritedFact(outline.parents, _decide_certainty, default=True)


def _make_unbound(
    kind: Kind,
    node: TimeIndex | Symbol,
    written: str,
    loop: Identifier | None,
    definition: Prompt | Fragment,
    turn: str,
) -> UnboundName:
    span = Span(node.span.start, node.span.start + len(written))
    return UnboundName(kind, node.name, span, written, loop, definition, f"@{turn}" if turn else "")


def _is_free(time: TimeIndex, resolved: Resolved) -> bool:
    is_name = bool(time.name) and not time.name[0].isdigit() and not time.is_reference
    return is_name and time not in resolved.bindings and time not in resolved.wrong_signs


def _decide_certainty(inner: Node, outer: Node) -> bool | None:
    """Return whether everything around a node was understood, as far as its parent decides that."""
    if isinstance(outer, (Prompt, Fragment)):
        return True
    is_open = isinstance(outer, ForEach) and outer.variable is None
    is_target = isinstance(outer, NameDef) and inner is not outer.value
    is_spec = isinstance(outer, Label) and _has_index(outer)
    return False if is_open or is_target or is_spec or isinstance(outer, BrokenBlock) else None


def _has_index(block: Label) -> bool:
    """Return whether a title inside a spec is spelled like that of a spec: `Turn[@t] {`."""
    return isinstance(block.title, (Symbol, Template)) and bool(block.title.parts)


def _lacks_name(definition: Prompt | Fragment, name: str) -> bool:
    """Return whether a spec names its times and steps, but not this capital."""
    if isinstance(definition, Fragment) or not name.isupper() or not name.isascii():
        return False
    parameters = parameters_of(definition)
    return any(each.isupper() for each in parameters) and name not in parameters and "*" not in parameters


def parameters_of(definition: Prompt | Fragment) -> set[str]:
    """Return the names in the title: `T` and `I` of `[@T.I]`."""
    names: set[str] = set()
    stack: list[Node] = list(definition.parameters)
    while stack:
        node = stack.pop()
        if isinstance(node, (TimeIndex, Symbol)):
            names.add(node.name)
            names.update(part.name for part in node.parts if isinstance(part, Field))
        elif isinstance(node, Operation):
            stack.extend(node.operands)
    return names


def _find_unbound_steps(
    time: TimeIndex, definition: Prompt | Fragment, around: InheritedFact[frozenset[str]], loops: dict[str, Identifier]
) -> Iterator[UnboundName]:
    """Yield unbound steps of an index: the `i` of `@t.i`, the `I` of `@T.I`."""
    for part in time.parts:
        if not isinstance(part, Field) or part.name in _COUNTS or not part.name.isidentifier():
            continue
        kind: Kind | None = None
        if part.name.isupper():
            kind = "current" if len(part.name) == 1 and _lacks_name(definition, part.name) else None
        elif part.name not in around.fact_of(time):
            is_index = len(part.name) == 1 or part.name in loops
            kind = "step" if is_index else "substeps" if find_closest(part.name, ("substeps",)) else None
        if kind is not None:
            loop = loops.get(part.name) if kind == "step" else None
            yield UnboundName(kind, part.name, part.span, part.name, loop, definition, "@" + time.name)


def _names_around(outline: Outline) -> InheritedFact[frozenset[str]]:
    """Return, for any node, the names that the loops and the definition around it bind."""

    def bound(inner: Node, outer: Node) -> frozenset[str] | None:
        if isinstance(outer, (Prompt, Fragment)):
            return frozenset(parameters_of(outer))
        if not isinstance(outer, (ForEach, Comprehension)) or inner is outer.iterable or outer.variable is None:
            return None
        return around.fact_of(outer) | {outer.variable.name}

    around: InheritedFact[frozenset[str]] = InheritedFact(outline.parents, bound, frozenset())
    for loop in (
        *outline.nodes_of(ForEach),
        *outline.nodes_of(Comprehension),
    ):  # outer ones first, so that no call goes deep
        around.fact_of(loop)
    return around


def _kind_of_word(
    word: Symbol, loop: Identifier | None, definition: Prompt | Fragment, outline: Outline
) -> Kind | None:
    """Return what an unbound bare word must be; `None` if it may be a value."""
    if word.parts:
        return "variable" if loop is not None and isinstance(word.parts[0], (Field, Index)) else None
    if word.name.isupper() and content_of(word, outline) is not None:
        return None  # `A - B`: short templates in a list
    is_number = _is_numeric_use(word, outline)
    if len(word.name) == 1 and is_number:
        return ("current" if _lacks_name(definition, word.name) else None) if word.name.isupper() else "time"
    if loop is not None and (is_number or isinstance(outline.parents.get(word), (Content, Index))):
        return "variable"
    return None


def _is_numeric_use(word: Symbol, outline: Outline) -> bool:
    """Return whether a word is used as a number: in a comparison, a calculation, a range or an index."""
    inner: Node = word
    outer = outline.parents.get(word)
    while isinstance(outer, (Group, Unary, Operation)):
        if isinstance(outer, Operation) and _is_numeric_operation(outer):
            return True
        inner, outer = outer, outline.parents.get(outer)
        if isinstance(inner, Operation) and inner.operators[0] not in _ARITHMETIC:
            return False
    return isinstance(outer, (Index, Range))


@lru_cache(maxsize=16)  # asked again for each operand of one operation
def _is_numeric_operation(test: Operation) -> bool:
    """Return whether the operands of an operation must be numbers; not in `User - x`, meant as `User: x`."""
    if suggest_message([test]):
        return False
    if test.operators[0] in _ORDERS or test.operators[0] in _ARITHMETIC - {"+"}:
        return True
    return test.operators[0] in ("==", "!=", "+") and any(
        isinstance(each, (Number, TimeIndex)) for each in test.operands
    )


@dataclass(frozen=True, slots=True)
class UnusedName:
    """A `Name` that no `$x` of its spec or fragment refers to."""

    position: NodePosition
    target: Path | TimeIndex
    """The name itself."""
    bare: Symbol | None
    """A word of the same spec or fragment that is spelled the same, without `$`, and bound to nothing."""


def unused_names(resolved: Resolved) -> list[UnusedName]:
    """Return every `Name` of one plain target without a use, in source order.

    Definitions with a syntax error are left out: the use may be in the part that was not understood.
    """
    if not resolved.defined_names:
        return []
    used = {
        (name, bound)
        for use, bound in (*resolved.bindings.items(), *resolved.wrong_signs.items())
        if isinstance(use, (NameRef, TimeIndex)) and (name := use.name)
    }
    broken = [each.label.span.start for each in resolved.parsed.diagnostics]
    first: dict[tuple[Node, str], Node] = {}
    unused: list[tuple[NodePosition, Path | TimeIndex, Node]] = []
    for position in find_positions(resolved.parsed.file):
        target, definition = _plain_target(position.node), position.definition
        if target is None or definition is None:
            continue
        bound = first.setdefault((definition, target.name), target)
        is_broken = any(definition.span.start <= at <= definition.span.end for at in broken)
        if (target.name, bound) not in used and not is_broken:
            unused.append((position, target, definition))
    bare = _bare_words(resolved) if unused else {}
    return [
        UnusedName(position, target, bare.get((definition, target.name))) for position, target, definition in unused
    ]


def _plain_target(node: Node) -> Path | TimeIndex | None:
    """Return the one plain name that a `Name` defines."""
    target = node.targets[0] if isinstance(node, NameDef) and len(node.targets) == 1 else None
    return target if isinstance(target, (Path, TimeIndex)) and not target.parts else None


def _bare_words(resolved: Resolved) -> dict[tuple[Node, str], Symbol]:
    """Return the first unbound word of each name in each definition, which may be a use without `$`."""
    words: dict[tuple[Node, str], Symbol] = {}
    for position in find_positions(resolved.parsed.file):
        if position.definition is None:
            continue
        named = position.node.targets if isinstance(position.node, NameDef) else ()
        for node in (inner for each in own_expressions(position.node) if each not in named for inner in walk(each)):
            if isinstance(node, Symbol) and node not in resolved.bindings:
                words.setdefault((position.definition, node.name), node)
    return words

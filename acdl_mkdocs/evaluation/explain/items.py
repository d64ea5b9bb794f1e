"""The statements of a spec as items in words; a fragment is expanded at its first use."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from typing import assert_never

from acdl_mkdocs.evaluation.explain.model import Growth, Item, ItemKind, NamedValue, format_place
from acdl_mkdocs.evaluation.explain.words import (
    TimeNames,
    describe_case,
    describe_condition,
    describe_growth,
    describe_loop,
    describe_rounds,
    describe_time,
    describe_value,
    is_moving,
    quote_code,
)
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.resolve import Resolved, binding_part
from acdl_mkdocs.language.names.times import measure_distance
from acdl_mkdocs.language.syntax.host_text import is_remark
from acdl_mkdocs.language.syntax.nodes import (
    ROLE_WORDS,
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
    If,
    Index,
    Label,
    ListOf,
    Mark,
    NameDef,
    NameRef,
    Node,
    Operation,
    Prompt,
    Range,
    RoleMessage,
    Skipped,
    Statement,
    String,
    Switch,
    Symbol,
    Template,
    TimeIndex,
    walk,
)
from acdl_mkdocs.language.syntax.pragmas import is_for_tools


@dataclass(frozen=True, slots=True)
class NamesInside:
    """The names of a definition."""

    values: dict[Node, list[Expression]]
    """All values of each name, by the node that a reference is bound to."""
    n_uses: Counter[str]
    """As a value or as a time."""


def find_names_inside(definition: Node) -> NamesInside:
    """Collect the names of a prompt or fragment."""
    values: defaultdict[Node, list[Expression]] = defaultdict(list)
    uses = Counter[str]()
    for node in walk(definition):
        match node:
            case NameDef():
                for target in node.targets:
                    values[target].append(node.value)
            case NameRef():
                uses[node.name] += 1
            case TimeIndex() if node.is_reference:
                uses[node.name] += 1
    return NamesInside(dict(values), uses)


PROMPT_ENDS = "the prompt ends here"
LOOP_ENDS = ("the loop ends here", "the loop continues with its next round")
_DEEPEST = 40
"""Nesting of blocks and fragments; deeper ones are not explained."""
_MOST_ITEMS = 2000
_LONGEST_QUOTE = 60


@dataclass
class ItemBuilder:
    """Builds the items of a spec, and remembers which fragments and names it has explained."""

    resolved: Resolved
    mode: RangeMode
    """How the text reads ranges."""
    fragments: dict[str, None] = field(default_factory=dict)
    """Those that are explained already."""
    unknown: dict[str, None] = field(default_factory=dict)
    again: dict[str, None] = field(default_factory=dict)
    """Fragments that are used more than once."""
    names: list[NamedValue] = field(default_factory=list)
    inside: list[Node] = field(default_factory=list)
    """The definitions around the current statement."""
    known: dict[Node, NamesInside] = field(default_factory=dict)
    """The names of definitions."""
    n_items: int = 0

    def build_items(
        self, body: Iterable[Statement], source: Source, now: TimeNames, depth: int = 0
    ) -> tuple[Item, ...]:
        """Return the statements of a body as items."""
        items: list[Item] = []
        for node in body:
            if isinstance(node, (Comment, Declaration, Prompt, Fragment)):
                continue  # these send nothing
            if isinstance(node, HostLine) and is_remark(node.text):
                continue
            self.n_items += 1
            if depth > _DEEPEST or self.n_items > _MOST_ITEMS:
                self.unknown["parts that are nested too deep, or too many to list"] = None
                break
            items.append(self._build_statement(node, source, now, depth))
        return tuple(items)

    def _build_statement(  # noqa: C901  # one short case a construct
        self, node: Statement, source: Source, now: TimeNames, depth: int
    ) -> Item:
        match node:
            case Content(value=FragUse() as use):
                return self._build_fragment(node, use, source, now, depth)
            case Content():
                built = _make_item("content", describe_value(node.value, now), node, source)
                return replace(
                    built, is_sure=self._is_sure(node.value, now), grows=tuple(_find_growth(node.value, now))
                )
            case RoleMessage():
                text = "a completion" if node.role == "none" else f"a {ROLE_WORDS[node.role]} message"
                text = text.replace("a A", "an A")
                return self._build_block("message", text, node, source, now, depth, role=node.role)
            case ForEach():
                inner = replace(now, fixed=now.fixed | {node.variable.name}) if node.variable is not None else now
                built = self._build_block("loop", describe_loop(node, now), node, source, inner, depth)
                return replace(built, grows=tuple(_find_loop_growth(node, built.text, now)))
            case If():
                arms = tuple(self._build_arm(arm, source, now, depth) for arm in node.arms if isinstance(arm, Arm))
                if len(arms) == 1:
                    return arms[0]
                choice = _make_item("choice", "one of these, the first that applies", node, source, arms)
                return replace(choice, span=None)
            case Switch():
                return self._build_switch(node, source, now, depth)
            case Mark():
                number = f" {quote_code(node.number).strip('`')}" if node.number is not None else ""
                return self._build_block("group", f"marked{number}", node, source, now, depth)
            case Label():
                return self._build_block("group", f"the group {quote_code(node.title)}", node, source, now, depth)
            case NameDef():
                return self._build_name(node, source, now)
            case EndsHere():
                when = f"if {describe_condition(node.condition, now)}, " if node.condition is not None else ""
                return _make_item("end", f"{when}{PROMPT_ENDS}", node, source)
            case Break():
                return _make_item("end", LOOP_ENDS[0], node, source)
            case Continue():
                return _make_item("end", LOOP_ENDS[1], node, source)
            case HostLine():
                return self._build_unknown(node.text, node, source, "which another tool replaces: it was not read")
            case Broken() | Skipped():
                return self._build_unknown(node.text, node, source)
            case BrokenBlock():
                item = self._build_unknown(node.text, node, source)
                return replace(item, items=self.build_items(node.body, source, now, depth + 1))
            case Comment() | Declaration() | Prompt() | Fragment():
                raise AssertionError(node)  # `build_items` leaves them out
            case _:
                assert_never(node)

    def _build_block(
        self,
        kind: ItemKind,
        text: str,
        node: RoleMessage | ForEach | Mark | Label,
        source: Source,
        now: TimeNames,
        depth: int,
        role: str = "",
    ) -> Item:
        items = self.build_items(node.body, source, now, depth + 1)
        return replace(_make_item(kind, text, node, source, items), role=role)

    def _build_arm(self, arm: Arm, source: Source, now: TimeNames, depth: int) -> Item:
        condition = describe_condition(arm.test, now) if arm.test is not None else "that is so (it is not understood)"
        text = "otherwise" if arm.kind in ("else", "default") else f"if {condition}"
        return _make_item("arm", text, arm, source, self.build_items(arm.body, source, now, depth + 1))

    def _build_switch(self, node: Switch, source: Source, now: TimeNames, depth: int) -> Item:
        subject = describe_value(node.subject, now) if node.subject is not None else "something that is not understood"
        arms: list[Item] = []
        for arm in node.arms:
            if isinstance(arm, Arm):
                text = "otherwise" if arm.kind == "default" else f"if it is {describe_case(arm.test)}"
                arms.append(_make_item("arm", text, arm, source, self.build_items(arm.body, source, now, depth + 1)))
        return _make_item("choice", f"one of these, by {subject}", node, source, tuple(arms))

    def _build_name(self, node: NameDef, source: Source, now: TimeNames) -> Item:
        value = describe_value(node.value, now)
        for target in node.targets:
            name = quote_code(target).strip("`").lstrip("$@")
            line = source.find_place(node.span.start).line
            self.names.append(NamedValue(name, value, source.name, line, self._find_names().n_uses[name]))
        names = " and ".join(f"`${quote_code(target).strip('`').lstrip('$')}`" for target in node.targets)
        return replace(
            _make_item("name", f"{names} stands for {value}", node, source), grows=tuple(_find_growth(node.value, now))
        )

    def _find_names(self) -> NamesInside:
        """Return the names of the current definition."""
        definition = self.inside[-1]
        if definition not in self.known:
            self.known[definition] = find_names_inside(definition)
        return self.known[definition]

    def _is_sure(self, node: Expression, now: TimeNames) -> bool:
        """Return whether a value exists at every time."""
        match node:
            case Group():
                return self._is_sure(node.value, now)
            case NameRef():
                target = self.resolved.bindings.get(node)
                named = [] if target is None else self._find_names().values.get(target, [])
                is_plain = all(isinstance(each, (Template, String, ContextVar)) for each in named)
                return is_plain and not node.parts and all(self._is_sure(each, now) for each in named)
            case Symbol() if node.name in ("none", "null", "empty"):
                return False
            case Comprehension() | Range() | Call(name="range") | ListOf(values=()) | String(value=""):
                return False
        if any(isinstance(each, TimeIndex) and _has_all_steps(each) for each in walk(node)):
            return False
        summands = [*_split_sum(node)]
        times = [each for each in summands if self._is_time(each, now)]
        is_text = any(isinstance(each, (String, Template)) for each in summands)
        return is_text or not times or self._is_from_zero(node, times, now)

    def _is_time(self, node: Expression, now: TimeNames) -> bool:
        if isinstance(node, NameRef):
            return not self._is_sure(node, now)
        return isinstance(node if isinstance(node, TimeIndex) else self.resolved.bindings.get(node), TimeIndex)

    def _is_from_zero(self, node: Expression, times: Iterable[Expression], now: TimeNames) -> bool:
        """Return whether a sum with times in it is never less than 0; for earlier times nothing is sent."""
        distance = measure_distance(node)
        is_fragment = isinstance(self.inside[-1], Fragment)
        for each in times:
            is_given = is_fragment and isinstance(self.resolved.bindings.get(each), (TimeIndex, Symbol))
            if is_given or (isinstance(each, TimeIndex) and each.is_reference):
                return False  # a fragment is given any time, and a name has any
        if distance is None:
            return False
        name = distance.origin.removeprefix("@")
        first = 1 if name in now.levels[:1] and name not in now.fixed else 0  # turns count from 1, steps from 0
        return first + distance.steps >= 0

    def _build_fragment(self, node: Content, use: FragUse, source: Source, now: TimeNames, depth: int) -> Item:
        name = use.name.name
        entry = self.resolved.fragment_of(use, source)
        if entry is None or not isinstance(entry.node, Fragment):
            self.unknown[f"the fragment `{name}`, which is defined nowhere that was read"] = None
            return _make_item("fragment", f"the fragment `{name}`, which is not known here", node, source)
        arguments = [each for part in use.parts if isinstance(part, (Index, Arguments)) for each in part.values]
        pairs = zip(map(binding_part, entry.node.parameters), arguments, strict=False)
        bound = [f"`{quote_code(one).strip('`').lstrip('@')}` {_describe_argument(other, now)}" for one, other in pairs]
        text = f"the fragment `{name}`" + (f" with {', '.join(bound)}" if bound else "")
        if name in self.fragments:
            self.again[name] = None
            again = _make_item("fragment", f"{text} (its parts are listed above)", node, source)
            return replace(again, fragment=name)
        self.fragments[name] = None
        bindable = [each for each in map(binding_part, entry.node.parameters) if isinstance(each, (TimeIndex, Symbol))]
        going_on = {one.name for one, other in zip(bindable, arguments, strict=False) if is_moving(other, now.fixed)}
        fixed = frozenset(each.name for each in bindable) - going_on
        self.inside.append(entry.node)
        inner = replace(now, levels=(), fixed=fixed, mode=entry.range or self.mode)
        items = self.build_items(entry.node.body, entry.source, inner, depth + 1)
        self.inside.pop()
        return replace(_make_item("fragment", text, node, source, items), fragment=name)

    def _build_unknown(self, text: str, node: Node, source: Source, why: str = "which is not understood") -> Item:
        words = " ".join(text.split())
        quoted = words if len(words) <= _LONGEST_QUOTE else f"{words[: _LONGEST_QUOTE - 1]}…"
        place = format_place(source.name, source.find_place(node.span.start).line, self.resolved.source.name)
        self.unknown[f"`{quoted}` in {place}"] = None
        return _make_item("other", f"`{quoted}`, {why}", node, source)


def _split_sum(node: Expression) -> Iterator[Expression]:
    """Split a sum into its terms; an expression that is not a sum is its only term."""
    if isinstance(node, Group):
        yield from _split_sum(node.value)
    elif isinstance(node, Operation) and set(node.operators) <= {"+", "-"}:
        for each in node.operands:
            yield from _split_sum(each)
    else:
        yield node


def _has_all_steps(time: TimeIndex) -> bool:
    return any(isinstance(part, Field) and part.name == "*" for part in time.parts)


def _find_growth(node: Expression, now: TimeNames) -> Iterator[Growth]:
    """Yield the lists in an expression that get longer as time goes by."""
    for each in walk(node):
        if isinstance(each, Comprehension):
            limit = describe_growth(each.iterable, now.fixed, now.mode)
            if limit is not None:
                yield Growth(
                    describe_rounds(each.variable, each.iterable, now), f"more items of {quote_code(each)}", limit
                )


def _find_loop_growth(node: ForEach, loop: str, now: TimeNames) -> Iterator[Growth]:
    limit = describe_growth(node.iterable, now.fixed, now.mode) if node.iterable is not None else None
    if limit is not None:
        yield Growth(loop, "", limit)


def _describe_argument(argument: Expression, now: TimeNames) -> str:
    """Describe the argument for a parameter of a fragment."""
    return f"= {describe_time(argument, now) or quote_code(argument)}"


def _make_item(kind: ItemKind, text: str, node: Node, source: Source, items: tuple[Item, ...] = ()) -> Item:
    comment = getattr(node, "comment", None)
    remark = comment.text.strip() if isinstance(comment, Comment) and not is_for_tools(comment) else ""
    place = source.find_place(node.span.start)
    return Item(kind, text, source.name, place.line, comment=" ".join(remark.split()), items=items, span=node.span)

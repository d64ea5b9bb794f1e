"""`pattern_of()`: a spec at one point in time, as the pattern of what it may send."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from typing import TypeAlias, assert_never

from acdl_mkdocs.evaluation.calculate import equal
from acdl_mkdocs.evaluation.context import Budget, LimitError, Moment
from acdl_mkdocs.evaluation.evaluate import Options, parameter_values, spec_of, time_names
from acdl_mkdocs.evaluation.machine import Block, OpenMessage, content_of
from acdl_mkdocs.evaluation.problems import Findings
from acdl_mkdocs.evaluation.scope import Here, Now, Scope
from acdl_mkdocs.evaluation.state.sample_state import Key as StepKey
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.statements import Statements
from acdl_mkdocs.evaluation.transcript import Piece, Round
from acdl_mkdocs.evaluation.values import ABSENT, Time, Unknown, Value, plain
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import range_mode
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Break,
    Broken,
    BrokenBlock,
    Comment,
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
    HostLine,
    If,
    Index,
    Label,
    Mark,
    NameDef,
    NameRef,
    Node,
    Number,
    Prompt,
    RoleMessage,
    Skipped,
    Statement,
    Switch,
    Symbol,
    Template,
    TimeIndex,
    walk,
)
from acdl_mkdocs.prompts.redact import redacted_parts, redacted_text
from acdl_mkdocs.runs.match.pattern import Around, Item, Passing, Pattern, PatternError, Places, Said, by_role

_KEYED = ("template", "variable", "function")
"""Kinds of pieces whose content has a name."""


@dataclass(frozen=True, slots=True)
class Context:
    """The context of a statement."""

    around: tuple[Around, ...] = ()
    is_free: bool = False
    has_free_loop: bool = False
    again: int | None = None
    """The place after `continue`."""
    out: int | None = None
    """The place after `break`."""


def said_of(piece: Piece, here: Here, context: Context) -> Said:
    """Return a piece for a pattern."""
    is_known = piece.status == "given" and not piece.expression.startswith("#")
    is_template = piece.kind == "template" and "(" not in piece.resolved
    key: str | None = piece.resolved
    if (
        is_known
        or piece.status == "error"
        or piece.kind not in _KEYED
        or "…" in piece.resolved
        or "#msg" in piece.resolved
        or "⟦" in piece.resolved
    ):
        key = None
    elif not is_template and (context.has_free_loop or (here.stack and "@" not in piece.resolved)):
        key = None  # its round is not given
    parts = redacted_parts(piece.parts) if is_known else ()
    text = _as_recorded(piece.text) if is_known and not parts else None
    return Said(piece.origin, piece.expression, text, parts, key, is_template, _name(piece, here, context))


@lru_cache(maxsize=1024)
def _as_recorded(text: str) -> str:
    """Return a text without secrets, as readers do; the same texts occur at every point in time."""
    return redacted_text(text)


def _name(piece: Piece, here: Here, context: Context) -> str:
    """Return the name of a piece in a sample state; empty if it has no unique name there."""
    name = piece.resolved
    if piece.kind not in _KEYED or piece.status == "error" or "…" in name or "⟦" in name:
        return ""
    if piece.kind == "variable" and "@" not in name:
        if context.has_free_loop:
            return ""
        return f"{name}[@{here.loop_time}]" if here.loop_time is not None else name
    return name


_PLAIN = (RoleMessage, Content, Comment, ContextVar, Field, Index, Number)
_TIME = re.compile(r"@(\d+(?:\.\d+)*)")
_MOST = 50_000
"""Messages that are kept."""
Key: TypeAlias = tuple[object, ...]
"""Everything that a message depends on, beside the state."""


@dataclass(slots=True)
class MadeMessages:
    """The messages that were made so far."""

    found: dict[Key, tuple[tuple[Item, ...], tuple[tuple[int, ...], ...]]] = field(default_factory=dict)
    """The messages of each key, and the times that they are of."""
    names: dict[RoleMessage, tuple[str, ...] | None] = field(default_factory=dict)
    """The names in each message of a spec; `None` if it may depend on more than their values."""

    def key(self, node: RoleMessage, here: Here, context: Context) -> Key | None:
        """Return what a message depends on at one place; `None` if that is not known."""
        names = self._names(node)
        if names is None or context.has_free_loop:
            return None
        values: list[tuple[object, ...]] = []
        for name in names:
            value = here.scope.variable(name)
            if value is ABSENT and name in here.now.names:
                value = here.now.part(name)
            if not isinstance(value, Time | int | str):
                return None
            values.append((type(value), value))
        if here.substep is not None:  # it is one of the step of the point
            values.append(here.now.at.parts[:-1])
        around = tuple((each.node, each.number) for each in context.around)
        stack = tuple((each.kind, each.name, each.value) for each in here.stack)
        return (node, *values, around, stack, here.loop_time, here.substep, context.is_free)

    def at(self, key: Key, point: Time) -> tuple[Item, ...] | None:
        """Return the messages of a key, if they are the same at a point."""
        items, times = self.found.get(key, ((), ()))
        return items if items and all(_is_before(time, point) for time in times) else None

    def keep(self, key: Key, items: Sequence[Item], point: Time) -> None:
        """Keep messages, if they are the same at all later points."""
        said = [each for item in items for each in item.said]
        times = tuple(_time(found) for each in said for found in _TIME.findall(each.name))
        is_named = all(each.name and "?" not in each.name for each in said)
        if is_named and all(_is_before(time, point) for time in times):
            if len(self.found) >= _MOST:
                self.found.clear()
            self.found[key] = tuple(items), times

    def _names(self, node: RoleMessage) -> tuple[str, ...] | None:
        if node not in self.names:
            self.names[node] = _names_in(node)
        return self.names[node]


def _names_in(node: RoleMessage) -> tuple[str, ...] | None:
    names: dict[str, None] = {}
    for each in walk(node):
        match each:
            case TimeIndex(is_reference=False, parts=parts) if all(isinstance(part, Field) for part in parts):
                names[each.name] = None
                names.update((part.name, None) for part in parts if isinstance(part, Field))
            case Symbol(parts=()):
                names[each.name] = None
            case Template(parts=()):
                pass
            case _ if not isinstance(each, _PLAIN):
                return None
    return tuple(name for name in names if not name.isdecimal())


def _time(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def _is_before(time: tuple[int, ...], point: Time) -> bool:
    return time < point.parts[: len(time)]


@dataclass(frozen=True, slots=True)
class OpenMoment(Moment):
    """A point in time at which it may be unknown how many sub-steps an earlier step had."""

    last_known: int = 0
    """The last step that the state describes completely."""
    unknown: list[Time] = field(default_factory=list)
    """The steps whose sub-steps were asked for in vain."""

    def substeps(self, time: Time) -> int:
        """Return the number of sub-steps of a step."""
        key, records = time.significant, self.state.records
        is_decided = time.is_after(self.at) or time.has_inside(self.at) or key[0] <= self.last_known
        if not is_decided and key not in records.children and key not in records.steps:
            self.unknown.append(time)
        return Moment.substeps(self, time)


class OpenFindings(Findings):
    """Collects undecided values, and reports nothing."""

    n_open = 0

    def say(self, here: Here, diagnostic: Diagnostic) -> None:  # noqa: ARG002  # as it is called
        """Note that the result at a place is not known, because the evaluation has a problem there."""
        self.n_open += diagnostic.severity == "error"

    def undecided(  # as it is called
        self,
        here: Here,  # noqa: ARG002
        condition: Expression,  # noqa: ARG002
        text: str,  # noqa: ARG002
        unknown: Unknown,  # noqa: ARG002
    ) -> None:
        """Note that a condition, or the number of rounds of a loop, is not known."""
        self.n_open += 1

    def need(self, here: Here, unknowns: Iterable[Unknown]) -> None:  # noqa: ARG002  # as it is called
        """Accept unknown values as anything."""
        self.lacking.extend(unknowns)


def pattern_of(
    resolved: Resolved,
    at: Time,
    state: State | None = None,
    counts: Mapping[StepKey, int] | None = None,
    options: Options | None = None,
    config: Config | None = None,
    made: MadeMessages | None = None,
) -> Pattern:
    """Compile the pattern of what a spec may send at a point.

    Parameters:
        resolved: The text with the spec.
        at: The point.
        state: Values known beside the requests; contents are compared if the state has them.
        counts: Known numbers of sub-steps of steps.
        options: Which spec of the text, and how ranges are read.
        config: How to read ranges if neither options, state nor text specify it.
        made: Messages of patterns of the same spec, state and options at other points.

    Raises:
        PatternError: The spec sends too much at that point.
        UnknownSpecError: The text has no spec of that name, or no spec.
    """
    given, options = state or State(), options or Options()
    prompt = spec_of(resolved, options.spec or given.spec)
    records = replace(given.records, counts={**given.records.counts, **(counts or {})})
    moment = OpenMoment(
        state=replace(given, records=records),
        now=Now(time_names(prompt, given.args), at),
        range_mode=options.range or given.range or range_mode(resolved, config or Config()),
        budget=Budget(options.limits),
        findings=OpenFindings("placeholder"),
        last_known=0 if state is None else given.last_step,
    )
    joiner = given.options.joiner if options.joiner is None else options.joiner
    compiler = _Compiler(moment, resolved, joiner, MadeMessages() if made is None else made)
    here = Here(resolved.source, Scope(variables=parameter_values(prompt, moment)), moment.now)
    body = prompt.body if prompt is not None else resolved.parsed.file.items
    try:
        return compiler.whole(body, here)
    except LimitError as why:
        raise PatternError(f"{why.source.name}:{why.source.place(why.span.start).line}: {why.message}") from why
    except RecursionError as why:
        raise PatternError(f"{resolved.source.name}: blocks are nested too deep to be checked") from why


_NUMBER = Unknown("missing", "#msg")
"""The number of a message depends on which messages are sent before it."""


class _Compiler(Places):
    """Builds one pattern."""

    def __init__(self, moment: OpenMoment, resolved: Resolved, joiner: str, made: MadeMessages) -> None:
        super().__init__(moment.at)
        self.moment = moment
        self.run = Statements(moment, resolved, "drop", joiner)
        self.run.expressions.message_number = lambda: _NUMBER
        self.final = 0
        self.made = made
        self.used: set[Key] = set()
        """The messages of `made` in this pattern, each once."""

    @property
    def n_open(self) -> int:
        """How much was undecided so far."""
        findings = self.moment.findings
        return len(self.moment.unknown) + (findings.n_open if isinstance(findings, OpenFindings) else 0)

    def whole(self, statements: Sequence[Statement], here: Here) -> Pattern:
        """Compile the pattern of a prompt."""
        start, self.final = self.place(), self.place()
        end = self.block(statements, here, start, Context())
        if end is not None:
            self.join(end, self.final)
        return Pattern(tuple(map(tuple, self.edges)), self.final, self.moment.at)

    def block(self, statements: Sequence[Statement], here: Here, start: int, context: Context) -> int | None:
        """Compile statements; return the place after them, or `None` if nothing follows."""
        at: int | None = start
        for statement in statements:
            if at is None:
                return None
            self.moment.budget.statement(here.source, statement.span)
            at = self.statement(statement, here, at, context)
        return at

    def statement(self, node: Statement, here: Here, at: int, context: Context) -> int | None:  # noqa: C901  # one short case a construct
        """Compile one statement; return the place after it."""
        match node:
            case RoleMessage():
                return self.message(node, here, at, context)
            case Content(value=FragUse() as use):
                found = self.run.fragments.inside(use, here)
                return at if found is None else self.block(found[0].body, found[1], at, context)
            case If() | Switch():
                return self.arms(node, here, at, context)
            case ForEach():
                return self.loop(node, here, at, context)
            case EndsHere():
                return self.ends(node, here, at, context)
            case Mark() | Label():
                return self.block(node.body, here, at, context)
            case NameDef():
                target = next(iter(node.targets), None)
                if isinstance(target, NameRef | Symbol | TimeIndex):
                    here.scope.names[target.name] = self.run.expressions.value(node.value, here)
                return at
            case Break() | Continue():
                return self.steer(at, context.out if isinstance(node, Break) else context.again)
            case Content() | Comment() | Declaration() | Skipped() | HostLine() | Broken() | BrokenBlock():
                return at
            case Prompt() | Fragment():
                return at
            case _:
                assert_never(node)

    def steer(self, at: int, to: int | None) -> int | None:
        """Compile `break` and `continue`; outside loops they do nothing."""
        if to is not None:
            self.join(at, to)
        return at if to is None else None

    # -------------------------------------------------------------------------------------------------------- messages

    def message(self, node: RoleMessage, here: Here, at: int, context: Context) -> int | None:
        """Compile a message with its known pieces."""
        key = self.made.key(node, here, context)
        if key in self.used:
            key = None
        known = None if key is None else self.made.at(key, self.moment.at)
        if key is not None and known is not None:
            self.used.add(key)
            return self.items(known, at)
        before, machine = self.n_open, self.run.machine
        inner = here.block()
        open_message = OpenMessage(node, inner)
        machine.work(Block(node.body, inner, node, open_message))
        is_ended, machine.ended = machine.ended is not None, None
        is_loose = self.n_open > before
        machine.messages.clear()
        pieces = content_of(open_message, node)
        if not pieces and not is_loose:
            if not is_ended:
                return at
            self.join(at, self.final)
            return None
        said = tuple(said_of(piece, here, context) for piece in pieces)
        item = Item(node, here.origin(node.span), node.role, said, is_loose, context.is_free, context.around)
        items = by_role(item)
        end = self.items(items, at)
        if key is not None and not is_loose and not is_ended:
            self.used.add(key)
            self.made.keep(key, items, self.moment.at)
        if item.can_be_empty:
            self.join(at, end)
        if is_ended or (is_loose and any(isinstance(each, EndsHere) for each in walk(node))):
            self.join(end, self.final)  # if a condition in the message is unknown, the prompt may end in it
        return None if is_ended else end

    # --------------------------------------------------------------------------------------------------------- choices

    def arms(self, node: If | Switch, here: Here, at: int, context: Context) -> int | None:
        """Compile the alternatives that may be taken."""
        subject: Value = None
        if isinstance(node, Switch):
            if node.subject is None:
                return at
            subject = plain(self.run.expressions.value(node.subject, here))
        ends: list[int] = []
        is_free, is_closed = False, False
        for arm in node.arms:
            if not isinstance(arm, Arm) or is_closed:
                continue
            holds, origin = self.holds(arm, subject, here, is_switch=isinstance(node, Switch)), here.origin(arm.keyword)
            skip = Passing(arm, origin, "skip", context.is_free or is_free or holds is None)
            if holds is False:
                at = self.join(at, self.place(), skip)
                continue
            is_closed = holds is True
            is_free = is_free or holds is None
            around = (*context.around, Around(arm, origin))
            inner = replace(context, is_free=context.is_free or is_free, around=around)
            passing = Passing(arm, origin, "arm", inner.is_free, None, self.decides(arm.test, node, here, context))
            end = self.block(arm.body, here.block(), self.join(at, self.place(), passing), inner)
            ends += [] if end is None else [end]
            at = at if is_closed else self.join(at, self.place(), skip)
        return self.together(ends if is_closed else [*ends, at])

    def decides(self, test: Expression | None, node: Node, here: Here, context: Context) -> tuple[str, Value] | None:
        """Return the condition and its value on the way through an alternative or an end."""
        subject = node.subject if isinstance(node, Switch) else None
        if test is None or context.has_free_loop:
            return None
        value = True if subject is None else plain(self.run.expressions.value(test, here))
        return self.run.expressions.resolved(subject or test, here), value

    def holds(self, arm: Arm, subject: Value, here: Here, *, is_switch: bool) -> bool | None:
        """Return whether an alternative is taken; `None` if that is not known."""
        if arm.kind in ("else", "default"):
            return True
        if arm.test is None:
            return False
        if not is_switch:
            return self.condition(arm.test, here)
        value = plain(self.run.expressions.value(arm.test, here))
        return None if isinstance(value, Unknown) or isinstance(subject, Unknown) else equal(subject, value)

    def condition(self, test: Expression, here: Here) -> bool | None:
        """Return whether a condition holds; `None` if that is not known."""
        before = len(self.moment.unknown)
        found = self.run.expressions.conditions.holds(test, here)
        return None if isinstance(found, Unknown) or len(self.moment.unknown) > before else found

    def ends(self, node: EndsHere, here: Here, at: int, context: Context) -> int | None:
        """Compile `PromptEndsHere`."""
        holds = True if node.condition is None else self.condition(node.condition, here)
        is_free, origin = context.is_free or holds is None, here.origin(node.span)
        if holds is not False:
            decides = self.decides(node.condition, node, here, context)
            self.join(at, self.final, Passing(node, origin, "end", is_free, None, decides))
        if holds is True:
            return None
        return self.join(at, self.place(), Passing(node, origin, "go-on", is_free))

    # ----------------------------------------------------------------------------------------------------------- loops

    def loop(self, node: ForEach, here: Here, at: int, context: Context) -> int | None:
        """Compile a loop: its rounds one after the other, or any number of them."""
        if node.variable is None or node.iterable is None:
            return at
        before, blocks = self.n_open, self.run.machine.blocks
        depth = len(blocks)
        self.run.loops.begin(node, Block((), here, node))
        begun = blocks.pop() if len(blocks) > depth else None
        origin = here.origin(node.keyword)
        if begun is None or begun.rounds is None or self.n_open > before:
            return self.repetition(node, here, at, context)
        out, n_rounds = self.place(), 0
        entry = self.place()
        current: int | None = entry
        while current is not None and self.run.loops.again(begun, begun.rounds):
            n_rounds += 1
            again = self.place()
            inner = replace(context, around=(*context.around, Around(node, origin, n_rounds)), again=again, out=out)
            start = self.join(current, self.place(), Passing(node, origin, "round", context.is_free))
            end = self.block(node.body, begun.here, start, inner)
            if end is not None:
                self.join(end, again)
            current = again
        self.join(at, entry, Passing(node, origin, "loop", context.is_free, n_rounds))
        self.join(current if current is not None else entry, out)
        return out

    def repetition(self, node: ForEach, here: Here, at: int, context: Context) -> int:
        """Compile a loop with an unknown number of rounds."""
        assert node.variable is not None  # noqa: S101  # asked before
        origin, name = here.origin(node.keyword), node.variable.name
        inner_here = here.bound(name, Unknown("missing", name)).turn(Round(origin, "loop", name, "?"), None)
        head, out = self.place(), self.place()
        self.join(at, head, Passing(node, origin, "loop", is_free=True))
        self.join(head, out)
        inner = Context((*context.around, Around(node, origin)), True, True, head, out)
        start = self.join(head, self.place(), Passing(node, origin, "round", is_free=True))
        end = self.block(node.body, inner_here, start, inner)
        if end is not None:
            self.join(end, head)
        return out

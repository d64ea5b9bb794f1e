"""`compile_pattern()`: a spec at one point in time, as the pattern of what it may send."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from typing import TypeAlias, assert_never

from acdl_mkdocs.evaluation.calculate import are_equal
from acdl_mkdocs.evaluation.context import Budget, EvaluationContext, LimitError
from acdl_mkdocs.evaluation.evaluate import Options, find_spec, find_time_names, read_parameter_values
from acdl_mkdocs.evaluation.machine import Block, OpenMessage, list_content
from acdl_mkdocs.evaluation.problems import Findings
from acdl_mkdocs.evaluation.scope import Here, PromptTime, Scope
from acdl_mkdocs.evaluation.state.sample_state import Key as StepKey
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.statements import Statements
from acdl_mkdocs.evaluation.transcript import Piece, Round
from acdl_mkdocs.evaluation.values import ABSENT, Time, Unknown, Value, drop_fields
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
    Range,
    RoleMessage,
    Skipped,
    Statement,
    Switch,
    Symbol,
    Template,
    TimeIndex,
    list_case_values,
    walk,
)
from acdl_mkdocs.prompts.redact import redact_parts, redact_text
from acdl_mkdocs.runs.match.pattern import (
    BranchPassing,
    EnclosingBranch,
    ExpectedMessage,
    ExpectedPiece,
    Pattern,
    PatternBuilder,
    PatternError,
    split_by_role,
)

_KEYED = ("template", "variable", "function")
"""Kinds of pieces whose content has a name."""


@dataclass(frozen=True, slots=True)
class Context:
    """The context of a statement."""

    around: tuple[EnclosingBranch, ...] = ()
    is_free: bool = False
    has_free_loop: bool = False
    again: int | None = None
    """The position after `continue`."""
    out: int | None = None
    """The position after `break`."""


def make_expected_piece(piece: Piece, here: Here, context: Context) -> ExpectedPiece:
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
    parts = redact_parts(piece.parts) if is_known else ()
    text = _redact_text(piece.text) if is_known and not parts else None
    return ExpectedPiece(
        piece.origin, piece.expression, text, parts, key, is_template, _name_piece(piece, here, context)
    )


@lru_cache(maxsize=1024)
def _redact_text(text: str) -> str:
    """Return a text without secrets, as readers do; the same texts occur at every point in time."""
    return redact_text(text)


def _name_piece(piece: Piece, here: Here, context: Context) -> str:
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
"""Limit of cached messages."""
MOST_LAST_TURNS = 40
"""How many turns before the last one a loop is compiled for one by one, if its first one is not known."""
Key: TypeAlias = tuple[object, ...]
"""Everything that a message depends on, besides the state."""


@dataclass(slots=True)
class CompiledMessages:
    """The messages made so far."""

    found: dict[Key, tuple[tuple[ExpectedMessage, ...], tuple[tuple[int, ...], ...]]] = field(default_factory=dict)
    """The messages of each key, and their times."""
    names: dict[RoleMessage, tuple[str, ...] | None] = field(default_factory=dict)
    """The names in each message of a spec; `None` if it may depend on more than their values."""

    def make_key(self, node: RoleMessage, here: Here, context: Context) -> Key | None:
        """Return what a message depends on at one place; `None` if that is not known."""
        names = self._list_names(node)
        if names is None or context.has_free_loop:
            return None
        values: list[tuple[object, ...]] = []
        for name in names:
            value = here.scope.get_variable(name)
            if value is ABSENT and name in here.now.names:
                value = here.now.get_part(name)
            if not isinstance(value, (Time, int, str)):
                return None
            values.append((type(value), value))
        if here.substep is not None:  # it is a step of the turn of the point
            values.append(here.now.at.parts[:-1])
        around = tuple((each.node, each.number) for each in context.around)
        stack = tuple((each.kind, each.name, each.value) for each in here.stack)
        return (node, *values, around, stack, here.loop_time, here.substep, context.is_free)

    def get_messages(self, key: Key, point: Time) -> tuple[ExpectedMessage, ...] | None:
        """Return the messages of a key, if they are the same at a point."""
        items, times = self.found.get(key, ((), ()))
        return items if items and all(_is_before(time, point) for time in times) else None

    def keep_messages(self, key: Key, items: Sequence[ExpectedMessage], point: Time) -> None:
        """Keep messages, if they are the same at all later points."""
        pieces = [each for item in items for each in item.pieces]
        times = tuple(_parse_time(text) for each in pieces for text in _TIME.findall(each.name))
        is_named = all(each.name and "?" not in each.name for each in pieces)
        if is_named and all(_is_before(time, point) for time in times):
            if len(self.found) >= _MOST:
                self.found.clear()
            self.found[key] = tuple(items), times

    def _list_names(self, node: RoleMessage) -> tuple[str, ...] | None:
        if node not in self.names:
            self.names[node] = _find_names(node)
        return self.names[node]


def _find_names(node: RoleMessage) -> tuple[str, ...] | None:
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


def _parse_time(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def _is_before(time: tuple[int, ...], point: Time) -> bool:
    return time < point.parts[: len(time)]


@dataclass(frozen=True, slots=True)
class OpenContext(EvaluationContext):
    """A point in time at which it may be unknown how many steps an earlier turn had."""

    last_known: int = 0
    """The last turn that the state describes completely."""
    unknown: list[Time] = field(default_factory=list)
    """The turns whose number of steps was requested but unknown."""

    def count_substeps(self, time: Time) -> int:
        """Return the number of steps of a turn."""
        key, records = time.significant, self.state.records
        is_decided = time.is_after(self.at) or time.has_inside(self.at) or key[0] <= self.last_known
        if not is_decided and key not in records.children and key not in records.steps:
            self.unknown.append(time)
        return EvaluationContext.count_substeps(self, time)


class OpenFindings(Findings):
    """Collects undecided values without reporting them."""

    n_open = 0

    def report_problem(self, here: Here, diagnostic: Diagnostic) -> None:  # noqa: ARG002  # as it is called
        """Note that the result at a place is not known, because the evaluation has a problem there."""
        self.n_open += diagnostic.severity == "error"

    def report_undecided(  # as it is called
        self,
        here: Here,  # noqa: ARG002
        condition: Expression,  # noqa: ARG002
        text: str,  # noqa: ARG002
        unknown: Unknown,  # noqa: ARG002
    ) -> None:
        """Note that a condition, or the number of rounds of a loop, is not known."""
        self.n_open += 1

    def report_missing(self, here: Here, unknowns: Iterable[Unknown]) -> None:  # noqa: ARG002  # as it is called
        """Accept unknown values as anything."""
        self.required_unknowns.extend(unknowns)


def compile_pattern(
    resolved: Resolved,
    at: Time,
    state: State | None = None,
    counts: Mapping[StepKey, int] | None = None,
    options: Options | None = None,
    config: Config | None = None,
    messages: CompiledMessages | None = None,
) -> Pattern:
    """Compile the pattern of what a spec may send at a point.

    Parameters:
        resolved: The text with the spec.
        at: The point.
        state: Values known beside the requests; contents are compared if the state has them.
        counts: Known numbers of steps of turns.
        options: Which spec of the text, and how ranges are read.
        config: How to read ranges if neither options, state nor text specify it.
        messages: Messages of patterns of the same spec, state and options at other points.

    Raises:
        PatternError: The spec sends too much at that point.
        UnknownSpecError: The text has no spec of that name, or no spec.
    """
    known_state, options = state or State(), options or Options()
    prompt = find_spec(resolved, options.spec or known_state.spec)
    records = replace(known_state.records, counts={**known_state.records.counts, **(counts or {})})
    context = OpenContext(
        state=replace(known_state, records=records),
        now=PromptTime(find_time_names(prompt, known_state.args), at),
        range_mode=options.range or known_state.range or range_mode(resolved, config or Config()),
        budget=Budget(options.limits),
        findings=OpenFindings("placeholder"),
        is_range_given=bool(options.range or known_state.range),
        last_known=0 if state is None else known_state.last_step,
    )
    joiner = known_state.options.joiner if options.joiner is None else options.joiner
    compiler = _PatternCompiler(context, resolved, joiner, CompiledMessages() if messages is None else messages)
    here = Here(resolved.source, Scope(variables=read_parameter_values(prompt, context)), context.now)
    body = prompt.body if prompt is not None else resolved.parsed.file.items
    try:
        return compiler.compile_prompt(body, here)
    except LimitError as why:
        raise PatternError(f"{why.source.name}:{why.source.find_place(why.span.start).line}: {why.message}") from why
    except RecursionError as why:
        raise PatternError(f"{resolved.source.name}: blocks are nested too deeply to be checked") from why


_NUMBER = Unknown("missing", "#msg")
"""The number of a message depends on which messages are sent before it."""


class _PatternCompiler(PatternBuilder):
    """Builds one pattern."""

    def __init__(self, context: OpenContext, resolved: Resolved, joiner: str, messages: CompiledMessages) -> None:
        super().__init__(context.at)
        self.context = context
        self.run = Statements(context, resolved, "drop", joiner)
        self.run.expressions.message_number = lambda: _NUMBER
        self.final = 0
        self.messages = messages
        self.used_keys: set[Key] = set()
        """The messages of `made` in this pattern, each once."""

    @property
    def n_open(self) -> int:
        """The number of undecided values so far."""
        findings = self.context.findings
        return len(self.context.unknown) + (findings.n_open if isinstance(findings, OpenFindings) else 0)

    def compile_prompt(self, statements: Sequence[Statement], here: Here) -> Pattern:
        """Compile the pattern of a prompt."""
        start, self.final = self.add_position(), self.add_position()
        end = self.compile_block(statements, here, start, Context())
        if end is not None:
            self.add_passing(end, self.final)
        return Pattern(tuple(map(tuple, self.edges)), self.final, self.context.at)

    def compile_block(self, statements: Sequence[Statement], here: Here, start: int, context: Context) -> int | None:
        """Compile statements; return the position after them, or `None` if nothing follows."""
        at: int | None = start
        for statement in statements:
            if at is None:
                return None
            self.context.budget.take_statement(here.source, statement.span)
            at = self.compile_statement(statement, here, at, context)
        return at

    def compile_statement(self, node: Statement, here: Here, at: int, context: Context) -> int | None:  # noqa: C901  # one short case a construct
        """Compile one statement; return the position after it."""
        match node:
            case RoleMessage():
                return self.compile_message(node, here, at, context)
            case Content(value=FragUse() as use):
                entered = self.run.fragments.enter_fragment(use, here)
                return at if entered is None else self.compile_block(entered[0].body, entered[1], at, context)
            case If() | Switch():
                return self.compile_arms(node, here, at, context)
            case ForEach():
                return self.compile_loop(node, here, at, context)
            case EndsHere():
                return self.compile_prompt_end(node, here, at, context)
            case Mark() | Label():
                return self.compile_block(node.body, here, at, context)
            case NameDef():
                target = next(iter(node.targets), None)
                if isinstance(target, (NameRef, Symbol, TimeIndex)):
                    here.scope.names[target.name] = self.run.expressions.evaluate_expression(node.value, here)
                return at
            case Break() | Continue():
                return self.compile_loop_exit(at, context.out if isinstance(node, Break) else context.again)
            case Content() | Comment() | Declaration() | Skipped() | HostLine() | Broken() | BrokenBlock():
                return at
            case Prompt() | Fragment():
                return at
            case _:
                assert_never(node)

    def compile_loop_exit(self, at: int, to: int | None) -> int | None:
        """Compile `break` and `continue`; outside loops they do nothing."""
        if to is not None:
            self.add_passing(at, to)
        return at if to is None else None

    # -------------------------------------------------------------------------------------------------------- messages

    def compile_message(self, node: RoleMessage, here: Here, at: int, context: Context) -> int | None:
        """Compile a message with its known pieces."""
        key = self.messages.make_key(node, here, context)
        if key in self.used_keys:
            key = None
        cached = None if key is None else self.messages.get_messages(key, self.context.at)
        if key is not None and cached is not None:
            self.used_keys.add(key)
            return self.add_items(cached, at)
        before, machine = self.n_open, self.run.machine
        inner = here.enter_block()
        open_message = OpenMessage(node, inner)
        machine.run_blocks(Block(node.body, inner, node, open_message))
        is_ended, machine.ended = machine.ended is not None, None
        is_loose = self.n_open > before
        machine.messages.clear()
        pieces = list_content(open_message, node)
        if not pieces and not is_loose:
            if not is_ended:
                return at
            self.add_passing(at, self.final)
            return None
        expected = tuple(make_expected_piece(piece, here, context) for piece in pieces)
        item = ExpectedMessage(
            node, here.locate_span(node.span), node.role, expected, is_loose, context.is_free, context.around
        )
        items = split_by_role(item)
        end = self.add_items(items, at)
        if key is not None and not is_loose and not is_ended:
            self.used_keys.add(key)
            self.messages.keep_messages(key, items, self.context.at)
        if item.can_be_empty:
            self.add_passing(at, end)
        if is_ended or (is_loose and any(isinstance(each, EndsHere) for each in walk(node))):
            self.add_passing(end, self.final)  # if a condition in the message is unknown, the prompt may end in it
        return None if is_ended else end

    # --------------------------------------------------------------------------------------------------------- choices

    def compile_arms(self, node: If | Switch, here: Here, at: int, context: Context) -> int | None:
        """Compile the alternatives that may be taken."""
        subject: Value = None
        if isinstance(node, Switch):
            if node.subject is None:
                return at
            subject = drop_fields(self.run.expressions.evaluate_expression(node.subject, here))
        ends: list[int] = []
        is_free, is_closed = False, False
        for arm in node.arms:
            if not isinstance(arm, Arm) or is_closed:
                continue
            holds, origin = (
                self.matches_arm(arm, subject, here, is_switch=isinstance(node, Switch)),
                here.locate_span(arm.keyword),
            )
            skip = BranchPassing(arm, origin, "skip", context.is_free or is_free or holds is None)
            if holds is False:
                at = self.add_passing(at, self.add_position(), skip)
                continue
            is_closed = holds is True
            is_free = is_free or holds is None
            around = (*context.around, EnclosingBranch(arm, origin))
            inner = replace(context, is_free=context.is_free or is_free, around=around)
            passing = BranchPassing(
                arm, origin, "arm", inner.is_free, None, self.find_decision(arm.test, node, here, context)
            )
            end = self.compile_block(
                arm.body, here.enter_block(), self.add_passing(at, self.add_position(), passing), inner
            )
            ends += [] if end is None else [end]
            at = at if is_closed else self.add_passing(at, self.add_position(), skip)
        return self.join_positions(ends if is_closed else [*ends, at])

    def find_decision(
        self, test: Expression | None, node: Node, here: Here, context: Context
    ) -> tuple[str, Value] | None:
        """Return the condition and its value on the way through an alternative or an end."""
        subject = node.subject if isinstance(node, Switch) else None
        if test is None or context.has_free_loop or (subject is not None and len(list_case_values(test)) > 1):
            return None
        value = True if subject is None else drop_fields(self.run.expressions.evaluate_expression(test, here))
        return self.run.expressions.format_resolved(subject or test, here), value

    def matches_arm(self, arm: Arm, subject: Value, here: Here, *, is_switch: bool) -> bool | None:
        """Return whether an alternative is taken; `None` if that is not known."""
        if arm.kind in ("else", "default"):
            return True
        if arm.test is None:
            return False
        if not is_switch:
            return self.evaluate_condition(arm.test, here)
        values = [
            drop_fields(self.run.expressions.evaluate_expression(each, here)) for each in list_case_values(arm.test)
        ]
        if isinstance(subject, Unknown):
            return None
        if any(not isinstance(each, Unknown) and are_equal(subject, each) for each in values):
            return True
        return None if any(isinstance(each, Unknown) for each in values) else False

    def evaluate_condition(self, test: Expression, here: Here) -> bool | None:
        """Return whether a condition holds; `None` if that is not known."""
        before = len(self.context.unknown)
        result = self.run.expressions.conditions.decide_condition(test, here)
        return None if isinstance(result, Unknown) or len(self.context.unknown) > before else result

    def compile_prompt_end(self, node: EndsHere, here: Here, at: int, context: Context) -> int | None:
        """Compile `PromptEndsHere`."""
        holds = True if node.condition is None else self.evaluate_condition(node.condition, here)
        is_free, origin = context.is_free or holds is None, here.locate_span(node.span)
        if holds is not False:
            decides = self.find_decision(node.condition, node, here, context)
            self.add_passing(at, self.final, BranchPassing(node, origin, "end", is_free, None, decides))
        if holds is True:
            return None
        return self.add_passing(at, self.add_position(), BranchPassing(node, origin, "go-on", is_free))

    # ----------------------------------------------------------------------------------------------------------- loops

    def compile_loop(self, node: ForEach, here: Here, at: int, context: Context) -> int | None:
        """Compile a loop: its rounds one after the other, or any number of them."""
        if node.variable is None or node.iterable is None:
            return at
        begun = self.begin_rounds(node, here)
        if begun is None:
            return self.compile_open_loop(node, here, at, context)
        out, entry = self.add_position(), self.add_position()
        end, n_rounds = self.compile_rounds(node, begun, entry, out, context)
        origin = here.locate_span(node.keyword)
        self.add_passing(at, entry, BranchPassing(node, origin, "loop", context.is_free, n_rounds))
        self.add_passing(end, out)
        return out

    def compile_rounds(
        self, node: ForEach, begun: Block, entry: int, out: int, context: Context, opening: int | None = None
    ) -> tuple[int, int]:
        """Compile rounds that are known; return the position after them, and their number.

        Parameters:
            node: The loop.
            begun: The block of its rounds.
            entry: The position before them.
            out: The position after the loop.
            context: The context of the loop.
            opening: A position that any of them may follow, if the first one is not known.
        """
        is_free = context.is_free or opening is not None
        origin = begun.here.locate_span(node.keyword)
        current, n_rounds = entry, 0
        while begun.rounds is not None and self.run.loops.begin_next_round(begun, begun.rounds):
            if opening is not None:
                self.add_passing(opening, current)
            n_rounds += 1
            again = self.add_position()
            around = (*context.around, EnclosingBranch(node, origin, n_rounds))
            inner = replace(context, around=around, is_free=is_free, again=again, out=out)
            start = self.add_passing(current, self.add_position(), BranchPassing(node, origin, "round", is_free))
            end = self.compile_block(node.body, begun.here, start, inner)
            if end is not None:
                self.add_passing(end, again)
            current = again
        return current, n_rounds

    def compile_open_loop(self, node: ForEach, here: Here, at: int, context: Context) -> int:
        """Compile a loop with an unknown number of rounds; its last turns may be known."""
        entry, out = self.add_position(), self.add_position()
        self.add_passing(at, entry, BranchPassing(node, here.locate_span(node.keyword), "loop", is_free=True))
        self.add_passing(entry, out)
        begun, has_more = self.begin_last_turns(node, here)
        if begun is None:
            self.compile_any_rounds(node, here, entry, out, context)
            return out
        first = self.add_position()
        end, _ = self.compile_rounds(node, begun, first, out, context, opening=entry)
        self.add_passing(end, out)
        if has_more:
            head = self.add_passing(entry, self.add_position())
            self.compile_any_rounds(node, here, head, out, context)
            self.add_passing(head, first)
        return out

    def begin_rounds(self, node: ForEach, here: Here) -> Block | None:
        """Begin a loop; return its block, or `None` if its rounds are not known."""
        before, blocks = self.n_open, self.run.machine.blocks
        depth = len(blocks)
        self.run.loops.begin_loop(node, Block((), here, node))
        begun = blocks.pop() if len(blocks) > depth else None
        return None if begun is None or self.n_open > before else begun

    def begin_last_turns(self, node: ForEach, here: Here) -> tuple[Block | None, bool]:
        """Begin a loop over turns with the last ones, if these are known and its first one is not.

        Returns the block, or `None`, and whether there may be more turns before.
        """
        iterable = node.iterable
        if not isinstance(iterable, Range) or iterable.step is not None:
            return None, False
        stop = drop_fields(self.run.expressions.evaluate_expression(iterable.stop, here))
        if not isinstance(stop, Time) or len(stop.parts) > 1:
            return None, False
        lowest = max(1, stop.parts[0] - MOST_LAST_TURNS)
        first = Number(span=iterable.start.span, text=str(lowest))
        return self.begin_rounds(replace(node, iterable=replace(iterable, start=first)), here), lowest > 1

    def compile_any_rounds(self, node: ForEach, here: Here, head: int, out: int, context: Context) -> None:
        """Compile any number of rounds from a position and back to it."""
        assert node.variable is not None  # noqa: S101  # asked before
        origin, name = here.locate_span(node.keyword), node.variable.name
        inner_here = here.bind_variable(name, Unknown("missing", name)).enter_round(
            Round(origin, "loop", name, "?"), None
        )
        inner = Context((*context.around, EnclosingBranch(node, origin)), True, True, head, out)
        start = self.add_passing(head, self.add_position(), BranchPassing(node, origin, "round", is_free=True))
        end = self.compile_block(node.body, inner_here, start, inner)
        if end is not None:
            self.add_passing(end, head)

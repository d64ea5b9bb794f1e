"""`Arranger`: lines that are sent only sometimes, in `If`, `ElseIf`, `Else`, `Switch` and `Default`.

Where the recordings have no condition for a line, a value of the state says where it is sent. Lines that never come
together are alternatives: a request that has two of them, or none where there is always one, contradicts the spec.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.runs.infer.borders import LoopScope, find_border, find_kept
from acdl_mkdocs.runs.infer.conditions import Condition, Iteration, Scope, explain_presence, split_by_flag
from acdl_mkdocs.runs.infer.names import make_unique
from acdl_mkdocs.runs.infer.spec_values import Level, NoProgramError, TimeKey, Value, time_of, write_index

INDENT = "    "
_ALWAYS = Condition("", 0)
_KEYWORDS = {"if": "If ", "elseif": "ElseIf "}


@dataclass(frozen=True, slots=True)
class Tie:
    """A choice that the recordings do not decide."""

    line: str
    """The line of the spec, as written."""
    chosen: str
    rivals: tuple[str, ...]


@dataclass(slots=True)
class Block:
    """Lines that are sent in some iterations."""

    iterations: Sequence[Iteration]
    present: "set[Iteration]"
    lines: list[str]
    value: Value | None
    """A value that is sent wherever the block is."""
    label: str
    """What a value of the state for it is called after."""


_Branch: TypeAlias = tuple[Literal["always", "if", "elseif", "else", "case", "default"], str, Block]
"""A block, how it is joined to the one before, and its condition or the label of its case."""


@dataclass(slots=True)
class Arranger:
    """What puts conditions around blocks, and keeps what the state has to say for them."""

    starts: "dict[TimeKey, int] | None" = None
    """The first turn of the loop over turns, if the state says it: `$start` in the spec."""
    routes: Mapping[tuple[int, int], str] = field(default_factory=dict)
    """What another agent answered in one word before a turn, by run and turn."""
    used: set[str] = field(default_factory=set)
    """Names that values of the spec have."""
    flags: dict[str, Mapping[TimeKey, bool | int | str]] = field(default_factory=dict)
    """Values that say whether something is sent, or from which number on, by name."""
    choices: dict[str, dict[TimeKey, str]] = field(default_factory=dict)
    """Values that say which of several things is sent, by name."""
    absent: dict[Value, set[TimeKey]] = field(default_factory=lambda: defaultdict(set))
    """Times at which a condition finds that there is no such value."""
    ties: list[Tie] = field(default_factory=list)

    def arrange(self, blocks: Sequence[Block], scope: Scope, depth: int, turn: str) -> Iterator[str]:
        """Yield the lines of blocks with their conditions around them.

        Parameters:
            blocks: Neighbours in their order.
            scope: Where they stand.
            depth: How far they are indented.
            turn: The variable of the turn, `T` or `t`.

        Raises:
            NoProgramError: A condition depends on what neither a turn nor a round says.
        """
        together = _join_together(blocks)
        conditions = [self._explain(block, scope, turn) for block in together]
        start = 0
        while start < len(together):
            end = start + 1
            while end < len(together) and _are_alternatives(together[start : end + 1]):
                end += 1
            if conditions[start:end].count(None) > 1:  # one value for all that no test explains
                is_test = [each is not None and not each.is_existence for each in conditions[start:end]]
                end = start + next((at for at, each in enumerate(is_test) if each != is_test[0]), end - start)
            branches = self._choose(together[start:end], conditions[start:end], scope, turn)
            yield from _write_branches(branches, depth)
            start = end

    def _choose(
        self, blocks: Sequence[Block], conditions: list[Condition | None], scope: Scope, turn: str
    ) -> Iterator[_Branch]:
        """Yield the branches for blocks that never come together."""
        is_complete = sum(len(block.present) for block in blocks) == len(blocks[0].iterations)
        if conditions.count(None) > 1:
            choice = self._find_route(blocks, scope, turn) or self._find_choice(blocks, scope, turn)
            if choice is not None:
                name, labels = choice
                for number, (block, label) in enumerate(zip(blocks, labels, strict=True)):
                    is_rest = is_complete and number == len(blocks) - 1
                    yield ("default" if is_rest else "case"), f"{name} {label}", block
                return
        known = self._complete(blocks, conditions, scope, turn, may_leave_one=is_complete and len(blocks) > 1)
        is_chain = is_complete or any(each is None or each.is_existence for each in known)
        ranks = [0 if len(blocks) == 2 or each is not None else 1 for each in conditions]
        order = sorted(range(len(blocks)), key=lambda number: (known[number] is None, ranks[number]))
        pairs = [(known[number], blocks[number]) for number in order]
        for number, (condition, block) in enumerate(pairs):
            if condition is None or (is_complete and number and number == len(blocks) - 1):
                yield "else", "", block
                continue
            self._keep(block, condition, scope)
            if not condition.text:
                yield "always", "", block
            else:
                yield ("elseif" if number and is_chain else "if"), condition.text, block

    def _complete(
        self,
        blocks: Sequence[Block],
        conditions: Sequence[Condition | None],
        scope: Scope,
        turn: str,
        *,
        may_leave_one: bool,
    ) -> list[Condition | None]:
        """Return the conditions, with values of the state where none is known; one may be left for `Else`."""
        known = _oppose(conditions) if may_leave_one and len(blocks) == 2 else list(conditions)
        explained = [block for block, each in zip(blocks, known, strict=True) if each is not None]
        if may_leave_one and explained:  # the others are alternatives where none of these is sent
            rest = [
                iteration
                for iteration in blocks[0].iterations
                if all(iteration not in each.present for each in explained)
            ]
            for number, block in enumerate(blocks):
                if known[number] is None and known.count(None) > 1:
                    known[number] = self._explain(replace(block, iterations=rest), scope, turn)
        for number, block in enumerate(blocks):
            if known[number] is None and known.count(None) > may_leave_one:
                known[number] = self._make_flag(block, scope, turn)
        if known.count(None) > may_leave_one:
            raise NoProgramError
        return known

    def _keep(self, block: Block, condition: Condition, scope: Scope) -> None:
        """Note what a chosen condition finds missing in the state, and what else would agree."""
        value = block.value
        if condition.is_existence and value is not None:
            self.absent[value].update(
                key
                for iteration in block.iterations
                if (key := time_of(iteration, scope, value.level)) not in value.known
            )
        if condition.rivals:
            self.ties.append(Tie(block.lines[0].strip(), condition.text, condition.rivals))

    def _explain(self, block: Block, scope: Scope, turn: str) -> Condition | None:
        """Return the condition of a block; `None` if only a value of the state can say where it is."""
        if len(block.present) == len(block.iterations):
            return _ALWAYS
        value = block.value
        return explain_presence(
            block.iterations,
            block.present,
            scope,
            None if value is None else lambda iteration: value.is_known(iteration, scope),
            "" if value is None else value.refer(scope, turn),
            self.starts,
        )

    def _find_route(self, blocks: Sequence[Block], scope: Scope, turn: str) -> tuple[str, list[str]] | None:
        """Return the answer of another agent that says which of several blocks is sent, and its word for each."""
        said = {
            iteration: self.routes.get(
                (iteration.request.run, iteration.now if scope == "request" else iteration.turn), ""
            )
            for iteration in blocks[0].iterations
        }
        words = [{said[iteration] for iteration in block.present} for block in blocks]
        found = set().union(*words)
        sent = set().union(*(block.present for block in blocks))
        is_decided = len(found) == len(blocks) and "" not in found and all(len(each) == 1 for each in words)
        if not is_decided or any(word in found for iteration, word in said.items() if iteration not in sent):
            return None
        nothing = make_unique("none", found)
        known = {time_of(iteration, scope, "turn"): word or nothing for iteration, word in said.items()}
        name = next((each for each, other in self.choices.items() if other == known), None)
        name = name or self._name("resp.route")
        self.choices[name] = known
        return name + write_index("turn", scope, turn), [next(iter(each)) for each in words]

    def _find_choice(self, blocks: Sequence[Block], scope: Scope, turn: str) -> tuple[str, list[str]] | None:
        """Return a value of the state that says which of several blocks is sent, and its word for each."""
        labels = _label(blocks)
        nothing = make_unique("none", labels)
        chosen = {iteration: label for label, block in zip(labels, blocks, strict=True) for iteration in block.present}
        for level in _list_levels(scope):
            known: dict[TimeKey, str] = {}
            for iteration in blocks[0].iterations:
                label = chosen.get(iteration, nothing)
                if known.setdefault(time_of(iteration, scope, level), label) != label:
                    break
            else:
                name = self._name("sys.variant")
                self.choices[name] = known
                return name + write_index(level, scope, turn), labels
        return None

    def _make_flag(self, block: Block, scope: Scope, turn: str) -> Condition | None:
        """Let a value of the state say where a block is; return `None` if neither a run nor a turn nor a round can."""
        flag = self._find_flag(block.iterations, block, scope, turn)
        if flag is not None:
            return Condition(flag, 9, f"!{flag}")
        for text, how, rest in split_by_flag(block.iterations, block.present, scope):
            flag = self._find_flag(rest, block, scope, turn)
            if flag is not None:
                return Condition(f"{text} {how} {flag}", 10)
        return None if scope == "request" else self._make_border(block, scope, turn)

    def _make_border(self, block: Block, scope: LoopScope, turn: str) -> Condition | None:
        """Let a value of the state say up to where a block is sent, or from where on; return `None` if none can."""
        of_loop = "@t" if scope == "turn" else f"@{turn}.i"
        border = find_border(block.iterations, block.present, scope)
        also = ""
        if border is None:
            ever = {time_of(iteration, scope, scope) for iteration in block.present}
            iterations = [iteration for iteration in block.iterations if time_of(iteration, scope, scope) in ever]
            border = find_border(iterations, block.present, scope)
            also = "" if border is None else self._say_whether_ever(block, ever, scope, turn)
        if border is not None:
            first = self._add_flag("sys.first_kept", border.first) + write_index(border.level, "request", turn)
            texts = f"{of_loop} >= {first}", f"{of_loop} < {first}"
            text, opposite = texts if border.is_sent_from else reversed(texts)
            return Condition(f"{text} & {also}", 12, f"!({text} & {also})") if also else Condition(text, 11, opposite)
        kept = find_kept(block.iterations, block.present, scope)
        if kept is not None:
            is_kept = self._add_flag("sys.is_kept", kept.is_kept) + write_index(scope, scope, turn)
            last = self._add_flag("sys.last_kept", kept.last) + write_index(scope, "request", turn)
            variable = "@t == @T & @i" if kept.is_of_turn else "@i" if scope == "round" else "@t"
            return Condition(f"{is_kept} | {variable} > {last}", 12)
        return None

    def _say_whether_ever(self, block: Block, ever: "set[TimeKey]", scope: LoopScope, turn: str) -> str:
        """Return what says of a turn or a round whether a block is ever sent for it: its value, or else a flag."""
        keys = [time_of(iteration, scope, scope) for iteration in block.iterations]
        value = block.value
        if value is not None and value.level == scope and ever.issuperset(value.known):
            self.absent[value].update(key for key in keys if key not in ever)
            return value.refer(scope, turn)
        flag = self._add_flag(f"sys.has_{block.label.lower()}", {key: key in ever for key in keys})
        return flag + write_index(scope, scope, turn)

    def _find_flag(self, iterations: Sequence[Iteration], block: Block, scope: Scope, turn: str) -> str | None:
        """Return a value of the state that says in which of some iterations a block is sent; `None` if none can."""
        for level in _list_levels(scope):
            known: dict[TimeKey, bool] = {}
            for iteration in iterations:
                is_sent = iteration in block.present
                if known.setdefault(time_of(iteration, scope, level), is_sent) != is_sent:
                    break
            else:
                return self._add_flag(f"sys.has_{block.label.lower()}", known) + write_index(level, scope, turn)
        return None

    def _add_flag(self, name: str, known: Mapping[TimeKey, bool | int | str]) -> str:
        """Let the state have a value, and return its name: that of an equal one if there is one."""
        same = next((each for each, other in self.flags.items() if _is_same(other, known)), None)
        unique = same or self._name(name)
        self.flags[unique] = known
        return unique

    def _name(self, name: str) -> str:
        """Return a name that no value has."""
        unique = make_unique(name, self.used)
        self.used.add(unique)
        return unique


def _is_same(one: Mapping[TimeKey, object], two: Mapping[TimeKey, object]) -> bool:
    """Return whether values are equal at all times, also in their types: 1 is not true."""
    return one == two and all(type(value) is type(two[key]) for key, value in one.items())


def _list_levels(scope: Scope) -> tuple[Level, ...]:
    """Return what a value may belong to that is read there, the simplest first."""
    return ("round",) if scope == "round" else ("turn",) if scope == "turn" else ("run", "turn", "round")


def _join_together(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks; neighbours that always come together are one."""
    joined: list[Block] = []
    for block in blocks:
        last = joined[-1] if joined else None
        if last is not None and last.present == block.present and len(last.iterations) == len(block.iterations):
            joined[-1] = replace(last, lines=[*last.lines, *block.lines], value=last.value or block.value)
        else:
            joined.append(block)
    return joined


def _are_alternatives(blocks: Sequence[Block]) -> bool:
    """Return whether of some blocks at most one is sent in each iteration, and none always."""
    is_disjoint = sum(len(block.present) for block in blocks) == len(set().union(*(each.present for each in blocks)))
    return is_disjoint and all(0 < len(block.present) < len(block.iterations) for block in blocks)


def _oppose(conditions: Sequence[Condition | None]) -> list[Condition | None]:
    """Return the conditions of two blocks, one of which is always sent: the first may be the opposite."""
    first, second = conditions
    if second is not None and second.opposite and not second.is_existence and (not first or first.is_existence):
        first = replace(second, text=second.opposite, opposite=second.text)
    return [first, second]


def _label(blocks: Sequence[Block]) -> list[str]:
    labels: list[str] = []
    for block in blocks:
        labels.append(make_unique(block.label.lower(), labels))
    return labels


def _write_branches(branches: Iterator[_Branch], depth: int) -> Iterator[str]:
    """Yield the lines of alternatives."""
    indent = INDENT * depth
    switch = ""
    for kind, text, block in branches:
        if kind == "always":
            yield from block.lines
            continue
        if kind in ("case", "default"):
            name, label = text.split(" ")
            if not switch:
                yield f"{indent}Switch {name} {{"
            switch = name
            yield f"{indent}{INDENT}{f'Default {{ // {label}' if kind == 'default' else f'Case {label} {{'}"
            yield from (f"{INDENT * 2}{line}" for line in block.lines)
            yield f"{indent}{INDENT}}}"
            continue
        yield f"{indent}{_KEYWORDS[kind]}{text} {{" if text else f"{indent}Else {{"
        yield from (f"{INDENT}{line}" for line in block.lines)
        yield f"{indent}}}"
    if switch:
        yield f"{indent}}}"

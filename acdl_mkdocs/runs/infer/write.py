"""`write_program()`: a program as the text of a spec, and what it reads as the sample state of each run."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial

from acdl_mkdocs.evaluation.state.from_prompt import PartLeaves
from acdl_mkdocs.evaluation.state.read import VERSION
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.yaml.write import CommentedValue, Map, clean_comment, format_map
from acdl_mkdocs.prompts.prompt import Part
from acdl_mkdocs.runs.infer.borders import LoopScope, find_border, find_kept
from acdl_mkdocs.runs.infer.conditions import Condition, Place, Scope, explain_presence, split_by_flag
from acdl_mkdocs.runs.infer.names import make_unique, name_program
from acdl_mkdocs.runs.infer.observe import Request
from acdl_mkdocs.runs.infer.program import Line, Loop, MessageLine, PieceLine, Program
from acdl_mkdocs.runs.infer.spec_values import Level, NoProgramError, TimeKey, Value, time_of
from acdl_mkdocs.runs.infer.values import NamedValues

_ROLES = {"system": "S", "user": "U", "assistant": "A", "tool": "T", "none": "N"}
_INDENT = "    "
_ALWAYS = Condition("", 0)
_COST_OF_LINE = 40
"""Characters that a line of a spec is worth: messages that are sent again and again are better constants or loops."""
_LINES_OF_START = 8
"""Lines that a first turn is worth that only the state says: a loop from there may send anything."""
_COST_OF_CHOICE = 4
"""Characters that it is worth if the state says once where something is sent."""


@dataclass(frozen=True, slots=True)
class Tie:
    """A choice that the recordings do not decide."""

    line: str
    """The line of the spec, as written."""
    chosen: str
    rivals: tuple[str, ...]


@dataclass(slots=True)
class _Block:
    """Lines that are sent at some places."""

    places: Sequence[Place]
    present: "set[Place]"
    lines: list[str]
    value: Value | None
    """A value that is sent wherever the block is."""
    what: str
    """What a flag for it is called after."""


def _are_disjoint(blocks: Sequence[_Block]) -> bool:
    return sum(len(block.present) for block in blocks) == len(set().union(*(block.present for block in blocks)))


def _explain_rest(blocks: Sequence[_Block], conditions: "list[Condition | None]") -> None:
    """Give blocks the condition that none of their neighbours' holds, where always exactly one of them is sent."""
    for at, known in enumerate(conditions):
        if known is None:
            conditions[at] = _find_rest(blocks, conditions, at)


def _find_rest(blocks: Sequence[_Block], conditions: "Sequence[Condition | None]", at: int) -> Condition | None:
    for start, end in ((at - 1, at + 1), (at, at + 2), (at - 2, at + 1), (at - 1, at + 2), (at, at + 3)):
        near = blocks[max(start, 0) : end]
        others = [each for each in (*conditions[max(start, 0) : at], *conditions[at + 1 : end]) if each is not None]
        is_whole = sum(len(block.present) for block in near) == len(blocks[at].places) and _are_disjoint(near)
        if is_whole and len(others) == end - start - 1 and all(each.opposite for each in others):
            opposite = others[0].text if len(others) == 1 else ""
            text, cost = " & ".join(each.opposite for each in others), sum(each.cost for each in others)
            return Condition(text, cost, opposite)
    return None


def _list_levels(scope: Scope) -> tuple[Level, ...]:
    """Return what a value may belong to that is read at such a place, the simplest first."""
    return ("round",) if scope == "round" else ("turn",) if scope == "turn" else ("run", "turn", "round")


@dataclass(slots=True)
class _Writer:
    program: Program
    name: str
    constants: Mapping[Hashable, str]
    flags: dict[str, Mapping[TimeKey, bool | int | str]] = field(default_factory=dict)
    """Values that say whether something is sent, or from which number on, by name."""
    choices: dict[str, dict[TimeKey, str]] = field(default_factory=dict)
    """Values that say which of several things is sent, by name."""
    absent: dict[Value, set[TimeKey]] = field(default_factory=lambda: defaultdict(set))
    """Times at which a condition finds that there is no such value."""
    lists: set[Value] = field(default_factory=set)
    """Values that a loop goes through."""
    starts: dict[TimeKey, int] | None = None
    ties: list[Tie] = field(default_factory=list)

    def write(self, comments: Sequence[str]) -> str:
        """Return the text of the spec."""
        time = "@T.I" if self.program.has_rounds else "@T"
        body = [*self._write_lines(self.program.lines, 1, "T")]
        head = [f"// {clean_comment(each)}" for each in comments]
        return "\n".join([*head, f"{self.name}[{time}]: {{", *body, "}"]) + "\n"

    def _write_lines(self, lines: Sequence[Line], depth: int, turn: str) -> Iterator[str]:
        blocks: list[_Block] = []
        for at, line in enumerate(lines):
            text = list(self._write_line(line, depth, turn, is_last=depth == 1 and at == len(lines) - 1))
            whole = (
                [each for each in line.pieces if len(each.present) == len(each.places)]
                if isinstance(line, MessageLine)
                else []
            )
            value = next((each.value for each in whole if each.value is not None), None)
            constant = next((each.piece.text for each in whole if each.value is None), None) if value is None else None
            what = "rounds" if isinstance(line, Loop) else self.constants.get(constant, line.role)
            blocks.append(_Block(line.places, line.present, text, value, what))
        yield from self._arrange(blocks, lines[0].scope if lines else "request", depth, turn)

    def _arrange(self, blocks: "list[_Block]", scope: Scope, depth: int, turn: str) -> Iterator[str]:
        """Yield the lines of blocks with their conditions around them."""
        conditions = [self._explain(block, scope, turn) for block in blocks]
        _explain_rest(blocks, conditions)
        self._nest_alternatives(blocks, conditions, scope, depth, turn)
        start = 0
        while start < len(blocks):
            end = start
            while end < len(blocks) and conditions[end] is None and _are_disjoint(blocks[start : end + 1]):
                end += 1
            if end - start > 1 and self._make_switch(blocks[start:end], scope, turn, conditions, start):
                start = end
                continue
            if conditions[start] is None:
                conditions[start] = self._make_flag(blocks[start], scope, turn)
                _explain_rest(blocks, conditions)
            start += 1
        if None in conditions:
            raise NoProgramError
        pairs = [(condition or _ALWAYS, block.lines) for condition, block in zip(conditions, blocks, strict=True)]
        yield from _join_blocks(pairs, depth)

    def _nest_alternatives(
        self, blocks: "list[_Block]", conditions: "list[Condition | None]", scope: Scope, depth: int, turn: str
    ) -> None:
        """Make one block of two that the absence of a third one explains, where always exactly one of them is sent."""
        for start in range(len(blocks) - 2):
            three, known = blocks[start : start + 3], conditions[start : start + 3]
            is_whole = sum(len(block.present) for block in three) == len(three[0].places) and _are_disjoint(three)
            for third, others in ((0, slice(1, 3)), (2, slice(0, 2))):
                condition = known[third]
                if is_whole and condition is not None and condition.opposite and known[others] == [None, None]:
                    places = [place for place in three[0].places if place not in three[third].present]
                    two = [replace(block, places=places) for block in three[others]]
                    lines = list(self._arrange(two, scope, depth, turn))
                    outer = slice(start + others.start, start + others.stop)
                    blocks[outer] = [_Block(three[0].places, set(places), lines, None, two[0].what)]
                    conditions[outer] = [Condition(condition.opposite, condition.cost, condition.text)]
                    self._nest_alternatives(blocks, conditions, scope, depth, turn)
                    return

    def _explain(self, block: "_Block", scope: Scope, turn: str) -> Condition | None:
        """Return the condition of a block; `None` if only a value of the state can say where it is."""
        if len(block.present) == len(block.places):
            return _ALWAYS
        value = block.value
        named = "" if value is None else self._refer(value, scope, turn)
        condition = explain_presence(
            block.places,
            block.present,
            scope,
            None if value is None else lambda place: value.is_known(place, scope),
            named,
        )
        if condition is not None and value is not None and named in condition.text:
            self.absent[value].update(
                key for place in block.places if (key := time_of(place, scope, value.level)) not in value.known
            )
        if condition is not None and condition.rivals:
            self.ties.append(Tie(block.lines[0].strip(), condition.text, condition.rivals))
        return condition

    def _make_switch(
        self,
        blocks: Sequence["_Block"],
        scope: Scope,
        turn: str,
        conditions: "list[Condition | None]",
        start: int,
    ) -> bool:
        """Let one value of the state choose between blocks that never come together; return whether one can."""
        labels: list[str] = []
        for block in blocks:
            labels.append(make_unique(block.what.lower(), labels))
        chosen = {place: label for label, block in zip(labels, blocks, strict=True) for place in block.present}
        for level in _list_levels(scope):
            known: dict[TimeKey, str] = {}
            for place in blocks[0].places:
                label = chosen.get(place, "none")
                if known.setdefault(time_of(place, scope, level), label) != label:
                    break
            else:
                name = make_unique("sys.variant", self.choices)
                self.choices[name] = known
                for number, label in enumerate(labels):
                    conditions[start + number] = Condition(label, 8, switch=name + _index(level, scope, turn))
                return True
        return False

    def _make_flag(self, block: "_Block", scope: Scope, turn: str) -> Condition | None:
        """Let a value of the state say where a block is; return `None` if neither a run nor a turn nor a round can."""
        flag = self._find_flag(block.places, block, scope, turn)
        if flag is not None:
            return Condition(flag, 9, f"!{flag}")
        for text, how, rest in split_by_flag(block.places, block.present, scope):
            flag = self._find_flag(rest, block, scope, turn)
            if flag is not None:
                return Condition(f"{text} {how} {flag}", 10)
        return self._make_border(block, scope, turn)

    def _make_border(self, block: "_Block", scope: Scope, turn: str) -> Condition | None:
        """Let a value of the state say up to where a block is sent, or from where on; return `None` if none can."""
        if scope == "request":
            return None
        of_loop = "@t" if scope == "turn" else f"@{turn}.i"
        border = find_border(block.places, block.present, scope)
        also = ""
        if border is None:
            ever = {time_of(place, scope, scope) for place in block.present}
            places = [place for place in block.places if time_of(place, scope, scope) in ever]
            border = find_border(places, block.present, scope)
            also = "" if border is None else self._say_whether_ever(block, ever, scope, turn)
        if border is not None:
            first = self._add_flag("sys.first_kept", border.first) + _index(border.level, "request", turn)
            texts = f"{of_loop} >= {first}", f"{of_loop} < {first}"
            text, opposite = texts if border.is_sent_from else reversed(texts)
            return Condition(f"{text} & {also}", 12, f"!({text} & {also})") if also else Condition(text, 11, opposite)
        kept = find_kept(block.places, block.present, scope)
        if kept is not None:
            is_kept = self._add_flag("sys.is_kept", kept.is_kept) + _index(scope, scope, turn)
            last = self._add_flag("sys.last_kept", kept.last) + _index(scope, "request", turn)
            variable = "@t == @T & @i" if kept.is_of_turn else "@i" if scope == "round" else "@t"
            return Condition(f"{is_kept} | {variable} > {last}", 12)
        return None

    def _say_whether_ever(self, block: "_Block", ever: "set[TimeKey]", scope: LoopScope, turn: str) -> str:
        """Return what says of a turn or a round whether a block is ever sent for it: its value, or else a flag."""
        keys = [time_of(place, scope, scope) for place in block.places]
        value = block.value
        if value is not None and value.level == scope and ever.issuperset(value.known):
            self.absent[value].update(key for key in keys if key not in ever)
            return self._refer(value, scope, turn)
        flag = self._add_flag(f"sys.has_{block.what.lower()}", {key: key in ever for key in keys})
        return flag + _index(scope, scope, turn)

    def _find_flag(self, places: Sequence[Place], block: "_Block", scope: Scope, turn: str) -> str | None:
        """Return a value of the state that says at which of some places a block is; `None` if none can."""
        for level in _list_levels(scope):
            known: dict[TimeKey, bool] = {}
            for place in places:
                is_sent = place in block.present
                if known.setdefault(time_of(place, scope, level), is_sent) != is_sent:
                    break
            else:
                return self._add_flag(f"sys.has_{block.what.lower()}", known) + _index(level, scope, turn)
        return None

    def _add_flag(self, name: str, known: Mapping[TimeKey, bool | int | str]) -> str:
        """Let the state have a value, and return its name: that of an equal one if there is one."""
        same = next((each for each, other in self.flags.items() if other == known), None)
        unique = same or make_unique(name, self.flags)
        self.flags[unique] = known
        return unique

    def _refer(self, value: Value, scope: Scope, turn: str) -> str:
        return value.name + _index(value.level, scope, turn)

    def _write_line(self, line: Line, depth: int, turn: str, *, is_last: bool) -> Iterator[str]:
        indent = _INDENT * depth
        if isinstance(line, Loop):
            yield from self._write_loop(line, depth, turn, is_last=is_last)
            return
        role = _ROLES.get(line.role, "N")
        blocks: list[_Block] = []
        for piece in line.pieces:
            together = [each.value for each in line.pieces if each.value is not None and each.present == piece.present]
            what = self.constants.get(piece.piece.text, line.role)
            text = _INDENT * (depth + 1) + self._write_piece(piece, line.scope, turn)
            value = piece.value or (together[0] if together else None)
            blocks.append(_Block(piece.places, piece.present, [text], value, what))
        inner = list(self._arrange(blocks, line.scope, depth + 1, turn))
        if line.is_for_each_call:
            calls = next((each for each in self.program.values if each.name.startswith("resp.call")), None)
            if calls is None:
                raise NoProgramError
            self.lists.add(calls)
            yield f"{indent}ForEach(call: {self._refer(calls, 'round', turn)}) {{"
            yield f"{indent}{_INDENT}{role}: {inner[0].strip()}"
            yield f"{indent}}}"
        elif len(inner) == 1:
            yield f"{indent}{role}: {inner[0].strip()}"
        else:
            yield from (f"{indent}{role}: {{", *inner, f"{indent}}}")

    def _write_piece(self, piece: PieceLine, scope: Scope, turn: str) -> str:
        if piece.value is None:
            return self.constants[piece.piece.text]
        named = self._refer(piece.value, scope, turn)
        return f"{self.constants[piece.piece.text]}({named})" if piece.piece.kind == "template" else named

    def _write_loop(self, line: Loop, depth: int, turn: str, *, is_last: bool) -> Iterator[str]:
        indent = _INDENT * depth
        inner_turn = "t" if line.variable == "t" else turn
        first = line.first
        if line.starts is not None:
            self.starts = line.starts
            level: Level = "round" if any(len(key) > 2 for key in line.starts) else "turn"
            yield f"{indent}Name start := sys.first_turn{_index(level, 'request', 'T')}"
            first = "@$start"
        yield f"{indent}ForEach({line.variable}: range({first}, {line.last})) {{"
        body = list(line.body)
        n_open = len(body)
        while is_last and n_open and self._is_of_past(body[n_open - 1]):
            n_open -= 1
        if 0 < n_open < len(body):
            yield from self._write_lines(body[:n_open], depth + 1, inner_turn)
            yield f"{indent}{_INDENT}PromptEndsHere when @t == @T"
            for each in body[n_open:]:
                each.places = [place for place in each.places if place.turn < place.now]
            yield from self._write_lines(body[n_open:], depth + 1, inner_turn)
        else:
            yield from self._write_lines(body, depth + 1, inner_turn)
        yield f"{indent}}}"

    def _is_of_past(self, line: Line) -> bool:
        """Return whether a line of the loop over turns sends nothing for the current one."""
        return line.scope == "turn" and all(place.turn < place.now for place in line.present)


def _index(level: Level, scope: Scope, turn: str) -> str:
    if level == "run":
        return ""
    if scope == "request":
        return "[@T]" if level == "turn" else "[@T.I]"
    return f"[@{turn}]" if level == "turn" else f"[@{turn}.i]"


def _join_blocks(blocks: Sequence[tuple[Condition, Sequence[str]]], depth: int) -> Iterator[str]:
    """Yield lines; neighbours of one condition are in one block, and opposites are its other half."""
    indent = _INDENT * depth
    groups: list[tuple[Condition, list[str]]] = []
    for condition, lines in blocks:
        if groups and (groups[-1][0].text, groups[-1][0].switch) == (condition.text, condition.switch):
            groups[-1][1].extend(lines)
        else:
            groups.append((condition, list(lines)))
    before: Condition | None = None
    for at, (condition, lines) in enumerate(groups):
        if condition.switch:
            if not at or groups[at - 1][0].switch != condition.switch:
                yield f"{indent}Switch {condition.switch} {{"
            yield f"{indent}{_INDENT}Case {condition.text} {{"
            yield from (f"{_INDENT * 2}{line}" for line in lines)
            yield f"{indent}{_INDENT}}}"
            if at + 1 == len(groups) or groups[at + 1][0].switch != condition.switch:
                yield f"{indent}}}"
            before = None
            continue
        if not condition.text:
            yield from lines
            before = None
            continue
        is_else = before is not None and before.opposite == condition.text
        yield f"{indent}Else {{" if is_else else f"{indent}If {condition.text} {{"
        yield from (f"{_INDENT}{line}" for line in lines)
        yield f"{indent}}}"
        before = None if is_else else condition


@dataclass(frozen=True, slots=True)
class Written:
    """A spec, and a function for the states of its runs."""

    text: str
    write_states: Callable[[], tuple[str, ...]]
    """Writes the state of each run, in order: only the spec that is chosen needs them."""
    ties: tuple[Tie, ...]
    cost: int
    """Its length by the cost model."""


def write_program(
    program: Program, requests: Sequence[Request], name: str, schema: str, comments: Sequence[str] = ()
) -> Written:
    """Write a program.

    Parameters:
        program: The lines.
        requests: All requests that it was made from.
        name: Name of the spec.
        schema: Address of the schema of state files, for editors.
        comments: Lines before the spec.

    Raises:
        NoProgramError: A condition depends on what neither a turn nor a round says.
    """
    constants = name_program(program)
    writer = _Writer(program, name, constants)
    text = writer.write(comments)
    runs = sorted({request.run for request in requests})

    def write_states() -> tuple[str, ...]:
        return tuple(_write_state(writer, [each for each in requests if each.run == run], schema) for run in runs)

    return Written(text, write_states, tuple(writer.ties), _measure_cost(text, writer))


def _write_state(writer: _Writer, requests: Sequence[Request], schema: str) -> str:
    """Return the sample state of one run."""
    run, last = requests[0].run, requests[-1]
    leaves, values = PartLeaves(), NamedValues()
    for name, known in _list_known(writer, leaves):
        for key, leaf in known.items():
            if key[0] == run:
                values.add_value(name + _time_index(key), leaf(), is_template=False)
    for request in requests:
        values.add_step((request.turn, request.step) if request.step else (request.turn,))
    for (of_run, turn), n_steps in writer.program.steps.items():
        if of_run == run and n_steps and turn > 0:
            values.add_step((turn, n_steps))
    beside = {
        "tools": leaves.write_tools(last.recorded.request.tools),
        "memory": leaves.write_memory(last.recorded.request.memory),
        "templates": CommentedValue({name: _write_template(str(text)) for text, name in writer.constants.items()}),
    }
    top: Map = {
        "acdl_state": CommentedValue(VERSION),
        "spec": CommentedValue(writer.name),
        "at": CommentedValue(f"{last.turn}.{last.step}" if last.step else str(last.turn), "the last request"),
        "range": CommentedValue("inclusive"),
        **{name: leaf for name, leaf in beside.items() if leaf.value},
        **values.build_sections(),
    }
    head = [
        f"# yaml-language-server: $schema={clean_comment(schema)}",
        f"# From a recorded run: {clean_comment(requests[0].recorded.origin.file)}",
    ]
    return "\n".join([*head, *format_map(top)]) + "\n"


def _list_known(
    writer: _Writer, leaves: PartLeaves
) -> Iterator[tuple[str, Mapping[TimeKey, Callable[[], CommentedValue]]]]:
    """Yield the names that the spec reads, each with a function for what it is at each time, in all runs."""
    for value in writer.program.values:
        write = partial(_write_list, leaves) if value in writer.lists else leaves.write_content
        yield value.name, {key: partial(write, parts) for key, parts in value.known.items()}
        yield value.name, {key: partial(CommentedValue, False) for key in sorted(writer.absent.get(value, ()))}
    told: list[tuple[str, Mapping[TimeKey, bool | int | str]]] = [*writer.flags.items(), *writer.choices.items()]
    if writer.starts is not None:
        told.append(("sys.first_turn", writer.starts))
    for name, known in told:
        yield name, {key: partial(CommentedValue, each) for key, each in known.items()}


def _write_list(leaves: PartLeaves, parts: tuple[Part, ...]) -> CommentedValue:
    """Return the content of a value that a loop goes through: a list, also if it has one part."""
    content = leaves.write_content(parts)
    return content if len(parts) > 1 else CommentedValue([content])


def _time_index(key: TimeKey) -> str:
    return f"[@{'.'.join(map(str, key[1:]))}]" if len(key) > 1 else ""


def _write_template(text: str) -> CommentedValue:
    if "{{value}}" not in text:
        return CommentedValue(text)
    return CommentedValue({"params": CommentedValue([CommentedValue("value")]), "text": CommentedValue(text)})


def _measure_cost(text: str, writer: _Writer) -> int:
    """Return how long a spec is by the cost model: in characters, with what the state has to say for it."""
    lines = [line.strip() for line in text.split("\n")]
    n_lines = sum(bool(line.strip("}")) and not line.startswith("//") for line in lines)
    told: list[Mapping[TimeKey, object]] = [*writer.flags.values(), *writer.choices.values()]
    told += [] if writer.starts is None else [writer.starts]
    n_told = sum(map(len, told))
    values = sum(len(repr(parts)) for value in writer.program.values for parts in value.known.values())
    n_free = len(told) if writer.starts is None else len(told) - 1 + _LINES_OF_START
    return _COST_OF_LINE * (n_lines + n_free) + _COST_OF_CHOICE * n_told + values

"""`write_program()`: a program as the text of a spec, and what it reads as the sample state of each run."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from acdl_mkdocs.evaluation.state.from_prompt import PartLeaves
from acdl_mkdocs.evaluation.state.read import VERSION
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.yaml.write import CommentedValue, Map, clean_comment, format_map
from acdl_mkdocs.runs.infer.conditions import Condition, Place, Scope, explain_presence, split_by_flag
from acdl_mkdocs.runs.infer.names import name_program
from acdl_mkdocs.runs.infer.observe import Request
from acdl_mkdocs.runs.infer.program import (
    Level,
    Line,
    Loop,
    MessageLine,
    NoProgramError,
    PieceLine,
    Program,
    TimeKey,
    Value,
    time_of,
)
from acdl_mkdocs.runs.infer.values import NamedValues

_ROLES = {"system": "S", "user": "U", "assistant": "A", "tool": "T", "none": "N"}
_INDENT = "    "
_ALWAYS = Condition("", 0)


@dataclass(frozen=True, slots=True)
class Tie:
    """A choice that the recordings do not decide."""

    line: str
    """The line of the spec, as written."""
    chosen: str
    rivals: tuple[str, ...]


@dataclass(slots=True)
class _Writer:
    program: Program
    name: str
    constants: Mapping[Hashable, str]
    flags: dict[str, tuple[Level, dict[TimeKey, bool]]] = field(default_factory=dict)
    """Values that say whether something is sent, by name."""
    absent: dict[Value, set[TimeKey]] = field(default_factory=lambda: defaultdict(set))
    """Times at which a condition finds that there is no such value."""
    starts: dict[TimeKey, int] | None = None
    ties: list[Tie] = field(default_factory=list)

    def write(self, comments: Sequence[str]) -> str:
        """Return the text of the spec."""
        time = "@T.I" if self._reads_rounds() else "@T"
        body = [*self._write_lines(self.program.lines, 1, "T")]
        head = [f"// {clean_comment(each)}" for each in comments]
        return "\n".join([*head, f"{self.name}[{time}]: {{", *body, "}"]) + "\n"

    def _reads_rounds(self) -> bool:
        return self.program.has_rounds

    def _write_lines(self, lines: Sequence[Line], depth: int, turn: str) -> Iterator[str]:
        blocks: list[tuple[Condition, list[str]]] = []
        for at, line in enumerate(lines):
            condition = self._explain_line(line, turn)
            text = list(self._write_line(line, depth, turn, is_last=depth == 1 and at == len(lines) - 1))
            blocks.append((condition, text))
        yield from _join_blocks(blocks, depth)

    def _explain_line(self, line: Line, turn: str) -> Condition:
        if len(line.present) == len(line.places):
            return _ALWAYS
        value = None
        if isinstance(line, MessageLine):
            whole = [each for each in line.pieces if len(each.present) == len(each.places)]
            value = next((each.value for each in whole if each.value is not None), None)
            name = self.constants.get(line.pieces[0].piece.text, "") if line.pieces and value is None else ""
            return self._explain(line.places, line.present, line.scope, value, name or line.role, turn)
        return self._explain(line.places, line.present, line.scope, None, "rounds", turn)

    def _explain(
        self, places: Sequence[Place], present: "set[Place]", scope: Scope, value: Value | None, what: str, turn: str
    ) -> Condition:
        """Return the condition of a line; as a last resort the state says where it is."""
        named = "" if value is None else self._refer(value, scope, turn)
        condition = explain_presence(
            places, present, scope, None if value is None else lambda place: value.is_known(place, scope), named
        )
        if condition is not None:
            if value is not None and named in condition.text:
                self.absent[value].update(
                    key for place in places if (key := time_of(place, scope, value.level)) not in value.known
                )
            return condition
        return self._make_flag(places, present, scope, what, turn)

    def _make_flag(
        self, places: Sequence[Place], present: "set[Place]", scope: Scope, what: str, turn: str
    ) -> Condition:
        flag = self._find_flag(places, present, scope, what, turn)
        if flag is not None:
            return Condition(flag, 9, f"!{flag}")
        for text, how, rest in split_by_flag(places, present, scope):
            flag = self._find_flag(rest, present, scope, what, turn)
            if flag is not None:
                return Condition(f"{text} {how} {flag}", 10)
        raise NoProgramError

    def _find_flag(
        self, places: Sequence[Place], present: "set[Place]", scope: Scope, what: str, turn: str
    ) -> str | None:
        """Return a value of the state that says where a line sends something; `None` if none can."""
        levels: tuple[Level, ...] = ("round",) if scope == "round" else ("turn",)
        if scope == "request":
            levels = ("run", "turn", "round")
        for level in levels:
            known: dict[TimeKey, bool] = {}
            for place in places:
                if known.setdefault(time_of(place, scope, level), place in present) != (place in present):
                    break
            else:
                same = next((name for name, flag in self.flags.items() if flag == (level, known)), None)
                name = same or f"sys.has_{what.lower()}"
                number = 1
                while same is None and name in self.flags:
                    number += 1
                    name = f"sys.has_{what.lower()}_{number}"
                self.flags[name] = level, known
                return name + _index(level, scope, turn)
        return None

    def _refer(self, value: Value, scope: Scope, turn: str) -> str:
        return value.name + _index(value.level, scope, turn)

    def _write_line(self, line: Line, depth: int, turn: str, *, is_last: bool) -> Iterator[str]:
        indent = _INDENT * depth
        if isinstance(line, Loop):
            yield from self._write_loop(line, depth, turn, is_last=is_last)
            return
        role = _ROLES.get(line.role, "N")
        blocks: list[tuple[Condition, list[str]]] = []
        for piece in line.pieces:
            condition = _ALWAYS
            if len(piece.present) < len(piece.places):
                what = self.constants.get(piece.piece.text, line.role)
                condition = self._explain(piece.places, piece.present, line.scope, piece.value, what, turn)
            blocks.append((condition, [_INDENT * (depth + 1) + self._write_piece(piece, line.scope, turn)]))
        inner = list(_join_blocks(blocks, depth + 1))
        if line.is_for_each_call:
            calls = next((each for each in self.program.values if each.name.startswith("resp.call")), None)
            if calls is None:
                raise NoProgramError
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
        if groups and groups[-1][0].text == condition.text:
            groups[-1][1].extend(lines)
        else:
            groups.append((condition, list(lines)))
    before: Condition | None = None
    for condition, lines in groups:
        if not condition.text:
            yield from lines
            before = None
            continue
        is_else = before is not None and condition.text in (before.opposite, *_opposites(before))
        yield f"{indent}Else {{" if is_else else f"{indent}If {condition.text} {{"
        yield from (f"{_INDENT}{line}" for line in lines)
        yield f"{indent}}}"
        before = None if is_else else condition


def _opposites(condition: Condition) -> tuple[str, ...]:
    return (condition.opposite,) if condition.opposite else ()


@dataclass(frozen=True, slots=True)
class Written:
    """A spec and the states of its runs."""

    text: str
    states: tuple[str, ...]
    """One for each run, in order."""
    ties: tuple[Tie, ...]


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
    states = tuple(_write_state(writer, [each for each in requests if each.run == run], schema) for run in runs)
    return Written(text, states, tuple(writer.ties))


def _write_state(writer: _Writer, requests: Sequence[Request], schema: str) -> str:
    """Return the sample state of one run."""
    run = requests[0].run
    leaves, values = PartLeaves(), NamedValues()
    for value in writer.program.values:
        for key, parts in value.known.items():
            if key[0] == run:
                values.add_value(value.name + _time_index(key), leaves.write_content(parts), is_template=False)
        for key in sorted(writer.absent.get(value, ())):
            if key[0] == run:
                values.add_value(value.name + _time_index(key), CommentedValue(False), is_template=False)
    for name, (_, known) in writer.flags.items():
        for key, is_sent in known.items():
            if key[0] == run:
                values.add_value(name + _time_index(key), CommentedValue(is_sent), is_template=False)
    for key, start in (writer.starts or {}).items():
        if key[0] == run:
            values.add_value("sys.first_turn" + _time_index(key), CommentedValue(start), is_template=False)
    for request in requests:
        values.add_step((request.turn, request.step) if request.step else (request.turn,))
    for (of_run, turn), n_steps in writer.program.steps.items():
        if of_run == run and n_steps and turn > 0:
            values.add_step((turn, n_steps))
    last = requests[-1]
    sections = values.build_sections()
    tools = leaves.write_tools(last.recorded.request.tools)
    memory = leaves.write_memory(last.recorded.request.memory)
    top: Map = {
        "acdl_state": CommentedValue(VERSION),
        "spec": CommentedValue(writer.name),
        "at": CommentedValue(f"{last.turn}.{last.step}" if last.step else str(last.turn), "the last request"),
        "range": CommentedValue("inclusive"),
        **({"tools": tools} if tools.value else {}),
        **({"memory": memory} if memory.value else {}),
        "templates": CommentedValue({each: _write_template(str(text)) for text, each in writer.constants.items()}),
        **sections,
    }
    if not writer.constants:
        del top["templates"]
    head = [
        f"# yaml-language-server: $schema={clean_comment(schema)}",
        f"# From a recorded run: {clean_comment(requests[0].recorded.origin.file)}",
    ]
    return "\n".join([*head, *format_map(top)]) + "\n"


def _time_index(key: TimeKey) -> str:
    return f"[@{'.'.join(map(str, key[1:]))}]" if len(key) > 1 else ""


def _write_template(text: str) -> CommentedValue:
    if "{{value}}" not in text:
        return CommentedValue(text)
    return CommentedValue({"params": CommentedValue([CommentedValue("value")]), "text": CommentedValue(text)})


def count_lines(text: str) -> int:
    """Return how many lines of a spec say something."""
    return sum(bool(line.strip()) and not line.strip().startswith("//") for line in text.split("\n"))


def list_all(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield all lines, also those inside of loops."""
    for line in lines:
        yield line
        if isinstance(line, Loop):
            yield from list_all(line.body)

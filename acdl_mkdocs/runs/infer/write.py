"""`write_program()`: a program as the text of a spec, and what it reads as the sample state of each run."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial

from acdl_mkdocs.evaluation.state.from_prompt import PartLeaves
from acdl_mkdocs.evaluation.state.read import VERSION
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.yaml.write import CommentedValue, Map, clean_comment, format_map
from acdl_mkdocs.prompts.prompt import Part
from acdl_mkdocs.runs.infer.arrange import INDENT, Arranger, Block, Tie
from acdl_mkdocs.runs.infer.conditions import Scope
from acdl_mkdocs.runs.infer.names import name_program
from acdl_mkdocs.runs.infer.observe import Request
from acdl_mkdocs.runs.infer.program import Line, Loop, MessageLine, PieceLine, Program
from acdl_mkdocs.runs.infer.spec_values import Level, NoProgramError, TimeKey, Value, write_index
from acdl_mkdocs.runs.infer.values import NamedValues
from acdl_mkdocs.runs.read.recorded import Origin

_ROLES = {"system": "S", "user": "U", "assistant": "A", "tool": "T", "none": "N"}
_FIRST_TURN = "sys.first_turn"
_COST_OF_LINE = 40
"""Characters that a line of a spec is worth: messages that are sent again and again are better constants or loops."""
_LINES_OF_START = 8
"""Lines that a first turn is worth that only the state says: a loop from there may send anything."""
_COST_OF_CHOICE = 4
"""Characters that it is worth if the state says once where something is sent."""


@dataclass(slots=True)
class _Writer:
    program: Program
    name: str
    constants: Mapping[Hashable, str]
    arranger: Arranger
    lists: set[Value] = field(default_factory=set)
    """Values that a loop goes through."""

    def write(self) -> str:
        """Return the text of the spec."""
        time = "@T.I" if self.program.has_rounds else "@T"
        body = list(self._write_lines(self.program.lines, 1, "T"))
        if self.arranger.starts is not None:
            level: Level = "round" if any(len(key) > 2 for key in self.arranger.starts) else "turn"
            definition = f"{INDENT}Name start := {_FIRST_TURN}{write_index(level, 'request', 'T')}"
            body.insert(_find_first_use(body), definition)
        return "\n".join([f"{self.name}[{time}]: {{", *body, "}"]) + "\n"

    def _write_lines(self, lines: Sequence[Line], depth: int, turn: str) -> Iterator[str]:
        blocks: list[Block] = []
        for at, line in enumerate(lines):
            text = list(self._write_line(line, depth, turn, is_last=depth == 1 and at == len(lines) - 1))
            whole = (
                [each for each in line.pieces if len(each.present) == len(each.iterations)]
                if isinstance(line, MessageLine)
                else []
            )
            value = next((each.value for each in whole if each.value is not None), None)
            constant = next((each.piece.text for each in whole if each.value is None), None) if value is None else None
            what = "rounds" if isinstance(line, Loop) else self.constants.get(constant, line.role)
            blocks.append(Block(line.iterations, line.present, text, value, what))
        yield from self.arranger.arrange(blocks, lines[0].scope if lines else "request", depth, turn)

    def _write_line(self, line: Line, depth: int, turn: str, *, is_last: bool) -> Iterator[str]:
        indent = INDENT * depth
        if isinstance(line, Loop):
            yield from self._write_loop(line, depth, turn, is_last=is_last)
            return
        role = _ROLES.get(line.role, "N")
        blocks: list[Block] = []
        for piece in line.pieces:
            together = [each.value for each in line.pieces if each.value is not None and each.present == piece.present]
            what = self.constants.get(piece.piece.text, line.role)
            text = INDENT * (depth + 1) + self._write_piece(piece, line.scope, turn)
            value = piece.value or (together[0] if together else None)
            blocks.append(Block(piece.iterations, piece.present, [text], value, what))
        inner = list(self.arranger.arrange(blocks, line.scope, depth + 1, turn))
        if line.is_for_each_call:
            calls = next((each for each in self.program.values if each.name.startswith("resp.call")), None)
            if calls is None:
                raise NoProgramError
            self.lists.add(calls)
            yield f"{indent}ForEach(call: {calls.refer('round', turn)}) {{"
            yield f"{indent}{INDENT}{role}: {inner[0].strip()}"
            yield f"{indent}}}"
        elif len(inner) == 1:
            yield f"{indent}{role}: {inner[0].strip()}"
        else:
            yield from (f"{indent}{role}: {{", *inner, f"{indent}}}")

    def _write_piece(self, piece: PieceLine, scope: Scope, turn: str) -> str:
        if piece.value is None:
            return self.constants[piece.piece.text]
        named = piece.value.refer(scope, turn)
        return f"{self.constants[piece.piece.text]}({named})" if piece.piece.kind == "template" else named

    def _write_loop(self, line: Loop, depth: int, turn: str, *, is_last: bool) -> Iterator[str]:
        indent = INDENT * depth
        inner_turn = "t" if line.variable == "t" else turn
        first = line.first
        if line.starts is not None:
            first = "@$start"
        yield f"{indent}ForEach({line.variable}: range({first}, {line.last})) {{"
        body = list(line.body)
        n_open = len(body)
        while is_last and n_open and self._is_of_past(body[n_open - 1]):
            n_open -= 1
        if 0 < n_open < len(body):
            yield from self._write_lines(body[:n_open], depth + 1, inner_turn)
            yield f"{indent}{INDENT}PromptEndsHere when @t == @T"
            for each in body[n_open:]:
                each.iterations = [iteration for iteration in each.iterations if iteration.turn < iteration.now]
            yield from self._write_lines(body[n_open:], depth + 1, inner_turn)
        else:
            yield from self._write_lines(body, depth + 1, inner_turn)
        yield f"{indent}}}"

    def _is_of_past(self, line: Line) -> bool:
        """Return whether a line of the loop over turns sends nothing for the current one."""
        return line.scope == "turn" and all(iteration.turn < iteration.now for iteration in line.present)


def _find_first_use(body: Sequence[str]) -> int:
    """Return where the statement begins that reads `$start` first."""
    statement = 0
    for at, line in enumerate(body):
        if line.startswith(INDENT) and line[len(INDENT)] not in " }" and not line.strip().startswith("Else"):
            statement = at
        if "@$start" in line:
            break
    return statement


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
    program: Program,
    requests: Sequence[Request],
    name: str,
    schema: str,
    routes: Mapping[Origin, str] | None = None,
) -> Written:
    """Write a program.

    Parameters:
        program: The lines.
        requests: All requests that it was made from.
        name: Name of the spec.
        schema: Address of the schema of state files, for editors.
        routes: What another agent answered in one word directly before a request, by the request.

    Raises:
        NoProgramError: A condition depends on what neither a turn nor a round says.
    """
    constants = name_program(program)
    starts = next((line.starts for line in program.lines if isinstance(line, Loop)), None)
    said = {(each.run, each.turn): (routes or {}).get(each.recorded.origin, "") for each in reversed(requests)}
    arranger = Arranger(starts, said, {_FIRST_TURN, *(value.name for value in program.values)})
    writer = _Writer(program, name, constants, arranger)
    text = writer.write()
    runs = sorted({request.run for request in requests})

    def write_states() -> tuple[str, ...]:
        return tuple(_write_state(writer, [each for each in requests if each.run == run], schema) for run in runs)

    return Written(text, write_states, tuple(arranger.ties), _measure_cost(text, program, arranger))


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
    arranger = writer.arranger
    for value in writer.program.values:
        write = partial(_write_list, leaves) if value in writer.lists else leaves.write_content
        yield value.name, {key: partial(write, parts) for key, parts in value.known.items()}
        yield value.name, {key: partial(CommentedValue, False) for key in sorted(arranger.absent.get(value, ()))}
    told: list[tuple[str, Mapping[TimeKey, bool | int | str]]] = [*arranger.flags.items(), *arranger.choices.items()]
    if arranger.starts is not None:
        told.append((_FIRST_TURN, arranger.starts))
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


def _measure_cost(text: str, program: Program, arranger: Arranger) -> int:
    """Return how long a spec is by the cost model: in characters, with what the state has to say for it."""
    lines = [line.strip() for line in text.split("\n")]
    n_lines = sum(bool(line.strip("}")) and not line.startswith("//") for line in lines)
    told: list[Mapping[TimeKey, object]] = [*arranger.flags.values(), *arranger.choices.values()]
    told += [] if arranger.starts is None else [arranger.starts]
    n_told = sum(map(len, told))
    values = sum(len(repr(parts)) for value in program.values for parts in value.known.values())
    n_free = len(told) if arranger.starts is None else len(told) - 1 + _LINES_OF_START
    return _COST_OF_LINE * (n_lines + n_free) + _COST_OF_CHOICE * n_told + values

"""Reading the state: `env.question[@t].text` at one place of a spec, with a problem if it cannot be read."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.context import EvaluationContext
from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.state.sample_state import FoundValue, Records
from acdl_mkdocs.evaluation.values import (
    ABSENT,
    Absent,
    Time,
    Unknown,
    UnknownKind,
    Value,
    drop_fields,
    format_value,
    get_value,
    get_value_at,
    is_series,
    list_keys,
    quote_value,
    to_time,
)
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.nodes import ContextVar

Values = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step of a path: a field, or the value of an index."""

    value: Value
    is_index: bool = False
    is_bound: bool = False
    """Whether a loop or a parameter gives an index its value, not the title."""
    is_all: bool = False
    """Whether it is `@t.*`, whose value is a list of times."""

    @property
    def is_time(self) -> bool:
        """Whether it is an index that selects a turn or a step."""
        return self.is_index and (self.is_all or isinstance(self.value, Time))

    def split_times(self) -> "Iterator[PathStep]":
        """Yield an index for each of the times of `@t.*`."""
        if isinstance(self.value, Sequence) and not isinstance(self.value, str):
            yield from (PathStep(each, is_index=True, is_bound=self.is_bound) for each in self.value)


@dataclass(frozen=True, slots=True)
class ReadValue:
    """The value of a path in the state."""

    value: Value
    text: str
    """The path with its indices filled in: `env.question[@2]`."""
    state_path: str = ""
    """Its path in the state."""
    time: Time | None = None
    """The turn it was read at."""


def format_path(head: str, steps: Sequence[PathStep]) -> str:
    """Format a path with its indices filled in."""
    words = [head]
    for step in steps:
        if not step.is_index:
            words.append(f".{step.value}")
        elif words[-1].endswith("]"):
            words[-1] = f"{words[-1][:-1]}, {quote_value(step.value)}]"
        else:
            words.append(f"[{quote_value(step.value)}]")
    return "".join(words)


@dataclass(frozen=True, slots=True)
class _Path:
    """A reference of one place whose indices have values."""

    here: Here
    span: Span
    namespace: str
    text: str
    records: Records

    def make_missing_value(
        self, where: str, near: tuple[str, list[str]] | None, kind: UnknownKind = "missing"
    ) -> Unknown:
        """Return an unknown value for a missing one."""
        return Unknown(kind, self.text, partial(problems.missing_value, self.span, self.text, where, near))

    def format_keys(self, keys: Values) -> str:
        """Return the path in the state file, below an entry of `steps`."""
        return ".".join([self.namespace, *map(format_value, keys)])


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the state at one point in time."""

    context: EvaluationContext

    def read_reference(self, here: Here, node: ContextVar, steps: tuple[PathStep, ...]) -> ReadValue:
        """Read a reference from the state; `Unknown` if there is no value."""
        span, namespace = node.span, node.namespace
        text = format_path(namespace, steps)
        records = self.context.state.records
        if steps and steps[0].is_index and not steps[0].is_time:
            agents, agent = self.context.state.agents, format_value(steps[0].value)
            path = _Path(here, span, namespace, text, records)
            is_key = isinstance(records.base.get(namespace), Mapping) and agent in records.base[namespace]
            if agent not in agents and not is_key:
                where = f"give it under `agents: {{{agent}: …}}` in the state file"
                return ReadValue(path.make_missing_value(where, (agent, list(agents))), text)
            if agent in agents:
                records, steps = self.context.state.agent(agent), steps[1:]
        path = _Path(here, span, namespace, text, records)
        times = ((idx, step.value) for idx, step in enumerate(steps) if step.is_index and isinstance(step.value, Time))
        first = next(times, None)
        if first is None:
            return self._read_timeless(path, steps)
        which, time = first
        before, after = (tuple(each.value for each in part) for part in (steps[:which], steps[which + 1 :]))
        read = self._read_at(path, before, time, after)
        is_early = namespace == "resp" and read.state_path and time.significant == self.context.at.parts[:1]
        answer_source = self.context.find_answer_source(node) if is_early else "another"
        if answer_source != "another":
            is_written = answer_source == "itself" and not steps[which].is_bound
            problem = partial(problems.answer_before_call, span, text, is_written=is_written)
            self.context.findings.report_once(here, "answer-before-call", span, problem)
        return read

    # --------------------------------------------------------------------------------------------------- with an index

    def _read_at(self, path: _Path, before: Values, time: Time, after: Values) -> ReadValue:
        now = self.context.at
        later = next((each for each in (time, *after) if isinstance(each, Time) and each.is_after(now)), None)
        if later is not None:
            problem = partial(problems.future_value, path.span, path.text, str(now))
            return ReadValue(Unknown("error", path.text, problem), path.text, time=time)
        found = path.records.read_at(path.namespace, before, time, after, now)
        if found is None and time in after:  # `sys.tool[@t].answer[@t]` is of one turn
            found = path.records.read_at(path.namespace, before, time, tuple(key for key in after if key != time), now)
        if found is None:
            return ReadValue(self._explain_missing(path, before, time, after), path.text, time=time)
        return ReadValue(found.value, path.text, found.path, time)

    def _explain_missing(self, path: _Path, before: Values, time: Time, after: Values) -> Unknown:
        rest = (*before, *after)
        step = time.significant
        if step[0] < 1:
            return path.make_missing_value("steps count from 1: ask for it only behind `If @T > 1`", None)
        if min(step) < 1:
            return path.make_missing_value(
                "sub-steps count from 1: ask for it only behind a condition such as `If I > 1`", None
            )
        where = f"{path.records.prefix}steps.{'.substeps.'.join(map(str, step))}.{path.format_keys(rest)}"
        row = path.records.steps.get(step, {}).get(path.namespace, {})
        near = _find_near_keys(row, rest) or _find_near_keys(path.records.base.get(path.namespace, {}), rest)
        return path.make_missing_value(f"give it in the state file as `{where}`", near)

    # ------------------------------------------------------------------------------------------------ without an index

    def _read_timeless(self, path: _Path, steps: tuple[PathStep, ...]) -> ReadValue:
        keys = tuple(step.value for step in steps)
        time = path.here.loop_time
        found = path.records.read_constant(path.namespace, keys, self.context.at)
        if time is not None and (found is None or is_series(found.value) or found.is_cut):
            seen = None if time.is_after(self.context.at) else self._read_series(path, keys, time, ())
            if seen is not None:
                return self._read_at_loop_time(path, seen, time)
        if found is None:
            return self._read_numbered(path, steps) or ReadValue(self._explain_missing_constant(path, keys), path.text)
        if found.is_cut or is_series(found.value):
            self._report_cut(path)
        elif len(keys) > 0:
            self._report_position(path, steps)
        return ReadValue(found.value, path.text, found.path)

    def _read_series(self, path: _Path, before: Values, time: Time, after: Values) -> FoundValue | None:
        return path.records.read_at(path.namespace, before, time, after, self.context.at)

    def _read_at_loop_time(self, path: _Path, found: FoundValue, time: Time) -> ReadValue:
        """Return the value at the turn of the loop around, if the state has the variable only for each turn."""
        text = f"{path.text}[@{time}]"

        def make_problem() -> Diagnostic:
            meaning = f"that of the step of the loop, `{text}`"
            cure = "write the index: the state has one value for each step"
            return problems.ambiguous_reading(path.span, path.text, meaning, cure)

        self.context.findings.report_once(path.here, "read-as", path.span, make_problem)
        return ReadValue(found.value, text, found.path, time)

    def _report_cut(self, path: _Path) -> None:
        meaning = f"its values up to `@{self.context.at}`: a map whose keys are all numbers has one value for each step"
        cure = f"write `{path.text}[@T]` for one of them; a map that is not a series needs a key that is not a number"
        problem = partial(problems.ambiguous_reading, path.span, path.text, meaning, cure)
        self.context.findings.report_once(path.here, "read-as", path.span, problem)

    def _report_position(self, path: _Path, steps: tuple[PathStep, ...]) -> None:
        """Report that a position in a list is not the number of a turn, if that turn would be later than now."""
        value: Value = path.records.base.get(path.namespace, {})
        for step in steps:
            position = step.value
            if step.is_index and type(position) is int and isinstance(value, Sequence) and not isinstance(value, str):
                if position > self.context.at.get_part(0):
                    meaning = f"position {position} of a list; as a step it would be later than `@{self.context.at}`"
                    cure = f"write `[@{position}]` if the list has one value for each step"
                    problem = partial(problems.ambiguous_reading, path.span, path.text, meaning, cure)
                    self.context.findings.report_once(path.here, "read-as", path.span, problem)
                return
            element = get_value(value, position)
            if isinstance(element, Absent):
                return
            value = drop_fields(element)

    def _read_numbered(self, path: _Path, steps: tuple[PathStep, ...]) -> ReadValue | None:
        """Read `env.question[n]` with a whole number up to now, if the state has one value for each turn."""
        for idx, step in enumerate(steps):
            time = to_time(step.value) if step.is_index and isinstance(step.value, int) else None
            if time is None or time.is_after(self.context.at):
                continue
            before, after = (tuple(each.value for each in part) for part in (steps[:idx], steps[idx + 1 :]))
            found = self._read_series(path, before, time, after)
            if found is not None:
                return ReadValue(found.value, path.text, found.path, time)
        return None

    def _explain_missing_constant(self, path: _Path, keys: Values) -> Unknown:
        def problem() -> Diagnostic:
            where = f"give it in the state file as `{path.records.prefix}{path.format_keys(keys)}`"
            if path.records.has_series(path.namespace, keys, self.context.at):
                where = f"the state has one for each step: write `{path.text}[@T]` for that of the current one"
            later = next((key for key in keys if type(key) is int and key > self.context.at.get_part(0)), None)
            if later is not None:
                where += f"; as a step, {later} would be later than `@{self.context.at}`, and no later step is read"
            if any(type(key) is int and key < 1 for key in keys):
                where = "positions count from 1"
            near = _find_near_keys(path.records.base.get(path.namespace, {}), keys)
            return problems.missing_value(path.span, path.text, where, near)

        return Unknown("missing", path.text, problem)


def follow_steps(value: Value, steps: Sequence[PathStep]) -> Value | Absent:
    """Follow a path into the value of a name: `doc.content`, `$docs[i].source`."""
    current = value
    for idx, step in enumerate(steps):
        if step.is_all:
            each = [follow_steps(current, (one, *steps[idx + 1 :])) for one in step.split_times()]
            present = [one for one in each if not isinstance(one, Absent)]
            return present if len(present) == len(each) else ABSENT
        inner = get_value(current, step.value)
        if isinstance(inner, Absent) and isinstance(step.value, Time):
            inner = get_value_at(current, step.value)
        if isinstance(inner, Absent):
            return ABSENT
        current = inner
    return current


def find_near_keys(value: Value, steps: Sequence[PathStep]) -> tuple[str, list[str]] | None:
    """Return the first key that is missing, and the keys that exist there."""
    return _find_near_keys(value, tuple(step.value for step in steps))


def _find_near_keys(value: Value, keys: Values) -> tuple[str, list[str]] | None:
    current = value
    for key in keys:
        below = get_value(current, key)
        if isinstance(below, Absent):
            names = [name for name in list_keys(current) if not name.isdigit()]
            return (format_value(key), names) if names else None
        current = below
    return None

"""A sample state: the values of the namespaces at each step, the texts of templates, and samples of functions.

Values are immutable plain data. Knows nothing about files: `read.py` reads them.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Literal, TypeAlias

from acdl_mkdocs.evaluation.values import (
    Absent,
    Time,
    Value,
    cut_series,
    follow_keys,
    get_value,
    get_value_at,
    is_series,
)
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Place
from acdl_mkdocs.prompts.prompt import Memory, Tool

MissingMode = Literal["error", "placeholder", "empty"]
EmptyMode = Literal["drop", "keep"]
Tree: TypeAlias = Mapping[str, Value]
Key: TypeAlias = tuple[int, ...]
"""A step or a sub-step: `(2,)`, `(2, 1)`."""


@dataclass(frozen=True, slots=True)
class TemplateText:
    """The text of an `ALL_CAPS` word."""

    text: str
    """With `{{name}}` where an argument goes."""
    params: tuple[str, ...] | None = None
    """Names of the arguments in order; by default, the order of their first use in the text."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The result of a function for some arguments."""

    args: tuple[Value, ...] | None
    """`None` for any arguments; `"*"` in it is any one argument."""
    returns: Value


@dataclass(frozen=True, slots=True)
class Assumption:
    """The assumed value of a condition that the state does not decide."""

    when: str
    """A reference or a whole condition, as the spec writes it or with its times filled in."""
    value: Value


@dataclass(frozen=True, slots=True)
class StateOptions:
    """Options of messages; `None` means the default of the caller."""

    joiner: str = "\n"
    """The text between the pieces of one message."""
    missing: MissingMode | None = None
    """How to treat content that the state does not have."""
    empty: EmptyMode = "drop"
    """How to treat a message without any piece."""


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A value of a state and its path."""

    value: Value
    path: str
    """As the state file names it: `steps.2.env.question`."""
    is_cut: bool = False
    """Whether values of later steps were removed from it."""


@dataclass(frozen=True)
class Records:
    """The values of `env`, `sys` and `resp` over all steps: those that are shared, or those of one agent."""

    base: Mapping[str, Tree] = field(default_factory=dict)
    """By namespace: values that never change, and series of values by step (the column form)."""
    steps: Mapping[Key, Mapping[str, Tree]] = field(default_factory=dict)
    """By step or sub-step, then by namespace (the row form, which wins)."""
    counts: Mapping[Key, int] = field(default_factory=dict)
    """The number of sub-steps of a step, if the state gives only that."""
    hold: frozenset[str] = frozenset()
    """Paths such as `sys.mode` whose last earlier value persists."""
    prefix: str = ""
    """Prefix of the paths of the values in the state file: empty, or `agents.alice.`."""

    @cached_property
    def children(self) -> dict[Key, int]:
        """The number of sub-steps by step: the highest one of any row or series."""
        children = dict(self.counts)
        for key in [*self.steps, *_collect_series_times(self.base)]:
            for size in range(1, len(key)):
                children[key[:size]] = max(children.get(key[:size], 0), key[size])
        return children

    @cached_property
    def last_step(self) -> int:
        """The highest step of any row or series."""
        return max((key[0] for key in [*self.steps, *_collect_series_times(self.base)]), default=0)

    def read_constant(self, namespace: str, keys: tuple[Value, ...], now: Time) -> FoundValue | None:
        """Return a value that does not depend on the time.

        Parameters:
            namespace: `env`, `sys` or `resp`.
            keys: What follows.
            now: The last step that may be seen of a series.
        """
        value: Value = self.base.get(namespace, {})
        is_cut = False
        for key in keys:
            if is_series(value) or key == "*":
                value, is_cut = _cut_future(value, now, is_cut)
            inner = get_value(value, key)
            if isinstance(inner, Absent):
                return None
            value = inner
        value, is_cut = _cut_future(value, now, is_cut)
        return FoundValue(value, self.prefix + _format_path(namespace, keys), is_cut)

    def read_at(
        self, namespace: str, before: tuple[Value, ...], time: Time, after: tuple[Value, ...], now: Time
    ) -> FoundValue | None:
        """Return the value of a path at a time.

        Parameters:
            namespace: `env`, `sys` or `resp`.
            before: The keys before the time.
            time: The time.
            after: The keys after it.
            now: The last sub-step that may be seen of a step that has a series of them.
        """
        found = self._read_exactly(namespace, before, time, after, now)
        if found is None and self.hold and self._is_held(namespace, (*before, *after)):
            keys = self._list_times_with(namespace, before, after, now)
            earlier = bisect_left(keys, time.significant)
            if earlier:
                found = self._read_exactly(namespace, before, Time(keys[earlier - 1]), after, now)
        return found

    def has_series(self, namespace: str, keys: tuple[Value, ...], now: Time) -> bool:
        """Return whether a path has a value at any time up to now."""
        times = self._list_times_with(namespace, keys, (), now)
        return bool(times) and not Time(times[0]).is_after(now)

    @cached_property
    def _known_times(self) -> dict[tuple[str, Time], list[Key]]:
        return {}

    def _list_times_with(
        self, namespace: str, before: tuple[Value, ...], after: tuple[Value, ...], now: Time
    ) -> list[Key]:
        """Return the times at which a path has a value, in order."""
        name = f"{_format_path(namespace, before)} {_format_tail(after)}", now
        if name not in self._known_times:
            keys = set(self.steps)
            for path in (before, (*before, *after)):
                series = follow_keys(self.base.get(namespace, {}), path)
                if not isinstance(series, Absent):
                    keys.update(_list_times(series))
            times = (
                key for key in sorted(keys) if self._read_exactly(namespace, before, Time(key), after, now) is not None
            )
            self._known_times[name] = list(times)
        return self._known_times[name]

    def _is_held(self, namespace: str, keys: tuple[Value, ...]) -> bool:
        """Return whether a path, or a path above it, persists."""
        names = [namespace, *(key for key in keys if isinstance(key, str))]
        return any(".".join(names[:size]) in self.hold for size in range(2, len(names) + 1))

    def _read_exactly(
        self, namespace: str, before: tuple[Value, ...], time: Time, after: tuple[Value, ...], now: Time
    ) -> FoundValue | None:
        keys = (*before, *after)
        step = time.significant
        row = self.steps.get(step)
        if row is not None:
            value = follow_keys(row.get(namespace, {}), keys)
            if not isinstance(value, Absent):
                return FoundValue(value, f"{self.prefix}{_format_step_path(step)}.{_format_path(namespace, keys)}")
        tree = self.base.get(namespace)
        if tree is None:
            return None
        for head, tail in ((before, after), (keys, ()))[: 2 if after else 1]:
            series = follow_keys(tree, head)
            value = series if isinstance(series, Absent) else get_value_at(series, time)
            if not isinstance(value, Absent):
                seen = cut_series(value, now, step) if is_series(value) else value
                inner = follow_keys(seen, tail)
                if not isinstance(inner, Absent):
                    path = f"{self.prefix}{_format_path(namespace, head)}.{Time(step)}{_format_tail(tail)}"
                    return FoundValue(inner, path, seen is not value)
        return None


@dataclass(frozen=True)
class State:
    """The content of a state file."""

    records: Records = field(default_factory=Records)
    """Values of `env`, `sys` and `resp` that no agent owns."""
    agents: Mapping[str, Records] = field(default_factory=dict)
    """Values that belong to one agent, by its name: those of `sys[agent].mood[@t]`."""
    templates: Mapping[str, TemplateText] = field(default_factory=dict)
    """Texts of templates, by the `ALL_CAPS` word of the spec."""
    functions: Mapping[str, tuple[Sample, ...]] = field(default_factory=dict)
    """Sample results of functions, by name. A sample with exactly the given arguments is used, else the first that
    fits."""
    args: Mapping[str, Value] = field(default_factory=dict)
    """Values of the parameters of the spec that are not times."""
    assume: tuple[Assumption, ...] = ()
    """Values of conditions and references that the state does not decide; of equal ones, the first is used."""
    options: StateOptions = field(default_factory=StateOptions)
    """How messages are assembled; arguments of `evaluate` override it."""
    tools: tuple[Tool, ...] = ()
    """Tools that a request offers to the model beside the messages."""
    memory: tuple[Memory, ...] = ()
    """Facts of earlier conversations that a request sends beside the messages."""
    spec: str | None = None
    """Name of the spec that the state belongs to; `None` for all specs of the file."""
    at: str | None = None
    """The point or points to show by default, such as `3.2` or `1..3`; `None` for the first step."""
    range: RangeMode | None = None
    """How `range(a, b)` is read; `None` leaves it to the spec."""
    name: str = "<state>"
    """Name of the file, for messages."""
    places: Mapping[str, Place] = field(default_factory=dict)
    """Positions of paths such as `steps.2.env` in the file."""

    def place_of(self, path: str) -> str:
        """Return the position of a path in the state file, or of the nearest path above it: `chat.state.yaml:12:5`.

        Parameters:
            path: A path such as `steps.2.env.question`.
        """
        while path:
            place = self.places.get(path)
            if place is not None:
                return f"{self.name}:{place.line}:{place.column}"
            path = path.rpartition(".")[0]
        return self.name

    @cached_property
    def _of_agents(self) -> dict[str, Records]:
        return {}

    def agent(self, name: str) -> Records:
        """Return the values of an agent; those that persist do so for all agents.

        Parameters:
            name: A key of `agents`.
        """
        if name not in self._of_agents:
            own = self.agents[name]
            self._of_agents[name] = replace(own, hold=own.hold | self.records.hold)
        return self._of_agents[name]

    @cached_property
    def last_step(self) -> int:
        """The highest step of any row or series, at least 1."""
        return max(1, *(each.last_step for each in (self.records, *self.agents.values())))

    def substeps(self, key: Key) -> int:
        """Return the number of recorded sub-steps of a step, over all agents; 0 if there are none.

        Parameters:
            key: The step, or a sub-step for those inside it: `(2,)`, `(2, 1)`.
        """
        return max(each.children.get(key, 0) for each in (self.records, *self.agents.values()))


def _cut_future(value: Value, now: Time, is_cut: bool) -> tuple[Value, bool]:
    seen = cut_series(value, now)
    return seen, is_cut or seen is not value


def _collect_series_times(trees: Mapping[str, Tree]) -> list[Key]:
    """Return the times of every series: of maps whose keys are all times."""
    times: list[Key] = []
    stack: list[Value] = list(trees.values())
    while stack:
        value = stack.pop()
        if isinstance(value, Mapping):
            if is_series(value):
                times.extend(_list_times(value))
            else:
                stack.extend(value.values())
    return times


def _list_times(series: Value) -> Iterator[Key]:
    if not isinstance(series, Mapping) or not is_series(series):
        return
    for name, value in series.items():
        key = tuple(map(int, name.split(".")))
        yield key
        if is_series(value):
            yield from ((*key, *below) for below in _list_times(value))


def _format_path(namespace: str, keys: tuple[Value, ...]) -> str:
    return namespace + _format_tail(keys)


def _format_tail(keys: tuple[Value, ...]) -> str:
    return "".join(f".{key}" for key in keys if key != "*")


def _format_step_path(key: Key) -> str:
    return "steps." + ".substeps.".join(map(str, key))

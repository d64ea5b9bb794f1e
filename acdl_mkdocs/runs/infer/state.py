"""`state_of()`: a recorded run as the sample state of its spec, and whether the state sends the recorded messages."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from acdl_mkdocs.evaluation.context import LimitError
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.state.entries import PLACEHOLDER
from acdl_mkdocs.evaluation.state.from_prompt import PartLeaves
from acdl_mkdocs.evaluation.state.mismatches import missing_names
from acdl_mkdocs.evaluation.state.read import VERSION, read_state
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import to_prompt
from acdl_mkdocs.evaluation.values import Time, Value, text_of
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.yaml.write import Leaf, Map, lines_of, one_line
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import range_mode
from acdl_mkdocs.prompts.prompt import Call, Output, Prompt, Text
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.runs.episodes import GrowingUnits
from acdl_mkdocs.runs.infer.contents import Contents, Parts
from acdl_mkdocs.runs.infer.values import NamedValues, path_of
from acdl_mkdocs.runs.match.evidence import CheckedCall
from acdl_mkdocs.runs.match.match import Match, Step
from acdl_mkdocs.runs.match.pattern import Passing, Said
from acdl_mkdocs.runs.match.units import Unit, in_order_of_calls, units_of
from acdl_mkdocs.runs.match.verdicts import Checked, Report, match_runs, reporting
from acdl_mkdocs.runs.read.recorded import Recorded


def is_sent(resolved: Resolved, state: State, recorded: Recorded, units: Sequence[Unit], options: Options) -> bool:
    """Return whether a state makes a spec send the recorded messages, in the format in which they were recorded.

    Parameters:
        resolved: The text with the spec.
        state: The state.
        recorded: The request; its point is known.
        units: Its messages, as `GrowingUnits` gives them.
        options: Which spec of the text, and how ranges are read.
    """
    try:
        prompt = to_prompt(evaluate(resolved, state, recorded.at, replace(options, missing="placeholder")))
    except LimitError:
        return False
    if _is_plain(prompt) and _says(prompt, units):
        return True
    if recorded.format in PROVIDERS:
        wire = PROVIDERS[recorded.format]
        prompt = wire.read(wire.write(prompt).body).prompt
    return _says(prompt, units)


def _is_plain(prompt: Prompt) -> bool:
    """Return whether every format holds all of a prompt: words, calls of tools, and results that are words."""
    parts = [part for message in prompt.messages for part in message.parts]
    inside = [part for each in parts if isinstance(each, Output) for part in each.parts]
    is_plain = all(isinstance(part, Text | Call | Output) for part in parts)
    return is_plain and all(isinstance(part, Text) for part in inside) and not prompt.memory


def _says(prompt: Prompt, units: Sequence[Unit]) -> bool:
    mine = in_order_of_calls(units_of(prompt))
    return len(mine) == len(units) and all(one.content == two.content for one, two in zip(mine, units, strict=True))


_MOST_PASSES = 6
"""How often inferred values are used to infer more."""
_MOST_COMMENTS = 50
_NOT_TOLD = "not in the recording: "


@dataclass(frozen=True, slots=True)
class Emitted:
    """A state file."""

    text: str
    at: tuple[str, ...]
    """The points at which the state sends the recorded messages."""
    told: tuple[str, ...]
    """Notes about what is changed or left out, and where the state sends something else than the recording."""


@system.relaxed()
def state_of(
    resolved: Resolved,
    checked: Checked,
    schema: str,
    *,
    state: State | None = None,
    options: Options | None = None,
    config: Config | None = None,
    report: Report | None = None,
) -> Emitted:
    """Infer the sample state of a spec from a recorded run.

    Parameters:
        resolved: The text with the spec.
        checked: The result of `check_runs()`; of several runs, the one with the most agreeing requests is used.
        schema: Address of the schema of state files, for editors.
        state: Values known beside the requests; only its arguments are kept.
        options: Which spec of the text, and how ranges are read.
        config: How to read ranges if neither options, state nor text specify it.
        report: Called for each request that is matched again or compared with the state, counted from 1 each time.

    Raises:
        TraceError: No request agrees with the spec.
    """
    calls = _run_of(checked)
    options = replace(options or Options(), spec=checked.spec or None)
    mode = options.range or (state.range if state is not None else None) or range_mode(resolved, config or Config())
    emission = _Emission(resolved, calls, replace(options, range=mode), schema, state, report)
    return emission.settled()


def _run_of(checked: Checked) -> list[CheckedCall]:
    """Return the requests of the run with the most agreeing ones."""
    agreeing: dict[int, int] = {}
    for call in checked.calls:
        if call.match is not None and call.match.is_agreeing:
            agreeing[call.run] = agreeing.get(call.run, 0) + 1
    if not agreeing:
        cure = "solve what is refuted first"
        raise TraceError(f"no state can be made: no request agrees with {checked.spec or 'the spec'}; {cure}")
    run = max(agreeing, key=lambda number: (agreeing[number], -number))
    return [call for call in checked.calls if call.run == run]


@dataclass(slots=True)
class _Emission:
    """One run that becomes a state."""

    resolved: Resolved
    calls: Sequence[CheckedCall]
    options: Options
    schema: str
    given: State | None
    report: Report | None
    contents: Contents = field(default_factory=Contents)
    templates: set[str] = field(default_factory=set)
    """Names that are of templates."""
    assumed: dict[str, Value] = field(default_factory=dict)
    matched: list[Recorded] = field(default_factory=list)
    is_open: bool = True
    """Whether known values may help to infer more."""

    @property
    def requests(self) -> list[Recorded]:
        """The recorded requests."""
        return [call.recorded for call in self.calls]

    def settled(self) -> Emitted:
        """Infer the state until nothing more is found."""
        state = None if self.given is None else State(args=self.given.args)
        for _ in range(_MOST_PASSES):
            n_known = len(self.contents.found) + len(self.assumed)
            self._look(state)
            if not self.is_open or len(self.contents.found) + len(self.assumed) == n_known:
                break
            state = read_state(self._written(is_final=False)[0]).state
        self.contents.solve(is_guessing=True)
        text, told = self._written(is_final=True)
        state = read_state(text).state
        if state is None:
            raise TraceError("no state file can hold what was recorded")
        return self._compared(text, told, state)

    def _look(self, state: State | None) -> None:
        """Match the requests with the values known so far."""
        self.contents = Contents(found=self.contents.found, doubts=self.contents.doubts)
        self.matched, self.is_open = [], False
        found = match_runs(self.resolved, [self.requests], state, self.options)
        for call in reporting(found, self.report, len(self.calls)):
            if call.match is None or not call.match.is_agreeing:
                continue
            self.matched.append(call.recorded)
            steps = [step for step in call.match.steps if isinstance(step, Step)]
            self.contents.add(steps)
            self.templates.update(said.name for said in _pieces(steps) if _is_template(said))
            self.assumed.update(_decided(call.match))
            self.is_open |= _is_open(call.match)
        self.contents.solve(is_guessing=False)

    # ---------------------------------------------------------------------------------------------------------- written

    def _written(self, *, is_final: bool) -> tuple[str, list[str]]:
        """Return the text of the state so far, and notes about changes in it."""
        leaves, values = PartLeaves(), NamedValues()
        hidden = self._hidden()
        if is_final:
            for name in dict.fromkeys(hidden.values()):
                values.put(name, Leaf(PLACEHOLDER, f"{_NOT_TOLD}what it is"), is_template=False)
            hidden = {}
        unplaced = [
            name
            for name, parts in self.contents.found.items()
            if name not in hidden
            and not values.put(name, self._leaf(leaves, name, parts), is_template=name in self.templates)
        ]
        for point in self._points():
            values.count(point.significant)
        last = self.requests[-1].request
        beside = {"tools": leaves.tools(last.tools), "memory": leaves.memory(last.memory)}
        points = sorted(self._points(), key=lambda each: each.parts)
        top: Map = {
            "acdl_state": Leaf(VERSION),
            **({"spec": Leaf(self.options.spec)} if self.options.spec else {}),
            "at": Leaf(str(points[-1]) if points else "1", "the last request"),
            "range": Leaf(self.options.range),
            **({"args": _plain(dict(self.given.args))} if self.given is not None and self.given.args else {}),
            **{name: leaf for name, leaf in beside.items() if leaf.value},
            **values.sections(),
            **self._assumptions(),
        }
        named = [
            f"what `{name}` is ({why})"
            for names, why in (
                (unplaced, "a state file has no place for it"),
                (values.unplaced, "its texts differ in more than its arguments"),
            )
            for name in names
        ]
        told = [f"{what} ({count} times)" if count > 1 else what for what, count in leaves.told.items() if count]
        return self._text(top, named), told

    def _hidden(self) -> dict[str, str]:
        """Return values inside an unknown value that is sent: alone they would look like all of it."""
        paths = {name: path_of(name) for name in (*self.contents.found, *sorted(self.contents.unknown))}
        unknown = {tuple(paths[name] or ()): name for name in sorted(self.contents.unknown)}
        found: dict[str, str] = {}
        for name in self.contents.found:
            path = paths[name] or []
            outer = next((unknown[key] for end in range(1, len(path)) if (key := tuple(path[:end])) in unknown), None)
            if outer is not None:
                found[name] = outer
        return found

    def _leaf(self, leaves: PartLeaves, name: str, parts: Parts) -> Leaf:
        """Return the value of a name."""
        leaf = leaves.content(parts) if parts else Leaf("")
        if name in self.contents.doubts:
            leaf.comment = _NOT_TOLD + self.contents.doubts[name]
        return leaf

    def _points(self) -> list[Time]:
        return [each.at for each in self.matched if each.at is not None]

    def _assumptions(self) -> Map:
        """Return the inferred values of conditions."""
        found = [Leaf({"when": Leaf(when), "value": _plain(value)}) for when, value in self.assumed.items()]
        return {"assume": Leaf(found)} if found else {}

    def _text(self, top: Map, named: Sequence[str]) -> str:
        """Return the lines of the file, with unknown values at its end."""
        origin = self.requests[0].origin.file
        head = [
            f"# yaml-language-server: $schema={one_line(self.schema)}",
            f"# From a recorded run: {one_line(origin)}",
        ]
        body = [*head, *lines_of(top)]
        missing = [*named, *self._untold()]
        state = read_state("\n".join(body)).state
        if state is not None:
            said = (each.message for each in missing_names(self.resolved, state))
            known = {_bare(each) for each in missing}
            names = (each.removeprefix("the spec reads ").partition(", and the state has none")[0] for each in said)
            missing += [each for each in names if _bare(each) not in known]
        listed = [f"# {_NOT_TOLD}{one_line(each)}" for each in dict.fromkeys(missing)]
        more = [f"# and {len(listed) - _MOST_COMMENTS} more"] if len(listed) > _MOST_COMMENTS else []
        return "\n".join([*body, *listed[:_MOST_COMMENTS], *more]) + "\n"

    def _untold(self) -> Iterator[str]:
        """Describe pieces whose content could not be determined."""
        seen: set[tuple[str, int]] = set()
        for said in self.contents.untold:
            place = (said.origin.source.name, said.origin.line)
            if place not in seen and said.name not in self.contents.found:
                seen.add(place)
                yield f"what `{said.name or said.expression}` is ({place[0]}:{place[1]})"

    # --------------------------------------------------------------------------------------------------------- compared

    def _compared(self, text: str, told: Sequence[str], state: State) -> Emitted:
        """Return the state after comparing it with the recording."""
        same: list[str] = []
        others: list[str] = []
        growing = GrowingUnits()
        for each in reporting(self.matched, self.report, len(self.matched)):
            recorded = growing.of(each.request)
            if each.at is None:
                continue
            if is_sent(self.resolved, state, each, recorded, self.options):
                same.append(str(each.at))
            else:
                others.append(f"at `@{each.at}` the state sends something else than {each.origin}")
        skipped = len(self.requests) - len(self.matched)
        left = [f"{skipped} requests that do not agree with the spec are left out"] if skipped else []
        return Emitted(text, tuple(same), (*told, *left, *others))


def _bare(sentence: str) -> str:
    """Return the name in a sentence, without indices."""
    return re.sub(r"\[[^\]]*\]|\(.*\)", "", [*sentence.split("`"), ""][1])


def _pieces(steps: Sequence[Step]) -> Iterator[Said]:
    return (said for step in steps if step.item is not None for said in step.item.said)


def _is_open(found: Match) -> bool:
    """Return whether more may be known about a request: conditions, loops and arguments."""
    is_free = any(isinstance(step, Passing) and step.is_free for step in found.steps)
    items = [step.item for step in found.steps if isinstance(step, Step) and step.item is not None]
    return is_free or any(item.is_loose or any("(" in said.expression for said in item.said) for item in items)


def _is_template(said: Said) -> bool:
    return said.name[:1].isupper()


def _decided(found: Match) -> Mapping[str, Value]:
    """Return the values of the conditions on the path of a request."""
    passed = (step.decides for step in found.steps if isinstance(step, Passing) and step.is_free)
    return {
        when: value for when, value in filter(None, passed) if "…" not in when and "⟦" not in when and value is not None
    }


def _plain(value: Value) -> Leaf:
    if isinstance(value, Mapping):
        return Leaf({key: _plain(each) for key, each in value.items()})
    if isinstance(value, str | int | float | bool):
        return Leaf(value)
    if isinstance(value, Sequence):
        return Leaf([_plain(each) for each in value])
    return Leaf(text_of(value))

"""`infer_state()`: a recorded run as the sample state of its spec, and whether it sends the recorded messages."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from acdl_mkdocs.evaluation.context import LimitError
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.state.entries import PLACEHOLDER
from acdl_mkdocs.evaluation.state.from_prompt import PartLeaves
from acdl_mkdocs.evaluation.state.mismatches import find_missing_names
from acdl_mkdocs.evaluation.state.read import VERSION, read_state
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import build_prompt
from acdl_mkdocs.evaluation.values import Time, Value, format_value
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.foundation.yaml.write import CommentedValue, Map, clean_comment, format_map
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import range_mode
from acdl_mkdocs.prompts.prompt import Prompt
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.runs.episodes import GrowingUnits
from acdl_mkdocs.runs.infer.contents import Contents, Parts
from acdl_mkdocs.runs.infer.values import NamedValues, find_path
from acdl_mkdocs.runs.match.evidence import CheckedCall
from acdl_mkdocs.runs.match.match import Match, MatchStep
from acdl_mkdocs.runs.match.pattern import BranchPassing, ExpectedPiece
from acdl_mkdocs.runs.match.units import Unit, list_units, order_by_calls
from acdl_mkdocs.runs.match.verdicts import Checked, ReportProgress, match_runs, report_progress
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
        prompt = build_prompt(evaluate(resolved, state, recorded.at, replace(options, missing="placeholder")))
    except LimitError:
        return False
    if _matches_units(prompt, units):
        return True
    if recorded.format in PROVIDERS:
        provider = PROVIDERS[recorded.format]
        prompt = provider.read(provider.write(prompt).body).prompt
    return _matches_units(prompt, units)


def _matches_units(prompt: Prompt, units: Sequence[Unit]) -> bool:
    """Return whether the messages of a prompt are those of a request."""
    mine = order_by_calls(list_units(prompt))
    return len(mine) == len(units) and all(one.content == two.content for one, two in zip(mine, units, strict=True))


_MOST_PASSES = 6
"""How often inferred values are used to infer more."""
_MOST_COMMENTS = 50
_NOT_RECORDED = "not in the recording: "


@dataclass(frozen=True, slots=True)
class InferredState:
    """A state file."""

    text: str
    at: tuple[str, ...]
    """The points at which the state sends the recorded messages."""
    notes: tuple[str, ...]
    """Notes about changed and omitted content, and about points where the state does not send the recorded messages."""


@system.relax_collector()
def infer_state(
    resolved: Resolved,
    checked: Checked,
    schema: str,
    *,
    state: State | None = None,
    options: Options | None = None,
    config: Config | None = None,
    report: ReportProgress | None = None,
) -> InferredState:
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
    requests = _choose_run(checked)
    options = replace(options or Options(), spec=checked.spec or None)
    mode = options.range or (state.range if state is not None else None) or range_mode(resolved, config or Config())
    emission = _StateInference(resolved, requests, replace(options, range=mode), schema, state, report)
    return emission.infer_state()


def _choose_run(checked: Checked) -> list[CheckedCall]:
    """Return the requests of the run with the most agreeing ones."""
    agreeing: dict[int, int] = {}
    for request in checked.calls:
        if request.match is not None and request.match.is_agreeing:
            agreeing[request.run] = agreeing.get(request.run, 0) + 1
    if not agreeing:
        cure = "fix the refuted lines first"
        raise TraceError(f"no state can be inferred: no request agrees with {checked.spec or 'the spec'}; {cure}")
    run = max(agreeing, key=lambda number: (agreeing[number], -number))
    return [request for request in checked.calls if request.run == run]


@dataclass(slots=True)
class _StateInference:
    """A run that is converted to a state."""

    resolved: Resolved
    checked_requests: Sequence[CheckedCall]
    options: Options
    schema: str
    initial_state: State | None
    report: ReportProgress | None
    contents: Contents = field(default_factory=Contents)
    templates: set[str] = field(default_factory=set)
    """Names of templates."""
    assumptions: dict[str, Value] = field(default_factory=dict)
    matching_requests: list[Recorded] = field(default_factory=list)
    is_open: bool = True
    """Whether known values may help to infer more."""

    @property
    def requests(self) -> list[Recorded]:
        """The recorded requests."""
        return [request.recorded for request in self.checked_requests]

    def infer_state(self) -> InferredState:
        """Infer the state until nothing more is found."""
        state = None if self.initial_state is None else State(args=self.initial_state.args)
        for _ in range(_MOST_PASSES):
            n_known = len(self.contents.found) + len(self.assumptions)
            self._match_requests(state)
            if not self.is_open or len(self.contents.found) + len(self.assumptions) == n_known:
                break
            state = read_state(self._write_state(is_final=False)[0]).state
        self.contents.solve_contents(is_guessing=True)
        text, notes = self._write_state(is_final=True)
        state = read_state(text).state
        if state is None:
            raise TraceError("no state can be inferred: a state file cannot represent the recorded content")
        return self._compare_with_recording(text, notes, state)

    def _match_requests(self, state: State | None) -> None:
        """Match the requests with the values known so far."""
        self.contents = Contents(found=self.contents.found, doubts=self.contents.doubts)
        self.matching_requests, self.is_open = [], False
        matched = match_runs(self.resolved, [self.requests], state, self.options)
        for request in report_progress(matched, self.report, len(self.checked_requests)):
            if request.match is None or not request.match.is_agreeing:
                continue
            self.matching_requests.append(request.recorded)
            steps = [step for step in request.match.steps if isinstance(step, MatchStep)]
            self.contents.add_request(steps)
            self.templates.update(piece.name for piece in _list_pieces(steps) if _is_template(piece))
            self.assumptions.update(_find_decisions(request.match))
            self.is_open |= _is_open(request.match)
        self.contents.solve_contents(is_guessing=False)

    # ---------------------------------------------------------------------------------------------------------- written

    def _write_state(self, *, is_final: bool) -> tuple[str, list[str]]:
        """Return the text of the state so far, and notes about changes in it."""
        leaves, values = PartLeaves(), NamedValues()
        hidden = self._find_hidden()
        if is_final:
            for name in dict.fromkeys(hidden.values()):
                values.add_value(name, CommentedValue(PLACEHOLDER, f"{_NOT_RECORDED}what it is"), is_template=False)
            hidden = {}
        unplaced = [
            name
            for name, parts in self.contents.found.items()
            if name not in hidden
            and not values.add_value(name, self._make_leaf(leaves, name, parts), is_template=name in self.templates)
        ]
        for point in self._list_points():
            values.add_step(point.significant)
        last, start = self.requests[-1].request, self.initial_state
        beside = {"tools": leaves.write_tools(last.tools), "memory": leaves.write_memory(last.memory)}
        points = sorted(self._list_points(), key=lambda each: each.parts)
        top: Map = {
            "acdl_state": CommentedValue(VERSION),
            **({"spec": CommentedValue(self.options.spec)} if self.options.spec else {}),
            "at": CommentedValue(str(points[-1]) if points else "1", "the last request"),
            "range": CommentedValue(self.options.range),
            **({"args": _to_leaf(dict(start.args))} if start is not None and start.args else {}),
            **{name: leaf for name, leaf in beside.items() if leaf.value},
            **values.build_sections(),
            **self._list_assumptions(),
        }
        named = [
            f"what `{name}` is ({why})"
            for names, why in (
                (unplaced, "a state file has no place for it"),
                (values.ambiguous_names, "its texts differ in more than its arguments"),
            )
            for name in names
        ]
        notes = [f"{what} ({count} times)" if count > 1 else what for what, count in leaves.changes.items() if count]
        return self._format_file(top, named), notes

    def _find_hidden(self) -> dict[str, str]:
        """Return values inside an unknown value that is sent: alone they would look like all of it."""
        paths = {name: find_path(name) for name in (*self.contents.found, *sorted(self.contents.unknown_names))}
        unknown = {tuple(paths[name] or ()): name for name in sorted(self.contents.unknown_names)}
        hidden: dict[str, str] = {}
        for name in self.contents.found:
            path = paths[name] or []
            outer = next((unknown[key] for end in range(1, len(path)) if (key := tuple(path[:end])) in unknown), None)
            if outer is not None:
                hidden[name] = outer
        return hidden

    def _make_leaf(self, leaves: PartLeaves, name: str, parts: Parts) -> CommentedValue:
        """Return the value of a name."""
        leaf = leaves.write_content(parts) if parts else CommentedValue("")
        if name in self.contents.doubts:
            leaf.comment = _NOT_RECORDED + self.contents.doubts[name]
        return leaf

    def _list_points(self) -> list[Time]:
        return [each.at for each in self.matching_requests if each.at is not None]

    def _list_assumptions(self) -> Map:
        """Return the inferred values of conditions."""
        assumptions = [
            CommentedValue({"when": CommentedValue(when), "value": _to_leaf(value)})
            for when, value in self.assumptions.items()
        ]
        return {"assume": CommentedValue(assumptions)} if assumptions else {}

    def _format_file(self, top: Map, named: Sequence[str]) -> str:
        """Return the lines of the file, with unknown values at its end."""
        origin = self.requests[0].origin.file
        head = [
            f"# yaml-language-server: $schema={clean_comment(self.schema)}",
            f"# From a recorded run: {clean_comment(origin)}",
        ]
        body = [*head, *format_map(top)]
        missing = [*named, *self._describe_undetermined()]
        state = read_state("\n".join(body)).state
        if state is not None:
            messages = (each.message for each in find_missing_names(self.resolved, state))
            known_names = {_extract_name(each) for each in missing}
            names = (each.removeprefix("the spec reads ").partition(", and the state has none")[0] for each in messages)
            missing += [each for each in names if _extract_name(each) not in known_names]
        listed = [f"# {_NOT_RECORDED}{clean_comment(each)}" for each in dict.fromkeys(missing)]
        rest = [f"# and {len(listed) - _MOST_COMMENTS} more"] if len(listed) > _MOST_COMMENTS else []
        return "\n".join([*body, *listed[:_MOST_COMMENTS], *rest]) + "\n"

    def _describe_undetermined(self) -> Iterator[str]:
        """Describe pieces whose content could not be determined."""
        seen: set[tuple[str, int]] = set()
        for piece in self.contents.undetermined:
            position = (piece.origin.source.name, piece.origin.line)
            if position not in seen and piece.name not in self.contents.found:
                seen.add(position)
                yield f"what `{piece.name or piece.expression}` is ({position[0]}:{position[1]})"

    # --------------------------------------------------------------------------------------------------------- compared

    def _compare_with_recording(self, text: str, notes: Sequence[str], state: State) -> InferredState:
        """Return the state after comparing it with the recording."""
        same: list[str] = []
        others: list[str] = []
        growing = GrowingUnits()
        for each in report_progress(self.matching_requests, self.report, len(self.matching_requests)):
            recorded = growing.list_units(each.request)
            if each.at is None:
                continue
            if is_sent(self.resolved, state, each, recorded, self.options):
                same.append(str(each.at))
            else:
                others.append(f"at `@{each.at}` the messages of the state differ from {each.origin}")
        skipped = len(self.requests) - len(self.matching_requests)
        verb = "does not agree with the spec and is" if skipped == 1 else "do not agree with the spec and are"
        left = [f"{format_count(skipped, 'request')} {verb} left out"] if skipped else []
        return InferredState(text, tuple(same), (*notes, *left, *others))


def _extract_name(sentence: str) -> str:
    """Return the name in a sentence, without indices."""
    return re.sub(r"\[[^\]]*\]|\(.*\)", "", [*sentence.split("`"), ""][1])


def _list_pieces(steps: Sequence[MatchStep]) -> Iterator[ExpectedPiece]:
    return (piece for step in steps if step.item is not None for piece in step.item.pieces)


def _is_open(match: Match) -> bool:
    """Return whether more may be known about a request: conditions, loops and arguments."""
    is_free = any(isinstance(step, BranchPassing) and step.is_free for step in match.steps)
    items = [step.item for step in match.steps if isinstance(step, MatchStep) and step.item is not None]
    return is_free or any(item.is_loose or any("(" in piece.expression for piece in item.pieces) for item in items)


def _is_template(reply: ExpectedPiece) -> bool:
    return reply.name[:1].isupper()


def _find_decisions(match: Match) -> Mapping[str, Value]:
    """Return the values of the conditions on the path of a request."""
    passed = (step.decides for step in match.steps if isinstance(step, BranchPassing) and step.is_free)
    return {
        when: value for when, value in filter(None, passed) if "…" not in when and "⟦" not in when and value is not None
    }


def _to_leaf(value: Value) -> CommentedValue:
    if isinstance(value, Mapping):
        return CommentedValue({key: _to_leaf(each) for key, each in value.items()})
    if isinstance(value, (str, int, float, bool)):
        return CommentedValue(value)
    if isinstance(value, Sequence):
        return CommentedValue([_to_leaf(each) for each in value])
    return CommentedValue(format_value(value))

"""Infer the spec of recorded runs, and prove it: their requests are checked against it and against its mutants."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain, pairwise

from acdl_mkdocs.app.check_runs import find_claims
from acdl_mkdocs.app.new_state import SCHEMA
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.point import parse_point
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Transcript
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.errors import TraceError, UnknownSpecError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.yaml.write import clean_comment
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Prompt
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.runs.check_files import (
    CheckedFiles,
    Recordings,
    RunRequests,
    check_run_requests,
    read_runs,
)
from acdl_mkdocs.runs.claims import format_claim, split_requests
from acdl_mkdocs.runs.infer.arrange import Tie
from acdl_mkdocs.runs.infer.infer_spec import InferredPrompt, InferredSpec, infer_spec
from acdl_mkdocs.runs.match.verdicts import ReportProgress
from acdl_mkdocs.runs.points import READINGS
from acdl_mkdocs.runs.requests import read_only

NAME = "Agent"
"""Name of the spec of a single agent, unless another one is asked for."""
DEFAULT_MUTANTS = 50
_MOST_TURNS, _MOST_STEPS = 60, 3
"""Points at which two conditions are compared."""
_PROBING = Options(range="inclusive", missing="placeholder")


@dataclass(frozen=True, slots=True)
class InferOptions:
    """What is asked of recorded requests."""

    name: str = NAME
    """Name of the spec, if one agent sent all requests."""
    file: str = "agent.acdl"
    """Name of the file of the spec in messages."""
    at: str | None = None
    """Point of the first request of each run; without it, points are counted from the messages."""
    only: Sequence[str] = ()
    """Which requests, as `model=gpt-*`; all that is said must be so."""
    mutants: int = DEFAULT_MUTANTS
    """How many small changes of the spec are tried at most; the requests should refute them."""
    schema: str = SCHEMA
    """Path of the state schema for editors."""
    report: ReportProgress | None = None
    """Called for each request that has been read, and for each that has been checked."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice that the recordings do not decide."""

    line: int
    """Line of the file, from 1; its comment names the choice."""
    chosen: str
    """The condition or range that was written, in ACDL."""
    others: tuple[str, ...]
    """Conditions or ranges that agree with the recordings as well."""
    deciding: str
    """A recording that would decide it, in words."""

    @property
    def others_in_words(self) -> str:
        """The other conditions or ranges, as code in a sentence."""
        return " or ".join(f"`{each}`" for each in self.others)

    @property
    def comment(self) -> str:
        """The comment at the end of its line, without `//`."""
        return f"or {self.others_in_words}; {self.deciding} would decide"


@dataclass(frozen=True, slots=True)
class ProvenPrompt:
    """The spec of one agent, with its proof."""

    inferred: InferredPrompt
    """The spec, with the counts of requests: `n_sent` of `n_requests` are sent exactly."""
    line: int
    """Its first line in the file, from 1."""
    found: CheckedFiles
    """The verdict about each of its lines."""
    choices: tuple[Choice, ...]
    """Choices that the recordings do not decide; empty if they decide everything."""
    is_refined: bool = False
    """Whether the spec existed before: only what requests refute was changed."""

    @property
    def name(self) -> str:
        """The name of the prompt."""
        return self.inferred.kind.name

    @property
    def states(self) -> tuple[str, ...]:
        """The sample state of each run as YAML, that of the longest run first."""
        runs = zip(self.inferred.kind.runs.values(), self.inferred.states, strict=True)
        return tuple(text for _, text in sorted((-len(requests), text) for requests, text in runs))

    @property
    def is_proven(self) -> bool:
        """Whether no request refutes a line, and, if it is new, the states make it send all of them exactly."""
        is_sent = self.is_refined or self.inferred.n_sent == self.inferred.n_requests
        return is_sent and not self.found.checked.is_refuted


@dataclass(frozen=True, slots=True)
class Refinement:
    """What recordings changed in an existing spec."""

    difference: Difference
    """The edits from the old text to the new one."""
    is_changed: bool
    """Whether the new text differs from the old one, even if only in comments or spacing."""
    added: tuple[str, ...] = ()
    """Names of the specs of agents that the old text did not describe."""
    rewritten: tuple[str, ...] = ()
    """Names of the specs that were written again, because no smaller change agrees with all requests."""
    forgotten: tuple[str, ...] = ()
    """Names of the specs that no longer send the same messages with the states they had."""
    kept: tuple[str, ...] = ()
    """Names of the specs that requests refute, but that stay unchanged: no general spec describes what was sent."""
    states: Mapping[str, str] = field(default_factory=dict)
    """Existing states by file name, with the values added that the new spec reads: the new text of each file."""


@dataclass(frozen=True, slots=True)
class Inferred:
    """A spec made from recordings, with its proof."""

    text: str
    """The text of the `.acdl` file; a comment marks each choice that the recordings do not decide."""
    prompts: tuple[ProvenPrompt, ...]
    """The spec of each agent; that of the agent with the most requests comes first."""
    runs: RunRequests
    """The requests that were read."""
    confusion: str = ""
    """Why the `// requests:` comments do not assign each request to one spec; empty if they do."""
    refinement: Refinement | None = None
    """What was changed, if the recordings refined a spec; `None` for a new one."""

    @property
    def is_proven(self) -> bool:
        """Whether all prompts are proven, and each request is claimed by one of them."""
        return not self.confusion and all(each.is_proven for each in self.prompts)

    @property
    def n_sent(self) -> int:
        """How many requests are sent exactly, with the states."""
        return sum(each.inferred.n_sent for each in self.prompts)


def infer(recordings: Callable[[], Recordings], options: InferOptions | None = None) -> Inferred:
    """Infer the spec of recordings.

    Parameters:
        recordings: Opens them, once it is known that the rest of the question means something.
        options: What is asked.

    Raises:
        UnknownSpecError: A spec cannot have the name.
        TraceError: A recording cannot be read, or there is no request that is asked for.
        UnknownFormatError: There is no such format of recordings.
        PointError: `at` is not a point in time.
    """
    options = options or InferOptions()
    if wrong := explain_wrong_name(options.name):
        raise UnknownSpecError(wrong)
    first = None if options.at is None else parse_point(options.at)
    wanted = read_only(options.only)
    runs_read = read_runs(recordings(), first=first, only=wanted, report=options.report)
    spec = infer_spec(runs_read.list_runs(), name=options.name, schema=options.schema)
    lines, starts = _write_claims(spec)
    choices = [
        [find_choice(tie, lines, start) for tie in prompt.ties]
        for prompt, start in zip(spec.prompts, starts, strict=True)
    ]
    for choice in chain.from_iterable(choices):
        lines[choice.line - 1] += f" // {choice.comment}"
    resolved = parse_and_resolve(Source("\n".join(lines), options.file)).resolved
    prompts = tuple(
        ProvenPrompt(
            prompt,
            start + 1,
            _check_prompt(prompt, resolved, runs_read, options),
            tuple(mine),
        )
        for prompt, start, mine in zip(spec.prompts, starts, choices, strict=True)
    )
    confusion = find_confusion(resolved, runs_read) if len(prompts) > 1 else ""
    return Inferred(resolved.source.text, prompts, runs_read, confusion)


def explain_wrong_name(name: str) -> str:
    """Explain why a spec cannot have a name; empty if it can."""
    parsed = parse(Source(f"{name}[@T]: {{ U: env.question[@T] }}\n", "name"))
    prompts = [each for each in parsed.file.items if isinstance(each, Prompt)]
    if not parsed.diagnostics and [each.name.name for each in prompts] == [name]:
        return ""
    return f"`{name}` is not a name of a spec; use letters, digits and `_`, such as `TravelAgent`"


def _write_claims(spec: InferredSpec) -> tuple[list[str], list[int]]:
    """Return the lines of the file and the indices of the titles; comments say whose requests each prompt describes."""
    lines: list[str] = []
    starts: list[int] = []
    at = 0
    for prompt in spec.prompts:
        start = spec.text.index(prompt.text, at)
        lines += spec.text[at:start].split("\n")[:-1]
        at = start + len(prompt.text)
        own = prompt.text.split("\n")[:-1]
        if len(spec.prompts) > 1:
            claim = {"system": prompt.kind.claim} if prompt.kind.claim else {}
            own.insert(0, f"// requests: {clean_comment(format_claim(claim))}")
        title = next(idx for idx, each in enumerate(own) if not each.startswith("//"))
        starts.append(len(lines) + title)
        lines += own
    return [*lines, *spec.text[at:].split("\n")], starts


def find_choice(tie: Tie, lines: Sequence[str], start: int) -> Choice:
    """Return a choice with its line: that of its condition, else that of what it is about.

    Parameters:
        tie: What the recordings do not decide.
        lines: Those of the file.
        start: Index of the first line of the prompt; it ends with the brace that is not indented.
    """
    end = next((idx for idx in range(start, len(lines)) if lines[idx] == "}"), len(lines))
    stripped = [line.strip() for line in lines[start:end]]
    conditions, content = (f"If {tie.chosen} {{", f"ElseIf {tie.chosen} {{"), tie.line.strip()
    pairs = enumerate(pairwise(stripped))
    found = next((idx for idx, (one, two) in pairs if one in conditions and two == content), None)
    if found is None:
        found = stripped.index(content) if content in stripped else 0
    return Choice(start + found + 1, tie.chosen, tie.rivals, describe_deciding_run(tie.chosen, tie.rivals))


def _check_prompt(
    prompt: InferredPrompt, resolved: Resolved, runs_read: RunRequests, options: InferOptions
) -> CheckedFiles:
    """Check the requests of an agent against its prompt."""
    own = tuple(
        (each, dict.fromkeys(READINGS, each.at or Time((1,)))) for run in prompt.kind.runs.values() for each in run
    )
    return check_run_requests(
        resolved,
        replace(runs_read, requests=own),
        options=Options(spec=prompt.kind.name),
        mutants=options.mutants,
        report=options.report,
    )


def find_confusion(resolved: Resolved, runs_read: RunRequests) -> str:
    """Find why the comments of the prompts do not share out all requests; empty if they do."""
    try:
        split_requests(runs_read, find_claims(resolved))
    except TraceError as reason:
        return str(reason)
    return ""


def describe_deciding_run(chosen: str, others: Sequence[str]) -> str:
    """Describe a recording that would decide between conditions or ranges that agree so far."""
    points = [_find_difference(chosen, each) for each in others]
    known = [point for point in points if point is not None]
    if not known or len(known) < len(points):
        return "a request at which only one of them holds"
    turn, step = max(known)
    return f"a request at {turn}.{step}" if step else f"a request of turn {turn}"


def _find_difference(one: str, two: str) -> tuple[int, int] | None:
    """Return the first point at which two conditions or ranges differ; `None` if only a state can tell."""
    probes = [parse_and_resolve(Source(_write_probe(each), "probe.acdl")).resolved for each in (one, two)]
    if any(each.severity == "error" for probe in probes for each in probe.parsed.diagnostics):
        return None
    for point in _list_points():
        first, second = (evaluate(each, State(), Time(point), _PROBING) for each in probes)
        if first.choices or second.choices:
            return None
        if _list_rounds(first) != _list_rounds(second):
            return point
    return None


def _write_probe(expression: str) -> str:
    """Return a spec that sends a message where a condition holds, or for each round of a range."""
    if expression.startswith("range("):
        body = f'ForEach(t: {expression}) {{ U: "a" }}'
    else:
        body = f'If {expression} {{ U: "a" }}'
        if re.search(r"@i\b", expression):
            body = f"ForEach(i: range(1, @T.substeps)) {{ {body} }}"
        if re.search(r"@t\b", expression):
            body = f"ForEach(t: range(1, @T)) {{ {body} }}"
    return f"Probe[@T.I]: {{ {body} }}"


def _list_rounds(transcript: Transcript) -> list[tuple[str, ...]]:
    return [tuple(each.value for each in message.stack) for message in transcript.messages]


def _list_points() -> Iterator[tuple[int, int]]:
    return ((turn, step) for turn in range(1, _MOST_TURNS + 1) for step in range(_MOST_STEPS + 1))

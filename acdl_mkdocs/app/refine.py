"""Refine a spec by recordings: what they refute is generalised, everything else stays as it was written.

The agent's requests are those of the recordings and those that the spec sends with the states beside it. Where the spec
agrees with all of them, it stays. Otherwise a spec is inferred from them, in the names of the existing one, and of its
differences the fewest are made with which the spec agrees.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from itertools import combinations
from typing import TypeAlias

from acdl_mkdocs.app.check_runs import find_claims
from acdl_mkdocs.app.compare import Side, compare
from acdl_mkdocs.app.extend_state import add_missing_values, rename_values
from acdl_mkdocs.app.infer import Choice, InferOptions, Inferred, ProvenPrompt, Refinement, find_choice, find_confusion
from acdl_mkdocs.app.understood import ResolvedText
from acdl_mkdocs.compare.sent.sent import points_of
from acdl_mkdocs.compare.structure.adopt_names import adopt_names
from acdl_mkdocs.compare.structure.diff import diff
from acdl_mkdocs.compare.structure.merge import Hunk, apply_hunks, list_hunks, rewrite_prompt
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.point import parse_point
from acdl_mkdocs.evaluation.state.read import StateFile, read_state
from acdl_mkdocs.evaluation.transcript import build_prompt
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.errors import RefineError, TraceError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.yaml.write import clean_comment
from acdl_mkdocs.language.analyse import diagnose, parse_and_resolve
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import range_mode
from acdl_mkdocs.language.syntax.nodes import Fragment, FragUse, Node, Prompt, walk
from acdl_mkdocs.language.syntax.parse import Parsed, parse
from acdl_mkdocs.prompts.prompt import Prompt as Request
from acdl_mkdocs.prompts.redact import redact_parts
from acdl_mkdocs.runs.check_files import Recordings, RunRequests, check_run_requests, read_runs
from acdl_mkdocs.runs.claims import format_claim
from acdl_mkdocs.runs.episodes import GrowingUnits
from acdl_mkdocs.runs.infer.infer_spec import InferredPrompt, infer_prompt
from acdl_mkdocs.runs.infer.kinds import Kind, separate_repeated, split_kinds
from acdl_mkdocs.runs.infer.names import make_unique
from acdl_mkdocs.runs.infer.state import infer_state, is_sent
from acdl_mkdocs.runs.match.verdicts import check_runs
from acdl_mkdocs.runs.points import count_points
from acdl_mkdocs.runs.read.recorded import Origin, Recorded
from acdl_mkdocs.runs.requests import matches_request, read_only

_PRAGMA = "// acdl: range=inclusive\n"
_MOST_PAIRED = 12
"""Of up to this many changes each pair is tried: whether it is enough, and whether it is needed."""
_Runs: TypeAlias = Mapping[str, Sequence[Recorded]]


@dataclass(frozen=True, slots=True)
class Existing:
    """A spec that exists."""

    text: ResolvedText
    """The text, with resolved names."""
    states: tuple[StateFile, ...] = ()
    """The states beside it: what it sends with them it has to send afterwards, too."""


@dataclass(frozen=True, slots=True)
class _Agent:
    """An agent of the recordings, or a prompt of the spec with its requests."""

    name: str
    """Of its prompt."""
    requests: RunRequests
    sent: _Runs
    """What the spec sends with its states, by the state."""
    claim: str = ""
    """Words of its instructions that no other agent has."""
    is_new: bool = False
    """Whether no prompt of the spec describes it."""


@system.relax_collector()
def refine(recordings: Callable[[], Recordings], existing: Existing, options: InferOptions | None = None) -> Inferred:
    """Refine a spec by recordings; with those that it agrees with, its text stays as it is.

    Parameters:
        recordings: Opens them, once it is known that the rest of the question means something.
        existing: The spec.
        options: What is asked; a name is that of the one new agent.

    Raises:
        RefineError: The spec has errors or no prompt.
        TraceError: A recording cannot be read, or there is no request that is asked for.
        UnknownFormatError: There is no such format of recordings.
        PointError: `at` is not a point in time.
    """
    options = options or InferOptions()
    _require_prompts(existing)
    first = None if options.at is None else parse_point(options.at)
    wanted = read_only(options.only)
    runs_read = read_runs(recordings(), first=first, only=wanted, report=options.report)
    agents = _find_agents(existing, runs_read, options)
    refiner = _Refiner(existing, options, existing.text.resolved.source.text)
    checked = [refiner.refine_agent(each) for each in agents if not each.is_new]
    for agent in agents:
        if agent.is_new:
            checked.append(refiner.add_agent(agent))
    if refiner.added:
        refiner.add_claims(agents)
    return refiner.finish(checked, runs_read)


def _require_prompts(existing: Existing) -> None:
    """Raise an error unless the spec can be refined."""
    source = existing.text.resolved.source
    for diagnostic, where in existing.text.errors:
        place = where.find_place(diagnostic.label.span.start)
        cure = f"; {diagnostic.help[0]}" if diagnostic.help else ""
        raise RefineError(
            f"{where.name}:{place.line}:{place.column}: {diagnostic.message}{cure}; fix it first, and refine again"
        )
    if not _list_prompts(existing.text.resolved):
        raise RefineError(f"{source.name}: has no prompt to refine; infer one with -o")


def _list_prompts(resolved: Resolved) -> dict[str, Prompt]:
    return {each.name.name: each for each in resolved.parsed.file.items if isinstance(each, Prompt)}


# ------------------------------------------------------------------------------------------------------ whose requests


def _find_agents(existing: Existing, runs_read: RunRequests, options: InferOptions) -> list[_Agent]:
    """Return the prompts that have requests, then the agents that have no prompt."""
    resolved = existing.text.resolved
    sent = _list_sent(existing)
    runs = {run: requests for own in sent.values() for run, requests in own.items()}
    kinds = split_kinds({**runs_read.list_runs(), **runs}, "")
    owner, free = _find_owners(existing, kinds, sent)
    claim_of = {
        owner.get(each.origin, ""): kind.claim for kind in kinds for requests in kind.runs.values() for each in requests
    }
    groups = {name: {origin for origin, each in owner.items() if each == name} for name in _list_prompts(resolved)}
    agents = [
        _Agent(name, _select_requests(runs_read, origins), sent.get(name, {}), claim_of.get(name, ""))
        for name, origins in groups.items()
        if origins
    ]
    used = {each.name.name for each in resolved.parsed.file.items if isinstance(each, (Prompt, Fragment))}
    for kind in free:
        name = make_unique(kind.name or options.name, used)
        used.add(name)
        origins = {each.origin for each in kind.runs[""]}
        agents.append(_Agent(name, _select_requests(runs_read, origins), {}, kind.claim, is_new=True))
    return agents


def _find_owners(
    existing: Existing, kinds: Sequence[Kind], sent: Mapping[str, _Runs]
) -> tuple[dict[Origin, str], list[Kind]]:
    """Return the prompt of each request, and the requests by agent that no prompt describes.

    A comment of a prompt says so, else what the prompt sends with its state; then the prompt that agrees.

    Parameters:
        existing: The spec.
        kinds: All requests by agent, with those that the spec sends.
        sent: What each prompt sends with its states.
    """
    authors = {run: name for name, runs in sent.items() for run in runs}
    claims = find_claims(existing.text.resolved)
    owner: dict[Origin, str] = {}
    free: list[Kind] = []
    for kind in kinds:
        known = [authors[run] for run in kind.runs if run in authors]
        for each in (each for run, requests in kind.runs.items() if run not in authors for each in requests):
            name = _find_claimant(each, claims) or next(iter(known), None)
            if name is not None:
                owner[each.origin] = name
        rest = [each for run, requests in kind.runs.items() if run not in authors for each in requests]
        rest = [each for each in rest if each.origin not in owner]
        free += [replace(kind, runs={"": rest})] if rest else []
    taken = {*owner.values(), *claims, *authors.values()}
    for kind in list(free):
        names = [each for each in _list_prompts(existing.text.resolved) if each not in taken]
        name = _choose_prompt(kind, names, existing, is_only=len(free) == 1)
        if name is not None:
            taken.add(name)
            free.remove(kind)
            owner |= {each.origin: name for each in kind.runs[""]}
    return owner, free


def _find_claimant(recorded: Recorded, claims: Mapping[str, Mapping[str, str]]) -> str | None:
    """Return the prompt whose comment claims a request."""
    named = (name for name, claim in claims.items() if claim and matches_request(recorded, claim))
    return next(named, None) or next((name for name, claim in claims.items() if not claim), None)


def _choose_prompt(kind: Kind, names: Sequence[str], existing: Existing, *, is_only: bool) -> str | None:
    """Return the prompt that agrees with most requests of an agent; the only one may disagree with all of them."""
    n_agreeing: dict[str, int] = {}
    for name in names:
        options = Options(spec=name)
        runs = list(separate_repeated({"": kind.runs[""]}).values())
        n_agreeing[name] = check_runs(
            existing.text.resolved, runs, None, options, existing.text.config, has_steps=False
        ).n_agreeing
    best = max(names, key=lambda name: n_agreeing[name], default=None)
    return best if best is not None and (n_agreeing[best] or (is_only and len(names) == 1)) else None


def _select_requests(runs_read: RunRequests, origins: set[Origin]) -> RunRequests:
    """Return some of the requests, with points that count them alone."""
    mine = [each for each, _ in runs_read.requests if each.origin in origins]
    if len(mine) == len(runs_read.requests):
        return runs_read
    return replace(runs_read, requests=tuple(count_points(mine)))


def _list_sent(existing: Existing) -> dict[str, dict[str, list[Recorded]]]:
    """Return what each prompt sends with its states, wherever they say all of it."""
    resolved, config = existing.text.resolved, existing.text.config
    prompts = _list_prompts(resolved)
    sent: dict[str, dict[str, list[Recorded]]] = {}
    for number, file in enumerate(existing.states):
        state = file.state
        name = (state.spec if state is not None else None) or next(iter(prompts))
        if state is None or name not in prompts or state.range not in (None, range_mode(resolved, config)):
            continue  # with ranges that end otherwise, it tells what another reading of the spec sends
        run = _name_run(number, file)
        requests: list[Recorded] = []
        for point in points_of(None, state, state):
            transcript = evaluate(resolved, state, point, Options(spec=name, missing="placeholder"), config)
            is_known = all(each.status == "given" for each in transcript.pieces)
            if is_known and transcript.messages and not transcript.choices and not transcript.errors:
                origin = Origin(file.source.name, inside=f"point {point}")
                request = _redact_prompt(build_prompt(transcript))
                requests.append(Recorded(request, "state", origin, at=point, episode=run))
        if requests:
            sent.setdefault(name, {})[run] = requests
    return sent


def _redact_prompt(request: Request) -> Request:
    """Return messages without keys and passwords, as recordings have them."""
    return replace(request, messages=tuple(replace(each, parts=redact_parts(each.parts)) for each in request.messages))


def _name_run(number: int, file: StateFile) -> str:
    """Return the name of the run that a state was made from."""
    return f"{file.source.name}, state {number}"


# ------------------------------------------------------------------------------------------------------------- refining


@dataclass(frozen=True, slots=True)
class _Result:
    """A prompt that its requests were checked against."""

    agent: _Agent
    choices: tuple[Choice, ...] = ()
    is_general: bool = True
    states: Mapping[str, str] = field(default_factory=dict)
    """Of each run that its prompt was inferred from, the state by the names of the text."""


@dataclass(slots=True)
class _Refiner:
    """A text that is refined prompt by prompt."""

    existing: Existing
    options: InferOptions
    text: str
    """The text so far."""
    added: list[str] = field(default_factory=list)
    rewritten: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def refine_agent(self, agent: _Agent) -> _Result:
        """Change the prompt of an agent, if its requests refute it."""
        found = check_run_requests(
            self.existing.text.resolved,
            agent.requests,
            options=Options(spec=agent.name),
            config=self.existing.text.config,
        )
        runs = agent.requests.list_runs(found.reading)
        if not found.checked.is_refuted and self._is_agreeing(
            self.text, agent.name, [*runs.values(), *agent.sent.values()]
        ):
            return _Result(agent)
        for sent in [agent.sent] if not agent.sent else [agent.sent, {}]:
            refined = self._infer_refined(agent, {**runs, **sent})
            if refined is None:
                continue
            self.text, result = refined
            if agent.sent and not sent:
                self.forgotten.append(agent.name)
            return result
        self.kept.append(agent.name)
        return _Result(agent)

    def _infer_refined(self, agent: _Agent, runs: _Runs) -> tuple[str, _Result] | None:
        """Return the text with a prompt that agrees with some runs; `None` if there is none that is general."""
        kind = Kind(agent.name, separate_repeated(runs))
        inferred = infer_prompt(kind, self.options.schema)
        if not inferred.is_general:
            return None
        parsed = self._parse_alone(agent.name)
        new, choices, names = self._write_in_names(inferred, parsed)
        result = _Result(agent, choices, states=_rename_states(inferred, names))
        pair = _find_prompt(parsed, agent.name), _find_prompt(new, agent.name)
        difference = diff(parsed, new, self._mode, (agent.name, agent.name), "inclusive")
        old = (parsed.source, parsed.file)

        def agrees(hunks: Sequence[Hunk]) -> bool:
            return self._is_agreeing(self._apply(hunks), agent.name, list(runs.values()))

        statements: dict[Node, Node] = {new: old for new, old in difference.pairs.items() if new in pair[1].body}
        for old_of in (difference.pairs, statements):
            hunks = list_hunks(old, new.source, pair, old_of, self._list_shared(agent.name))
            if agrees(hunks):
                return self._apply(_find_needed(hunks, agrees)), result
        whole = rewrite_prompt(old, new.source, pair)
        if not agrees([whole]):
            return None
        self.rewritten.append(agent.name)
        return self._apply([whole]), result

    def _apply(self, hunks: Sequence[Hunk]) -> str:
        """Return the text with some changes, which get its line ends."""
        if "\r\n" not in self.text:
            return apply_hunks(self.text, hunks)
        ends = [
            replace(hunk, splices=tuple(replace(each, text=each.text.replace("\n", "\r\n")) for each in hunk.splices))
            for hunk in hunks
        ]
        return apply_hunks(self.text, ends)

    def _list_shared(self, name: str) -> set[str]:
        """Return the fragments that anything but one prompt uses."""
        items = parse(Source(self.text, self.options.file)).file.items
        others = [each for each in items if not (isinstance(each, Prompt) and each.name.name == name)]
        return {
            use.name.name
            for each in others
            if isinstance(each, Prompt)
            for use in walk(each)
            if isinstance(use, FragUse)
        }

    def _parse_alone(self, name: str) -> Parsed:
        """Parse the text with blanks in place of all other prompts."""
        text = self.text
        for each in parse(Source(text, self.options.file)).file.items:
            if isinstance(each, Prompt) and each.name.name != name:
                start, end = each.span.start, each.span.end
                text = text[:start] + re.sub(r"[^\r\n]", " ", text[start:end]) + text[end:]
        return parse(Source(text, self.existing.text.resolved.source.name))

    def _write_in_names(
        self, inferred: InferredPrompt, old: Parsed | None
    ) -> tuple[Parsed, tuple[Choice, ...], Mapping[str, str]]:
        """Return an inferred prompt in the names of the existing one, with its undecided choices, and the names."""
        lines = (_PRAGMA + inferred.text).split("\n")
        start = next(idx for idx, each in enumerate(lines) if each and not each.startswith("//"))
        ties = [find_choice(tie, lines, start) for tie in inferred.ties]
        source, names = Source("\n".join(lines), "inferred"), dict[str, str]()
        is_inclusive = self._mode == "inclusive"
        if old is None:
            parsed = parse(source)
            text, names = adopt_names(
                source, _find_prompt(parsed, inferred.kind.name), {}, has_inclusive_ranges=is_inclusive
            )
        else:
            text = source.text
            for _ in range(2):  # with the names of before, more is alike
                parsed = parse(Source(text, "inferred"))
                pairs = diff(old, parsed, self._mode, (inferred.kind.name,) * 2).pairs
                prompt = _find_prompt(parsed, inferred.kind.name)
                text, found = adopt_names(parsed.source, prompt, pairs, has_inclusive_ranges=is_inclusive)
                names = {name: found.get(before, before) for name, before in names.items()} or found
        choices = tuple(
            replace(
                each, chosen=_rename(each.chosen, names), others=tuple(_rename(other, names) for other in each.others)
            )
            for each in ties
        )
        lines = text.split("\n")
        for choice in choices:
            lines[choice.line - 1] += f" // {choice.comment}"
        return parse(Source("\n".join(lines), "inferred")), choices, names

    @property
    def _mode(self) -> RangeMode:
        return range_mode(self.existing.text.resolved, self.existing.text.config)

    def _resolve(self, text: str) -> Resolved:
        resolved = self.existing.text.resolved
        return parse_and_resolve(Source(text, resolved.source.name), resolved.library).resolved

    def _is_agreeing(self, text: str, name: str, runs: Sequence[Sequence[Recorded]]) -> bool:
        """Return whether a prompt of a text agrees with all requests of some runs."""
        resolved = self._resolve(text)
        if any(each.severity == "error" for each in resolved.parsed.diagnostics):
            return False
        checked = check_runs(
            resolved, runs, None, Options(spec=name), self.existing.text.config, is_brief=True, has_steps=False
        )
        is_agreeing = not checked.is_refuted and checked.n_agreeing == sum(map(len, runs))
        return is_agreeing and self._count_errors(resolved) <= self._count_errors(self.existing.text.resolved)

    def _count_errors(self, resolved: Resolved) -> int:
        """Return how many errors the rules find: a change may read a name that another one defines."""
        return sum(each.severity == "error" for each in diagnose(resolved, self.existing.text.config))

    # ----------------------------------------------------------------------------------------------------------- adding

    def add_agent(self, agent: _Agent) -> _Result:
        """Append the prompt of an agent that the text does not describe."""
        inferred = infer_prompt(Kind(agent.name, separate_repeated(agent.requests.list_runs())), self.options.schema)
        parsed, choices, names = self._write_in_names(inferred, None)
        prompt = _find_prompt(parsed, agent.name)
        body = parsed.source.text[prompt.span.start : prompt.span.end]
        gap = "" if not self.text or self.text.endswith("\n") else "\n"
        self.text += f"{gap}\n{_write_claim(agent.claim)}\n{body}\n".replace("\n", self._line_end)
        self.added.append(agent.name)
        return _Result(agent, choices, inferred.is_general, _rename_states(inferred, names))

    @property
    def _line_end(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def add_claims(self, agents: Sequence[_Agent]) -> None:
        """Add a comment to each prompt of before that does not say which requests it describes."""
        claims = find_claims(self.existing.text.resolved)
        named = {each.name: each.claim for each in agents}
        rest = "others" not in map(format_claim, claims.values())
        prompts = _list_prompts(self._resolve(self.text))
        for name, prompt in reversed(list(prompts.items())):
            claim = named.get(name, "")
            if name in claims or name in self.added or not (claim or rest):
                continue
            rest = rest and bool(claim)
            start = self.text.rfind("\n", 0, prompt.span.start) + 1
            self.text = f"{self.text[:start]}{_write_claim(claim)}{self._line_end}{self.text[start:]}"

    # ------------------------------------------------------------------------------------------------------------ proof

    def finish(self, results: Sequence[_Result], runs_read: RunRequests) -> Inferred:
        """Return the refined text with its proof."""
        old = self.existing.text
        resolved = old.resolved if self.text == old.resolved.source.text else self._resolve(self.text)
        prompts = tuple(self._prove(each, resolved) for each in results)
        confusion = find_confusion(resolved, runs_read) if find_claims(resolved) else ""
        difference = compare(Side(old), Side(replace(old, resolved=resolved)))
        refinement = Refinement(
            difference,
            self.text != old.resolved.source.text,
            tuple(self.added),
            tuple(self.rewritten),
            tuple(self.forgotten),
            tuple(self.kept),
            {} if resolved is old.resolved else dict(self._extend_states(results, resolved)),
        )
        return Inferred(self.text, prompts, runs_read, confusion, refinement)

    def _extend_states(self, results: Sequence[_Result], resolved: Resolved) -> Iterator[tuple[str, str]]:
        """Yield states of before with what the spec reads since, where it sends more with it."""
        for number, file in enumerate(self.existing.states):
            run = _name_run(number, file)
            for result in results:
                text = add_missing_values(file.source.text, result.states.get(run, ""))
                requests, name = result.agent.sent.get(run, ()), result.agent.name
                before = _count_sent(resolved, file.source.text, requests, name)
                if text != file.source.text and _count_sent(resolved, text, requests, name) > before:
                    yield file.source.name, text

    def _prove(self, result: _Result, resolved: Resolved) -> ProvenPrompt:
        """Check the requests of an agent against its prompt, and make the state of each run."""
        agent, config = result.agent, self.existing.text.config
        options = Options(spec=agent.name)
        found = check_run_requests(
            resolved,
            agent.requests,
            options=options,
            config=config,
            mutants=self.options.mutants,
            report=self.options.report,
        )
        runs = separate_repeated(agent.requests.list_runs(found.reading))
        states, n_sent = [""] * len(runs), [0] * len(runs)
        for number, (run, requests) in enumerate(runs.items()):
            for text in self._list_states(result, resolved, run, requests):
                n_right = _count_sent(resolved, text, requests, agent.name)
                if n_right > n_sent[number]:
                    states[number], n_sent[number] = text, n_right
                if n_right == len(requests):
                    break
        prompt = _list_prompts(resolved)[agent.name]
        line = resolved.source.find_place(prompt.span.start).line
        inferred = InferredPrompt(
            Kind(agent.name, runs, agent.claim),
            self.text[prompt.span.start : prompt.span.end],
            tuple(states),
            (),
            result.is_general,
            sum(n_sent),
            len(agent.requests.requests),
        )
        choices = tuple(self._find_choices(result, prompt))
        return ProvenPrompt(inferred, line, found, choices, is_refined=not agent.is_new)

    def _list_states(
        self, result: _Result, resolved: Resolved, run: str, requests: Sequence[Recorded]
    ) -> Iterator[str]:
        """Yield what may be the state of a run: as the prompt was inferred with it, then as the text reads it."""
        if run in result.states:
            yield result.states[run]
        options, config = Options(spec=result.agent.name), self.existing.text.config
        checked = check_runs(resolved, [requests], None, options, config)
        with suppress(TraceError):
            yield infer_state(resolved, checked, self.options.schema, options=options, config=config).text

    def _find_choices(self, result: _Result, prompt: Prompt) -> Iterator[Choice]:
        """Yield the choices of the inferred prompt that the text has, at their lines."""
        before = self.text[: prompt.span.start].count("\n")
        lines = self.text[prompt.span.start : prompt.span.end].split("\n")
        for choice in result.choices:
            at = next((at for at, each in enumerate(lines) if each.rstrip().endswith(f"// {choice.comment}")), None)
            if at is not None:
                yield replace(choice, line=before + at + 1)


def _rename_states(inferred: InferredPrompt, names: Mapping[str, str]) -> dict[str, str]:
    """Return the state of each run by the names of the text."""
    runs = zip(inferred.kind.runs, inferred.states, strict=True)
    return {run: rename_values(text, names) for run, text in runs}


def _count_sent(resolved: Resolved, text: str, requests: Sequence[Recorded], name: str) -> int:
    """Return how many requests a prompt sends exactly with a state."""
    state = read_state(text).state
    if state is None:
        return 0
    growing = GrowingUnits()
    options = Options(spec=name, range=state.range)
    units = ((each, growing.list_units(each.request)) for each in requests)
    return sum(is_sent(resolved, state, each, found, options) for each, found in units)


def _find_needed(hunks: Sequence[Hunk], agrees: Callable[[Sequence[Hunk]], bool]) -> list[Hunk]:
    """Return as few changes as are needed: none, one or two, else those without which a request would disagree.

    Parameters:
        hunks: All changes, which are enough.
        agrees: Whether some of them are.
    """
    for size in (0, 1, 2) if len(hunks) <= _MOST_PAIRED else (0, 1):
        for few in combinations(hunks, size):
            if agrees(few):
                return list(few)
    needed = list(hunks)
    for length in range(1, max(len(each.path) for each in hunks) + 1):
        for prefix in dict.fromkeys(each.path[:length] for each in needed):
            rest = [each for each in needed if each.path[:length] != prefix]
            if len(rest) < len(needed) and agrees(rest):
                needed = rest
    for pair in combinations(list(needed), 2) if len(needed) <= _MOST_PAIRED else ():
        rest = [each for each in needed if each not in pair]
        if len(rest) == len(needed) - 2 and agrees(rest):
            needed = rest
    return needed


def _find_prompt(parsed: Parsed, name: str) -> Prompt:
    return next(each for each in parsed.file.items if isinstance(each, Prompt) and each.name.name == name)


def _write_claim(claim: str) -> str:
    return f"// requests: {clean_comment(format_claim({'system': claim} if claim else {}))}"


def _rename(words: str, names: Mapping[str, str]) -> str:
    """Return a condition or a range with other names of values."""
    return re.sub(r"\b(?:env|sys|resp)(?:\.\w+)+", lambda found: names.get(found[0], found[0]), words)

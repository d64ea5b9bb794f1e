"""Specs that are inferred from recorded runs: whether they are true, also of other runs, how much they say, how long.

`python benchmarks/infer.py --system rag --keep DIR` writes the runs of systems to a folder, to look at them, and
`--system rag` measures some of them. `--recordings FILE...` measures recordings of another agent, such as those that
projects publish: one run in each file, of which some are held out. Without arguments, all are measured.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from math import ceil
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Protocol, TypeAlias

from measure import Row
from pages import rows_table
from peak_memory import peak_mb
from programs import AGENTS, PROGRAMS, Others
from systems import SYSTEMS, Run, System, write_body

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.transcript import build_prompt
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.format import format_text
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.check_files import Recordings, check_requests, open_recordings
from acdl_mkdocs.runs.episodes import GrowingUnits, group_requests
from acdl_mkdocs.runs.infer.state import is_sent
from acdl_mkdocs.runs.match.mutants import list_mutants
from acdl_mkdocs.runs.match.units import list_units, order_by_calls
from acdl_mkdocs.runs.match.verdicts import check_runs
from acdl_mkdocs.runs.points import assign_points
from acdl_mkdocs.runs.read.exports import join_requests
from acdl_mkdocs.runs.read.json_values import Value
from acdl_mkdocs.runs.read.jsonl import read
from acdl_mkdocs.runs.read.recorded import Origin, Recorded, Tally
from acdl_mkdocs.runs.requests import KEYS, add_earlier_messages

Runs: TypeAlias = Mapping[str, Sequence[Recorded]]
"""The requests of each run in their order, with their points."""

LEAST_DISCRIMINATING, LEAST_GENERAL, MOST_LINES, LEAST_SAME = 85, 90, 1.5, 18
MOST_MS, MOST_MB = 60_000, 500
N_LARGE_RUNS, N_LARGE_TURNS = 5, 200
"""1,000 requests, with 200 messages on average."""


@dataclass(frozen=True, slots=True)
class InferredPrompt:
    """One prompt of an inferred spec, of those requests that one agent sent."""

    name: str
    claim: str
    """Words in the instructions of these requests and of no others; empty for all that no other prompt claims."""
    runs: Runs
    """The requests by run, with points that count them alone."""
    states: Sequence[str]
    """A state of each run, as a file."""


@dataclass(frozen=True, slots=True)
class Inferred:
    """A spec that was inferred from runs."""

    resolved: Resolved
    prompts: tuple[InferredPrompt, ...]

    def select_requests(self, prompt: InferredPrompt, requests: Iterable[Recorded]) -> list[Recorded]:
        """Return the requests of a prompt."""
        if prompt.claim:
            return [each for each in requests if KEYS["system"](each, prompt.claim)]
        claims = [each.claim for each in self.prompts if each.claim]
        return [each for each in requests if not any(KEYS["system"](each, claim) for claim in claims)]


Infer: TypeAlias = Callable[[Runs], Inferred]


def infer(runs: Runs) -> Inferred:
    """Infer a spec: the only place that knows how the package does it."""
    found = import_module("acdl_mkdocs.runs.infer.infer_spec").infer_spec(runs)
    prompts = (InferredPrompt(each.kind.name, each.kind.claim, each.kind.runs, each.states) for each in found.prompts)
    return Inferred(read_spec(found.text), tuple(prompts))


def read_spec(text: str) -> Resolved:
    """Return a text with its names."""
    return parse_and_resolve(Source(text, "inferred.acdl")).resolved


class Recordable(Protocol):
    """A system or a program whose runs are there."""

    @property
    def name(self) -> str:
        """As it is named on the command line."""

    def write_runs(self, folder: Path) -> None:
        """Write a recording of each run, where `place_run()` says."""


SUBJECTS: tuple[Recordable, ...] = (*SYSTEMS, *PROGRAMS, *AGENTS)


@dataclass(frozen=True, slots=True)
class Killed:
    """Who refutes the runs of a mutant, which sends something else than the true spec with the same states."""

    by_spec: bool
    """The inferred spec alone."""
    by_states: bool
    """The inferred spec with the states of the true runs, which say what was sent and what was decided."""
    by_true: bool
    """The true spec or the inferred one, alone: what neither refutes, contents alone can tell."""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of the runs of one system."""

    name: str
    failure: str = ""
    """Why there is no spec."""
    n_refuted: int = 0
    """Lines that the runs it was inferred from refute, or requests that do not agree where it is not a line."""
    n_held_out: int = 0
    n_general: int = 0
    """Runs of those that were held out that refute nothing."""
    mutants: tuple["Killed", ...] = ()
    """What became of each mutant of the true spec."""
    n_lines: int = 0
    n_true_lines: int = 0
    """Of the true spec."""
    n_requests: int = 0
    n_sent: int = 0
    """Requests that it sends as they were, with its own states."""

    @property
    def is_fitting(self) -> bool:
        """Whether it is true of the runs that it was inferred from."""
        return not self.failure and self.n_refuted == 0

    @property
    def is_same(self) -> bool:
        """Whether it sends what was sent at all points."""
        return not self.failure and self.n_sent == self.n_requests

    @property
    def row(self) -> Row:
        """A row for the table."""
        if self.failure:
            return Row(self.name, 0, "%", against=self.failure)
        lines = f"{self.n_lines} of {self.n_true_lines} lines" if self.n_true_lines else f"{self.n_lines} lines"
        said = (
            "fits" if self.is_fitting else f"{self.n_refuted} refuted",
            f"generalises {self.n_general} of {self.n_held_out}",
            lines,
            "same" if self.is_same else f"same {self.n_sent} of {self.n_requests}",
        )
        return Row(
            self.name,
            percent(sum(each.by_spec for each in self.mutants), len(self.mutants)),
            "%",
            against=", ".join(said),
        )


def measure() -> list[Row]:
    """All rows of this part."""
    return [*list_rows(list(measure_subjects(SUBJECTS))), *measure_large()]


def measure_subjects(subjects: Iterable[Recordable]) -> Iterator[Result]:
    """Yield what became of each system, and print it on the way."""
    for each in subjects:
        started = time.perf_counter()
        result = measure_subject(each, infer)
        words = f"{result.name}: {result.row.against} ({time.perf_counter() - started:.0f} s)"
        print(words, file=sys.stderr, flush=True)
        yield result


def list_rows(results: Sequence[Result]) -> list[Row]:
    """Return the rows of totals against the bars, then one for each system."""
    names = {each.name for each in SYSTEMS}
    systems = [each for each in results if each.name in names]
    others = [each for each in results if each.name not in names]
    rows = [*_list_totals(systems, f"{len(systems)} systems"), *_list_comparisons(systems)] if systems else []
    rows += _list_totals(others, f"{len(others)} programs") if others else ()
    rows += [replace(each.row, what=f"{each.name}: deliberate errors detected") for each in systems]
    rows += [replace(each.row, what=each.name, value=percent(each.n_general, each.n_held_out)) for each in others]
    return rows


def _list_totals(results: Sequence[Result], whose: str) -> Iterator[Row]:
    """Yield the rows of all systems of a kind together."""
    yield _make_row(f"{whose}: fits", percent(sum(each.is_fitting for each in results), len(results)), "%", 100)
    n_general, n_held_out = (sum(each) for each in zip(*((r.n_general, r.n_held_out) for r in results), strict=True))
    yield _make_row(f"{whose}: generalises", percent(n_general, n_held_out), "%", LEAST_GENERAL)
    n_same, least = sum(each.is_same for each in results), ceil(LEAST_SAME * len(results) / len(SYSTEMS))
    yield _make_row(f"{whose}: same is sent", n_same, f"of {len(results)}", least)


def _list_comparisons(results: Sequence[Result]) -> Iterator[Row]:
    """Yield the rows of all systems whose specs are known."""
    killed = [(each.by_spec, each.by_states, each.by_true) for result in results for each in result.mutants]
    alone, with_states, true = (percent(sum(each), len(each)) for each in zip(*killed, strict=True))
    against = f"with states {with_states:.0f} %, with the true spec {true:.0f} %"
    yield replace(_make_row("the systems: discriminates", alone, "%", LEAST_DISCRIMINATING), against=against)
    sizes = [each.n_lines / each.n_true_lines for each in results if not each.failure]
    n_short = sum(each <= MOST_LINES for each in sizes)
    size = fmean(sizes) if sizes else 0
    bar, against = f"<= {MOST_LINES} x", f"{n_short} of {len(results)} are short enough"
    yield Row("the systems: size", size, "x", against=against, bar=bar, is_met=bool(sizes) and size <= MOST_LINES)


def _make_row(what: str, value: float, unit: str, least: float) -> Row:
    return Row(what, value, unit, bar=f">= {least:g} {unit}", is_met=value >= least)


def percent(part: float, whole: float) -> float:
    """A share; of nothing, all."""
    return 100 * part / whole if whole else 100


# ------------------------------------------------------------------------------------------------------- one system


def measure_subject(subject: Recordable, infer: Infer) -> Result:
    """Infer a spec from the runs of a system, and compare it with all that is known of that.

    Parameters:
        subject: The system.
        infer: Infers the spec.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        subject.write_runs(folder)
        paths, others = (
            sorted(path for path in (folder / kind).glob("*") if path.suffix != ".yaml")
            for kind in ("runs", "held-out")
        )
        runs = read_runs(paths)
        n_requests = sum(map(len, runs.values()))
        try:
            inferred = infer(runs)
        except Exception as reason:  # a crash is a result, too
            failure = f"{type(reason).__name__}: {reason}"
            mutants = list_mutants(subject.resolved, subject.spec) if isinstance(subject, System) else ()
            missed = tuple(Killed(by_spec=False, by_states=False, by_true=False) for _ in mutants)
            return Result(subject.name, failure, n_held_out=len(others), n_requests=n_requests, mutants=missed)
        result = Result(
            subject.name,
            n_refuted=count_refuted(inferred, paths),
            n_held_out=len(others),
            n_general=sum(count_refuted(inferred, [each]) == 0 for each in others),
            n_lines=count_lines(inferred.resolved.source.text),
            n_requests=n_requests,
            n_sent=sum(count_sent(inferred.resolved, each) for each in inferred.prompts),
        )
    if not isinstance(subject, System):
        return result
    return replace(result, n_true_lines=count_lines(subject.text), mutants=tuple(kill_mutants(subject, inferred)))


def read_runs(paths: Sequence[Path]) -> Runs:
    """Read recordings as `acdl check-run` does, with their replies."""
    found = Tally().count_requests(add_earlier_messages(join_requests(open_recordings(paths).found)))
    runs: dict[str, list[Recorded]] = {}
    for each in assign_points(group_requests(found)):
        runs.setdefault(each.episode or "", []).append(each)
    return runs


def count_refuted(inferred: Inferred, paths: Sequence[Path]) -> int:
    """Count the lines that runs refute, and the requests that do not agree or are of no prompt, where it is no line."""
    requests = [each for each in open_recordings(paths).found if isinstance(each, Recorded)]
    n_refuted, n_left = 0, len(requests)
    for prompt in inferred.prompts:
        if mine := inferred.select_requests(prompt, requests):
            recordings, options = Recordings((), mine), Options(spec=prompt.name)
            checked = check_requests(inferred.resolved, recordings, options=options).checked
            n_refuted += len(checked.list_lines("refuted"))
            n_left -= checked.n_agreeing
    return n_refuted or n_left


def count_lines(text: str) -> int:
    """Count the lines of a spec in its normal form that say something."""
    lines = format_text(Source(text)).text.splitlines()
    return sum(bool(line.strip()) and not line.strip().startswith("//") for line in lines)


def count_sent(resolved: Resolved, prompt: InferredPrompt) -> int:
    """Count the requests that a prompt sends as they were recorded, with the state of each run."""
    n_sent, options = 0, Options(spec=prompt.name, missing="placeholder")
    for text, requests in zip(prompt.states, prompt.runs.values(), strict=True):
        state, growing = read_state(text).state, GrowingUnits()
        if state is None:
            continue
        for each in requests:
            units = growing.list_units(each.request)
            sent = order_by_calls(list_units(build_prompt(evaluate(resolved, state, each.at, options))))
            is_same = [unit.content for unit in sent] == [unit.content for unit in units]
            n_sent += is_same or is_sent(resolved, state, each, units, options)
    return n_sent


def kill_mutants(system: System, inferred: Inferred) -> Iterator[Killed]:
    """Yield who refutes the runs of each mutant of the true spec that sends something else."""
    true = Inferred(system.resolved, (InferredPrompt(system.spec, "", {}, ()),))
    runs = [each for each in system.runs if not each.is_held_out]
    for mutant in list_mutants(system.resolved, system.spec):
        changed: dict[int, list[Recorded]] = {}
        for number, run in enumerate(runs):
            lines = change_requests(run, mutant.resolved)
            if lines != run.lines:
                changed[number] = read_lines(lines)
                if is_refuted(inferred, changed[number]):
                    yield Killed(by_spec=True, by_states=True, by_true=True)
                    break
        else:
            if changed:
                by_states = any(is_refuted(inferred, each, number) for number, each in changed.items())
                by_true = any(is_refuted(true, each) for each in changed.values())
                yield Killed(by_spec=False, by_states=by_states, by_true=by_true)


def change_requests(run: Run, resolved: Resolved) -> tuple[dict[str, Json], ...]:
    """Return a recording of a run as another spec would have it: the model gives the same replies."""
    bodies = map(write_body, run.evaluate(resolved)[:-1])
    return tuple({**line, "request": body} for line, body in zip(run.lines, bodies, strict=True))


def read_lines(lines: Sequence[dict[str, Json]]) -> list[Recorded]:
    """Return the requests of a recording."""
    values = (Value(line, Origin("run.jsonl", number)) for number, line in enumerate(lines, 1))
    return [each for each in read(values) if isinstance(each, Recorded)]


def is_refuted(inferred: Inferred, requests: Sequence[Recorded], state_of: int | None = None) -> bool:
    """Whether the requests of a run refute a spec.

    Parameters:
        inferred: The spec.
        requests: The requests.
        state_of: The number of the run whose state says what was sent; without it, contents may be anything.
    """
    n_left = len(requests)
    for each in inferred.prompts:
        mine = inferred.select_requests(each, requests)
        state = None if state_of is None else read_state(each.states[state_of]).state
        options = Options(spec=each.name)
        if mine and check_runs(inferred.resolved, [mine], state, options, is_brief=True).is_refuted:
            return True
        n_left -= len(mine)
    return n_left > 0


# ------------------------------------------------------------------------------------------------------- large


def measure_large() -> list[Row]:
    """Rows for the time and the memory of a large recording, in a process of its own."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "large.jsonl"
        with path.open("w", encoding="utf-8") as stream:
            for number in range(1, N_LARGE_RUNS + 1):
                stream.writelines(f"{json.dumps(each)}\n" for each in make_large_run(f"run-{number}"))
        n_bytes = path.stat().st_size
        started = time.perf_counter()
        memory_mb = peak_mb([sys.executable, __file__, "--inside", str(path)])
        elapsed_ms = (time.perf_counter() - started) * 1000
    what = f"infer a spec from {N_LARGE_RUNS * N_LARGE_TURNS:,} requests, {n_bytes / 1_000_000:.0f} MB"
    return [
        Row(what, elapsed_ms, "ms", bar=f"<= {MOST_MS:g} ms", is_met=elapsed_ms <= MOST_MS),
        Row("the same: memory", memory_mb, "MB", bar=f"<= {MOST_MB} MB", is_met=memory_mb <= MOST_MB),
    ]


def make_large_run(name: str) -> Iterator[dict[str, Json]]:
    """Yield the lines of a recording of a conversation."""
    said: list[Json] = [{"role": "system", "content": "You answer questions about trains. Be brief."}]
    for turn in range(1, N_LARGE_TURNS + 1):
        said.append({"role": "user", "content": f"Question {turn} of {name}: when does the next train leave?"})
        reply: Json = {"role": "assistant", "content": f"Answer {turn} in {name}: at {turn % 24}:{turn % 60:02}."}
        choice: Json = {"index": 0, "message": reply}
        yield {"episode": name, "request": {"model": "m", "messages": [*said]}, "reply": {"choices": [choice]}}
        said.append(reply)


def main() -> None:
    """Measure systems and print what became of each, or write their runs."""
    parser = argparse.ArgumentParser(description="Measure specs that are inferred from recorded runs.")
    parser.add_argument("--system", action="append", metavar="WORD", help="those with the word in their name")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the runs there, and measure nothing")
    parser.add_argument("--seed", default="", metavar="WORD", help="draw other states and other runs of programs")
    parser.add_argument("--recordings", type=Path, nargs="+", metavar="FILE", help="measure these runs of one agent")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside is not None:
        infer(read_runs([args.inside]))
        return
    if args.recordings:
        print(rows_table(list_rows(list(measure_subjects([Others(tuple(args.recordings))]))), is_padded=True))
        return
    systems = [replace(each, seed=args.seed) for each in SYSTEMS]
    programs = [replace(each, seed=args.seed) for each in PROGRAMS]
    subjects: list[Recordable] = [*systems, *programs, *AGENTS]
    chosen = [each for each in subjects if not args.system or any(word in each.name for word in args.system)]
    if not chosen:
        parser.error(f"no such system; there are {', '.join(each.name for each in SUBJECTS)}")
    if args.keep is not None:
        for each in chosen:
            keep_runs(each, args.keep / each.name.replace("#", "."))
        return
    rows = list_rows(list(measure_subjects(chosen)))
    print(rows_table(rows if args.system else [*rows, *measure_large()], is_padded=True))


def keep_runs(subject: Recordable, folder: Path) -> None:
    """Write the runs of a system, with the true spec if there is one."""
    folder.mkdir(parents=True, exist_ok=True)
    subject.write_runs(folder)
    if isinstance(subject, System):
        (folder / f"{subject.spec}.acdl").write_text(subject.text, "utf-8")
    print(folder)


if __name__ == "__main__":
    main()

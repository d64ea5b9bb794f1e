"""What `acdl playbook learn` needs beside its options: threads that can be stopped, a bar, and its last words."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import TypeAlias

from acdl_mkdocs.cli.messages import complain, show_bar
from acdl_mkdocs.cli.playbook_models import agent_of, price_of, samples_of
from acdl_mkdocs.counted import counted
from acdl_mkdocs.errors import RunError
from acdl_mkdocs.learning.agents import Agent
from acdl_mkdocs.learning.datasets import Sample, limited
from acdl_mkdocs.learning.loop import Progress, Ran
from acdl_mkdocs.learning.recorded_runs import read_runs
from acdl_mkdocs.learning.report_text import flat, known_part
from acdl_mkdocs.learning.score_file import Scores, read_scores
from acdl_mkdocs.models import Model, Reply
from acdl_mkdocs.prompt import Json, Prompt

Questions: TypeAlias = tuple[tuple[Sample, ...], Agent | None, Scores | None]
"""What there is to learn from, who answers in place of the model, and what is known of the answers."""


def questions(args: argparse.Namespace) -> Questions | None:
    """The questions, or the runs that were recorded; where something is wrong with them, that is said.

    Raises:
        AcdlError: The agent cannot be found, or the recordings cannot be read.
        OSError: A file cannot be read.
    """
    wrong = (
        "--agent answers questions, and recorded runs are answered: leave out one of `--agent` and `--recorded`"
        if args.recorded and args.agent
        else "--scores is about recorded runs: add `--recorded`"
        if args.scores and not args.recorded
        else None
    )
    if wrong:
        complain(wrong)
        return None
    if args.recorded:
        return _recorded(args)
    samples = samples_of(args)
    return None if samples is None else (samples, agent_of(args), None)


def _recorded(args: argparse.Namespace) -> Questions | None:
    runs = read_runs([args.dataset])
    for note in runs.notes:
        complain(note)
    samples = limited(runs.samples, args.limit, args.seed)
    if args.scores is None:
        return samples, runs.agent, None
    read = read_scores(args.scores)
    wrong = [f"{args.scores}:{each}" for each in (*read.problems, *read.unknown(runs.agent.runs))]
    for said in wrong[:_MAX_SHOWN]:
        complain(said)
    return None if wrong else (samples, runs.agent, read.scores)


_MAX_SHOWN = 20


class Stoppable:
    """A model that is asked nothing more once it is stopped; what was asked before is waited for and kept."""

    def __init__(self, model: Model) -> None:
        self.name = model.name
        self.is_stopped = Event()
        self._model = model

    def complete(
        self,
        prompt: Prompt,
        *,
        json_schema: Mapping[str, Json] | None = None,
        max_model_tokens: int | None = None,
        temperature: float = 0.0,
        seed: int | None = None,
    ) -> Reply:
        """The reply of the model.

        Raises:
            RunError: It was stopped; nobody waits for a reply.
        """
        if self.is_stopped.is_set():
            raise RunError("stopped")
        return self._model.complete(
            prompt, json_schema=json_schema, max_model_tokens=max_model_tokens, temperature=temperature, seed=seed
        )


@contextmanager
def workers(number: int, model: Stoppable) -> Iterator[Executor | None]:
    """Threads, if more than one question may be asked at a time; interrupted, they end after the call they are at."""
    if number == 1:
        yield None
        return
    with ThreadPoolExecutor(number) as threads:
        try:
            yield threads
        except BaseException:
            model.is_stopped.set()
            raise


def show_progress(progress: Progress) -> None:
    """Show on a terminal how far a run is, and how right it was so far."""
    accuracy = progress.totals.accuracy
    show_bar(progress.n_done, progress.n_all, "" if accuracy is None else f" accuracy {accuracy:.0%}")


def print_learned(ran: Ran, args: argparse.Namespace, notes: Sequence[str] = ()) -> None:
    """Print the summary of a run that is finished."""
    totals, playbook, usage = ran.totals, ran.playbook, ran.totals.usage
    right = f"{totals.n_right} right at once, {totals.n_right_later} after a reflection"
    print(f"{counted(totals.n_questions, 'question')}: {right}, {totals.n_failures} not answered")
    for reason, n in totals.failures.items():
        print(f"not answered ({n}): {flat(reason)}")
    if totals.accuracy is not None:
        told = [value for point in ran.points if isinstance(value := point.get("accuracy"), float)]
        course = f", from {told[0]:.1%} to {told[-1]:.1%}" if len(told) > 1 else ""
        print(f"accuracy of first answers: {totals.accuracy:.1%}{course}")
    active = counted(len(playbook.active), "lesson")
    print(f"{args.playbook}: revision {playbook.revision}, {active}, {totals.n_rejected} operations refused")
    if totals.n_unknown_ids:
        print(f"{counted(totals.n_unknown_ids, 'id')} that the model cited or tagged did not exist and counted nothing")
    price = price_of(args)
    cost = "" if price is None else f", cost {known_part(usage, f'{price.of(usage):.4f}')}"
    sent, received = (f"{each:,}" for each in (usage.prompt_model_tokens, usage.reply_model_tokens))
    print(f"model tokens: {known_part(usage, sent)} sent, {known_part(usage, received)} received{cost}")
    if usage.n_unreported:
        print(f"{counted(usage.n_unreported, 'call')} did not report how many model tokens they took")
    for note in notes:
        print(f"note: {note}")
    print(f"run: {ran.folder} ({ran.run})")

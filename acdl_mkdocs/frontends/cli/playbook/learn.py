"""acdl playbook learn: learn from questions with a model: answer, reflect, curate; resumes a stopped run."""

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event
from typing import TypeAlias, Unpack

from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import clear_bar, print_error, show_bar
from acdl_mkdocs.frontends.cli.playbook import models as playbook_models
from acdl_mkdocs.frontends.cli.playbook.files import add_time, run_guarded, time_of, warn_of_policy
from acdl_mkdocs.frontends.cli.playbook.models import agent_of, feedback_of, price_of, samples_of
from acdl_mkdocs.frontends.cli.writing import print_sentence
from acdl_mkdocs.playbook.learn.agents import Agent, with_agent
from acdl_mkdocs.playbook.learn.datasets import Sample, limit_samples
from acdl_mkdocs.playbook.learn.loop import MAX_EPOCHS, Around, Progress, RunResult, Settings, offline, online
from acdl_mkdocs.playbook.learn.models import CallSettings, Model, Reply
from acdl_mkdocs.playbook.learn.recorded_runs import read_runs
from acdl_mkdocs.playbook.learn.report import flatten_lines, format_reported_amount
from acdl_mkdocs.playbook.learn.role_models import ROLES, ByRole
from acdl_mkdocs.playbook.learn.roles import MAX_REFLECTOR_ROUNDS
from acdl_mkdocs.playbook.learn.score_file import read_scores
from acdl_mkdocs.playbook.learn.scorers import Watch
from acdl_mkdocs.playbook.learn.validation import BEST_FILE, Validation, usage_of
from acdl_mkdocs.prompts.prompt import Prompt

Questions: TypeAlias = tuple[tuple[Sample, ...], Agent | None, Watch | None]
"""The samples, the agent that answers in place of the model, and the feedback on answers."""


def read_questions(args: argparse.Namespace) -> Questions | None:
    """Return the questions, or the recorded runs; problems with them are printed.

    Raises:
        AcdlError: The agent cannot be found, or the recordings cannot be read.
        OSError: A file cannot be read.
    """
    wrong = (
        "--agent answers questions, and recorded runs are answered: leave out one of `--agent` and `--recorded`"
        if args.recorded and args.agent
        else "--scores is about recorded runs: add `--recorded`"
        if args.scores and not args.recorded
        else "both say what came of a recorded run: leave out one of `--scores` and `--feedback`"
        if args.scores and args.feedback
        else "recorded runs answer no other question: leave out `--warm-up` and `--validation`"
        if args.recorded and (args.warm_up or args.validation)
        else "it is not the generator that answers: leave out `--role generator`"
        if (args.recorded or args.agent) and any(role == "generator" for role, *_ in args.role)
        else None
    )
    if wrong:
        print_error(wrong)
        return None
    if args.recorded:
        return _read_recorded(args)
    samples = samples_of(args)
    return None if samples is None else (samples, agent_of(args), feedback_of(args))


def _read_recorded(args: argparse.Namespace) -> Questions | None:
    runs = read_runs([args.dataset])
    for note in runs.notes:
        print_error(note)
    samples = limit_samples(runs.samples, args.limit, args.seed)
    if args.scores is None:
        return samples, runs.agent, feedback_of(args)
    read = read_scores(args.scores)
    wrong = [f"{args.scores}:{each}" for each in (*read.problems, *read.find_unknown(runs.agent.runs))]
    for problem in wrong[:_MAX_SHOWN]:
        print_error(problem)
    return None if wrong else (samples, runs.agent, read.scores)


_MAX_SHOWN = 20


class StoppableModel:
    """A model that takes no more questions once it is stopped; pending ones are awaited and kept.

    Parameters:
        model: The model.
        is_stopped: The event that stops all models of a run.
    """

    def __init__(self, model: Model, is_stopped: Event) -> None:
        self.name = model.name
        self.description = getattr(model, "description", model.name)
        self.model, self.is_stopped = model, is_stopped

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the model about its server."""
        return tuple(getattr(self.model, "notes", ()))

    def complete(self, prompt: Prompt, **settings: Unpack[CallSettings]) -> Reply:
        """Return the reply of the model.

        Raises:
            RunError: It was stopped; the reply is not needed.
        """
        if self.is_stopped.is_set():
            raise RunError("stopped")
        return self.model.complete(prompt, **settings)


def make_stoppable(models: ByRole, is_stopped: Event) -> ByRole:
    """Return models that all stop together."""
    return ByRole(*(StoppableModel(getattr(models, role), is_stopped) for role in ROLES))


def notes_of(models: ByRole) -> tuple[str, ...]:
    """Return the notes of models about their servers, each once."""
    return tuple(dict.fromkeys(note for role in ROLES for note in getattr(models, role).notes))


@contextmanager
def start_workers(number: int, is_stopped: Event) -> Iterator[Executor | None]:
    """Yield threads, if several questions may be asked at a time; interrupted, they end after their current call."""
    if number == 1:
        yield None
        return
    with ThreadPoolExecutor(number) as threads:
        try:
            yield threads
        except BaseException:
            is_stopped.set()
            raise


def show_progress(progress: Progress) -> None:
    """Show on a terminal the progress of a run, and its accuracy so far."""
    accuracy = progress.totals.accuracy
    show_bar(progress.n_done, progress.n_all, "" if accuracy is None else f" accuracy {accuracy:.0%}")


def print_learned(result: RunResult, args: argparse.Namespace, notes: Sequence[str] = ()) -> None:
    """Print the summary of a finished run."""
    totals, playbook = result.totals, result.playbook
    right = f"{totals.n_right} right at once, {totals.n_right_later} after a reflection"
    print_sentence(f"{format_count(totals.n_questions, 'question')}: {right}, {totals.n_failures} not answered")
    for reason, n in totals.failures.items():
        print_sentence(f"not answered ({n}): {flatten_lines(reason)}")
    if totals.accuracy is not None:
        accuracies = [value for point in result.points if isinstance(value := point.get("accuracy"), float)]
        course = f", from {accuracies[0]:.1%} to {accuracies[-1]:.1%}" if len(accuracies) > 1 else ""
        print_sentence(f"accuracy of first answers: {totals.accuracy:.1%}{course}")
    if len(result.epochs) > 1:
        names = [f"epoch {n}" for n in range(1, len(result.epochs) + 1)]
        if args.online:
            names = [*(f"warm-up {name}" for name in names[:-1]), "stream"]
        pairs = zip(names, (each.accuracy for each in result.epochs), strict=True)
        print(", ".join(f"{name}: {value:.1%}" for name, value in pairs if value is not None))
    if result.best is not None:
        first, last = (result.validations[idx].get("accuracy") for idx in (0, -1))
        best = f"best {result.best.get('accuracy'):.1%} at revision {result.best.get('revision')}"
        print_sentence(f"validation: from {first:.1%} to {last:.1%}, {best}: {result.folder / BEST_FILE}")
        _print_kept(result, args)
    active = format_count(len(playbook.active), "lesson")
    print_sentence(f"{args.playbook}: revision {playbook.revision}, {active}, {totals.n_rejected} operations refused")
    if totals.n_unknown_ids:
        print_sentence(
            f"{format_count(totals.n_unknown_ids, 'id')} that the model cited or tagged did not exist and "
            "counted nothing"
        )
    _print_usage(result, args, notes)
    print_sentence(f"run: {result.folder} ({result.run})")


def _print_kept(result: RunResult, args: argparse.Namespace) -> None:
    """Print the revision of the playbook after a validation, and how to choose the other one."""
    path, now, best = args.playbook, result.playbook.revision, result.best and result.best.get("revision")
    if result.last is not None:
        print_sentence(f"{path}: revision {now} is as the best one was, {best}")
        print_sentence(f"for the last one, revision {result.last}: acdl playbook undo {path} {now}")
    elif best != result.validations[-1].get("revision"):
        why = result.not_kept or f"for the best one: acdl playbook undo {path} --to {best}"
        print_sentence(f"{path}: is the last revision, and not the best one; {why}")


def _print_usage(result: RunResult, args: argparse.Namespace, notes: Sequence[str]) -> None:
    usage = sum((usage_of(each) for each in result.validations), result.totals.usage)
    price = price_of(args)
    is_one_price = price is not None and not any("model=" in word for role in args.role for word in role)
    cost = (
        f", cost {format_reported_amount(usage, f'{price.cost_of(usage):.4f}')}"
        if price is not None and is_one_price
        else ""
    )
    if price is not None and not is_one_price:
        notes = (*notes, "the cost is not known: roles have models of their own, and prices are of one")
    sent, received = (f"{each:,}" for each in (usage.prompt_model_tokens, usage.reply_model_tokens))
    print_sentence(
        f"model tokens: {format_reported_amount(usage, sent)} sent, {format_reported_amount(usage, received)} "
        f"received{cost}"
    )
    if usage.n_unreported:
        print_sentence(f"{format_count(usage.n_unreported, 'call')} did not report how many model tokens they took")
    if result.judged.n_pairs:
        used = result.judged.usage.prompt_model_tokens + result.judged.usage.reply_model_tokens
        print_sentence(
            f"{format_count(result.judged.n_pairs, 'pair')} of near lessons judged, with {used:,} model tokens more"
        )
    for note in (*dict.fromkeys(f"near lessons were not judged: {each}" for each in result.judged.failures), *notes):
        print_sentence(f"note: {note}")


_ABOUT = (
    "The result does not depend on --workers, nor on how often the run is killed and resumed: the same command "
    "resumes where it stopped, and never pays for a reply twice."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = _ABOUT
    parser.add_argument("--playbook", type=Path, required=True, metavar="PLAYBOOK", help="playbook to teach")
    run = parser.add_argument_group("run")
    for name, default, about in (
        ("--epochs", 1, f"passes over the data set, or the warm-up, 1 to {MAX_EPOCHS} (default: 1)"),
        ("--batch", 1, "questions per delta: the curator sees all their reflections (default: 1)"),
        (
            "--rounds",
            MAX_REFLECTOR_ROUNDS,
            "maximum number of reflections on one question (default and maximum: %(default)s)",
        ),
        (
            "--window",
            1,
            "questions to answer before learning from them; more --workers than this have no effect (default: 1)",
        ),
        ("--top", None, "answer with the N lessons most relevant to the question (default: all lessons)"),
    ):
        run.add_argument(name, type=playbook_models.parse_at_least(1), default=default, metavar="N", help=about)
    run.add_argument("--online", action="store_true", help="go through the data set once, in order")
    run.add_argument(
        "--warm-up", type=Path, metavar="FILE", help="with --online: first learn from this training set, with --epochs"
    )
    _add_validation_arguments(run)
    run.add_argument("--run", dest="folder", type=Path, metavar="DIR", help="folder of the run (default: PLAYBOOK.run)")
    begin = run.add_mutually_exclusive_group()
    for name, about in (
        ("resume", "only resume a stopped run"),
        ("restart", "start over; the files of the old run are kept aside"),
    ):
        begin.add_argument(f"--{name}", dest="begin", action="store_const", const=name, default="auto", help=about)
    playbook_models.add_dataset_arguments(parser)
    playbook_models.add_agent_argument(parser)
    _add_recorded_arguments(parser)
    playbook_models.add_role_arguments(playbook_models.add_model_arguments(parser))
    add_time(parser)


def _add_validation_arguments(run: "argparse._ArgumentGroup") -> None:
    run.add_argument(
        "--validation",
        type=Path,
        metavar="FILE",
        help="questions that decide which revision is best; they are not learned from",
    )
    run.add_argument(
        "--validate-every", type=playbook_models.parse_at_least(1), metavar="N",
        help="validate after this many questions (default: after each epoch)",
    )  # fmt: skip
    run.add_argument(
        "--keep", choices=("best", "last"),
        help="revision to keep at the end; `best` needs --validation (default: best with --validation, otherwise last)",
    )  # fmt: skip


def _add_recorded_arguments(parser: argparse.ArgumentParser) -> None:
    recorded = parser.add_argument_group("recorded runs")
    recorded.add_argument(
        "--recorded",
        action="store_true",
        help="DATASET is a file or folder of recorded runs, in any format that `acdl check-run` reads: nothing is "
        "asked again, and the model reflects on what the agent did",
    )
    recorded.add_argument(
        "--scores", type=Path, metavar="FILE", help="score of each recorded run, 0 to 1: JSON, JSON lines or CSV"
    )


def run(args: argparse.Namespace) -> int:
    """Learn; return 1 if the model failed on a question, 2 if the run could not start or continue, 130 if stopped."""
    try:
        return run_guarded(_learn_playbook, args)
    except KeyboardInterrupt:
        print_error("stopped; the same command resumes where it was")
        raise


def _learn_playbook(args: argparse.Namespace) -> int:
    if args.warm_up is not None and not args.online:
        print_error("--warm-up is for --online: without it, the data set itself is the training set")
        return 2
    if args.validation is None and (args.keep == "best" or args.validate_every is not None):
        print_error(
            f"--{'keep best' if args.keep else 'validate-every'} needs questions that decide: add --validation FILE"
        )
        return 2
    source = read_questions(args)
    warm_up = () if args.warm_up is None else playbook_models.more_samples(args.warm_up, args)
    validating = () if args.validation is None else playbook_models.more_samples(args.validation, args)
    if source is None or warm_up is None or validating is None:
        return 2
    samples, _, feedback = source
    if feedback is None and all(sample.answer is None for sample in samples):
        print_error(f"{args.dataset}: no answer is known, so it learns from what the model says of itself alone")
    if feedback is None and validating and all(sample.answer is None for sample in validating):
        print_error(f"{args.validation}: no answer is known, so nothing can be validated with it")
        return 2
    ran, notes = _run_learning(args, source, warm_up, validating)
    print_learned(ran, args, notes)
    return int(ran.totals.n_failures > 0)


def _run_learning(
    args: argparse.Namespace,
    source: Questions,
    warm_up: "Sequence[Sample]",
    validating: "Sequence[Sample]",
) -> "tuple[RunResult, tuple[str, ...]]":
    """Run the learning, and return the result with the notes of its models about their servers."""
    samples, agent, feedback = source
    is_stopped = Event()
    models = make_stoppable(playbook_models.models_of(args), is_stopped)
    if agent is not None:
        models = with_agent(models, agent)
    scorer = playbook_models.scorer_of(args)
    settings = Settings(
        epochs=args.epochs, rounds=args.rounds, batch=args.batch, window=args.window, seed=args.seed, top=args.top
    )
    n_at_once = args.workers if validating else min(args.workers, max(args.window, args.batch))
    with start_workers(n_at_once, is_stopped) as executor:
        around = Around(
            folder=args.folder,
            begin=args.begin,
            executor=executor,
            now=lambda: time_of(args),
            tell=show_progress,
            say=print_error,
            tell_validation=lambda n_done, n_all: show_bar(n_done, n_all, " validation"),
        )
        validation = Validation(validating, args.validate_every, args.keep or "best") if validating else None
        learn = partial(online, warm_up=warm_up) if args.online else offline
        try:
            ran = learn(
                args.playbook,
                samples,
                models,
                settings,
                around,
                scorer=scorer,
                feedback=feedback,
                validation=validation,
            )
        finally:
            clear_bar()
    warn_of_policy(ran.playbook)
    return ran, notes_of(models)

"""acdl playbook learn: learn from questions with a model: answer, reflect, curate; goes on where it was stopped."""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from acdl_mkdocs.cli import playbook_models
from acdl_mkdocs.cli.messages import clear_bar, complain, show_bar
from acdl_mkdocs.cli.playbook_files import add_time, guarded, time_of, warn_of_policy
from acdl_mkdocs.cli.playbook_learning import (
    Questions,
    notes_of,
    print_learned,
    questions,
    show_progress,
    stoppable,
    workers,
)
from acdl_mkdocs.playbook.learn.agents import with_agent
from acdl_mkdocs.playbook.learn.loop import MAX_EPOCHS, Around, Settings, offline, online
from acdl_mkdocs.playbook.learn.roles import MAX_REFLECTOR_ROUNDS
from acdl_mkdocs.playbook.learn.validation import Validation

if TYPE_CHECKING:
    from acdl_mkdocs.playbook.learn.datasets import Sample
    from acdl_mkdocs.playbook.learn.loop import Ran

_ABOUT = (
    "What is learned does not depend on --workers, nor on how often the run is killed and gone on with: the same "
    "command goes on where it stopped, and pays for no reply twice."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.epilog = _ABOUT
    parser.add_argument("--playbook", type=Path, required=True, metavar="PLAYBOOK", help="the playbook that learns")
    run = parser.add_argument_group("run")
    for name, default, about in (
        ("--epochs", 1, f"times through the data set, or the warm-up, 1 to {MAX_EPOCHS} (default: 1)"),
        ("--batch", 1, "questions that one delta is made of: the curator sees all reflections (default: 1)"),
        ("--rounds", MAX_REFLECTOR_ROUNDS, "most reflections on one question (default, and most: %(default)s)"),
        ("--window", 1, "questions answered before they are learned from; more --workers are of no use (default: 1)"),
        ("--top", None, "answer with the N lessons nearest to the question (default: with all)"),
    ):
        run.add_argument(name, type=playbook_models.at_least(1), default=default, metavar="N", help=about)
    run.add_argument("--online", action="store_true", help="once through the data set, in its order")
    run.add_argument(
        "--warm-up", type=Path, metavar="FILE", help="learn from this training set first, with --epochs; for --online"
    )
    _add_validation_arguments(run)
    run.add_argument("--run", dest="folder", type=Path, metavar="DIR", help="folder of the run (default: PLAYBOOK.run)")
    begin = run.add_mutually_exclusive_group()
    for name, about in (
        ("resume", "only go on with a run that was stopped"),
        ("restart", "begin anew; the files of the old run are kept aside"),
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
        help="questions that are not learned from, and decide which revision is the best",
    )
    run.add_argument(
        "--validate-every", type=playbook_models.at_least(1), metavar="N",
        help="questions after which to validate (default: after each epoch)",
    )  # fmt: skip
    run.add_argument(
        "--keep", choices=("best", "last"),
        help="which revision the playbook is in the end; `best` needs --validation (default: best, if it can be known)",
    )  # fmt: skip


def _add_recorded_arguments(parser: argparse.ArgumentParser) -> None:
    recorded = parser.add_argument_group("recorded runs")
    recorded.add_argument(
        "--recorded",
        action="store_true",
        help="DATASET has recorded runs, a file or a folder, in any form that `acdl check-run` reads: nothing is asked "
        "again, and the model reflects on what the agent did",
    )
    recorded.add_argument(
        "--scores", type=Path, metavar="FILE", help="what came of each recorded run, 0 to 1: JSON, JSON lines or CSV"
    )


def run(args: argparse.Namespace) -> int:
    """Learn; 1 if the model failed on some question, 2 if the run could not begin or go on, 130 if interrupted."""
    try:
        return guarded(_learn, args)
    except KeyboardInterrupt:
        complain("stopped; the same command goes on where it was")
        raise


def _learn(args: argparse.Namespace) -> int:
    if args.warm_up is not None and not args.online:
        complain("--warm-up is for --online: without it, the data set itself is the training set")
        return 2
    if args.validation is None and (args.keep == "best" or args.validate_every is not None):
        complain(
            f"--{'keep best' if args.keep else 'validate-every'} needs questions that decide: add --validation FILE"
        )
        return 2
    source = questions(args)
    warm_up = () if args.warm_up is None else playbook_models.more_samples(args.warm_up, args)
    validating = () if args.validation is None else playbook_models.more_samples(args.validation, args)
    if source is None or warm_up is None or validating is None:
        return 2
    samples, _, feedback = source
    if feedback is None and all(sample.answer is None for sample in samples):
        complain(f"{args.dataset}: no answer is known, so it learns from what the model says of itself alone")
    if feedback is None and validating and all(sample.answer is None for sample in validating):
        complain(f"{args.validation}: no answer is known, so nothing can be validated with it")
        return 2
    ran, notes = _ran(args, source, warm_up, validating)
    print_learned(ran, args, notes)
    return int(ran.totals.n_failures > 0)


def _ran(
    args: argparse.Namespace,
    source: Questions,
    warm_up: "Sequence[Sample]",
    validating: "Sequence[Sample]",
) -> "tuple[Ran, tuple[str, ...]]":
    """What the run came to, and what its models have to say about their servers."""
    samples, agent, feedback = source
    is_stopped = Event()
    models = stoppable(playbook_models.models_of(args), is_stopped)
    if agent is not None:
        models = with_agent(models, agent)
    scorer = playbook_models.scorer_of(args)
    settings = Settings(
        epochs=args.epochs, rounds=args.rounds, batch=args.batch, window=args.window, seed=args.seed, top=args.top
    )
    n_at_once = args.workers if validating else min(args.workers, max(args.window, args.batch))
    with workers(n_at_once, is_stopped) as executor:
        around = Around(
            folder=args.folder,
            begin=args.begin,
            executor=executor,
            now=lambda: time_of(args),
            tell=show_progress,
            say=complain,
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

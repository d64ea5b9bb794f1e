"""acdl playbook learn: learn from questions with a model: answer, reflect, curate; goes on where it was stopped."""

import argparse
from pathlib import Path

from acdl_mkdocs.cli import playbook_models
from acdl_mkdocs.cli.messages import clear_bar, complain
from acdl_mkdocs.cli.playbook_evaluating import STOPPED
from acdl_mkdocs.cli.playbook_files import add_time, guarded, time_of
from acdl_mkdocs.cli.playbook_learning import Stoppable, print_learned, questions, show_progress, workers
from acdl_mkdocs.learning.agents import WithAgent
from acdl_mkdocs.learning.loop import MAX_EPOCHS, Around, Settings, offline, online
from acdl_mkdocs.learning.roles import MAX_REFLECTOR_ROUNDS

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
        ("--epochs", 1, f"times through the data set, 1 to {MAX_EPOCHS} (default: 1)"),
        ("--rounds", MAX_REFLECTOR_ROUNDS, "most reflections on one question (default, and most: %(default)s)"),
        ("--window", 1, "questions answered before they are learned from; more --workers are of no use (default: 1)"),
        ("--top", None, "answer with the N lessons nearest to the question (default: with all)"),
    ):
        run.add_argument(name, type=playbook_models.at_least(1), default=default, metavar="N", help=about)
    run.add_argument("--online", action="store_true", help="once through the data set, in its order")
    run.add_argument("--run", dest="folder", type=Path, metavar="DIR", help="folder of the run (default: PLAYBOOK.run)")
    begin = run.add_mutually_exclusive_group()
    for name, about in (
        ("resume", "only go on with a run that was stopped"),
        ("restart", "begin anew; the files of the old run are kept aside"),
    ):
        begin.add_argument(f"--{name}", dest="begin", action="store_const", const=name, default="auto", help=about)
    playbook_models.add_dataset_arguments(parser)
    playbook_models.add_agent_argument(parser)
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
    playbook_models.add_model_arguments(parser)
    add_time(parser)


def run(args: argparse.Namespace) -> int:
    """Learn; 1 if the model failed on some question, 2 if the run could not begin or go on, 130 if interrupted."""
    try:
        return guarded(_learn, args)
    except KeyboardInterrupt:
        complain("stopped; the same command goes on where it was")
        return STOPPED


def _learn(args: argparse.Namespace) -> int:
    source = questions(args)
    if source is None:
        return 2
    samples, agent, scores = source
    if scores is None and all(sample.answer is None for sample in samples):
        complain(f"{args.dataset}: no answer is known, so it learns from what the model says of itself alone")
    model, scorer = playbook_models.model_of(args), playbook_models.scorer_of(args)
    settings = Settings(epochs=args.epochs, rounds=args.rounds, window=args.window, seed=args.seed, top=args.top)
    asked = Stoppable(model)
    roles = asked if agent is None else WithAgent(asked, agent)
    with workers(min(args.workers, args.window), asked) as executor:
        around = Around(
            folder=args.folder,
            begin=args.begin,
            executor=executor,
            now=lambda: time_of(args),
            tell=show_progress,
            say=complain,
        )
        learn = online if args.online else offline
        try:
            ran = learn(args.playbook, samples, roles, settings, around, scorer=scorer, feedback=scores)
        finally:
            clear_bar()
    print_learned(ran, args, tuple(getattr(model, "notes", ())))
    return int(ran.totals.n_failures > 0)

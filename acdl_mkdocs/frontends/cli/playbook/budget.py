"""How much of a playbook is shown or written: `--budget`, `--all`, and a note about the rest."""

import argparse
from collections.abc import Callable
from dataclasses import replace

from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import print_error
from acdl_mkdocs.playbook.model.bullets import Playbook


def add_budget(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare the options for the size of the output."""
    how_much = parser.add_mutually_exclusive_group()
    how_much.add_argument(
        "--budget",
        metavar="N",
        type=parse_positive_integer,
        help=f"the best lessons that fit into N model tokens ({what}; default: the budget in the playbook's policy)",
    )
    how_much.add_argument("--all", action="store_true", dest="is_all", help="every lesson, regardless of the budget")


def parse_positive_integer(text: str) -> int:
    """Parse a number from 1."""
    if not (text.isascii() and text.isdigit() and 0 < int(text[:16]) < 10**15):
        raise argparse.ArgumentTypeError(f"`{text[:80]}` is not a whole number from 1")
    return int(text)


def fit_to_budget(playbook: Playbook, args: argparse.Namespace, write: Callable[[Playbook], str]) -> Playbook:
    """Return the playbook with as many of its active bullets as fit the budget; print how many are left out.

    Parameters:
        playbook: The playbook with the wanted bullets.
        args: The arguments, with `playbook`, `budget` and `is_all`.
        write: Returns the text whose tokens are counted.
    """
    from acdl_mkdocs.playbook.model.pruning import select_within_budget
    from acdl_mkdocs.prompts.tokens.counter import counter

    budget = args.budget if args.budget is not None else playbook.policy.budget_model_tokens
    if budget is None or args.is_all:
        return playbook
    count = counter(playbook.policy.encoding or "estimate").count
    bullets = select_within_budget(playbook, count, budget, write)
    n_active = len(playbook.active)
    n_gone = n_active - len(bullets)
    if n_active and not bullets:
        print_error(
            f"{args.playbook}: no lesson fits into {format_count(budget, 'model token')}; give a larger --budget"
        )
    elif n_gone:
        rest = f"over the budget of {format_count(budget, 'model token')}; --all has every lesson"
        print_error(f"{args.playbook}: {format_count(n_gone, 'lesson')} left out: {rest}")
    return replace(playbook, bullets=bullets) if n_gone else playbook

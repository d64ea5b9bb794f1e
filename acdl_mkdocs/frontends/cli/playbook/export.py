"""acdl playbook export: write a playbook as text, JSON, CSV, a block of AGENTS.md, a skill or a feed."""

import argparse

from acdl_mkdocs.frontends.cli.playbook.budget import add_budget, parse_positive_integer
from acdl_mkdocs.frontends.cli.playbook.files import add_playbook, run_guarded
from acdl_mkdocs.playbook.exchange import DEFAULT_TOP, EXCHANGES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_playbook(parser)
    parser.add_argument(
        "--format",
        choices=list(EXCHANGES),
        help="output format (default: from the suffix of -o, or text); `json` and `csv` contain everything, the "
        "others active lessons without `publish: false`",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("-o", "--output", metavar="FILE", help="file to write (default: standard output)")
    where.add_argument(
        "--into", metavar="FILE", help="put the block into FILE, such as AGENTS.md, and keep the rest of it"
    )
    parser.add_argument(
        "--top",
        metavar="N",
        type=parse_positive_integer,
        help="the best N lessons, ranked as on the page; with --task, the most relevant",
    )
    parser.add_argument(
        "--task",
        metavar="TEXT",
        help=f"lessons for this task: pinned and critical ones, then the {DEFAULT_TOP} (or --top N) most relevant",
    )
    add_budget(parser, "text, agents-md, skill")


def run(args: argparse.Namespace) -> int:
    """Write it; return 1 if FILE has damaged markers, 2 if something could not be read, written or overwritten."""
    from acdl_mkdocs.frontends.cli.playbook.exporting import export_playbook

    return run_guarded(export_playbook, args)

"""acdl playbook merge: merge two branches of a playbook (a merge driver for git), or set up git to use it."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "base", nargs="?", metavar="BASE", help="the file in the common ancestor of both branches (%%O)"
    )
    parser.add_argument(
        "ours", nargs="?", metavar="OURS", help="the file in this branch (%%A), which receives the result"
    )
    parser.add_argument("theirs", nargs="?", metavar="THEIRS", help="the file in the other branch (%%B)")
    parser.add_argument("path", nargs="?", metavar="PATH", help="path of the file in the repository (%%P)")
    parser.add_argument("--setup", action="store_true", help="configure git to merge playbooks with this command")
    parser.add_argument(
        "--file", action="append", default=[], metavar="PLAYBOOK", help="with --setup: a playbook with another name"
    )
    parser.add_argument("--global", dest="is_global", action="store_true", help="set up git for all repositories")
    parser.add_argument("--print", dest="is_print", action="store_true", help="only print what --setup would do")


def run(args: argparse.Namespace) -> int:
    """Merge or set up; return 1 if a file cannot be understood, 2 if one cannot be read or written."""
    from acdl_mkdocs.frontends.cli.playbook.git import merge_files, set_up

    return set_up(args) if args.setup else merge_files(args)

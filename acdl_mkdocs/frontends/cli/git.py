"""acdl git: make `git diff` and `git difftool` show what changed in specs."""

import argparse

_ABOUT = (
    "`acdl git setup` writes `diff.acdl.command` and `difftool.acdl.cmd` into the configuration of this repository. "
    "Git uses the first for files that have `diff=acdl` in `.gitattributes`, the second for `git difftool -t acdl`."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = _ABOUT
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    setup = actions.add_parser("setup", help="configure git to compare specs with this program")
    setup.add_argument("--global", dest="is_global", action="store_true", help="for all your repositories")
    setup.add_argument("--attributes", action="store_true", help="also write the line in .gitattributes")
    setup.add_argument("--remove", action="store_true", help="undo the setup")
    setup.add_argument("--print", dest="is_print", action="store_true", help="only print what the setup would do")
    setup.set_defaults(act=_run_setup)
    driver = actions.add_parser("driver", help="show one pair of files; git calls this")
    driver.add_argument("given", nargs=argparse.REMAINDER, metavar="PATH OLD …", help="as git gives them: 7 or 9 words")
    driver.set_defaults(act=_run_driver)
    tool = actions.add_parser("difftool", help="show one pair of files or folders; `git difftool` calls this")
    tool.add_argument("given", nargs=argparse.REMAINDER, metavar="OLD NEW PATH", help="as git gives them: three words")
    tool.set_defaults(act=_run_difftool)


def run(args: argparse.Namespace) -> int:
    """Run the action; the set-up returns 2 if git is missing or refuses, the others always 0."""
    return int(args.act(args))


def _run_setup(args: argparse.Namespace) -> int:
    from acdl_mkdocs.frontends.cli.git_setup import set_up

    return set_up(args)


def _run_driver(args: argparse.Namespace) -> int:
    from acdl_mkdocs.frontends.cli.git_driver import show_pair

    return show_pair(args.given[args.given[:1] == ["--"] :], args.color)


def _run_difftool(args: argparse.Namespace) -> int:
    from acdl_mkdocs.frontends.cli.git_driver import show_tool

    return show_tool(args.given[args.given[:1] == ["--"] :], args.color)

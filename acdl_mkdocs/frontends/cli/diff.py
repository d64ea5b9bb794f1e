"""acdl diff: show what changed between two specs, and whether the change can affect the prompt."""

import argparse
import os
from collections.abc import Sequence

from acdl_mkdocs.compare.formats import COMPARISONS
from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.frontends.cli.messages import RANGE_HELP, StoppedError, print_error
from acdl_mkdocs.frontends.cli.output_format import add_format


class _GitAction(argparse.Action):
    """The option `--git`, with which no two sides have to be named."""

    sides: Sequence[argparse.Action] = ()

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002 - as it is called
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,  # noqa: ARG002 - as it is called
    ) -> None:
        """Store the compared commits."""
        for side in self.sides:
            side.required = False
        setattr(namespace, self.dest, values)


def add_sides(parser: argparse.ArgumentParser) -> None:
    """Declare OLD, NEW and `--git`."""
    help_text = ".acdl file, page or folder, `REV:path`, or `-`; add `#Name` for one spec"
    old = parser.add_argument("old", metavar="OLD", help=help_text)
    new = parser.add_argument("new", metavar="NEW", help="the other side, in the same form")
    git = parser.add_argument(
        "--git",
        nargs="+",
        action=_GitAction,
        metavar=("BASE", "PATH"),
        help="instead of OLD and NEW: what changed in a repository since BASE, in all specs or in PATHs; `A..B` "
        "compares two commits, `main...HEAD` shows what a branch changed; do not write `--` before PATH",
    )
    parser.usage = "acdl diff [OPTIONS] OLD NEW\n       acdl diff [OPTIONS] --git BASE [PATH ...]"
    assert isinstance(git, _GitAction)  # noqa: S101  # as it was asked for
    git.sides = (old, new)


_ABOUT = (
    "OLD and NEW are files, pages, git revisions of them such as `HEAD~1:specs/react.acdl`, or `-` for standard input; "
    "`file.acdl#Name` is one spec of a file. Two folders are compared file by file, each with the file of the same "
    "path or, if it was renamed, the most similar one; the specs of two pages are matched in the same way. Spacing, "
    "redundant parentheses and alternative spellings are ignored. With --state or --at, the messages of both are "
    "compared point by point. Exit status: 0 if they are the same, 1 if they differ, 2 if the comparison could not "
    "run."
)

_ENDINGS = {
    "text": (".txt", ".diff"),
    "json": (".json", ".jsonl"),
    "markdown": (".md",),
    "svg": (".svg",),
    "html": (".html", ".htm"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = _ABOUT
    add_sides(parser)
    add_format(parser, tuple(COMPARISONS), _ENDINGS, "text")
    parser.add_argument("--spec", metavar="NAME", help="spec of OLD, and of NEW unless --new-spec names another")
    parser.add_argument("--new-spec", metavar="NAME", help="spec of NEW (default: the same one, even if renamed)")
    parser.add_argument("--state", metavar="FILE", help="state to evaluate both sides with")
    parser.add_argument("--new-state", metavar="FILE", help="state for NEW, if it needs a different one")
    parser.add_argument("--at", metavar="POINTS", help="`3.2`, `1..5`, `2.*` (default: all points of the state)")
    parser.add_argument(
        "--tokens", metavar="ENCODING", help="encoding for counting model tokens; `none` counts nothing"
    )
    parser.add_argument(
        "--range", choices=("half-open", "inclusive"), help=RANGE_HELP.format("default: as the texts and settings say")
    )
    parser.add_argument(
        "--exit",
        choices=("structure", "sent"),
        help="what the exit status reports: the messages or the specs (default: sent with a state, otherwise "
        "structure)",
    )
    parser.add_argument("--side-by-side", action="store_true", help="draw two figures instead of a combined one")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="file to write, or for figures of several files a folder, where earlier figures are kept (default: "
        "standard output)",
    )


def run(args: argparse.Namespace) -> int:
    """Print the difference; return 0 for equal, 1 for different, 2 if that could not be decided."""
    from acdl_mkdocs.frontends.cli.comparing import compare_texts  # the other commands need none of it
    from acdl_mkdocs.frontends.cli.comparing_folders import compare_folders
    from acdl_mkdocs.workspace.inputs import UnusableInputError

    if [args.old, args.new, args.state, args.new_state].count("-") > 1:
        print_error("only one of the texts can come from standard input; name a file for the other")
        return 2
    try:
        _check_sides(args)
        status = compare_folders(args)
        return compare_texts(args) if status is None else status
    except (AcdlError, UnusableInputError, StoppedError) as reason:
        print_error(str(reason))
        return 2


def _check_sides(args: argparse.Namespace) -> None:
    """Refuse the name of git's index, and suggest an alternative.

    Raises:
        StoppedError: A name is one of git's index.
    """
    for name in filter(None, (args.old, args.new)):
        if name.startswith(":") and not os.path.exists(name):
            raise StoppedError(f"{name} is in git's index, which is not read; name a commit: `HEAD{name}`")

"""The arguments of `acdl diff` that say what is compared: two texts or folders, or with `--git` a repository."""

import argparse
from collections.abc import Sequence


class _GitAction(argparse.Action):
    """With `--git`, no two sides have to be named."""

    sides: Sequence[argparse.Action] = ()

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002 - as it is called
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,  # noqa: ARG002 - as it is called
    ) -> None:
        """Remember what is compared."""
        for side in self.sides:
            side.required = False
        setattr(namespace, self.dest, values)


def add_sides(parser: argparse.ArgumentParser) -> None:
    """Declare OLD, NEW and `--git`."""
    said = ".acdl file, page or folder, `REV:path`, or `-`; `#Name` behind it is a spec"
    old = parser.add_argument("old", metavar="OLD", help=said)
    new = parser.add_argument("new", metavar="NEW", help="the same for the other side")
    git = parser.add_argument(
        "--git",
        nargs="+",
        action=_GitAction,
        metavar=("BASE", "PATH"),
        help="instead of OLD and NEW: what changed in a repository since BASE, in all specs or in PATHs; `A..B` is "
        "from one commit to another, `main...HEAD` what a branch changed; no `--` stands before PATH",
    )
    parser.usage = "acdl diff [OPTIONS] OLD NEW\n       acdl diff [OPTIONS] --git BASE [PATH ...]"
    assert isinstance(git, _GitAction)  # noqa: S101  # as it was asked for
    git.sides = (old, new)

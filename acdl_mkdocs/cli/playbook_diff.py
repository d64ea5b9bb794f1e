"""acdl playbook diff: what differs between two revisions, by what happened to bullets."""

import argparse
import re
import sys

from acdl_mkdocs.cli.messages import use_color
from acdl_mkdocs.cli.playbook_differences import data_of, lines_of
from acdl_mkdocs.cli.playbook_files import add_format, add_playbook, guarded, playbook_at, print_json
from acdl_mkdocs.foundation.errors import PlaybookError
from acdl_mkdocs.playbook.store.look import GROUPS, diff

_RANGE = re.compile(r"(\d+)(?:\.\.(\d*))?")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the action takes."""
    add_playbook(parser)
    parser.add_argument(
        "range", nargs="?", metavar="A..B", help="two revisions; `A..` is up to now, `A` what A did (default: the last)"
    )
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Show it; 1 if something differs, 2 if there is no such revision or a file cannot be read."""
    return guarded(_diff, args)


def _diff(args: argparse.Namespace) -> int:
    now = playbook_at(args.playbook)
    before, after = _ends(args.range, now.revision)
    old = playbook_at(args.playbook, before)
    found = diff(old, now if after is None else playbook_at(args.playbook, after))
    if args.format == "json":
        data = {"from": before, "to": now.revision if after is None else after}
        print_json({**data, "differences": [data_of(each) for each in found]})
        return int(bool(found))
    color = use_color(args.color, sys.stdout)
    for group in GROUPS:
        of_group = [each for each in found if each.group == group]
        if of_group:
            print(f"{group.capitalize()}")
        for each in of_group:
            print("\n".join(f"  {line}" for line in lines_of(each, color=color)))
    return int(bool(found))


def _ends(text: str | None, now: int) -> tuple[int, int | None]:
    """The two revisions; the second is `None` for the file as it is."""
    if text is None:
        return max(now - 1, 0), None
    found = _RANGE.fullmatch(text)
    if found is None:
        raise PlaybookError(f"`{text}` names no revisions", "write two such as `3..7`, or `3..`")
    if ".." not in text:
        return max(int(found[1]) - 1, 0), int(found[1])
    return int(found[1]), int(found[2]) if found[2] else None

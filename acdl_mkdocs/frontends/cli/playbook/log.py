"""acdl playbook log: show the history of a playbook, newest revision first."""

import argparse

from acdl_mkdocs.foundation.errors import PlaybookError
from acdl_mkdocs.foundation.safe_text import one_line
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.cli.playbook.events import event_data, event_line, format_head
from acdl_mkdocs.frontends.cli.playbook.files import add_format, add_playbook, print_json, run_guarded
from acdl_mkdocs.playbook.model.curate import MAX_REASONING


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_playbook(parser)
    parser.add_argument("--bullet", metavar="ID", help="only the history of this bullet")
    parser.add_argument("-n", dest="most", type=_parse_count, metavar="N", help="only the last N revisions")
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Show the log; return 2 if the bullet has no events, or a file cannot be read."""
    return run_guarded(_print_log, args)


def _print_log(args: argparse.Namespace) -> int:
    from acdl_mkdocs.frontends.cli.playbook.events import events_of_file
    from acdl_mkdocs.playbook.store.look import list_revisions

    events = events_of_file(args.playbook)
    revisions = list_revisions(events, bullet=args.bullet, most=args.most)
    if args.bullet is not None and not revisions:
        near = find_closest(args.bullet, sorted({event.id for event in events if event.kind == "bullet"}))
        hint = f"did you mean `{near}`?" if near else ""
        raise PlaybookError(f"{args.playbook}: nothing ever happened to a bullet `{one_line(args.bullet)}`", hint)
    if args.format == "json":
        print_json(
            {
                "revisions": [
                    {"revision": revision_events[0].revision, "events": event_data(revision_events)}
                    for revision_events in revisions
                ]
            }
        )
    for revision_events in revisions if args.format == "terminal" else ():
        print(format_head(revision_events[0]))
        if revision_events[0].reasoning:
            print(f"  {one_line(revision_events[0].reasoning, MAX_REASONING)}")
        for event in revision_events:
            print(f"  {event_line(event)}")
    return 0


def _parse_count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text[:9]) < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of revisions; write one such as 5")
    return int(text[:9])

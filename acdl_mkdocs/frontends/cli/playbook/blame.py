"""acdl playbook blame: show who wrote the current text of each bullet, when and why; or the history of one bullet."""

import argparse

from acdl_mkdocs.foundation.errors import PlaybookError
from acdl_mkdocs.foundation.safe_text import mask_controls, one_line
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.cli.playbook.events import event_data, event_line, events_of_file, format_head
from acdl_mkdocs.frontends.cli.playbook.files import (
    add_format,
    add_playbook,
    playbook_at,
    print_json,
    run_guarded,
)
from acdl_mkdocs.playbook.store.history import Event
from acdl_mkdocs.prompts.prompt import Json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_playbook(parser)
    parser.add_argument("bullet", nargs="?", metavar="ID", help="show the whole history of this bullet")
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Show the result; return 2 if there is no such bullet, or a file cannot be read."""
    return run_guarded(_print_one if args.bullet else _print_all, args)


def _print_all(args: argparse.Namespace) -> int:
    from acdl_mkdocs.playbook.store.look import blame_bullets

    blames = blame_bullets(playbook_at(args.playbook), events_of_file(args.playbook))
    if args.format == "json":
        rows: list[Json] = [
            {
                "id": each.bullet.id,
                "content": each.bullet.content,
                "event": _event_data_of(each.event),
                "others": event_data(each.others),
            }
            for each in blames
        ]
        print_json({"bullets": rows})
        return 0
    for each in blames:
        who = format_head(each.event) if each.event else "unknown"
        print(f"{each.bullet.id}  {who}\n  {one_line(each.bullet.content, 100)}")
        for other in each.others:
            print(f"  merged with what {other.id} said: {format_head(other)}")
    return 0


def _event_data_of(event: Event | None) -> Json:
    return event_data([event])[0] if event is not None else None


def _print_one(args: argparse.Namespace) -> int:
    events = events_of_file(args.playbook)
    playbook = playbook_at(args.playbook)
    survivor = playbook.by_id.get(args.bullet)
    wanted = {args.bullet} | ({survivor.id, *survivor.aliases} if survivor else set())
    bullet_events = [event for event in events if event.kind == "bullet" and event.id in wanted]
    if not bullet_events:
        near = find_closest(args.bullet, playbook.by_id)
        hint = f"did you mean `{near}`?" if near else ""
        raise PlaybookError(f"{args.playbook}: nothing ever happened to a bullet `{one_line(args.bullet)}`", hint)
    if args.format == "json":
        print_json({"id": args.bullet, "events": event_data(bullet_events)})
        return 0
    for event in bullet_events:
        print(f"{format_head(event)}\n  {event_line(event)}")
        for guard in event.guards:
            print(mask_controls(f"    guard: {guard}"))
    return 0

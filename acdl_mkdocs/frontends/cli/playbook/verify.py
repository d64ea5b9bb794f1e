"""acdl playbook verify: check that a playbook and its history are complete and consistent."""

import argparse

from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.playbook.files import add_format, add_playbook, print_json, run_guarded
from acdl_mkdocs.frontends.cli.writing import print_sentence
from acdl_mkdocs.prompts.prompt import Json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_playbook(parser)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Check; return 1 if something is wrong, 2 if a file cannot be read."""
    return run_guarded(_verify_playbook, args)


def _verify_playbook(args: argparse.Namespace) -> int:
    from acdl_mkdocs.foundation.safe_text import mask_controls
    from acdl_mkdocs.playbook.store.verify import verify

    verification = verify(args.playbook)
    if args.format == "json":
        wrong: list[Json] = [
            {"file": each.file, "line": each.line, "message": each.message, "help": each.help}
            for each in verification.inconsistencies
        ]
        print_json(
            {
                "is_clean": verification.is_clean,
                "revision": verification.revision,
                "n_events": verification.n_events,
                "wrong": wrong,
            }
        )
        return int(not verification.is_clean)
    for each in verification.inconsistencies:
        place = each.file if each.line is None else f"{each.file}:{each.line}"
        print(mask_controls(f"{place}: {each.message}"))
        if each.help:
            print(mask_controls(f"  = help: {each.help}"))
    if verification.is_clean:
        size = f"{format_count(verification.n_revisions, 'revision')} in {format_count(verification.n_events, 'event')}"
        print_sentence(f"{args.playbook}: file and history agree at revision {verification.revision}: {size}")
    return int(not verification.is_clean)

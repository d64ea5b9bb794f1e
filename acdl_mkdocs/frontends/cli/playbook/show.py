"""acdl playbook show: show the playbook as in a prompt, as its file or as JSON; or one bullet with all its details."""

import argparse
from dataclasses import replace

from acdl_mkdocs.foundation.errors import PlaybookError
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.cli.playbook.budget import add_budget, fit_to_budget
from acdl_mkdocs.frontends.cli.playbook.files import add_playbook, playbook_at, print_json, run_guarded
from acdl_mkdocs.playbook.model.bullets import Playbook


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_playbook(parser)
    parser.add_argument("bullet", nargs="?", metavar="ID", help="only this bullet, with all its details")
    parser.add_argument("--section", metavar="ID", help="only the bullets in this section")
    add_budget(parser, "text")
    parser.add_argument("--revision", metavar="N", type=int, help="the playbook at that revision")
    parser.add_argument("--format", choices=("text", "yaml", "json"), default="text", help="output format")


def run(args: argparse.Namespace) -> int:
    """Show the playbook; return 2 if there is no such bullet or section, or the file cannot be read."""
    return run_guarded(_show_playbook, args)


def _show_playbook(args: argparse.Namespace) -> int:
    from acdl_mkdocs.playbook.model.plain import bullet_data, playbook_data
    from acdl_mkdocs.playbook.store import text_of

    if args.budget is not None and (args.format != "text" or args.bullet is not None):
        raise PlaybookError("--budget is for the text of a playbook", "leave it out, or leave out ID and --format")
    playbook = playbook_at(args.playbook, args.revision)
    if args.section is not None:
        playbook = _select_section(playbook, args.section)
    if args.bullet is not None:
        playbook = _select_bullet(playbook, args.bullet)
    if args.format == "json":
        data = bullet_data(playbook.bullets[0]) if args.bullet is not None else playbook_data(playbook)
        print_json({"bullet": data} if args.bullet is not None else {"playbook": data})
    elif args.format == "yaml" or args.bullet is not None:
        text = text_of(playbook)
        print(text if args.bullet is None else text.partition("\nbullets:\n")[2], end="")
    else:
        print(_prompt_text(fit_to_budget(playbook, args, _prompt_text)), end="")
    return 0


def _prompt_text(playbook: Playbook) -> str:
    from acdl_mkdocs.playbook.model.prompt_text import prompt_text

    text = prompt_text(playbook)
    return f"{text}\n" if text else ""


def _select_section(playbook: Playbook, name: str) -> Playbook:
    ids = [section.id for section in playbook.sections]
    if name not in ids:
        near = find_closest(name, ids)
        hint = f"did you mean `{near}`?" if near else f"there are {', '.join(ids)}"
        raise PlaybookError(f"there is no section `{name}`", hint)
    bullets = tuple(bullet for bullet in playbook.bullets if bullet.section == name)
    bullet_ids = {bullet.id for bullet in bullets}
    sections = tuple(section for section in playbook.sections if section.id == name)
    pairs = tuple(pair for pair in playbook.pairs if pair.a in bullet_ids and pair.b in bullet_ids)
    return replace(playbook, sections=sections, bullets=bullets, pairs=pairs)


def _select_bullet(playbook: Playbook, name: str) -> Playbook:
    bullet = playbook.by_id.get(name)
    if bullet is None:
        near = find_closest(name, playbook.by_id)
        hint = f"did you mean `{near}`?" if near else ""
        raise PlaybookError(f"there is no bullet `{name}`", hint)
    pairs = tuple(pair for pair in playbook.pairs if bullet.id in (pair.a, pair.b))
    return replace(playbook, bullets=(bullet,), pairs=pairs)

"""Write playbooks in other formats: their contents, and which files are never overwritten."""

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path

from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import print_error
from acdl_mkdocs.frontends.cli.playbook.budget import fit_to_budget
from acdl_mkdocs.frontends.cli.playbook.files import playbook_at
from acdl_mkdocs.frontends.cli.writing import escape_controls, replace_file
from acdl_mkdocs.playbook.exchange import EXCHANGES, format_of
from acdl_mkdocs.playbook.model.bullets import Playbook

_INSTRUCTIONS = ("agents-md", "skill")
"""Formats that agents follow; `text` is for other programs too, so it has the counters."""
_NO_LIMIT = 10**15
"""A budget in model tokens: the real one is applied afterwards, where omissions are reported."""


def export_playbook(args: argparse.Namespace) -> int:
    """Write a playbook in another format."""
    try:
        playbook = playbook_at(args.playbook)
    except OSError as problem:
        return report_unreadable(str(args.playbook), problem)
    path = Path(args.into or args.output or "-")
    usual = "agents-md" if args.into else format_of(path.name) or "text"
    name = args.format or usual
    wrong = _check_arguments(name, path, args)
    if wrong:
        print_error(wrong)
        return 2
    chosen = _choose_lessons(playbook, name, args) if EXCHANGES[name].is_published else playbook
    if args.into is not None:
        return _replace_block_in(path, chosen)
    text = EXCHANGES[name].write(chosen)
    data = text.encode()
    if str(path) == "-" and sys.stdout.isatty():
        print(escape_controls(text), end="")
        return 0
    if str(path) == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return 0
    return 0 if replace_file(path, data) else 2


def _check_arguments(name: str, path: Path, args: argparse.Namespace) -> str | None:
    """Explain what is wrong with the arguments."""
    if args.into is not None and name != "agents-md":
        return f"--into writes `agents-md`, not `{name}`" + (": write a skill with `-o SKILL.md`" * (name == "skill"))
    if str(path) != "-" and _is_own(path, args.playbook):
        return f"{path}: belongs to the playbook itself; choose another file"
    if not EXCHANGES[name].is_published and (args.top or args.budget or args.task):
        return f"`{name}` always has everything: leave out --top, --task and --budget, or write another --format"
    if args.task is not None and not args.task.strip():
        return "--task is empty; say in a few words what is to be done"
    return None


def _is_own(path: Path, playbook: Path) -> bool:
    """Return whether a file is the playbook, or belongs to it: its history, lock, schema or a backup of them."""
    from acdl_mkdocs.playbook.store.files import LOCKS
    from acdl_mkdocs.playbook.store.load import history_path, resolve_link
    from acdl_mkdocs.playbook.store.write_playbook import SCHEMA_FILE

    own = resolve_link(playbook).resolve()
    names = (own.name, history_path(own).name, SCHEMA_FILE, f"{own.stem}.history.rejected.jsonl")
    real_path = path.resolve()
    if real_path.parent == own.parent / LOCKS:
        return True
    if any(path.exists() and each.exists() and path.samefile(each) for each in map(own.with_name, names)):
        return True
    backup = re.fullmatch(re.escape(own.name) + r"\.bak\d*", real_path.name, re.IGNORECASE)
    is_named = backup or real_path.name.casefold() in {name.casefold() for name in names}
    return real_path.parent == own.parent and bool(is_named)


def _choose_lessons(playbook: Playbook, name: str, args: argparse.Namespace) -> Playbook:
    """Select the lessons for readers, and print a note for each reason to leave some out."""
    from acdl_mkdocs.playbook.exchange.read_lessons import select_for_agents, select_published
    from acdl_mkdocs.playbook.model.retrieval import drop_harmful

    selection = select_published(playbook)
    hidden = {"`publish: false`": len(playbook.active) - len(selection.bullets)}
    if EXCHANGES[name].is_for_agents:
        hidden["`send: false`"] = sum(not each.send for each in selection.bullets)
        selection = select_for_agents(selection)
    if name in _INSTRUCTIONS and not args.is_all:
        hidden["they did harm and never helped; --all has every lesson"] = sum(
            each.has_only_harmed for each in selection.bullets
        )
        selection = drop_harmful(selection)
    for why, n in hidden.items():
        if n:
            print_error(f"{args.playbook}: {format_count(n, 'lesson')} left out: {why}")
    if args.task is not None:
        from acdl_mkdocs.playbook.exchange import DEFAULT_TOP
        from acdl_mkdocs.playbook.model.retrieval import select_lessons

        near = {each.id for each in select_lessons(selection, args.task, args.top or DEFAULT_TOP, _NO_LIMIT)}
        selection = replace(selection, bullets=tuple(each for each in selection.bullets if each.id in near))
    elif args.top is not None:
        from acdl_mkdocs.playbook.pages.sections import top_bullets

        best = {each.id for each in top_bullets(selection.bullets, args.top)}
        selection = replace(selection, bullets=tuple(each for each in selection.bullets if each.id in best))
    if name == "feed" and args.budget is None:
        return selection
    return fit_to_budget(selection, args, EXCHANGES[name].write)


def _replace_block_in(path: Path, playbook: Playbook) -> int:
    """Replace the block of a playbook in a file of instructions, leaving everything else."""
    from acdl_mkdocs.playbook.exchange.agents_md import replace_block

    try:
        before = path.read_bytes() if path.exists() else b""
        placed = replace_block(before.decode("utf-8"), playbook)
    except OSError as problem:
        return report_unreadable(str(path), problem)
    except UnicodeDecodeError:
        print_error(f"{path}: is not UTF-8")
        return 2
    if placed.text is None:
        print_error(f"{path}: {placed.problem}; nothing was written")
        return 1
    data = placed.text.encode()
    return 0 if data == before or replace_file(path, data) else 2


def report_unreadable(name: str, problem: OSError) -> int:
    """Print why a file cannot be read; return the exit status."""
    print_error(f"{name}: cannot be read: {(problem.strerror or str(problem)).lower()}")
    return 2

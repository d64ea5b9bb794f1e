"""Write playbooks in other formats: their contents, and which files are never overwritten."""

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path

from acdl_mkdocs.foundation.wording import counted
from acdl_mkdocs.frontends.cli.messages import complain
from acdl_mkdocs.frontends.cli.playbook.budget import within_budget
from acdl_mkdocs.frontends.cli.playbook.files import playbook_at
from acdl_mkdocs.frontends.cli.writing import harmless, replace_file
from acdl_mkdocs.playbook.exchange import EXCHANGES, format_of
from acdl_mkdocs.playbook.model.bullets import Playbook

_INSTRUCTIONS = ("agents-md", "skill")
"""Formats that agents follow; `text` is for other programs too, so it has the counters."""
_NO_LIMIT = 10**15
"""A budget in model tokens: the real one is applied afterwards, where omissions are reported."""


def export(args: argparse.Namespace) -> int:
    """Write a playbook in another format."""
    try:
        playbook = playbook_at(args.playbook)
    except OSError as problem:
        return unreadable(str(args.playbook), problem)
    path = Path(args.into or args.output or "-")
    usual = "agents-md" if args.into else format_of(path.name) or "text"
    name = args.format or usual
    wrong = _misused(name, path, args)
    if wrong:
        complain(wrong)
        return 2
    chosen = _chosen(playbook, name, args) if EXCHANGES[name].is_published else playbook
    if args.into is not None:
        return _put_into(path, chosen)
    text = EXCHANGES[name].write(chosen)
    data = text.encode()
    if str(path) == "-" and sys.stdout.isatty():
        print(harmless(text), end="")
        return 0
    if str(path) == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return 0
    return 0 if replace_file(path, data) else 2


def _misused(name: str, path: Path, args: argparse.Namespace) -> str | None:
    """Return what is wrong with the arguments."""
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
    """Report whether a file is the playbook, or belongs to it: its history, lock, schema or a backup of them."""
    from acdl_mkdocs.playbook.store.files import LOCKS
    from acdl_mkdocs.playbook.store.load import history_path, target
    from acdl_mkdocs.playbook.store.write_playbook import SCHEMA_FILE

    own = target(playbook).resolve()
    names = (own.name, history_path(own).name, SCHEMA_FILE, f"{own.stem}.history.rejected.jsonl")
    given = path.resolve()
    if given.parent == own.parent / LOCKS:
        return True
    if any(path.exists() and each.exists() and path.samefile(each) for each in map(own.with_name, names)):
        return True
    kept = re.fullmatch(re.escape(own.name) + r"\.bak\d*", given.name, re.IGNORECASE)
    is_named = kept or given.name.casefold() in {name.casefold() for name in names}
    return given.parent == own.parent and bool(is_named)


def _chosen(playbook: Playbook, name: str, args: argparse.Namespace) -> Playbook:
    """Select the lessons for readers, and print a note for each reason to leave some out."""
    from acdl_mkdocs.playbook.exchange.read_lessons import for_agents, published
    from acdl_mkdocs.playbook.model.retrieval import useful

    shown = published(playbook)
    hidden = {"`publish: false`": len(playbook.active) - len(shown.bullets)}
    if EXCHANGES[name].is_for_agents:
        hidden["`send: false`"] = sum(not each.send for each in shown.bullets)
        shown = for_agents(shown)
    if name in _INSTRUCTIONS and not args.is_all:
        hidden["they did harm and never helped; --all has every lesson"] = sum(
            each.has_only_harmed for each in shown.bullets
        )
        shown = useful(shown)
    for why, n in hidden.items():
        if n:
            complain(f"{args.playbook}: {counted(n, 'lesson')} left out: {why}")
    if args.task is not None:
        from acdl_mkdocs.playbook.exchange import DEFAULT_TOP
        from acdl_mkdocs.playbook.model.retrieval import lessons_for

        near = {each.id for each in lessons_for(shown, args.task, args.top or DEFAULT_TOP, _NO_LIMIT)}
        shown = replace(shown, bullets=tuple(each for each in shown.bullets if each.id in near))
    elif args.top is not None:
        from acdl_mkdocs.playbook.pages.sections import top_bullets

        best = {each.id for each in top_bullets(shown.bullets, args.top)}
        shown = replace(shown, bullets=tuple(each for each in shown.bullets if each.id in best))
    if name == "feed" and args.budget is None:
        return shown
    return within_budget(shown, args, EXCHANGES[name].write)


def _put_into(path: Path, playbook: Playbook) -> int:
    """Replace the block of a playbook in a file of instructions, leaving everything else."""
    from acdl_mkdocs.playbook.exchange.agents_md import into

    try:
        before = path.read_bytes() if path.exists() else b""
        placed = into(before.decode("utf-8"), playbook)
    except OSError as problem:
        return unreadable(str(path), problem)
    except UnicodeDecodeError:
        complain(f"{path}: is not UTF-8")
        return 2
    if placed.text is None:
        complain(f"{path}: {placed.problem}; nothing was written")
        return 1
    data = placed.text.encode()
    return 0 if data == before or replace_file(path, data) else 2


def unreadable(name: str, problem: OSError) -> int:
    """Print why a file cannot be read; return the exit status."""
    complain(f"{name}: cannot be read: {(problem.strerror or str(problem)).lower()}")
    return 2

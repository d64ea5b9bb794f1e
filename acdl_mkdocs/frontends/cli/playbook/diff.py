"""acdl playbook diff: show the differences between two revisions, by kind of change."""

import argparse
import re
import sys

from acdl_mkdocs.foundation.errors import PlaybookError
from acdl_mkdocs.foundation.safe_text import mask_controls, one_line
from acdl_mkdocs.foundation.word_diff import word_diff
from acdl_mkdocs.frontends.cli.messages import should_color
from acdl_mkdocs.frontends.cli.playbook.events import format_value, list_changed_keys
from acdl_mkdocs.frontends.cli.playbook.files import (
    add_format,
    add_playbook,
    playbook_at,
    print_json,
    run_guarded,
)
from acdl_mkdocs.playbook.store.look import GROUPS, Difference, diff_playbooks
from acdl_mkdocs.prompts.prompt import Json

_RED, _GREEN, _RESET = "\x1b[31m", "\x1b[32m", "\x1b[0m"


def mark_changed_words(before: str, after: str, *, color: bool = False) -> str:
    """Return the second text on one line, with removed and added words marked."""
    red, green, reset = (_RED, _GREEN, _RESET) if color else ("", "", "")
    parts: list[str] = []
    for each in word_diff(before, after):
        if each.is_same:
            parts.append(each.new)
            continue
        last = each.new or each.old
        parts.append(f"{red}[-{each.old.rstrip()}-]{reset}" if each.old.rstrip() else "")
        parts.append(f"{green}{{+{each.new.rstrip()}+}}{reset}" if each.new.rstrip() else "")
        parts.append(last[len(last.rstrip()) :])
    return " ".join("".join(parts).split("\n"))


def data_of(each: Difference) -> Json:
    """Return a difference for programs."""
    return {
        "group": each.group,
        "kind": each.kind,
        "id": each.id,
        "fields": [*each.fields],
        "before": each.before,
        "after": each.after,
    }


def lines_of(each: Difference, *, color: bool) -> list[str]:
    """Return a difference as lines; changes in a text are marked word by word."""
    name = mask_controls(each.id) or "playbook"
    was = each.before if isinstance(each.before, dict) else {}
    now = each.after if isinstance(each.after, dict) else {}
    if each.before is None or each.after is None:
        entry = was or now
        text = entry.get("content") or entry.get("title") or entry.get("why") or entry.get("verdict") or ""
        return [f"{'+' if each.before is None else '-'} {name}  {one_line(str(text), 100)}"]
    lines = [f"~ {name}"]
    for key in list_changed_keys(was, now):
        old, new = was.get(key), now.get(key)
        if isinstance(old, str) and isinstance(new, str):
            lines.append(f"    {key}: {mark_changed_words(mask_controls(old), mask_controls(new), color=color)}")
        else:
            lines.append(f"    {key}: {_format_value(old)} -> {_format_value(new)}")
    return lines


def _format_value(value: Json) -> str:
    return "-" if value is None else one_line(format_value(value))


_RANGE = re.compile(r"(\d+)(?:\.\.(\d*))?")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_playbook(parser)
    parser.add_argument(
        "range",
        nargs="?",
        metavar="A..B",
        help="two revisions; `A..` is up to now, `A` alone is what A changed (default: the last revision)",
    )
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Show the difference; return 1 if something differs, 2 if there is no such revision or a file cannot be read."""
    return run_guarded(_print_difference, args)


def _print_difference(args: argparse.Namespace) -> int:
    now = playbook_at(args.playbook)
    before, after = _parse_range(args.range, now.revision)
    old = playbook_at(args.playbook, before)
    differences = diff_playbooks(old, now if after is None else playbook_at(args.playbook, after))
    if args.format == "json":
        data = {"from": before, "to": now.revision if after is None else after}
        print_json({**data, "differences": [data_of(each) for each in differences]})
        return int(bool(differences))
    color = should_color(args.color, sys.stdout)
    for group in GROUPS:
        of_group = [each for each in differences if each.group == group]
        if of_group:
            print(f"{group.capitalize()}")
        for each in of_group:
            print("\n".join(f"  {line}" for line in lines_of(each, color=color)))
    return int(bool(differences))


def _parse_range(text: str | None, now: int) -> tuple[int, int | None]:
    """Return the two revisions; the second is `None` for the current file."""
    if text is None:
        return max(now - 1, 0), None
    match = _RANGE.fullmatch(text)
    if match is None:
        raise PlaybookError(f"`{text}` names no revisions", "write two such as `3..7`, or `3..`")
    if ".." not in text:
        return max(int(match[1]) - 1, 0), int(match[1])
    return int(match[1]), int(match[2]) if match[2] else None

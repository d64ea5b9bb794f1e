"""Apply deltas to the named playbook, and print the result of each operation and the reason."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from pathlib import Path

from acdl_mkdocs.app.curate import curate
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_visible, one_line
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import print_error
from acdl_mkdocs.frontends.cli.playbook.files import (
    add_format,
    add_time,
    parse_actor,
    playbook_at,
    print_json,
    time_of,
    warn_of_policy,
)
from acdl_mkdocs.frontends.cli.playbook.git import cover_new_playbook
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.model.curate import Curated
from acdl_mkdocs.playbook.model.delta import Delta
from acdl_mkdocs.playbook.model.plain import bullet_data
from acdl_mkdocs.playbook.model.report import Applied, Rejected, Report
from acdl_mkdocs.prompts.prompt import Json

_WITH_CONTENT = ("ADD", "UPDATE", "PRUNED", "REVIVE")
"""Operations that are shown with the text of the bullet."""
_MAX_SHOWN = 100
"""The longest text of a bullet on a line, in characters."""


@dataclass(frozen=True, slots=True)
class NamedDelta:
    """A delta and its display name."""

    name: str
    delta: Delta


@dataclass
class RefinedFile:
    """The result of refining a file."""

    before: Playbook
    after: Playbook
    report: Report = field(default_factory=Report)
    n_left: int = 0
    """The number of undecided pairs."""
    failure: str = ""
    """Why the judge could not continue."""


@dataclass(frozen=True, slots=True)
class AppliedDelta:
    """The result of applying a delta."""

    name: str
    before: Playbook
    curated: Curated
    refined: RefinedFile | None = None
    """The result of the refinement afterwards, if the policy requires one."""

    @property
    def after(self) -> Playbook:
        """The playbook after the delta."""
        return self.curated.playbook if self.refined is None else self.refined.after

    @property
    def is_whole(self) -> bool:
        """Whether nothing was rejected, and the judge decided everything."""
        refined = self.refined
        return not self.curated.report.rejected and (
            refined is None or not (refined.report.rejected or refined.failure)
        )


def add_curating_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of every action that changes bullets."""
    parser.add_argument(
        "--actor", metavar="NAME", type=parse_actor, default="person", help="who makes the change (default: person)"
    )
    parser.add_argument("--dry-run", action="store_true", help="only print what would happen")
    add_format(parser)
    add_time(parser)


def apply_deltas(
    deltas: Sequence[NamedDelta],
    args: argparse.Namespace,
    refine: Callable[[Playbook, Playbook], RefinedFile | None] | None = None,
) -> int:
    """Apply deltas to a playbook, each as a revision, and print the results; return 1 if something was rejected.

    Parameters:
        deltas: The deltas, in order.
        args: The arguments, with the file, the actor and the time.
        refine: Refines the playbook after a delta, if its policy requires that; takes the playbook before and after it.

    Raises:
        PlaybookError: The playbook cannot be read, changed or written.
    """
    path: Path = args.playbook
    applied: list[AppliedDelta] = []
    for each in deltas:
        applied.append(_try_delta(each, path, applied, args) if args.dry_run else _commit_delta(each, path, args))
        if args.format == "terminal":
            _print_applied(applied[-1], is_named=len(deltas) > 1)
        if refine is not None:
            applied[-1] = replace(applied[-1], refined=refine(applied[-1].before, applied[-1].after))
    first, last = applied[0].before, applied[-1].after
    warn_of_policy(last)
    if args.format == "json":
        print_json(_report_data(path, applied, args))
    else:
        print(_summarize_revisions(path, first, last, is_dry=args.dry_run))
        _print_undecided(path, [each.refined for each in applied if each.refined is not None])
    return int(not all(each.is_whole for each in applied))


def _print_undecided(path: Path, refined: Sequence[RefinedFile]) -> None:
    """Print how many near lessons are undecided after the playbook was refined."""
    if refined and refined[-1].n_left:
        print(make_visible(f"{format_count(refined[-1].n_left, 'pair')} to decide about: acdl playbook review {path}"))


def _try_delta(
    named: NamedDelta, path: Path, applied: Sequence[AppliedDelta], args: argparse.Namespace
) -> AppliedDelta:
    """Apply a delta after earlier ones without writing."""
    before = applied[-1].after if applied else playbook_at(path)
    return AppliedDelta(named.name, before, curate(before, named.delta, args.actor))


def _commit_delta(named: NamedDelta, path: Path, args: argparse.Namespace) -> AppliedDelta:
    from acdl_mkdocs.playbook.store import update

    playbooks: list[Playbook] = []

    def change(playbook: Playbook) -> Curated:
        playbooks.append(playbook)
        return curate(playbook, named.delta, args.actor)

    with cover_new_playbook(path):
        curated = update(path, change, time=time_of(args), actor=args.actor, warn=print_error)
    return AppliedDelta(named.name, playbooks[-1], curated)


def _print_applied(applied: AppliedDelta, *, is_named: bool) -> None:
    if is_named:
        print(f"{make_visible(applied.name)}:")
    for line in _format_lines(applied.curated):
        print(f"  {line}" if is_named else line)


def _summarize_revisions(path: Path, first: Playbook, last: Playbook, *, is_dry: bool) -> str:
    n_active = format_count(len(last.active), "active bullet")
    if last.revision == first.revision:
        return make_visible(f"{path}: nothing changed, revision {last.revision}, {n_active}")
    verb = "would be at" if is_dry else "is at"
    return make_visible(f"{path}: {verb} revision {last.revision} (was {first.revision}), {n_active}")


def print_applied(curated: Curated) -> None:
    """Print the applied and the rejected operations."""
    for line in _format_lines(curated):
        print(line)


def _format_lines(curated: Curated) -> list[str]:
    """Return a line for each applied or rejected operation, in the order of the delta."""
    numbered_lines: list[tuple[float, str]] = [
        (_position_in_delta(each.path), _applied_line(each)) for each in curated.report.applied
    ]
    numbered_lines += [
        (_position_in_delta(each.path), f"rejected  {make_visible(str(each))}") for each in curated.report.rejected
    ]
    return [line for _, line in sorted(numbered_lines, key=lambda each: each[0])]


def _position_in_delta(path: str) -> float:
    digits = path.partition("[")[2].partition("]")[0]
    return int(digits) if digits else (-1 if path else float("inf"))


def _applied_line(each: Applied) -> str:
    about = f"{each.id} {each.other}".strip()
    bullet = each.after or each.before
    content = bullet.content if bullet is not None and each.op in _WITH_CONTENT else ""
    says = [one_line(content, _MAX_SHOWN), each.reason, each.note]
    where = f"{each.path}: " if each.path else ""
    return make_visible(f"{each.op:<9} {where}{about}" + "".join(f"; {note}" for note in says if note))


def _report_data(path: Path, applied: Sequence[AppliedDelta], args: argparse.Namespace) -> dict[str, Json]:
    deltas: list[Json] = [
        {
            "delta": each.name,
            "revision": each.curated.playbook.revision,
            "applied": [applied_data(entry) for entry in each.curated.report.applied],
            "rejected": [rejected_data(entry) for entry in each.curated.report.rejected],
            **_refined_data(each.refined),
        }
        for each in applied
    ]
    return {
        "playbook": str(path),
        "is_dry_run": args.dry_run,
        "revision_before": applied[0].before.revision,
        "revision": applied[-1].after.revision,
        "deltas": deltas,
    }


def _refined_data(refined: RefinedFile | None) -> dict[str, Json]:
    if refined is None:
        return {}
    report = refined.report
    data: dict[str, Json] = {
        "revision": refined.after.revision,
        "applied": [applied_data(each) for each in report.applied],
        "rejected": [rejected_data(each) for each in report.rejected],
        "n_undecided": refined.n_left,
        "failure": refined.failure or None,
    }
    return {"refined": data}


def applied_data(each: Applied) -> Json:
    """Return the applied operations for programs."""
    return {
        "op": each.op,
        "path": each.path,
        "id": each.id,
        "other": each.other or None,
        "reason": each.reason or None,
        "note": each.note or None,
        "before": None if each.before is None else bullet_data(each.before),
        "after": None if each.after is None else bullet_data(each.after),
    }


def rejected_data(each: Rejected) -> Json:
    """Return the rejected operations for programs."""
    return {"path": each.path, "message": each.message, "help": each.help or None}

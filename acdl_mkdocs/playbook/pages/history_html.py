"""The history of a playbook on pages: revisions, and what each added, changed and archived."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import groupby
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import COUNTERS
from acdl_mkdocs.playbook.pages.html_text import clean_text, render_content_line, render_inline, render_text_changes
from acdl_mkdocs.playbook.store.history import SEEN, Event
from acdl_mkdocs.playbook.store.look import shorten_time
from acdl_mkdocs.prompts.prompt import Json

_TIME = re.compile(r"^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d)?Z$")
Data: TypeAlias = Mapping[str, Json]
"""A bullet, section or pair as plain data."""


@dataclass(frozen=True, slots=True)
class Step:
    """One change."""

    op: str
    kind: str
    id: str
    before: Data | None
    after: Data | None
    reason: str = ""
    guards: tuple[str, ...] = ()

    def get_text(self, *, is_before: bool) -> str:
        """Return the text of the bullet on one side; empty if there is none."""
        content = (self.before if is_before else self.after) or {}
        return str(content.get("content", ""))

    @property
    def is_rewritten(self) -> bool:
        """True if the bullet existed before and has another text since."""
        return bool(self.before and self.after) and self.get_text(is_before=True) != self.get_text(is_before=False)


@dataclass(frozen=True, slots=True)
class Revision:
    """The changes of one delta."""

    number: int
    steps: tuple[Step, ...]
    time: str = ""
    actor: str = ""
    trace: str = ""
    reasoning: str = ""
    seen: Mapping[str, int] = field(default_factory=dict)
    """Additions to the prompt counts of bullets without other changes."""


def day_of(revision: Revision) -> str:
    """Return the date of a revision: `2026-11-20`; empty if unknown."""
    return revision.time.partition("T")[0]


def format_time(revision: Revision) -> str:
    """Format the time of a revision for people: `2026-11-20 14:05 UTC`; other notations remain as they are."""
    return clean_text(_TIME.sub(r"\1 \2 UTC", revision.time))


def read_revisions(events: Iterable[Event]) -> tuple[Revision, ...]:
    """Convert events to revisions, in the order of the history."""
    return tuple(_revision(number, tuple(each)) for number, each in groupby(events, key=lambda event: event.revision))


def _revision(number: int, events: tuple[Event, ...]) -> Revision:
    first = events[0]
    time = shorten_time(first.time) or ""
    steps = tuple(_step(event) for event in events if event.kind != SEEN)
    seen = _counters_seen(event for event in events if event.kind == SEEN)
    return Revision(number, steps, time, first.actor or "", first.trace or "", first.reasoning or "", seen)


def _counters_seen(events: Iterable[Event]) -> dict[str, int]:
    """Return the prompt counts of events for each bullet."""
    counts: dict[str, int] = {}
    for event in events:
        was, now = _data(event.before) or {}, _data(event.after) or {}
        for name in {**was, **now}:
            counts[name] = counts.get(name, 0) + _number(now.get(name)) - _number(was.get(name))
    return counts


def _number(value: Json) -> int:
    return value if isinstance(value, int) else 0


def _step(event: Event) -> Step:
    return Step(
        event.op, event.kind, event.id, _data(event.before), _data(event.after), event.reason or "", event.guards
    )


def _data(value: Json) -> Data | None:
    return value if isinstance(value, dict) else None


GROUPS = ("Added", "Changed", "Archived", "Merged", "Counters", "Decided", "Sections and settings")
MOST_ENTRIES = 100
"""Most entries of a group that are listed; the first revision may add thousands."""
MOST_FINDINGS = 2
"""Most findings of guards between two bullets that are shown; unrelated texts differ in everything."""
MOST_WORDS = 80
"""Most characters of a bullet that are shown if only its counters changed."""
_DEFAULTS = {"pinned": False, "publish": True, "send": True, "severity": "normal"}
_NOT_LISTED = frozenset((*COUNTERS, "content", "status", "reason", "added", "updated", "source", "superseded_by"))


def render_groups(revision: Revision, link: Callable[[str], str]) -> dict[str, list[str]]:
    """Render the entries of each non-empty group as HTML.

    Parameters:
        revision: The revision.
        link: Returns HTML that links to a bullet.
    """
    steps: dict[str, list[Step]] = {}
    for step in revision.steps:
        steps.setdefault(group_of(step), []).append(step)
    entries = {name: _limit_entries(steps[name], link) for name in GROUPS if name in steps}
    if revision.seen:
        entries["Counters"] = [*entries.get("Counters", []), _seen(revision)]
    return {name: entries[name] for name in GROUPS if name in entries}


def group_of(step: Step) -> str:
    """Return the group of a step."""
    if step.kind != "bullet":
        return "Decided" if step.kind == "pair" else "Sections and settings"
    if step.op in ("MERGE", "MERGED"):
        return "Merged"
    if step.before is None:
        return "Added"
    if step.after is None or _status(step.before) != _status(step.after) == "archived":
        return "Archived"
    is_quiet = step.before.get("status") == step.after.get("status") and not step.is_rewritten
    return "Counters" if is_quiet and not list(_fields(step)) else "Changed"


def is_worth_showing(revision: Revision) -> bool:
    """Return whether visible changes go beyond counters."""
    return any(group_of(step) != "Counters" for step in revision.steps)


def sum_counters(revisions: Iterable[Revision]) -> dict[str, int]:
    """Sum the changes of each counter over revisions and bullets; only those that changed."""
    sums = dict.fromkeys(COUNTERS, 0)
    for revision in revisions:
        sums["seen"] += sum(revision.seen.values())
        for step in revision.steps:
            if step.before and step.after and step.kind == "bullet":
                for name in COUNTERS:
                    sums[name] += get_count(step.after, name) - get_count(step.before, name)
    return {name: number for name, number in sums.items() if number}


def get_count(data: Data, name: str) -> int:
    """Return a counter of a bullet."""
    number = data.get(name, 0)
    return number if isinstance(number, int) else 0


def format_signed(number: int) -> str:
    """Format a difference with its sign: `+14`, `−2`."""
    return f"+{number:,}" if number > 0 else f"−{-number:,}"


def summarize_revision(revision: Revision) -> str:
    """Summarize a revision: `3 added, 1 archived`."""
    numbers: dict[str, int] = {}
    for step in revision.steps:
        numbers[group_of(step)] = numbers.get(group_of(step), 0) + 1
    words = {"Counters": "tagged", "Decided": "compared", "Sections and settings": "of sections and settings"}
    return ", ".join(f"{numbers[name]:,} {words.get(name, name.lower())}" for name in GROUPS if name in numbers)


def _seen(revision: Revision) -> str:
    n_bullets, total = len(revision.seen), sum(revision.seen.values())
    return (
        f"{n_bullets:,} bullet{'' if n_bullets == 1 else 's'} in prompts · seen {format_signed(total) if total else 0}"
    )


def _limit_entries(steps: Sequence[Step], link: Callable[[str], str]) -> list[str]:
    entries = [_entry(step, link) for step in steps[:MOST_ENTRIES]]
    rest = len(steps) - MOST_ENTRIES
    return [*entries, f"and {rest:,} more"] if rest > 0 else entries


def _status(data: object) -> str:
    return str(data.get("status", "active")) if isinstance(data, dict) else ""


def _entry(step: Step, link: Callable[[str], str]) -> str:
    why = "; ".join(filter(None, (render_inline(_reason(step)), clean_text(shorten_findings("; ".join(step.guards))))))
    words = " · ".join(_words(step, link))
    return f"{words}<br><small>{why}</small>" if why else words


def _reason(step: Step) -> str:
    """Return the reason; for a bullet archived by hand, its own reason."""
    if step.reason in COUNTERS:
        return ""  # the counter itself shows it
    is_archived = step.after is not None and group_of(step) == "Archived"
    return step.reason or (str(step.after.get("reason", "")) if step.after and is_archived else "")


def _words(step: Step, link: Callable[[str], str]) -> Iterator[str]:
    match step.kind:
        case "pair":
            yield f"{' and '.join(map(link, step.id.split()))}: {_verdict(step)}"
        case "section":
            data = step.after or step.before or {}
            yield f"section {clean_text(step.id)}: {clean_text(str(data.get('title', '')))}" + (
                "" if step.after else ", removed"
            )
        case "bullet":
            yield f"{link(step.id)} {_text(step)}".rstrip()
            yield from _counters(step)
            if step.after and step.after.get("superseded_by"):
                yield f"replaced by {link(str(step.after['superseded_by']))}"
            yield from _fields(step)
        case _:
            yield from _frame(step)


_VERDICTS = {
    "differs": "they say different things",
    "conflicts": "they contradict each other",
    "open": "not decided",
    "review": "near, not decided",
    "conflict": "near, not decided",
    "kept": "both kept",
}


def _verdict(step: Step) -> str:
    """Describe the verdict on two bullets that are both kept."""
    if step.after is None:
        return "no longer linked"
    data, why = step.after, shorten_findings(str(step.after.get("why") or ""))
    verdict = str(data.get("verdict", ""))
    words = _VERDICTS.get(verdict, clean_text(verdict))
    return (
        f"{words}, {clean_text(why)}"
        if why and why not in (step.reason, shorten_findings("; ".join(step.guards)))
        else words
    )


def shorten_findings(findings: str) -> str:
    """Return the first of the findings of guards, separated by semicolons, and the number of others."""
    parts = findings.split("; ")
    n_more = len(parts) - MOST_FINDINGS
    return "; ".join(parts[:MOST_FINDINGS]) + (f"; and {n_more} more" if n_more > 0 else "")


def _text(step: Step) -> str:
    before, after = step.get_text(is_before=True), step.get_text(is_before=False)
    if step.is_rewritten and before and after:
        return render_text_changes(before, after)
    is_known = step.before is not None and step.after is not None
    if is_known and group_of(step) == "Counters":
        return clean_text(after if len(after) <= MOST_WORDS else f"{after[:MOST_WORDS].rstrip()} …")
    return render_content_line(after or before)


def _counters(step: Step) -> Iterator[str]:
    if step.before is None or step.after is None:
        return
    for name in COUNTERS:
        before, after = step.before.get(name, 0), step.after.get(name, 0)
        if before != after:
            yield f"{name} {clean_text(str(before))} → {clean_text(str(after))}"


def _fields(step: Step) -> Iterator[str]:
    """Yield other differences, such as `pinned: no → yes`."""
    if step.before is None or step.after is None:
        return
    for name in sorted({*step.before, *step.after} - _NOT_LISTED):
        before, after = (side.get(name, _DEFAULTS.get(name)) for side in (step.before, step.after))
        if before != after:
            yield f"{clean_text(name).replace('_', ' ')}: {_value(before)} → {_value(after)}"


def _frame(step: Step) -> Iterator[str]:
    """Yield the differences of name, policy and order of sections."""
    before, after = _flat(step.before or {}), _flat(step.after or {})
    if before == after:
        yield "nothing changed"
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if old != new:
            yield f"{clean_text(name).replace('_', ' ')}: {_value(old)} → {_value(new)}"


def _flat(data: Data) -> dict[str, Json]:
    """Return the name and the sections of a playbook, and the settings of its policy."""
    policy = data.get("policy")
    flat = {name: value for name, value in data.items() if name != "policy"}
    return {**flat, **policy} if isinstance(policy, dict) else flat


def _value(value: object) -> str:
    if isinstance(value, list):
        return clean_text(", ".join(map(str, value))) or "none"
    words = {None: "none", True: "yes", False: "no"}
    return words[value] if value is None or isinstance(value, bool) else clean_text(str(value))

"""The changes of a playbook as pages, and the comparison of any two of its revisions."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from shlex import quote
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.markdown import escape_markdown, front_value
from acdl_mkdocs.foundation.write_details import write_details
from acdl_mkdocs.playbook.model.changes import Change, Kind
from acdl_mkdocs.playbook.pages.history_html import (
    Revision,
    day_of,
    format_signed,
    format_time,
    get_count,
    is_worth_showing,
    render_groups,
    sum_counters,
    summarize_revision,
)
from acdl_mkdocs.playbook.pages.html_text import clean_text, render_inline
from acdl_mkdocs.playbook.pages.published import Published
from acdl_mkdocs.playbook.store.look import Difference, group_differences
from acdl_mkdocs.prompts.prompt import Json

DATA = "revisions.json"
"""The name of the file."""
Part: TypeAlias = tuple[str, str]
"""The kind and the id of a part that a revision can change."""
State: TypeAlias = dict[Part, dict[str, Json]]
_KINDS: tuple[Kind, ...] = ("playbook", "section", "bullet", "pair")


def replay_states(published: Published) -> Iterator[tuple[Revision, State]]:
    """Yield each revision with the published state of the playbook after it; the same value is updated."""
    state: State = {}
    for revision in published.revisions:
        _apply_revision(state, revision)
        yield revision, state


def compare_revisions(published: Published, before: int, after: int) -> list[Difference]:
    """Compare two revisions, in either order; provenance is ignored.

    Parameters:
        published: The playbook with its history.
        before: A revision; if the history lacks it, the last one before it.
        after: The other revision; the same.
    """
    states: dict[int, State] = {before: {}, after: {}}
    for revision, state in replay_states(published):
        for wanted in states:
            if revision.number <= wanted:
                states[wanted] = dict(state)
    return compare_states(states[before], states[after])


def compare_states(was: State, now: State) -> list[Difference]:
    """Compare two states."""
    changes = [
        Change(kind, name, was.get((kind, name)), now.get((kind, name)))
        for kind in _KINDS
        for name in sorted({each[1] for each in (*was, *now) if each[0] == kind})
        if was.get((kind, name)) != now.get((kind, name))
    ]
    return group_differences(changes, _names(now))


def revisions_json(published: Published) -> str:
    """Write the file: `parts` by index, and for each revision its number, time, actor, patches and counts.

    A patch is the index of a part with its changed keys, `null` for a removed key; `0` is a removed part. A count is a
    number with the indices of bullets that were in this many more prompts, as pairs of a first index and a length.
    """
    places: dict[Part, int] = {}
    state: State = {}
    revisions: list[Json] = []
    for revision in published.revisions:
        parts = [(step.kind, step.id) for step in revision.steps] + [("bullet", name) for name in revision.seen]
        before = {part: state.get(part) for part in parts}
        _apply_revision(state, revision)
        patches: list[Json] = []
        counts: dict[int, int] = {}
        for part, was in before.items():
            now = state.get(part)
            index = places.setdefault(part, len(places))
            if was and now and (n_seen := get_count(now, "seen") - get_count(was, "seen")):
                counts[index] = n_seen
                was = _with_seen(was, n_seen)
            if was != now:
                patches.append([index, _patch(was, now)])
        revisions.append([revision.number, revision.time, revision.actor, patches, _encode_counts(counts)])
    data = {"schema_version": 1, "parts": [list(each) for each in places], "revisions": revisions}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def render_comparison(page: str, published: Published, address: Callable[[str, str], str]) -> str:
    """Render the form that compares two revisions, hidden until a script enables it, and the equivalent command.

    Parameters:
        page: The name of the page.
        published: The playbook.
        address: Returns the address of another page or file from a page of the playbook.
    """
    if len(published.revisions) < 2:
        return ""
    command = f"acdl playbook diff {quote(published.source.name)} {published.revisions[0].number}..{published.newest}"
    data, home = clean_text(address(page, DATA)), clean_text(address(page, "index"))
    form = (
        '\n<form aria-label="Compare two revisions"><label>From revision <select name="from"></select></label>'
        '<label>To revision <select name="to"></select></label><button type="button">Swap</button></form>\n'
        '<p class="acdl-compare-said" role="status"></p><div class="acdl-compared"></div>\n'
    )
    attributes = f'data-acdl-data="{data}" data-acdl-home="{home}" hidden'
    return (
        f"{write_details('Compare two revisions', form, 'acdl-compare', attributes=attributes)}\n"
        f'<p class="acdl-compare-command">Any two revisions on the command line: <code>{clean_text(command)}</code></p>'
    )


def _apply_revision(state: State, revision: Revision) -> None:
    """Apply a revision to a state."""
    for step in revision.steps:
        if step.after is None:
            state.pop((step.kind, step.id), None)
        else:
            state[step.kind, step.id] = dict(step.after)
    for name, number in revision.seen.items():
        if (bullet := state.get(("bullet", name))) is not None:
            state["bullet", name] = _with_seen(bullet, number)


def _with_seen(bullet: Mapping[str, Json], number: int) -> dict[str, Json]:
    """Add to the prompt count of a bullet; 0 is left out, as in files."""
    seen = get_count(bullet, "seen") + number
    values = {name: value for name, value in bullet.items() if name != "seen"}
    return {**values, "seen": seen} if seen else values


def _names(state: State) -> frozenset[str]:
    """Return the ids of bullets, including those merged into them."""
    names = {name for kind, name in state if kind == "bullet"}
    for (kind, _), data in state.items():
        if kind == "bullet" and isinstance(aliases := data.get("aliases"), list):
            names |= set(map(str, aliases))
    return frozenset(names)


def _patch(was: Mapping[str, Json] | None, now: Mapping[str, Json] | None) -> Json:
    if now is None:
        return 0
    before = was or {}
    patch = {name: value for name, value in now.items() if name not in before or before[name] != value}
    return {**patch, **dict.fromkeys(name for name in before if name not in now)}


def _encode_counts(numbers: Mapping[int, int]) -> list[Json]:
    """Encode numbers by index as a list for each number: the number, then alternately a first index and a length."""
    runs_by_number: dict[int, list[Json]] = {}
    last: dict[int, int] = {}
    for index, number in sorted(numbers.items()):
        runs = runs_by_number.setdefault(number, [number])
        if last.get(number) == index - 1:
            runs[-1] = int(str(runs[-1])) + 1
        else:
            runs += [index, 1]
        last[number] = index
    return [runs for _, runs in sorted(runs_by_number.items())]


@dataclass(frozen=True, slots=True)
class GeneratedPage:
    """One page of a playbook."""

    name: str
    """The end of its address: `index`, `changes`, `section-tool_usage`."""
    title: str
    """Not escaped."""
    markdown: str


def write_front_matter(title: str, about: str = "") -> str:
    """Write the front matter of a page."""
    lines = [f"title: {front_value(title)}", *([f"description: {front_value(about)}"] if about else [])]
    return "\n".join(["---", *lines, "---"])


CHANGES = "changes"
REVISIONS_A_PAGE = 200


def changes_page(number: int, published: Published) -> str:
    """Return the name of the page that has a revision; empty if no page has it."""
    return _name(number, published.newest) if number in published.numbers else ""


def revision_address(published: Published, number: int) -> tuple[str, str]:
    """Return the page and the anchor of a revision; empty if no page has it."""
    page = changes_page(number, published)
    return page, anchor_of(number) if page else ""


def anchor_of(number: int) -> str:
    """Return the anchor of a revision on its page."""
    return f"r{number}"


def changes_pages(
    published: Published, address: Callable[[str, str], str], bullet: Callable[[str, str], str]
) -> tuple[GeneratedPage, ...]:
    """Return all pages of changes, the newest first; empty without a history.

    Parameters:
        published: The playbook.
        address: Returns the address of another page from a page of the playbook.
        bullet: Returns the address of a bullet from a page; empty if no page shows it.
    """
    groups: dict[str, list[Revision]] = {}
    for revision in reversed(published.revisions):
        groups.setdefault(_name(revision.number, published.newest), []).append(revision)
    names = list(groups)
    return tuple(_page(name, groups[name], names, published, address, bullet) for name in names)


def render_revision(revision: Revision, link: Callable[[str], str], level: int = 2) -> str:
    """Render the changes of a revision as a section."""
    time = f'<time datetime="{clean_text(revision.time)}">{format_time(revision)}</time>' if revision.time else ""
    facts = " · ".join(filter(None, (time, clean_text(revision.actor), clean_text(revision.trace))))
    paragraphs = f"<p><small>{facts}</small></p>" if facts else ""
    paragraphs += f"<p>{render_inline(revision.reasoning)}</p>" if revision.reasoning else ""
    lists = "".join(_list(name, entries) for name, entries in render_groups(revision, link).items())
    lists = lists or "<p>Nothing that is published.</p>"
    anchor = anchor_of(revision.number)
    heading = f'<h{level}><a href="#{anchor}">Revision {revision.number}</a></h{level}>'
    return f'<section class="acdl-revision" id="{anchor}">{heading}{paragraphs}{lists}</section>'


def _render_folded(revisions: Sequence[Revision], link: Callable[[str], str]) -> Iterator[str]:
    """Yield revisions as sections; consecutive ones that only changed counters are folded into one line."""
    for is_told, group in groupby(revisions, key=is_worth_showing):
        members = tuple(group)
        inside = "\n".join(render_revision(each, link) for each in members)
        yield inside if is_told else write_details(_describe_counters(members), f"\n{inside}\n", "acdl-counted")


def _describe_counters(revisions: Sequence[Revision]) -> str:
    """Return the line for revisions which only changed counters; the newest comes first."""
    first, last = revisions[-1].number, revisions[0].number
    which = f"Revision {first}" if first == last else f"Revisions {first}–{last}"
    moved = ", ".join(f"{format_signed(number)} {name}" for name, number in sum_counters(revisions).items())
    is_quiet = any(each.steps or each.seen for each in revisions)
    what = f"counters only{', ' if moved else ''}{moved}" if is_quiet else "nothing that is published"
    return f"{which}: {what}"


def _render_contents(revisions: Sequence[Revision]) -> str:
    """Render the list of the revisions of a page that did more than count; empty if there is only one."""
    listed = [each for each in revisions if is_worth_showing(each)]
    if len(listed) < 2:
        return ""
    lines = []
    for each in listed:
        facts = ", ".join(filter(None, (clean_text(day_of(each)), summarize_revision(each))))
        lines.append(f'<li><a href="#{anchor_of(each.number)}">Revision {each.number}</a>: {facts}</li>')
    return write_details("Revisions on this page", f"\n<ul>{''.join(lines)}</ul>\n", "acdl-contents")


def _list(name: str, entries: Sequence[str]) -> str:
    items = "".join(f"<li>{entry}</li>" for entry in entries)
    return f"<h3>{name}</h3><ul>{items}</ul>"


def _name(number: int, newest: int) -> str:
    group = max(number - 1, 0) // REVISIONS_A_PAGE  # the first page also has revision 0, the empty playbook
    if group == max(newest - 1, 0) // REVISIONS_A_PAGE:
        return CHANGES
    return f"{CHANGES}-{group * REVISIONS_A_PAGE + 1}"


def _page(
    name: str,
    revisions: Sequence[Revision],
    names: Sequence[str],
    published: Published,
    address: Callable[[str, str], str],
    bullet: Callable[[str, str], str],
) -> GeneratedPage:
    def link(id: str) -> str:
        href = bullet(name, id)
        return f'<a href="{clean_text(href)}">{clean_text(id)}</a>' if href else clean_text(id)

    title = f"Changes of {published.playbook.name}"
    others = "".join(_others(name, names, address))
    inside = "\n".join(_render_folded(revisions, link))
    home = f'<a href="{clean_text(address(name, "index"))}">{clean_text(published.playbook.name)}</a>'
    gap = f'<p class="acdl-book-gap">{clean_text(published.gap)}</p>' if published.gap else ""
    parts = [
        f"<p>Back to the playbook {home}{others}</p>",
        gap,
        _render_contents(revisions),
        render_comparison(name, published, address),
        inside,
    ]
    body = "\n".join(['<div class="acdl-playbook acdl-changes">', *filter(None, parts), "</div>"])
    return GeneratedPage(name, title, f"{write_front_matter(title)}\n\n# {escape_markdown(title)}\n\n{body}\n")


def _others(name: str, names: Sequence[str], address: Callable[[str, str], str]) -> Iterator[str]:
    for other in names:
        first = other.partition("-")[2]
        words = f"revisions from {first}" if first else "the newest"
        if other != name:
            yield f' · <a href="{clean_text(address(name, other))}">{words}</a>'

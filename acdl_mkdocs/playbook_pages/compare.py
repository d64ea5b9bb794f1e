"""The difference of any two revisions of a published playbook, and the file from which a page works it out.

What differs is grouped by the same function as that of `acdl playbook diff`. The file has each revision as what it
changed, in as few characters as can be, because a page reads all of it: a script replays it and groups in the same way.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from shlex import quote
from typing import TypeAlias

from acdl_mkdocs.playbook.changes import Change, Kind
from acdl_mkdocs.playbook_pages.inline import clean
from acdl_mkdocs.playbook_pages.published import Published
from acdl_mkdocs.playbook_pages.recorded import Revision
from acdl_mkdocs.playbook_pages.told import count
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.store.look import Difference, differences

DATA = "revisions.json"
"""The name of the file."""
Part: TypeAlias = tuple[str, str]
"""The kind and the id of what a revision can change."""
State: TypeAlias = dict[Part, dict[str, Json]]
_KINDS: tuple[Kind, ...] = ("playbook", "section", "bullet", "pair")


def states(published: Published) -> Iterator[tuple[Revision, State]]:
    """Each revision with what the playbook was after it, as far as that may be shown; the same value grows."""
    state: State = {}
    for revision in published.revisions:
        _advance(state, revision)
        yield revision, state


def compare(published: Published, before: int, after: int) -> list[Difference]:
    """What differs between two revisions, in either order; where bullets come from is not compared.

    Parameters:
        published: The playbook with its history.
        before: A revision; one that the history does not have is as the last before it.
        after: The same.
    """
    found: dict[int, State] = {before: {}, after: {}}
    for revision, state in states(published):
        for wanted in found:
            if revision.number <= wanted:
                found[wanted] = dict(state)
    return difference(found[before], found[after])


def difference(was: State, now: State) -> list[Difference]:
    """What differs between two states."""
    made = [
        Change(kind, name, was.get((kind, name)), now.get((kind, name)))
        for kind in _KINDS
        for name in sorted({each[1] for each in (*was, *now) if each[0] == kind})
        if was.get((kind, name)) != now.get((kind, name))
    ]
    return differences(made, _names(now))


def revisions_json(published: Published) -> str:
    """The file: `parts` by their place, and of each revision its number, time, actor, patches and counts.

    A patch is the place of a part with what changed in it, `null` for what it has no more; `0` is a part that is gone.
    A count is a number with the places of bullets that were in so many more prompts, as pairs of a first place and how
    many follow each other.
    """
    places: dict[Part, int] = {}
    state: State = {}
    revisions: list[Json] = []
    for revision in published.revisions:
        parts = [(step.kind, step.id) for step in revision.steps] + [("bullet", name) for name in revision.seen]
        before = {part: state.get(part) for part in parts}
        _advance(state, revision)
        patches: list[Json] = []
        counts: dict[int, int] = {}
        for part, was in before.items():
            now = state.get(part)
            place = places.setdefault(part, len(places))
            if was and now and (more := count(now, "seen") - count(was, "seen")):
                counts[place] = more
                was = _with_seen(was, more)
            if was != now:
                patches.append([place, _patch(was, now)])
        revisions.append([revision.number, revision.time, revision.actor, patches, _counts(counts)])
    data = {"schema_version": 1, "parts": [list(each) for each in places], "revisions": revisions}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def compare_html(page: str, published: Published, address: Callable[[str, str], str]) -> str:
    """The form that compares two revisions, hidden until a script makes it work, and the command that does the same.

    Parameters:
        page: The name of the page.
        published: The playbook.
        address: From a page of the playbook to another or to a file.
    """
    if len(published.revisions) < 2:
        return ""
    command = f"acdl playbook diff {quote(published.source.name)} {published.revisions[0].number}..{published.newest}"
    return (
        f'<details class="acdl-compare" data-acdl-data="{clean(address(page, DATA))}" '
        f'data-acdl-home="{clean(address(page, "index"))}" hidden><summary>Compare two revisions</summary>\n'
        '<form aria-label="Compare two revisions"><label>From revision <select name="from"></select></label>'
        '<label>To revision <select name="to"></select></label><button type="button">Swap</button></form>\n'
        '<p class="acdl-compare-said" role="status"></p><div class="acdl-compared"></div>\n</details>\n'
        f'<p class="acdl-compare-command">Any two revisions on the command line: <code>{clean(command)}</code></p>'
    )


def _advance(state: State, revision: Revision) -> None:
    """Do what a revision did."""
    for step in revision.steps:
        if step.after is None:
            state.pop((step.kind, step.id), None)
        else:
            state[step.kind, step.id] = dict(step.after)
    for name, number in revision.seen.items():
        if (bullet := state.get(("bullet", name))) is not None:
            state["bullet", name] = _with_seen(bullet, number)


def _with_seen(bullet: Mapping[str, Json], number: int) -> dict[str, Json]:
    """A bullet that was in so many more prompts; none is not said, as in files."""
    seen = count(bullet, "seen") + number
    kept = {name: value for name, value in bullet.items() if name != "seen"}
    return {**kept, "seen": seen} if seen else kept


def _names(state: State) -> frozenset[str]:
    """The ids of bullets, and of those that were merged into them."""
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


def _counts(numbers: Mapping[int, int]) -> list[Json]:
    """Numbers by place as a list for each number: the number, then a first place and how many follow, in turn."""
    found: dict[int, list[Json]] = {}
    last: dict[int, int] = {}
    for place, number in sorted(numbers.items()):
        runs = found.setdefault(number, [number])
        if last.get(number) == place - 1:
            runs[-1] = int(str(runs[-1])) + 1
        else:
            runs += [place, 1]
        last[number] = place
    return [runs for _, runs in sorted(found.items())]

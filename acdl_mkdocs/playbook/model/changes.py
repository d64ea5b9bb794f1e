"""The difference of two playbooks as changes that can be applied and reverted: the content of a history.

A change holds a bullet, a section or a pair before and after it, as plain data. Knows nothing about files.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Generic, Literal, TypeAlias, TypeVar, cast

from acdl_mkdocs.foundation.errors import ChangeError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import Pair, Playbook, Section, sort_playbook
from acdl_mkdocs.playbook.model.plain import (
    bullet_data,
    bullet_of,
    pair_data,
    pair_of,
    policy_data,
    policy_of,
    section_data,
    section_of,
)
from acdl_mkdocs.prompts.prompt import Json

Kind: TypeAlias = Literal["playbook", "section", "bullet", "pair", "seen"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Change:
    """One difference."""

    kind: Kind
    """`playbook` covers its name, its policy and the order of its sections."""
    id: str
    """Of the bullet or section; both ids of a pair, separated by a blank; empty for the playbook."""
    before: Json
    """As plain data; `None` if it did not exist."""
    after: Json
    """As plain data; `None` if it no longer exists."""


def find_changes(before: Playbook, after: Playbook) -> tuple[Change, ...]:
    """Return what differs: the playbook first, then sections, bullets and pairs, each sorted by id.

    The revision number is not a change: it counts them.
    """
    return tuple(_find_changes(before, after))


def apply_changes(playbook: Playbook, changes: Iterable[Change], *, revision: int | None = None) -> Playbook:
    """Apply changes and return the playbook in canonical order.

    Parameters:
        playbook: As it was before the changes.
        changes: What to change.
        revision: That of the result; `None` keeps it.

    Raises:
        ChangeError: The playbook differs from the state before a change.
        PlaybookDataError: A change holds data that is not playbook data.
    """
    frame: Json = frame_data(playbook)
    sections = _Table({each.id: each for each in playbook.sections}, section_data, section_of)
    bullets = _Table({each.id: each for each in playbook.bullets}, bullet_data, bullet_of)
    pairs = _Table({pair_id(each): each for each in playbook.pairs}, pair_data, pair_of)
    for change in changes:
        if change.kind == "playbook":
            _check_unchanged(change, frame)
            frame = change.after
        elif change.kind == "section":
            sections.apply_change(change)
        elif change.kind == "bullet":
            bullets.apply_change(change)
        else:
            pairs.apply_change(change)
    changed = replace(
        _apply_frame(playbook, frame, sections.values),
        revision=playbook.revision if revision is None else revision,
        bullets=tuple(bullets.values.values()),
        pairs=tuple(pairs.values.values()),
    )
    return sort_playbook(changed)


def revert_changes(playbook: Playbook, changes: Iterable[Change], *, revision: int | None = None) -> Playbook:
    """Revert changes; otherwise like `apply_changes`."""
    back = [Change(each.kind, each.id, each.after, each.before) for each in reversed(tuple(changes))]
    return apply_changes(playbook, back, revision=revision)


def pair_id(pair: Pair) -> str:
    """Return the id that changes use for a pair."""
    return f"{pair.a} {pair.b}"


def _find_changes(before: Playbook, after: Playbook) -> Iterator[Change]:
    was, now = frame_data(before), frame_data(after)
    if was != now:
        yield Change("playbook", "", was, now)
    yield from _differences(
        "section", {each.id: each for each in before.sections}, {each.id: each for each in after.sections}, section_data
    )
    yield from _differences(
        "bullet", {each.id: each for each in before.bullets}, {each.id: each for each in after.bullets}, bullet_data
    )
    yield from _differences(
        "pair", {pair_id(each): each for each in before.pairs}, {pair_id(each): each for each in after.pairs}, pair_data
    )


def frame_data(playbook: Playbook) -> dict[str, Json]:
    """Return the data of a change of kind `playbook`: name, policy and order of sections."""
    sections: list[Json] = [section.id for section in playbook.sections]
    return {"name": playbook.name, "policy": cast(Json, policy_data(playbook.policy)), "sections": sections}


def _apply_frame(playbook: Playbook, frame: Json, sections: Mapping[str, Section]) -> Playbook:
    """Return a playbook with the name, the policy and the order of sections of a change of kind `playbook`."""
    data = frame if isinstance(frame, dict) else {}
    name, order = data.get("name"), data.get("sections")
    if not isinstance(name, str) or not isinstance(order, list):
        raise ChangeError("the change of the playbook has no name or no sections")
    if len(order) != len(sections) or not all(each in sections for each in order):
        raise ChangeError("the order of sections does not name the sections that there are")
    in_order = tuple(sections[str(each)] for each in order)
    return replace(playbook, name=name, policy=policy_of(data.get("policy", {})), sections=in_order)


def _differences(
    kind: Kind, before: Mapping[str, T], after: Mapping[str, T], data: Callable[[T], dict[str, Json]]
) -> Iterator[Change]:
    differing = [key for key, value in after.items() if (old := before.get(key)) is not value and old != value]
    differing += [key for key in before if key not in after]
    for key in sorted(differing):
        old, new = before.get(key), after.get(key)
        yield Change(kind, key, None if old is None else data(old), None if new is None else data(new))


class _Table(Generic[T]):
    """Sections, bullets or pairs that are changed one by one."""

    def __init__(self, values: Mapping[str, T], data: Callable[[T], dict[str, Json]], value: Callable[[Json], T]):
        self.values = dict(values)
        self.data = data
        self.value = value

    def apply_change(self, change: Change) -> None:
        old = self.values.pop(change.id, None)
        _check_unchanged(change, None if old is None else self.data(old))
        if change.after is not None:
            self.values[change.id] = self.value(change.after)


def _check_unchanged(change: Change, current: Json) -> None:
    if current != change.before:
        raise ChangeError(f"{_name(change)} is not as the change found it: {_difference(change.before, current)}")


def _name(change: Change) -> str:
    return f"the {change.kind} `{change.id}`" if change.id else "the playbook"


def _difference(expected: Json, current: Json) -> str:
    if expected is None or current is None:
        return "it exists already" if expected is None else "it does not exist"
    if isinstance(expected, dict) and isinstance(current, dict):
        keys = sorted(key for key in {*expected, *current} if expected.get(key) != current.get(key))
        return f"{', '.join(keys)} {'differs' if len(keys) == 1 else 'differ'}"
    return "it differs"

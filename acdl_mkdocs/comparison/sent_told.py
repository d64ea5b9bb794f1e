"""What two specs send, in words that every way to show it uses."""

from collections import Counter
from collections.abc import Iterator

from acdl_mkdocs.comparison.edits import Difference
from acdl_mkdocs.comparison.sent import PointDifference, SentDifference, SentSide
from acdl_mkdocs.comparison.sent_messages import MessageChange, MessagePlace
from acdl_mkdocs.foundation.text_width import visible
from acdl_mkdocs.foundation.wording import counted
from acdl_mkdocs.language.syntax.nodes import ROLE_WORDS

_KINDS = {"added": "added", "removed": "removed", "moved": "moved", "changed": "changed", "role": "with another role"}


def sent_verdict(sent: SentDifference) -> str:
    """All of it in one line."""
    n_all, n_failed, n_undecided = len(sent.points), len(sent.failed), len(sent.undecided)
    if not n_all:
        return "nothing was tested"
    first = sent.first_difference
    not_compared = f"; {n_failed} of {_points(n_all)} could not be compared" if n_failed else ""
    if first is not None:
        n_different = sum(each.verdict == "different" for each in sent.points)
        return f"differs first at @{first.at}, and at {n_different} of {_points(n_all)} that were tested{not_compared}"
    if n_failed == n_all:
        return f"could not be compared at {'the only point' if n_all == 1 else f'any of {n_all} points'}"
    if n_failed and not n_undecided:
        return f"sends the same at {n_all - n_failed} of {_points(n_all)}{not_compared}"
    if n_undecided:
        n_same = n_all - n_undecided - n_failed
        rest = "" if not n_same else f", and at {_points(n_same)} for certain"
        return (
            f"cannot be told at {_points(n_undecided)}: the same is sent if conditions that the state does not decide "
            f"are false{rest}{not_compared}"
        )
    all_of_them = "the one point that was" if n_all == 1 else f"all {n_all} points that were"
    known = all(each.verdict == "same" for each in sent.points)
    return f"sends the same at {all_of_them} tested{'' if known else ', as far as the state says what is sent'}"


def looks_and_sends(difference: Difference, sent: SentDifference) -> str:
    """What the texts and what is sent say together, where one of them alone would mislead; else nothing."""
    if sent.is_same and difference.edits and not difference.is_equal_sent:
        return "they look different and send the same at the points that were tested; another state may tell them apart"
    if sent.first_difference is not None and difference.is_equal_sent:
        origin = "texts that they use" if sent.is_one_state else "the states"
        return f"the specs say the same: what differs comes from {origin}"
    return ""


def counts(point: PointDifference) -> str:
    """How many messages changed in which way."""
    found = Counter[str](each.kind for each in point.changes)
    told = [f"{found[kind]} {words}" for kind, words in _KINDS.items() if found[kind]]
    return ", ".join([*told, *(f"other {each}" for each in point.other_beside)])


def place_of(place: MessagePlace) -> str:
    """Where a message of one side comes from: the line of the spec and the rounds of its loops."""
    around = f" {visible(place.rounds)}" if place.rounds else ""
    return f"{visible(place.source.name)}:{place.line}{around}"


def role_of(place: MessagePlace) -> str:
    """The role as it is written in figures."""
    return "Text without a role" if place.role == "none" else ROLE_WORDS[place.role]


def about(change: MessageChange) -> str:
    """Which message, in a few words."""
    old, new = change.old, change.new
    place = new or old
    if place is None:
        return ""
    role = role_of(place)
    if old is not None and new is not None and old.role != new.role:
        role = f"{role_of(old)} -> {role}"
    numbers = f"{old.number} -> {new.number}" if old and new and old.number != new.number else str(place.number)
    return f"message {numbers}, {role}"


def tokens_of(old: int | None, new: int | None, *, is_estimate: bool) -> str:
    """Model tokens before and after; empty where nothing is counted."""
    if old is None or new is None:
        return ""
    sign = "≈" if is_estimate else ""
    return f"{sign}{old:,}" if old == new else f"{sign}{old:,} -> {sign}{new:,} ({new - old:+,})"


def n_messages(point: PointDifference) -> str:
    """How many messages both send."""
    old, new = point.old.n_messages, point.new.n_messages
    return str(old) if old == new else f"{old} -> {new}"


def cache_of(point: PointDifference) -> str:
    """How much of the old prompt stands at the beginning of the new one."""
    if point.n_same_start == point.old.n_messages:
        return "all"
    return f"{point.n_same_start} of {point.old.n_messages}"


def prefixes(sent: SentDifference) -> str:
    """At how many points either side keeps the prompt of the point before; empty where neither is asked."""
    sides = [[side.is_prefix_kept for side in sides] for sides in _both(sent)]
    known = [[each for each in side if each is not None] for side in sides]
    if not known[0]:
        return ""
    old, new = (f"{sum(side)} of {len(side)}" for side in known)
    rest = "" if old == new else f", and with the new spec at {new}"
    return f"prompt cache: the prompt of the point before is kept at {old} points{rest}"


def reasons(point: PointDifference) -> Iterator[tuple[str, str]]:
    """Why a point is not certain: the side and a sentence, those of both sides once."""
    told: dict[str, list[str]] = {}
    for name, side in (("old", point.old), ("new", point.new)):
        for sentence in _reasons(side):
            told.setdefault(sentence, []).append(name)
    for sentence, names in told.items():
        yield " and ".join(names), sentence


def _reasons(side: SentSide) -> Iterator[str]:
    yield from side.errors
    if side.undecided:
        yield f"the state does not decide {', '.join(side.undecided)}: it counts as false"
    if side.unknown:
        yield f"the state does not have {', '.join(side.unknown)}: the names are compared"


def _both(sent: SentDifference) -> tuple[list[SentSide], list[SentSide]]:
    return [each.old for each in sent.points], [each.new for each in sent.points]


def _points(number: int) -> str:
    return counted(number, "point")

"""The comparison of the messages of two specs, in sentences, and as text for a terminal."""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from acdl_mkdocs.compare.sent.messages import MessageChange, MessagePlace
from acdl_mkdocs.compare.sent.sent import PointDifference, SentDifference, SentSide
from acdl_mkdocs.compare.sent.words import CYAN, GREEN, RED, YELLOW, Paint
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.language.syntax.nodes import ROLE_WORDS

_KINDS = {
    "added": "added",
    "removed": "removed",
    "moved": "moved",
    "changed": "changed",
    "role": "with a different role",
}


def sent_verdict(sent: SentDifference) -> str:
    """Describe the verdict in one line."""
    n_all, n_failed, n_undecided = len(sent.points), len(sent.failed), len(sent.undecided)
    if not n_all:
        return "nothing was tested"
    first = sent.first_difference
    not_compared = f"; {n_failed} of {_format_points(n_all)} could not be compared" if n_failed else ""
    if first is not None:
        n_different = sum(each.verdict == "different" for each in sent.points)
        where = f"at {n_different} of {_format_points(n_all)} tested"
        return f"the messages differ first at @{first.at}, and {where}{not_compared}"
    if n_failed == n_all:
        return f"the messages could not be compared at {'the only point' if n_all == 1 else f'any of {n_all} points'}"
    if n_failed and not n_undecided:
        return f"the messages are the same at {n_all - n_failed} of {_format_points(n_all)}{not_compared}"
    if n_undecided:
        n_same = n_all - n_undecided - n_failed
        rest = "" if not n_same else f", and at {_format_points(n_same)} for certain"
        return (
            f"undecided at {_format_points(n_undecided)}: the messages are the same if conditions that the state does "
            f"not decide are false{rest}{not_compared}"
        )
    all_of_them = "the only point" if n_all == 1 else f"all {n_all} points"
    is_certain = all(each.verdict == "same" for each in sent.points)
    return (
        f"the messages are the same at {all_of_them} tested{'' if is_certain else ', as far as the state has values'}"
    )


def looks_and_sends(difference: Difference, sent: SentDifference) -> str:
    """Describe what texts and messages show together where either alone would mislead; else return nothing."""
    if sent.is_same and difference.edits and not difference.is_equal_sent:
        return "the specs differ, but send the same messages at all points tested; another state may show a difference"
    if sent.first_difference is not None and difference.is_equal_sent:
        origin = "texts that they use" if sent.is_one_state else "the states"
        return f"the specs are equivalent: the difference comes from {origin}"
    return ""


def count_changes(point: PointDifference) -> str:
    """Describe how many messages changed, by kind of change."""
    counts = Counter[str](each.kind for each in point.changes)
    parts = [f"{counts[kind]} {words}" for kind, words in _KINDS.items() if counts[kind]]
    return ", ".join([*parts, *(f"other {each}" for each in point.other_beside)])


def format_place(place: MessagePlace) -> str:
    """Return where a message of one side comes from: the line of the spec and the rounds of its loops."""
    around = f" {make_visible(place.rounds)}" if place.rounds else ""
    return f"{make_visible(place.source.name)}:{place.line}{around}"


def role_of(place: MessagePlace) -> str:
    """Return the role as written in figures."""
    return "Text without a role" if place.role == "none" else ROLE_WORDS[place.role]


def describe_message(change: MessageChange) -> str:
    """Describe a message in a few words."""
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
    """Return model tokens before and after; empty if nothing is counted."""
    if old is None or new is None:
        return ""
    sign = "≈" if is_estimate else ""
    return f"{sign}{old:,}" if old == new else f"{sign}{old:,} -> {sign}{new:,} ({new - old:+,})"


def n_messages(point: PointDifference) -> str:
    """Return the number of messages on both sides."""
    old, new = point.old.n_messages, point.new.n_messages
    return str(old) if old == new else f"{old} -> {new}"


def cache_of(point: PointDifference) -> str:
    """Return how much of the old prompt is a prefix of the new one."""
    if point.n_same_start == point.old.n_messages:
        return "all"
    return f"{point.n_same_start} of {point.old.n_messages}"


def describe_prefixes(sent: SentDifference) -> str:
    """Describe at how many points each side extends its previous prompt; empty if neither is checked."""
    sides = [[side.is_prefix_kept for side in sides] for sides in _split_sides(sent)]
    checked = [[each for each in side if each is not None] for side in sides]
    if not checked[0]:
        return ""
    old, new = (f"{sum(side)} of {len(side)}" for side in checked)
    rest = "" if old == new else f", with the new spec at {new}"
    return f"prompt cache: the previous prompt is a prefix at {old} points{rest}"


def list_reasons(point: PointDifference) -> Iterator[tuple[str, str]]:
    """Yield why a point is uncertain: the side and a sentence, each sentence once."""
    sides_of: dict[str, list[str]] = {}
    for name, side in (("old", point.old), ("new", point.new)):
        for sentence in _side_reasons(side):
            sides_of.setdefault(sentence, []).append(name)
    for sentence, names in sides_of.items():
        yield " and ".join(names), sentence


def _side_reasons(side: SentSide) -> Iterator[str]:
    yield from side.errors
    if side.undecided:
        yield f"the state does not decide {', '.join(side.undecided)}: it counts as false"
    if side.unknown:
        yield f"the state does not have {', '.join(side.unknown)}: the names are compared"


def _split_sides(sent: SentDifference) -> tuple[list[SentSide], list[SentSide]]:
    return [each.old for each in sent.points], [each.new for each in sent.points]


def _format_points(number: int) -> str:
    return format_count(number, "point")


_SIGNS = {"added": "+", "removed": "-", "moved": ">", "changed": "~", "role": "~"}
_COLORS = {"+": GREEN, "-": RED, "~": YELLOW, ">": YELLOW}
_MOST_DETAILED = 3
"""Points that are shown message by message."""
_MOST_MESSAGES = 12
_MOST_POINTS = 40


def format_lines(difference: Difference, sent: SentDifference, paint: Paint) -> Iterator[str]:
    """Yield the whole comparison as lines; the last lines give the verdict."""
    names = list(dict.fromkeys(make_visible(each) for each in (sent.old_spec, sent.new_spec) if each))
    encoding = f" (model tokens in {sent.encoding})" if sent.encoding else ""
    yield paint(CYAN, f"messages of {' and '.join(names) or 'both texts'}{encoding}")
    n_detailed = n_shown = 0
    reported = set[MessageChange]()
    for is_same, group in groupby(sent.points, lambda each: each.verdict == "same"):
        points = list(group)
        if is_same:
            yield f"  = {_format_same(points)}"
            continue
        for point in points:
            if n_shown < _MOST_POINTS:
                yield from _format_point(point, sent, paint)
                yield from format_messages(point, paint, reported) if n_detailed < _MOST_DETAILED else ()
            n_shown += 1
            n_detailed += point.verdict == "different"
    if n_shown > _MOST_POINTS:
        yield f"  … {n_shown - _MOST_POINTS:,} more points; --at selects some, --format json lists all"
    for sentence in (describe_prefixes(sent), looks_and_sends(difference, sent)):
        if sentence:
            yield sentence
    yield sent_verdict(sent)


def _format_same(points: list[PointDifference]) -> str:
    ats = f"@{points[0].at}" if len(points) == 1 else f"@{points[0].at} to @{points[-1].at} ({len(points)} points)"
    return f"{ats}  the same"


def _format_point(point: PointDifference, sent: SentDifference, paint: Paint) -> Iterator[str]:
    old, new = point.old, point.new
    if point.verdict == "failed":
        yield paint(RED, f"  ! @{point.at}  could not be compared")
    elif point.verdict == "different":
        tokens = tokens_of(old.n_tokens, new.n_tokens, is_estimate=sent.is_estimate)
        noun = "message" if old.n_messages == new.n_messages == 1 else "messages"
        parts = [count_changes(point), f"{n_messages(point)} {noun}", tokens and f"{tokens} model tokens"]
        parts.append(f"common prefix: {cache_of(point)} old messages")
        yield paint(YELLOW, f"  ~ @{point.at}  {'; '.join(filter(None, parts))}")
    elif point.verdict == "undecided":
        yield paint(YELLOW, f"  ? @{point.at}  the same, unless a condition holds that the state does not decide")
    else:
        yield f"  ≈ @{point.at}  the same as far as known"
    for side, sentence in list_reasons(point):
        yield f"      {side}: {make_visible(sentence)}"


def format_messages(point: PointDifference, paint: Paint, reported: set[MessageChange]) -> Iterator[str]:
    """Yield the changes of messages that no earlier point has shown."""
    changes = [each for each in point.changes if each not in reported]
    reported.update(changes)
    for change in changes[:_MOST_MESSAGES]:
        yield from _format_message(change, paint)
    if len(changes) > _MOST_MESSAGES:
        yield f"      … {len(changes) - _MOST_MESSAGES} more messages"
    if len(changes) < len(point.changes):
        yield f"      … {len(point.changes) - len(changes)} as at the points before"


def _format_message(change: MessageChange, paint: Paint) -> Iterator[str]:
    sign = _SIGNS[change.kind]
    where = " -> ".join(format_place(each) for each in (change.old, change.new) if each is not None)
    yield paint(_COLORS[sign], f"      {sign} {describe_message(change)}  ({where})")
    if change.has_other_parts:
        yield "          the words are the same; something beside them differs, such as an image or the id of a call"
    if change.words:
        yield f"          {paint.format_words(change.words)}"

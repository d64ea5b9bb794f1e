"""Where two JSON values first differ, and which of several is nearest to one."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence

from acdl_mkdocs.prompts.prompt import Json

_MOST_SHOWN = 60
_MISSING = object()


def nearest(value: Json, others: Sequence[Json]) -> int | None:
    """Place of the one that has most in common with a value; of several, the first."""
    said = Counter(_leaves(value, ""))
    best, best_place = -1.0, None
    for place, other in enumerate(others):
        leaves = Counter(_leaves(other, ""))
        n_all = said.total() + leaves.total()
        likeness = 2 * (said & leaves).total() / n_all if n_all else 1.0
        if likeness > best:
            best, best_place = likeness, place
    return best_place


def _leaves(value: Json, path: str) -> Iterator[tuple[str, str]]:
    """What stands at which place, of texts each word; the numbers of elements do not count."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, f"{path}[]")
    elif isinstance(value, str):
        yield from ((path, word) for word in value.split())
        yield path, ""
    else:
        yield path, json.dumps(value)


def first_difference(old: Json, new: Json) -> str:
    """A clause about the first place where a value is another one; empty if there is none."""
    return _difference(old, new, "")


def _difference(old: object, new: object, path: str) -> str:
    pairs: list[tuple[str, object, object]]
    if isinstance(old, dict) and isinstance(new, dict):
        keys = dict.fromkeys((*old, *new))
        begin = f"{path}." if path else ""
        pairs = [(f"{begin}{key}", old.get(key, _MISSING), new.get(key, _MISSING)) for key in keys]
    elif isinstance(old, list) and isinstance(new, list):
        longest = range(max(len(old), len(new)))
        pairs = [(f"{path}[{at}]", _at(old, at), _at(new, at)) for at in longest]
    elif type(old) is type(new) and old == new:
        return ""
    else:
        return _clause(old, new, path)
    return next(filter(None, (_difference(a, b, place) for place, a, b in pairs)), "")


def _at(items: Sequence[object], place: int) -> object:
    return items[place] if place < len(items) else _MISSING


def _clause(old: object, new: object, path: str) -> str:
    if old is _MISSING:
        return f"`{path}` is {_shown(new)}, and the recording has none"
    if new is _MISSING:
        return f"`{path}` is missing; the recording has {_shown(old)}"
    start = 0
    if isinstance(old, str) and isinstance(new, str):
        same = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        start = max(0, same - _MOST_SHOWN // 2)
    return f"`{path}` is {_shown(new, start)}, and {_shown(old, start)} in the recording"


def _shown(value: object, start: int = 0) -> str:
    """A value, short: of a long text the part that begins somewhere."""
    if isinstance(value, str):
        begin, words = ("…" if start else ""), value[start:]
        end = "…" if len(words) > _MOST_SHOWN else ""
        return json.dumps(f"{begin}{words[:_MOST_SHOWN]}{end}", ensure_ascii=False)
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"

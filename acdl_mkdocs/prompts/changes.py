"""`Change`: one thing that a conversion changed or found, with its position in the text."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from json import JSONDecodeError, JSONDecoder
from typing import Literal

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import BEGUN_STRING
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.prompts.pml.losses import IgnoredContent
from acdl_mkdocs.prompts.pml.problems import Repair
from acdl_mkdocs.prompts.providers.pml import is_advice
from acdl_mkdocs.prompts.providers.results import Loss, Problem
from acdl_mkdocs.prompts.strict_json import DEPTH

_STEP = re.compile(r"\.?([^.\[\]]++)|\[(\d++)\]")
_SPACE = re.compile(r"[ \t\r\n]*+")
_MOST_WORK = 20_000_000
"""Limit of characters that are scanned for all paths of a text; beyond it, positions are unknown."""
_MOST_DIGITS = 4300
_DECODER = JSONDecoder()


def find_offsets(text: str, paths: Sequence[str]) -> list[int | None]:
    """Return the offset of the value of each path, or of the last value on the way that exists.

    Parameters:
        text: JSON that can be read.
        paths: As `Problem.path` has them.
    """
    n_known = _MOST_WORK // max(len(text), 1)
    return [_find_offset(text, path) if number < n_known else None for number, path in enumerate(paths)]


_TOKEN = re.compile(BEGUN_STRING + r'"|[{}\[\]:,]|[^\s"{}\[\]:,]++', re.DOTALL)
"""Strings, signs, and numbers and words."""


def find_fault_offset(text: str) -> int | None:
    """Return where a text stops being JSON that `strict_json` accepts; `None` if that is not found."""
    try:
        json.loads(text)
    except JSONDecodeError as error:
        return error.pos
    except (RecursionError, ValueError):
        pass
    keys: list[set[str] | None] = []
    before = ""
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word in "{[":
            keys.append(set() if word == "{" else None)
        elif word in "}]":
            keys.pop()
        own = keys[-1] if keys else None
        is_key = own is not None and before in ("{", ",") and word[0] == '"'
        if len(keys) > DEPTH or (is_key and own is not None and _is_repeated_key(word, own)) or _is_no_number(word):
            return token.start()
        before = word
    return None


def _is_repeated_key(word: str, keys: set[str]) -> bool:
    key = json.loads(word, strict=False)
    if key in keys:
        return True
    keys.add(key)
    return False


def _is_no_number(word: str) -> bool:
    """Return whether a word is a number that no program can hold."""
    if word in ("NaN", "Infinity", "-Infinity") or len(word) > _MOST_DIGITS:
        return word[0] != '"'
    return word[0] in "-0123456789" and math.isinf(float(word))


def _find_offset(text: str, path: str) -> int | None:
    at = _skip_space(text, 1 if text.startswith("\ufeff") else 0)
    for step in _STEP.finditer(path):
        try:
            inner = _find_value(text, at, step[1] if step[2] is None else int(step[2]))
        except (JSONDecodeError, RecursionError, ValueError):
            return None
        if inner is None:
            return at
        at = inner
    return at


def _find_value(text: str, at: int, wanted: str | int) -> int | None:
    """Return the offset of the value of a key or list index in the value at an offset."""
    if text[at : at + 1] != ("{" if isinstance(wanted, str) else "["):
        return None
    at = _skip_space(text, at + 1)
    number = 0
    while at < len(text) and text[at] not in "}]":
        key: str | int = number
        if isinstance(wanted, str):
            key, at = _DECODER.raw_decode(text, at)
            at = _skip_space(text, _skip_space(text, at) + 1)  # after the colon
        if key == wanted:
            return at
        at = _skip_space(text, _DECODER.raw_decode(text, at)[1])
        if text[at : at + 1] == ",":
            at = _skip_space(text, at + 1)
        number += 1
    return None


def _skip_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


ChangeKind = Literal["error", "warning", "repair", "loss", "change"]
"""`error`: the input does not follow its format. `warning`: it does, but it is probably a mistake, or the provider
may reject it. `repair`: it was repaired while reading. `loss`: the other format cannot hold it. `change`: the other
format writes it differently, or needs more."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change or a problem."""

    kind: ChangeKind
    """`error` if the input does not follow its format, `warning` for a probable mistake, `repair` for what was repaired
    while reading, `loss` for what the output cannot hold, `change` for what it writes differently."""
    sentence: str
    """What happened; lower case, no full stop."""
    cure: str = ""
    """How to fix it; empty if there is nothing to do."""
    part: str = ""
    """Path in the prompt: `messages[2].parts[0]`, `tools[1]`, or empty for the whole prompt."""
    path: str = ""
    """Path in the JSON that was read, for its errors: `messages[3].content[0]`."""
    line: int | None = None
    """Line in the text that was read, from 1; `None` if it is not known."""
    column: int | None = None
    """Column in that line, from 1; `None` if it is not known."""
    rule: str | None = None
    """Name of the PML problem, such as `unknown-element`; `None` for other formats."""


@dataclass(frozen=True, slots=True)
class SourcePositions:
    """Positions of the parts of a prompt in the text that it was read from."""

    source: Source
    spans: Mapping[str, Span] = field(default_factory=dict)
    """By paths of the prompt; none for JSON."""

    def locate_part(self, part: str) -> tuple[int | None, int | None]:
        """Return line and column of a part, or of the nearest part around it."""
        while part and part not in self.spans:
            part = part.rpartition(".")[0]
        return self.locate_offset(self.spans[part].start) if part else (None, None)

    def locate_offset(self, offset: int | None) -> tuple[int | None, int | None]:
        """Return line and column of an offset."""
        if offset is None:
            return None, None
        place = self.source.find_place(offset)
        return place.line, place.column


_MOST_LISTED = 50
"""Changes with the same words, apart from quoted names and numbers."""
_NAMED = re.compile(r"`[^`]*`|\d+")


def collapse_changes(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Collapse repeated changes; of similar ones, keep the first, with a count."""
    listed: dict[tuple[ChangeKind, str], list[Change]] = {}
    for each in dict.fromkeys(changes):
        listed.setdefault((each.kind, _NAMED.sub("", each.sentence)), []).append(each)
    left_out = {id(each) for same in listed.values() for each in same[_MOST_LISTED:]}
    kept_changes = [each for each in dict.fromkeys(changes) if id(each) not in left_out]
    for same in listed.values():
        if len(same) > _MOST_LISTED:
            kept_changes.append(Change(same[0].kind, f"and {len(same) - _MOST_LISTED} more times: {same[-1].sentence}"))
    return tuple(kept_changes)


def changes_from_losses(losses: Iterable[Loss], positions: SourcePositions) -> Iterator[Change]:
    """Yield changes for what the output format cannot hold."""
    for each in losses:
        kind: ChangeKind = "warning" if each.is_advice else "loss"
        yield Change(kind, each.sentence, each.cure, each.path, "", *positions.locate_part(each.path))


def changes_from_diagnostics(problems: Iterable[Diagnostic], positions: SourcePositions) -> Iterator[Change]:
    """Yield changes for the problems of a PML document."""
    for each in problems:
        kind: ChangeKind = "warning" if is_advice(each) else "error"
        where = positions.locate_offset(each.label.span.start)
        yield Change(kind, each.message, "; ".join(each.help), "", "", *where, each.rule)


def changes_from_repairs(repairs: Iterable[Repair], positions: SourcePositions) -> Iterator[Change]:
    """Yield changes for the repairs of lenient reading."""
    for each in repairs:
        yield Change("repair", each.message, "", "", "", *positions.locate_offset(each.span.start))


def changes_from_ignored_content(ignored: Sequence[IgnoredContent], positions: SourcePositions) -> Iterator[Change]:
    """Yield changes for content of a PML document that no prompt can hold; comments and empty turns mean nothing."""
    first = {each.what: each for each in reversed(ignored)}
    for what, n_found in Counter(each.what for each in ignored).items():
        kind: ChangeKind = "loss" if what.startswith("the attribute") else "change"
        times = "" if n_found == 1 else f", {n_found} times"
        where = positions.locate_offset(first[what].span.start)
        yield Change(kind, f"{what} is not kept{times}: it is not part of a prompt", "", "", "", *where)


def changes_from_problems(problems: Iterable[Problem], positions: SourcePositions) -> Iterator[Change]:
    """Yield changes for the problems of a request."""
    listed = tuple(problems)
    offsets = find_offsets(positions.source.text, [each.path for each in listed])
    for each, offset in zip(listed, offsets, strict=True):
        kind: ChangeKind = "warning" if each.is_advice else "error"
        yield Change(kind, each.sentence, each.cure, "", each.path, *positions.locate_offset(offset))

"""What changed from one text to another, word by word, as HTML."""

import re
from difflib import SequenceMatcher

from acdl_mkdocs.playbook_pages.inline import clean, plain

_WORD = re.compile(r"https?://\S*\w|\w+|\s+|[^\w\s]")
_SAYS = re.compile(r"\w")
_LONGEST = 4_000
"""Characters of both texts that are compared word by word; longer ones stand whole after one another."""
_AROUND, _LEAST_CUT = 8, 8
"""Words, blanks and signs beside a change that are shown, and how many have to be left out."""


def word_diff(before: str, after: str) -> str:
    """The later text with what is new in it in `<ins>` and what it had in `<del>`; long parts that stay are cut."""
    old, new = _WORD.findall(plain(before)), _WORD.findall(plain(after))
    if len(before) + len(after) > _LONGEST:
        return f"{_marked('del', old)} {_marked('ins', new)}"
    parts = []
    for is_kept, old_start, old_end, new_start, new_end in _pieces(old, new):
        if is_kept:
            kept = new[new_start:new_end]
            parts.append(clean(_cut(kept, is_first=old_start + new_start == 0, is_last=old_end == len(old))))
            continue
        parts += [_marked("del", old[old_start:old_end]), _marked("ins", new[new_start:new_end])]
    return "".join(parts)


def side_by_side(one: str, two: str) -> tuple[str, str]:
    """Two texts, each with the words marked that the other does not have."""
    old, new = _WORD.findall(plain(one)), _WORD.findall(plain(two))
    if len(one) + len(two) > _LONGEST:
        return clean("".join(old)), clean("".join(new))
    sides: tuple[list[str], list[str]] = [], []
    for is_kept, old_start, old_end, new_start, new_end in _pieces(old, new):
        for side, words in zip(sides, (old[old_start:old_end], new[new_start:new_end]), strict=True):
            side += [clean("".join(words))] if is_kept else _highlighted("".join(words))
    return "".join(sides[0]), "".join(sides[1])


def _pieces(old: list[str], new: list[str]) -> list[tuple[bool, int, int, int, int]]:
    """What stays and what changes in turn; a sign that stays between two changes belongs to them."""
    found: list[tuple[bool, int, int, int, int]] = []
    for kind, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        is_last = end == len(old) and new_end == len(new)
        words = "".join(old[start:end])
        is_kept = kind == "equal" and (not found or is_last or _SAYS.search(words) is not None)
        if not is_kept and found and not found[-1][0]:
            found[-1] = (False, found[-1][1], end, found[-1][3], new_end)
        else:
            found.append((is_kept, start, end, new_start, new_end))
    return found


def _cut(words: list[str], *, is_first: bool, is_last: bool) -> str:
    """Words that stay, as many as tell where the change is."""
    head, tail = (0 if is_first else _AROUND), (0 if is_last else _AROUND)
    if len(words) <= head + tail + _LEAST_CUT:
        return "".join(words)
    sides = ("".join(words[:head]).rstrip(), "…", "".join(words[len(words) - tail :]).lstrip())
    return " ".join(filter(None, sides))


def _highlighted(words: str) -> list[str]:
    """Words that only one text has, marked without the blanks around them."""
    inside = words.strip()
    if not inside:
        return [clean(words)]
    before, _, after = words.partition(inside)
    return [clean(before), _marked("mark", [inside]), clean(after)]


def _marked(tag: str, words: list[str]) -> str:
    text = clean("".join(words))
    return f"<{tag}>{text}</{tag}>" if text else ""

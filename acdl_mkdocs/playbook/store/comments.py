"""The comments in a playbook file, by the part that they are above."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.yaml.nodes import Scalar, YamlList, YamlMap
from acdl_mkdocs.foundation.yaml.read import YamlDocument

Owner: TypeAlias = tuple[str, str]
"""The part that a comment is above: `("key", "bullets")`, `("bullets", ID)`, `("sections", ID)`, `("pairs", "A B")`."""
END: Owner = ("end", "")
_MARK = re.compile(r"(?:^|(?<=[ \t\r\n\]}\"',]))#")

STRAY_CURE = (
    "move it to its own line, directly above a bullet or a section, or remove it; "
    "if it belongs to the text before it, put all of the text in quotes"
)
"""What to do about a comment that would be lost; a `#` after a blank ends a text without quotes."""


@dataclass(frozen=True, slots=True)
class Comments:
    """The comments of a file."""

    above: Mapping[Owner, tuple[str, ...]] = field(default_factory=dict)
    """Lines that begin with `#`, by the part that follows them."""
    stray: int | None = None
    """Start of the first comment at any other place."""


NO_COMMENTS = Comments()


def read_comments(text: str, document: YamlDocument) -> Comments:
    """Find the comments of a text: whatever begins with `#` outside of all scalars."""
    marks = [mark.start() for mark in _MARK.finditer(text)]
    if not marks:
        return NO_COMMENTS
    starts = [scalar.start for scalar in document.scalars]
    offsets = [offset for offset in marks if _is_outside(offset, text, document.scalars, starts)]
    if not offsets or not starts:
        return NO_COMMENTS
    owners = _owners(text, document, is_head_only=offsets[-1] < starts[0])
    above: dict[Owner, tuple[str, ...]] = {}
    stray = None
    last_end = -1
    for offset in offsets:
        if offset < last_end:
            continue  # a second `#` of the same comment
        line_end = text.find("\n", offset)
        last_end = line_end if line_end >= 0 else len(text)
        is_alone = not text[text.rfind("\n", 0, offset) + 1 : offset].strip()
        at = bisect_right(starts, offset)
        line_start = text.rfind("\n", 0, starts[at]) + 1 if at < len(starts) else None
        owner = END if line_start is None else owners.get(line_start)
        if not is_alone or owner is None:
            stray = offset if stray is None else stray
        else:
            above[owner] = (*above.get(owner, ()), text[offset:last_end].rstrip())
    return Comments(above, stray)


def _is_outside(offset: int, text: str, scalars: Sequence[Scalar], starts: list[int]) -> bool:
    at = bisect_right(starts, offset) - 1
    if at < 0 or offset >= scalars[at].end:
        return True
    start = starts[at]
    return text[start] in "|>" and offset < (text + "\n").find("\n", start) and not scalars[at].is_plain


def _owners(text: str, document: YamlDocument, *, is_head_only: bool) -> dict[int, Owner]:
    """What begins on a line, by the offset of the line; only the first key if nobody asks for more."""
    owners: dict[int, Owner] = {}
    if not isinstance(document.root, YamlMap):
        return owners
    for key, value in document.root.pairs:
        owners[text.rfind("\n", 0, key.start) + 1] = ("key", key.text)
        if is_head_only:
            break
        for element in (
            value.items if isinstance(value, YamlList) and key.text in ("sections", "bullets", "pairs") else ()
        ):
            name = _name(element)
            if name:
                owners.setdefault(text.rfind("\n", 0, element.start) + 1, (key.text, name))
    return owners


def _name(element: object) -> str:
    if not isinstance(element, YamlMap):
        return ""
    words = {key.text: value.text for key, value in element.pairs if isinstance(value, Scalar)}
    return words.get("id") or " ".join(words[each] for each in ("a", "b") if each in words)

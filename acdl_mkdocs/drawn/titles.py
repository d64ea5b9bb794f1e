"""`definitions()`: where the specs and fragments of a drawing begin, and the lines of each."""

import re
from dataclasses import field

from acdl_mkdocs.drawn.kinds import Meaning, kind_of, role_named
from acdl_mkdocs.drawn.lines import Line
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.letters import LETTER

_TITLE = re.compile(
    rf"(?:(?P<keyword>Prompt|StrFrag|Roles?Frag)\s+)?(?P<name>[^\W\d]{LETTER}*(?:\.{LETTER}+)*)\s*+"
    r"(?P<parameters>\[.*\]|\([^()]*\))?\s*+(?P<colon>(?:(?<=[\])\s]):?=|:)?)\s*+(?P<badge>\(?\s*(?:SF|RF)\s*\)?)?",
    re.IGNORECASE,
)
_WORD = re.compile(rf"[^\W\d]{LETTER}*")
_CAPS = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z0-9]{4,}")
_DATA = re.compile(r"(?:env|sys|resp)\b")


@dataclass(slots=True)
class Definition:
    """A spec or a fragment as drawn; without a head, what stands before the first."""

    head: Line | None
    keyword: str = ""
    title: str = ""
    before: list[Line] = field(default_factory=list)
    """The comments above it."""
    lines: list[Line] = field(default_factory=list)


def is_name(words: str) -> bool:
    """Whether some words can be the title of a group: one word, and no data."""
    return _WORD.fullmatch(words) is not None and not _DATA.fullmatch(words)


def definitions(lines: list[Line]) -> list[Definition]:
    """The definitions of a drawing, in order; the first one may be without a head, for a drawing without titles."""
    base = min((line.column for line in lines if line.code), default=0)
    found = [Definition(None)]
    at = 0
    while at < len(lines):
        line = lines[at]
        title = _title(lines, at, base, found[-1]) if line.code and line.column <= base else None
        if title is None:
            found[-1].lines.append(line)
            at += 1
            continue
        title.before = _comments_above(found[-1], line.column)
        found.append(title)
        following = _next_code(lines, at)
        if following is not None and kind_of(lines[following].code).kind == "badge":
            title.lines += lines[at + 1 : following]
            at = following
        at += 1
    return found


def _title(lines: list[Line], at: int, base: int, before: Definition) -> Definition | None:
    """The definition that a line begins, if it begins one."""
    line = lines[at]
    match = _TITLE.fullmatch(line.code.removesuffix("{").rstrip())
    if match is None or (kind_of(line.code).kind not in ("content", "label") and not match["keyword"]):
        return None
    following = _next_code(lines, at)
    meaning = kind_of(lines[following].code) if following is not None else None
    keyword = "StrFrag" if "S" in (match["badge"] or "").upper() else "RolesFrag" if match["badge"] else ""
    if meaning is not None and meaning.kind == "badge":
        keyword = meaning.words
    given = (match["keyword"] or "").lower()
    keyword = {"strfrag": "StrFrag", "rolefrag": "RolesFrag", "rolesfrag": "RolesFrag"}.get(given, keyword)
    parameters = match["parameters"] or ""
    if parameters[:1] == "(" and "@" not in parameters and (meaning is None or meaning.kind != "role"):
        return None
    parameters = f"[{parameters[1:-1]}]" if parameters else ""
    title = " ".join(f"{match['name']}{parameters}".split())
    if keyword or given:
        return Definition(line, keyword, title)
    if following is not None and role_named(lines[following].code) is not None:
        meaning = Meaning("role")
    is_deeper = following is not None and lines[following].column > line.column
    is_certain = is_deeper and "@" in parameters and meaning is not None and meaning.kind in ("role", "foreach", "if")
    if _DATA.match(match["name"]) or (_CAPS.fullmatch(match["name"]) and not match["colon"] and not is_certain):
        return None
    if match["colon"]:
        is_group = is_deeper and not match["parameters"] and _is_flat(before, base)
        return None if is_group else Definition(line, "", title)
    is_block = meaning is not None and (is_deeper or meaning.kind == "role") and match["parameters"]
    is_first = before.head is None and not before.lines and meaning is not None and meaning.kind == "role"
    return Definition(line, "", title) if is_block or is_first else None


def _is_flat(definition: Definition, base: int) -> bool:
    """Whether the lines of a definition begin in the column of its title."""
    return definition.head is not None and any(line.code and line.column <= base for line in definition.lines)


def _next_code(lines: list[Line], at: int) -> int | None:
    """The next line that is not only a comment."""
    return next((index for index in range(at + 1, len(lines)) if lines[index].code), None)


def _comments_above(definition: Definition, column: int) -> list[Line]:
    """Take the comments off the end of a definition that stand above the next title, no further in than it."""
    lines = definition.lines
    at = len(lines)
    while at and not lines[at - 1].code and lines[at - 1].column <= column:
        at -= 1
    above = lines[at:]
    del lines[at:]
    return above

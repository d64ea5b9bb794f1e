"""The text form of the method's authors: `[id] helpful=X harmful=Y :: content` under `## SECTION`.

Writing gives the text form of prompts. Reading also accepts variants of other programs: list marks, further counters
in any order, bullets without counters or ids, ids of any shape, texts of several lines.
Source: arXiv:2510.04618, section 3.1.
"""

import re
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.exchange.read_lessons import MAX_DIGITS, ReadDraft, ReadPlaybook, select_for_agents
from acdl_mkdocs.playbook.model.bullets import COUNTERS, Bullet, Playbook
from acdl_mkdocs.playbook.model.content import fence_lines
from acdl_mkdocs.playbook.model.prompt_text import prompt_text
from acdl_mkdocs.playbook.similarity.same_text import join_wrapped_lines

_HEADING = re.compile(r"#{2,6}[ \t]++(?P<title>(?:.*[^ \t\n])?)[ \t]*+")
_NAME = re.compile(r"#[ \t]++(?P<title>(?:.*[^ \t\n])?)[ \t]*+")
_COUNTER = r"(?:helpful|harmful|neutral|seen)[ \t]*+[=:][ \t]*+\d++"
_BULLET = re.compile(
    r"(?:[-*•][ \t]++)?\[(?P<id>[^\]\n]{1,80})\][ \t]*+"
    rf"(?P<counters>(?>(?:{_COUNTER}[ \t,;]*+)*))(?P<sign>::)?(?P<content>.*)",
    re.IGNORECASE,
)
_PLAIN_ID = re.compile(r"[A-Za-z]+-\w+")
"""Certainly an id even without counters: not the `[x]` of a task list."""
_ITEM = re.compile(r"(?:[-*+•]|\d{1,9}[.)])[ \t]++(?P<content>.*)")
_COUNT = re.compile(r"(?P<name>helpful|harmful|neutral|seen)[ \t]*+[=:][ \t]*+(?P<count>\d++)", re.IGNORECASE)
_FENCE = re.compile(r"[ \t]*(?P<sign>`{3,}(?=[^`]*$)|~{3,})")
_NO_COUNTER = re.compile(
    r"(?:helpful|harmful|neutral|seen)[ \t]*(?:=[ \t]*|:[ \t]*(?=[-+.]?\d))[^\s,;:]*", re.IGNORECASE
)
"""The beginning of a text that was probably meant as a counter."""
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
"""A row of a table."""
_CODE = re.compile(r"(?: {4}| {0,3}\t)\s*\S")
"""A line of an indented block."""
_LONGEST_COMMENT = 1_000
"""Limit of lines of a comment."""
_KEY = re.compile(r"[\w.-]+[ \t]*:")
_RULE = re.compile(r" {0,3}(?:-{3,}|\*{3,}|_{3,})[ \t]*")
_INDENT = "    "


def write(playbook: Playbook) -> str:
    """Write the bullets that are sent and may be published, in the form of prompts."""
    text = prompt_text(select_for_agents(playbook))
    return f"{text}\n" if text else ""


def read(text: str) -> ReadPlaybook:
    """Read the bullets of a text; lines outside of bullets are problems."""
    return read_lines(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def read_lines(lines: list[str], first_line: int = 1) -> ReadPlaybook:
    """Read the bullets of some lines of a file.

    Parameters:
        lines: Without line ends.
        first_line: The number of the first of them.
    """
    draft = ReadDraft()
    section: str | None = None
    bullet: _OpenBullet | None = None
    is_said = False
    n_hidden = _front_matter(lines, draft) if first_line == 1 else 0
    for idx, line in enumerate(lines):
        if idx >= n_hidden and line.startswith("<!--") and not (bullet is not None and bullet.is_open()):
            n_hidden = _skip_comment(lines, idx, first_line, draft)
        if idx < n_hidden:
            continue
        number = first_line + idx
        started = _start_bullet(line, number, bullet)
        if bullet is not None and started is None and bullet.take_line(line):
            continue
        if bullet is not None:
            _add_bullet(bullet, section or draft.add_general_section(), draft)
        bullet = started or _start_block(line, number)
        is_outside = bullet is None and bool(line.strip())
        if is_outside:
            section = _read_outside(line, number, section, draft, is_reported=is_said)
        is_said = is_outside and not _HEADING.fullmatch(line)
    if bullet is not None:
        _add_bullet(bullet, section or draft.add_general_section(), draft)
    return draft.build_result()


def _front_matter(lines: Sequence[str], draft: ReadDraft) -> int:
    """Return the number of lines of front matter at the beginning of a file."""
    end = next((idx for idx, line in enumerate(lines) if idx and line.rstrip() in ("---", "...")), 0)
    if lines[0].rstrip() != "---" or not any(map(_KEY.match, lines[1:end])):
        return 0
    draft.report_problem(1, "the front matter is left out", is_note=True)
    return end + 1


def _skip_comment(lines: Sequence[str], first: int, first_line: int, draft: ReadDraft) -> int:
    """Return the index of the line after a comment; the same line if the comment is never closed."""
    end = next((idx for idx in range(first, min(len(lines), first + _LONGEST_COMMENT)) if "-->" in lines[idx]), None)
    if end is None:
        return first
    draft.report_problem(first_line + first, "the comment is left out", is_note=True)
    return end + 1


def _read_outside(line: str, number: int, section: str | None, draft: ReadDraft, *, is_reported: bool) -> str | None:
    """Read a line outside of bullets and return the section from there on."""
    heading, name = _HEADING.fullmatch(line), _NAME.fullmatch(line)
    if heading:
        return draft.add_section(heading["title"], number)
    if name:
        draft.set_name(name["title"], number)
    elif not is_reported and not _RULE.fullmatch(line):
        cure = "write `[id] helpful=0 harmful=0 :: content`, or begin it with `- `"
        draft.report_problem(number, "is not a bullet and does not belong to one", cure)
    return section


def _start_block(line: str, number: int) -> "_OpenBullet | None":
    """Start a lesson if a line begins a fenced block, a table or an indented block outside of others."""
    is_block = _FENCE.match(line) or _ROW.match(line) or _CODE.match(line)
    return _OpenBullet(number, "", "", [line], is_alone=True) if is_block else None


@dataclass(slots=True)
class _OpenBullet:
    """A bullet that may continue on the next lines."""

    line: int
    id: str
    counters: str
    lines: list[str] = field(default_factory=list)
    fault: str = ""
    """Why it is refused, if its counters are wrong."""
    is_alone: bool = False
    """Whether it is a block outside of a list item."""
    is_block: bool = False
    """Whether its lines were kept as a block."""

    sign: str = ""
    """The fence that is open after the lines read so far."""
    n_read: int = 0

    def take_line(self, line: str) -> bool:
        """Add a line if it belongs to the bullet: in its fenced block, indented, or directly after its text."""
        if self.is_alone:
            return self._take_block_line(line)
        is_near = bool(self.lines[-1].strip()) and not (_HEADING.fullmatch(line) or _NAME.fullmatch(line))
        if self.is_open() or is_near or not line.strip() or line.startswith((" ", "\t")):
            self.lines.append(line)
            return True
        return False

    def _take_block_line(self, line: str) -> bool:
        """Add a line if it belongs to a separate block."""
        if self.is_open():
            is_part = True
        elif _FENCE.match(self.lines[0]):
            is_part = False
        else:
            shape = _ROW if _ROW.match(self.lines[0]) else _CODE
            is_part = bool(shape.match(line)) or (shape is _CODE and not line.strip())
        self.lines += [line] if is_part else []
        return is_part

    def is_open(self) -> bool:
        """Return whether a fenced block is still open."""
        for line in self.lines[self.n_read :]:
            if self.sign:
                self.sign = "" if _closes_fence(line, self.sign) else self.sign
            elif opening := _FENCE.match(line):
                self.sign = opening["sign"]
        self.n_read = len(self.lines)
        return bool(self.sign)

    def join_content(self) -> str:
        """Return its text, without the indentation of further lines; a block if lines have a meaning as lines."""
        first, *rest = self.lines
        if not first.strip() and rest:
            first, *rest = rest
            margin = first[: len(first) - len(first.lstrip(" "))] if _FENCE.match(first) else _margin((first, *rest))
            first = first.removeprefix(margin)
        else:
            opening = _FENCE.match(first)
            closing = [line for line in rest if opening and _closes_fence(line, opening["sign"])]
            margin = _margin(closing[:1] or rest)
        lines = (first.strip() if _FENCE.match(first) else first, *(line.removeprefix(margin) for line in rest))
        if _is_one_block(lines):
            return "\n".join(lines)
        text_lines = [line for line in lines if line.strip()]
        paragraph = None if any(map(_FENCE.match, lines)) else join_wrapped_lines(text_lines or lines)
        self.is_block = paragraph is None
        if paragraph is not None:
            return paragraph
        if not any(_FENCE.match(line) or _ROW.match(line) for line in lines):
            lines = (first, *rest)  # code, whose first line follows the counters
        return fence_lines(lines)


def _margin(lines: Sequence[str]) -> str:
    """Return the common indentation of lines."""
    blanks = (line[: len(line) - len(line.lstrip())] for line in lines if line.strip())
    return min(blanks, key=len, default="")


def _is_one_block(lines: Sequence[str]) -> bool:
    """Return whether a text consists of one fenced block, closed or not."""
    opening = _FENCE.match(lines[0])
    if opening is None:
        return False
    ends = [idx for idx, line in enumerate(lines) if idx and _closes_fence(line, opening["sign"])]
    return not ends or not any(line.strip() for line in lines[ends[0] + 1 :])


def _closes_fence(line: str, sign: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(sign) and not bare.strip(sign[0])


def _start_bullet(line: str, number: int, before: _OpenBullet | None) -> _OpenBullet | None:
    """Start the bullet that begins on a line, if any; `before` is the one that may continue there."""
    match = _BULLET.fullmatch(line.strip())
    is_open, is_indented = before is not None and before.is_open(), line.startswith((" ", "\t"))
    is_outside = before is None or not (is_open or is_indented)
    if match is not None and (
        (match["counters"] and not (is_open and is_indented))
        or (is_outside and (match["sign"] or _PLAIN_ID.fullmatch(match["id"]) or _NO_COUNTER.match(match["content"])))
    ):
        content = match["content"].strip()
        return _OpenBullet(number, match["id"].strip(), match["counters"], [content], _counter_fault(match, content))
    item = _ITEM.fullmatch(line)
    is_item = item is not None and is_outside and (before is None or not before.id)
    return _OpenBullet(number, "", "", [item["content"].strip()]) if item is not None and is_item else None


def _counter_fault(match: re.Match[str], content: str) -> str:
    """Explain what is wrong with the counters of a bullet."""
    names = [each["name"].lower() for each in _COUNT.finditer(match["counters"])]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        return f"left out: `{twice}` is there twice"
    if match["sign"]:
        return ""
    odd = _NO_COUNTER.match(content)
    head, sign, _ = content.partition("::")
    if odd is None and not (sign and match["counters"]):
        return ""
    return f"left out: `{(odd[0] if odd else head).strip()[:80]}` is not a counter"


def _add_bullet(started: _OpenBullet, section: str, draft: ReadDraft) -> None:
    """Add a bullet to the draft."""
    counters: dict[str, Any] = dict.fromkeys(COUNTERS, 0)
    for match in _COUNT.finditer(started.counters):
        if len(match["count"]) > MAX_DIGITS:
            draft.report_problem(started.line, f"left out: `{match['name']}` has more than {MAX_DIGITS} digits")
            return
        counters[match["name"].lower()] = int(match["count"])
    if started.fault:
        draft.report_problem(
            started.line, started.fault, "a counter is a whole number from 0: `helpful=1 harmful=0 ::`"
        )
        return
    while len(started.lines) > 1 and not started.lines[-1].strip():
        started.lines.pop()
    content = started.join_content()
    if started.is_block:
        draft.report_problem(
            started.line, "is kept as a block, since its lines are code, a list, a table or indented", is_note=True
        )
    draft.add_bullet(Bullet(id=started.id, section=section, content=content, **counters), started.line)

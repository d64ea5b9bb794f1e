"""The text form of the method's authors: `[id] helpful=X harmful=Y :: content` under `## SECTION`.

Writing gives what prompts have. Reading takes what other programs write, too: list marks, further counters in any
order, bullets without counters or without ids, ids of any shape, texts of several lines.
Source: arXiv:2510.04618, section 3.1.
"""

import re
from dataclasses import field
from typing import Any

from acdl_mkdocs.exchange.chosen import for_agents
from acdl_mkdocs.exchange.reading import Draft, ReadPlaybook
from acdl_mkdocs.exchange.safety import MAX_DIGITS
from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.prompt_text import prompt_text

_HEADING = re.compile(r"#{2,6}[ \t]+(?P<title>.*?)[ \t]*")
_NAME = re.compile(r"#[ \t]+(?P<title>.*?)[ \t]*")
_COUNTER = r"(?:helpful|harmful|neutral|seen)[ \t]*[=:][ \t]*\d+"
_BULLET = re.compile(
    r"(?:[-*•][ \t]+)?\[(?P<id>[^\]\n]{1,80})\][ \t]*"
    rf"(?P<counters>(?:{_COUNTER}[ \t,;]*)*)(?P<sign>::)?(?P<content>.*)",
    re.IGNORECASE,
)
_PLAIN_ID = re.compile(r"[A-Za-z]+-\w+")
"""What is certainly an id where no counters follow: not the `[x]` of a list of tasks."""
_ITEM = re.compile(r"[-*•][ \t]+(?P<content>.*)")
_COUNT = re.compile(r"(?P<name>\w+)[ \t]*[=:][ \t]*(?P<count>\d+)")
_FENCE = re.compile(r"[ \t]*(?P<sign>`{3,}(?=[^`]*$)|~{3,})")
_NO_COUNTER = re.compile(
    r"(?:helpful|harmful|neutral|seen)[ \t]*(?:=[ \t]*|:[ \t]*(?=[-+.]?\d))[^\s,;:]*", re.IGNORECASE
)
"""Where a text should begin: what somebody meant for a counter."""
_INDENT = "    "


def write(playbook: Playbook) -> str:
    """The bullets that prompts have and that may be published, as prompts have them."""
    text = prompt_text(for_agents(playbook))
    return f"{text}\n" if text else ""


def read(text: str) -> ReadPlaybook:
    """The bullets of a text; lines that belong to none are problems."""
    return read_lines(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def read_lines(lines: list[str], first_line: int = 1) -> ReadPlaybook:
    """The bullets of some lines of a file.

    Parameters:
        lines: Without their line ends.
        first_line: The number of the first of them.
    """
    draft = Draft()
    section: str | None = None
    bullet: _Started | None = None
    for number, line in enumerate(lines, first_line):
        started = _started(line, number, bullet)
        if bullet is not None and started is None and bullet.takes(line):
            continue
        if bullet is not None:
            _finish(bullet, section or draft.general(), draft)
        bullet = started
        if started is None and line.strip():
            section = _heading(line, number, section, draft)
    if bullet is not None:
        _finish(bullet, section or draft.general(), draft)
    return draft.done()


def _heading(line: str, number: int, section: str | None, draft: Draft) -> str | None:
    """The section from a line on that is outside of bullets."""
    heading, name = _HEADING.fullmatch(line), _NAME.fullmatch(line)
    if heading:
        return draft.section(heading["title"], number)
    if name:
        draft.call(name["title"], number)
    else:
        draft.say(number, "is no bullet and belongs to none", "write `[id] helpful=0 harmful=0 :: content`")
    return section


@dataclass(slots=True)
class _Started:
    """A bullet whose further lines are being looked for."""

    line: int
    id: str
    counters: str
    lines: list[str] = field(default_factory=list)
    fault: str = ""
    """Why it cannot be taken, if its counters are wrong."""

    def takes(self, line: str) -> bool:
        """Take a line if it is part of the bullet: in its fenced block, indented, or directly behind its text."""
        is_near = bool(self.lines[-1].strip()) and not (_HEADING.fullmatch(line) or _NAME.fullmatch(line))
        if self.is_open() or is_near or not line.strip() or line.startswith((" ", "\t")):
            self.lines.append(line)
            return True
        return False

    def is_open(self) -> bool:
        """Whether the text begins with a fenced block that is not closed yet."""
        first = next((idx for idx, line in enumerate(self.lines) if line.strip()), None)
        opening = None if first is None else _FENCE.match(self.lines[first])
        if opening is None or first is None:
            return False
        return not any(_closes(line, opening["sign"]) for line in self.lines[first + 1 :])

    def content(self) -> str:
        """Its text, without the indentation of further lines."""
        first, *rest = self.lines
        margin = _INDENT
        if not first.strip() and rest:
            first, *rest = rest
            margin = first[: len(first) - len(first.lstrip(" "))]
        if _FENCE.match(first):
            return "\n".join((first.strip(), *(line.removeprefix(margin) for line in rest)))
        return " ".join(" ".join((first, *rest)).split())


def _closes(line: str, sign: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(sign) and not bare.strip(sign[0])


def _started(line: str, number: int, before: _Started | None) -> _Started | None:
    """The bullet that begins in a line, if one does; `before` is the one that may go on there."""
    found = _BULLET.fullmatch(line.strip())
    is_outside = before is None or not (before.is_open() or line.startswith((" ", "\t")))
    if found is not None and (
        found["counters"]
        or (is_outside and (found["sign"] or _PLAIN_ID.fullmatch(found["id"]) or _NO_COUNTER.match(found["content"])))
    ):
        content = found["content"].strip()
        return _Started(number, found["id"].strip(), found["counters"], [content], _fault(found, content))
    item = _ITEM.fullmatch(line)
    is_item = item is not None and is_outside and (before is None or not before.id)
    return _Started(number, "", "", [item["content"].strip()]) if item is not None and is_item else None


def _fault(found: re.Match[str], content: str) -> str:
    """What is wrong with the counters of a bullet."""
    names = [each["name"].lower() for each in _COUNT.finditer(found["counters"])]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        return f"left out: `{twice}` is there twice"
    if found["sign"]:
        return ""
    odd = _NO_COUNTER.match(content)
    head, sign, _ = content.partition("::")
    if odd is None and not (sign and found["counters"]):
        return ""
    return f"left out: `{(odd[0] if odd else head).strip()[:80]}` is no counter"


def _finish(started: _Started, section: str, draft: Draft) -> None:
    """Put a bullet into the draft."""
    counters: dict[str, Any] = dict.fromkeys(("helpful", "harmful", "neutral", "seen"), 0)
    for found in _COUNT.finditer(started.counters):
        if len(found["count"]) > MAX_DIGITS:
            draft.say(started.line, f"left out: `{found['name']}` has more than {MAX_DIGITS} digits")
            return
        counters[found["name"].lower()] = int(found["count"])
    if started.fault:
        draft.say(started.line, started.fault, "a counter is a whole number from 0: `helpful=1 harmful=0 ::`")
        return
    while len(started.lines) > 1 and not started.lines[-1].strip():
        started.lines.pop()
    draft.add(Bullet(id=started.id, section=section, content=started.content(), **counters), started.line)

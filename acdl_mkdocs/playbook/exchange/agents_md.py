"""A playbook as a block of an instruction file (AGENTS.md, CLAUDE.md), between two markers.

Everything outside the markers belongs to people and is never changed.
"""

import re
from dataclasses import replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.exchange.read_lessons import Problem, ReadPlaybook, select_for_agents
from acdl_mkdocs.playbook.exchange.reference_text import read_lines
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook

_MARK = re.compile(r"<!-- acdl-playbook:(?P<what>begin|end) (?P<name>\S+) -->[ \t]*")
_ALMOST = re.compile(r"\s*+<!--\s*+/?\s*+acdl-playbook\s*+:", re.IGNORECASE)
"""A line that somebody wrote as a marker, or a damaged marker."""
_FENCE = re.compile(r" {0,3}(?P<sign>`{3,}(?=[^`]*$)|~{3,})")
_COMMENT = re.compile(r"(?:<|&(?P<more>(?:amp;)*)lt;)!--")
_INDENT = "  "


@dataclass(frozen=True, slots=True)
class UpdatedText:
    """A text with its block updated."""

    text: str | None
    """`None` if the markers of the text are damaged."""
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class _Marker:
    """A marker and its position in the text."""

    what: str
    """`begin`, `end`, or empty for a line that is almost one."""
    name: str
    line: int
    start: int
    end: int


def write(playbook: Playbook) -> str:
    """Write the block: a heading for each section, an item for each bullet that is sent and may be published."""
    name = block_name(playbook)
    groups: dict[str, list[str]] = {section.id: [] for section in playbook.sections}
    for bullet in select_for_agents(playbook).active:
        groups.setdefault(bullet.section, []).append(_item(bullet))
    titles = {section.id: section.title for section in playbook.sections}
    lines = [f"<!-- acdl-playbook:begin {name} -->", ""]
    for key, items in groups.items():
        if items:
            lines += [f"### {_escape_comments(titles.get(key, key))}", "", *items, ""]
    return "\n".join((*lines, f"<!-- acdl-playbook:end {name} -->", ""))


def block_name(playbook: Playbook) -> str:
    """Return the name of a playbook as it appears in a marker."""
    return re.sub(r"[^\w.]+", "-", playbook.name).strip("-") or "playbook"


def one_line(text: str) -> str:
    """Return a text as a heading, without anything that could forge a marker."""
    return _escape_comments(" ".join(text.split()))


def _item(bullet: Bullet) -> str:
    head = f"- [{bullet.id}] helpful={bullet.helpful} harmful={bullet.harmful} ::"
    content = _escape_comments(bullet.content)
    if "\n" not in content:
        return f"{head} {content}"
    return "\n".join((head, *(f"{_INDENT}{line}" for line in content.split("\n"))))


def _escape_comments(text: str) -> str:
    """Escape the start of comments, which could hide the text after them or forge a marker."""
    return _COMMENT.sub(lambda match: "&lt;!--" if match["more"] is None else f"&amp;{match['more']}lt;!--", text)


def _unescape_comments(text: str) -> str:
    """Undo `_escape_comments`."""

    def unescape(match: re.Match[str]) -> str:
        escaped = match["more"]
        return match[0] if escaped is None else f"&{escaped.removeprefix('amp;')}lt;!--" if escaped else "<!--"

    return _COMMENT.sub(unescape, text)


def read(text: str) -> ReadPlaybook:
    """Read the bullets of the first block of a text."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    marks = _find_markers(text)
    if not any(each.what for each in marks):
        cure = "import a file that has a block, or use `--from text`"
        return ReadPlaybook(None, (Problem(None, "there is no `<!-- acdl-playbook:begin NAME -->`", cure),))
    problem = _find_damage(marks, marks[0].name)
    if problem is not None:
        return ReadPlaybook(None, (problem,))
    begin, end = marks[0], marks[1]
    lines = _unescape_comments(text[begin.end : end.start]).split("\n")
    found = read_lines([f"# {begin.name}", *lines[1:]], begin.line)
    cure = "import a file with this block alone"
    others = [
        Problem(each.line, f"the block `{each.name}` is left out: one block is read", cure)
        for each in marks[2:]
        if each.what == "begin"
    ]
    return replace(found, problems=(*found.problems, *others))


def replace_block(text: str, playbook: Playbook) -> UpdatedText:
    """Replace the block of a playbook in a text; append it if there is none."""
    name = block_name(playbook)
    marks = [each for each in _find_markers(text) if each.name == name]
    problem = _find_damage(_find_markers(text), name) if marks else _find_near_marker(_find_markers(text))
    if problem is not None:
        return UpdatedText(None, problem)
    line_end = "\r\n" if "\r\n" in text else "\n"
    block = write(playbook).replace("\n", line_end)
    if not marks:
        between = "" if not text.strip("\ufeff") else line_end if text.endswith("\n") else 2 * line_end
        return UpdatedText(f"{text}{between}{block}")
    begin, end = marks
    return UpdatedText(text[: begin.start] + block.removesuffix(line_end) + text[end.end :])


def _find_near_marker(marks: list[_Marker]) -> Problem | None:
    """Return the problem of the first line that is almost a marker."""
    line = next((each.line for each in marks if not each.what), None)
    cure = "let a line have `<!-- acdl-playbook:begin NAME -->` and nothing else, or remove it"
    return None if line is None else Problem(line, "the line is almost a marker of a playbook block", cure)


def _find_damage(marks: list[_Marker], name: str) -> Problem | None:
    """Return the problem if the beginning and the end of a block cannot be determined."""
    almost = _find_near_marker(marks)
    if almost is not None:
        return almost
    own = [each for each in marks if each.name == name]
    cure = f"let one `<!-- acdl-playbook:begin {name} -->` stand there and one with `end` behind it, or none"
    if [each.what for each in own] == ["begin", "end"]:
        at = marks.index(own[0])
        if marks[at + 1] is own[1]:
            return None
        other = marks[at + 1]
        return Problem(other.line, f"the marker of `{other.name}` stands inside the block `{name}`", "move it out")
    odd = next(
        (each for each, what in zip(own, ("begin", "end"), strict=False) if each.what != what),
        own[2 if own[2:] else -1],
    )
    if len(own) == 1:
        return Problem(odd.line, f"the block `{name}` has a marker `{odd.what}` and no other", cure)
    return Problem(odd.line, f"the block `{name}` has the marker `{odd.what}` where it cannot be", cure)


def _find_markers(text: str) -> list[_Marker]:
    """Return the markers of a text: separate lines outside of fenced code."""
    markers: list[_Marker] = []
    fence: str | None = None
    offset = 0
    for number, raw_line in enumerate(text.split("\n"), 1):
        line = raw_line.removesuffix("\r")
        fenced = _FENCE.match(line)
        mark = _MARK.fullmatch(line.removeprefix("\ufeff"))
        if fence is None and fenced:
            fence = fenced["sign"]
        elif fence is not None:
            bare = line.strip()
            if len(bare) >= len(fence) and not bare.strip(fence[0]):
                fence = None
        elif mark:
            start = offset + len(line) - len(line.removeprefix("\ufeff"))
            markers.append(_Marker(mark["what"], mark["name"], number, start, offset + len(line)))
        elif _ALMOST.match(line):
            markers.append(_Marker("", "", number, offset, offset + len(line)))
        offset += len(raw_line) + 1
    return markers

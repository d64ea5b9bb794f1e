"""What comments say to the tools: `// acdl: range=inclusive`, `allow(rule)`, `use other.acdl`, and `// title: ...`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from acdl_mkdocs.source import Source, Span
from acdl_mkdocs.syntax.nodes import Comment, File, Fragment, Prompt, walk

_PRAGMA = re.compile(r"acdl:\s*(.*)")
_COMMENT = re.compile(r"(?://|#|/\*)[ \t]*acdl:")
_SETTING = re.compile(r"([\w-]+)\s*=\s*([\w-]*)")
_ALLOW = re.compile(r"allow\(([^)]*)\)?")
_FILE = re.compile(r"\buse\s+(?:\"([^\"\n]*)\"|([^\s,;\"]+))")
_FRONT = re.compile(r"(title|tags|source|see|variant-of)\s*:\s*(.+)", re.IGNORECASE)

VALUES = {"range": ("half-open", "inclusive")}
"""The settings that a comment can give, and their values."""


@dataclass(frozen=True, slots=True)
class Pragma:
    """One `// acdl: ...` comment."""

    comment: Comment
    settings: tuple[tuple[str, str], ...]
    allowed: tuple[str, ...]
    """Names of rules in `allow(...)`."""
    files: tuple[str, ...]
    """The files in `use other.acdl`, whose fragments the text may use."""
    rest: str
    """Words that mean nothing."""


@dataclass(frozen=True, slots=True)
class Allowances:
    """The rules that comments silence."""

    everywhere: frozenset[str]
    lines: dict[int, frozenset[str]]
    """By 0-based line of the text."""


def is_for_tools(comment: Comment) -> bool:
    """Whether a comment speaks to the tools and not to readers of the figure."""
    return _PRAGMA.match(comment.text) is not None


def read_pragma(comment: Comment) -> Pragma | None:
    """What a comment says to the tools; `None` if it does not."""
    match = _PRAGMA.match(comment.text)
    if match is None:
        return None
    allowed = [name.strip() for found in _ALLOW.finditer(match[1]) for name in found[1].split(",")]
    words = _ALLOW.sub(" ", match[1])
    files = tuple(found[1] or found[2] for found in _FILE.finditer(words))
    words = _FILE.sub(" ", words)
    settings = _SETTING.findall(words)
    rest = _SETTING.sub(" ", words).strip(" ,;")
    return Pragma(comment, tuple(settings), tuple(filter(None, allowed)), files, rest)


def used_files(text: str) -> Iterator[tuple[str, Span]]:
    """The files of all `// acdl: use ...` comments with their places; found without a parser."""
    for line in _COMMENT.finditer(text):
        end = text.find("\n", line.end())
        for found in _FILE.finditer(text, line.end(), end if end >= 0 else len(text)):
            group = 1 if found[1] else 2
            yield found[group], Span(*found.span(group))


def pragmas(file: File) -> dict[str, str]:
    """Settings that comments at the top level give, such as `{"range": "inclusive"}`.

    The first of a name counts; a value that does not exist counts as nothing (`unknown-pragma` reports it).
    """
    found: dict[str, str] = {}
    for item in file.items:
        pragma = read_pragma(item) if isinstance(item, Comment) else None
        for name, value in pragma.settings if pragma else ():
            if value in VALUES.get(name, ()):
                found.setdefault(name, value)
    return found


def front_matter(file: File) -> dict[str, str]:
    """Title, tags, source, ... from the comments before the first definition; names in lower case."""
    found: dict[str, str] = {}
    for item in file.items:
        if not isinstance(item, Comment):
            break
        match = _FRONT.fullmatch(item.text)
        if match:
            found.setdefault(match[1].lower(), match[2].strip())
    return found


def all_pragmas(file: File, source: Source) -> Iterator[Pragma]:
    """Every `// acdl: ...` comment of the text."""
    if "acdl:" not in source.text:
        return
    for node in walk(file):
        pragma = read_pragma(node) if isinstance(node, Comment) else None
        if pragma is not None:
            yield pragma


def allowances(file: File, source: Source) -> Allowances:
    """The rules that `allow(...)` silences: on its own line and, for a comment that has a line to itself, on the next.

    Before the first definition it silences them in the whole text.
    """
    everywhere: set[str] = set()
    lines: dict[int, frozenset[str]] = {}
    definitions = [item.span.start for item in file.items if isinstance(item, Prompt | Fragment)]
    for pragma in all_pragmas(file, source):
        start = pragma.comment.span.start
        line = source.line_index(start)
        if definitions and start < definitions[0]:
            everywhere.update(pragma.allowed)
            continue
        has_line = not source.text[source.line_starts[line] : start].strip()
        for each in (line, line + 1) if has_line else (line,):
            lines[each] = lines.get(each, frozenset()) | frozenset(pragma.allowed)
    return Allowances(frozenset(everywhere), lines)

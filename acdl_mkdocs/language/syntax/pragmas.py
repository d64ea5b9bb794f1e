"""Comments for the tools: `// acdl: range=inclusive`, `allow(rule)`, `use other.acdl`, and `// title: ...`."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span

if TYPE_CHECKING:  # most texts need neither trees nor words here, and importing them takes longer than a search
    from acdl_mkdocs.language.syntax.nodes import Comment, File

_PRAGMA = re.compile(r"acdl:\s*(.*)")
_USES = compile_later(r"acdl:(?:(?!acdl:)[^\n])*\buse\b|acdl:[^\S\n]*\n")
"""A place where a text may name files; only then is it cut into words."""
_ITEM = compile_later(
    r"""
      (?P<between>  [\s,;]+ )
    | (?P<allow>    allow\((?P<rules>[^)]*)\)? )
    | (?P<files>    use\s+(?:"(?!\s*")[^"\n]*"|[^\s,;"]+)
                    (?:\s*,\s*(?:"(?!\s*")[^"\n]*"|(?=[^\s,;"()=]*[./])[^\s,;"()=]+(?=[\s,;]|$)))* )
    | (?P<setting>  (?P<name>[\w-]+)\s*=\s*(?P<value>"[^"]*"|'[^']*'|[^\s,;]*) )
    | (?P<word>     [^\s,;]+ )
    """,
    re.VERBOSE,
)
_FILE = compile_later(r'"([^"\n]*)"|([^\s,;"]+)')
_NEAR = re.compile(r"acdl\s*+:?\s*+(allow(?=\s*\()|range(?=\s*=)|use(?=\s+\S+\.acdl\b))(.*)", re.IGNORECASE)
FRONT_NAMES = ("title", "tags", "source", "see", "variant-of", "state", "runs", "requests")
"""The words that, with a colon, begin a comment about a spec."""
_FRONT = compile_later(rf"({'|'.join(FRONT_NAMES)})\s*+:\s*+(.+)", re.IGNORECASE)

VALUES = {"range": ("half-open", "inclusive")}
"""The settings that a comment can give, and their values."""


class CommentText(Protocol):
    """A comment, of a tree or not."""

    @property
    def text(self) -> str:
        """The words of the comment, without its signs."""


@dataclass(frozen=True, slots=True)
class Pragma:
    """One `// acdl: ...` comment."""

    comment: "Comment"
    settings: tuple[tuple[str, str], ...]
    allowed_rules: tuple[str, ...]
    """Names of rules in `allow(...)`."""
    files: tuple[tuple[str, Span], ...]
    """The files in `use other.acdl`, whose fragments the text may use, with their places in the comment's text."""
    rest: str
    """Words that mean nothing."""


@dataclass(frozen=True, slots=True)
class Allowances:
    """The rules that comments silence."""

    everywhere: frozenset[str]
    lines: dict[int, frozenset[str]]
    """By 0-based line of the text."""


def is_for_tools(comment: CommentText) -> bool:
    """Return whether a comment is for the tools and not for readers of the figure."""
    return _PRAGMA.match(comment.text) is not None


def read_pragma(comment: "Comment") -> Pragma | None:
    """Read the `acdl:` settings in a comment; `None` if it has none."""
    pragma = _PRAGMA.match(comment.text)
    if pragma is None:
        return None
    settings: list[tuple[str, str]] = []
    allowed: list[str] = []
    files: list[tuple[str, Span]] = []
    rest: list[str] = []
    at, is_prose = pragma.start(1), False
    while match := _ITEM.match(comment.text, at, pragma.end(1)):
        at = match.end()
        if match["between"]:
            is_prose = is_prose and not set(",;") & set(match["between"])
        elif match["allow"]:
            allowed += filter(None, map(str.strip, match["rules"].split(",")))
        elif match["files"] and not is_prose:
            files += _file_names(match)
        elif match["setting"]:
            settings.append((match["name"], match["value"]))
        else:
            rest.append(match["word"] or match["files"])
            is_prose = True
    return Pragma(comment, tuple(settings), tuple(allowed), tuple(files), " ".join(rest))


def _file_names(match: re.Match[str]) -> Iterator[tuple[str, Span]]:
    """Yield the file names after `use`, without quotes."""
    for name in _FILE.finditer(match.string, match.start("files") + len("use"), match.end("files")):
        group = 2 if name[1] is None else 1
        yield name[group], Span(*name.span(group))


def near_pragma(comment: CommentText) -> str | None:
    """Return the settings of a comment that almost begins with `acdl:`; `None` for any other comment."""
    near = None if is_for_tools(comment) else _NEAR.match(comment.text)
    if near is None:
        return None
    word, rest = near[1].lower(), near[2].strip()
    return f"{word} {rest}" if word == "use" else f"{word}{rest}"


def used_files(text: str) -> Iterator[tuple[str, Span]]:
    """Yield the files of all `// acdl: use ...` comments with their places, without parsing."""
    if not _USES.search(text):
        return
    from acdl_mkdocs.language.syntax.nodes import Comment
    from acdl_mkdocs.language.syntax.tokenize import tokenize

    for comment in tokenize(text).comments:
        pragma = read_pragma(Comment(span=comment.span, text=comment.text))
        start = text.index("acdl:", comment.span.start) if pragma and pragma.files else 0
        for name, span in pragma.files if pragma else ():
            yield name, Span(start + span.start, start + span.end)


@lru_cache(maxsize=1)
def read_settings(file: "File") -> Mapping[str, str]:
    """Return the settings in top-level comments, such as `{"range": "inclusive"}`.

    The first value of a name counts; an unknown value is ignored (`unknown-pragma` reports it). The result for the last
    tree is cached, because its rules need it one after another.
    """
    from acdl_mkdocs.language.syntax.nodes import Comment

    settings: dict[str, str] = {}
    for item in file.items:
        pragma = read_pragma(item) if isinstance(item, Comment) else None
        for name, value in pragma.settings if pragma else ():
            if value in VALUES.get(name, ()):
                settings.setdefault(name, value)
    return settings


def front_words(comments: Iterable[CommentText]) -> dict[str, str]:
    """Return the values of comments such as `// title: ...`, by lower-case name; lines of one name are joined."""
    values: dict[str, str] = {}
    for comment in comments:
        match = _FRONT.fullmatch(comment.text)
        if match:
            name, value = match[1].lower(), match[2].strip()
            values[name] = f"{values[name]}\n{value}" if name in values else value
    return values


def all_pragmas(file: "File", source: Source) -> Iterator[Pragma]:
    """Yield every `// acdl: ...` comment of the text."""
    if "acdl:" not in source.text:
        return
    for comment in _find_comments(file):
        pragma = read_pragma(comment)
        if pragma is not None:
            yield pragma


def near_pragmas(file: "File", source: Source) -> Iterator[tuple["Comment", str]]:
    """Yield every comment that almost begins with `acdl:`, and the text after that."""
    if not _NEAR.search(source.text):
        return
    for comment in _find_comments(file):
        settings = near_pragma(comment)
        if settings is not None:
            yield comment, settings


def _find_comments(file: "File") -> Iterator["Comment"]:
    from acdl_mkdocs.language.syntax.nodes import Comment, walk

    return (node for node in walk(file) if isinstance(node, Comment))


def find_allowances(file: "File", source: Source) -> Allowances:
    """Return the rules that `allow(...)` silences, per line; a comment on its own line applies to the next line.

    Before the first definition it silences them in the whole text.
    """
    from acdl_mkdocs.language.syntax.nodes import Fragment, Prompt

    everywhere: set[str] = set()
    lines: dict[int, frozenset[str]] = {}
    definitions = [item.span.start for item in file.items if isinstance(item, (Prompt, Fragment))]
    for pragma in all_pragmas(file, source):
        start = pragma.comment.span.start
        line = source.line_index(start)
        if definitions and start < definitions[0]:
            everywhere.update(pragma.allowed_rules)
            continue
        has_line = not source.text[source.line_starts[line] : start].strip()
        for each in (line, line + 1) if has_line else (line,):
            lines[each] = lines.get(each, frozenset()) | frozenset(pragma.allowed_rules)
    return Allowances(frozenset(everywhere), lines)

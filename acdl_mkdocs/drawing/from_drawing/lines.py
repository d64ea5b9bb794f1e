"""`read_lines()`: the lines of a drawing, each with its column, its words and its comment.

Lines that a page broke are joined again. Knows nothing about nesting.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from acdl_mkdocs.drawing.from_drawing.kinds import classify_line, role_named
from acdl_mkdocs.drawing.from_drawing.spelling import QUOTED
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, note, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span

_GAP = re.compile(r"\S {3,}\S")
_NO_DRAWING = re.compile(r"//|#|←|<-|--|%|;|[(\[]?\d|[}\])⎫⎬⎭]")
"""Text beside a line that belongs to it: a comment, the number of a mark."""
_HEADED = re.compile(
    r"[│|]?\s*+(?:role\s*+[:=]|(?:system|user|assistant|tool|[SUAT])\s*+(?::|[│|]|$)|for\s?each\b|[^\W\d]\w*+\s*+\[@[^\]]*\]\s*+:?\s*+$)",
    re.IGNORECASE,
)
_LEAST_GAP = 3
"""Blanks between two drawings."""
_LEAST_LINES = 3
"""The minimum number of lines on both sides."""
_LEAST_HEADS = 2
"""The minimum number of titles and roles on the right."""
_MOST_LINES = 2000
_WIDEST = 300


def side_by_side(text: str) -> list[tuple[int, str]]:
    """Return every line with its offset in the text, with side-by-side drawings one after the other."""
    lines: list[tuple[int, str]] = []
    start = 0
    for line in text.split("\n"):
        lines.append((start, line))
        start += len(line) + 1
    at = gap_of(text)
    if at is None:
        return lines
    left = [(start, line[:at].rstrip()) for start, line in lines]
    right = [(start + min(at, len(line)), line[at:]) for start, line in lines]
    return [*left, *right]


def gap_of(text: str) -> int | None:
    """Return the column where the right one of two drawings begins; `None` if there is only one."""
    wide = [line.rstrip() for line in text.split("\n")] if "\t" not in text else []
    if len(wide) > _MOST_LINES or max(map(len, wide), default=0) > _WIDEST:
        return None
    if sum(_GAP.search(line) is not None for line in wide) < _LEAST_LINES:
        return None
    width = max(map(len, wide))
    is_used = [False] * width
    for line in wide:
        for match in re.finditer(r"\S+", line):
            is_used[match.start() : match.end()] = [True] * len(match[0])
    for at in range(_LEAST_GAP, width):
        if is_used[at] and not any(is_used[at - _LEAST_GAP : at]) and any(is_used[:at]) and _are_two(wide, at):
            return at
    return None


def _are_two(lines: list[str], at: int) -> bool:
    """Return whether there is a drawing on both sides of a column."""
    right = [line[at:].strip() for line in lines if line[:at].strip() and line[at:].strip()]
    if len(right) < _LEAST_LINES or any(_NO_DRAWING.match(line) for line in right):
        return False
    return sum(_HEADED.match(line) is not None for line in right) >= _LEAST_HEADS


TAB = 4
_LEAST_NUMBERED = 3
"""Lines that are counted 1, 2, 3: fewer may be content."""

_GUTTER = re.compile(
    r"""
    (?: \s | [\u200b\ufeff] | [|`+]-{2,}\s? | [│┃║┆┊╎|]\s* | [├└┌╰╭┝┣┗╚╠][─━╌═-]*\s? )*
    (?: (?:[•◦●○▪▫‣·∙] | [►▸▶→⇒»>](?!=) | [-+*–—](?=\s) | (?:\d{1,4}|[a-z])[.)](?=\s)
        | (?:\(\d{1,2}\)|[①-⑳]|\[[\ xX✓]\])(?=\s+(?!(?:and|or|in|for|if)\b)[^\W\d_])) \s* ){0,3}
    """,
    re.VERBOSE,
)
_ICON = re.compile(r"(?:[◊◇◆♢⬦↻⟳⎇⏱\u2600-\u27bf\U0001f300-\U0001faff][\ufe0f\u200d]*)+\s*")
_DIVIDER = re.compile(r"\s*(?:[-=*~+─━═—–]{2,}|_{3,}|[-=+|─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣╭╮╰╯│┃║]{3,})\s*")
_FENCE = re.compile(r"[\s>]*(?:`{3}|~{3})")
_BOX = re.compile(r"(\s*+[|│┃║](?:.*\S)?)\s*+[|│┃║]\s*")
_PAGE = re.compile(r"(?:[-–—] ?)?\d{1,4}(?: ?[-–—])?")
"""The number of a page."""
_NUMBER = re.compile(r"\s*(?P<number>\d{1,4})(?P<sign>\s*[:|]\s?|(?=\s)|$)")


@dataclass(frozen=True, slots=True)
class DrawingLine:
    """A line of a drawing."""

    raw: str
    """All of it that may hold words, from its beginning."""
    start: int
    """Its offset in the drawing."""
    at: int
    """The index of its first word."""
    column: int
    """Its indentation, without decoration before the words."""


def strip_decoration(text: str) -> Iterator[DrawingLine]:
    """Yield every line that has words."""
    lines = side_by_side(text)
    has_numbers = _has_numbers([line for _, line in lines])
    for index, (start, line) in enumerate(lines):
        if not (_DIVIDER.fullmatch(line) or _FENCE.match(line) or _is_page_number(lines, index)):
            number = _NUMBER.match(line) if has_numbers else None
            first = number.end() if number else 0
            box = _BOX.fullmatch(line, first)
            raw = line[:first] + box[1] if box else line.rstrip()
            gutter = _GUTTER.match(raw, first)
            at = gutter.end() if gutter else first
            if raw[at:].strip():
                column = column_of(raw[first if number and number["sign"] else 0 : at])
                icon = _ICON.match(raw, at)
                at = icon.end() if icon else at
                if raw[at:].strip():
                    yield DrawingLine(raw, start, at, column)


def column_of(before: str) -> int:
    """Return the column after some text."""
    return len(before.expandtabs(TAB))


def _is_page_number(lines: list[tuple[int, str]], index: int) -> bool:
    """Return whether a line is a page number: between blank lines, or the last line."""
    line = lines[index][1]
    if not _PAGE.fullmatch(line.strip()) or index == 0 or lines[index - 1][1].strip():
        return False
    return index + 1 == len(lines) or not lines[index + 1][1].strip()


def _has_numbers(lines: list[str]) -> bool:
    """Return whether the lines are numbered, as in a listing."""
    last: int | None = None
    n_lines = 0
    for line in lines:
        if line.strip() and not _FENCE.match(line):
            match = _NUMBER.match(line)
            if match is None or (last is not None and int(match["number"]) != last + 1):
                return False
            last = int(match["number"])
            n_lines += 1
    return n_lines >= _LEAST_NUMBERED


_MOST_JOINED = 12
"""Lines that one statement may be broken into."""
_LONGEST_PROSE = 300
"""Characters of a line that may be the rest of a comment."""

_COMMENT = re.compile(
    rf"""
      (?P<string> {QUOTED} )
    | (?P<block>  (?<!\S)/\*(?![./]\w|\*/\S).*?(?:\*/|\Z) | /\*[^/*]+\*/(?!\w) )
    | (?P<sign>   //+ | (?<![\w\[\](.]) \#(?!msg\b) | (?<=\s)(?:←|<-+(?=\s)|<--+) )
    | (?<=\s) (?P<words> (?:--+|—|%|;|-+>|=>)\s+
        (?=[^\W\d_][\w'’-]*\s+(?!(?:and|or|in|not|if|for|every|excl)\b)[^\W\d_]) )
    """,
    re.VERBOSE,
)
"""The signs of comments, and `/* … */` as a whole.

`/*` after other signs, as in `src/*`, begins a comment only if it clearly ends on the same line.
"""
_NO_PROSE = re.compile(r"[^\w\s,;:.!?'’()/*-]|(?<!\S)[/*](?!\S)")
"""Signs that plain words do not contain.

A comment that begins with `--`, `%` or the like must be plain words; a path such as `a/b` counts as a word.
"""
_STARS = re.compile(r"^\s*\*+(?!\S)|(?<!\S)\*+\s*$")
"""The `*` at the beginning and the end of lines in a comment of several lines."""
_CAPTION = re.compile(r"(?:Figure|Fig\.?|Listing|Table)\s*\d+\s*[.:|–—-]\s*(?=\S)")
_ASSIGNS = re.compile(r"\s*(?:(?:name|let|define|for|for\s?each)\s+)?[@$]?\w+\s*$", re.IGNORECASE)
_BRACKETS = re.compile(rf"{QUOTED}|(?P<open>[(\[])|(?P<close>[)\]])")
_GOES_ON = re.compile(r"(?:[-+%,&|=<>≤≥≠]|(?<!\*)/|:=|≔|\.\.|…|\b(?:and|or|not|every|in)|∈)$", re.IGNORECASE)
_LOOP_GOES_ON = re.compile(r"for\s*each\s+@?[^\s:]+\s*(?::|∈|in)$", re.IGNORECASE)
_HYPHEN = re.compile(r"[^\W\d_]-$")
_SOFT_HYPHEN = "\u00ad"
_PLAIN = {0xAD: None, 0x200B: None, 0xFEFF: None} | dict(
    zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "ft", "st"), strict=True)
)
"""Typography of printed pages, not of typed text: ligatures and soft hyphens."""
_HEADING = re.compile(r"(?P<sign>#{1,6})\s+(?=\S)(?!#)")
_TITLE = re.compile(r"[^\W\d]\w*\s*[\[(]\s*@[^\])]*[\])]\s*:?")
_LONG_GAP = re.compile(r"[^\S\n]{200,}")
"""More blanks than anyone writes on purpose."""
_BOLD = re.compile(r"\*\*(?P<words>[^*]+)\*\*(?P<colon>:?)|`(?P<code>[^`]+)`$")
_PROSE = re.compile(r"(?:[^\W\d_][\w'’/-]*+[,;:.]?\s++){2}\(?[^\W\d_][\w\s,;:.'’()/-]*+$")
_SMALL_WORDS = re.compile(r"[(]?[a-zà-ÿ][\w'’/-]*(?:[,;:]?\s+[a-zà-ÿ][\w'’/-]*){0,4}[,;:.)]*")
_CONTENT = frozenset(("content", "label", "comment", "mark-end", "bracket"))
"""Kinds of lines that may be the rest of the line above."""


@dataclass(frozen=True, slots=True)
class Line:
    """One statement of a drawing."""

    start: int
    """Offset of its words in the drawing."""
    end: int
    column: int
    code: str
    """Its words, without what frames them and without the comment; empty where there is only a comment."""
    comment: str | None = None
    """Without its sign; `None` if there is none."""
    comment_column: int = -1

    @property
    def span(self) -> Span:
        """The place of the line in the drawing."""
        return Span(self.start, self.end)


_WHOLE = ("[not ", "--", "==", "——", "──")
"""Beginnings of lines that never continue: notes about what a figure does not show, and dividers with words."""


def read_lines(text: str, problems: list[Diagnostic]) -> list[Line]:
    """Return the lines that have words, with broken ones joined; guesses are added to `problems`."""
    cut = list(_cut_lines(text, problems))
    if gap_of(text) is not None:
        label = Label(Span(cut[0].start, cut[0].end), "the left one first, then the right one")
        problems.append(
            note("joined-line", "two drawings stand beside each other", label, help="convert them one by one")
        )
    lines: list[Line] = []
    at = 0
    rest_column = -1
    while at < len(cut):
        line, n_more = _join_lines(cut, at, problems)
        at += 1 + n_more
        if not lines or not _is_rest_of_comment(lines[-1], line, rest_column, problems):
            lines.append(line)
            rest_column = -1
        else:
            rest_column = line.column
            words = f"{lines[-1].comment} {line.comment or line.code}".strip()
            lines[-1] = replace(lines[-1], comment=words)
    return lines


def n_open(code: str) -> int:
    """Return the number of unclosed `(` and `[` in some words; negative if more are closed than opened."""
    return sum((match["open"] is not None) - (match["close"] is not None) for match in _BRACKETS.finditer(code))


def _cut_lines(text: str, problems: list[Diagnostic]) -> Iterator[Line]:
    """Yield every line that is not blank."""
    last_end = text.rfind("*/")
    is_inside = False
    column = 0  # of the last line that did not begin inside a comment
    for framed in strip_decoration(text):
        raw, at, start = framed.raw, framed.at, framed.start
        if is_inside:  # of a comment of several lines
            words, end, rest = raw[at:].partition("*/")
            is_inside = not end
            if words := _strip_stars(words):
                yield Line(start + at, start + len(raw), framed.column, "", words)
            if not rest.strip():
                continue
            at = len(raw) - len(rest.lstrip())
        else:
            column = framed.column
        caption = _CAPTION.match(raw, at)
        begin = _behind_heading(raw, at, start, problems)
        line, is_open = _make_line(raw, begin, start, column)
        if begin > at and role_named(line.code) is not None:
            line = replace(line, code=f"{line.code}:")
        if caption:
            line = Line(line.start, start + len(raw), line.column, "", raw[at:])
        is_inside = is_open and not caption and last_end > start + len(raw)
        if line.code or line.comment or not raw.startswith("/*", at):
            yield line


@dataclass(frozen=True, slots=True)
class _Comment:
    """A comment in a line."""

    span: Span
    """Its place in the line, with its signs."""
    words: str
    is_open: bool = False
    """Whether it begins with `/*` and does not end in the line."""


def _find_comments(text: str, at: int) -> Iterator[_Comment]:
    """Yield the comments of a line from an offset on: each `/* … */`, then the one that extends to its end."""
    prose = max((each.start() for each in _NO_PROSE.finditer(text, at)), default=at)
    code: list[str] = []
    for match in _COMMENT.finditer(text, at):
        if match["block"] is not None:
            words, end, _ = match["block"].removeprefix("/*").partition("*/")
            yield _Comment(Span(match.start(), match.end()), _strip_stars(words), not end)
            code.append(text[at : match.start()])
            at = match.end()
        elif match["sign"] or (match["words"] and match.end() >= prose):
            before = " ".join((*code, text[at : match.start()]))
            is_all = match["words"] is not None and not before.strip()
            if not is_all and not (match[0][0] in "←<" and _ASSIGNS.match(before)):
                yield _Comment(Span(match.start(), len(text)), text[match.end() :].strip())
                return


def _strip_stars(words: str) -> str:
    """Return the words of a line of a comment without the `*` at its beginning and end."""
    return _STARS.sub("", words).strip()


def _make_line(raw: str, at: int, start: int, column: int) -> tuple[Line, bool]:
    """Return the words of a line from an index on, and whether a comment of several lines begins in it.

    Parameters:
        raw: The whole line.
        at: The index of its first word.
        start: Its offset in the drawing.
        column: Its indentation.
    """
    text = raw[at:].rjust(len(raw))  # a sign is not part of the decoration before it
    comments = [*_find_comments(text, at)]
    begins = (at, *(each.span.end for each in comments))
    ends = (*(each.span.start for each in comments), len(raw))
    pieces = [Span(*each) for each in zip(begins, ends, strict=True) if text[slice(*each)].strip()]
    code = " ".join(text[each.start : each.end].strip() for each in pieces)
    first, last = at, len(raw)
    if pieces:
        first = pieces[0].end - len(text[pieces[0].start : pieces[0].end].lstrip())
        last = pieces[-1].start + len(text[pieces[-1].start : pieces[-1].end].rstrip())
    comment: str | None = " ".join(each.words for each in comments if each.words)
    comment = None if code and not comment else comment
    sign_column = column_of(raw[: comments[-1].span.start]) if comments else -1
    line = Line(start + first, start + last, column, _as_typed(code), comment, sign_column)
    return line, bool(comments) and comments[-1].is_open


def _behind_heading(raw: str, at: int, start: int, problems: list[Diagnostic]) -> int:
    """Return where the words begin in a line that is a page heading: a title or a role, not a comment."""
    match = _HEADING.match(raw, at)
    if match is None:
        return at
    words = _as_typed(raw[match.end() :].strip())
    is_role = classify_line(words).kind == "role" or role_named(words) is not None
    if not is_role and not _TITLE.fullmatch(words):
        return at
    if is_role and len(match["sign"]) == 1:
        label = Label(Span(start + at, start + len(raw)), "read as a heading: a role")
        message = "a line of the drawing can be read in more than one way"
        problems.append(warning("guessed-line", message, label, help=f"a comment begins with `//`: `// {words}`"))
    return match.end()


def _as_typed(code: str) -> str:
    """Return words without typography: bold type, ligatures, hyphens inside of a line."""
    code = _LONG_GAP.sub(" ", code)
    if code[:1] in ("*", "`") and (bold := _BOLD.match(code)) is not None:
        code = f"{bold['code'] or bold['words']}{bold['colon'] or ''}{code[bold.end() :]}"
    if code.isascii():
        return code
    return code.translate(_PLAIN) + (_SOFT_HYPHEN if code.endswith(_SOFT_HYPHEN) else "")


def _join_lines(cut: list[Line], at: int, problems: list[Diagnostic]) -> tuple[Line, int]:
    """Return a line joined with the next lines of the same statement, and how many they are."""
    line = cut[at]
    depth = n_open(line.code) if line.code else 0
    joined, n_more, is_hyphened = line, 0, False
    is_whole = not line.code or line.code.startswith(_WHOLE) or line.code.endswith("ForEach …")
    while not is_whole and at + n_more + 1 < len(cut) and n_more < _MOST_JOINED:
        following = cut[at + n_more + 1]
        is_hyphen = joined.comment is None and _is_broken(joined.code, following.code)
        is_open = depth > 0 or bool(_GOES_ON.search(joined.code)) or bool(_LOOP_GOES_ON.match(joined.code))
        if not (is_open or is_hyphen) or classify_line(following.code).kind not in _CONTENT:
            break
        if not following.code and (depth <= 0 or classify_line(line.code).kind == "bracket"):
            break  # a comment belongs to the statement only inside its brackets
        if following.start < line.start:  # the drawing on the right begins
            break
        is_hyphened |= is_hyphen and not joined.code.endswith(_SOFT_HYPHEN)
        code = (
            joined.code.rstrip("-" + _SOFT_HYPHEN) + following.code
            if is_hyphen
            else f"{joined.code} {following.code}".rstrip()
        )
        comments = [each for each in (joined.comment, following.comment) if each is not None]
        joined = replace(joined, code=code, end=following.end, comment=" ".join(comments) if comments else None)
        depth += n_open(following.code)
        n_more += 1
    if depth > 0:  # never closed: the lines after it are not to blame
        return line, 0
    if is_hyphened:
        problems.append(
            note(
                "joined-line",
                "two lines are read as one word",
                Label(joined.span, "the first one ends in the middle of a word"),
                help=f"if it is a difference or two pieces, write it otherwise; read as `{joined.code}`",
            )
        )
    return joined, n_more


def _is_broken(code: str, following: str) -> bool:
    """Return whether a word continues on the next line."""
    if code.endswith(_SOFT_HYPHEN):
        return following[:1].isalnum()
    is_name = code.endswith("_") and code[-2:-1].isalnum() and " " not in code
    return (is_name or _HYPHEN.search(code) is not None) and following[:1].islower()


def _is_rest_of_comment(before: Line, line: Line, rest_column: int, problems: list[Diagnostic]) -> bool:
    """Return whether a line continues the comment of the previous line.

    Parameters:
        before: The line before.
        line: The line.
        rest_column: Column of the last line that was read as the rest of the comment; negative if there was none.
        problems: Collects the guesses.
    """
    if before.comment is None:
        return False
    if not line.code:
        return bool(before.code) and line.column > before.column + 4 and line.column >= before.comment_column - 1
    if (
        line.comment is not None
        or len(line.code) > _LONGEST_PROSE
        or not (_PROSE.match(line.code) or (line.column == rest_column and _SMALL_WORDS.fullmatch(line.code)))
        or classify_line(line.code).kind != "content"
    ):
        return False
    problems.append(
        note(
            "joined-line",
            "a line of plain words is read as the rest of the comment above it",
            Label(line.span, "goes on with the comment"),
            help="if it is none, write it as ACDL: `env.x[@T]`, `TEMPLATE`, `f(x)`",
        )
    )
    return True

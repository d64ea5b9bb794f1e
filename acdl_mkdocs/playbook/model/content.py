"""The rules for the text of a bullet, and the detection of keys and passwords in it by their known shapes."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.markdown import code_fence
from acdl_mkdocs.foundation.secrets import SHAPES, WORDS
from acdl_mkdocs.playbook.similarity.same_text import join_wrapped_lines, lines_of

MAX_CONTENT = 2_000
"""Most characters in the text of a bullet."""
MAX_LINE = 1_000
"""Most characters in a reason, a title or a name."""

_FENCE = re.compile(r" {0,3}(?P<sign>`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6}([ \t]|$)|(=+|-{2,})[ \t]*$)")
_BULLET = re.compile(r"\[[\w.\- ]{1,80}\]\s*(helpful|harmful|neutral)\s*=", re.IGNORECASE)
_MARKER = re.compile(r"<!--\s*+/?\s*+acdl-playbook", re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\n]+")
_JOINERS = "\u200c\u200d"
"""Characters needed by scripts of India and Persia, and by emoji."""
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that are invisible but are not control characters."""
_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2}")
_ODD = re.compile(r"[^\n\t\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0560]")
"""Characters that have to be checked one by one."""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text in its canonical spelling, and why it is refused."""

    text: str
    """NFC, line ends `\n`, no surrounding white space; meaningless if there are problems.

    Lines of a wrapped paragraph are joined; lines that have a meaning as lines are a fenced block, whose fence is
    longer than any in it.
    """
    problems: tuple[str, ...] = ()
    """What is wrong and what to do, each a clause about the text; empty if the text is accepted."""


def clean_content(text: str) -> Cleaned:
    """Return the text of a bullet in its canonical spelling.

    Cleaning a clean text changes nothing. Time is linear in the length, and a text that is far too long is not read.
    """
    if len(text) > 4 * MAX_CONTENT:
        return Cleaned("", (_too_long(len(text)),))
    odd = _find_unsafe(text)
    if odd:
        return Cleaned("", (odd,))
    lines = lines_of(text)
    opening = _FENCE.match(lines[0])
    if opening:
        lines[0] = lines[0].rstrip()
        problems = _fence_problems(lines, opening["sign"])
        text = "\n".join(lines if problems else _lengthen_fence(lines, opening["sign"]))
    else:
        line = join_wrapped_lines(lines)
        text = fence_lines(lines) if line is None else line
        problems = _paragraph_problems(lines)
    problems += _find_forgeries(text)
    if not text:
        problems = ["is empty; write one lesson"]
    elif len(text) > MAX_CONTENT:
        problems.append(_too_long(len(text)))
    return Cleaned("" if problems else text, tuple(problems))


def fence_lines(lines: Sequence[str]) -> str:
    """Return lines as one fenced block that keeps them unchanged."""
    text = "\n".join(lines)
    sign = code_fence(text)
    return f"{sign}text\n{text}\n{sign}"


def clean_line(text: str, max_characters: int = MAX_LINE) -> Cleaned:
    """Return a reason, a title or a name in its canonical spelling: one line without hidden or forged content."""
    if len(text) > 4 * MAX_CONTENT:
        return Cleaned("", (f"has {len(text):,} characters; at most {max_characters:,} are kept",))
    odd = _find_unsafe(text)
    if odd:
        return Cleaned("", (odd,))
    line = _BLANKS.sub(" ", unicodedata.normalize("NFC", _lines(text)).replace("\n", " ")).strip()
    problems = _find_forgeries(line)
    if len(line) > max_characters:
        problems.append(f"has {len(line):,} characters; at most {max_characters:,} are kept")
    return Cleaned("" if problems else line, tuple(problems))


def _too_long(n_characters: int) -> str:
    return f"has {n_characters:,} characters, and a bullet has at most {MAX_CONTENT:,}; make several lessons of it"


def _lines(text: str) -> str:
    return re.sub("\r\n?|\u2028|\u2029", "\n", text)


def _find_unsafe(text: str) -> str | None:
    """Return why the first character that is not allowed in a bullet is refused."""
    text = unicodedata.normalize("NFC", text)  # as it is kept: composing can replace the neighbour of a joiner
    for match in _ODD.finditer(text):
        why = _explain_unsafe(text, match.start())
        if why:
            return f"has the character U+{ord(match[0]):04X}, {why}; take it out"
    if _SELECTORS.search(text):
        return "has several variation selectors in a row, which nobody sees; take them out"
    return None


def _explain_unsafe(text: str, offset: int) -> str | None:
    character = text[offset]
    category = unicodedata.category(character)
    code = ord(character)
    if character in _DIRECTIONS:
        return "which changes the order in which text is shown"
    if character in _JOINERS:
        beside = (text[offset - 1 : offset] + text[offset + 1 : offset + 2]).strip()  # white space is not always kept
        return None if beside and not beside.isascii() else "which nobody sees"
    if (category == "Cf" and not 0x600 <= code <= 0x605) or character in _BLANK_LETTERS:
        return "which nobody sees"
    if category == "Cc" and character != "\r":
        return "which is a control character"
    if category == "Cs":
        return "which is half of a character"
    if 0xFDD0 <= code < 0xFDF0 or code & 0xFFFE == 0xFFFE:
        return "which is not a character"
    return None


def _find_forgeries(text: str) -> list[str]:
    """Return the parts that could pass for a part of a playbook or of the files that playbooks are written into."""
    problems: list[str] = []
    if _BULLET.search(text):
        problems.append("looks like the head of a bullet (`[id] helpful=`); write the lesson only")
    if _MARKER.search(text):
        problems.append("has a marker of a playbook block (`<!-- acdl-playbook`); leave it out")
    return problems


def _paragraph_problems(lines: list[str]) -> list[str]:
    problems: list[str] = []
    if any(_HEADING.match(line) for line in lines):
        problems.append("has a line that is a heading; write one paragraph, or put the sign in backticks")
    if any(_FENCE.match(line) for line in lines):
        problems.append("has text and a fenced block; make the block a bullet of its own, or use inline code")
    if any(not line.strip() for line in lines[1:-1]):
        problems.append("has several paragraphs; make each a bullet of its own")
    return problems


def _fence_problems(lines: list[str], sign: str) -> list[str]:
    """Check that the last line, and no earlier one, closes the block that the first line opens."""
    closing = re.compile(rf" {{0,3}}{re.escape(sign[0])}{{{len(sign)},}}[ \t]*")
    ends = [idx for idx, line in enumerate(lines) if idx and closing.fullmatch(line)]
    if not ends:
        return ["opens a fenced block that is never closed; end it with a line of the same signs"]
    if ends[0] != len(lines) - 1:
        return ["continues after its fenced block; make the rest a bullet of its own"]
    if not any(line.strip() for line in lines[1:-1]):
        return ["is a fenced block with nothing in it; write one lesson"]
    return []


def _lengthen_fence(lines: list[str], sign: str) -> list[str]:
    """Return a fenced block with a fence that no line in it can be taken for, however far a list item indents it."""
    inner = (line.strip() for line in lines[1:-1])
    longest = max((len(line) for line in inner if not line.strip(sign[0])), default=0)
    if longest < len(sign):
        return lines
    longer = sign[0] * (longest + 1)
    return [longer + lines[0].removeprefix(sign), *lines[1:-1], longer]


_SHAPES = {kind: re.compile(pattern) for kind, pattern in SHAPES.items()}
_IN_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:(?P<value>[^\s/@]{3,100})@", re.IGNORECASE)
_NAMED = re.compile(
    rf"(?P<name>{WORDS})"
    r"[\"'`]?\s{0,3}(?::=|=>|=|:|\bis\b)\s{0,3}(?:bearer\s{1,3})?"
    r"(?P<value>\"[^\"\n]{6,200}\"|'[^'\n]{6,200}'|`[^`\n]{6,200}`|[^\s\"'`,;]{6,200})",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\bbearer\s{1,3}(?P<value>[A-Za-z0-9._~+/-]{20,}=*)", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"[<{$%\[(*.…]|x{3,}|\*{3}|your|example|changeme|placeholder|redacted|dummy|environ|getenv|^(none|null|true|false)$",
    re.IGNORECASE,
)
_WORD_WITH_NUMBER = re.compile(r"[A-Za-z]+[0-9]{1,3}")
"""`sha256`, `oauth2`: words that follow `token:` without being a token."""
_LEAST_BITS = 2.9
"""Bits for each character, by how often each occurs in the value: repetitive values have fewer."""
_LEAST_LENGTH = 8


def find_secrets(text: str) -> tuple[str, ...]:
    """Return the kinds of secrets in a text, such as `AWS access key`: each once, in a fixed order."""
    kinds = [kind for kind, shape in _SHAPES.items() if shape.search(text)]
    if any(not _PLACEHOLDER.search(each["value"]) for each in _IN_ADDRESS.finditer(text)):
        kinds.append("password in an address")
    if any(_is_random(each["value"].strip("\"'`"), each["name"]) for each in _NAMED.finditer(text)):
        kinds.append("password or key")
    if any(_is_random(each["value"]) for each in _BEARER.finditer(text)):
        kinds.append("bearer token")
    return tuple(kinds)


def _is_random(value: str, name: str = "") -> bool:
    """Return whether a value looks random: a part of it mixes letters and digits as no word does."""
    value = value if value.endswith("..") else value.removesuffix(".")  # of a sentence, not of a name such as `a.b`
    if _PLACEHOLDER.search(value) or " " in value:
        return False
    parts = [
        part for part in re.split(r"[^A-Za-z0-9]+", value) if re.search("[0-9]", part) and re.search("[A-Za-z]", part)
    ]
    if name.lower().startswith(("passw", "passp", "pwd")):
        return any(len(part) > 3 for part in parts) and _measure_entropy(value) > 2
    is_long = any(len(part) >= _LEAST_LENGTH and not _WORD_WITH_NUMBER.fullmatch(part) for part in parts)
    return is_long and _measure_entropy(value) >= _LEAST_BITS


def _measure_entropy(value: str) -> float:
    n = len(value)
    return -sum(count / n * math.log2(count / n) for count in Counter(value).values())

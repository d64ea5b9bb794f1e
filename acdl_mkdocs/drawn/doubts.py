"""`doubtful()`: lines of a drawing that are ACDL by chance: words of a sentence, loops over what is no list.

Knows nothing of how lines nest.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from acdl_mkdocs.drawn.lines import Line
from acdl_mkdocs.drawn.quoted import QUOTED
from acdl_mkdocs.drawn.written import Written
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.nodes import (
    Content,
    Expression,
    File,
    ForEach,
    Group,
    Label,
    NameDef,
    Number,
    Operation,
    RoleMessage,
    String,
    Symbol,
    TimeIndex,
    Unary,
    walk,
)
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.language.syntax.spellings import has_keyword, plain_name

_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
_LOGICAL = frozenset(("&", "|"))
_N_WORDS = 3
"""So many plain words are a sentence."""
_N_TEMPLATE = 4
_LONGEST = 2000
_WORD = re.compile(r"[(‘“]?[^\W_][^\W_]*(?:['’/-][^\W_]+)*[,.;:!?)’”]*|[–—&-]")
_STRING = re.compile(QUOTED)
_GLUED = re.compile(
    r"[\])]\s+[(\[]|[\w*]\s{2,}[(\[]|\.\w+\s+\(|@\s*[-<>=+]"
    r"|\b(?!AND\b|OR\b|NOT\b|IN\b|IF\b)[A-Z][A-Z0-9_]+\s+[(\[][a-z ]+[)\]]"
)
"""A gap before a bracket that would be a call or an index, and an `@` without a time."""
_HYPHENED = re.compile(r"(?<![\w.@$])[a-z]\w*+(?>(?:-[a-z]\w*+)+)(?P<call>\(?)")
"""Words joined by dashes, taken whole: what is no call is not looked through again from each of its words."""
_NO_BEGINNING = frozenset(
    ("and", "or", "etc", "repeat", "while", "unless", "until", "end", "next", "loop", "then", "for")
)


def is_sentence(words: str) -> bool:
    """Whether some words are plain text: three or more, without any sign of ACDL."""
    pieces = words.split()
    if len(words) > _LONGEST or len(pieces) < _N_WORDS or pieces[0].lower().strip(".,") in _NO_BEGINNING:
        return False
    n_small = sum(piece.strip("(,.;:!?)").islower() for piece in pieces)
    return n_small * 2 >= len(pieces) and all(_WORD.fullmatch(piece) for piece in pieces)


def template_named(words: str) -> str:
    """A template for a sentence, named after its first words."""
    first = re.findall(r"[^\W\d_]+", words)[:_N_TEMPLATE]
    return "_".join(first).upper() or "INSTRUCTIONS"


@lru_cache(maxsize=4096)
def is_one(text: str) -> bool:
    """Whether a text is one piece of content, as a message without braces can hold it."""
    if text.replace(".", "").replace("_", "").isalnum():
        return True
    parsed = parse(Source(f"U: {text}"))
    match parsed.file.items:
        case (RoleMessage(body=(Content(),)),):
            return True
        case _:
            return bool(parsed.diagnostics)


def is_glued(words: str) -> bool:
    """Whether words hang together by chance: an aside behind a piece reads as a call or an index of it."""
    return _GLUED.search(_STRING.sub('""', words)) is not None


def hyphened_call(words: str) -> str:
    """The name of a call such as `top-k(x)` in some words, which is a difference in ACDL; empty if there is none."""
    found = _HYPHENED.finditer(_STRING.sub('""', words))
    return next((each[0].removesuffix("(") for each in found if each["call"]), "")


def is_no_list(value: Expression) -> bool:
    """Whether a loop over a value makes no sense: a number, a time, a comparison, or a dash between two ends."""
    if isinstance(value, Operation):
        is_dash = set(value.operators) == {"-"} and all(_is_end(each) for each in value.operands)
        return is_dash or any(operator in _COMPARISONS for operator in value.operators)
    return isinstance(value, Number | String) or (isinstance(value, TimeIndex) and not value.parts)


def _is_end(value: Expression) -> bool:
    """Whether a value may be the end of a range: a number, a time, a word."""
    return isinstance(value, Number | TimeIndex) or (isinstance(value, Symbol) and not value.parts)


def doubtful(file: File, made: Written) -> set[int]:
    """Where the lines begin in the drawing that are read as something that nobody means.

    Parameters:
        file: The tree of the text that was made of the drawing.
        made: That text.
    """
    text = made.text
    found: set[int] = set()
    last: Expression | None = None
    last_line: Line | None = None
    for piece, is_loop in _pieces(file):
        line = made.line_at(piece.span.start)
        if line is None:
            continue
        if is_loop:
            found |= {line.start} if is_no_list(piece) else set()
            continue
        if made.line_at(piece.span.end - 1) is not line:  # one line goes on with the next by a sign at its end
            found.add(line.start)
        if last is not None and line is last_line and (_is_bare(last) or _is_bare(piece)):
            found |= set() if text.startswith((",", ";"), last.span.end) else {line.start}
        last, last_line = piece, line
    for node in walk(file):
        if isinstance(node, NameDef) and not (has_keyword(node) or plain_name(node)):
            line = made.line_at(node.span.start)
            found |= {line.start} if line is not None else set()
    return found


def truth_values(file: File) -> Iterator[Operation]:
    """Content that is whether two values hold: on a whiteboard, `a and b` in a message means both of them."""
    for node in walk(file):
        if isinstance(node, Content) and isinstance(node.value, Operation) and _LOGICAL & {*node.value.operators}:
            yield node.value


def _pieces(file: File) -> Iterator[tuple[Expression, bool]]:
    """Content and titles of groups, and what loops run over, in the order of the text."""
    for node in walk(file):
        if isinstance(node, Content):
            yield node.value, False
        elif isinstance(node, Label):
            yield node.title, False
        elif isinstance(node, ForEach) and node.iterable is not None:
            yield node.iterable, True


def _is_bare(value: Expression) -> bool:
    """Whether content is a word, a number or a time alone, or words with a sign between them."""
    while isinstance(value, Unary | Group):
        value = value.value
    return isinstance(value, Number | TimeIndex) or (isinstance(value, Symbol) and not value.parts)

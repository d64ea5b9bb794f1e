"""The words of a text and their kinds, for syntax highlighting.

The kinds are those of the scanner, so the same word is a keyword here and for the parser; the kind of a plain word
follows from its neighbours. Every character is in exactly one word, and any text has words. Knows nothing about
productions.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from acdl_mkdocs.language.syntax.nodes import NAMESPACES
from acdl_mkdocs.language.syntax.tokenize import tokenize
from acdl_mkdocs.language.syntax.tokens import Token, is_all_caps

Kind: TypeAlias = Literal[
    "blank", "comment", "keyword", "role", "title", "fragment", "template", "function", "namespace", "field", "path",
    "index", "reference", "string", "number", "operator", "word-operator", "punctuation", "foreign",
]  # fmt: skip
"""The kind of a word. `title` is the name of a defined block, `fragment` that of a used one, `path` any plain name."""


class Word(NamedTuple):
    """A part of a text."""

    text: str
    kind: Kind


_KEYWORDS = frozenset(
    ("PROMPT", "STRING_FRAGMENT", "ROLES_FRAGMENT", "FOREACH", "IF", "ELSEIF", "ELSE", "SWITCH", "CASE", "DEFAULT",
     "MARK", "NAME", "ENDS_HERE", "ENDS_WHEN", "BREAK", "CONTINUE", "FRAG", "FOR")
)  # fmt: skip
_OPERATORS = frozenset(
    ("ASSIGN", "COMPARE", "OR", "AND", "NOT", "PLUS", "MINUS", "TIMES", "ELLIPSIS", "MARKER", "IN", "EVERY")
)
_PUNCTUATION = frozenset(("LPAR", "RPAR", "LSQB", "RSQB", "LBRACE", "RBRACE", "COLON", "COMMA", "SEPARATOR", "OTHER"))
_OTHERS: dict[str, Kind] = {
    "ROLE": "role",
    "TIME": "index",
    "MESSAGE_NUMBER": "index",
    "REFERENCE": "reference",
    "STRING": "string",
    "NUMBER": "number",
    "DECLARATION": "foreign",
    "SKIPPED": "foreign",
    "HOST_VALUE": "foreign",
}
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(_KEYWORDS, "keyword"),
    **dict.fromkeys(_OPERATORS, "operator"),
    **dict.fromkeys(_PUNCTUATION, "punctuation"),
    **_OTHERS,
}
"""Kinds of tokens that do not depend on their neighbours."""

_NAMED_AFTER: dict[str, Kind] = {
    "PROMPT": "title",
    "STRING_FRAGMENT": "title",
    "ROLES_FRAGMENT": "title",
    "FRAG": "fragment",
}
_FIELDS_OF: dict[Kind, Kind] = {
    "namespace": "field",
    "template": "template",
    "function": "function",
    "index": "index",
    "reference": "reference",
    "fragment": "fragment",
}
"""The kind of `.field` after such a word; after any other it is part of a plain name."""
_OPENING, _CLOSING = frozenset(("LPAR", "LSQB")), frozenset(("RPAR", "RSQB"))
_KEEPS_HEAD = _OPENING | _CLOSING | {"FIELDS"}
_ENDS_ELEMENT = frozenset(("", "LBRACE", "RBRACE", "SEPARATOR"))
_ENDS_OPERAND = frozenset(
    ("IDENT", "FIELDS", "TIME", "REFERENCE", "STRING", "NUMBER", "HOST_VALUE", "RSQB", "RPAR", "BREAK", "CONTINUE",
     "ENDS_HERE")
)  # fmt: skip
_LETTER = re.compile(r"\w")


def classify(text: str) -> Iterator[Word]:
    """Yield every word of a text and the text between words, in order."""
    at = 0
    for start, end, kind in classify_spans(text):
        if start > at:
            yield Word(text[at:start], "blank")
        yield Word(text[start:end], kind)
        at = end
    if at < len(text):
        yield Word(text[at:], "blank")


def classify_spans(text: str) -> Iterator[tuple[int, int, Kind]]:
    """Yield start, end and kind of every word of a text, in order."""
    cut = tokenize(text)
    named = [(token.start, token.end, kind) for token, kind in zip(cut.tokens, _token_kinds(cut.tokens), strict=True)]
    comments: list[tuple[int, int, Kind]] = [
        (each.span.start, each.span.end, "foreign" if each.is_host_text else "comment") for each in cut.comments
    ]
    at = 0
    for start, end, kind in sorted(named + comments, key=lambda each: each[0]) if comments else named:
        if end > max(start, at):
            yield max(start, at), end, kind
        at = max(at, end)


def _token_kinds(tokens: list[Token]) -> Iterator[Kind]:
    """Yield the kind of every token."""
    titles = set(_title_indices(tokens))
    heads: list[Kind] = []  # kinds of the words before the open brackets
    head: Kind = "path"
    previous = ""
    for at, token in enumerate(tokens):
        kind = _KINDS.get(token.kind)
        if token.kind in _OPENING:
            heads.append(head)
        elif token.kind in _CLOSING:
            head = heads.pop() if heads else "path"
        elif token.kind == "FIELDS":
            kind = head
        elif kind is None:
            following = tokens[at + 1].kind if at + 1 < len(tokens) else ""
            kind = "title" if at in titles else _NAMED_AFTER.get(previous) or _name_kind(token.text, following)
        elif kind == "operator" and _LETTER.match(token.text):
            kind = "word-operator"
        kind = kind or "blank"
        if token.kind not in _KEEPS_HEAD:
            head = _FIELDS_OF.get(kind, "path")
        previous = token.kind
        yield kind


def _name_kind(name: str, following: str) -> Kind:
    """Return the kind of a plain name, given its spelling and the next token."""
    if is_all_caps(name):
        return "template"
    if name in NAMESPACES and following in ("FIELDS", "LSQB", "LPAR"):
        return "namespace"
    return "function" if following == "LPAR" else "path"


def _title_indices(tokens: list[Token]) -> Iterator[int]:
    """Yield the indices of names of blocks: `Name[@T]: {` where an element begins."""
    is_before_block = False
    after_brackets: list[bool] = []  # the same, to the right of the brackets that are open
    for at in range(len(tokens) - 1, -1, -1):
        kind = tokens[at].kind
        if kind in _CLOSING:
            after_brackets.append(is_before_block)
            is_before_block = False
        elif kind in _OPENING:
            is_before_block = after_brackets.pop() if after_brackets else False
        elif kind != "COLON":
            if kind == "IDENT" and is_before_block and _begins_element(tokens, at):
                yield at
            is_before_block = kind == "LBRACE"


def _begins_element(tokens: list[Token], at: int) -> bool:
    """Return whether the element before a word is complete."""
    previous = tokens[at - 1].kind if at else ""
    return previous in _ENDS_ELEMENT or (tokens[at].is_first and previous in _ENDS_OPERAND)

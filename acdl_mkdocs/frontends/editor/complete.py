"""Completions at an offset: words that the grammar accepts there, and names that mean something there; nothing else.

Every complete offer can be accepted without making a mistake. Texts are read as they are in the
middle of an edit: nothing here needs a tree of the document.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.completion import Completion, Kind, Offer
from acdl_mkdocs.frontends.editor.cursor import CursorPosition
from acdl_mkdocs.frontends.editor.documents import Document, Piece
from acdl_mkdocs.frontends.editor.keyword_offers import keyword_offers
from acdl_mkdocs.frontends.editor.name_offers import NameOffers
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.syntax.classify import classify_spans
from acdl_mkdocs.language.syntax.keywords import DOCUMENTED_WORDS
from acdl_mkdocs.language.syntax.pieces import Piece as Parsed
from acdl_mkdocs.language.syntax.tokens import Token

_WITH_BRACKETS = frozenset(("variable", "field", "function", "fragment"))
_FIXED = frozenset(("keyword", "role", "title", "number", "word-operator"))
"""Kinds of whole words to which the rest of their line belongs."""
_ELSE = re.compile(r"\s*(?:else|elif|elsif)", re.IGNORECASE)
_VALUES: tuple[Kind, ...] = ("variable", "template", "function", "name", "time", "loop", "field")
_LIKE: Mapping[str, tuple[Kind, ...]] = {
    "path": _VALUES,
    "namespace": ("variable",),
    "template": ("template",),
    "function": ("function", "template"),
    "field": ("field",),
    "reference": ("name",),
    "index": ("time",),
    "fragment": ("fragment",),
    "role": ("role",),
}
"""Kinds of offers that can replace a word that exists already, by the kind of that word."""
_TITLE = re.compile(r"[ \t]*(?:(?:StrFrag|RolesFrag|RoleFrag|Prompt)[ \t]+)?[^\W\d]\w*[ \t]*\[[^\[\]\n]*\Z")
"""A title with an open bracket, in which parameters are invented."""
_EQUAL = ("==", "!=")
_NEW_NAMES_AFTER = frozenset(("NAME", "STRING_FRAGMENT", "ROLES_FRAGMENT", "PROMPT", "MARK"))
"""Words after which a person invents a name."""


def complete_at(workspace: Workspace, uri: str, offset: int) -> tuple[Completion, ...]:
    """Return the completions at an offset of a document, best first.

    Parameters:
        workspace: The documents, whose words are offered.
        uri: Of the document.
        offset: Where somebody types, in code points of the document.
    """
    document = workspace.find_document(uri)
    if document is None:
        return ()
    piece = document.piece_at(offset)
    at = piece.from_document(offset) if piece is not None else None
    if piece is None or at is None:
        return _in_header(workspace, document, offset)
    cursor = CursorPosition(piece.source.text, at)
    offers = _collect_offers(workspace, document, piece, cursor)
    return _place_offers(offers, cursor, piece)


def _in_header(workspace: Workspace, document: Document, offset: int) -> tuple[Completion, ...]:
    if document.language == "acdl":
        return ()
    from acdl_mkdocs.frontends.editor.header_offers import header_completions  # a file of ACDL has no fences

    return header_completions(workspace, document, offset)


def _collect_offers(workspace: Workspace, document: Document, piece: Piece, cursor: CursorPosition) -> Iterator[Offer]:
    """Yield the offers that fit, in no order."""
    if cursor.comment is not None:
        from acdl_mkdocs.frontends.editor.pragma_offers import pragma_offers  # most places are in no comment

        yield from pragma_offers(cursor, workspace, document)
        return
    at = cursor.offset
    if cursor.is_in_string or cursor.text[at - 1 : at + 1] in ("//", "/*", "@$"):
        return
    names = NameOffers(workspace, document, cursor)
    sign = cursor.word[:1]
    if sign == "$":
        yield from names.offer_references()
    elif cursor.text[cursor.start - 1 : cursor.start] == "." and sign != "@":
        yield from names.offer_fields()
    elif sign == "@":
        yield from names.offer_times() if "NUMBER" in cursor.partial_parse.expected else ()
    else:
        yield from _offer_words(cursor, names, piece)


def _offer_words(cursor: CursorPosition, names: NameOffers, piece: Piece) -> Iterator[Offer]:
    """Yield the offers that can appear where a plain word can."""
    previous = cursor.partial_parse.previous
    if previous is not None and not cursor.begins_statement and previous.kind in _NEW_NAMES_AFTER:
        return
    if previous is not None and previous.kind == "IDENT" and previous.text in DOCUMENTED_WORDS:
        return  # `Name` and a word that is still missing
    if previous is not None and previous.kind == "FRAG":
        yield from names.offer_fragments(has_keyword=True)
        return
    if not cursor.blocks and _TITLE.match(cursor.text, cursor.text.rfind("\n", 0, cursor.start) + 1, cursor.start):
        yield from names.offer_parameters()
        return
    words = keyword_offers(cursor, is_fence=piece.is_fence)
    if _ELSE.match(cursor.text, cursor.offset) and cursor.partial_parse.expected & {"ELSE", "ELSEIF"}:
        yield from (each for each in words if each.label in ("Else", "ElseIf"))  # what follows needs its `If`
        return
    yield from words
    if "IDENT" in cursor.partial_parse.expected and "NUMBER" in cursor.partial_parse.expected:
        yield from _offer_values(cursor, names, piece)


def _offer_values(cursor: CursorPosition, names: NameOffers, piece: Piece) -> Iterator[Offer]:
    """Yield the names that have a value, where the language allows one."""
    holder = _find_holder(cursor)
    if cursor.begins_statement and holder != "NAME":
        if cursor.scope in ("messages", "top"):
            if cursor.scope == "messages" or piece.is_fence:
                yield from names.offer_fragments(has_keyword=False)
            return
        yield from names.offer_fragments(has_keyword=False)
    if holder == "LSQB":
        yield from names.offer_times()
    previous = cursor.partial_parse.previous
    if previous is not None and (previous.kind == "CASE" or (previous.kind == "COMPARE" and previous.text in _EQUAL)):
        yield from names.offer_compared_values()
    yield from names.offer_local_names()
    yield from names.offer_variables()
    yield from names.offer_functions(is_range="COLON" in holder or "IN" in holder)
    if holder not in ("LSQB", "COLON", "IN"):
        yield from names.offer_templates()


def _find_holder(cursor: CursorPosition) -> str:
    """Find what contains the expression being typed: the kind of an open bracket, or of the sign or word before it."""
    opened: list[str] = []
    for piece in cursor.partial_parse.pieces:
        kind = _kind_of_text(piece)
        if kind in ("LSQB", "LPAR"):
            opened.append(kind)
        elif kind in ("RSQB", "RPAR") and opened:
            opened.pop()
        elif kind in ("LBRACE", "RBRACE"):
            opened.clear()
        elif kind in ("COLON", "IN") and opened:
            opened[-1] = kind
    if opened:
        return opened[-1]
    previous = cursor.partial_parse.previous
    return "NAME" if previous is not None and previous.kind == "ASSIGN" else ""


def _kind_of_text(piece: Parsed) -> str:
    return piece.kind if isinstance(piece, Token) else ""


@dataclass(frozen=True, slots=True)
class _ReplacedWord:
    """The word that an offer replaces, and what follows it."""

    span: Span
    following: str
    """The character after it."""
    kind: str
    """The kind of the existing word, if it continues after the cursor or the line does; empty if neither does."""
    is_before_value: bool
    """Whether a value follows on the line to which nothing may be added: inside brackets, or of a message."""


def _place_offers(offers: Iterator[Offer], cursor: CursorPosition, piece: Piece) -> tuple[Completion, ...]:
    """Return the offers for a place, each once."""
    around = _find_replaced_word(cursor)
    completions: dict[tuple[str, str], Completion] = {}
    span = piece.to_document(around.span)
    is_quoted = bool(piece.source.prefix.strip())
    for offer in offers:
        if not _may_stand(offer, around):
            continue
        offer = _fit_offer(offer, around, is_quoted=is_quoted)
        key = (offer.label, offer.kind)
        if key not in completions or offer.sort < completions[key].sort:
            completions[key] = Completion(
                offer.label,
                offer.kind,
                offer.insert,
                span,
                offer.is_snippet,
                offer.detail,
                offer.documentation,
                offer.sort,
            )
    return tuple(sorted(completions.values(), key=lambda each: (each.sort, each.label)))


def _find_replaced_word(cursor: CursorPosition) -> _ReplacedWord:
    """Find the whole word at the cursor; its part after the cursor is replaced too if there is a part before it."""
    end = cursor.offset
    text = cursor.text
    while cursor.word and end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    line_end = text.find("\n", end)
    rest = text[end : len(text) if line_end < 0 else line_end]
    kind = _kind_of_word(cursor, end, rest) if end > cursor.offset or (cursor.word.strip("@$") and rest.strip()) else ""
    if end == cursor.offset and kind not in _FIXED:
        kind = ""  # the word is still being typed
    begins = rest.lstrip()[:1]
    is_value = bool(begins) and (begins.isalnum() or begins in "_@$\"'([")
    is_before = (is_value and (not cursor.begins_statement or cursor.scope == "line")) or (
        bool(begins) and begins in "&|=<>+*%/-" and not rest.lstrip().startswith(("//", "/*"))
    )
    return _ReplacedWord(
        Span(cursor.start, end), text[end : end + 1], kind, is_before and not rest.startswith(("(", "["))
    )


def _kind_of_word(cursor: CursorPosition, end: int, rest: str) -> str:
    """Return the kind of the existing word around the cursor."""
    text = cursor.before + cursor.text[cursor.start : end] + rest
    at = len(cursor.before) - (cursor.text[cursor.start - 1 : cursor.start] == ".")
    return next((kind for start, _, kind in classify_spans(text) if start == at), "other")


def _may_stand(offer: Offer, around: _ReplacedWord) -> bool:
    """Return whether an offer fits with the text that follows the cursor."""
    if around.kind:  # only another one like it
        return offer.kind in _LIKE.get(around.kind, ()) and (offer.kind != "role" or offer.label.isalpha())
    if around.following == ":" and (around.span.end > around.span.start or offer.kind == "role"):
        return offer.kind == "role" and offer.label.isalpha()
    return not around.is_before_value or offer.is_snippet


def _fit_offer(offer: Offer, around: _ReplacedWord, *, is_quoted: bool) -> Offer:
    """Adapt an offer to what follows: no second bracket, no word that runs into the next one."""
    insert = offer.insert
    if around.following in ("[", "(") and offer.kind in _WITH_BRACKETS:
        return replace(offer, insert=insert.partition("[")[0].partition("(")[0], is_snippet=False)
    if around.following == ":" and offer.kind == "role":
        return replace(offer, insert=offer.label, is_snippet=False)
    if not offer.is_snippet and (around.following.isalnum() or around.following in ("_", "@", "$", '"')):
        insert += " " if around.following else ""
    if is_quoted and "\n" in insert:
        insert = " ".join(insert.split())
    return offer if insert == offer.insert else replace(offer, insert=insert)

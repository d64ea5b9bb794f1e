"""Keywords and roles, where the grammar and the language allow them.

Which words there are is read from the tables of the scanner, and which of them fit from the parse table; only what a
word is followed by is written here.
"""

from collections.abc import Iterator, Mapping

from acdl_mkdocs.frontends.editor.completion import Offer
from acdl_mkdocs.frontends.editor.cursor import CursorPosition, Scope
from acdl_mkdocs.frontends.editor.words_about import KEYWORDS as KEYWORD_HELP
from acdl_mkdocs.frontends.editor.words_about import MARKERS, ROLES
from acdl_mkdocs.language.syntax import keywords
from acdl_mkdocs.language.syntax.nodes import ROLE_WORDS
from acdl_mkdocs.language.syntax.tokens import Token

TERMINALS: Mapping[str, str] = {
    **{word: keywords.STATEMENT_WORDS[word.lower()][0] for word in (*keywords.KEYWORDS, "break", "continue")},
    **{word: keywords.INNER_WORDS[word] for word in keywords.INNER_WORDS},
}
"""Every documented keyword with its terminal."""

_BLOCK = " {\n    $0\n}"
SNIPPETS: Mapping[str, str] = {
    "ForEach": "ForEach(${1:t}: ${2:range(1, @T)})" + _BLOCK,
    "If": "If (${1:condition})" + _BLOCK,
    "ElseIf": "ElseIf (${1:condition})" + _BLOCK,
    "Else": "Else" + _BLOCK,
    "Switch": "Switch ${1:value} {\n    Case ${2:one} {\n        $0\n    }\n}",
    "Case": "Case ${1:value}" + _BLOCK,
    "Default": "Default" + _BLOCK,
    "Mark": "Mark ${1:1}" + _BLOCK,
    "StrFrag": "StrFrag ${1:Name}[${2:@T}]:" + _BLOCK,
    "RolesFrag": "RolesFrag ${1:Name}[${2:@T}]:" + _BLOCK,
    "Name": "Name ${1:name} := $0",
    "PromptEndsHere": "PromptEndsHere when $0",
    **{word: f"{word} $0" for word in keywords.INNER_WORDS},
}
"""The text that follows a word; `break` and `continue` have none."""
_SPEC = "${1:Name}[${2:@T}]: {\n    S: ${3:INSTRUCTIONS}\n    U: $0\n}"

FORBIDDEN: Mapping[Scope, frozenset[str]] = {
    "top": frozenset(("ROLE", "FOREACH", "IF", "SWITCH", "MARK", "NAME", "ENDS_HERE", "ELSE", "ELSEIF")),
    "messages": frozenset(("STRING_FRAGMENT", "ROLES_FRAGMENT")),
    "content": frozenset(("STRING_FRAGMENT", "ROLES_FRAGMENT", "ROLE")),
    "line": frozenset(
        ("STRING_FRAGMENT", "ROLES_FRAGMENT", "ROLE", "FOREACH", "IF", "SWITCH", "MARK", "NAME", "ENDS_HERE")
    ),
    "cases": frozenset(),
}
"""Words that the grammar accepts so that a rule can explain the error; the language forbids them."""
_NO_STATEMENTS = frozenset(("AND", "OR", "NOT", "IN", "EVERY"))
_CONDITIONS = frozenset(("IF", "ELSEIF", "ENDS_WHEN"))


def keyword_offers(cursor: CursorPosition, *, is_fence: bool) -> Iterator[Offer]:
    """Yield the words that fit at a cursor position.

    Parameters:
        cursor: The place.
        is_fence: Whether the text may do without a title.
    """
    expected = cursor.partial_parse.expected
    forbidden = frozenset() if is_fence and cursor.scope == "top" else FORBIDDEN[cursor.scope]
    if cursor.begins_statement and cursor.scope == "top":
        yield Offer("spec", "spec", _SPEC, "0", is_snippet=True, detail="a spec with its first messages")
    if "ROLE" in expected - forbidden and cursor.begins_statement:
        yield from _offer_roles()
    for word, terminal in TERMINALS.items():
        if terminal in expected and terminal not in forbidden and _is_possible(terminal, cursor):
            yield _offer_keyword(word, rank="1" if terminal in ("ELSE", "ELSEIF", "CASE", "DEFAULT") else "6")
    previous = cursor.partial_parse.previous
    if previous is not None and previous.kind == "ENDS_WHEN" and previous.text.lower() == "promptendshere":
        yield Offer("when", "keyword", "when $0", "0", is_snippet=True, documentation=KEYWORD_HELP["when"].sentence)
    if "FOR" in expected and not cursor.begins_statement and "RSQB" in expected:
        yield Offer(
            "for", "keyword", "for ${1:x} in $0", "1", is_snippet=True, documentation=KEYWORD_HELP["for"].sentence
        )


def _is_possible(terminal: str, cursor: CursorPosition) -> bool:
    """Return whether a word that the grammar accepts makes sense at the cursor."""
    if terminal in ("BREAK", "CONTINUE"):
        return cursor.is_in_loop and cursor.begins_statement and cursor.scope != "line"
    if terminal in _NO_STATEMENTS:
        return not cursor.begins_statement or (terminal != "NOT" and _is_in_condition(cursor))
    return cursor.begins_statement or terminal in ("CASE", "DEFAULT")


def _is_in_condition(cursor: CursorPosition) -> bool:
    words = [piece.kind for piece in cursor.partial_parse.pieces if isinstance(piece, Token)]
    last = next((at for at in range(len(words) - 1, -1, -1) if words[at] in ("LBRACE", "RBRACE")), -1)
    return any(kind in _CONDITIONS for kind in words[last + 1 :])


def _offer_roles() -> Iterator[Offer]:
    for number, (role, marker) in enumerate(MARKERS.items()):
        detail = f"{ROLE_WORDS[role]} message" if role != "none" else "the one text of a completion"
        yield Offer(marker, "role", f"{marker}: $0", f"0{number}", True, detail, ROLES[role])
    for number, (role, marker) in enumerate(MARKERS.items()):
        snippet = f"{marker}: {{\n    $0\n}}"
        yield Offer(f"{marker}: {{…}}", "role", snippet, f"5{number}", True, f"{ROLE_WORDS[role]} message in braces")


def _offer_keyword(word: str, rank: str) -> Offer:
    snippet = SNIPPETS.get(word)
    about = KEYWORD_HELP[word]
    return Offer(
        word,
        "keyword",
        snippet or word,
        f"{rank}{word.lower()}",
        is_snippet=snippet is not None,
        detail=about.example,
        documentation=about.sentence,
    )

"""Text to tokens: how the words of the grammar are spelled, in every way that people spell them.

Every character ends up in a token, a comment or white space, so this never fails: what has no meaning becomes an
`OTHER` token, which no production accepts. Knows nothing of productions.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from acdl_mkdocs.source import Span


class Token:
    """One word of the text. Not a dataclass: there are very many of them."""

    __slots__ = ("end", "is_first", "kind", "start", "text")

    def __init__(self, kind: str, text: str, start: int, end: int, is_first: bool) -> None:
        self.kind = kind
        """A terminal of `grammar.lark`, or `OTHER`."""
        self.text = text
        self.start = start
        self.end = end
        self.is_first = is_first
        """Whether nothing but white space and comments stands before it on its line."""

    def __repr__(self) -> str:
        return f"Token({self.kind}, {self.text!r}, {self.start})"

    @property
    def span(self) -> Span:
        """The place of the token."""
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Trivia:
    """A comment before anyone knows what it belongs to."""

    span: Span
    text: str
    """Without the comment sign and the spaces around."""
    follows: Token | None
    """The token before it, on whatever line."""
    is_beside: bool
    """Whether that token stands on the same line."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text cut into words."""

    tokens: list[Token]
    comments: list[Trivia]


# The order matters: the first alternative that matches wins.
_SCAN = re.compile(
    r"""
      (?P<SPACE>      (?:[^\S\n]|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff])+ )
    | (?P<NEWLINE>    \n )
    | (?P<IDENT>      [^\W\d]\w*(?:[\u200b-\u200d\u2060\ufeff]+\w+)* )
    | (?P<FIELDS>     \.[ \t\u200b-\u200d]*(?:[@$]{0,2}\w+|\*)(?:[ \t]*\.[ \t\u200b-\u200d]*(?:[@$]{0,2}\w+|\*))* )
    | (?P<TIME>       @(?:\$?\w+)? )
    | (?P<LSQB>       \[ )
    | (?P<RSQB>       \] )
    | (?P<LPAR>       \( )
    | (?P<RPAR>       \) )
    | (?P<LBRACE>     \{ )
    | (?P<RBRACE>     \} )
    | (?P<COMMENT>    //[^\n]* | \#(?!msg\b)[^\n]* | /\*(?s:.*?)\*/ )
    | (?P<ASSIGN>     := )
    | (?P<COLON>      : )
    | (?P<COMMA>      , )
    | (?P<STRING>     ["“”„](?:[^"“”\\\n]|\\.)*["“”] | ['‘’‚](?:[^'‘’\\\n]|\\.)*['‘’] )
    | (?P<NUMBER>     \d+(?:\.\d+)? )
    | (?P<REFERENCE>  \$[^\W\d]\w* )
    | (?P<COMPARE>    == | != | <= | >= | <> | [=<>≤≥≠] )
    | (?P<OR>         \|\|? )
    | (?P<AND>        &&? )
    | (?P<NOT>        ! )
    | (?P<ELLIPSIS>   \.\.\.? | … )
    | (?P<PLUS>       \+ )
    | (?P<MINUS>      [-–−] )
    | (?P<TIMES>      [*/%×÷] )
    | (?P<IN>         ∈ )
    | (?P<SEPARATOR>  ; )
    | (?P<MESSAGE_NUMBER> \#msg )
    | (?P<OTHER>      . )
    """,
    re.VERBOSE,
)

ROLES = {
    "s": "system",
    "u": "user",
    "a": "assistant",
    "t": "tool",
    "n": "none",
    "system": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "none": "none",
}
"""Every spelling of a role marker, in lower case."""

NOT_ACDL = {"struct", "event", "pipeline", "flow", "fact"}
"""Keywords, in lower case, of blocks that other notations mix with ACDL: they are skipped, balanced, with a warning."""

# Words that begin a statement, in lower case: the kind, and what must follow for the word to be a keyword there.
_TITLE = r"\s+[^\W\d]\w*\s*(?::?\s*\{|\[|\()"
_STATEMENT_WORDS: dict[str, tuple[str, re.Pattern[str] | None]] = {
    "foreach": ("FOREACH", None),
    "for": ("FOREACH", re.compile(r"\s+@?\w+\s+in\b|\s+@?\w+\s*:|\s*\(|\s+each\b")),
    "if": ("IF", None),
    "else": ("ELSE", None),
    "elseif": ("ELSEIF", None),
    "elif": ("ELSEIF", None),
    "elsif": ("ELSEIF", None),
    "switch": ("SWITCH", re.compile(r"\s*(?!\()[^\s=}]|\s*\(")),
    "case": ("CASE", re.compile(r"\s*[^\s=.}]")),
    "default": ("DEFAULT", re.compile(r"\s*:?\s*\{")),
    "mark": ("MARK", re.compile(r"""\s*(?:\d+|["'“‘][^\n]*?["'”’]|\w+)?\s*:?\s*\{""")),
    "name": ("NAME", re.compile(r"\s+[@$]?[^\W\d]\w*\s*(?:[\[,]|:=|=(?!=))|\s*:=")),
    "promptendshere": ("ENDS_HERE", None),
    "end": ("ENDS_HERE", re.compile(r"\s+when\b", re.IGNORECASE)),
    "break": ("BREAK", re.compile(r"(?!\s*[.(\[])")),
    "continue": ("CONTINUE", re.compile(r"(?!\s*[.(\[])")),
    "prompt": ("PROMPT", re.compile(_TITLE)),
    "strfrag": ("STRING_FRAGMENT", re.compile(r"\s+\w|\s*[\[({]|\s*:")),
    "stringfrag": ("STRING_FRAGMENT", re.compile(_TITLE)),
    "rolesfrag": ("ROLES_FRAGMENT", re.compile(r"\s+\w|\s*[\[({]|\s*:")),
    "rolefrag": ("ROLES_FRAGMENT", re.compile(r"\s+\w|\s*[\[({]|\s*:")),
}
_DOCUMENTED_WORDS = {
    *("ForEach", "If", "ElseIf", "Else", "Switch", "Case", "Default", "Mark", "Name", "PromptEndsHere"),
    *("StrFrag", "RolesFrag", "RoleFrag"),
}
# A documented word is a keyword also where only what must follow is missing: `Name docs`, `Mark 1`, `Default`.
_INCOMPLETE = {
    "Name": re.compile(r"[ \t]+[@$]?[^\W\d]\w*"),
    "Mark": re.compile(r"[ \t]+\d"),
    "Default": re.compile(r"[ \t]*(?://|\r?\n|\Z)"),
}
_ROLE_WITHOUT_COLON = re.compile(r"""[ \t]+[^\W\d]\w{2}|[ \t]+[$"“]""")
_INNER_WORDS = {"and": "AND", "or": "OR", "not": "NOT", "in": "IN", "every": "EVERY"}

_COLON = re.compile(r"\s*:(?!=)")
_BRACE = re.compile(r"[ \t]*\{")
_ROLE_AFTER_WORD = re.compile(r"[ \t]+(system|user|assistant|tool|none|[suatn])[ \t]*:(?!=)", re.IGNORECASE)
_ELSE_IF = re.compile(r"[ \t]+if\b", re.IGNORECASE)
_FOR_EACH = re.compile(r"[ \t]+each\b", re.IGNORECASE)
_WHEN = re.compile(r"\s*when\b", re.IGNORECASE)
_CONDITION_ON_LINE = re.compile(r"[^\S\n]*[^\s};/#]")
_FRAGMENT_NAME = re.compile(r"\s+[^\W\d]")
_MARKED_TEMPLATE = re.compile(r"[^\W\d_][\w]*\b")
_DECLARED = re.compile(r"\s+\w+\s*(?::?=)?\s*\{")
_FOREIGN = re.compile(r"\s+[^\s{}:=.(]+[^\n{}]*\{")

# After these an operand must follow, so a word is never a keyword that begins a statement.
_EXPECTS_OPERAND = {
    *("COMPARE", "OR", "AND", "NOT", "PLUS", "MINUS", "TIMES", "ELLIPSIS", "ASSIGN", "LPAR", "LSQB", "MARKER"),
    *("IF", "ELSEIF", "SWITCH", "CASE", "FOREACH", "NAME", "PROMPT", "STRING_FRAGMENT", "ROLES_FRAGMENT"),
    *("ENDS_WHEN", "FRAG", "EVERY", "IN", "FOR"),
}
_BEGINS_ELEMENT = frozenset(("", "LBRACE", "RBRACE", "COLON", "SEPARATOR", "COMMA"))
INVISIBLE = dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
_SILENT = frozenset(("SPACE", "NEWLINE", "COMMENT"))


def tokenize(text: str) -> Tokens:
    """Cut a text into tokens and comments; never raises."""
    scan = _Scan(text)
    for match in _SCAN.finditer(text):
        kind = match.lastgroup or "OTHER"
        if kind in _SILENT:
            if kind == "NEWLINE":
                scan.is_first = True
            elif kind == "COMMENT":
                scan.comment(match.start(), match.group())
        elif match.start() >= scan.at:
            scan.token(kind, match.group(), match.start())
    tokens = scan.tokens
    tokens.append(Token("$END", "", len(text), len(text), True))
    return _fold_foreign(text, Tokens(tokens, scan.comments)) if scan.has_foreign else Tokens(tokens, scan.comments)


class _Scan:
    """What the scanner has to remember from one word to the next."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.comments: list[Trivia] = []
        self.is_first = True
        self.previous = ""  # kind of the token before
        self.depth = 0  # of open ( and [
        self.names = False  # between `Name` and its `:=`
        self.at = 0  # where an earlier word that took in several ended
        self.has_foreign = False

    def comment(self, start: int, text: str) -> None:
        if start < self.at:
            return
        follows = self.tokens[-1] if self.tokens else None
        content = text[2:-2] if text.startswith("/*") else text.lstrip("/") if text[0] == "/" else text[1:]
        self.comments.append(Trivia(Span(start, start + len(text)), content.strip(), follows, not self.is_first))

    def token(self, kind: str, text: str, start: int) -> None:
        end = start + len(text)
        if kind == "IDENT":
            kind, end = self.word(text, end)
            text = self.text[start:end] if end - start != len(text) else text
            text = text if text.isascii() else text.translate(INVISIBLE)
        elif kind in _RETYPED:
            kind, end = self.sign(kind, text, end)
            text = self.text[start:end]
        self.tokens.append(Token(kind, text, start, end, self.is_first))
        self.previous = kind
        self.is_first = False

    def sign(self, kind: str, text: str, end: int) -> tuple[str, int]:
        """The kind of a sign that depends on its surroundings."""
        if kind in ("LPAR", "LSQB"):
            self.depth += 1
        elif kind in ("RPAR", "RSQB"):
            self.depth = max(self.depth - 1, 0)
        elif kind in ("LBRACE", "RBRACE"):
            self.depth, self.names = 0, False
        elif kind == "ASSIGN":
            self.names = False
        elif kind == "COMPARE" and text == "=" and self.names:
            self.names = False
            return "ASSIGN", end
        elif kind in ("PLUS", "TIMES") and self.begins_element() and self.marks_template(end):
            return "MARKER", end
        return kind, end

    def begins_element(self) -> bool:
        return self.depth == 0 and (self.is_first or self.previous in _BEGINS_ELEMENT)

    def marks_template(self, end: int) -> bool:
        word = _MARKED_TEMPLATE.match(self.text, end)
        return word is not None and is_all_caps(word.group())

    def word(self, text: str, end: int) -> tuple[str, int]:
        """The kind of a word, and where it ends when it takes in the next one (`else if`, `Role user`)."""
        lower = text.lower()
        if lower in _INNER_WORDS or lower in ("for", "if", "frag"):
            kind = self.inner_word(lower, text, end)
            if kind:
                return kind, end
        if self.depth or self.previous in _EXPECTS_OPERAND:
            if not (self.is_first and self.begins_statement(text, lower, end)):
                return "IDENT", end
            self.depth = 0  # what was left open on the lines before is a mistake of theirs
        if lower in ROLES and self.marks_role(text, end):
            return "ROLE", end
        if lower in _STATEMENT_WORDS:
            return self.statement_word(text, lower, end)
        if lower == "role":
            match = _ROLE_AFTER_WORD.match(self.text, end)
            if match:
                self.at = match.end(1)
                return "ROLE", match.end(1)
        if lower in NOT_ACDL or lower == "namespace":
            pattern = _DECLARED if lower == "namespace" else _FOREIGN
            self.has_foreign = self.has_foreign or pattern.match(self.text, end) is not None
            return ("DECLARATION" if lower == "namespace" else "SKIPPED") if pattern.match(
                self.text, end
            ) else "IDENT", end
        return "IDENT", end

    def marks_role(self, text: str, end: int) -> bool:
        if _COLON.match(self.text, end):
            return True
        if text not in "SUATN":
            return False
        return bool(_BRACE.match(self.text, end) or (self.is_first and _ROLE_WITHOUT_COLON.match(self.text, end)))

    def begins_statement(self, text: str, lower: str, end: int) -> bool:
        """Whether a word that begins a line, in a place for an operand, can only be the next statement."""
        if lower in ROLES:
            return text[0].isupper() and _COLON.match(self.text, end) is not None
        return text in _DOCUMENTED_WORDS

    def inner_word(self, lower: str, text: str, end: int) -> str:
        """The kind of a word that is a keyword inside expressions, empty if it is a plain word here."""
        after_operand = self.previous not in _EXPECTS_OPERAND and self.previous not in _BEGINS_ELEMENT
        if lower == "not":
            return "NOT" if text == lower or not after_operand else ""
        if lower == "frag":
            return "FRAG" if text == "Frag" or _FRAGMENT_NAME.match(self.text, end) else ""
        if lower in ("for", "if"):
            return lower.upper() if self.depth and after_operand else ""
        if not after_operand or (text != lower and lower not in ("and", "or")):
            return ""
        return _INNER_WORDS[lower]

    def statement_word(self, text: str, lower: str, end: int) -> tuple[str, int]:
        kind, follows = _STATEMENT_WORDS[lower]
        if follows and not follows.match(self.text, end):
            incomplete = _INCOMPLETE.get(text) if self.is_first else None
            return (kind if incomplete and incomplete.match(self.text, end) else "IDENT"), end
        if kind == "ELSE":
            match = _ELSE_IF.match(self.text, end)
            if match:
                self.at = match.end()
                return "ELSEIF", match.end()
        if lower == "for":
            match = _FOR_EACH.match(self.text, end)
            if match:
                self.at = match.end()
                return "FOREACH", match.end()
        if kind == "ENDS_HERE":
            return self.ends_here(end)
        self.names = kind == "NAME"
        return kind, end

    def ends_here(self, end: int) -> tuple[str, int]:
        match = _WHEN.match(self.text, end)
        if match:
            self.at = match.end()
            return "ENDS_WHEN", match.end()
        return ("ENDS_WHEN" if _CONDITION_ON_LINE.match(self.text, end) else "ENDS_HERE"), end


_RETYPED = frozenset(("LPAR", "RPAR", "LSQB", "RSQB", "LBRACE", "RBRACE", "ASSIGN", "COMPARE", "PLUS", "TIMES"))


def is_all_caps(word: str) -> bool:
    """Whether a word is spelled like a template: at least two characters, letters, none of them lower case."""
    return len(word) > 1 and word.isupper()


def _fold_foreign(text: str, cut: Tokens) -> Tokens:
    """Make one token of every declaration and of every block that is not ACDL, and mark those that never end."""
    tokens: list[Token] = []
    folded: list[Span] = []
    at = 0
    while at < len(cut.tokens):
        token = cut.tokens[at]
        at += 1
        if token.kind not in ("DECLARATION", "SKIPPED"):
            tokens.append(token)
            continue
        at, is_closed = _end_of_foreign(text, cut.tokens, at)
        end = cut.tokens[at - 1].end
        tokens.append(Token(token.kind, text[token.start : end], token.start, end, token.is_first))
        if not is_closed:
            tokens.append(Token("MISSING", "", end, end, False))
        folded.append(Span(token.start, end))
    return Tokens(tokens, list(_outside(cut.comments, folded)))


def _end_of_foreign(text: str, tokens: list[Token], at: int) -> tuple[int, bool]:
    """Index of the first token after the braces that begin behind `at`, and whether they are closed.

    Where they are not, the block ends before the next line that is not indented.
    """
    first = at
    depth = 0
    while tokens[at].kind != "$END":
        depth += (tokens[at].kind == "LBRACE") - (tokens[at].kind == "RBRACE")
        at += 1
        if depth <= 0 and tokens[at - 1].kind == "RBRACE":
            return at, True
    for index in range(first, at):
        is_new_line = tokens[index].is_first and (tokens[index].start == 0 or text[tokens[index].start - 1] == "\n")
        if is_new_line and tokens[index].kind != "RBRACE":
            return index, False
    return at, False


def _outside(comments: list[Trivia], folded: list[Span]) -> Iterator[Trivia]:
    """The comments that stand in none of the spans; both in source order."""
    at = 0
    for comment in comments:
        while at < len(folded) and folded[at].end <= comment.span.start:
            at += 1
        if at == len(folded) or comment.span.start < folded[at].start:
            yield comment

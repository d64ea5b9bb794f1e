"""`tokenize()`: text to tokens, in every way that people spell the words of the grammar.

Every character ends up in a token, a comment or white space, so this never fails: a character without meaning becomes
an `OTHER` token, which no production accepts. Knows nothing about productions.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax import keywords
from acdl_mkdocs.language.syntax.host_text import HOST_PATTERNS, is_never_content, may_hold_host_text
from acdl_mkdocs.language.syntax.letters import end_of_word, is_mark, normalize_name
from acdl_mkdocs.language.syntax.tokens import (
    EXPECTS_OPERAND,
    ROLES,
    Token,
    Tokens,
    Trivia,
    ends_in_target,
    is_all_caps,
)

_FOREIGN = frozenset(("DECLARATION", "SKIPPED"))


def fold_foreign(text: str, cut: Tokens) -> Tokens:
    """Replace every declaration and every non-ACDL block by one token, and mark those that never end."""
    tokens: list[Token] = []
    folded: list[Span] = []
    ends = _ends_of_foreign(cut.tokens)
    at = 0
    while at < len(cut.tokens):
        token = cut.tokens[at]
        at += 1
        if token.kind not in _FOREIGN:
            tokens.append(token)
            continue
        last = ends.get(at - 1)
        at = last + 1 if last is not None else _end_of_indented(text, cut.tokens, at)
        end = cut.tokens[at - 1].end
        tokens.append(Token(token.kind, text[token.start : end], token.start, end, token.is_first))
        if last is None:
            tokens.append(Token("MISSING", "", end, end, False))
        folded.append(Span(token.start, end))
    return Tokens(tokens, list(_comments_outside(cut.comments, folded)))


def _ends_of_foreign(tokens: list[Token]) -> dict[int, int]:
    """Map the index of every foreign word to the index of the brace that closes its block."""
    ends: dict[int, int] = {}
    closing: list[int] = []  # braces to the right that are not yet matched, the nearest last
    nearest: int | None = None  # where the next brace to the right is closed; one that closes, closes itself
    for at in range(len(tokens) - 1, -1, -1):
        kind = tokens[at].kind
        if kind == "RBRACE":
            closing.append(at)
            nearest = at
        elif kind == "LBRACE":
            nearest = closing.pop() if closing else None
        elif kind in _FOREIGN and nearest is not None:
            ends[at] = nearest
    return ends


def _end_of_indented(text: str, tokens: list[Token], at: int) -> int:
    """Return the index of the first token on the next line that is not indented, which ends a block without `}`."""
    while tokens[at].kind != "$END":
        is_new_line = tokens[at].is_first and (tokens[at].start == 0 or text[tokens[at].start - 1] == "\n")
        if is_new_line and tokens[at].kind != "RBRACE":
            return at
        at += 1
    return at


def _comments_outside(comments: list[Trivia], folded: list[Span]) -> Iterator[Trivia]:
    """Yield the comments outside of the spans; both are in source order."""
    at = 0
    for comment in comments:
        while at < len(folded) and folded[at].end <= comment.span.start:
            at += 1
        if at == len(folded) or comment.span.start < folded[at].start:
            yield comment


# The order matters: the first alternative that matches wins.
_WORDS = r"""
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
    | (?P<COMMENT>    //[^\n]* | \#(?!msg\b|(?<=[Mm]ark[ ]\#)\d+[ ]*:?[ ]*\{)[^\n]* )
    | (?P<OPENING>    /\* | <!-- | ["“”„'‘’‚] )
    | (?P<ASSIGN>     := )
    | (?P<COLON>      : )
    | (?P<COMMA>      , )
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
    | (?P<RARE>       [^\x00-\u02ff] )
    | (?P<OTHER>      . )
    """
_SCAN = re.compile(_WORDS, re.VERBOSE)
_SCAN_HOSTED = compile_later(f"{HOST_PATTERNS} | {_WORDS}", re.VERBOSE | re.MULTILINE)

_BEGINS_ELEMENT = frozenset(("", "LBRACE", "RBRACE", "COLON", "SEPARATOR", "COMMA"))
_SILENT = frozenset(("SPACE", "NEWLINE", "COMMENT", "RARE", "HOST_LINE", "HOST_VALUE"))
_NAMED = frozenset(("FIELDS", "TIME", "REFERENCE"))
_SPACE = re.compile(r"\s*+")
_RETYPED = frozenset("LPAR RPAR LSQB RSQB LBRACE RBRACE ASSIGN COMPARE PLUS MINUS TIMES OTHER".split())  # noqa: SIM905


@lru_cache(maxsize=1)
def tokenize(text: str) -> Tokens:
    """Cut a text into tokens and comments; never raises. The last result is cached, because a rule needs it too."""
    scan = _Scanner(text)
    at = 0
    while at < len(text):
        at = _cut_rest(scan, at)
    tokens = scan.tokens
    tokens.append(Token("$END", "", len(text), len(text), True))
    return fold_foreign(text, Tokens(tokens, scan.comments)) if scan.has_foreign else Tokens(tokens, scan.comments)


def _cut_rest(scan: "_Scanner", at: int) -> int:
    """Scan what no pattern can end, such as a string or a comment of several lines; return the offset after it."""
    for match in scan.pattern.finditer(scan.text, at):
        kind = match.lastgroup or "OTHER"
        if kind in _SILENT:
            if kind == "NEWLINE":
                scan.is_first = True
            elif kind == "COMMENT":
                scan.add_comment(match.start(), match.group())
            elif kind == "RARE" and match.start() >= scan.at:
                return scan.take_rare(match.start())
            elif kind in ("HOST_LINE", "HOST_VALUE"):
                scan.host_text(match.group(), match.end(), has_line=kind == "HOST_LINE")
        elif kind == "OPENING" and match.start() >= scan.at:
            return scan.take_opening(match.start())
        elif match.start() >= scan.at:
            scan.add_token(kind, match.group(), match.start())
    return len(scan.text)


class _Scanner:
    """The state of the scanner between two words."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.has_comments = "/*" in text
        self.pattern = _SCAN_HOSTED if may_hold_host_text(text) else _SCAN
        self.tokens: list[Token] = []
        self.comments: list[Trivia] = []
        self.is_first = True
        self.previous = ""  # kind of the token before
        self.depth = 0  # of open ( and [
        self.names = self.in_bullets = False  # between `Name` and its `:=`; in a line that begins with a mark
        self.at = 0  # where an earlier word that took in several ended
        self.has_foreign = False
        self.is_open_after: dict[str, int] = {}  # sort of opening -> offset up to which none is closed

    def take_opening(self, start: int) -> int:
        """Scan a string or comment, or only its opening sign if it is never closed; return the offset after it."""
        sign = self.text[start]
        end = self.end_of(sign, start)
        if sign in "/<" and end >= 0:
            self.add_comment(start, self.text[start:end])
        elif sign == "/":
            self.add_token("TIMES", sign, start)
        elif end < 0:
            self.add_token("OTHER", sign, start)
        else:
            self.add_token("STRING", self.text[start:end], start)
        return end if end >= 0 else start + 1

    def end_of(self, sign: str, start: int) -> int:
        """Return where the text that begins with that sign ends, -1 if it does not end.

        What is not closed once is not closed for any later sign of its sort, in this line or for a comment in this
        text: it is not looked for again.
        """
        sort = sign if sign in "/<" else '"' if sign in keywords.DOUBLE_QUOTES else "'"
        if start < self.is_open_after.get(sort, 0):
            return -1
        if sort in keywords.COMMENT_ENDS:
            sign = keywords.COMMENT_ENDS[sort]
            end = self.text.find(sign, start + 2 * len(sign) - 2) + len(sign)
            limit = len(self.text)
        else:
            inside = keywords.INSIDE_QUOTES[sort].match(self.text, start + 1)
            limit = inside.end() if inside else start + 1
            end = limit + 1 if self.text[limit : limit + 1] in keywords.CLOSING_QUOTES[sort] else 0
        if end > len(keywords.COMMENT_ENDS.get(sort, "")):
            return end
        self.is_open_after[sort] = limit
        return -1

    def end_of_comments(self, end: int) -> int:
        """Return the end of the `/* ... */` that follow a word: what makes it a keyword may be after them."""
        while self.has_comments:
            space = _SPACE.match(self.text, end)
            start = space.end() if space else end
            stop = self.end_of("/", start) if self.text.startswith("/*", start) else -1
            if stop < 0:
                break
            end = stop
        return end

    def add_comment(self, start: int, text: str) -> None:
        if start < self.at:
            return
        follows = self.tokens[-1] if self.tokens else None
        words = keywords.comment_text(text)
        self.comments.append(Trivia(Span(start, start + len(text)), words, follows, not self.is_first))

    def host_text(self, matched: str, end: int, *, has_line: bool) -> None:
        """Set host text aside like a comment, unless it is content that the statement needs."""
        text = matched.lstrip()
        start = end - len(text)
        if start < self.at:
            return
        is_wanted = self.depth or self.previous == "COLON" or self.previous in EXPECTS_OPERAND
        if is_never_content(text) or (has_line and not is_wanted):
            before = self.tokens[-1] if self.tokens else None
            self.comments.append(Trivia(Span(start, end), text, before, is_beside=False, is_host_text=True))
            return
        self.tokens.append(Token("HOST_VALUE", text, start, end, self.is_first))
        self.previous, self.is_first = "HOST_VALUE", False

    def add_token(self, kind: str, text: str, start: int) -> None:
        if kind == "MINUS" and self.is_first and self.depth == 0:
            line = keywords.DASHED_LINE.match(self.text, start)
            if line:
                self.add_comment(start, line.group())
                self.at = line.end()
                return
        end = start + len(text)
        if kind == "IDENT":
            kind, end = self.word_kind(text, end)
            text = self.text[start:end] if end - start != len(text) else text
            text = text if text.isascii() else normalize_name(text)
        elif kind in _RETYPED or (self.names and kind == "COLON"):
            kind, end = self.sign_kind(kind, text, end)
            text = self.text[start:end]
        self.tokens.append(Token(kind, text, start, end, self.is_first))
        self.previous = kind
        if self.is_first:
            self.is_first, self.in_bullets = False, kind == "MARKER"
        elif kind == "MARKER":
            self.in_bullets = True

    def begins_item(self, kind: str, end: int) -> bool:
        """Return whether a sign marks a list item; a sign that figures draw before a template may be alone."""
        is_apart = kind == "MINUS" or kind == "OTHER" or self.text[end : end + 1] in (" ", "\t")
        is_next = self.is_first and self.in_bullets
        return is_apart and keywords.begins_item(self.tokens, self.text, end, is_next=is_next)

    def take_rare(self, start: int) -> int:
        """Scan a sign, or a combining mark and the rest of its word, which belong to the letter before them."""
        is_inside = is_mark(self.text[start])
        end = end_of_word(self.text, start) if is_inside else start + 1
        before = self.tokens[-1] if self.tokens else None
        if not is_inside or before is None or before.end != start or not _ends_in_word(before):
            self.add_token("OTHER", self.text[start:end], start)
            return end
        before.end = end
        before.text = self.text[before.start : end]
        if before.kind not in _NAMED:
            before.kind = self.previous = "IDENT"  # a keyword with a combining mark is a plain word
            before.text = normalize_name(before.text)
        return end

    def sign_kind(self, kind: str, text: str, end: int) -> tuple[str, int]:
        """Return the kind of a sign that depends on its surroundings."""
        if kind in ("LPAR", "LSQB"):
            self.depth += 1
        elif kind in ("RPAR", "RSQB"):
            self.depth = max(self.depth - 1, 0)
        elif kind in ("LBRACE", "RBRACE"):
            self.depth, self.names = 0, False
        elif kind == "ASSIGN" or (self.names and text in ("=", ":")) or (text == "=" and self.is_assignment(end)):
            self.names = False
            return "ASSIGN", end
        elif text in keywords.BULLETS and not self.depth:
            is_mark = kind in ("PLUS", "TIMES") and self.begins_element() and self.marks_template(end)
            return ("MARKER" if is_mark or self.begins_item(kind, end) else kind), end
        return kind, end

    def is_assignment(self, end: int) -> bool:
        """Return whether `=` assigns a value to a name, `docs = find(x)`, and is not in the head of a block."""
        return not self.depth and ends_in_target(self.tokens) and not keywords.HEAD_OF_BLOCK.match(self.text, end)

    def begins_element(self) -> bool:
        return self.depth == 0 and (self.is_first or self.previous in _BEGINS_ELEMENT)

    def marks_template(self, end: int) -> bool:
        return (word := keywords.MARKED_TEMPLATE.match(self.text, end)) is not None and is_all_caps(word.group())

    def word_kind(self, text: str, end: int) -> tuple[str, int]:
        """Return the kind of a word and its end, which may include the next word (`else if`, `Role user`)."""
        lower = text.lower()
        if lower in keywords.INNER_WORDS or lower in ("for", "if", "frag", "fragment"):
            kind = self.inner_word(lower, text, end)
            if kind:
                return kind, end
        if self.depth or self.previous in EXPECTS_OPERAND:
            if not (self.is_first and self.begins_statement(text, lower, end)):
                return "IDENT", end
            self.depth = 0  # brackets left open on earlier lines are mistakes of those lines
        if lower in ROLES and self.marks_role(text, end):
            return "ROLE", end
        if lower in keywords.STATEMENT_WORDS:
            return self.statement_word(text, lower, end)
        return self.rare_word(lower, end)

    def rare_word(self, lower: str, end: int) -> tuple[str, int]:
        """Return the kind of a word that is not one of the common keywords."""
        if lower == "role":
            match = keywords.ROLE_AFTER_WORD.match(self.text, end)
            if match:
                self.at = match.end(1)
                return "ROLE", match.end(1)
        if lower in keywords.NOT_ACDL and keywords.FOREIGN.match(self.text, end):
            self.has_foreign = True
            return "SKIPPED", end
        if lower.endswith(("frag", "fragment")):
            return (keywords.fragment_kind(self.text, lower, end) if self.begins_element() else "IDENT"), end
        if lower == "namespace" and keywords.DECLARED.match(self.text, end):
            self.has_foreign = True
            return "DECLARATION", end
        return "IDENT", end

    def marks_role(self, text: str, end: int) -> bool:
        end = self.end_of_comments(end)
        if keywords.COLON.match(self.text, end):
            return True
        if text not in "SUATN":
            return False
        is_alone = self.is_first and keywords.ROLE_WITHOUT_COLON.match(self.text, end)
        return bool(is_alone or keywords.BRACE.match(self.text, end))

    def begins_statement(self, text: str, lower: str, end: int) -> bool:
        """Return whether a word that begins a line, where an operand is expected, can only be the next statement."""
        if lower in ROLES:
            return text[0].isupper() and keywords.COLON.match(self.text, self.end_of_comments(end)) is not None
        return text in keywords.DOCUMENTED_WORDS

    def inner_word(self, lower: str, text: str, end: int) -> str:
        """Return the kind of a word that is a keyword inside expressions; empty if it is a plain word here."""
        after_operand = self.previous not in EXPECTS_OPERAND and self.previous not in _BEGINS_ELEMENT
        if lower == "not":
            return "NOT" if text == lower or not after_operand else ""
        if lower in ("frag", "fragment"):
            return "FRAG" if keywords.uses_fragment(text, self.text, self.end_of_comments(end)) else ""
        if lower in ("for", "if"):
            return lower.upper() if self.depth and after_operand else ""
        if not after_operand or (text != lower and lower not in ("and", "or")):
            return ""
        return keywords.INNER_WORDS[lower]

    def statement_word(self, text: str, lower: str, end: int) -> tuple[str, int]:
        kind, follows = keywords.STATEMENT_WORDS[lower]
        after = self.end_of_comments(end)
        if follows and not follows.match(self.text, after):
            incomplete = keywords.INCOMPLETE.get(text) if self.is_first else None
            return (kind if incomplete and incomplete.match(self.text, after) else "IDENT"), end
        if kind in ("BREAK", "CONTINUE") and is_all_caps(text):
            return "IDENT", end  # a template: the documented words are in lower case
        if kind == "ELSE":
            match = keywords.ELSE_IF.match(self.text, end)
            if match:
                self.at = match.end()
                return "ELSEIF", match.end()
        if kind == "CASE":
            match = keywords.DEFAULT_CASE.match(self.text, end)
            if match and keywords.BLOCK.match(self.text, self.end_of_comments(match.end())):
                self.at = match.end()
                return "DEFAULT", match.end()
        if lower == "for":
            match = keywords.FOR_EACH.match(self.text, end)
            if match:
                self.at = match.end()
                return "FOREACH", match.end()
        if kind == "ENDS_HERE":
            return self.ends_here(end)
        self.names = kind == "NAME"
        return kind, end

    def ends_here(self, end: int) -> tuple[str, int]:
        match = keywords.WHEN.match(self.text, end)
        if match:
            self.at = match.end()
            return "ENDS_WHEN", match.end()
        return ("ENDS_WHEN" if keywords.CONDITION_ON_LINE.match(self.text, end) else "ENDS_HERE"), end


def _ends_in_word(token: Token) -> bool:
    return token.kind == "IDENT" or token.text.isalpha() or (token.kind in _NAMED and token.text[-1] not in "@*")

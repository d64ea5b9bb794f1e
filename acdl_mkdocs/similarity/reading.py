"""What a text consists of for guards: words in one form, numbers, units, names of code, signs, and where clauses end.

`reading(text)` gives the tokens, made once for each text. Knows nothing about pairs of texts.
"""

import re
from functools import cached_property, lru_cache
from itertools import pairwise

from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.similarity import numbers
from acdl_mkdocs.similarity.lexicon import (
    FUNCTION,
    MAX_PHRASE,
    PHRASE_STARTS,
    canonical,
)
from acdl_mkdocs.similarity.rewording import reworded
from acdl_mkdocs.similarity.signs import fold
from acdl_mkdocs.similarity.token import BREAK, CODE, CONTENT, NUMBER, RELATION, SIGN, SILENT, UNIT, WORD, Token
from acdl_mkdocs.similarity.vocabulary import CONTRACTIONS

_CODE = r"""
    (?P<example>\b(?:e\.\s?g|i\.\s?e|etc)\b\.?)
  | (?P<ticks>```.*?```|``.*?``|`[^`]*`)
  | (?P<url>(?:[a-z][a-z0-9+.]*://|www\.)[^\s<>"']+)
  | (?P<mail>(?<![\w.])[\w.+-]{1,64}@[\w-]+\.[\w.-]*\w)
  | (?P<quoted>"[^"\n]{1,60}"|(?<![^\W_])'[^'\n]{1,60}'(?![^\W_]))
  | (?P<path>(?<![\w.])(?:~|\.{1,2})?(?:/[\w.*@{}$-]+)+/?|\b[A-Za-z]:\\[\w\\.-]+
        |(?<![\w/])\w[\w.-]{0,60}(?:/[\w*.-]{1,60})*/[\w*-]{1,60}\.[A-Za-z]\w{0,8}\b
        |(?<![\w/])[A-Za-z_]\w{0,60}(?:/[A-Za-z_*][\w*.-]{0,60}){2,}/?)
  | (?P<flag>(?<![\w-])--?[A-Za-z][\w-]*(?:=[\w./-]+)?)
  | (?P<index>\[[^\[\]\n]{0,40}\])
  | (?P<regex>\\[A-Za-z.*+?^$()\[\]{}|\\]+|\^[^\s^$]{1,40}\$)
  | (?P<brackets>(?<!\S)(?:\(\)|\[\]|\{\}|<>)(?=[\s.,;]|$))
  | (?P<variable>[$%@\#][A-Za-z_{][\w{}-]*)
"""
_OTHER = r"""
  | (?P<number>NUMBER)
  | (?P<name>[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+(?:\(\w{0,40}\))?|[A-Za-z_]\w*\(\w{0,40}\)
        |[A-Za-z]?[+]{2}|\b[A-Za-z]\#)
  | (?P<word>(?:[^\W_]|_|[MARKS])+(?:'(?:[^\W\d_])+)?(?:-[^\W\d_]+)*)
  | (?P<hyphen>(?<=\d)-(?=[^\W\d_]))
  | (?P<sign><=>|<=|>=|===?|!==?|=>|->|<-|:=|&&|\|\||\*\*|\+=|-=|\.\.+|[-+*/=<>%^&|~])
  | (?P<stop>[,;:.!?()\n\u2014])
  | (?P<rest>\S)
"""
_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
)
_TOKEN = re.compile(_CODE + _OTHER.replace("NUMBER", numbers.PATTERN).replace("MARKS", _MARKS), re.VERBOSE | re.DOTALL)
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u3040-\u30ff]")
_ADVERBS = frozenset(("just", "really", "simply", "very"))
_JOINTS = frozenset(("and", "before", "instead", "rather", "then"))
"""Words after which another clause begins."""
_SILENT_SIGNS = frozenset("\"'*_#[]{}\\")
"""Marks of Markdown and quotes without a partner."""


@dataclass(frozen=True, slots=False)
class Reading:
    """A text as guards compare it."""

    tokens: tuple[Token, ...]

    @cached_property
    def exact(self) -> tuple[str, ...]:
        """What counts with its case: names of code, numbers, units and signs."""
        return tuple(token.key for token in self.tokens if token.kind in (CODE, NUMBER, UNIT, SIGN))

    @cached_property
    def content(self) -> tuple[Token, ...]:
        """Tokens that say something by themselves."""
        return tuple(token for token in self.tokens if token.kind in CONTENT)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """What `content` is compared as."""
        return tuple(token.key for token in self.content)

    def of(self, kind: str) -> tuple[Token, ...]:
        """Tokens of one kind, in their order."""
        return tuple(token for token in self.tokens if token.kind == kind)

    @cached_property
    def clauses(self) -> tuple[tuple[Token, ...], ...]:
        """Tokens between the signs that end a clause."""
        found: list[list[Token]] = [[]]
        for token in self.tokens:
            if token.kind == BREAK:
                found.append([])
            else:
                found[-1].append(token)
        return tuple(tuple(clause) for clause in found if clause)


def plain(text: str) -> str:
    """A text without differences of case, space, quotes and of the punctuation at its end."""
    return " ".join(fold(text).casefold().replace("'", '"').split()).rstrip(".!;:, ")


@lru_cache(maxsize=4096)
def reading(text: str) -> Reading:
    """What a text consists of. Never raises."""
    raw = [token for match in _TOKEN.finditer(fold(text)) for token in _tokens(match)]
    return Reading(tuple(reworded(_words(numbers.joined(raw)))))


def _tokens(match: re.Match[str]) -> list[Token]:
    kind, text = match.lastgroup or "", match[0]
    if kind == "quoted":
        return _quoted(text)
    if kind == "ticks":
        return [Token(CODE, " ".join(text.strip("`").split()), text)]
    if kind in ("url", "mail", "path", "flag", "index", "regex", "variable", "brackets"):
        return [Token(CODE, text.rstrip(".,;:!?)") or text, text)]
    if kind == "name":
        return [Token(CODE, text.removesuffix("()"), text)]
    if kind == "number":
        return numbers.read(match)
    if kind == "word":
        return _word(text)
    if kind in ("hyphen", "example"):
        return []
    if kind == "stop":
        return [
            Token(SIGN if text in ",;:?!." and _stands_alone(match) else BREAK, "," if text == "\u2014" else text, text)
        ]
    if kind == "sign":
        return [Token(SIGN, {"==": "=", "===": "="}.get(text, text), text)]
    return [] if text in _SILENT_SIGNS and not (text in "\"'#" and _stands_alone(match)) else [Token(SIGN, text, text)]


def _stands_alone(match: re.Match[str]) -> bool:
    """Whether a mark is what the text speaks of: it has no word at its sides."""
    before, after = match.string[max(0, match.start() - 1) : match.start()], match.string[match.end() : match.end() + 1]
    return not before.strip() and (not after.strip() or after in ",.;")


def _quoted(text: str) -> list[Token]:
    inner = text[1:-1].strip()
    found = [token for match in _TOKEN.finditer(inner) for token in _tokens(match)] if inner else []
    values = numbers.joined(found)
    if values and all(token.kind in (NUMBER, UNIT) for token in values):
        return values
    return [Token(CODE, inner, text)] if len(inner.split()) <= 4 else found


def _word(text: str) -> list[Token]:
    """A word as one or more tokens: without a possessive, contractions in full, each character of CJK by itself."""
    if "_" in text.strip("_") or text.startswith("_"):
        return [Token(CODE, text, text)]
    if _CJK.search(text):
        return [Token(WORD, character, character) for character in text]
    if any(a.islower() and b.isupper() for a, b in pairwise(text)) or any(c.isdigit() for c in text):
        return [Token(CODE, text, text)]
    word = text.casefold()
    if len(text) > 2 and text[:-1].isupper() and text[-1] == "s":
        return [Token(WORD, word[:-1], text)]  # several acronyms
    if "-" in word:
        parts = word.split("-")
        if any(part in numbers.COUNTED for part in parts):
            return [token for part in text.split("-") for token in _word(part)]
        word = "".join(parts)
    if len(text) == 1 and text.isupper() and text not in "AI":
        return [Token(WORD, text, text)]
    if word in CONTRACTIONS:
        return [Token(WORD, each, each) for each in CONTRACTIONS[word].split()]
    if word.endswith("n't"):
        return [Token(WORD, word[:-3], word[:-3]), Token(WORD, "not", "not")]
    return [Token(WORD, word.removesuffix("'s").strip("'"), text)]


def _words(tokens: list[Token]) -> list[Token]:
    """Tokens with phrases replaced, and every word in the form and of the kind that it is compared in."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.kind != WORD:
            found.append(token)
            at += 1
            continue
        if _is_name(tokens, at) or _is_about(tokens, at):
            found.append(Token(WORD, token.text, token.text))
            at += 1
            continue
        if token.key == "using" and found and found[-1].kind == RELATION:
            found.append(Token(WORD, "use", token.text))
            at += 1
            continue
        length, meaning = _phrase(tokens, at)
        if length:
            shown = " ".join(each.text for each in tokens[at : at + length])
            found += [_known(word, shown) for word in meaning.split()]
        else:
            found.append(_known(token.key, token.text, is_alone=_is_alone(tokens, at)))
        at += max(length, 1)
    return found


def _is_name(tokens: list[Token], at: int) -> bool:
    """Whether a word that is an article or a pronoun elsewhere names something: `divide a by b`, `if A fails`, `IT`."""
    text = tokens[at].text
    if text in ("IT", "US") or (text == "A" and at and tokens[at - 1].kind != BREAK):
        return True
    if text != "a":
        return False
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if following is None or following.kind != WORD:
        return following is None or following.kind in (BREAK, SIGN)
    return FUNCTION.get(following.key, ("", ""))[0] in (RELATION, SILENT) and following.key not in _ADVERBS


def _is_about(tokens: list[Token], at: int) -> bool:
    """Whether `about` makes a number less exact."""
    return tokens[at].key == "about" and at + 1 < len(tokens) and tokens[at + 1].kind == NUMBER


def _phrase(tokens: list[Token], at: int) -> tuple[int, str]:
    """How many tokens from here on are a phrase, and what it stands for."""
    phrases = PHRASE_STARTS.get(tokens[at].key)
    if not phrases:
        return 0, ""
    for length in range(min(MAX_PHRASE, len(tokens) - at), 1, -1):
        words = tuple(token.key if token.kind == WORD else "\0" for token in tokens[at : at + length])
        if words in phrases:
            return length, phrases[words]
    return 0, ""


def _is_alone(tokens: list[Token], at: int) -> bool:
    """Whether a word stands beside the end of a clause or of the text."""
    is_last = at + 1 == len(tokens) or tokens[at + 1].kind == BREAK or tokens[at + 1].key in _JOINTS
    return is_last or at == 0 or tokens[at - 1].kind == BREAK


def _known(word: str, shown: str, is_alone: bool = False) -> Token:
    if word == "first" and is_alone:
        return Token(SILENT, "first", shown)
    if word == "once":  # numbers has read the other one, which is a number
        return Token(RELATION, "if", shown)
    if word in FUNCTION:
        kind, key = FUNCTION[word]
        return Token(kind, key, shown)
    if not word[:1].isalpha() and not word[:1].isdigit():
        return Token(SIGN, word, shown)
    return Token(WORD, canonical(word), shown)

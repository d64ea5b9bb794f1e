"""Numbers as they are written in instructions, each as one value: digits, words, magnitudes, dates, versions, times.

`5 million`, `5,000,000` and `5M` are one value; `3.10` and `3.1` are two, as versions are.
"""

import re

from acdl_mkdocs.similarity.lexicon import LONG_UNIT_OF, UNIT_OF
from acdl_mkdocs.similarity.token import BREAK, CODE, NUMBER, SIGN, UNIT, WORD, Token
from acdl_mkdocs.similarity.vocabulary import MAGNITUDES, MULTIPLES, NUMBERS, ORDINALS, ROMAN, SHORT_MAGNITUDES

PATTERN = r"""
    (?P<dated>(?<![\w.])\d{4}-\d{2}(?:-\d{2})?(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?(?![\w-])|(?<![\w.])\d{1,2}[./]\d{1,2}[./]\d{2,4}(?![\w])
      |(?<!\w)\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m\b)?|(?<!\w)\d{1,2}\s?[ap]m\b)
  | (?P<version>(?<![\w.])v?\d+(?:\.\d+){2,}[\w.+-]*|(?<!\w)v\d+(?:\.\d+)*)
  | (?P<fraction>(?<![\w./])\d+/\d+(?![\w/]))
  | (?P<plus>(?<![\w)\]%.])[-+])?(?P<currency>[$€£¥])?
    (?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)*|(?<!\w)\.\d+)(?P<power>e[+-]?\d+\b)?
    (?P<suffix>(?:[^\W\d_]|[%°‰])[\w%]*|%)?
"""
COUNTED = frozenset((*NUMBERS, *MAGNITUDES, *ORDINALS, "half"))
"""Words that are numbers or parts of numbers, so that `two-step` is two words."""
_AFTER_FIRST = frozenset(("and", "before", "instead", "rather", "then"))
"""Words that follow `first` where it says when."""
_SIGNS = frozenset("$€£¥%‰")
"""Units that may stand without a number."""
MAX_DIGITS = 30
"""Longer numbers are compared as they are written."""


def read(match: re.Match[str]) -> list[Token]:
    """The tokens of a match of `PATTERN`."""
    text = match[0]
    for kind in ("dated", "version", "fraction"):
        if match[kind]:
            return [Token(NUMBER, text.lower().replace(" ", "").rstrip(".").removeprefix("v"), text)]
    digits, suffix = match["digits"], match["suffix"] or ""
    sign = "-" if match["plus"] == "-" else ""
    unit = [Token(UNIT, UNIT_OF[match["currency"]], match["currency"])] if match["currency"] else []
    if suffix in ("st", "nd", "rd", "th"):
        return [Token(NUMBER, f"#{digits}", text)]
    if suffix in SHORT_MAGNITUDES:
        return [Token(NUMBER, sign + _value(digits, SHORT_MAGNITUDES[suffix]), text), *unit]
    if suffix in UNIT_OF:
        return [
            Token(NUMBER, sign + _plain(digits + (match["power"] or "")), digits),
            Token(UNIT, UNIT_OF[suffix], suffix),
        ]
    if suffix == "x":
        return [Token(NUMBER, sign + _plain(digits), text), Token(WORD, "times", "x")]
    if suffix:
        return [Token(CODE, text, text)]
    return [Token(NUMBER, sign + _plain(digits + (match["power"] or "")), text), *unit]


def _plain(digits: str) -> str:
    """The one spelling of a number: no thousands separators, a digit before the point, `0.9` for `0.90`."""
    if re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", digits):
        digits = digits.replace(",", "")
    whole, point, rest = digits.partition(".")
    if point and not int(whole[:MAX_DIGITS] or "0") and rest.isdigit():
        return f"0.{rest.rstrip('0') or '0'}"
    return digits


def _value(digits: str, factor: int) -> str:
    """A number times a magnitude."""
    whole, _, rest = _plain(digits).partition(".")
    if not (whole + rest).isdigit() or len(whole + rest) > MAX_DIGITS:
        return f"{digits}*{factor}"
    value, remainder = divmod(int(whole + rest) * factor, 10 ** len(rest))
    return str(value) if not remainder else f"{value}.{str(remainder).zfill(len(rest)).rstrip('0')}"


def joined(tokens: list[Token]) -> list[Token]:
    """Tokens with words for numbers as numbers, and with the units that follow numbers as units."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        taken = _number_words(tokens, at)
        if taken:
            value = _sum(tokens[at : at + taken])
            found.append(Token(NUMBER, value, " ".join(token.text for token in tokens[at : at + taken])))
        else:
            taken = 1
            found.append(_one(tokens, at, found))
        at += taken
    return found


def _number_words(tokens: list[Token], at: int) -> int:
    """How many tokens from here on are the words of one number."""
    end = at
    while end < len(tokens):
        key, kind = tokens[end].key, tokens[end].kind
        is_digits = kind == NUMBER and end == at and _follows_magnitude(tokens, end)
        if is_digits or (kind == WORD and (key in NUMBERS or (key in MAGNITUDES and end > at))):
            if end > at and key in NUMBERS and not _continues(tokens, end):
                break
            end += 1
        elif end > at and _is_joint(tokens, end):
            end += 1
        else:
            break
    return end - at


def _follows_magnitude(tokens: list[Token], at: int) -> bool:
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    return following is not None and following.kind == WORD and following.key in MAGNITUDES


def _continues(tokens: list[Token], at: int) -> bool:
    """Whether a word for a number adds to the one before: `twenty five`, `hundred and five`, not `two three`."""
    before = tokens[at - 1]
    if before.key in ("-", "and"):
        before = tokens[at - 2]
    return before.key in MAGNITUDES or (NUMBERS.get(before.key, 0) >= 20 and NUMBERS[tokens[at].key] < 10)


def _is_joint(tokens: list[Token], at: int) -> bool:
    """Whether a hyphen or `and` stands inside a number."""
    if at + 1 >= len(tokens) or tokens[at + 1].kind != WORD or tokens[at + 1].key not in NUMBERS:
        return False
    if tokens[at].kind == SIGN and tokens[at].key == "-":
        return NUMBERS.get(tokens[at - 1].key, 0) >= 20 and NUMBERS[tokens[at + 1].key] < 10
    return tokens[at].key == "and" and tokens[at - 1].key in ("hundred", "thousand")


def _sum(tokens: list[Token]) -> str:
    if tokens[0].kind == NUMBER:
        factor = 1
        for token in tokens[1:]:
            factor *= MAGNITUDES.get(token.key, 1)
        return _value(tokens[0].key, factor) if factor > 1 else tokens[0].key
    total = part = 0
    for token in tokens:
        if token.key in NUMBERS:
            part += NUMBERS[token.key]
        elif token.key == "hundred":
            part = max(part, 1) * 100
        elif token.key in MAGNITUDES:
            total, part = total + max(part, 1) * MAGNITUDES[token.key], 0
    return str(total + part)


def _one(tokens: list[Token], at: int, before: list[Token]) -> Token:
    """A token as a unit, an ordinal or a Roman numeral, if it is one."""
    token = tokens[at]
    if token.kind != WORD and token.text not in UNIT_OF:
        return token
    is_measured = _is_measured(tokens, at, before)
    if (is_measured and token.text in UNIT_OF) or token.text in _SIGNS:
        return Token(UNIT, UNIT_OF[token.text], token.text)
    if token.kind != WORD:
        return token
    if token.key in LONG_UNIT_OF and (is_measured or token.key != "second"):
        return Token(UNIT, LONG_UNIT_OF[token.key], token.text)
    if token.key == "times":
        is_sign = not is_measured and at + 1 < len(tokens) and tokens[at + 1].kind == NUMBER
        return Token(SIGN, "*", token.text) if is_sign else token
    return _counted(tokens, at)


def _is_measured(tokens: list[Token], at: int, before: list[Token]) -> bool:
    """Whether a number stands before, perhaps with a hyphen between."""
    if not before:
        return False
    return before[-1].kind == NUMBER or (before[-1].key == "-" and at > 1 and tokens[at - 2].kind == NUMBER)


def _counted(tokens: list[Token], at: int) -> Token:
    """A word as an ordinal, a multiple or a Roman numeral, if it is one."""
    token = tokens[at]
    if token.key in ORDINALS and not (token.key == "first" and _is_adverb(tokens, at)):
        return Token(NUMBER, f"#{ORDINALS[token.key]}", token.text)
    if token.key in MULTIPLES:
        is_conjunction = token.key == "once" and not _ends(tokens, at)
        return token if is_conjunction else Token(NUMBER, f"x{MULTIPLES[token.key]}", token.text)
    if token.key in ROMAN and token.text.isupper():
        return Token(NUMBER, str(ROMAN[token.key]), token.text)
    return token


def _ends(tokens: list[Token], at: int) -> bool:
    return at + 1 == len(tokens) or tokens[at + 1].kind == BREAK


def _is_adverb(tokens: list[Token], at: int) -> bool:
    """Whether `first` says when something is done, not which thing is meant."""
    return _ends(tokens, at) or at == 0 or tokens[at - 1].kind == BREAK or tokens[at + 1].key in _AFTER_FIRST

"""`numbers_in()`: the numbers that a text says, with signs, magnitudes and percents. Knows no language but English."""

import re
from decimal import Decimal
from unicodedata import normalize

_MAGNITUDES = {
    "hundred": 2, "thousand": 3, "k": 3, "million": 6, "millions": 6, "mn": 6, "mm": 6, "m": 6, "mio": 6,
    "billion": 9, "billions": 9, "bn": 9, "b": 9, "trillion": 12, "trillions": 12, "tn": 12, "t": 12,
}  # fmt: skip
_CURRENCY = r"(?:[$€£¥₹]|\b(?:USD|EUR|GBP|JPY|CHF|CAD|AUD|INR|CNY)\b|US\$)"
_SPACED = re.compile(r"(?<=\d)[\u00a0\u202f\u2009](?=\d{3}(?!\d))")
_BLANKS = re.compile(r"\s+")
_MINUS = str.maketrans({"−": "-", "–": "-", "\u2011": "-", "﹣": "-", "－": "-"})
_WORDS = "|".join(sorted(_MAGNITUDES, key=len, reverse=True))
_NUMBER = re.compile(
    rf"""
    (?<![\w.])(?P<open>\()?\s*(?P<sign>[-+])?\s*{_CURRENCY}?\s*(?P<sign_inside>[-+])?
    (?P<digits>\d{{1,3}}(?:,\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
    (?P<power>[eE][-+]?\d{{1,3}}(?![\w.]))?
    (?:\s*(?P<magnitude>{_WORDS})\b)?
    \s*(?P<percent>%|‰|percent\b|per\s+cent\b|bps\b|basis\s+points\b)?
    \s*(?:{_CURRENCY})?\s*(?P<close>\)(?:\s*(?P<outside>{_WORDS})\b|\s*(?P<share>%))?)?(?![\w])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_MAX_CHARACTERS = 20_000
_PARTS = {"%": 2, "percent": 2, "per cent": 2, "‰": 3, "bps": 4, "basis points": 4}


def numbers_in(text: str) -> list[Decimal]:
    """Every number of a text, in order: `$1.5 million` is 1500000, `12 %` is 0.12, `(7)` alone is -7.

    A comma groups thousands and nothing else; what is neither, such as `1,23`, is two numbers.
    """
    if len(text) > _MAX_CHARACTERS:
        return []
    plain = _SPACED.sub("", text).translate(_MINUS)
    plain = _BLANKS.sub(" ", normalize("NFKC", plain)).strip()
    return [_value(found, plain) for found in _NUMBER.finditer(plain)]


def _value(found: re.Match[str], text: str) -> Decimal:
    value = Decimal(found["digits"].replace(",", "") + (found["power"] or ""))
    power = sum(_MAGNITUDES[found[name].lower()] for name in ("magnitude", "outside") if found[name])
    for part in (found["percent"], found["share"]):
        power -= _PARTS[" ".join(part.lower().split())] if part else 0
    is_negative = "-" in ((found["sign"] or ""), (found["sign_inside"] or ""))
    is_bracketed = bool(found["open"] and found["close"]) and not (found["sign"] or found["sign_inside"])
    is_accounting = is_bracketed and _stands_alone(found, text)
    scaled = value.scaleb(power)
    return -scaled if is_negative or is_accounting else scaled


def _stands_alone(found: re.Match[str], text: str) -> bool:
    """Whether only signs of money or words before it stand beside a number in parentheses, not a sentence after it."""
    return not any(each.isalnum() for each in text[found.end() :])

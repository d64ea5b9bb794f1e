"""One spelling for characters: quotes, dashes, minus signs, digits of all scripts, compatibility forms.

Unlike NFKC alone, it keeps `10²` from becoming `102` and `5½` from becoming `51/2`.
"""

import unicodedata
from functools import lru_cache

_SAME = {
    **dict.fromkeys("‘’‚‛′´ʼ", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("−﹣－", "-"),
    **dict.fromkeys("‐‑‒", "-"),
    "–": "-",
    "―": "—",
    "×": "*",
    "÷": "/",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "→": "->",
    "⇒": "=>",
    "←": "<-",
    "…": "...",
    "•": " ",
    "⁄": "/",
    "∕": "/",
    "µ": "µ",
    "μ": "µ",
    "≪": "<<",
    "≫": ">>",
    "¬": "!",
    "∧": "&&",
    "∨": "||",
    "。": ".",
    "、": ",",
    "€": "€",
    "£": "£",
    "¥": "¥",
    "\u00ad": "",
    "\u200b": "",
    "\u2060": "",
    "\ufeff": "",
    "\ufe0f": "",
    "\ufe0e": "",
    "℃": "°C",
    "℉": "°F",
}


@lru_cache(maxsize=8192)
def _character(character: str) -> str:
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"  # half a character: nothing that counts words takes it
    if character in _SAME:
        return _SAME[character]
    if character.isdigit():
        return _digit(character)
    kept = unicodedata.normalize("NFKC", character)
    if len(kept) > 1 and any(each.isdigit() for each in kept):  # a fraction, a Roman numeral, a square metre, ⑩
        return f" {kept.replace('⁄', '/')} "
    return "".join(_SAME.get(each, each) for each in kept)


def _digit(character: str) -> str:
    if unicodedata.category(character) == "Nd":
        return str(unicodedata.decimal(character))
    mark = unicodedata.decomposition(character).partition(">")[0]
    return f"{'_' if mark == '<sub' else '^'}{unicodedata.digit(character)}"


def fold(text: str) -> str:
    """A text in the one spelling."""
    if text.isascii():
        return text
    return "".join(map(_character, unicodedata.normalize("NFC", text)))

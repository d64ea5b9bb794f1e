"""Which characters words consist of, and when two words are the same name.

Knows nothing of tokens.
"""

from unicodedata import normalize

INVISIBLE = dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
"""Characters without a width that may stand inside a word and are no part of it."""

# The combining marks (categories Mn and Mc): accents of decomposed letters, vowel signs of Indic scripts, tone marks.
# `re` has no class for them. Generated from Unicode 15.1; ranges run on over letters and what is not assigned.
MARKS = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a\u064b-\u065f"
    r"\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u07fd"
    r"\u0816-\u082d\u0859-\u085b\u0898-\u089f\u08ca-\u08e1\u08e3-\u0903\u093a-\u0963\u0981-\u0983\u09bc-\u09e3"
    r"\u09fe-\u0a03\u0a3c-\u0a51\u0a70-\u0a75\u0a81-\u0a83\u0abc-\u0acd\u0ae2-\u0ae3\u0afa-\u0b03\u0b3c-\u0b63"
    r"\u0b82\u0bbe-\u0bd7\u0c00-\u0c04\u0c3c-\u0c63\u0c81-\u0c83\u0cbc-\u0d03\u0d3b-\u0d4d\u0d57-\u0d63"
    r"\u0d81-\u0d83\u0dca-\u0ddf\u0df2-\u0df3\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ece\u0f18-\u0f19\u0f35\u0f37"
    r"\u0f39\u0f3e-\u0f3f\u0f71-\u0f84\u0f86-\u0fbc\u0fc6\u102b-\u103e\u1056-\u109d\u135d-\u135f\u1712-\u1715"
    r"\u1732-\u1734\u1752-\u1753\u1772-\u1773\u17b4-\u17d3\u17dd\u180b-\u180d\u180f\u1885-\u1886\u18a9"
    r"\u1920-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1abd\u1abf-\u1ace\u1b00-\u1b04\u1b34-\u1b44\u1b6b-\u1b73"
    r"\u1b80-\u1b82\u1ba1-\u1bad\u1be6-\u1bf3\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1cf9\u1dc0-\u1dff\u20d0-\u20dc"
    r"\u20e1\u20e5-\u20f0\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099-\u309a\ua66f\ua674-\ua67d"
    r"\ua69e-\ua69f\ua6f0-\ua6f1\ua802-\ua80b\ua823-\ua827\ua82c\ua880-\ua881\ua8b4-\ua8c5\ua8e0-\ua8f1\ua8ff"
    r"\ua926-\ua92d\ua947-\ua953\ua980-\ua983\ua9b3-\ua9c0\ua9e5\uaa29-\uaa4d\uaa7b-\uaa7d\uaab0-\uaac1"
    r"\uaaeb-\uaaef\uaaf5-\uaaf6\uabe3-\uabea\uabec-\uabed\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\U000101fd\U000102e0"
    r"\U00010376-\U0001037a\U00010a01-\U00010a0f\U00010a38-\U00010a3f\U00010ae5-\U00010ae6\U00010d24-\U00010d27"
    r"\U00010eab-\U00010eac\U00010efd-\U00010eff\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011000-\U00011002"
    r"\U00011038-\U00011046\U00011070-\U00011082\U000110b0-\U000110ba\U000110c2\U00011100-\U00011102"
    r"\U00011127-\U00011134\U00011145-\U00011146\U00011173\U00011180-\U00011182\U000111b3-\U000111c0"
    r"\U000111c9-\U000111cc\U000111ce-\U000111cf\U0001122c-\U00011237\U0001123e-\U00011241\U000112df-\U000112ea"
    r"\U00011300-\U00011303\U0001133b-\U00011374\U00011435-\U00011446\U0001145e\U000114b0-\U000114c3"
    r"\U000115af-\U000115c0\U000115dc-\U000115dd\U00011630-\U00011640\U000116ab-\U000116b7\U0001171d-\U0001172b"
    r"\U0001182c-\U0001183a\U00011930-\U00011943\U000119d1-\U000119e0\U000119e4\U00011a01-\U00011a0a"
    r"\U00011a33-\U00011a3e\U00011a47-\U00011a5b\U00011a8a-\U00011a99\U00011c2f-\U00011c3f\U00011c92-\U00011cb6"
    r"\U00011d31-\U00011d47\U00011d8a-\U00011d97\U00011ef3-\U00011ef6\U00011f00-\U00011f03\U00011f34-\U00011f42"
    r"\U00013440-\U00013455\U00016af0-\U00016af4\U00016b30-\U00016b36\U00016f4f-\U00016f92\U00016fe4-\U00016ff1"
    r"\U0001bc9d-\U0001bc9e\U0001cf00-\U0001cf46\U0001d165-\U0001d169\U0001d16d-\U0001d172\U0001d17b-\U0001d182"
    r"\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244\U0001da00-\U0001da36\U0001da3b-\U0001da6c"
    r"\U0001da75\U0001da84\U0001da9b-\U0001daaf\U0001e000-\U0001e02a\U0001e08f\U0001e130-\U0001e136\U0001e2ae"
    r"\U0001e2ec-\U0001e2ef\U0001e4ec-\U0001e4ef\U0001e8d0-\U0001e8d6\U0001e944-\U0001e94a\U000e0100-\U000e01ef"
)
LETTER = r"[^\x00-\x2f:-@\[-^`{-\x7f\s\xd7\xf7\u2010-\u205e\u2190-\u2bff\u3000-\u303f]"
"""For patterns that only look for words: a character that is not the first of a word, quicker than to the letter."""


def canonical(written: str) -> str:
    """The name that a word spells: two words are the same name if only their Unicode normalisation differs."""
    return normalize("NFC", written.translate(INVISIBLE))

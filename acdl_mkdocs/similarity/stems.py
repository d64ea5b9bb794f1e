"""One form for the forms of an English word: plural, tense, spelling.

Deliberately light: it would rather keep two forms of one word apart than take two words for one. Words of other
languages and scripts stay as they are.
"""

import re
from functools import lru_cache

from acdl_mkdocs.similarity.tables import words

_KEPT = words("kept")
_IRREGULAR = {
    "aliases": "alias",
    "analyses": "analysis",
    "axes": "axis",
    "began": "begin",
    "begun": "begin",
    "bought": "buy",
    "broke": "break",
    "broken": "break",
    "brought": "bring",
    "built": "build",
    "came": "come",
    "caught": "catch",
    "children": "child",
    "chose": "choose",
    "chosen": "choose",
    "criteria": "criterion",
    "dealt": "deal",
    "done": "do",
    "drawn": "draw",
    "driven": "drive",
    "drove": "drive",
    "eaten": "eat",
    "fallen": "fall",
    "fell": "fall",
    "forgot": "forget",
    "forgotten": "forget",
    "found": "find",
    "froze": "freeze",
    "frozen": "freeze",
    "gave": "give",
    "given": "give",
    "gone": "go",
    "grew": "grow",
    "grown": "grow",
    "heard": "hear",
    "held": "hold",
    "hidden": "hide",
    "hung": "hang",
    "indices": "index",
    "kept": "keep",
    "knew": "know",
    "known": "know",
    "lent": "lend",
    "lost": "lose",
    "made": "make",
    "matrices": "matrix",
    "meant": "mean",
    "men": "man",
    "numbers": "number",
    "overwritten": "overwrite",
    "overwrote": "overwrite",
    "paid": "pay",
    "people": "person",
    "proven": "prove",
    "ran": "run",
    "rebuilt": "rebuild",
    "redone": "redo",
    "resent": "resend",
    "rewritten": "rewrite",
    "rewrote": "rewrite",
    "risen": "rise",
    "saw": "see",
    "seen": "see",
    "sent": "send",
    "shown": "show",
    "shrank": "shrink",
    "shrunk": "shrink",
    "slept": "sleep",
    "sold": "sell",
    "sought": "seek",
    "sped": "speed",
    "spent": "spend",
    "spoke": "speak",
    "spoken": "speak",
    "statuses": "status",
    "stolen": "steal",
    "stood": "stand",
    "strings": "string",
    "stuck": "stick",
    "swept": "sweep",
    "taken": "take",
    "taught": "teach",
    "things": "thing",
    "thought": "think",
    "threw": "throw",
    "thrown": "throw",
    "told": "tell",
    "took": "take",
    "torn": "tear",
    "understood": "understand",
    "undone": "undo",
    "used": "use",
    "vertices": "vertex",
    "withdrawn": "withdraw",
    "withdrew": "withdraw",
    "withheld": "withhold",
    "woken": "wake",
    "women": "woman",
    "worn": "wear",
    "written": "write",
    "wrote": "write",
}
_BRITISH = (
    ("isation", "ization"),
    ("ising", "izing"),
    ("ised", "ized"),
    ("ises", "izes"),
    ("ise", "ize"),
    ("yse", "yze"),
    ("ysing", "yzing"),
    ("ysed", "yzed"),
    ("our", "or"),
    ("ours", "ors"),
    ("oured", "ored"),
    ("centre", "center"),
    ("ogue", "og"),
    ("elled", "eled"),
    ("elling", "eling"),
)
_WORDS_IN_ISE, _WORDS_IN_OUR = words("in_ise"), words("in_our")
_PLAIN = re.compile(r"[a-z]+\Z")
_SHORT_SYLLABLE = re.compile(r"(?:qu|[b-df-hj-np-tv-z])+[aeiouy][b-df-hj-np-tvz]\Z")
"""What would be another word without its `e`; such words double their last letter before `-ed` and `-ing`."""
_VOWEL = re.compile(r"[aeiouy]")


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The form that stands for a lower-case word and its inflections; not always a word itself."""
    if not _PLAIN.match(word) or len(word) < 4 or len(word) > 30:
        return word
    word = _IRREGULAR.get(word, word)
    if word in _KEPT:
        return word
    return _short(_tense(_singular(_american(word))))


def _american(word: str) -> str:
    for british, american in _BRITISH:
        if word.endswith(british) and len(word) > len(british) + 2:
            whole = word[: -len(british)] + ("our" if "our" in british else "ise")
            if whole not in _WORDS_IN_ISE and word not in _WORDS_IN_OUR:
                return word[: -len(british)] + american
    return word


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is", "as")) or not _VOWEL.search(word[:-1]):
        return word[:-1] if word.endswith("as") and len(word) > 5 else word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


def _tense(word: str) -> str:
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and _VOWEL.search(rest) and word not in _KEPT and not word.endswith("eed"):
            if ending == "ed" and rest.endswith("i"):
                return rest[:-1] + "y"
            is_double = len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "lsz"
            return rest[:-1] if is_double else f"{rest}e" if _SHORT_SYLLABLE.match(rest) else rest
    return word


def _short(word: str) -> str:
    """Without a silent `e`, so that `cached`, `caching` and `cache` meet, but not `plan` and `plane`."""
    if word.endswith("e") and len(word) > 3 and not word.endswith("ee") and not _SHORT_SYLLABLE.match(word[:-1]):
        word = word[:-1]
    if word.endswith("ll") and len(word) > 4:
        return word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 and word[-2] not in "aeiou" else word

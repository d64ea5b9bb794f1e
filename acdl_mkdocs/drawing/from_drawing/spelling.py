"""`spell_words()`: the words of a drawn line as ACDL: `[x | t ∈ 1 ... 3]` becomes `[x for t in 1 ... 3]`.

Knows nothing about trees: signs before names and ends of ranges are corrected later, with the tree.
"""

import re

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.letters import LETTER

_SPELLINGS = (
    (r"""["“”„](?>(?:[^"“”„\\\n]++|\\.)*)""", """["“”]"""),
    (r"""'(?>(?:[^'\\\n]++|\\.)*)""", "'"),
    (r"""‘(?>(?:[^‘’\\\n]++|\\.)*)""", "’"),
)
OPENED = rf"(?<!\\)(?:{'|'.join(opened for opened, _ in _SPELLINGS)})"
"""A string up to where its closing sign has to be."""
QUOTED = rf"(?<!\\)(?:{'|'.join(opened + closing for opened, closing in _SPELLINGS)})"


_FOUND = re.compile(
    rf"""
      (?P<string>    {QUOTED} )
    | (?P<over>      \s*\|\s*(?P<variable>@?[^\W\d]{LETTER}*)\s*(?:∈|\bin\b)\s* )
    | (?P<lost>      \s*\|\s*(?P<name>[^\W\d]{LETTER}*)(?=@\w++[^\]|]*?(?:\.\.|…)) )
    | (?P<open>      \s*(?:\bexcl\.(?:\s|(?=[\])}},]|$))|[(,]?\s*\bexclusive\b\)?|\(excl\.?\)|(?<=\s)excl$) )
    | (?P<closed>    \s*\((?:inclusive|incl\.?)\) )
    | (?P<below>     \s*(?:\.\.\.?|…)\s*<\s* )
    | (?P<counted>   (?<![\w.])(?P<one>\d{{1,6}})\s*,\s*(?P<two>\d{{1,6}})\s*,\s*(?:\.\.\.|…)\s*,?\s* )
    | (?P<listed>    \s*,\s*(?:\.\.\.|…)\s*,\s* )
    | (?P<within>    \s*∈\s* )
    | (?P<sign>      [∧∨¬≔] )
    | (?P<bracket>   [\[\]] )
    """,
    re.VERBOSE,
)
_SIGNS = {"∧": " & ", "∨": " | ", "¬": "!", "≔": ":="}
_MARKER = re.compile(r"[*+◆]\s*(?=[^\W\d_a-z])")
_TO = re.compile(r"(?<!\s)\s+(?:to|through)\s+", re.IGNORECASE)
_BEFORE = re.compile(r"(?<!\s)(?:\s+until\s+|\s*(?:\.\.\.?|…)\s*before\s+)", re.IGNORECASE)
_HALF_OPEN = re.compile(
    r"\[\s*+(?P<first>[^\[\]()]{1,200}?)(?<!\s)\s*+(?:,|\.\.\.?|…)\s*+(?P<last>[^\[\](),]{1,200})(?<!\s)\s*+[)\[]"
)
_STEP = re.compile(r"(?<!\s)\s+(?:step|by)\s+(?=[\w@$(])", re.IGNORECASE)

_VALUE = r"""(?:["“”„'‘\d@$]|(?:none|null|empty|true|false)\b|(?:env|sys|resp)\.)"""
_TEST = re.compile(
    rf"""
      (?P<string>    {QUOTED} )
    | (?P<missing>   (?<!\s)\s+(?:does\s+not|doesn['’]t)\s+exist\b | (?<!\s)\s+is\s+(?:missing|not\s+(?:set|given))\b )
    | (?P<there>     (?<!\s)\s+exists\b | (?<!\s)\s+is\s+(?:set|given)\b )
    | (?P<not>       (?<!\s)(?<!\bthere)(?<!\bit)\s+(?:is\s+not|isn['’]t|does\s+not\s+equal)\s+(?={_VALUE}) )
    | (?P<is>        (?<!\s)(?<!\bthere)(?<!\bit)\s+(?:is\s+equal\s+to|equals(?:\s+to)?|is)\s+(?={_VALUE}) )
    | (?P<asked>     (?<=[\w\])])\s*\?(?=\s*$) )
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SpelledWords:
    """Words as ACDL."""

    text: str
    open_ends: tuple[int, ...] = ()
    """Offsets of the ends of ranges that exclude their end."""


def spell_words(words: str, *, has_frames: bool = False, is_loop: bool = False) -> SpelledWords:
    """Convert the words of a line to ACDL.

    Parameters:
        words: The words.
        has_frames: Whether square brackets without a name before them are frames, as in text copied from a figure.
        is_loop: Whether they are what a loop runs over.
    """
    words = _MARKER.sub("", words, count=1) if words[:1] in "*+◆" else words
    if is_loop:
        words = _HALF_OPEN.sub(r"\g<first> ..< \g<last>", words) if _HALF_OPEN.fullmatch(words) else words
        words = _STEP.sub(" every ", _TO.sub(" ... ", _BEFORE.sub(" ..< ", words)))
    pieces: list[str] = []
    ends: list[int] = []
    frames: list[bool] = []
    length = at = 0
    is_below = False
    is_list = " | " in words or " for " in words
    for match in _FOUND.finditer(words):
        piece = (
            _replace_bracket(match, words, frames, is_list=is_list)
            if match["bracket"] and has_frames
            else _replace_sign(match)
        )
        pieces += [words[at : match.start()], piece]
        before = length + match.start() - at
        length = before + len(piece)
        is_below |= match["below"] is not None
        if match["open"]:
            ends.append(before)
        at = match.end()
    text = "".join((*pieces, words[at:]))
    if is_below:
        ends.append(text.find(" every ") if " every " in text else len(text))
    return SpelledWords(text, tuple(ends))


def spell_condition(test: str) -> str:
    """Convert a condition in words to signs: `x is not none`, `x exists`, `x?`."""
    return _TEST.sub(_replace_test, test)


def _replace_test(match: re.Match[str]) -> str:
    if match["missing"] or match["there"]:
        return " == none" if match["missing"] else " != none"
    if match["not"] or match["is"]:
        return " != " if match["not"] else " == "
    return match["string"] or ""


def _replace_sign(match: re.Match[str]) -> str:
    """Return the ACDL for some signs of a drawing."""
    if match["over"] or match["lost"]:
        return f" for {match['variable'] or match['name']} in "
    if match["within"]:
        return " in "
    if match["counted"]:
        step = int(match["two"]) - int(match["one"])
        return f"{match['one']} ... " if step == 1 else match[0]
    if match["below"] or match["listed"]:
        return " ... "
    return " " if match["open"] or match["closed"] else _SIGNS.get(match[0], match[0])


def _replace_bracket(match: re.Match[str], words: str, frames: list[bool], *, is_list: bool) -> str:
    """Return a square bracket, or nothing if it is a frame."""
    sign, at = match[0], match.start()
    if sign == "]":
        return "" if frames and frames.pop() else sign
    hangs = words[max(at - 20, 0) : at].rstrip()[-1:]
    frames.append(not (is_list or hangs.isalnum() or hangs in ("_", "]", ")")))
    return "" if frames[-1] else sign

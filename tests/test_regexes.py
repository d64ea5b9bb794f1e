"""No regular expression looks at a text again from each of its places: twice the text takes about twice the steps."""

import math
import re
from collections.abc import Collection
from functools import cache

import pytest
from backtracking import spans
from exhaustive import exhaustive
from regexes import Pattern, attacks, patterns

_MOST_PIECES, _LEAST_PIECES, _CHARACTERS = 20, 16, 400
"""How often something is repeated in the shortest text, and what this is to come to."""
_STEPS_OF_A_CHARACTER = 8
"""A pattern that takes no more for a short text is not tried with a longer one: from each of its places it would."""
_MOST_STEPS = 400_000
_REFUSED = 1.35
"""Steps grow as the length to this power: between 1 with what a start costs, and 2."""
_ENDS = ("\0", "", "\n")
"""What texts end with; the first makes nearly all patterns slow that another makes."""
_OURS = "reads HTML that this package has written: elements are closed, or text is escaped"
_BLANKS = "lines of drawings have at most 199 blanks in a row (`_LONG_GAP`)"
_WINDOW = "looks ahead a bounded number of characters"
_LINE = "an editor tries it with one line; VS Code with none above 20,000 characters"
_READ = "reads JSON that was read before: strings are closed"
_SIDES = "each side has at most 200 characters"
_RULES = "reads the pages of our own rules"
_ASSETS = "acdl_mkdocs/assets/"
ANSWERED: dict[tuple[str, str], str] = {
    ("compare/formats/html.py", "_RULES"): _OURS,
    ("compare/formats/html.py", "style"): _OURS,
    ("drawing/from_drawing/spelling.py", "_FOUND"): _BLANKS,
    ("drawing/from_drawing/spelling.py", "_HALF_OPEN"): _SIDES,
    ("frontends/editor/completion.py", "_PLACE"): "reads snippets of our own, of a few words",
    ("frontends/editor/header_offers.py", "_BEGUN"): "is tried in the last 1,000 characters before the cursor",
    ("frontends/docs/markdown/references.py", "_MARK"): _OURS,
    ("frontends/docs/sphinx/compared.py", "_FOLDED"): _OURS,
    ("frontends/docs/sphinx/compared.py", "_TAG"): _OURS,
    ("frontends/docs/sphinx/drawing.py", "_WORDS"): _OURS,
    ("frontends/docs/sphinx/drawing.py", "_SENT"): _OURS,
    ("frontends/docs/sphinx/drawing.py", "_VERIFIED"): _OURS,
    ("frontends/docs/sphinx/drawing.py", "_TAG"): _OURS,
    ("frontends/docs/sphinx/nodes.py", "_CAPTION"): _OURS,
    ("frontends/docs/sphinx/nodes.py", "_PERMALINK"): _OURS,
    ("frontends/docs/sphinx/nodes.py", "_DRAWING"): _OURS,
    ("frontends/docs/sphinx/nodes.py", "_TITLE"): _OURS,
    ("frontends/docs/sphinx/nodes.py", "_CHART"): _OURS,
    ("frontends/docs/sphinx/xml.py", "_SOURCE"): _OURS,
    ("frontends/docs/sphinx/xml.py", "_TAG"): _OURS,
    (
        "playbook/learn/scorers.py",
        "_NUMBER",
    ): "runs of blanks are one blank before, and texts have at most 20,000 characters",
    ("playbook/pages/html_text.py", "_FENCE"): "bullets have at most 2,000 characters",
    ("frontends/playground/writing.py", "_INLINE"): _RULES,
    ("prompts/pml/scan_calls.py", "_OTHERS"): _WINDOW,
    ("playbook/model/content.py", "pattern"): _WINDOW,
    ("frontends/docs/pages/gallery.py", "<[^>]*>"): _OURS,
    ("workspace/notebook.py", "_STRING"): _READ,
    ("workspace/project.py", "_SPHINX_ROOT"): _WINDOW,
    ("frontends/docs/problems/rule_pages.py", "_FENCE"): _RULES,
    ("runs/infer/state.py", r"\[[^\]]*\]|\(.*\)"): "reads a name that a sentence of ours quotes",
    (_ASSETS + "acdl-playbook.js", r"(\d+)–\d+ %"): _OURS,
    (_ASSETS + "acdl-playbook.js", r"(\d+) (\S+)"): _OURS,
    (_ASSETS + "playground/src/png.ts", "<svg[^>]*>"): _OURS,
    (_ASSETS + "acdl.tmLanguage.json", r"(?:(?:\G|(?<!\w))[@$]?[^\W\d][\w.]{0,80}"): _WINDOW,
    (_ASSETS + "acdl.tmLanguage.json", "(?<![\\w@$.])(?i:event|fact|flow|pipeline"): _WINDOW,
    (_ASSETS + "acdl.tmLanguage.json", r"(?<![\w@$.])((?i:match)(?=[ \t]++[^\n{}]"): _WINDOW,
    (_ASSETS + "acdl.tmLanguage.json", r"(?<![\w@$.])((?i:match)(?!\w)(?=(?i:(?=["): _WINDOW,
    (_ASSETS + "acdl.tmLanguage.json", r"(?<![\w@$.])((?i:mark)(?!\w)(?=\s*+(?:\#"): _WINDOW,
    (_ASSETS + "acdl.tmLanguage.json", '[\\"“”„](?>(?:[^"“”\\\\\\n{]++|\\\\.|\\{\\{[^{}\\'): _LINE,
    (_ASSETS + "acdl.tmLanguage.json", "['‘’‚](?>(?:[^'‘’\\\\\\n{]++|\\\\.|\\{\\{[^{}\\n"): _LINE,
}
"""Patterns that are slow with long texts, and why they never get one."""


def exponent(pattern: Pattern, begin: str, piece: str, end: str) -> float:
    """How steps grow with the length of a text; 0 where a short text takes few for each character."""
    first = max(_LEAST_PIECES, min(_MOST_PIECES, _CHARACTERS // len(piece)))

    def n_steps(times: int, most: int) -> int:
        return spans(pattern.text, pattern.flags, begin + piece * times + end, pattern.methods, most)[1]

    most = _STEPS_OF_A_CHARACTER * (len(begin) + len(piece) * first + len(end)) + 100
    if n_steps(first, most) <= most:
        return 0.0
    few = n_steps(2 * first, _MOST_STEPS)
    return math.log2(n_steps(4 * first, 4 * _MOST_STEPS) / few) if few <= _MOST_STEPS else math.inf


def slow_attack(pattern: Pattern, ends: Collection[str] = _ENDS) -> tuple[float, str, str] | None:
    """The first text that makes a pattern slow, as the power, what it begins with, and what is repeated."""
    for begin, piece in attacks(pattern):
        power = max(exponent(pattern, begin, piece, end) for end in ends)
        if power > _REFUSED:
            return power, begin, piece
    return None


@cache
def named() -> dict[tuple[str, str], list[Pattern]]:
    """All patterns by where they are and how they are called."""
    found: dict[tuple[str, str], list[Pattern]] = {}
    for each in patterns():
        found.setdefault((each.file, each.name), []).append(each)
    return found


def test_no_new_pattern_is_slow() -> None:
    """With one end, no text makes a pattern slow but those that never get a long text."""
    new = [each for key, found in named().items() if key not in ANSWERED for each in found]
    assert {(each.file, each.name): attack for each in new if (attack := slow_attack(each, _ENDS[:1]))} == {}
    assert ANSWERED.keys() - named().keys() == set()


@exhaustive
def test_steps_of_patterns_grow_with_the_text() -> None:
    """Of those whose steps grow faster, the reason why they never get a long text is given."""
    all_patterns = [(key, each) for key, found in named().items() for each in found]
    slow = {key: attack for key, each in all_patterns if (attack := slow_attack(each)) is not None}
    assert {key: attack for key, attack in slow.items() if key not in ANSWERED} == {}
    assert ANSWERED.keys() - slow.keys() == set()


@pytest.mark.parametrize(
    "text",
    [r'"(?:[^"\\]|\\.)*"', r"\s+to\s+", r"(?:a|b)*c|[a-z]\w*(?:-[a-z]\w*)+(?=\()", r"(?:x+)+y", r"[ \t]*=[ \t]*,"],
)
def test_slow_patterns_are_found(text: str) -> None:
    """Patterns that are known to be slow, each for another reason."""
    assert slow_attack(Pattern("", "", text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        r'(?s)"(?>(?:[^"\\]|\\.)*)(?:"|\\?\Z)',
        r"(?<!\s)\s+to\s",
        r"(?<![ab])(?>(?:a|b)*)c",
        r"(?<!x)x++y",
        r"(?<![ \t])[ \t]*+=[ \t]*+,",
    ],
)
def test_quick_patterns_are_not_found(text: str) -> None:
    """The same, written so that nothing is looked at again."""
    assert slow_attack(Pattern("", "", text)) is None


@pytest.mark.parametrize(
    ("text", "tried"),
    [
        (r"(?i)(a+?|B)*(?(1)c|d)|\bx{2,3}\B.", "aBbac d xxxxy c"),
        (r"(?P<a>['\"])(?>(?:(?!(?P=a)).)*)(?P=a)|(?<=ab)c*?$|^", "'a\"b' abcc\n\"x'\"abc"),
        (r"(?m)^(?:a|ab)(?:c|bcd)*\Z|(?>a*)b|x*", "abcd\naaab\nabcbcd"),
        (r"(?s:.)[^\Wx]{2,}?-?|[\d_-]++", "\n__--12xx3-é1"),
    ],
)
def test_steps_lead_where_re_goes(text: str, tried: str) -> None:
    """What is found step by step is what `re` finds."""
    assert spans(text, 0, tried, frozenset(), 10_000)[0] == [found.span() for found in re.finditer(text, tried)]

"""What must be alike to the letter: code, words in capitals, and whether a text asks."""

import re

from acdl_mkdocs.similarity.block import Block, difference

_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
_QUESTION = re.compile(r"[?？]['\"”’»)\]*_\s]*$")
_EMPHASIS = frozenset((
    "AFTER", "ALL", "ALWAYS", "AND", "ANY", "AVOID", "BEFORE", "DO", "DON", "EACH", "EVERY", "IF", "IMPORTANT",
    "MAY", "MUST", "NEVER", "NO", "NOT", "NOTE", "ONLY", "OR", "SHOULD", "THE", "UNLESS", "WARNING", "WHEN",
))  # fmt: skip
"""Words that people write in capitals to be heard."""


def guard(a: str, b: str) -> Block | None:
    """``code differs: `a  b` / `a b` ``; `capitals differ: US / us`; `one asks`."""
    code = _differing(_codes(a), _codes(b))
    if code:
        return difference("spelling", "code differs", *(map(_on_one_line, side) for side in code))
    capitals = _capitals(a, b), _capitals(b, a)
    if any(capitals):
        return difference("spelling", "capitals differ", capitals[0], capitals[1])
    if (_QUESTION.search(a) is None) != (_QUESTION.search(b) is None):
        return Block("spelling", "one asks, the other says")
    return None


def _codes(text: str) -> list[str]:
    """Spans and blocks of code; blanks at the ends of lines do not count."""
    return ["\n".join(line.rstrip() for line in span[2].strip("\n").split("\n")) for span in _CODE.finditer(text)]


def _on_one_line(code: str) -> str:
    return code.replace("\n", "\\n")


def _differing(a: list[str], b: list[str]) -> tuple[list[str], list[str]] | None:
    """What is code in both texts and the same but for blanks or indentation; other differences are for other guards."""
    only_a, only_b = [each for each in a if each not in b], [each for each in b if each not in a]
    left = {" ".join(each.split()) for each in only_a} & {" ".join(each.split()) for each in only_b}
    if not left:
        return None
    sides = ([each for each in side if " ".join(each.split()) in left] for side in (only_a, only_b))
    return next(sides), next(sides)


def _capitals(a: str, b: str) -> list[str]:
    """Words that are in capitals in `a` alone, and stand in `b` in small letters; none if all of `a` is in capitals."""
    if a.isupper():
        return []
    there = set(re.findall(r"\w+", b))
    words = dict.fromkeys(_CAPITALS.findall(a))
    return [word for word in words if word not in _EMPHASIS and word not in there and word.lower() in there]

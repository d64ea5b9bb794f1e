"""One careless mistake in a text without errors gives one report of an error, hardly ever more."""

import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from exhaustive import few

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.syntax.tokenize import tokenize
from acdl_mkdocs.language.syntax.tokens import Token

ROOT = Path(__file__).parent.parent
FOLDERS = ("examples", *(f"tests/golden/{name}" for name in ("evaluate", "reference", "render", "sent", "tolerated")))
KEYWORDS = re.compile(r"ForEach|If|ElseIf|Else|Switch|Case|Default|Mark|Name|PromptEndsHere|StrFrag|RolesFrag")
N_PLACES = 2
"""Places of each text in which a mistake is made."""


def n_errors(text: str) -> int:
    """How many errors are reported of a text."""
    return sum(each.severity == "error" for each in analyse(Source(text)).diagnostics)


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """The specs of the project that have no error, by the name of their file."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.acdl"))]
    found = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}
    return {name: text for name, text in found.items() if not n_errors(text)}


def swapped(word: str) -> str:
    """A word with its second and third letters in the wrong order."""
    return word[:1] + word[2:3] + word[1:2] + word[3:]


Mistake = tuple[Callable[[Token], bool], Callable[[str], str], float]
MISTAKES: dict[str, Mistake] = {
    "a } is missing": (lambda token: token.kind == "RBRACE", lambda _: "", 0.01),
    "a } on a line is missing": (lambda token: token.kind == "RBRACE" and not token.is_first, lambda _: "", 0.02),
    "a } is in a comment": (lambda token: token.kind == "RBRACE", lambda sign: f"// note {sign}", 0.02),
    "a { is missing": (lambda token: token.kind == "LBRACE", lambda _: "", 0.06),
    "a : is missing": (lambda token: token.kind == "COLON", lambda _: "", 0.02),
    "a ] is missing": (lambda token: token.kind == "RSQB", lambda _: "", 0.03),
    "a ) is missing": (lambda token: token.kind == "RPAR", lambda _: "", 0.02),
    "a } too many": (lambda token: token.kind == "RBRACE", lambda sign: f"{sign} }}", 0.02),
    "a ] too many": (lambda token: token.kind in ("RBRACE", "RSQB", "RPAR"), lambda sign: f"{sign} ]", 0.01),
    "a misspelled keyword": (lambda token: KEYWORDS.fullmatch(token.text) is not None, swapped, 0.03),
    "... for content": (lambda token: token.kind == "IDENT", lambda _: "...", 0.06),
    "... in a block": (lambda token: token.kind in ("LBRACE", "LPAR"), lambda sign: f"{sign} ... ", 0.03),
}
"""For each mistake: which words it can be made of, what is typed instead, and the largest share of it with more reports
than one."""


@pytest.mark.parametrize("mistake", few(MISTAKES, 5))
def test_one_mistake_is_one_report(mistake: str, texts: dict[str, str]) -> None:
    """The share of mistakes with several reports stays small."""
    may_be, typed, most = MISTAKES[mistake]
    counts: Counter[int] = Counter()
    for name, text in texts.items():
        places = [token for token in tokenize(text).tokens[:-1] if may_be(token)]
        chance = random.Random(f"{mistake} {name}")  # noqa: S311  # places to try, no secret
        for token in chance.sample(places, min(N_PLACES, len(places))):
            counts[n_errors(f"{text[: token.start]}{typed(token.text)}{text[token.end :]}")] += 1
    n_several = sum(n for n_reports, n in counts.items() if n_reports > 1)
    assert counts.total() > 100
    assert n_several <= most * counts.total(), counts

"""Words of every script: which characters they take in, and when two of them are the same name."""

import re
import sys
from typing import Literal
from unicodedata import category, normalize

import pytest

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.syntax.letters import LETTER, end_of_word, is_mark, normalize_name
from acdl_mkdocs.language.syntax.nodes import Identifier, walk
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.language.syntax.tokenize import tokenize

Form = Literal["NFC", "NFD"]
CHARACTERS = [chr(point) for point in range(sys.maxunicode + 1)]


def test_all_marks_and_nothing_but_words() -> None:
    """Every combining mark goes on with a word, and no sign or blank does."""
    going_on = [each for each in CHARACTERS if end_of_word(f"a{each}", 1) == 2]
    assert [each for each in going_on if not each.isalnum() and not is_mark(each)] == ["_"]
    assert {category(each) for each in CHARACTERS if is_mark(each)} == {"Mn", "Mc"}
    text = "".join(f"a{each} " for each in CHARACTERS if is_mark(each))
    assert {token.text for token in tokenize(text).tokens} == {*map(normalize_name, text.split()), ""}


def test_words_are_found_with_their_marks() -> None:
    """What only looks for words takes in the letters and marks that the scanner takes in, but for a few rare ones."""
    looked_for = re.compile(LETTER)
    missed = [each for each in CHARACTERS if (each.isalnum() or is_mark(each)) and not looked_for.match(each)]
    assert {category(each) for each in missed} <= {"Nl", "No", "Lo", "Lm", "Mn", "Mc"}
    assert len([each for each in missed if category(each) != "No"]) < 30


@pytest.mark.parametrize(
    ("text", "end"),
    [("", 0), ("\u0301", 1), ("\u0301b1_ c", 4), ("\u0301\u200d", 1), ("\u0301\u200d\u2060c.", 4), ("\u0301→c", 1)],
)
def test_where_a_word_ends(text: str, end: int) -> None:
    """Invisible characters belong to a word only if it goes on after them."""
    assert end_of_word(text, 0) == end


@pytest.mark.parametrize("word", ["cafe\u0301", "नमस्ते", "ภาษาไทย", "தமிழ்", "עִבְרִית", "क्\u200dष"])
@pytest.mark.parametrize("before", ["", "@", "$", "env.", "env.a ."])
def test_one_token(word: str, before: str) -> None:
    """A word with marks is one token that ends where the word ends."""
    text = before + word
    tokens = tokenize(text + " x").tokens
    assert text[tokens[-3].start : tokens[-3].end].strip(".@$ ").endswith(word)
    assert [tokens[-3].end, tokens[-2].text, tokens[-1].kind] == [len(text), "x", "$END"]


@pytest.mark.parametrize(
    "text", ["\u0301", "1\u0301", '"a"\u0301', ")\u0301", "@\u0301", "a \u0301", "else if\u0301 x"]
)
def test_a_mark_needs_a_letter(text: str) -> None:
    """A mark that follows no letter is a sign without meaning."""
    assert "OTHER" in {token.kind for token in tokenize(text).tokens}


def test_a_keyword_with_a_mark_is_none() -> None:
    """A word that only begins like a keyword is a name."""
    assert [token.kind for token in tokenize("If\u0301 x").tokens] == ["IDENT", "IDENT", "$END"]


@pytest.mark.parametrize("defined", ["NFC", "NFD"])
@pytest.mark.parametrize("used", ["NFC", "NFD"])
def test_normalisation_makes_no_other_name(defined: Form, used: Form) -> None:
    """A fragment, a variable and a `Name` are found in either form, and the spans are those of the text."""
    one, other = normalize(defined, "résumé"), normalize(used, "résumé")
    text = f"StrFrag {one}: {{ A }}\nP[@T]: {{\n    Name {one} := f(env.q)\n    ForEach({one}: env.a) {{\n"
    text += f"        U: {{ {other}.x[@T] ${other} Frag {other} }}\n    }}\n}}\n"
    analysis = analyse(Source(text))
    assert [each for each in analysis.diagnostics if each.rule != "shadowed-name"] == []
    for node in walk(parse(Source(text)).file):
        if isinstance(node, Identifier) and node.name != "P":
            assert text[node.span.start : node.span.end] in (one, other)
            assert node.name == normalize("NFC", one)

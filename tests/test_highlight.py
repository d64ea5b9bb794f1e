"""Sources in colours: every word has its kind, as the scanner sees it, and no character gets lost."""

import re
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown import markdown
from pygments import highlight as shown_by_pygments
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename, get_lexer_for_mimetype
from pygments.token import Error
from steps import n_steps

from acdl_mkdocs.drawing.figure.describe import describe
from acdl_mkdocs.drawing.figure.theme import PALETTES
from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.highlight import STYLES, highlight_acdl
from acdl_mkdocs.frontends.docs.markdown.pygments_lexers import TOKENS, AcdlLexer
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.syntax.classify import classify
from acdl_mkdocs.language.syntax.tokenize import tokenize

ROOT = Path(__file__).parent.parent
SPECS = sorted([*(ROOT / "examples").glob("*.acdl"), *(ROOT / "tests" / "golden").rglob("*.acdl")])
FRAGMENT = "A: {\n  S: { Frag Manners }\n}\nStrFrag Manners: { BE_BRIEF }\n"
_PIECES = [
    "U:",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "@T",
    "$a",
    "env",
    ".b",
    "X",
    '"',
    "'",
    "/*",
    "*/",
    "//",
    "#",
    "\n",
    "if",
    " ",
    "event x {",
]
ANY_TEXT = st.one_of(st.text(), st.lists(st.sampled_from(_PIECES)).map("".join))


def kinds_of(text: str) -> list[tuple[str, str]]:
    """Words and their kinds, without blanks and signs between them."""
    return [(word.text, word.kind) for word in classify(text) if word.kind not in ("blank", "punctuation")]


def tag_free(html: str) -> str:
    """The text of HTML."""
    return unescape(re.sub(r"</?(?:span|bdi)[^<>]*>", "", html))


def test_kinds() -> None:
    """Each sort of word is what a reader takes it for."""
    text = 'React[@T]: { // why\n U: { Frag Docs[@T], k_docs(env.q[@T].text, 3, "x") + $docs[i].len, TASK } }'
    assert kinds_of(text) == [
        ("React", "title"),
        ("@T", "index"),
        ("// why", "comment"),
        ("U", "role"),
        ("Frag", "keyword"),
        ("Docs", "fragment"),
        ("@T", "index"),
        ("k_docs", "function"),
        ("env", "namespace"),
        (".q", "field"),
        ("@T", "index"),
        (".text", "field"),
        ("3", "number"),
        ('"x"', "string"),
        ("+", "operator"),
        ("$docs", "reference"),
        ("i", "path"),
        (".len", "reference"),
        ("TASK", "template"),
    ]


def test_words_that_are_keywords_in_some_places_only() -> None:
    """`name`, `mark` and `user` are plain names where no keyword can stand, `and` is one between operands."""
    assert kinds_of("env.mark[name] + user") == [
        ("env", "namespace"),
        (".mark", "field"),
        ("name", "path"),
        ("+", "operator"),
        ("user", "path"),
    ]
    assert kinds_of("If a and b { Name x := a }") == [
        ("If", "keyword"),
        ("a", "path"),
        ("and", "word-operator"),
        ("b", "path"),
        ("Name", "keyword"),
        ("x", "path"),
        (":=", "operator"),
        ("a", "path"),
    ]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("P[@T]: {", "P"),
        ("prompt P(@T) {", "P"),
        ("StrFrag F[x]: {", "F"),
        ("U: env.q\nP[@T.I]: {", "P"),
        ("P[a[b], c]: {", "P"),
    ],
)
def test_titles(text: str, title: str) -> None:
    """What stands before a block where an element begins is its name."""
    assert (title, "title") in kinds_of(text)


@pytest.mark.parametrize("text", ["ForEach t in xs {", "ForEach(t: xs) {", "If a and\n b {", "U: x", "Switch a {"])
def test_no_titles(text: str) -> None:
    """What a block is about is not a name of it."""
    assert "title" not in [kind for _, kind in kinds_of(text)]


@given(text=ANY_TEXT)
@example(text="a\u200bb := /* x */ 'y\r\n")
@example(text="struct x {\n // lost\n")
def test_no_character_gets_lost(text: str) -> None:
    """The words of any text are the text, and so is what Pygments and HTML show."""
    assert "".join(word.text for word in classify(text)) == text
    assert all(word.text for word in classify(text))
    tokens = list(AcdlLexer().get_tokens_unprocessed(text))
    assert "".join(value for _, _, value in tokens) == text
    assert all(at + len(value) == following for (at, _, value), (following, _, _) in pairwise(tokens))
    assert tag_free(highlight_acdl(text)) == text


@given(text=ANY_TEXT)
def test_kinds_agree_with_the_scanner(text: str) -> None:
    """Every token of the scanner is a word, and keywords and roles are exactly those of the scanner."""
    words, at = {}, 0
    for word in classify(text):
        words[at] = word
        at += len(word.text)
    for token in tokenize(text).tokens:
        if token.end > token.start:
            word = words[token.start]
            assert word.text == text[token.start : token.end]
            assert (word.kind == "role") == (token.kind == "ROLE")
            assert (word.kind == "string") == (token.kind == "STRING")
            assert word.kind != "keyword" or token.kind not in ("IDENT", "FIELDS")


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_errors(path: Path) -> None:
    """No spec, whatever is wrong with it, has a token that Pygments would frame in red."""
    text = path.read_text("utf-8")
    assert Error not in [kind for _, kind, _ in AcdlLexer().get_tokens_unprocessed(text)]
    tokens = AcdlLexer(stripnl=False, ensurenl=False).get_tokens(text)
    assert "".join(value for _, value in tokens) == text.removeprefix("\ufeff")


def test_every_kind_has_a_token() -> None:
    """Pygments knows each kind by a name of its own tree."""
    everything = "".join(path.read_text("utf-8") for path in SPECS)
    assert {word.kind for word in classify(everything)} == set(TOKENS)
    assert Error not in TOKENS.values()


def test_pygments_finds_pml() -> None:
    """Blocks of XML are XML by the names of their fences."""
    found = (get_lexer_by_name("pml"), get_lexer_by_name("laic"))
    assert {type(lexer).__name__ for lexer in found} == {"PmlLexer"}
    tokens = [value for kind, value in found[0].get_tokens('<call name="W"/>') if str(kind).startswith("Token.Name")]
    assert tokens == ["<call", "name=", "/>"]
    assert get_lexer_for_filename("x.pml.xml", "<prompt/>").name == "XML"


def test_pygments_finds_the_lexer() -> None:
    """By name, file name and type."""
    found = (
        get_lexer_by_name("acdl"),
        get_lexer_by_name("acdl-code"),
        get_lexer_for_filename("x.acdl"),
        get_lexer_for_mimetype("text/x-acdl"),
    )
    assert {type(lexer).__name__ for lexer in found} == {"AcdlLexer"}
    html = shown_by_pygments("U: env.q[@T]", found[0], HtmlFormatter())
    assert '<span class="nn">env</span>' in html
    assert '<span class="nl">@T</span>' in html


def test_code_in_markdown_is_in_colours() -> None:
    """What a page shows as code, not as a figure, is coloured by whatever the page colours code with."""
    html = markdown("    :::acdl\n    U: env.q[@T]\n", extensions=["codehilite"])
    assert '<span class="kt">U</span>' in html
    inline = markdown("`#!acdl env.q[@T]`", extensions=["pymdownx.inlinehilite"])
    assert '<span class="nn">env</span>' in inline


def test_html() -> None:
    """Words of one look share a tag; what has no colour has none; signs of HTML are escaped."""
    assert highlight_acdl("U: env.q < <b>") == (
        '<span class="acdl-k">U</span>: <span class="acdl-v">env.q</span> &lt; &lt;<span class="acdl-l">b</span>&gt;'
    )


@pytest.mark.parametrize(("theme", "page"), [("light", "#f5f5f5"), ("dark", "#272a35")])
def test_contrast(theme: str, page: str) -> None:
    """Words can be read on the ground that Material for MkDocs gives to code."""
    for style in STYLES.values():
        assert contrast(PALETTES[theme][style][0], page) >= 4.5, style


def contrast(first: str, second: str) -> float:
    """The contrast of two colours, as WCAG counts it."""
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    """How bright a colour is."""
    parts = [value / 255 for value in bytes.fromhex(colour[1:])]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(
    "part", ["P[@T]: { U: env.q[@T] }\n", "[", "(", "a[b](", "{", "x {", "/* ", '"', "struct x {\n"]
)
def test_steps_grow_with_the_length(part: str) -> None:
    """Four times the text takes about four times the steps."""

    def steps(n_parts: int) -> int:
        return n_steps(lambda: list(classify(part * n_parts)))

    few, many = steps(200), steps(800)
    assert many < 5 * few + 1_000


def test_a_fragment_has_one_colour() -> None:
    """The name of a fragment looks the same where it is defined and where it is used; that of a prompt is another."""
    html = highlight_acdl(
        "A: { S: { Frag Doc[1] } Frag Turns }\nStrFrag Doc[d]: { X }\nRolesFrag Turns: { U: env.a }\n"
    )
    assert html.count('<span class="acdl-f">Doc</span>') == html.count('<span class="acdl-f">Turns</span>') == 2
    assert html.startswith('<span class="acdl-k">A</span>')
    drawing = OUTPUTS["svg"](describe(parse_and_resolve(Source(FRAGMENT)).resolved), OutputOptions(standalone=False))
    classes = re.findall(r'class="acdl-(\w+)"[^<>]*>(?:<[^<>]*>)?Manners', drawing)
    assert drawing.count("Manners") >= 2
    assert set(classes) == {"f"}, drawing


def test_hidden_characters_are_said_and_reorder_nothing() -> None:
    """A character that hides or reorders text stands apart from it, with its number; what is copied has it still."""
    shown = highlight_acdl("User: env.q // a\u202e b\u2066\u200b, \u05d0\n\tC")
    for code in ("202E", "2066", "200B"):
        assert f'<bdi class="acdl-control" data-code="U+{code}">{chr(int(code, 16))}</bdi>' in shown
    assert shown.count("<bdi") == 3
    assert "\n\t" in shown

"""The TextMate grammars: made from the scanner's words, and of one mind with it wherever a line tells enough."""

from collections.abc import Callable, Iterator, Sequence

import pytest
from exhaustive import exhaustive
from generated_grammar import SCOPES, grammar, injected_into_markdown

from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS
from acdl_mkdocs.frontends.docs.markdown.pygments_lexers import TOKENS
from acdl_mkdocs.language.syntax.classify import classify

from .conftest import ROOT, Tokens

ASSETS = ROOT / "acdl_mkdocs" / "assets"
MADE = {"acdl.tmLanguage.json": grammar, "acdl.markdown.tmLanguage.json": injected_into_markdown}
EXAMPLES = sorted(
    path
    for path in (ROOT / "examples").rglob("*.acdl")
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
)
WRITTEN = sorted((ROOT / "tests" / "golden").rglob("*.acdl"))
SLOWEST_MS = 60_000
"""For a line of 5,000 characters, on a busy machine; a pattern that tries everything takes minutes."""
CARELESS = ("a", "a ", "A[", "a(", "{", "[x, ", "a.b", "$x[", "@T.", '"', "'", "/* ", "not ", "if ", "match a ",
            "mark '", "x: ", "Name x ", "end ", "fact x ", "Frag X[", "a and ", "- ", "# ", "\\", "😀", "{{", "{{ x(",
            "{{ {a} ", "{% ", "{# ", "{!", "a{", "Fragment X[")  # fmt: skip

TokensOf = Callable[[Sequence[tuple[str, str]]], tuple[list[Tokens], float]]


def differences(text: str, tokens: Tokens) -> Iterator[tuple[int, str, str, str]]:
    """Line, word, wanted scope and the scope that it has, for each word of which both are not of one mind."""
    scopes = list(_scopes(text, tokens))
    at = 0
    for word in classify(text):
        wanted = SCOPES.get(word.kind, "")
        for offset in range(at, at + len(word.text)):
            if wanted and not text[offset].isspace() and not any(each.startswith(wanted) for each in scopes[offset]):
                yield text.count("\n", 0, at) + 1, word.text, wanted, " ".join(scopes[offset])
                break
        at += len(word.text)


def _scopes(text: str, tokens: Tokens) -> Iterator[list[str]]:
    """The scopes of every code point: the innermost, and that of a block that is not ACDL."""
    by_line: dict[int, Tokens] = {}
    for token in tokens:
        by_line.setdefault(token[0], []).append(token)
    for number, line in enumerate(text.split("\n")):
        units = 0
        for character in line:
            inside = next((each for _, start, end, each in by_line[number] if start <= units < end), [])
            yield [*inside[-1:], *(each for each in inside if each == SCOPES["foreign"])]
            units += 1 + (character > "\uffff")
        yield []


@pytest.mark.parametrize("name", MADE)
def test_made_from_the_words_of_the_scanner(name: str, request: pytest.FixtureRequest) -> None:
    """The files are what the tables of the scanner make of them."""
    if request.config.getoption("--update-golden"):
        (ASSETS / name).write_text(MADE[name](), "utf-8")
    assert (ASSETS / name).read_text("utf-8") == MADE[name](), "make them anew: pytest tests/vscode --update-golden"


def test_every_kind_has_a_scope() -> None:
    """Kinds are those that Pygments gets too; no two of them look alike, blanks look like nothing."""
    assert set(SCOPES) == set(TOKENS) - {"blank"}
    assert len(set(SCOPES.values())) == len(SCOPES)


def test_examples_agree_word_by_word(tokens_of: TokensOf) -> None:
    """In every example each word has the scope of its kind."""
    texts = [path.read_text("utf-8") for path in EXAMPLES]
    found, _ = tokens_of([("source.acdl", text) for text in texts])
    wrong = [
        (path.name, *each)
        for path, text, tokens in zip(EXAMPLES, texts, found, strict=True)
        for each in differences(text, tokens)
    ]
    assert wrong == []


@exhaustive
def test_what_people_write_agrees_nearly_everywhere(tokens_of: TokensOf) -> None:
    """So have nearly all words of specs with tolerated spellings and mistakes, where a line does not tell all."""
    texts = [path.read_text("utf-8") for path in WRITTEN]
    found, _ = tokens_of([("source.acdl", text) for text in texts])
    n_words = sum(1 for text in texts for word in classify(text) if word.kind != "blank")
    n_wrong = sum(1 for text, tokens in zip(texts, found, strict=True) for _ in differences(text, tokens))
    assert n_words > 20_000
    assert n_wrong < n_words * 0.003


LINES = [
    ("Chat[@T]: {", "title:Chat punctuation:[ index:@T punctuation:]:{"),
    ("U: env.q[@T - 1]", "role:U punctuation:: namespace:env field:.q punctuation:[ index:@T operator:- number:1 "
     "punctuation:]"),
    ("ForEach(t: range(1, @T)) {", "keyword:ForEach punctuation:( path:t punctuation:: function:range "
     "punctuation:( number:1 punctuation:, index:@T punctuation:)){"),
    ("Frag Docs[d] // why", "keyword:Frag fragment:Docs punctuation:[ path:d punctuation:] comment:// why"),
    ("StrFrag Docs[d]: {", "keyword:StrFrag title:Docs punctuation:[ path:d punctuation:]:{"),
    ("Name x := f($y, 'a') and not BB", "keyword:Name path:x operator::= function:f punctuation:( reference:$y "
     "punctuation:, string:'a' punctuation:) word-operator:and word-operator:not template:BB"),
    ("else if a { user: b }", "keyword:else if path:a punctuation:{ role:user punctuation:: path:b punctuation:}"),
    ("PromptEndsHere when @T == #msg", "keyword:PromptEndsHere when index:@T operator:== index:#msg"),
    ("sys[agent].tool[@t].text", "namespace:sys punctuation:[ path:agent punctuation:] field:.tool punctuation:[ "
     "index:@t punctuation:] field:.text"),
    ("U: name + mark[user: 1]", "role:U punctuation:: path:name operator:+ path:mark punctuation:[ path:user "
     "punctuation:: number:1 punctuation:]"),
    ('S: "💬 hi" NAME # note', 'role:S punctuation:: string:"💬 hi" template:NAME comment:# note'),
    ("[x for x in sys.y if x]", "punctuation:[ path:x keyword:for path:x word-operator:in namespace:sys field:.y "
     "keyword:if path:x punctuation:]"),
    ("For Each doc in env.docs[@T] {", "keyword:For Each path:doc word-operator:in namespace:env field:.docs "
     "punctuation:[ index:@T punctuation:]{"),
    ("U: { RULES env.{{ field }}[@T] {% if x %} }", "role:U punctuation::{ template:RULES foreign:env.{{ field }} "
     "punctuation:[ index:@T punctuation:] foreign:{% if x %} punctuation:}"),
    ('--8<-- "rules.acdl"', 'foreign:--8<-- "rules.acdl"'),
    ("Fragment Doc[d]: { d.x }", "keyword:Fragment title:Doc punctuation:[ path:d punctuation:]:{ path:d path:.x "
     "punctuation:}"),
    ("Größe[@T]: { U: ÄÖ }", "title:Größe punctuation:[ index:@T punctuation:]:{ role:U punctuation:: template:ÄÖ "
     "punctuation:}"),
]  # fmt: skip
"""A line, and its words as a reader takes them."""


@pytest.fixture(scope="module")
def tokens_of_lines(tokens_of: TokensOf) -> dict[str, Tokens]:
    """The tokens of all lines: Node.js starts once."""
    found, _ = tokens_of([("source.acdl", line) for line, _ in LINES])
    return dict(zip((line for line, _ in LINES), found, strict=True))


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_lines(line: str, expected: str, tokens_of_lines: dict[str, Tokens]) -> None:
    """Each sort of word on a line, as a reader takes it, and as the scanner does."""
    tokens = tokens_of_lines[line]
    kinds = {scope: kind for kind, scope in SCOPES.items()}
    units = line.encode("utf-16-le")
    shown: list[tuple[str, str]] = []
    for _, start, end, scopes in tokens:
        text = units[2 * start : 2 * end].decode("utf-16-le")
        kind = "comment" if scopes[-1].startswith("comment") else kinds.get(scopes[-1], "")
        if text.strip() and shown and shown[-1][0] == kind == "punctuation":
            shown[-1] = (kind, shown[-1][1] + text.strip())
        elif text.strip():
            shown.append((kind, text.strip()))
    assert " ".join(f"{kind}:{text}" for kind, text in shown) == expected
    assert list(differences(line, tokens)) == []


PAGE = """\
# Title

```acdl show=both
U: env.q
```

1. In a list:

    ~~~{acdl}
    S: TASK
    ~~~

``` {.acdl #x}
A: resp.a
```

````acdl-diff
old: a.acdl
````

```pml
<prompt/>
```

:::{acdl}
N: X
:::

```acdlx
U: Y
```
"""


def test_fences_of_markdown(tokens_of: TokensOf) -> None:
    """Specs, blocks of options and XML are in their own colours, whatever marks and options a fence has."""
    (tokens,), _ = tokens_of([("text.html.markdown", PAGE)])
    lines = PAGE.split("\n")
    inside: dict[str, list[str]] = {}
    for line, start, end, scopes in tokens:
        inside.setdefault(lines[line][start:end].strip(), []).extend(scopes)
    for word in ("U", "S", "A", "N"):
        assert SCOPES["role"] in inside[word], word
    assert "meta.embedded.block.acdl" in inside["TASK"]
    assert "entity.name.tag.yaml" in inside["old"]
    assert "meta.tag.xml" in inside["<prompt/>"]
    assert "meta.embedded.block.acdl" not in inside["U: Y"]
    assert "fenced_code.block.language" in inside["acdl"]
    assert not [scope for scope in inside["# Title"] if "acdl" in scope]


def test_fences_are_those_that_are_drawn() -> None:
    """Every language of a block is in the grammar of Markdown."""
    text = (ASSETS / "acdl.markdown.tmLanguage.json").read_text("utf-8")
    assert [name for name in BLOCKS if name.replace("-", "\\\\-") not in text] == []


@exhaustive
def test_no_line_is_slow(tokens_of: TokensOf) -> None:
    """Lines that make careless patterns try everything."""
    begun = "P[@T]: { S: TASK }"
    texts = [f"{begun}\n{part * (5_000 // len(part))}\n{begun}" for part in CARELESS]
    _, slowest_ms = tokens_of([("source.acdl", text) for text in texts])
    assert slowest_ms < SLOWEST_MS

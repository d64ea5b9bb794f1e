"""What is offered where: the right words, only those, and none that makes a mistake when it is accepted."""

import random
from pathlib import Path

import pytest
from exhaustive import few
from steps import n_steps

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.editor.complete import complete_at
from acdl_mkdocs.frontends.editor.completion import Completion, strip_placeholders
from acdl_mkdocs.frontends.editor.cursor import CursorPosition, cut_closed_blocks
from acdl_mkdocs.frontends.editor.documents import Document, Language
from acdl_mkdocs.frontends.editor.header_offers import TABLES
from acdl_mkdocs.frontends.editor.keyword_offers import FORBIDDEN, SNIPPETS, TERMINALS, keyword_offers
from acdl_mkdocs.frontends.editor.words_about import KEYWORDS as ABOUT
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.syntax import keywords
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.language.syntax.tables import GRAMMAR
from acdl_mkdocs.language.syntax.tokenize import tokenize
from acdl_mkdocs.workspace.options import OPTIONS
from editor.marked import EXAMPLES, marked


def offered(text: str, language: Language = "acdl", **others: str) -> list[Completion]:
    """What is offered at the mark."""
    given = marked(text, language, **others)
    return list(complete_at(given.workspace, given.uri, given.offset))


FACTS = "StrFrag Facts[@t, who]: { FACTS }\nRolesFrag Past[@t]: { U: env.old[@t] }\n"
ROLES = "S U A T N"


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        pytest.param("|", "spec StrFrag RolesFrag", "S ForEach env break", id="top of a file"),
        pytest.param(
            "P[@T]: {\n    |\n}",
            f"{ROLES} ForEach If Switch Mark Name PromptEndsHere",
            "env Else break StrFrag",
            id="messages",
        ),
        pytest.param(
            "P[@T]: {\n    U: |\n}\nQ: { S: A_B env.x[@T] }", "env sys resp A_B", "S ForEach Name", id="one line"
        ),
        pytest.param("P[@T]: {\n    U: { | }\n}", "env ForEach If Name", "S U StrFrag", id="inside a message"),
        pytest.param("P[@T]: { If (a) { U: b }\n    | }", "Else ElseIf S", "Case", id="after If"),
        pytest.param("P[@T]: { S: x\n    | }", "S", "Else ElseIf Case", id="after no If"),
        pytest.param("P[@T]: { Switch a {\n    | } }", "Case Default", "S If env", id="in Switch"),
        pytest.param("P[@T]: { ForEach(t: range(1, @T)) {\n    | } }", "S break continue", "Else", id="in a loop"),
        pytest.param("P[@T]: { ForEach(t: |", "range env", "ForEach S", id="what a loop runs over"),
        pytest.param("P[@T]: { ForEach(|", "", "env S range", id="a new variable"),
        pytest.param(
            "P[@T, who]: { ForEach(t: range(1, @T)) { U: env.x[|] } }", "@t @T who @t-1", "ForEach S", id="index"
        ),
        pytest.param("P[@T]: { Name best := f(x)\n U: $| }", "$best", "env", id="names"),
        pytest.param("P[@T]: { Name |", "", "env S", id="a new name"),
        pytest.param(
            "P[@T]: { ForEach(doc: env.docs) { U: { doc.title }\n U: { doc.| } } }",
            "title",
            "env",
            id="fields of a loop variable",
        ),
        pytest.param("P[@T]: { U: env.user.name[@T]\n A: env.| }", "user", "env", id="members"),
        pytest.param(
            "P[@T]: { U: env.user[@T].name\n A: env.user[@T].| }", "name", "user", id="members behind an index"
        ),
        pytest.param("P[@T]: { If (env.a[@T] | ) { } }", "and or", "S", id="in a condition"),
        pytest.param("P[@T]: { PromptEndsHere | }", "when", "S", id="when"),
        pytest.param(FACTS + "P[@T]: { U: { | } }", "Frag·Facts", "Frag·Past", id="fragments inside a message"),
        pytest.param(FACTS + "P[@T]: { | }", "Frag·Past", "Frag·Facts", id="fragments between messages"),
        pytest.param(FACTS + "P[@T]: { U: Frag | }", "Facts", "Past env", id="after Frag"),
        pytest.param("P: { // acdl: | }", "range allow use", "env S", id="pragma"),
        pytest.param("P: { // acdl: allow(nested|", "nested-role", "env", id="rules"),
        pytest.param("// acdl: range=|", "half-open inclusive", "env", id="values of a pragma"),
        pytest.param("// |", "acdl: title:", "env S", id="comment"),
        pytest.param('P: { U: "a |', "", "env S", id="string"),
        pytest.param("Q[@T]: { U: a }\nP[|", "@T @T.I", "not env max", id="brackets of a title"),
        pytest.param("P[@T]: { Name y := f(1) Name x := |", "$y", "$x", id="the value of a name"),
        pytest.param("P[@T]: { Name x := f(g(|", "max", "$x", id="arguments in the value of a name"),
        pytest.param("P[@T]: { U: { Name x := f(1)\n | } }", "$x", "", id="behind the value of a name"),
        pytest.param("P[@T]: {\n  x = f(1)\n  U: $|\n}", "$x", "", id="a name without its keyword"),
        pytest.param(
            "P[@T]: {\n  Name y := f(1)\n  x = g(|", "$y max", "$x", id="the value of a name without its keyword"
        ),
        pytest.param("P[@T]: {\n  Name y := f(1)\n  g() = h(|", "$y max", "", id="the value of what is not a name"),
        pytest.param(
            "P[@T]: { ForEach(t: range(1, @T)) { ForEach(i: range(1, @t.substeps)) { U: env.a[@t.|] } } }",
            "i substeps *",
            "t env",
            id="steps",
        ),
        pytest.param("P[@T.I]: { U: env.a[@T.|] }", "I substeps", "env", id="steps of a title"),
        pytest.param("P[@T.I]: { U: env.a[@|] }", "@T.I @T @T-1", "env", id="times of a title with steps"),
        pytest.param(
            "P[@T]: { If (env.a == busy) { U: b }\n If (env.a != |) { } }",
            "none true false empty busy",
            "b S",
            id="what something is compared with",
        ),
        pytest.param("P[@T]: { Switch env.m { Case quick { U: a }\n Case | } }", "quick none", "Default S", id="cases"),
        pytest.param("P[@T]: { If (env.a < |) { } }", "env", "none true", id="what is less than something"),
        pytest.param(FACTS + "// variant-of: |", "Facts Past", "env S", id="variants"),
        pytest.param("P: { |: PERSONA }", f"{ROLES}", "S:·{…} U:·{…}", id="a role before its colon"),
    ],
)
def test_offers(text: str, wanted: str, unwanted: str) -> None:
    """Each place has its words, also while the text is broken."""
    labels = {each.label.replace(" ", "·") for each in offered(text)}
    assert set(wanted.split()) <= labels
    assert labels.isdisjoint(unwanted.split())
    if not wanted:
        assert labels == set()


@pytest.mark.parametrize(
    ("text", "label", "insert"),
    [
        ("P[@T]: { S: env.q[@T]\n ForEach(t: range(1, @T)) { U: | } }", "env.q", "env.q[@t]"),
        ("P[@T]: { S: env.q[@9]\n U: | }", "env.q", "env.q[@T]"),
        ("P[@T]: { S: env.q[who]\n U: | }", "env.q", "env.q[${1:who}]"),
        ("P[@T]: { S: env.q[@T]\n U: |[@T] }", "env.q", "env.q"),
        (FACTS + "P[@T]: { U: { | } }", "Frag Facts", "Frag Facts[${1:@t}, ${2:who}]"),
        ("P[@T]: { | }", "S", "S: $0"),
    ],
)
def test_what_is_written(text: str, label: str, insert: str) -> None:
    """A variable gets the time in scope, a fragment places for its arguments."""
    assert next(each.insert for each in offered(text) if each.label == label) == insert


@pytest.mark.parametrize(
    "text",
    [
        "```acdl spec=|\nP: { S: A }\n```\n",
        '```acdl spec="|"\nP: { S: A }\n```\n',
        "```acdl\nP: { S: A }\n```\n\nSee [[acdl:|]].\n",
        "```acdl\nP: { S: A }\n```\n\nSee [[acdl:P|\n",
        "```acdl\nP: { S: A }\n```\n\nSee [a](acdl:|)\n",
        "```acdl\nP: { S: A }\n```\n\n[a]: acdl:|\n",
    ],
)
def test_names_of_specs_on_pages(text: str) -> None:
    """An opening line and a mention are offered the specs of the workspace."""
    assert [each.label for each in offered(text, "markdown", other="Q: { S: B }\n")] == ["P", "Q"]


@pytest.mark.parametrize(
    ("snippet", "plain"),
    [
        ("S: $0", "S: "),
        ("env.q[${1:who}]", "env.q[who]"),
        ("range(${1:1}, ${2:@T})", "range(1, @T)"),
        ("f($1)", "f("),
        ("ForEach(${1:t}: ${2:range(1, @T)}) {\n    $0\n}", "ForEach(t: range(1, @T)) {"),
        ("Frag F[${1:\\$x}, ${2:a\\}b}]", "Frag F[$x, a}b]"),
        ("a\\\\b\\$1", "a\\b$1"),
    ],
)
def test_without_places(snippet: str, plain: str) -> None:
    """An editor without snippets gets their usual text, up to what has to be written."""
    assert strip_placeholders(snippet) == plain


def test_nearer_words_come_first() -> None:
    """A variable of the same spec stands before one of the file, and that before one of another file."""
    text = "Q: { U: env.of_file }\nP[@T]: { S: env.zz_of_spec\n U: | }"
    labels = [each.label for each in offered(text, other="R: { U: env.a_of_workspace }")]
    found = [each for each in labels if each.startswith("env.")]
    assert found == ["env.zz_of_spec", "env.of_file", "env.a_of_workspace"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("```|", set(TABLES)),
        ("```acdl |\nS: A\n```\n", set(OPTIONS)),
        ("- a\n\n    ```acdl show=side |\n    S: A\n    ```\n", set(OPTIONS) - {"show"}),
        ("```acdl show=|\nS: A\n```\n", {"both", "side", "figure", "source", "text"}),
        ("```python |\n", set()),
        ("words |\n", set()),
    ],
)
def test_opening_lines(text: str, wanted: set[str]) -> None:
    """The opening line of a fence has its languages, options and values."""
    assert {each.label for each in offered(text, "markdown")} == wanted


def test_fence() -> None:
    """A block of a page may do without a title, and knows the fragments of others."""
    labels = {each.label for each in offered(f"```acdl\n{FACTS}```\n\n> ```acdl\n> S: |\n> ```\n", "markdown")}
    assert {"Frag Facts", "env"} <= labels
    assert "S" in {each.label for each in offered("```acdl\n|\n```\n", "markdown")}


def test_keywords_are_those_of_the_language() -> None:
    """No documented keyword lacks its terminal, its snippet or its sentence, and every terminal is in the grammar."""
    grammar = GRAMMAR.read_text("utf-8")
    assert set(keywords.KEYWORDS) | set(keywords.INNER_WORDS) | {"break", "continue"} == set(TERMINALS)
    assert all(word in SNIPPETS for word in keywords.KEYWORDS)
    assert set(TERMINALS) <= set(ABOUT)
    declared = set(" ".join(line for line in grammar.splitlines() if line.startswith("%declare")).split())
    assert set(TERMINALS.values()) <= declared


def test_keywords_are_those_of_the_grammar() -> None:
    """Where a statement may begin, those words are offered that the parser takes and the language lets stand."""
    heads = ["", "P[@T]: {\n ", "P[@T]: {\n U: {\n ", "P[@T]: {\n ForEach(t: range(1, @T)) {\n ", "StrFrag F: {\n "]
    heads += ["P[@T]: { If (a) { U: b }\n ", "P[@T]: { Switch a {\n ", "P[@T]: {\n ForEach(t: range(1, @T)) { U: {\n "]
    for head in heads:
        cursor = CursorPosition(head, len(head))
        labels = {each.label for each in keyword_offers(cursor, is_fence=False)}
        loops = {"break", "continue"} if not cursor.is_in_loop else set()
        wanted = {
            word
            for word, kind in TERMINALS.items()
            if kind in cursor.partial_parse.expected
            and kind not in FORBIDDEN[cursor.scope]
            and kind not in ("NOT", "AND", "OR")
        }
        assert labels & set(TERMINALS) - {"not"} == wanted - loops - {"in", "every"}, head


def n_problems(text: str) -> int:
    """How many syntax errors a text has."""
    return len(parse(Source(text)).diagnostics)


@pytest.mark.parametrize("path", few(EXAMPLES, 5), ids=lambda path: path.stem)
def test_no_offer_makes_a_mistake(path: Path) -> None:
    """Whatever is complete as it stands can be accepted at any place of any example, whole or cut off there."""
    whole = path.read_text("utf-8")
    chance = random.Random(path.stem)  # noqa: S311 - the same places each time
    n_tried = 0
    for offset in chance.sample(range(len(whole)), 40):
        kinds = [token.kind for token in tokenize(whole[:offset]).tokens]
        n_open = max(0, kinds.count("LBRACE") - kinds.count("RBRACE"))
        for text in (whole, f"{whole[:offset]}\n{'}' * n_open}"):
            document = Document("file:///chat.acdl", text, "acdl")
            found = complete_at(Workspace({document.uri: document}), document.uri, offset)
            kept = {each.kind: each for each in found if not each.is_snippet}
            before = n_problems(text) if kept else 0
            for each in kept.values():
                after = text[: each.span.start] + each.insert + text[each.span.end :]
                assert n_problems(after) <= before, (text[max(0, offset - 60) : offset], each.insert)
                n_tried += 1
    assert n_tried


def test_long_texts_are_read_in_part() -> None:
    """Of closed blocks only the braces are left, of open ones the last lines, so that a long spec takes no longer."""
    assert cut_closed_blocks("P: { U: { A }\n S: { B\n C") == "P: { U: {}\n S: { B\n C"
    long = "P: {\n" + "U: { A }\n" * 5000 + "S: { B "
    assert len(cut_closed_blocks(long)) < 1000
    assert CursorPosition(long, len(long)).scope == "content"


@pytest.mark.parametrize(
    "text",
    [
        "If @T > 99( {\n    ForEach(i: range(|",
        "for t in range(@T,( @T-900, 100)]\n  x If @T > 99( {\n  F\U0001f600o(i) {\n  s|",
        "} } {{ [(|",
        '"|',
        "\0|",
        "/* |",
        "@|$x",
    ],
)
def test_broken_texts(text: str) -> None:
    """Whatever stands before the place, there is an answer."""
    assert all(each.insert for each in offered(text))


def test_it_is_quick() -> None:
    """In a spec of 2,000 lines there are offers at once, although the text was never read before."""
    text = "P[@T]: {\n" + "".join(f"    U: {{\n        env.a{n}[@T]\n        sys.b{n}.c\n    }}\n" for n in range(500))
    given = marked(f"{text}    A: {{ | }}\n}}\n")
    assert n_steps(lambda: complete_at(given.workspace, given.uri, given.offset)) < 300_000
    found = complete_at(given.workspace, given.uri, given.offset)
    assert len(found) > 1000

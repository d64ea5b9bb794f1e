"""What is said of what stands at a place."""

import pytest
from exhaustive import few
from generated_docs import ROOT
from steps import n_steps

from acdl_mkdocs.frontends.editor.hover import explain_rule_briefly, hover_at
from acdl_mkdocs.frontends.editor.keyword_offers import TERMINALS
from acdl_mkdocs.frontends.editor.words_about import KEYWORDS, NAMESPACES, REFERENCE
from acdl_mkdocs.language.rules import RULES
from editor.marked import EXAMPLES, example, marked

CHAT = """\
// What is known of a person.
StrFrag Facts[@t, who]: {
    sys.profile[@t, who]
    env.question[@t]
}
Chat[@T]: {
    S: { INSTRUCTIONS(sys.language) Frag Facts[@T-1, bob] }
    ForEach(k: range(1, @T)) {
        U: env.question[@k]
    }
    ForEach(doc: env.documents) { A: doc.title }
    Name best := search(env.question[@T]) // the nearest
    U: { $best.title env.plan[@T.I, place] max(1, 2) }
    U: resp.answer[@T-3]
}
"""
STATE = """\
acdl_state: 1
spec: Chat
steps:
  1: {env: {question: "first? password=hunter2secret99x"}}
  2: {env: {question: second}}
  3: {env: {question: "LONG"}, sys: {profile: {bob: tall}}}
""".replace("LONG", "long " * 200)


def said(word: str, n: int = 0, state: str = "") -> str:
    """What is said of the n-th place that has a word."""
    at = -1
    for _ in range(n + 1):
        at = CHAT.index(word, at + 1)
    found = marked(CHAT, state=state)
    told = hover_at(found.workspace, found.uri, at + 1, "https://docs.example/")
    return told.markdown if told else ""


@pytest.mark.parametrize(
    ("word", "n", "parts"),
    [
        ("StrFrag", 0, ["**StrFrag**", f"https://docs.example/{REFERENCE}#strfrag"]),
        ("ForEach", 0, ["**ForEach**", "#foreach"]),
        ("Name best", 0, ["**Name**"]),
        ("range", 0, ["**range**", "#ranges"]),
        ("Frag Facts[@T", 0, ["**Frag**"]),
        ("Facts[@T", 0, ["StrFrag Facts[@t, who]: {", "What is known of a person.", "`@t` is `@T-1`, `who` is `bob`"]),
        ("Facts[@t", 0, ["**Facts**: fragment with pieces", "used in 1 place"]),
        ("S: {", 0, ["**System message**"]),
        ("INSTRUCTIONS", 0, ["template", "1 text"]),
        ("search", 0, ["**search**: function", "1 argument"]),
        ("max", 0, ["**max**: The largest"]),
        ("env.question[@k]", 0, ["variable of `env`", "indexed by `@k`", "used in 3 places"]),
        ("who", 1, ["**who**: parameter of the fragment `Facts`"]),
        ("k: range", 0, ["variable of the loop", "from `1` to before `@T`"]),
        ("doc.title", 0, ["**doc**: variable of the loop, each of `env.documents`"]),
        ("$best", 0, ["Name best := search(env.question[@T])", "the nearest"]),
        ("@T-1", 0, ["`@T-1`: the turn before the present one"]),
        ("@T-3", 0, ["`@T-3`: three turns before the present one"]),
        ("@k]", 0, ["`@k`: turn `@k` (each from `1` to before `@T`)"]),
        ("@T.I", 0, ["`@T.I`: step `I` of the current turn"]),
        ("Chat", 0, ["**Chat**: spec"]),
    ],
)
def test_said(word: str, n: int, parts: list[str]) -> None:
    """Every kind of thing is explained."""
    text = said(word, n)
    assert all(part in text for part in parts), text


def test_nothing_is_said_of_blanks_and_comments() -> None:
    """Between words and in comments there is nothing to say."""
    assert said("// What") == ""
    assert said("    sys.profile") == ""


def test_problems_are_explained() -> None:
    """The reason of a rule stands beside what the editor says itself."""
    found = marked("P[@T]: { A: resp.an|swer[@T] }")
    told = hover_at(found.workspace, found.uri, found.offset)
    assert told is not None
    assert "**resp-before-answer**: " + explain_rule_briefly("resp-before-answer") in told.markdown
    assert explain_rule_briefly("resp-before-answer")
    assert all(explain_rule_briefly(name) for name in RULES)
    assert explain_rule_briefly("syntax")


def test_values() -> None:
    """With a state beside it, content has its values: every round, short, without secrets."""
    text = said("env.question[@k]", state=STATE)
    assert "at `@3`: `env.question[@1]` is `first? password=[redacted]`" in text
    assert "`env.question[@2]` is `second`" in text
    assert "hunter2" not in text
    assert "is `tall`" not in said("sys.language", state=STATE)
    assert "at `@3`" not in said("env.question[@k]")
    assert max(map(len, text.splitlines())) < 250


def test_pages_and_fences() -> None:
    """In a fence the span is that of the page."""
    found = marked("# A\n\n> ```acdl\n> U: env.qu|ery[@T]\n> ```\n", "markdown")
    told = hover_at(found.workspace, found.uri, found.offset)
    assert told is not None
    assert found.text[told.span.start : told.span.end] == "env.query[@T]"
    assert hover_at(found.workspace, found.uri, 0) is None


def test_every_word_has_its_section() -> None:
    """What is linked to is there, and every keyword is explained."""
    page = (ROOT / "site_src" / f"{REFERENCE.rstrip('/')}.md").read_text("utf-8")
    anchors = {about.anchor for about in (*KEYWORDS.values(), *NAMESPACES.values())} | {"turns", "messages"}
    assert [each for each in anchors if f"{{ #{each} }}" not in page] == []
    assert set(TERMINALS) <= set(KEYWORDS)


@pytest.mark.parametrize("path", few(EXAMPLES, 4), ids=lambda path: path.stem)
def test_any_place_of_any_example(path: object) -> None:
    """Nothing fails anywhere, and what is said is about a part of the text that holds the place."""
    found = example(path)  # type: ignore[arg-type]
    n_said = 0
    for offset in range(0, len(found.text), 7):
        told = hover_at(found.workspace, found.uri, offset)
        if told is not None:
            assert told.span.start <= offset <= told.span.end
            n_said += bool(told.markdown.strip())
    assert n_said > 2


def test_broken_text() -> None:
    """What is understood of a broken text is explained all the same."""
    found = marked("P[@T]: { U: env.qu|ery[@T]\n If ) = ( {\n")
    told = hover_at(found.workspace, found.uri, found.offset)
    assert told is not None
    assert "env.query" in told.markdown


def steps_of_hovers(size: int) -> int:
    """What it costs to explain a hundred places of a text that has been read."""
    text = "".join(f"P{n}[@T]: {{\n    U: env.a{n}[@T]\n    A: resp.b{n}[@T-1]\n}}\n" for n in range(size))
    found = marked(text)
    hover_at(found.workspace, found.uri, 20)
    return n_steps(lambda: [hover_at(found.workspace, found.uri, offset) for offset in range(1000, 1100)])


def test_it_is_quick() -> None:
    """A word of a long text is explained at once: four times the text takes no more than four times the steps."""
    few, many = steps_of_hovers(125), steps_of_hovers(500)
    assert many < 4.5 * few
    assert many < 3_000_000


@pytest.mark.parametrize(
    ("header", "over", "words"),
    [
        ("// acdl: range=inclusive", "range(1, @T)", "each from `1` to `@T`"),
        ("// acdl: range=half-open", "range(1, @T)", "each from `1` to before `@T`"),
    ],
)
def test_what_a_loop_runs_over(header: str, over: str, words: str) -> None:
    """The last value is said as ranges are read in the text."""
    text = f"{header}\nP[@T]: {{\n    ForEach(|k: {over}) {{ U: env.a[@k] }}\n}}\n"
    for given in (marked(text), marked(text.replace("|", "").replace("[@k]", "[@|k]"))):
        told = hover_at(given.workspace, given.uri, given.offset)
        assert told
        assert words in told.markdown


@pytest.mark.parametrize(
    "text",
    [
        "See [[acdl:Fa|cts]].\n",
        '```acdl spec="Fa|cts"\nP: { S: A }\n```\n',
        "```acdl\n// variant-of: Fa|cts\nP: { S: A }\n```\n",
    ],
)
def test_names_outside_of_specs(text: str) -> None:
    """Where a page or a comment names a spec, that is told as at its title."""
    given = marked(text, "markdown", other="\n// What is known.\nStrFrag Facts[@t]: { FACTS }\n")
    told = hover_at(given.workspace, given.uri, given.offset)
    assert told
    assert given.text[told.span.start : told.span.end] == "Facts"
    assert told.markdown.startswith("**Facts**: fragment with pieces\n\nWhat is known.")
    assert told.markdown.endswith("defined in `other.acdl`")


def test_prose_says_nothing() -> None:
    """Prose, a mention of nothing and an empty line have no hover."""
    for text in ("Fa|cts\n", "[[acdl:No|body]]\n", "|\n"):
        given = marked(text, "markdown", other="StrFrag Facts[@t]: { FACTS }\n")
        assert hover_at(given.workspace, given.uri, given.offset) is None


def test_a_fragment_of_another_file_is_named_without_folders() -> None:
    """Its file is called by its name alone: where the project lies is of no interest."""
    given = marked("P[@T]: { S: { Frag Fa|cts[@T] } }\n", other="StrFrag Facts[@t]: { FACTS }\n")
    told = hover_at(given.workspace, given.uri, given.offset)
    assert told
    assert "defined in `other.acdl`, line 1" in told.markdown

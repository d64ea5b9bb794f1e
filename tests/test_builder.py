"""Specs made of parts: the same as those that are read from text, and problems with a path instead of a place."""

import re
from pathlib import Path

import pytest
from exhaustive import examples
from hypothesis import given
from strategies import EXAMPLES, files

from acdl_mkdocs import Config, View, parse
from acdl_mkdocs.app import builder
from acdl_mkdocs.app.builder import (
    BuiltSpec,
    Part,
    assistant,
    break_,
    build,
    case,
    comment,
    completion,
    continue_,
    default,
    ends_here,
    for_each,
    if_,
    mark,
    name,
    parts_of,
    prompt,
    roles_fragment,
    string_fragment,
    switch,
    system,
    text,
    tool,
    use,
    user,
)
from acdl_mkdocs.app.python import Spec
from acdl_mkdocs.evaluation.transcript import SentMessage
from acdl_mkdocs.foundation.errors import BuildError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.format import format_text

EVERYTHING = build(
    comment("title: Everything"),
    prompt(
        "Everything",
        system("INSTRUCTIONS", text("be brief")).noted("what never changes"),
        name("docs", "find(env.question[@T])"),
        for_each(
            "@t",
            "range(1, @T)",
            user("env.question[@t]"),
            if_("sys.done[@t]", break_()).elif_("sys.skip[@t]", continue_()).else_(assistant("resp.answer[@t]")),
        ),
        switch("sys.mode", case('"long"', user(use("Doc", "$docs"))), default(use("Turn", "@T"))),
        mark(1, tool("sys.result[@T]")),
        ends_here("sys.last"),
        user("env.question[@T]", "(sys.more)"),
        at="@T.I",
    ),
    string_fragment("Doc", "doc.text", parameters="doc"),
    roles_fragment("Turn", user("env.question[@t]"), parameters="@t"),
)
TEXT = """\
// title: Everything
Everything[@T.I]: {
    S: { // what never changes
        INSTRUCTIONS
        "be brief"
    }
    Name docs := find(env.question[@T])
    ForEach(@t: range(1, @T)) {
        U: env.question[@t]
        If sys.done[@t] {
            break
        }
        ElseIf sys.skip[@t] {
            continue
        }
        Else {
            A: resp.answer[@t]
        }
    }
    Switch sys.mode {
        Case "long" {
            U: Frag Doc[$docs]
        }
        Default {
            Frag Turn[@T]
        }
    }
    Mark 1 {
        T: sys.result[@T]
    }
    PromptEndsHere when sys.last
    U: {
        env.question[@T];
        (sys.more)
    }
}

StrFrag Doc[doc]: {
    doc.text
}

RolesFrag Turn[@t]: {
    U: env.question[@t]
}
"""


def lines(given: str) -> list[str]:
    """The lines of a text, a comment behind a `}` on its own, without blank ones and indentation."""
    apart = re.sub(r"\} (//.*)", r"}\n\1", given)
    return [line.strip() for line in apart.splitlines() if line.strip()]


def assert_round_trip(given: str) -> None:
    """Taken apart and put together, a text is itself: its lines, its figure, its problems; so is what `repr` writes."""
    normal = format_text(Source(given)).text  # also where a rule finds an error
    parts = parts_of(given)
    made = build(*parts)
    assert lines(str(made)) == lines(normal)
    assert made.render("text", view=View(comments=False)) == parse(normal).render("text", view=View(comments=False))
    assert [each.rule for each in made.check()] == [each.rule for each in parse(normal).check()]
    assert eval(repr(parts), {"Part": Part}) == parts  # noqa: S307 - our own words
    assert parts_of(made) == parts


def test_every_kind_of_part() -> None:
    """Each function makes what its name says, in the normal form."""
    assert str(EVERYTHING) == TEXT
    public = {each for each in vars(builder) if not each.startswith("_")}
    made = {"assistant", "break_", "case", "comment", "content", "continue_", "default", "ends_here", "for_each", "if_"}
    made |= {"mark", "name", "prompt", "roles_fragment", "string_fragment", "switch", "system", "text", "tool", "use"}
    assert made | {"completion", "user", "build", "parts_of", "Part", "BuiltSpec", "BuiltProblem"} <= public
    assert str(build(prompt("P", completion("CODE")))) == "P[@T]: {\n    N: CODE\n}\n"


def test_as_text() -> None:
    """Figure, checks and messages are those of the same text."""
    read = parse(TEXT)
    state = {"acdl_state": 1, "env": {"question": {"1": "Why?"}}, "sys": {"mode": "short"}}
    asked = prompt("Asked", system(text("be brief")), user("env.question[@T]"))

    def sent(spec: Spec) -> list[tuple[str, str]]:
        messages: tuple[SentMessage, ...] = spec.messages(state, "1")
        return [(each.role, each.text) for each in messages]

    assert EVERYTHING.render() == read.render()
    assert [each.rule for each in EVERYTHING.check()] == [each.rule for each in read.check()]
    assert sent(build(asked)) == sent(parse(str(build(asked)))) == [("system", "be brief"), ("user", "Why?")]
    assert EVERYTHING.diff(TEXT).is_empty
    assert EVERYTHING._repr_svg_() == read._repr_svg_()


def test_problems_have_paths() -> None:
    """A problem says which part has it, as Python finds it; that of a missing value too."""
    made = build(
        prompt("Chat", system("RULES"), if_("sys.a", user("A1")).else_(user("B1", "$gone"))),
        comment("one\ntwo"),
        prompt("Other", user("$absent")),
    )
    assert [str(each) for each in made.check()] == [
        "Chat.body[1].then[0].body[0].body[1]: error[undefined-name]: no `Name` defines `$gone`",
        "Other.body[0].body[0]: error[undefined-name]: no `Name` defines `$absent`",
    ]
    assert made.parts[0].body is not None
    assert made.parts[0].body[1].then[0].body == (user("B1", "$gone"),)
    with pytest.raises(Exception, match=r"^Chat\.body\[0\]\.body\[0\]: error\[missing-value\]"):
        build(prompt("Chat", user("env.q[@T]"))).messages({"acdl_state": 1, "env": {"q": {"2": "x"}}}, "1")


def test_line_ends_of_comments(tmp_path: Path) -> None:
    """Every line of a comment is one, also after the text was written to a file and read again."""
    made = build(comment("one\r\ntwo\rQ[@T]: { U: three }"), prompt("P", user("env.q[@T]")))
    assert str(made).startswith("// one\n// two\n// Q[@T]: { U: three }\nP[@T]: {")
    path = tmp_path / "made.acdl"
    path.write_text(str(made), "utf-8")
    assert str(parse(path)) == str(made)


def test_snippet() -> None:
    """Without a title, statements are a spec as they are in a page; a strict configuration says so."""
    assert not build(user("env.q[@T]")).check()
    (found,) = build(user("env.q[@T]"), config=Config()).check()
    assert str(found).startswith("[0]: error[snippet-in-file]")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: user("} U: x {"), "`} U: x {` is not one statement of ACDL: `}` closes nothing"),
        (lambda: user("a b"), "`a b` is not one statement of ACDL: expected one line without a comment"),
        (lambda: user(""), "`` is not one statement"),
        (lambda: user("a // c"), "`a // c` is not one"),
        (lambda: user("a } S: { b"), "`a } S: { b` is not one"),
        (lambda: for_each("t", "a) { } } U: { b } If (c", user("d")), "is not one"),
        (lambda: prompt("P", "break } If a {"), "is not one"),
        (lambda: user("/* a */", "b"), "`/* a */` is not one"),
        (lambda: user("; # a"), "`; # a` is not one"),
        (lambda: user("a\n// c"), "is not one"),
        (lambda: user("U: env.q"), "`U: env.q` is not one"),
        (lambda: prompt("Two words", user("x")), "expected the head of one block"),
        (lambda: prompt("P", user("x"), at="@T]: { } Q[@T"), "is not one"),
        (lambda: for_each("t", "range(1, @T)) { } ForEach(s: x", user("y")), "is not one"),
        (lambda: if_("", user("y")), "`If` has no condition"),
        (lambda: if_("a", user("y")).elif_("b { } If c", user("z")), "is not one"),
        (lambda: text("two\nlines"), "is not one"),
        (lambda: text("two\rlines"), "is not one"),
        (lambda: Part("// two\rlines"), "is not one"),
        (lambda: text("both ' and \""), "is not one"),
        (lambda: parts_of("U: {"), "error[unbalanced-block]"),
    ],
)
def test_what_is_no_part(make: object, said: str) -> None:
    """What is not one statement is refused when it is made, so that no text can become something else."""
    assert callable(make)
    with pytest.raises(BuildError, match=re.escape(said)):
        make()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    """Every example survives being taken apart."""
    given = path.read_text("utf-8")
    if not any(each.severity == "error" for each in parse(given).diagnostics):
        assert_round_trip(given)


@given(files)
@examples(60)
def test_any_file(given_text: str) -> None:
    """So does any file that is written as it should be."""
    if not any(each.severity == "error" for each in parse(given_text).diagnostics):
        assert_round_trip(given_text)


def test_type() -> None:
    """What is built is a spec like any other, and says what it is."""
    assert isinstance(EVERYTHING, BuiltSpec)
    assert repr(EVERYTHING) == "<BuiltSpec <built>: Everything, Doc, Turn>"

"""Where each comment belongs: beside an element, beside an opening brace, or on a line of its own."""

import pytest

from acdl_mkdocs.app.python import render
from acdl_mkdocs.drawing.figure.describe import View
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.nodes import Arm, Comment, If, walk
from acdl_mkdocs.language.syntax.parse import parse


def drawn(body: str) -> list[str]:
    """The lines of the figure of a spec with that body, without its title."""
    return [line.strip() for line in render(f"P[@T]: {{\n{body}\n}}", "text", view=View(header=True)).splitlines()[1:]]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("U: env.q // c", ["Role: User", "env.q // c"]),
        ("U: env.q, // c", ["Role: User", "env.q // c"]),
        ("U: env.q; // c", ["Role: User", "env.q // c"]),
        ("U: { // c\nenv.q\n}", ["Role: User // c", "env.q"]),
        ("U: {\n// c\nenv.q\n}", ["Role: User", "// c", "env.q"]),
        ("U: {\nenv.q\n// c\n}", ["Role: User", "env.q", "// c"]),
        ("U: {\nenv.q // c\n// d\n}", ["Role: User", "env.q // c", "// d"]),
        ("U: {\nenv.a env.b // c\n}", ["Role: User", "env.a", "env.b // c"]),
        ("If x { // c\nS: A\n}", ["If x // c", "Role: System", "A"]),
        ("If x { S: A }\n// c\nElse { S: B }", ["If x", "Role: System", "A", "// c", "Else", "Role: System", "B"]),
        ("If x { S: A } // c\nElse { S: B }", ["If x", "Role: System", "A", "// c", "Else", "Role: System", "B"]),
        ("If x { S: A } Else { // c\nS: B }", ["If x", "Role: System", "A", "Else // c", "Role: System", "B"]),
        ("Switch m { // c\nCase a { S: A }\n// d\n}", ["Switch m // c", "Case a", "Role: System", "A", "// d"]),
        ("Switch m {\n// c\nCase a { S: A }\n}", ["Switch m", "// c", "Case a", "Role: System", "A"]),
        ("Name x := f(a) // c", ["Name x := f(a) // c"]),
        ("PromptEndsHere // c", ["PromptEndsHere // c"]),
        ("PromptEndsHere when x // c", ["PromptEndsHere when x // c"]),
        ("ForEach(t: // c\nenv.xs) { S: A }", ["// c", "ForEach t : env.xs", "Role: System", "A"]),
        ("# c\nS: A", ["// c", "Role: System", "A"]),
        ("/* c */ S: A", ["// c", "Role: System", "A"]),
        ("//", ["//"]),
    ],
)
def test_place_of_a_comment(body: str, lines: list[str]) -> None:
    """A comment stands where a reader expects it."""
    assert drawn(body) == lines


def test_a_comment_does_not_end_a_conditional() -> None:
    """A comment between `}` and `Else` is part of the conditional."""
    file = parse(Source("P[@T]: { If x { S: A }\n// c\nElse { S: B } }")).file
    [conditional] = [node for node in walk(file) if isinstance(node, If)]
    assert [type(arm) for arm in conditional.arms] == [Arm, Comment, Arm]


@pytest.mark.parametrize("text", ['P: { S: "// no" }', 'P: { S: "# no" }', 'P: { S: "/* no */" }', "P: { S: A(#msg) }"])
def test_no_comment(text: str) -> None:
    """Inside a string nothing is a comment, and `#msg` is a word."""
    parsed = parse(Source(text))
    assert not parsed.diagnostics
    assert not any(isinstance(node, Comment) for node in walk(parsed.file))


def test_text_of_a_comment() -> None:
    """The sign and the blanks around are not part of the text; everything else is."""
    text = "//  a // b  \n# c\n/* d\n   e */\n/// f\n//{ ) \" '\n"
    file = parse(Source(text)).file
    assert [node.text for node in file.items if isinstance(node, Comment)] == [
        "a // b",
        "c",
        "d\n   e",
        "f",
        "{ ) \" '",
    ]


@pytest.mark.parametrize("opening", ["If x {", "ForEach(t: env.x) {", "Mark 1 {", "Switch x { Case a {"])
def test_comments_at_any_depth(opening: str) -> None:
    """Comments inside 290 nested blocks are put back without a deep recursion."""
    n_levels = 290 // opening.count("{")
    text = f"D[@T]: {{\n{(opening + chr(10)) * n_levels}S: A // c\n{'}' * n_levels * opening.count('{')}\n}}\n"
    parsed = parse(Source(text))
    assert parsed.diagnostics == ()
    assert sum(isinstance(node, Comment) for node in walk(parsed.file)) == 1

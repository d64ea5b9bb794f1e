"""`read_drawing()`: what people write on whiteboards, what is told of it, and that any text gives a result."""

import re
from functools import partial
from pathlib import Path

import pytest
import strategies
from exhaustive import few
from hypothesis import given
from hypothesis import strategies as st
from steps import n_steps, soon

from acdl_mkdocs import render
from acdl_mkdocs.drawing.from_drawing import spelling
from acdl_mkdocs.drawing.from_drawing.lines import n_open
from acdl_mkdocs.drawing.from_drawing.read import is_drawing, read_drawing
from acdl_mkdocs.drawing.from_drawing.spelling import OPENED
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.parse import parse

CHAT = (
    "Chat[@T]: {\n    S: INSTRUCTIONS\n    ForEach(t: range(1, @T-1)) {\n        U: env.q[@t]\n        A: resp.a[@t]\n"
    "    }\n    U: env.q[@T]\n}\n"
)
LINES = (
    "Chat[@T]:",
    "  Role: System",
    "    INSTRUCTIONS",
    "  ForEach t : 1 ... @T-1",
    "    Role: User",
    "      env.q[@t]",
    "    Role: Assistant",
    "      resp.a[@t]",
    "  Role: User",
    "    env.q[@T]",
)


def made(drawing: str) -> str:
    """The ACDL of a drawing whose ranges take in their ends, without anything told."""
    read = read_drawing(drawing, "inclusive")
    assert read.diagnostics == ()
    return read.text


def told(drawing: str) -> list[tuple[str, str]]:
    """The rules of what is told of a drawing, each with the words that it is about."""
    return [
        (each.rule, drawing[each.label.span.start : each.label.span.end]) for each in read_drawing(drawing).diagnostics
    ]


def test_an_empty_block_where_others_show_columns() -> None:
    """What follows a block in its column is beside it if another definition of the drawing is indented."""
    text = "StrFrag Part[@t]: {\n    If env.x {}\n    END\n}\n"
    chat = "Chat: {\n    S: RULES\n}\n"
    drawing = render(f"{text}\n{chat}", "text")
    assert read_drawing(drawing).text == f"{text}\n{chat}"
    assert "unclear-nesting" not in [rule for rule, _ in told(drawing)]
    assert "unclear-nesting" in [rule for rule, _ in told(render(text, "text"))]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Role: System", "ROLE: SYSTEM"),
        ("Role: System", "ROLE:SYSTEM"),
        ("Role: System", "role = system"),
        ("Role: System", "[SYSTEM]"),
        ("Role: System", "System:"),
        ("Role: System", "SYSTEM"),
        ("Role: System", "S:"),
        ("Role: System\n    INSTRUCTIONS", "System: INSTRUCTIONS"),
        ("Role: System\n    INSTRUCTIONS", "S: INSTRUCTIONS"),
        ("    INSTRUCTIONS", "  INSTRUCTIONS"),
        ("    INSTRUCTIONS", "    *INSTRUCTIONS"),
        ("    INSTRUCTIONS", "    ◆ INSTRUCTIONS"),
        ("ForEach t : 1 ... @T-1", "foreach t in 1..@T-1:"),
        ("ForEach t : 1 ... @T-1", "For each t ∈ 1 … @T–1"),
        ("ForEach t : 1 ... @T-1", "for t = 1 to @T-1"),
        ("ForEach t : 1 ... @T-1", "∀ t : 1, ..., @T-1"),
        ("ForEach t : 1 ... @T-1", "for (t : 1 ... @T-1) {"),
        ("ForEach t : 1 ... @T-1", "↻ ForEach t : 1, @T-1"),
        ("ForEach t : 1 ... @T-1", "ForEach t :\n      1 ... @T-1"),
        ("Chat[@T]:", "Chat[@T]"),
        ("Chat[@T]:", "Prompt Chat[@T]"),
        ("Chat[@T]:", "Chat [@T] :"),
        ("env.q[@t]", "env.q[ @t ]"),
        ("env.q[@t]", "env.q[\n      @t]"),
    ],
)
def test_spellings(old: str, new: str) -> None:
    """A spec drawn in another way is the same spec."""
    drawing = "\n".join(LINES)
    assert old in drawing
    assert made(drawing.replace(old, new, 1)) == CHAT


@pytest.mark.parametrize(
    "indent",
    [
        lambda depth: "\t" * depth,
        lambda depth: "   " * depth,
        lambda depth: "    " * depth + "- ",
        lambda depth: "    " * depth + "• ",
        lambda depth: "│  " * depth + "├─ ",
        lambda depth: "|  " * depth + "|-- ",
        lambda depth: "  " * depth + "→ ",
        lambda depth: "> " + "  " * depth,
    ],
    ids=["tabs", "three", "hyphens", "bullets", "branches", "ascii", "arrows", "quoted"],
)
def test_what_frames_lines(indent: object) -> None:
    """Bullets, tabs and the branches of a tree say how deep a line is, and nothing else."""
    assert callable(indent)
    lines = (indent((len(line) - len(line.lstrip())) // 2) + line.strip() for line in LINES)
    assert made("\n".join(lines)) == CHAT


def test_numbered_lines() -> None:
    """The numbers of a list are not content."""
    assert made("1. Role: System\n2. INSTRUCTIONS\n3. Role: User\n4. env.q") == "S: INSTRUCTIONS\nU: env.q\n"


@pytest.mark.parametrize(
    ("drawing", "acdl"),
    [
        ("Role: User\n  If @T ≤ 3 ∧ x ≠ “a”:\n    A_B\n  otherwise:\n    C_D", 'If @T <= 3 & x != "a" {'),
        ("Role: User\n  If x then\n    A_B\n  else if y:\n    C_D", "ElseIf y {"),
        ("Switch (env.m)\nCase a : :\n  User: X\nDefault:\n  User: Y", "Switch env.m {\n    Case a {"),
        ("Role: User\n  [e.x | e ∈ env.all if e.y]", "U: [e.x for e in env.all if e.y]"),
        ("Role: User\n  [sys.s[@t] | t@T ... @T-900 every 100]", "U: [sys.s[@t] for t in range(@T, @T-900, 100)]"),
        ("Role: User\n  docs := f(env.q)\n  docs[1].x", "Name docs := f(env.q)\n    $docs[1].x"),
        ("Role: User\n  let x ← f(a)\n  x", "Name x := f(a)\n    $x"),
        ("Role: User\n  env.q ← the question", "U: env.q // the question"),
        ("Role: User\n  env.q # the question", "U: env.q // the question"),
        ("Role: User\n  #msg", "U: #msg"),
        ('Role: User\n  "a // b"', 'U: "a // b"'),
        ("---- prompt ends here when @T == 1 ----\nUser: X", "PromptEndsHere when @T == 1\nU: X"),
        ("Mark 2\n  User: X", "Mark 2 {\n    U: X\n}"),
        ("Role: User\n  X\n  Y } 3", "Mark 3 {\n        Y\n    }"),
        ("Doc[d]\nSF\n  env.t[d]", "StrFrag Doc[d]: {\n    env.t[d]\n}"),
        ("Doc[d] (SF)\n  env.t[d]", "StrFrag Doc[d]: {\n    env.t[d]\n}"),
        ("RolesFrag Turn[@t]\n  User: env.q[@t]", "RolesFrag Turn[@t]: {\n    U: env.q[@t]\n}"),
        ("P[@T]:\n  Tools:\n    System: X", "P[@T]: {\n    Tools {\n        S: X\n    }\n}"),
        ("Role: User\n  a\n  (b)", "a;\n    (b)"),
        ("Role: User\n  DEFAULT\n  CONTINUE", "U: {\n    DEFAULT\n    CONTINUE\n}"),
        ("Role: User\n  ForEach t : 1 ..< @T\n    env.q[@t]", "// acdl: range=half-open\n\nU: {\n    ForEach"),
    ],
)  # fmt: skip
def test_constructs(drawing: str, acdl: str) -> None:
    """Every construct in the ways that people draw it."""
    assert acdl in made(drawing)


def test_lines_below_a_role_belong_to_it() -> None:
    """Content in the column of its role, up to what holds messages; comments before that are outside."""
    drawing = "ROLE: USER\na.x\nForEach i : a.l\n  i.y\n// then\nForEach t : 1 ... 3\n  ROLE: TOOL\n  b.x[@t]\n"
    assert made(drawing) == (
        "U: {\n    a.x\n    ForEach(i: a.l) {\n        i.y\n    }\n}\n// then\n"
        "ForEach(t: range(1, 3)) {\n    T: b.x[@t]\n}\n"
    )


@pytest.mark.parametrize(
    ("drawing", "places"),
    [
        ("P[@T]:\n    User:\n        A_B\n      C_D\n", [("unclear-nesting", "C_D")]),
        ("User:\n  env.a\n    env.b\n    env.c\n", [("unclear-nesting", "env.b")]),
        ("User:\n  X\n  Assistant:\n    Y\n", [("unclear-nesting", "Assistant:")]),
        ("Role: User\nForEach i : a.l\ni.x\n", [("unclear-nesting", "ForEach i : a.l")]),
        ("Role: User\nX\n1\nRole: Tool\nY\n2\n", [("unclear-nesting", "1"), ("unclear-nesting", "2")]),
        ("User:\n  env.ques-\n  tion[@T]\n", [("joined-line", "env.ques-\n  tion[@T]")]),
        ("User:\n  X // some words\n  and more of the same\n", [("joined-line", "and more of the same")]),
        ("User:\n  env.q[@T\nTool:\n  X\n", [("unread-line", "env.q[@T")]),
        ("User:\n  If x\n    A_B\n  what is ) this\n", [("unread-line", "what is ) this")]),
        ("User:\n\tX\n\t??\r\n\tY\n", [("unread-line", "??")]),
        ("Else\n  User: X\n", [("unread-line", "Else")]),
        ("", [("empty-drawing", "")]),
        (" \n\t\n", [("empty-drawing", "")]),
        ("P[@T]: { U: X }", [("not-a-drawing", "P[@T]: { U: X }")]),
        ("a\0b", [("not-text", "\0")]),
    ],
)
def test_what_is_told(drawing: str, places: list[tuple[str, str]]) -> None:
    """What is guessed or given up is told at its place in the drawing; the rest is read."""
    assert told(drawing) == places
    for each in read_drawing(drawing).diagnostics:
        assert each.help
        assert not each.message.endswith(".")


def test_what_is_not_understood_is_kept() -> None:
    """A line that is not ACDL stays as a comment, and what stands in it stands beside it."""
    read = read_drawing("P[@T]:\n  If a )\n    User: X // why\n  Tool: Y\n")
    assert read.text == "P[@T]: {\n    // not understood: If a )\n    U: X // why\n    T: Y\n}\n"
    assert read_drawing("P[%]:\n  User: X\n").text.startswith("// not understood: P[%]:\n")


def test_acdl_stays_acdl() -> None:
    """What has braces and no mistakes is only formatted."""
    assert read_drawing("Chat[@T]: { U: env.q }").text == "Chat[@T]: {\n    U: env.q\n}\n"


@pytest.mark.parametrize("text", ["\n".join(LINES), "ROLE: USER\nenv.q", "ForEach t : 1 ... 3\n  x\nIf a\n  y"])
def test_drawings_are_recognised(text: str) -> None:
    """Text with the lines of a drawing and no braces."""
    assert is_drawing(text)
    assert [each.rule for each in parse(Source(text)).diagnostics] in (["drawn-form"], [])


@pytest.mark.parametrize(
    "text", [CHAT, "", "some words", "U: env.q", "- Role: cook\n- Place: kitchen", '{"role": "user"}']
)
def test_other_texts_are_not(text: str) -> None:
    """ACDL and other languages are no drawings."""
    assert not is_drawing(text)


def test_examples_are_no_drawings() -> None:
    """No spec of the examples looks like a drawing."""
    assert [text[:40] for text in strategies.TEXTS if is_drawing(text)] == []


_INDENTS = st.sampled_from(("", "  ", "    ", "\t", "├─ ", "- ", "   ", "│ "))
_PARTS = st.sampled_from(
    (
        *("Role: System", "ROLE: USER", "User:", "ForEach t : 1 ... @T", "If @T > 1", "Else", "ElseIf a", "Switch x"),
        *("Case y", "Default", "Mark 1", "X_Y", "env.q[@t]", "f(", "// c", "P[@T]:", "SF", "]", "Name a := b", "1"),
        *("PromptEndsHere", "break", "[not shown] x", "env.x // d", "a } 1", "DEFAULT", "x:", "ab-", "é", "{", "}"),
    )
)
_DRAWINGS = st.lists(st.tuples(_INDENTS, st.one_of(_PARTS, strategies.soups))).map(
    lambda lines: "\n".join(indent + line for indent, line in lines)
)


@given(st.one_of(_DRAWINGS, strategies.soups, strategies.damaged(), st.text()))
def test_any_text_gives_a_result(text: str) -> None:
    """Nothing raises, places are in the drawing, and what is told without an error is ACDL without one."""
    read = read_drawing(text)
    assert all(0 <= each.label.span.start <= each.label.span.end <= len(text) for each in read.diagnostics)
    if all(each.severity != "error" for each in read.diagnostics):
        assert parse(Source(read.text)).diagnostics == ()
    assert read_drawing(text) == read


_KEPT = st.sampled_from(
    (
        *(
            "env.{}",
            "read the {} manual",
            "If {} == b",
            "{}:",
            "Role: User // {}",
            "Role: {}",
            "twice {}",
            "f({}",
            "{})",
        ),
        *(
            "] // {} note",
            "( -- the {} note",
            "/* {} */ ]",
            "} 1 // {}",
            "SF // {}",
            "a.b } 1 // {}",
            "{} 2",
            "Else // {}",
        ),
        *("Name {} := env.x", "PromptEndsHere when {}", "break // {}", "Frag Doc[{}]", "Mark 1 // {}", "Switch {}"),
        *(
            "/* {}",
            "{} */",
            "/* {} */ env.a /* {} */",
            "env.a /** {}",
            "src/**/{}",
            "[not shown] {}",
            "P{}[@T]",
            "// {}",
        ),
        *(
            "ForEach {} : 1 ... 3",
            "ForEach d : [1, {}] // {}",
            "User: read the {} manual",
            "User: {}",
            "If a: User: {}",
        ),
    )
)


@given(st.lists(st.tuples(_INDENTS, _KEPT), max_size=12))
def test_no_word_is_lost(lines: list[tuple[str, str]]) -> None:
    """Every word that only one line has is in what was made of the drawing, or is reported."""
    drawing = "\n".join(f"{indent}{line}".replace("{}", f"wo{at}rd") for at, (indent, line) in enumerate(lines))
    read = read_drawing(drawing)
    kept = [read.text, *(drawing[each.label.span.start : each.label.span.end] for each in read.diagnostics)]
    lost = [word for word in re.findall(r"wo\d+rd", drawing) if not any(word in text for text in kept)]
    assert lost == [], read.text


@pytest.mark.parametrize(
    "line",
    few(
        [
            "  Role: User\n    env.q[@T]\n",
            "// a comment\n",
            "f(\n",
            "P[@T]:\n",
            "Role: User\n",
            "If x\nelse\n",
            "x // words\nand more words than that\n",
            "[ a | t ∈ ",
            "a - ",
            "Role: User\n  You are a nice thing\n",
            "Role: User\n  user question\n",
        ],
        4,
    ),
    ids=[
        "content",
        "comments",
        "open",
        "titles",
        "roles",
        "arms",
        "prose",
        "long-list",
        "long-sum",
        "sentences",
        "words",
    ],
)
def test_cost_is_linear(line: str) -> None:
    """Four times as much takes about four times the steps, whatever it is."""
    few, many = (n_steps(partial(read_drawing, line * n_lines)) for n_lines in (60, 240))
    assert many < 6 * few + 1_000
    soon(partial(read_drawing, line * 2_000))


@pytest.mark.parametrize("sign", ["„", "‘", '\\"', "\\'", "„\\", "' \"", "„a ‘", '"\\„'])
def test_strings_that_are_never_closed(sign: str) -> None:
    """What opens a string is looked behind up to the next opening sign, so no line is gone through once for each."""
    opened, text = re.compile(OPENED), sign * 200
    looked = [found.end() - at for at in range(len(text)) if (found := opened.match(text, at))]
    assert sum(looked) <= 4 * len(text)


def test_strings_of_all_spellings() -> None:
    """Brackets and colons between quotes of any sort are words, and a string ends where it is closed."""
    for text in ('"a (b"', "'a (b'", "‘a (b’", "“a (b”", "„a (b“", r'"a \" (b"', "„a „(b”"):
        assert n_open(text) == 0, text
        assert n_open(f"f({text}") == 1, text


def test_strings_are_spelled_once() -> None:
    """All patterns for lines take strings from one module."""
    spelled = [
        path.name for path in Path(spelling.__file__).parent.glob("*.py") if '(?:[^"“' in path.read_text("utf-8")
    ]
    assert spelled == ["spelling.py"]


@pytest.mark.parametrize(
    "drawing",
    [
        pytest.param("x\n[y | y ∈ z\n" + "[y | y ∈ z]\n" * 6, id="after a line that is left out"),
        pytest.param("not\n" * 12, id="one problem for many lines"),
        pytest.param("x in y\nin\n" * 5, id="problem reported at another line"),
        pytest.param("--- one two\n" * 8 + "R---\n", id="one problem reported once"),
        pytest.param("P[@T]:\n  Role: User\n" + "    a..b..c\n    not\n" * 6, id="in a message"),
    ],
)
def test_what_is_made_is_acdl(drawing: str) -> None:
    """However many lines are not understood, what is made of the others has no syntax error."""
    assert parse(Source(read_drawing(drawing).text)).diagnostics == ()


def test_a_line_that_is_left_out_ends_no_expression() -> None:
    """The line below one that is left out is not read as part of the line above it."""
    assert read_drawing("User:\n  A\n  :[]\n  [y | y ∈ z]\n").text == (
        "U: {\n    A;\n    // not understood: :[]\n    [y for y in z]\n}\n"
    )


def test_templates_named_like_badges() -> None:
    """`SF` and `RF` are badges below a title only: in a message they are templates."""
    spec = "StrFrag Doc[d]: {\n    SF\n    d.text\n}\n\nChat[@T]: {\n    S: RF\n}\n"
    assert made(str(render(spec, "text"))) == spec

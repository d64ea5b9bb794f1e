"""Text to tree: one node a line, with its place; and the size and depth that the parser must bear."""

from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from sys import getrecursionlimit, setrecursionlimit

import pytest
from exhaustive import few

from acdl_mkdocs.app.python import render
from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.describe import describe
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.syntax.nodes import ContextVar, Identifier, If, Node, Operation, Unary, children, walk
from acdl_mkdocs.language.syntax.parse import MAX_CHARACTERS, parse


def tree(text: str, root: Node) -> str:
    """The tree as text: class, span, what it says beside its children; two blanks a level."""
    lines: list[str] = []
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        said = [f"{field.name}={getattr(node, field.name)!r}" for field in fields(node) if _is_plain(node, field.name)]
        place = f"{node.span.start}-{node.span.end}"
        lines.append(" ".join(["  " * depth + type(node).__name__, place, *said]))
        waiting.extend((child, depth + 1) for child in reversed(children(node)))
    assert root.span.end <= len(text)
    return "\n".join(lines) + "\n"


def _is_plain(node: Node, name: str) -> bool:
    value = getattr(node, name)
    return isinstance(value, str | bool) or (isinstance(value, tuple) and any(isinstance(each, str) for each in value))


def test_parse(case: Path, golden: Callable[[str, str], None]) -> None:
    """The tree of a case, node by node."""
    text = case.read_text("utf-8")
    parsed = parse(Source(text, case.name))
    assert bool(parsed.diagnostics) == case.stem.startswith("broken")
    golden(tree(text, parsed.file), "tree.txt")


def nested(depth: int, opening: str = "If @T > 1 { ", closing: str = "} ") -> str:
    """A spec whose innermost content stands in that many blocks."""
    return "P[@T]: { " + opening * (depth - 1) + "S: A " + closing * (depth - 1) + "}"


@pytest.fixture
def usual_limit() -> Iterator[None]:
    """Python's own limit of recursion: libraries that other tests use raise it."""
    before = getrecursionlimit()
    setrecursionlimit(1000)
    yield
    setrecursionlimit(before)


@pytest.mark.usefixtures("usual_limit")
@pytest.mark.parametrize("opening", ["If @T > 1 { ", "ForEach(t: env.xs) { ", "Mark 1 { ", "Switch x { Case a { "])
def test_three_hundred_levels(opening: str) -> None:
    """Every stage up to the boxes bears 300 levels, called from deep inside the test runner."""
    per_turn = opening.count("{")
    n_turns = 299 // per_turn
    text = "P[@T]: { " + opening * n_turns + "S: A " + "} " * (n_turns * per_turn) + "}"
    analysis = analyse(Source(text))
    assert [found for found in analysis.diagnostics if found.severity == "error"] == []
    box = describe(analysis.resolved)
    n_levels = 0
    while box.children:
        box = box.children[0]
        n_levels += 1
    assert n_levels == 300 + 1 + (1 if per_turn == 1 else 0)
    assert getrecursionlimit() == 1000


def test_one_level_too_many() -> None:
    """Level 301 is one clear error, and what stands beside it is kept."""
    text = nested(302) + "\nQ[@T]: { S: B }"
    analysis = analyse(Source(text))
    assert [found.rule for found in analysis.diagnostics] == ["too-deep"]
    assert "300" in analysis.diagnostics[0].message
    assert set(analysis.resolved.definitions) == {"P", "Q"}
    assert not analyse(Source(nested(300))).diagnostics


def depth_of(box: Box) -> int:
    """How many boxes stand in each other."""
    found, waiting = 0, [(box, 1)]
    while waiting:
        each, level = waiting.pop()
        found = max(found, level)
        waiting.extend((child, level + 1) for child in each.children)
    return found


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("U: ", ""), ("U:\n", ""), ("U: U: {", "}"), ("U: If a {", "}"), ("U: { U: ForEach(t: env.xs) {", "}}")],
)
def test_messages_in_messages(opening: str, closing: str) -> None:
    """A message without braces is a level too: two thousand of them are one clear error, and the rest is kept."""
    text = f"{opening * 2_000}A{closing * 2_000}\nQ[@T]: {{ S: B }}"
    analysis = analyse(Source(text))
    found = [each.rule for each in analysis.resolved.parsed.diagnostics if each.rule != "syntax"]
    assert found == (["too-deep"] if opening != "U:\n" else [])
    assert "Q" in analysis.resolved.definitions
    assert depth_of(describe(analysis.resolved)) < 305


def test_messages_beside_each_other_are_no_levels() -> None:
    """Three hundred blocks, each beside a message without braces, are as deep as three hundred blocks."""
    text = "P[@T]: {\n" + "U: A\nIf x {\n" * 290 + "U: B\n" + "}\nElse {\nU: C\n}\n" * 290 + "}"
    assert not parse(Source(text)).diagnostics


@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("f(", ")"), ("[", "]"), ("a[", "]")])
def test_deep_expressions(opening: str, closing: str) -> None:
    """Sixty brackets are fine, a thousand are one clear error."""
    fine = f"P[@T]: {{ U: {opening * 60}x{closing * 60} }}"
    analysis = analyse(Source(fine))
    assert not analysis.resolved.parsed.diagnostics
    assert describe(analysis.resolved).children
    deep = analyse(Source(f"P[@T]: {{ U: {opening * 1000}x{closing * 1000} }}"))
    assert [found.rule for found in deep.resolved.parsed.diagnostics] == ["too-deep"]
    assert describe(deep.resolved).children


@pytest.mark.parametrize("operator", few(["+", "*", "&", "==", "-"]))
def test_long_chains_are_flat(operator: str) -> None:
    """A chain of 10,000 operands is one node, not 10,000 levels."""
    text = "P[@T]: { If " + f" {operator} ".join(["x"] * 10_000) + " { S: A } }"
    analysis = analyse(Source(text))
    assert not analysis.resolved.parsed.diagnostics
    chains = [node for node in walk(analysis.resolved.parsed.file) if isinstance(node, Operation)]
    assert [len(chain.operands) for chain in chains] == [10_000]
    assert describe(analysis.resolved).children


def test_many_alternatives_are_flat() -> None:
    """5,000 `ElseIf` are arms of one conditional."""
    text = "P[@T]: { If x { S: A } " + "ElseIf y { S: B } " * 5_000 + "}"
    analysis = analyse(Source(text))
    assert not analysis.resolved.parsed.diagnostics
    conditionals = [node for node in walk(analysis.resolved.parsed.file) if isinstance(node, If)]
    assert [len(each.arms) for each in conditionals] == [5_001]
    assert len(describe(analysis.resolved).children[0].children) == 5_001


@pytest.mark.parametrize("sign", ["!", "-", "not "])
def test_many_signs_before_a_value(sign: str) -> None:
    """A run of negations is one node."""
    analysis = analyse(Source(f"P[@T]: {{ If {sign * 5_000}x {{ S: A }} }}"))
    assert not analysis.diagnostics
    assert describe(analysis.resolved).children


def test_long_paths_are_flat() -> None:
    """What hangs on a name is one tuple, however much it is."""
    parsed = parse(Source("U: env.a" + "[1].b" * 5_000))
    paths = [node for node in walk(parsed.file) if isinstance(node, ContextVar)]
    assert [len(path.parts) for path in paths] == [10_001]


def test_many_signs_are_flat() -> None:
    """Signs before a value are one node, outermost first, in the documented spelling."""
    parsed = parse(Source("P[@T]: { If not !- –x { S: A } }"))
    assert [node.operators for node in walk(parsed.file) if isinstance(node, Unary)] == [("!", "!", "-", "-")]


def test_a_definition_after_an_empty_message_is_kept() -> None:
    """A title below `S:` begins a definition; further in it labels the content of the message."""
    assert set(analyse(Source("S:\nLast[@T]: {\n    S: A\n}")).resolved.definitions) == {"Last"}
    assert not parse(Source("S:\n    part[1]: {\n        A\n    }")).diagnostics


def test_variables_know_their_sign() -> None:
    """The `@` of a variable is known, whatever invisible characters its name holds."""
    text = "P[@T]: { U: { ForEach(do\u200bc: env.docs) { a } ForEach(@t: env.ts) { b } [c for d in env.ds] } }"
    found = [(node.name, node.is_time) for node in walk(parse(Source(text)).file) if isinstance(node, Identifier)]
    assert found == [("P", False), ("doc", False), ("t", True), ("d", False)]
    assert "doc" in render(text, "text")
    assert "@doc" not in render(text, "text")


def test_too_large() -> None:
    """Ten megabytes are refused with a message instead of being read."""
    analysis = analyse(Source("x" * 10_000_000))
    assert [found.rule for found in analysis.diagnostics] == ["too-large"]
    assert f"{MAX_CHARACTERS:,}" in analysis.diagnostics[0].message


def test_not_text() -> None:
    """A NUL character means that the file is not text."""
    analysis = analyse(Source("P[@T]: {\n S: \0 }"))
    assert [found.rule for found in analysis.diagnostics] == ["not-text"]
    assert analysis.diagnostics[0].label.span.start == 13


def test_lone_surrogates() -> None:
    """Half of a character is an unknown sign or part of a text, never an exception."""
    analysis = analyse(Source('P[@T]: {\n S: "\ud800" // \udfff\n U: \ud83d\n}'))
    assert [found.rule for found in analysis.resolved.parsed.diagnostics] == ["syntax"]
    assert describe(analysis.resolved).children


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P[@T]: {\n    If a Pipeline x {\n    }\n}", "this `Pipeline` block cannot stand here"),
        ("ForEach i: 1..T every 2 fact\n ) {", "this `fact` block cannot stand here"),
        ("P[@T]: {\n    If a {{ f(\n    1) }} {\n    }\n}", "`{{ f( 1) }}` cannot stand here"),
    ],
)
def test_messages_have_one_line(text: str, message: str) -> None:
    """A message that names a text of several lines is one line of a log."""
    messages = [each.message for each in analyse(Source(text)).diagnostics]
    assert not any("\n" in each for each in messages)
    assert message in messages


def test_the_hundred_and_first_error_is_the_last() -> None:
    """Many broken statements are reported up to a limit, and the rest is counted only."""
    broken = "P[@T]: {\n" + "    U: env.q[@T\n" * 2_000 + "}\n"
    analysis = analyse(Source(broken))
    syntax = [found for found in analysis.diagnostics if found.rule == "syntax"]
    assert len(syntax) == 101
    assert "more than 100" in syntax[-1].message

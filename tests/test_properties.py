"""What holds for every text, however broken."""

from functools import partial
from pathlib import Path
from unicodedata import normalize

import pytest
from exhaustive import examples, few
from hypothesis import example, given
from hypothesis import strategies as st
from steps import n_steps
from strategies import EXAMPLES, damaged, files, soups

from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.describe import View, describe
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import Analysis, analyse
from acdl_mkdocs.language.syntax.letters import INVISIBLE
from acdl_mkdocs.language.syntax.nodes import (
    Broken,
    BrokenBlock,
    Comment,
    ContextVar,
    Field,
    FragUse,
    Identifier,
    NameDef,
    Node,
    Symbol,
    Template,
    children,
    same_shape,
    walk,
)
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.language.syntax.tokenize import tokenize

_EVERY_PLACE = ("completion", "context")
"""Examples that are cut off at every place; the others at 25."""


def assert_sound(text: str) -> Analysis:
    """Everything that must hold for the analysis of any text."""
    analysis = analyse(Source(text))
    file = analysis.resolved.parsed.file
    assert_spans(text, file)
    if not {"too-large", "not-text"} & {found.rule for found in analysis.diagnostics}:
        assert_comments(text, file)
    for found in analysis.diagnostics:
        for label in (found.label, *found.related):
            assert label.text
            assert 0 <= label.span.start <= label.span.end <= len(text)
        assert found.message
        assert "\n" not in found.message
        assert all(found.help)
    places = [found.label.span.start for found in analysis.diagnostics]
    assert places == sorted(places)
    again = analyse(Source(text))
    assert again.diagnostics == analysis.diagnostics
    assert same_shape(again.resolved.parsed.file, file)
    assert_boxes(text, describe(analysis.resolved))
    assert_boxes(text, describe(analysis.resolved, View(comments=False, header=True, range="inclusive")))
    return analysis


def assert_spans(text: str, file: Node) -> None:
    """Children lie inside their parents, in source order, and names are spelled where they say."""
    targets = {target for node in walk(file) if isinstance(node, NameDef) for target in node.targets}
    for node in walk(file):
        assert 0 <= node.span.start <= node.span.end <= len(text)
        at = node.span.start
        for child in children(node):
            if isinstance(child, Comment):
                continue
            assert at <= child.span.start <= child.span.end <= node.span.end, (node, child)
            at = child.span.end
        written = normalize("NFC", text[node.span.start : node.span.end].translate(INVISIBLE))
        if isinstance(node, Identifier):
            assert written.lstrip("@$") == node.name
        elif isinstance(node, Field):
            assert written.lstrip("@$") in (node.name, "")
        elif isinstance(node, Symbol) and node in targets:
            assert written.removeprefix("@").removeprefix("$").startswith(node.name)
        elif isinstance(node, Symbol | Template):
            assert written.startswith(node.name)
        elif isinstance(node, ContextVar):
            assert written.startswith(node.namespace)
        elif isinstance(node, FragUse):
            assert written.lower().startswith("frag")


def assert_comments(text: str, file: Node) -> None:
    """Every comment of the text is in the tree, exactly once."""
    in_tree = sorted((node.span.start, node.span.end) for node in walk(file) if isinstance(node, Comment))
    in_text = [(comment.span.start, comment.span.end) for comment in tokenize(text).comments]
    assert in_tree == in_text


def assert_boxes(text: str, figure: Box) -> None:
    """Boxes know where they come from, and no two have the same anchor."""
    anchors: list[str] = []
    waiting = [figure]
    while waiting:
        box = waiting.pop()
        assert box.span is not None
        assert 0 <= box.span.start <= box.span.end <= len(text)
        anchors += [box.anchor] if box.anchor else []
        waiting.extend(box.children)
    assert len(anchors) == len(set(anchors))


@given(st.text(max_size=200))
@examples(150)
def test_any_text(text: str) -> None:
    """Raw text is read without an exception and with a sound tree."""
    assert_sound(text)


@given(soups)
@examples(300)
@example("U:\n}")
@example("P[@T]: { S: A\n U:\n}")
@example("Switch x { Else { Case")
@example("{{{{")
@example("ForEach(t: {")
@example("{ ForEach ) } {")
@example('{"a": {')
@example("S:\nU:\nS: }")
@example("@T := @")
@example("Name $x := 1")
def test_any_words_in_any_order(text: str) -> None:
    """The words of the language in any order are read without an exception."""
    assert_sound(text)


@given(damaged())
@examples(200)
@example("; exactinvisible\u200bChatAgent[@T]: {\n    S: A\n}\n")
@example("Café [@T]: {\n    S: A\n}\n")
def test_damaged_text(text: str) -> None:
    """A real text with words deleted, doubled or exchanged keeps a sound tree."""
    assert_sound(text)


@given(files)
@examples(100)
def test_generated_files(text: str) -> None:
    """What is written as it should be has no syntax error and nothing broken."""
    analysis = assert_sound(text)
    assert analysis.resolved.parsed.diagnostics == ()
    assert not any(isinstance(node, Broken | BrokenBlock) for node in walk(analysis.resolved.parsed.file))


@pytest.mark.parametrize("path", few(EXAMPLES, 4), ids=[path.stem for path in EXAMPLES])
def test_cut_off_at_any_place(path: Path) -> None:
    """A text that ends anywhere has a sound tree, and keeps the specs that are complete."""
    text = path.read_text("utf-8")
    step = 1 if path.stem in _EVERY_PLACE else len(text) // 25
    whole = [node for node in parse(Source(text)).file.items if not isinstance(node, Comment)]
    for end in range(0, len(text), step):
        analysis = assert_sound(text[:end])
        kept = [node for node in analysis.resolved.parsed.file.items if not isinstance(node, Comment)]
        complete = [node for node in whole if node.span.end <= end]
        assert all(same_shape(one, other) for one, other in zip(complete[:-1], kept, strict=False))


@given(damaged())
@examples(150)
@example("Constant: {\n    S: A\n}\nEmpty[]: (\n    U: env.question\n}\n")
def test_a_broken_spec_does_not_cost_the_next(broken: str) -> None:
    """After any damage a good spec at the end of the text is found again, unless it became part of a comment."""
    text = broken + "\n\n//*/\n;\n\nLastOne[@T]: {\n    S: WELCOME\n}\n"  # the `;` ends an expression in the air
    assert "LastOne" in analyse(Source(text)).resolved.definitions


_GROWING = {
    "specs": "P{n}[@T]: {{\n    S: A\n    U: env.q[@T] // c\n}}\n",
    "broken statements": "P{n}[@T]: {{\n    U: env.q[@T\n}}\n",
    "unclosed blocks": "P{n}[@T]: {{\n    S: {{\n        A\n",
    "stray closing braces": "S: A }}\n",
    "no braces": "P{n}[@T]:\n    S: A\n",
    "comments": "// c {n}\nS: A // d\n",
    "names": "Name n{n} := f($n{n}, $m)\n",
    "fragments": "StrFrag F{n}[x]: {{ Frag F{n}[x] }}\n",
    "unknown fragments": "S: Frag F{n}\n",
    "plain text": "you are one of many {n}\n",
    "empty messages": "S:\n",
    "unclosed brackets": "U: f(a[\n",
    "strings": 'S: "a\n',
    "labels": "a b {{ }}\n",
}


@pytest.mark.parametrize("kind", few(_GROWING, 4))
def test_cost_grows_with_the_length(kind: str) -> None:
    """Ten times the text takes about ten times the steps: counted lines of Python, no clock."""
    texts = ("".join(_GROWING[kind].format(n=n) for n in range(size)) for size in (30, 300))
    few, many = (n_steps(partial(_drawn, text)) for text in texts)
    assert many < 14 * few + 20_000


def _drawn(text: str) -> Box:
    return describe(analyse(Source(text), Config(snippet=True)).resolved)

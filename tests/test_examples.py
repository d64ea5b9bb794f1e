"""Every example is free of errors and can be written in every format."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from acdl_mkdocs.drawing.figure.describe import View, describe
from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.acdl"))

SLIPS: dict[tuple[str, str], dict[str, str]] = {
    ("deepseek", "DeepSeekAgentWithTools"): {"time-without-turn": "the figure prints `@.i`"},
    ("mint", "MintOriginal"): {
        "duplicate-mark-number": "the figure has each mark twice, once for the current turn",
        "unbound-index": "the figure uses the loop's `t` after the loop",
    },
    ("mint", "MintOriginalCorrected"): {"duplicate-mark-number": "the text speaks of the marks by these numbers"},
    ("mint-variations", "Var4"): {"unbound-index": "the figure has a sub-step outside of its loop"},
    ("mint-variations", "Var6"): {"shadowed-name": "the figure's header has the loop's small `t`"},
    ("openclaw", "OpenClaw"): {"time-without-turn": "the figure prints `@.i`"},
    ("opencode", "OpenCodeMain"): {
        "implicit-namespace": "the figure leaves out `sys` in one of two places",
        "time-without-turn": "the figure prints `@.i`",
    },
    ("pokemon", "Pokemon"): {"backwards-range": "the figure counts down with a positive step"},
    ("pokemon", "PokemonCorrected"): {"backwards-range": "the reference's own example is this line"},
    ("react", "React2"): {"unbound-index": "the figure uses the loop's `t` after the loop"},
    ("tool-agent", "ToolAgent"): {
        "unbound-index": "the website tests `t` before any loop",
        "zero-time-index": "the website asks for step 0",
    },
    ("tool-agent-paper", "ToolAgent"): {"unbound-index": "the paper tests `t` before any loop"},
}
"""Mistakes of published specs that are kept: file and spec, the rules that find them, and what was published."""


def test_there_are_examples() -> None:
    """The folder is where the tests expect it."""
    assert len(EXAMPLES) > 10


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_example_checks_clean(path: Path) -> None:
    """Nothing is wrong with an example."""
    found = analyse(Source(path.read_text("utf-8"), path.name)).diagnostics
    assert [(each.rule, each.message) for each in found] == []


def test_published_slips_are_found() -> None:
    """Without the comments that allow them, the rules find exactly the slips that examples keep on purpose."""
    found: dict[tuple[str, str], set[str]] = {}
    for path in EXAMPLES:
        text = re.sub(r"allow\([^)]*\)", "", path.read_text("utf-8"))
        analysis = analyse(Source(text, path.name))
        for each in analysis.diagnostics:
            (spec,) = [
                name
                for name, entries in analysis.resolved.definitions.items()
                if any(entry.node.span.start <= each.label.span.start < entry.node.span.end for entry in entries)
            ]
            found.setdefault((path.stem, spec), set()).add(each.rule)
    assert found == {place: set(rules) for place, rules in SLIPS.items()}


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_example_in_every_output(path: Path, name: str) -> None:
    """Every spec of an example can be written in every format, the same each time, and is well formed."""
    resolved = analyse(Source(path.read_text("utf-8"), path.name)).resolved
    for spec in ("", *resolved.definitions):
        figure = describe(resolved, View(spec=spec))
        written = OUTPUTS[name](figure, OutputOptions())
        assert written == OUTPUTS[name](figure, OutputOptions())
        assert not spec or spec in written
        if name == "json":
            assert json.loads(written)["figure"]["kind"] == "figure"
        elif name == "svg":
            ElementTree.fromstring(written)  # noqa: S314  # our own output
        elif name == "html":
            assert_balanced(written)


class _Tags(HTMLParser):
    """The elements that are open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One more element is open, and no attribute is given twice."""
        assert len({name for name, _ in attrs}) == len(attrs)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """The innermost element ends, and no other."""
        assert self.open.pop() == tag


def assert_balanced(written: str) -> None:
    """Every element of an HTML text ends, in order."""
    tags = _Tags()
    tags.feed(written)
    tags.close()
    assert tags.open == []

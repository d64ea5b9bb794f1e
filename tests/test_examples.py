"""Every example is free of errors and can be written in every format."""

import json
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from acdl_mkdocs.analyse import analyse
from acdl_mkdocs.figure.describe import View, describe
from acdl_mkdocs.outputs import OUTPUTS
from acdl_mkdocs.outputs.options import OutputOptions
from acdl_mkdocs.source import Source

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.acdl"))


def test_there_are_examples() -> None:
    """The folder is where the tests expect it."""
    assert len(EXAMPLES) > 10


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_example_checks_clean(path: Path) -> None:
    """Nothing is wrong with an example."""
    found = analyse(Source(path.read_text("utf-8"), path.name)).diagnostics
    assert [(each.rule, each.message) for each in found] == []


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

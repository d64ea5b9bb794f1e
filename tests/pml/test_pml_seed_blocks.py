"""The nine XML blocks of the proposal: read as they are, or with the repair that the documentation names."""

from pathlib import Path

import pytest

from acdl_mkdocs.prompts.pml.read import read
from acdl_mkdocs.prompts.pml.write import write

BLOCKS = Path(__file__).parent / "seed_blocks"
OTHERS = "is read as if all were in one `<prompt>`"
OF_ITS_OWN = "is read as a separate conversation"
LEFT_OUT = "is left out"
KNOWN = {
    "1-tools": (None, []),
    "2-call": ("not-xml", [OF_ITS_OWN]),
    "3-wrapper": ("misplaced-text", [LEFT_OUT]),
    "4-turn": ("misplaced-element", [OF_ITS_OWN, "words in `<user>` are read as `<text>`"]),
    "5-files": ("misplaced-element", [OF_ITS_OWN]),
    "6-inline-context": ("misplaced-element", [OF_ITS_OWN]),
    "7-memory": (None, []),
    "8-tool-output": ("misplaced-element", [OF_ITS_OWN]),
    "9-example": ("not-xml", [OTHERS]),
}
"""What is wrong with each, and the ends of its repairs."""


def test_all_are_there() -> None:
    """There are nine."""
    assert {path.stem for path in BLOCKS.glob("*.xml") if not path.stem.endswith(".read")} == set(KNOWN)


@pytest.mark.parametrize(("name", "known"), KNOWN.items())
def test_strict(name: str, known: tuple[str | None, list[str]]) -> None:
    """A whole document is read, a fragment is refused, and the message has a cure."""
    found = read((BLOCKS / f"{name}.xml").read_text("utf-8"))
    assert [problem.rule for problem in found.problems] == ([known[0]] if known[0] else [])
    assert all(problem.help for problem in found.problems)
    assert (found.prompt is None) == bool(known[0])
    assert found.repairs == ()


@pytest.mark.parametrize(("name", "known"), KNOWN.items())
def test_lenient(name: str, known: tuple[str | None, list[str]], request: pytest.FixtureRequest) -> None:
    """Everything is read, every repair is told, and what was read is what a person sees in the block."""
    found = read((BLOCKS / f"{name}.xml").read_text("utf-8"), is_lenient=True)
    assert [problem.rule for problem in found.problems] == (["result-without-call"] if name == "8-tool-output" else [])
    assert not found.has_errors
    assert len(found.repairs) == len(known[1])
    assert all(repair.message.endswith(end) for repair, end in zip(found.repairs, known[1], strict=True))
    assert found.prompt is not None
    document = write(found.prompt)
    expected = BLOCKS / f"{name}.read.xml"
    if request.config.getoption("--update-golden"):
        expected.write_text(document, "utf-8")
    assert document == expected.read_text("utf-8")
    assert read(document).prompt == found.prompt

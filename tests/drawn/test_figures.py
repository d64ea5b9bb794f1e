"""The figures of the paper, copied as text, are the specs of `examples/`; those of the website are its examples."""

from pathlib import Path

import pytest

from acdl_mkdocs.compare.structure.diff import diff
from acdl_mkdocs.drawing.from_drawing.read import read_drawing
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.nodes import Prompt
from acdl_mkdocs.language.syntax.parse import Parsed, parse
from acdl_mkdocs.language.syntax.pragmas import read_settings

ROOT = Path(__file__).parent.parent.parent
FIGURES = Path(__file__).parent / "figures"
REFERENCE = ROOT / "tests" / "golden" / "reference"

MOVED_OUT: dict[str, str] = {
    "Var2": "  ForEach i: 1...@T.substeps\n    ROLE: ASSISTANT\n    sys.tool_used[@T.i]\n",
    "Var3": "  ForEach i: 1...@T.substeps\n    ROLE: ASSISTANT\n",
    "Var4": "  ForEach i: 1...@T.substeps\n    ROLE: ASSISTANT\n",
    "Var5": "  // all the tool calls and responses from the current turn\n  ForEach i: 1...@T.substeps\n",
    "Var6": "  ForEach i: 1...@T.substeps\n    ROLE: ASSISTANT\n",
}
"""Figures whose last loop the examples put behind the loop over turns, as their notes say: where it begins."""
INTERPRETED = ("MintOriginal", "OpenClaw", "OpenCodeMain", "Pokemon")
"""Figures that the examples read otherwise than they are indented, as their notes say."""


def spec(name: str) -> tuple[Parsed, RangeMode]:
    """A spec of the examples alone, and how its ranges are read."""
    for path in sorted((ROOT / "examples").glob("*.acdl")):
        parsed = parse(Source(path.read_text("utf-8")))
        for item in parsed.file.items:
            if isinstance(item, Prompt) and item.name.name == name and path.stem != "multi-agent-dialog":
                mode: RangeMode = "inclusive" if read_settings(parsed.file).get("range") == "inclusive" else "half-open"
                return parse(Source(parsed.source.text[item.span.start : item.span.end])), mode
    raise AssertionError(f"no example has {name}")


def figure(name: str) -> str:
    """The text of a figure, with its last loop where the example has it."""
    text = (FIGURES / f"{name}.txt").read_text("utf-8")
    if name in MOVED_OUT:
        at = text.rindex(MOVED_OUT[name])
        text = text[:at] + "".join(line.removeprefix("  ") for line in text[at:].splitlines(keepends=True))
    return text


NAMES = sorted(path.stem for path in FIGURES.glob("*.txt"))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in INTERPRETED])
def test_figures_of_the_paper_are_the_examples(name: str) -> None:
    """What is sent is the same, line for line; marks and comments aside."""
    example, mode = spec(name)
    # the drawn `@T - 50 ... @T` of MultiAgent takes in its end; its example says why it is read otherwise
    drawn = figure(name).replace("... @T\n", "... @T excl.\n") if name == "MultiAgent" else figure(name)
    drawing = read_drawing(drawn, mode)
    assert [each.message for each in drawing.diagnostics if each.severity == "error"] == []
    difference = diff(example, parse(Source(drawing.text)), mode)
    assert difference.is_equal_sent, drawing.text


def test_enough_figures() -> None:
    """16 figures, of which 12 are compared."""
    assert len(NAMES) == 16
    assert {*MOVED_OUT, *INTERPRETED} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_figures_are_read_without_errors(name: str) -> None:
    """As they are, every line of every figure is understood."""
    drawing = read_drawing((FIGURES / f"{name}.txt").read_text("utf-8"))
    assert [each.message for each in drawing.diagnostics if each.severity == "error"] == []
    assert parse(Source(drawing.text)).diagnostics == ()


AMBIGUOUS = {
    "05-completion-format": "the title is left out of the picture",
    "08-iteration-examples": "three loops one after the other, and nothing says where each ends",
    "17-early-termination": "the picture stops at what the example explains",
    "23-string-fragments": "nothing says where the loop ends",
    "25-role-fragments": "nothing says where the loop ends",
    "26-fragment-parameters-and-invocation": "nothing says where the loop ends",
    "28-example-tool-using-agent": "nothing says where the branch ends",
    "29-example-multi-agent-prompt": "nothing says where the loop ends",
}
"""Published renderings, which have no indentation at all, that cannot be read in one way only."""
CASES = sorted(REFERENCE.glob("*.text.txt"))


@pytest.mark.parametrize("rendering", CASES, ids=[path.name.partition(".")[0] for path in CASES])
def test_published_renderings(rendering: Path) -> None:
    """Without indentation most drawings still are their specs; of the others it is told that something was guessed."""
    name = rendering.name.partition(".")[0]
    drawing = read_drawing(rendering.read_text("utf-8"), "inclusive")
    original = parse(Source((REFERENCE / f"{name}.acdl").read_text("utf-8")))
    difference = diff(original, parse(Source(drawing.text)), "inclusive")
    assert difference.is_equal_sent == (name not in AMBIGUOUS), drawing.text

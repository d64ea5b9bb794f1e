"""The Language Reference's own examples: our figure in words is the published rendering, line for line."""

from pathlib import Path

import pytest

from acdl_mkdocs.app.python import render
from acdl_mkdocs.drawing.figure.describe import View
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse

GOLDEN = Path(__file__).parent / "golden" / "reference"

EXCEPTIONS: dict[str, dict[str, str | None]] = {
    "05-completion-format": {"CompletionPrompt[@t]:": None},  # the title is left out of the picture
    "06-context-variables": {  # comments shortened by hand
        "sys.tool[@t].tool_response[@t] // tool response of tool at time t": (
            "sys.tool[@t].tool_response[@t] // tool response"
        ),
        "env.bomb_location[@T, bomb] // bomb location of bomb at time T": (
            "env.bomb_location[@T, bomb] // bomb location"
        ),
    },
    "07-time-indices": {
        "@T.I // Current substep of current turn": "@T.I // Current substep",
        "@t.i // Substep i of turn t (in loops)": "@t.i // Substep i of turn t",
    },
    "08-iteration-examples": {
        "// Iterating over substeps in the current turn": "// Iterating over substeps",
        "// Nested: substeps within each previous turn": "// Nested: substeps within each turn",
    },
    "17-early-termination": {  # the picture begins and stops at what the example explains
        "Prompt[@T]:": None,
        "ForEach @t : 1 ... @T-1": None,
        "Role: Assistant": None,
        "resp.answer[@t]": None,
    },
    "18-mark-blocks": {"Mark 1": "1", "Mark 2": "2"},  # ours says where it begins, theirs where it ends
    "19-name-definitions": {"ForEach i : 1 ... docs.len": "ForEach i : 1..docs.len"},  # all others have ` ... `
    "20-list-comprehensions": {  # the sign was lost
        "Name relevant_summaries := [sys.summary[@t] | t ∈ @T ... @T-900 every 100]": (
            "Name relevant_summaries := [sys.summary[@t] | t@T ... @T-900 every 100]"
        ),
    },
}
"""Lines of ours that differ from the published line (`None`: it is not published), each with its reason."""

CASES = sorted(GOLDEN.glob("*.acdl"))


def test_all_pairs_are_there() -> None:
    """29 pairs, and exceptions only for those."""
    assert len(CASES) == len(list(GOLDEN.glob("*.text.txt"))) == 29
    assert set(EXCEPTIONS) <= {case.stem for case in CASES}


@pytest.mark.parametrize("example", CASES, ids=[case.stem for case in CASES])
def test_rendered_output(example: Path) -> None:
    """Every line is published so, or is a listed exception, and every exception is needed."""
    ours = render(example.read_text("utf-8"), "text", view=View(range="inclusive")).splitlines()
    lines = [line.strip() for line in ours if line.strip()]
    exceptions = EXCEPTIONS.get(example.stem, {})
    assert set(exceptions) <= set(lines)
    published = (GOLDEN / f"{example.stem}.text.txt").read_text("utf-8").splitlines()
    expected = [line for line in (exceptions.get(line, line) for line in lines) if line is not None]
    said = [line.strip() for line in published if line.strip()]
    assert (sorted(expected) == sorted(said)) if example.stem == "18-mark-blocks" else (expected == said)


@pytest.mark.parametrize("example", CASES, ids=[case.stem for case in CASES])
def test_nothing_is_wrong_with_it(example: Path) -> None:
    """The reference's own examples are free of errors, read as the snippets that they are."""
    found = analyse(Source(example.read_text("utf-8")), Config(range="inclusive", snippet=True)).diagnostics
    assert [each.message for each in found if each.severity == "error"] == []

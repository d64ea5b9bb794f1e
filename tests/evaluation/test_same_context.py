"""React2 and React2Short, which the paper gives as two ways to write one context."""

from functools import cache
from pathlib import Path

import pytest

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.point import parse_points
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Transcript
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import Analysis, analyse
from acdl_mkdocs.language.names.ranges import excluded_elements, excluded_turns

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SPECS = ("React2", "React2Corrected", "React2Short", "React2ShortCorrected")


@cache
def react(range_mode: RangeMode) -> Analysis:
    """The example, which says how its ranges are read."""
    text = (EXAMPLES / "react.acdl").read_text("utf-8")
    return analyse(Source(text.replace("range=inclusive", f"range={range_mode}"), "react.acdl"))


@cache
def state() -> State:
    """The sample state of the example, without its opinion on ranges."""
    path = EXAMPLES / "react.state.yaml"
    found = read_state(path.read_text("utf-8").replace("range: inclusive\n", ""), path.name).state
    assert found is not None
    assert found.range is None
    return found


def pair(at: str, suffix: str, range_mode: RangeMode) -> tuple[Transcript, Transcript]:
    """What both forms send."""
    long, short = (
        evaluate(react(range_mode).resolved, state(), at, Options(spec=name + suffix, missing="error"))
        for name in ("React2", "React2Short")
    )
    assert (long.range, short.range) == (range_mode, range_mode)
    return long, short


def points() -> list[str]:
    """Every point of the sample state."""
    return [str(at) for at in parse_points("*.*", state())]


def test_points() -> None:
    """They go from before the first call to the last call of the last question."""
    assert points() == ["1.0", "1.1", "2.0", "3.0", "3.1", "3.2", "3.3", "4.0", "4.1", "4.2", "4.3"]


@pytest.mark.parametrize("suffix", ["", "Corrected"])
@pytest.mark.parametrize("at", points())
def test_inclusive(at: str, suffix: str) -> None:
    """With ranges that include their end, both forms send the same at every point."""
    long, short = pair(at, suffix, "inclusive")
    assert [(each.role, each.parts) for each in long.messages] == [(each.role, each.parts) for each in short.messages]
    assert (long.errors, short.errors) == ((), ())
    assert (long.ended, short.ended is None) == (None, False)


@pytest.mark.parametrize("suffix", ["", "Corrected"])
@pytest.mark.parametrize("at", points())
def test_half_open(at: str, suffix: str) -> None:
    """With ranges that stop before their end, they do so at none: the short form never gets to the question."""
    long, short = pair(at, suffix, "half-open")
    assert [each.role for each in long.messages] != [each.role for each in short.messages]
    assert short.ended is None
    question = f"env.user_question[@{long.at.parts[0]}]"
    assert question in [each.resolved for each in long.pieces]
    assert question not in [each.resolved for each in short.pieces]


@pytest.mark.parametrize("spec", SPECS)
def test_rules_say_so(spec: str) -> None:
    """With half-open ranges, one report has the loops of each of the four that stop too early."""
    assert react("inclusive").diagnostics == ()
    found = react("half-open")
    (definition,) = found.resolved.definitions[spec]
    inside = range(definition.node.span.start, definition.node.span.end)
    excluded = [*excluded_turns(found.resolved, Config()), *excluded_elements(found.resolved, Config())]
    said = {each.message for each in excluded if each.label.span.start in inside}
    assert (
        "`@t == @T` is never true in this loop" if "Short" in spec else "`range(1, @T-1)` leaves out `@T-1`"
    ) in said
    assert "`range(1, @t.substeps)` leaves out the last sub-step" in said
    assert [each.rule for each in found.diagnostics if each.rule.startswith("range-")] == ["range-excludes-current"]

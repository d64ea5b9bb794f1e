"""What a first visitor finds on the playground: a spec and a state without a fault."""

from pathlib import Path

import acdl_mkdocs
from acdl_mkdocs.frontends.playground.engine import answer_question
from acdl_mkdocs.frontends.playground.params import Data

_FOLDER = Path(acdl_mkdocs.__file__).parent / "assets" / "playground"
TEXT = (_FOLDER / "welcome.acdl").read_text("utf-8")
STATE = (_FOLDER / "welcome.state.yaml").read_text("utf-8")


def result(method: str, **params: object) -> Data:
    """What the engine answers."""
    answer = answer_question(method, params)["result"]
    assert isinstance(answer, dict)
    return answer


def test_welcome() -> None:
    """No problems, written as the formatter writes, and messages at three points that differ."""
    assert result("look", text=TEXT)["diagnostics"] == []
    assert result("format", text=TEXT)["edits"] == []
    evaluated = result("evaluate", text=TEXT, state=STATE)
    assert (evaluated["problems"], evaluated["points"]) == ([], ["1", "2", "3"])
    assert "Answer in English." in str(evaluated["html"])

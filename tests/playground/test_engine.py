"""The engine, natively: everything that a page can ask, over all examples, broken texts, and what is no question."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from acdl_mkdocs.app.cures import Option
from acdl_mkdocs.frontends.playground.engine import METHODS, answer_json, answer_question
from acdl_mkdocs.frontends.playground.on_page import option_words
from acdl_mkdocs.frontends.playground.params import Data

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.acdl"))
BROKEN = ("", "}", "P[@T]: {", "P[@T]: { U: { S: { A } } }", "\ufeffP[@T]: { U: A", "((((" * 4000, "\x00\U0001f600 §")
SPEC = "P[@T]: { // \U0001f600\n    U: { Frag Greting[@T] }\n}\nStrFrag Greeting[@T]: { HELLO }\n"


def result(method: str, **params: object) -> Data:
    """An answer that is not an error."""
    given = answer_question(method, params)
    assert "error" not in given, given
    found = given["result"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_drawn_evaluated_and_compared(path: Path) -> None:
    """Without a problem that is an error, and its figure has the words that a page shows."""
    text = path.read_text("utf-8")
    look = result("look", text=text)
    assert [each for each in look["diagnostics"] if each["severity"] == "error"] == []  # type: ignore[attr-defined]
    assert str(look["svg"]).startswith("<svg")
    state = path.with_suffix(".state.yaml")
    if state.is_file():
        given = result("evaluate", text=text, state=state.read_text("utf-8"), provider="openai")
        assert given["points"]
        assert "acdl-sent" in str(given["html"])
        if given["body"]:
            json.loads(str(given["body"]))
        else:  # a published spec that reads what is not there yet
            assert str(given["notes"]).startswith("['nothing is sent: solve the errors first")
    assert result("diff", old=text, new=text)["isEmpty"] is True
    assert result("format", text=text)["edits"] == []
    for kind in ("svg", "text", "json", "html"):
        assert result("export", text=text, format=kind)["data"]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_any_text_is_answered(text: str) -> None:
    """No text makes a question fail: at most it is refused with what can be done."""
    for method in METHODS:
        params = {"text": text, "state": text, "old": text, "new": SPEC, "at": "1" if method == "evaluate" else 0}
        given = json.loads(answer_json(method, json.dumps(params)))
        assert "failed with" not in given.get("error", {}).get("message", ""), (method, given)


def test_places_are_those_of_a_page() -> None:
    """Offsets count UTF-16, as JavaScript does: the sign in the comment counts two."""
    found = result("look", text=SPEC)["diagnostics"]
    assert isinstance(found, list)
    unknown = next(each for each in found if each["name"] == "unknown-fragment")
    wide = SPEC.encode("utf-16-le")
    assert wide[unknown["from"] * 2 : unknown["to"] * 2].decode("utf-16-le") == "Greting"


def test_files_are_searched_for_fragments() -> None:
    """A fragment of another file is known."""
    text = "P[@T]: { U: { Frag Greeting[@T] } }\n"
    names = [each["name"] for each in result("look", text=text)["diagnostics"]]  # type: ignore[attr-defined]
    assert "unknown-fragment" in names
    found = result("look", text=text, files={"a": "StrFrag Greeting[@T]: { HELLO }\n"})
    assert [each["name"] for each in found["diagnostics"]] == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("method", "params", "message", "cure"),
    [
        ("dance", {}, "the engine has no `dance`", "ask one of look, "),
        ("look", {}, "`text` is missing", "give a text"),
        ("look", {"text": 3}, "`text` is of the JSON type integer", "give a text"),
        ("export", {"text": "", "format": "png"}, "`format` is `png`", "choose one of svg, text, json, html"),
        ("new_state", {"text": "P["}, "the spec has errors", "solve them first"),
        (
            "evaluate",
            {"text": "P[@T]: { U: A }", "state": "acdl_state: 1", "at": "x"},
            "`x` is not a point in time",
            "write",
        ),
    ],
)
def test_what_cannot_be_done_is_said_with_a_cure(
    method: str, params: dict[str, object], message: str, cure: str
) -> None:
    """An error is data, in the words of the rest of the package."""
    given = answer_question(method, params)["error"]
    assert isinstance(given, dict)
    assert (given["message"], given["cure"][: len(cure)]) == (message, cure)


def test_a_drawing_becomes_acdl() -> None:
    """What was copied from a figure's text is understood; what is ACDL already stays."""
    text = EXAMPLES[0].read_text("utf-8")
    drawing = result("export", text=text, format="text")["data"]
    assert result("convert", text=drawing)["isDrawing"] is True
    assert result("convert", text=text)["text"] == text


def test_hover_and_completion_know_the_text() -> None:
    """As in an editor, with HTML of what is said."""
    found = result("hover", text=SPEC, at=SPEC.index("Greeting") + 3)
    assert "Greeting" in str(found["html"])
    text = SPEC.replace("Greting", "Gre")
    items = result("complete", text=text, at=len(text[: text.index("Gre[") + 3].encode("utf-16-le")) // 2)["items"]
    assert isinstance(items, list)
    assert "Greeting" in " ".join(each["label"] for each in items)


STATE = "acdl_state: 1\nsteps: {1: {env: {question: Why}}}\n"


def test_the_outline_has_the_places_of_a_page() -> None:
    """Definitions and what is in them, in UTF-16: the emoji above counts twice."""
    text = "// \N{SMILING FACE WITH OPEN MOUTH}\nP[@T]: {\n    U: env.q[@T]\n}\nStrFrag F[@T]: { X }\n"
    found = result("symbols", text=text)["symbols"]
    assert isinstance(found, list)
    assert [each["name"] for each in found] == ["P", "F"]
    units = text.encode("utf-16-le")
    names = [units[2 * each["nameFrom"] : 2 * each["nameTo"]].decode("utf-16-le") for each in found]
    assert names == ["P", "F"]
    assert units[2 * found[1]["from"] :].decode("utf-16-le").startswith("StrFrag F")


@pytest.mark.parametrize("provider", ["openai", "responses", "anthropic", "gemini", "pml"])
def test_nothing_with_errors_is_a_request(provider: str) -> None:
    """As `acdl unroll`, which sends nothing then; messages are shown, with their places in the state."""
    text = "A[@T]: {\n    U: env.question[@T]\n    U: env.question[@2]\n}\n"
    refused = result("evaluate", text=text, state=STATE, provider=provider, at="1")
    notes = refused["notes"]
    assert isinstance(notes, list)
    why, cause = notes
    assert (refused["body"], why.split(",")[0]) == ("", "nothing is sent: solve the errors first")
    assert cause.startswith("`env.question[@2]` is later than the step that the prompt is built for, `@1`; ")
    assert "Why" in str(result("evaluate", text=text.replace("@2", "@T"), state=STATE, provider=provider)["body"])
    assert '"state_place": "state.yaml:2:' in str(result("evaluate", text=text, state=STATE, provider="json")["body"])


def test_options_are_named_as_on_the_page() -> None:
    """A cure names the list and the entry, or the button, that the page really has."""
    page = files("acdl_mkdocs").joinpath("assets/playground/index.html").read_text("utf-8")
    words = option_words(Option("missing", "placeholder")).strip("*").split(": ")
    assert [page.count(f">{each}<") for each in words] == [1, 1]
    assert page.count(f">{option_words(Option('state', 'FILE')).strip('*')}<") == 1


def test_what_is_not_understood_is_not_formatted() -> None:
    """It is not said to be in its normal form either."""
    assert json.loads(answer_json("format", json.dumps({"text": "A: { U: ] }"})))["error"] == {
        "message": "it is not formatted: it has errors",
        "cure": "fix its errors first",
    }

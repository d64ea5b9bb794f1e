"""The page says of a text, with the files that it uses, what `acdl check` says; and what it says can be done there."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from exhaustive import exhaustive

from acdl_mkdocs.app.check import check_each
from acdl_mkdocs.frontends.playground.engine import answer_question
from acdl_mkdocs.frontends.playground.modules import list_needed_files
from acdl_mkdocs.frontends.playground.on_page import on_page
from acdl_mkdocs.frontends.playground.own_files import examples_of
from acdl_mkdocs.frontends.playground.params import Data
from acdl_mkdocs.workspace.inputs import gather_texts
from acdl_mkdocs.workspace.search import find_files
from acdl_mkdocs.workspace.settings import Settings

ROOT = Path(__file__).parents[2]
TEXTS = sorted((*(ROOT / "examples").glob("*.acdl"), *(ROOT / "tests/golden/check").rglob("*.acdl")))
PROJECTS: dict[str, dict[str, str]] = {
    "named": {"frags.acdl": "StrFrag Greeting[@T]: { HELLO }\n"},
    "not named": {"others.acdl": "StrFrag Greeting[@T]: { HELLO }\n"},
    "in a folder": {"lib/frags.acdl": "StrFrag Greeting[@T]: { HELLO }\n"},
    "by another": {
        "frags.acdl": '// acdl: use "lib/more.acdl"\nStrFrag Other[@T]: { A }\n',
        "lib/more.acdl": '// acdl: use "../deep.acdl"\nStrFrag More[@T]: { Frag Deep[@T] }\n',
        "deep.acdl": "StrFrag Deep[@T]: { env.x[@T] }\nStrFrag Greeting[@T]: { Frag Deep[@T] }\n",
    },
    "twice": {
        "frags.acdl": '// acdl: use "more.acdl"\nStrFrag Greeting[@T]: { HELLO }\n',
        "more.acdl": "StrFrag Greeting[@T]: { BYE }\n",
    },
    "of the wrong kind": {"frags.acdl": "RolesFrag Greeting[@T]: { U: HELLO }\n"},
    "in a ring": {"frags.acdl": '// acdl: use "main.acdl"\nStrFrag Greeting[@T]: { Frag Own[@T] }\n'},
    "with too many": {"frags.acdl": "StrFrag Greeting[@T, x]: { $x }\n"},
    "broken": {"frags.acdl": "StrFrag Greeting[@T]: { \n"},
}
MAIN = "Chat[@T]: {\n    S: { Frag Greeting[@T] Frag Own[@T] }\n}\nStrFrag Own[@T]: { OWN }\n"


def told(path: Path) -> list[tuple[str, int, int]]:
    """What `acdl check --snippet` says of a file: rule and place."""
    files = gather_texts(find_files([str(path)])[0], lambda _: Settings(), None, is_snippet=True).files
    inputs = [each for _, given in files for each in given]
    found = [each for findings in check_each(inputs) for each, _ in findings]
    return sorted((each.rule, each.label.span.start, each.label.span.end) for each in found)


def said(path: Path) -> list[tuple[str, int, int]]:
    """What the page says of the same example."""
    (placed,) = examples_of([path])
    text = placed.example.text
    looked = problems(text, files=dict(placed.example.files))
    wide = text.encode("utf-16-le", "surrogatepass")

    def points(units: int) -> int:
        return len(wide[: units * 2].decode("utf-16-le", "surrogatepass"))

    return sorted((each["name"], points(each["from"]), points(each["to"])) for each in looked)


def problems(text: str, **params: object) -> list[dict[str, Any]]:
    """What the page says is wrong."""
    return cast("list[dict[str, Any]]", result("look", text=text, **params)["diagnostics"])


def result(method: str, **params: object) -> Data:
    """An answer that is not an error."""
    given = answer_question(method, params)
    assert isinstance(given.get("result"), dict), given
    return cast("Data", given["result"])


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_same_verdict_as_the_command(path: Path) -> None:
    """Each rule at the same place."""
    assert said(path) == [each for each in told(path) if each[0] not in ("empty-block", "missing-src")]


@pytest.mark.parametrize("name", PROJECTS)
def test_the_same_verdict_with_files(name: str, tmp_path: Path) -> None:
    """Files that a text names, those that they name, and none that nobody names."""
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n")
    (tmp_path / "lib").mkdir()
    named = next(iter(PROJECTS[name])).replace("others", "nothing")
    for file, words in {**PROJECTS[name], "main.acdl": f'// acdl: use "{named}"\n{MAIN}'}.items():
        (tmp_path / file).write_text(words)
    assert said(tmp_path / "main.acdl") == told(tmp_path / "main.acdl")


def test_a_file_that_is_not_there() -> None:
    """The page has no files but those of an example; one that does not matter is not asked for."""
    text = f'// acdl: use "a/frags.acdl"\n{MAIN}'
    (missing,) = (each for each in problems(text) if each["name"] == "missing-src")
    assert text[missing["from"] : missing["to"]] == "a/frags.acdl"
    assert missing["help"][1] == "write the fragments that it has into this text"
    for name in ("a/frags.acdl", "2-frags.acdl"):
        files = {name: "StrFrag Greeting[@T]: { A }\n"}
        assert problems(text, files=files) == []


def test_hover_completion_and_differences_know_the_files() -> None:
    """A fragment of a used file is explained, offered, defined where it is missing, and compared."""
    files = {"frags.acdl": "// Says hello.\nStrFrag Greeting[@T]: { HELLO }\n"}
    at = MAIN.index("Greeting") + 2
    assert "frags.acdl" in str(result("hover", text=MAIN, at=at, files=files)["html"])
    items = result("complete", text=MAIN.replace("Greeting", "Gre"), at=at + 1, files=files)["items"]
    assert "Greeting" in str(items)
    text = f'// acdl: use "frags.acdl"\n{MAIN}'
    assert result("diff", old=text, new=f"{text}\n// A note.\n", files=files)["isEqualSent"] is True
    assert result("diff", old=text, new=text.replace("OWN }", "ONE }"), files=files)["isEqualSent"] is False


def test_hover_knows_the_state() -> None:
    """What a variable is at the first point of the state."""
    text = "Chat[@T]: { U: env.question[@T] }\n"
    at = text.index("question") + 2
    state = "acdl_state: 1\nsteps: {1: {env: {question: how long is a day}}}\n"
    assert "how long is a day" in str(result("hover", text=text, at=at, state=state)["html"])
    assert "how long is a day" not in str(result("hover", text=text, at=at)["html"])


def test_a_drawing_has_a_button() -> None:
    """It is ACDL afterwards, and the cure names the button."""
    drawing = str(result("export", text=MAIN.replace("Frag Greeting[@T] ", ""), format="text")["data"])
    (found,) = problems(drawing)
    assert found["name"] == "drawn-form"
    (action,) = found["actions"]
    assert found["help"] == [f"choose *{action['title']}*"]
    (edit,) = action["edits"]
    made = drawing[: edit["from"]] + edit["text"] + drawing[edit["to"] :]
    assert problems(made) == []


def test_what_is_missing_can_be_defined() -> None:
    """An unknown fragment has a button too."""
    (found,) = problems(MAIN)
    assert [each["title"] for each in found["actions"]][-1] == "define `Greeting`"


def test_a_request_says_what_it_lacks() -> None:
    """The name of a model, which whoever sends it has to add."""
    text, state = "Chat[@T]: { U: A }\n", "acdl_state: 1\ntemplates: {A: a}\nsteps: {1: {}}\n"
    for provider in ("openai", "responses", "anthropic"):
        notes = str(result("evaluate", text=text, state=state, provider=provider)["notes"])
        assert 'none is given; add it: `"model": "NAME"`' in notes
        assert "--" not in notes


_NOT_SAID = {
    "`--git` names no revision ": "no repository is read",
    "convert with `--triggers`, so that a trigger in the last message sets the tool choice": "nothing is converted",
    "the request needs a model name: add `--model NAME`": "no command of `curl` is made",
}
"""Of modules that the page does not run, or with what it never gives."""
_FOLDERS = (
    *("syntax", "errors", "rules", "names", "evaluation", "state", "from_drawing", "figure"),
    *("compare", "structure", "sent", "editor"),
)


@exhaustive
def test_every_cure_can_be_followed_on_the_page() -> None:
    """A text of the engine that names a command is said in other words."""
    texts = {
        words
        for path in list_needed_files()
        if path.suffix == ".py" and path.parent.name in _FOLDERS
        for words in _said(ast.parse(path.read_text("utf-8")))
    }
    commands = {each for each in texts if re.search(r"`acdl [a-z]|`--[a-z]", each)}
    assert commands
    assert {each for each in commands if re.search(r"`acdl [a-z]|`--[a-z]", on_page(each))} - {*_NOT_SAID} == set()


def _said(tree: ast.Module) -> Iterator[str]:
    """The texts of a module that are no documentation."""
    lone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in lone:
            yield node.value

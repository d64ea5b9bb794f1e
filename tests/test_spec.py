"""`acdl_mkdocs.spec`: what a notebook, a test and a script ask of a spec."""

from collections.abc import Callable
from pathlib import Path

import pytest

from acdl_mkdocs import Config, Spec, check, diff, evaluate, parse, render, spec
from acdl_mkdocs.foundation.errors import EvaluationError, PathAsTextError, UnknownFormatError

TEXT = "Chat[@T]: {\n    S: RULES\n    U: env.question[@T]\n}\n"
STATE = "acdl_state: 1\nat: 2\ntemplates:\n  RULES: Be kind.\nenv:\n  question: {1: Why?, 2: How?}\n"


@pytest.fixture
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spec:
    """A spec in a file of the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("chat.acdl").write_text(TEXT)
    return spec("chat.acdl")


def test_name_of_a_file(chat: Spec) -> None:
    """A name that ends in `.acdl` is a file for every function; text that ends so in its second line is text."""
    assert str(chat) == TEXT
    assert (
        render("chat.acdl", "text") == render(Path("chat.acdl"), "text") == render(TEXT, "text") == chat.render("text")
    )
    assert evaluate("chat.acdl", missing="placeholder").source.name == "chat.acdl"
    assert not check("chat.acdl")
    assert diff("chat.acdl", TEXT).is_empty
    assert spec("U: a\n// acdl: use b.acdl").source.name == "<text>"
    for function in (spec, parse, check, render, evaluate):
        with pytest.raises(FileNotFoundError):
            function("none.acdl")


def test_byte_order_mark(chat: Spec) -> None:
    """A byte order mark is no part of the text: columns are the same as on the command line."""
    Path("bom.acdl").write_text("\ufeffA[@T]: { U: $b }\n", "utf-8")
    (found,) = check("bom.acdl")
    assert str(found).startswith("bom.acdl:1:13: error")
    assert not chat.check()


def test_notebook(chat: Spec) -> None:
    """A notebook gets the figure, and the problems of a text below it."""
    assert chat._repr_svg_() == chat.render("svg")
    assert chat._repr_html_() == chat._repr_svg_()
    broken = spec("Chat[@T]: { U: $question }")
    assert broken._repr_html_().startswith("<svg")
    assert "error[undefined-name]" in broken._repr_html_()
    assert repr(chat) == "<Spec chat.acdl: Chat>"
    assert repr(spec("U: a")) == "<Spec <text>: no definition>"


def test_problems() -> None:
    """`str()` of a problem is a line that editors jump to."""
    (found,) = spec("Chat[@T]: {\n    U: $question\n}\n").check()
    assert str(found) == "<text>:2:8: error[undefined-name]: no `Name` defines `$question`"
    assert (found.line, found.column, found.rule) == (2, 8, "undefined-name")
    assert found == check("Chat[@T]: {\n    U: $question\n}\n")[0]
    assert not spec("Chat[@T]: { U: $q }", Config(levels={"undefined-name": "off"})).check()
    snippet = spec("U: env.question")
    assert check(snippet) == snippet.check()
    assert [each.rule for each in check(snippet, Config())] == [each.rule for each in check("U: env.question")] != []


def test_messages(chat: Spec) -> None:
    """Messages come from a state that is given as text, name or data, or that lies beside the spec."""
    assert [each.text for each in chat.messages(STATE, "1")] == ["Be kind.", "Why?"]
    Path("other.yaml").write_text(STATE)
    assert [each.text for each in chat.messages("other.yaml")] == ["Be kind.", "How?"]
    assert [each.role for each in chat.messages()] == ["system", "user"]
    Path("chat.state.yaml").write_text(STATE.replace("How", "When"))
    assert chat.messages()[1].text == "When?"
    assert chat.messages({"acdl_state": 1, "env": {"question": {"1": "Data?"}}})[1].text == "Data?"


def test_messages_that_cannot_be_made(chat: Spec) -> None:
    """An error has all reasons, each with its place."""
    with pytest.raises(EvaluationError, match=r"chat\.acdl:3:8: error\[missing-value\]"):
        chat.messages({"acdl_state": 1})


def test_diff(chat: Spec) -> None:
    """The other side is a spec, text or a file."""
    assert chat.diff("chat.acdl").is_empty
    assert chat.diff(chat).is_empty
    assert not chat.diff(spec(TEXT.replace("RULES", "OTHER_RULES"))).is_empty


def test_format_and_formats(chat: Spec) -> None:
    """A spec is formatted and drawn in every format; one that does not exist is named with the near one."""
    assert spec("user:env.q[ @T ]").format() == "U: env.q[@T]\n"
    assert chat.render("png")[:4] == b"\x89PNG"
    with pytest.raises(UnknownFormatError, match="did you mean `svg`"):
        chat.render("svgg")
    assert parse(chat) is chat


def test_name_of_another_file(chat: Spec) -> None:
    """The name of a file is never drawn as if it were a spec; words that are the name of none are text."""
    Path("notes").write_text("x")
    for function in (spec, parse, check, render, evaluate, diff_with_nothing):
        for name in ("notes", str(Path("notes").resolve()), "docs/agents.md"):
            with pytest.raises(PathAsTextError, match="is the name of a file, not ACDL text; pass `Path"):
                function(name)
    assert render("INSTRUCTIONS", "text") == "INSTRUCTIONS\n"
    assert render("notes\n", "text") == "notes\n"
    assert spec("x" * 5000).source.name == "<text>"
    assert str(spec(Path("notes"))) == "x"
    assert not chat.check()


def diff_with_nothing(name: str) -> object:
    """What changes from a text to none."""
    return diff(name, "")


def test_findings_of_an_evaluation(chat: Spec) -> None:
    """What an evaluation finds has the same line, in the spec as in the state."""
    found = evaluate(
        chat, {"acdl_state": 1, "env": {"question": {"1": "Why?"}}, "templates": {"RULES": "x"}}, "2"
    ).errors
    assert [str(each.diagnostic) for each in found] == [
        "chat.acdl:3:8: error[missing-value]: the state has no `env.question[@2]`"
    ]


def test_tests_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests that a page shows pass."""
    root = Path(__file__).parent.parent
    monkeypatch.chdir(root)
    page = (root / "site_src" / "tools" / "from-python.md").read_text("utf-8")
    names: dict[str, Callable[[], None]] = {}
    exec(page.partition('title="test_agent.py"\n')[2].partition("```")[0], names)  # noqa: S102 - our own page
    tests = [test for name, test in names.items() if name.startswith("test_")]
    assert len(tests) == 2
    for test in tests:
        test()

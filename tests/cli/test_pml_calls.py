"""`acdl pml calls` and `instructions`: what a program is given of a model's answer, and what the model is told."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from acdl_mkdocs.frontends.cli.main import main
from cli.pml_documents import CHAT, as_published

SCHEMA = {"type": "object", "properties": {"loc": {"type": "string"}}, "required": ["loc"]}
LISTS: dict[str, Any] = {
    "openai": [{"type": "function", "function": {"name": "W", "description": "d", "parameters": SCHEMA}}],
    "responses": [{"type": "function", "name": "W", "description": "d", "parameters": SCHEMA}],
    "anthropic": [{"name": "W", "description": "d", "input_schema": SCHEMA}],
    "gemini": [{"functionDeclarations": [{"name": "W", "description": "d", "parametersJsonSchema": SCHEMA}]}],
    "body": {"model": "m", "max_tokens": 1, "messages": [], "tools": [{"name": "W", "input_schema": SCHEMA}]},
}


@pytest.fixture
def tools(folder: Path) -> str:
    """A document with a tool."""
    (folder / "tools.xml").write_text(CHAT, "utf-8")
    return "tools.xml"


def answer(text: str) -> str:
    """A file with what a model has written."""
    Path("answer.txt").write_text(text, "utf-8", newline="")
    return "answer.txt"


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What was printed for a program."""
    return as_published(capsys.readouterr().out, "calls")


def test_calls(tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Name, arguments in their types and id of each call at the end."""
    text = 'I look.\n<call name="W" id="1" loc="Oslo" days="2"/><call name="get_weather" loc="Rome"/>\n'
    assert main(["pml", "calls", answer(text), "--tools", tools]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert as_published(out, "calls") == {
        "schema_version": 1,
        "text": "I look.\n",
        "thinking": [],
        "calls": [
            {"number": 0, "id": "1", "name": "W", "arguments": {"loc": "Oslo", "days": 2}},
            {"number": 1, "id": None, "name": "get_weather", "arguments": {"loc": "Rome"}},
        ],
        "errors": [],
        "repairs": [],
    }


@pytest.mark.parametrize("text", ["Nothing to do.", 'So `<call name="W" loc="a"/>` and that is all', ""])
def test_no_calls(tools: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A call that a sentence quotes is text."""
    assert main(["pml", "calls", answer(text), "--tools", tools]) == 0
    nothing: dict[str, Any] = {"thinking": [], "calls": [], "errors": [], "repairs": []}
    assert printed(capsys) == {"schema_version": 1, "text": text, **nothing}
    assert main(["pml", "calls", answer(text), "--tools", tools, "--format", "terminal"]) == 0
    assert capsys.readouterr().out == "no calls\n"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('<call name="W" loc="a"/>.', "misplaced-text"),
        ('```xml\n<call name="W" loc="a"/>\n```\n', "misplaced-text"),
        ('<call name="W" loc="say "hi" now"/>', "not-xml"),
        ('I look. <call name="W" loc="a', "not-xml"),
        ('One of:\n- <call name="W" loc="a"/>\n- <call name="W" loc="b"/>', "misplaced-text"),
        ('<tool_call>{"name": "W", "arguments": {"loc": "a"}}</tool_call>', "not-xml"),
        ('<CALL name="W" loc="a"/>', "not-xml"),
    ],
)
@pytest.mark.parametrize("repair", [[], ["--repair"]])
def test_missed_calls(tools: str, text: str, kind: str, repair: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What was probably meant as a call is an error to hand back, not silence."""
    assert main(["pml", "calls", answer(text), "--tools", tools, *repair]) == 1
    out, err = capsys.readouterr()
    data = as_published(out, "calls")
    assert (data["calls"], data["text"]) == ([], text)
    assert [each["result"]["faults"][0]["kind"] for each in data["errors"]] == [kind]
    assert f"warning[{kind}]: " in err


def test_kept_line_ends(tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A line end in an attribute is kept and noted; the call is made."""
    assert main(["pml", "calls", answer('<call name="W" loc="a\nb"/>'), "--tools", tools]) == 0
    out, err = capsys.readouterr()
    data = as_published(out, "calls")
    message = "the line ends and tabs in `loc` are kept; XML would read spaces"
    assert [each["arguments"] for each in data["calls"]] == [{"loc": "a\nb"}]
    assert (data["errors"], data["repairs"]) == ([], [message])
    assert f"note[repaired]: {message}" in err
    assert "= help: write `&#10;` for a line end" in err


def test_thinking(tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What a model thought before its calls is not among its words."""
    text = '<thinking>Where?</thinking>I look.<call name="W" loc="a"/>'
    assert main(["pml", "calls", answer(text), "--tools", tools]) == 0
    data = printed(capsys)
    assert (data["text"], data["thinking"]) == ("I look.", ["Where?"])


def test_most_problems(tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A hundred problems are told; each call that cannot be made is in the result all the same."""
    assert main(["pml", "calls", answer('<call name="W"/>' * 200), "--tools", tools]) == 1
    out, err = capsys.readouterr()
    assert err.count("error[missing-argument]") == 100
    assert len(json.loads(out)["errors"]) == 200


def test_huge_number(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A number of hundreds of digits is compared and told like others."""
    schema = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 5}}}
    (folder / "tools.json").write_text(json.dumps([{"name": "W", "input_schema": schema}]), "utf-8")
    assert main(["pml", "calls", answer(f'<call name="W" n="{"9" * 400}"/>'), "--tools", "tools.json"]) == 1
    (error,) = printed(capsys)["errors"]
    assert error["result"]["faults"][0]["message"] == f"the number is {'9' * 60}..., expected at most 5"


def test_tools_of_a_request_without_messages(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The tools of a request are taken, whatever else it says and lacks."""
    function = {"name": "W", "parameters": {"type": "object", "properties": {}}}
    request = {"model": "m", "tools": [{"type": "function", "function": function}], "tool_choice": "auto"}
    (folder / "tools.json").write_text(json.dumps(request), "utf-8")
    assert main(["pml", "calls", answer('<call name="W"/>'), "--tools", "tools.json"]) == 0
    assert [each["name"] for each in printed(capsys)["calls"]] == ["W"]


def test_impossible_tools(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What no call can satisfy is told, of JSON too, and the tools are used as they are."""
    schema = {"type": "object", "properties": {"n": {"type": "integer", "enum": ["a"]}}}
    listed = [{"name": "W", "input_schema": schema}, {"name": "V", "input_schema": {"type": "objct"}}]
    (folder / "tools.json").write_text(json.dumps(listed), "utf-8")
    assert main(["pml", "calls", answer('<call name="W"/>'), "--tools", "tools.json"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("acdl: tools.json: tools[0]: `n` of `W`: none of the values of `enum` is of type int")
    assert lines[1].startswith(
        "acdl: tools.json: tools[1]: the schema of `V`: arguments have to be an object, but `type` is"
    )


def test_faults_are_handed_back(tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Only calls that can be made are calls; the others are results that say why, and problems with a place."""
    text = '<call name="W" loc="Oslo"/><call name="W" days="x"/><call name="V" id="v"/>'
    assert main(["pml", "calls", answer(text), "--tools", tools]) == 1
    out, err = capsys.readouterr()
    data = as_published(out, "calls")
    assert [each["number"] for each in data["calls"]] == [0]
    assert data["errors"] == [
        {
            "number": 1,
            "id": None,
            "result": {
                "error": "the call was not made",
                "tool": "W",
                "faults": [
                    {"kind": "missing-argument", "argument": "loc", "message": "`loc` is missing"},
                    {
                        "kind": "wrong-type",
                        "argument": "days",
                        "message": '`"x"` is of type string, expected integer',
                    },
                ],
            },
        },
        {
            "number": 2,
            "id": "v",
            "result": {
                "error": "the call was not made",
                "tool": "V",
                "faults": [{"kind": "unknown-tool", "message": "there is no tool `V`; the tools are `W`"}],
            },
        },
    ]
    assert [line for line in err.splitlines() if line.startswith(("error", " -->"))] == [
        "error[missing-argument]: the call of `W`: `loc` is missing",
        " --> answer.txt:1:28",
        'error[wrong-type]: `days` in the call of `W`: `"x"` is of type string, expected integer',
        " --> answer.txt:1:28",
        "error[unknown-tool]: there is no tool `V`; the tools are `W`",
        " --> answer.txt:1:53",
    ]
    assert main(["pml", "calls", answer(text), "--tools", tools, "--format", "terminal"]) == 1
    assert capsys.readouterr().out == (
        '<call name="W" loc="Oslo"/>\n<call name="W"><arg key="days" type="string">x</arg></call>  # cannot be made\n'
        '<call name="V" id="v"/>  # cannot be made\n'
    )


def test_repair(tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A call that is no XML is an error to hand back; mended only where that is asked for, and then told."""
    text = '<call name="W" loc="A & B"/>'
    assert main(["pml", "calls", answer(text), "--tools", tools]) == 1
    data = printed(capsys)
    assert (data["calls"], data["text"]) == ([], text)
    (error,) = data["errors"]
    assert error == {
        "number": None,
        "id": None,
        "result": {
            "error": "the call was not made",
            "faults": [{"kind": "not-xml", "message": "`&` begins an entity in XML; write `&amp;`"}],
        },
    }
    assert main(["pml", "calls", "--repair", answer(text), "--tools", tools]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["calls"][0]["arguments"] == {"loc": "A & B"}
    assert json.loads(out)["repairs"] == ["`&` and `<` that are not escaped are read as they are"]
    assert err.startswith("warning[repaired]: `&` and `<` that are not escaped are read as they are\n")
    assert "pml format" not in err


def test_json_is_safe_to_print(tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Characters that act on a terminal are escaped in JSON, which says the same."""
    loc = "\u009b2J\u202e é\U000110bd\x7f\n\\"
    arg = f'<arg key="loc" type="json">{json.dumps(loc, ensure_ascii=False)}</arg>'
    assert main(["pml", "calls", answer(f'é<call name="W">{arg}</call>'), "--tools", tools]) == 0
    out = capsys.readouterr().out
    assert not {"\u009b", "\u202e", "\U000110bd", "\x7f"} & set(out)
    assert "é" in out
    assert json.loads(out)["calls"][0]["arguments"] == {"loc": loc}


def test_call_of_several_lines(tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A call is one line for a person, whatever its arguments are."""
    text = '<call name="W"><arg key="loc" type="string">a\n\u009bb</arg></call>'
    assert main(["pml", "calls", answer(text), "--tools", tools, "--format", "terminal"]) == 0
    assert capsys.readouterr().out == '<call name="W"><arg key="loc" type="string">a&#10;\ufffdb</arg></call>\n'


@pytest.mark.parametrize("form", LISTS)
def test_tools_of_providers(folder: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Tools may be in a request of any provider, or in its list of tools."""
    (folder / "tools.json").write_text(json.dumps(LISTS[form]), "utf-8")
    assert main(["pml", "calls", answer('<call name="W"/>'), "--tools", "tools.json"]) == 1
    assert printed(capsys)["errors"][0]["result"]["faults"][0]["message"] == "`loc` is missing"
    assert main(["pml", "instructions", "tools.json"]) == 0
    assert '<param key="loc" req="1"/>' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ('{"a": 1}', 1, "tools.json: is JSON of no known format, expected tools of OpenAI, Anthropic or Gemini"),
        ("[1,", 1, "tools.json: is not JSON that can be read: expecting value at line 1, column 4"),
        ('[{"name": "W", "name": "V"}]', 1, 'tools.json: is not JSON that can be read: the key "name" appears twice'),
        ("[]", 1, "tools.json: has no tools"),
        ("<memory/>", 1, "tools.json: has no tools"),
        ("<tools><tool/></tools>", 1, "tools.json: its tools cannot be read: solve the errors first"),
        (
            '<tools><tool name="W"><param key="a" default="x" type="integer"/></tool></tools>',
            1,
            "tools.json: its tools cannot be read: solve the errors first",
        ),
        (
            '<tools><tool name="W"/><tool name="W"/></tools>',
            1,
            "tools.json: its tools cannot be read: solve the errors first",
        ),
        (
            '[{"name": "W", "input_schema": {}}, {"name": "W", "input_schema": {}}]',
            1,
            "tools.json: its tools cannot be read: solve the errors first",
        ),
        (None, 2, "tools.json: does not exist"),
    ],
)
def test_unusable_tools(
    folder: Path, text: str | None, status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tools that cannot be read are said as what they are."""
    if text is not None:
        (folder / "tools.json").write_text(text, "utf-8")
    assert main(["pml", "calls", answer("x"), "--tools", "tools.json"]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1] == f"acdl: {message}"


def test_wrong_tool_is_placed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong with a tool of a provider has its path."""
    (folder / "tools.json").write_text('[{"name": "W", "input_schema": 3}]', "utf-8")
    assert main(["pml", "instructions", "tools.json"]) == 1
    assert capsys.readouterr().err.startswith("acdl: tools.json: tools[0].input_schema: ")


def test_errors_beside_the_tools(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong with a conversation is told, and its tools are tools all the same."""
    (folder / "tools.xml").write_text(CHAT.replace('output id="c1"', 'output id="c2"'), "utf-8")
    assert main(["pml", "calls", answer('<call name="W" loc="a"/>'), "--tools", "tools.xml"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["calls"][0]["name"] == "W"
    assert "error[result-without-call]: " in err


def test_one_standard_input(tools: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer or the tools may come from standard input, not both."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'<call name="W" loc="x"/>')))
    assert main(["pml", "calls", "-", "--tools", tools]) == 0
    assert printed(capsys)["calls"][0]["name"] == "W"
    assert main(["pml", "calls", "-", "--tools", "-"]) == 2
    assert capsys.readouterr().err == "acdl: standard input cannot be both the answer and the tools\n"


def test_instructions(tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Short or full; triggers are explained only where they are wanted."""
    assert main(["pml", "instructions"]) == 0
    out = capsys.readouterr().out
    assert '`<call name="W" loc="..."/>`' in out
    assert "<tools>" not in out
    assert main(["pml", "instructions", tools]) == 0
    short = capsys.readouterr().out
    assert "[#W" not in short
    assert "trigger" not in short
    assert main(["pml", "instructions", tools, "--style", "full", "--triggers"]) == 0
    full = capsys.readouterr().out
    assert len(full) > len(short)
    assert '`[#W: "value"]` in a message of the user' in full
    assert 'trigger="1"' in full


@pytest.mark.parametrize("given", [[], ["tools.xml"]])
def test_no_triggers(folder: Path, given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Triggers that no tool has are not passed over in silence."""
    (folder / "tools.xml").write_text('<tools><tool name="W"/></tools>', "utf-8")
    assert main(["pml", "instructions", *given, "--triggers"]) == 0
    out, err = capsys.readouterr()
    assert "[#" not in out
    assert err.startswith('acdl: no tool is marked with `trigger="1"`')

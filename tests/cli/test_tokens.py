"""`acdl tokens`: what is counted, in which encodings, how it is shown, and how it ends."""

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from wire.samples import AGENT

from acdl_mkdocs.foundation.errors import MissingExtraError
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.cli.token_tables import TABLES
from acdl_mkdocs.frontends.cli.tokens import FORMATS
from acdl_mkdocs.prompts.pml.write import write
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.tokens import counter
from acdl_mkdocs.prompts.tokens.spellings import KINDS

SCHEMA = json.loads(files("acdl_mkdocs").joinpath("assets/tokens.schema.json").read_text("utf-8"))
DOCUMENT = """<prompt version="1">
  <memory><fact key="name">Ann</fact></memory>
  <tools><tool name="W" desc="Weather"><param key="loc" req="1"/></tool></tools>
  <conversation>
    <turn>
      <user><text>Rain in Oslo?</text><attachment type="file" name="a.txt">wet &amp; cold</attachment></user>
      <assistant><text>I look.</text><call name="W" id="c1" loc="Oslo"/></assistant>
      <tool_output id="c1">4 °C, rain</tool_output>
    </turn>
  </conversation>
</prompt>
"""
COUNTED = """ask.pml.xml: model tokens

             o200k_base
  tools              29
  memory              3
  user                4
  assistant           3
  files               3
  calls               8
  results             5
  total              55
"""
SPEC = "Chat[@T]: {\n    S: BRIEF\n    U: env.question[@T]\n}\n"
STATE = """acdl_state: 1
spec: Chat
at: '1..2'
templates: {BRIEF: Be brief.}
steps:
  1: {env: {question: Hello?}}
  2: {env: {question: 'And now, what is next?'}}
"""


@pytest.fixture
def folder(folder: Path) -> Path:
    """A working folder with a document, a spec and its state."""
    (folder / "ask.pml.xml").write_text(DOCUMENT, "utf-8")
    (folder / "chat.acdl").write_text(SPEC)
    (folder / "chat.state.yaml").write_text(STATE)
    return folder


def said(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> tuple[str, str]:
    """What the command prints on its two streams."""
    assert main(["tokens", *words]) == status
    out, err = capsys.readouterr()
    return out, err


def parsed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The JSON that the command prints, which is as its schema says."""
    out, err = said(capsys, *words, "--format", "json")
    assert err == ""
    found: dict[str, Any] = json.loads(out)
    Draft202012Validator(SCHEMA).validate(found)
    return found


def totals(found: dict[str, Any]) -> list[tuple[str, int]]:
    """Names of prompts and their counts in the first encoding."""
    return [(each["name"], each["counts"][0]["total"]) for each in found["prompts"]]


@pytest.mark.usefixtures("folder")
def test_document(capsys: pytest.CaptureFixture[str]) -> None:
    """The parts of a document, with the name of the encoding."""
    assert said(capsys, "ask.pml.xml") == (COUNTED, "")


@pytest.mark.usefixtures("folder")
def test_several_encodings(capsys: pytest.CaptureFixture[str]) -> None:
    """A column each; what may differ is marked; one that is asked for twice is shown once."""
    words = ("--encoding", "cl100k_base", "--encoding", "estimate", "--encoding", "cl100k_base")
    out, _ = said(capsys, "ask.pml.xml", *words, "--format", "markdown")
    assert out.splitlines()[2:5] == [
        "|  | cl100k_base | estimate (characters / 3.6) |",
        "| --- | --: | --: |",
        "| tools | 29 | ≈35 |",
    ]


@pytest.mark.parametrize("name", PROVIDERS)
def test_requests(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A request of each provider is told from the others, and has the counts of the same prompt as PML."""
    (folder / "body.json").write_text(
        json.dumps(PROVIDERS[name].write(AGENT, "claude-x" if name == "anthropic" else "m").body)
    )
    (folder / "body.pml.xml").write_text(write(AGENT), "utf-8")
    (_, counted), (_, same) = (*totals(parsed(capsys, "body.json")), *totals(parsed(capsys, "body.pml.xml")))
    assert counted == same > 50


def test_list_of_tools(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tools alone have a part alone."""
    tools = PROVIDERS["openai"].write(AGENT, "m").request["tools"]
    (folder / "tools.json").write_text(json.dumps(tools))
    out, _ = said(capsys, "tools.json", "--compare")
    assert "  tools          39\n  total          39\n" in out
    assert "  LAIC" in out


@pytest.mark.usefixtures("folder")
def test_spec(capsys: pytest.CaptureFixture[str]) -> None:
    """What a spec sends, at the points of the state or at those that are asked for."""
    assert totals(parsed(capsys, "chat.acdl")) == [("Chat at @1", 5), ("Chat at @2", 10)]
    assert totals(parsed(capsys, "chat.acdl", "--at", "2")) == [("Chat at @2", 10)]
    assert totals(parsed(capsys, "chat.acdl#Chat", "--state", "chat.state.yaml", "--at", "1")) == [("Chat at @1", 5)]


def test_spec_that_cannot_be_sent(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What names stand in is not counted, unless that is asked for."""
    (folder / "chat.state.yaml").unlink()
    _, err = said(capsys, "chat.acdl", status=1)
    assert "nothing is counted: there is no state; name one with `--state FILE`" in err
    out, _ = said(capsys, "chat.acdl", "--missing", "placeholder")
    assert out.startswith("Chat at @1: model tokens\n")
    (folder / "chat.acdl").write_text(SPEC.replace("}", ""))
    _, err = said(capsys, "chat.acdl", "--missing", "placeholder", status=1)
    assert "nothing is counted: solve the errors first" in err


def test_spec_of_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A block of a page, by its name or by the options that say how it is filled."""
    (folder / "page.md").write_text(f"# Page\n\n```acdl\n{SPEC}```\n")
    words = ("--state", "chat.state.yaml", "--at", "1")
    assert totals(parsed(capsys, "page.md#Chat", *words)) == [("Chat at @1", 5)]
    assert totals(parsed(capsys, "page.md", *words)) == [("Chat at @1", 5)]
    assert [name for name, _ in totals(parsed(capsys, "page.md"))] == ["page.md"]


@pytest.mark.usefixtures("folder")
def test_compare(capsys: pytest.CaptureFixture[str]) -> None:
    """Counts and ratios for each spelling, and what each lacks."""
    out, err = said(capsys, "ask.pml.xml", "--compare")
    assert err == ""
    before, counts, ratios, notes = out.split("\n\n")[1], *out.split("\n\n")[3:]
    assert before.splitlines()[-1].split() == ["total", "55"]
    assert counts.split("\n")[0].split() == [*KINDS, "wrapping", "whole"]
    rows = {line[2:15].strip(): line[15:].split() for line in counts.splitlines()[1:]}
    assert list(rows) == ["JSON", "JSON pretty", "YAML", "PML", "PML pretty", "LAIC", "Markdown"]
    for name, cells in rows.items():
        if name != "LAIC":
            assert sum(map(int, cells[:-1])) == int(cells[-1]), name
    assert rows["LAIC"][1] == rows["LAIC"][-1] == "-"
    assert [line.split()[-1] for line in ratios.splitlines()[1:2]] == ["1.00"]
    assert notes.splitlines()[0] == (
        "lossy: JSON, JSON pretty, YAML, without memory, which is text of the instructions; "
        "files, which are text of their message"
    )
    assert len(notes.splitlines()) == 3


@pytest.mark.usefixtures("folder")
def test_compare_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """The same for programs."""
    found = parsed(capsys, "ask.pml.xml", "--compare", "--encoding", "o200k_base", "--encoding", "estimate")
    (prompt,) = found["prompts"]
    assert [each["encoding"] for each in prompt["comparisons"]] == ["o200k_base", "estimate (characters / 3.6)"]
    by_name = {each["spelling"]: each for each in prompt["comparisons"][0]["spellings"]}
    assert by_name["PML"]["is_lossless"]
    assert not by_name["JSON"]["is_lossless"]
    assert by_name["JSON"]["ratios"]["whole"] == 1
    assert "whole" not in by_name["LAIC"]["parts"]


def test_markdown_is_safe(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name means nothing in Markdown, mentions nobody, and acts on no terminal."""
    (folder / "a_*<b>\x1b.txt").write_text("x")
    out, _ = said(capsys, "a_*<b>\x1b.txt", "--format", "markdown")
    assert out.startswith("**`a_*<b>\ufffd.txt`**")
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("text", "total", "told"),
    [
        ("hello world\n", 3, ""),
        ("<p>hello</p>\n", 6, ""),
        ('{"a": 1}\n', 6, "counted as a text: this is not a request in a known format, and not a list of tools"),
        ('{"a": 1\n', 6, "counted as a text: this is not valid JSON"),
        ("", 0, ""),
    ],
)
def test_texts(text: str, total: int, told: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything else is a text; what looks like a request and is none is told."""
    (folder / "some.txt").write_text(text)
    out, err = said(capsys, "some.txt")
    assert out.splitlines()[-1].split() == ["total", str(total)]
    assert told in err
    assert bool(told) == bool(err)
    _, err = said(capsys, "some.txt", "--compare", status=2)
    assert "some.txt: is a text without messages or tools, which has one spelling" in err


def test_errors_of_a_prompt(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A prompt with errors is not counted, or as far as it can be read, and told."""
    (folder / "ask.pml.xml").write_text(
        '<conversation>\n  <turn><user role="user"><text>Hi</text></turn>\n</conversation>'
    )
    out, err = said(capsys, "ask.pml.xml", status=1)
    assert out == ""
    assert "ask.pml.xml:2:" in err
    assert "nothing is counted: solve the errors first, or count what can be read with `--lenient`" in err
    (folder / "body.json").write_text('{"model": "m", "messages": [{"role": "usr", "content": "Hi"}]}')
    out, err = said(capsys, "body.json", status=1)
    assert "body.json:1:" in err
    assert "messages[0].role: this is not a message role; did you mean `user`?" in err
    out, err = said(capsys, "body.json", "--lenient", status=1)
    assert "total" in out


@pytest.mark.parametrize(
    "text",
    [
        '{"messages": [{"role": "user", "content": "hi"}]',
        '{"model": "m", "messages": [], "messages": []}',
        '{"messages": 1, "contents": 2}',
    ],
)
def test_broken_requests(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was meant as a request and cannot be read is not counted as a text."""
    (folder / "body.json").write_text(text)
    out, err = said(capsys, "body.json", status=1)
    assert out == ""
    assert err.startswith("acdl: body.json:")
    assert "nothing is counted: " in err


def test_what_lenient_reading_changes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is read otherwise is told, and is not an error any more."""
    (folder / "ask.pml.xml").write_text('<conversation><user who="me">Hi</user></conversation>')
    out, err = said(capsys, "ask.pml.xml", "--lenient")
    assert "total" in out
    assert "repair: " in err
    assert "attribute `who`" in err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nothing.xml",), "nothing.xml: does not exist"),
        (("ask.pml.xm",), "did you mean ask.pml.xml?"),
        (("ask.pml.xml", "--encoding", "o200k"), "no encoding `o200k`; did you mean `o200k_base`?"),
        (("chat.acdl", "--at", "x"), "`x`"),
        (("ask.pml.xml", "--at", "2"), "--at belongs to an .acdl file or a page with a spec, and not to ask.pml.xml"),
        (("chat.acdl", "--spec", "Chatt"), "chat.acdl has no spec `Chatt`; did you mean `Chat`?"),
    ],
)
def test_what_cannot_be_done(words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is said, and the status is 2."""
    out, err = said(capsys, *words, status=2)
    assert out == ""
    assert told in err


@pytest.mark.usefixtures("folder")
def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Counts are an estimate that says so; an encoding that is asked for is an error with its cure."""

    def missing() -> counter.Counter:
        raise MissingExtraError("`tokens` needs packages: pip install 'acdl-mkdocs[tokens]'")

    monkeypatch.setitem(counter.ENCODINGS, "o200k_base", missing)
    out, err = said(capsys, "ask.pml.xml", "--compare")
    assert err == ""
    assert "estimate (characters / 3.6)" in out
    assert "≈" in out
    out, err = said(capsys, "ask.pml.xml", "--encoding", "o200k_base", status=2)
    assert out == ""
    assert "pip install 'acdl-mkdocs[tokens]'" in err


def test_standard_input() -> None:
    """`-` is standard input, whatever is in it."""
    command = [sys.executable, "-m", "acdl_mkdocs", "tokens", "-"]
    ran = subprocess.run(command, input=DOCUMENT.encode(), capture_output=True, env={**os.environ, "NO_COLOR": "1"})
    assert ran.stdout.decode() == COUNTED.replace("ask.pml.xml", "<stdin>")


def test_formats() -> None:
    """The help names every table."""
    assert tuple(TABLES) == FORMATS

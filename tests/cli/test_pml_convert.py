"""`acdl pml convert`: what it writes, what it tells, and how it ends."""

import io
import json
import sys
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main
from cli.pml_documents import CHAT, as_published

REQUEST = '{"model": "m", "messages": [{"role": "user", "content": "hi"}]}'
DOCUMENT = """\
<prompt version="1" xmlns:x="urn:acdl-mkdocs:pml:1">
  <conversation>
    <turn>
      <user>
        <text>hi</text>
      </user>
    </turn>
  </conversation>
  <x:opaque provider="openai">{"model":"m"}</x:opaque>
</prompt>
"""


def test_request_to_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a loss there is the document and nothing else; there and back it is the same request."""
    (folder / "a.json").write_text(REQUEST, "utf-8")
    assert main(["pml", "convert", "a.json", "--to", "pml", "--strict"]) == 0
    assert capsys.readouterr() == (DOCUMENT, "")
    assert main(["pml", "convert", "a.json", "--to", "pml", "-o", "a.pml.xml"]) == 0
    assert main(["pml", "convert", "a.pml.xml", "--to", "openai", "--style", "min", "-o", "b.json"]) == 0
    assert json.loads((folder / "b.json").read_text("utf-8")) == json.loads(REQUEST)
    assert capsys.readouterr() == ("", "")


def test_losses_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line each on standard error, with its place, and how many there are; the status is 0."""
    (folder / "chat.pml.xml").write_text(CHAT, "utf-8")
    assert main(["pml", "convert", "chat.pml.xml", "--to", "openai", "--model", "m"]) == 0
    out, err = capsys.readouterr()
    assert [message["role"] for message in json.loads(out)["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    lines = err.splitlines()
    assert lines[-1] == "7 losses"
    assert len(lines) == 8
    assert (
        "chat.pml.xml:6:5: loss: `W` is sent under its alias `get_weather`; to send the short name, remove `alias`"
        in lines
    )
    assert "chat.pml.xml: loss: the turn numbers are not sent; store them outside the request" in lines


def test_strict(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written where something would be lost."""
    (folder / "chat.pml.xml").write_text(CHAT, "utf-8")
    command = ["pml", "convert", "chat.pml.xml", "--to", "gemini", "--strict", "-o", "out.json"]
    assert main(command) == 1
    assert capsys.readouterr().err.endswith(
        "acdl: chat.pml.xml: nothing is written: something would be lost or repaired, and --strict forbids it\n"
    )
    assert not (folder / "out.json").exists()


def test_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The report as JSON, for programs, in a file or in the place of the lines for people."""
    (folder / "chat.pml.xml").write_text(CHAT, "utf-8")
    command = ["pml", "convert", "chat.pml.xml", "--to", "anthropic", "--report"]
    assert main([*command, "report.json"]) == 0
    assert "losses" in capsys.readouterr().err
    report = as_published((folder / "report.json").read_text("utf-8"), "convert")
    assert (report["schema_version"], report["from"], report["to"]) == (1, "pml", "anthropic")
    assert (report["is_converted"], report["is_lossless"]) == (True, False)
    assert {
        "kind": "loss",
        "sentence": "`W` is sent under its alias `get_weather`",
        "cure": "to send the short name, remove `alias`",
        "part": "tools[0]",
        "line": 6,
        "column": 5,
    } in report["changes"]
    assert main([*command, "-"]) == 0
    assert json.loads(capsys.readouterr().err) == report
    assert main([*command, "no/such\0folder/x"]) == 2
    (folder / "bad.json").write_text('{"messages": [{"role": "usr", "content": "hi"}]}', "utf-8")
    (folder / "no.txt").write_text("hi", "utf-8")
    for text in ("bad.json", "no.txt"):
        capsys.readouterr()
        assert main(["pml", "convert", text, "--to", "pml", "--report", "bad.report.json"]) == 1
        told = as_published((folder / "bad.report.json").read_text("utf-8"), "convert")
        assert (told["is_converted"], told["changes"][0]["kind"]) == (False, "error")


def test_errors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A text with errors is not converted, unless what can be read of it is enough."""
    (folder / "a.json").write_text('{"messages": [{"role": "usr", "content": "hi"}]}', "utf-8")
    command = ["pml", "convert", "a.json", "--to", "pml"]
    assert main(command) == 1
    assert capsys.readouterr() == (
        "",
        "a.json:1:24: error: messages[0].role: this is not a message role; did you mean `user`?\n1 error\n"
        "acdl: a.json: nothing is written: solve the errors first, or try `--lenient`\n",
    )
    assert main([*command, "--lenient"]) == 0
    assert "usr" in capsys.readouterr().out
    (folder / "a.json").write_text("{", "utf-8")
    assert main([*command, "--lenient", "--from", "openai"]) == 1
    assert "this is not valid JSON" in capsys.readouterr().err


def test_misuse(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files that are not there and options that mean nothing end with 2 and a cure."""
    (folder / "a.json").write_text(REQUEST, "utf-8")
    assert main(["pml", "convert", "b.xml", "--to", "pml"]) == 2
    assert capsys.readouterr().err == "acdl: b.xml: does not exist\n"
    assert main(["pml", "convert", "a.json", "--to", "pml", "--model", "m"]) == 2
    said = "acdl: --model is part of a request: choose which with --to, one of openai, responses, anthropic, gemini\n"
    assert capsys.readouterr().err == said
    with pytest.raises(SystemExit):
        main(["pml", "convert", "a.json"])
    assert "--to" in capsys.readouterr().err


def test_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A request from a pipe; it may begin with a byte order mark."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf" + REQUEST.encode())))
    assert main(["pml", "convert", "-", "--to", "pml"]) == 0
    assert capsys.readouterr().out == DOCUMENT


def test_triggers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Words that ask for a tool choose it where that is wanted."""
    asked = CHAT.replace("<assistant>\n        <text>Rain.", '<user>\n        <text>[#W: "Oslo"]')
    asked = asked.replace("      </assistant>\n    </turn>", "      </user>\n    </turn>")
    asked = asked.replace(
        "</tool_output>\n      <user>", '</tool_output>\n    </turn>\n    <turn index="2">\n      <user>'
    )
    (folder / "a.xml").write_text(asked, "utf-8")
    for options in ([], ["--triggers"]):
        assert main(["pml", "convert", "a.xml", "--to", "openai", *options]) == 0
        assert ("tool_choice" in json.loads(capsys.readouterr().out)) == bool(options)


def test_nothing_acts_on_a_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is told about a text has no control characters."""
    request = {"messages": [{"role": "\x1b[31m", "content": "x"}], "model": "m", "\x1b]0;": 1}
    (folder / "a.json").write_text(json.dumps(request), "utf-8")
    main(["pml", "convert", "a.json", "--to", "anthropic", "--lenient"])
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["a.json", "-o", "a.json"], "a.json: is FILE and --output: write to another file"),
        (["a.json", "--report", "./a.json"], "./a.json: is FILE and --report: write to another file"),
        (["a.json", "-o", "b", "--report", "b"], "b: is --output and --report: write to another file"),
        (["a.acdl"], "a.acdl: is an ACDL file: `acdl unroll a.acdl --format pml` writes what it sends"),
    ],
)
def test_files_that_are_kept(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], expected: str) -> None:
    """No file is overwritten by what is made of it, and no result by its report."""
    (folder / "a.json").write_text(REQUEST, "utf-8")
    assert main(["pml", "convert", *words, "--to", "pml"]) == 2
    assert capsys.readouterr().err == f"acdl: {expected}\n"
    assert (folder / "a.json").read_text("utf-8") == REQUEST
    assert not (folder / "b").exists()


def test_end_of_the_last_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is written without white space ends its line all the same."""
    (folder / "a.json").write_text(REQUEST, "utf-8")
    for to in ("pml", "openai"):
        assert main(["pml", "convert", "a.json", "--to", to, "--style", "min"]) == 0
        assert capsys.readouterr().out.count("\n") == 1

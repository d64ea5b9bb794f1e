"""`acdl pml parts`, `select`, `remove` and `replace`: a document taken apart and put together again."""

import base64
import io
import sys
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.prompts.pml.read import read
from cli.pml_documents import CHAT, as_published


@pytest.fixture
def chat(folder: Path) -> Path:
    """A folder with a document."""
    (folder / "chat.xml").write_text(CHAT, "utf-8")
    return folder


@pytest.mark.usefixtures("chat")
def test_parts(capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each part; every path and every id selects."""
    assert main(["pml", "parts", "chat.xml"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out == (
        "path                               id   line  size  begins\n"
        "memory/fact[1]                             3     5  Alice\n"
        "tools/tool[1]                              6        W: Weather of a place\n"
        "turn[1]/user[1]                    #u1    13\n"
        "turn[1]/user[1]/text[1]                   14    22  Is it raining in Oslo?\n"
        "turn[1]/user[1]/attachment[1]      #f1    15    12  first second\n"
        "turn[1]/assistant[1]                      20\n"
        'turn[1]/assistant[1]/call[1]       #c1    21        <call name="W" id="c1" loc="Oslo" days="2"/>\n'
        "turn[1]/tool_output[1]                    23     4  rain\n"
        "turn[1]/tool_output[1]/content[1]         23     4  rain\n"
        "turn[1]/assistant[2]                      24\n"
        "turn[1]/assistant[2]/text[1]              25     5  Rain.\n"
    )
    for line in out.splitlines()[1:]:
        assert main(["pml", "select", "chat.xml", line.split()[0]]) == 0
        assert capsys.readouterr().out.lstrip().startswith("<")


@pytest.mark.usefixtures("chat")
def test_parts_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    """The same as data."""
    assert main(["pml", "parts", "--format", "json", "chat.xml"]) == 0
    data = as_published(capsys.readouterr().out, "parts")
    assert (data["schema_version"], data["kind"], len(data["parts"])) == (1, "prompt", 11)
    assert data["parts"][4] == {
        "path": "turn[1]/user[1]/attachment[1]",
        "id": "f1",
        "line": 15,
        "column": 9,
        "n_characters": 12,
        "begins": "first second",
    }


def test_parts_of_a_broken_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be read has no parts; what can be read but not sent has."""
    (folder / "a.xml").write_text("<conversation>", "utf-8")
    assert main(["pml", "parts", "a.xml"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("acdl: a.xml: cannot be read: solve the errors first, or try `--lenient`\n")
    (folder / "a.xml").write_text(CHAT.replace('output id="c1"', 'output id="c2"'), "utf-8")
    assert main(["pml", "parts", "a.xml"]) == 1
    out, err = capsys.readouterr()
    assert out.count("\n") == 12
    assert "error[result-without-call]: " in err


@pytest.mark.usefixtures("chat")
def test_select(capsys: pytest.CaptureFixture[str]) -> None:
    """Elements as they stand in the file; with `--text`, exactly the text."""
    assert main(["pml", "select", "chat.xml", "#f1"]) == 0
    assert capsys.readouterr() == (
        '        <attachment type="file" name="notes.txt" id="f1">\n          <content>first\nsecond</content>\n'
        "        </attachment>\n",
        "",
    )
    assert main(["pml", "select", "chat.xml", "turn[1]/*/text"]) == 0
    assert capsys.readouterr().out == ("        <text>Is it raining in Oslo?</text>\n        <text>Rain.</text>\n")
    assert main(["pml", "select", "--text", "chat.xml", "#f1"]) == 0
    assert capsys.readouterr().out == "first\nsecond"
    assert main(["pml", "select", "--text", "chat.xml", "#f1", "-o", "notes.txt"]) == 0
    assert Path("notes.txt").read_bytes() == b"first\nsecond"


@pytest.mark.usefixtures("chat")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["#f2"], "the prompt has no `#f2`; its ids are: `#u1` `#f1` `#c1`\n"),
        (["conversation/turn[1]"], "the prompt has no `conversation/turn[1]`; did you mean `turn[1]`?\n"),
        (["turn[1]/usr"], "the prompt has no `turn[1]/usr`; did you mean `turn[1]/user[1]`?\n"),
        (["a b"], "`a b` is not a path; write, for example, `turn[2]/user/attachment[1]`, or `#id`\n"),
        (["turn[1]/*/text", "--text"], "`turn[1]/*/text` means 2 parts, --text needs one: `turn[1]/user[1]/text[1]` "),
        (["#c1", "--text"], "`turn[1]/assistant[1]/call[1]` has no text of its own; name a part of it\n"),
    ],
)
def test_what_is_not_there(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A path that means nothing is told with the near one, and the status is 2."""
    assert main(["pml", "select", "chat.xml", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"acdl: {message}")


@pytest.mark.usefixtures("chat")
def test_remove(capsys: pytest.CaptureFixture[str]) -> None:
    """Paths are those of the document as it is, and a call goes with its result."""
    assert main(["pml", "remove", "chat.xml", "#f1", "turn[1]/assistant[1]", "memory"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out[out.index("<conversation") :] == (
        '<conversation topic="Weather">\n    <turn index="1">\n      <user id="u1">\n'
        "        <text>Is it raining in Oslo?</text>\n      </user>\n      <assistant>\n        <text>Rain.</text>\n"
        "      </assistant>\n    </turn>\n  </conversation>\n</prompt>\n"
    )
    assert "<memory>" not in out
    assert main(["pml", "remove", "chat.xml", "#f1", "#f2"]) == 2
    assert capsys.readouterr().out == ""


def test_remove_several_of_one_kind(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers do not shift while parts are removed."""
    (folder / "a.xml").write_text("<memory><fact>a</fact><fact>b</fact><fact>c</fact></memory>", "utf-8")
    assert main(["pml", "remove", "a.xml", "memory/fact[1]", "memory/fact[2]", "--style", "min"]) == 0
    assert capsys.readouterr().out == "<memory><fact>c</fact></memory>"


@pytest.mark.usefixtures("chat")
def test_remove_a_result(capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong with the new document is told, and the status says it."""
    assert main(["pml", "remove", "chat.xml", "turn[1]/tool_output", "-o", "new.xml"]) == 1
    err = capsys.readouterr().err
    assert "error[unanswered-call]: the call of `W` has no result" in err
    assert "  --> new.xml:21:9\n" in err
    assert "<tool_output" not in Path("new.xml").read_text("utf-8")


def test_nothing_is_lost_by_a_change(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Comments keep a document from being changed, too."""
    (folder / "a.xml").write_text("<memory><!-- ask --><fact>a</fact><fact>b</fact></memory>", "utf-8")
    for words in (["remove", "a.xml", "memory/fact[1]"], ["replace", "a.xml", "memory/fact[1]", "--with", "a.xml"]):
        assert main(["pml", *words]) == 1
        assert "a comment in line 1 would be lost" in capsys.readouterr().err
        assert main(["pml", *words, "--allow-loss"]) == 0
        assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("chat")
def test_replace(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Text stands there exactly, also one that looks like markup; a path may mean several parts."""
    text = "</content></attachment><call name='W'/>\r\n]]>\x1b\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["pml", "replace", "chat.xml", "#f1", "--with", "-", "-o", "new.xml"]) == 0
    assert main(["pml", "select", "--text", "new.xml", "#f1", "-o", "got.txt"]) == 0
    assert Path("got.txt").read_bytes().decode() == text
    Path("words.txt").write_text("Hm.", "utf-8")
    assert main(["pml", "replace", "chat.xml", "turn[1]/*/text", "--with", "words.txt"]) == 0
    assert capsys.readouterr().out.count("<text>Hm.</text>") == 2


def test_half_of_a_character(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A text that no file in UTF-8 can have is refused, and no file is written."""
    text = '<conversation><turn><user><text encoding="json">"a\\ud800"</text></user></turn></conversation>'
    (folder / "a.xml").write_text(text, "utf-8")
    sentence = "acdl: nothing is written: character 2 is half of one, U+D800, which UTF-8 does not have\n"
    for more in ([], ["-o", "b.txt"]):
        assert main(["pml", "select", "--text", "a.xml", "turn[1]/user/text", *more]) == 1
        assert capsys.readouterr() == ("", sentence)
    assert not (folder / "b.txt").exists()
    assert main(["pml", "select", "a.xml", "turn[1]/user/text"]) == 0


@pytest.mark.usefixtures("chat")
def test_replace_by_data(capsys: pytest.CaptureFixture[str]) -> None:
    """An attachment can be given what is not text; nothing else can."""
    Path("logo.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert main(["pml", "replace", "chat.xml", "#f1", "--with", "logo.png"]) == 0
    new = read(capsys.readouterr().out).prompt
    assert new is not None
    assert base64.b64encode(b"\x89PNG\r\n\x1a\n").decode() in repr(new.messages[0].parts[1])
    assert main(["pml", "replace", "chat.xml", "memory/fact", "--with", "logo.png"]) == 2
    assert capsys.readouterr().err == (
        "acdl: logo.png: is not UTF-8 text: "
        "`memory/fact[1]` can only have text; only an attachment can have other data\n"
    )
    Path("words.txt").write_text("Hm.", "utf-8")
    assert main(["pml", "replace", "chat.xml", "#c1", "--with", "words.txt"]) == 2
    assert "has no text of its own to replace" in capsys.readouterr().err
    assert main(["pml", "replace", "-", "#c1", "--with", "-"]) == 2
    assert "standard input cannot be both" in capsys.readouterr().err


def test_terminal_gets_no_controls(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What acts on a terminal is exact in a pipe, and shown on a terminal."""
    (folder / "a.xml").write_text("<memory><fact>a\tb\u009b2J\u202e\n</fact></memory>", "utf-8")
    words = ["pml", "select", "--text", "a.xml", "memory/fact[1]"]
    assert main(words) == 0
    assert capsys.readouterr().out == "a\tb\u009b2J\u202e\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(words) == 0
    assert capsys.readouterr().out == "a\tb\ufffd2J\ufffd\n"
    assert main(["pml", "parts", "a.xml"]) == 0
    assert not {"\u009b", "\u202e"} & set(capsys.readouterr().out)

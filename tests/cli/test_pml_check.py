"""`acdl pml check`: what it says, in every form, and how it ends."""

import io
import json
import os
import sys
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main
from cli.pml_documents import CHAT

LOOSE = (
    '<memory><fact>a</fact></memory>\n<conversation><turn><user><file name="x">y</file></user></turn></conversation>\n'
)


def test_sound_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing on standard output, a line beside it."""
    (folder / "chat.pml.xml").write_text(CHAT, "utf-8")
    assert main(["pml", "check", "chat.pml.xml"]) == 0
    assert capsys.readouterr() == ("", "no problems in 1 document\n")


def test_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The place, the words and the cure, exactly."""
    (folder / "a.pml.xml").write_text("<conversation><turn>\n  <user>Hello</user>\n</turn></conversation>\n", "utf-8")
    assert main(["pml", "check", "a.pml.xml"]) == 1
    out, err = capsys.readouterr()
    assert err == "1 error in 1 document\n"
    assert out == (
        "error[misplaced-text]: there is text between the elements of `<user>`\n"
        " --> a.pml.xml:2:9\n"
        "  |\n"
        "2 |   <user>Hello</user>\n"
        "  |         ^^^^^ text here\n"
        "  |\n"
        "  = help: put it into `<text>...</text>`\n\n"
    )


def test_repairs_are_warnings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lenient reading tells what it changes; strict checking does not let that pass."""
    (folder / "a.xml").write_text(LOOSE, "utf-8")
    assert main(["pml", "check", "a.xml"]) == 1
    assert "error[not-xml]: there is content after the end of the document" in capsys.readouterr().out
    assert main(["pml", "check", "--lenient", "--format", "line", "a.xml"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "a.xml:1:1: warning[repaired]: the content before and after the first element is read as if all were in one "
        "`<prompt>`",
        'a.xml:2:27: warning[repaired]: `<file>` is read as `<attachment type="file">`',
    ]
    assert main(["pml", "check", "--lenient", "--strict", "a.xml"]) == 1
    assert capsys.readouterr().err == "2 warnings in 1 document\n"


def test_calls_are_measured_by_the_tools(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A call that does not fit is a warning; with a result that is an error it is history."""
    (folder / "a.xml").write_text(CHAT.replace('days="2"', 'day="2"'), "utf-8")
    assert main(["pml", "check", "--format", "line", "a.xml"]) == 0
    said = "a.xml:21:9: warning[unknown-argument]: the call of `W`: there is no argument `day`; did you mean `days`\n"
    assert capsys.readouterr().out == said
    failed = CHAT.replace('days="2"', 'day="2"').replace('_output id="c1"', '_output id="c1" status="error"')
    (folder / "a.xml").write_text(failed, "utf-8")
    assert main(["pml", "check", "--strict", "a.xml"]) == 0


def test_several_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that cannot be read does not keep the others from being checked, and the status is 2."""
    (folder / "a.xml").write_bytes(b"\xff\xfe<\x00")
    (folder / "chat.xml").write_text(CHAT, "utf-8")
    assert main(["pml", "check", "a.xml", "chat.xml", "caht.xml", ".", "chat.xml"]) == 2
    out, err = capsys.readouterr()
    assert "error[wrong-encoding]: PML has to be UTF-8, but this is UTF-16 or UTF-32" in out
    assert err == (
        "acdl: caht.xml: does not exist; did you mean chat.xml?\nacdl: .: is a folder\n"
        "1 error in 2 documents; others could not be checked\n"
    )


def test_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A page has blocks, which another command checks."""
    for name in ("page.md", "page.mdx"):
        (folder / name).write_text("# Chat\n", "utf-8")
        assert main(["pml", "check", name]) == 2
        said = f"acdl: {name}: is a page, no document; `acdl check {name}` checks its blocks\n"
        assert capsys.readouterr().err.startswith(said)


def test_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` is a document too, whatever bytes it is."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"<memory><fact>\xe4</fact></memory>")))
    assert main(["pml", "check", "-"]) == 1
    assert " --> <stdin>:1:1" in capsys.readouterr().out


def test_nothing_acts_on_a_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters and marks of direction of a document are shown, not obeyed."""
    (folder / "a.xml").write_text("<memory><fact a\u009b31mb='1'>\u202ex</fact></memory>\x1b[2J", "utf-8")
    main(["pml", "check", "a.xml"])
    out = capsys.readouterr().out
    assert not {"\x1b", "\u009b", "\u202e"} & set(out)
    (folder / "b.xml").write_text("<memory><fact>\u202e\u009b2J</fact>x</memory>", "utf-8")
    main(["pml", "check", "b.xml"])
    out = capsys.readouterr().out
    assert "misplaced-text" in out
    assert not {"\u009b", "\u202e"} & set(out)


@pytest.mark.parametrize("form", ["json", "line", "github", "sarif", "junit"])
def test_formats(folder: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every report can show problems of documents."""
    (folder / "a.xml").write_text("<conversation><turn><user/></turn></conversation>", "utf-8")
    assert main(["pml", "check", "a.xml", "--format", form]) == 0
    assert "message is empty, which providers reject" in capsys.readouterr().out


def test_name_of_the_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Results of tests say what was run."""
    (folder / "a.xml").write_text("<memory/>", "utf-8")
    main(["pml", "check", "a.xml", "--format", "junit"])
    assert '<testsuites name="acdl pml check" ' in capsys.readouterr().out


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is JSON is said to be that."""
    (folder / "a.json").write_text('{"messages": []}\n', "utf-8")
    assert main(["pml", "check", "a.json"]) == 1
    out = capsys.readouterr().out
    assert "error[not-xml]: this is JSON, but PML is XML" in out
    assert "`acdl pml convert FILE --to pml`" in out


def test_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    """The output of a command can be given as shells name it; a descriptor that is not open is not a file."""
    reading, writing = os.pipe()
    os.write(writing, b"<memory/>")
    os.close(writing)
    assert main(["pml", "check", f"/dev/fd/{reading}"]) == 0
    os.close(reading)
    assert main(["pml", "check", f"/dev/fd/{reading}"]) == 2
    assert capsys.readouterr().err.endswith(f"acdl: /dev/fd/{reading}: does not exist\n")


def test_sarif_explains_the_rule(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The documentation of a rule is part of the document, as it is for specs."""
    (folder / "a.xml").write_text("<conversation><turn><user/></turn></conversation>", "utf-8")
    main(["pml", "check", "a.xml", "--format", "sarif"])
    (rule,) = json.loads(capsys.readouterr().out)["runs"][0]["tool"]["driver"]["rules"]
    assert rule["id"] == "empty-message"
    assert "Providers reject a message without content." in rule["help"]["text"]
    assert rule["defaultConfiguration"]["level"] == "warning"

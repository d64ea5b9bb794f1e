"""`acdl pml format`: the normal form, and that nothing is ever lost on the way to it."""

import io
import os
import sys
from pathlib import Path

import pytest
from exhaustive import examples
from hypothesis import given
from pml.any_prompts import PROMPTS

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.prompts.pml.losses import find_ignored_content
from acdl_mkdocs.prompts.pml.read import read
from acdl_mkdocs.prompts.pml.write import write
from acdl_mkdocs.prompts.prompt import Prompt
from cli.pml_documents import CHAT

MESSY = CHAT.replace("\n  ", "\r\n ").replace('req="1"', 'type="string" req="1"')


def given_input(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let a text be standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_files_are_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In place and once: a second time nothing is to be done."""
    (folder / "a.xml").write_text(MESSY, "utf-8", newline="")
    assert main(["pml", "format", "a.xml"]) == 0
    assert capsys.readouterr() == ("", "1 file formatted, 0 unchanged\n")
    assert (folder / "a.xml").read_bytes().decode() == CHAT
    os.utime(folder / "a.xml", (1, 1))
    assert main(["pml", "format", "a.xml"]) == 0
    assert (folder / "a.xml").stat().st_mtime == 1
    assert capsys.readouterr() == ("", "0 files formatted, 1 unchanged\n")
    assert main(["pml", "format", "--check", "a.xml"]) == 0
    assert capsys.readouterr() == ("", "0 files would be formatted, 1 unchanged\n")
    assert [path.name for path in folder.iterdir()] == ["a.xml"]


def test_check_and_diff(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both write nothing and end with 1 where something would change."""
    text = CHAT.replace('req="1"', 'type="string" req="1"')
    (folder / "a.xml").write_text(text, "utf-8")
    assert main(["pml", "format", "--check", "a.xml"]) == 1
    assert capsys.readouterr().out == "a.xml\n"
    assert main(["pml", "format", "--diff", "a.xml"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("--- a.xml\tbefore\n+++ a.xml\tafter\n@@ -4,7 +4,7 @@\n")
    assert '-      <param key="loc" type="string" req="1"/>\n+      <param key="loc" req="1"/>\n' in out
    assert (folder / "a.xml").read_text("utf-8") == text


def test_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input goes to standard output with no word beside it, in either style."""
    given_input(monkeypatch, MESSY)
    assert main(["pml", "format", "-"]) == 0
    assert capsys.readouterr() == (CHAT, "")
    given_input(monkeypatch, CHAT)
    assert main(["pml", "format", "--style", "min", "-"]) == 0
    out = capsys.readouterr().out
    assert out.startswith('<prompt version="1"><memory><fact key="user">Alice</fact></memory><tools><tool name="W"')
    assert read(out).prompt == read(CHAT).prompt


@pytest.mark.parametrize("root", ["memory", "tools", "conversation"])
def test_document_of_one_section(
    root: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document that has only tools stays one."""
    inside = CHAT[CHAT.index(f"<{root}") : CHAT.index(f"</{root}>")] + f"</{root}>"
    given_input(monkeypatch, inside)
    assert main(["pml", "format", "-"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"<{root}")
    assert read(out).prompt == read(inside).prompt


def test_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`-o` leaves the document alone, and is for one."""
    (folder / "a.xml").write_text(MESSY, "utf-8")
    assert main(["pml", "format", "a.xml", "-o", "b.xml"]) == 0
    assert (folder / "b.xml").read_text("utf-8") == CHAT
    assert (folder / "a.xml").read_text("utf-8") != CHAT
    for words in (["a.xml", "b.xml"], ["a.xml", "--check"], ["a.xml", "--diff"]):
        capsys.readouterr()
        assert main(["pml", "format", *words, "-o", "c.xml"]) == 2
        assert capsys.readouterr().err == "acdl: -o needs one FILE, and neither --check nor --diff\n"


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("<!-- why -->\n<memory/>", "a comment in line 1"),
        ("<memory>\n<!-- a -->\n<fact>x</fact><!-- b -->\n</memory>", "2 times a comment, first in line 2"),
        ('<memory xml:lang="en"/>', "the attribute `xml:lang` of `<memory>` in line 1"),
        ('<conversation><turn index="3"/></conversation>', "an empty `<turn>` in line 1"),
    ],
)
def test_nothing_is_lost_silently(folder: Path, text: str, lost: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What no prompt has is named, and the file stays as it is unless a person allows the loss."""
    (folder / "a.xml").write_text(text, "utf-8")
    assert main(["pml", "format", "a.xml"]) == 1
    assert capsys.readouterr().err == (
        f"acdl: a.xml: nothing is written: {lost} would be lost; `--allow-loss` writes it anyway\n"
        "0 files formatted, 0 unchanged, 1 not formatted\n"
    )
    assert (folder / "a.xml").read_text("utf-8") == text
    assert main(["pml", "format", "--allow-loss", "a.xml"]) == 0
    assert find_ignored_content(Source((folder / "a.xml").read_text("utf-8"))) == ()


@pytest.mark.parametrize(
    ("inside", "rule"),
    [
        ('<call name="W"><arg key="a" type="json">[1</arg></call>', "bad-json"),
        ('<call name="W" a="1"><arg key="a" type="string">2</arg></call>', "repeated-argument"),
    ],
)
def test_what_would_be_read_otherwise(folder: Path, inside: str, rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A document whose errors would be gone, and with them what somebody meant, is not written."""
    text = f"<conversation><turn><assistant>{inside}</assistant></turn></conversation>"
    (folder / "a.xml").write_text(text, "utf-8")
    assert main(["pml", "format", "a.xml"]) == 1
    err = capsys.readouterr().err
    assert f"error[{rule}]: " in err
    assert "acdl: a.xml: nothing is written: it would be read otherwise; solve the errors first\n" in err
    assert (folder / "a.xml").read_text("utf-8") == text


def test_errors_that_stay(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A call that waits in vain is told, and does not keep a document from its normal form."""
    text = CHAT.replace('      <tool_output id="c1">rain</tool_output>\n', "")
    (folder / "a.xml").write_text(text.replace("  <", "<"), "utf-8")
    assert main(["pml", "format", "a.xml"]) == 0
    assert "error[unanswered-call]: " in capsys.readouterr().err
    assert (folder / "a.xml").read_text("utf-8") == text


def test_broken_and_lenient(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is no PML is left alone, and the other files are written; leniently, each repair is told."""
    broken = "<memory><fact>a</fact></memory>\n<conversation/>\n"
    (folder / "a.xml").write_text(broken, "utf-8")
    (folder / "b.xml").write_text(MESSY, "utf-8")
    assert main(["pml", "format", "a.xml", "b.xml"]) == 1
    err = capsys.readouterr().err
    assert "acdl: a.xml: cannot be read: solve the errors first, or try `--lenient`\n" in err
    assert err.endswith("1 file formatted, 0 unchanged, 1 not formatted\n")
    assert (folder / "a.xml").read_text("utf-8") == broken
    assert main(["pml", "format", "--lenient", "a.xml"]) == 0
    assert "warning[repaired]: " in capsys.readouterr().err
    assert (folder / "a.xml").read_text("utf-8") == (
        '<prompt version="1">\n  <memory>\n    <fact>a</fact>\n  </memory>\n  <conversation/>\n</prompt>\n'
    )
    assert main(["pml", "format", "nobody.xml"]) == 2


@pytest.mark.parametrize(
    "text",
    [
        '<prompt version="1"><memory id="m"/><conversation/></prompt>',
        '<memory id="m"><fact>a</fact></memory>',
        '<conversation><turn><tool_output mime="text/csv">a,b</tool_output></turn></conversation>',
    ],
)
def test_normal_form(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Ids of memories and media types of results are kept."""
    (folder / "a.xml").write_text(text, "utf-8")
    assert main(["pml", "format", "--style", "min", "--check", "a.xml"]) == 0
    assert capsys.readouterr().err.endswith("0 files would be formatted, 1 unchanged\n")


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        (
            "<conversation><turn>Hm<user><text>a</text></user></turn></conversation>",
            "text between the elements of `<turn>`",
        ),
        ('<memory mood="1"/>', "the attribute `mood` of `<memory>`"),
        ("<?a b?><memory/>", "the processing instruction `<?a ...?>`"),
        ('<memory><b xmlns="urn:b"/></memory>', "`<b>` of another namespace"),
    ],
)
def test_what_lenient_reading_leaves_out(
    folder: Path, text: str, lost: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file is not made less by being mended, unless a person allows that."""
    (folder / "a.xml").write_text(text, "utf-8")
    assert main(["pml", "format", "--lenient", "a.xml"]) == 1
    assert f"acdl: a.xml: nothing is written: {lost} in line 1 would be lost; " in capsys.readouterr().err
    assert (folder / "a.xml").read_text("utf-8") == text
    assert main(["pml", "format", "--lenient", "--allow-loss", "a.xml"]) == 0
    assert read((folder / "a.xml").read_text("utf-8")).prompt is not None


@examples(200)
@given(PROMPTS)
def test_what_is_written_has_nothing_unsaid(prompt: Prompt) -> None:
    """A document that was written for a prompt is in its normal form and would lose nothing."""
    text = write(prompt)
    found = read(text)
    assert found.prompt is not None
    assert write(found.prompt, "pretty", found.kind) == text
    assert find_ignored_content(found.source) == ()

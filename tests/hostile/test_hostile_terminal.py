"""No text of somebody acts on a terminal, whichever command prints it; and none fails."""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from exhaustive import few

from acdl_mkdocs.frontends.cli import COMMANDS as ALL
from acdl_mkdocs.frontends.cli.command_line import build_parser
from acdl_mkdocs.frontends.cli.main import main
from hostile.attacks import HTML, NAMES, TERMINAL
from hostile.commands import COMMANDS

_ACTS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_TEXTS = {
    **TERMINAL,
    **{name: HTML[name] for name in ("script", "template that fails", "separators")},
    "prototype": NAMES["prototype"],
}


def _actions(parser: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command, and of every action of one that has some."""
    groups = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    for name, command in (pair for group in groups for pair in group.choices.items()):
        yield from _actions(command, (*words, name))
    if not groups:
        yield words


def test_every_command_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command or an action without a row in `commands.py` fails here."""
    lines = set[tuple[str, ...]]()
    for number, line in enumerate(COMMANDS.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        words = (*line("harmless", folder), "")
        lines |= {tuple(words[:1]), tuple(words[:2])}
    assert [" ".join(words) for words in _actions(build_parser(ALL)) if words not in lines] == []


@pytest.mark.parametrize("command", few(COMMANDS, 36))
def test_nothing_acts(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is printed has no character that a terminal acts on, and no line that only pretends to be of the program."""
    monkeypatch.setenv("NO_COLOR", "1")
    has_said = False
    for number, (name, text) in enumerate(_TEXTS.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        try:
            monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
            main([each.replace("\0", "") for each in COMMANDS[command](text, folder)])
        except SystemExit:
            pass  # how the parser of arguments ends
        printed = capsys.readouterr()
        said = printed.out + printed.err
        found = _ACTS.search(said)
        assert not found, (name, said[max(found.start() - 100, 0) : found.start() + 50])
        assert "please report it" not in said, (name, said)
        lines = said if command.startswith("check") else printed.err  # others show what somebody wrote
        assert not re.search("^(acdl: fine|::error file=x)", lines, re.MULTILINE), (name, said)
        has_said |= bool(said)
    assert has_said


_COLORED = ("check", "check-run", "diff", "inspect")
_COLORS = re.compile(r"\x1b\[(?:0|1|2|1;3[0-7]|3[0-7])m")


@pytest.mark.parametrize("command", _COLORED)
def test_only_colors_act(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal with colours, reports have theirs, and nothing else in them acts on it."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    is_colored = False
    for number, (name, text) in enumerate(_TEXTS.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        main([*(each.replace("\0", "") for each in COMMANDS[command](text, folder)), "--color", "always"])
        printed = capsys.readouterr()
        is_colored |= bool(_COLORS.search(printed.out + printed.err))
        said = _COLORS.sub("", printed.out + printed.err)
        found = _ACTS.search(said)
        assert not found, (name, said[max(found.start() - 100, 0) : found.start() + 50])
    assert is_colored

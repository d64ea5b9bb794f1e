"""Messages and help name options that exist, of the action that they are about."""

import argparse
import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import acdl_mkdocs
from acdl_mkdocs.frontends.cli.playbook import ACTIONS

ROOT = Path(acdl_mkdocs.__file__).parent
OPTION = re.compile(r"(?<![\w`-])--[a-z][a-z-]+|(?<=`)--[a-z][a-z-]+")
NAMED = re.compile(r"acdl playbook ([a-z]+)\b[^`;]*")
OF_GIT = frozenset(("--abort", "--global", "--local", "--show-toplevel", "--get", "--exclude-standard", "--full-name"))


def options(action: str) -> frozenset[str]:
    """The options of an action."""
    parser = argparse.ArgumentParser()
    import_module(ACTIONS[action]).add_arguments(parser)
    return frozenset(name for each in parser._actions for name in each.option_strings)


KNOWN = {action: options(action) for action in ACTIONS}


def texts() -> Iterator[tuple[str, str]]:
    """Every text of a program that is about playbooks, with the name of its module."""
    folders = ("frontends/cli/playbook", "playbook/store", "playbook/exchange")
    for path in sorted(path for folder in folders for path in (ROOT / folder).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "--" in node.value:
                yield f"{path.parent.name}/{path.stem}", node.value


@pytest.mark.parametrize(("module", "text"), sorted(set(texts())))
def test_options_exist(module: str, text: str) -> None:
    """What a command line names is an option of that action; what stands alone, of the action that says it."""
    for action, words in ((found[1], found[0]) for found in NAMED.finditer(text)):
        assert set(OPTION.findall(words)) <= KNOWN[action] | OF_GIT
    alone = set(OPTION.findall(NAMED.sub("", text))) - OF_GIT
    if module.startswith("exchange/"):
        known = KNOWN["export"] if "export" in text.partition("--")[0] else KNOWN["import"]
    else:
        known = frozenset().union(*KNOWN.values())
    assert alone <= known


def test_the_cure_of_an_import_works(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of instructions without a block is said to be readable as text, with the option that does so."""
    from acdl_mkdocs.frontends.cli.main import main

    (tmp_path / "AGENTS.md").write_text("- Close every file.\n", "utf-8")
    target = str(tmp_path / "new.yaml")
    assert main(["playbook", "import", target, str(tmp_path / "AGENTS.md")]) == 2
    assert "`--from text`" in capsys.readouterr().err
    assert main(["playbook", "import", target, str(tmp_path / "AGENTS.md"), "--from", "text"]) == 0


def test_other_markdown_is_text(tmp_path: Path) -> None:
    """Notes without a block need no option."""
    from acdl_mkdocs.frontends.cli.main import main

    (tmp_path / "notes.md").write_text("- Close every file.\n", "utf-8")
    assert main(["playbook", "import", str(tmp_path / "new.yaml"), str(tmp_path / "notes.md")]) == 0

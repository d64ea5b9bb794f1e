"""acdl completion: print what a shell needs to complete commands, options, files and names with the Tab key.

The package `argcomplete` does the work: what a shell loads asks `acdl` itself, which reads its own declarations of
commands and options and so can never offer what does not exist.
"""

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.foundation.extras import load
from acdl_mkdocs.frontends.cli.messages import complain

SHELLS = ("bash", "zsh", "fish", "powershell")
_EXTRA = "completion"
_SPEC_OPTIONS = ("spec", "new_spec")
"""Options, as `args` has them, whose value is the name of a spec or fragment."""
_SPEC_SUFFIXES = (".acdl", ".md", ".markdown")
_FILE_WORDS = ("FILE", "PATH", "DIR", "FILE_OR_DIR", "SPEC", "PLAYBOOK", "TOOLS", "RECORDING", "DATASET", "AGENT")
"""What the values of options that are files are called in the help."""
_MOST_READ = 4_000_000
"""Bytes of a file that is read for its names; a person waits for them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.epilog = (
        'bash: `eval "$(acdl completion bash)"` in ~/.bashrc; zsh: the same with `zsh` in ~/.zshrc, below `compinit`; '
        "fish: `acdl completion fish | source` in ~/.config/fish/config.fish; PowerShell: "
        "`acdl completion powershell | Out-String | Invoke-Expression` in $PROFILE"
    )
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=f"which one: {', '.join(SHELLS)}")


def run(args: argparse.Namespace) -> int:
    """Print the code for a shell; 2 if the package for it is not installed."""
    try:
        print(load("argcomplete", _EXTRA).shellcode(["acdl"], shell=args.shell))
    except AcdlError as reason:
        complain(str(reason))
        return 2
    return 0


def complete() -> int:
    """Answer the shell that asks how the command line in its environment can continue; the exit status.

    Words that are complete say which command it is: only that one is imported.
    """
    from acdl_mkdocs.frontends.cli import COMMANDS
    from acdl_mkdocs.frontends.cli.command_line import build_outline, build_parser, declare_actions

    try:
        argcomplete = load("argcomplete", _EXTRA)
        lexers = load("argcomplete.lexers", _EXTRA)
    except AcdlError as reason:
        complain(str(reason))
        return 2
    words = lexers.split_line(os.environ.get("COMP_LINE", ""), _point())[3][1:]
    if words[:1] == ["help"]:  # `acdl help X` completes as `acdl X`
        words = words[1:]
        os.environ["COMP_LINE"] = os.environ["COMP_LINE"].replace("help", "    ", 1)
    parser = build_parser(words[:1]) if words and words[0] in COMMANDS else build_outline()
    declare_actions(parser, words)
    argcomplete.autocomplete(parser, always_complete_options=False, default_completer=_complete_value)
    return 2  # not reached where a shell asks: the library ends the process


def _point() -> int:
    """Where the cursor is in the command line."""
    point = os.environ.get("COMP_POINT", "")
    return int(point) if point.isdecimal() else 0


def _complete_value(
    prefix: str, action: argparse.Action, parsed_args: argparse.Namespace, **_: object
) -> Iterable[str]:
    """The values that an argument can have: names of rules, names of specs, or else files."""
    is_option = bool(action.option_strings)
    if action.dest in _SPEC_OPTIONS and is_option:
        return _spec_names(_specs_in(parsed_args))
    if action.dest == "name" and not is_option:
        from acdl_mkdocs.frontends.docs.problems.rule_pages import all_names

        return all_names()
    if is_option and action.metavar not in _FILE_WORDS:
        return ()
    files: Iterable[str] = load("argcomplete", _EXTRA).FilesCompleter()(prefix)
    return files


def _specs_in(args: argparse.Namespace) -> list[Path]:
    """The specs and pages that the command line names so far."""
    values = (each for value in vars(args).values() for each in (value if isinstance(value, list) else [value]))
    paths = (Path(each) for each in values if isinstance(each, str) and each.lower().endswith(_SPEC_SUFFIXES))
    return [each for each in paths if each.is_file() and each.stat().st_size <= _MOST_READ]


def _spec_names(paths: Iterable[Path]) -> Iterable[str]:
    """The names of what files define, in their order."""
    from acdl_mkdocs.workspace.read_block import defined_names

    texts = (path.read_text("utf-8", errors="replace") for path in paths)
    return dict.fromkeys(name for text in texts for name in defined_names(text))

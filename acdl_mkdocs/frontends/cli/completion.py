"""acdl completion: print the code that makes a shell complete commands, options, files and names.

The package `argcomplete` does the work: the code in the shell asks `acdl` itself, which reads its own declarations of
commands and options and so never offers one that does not exist.
"""

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.foundation.extras import import_extra
from acdl_mkdocs.frontends.cli.messages import print_error

SHELLS = ("bash", "zsh", "fish", "powershell")
_EXTRA = "completion"
_SPEC_OPTIONS = ("spec", "new_spec")
"""Options, as in `args`, whose value is the name of a spec or fragment."""
_SPEC_SUFFIXES = (".acdl", ".md", ".markdown")
_FILE_WORDS = ("FILE", "PATH", "DIR", "FILE_OR_DIR", "SPEC", "PLAYBOOK", "TOOLS", "RECORDING", "DATASET", "AGENT")
"""The placeholders in the help for values that are files."""
_MOST_READ = 4_000_000
"""Bytes of a file that are searched for names, while a person waits."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = (
        'bash: `eval "$(acdl completion bash)"` in ~/.bashrc; zsh: the same with `zsh` in ~/.zshrc, below `compinit`; '
        "fish: `acdl completion fish | source` in ~/.config/fish/config.fish; PowerShell: "
        "`acdl completion powershell | Out-String | Invoke-Expression` in $PROFILE"
    )
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=f"one of {', '.join(SHELLS)}")


def run(args: argparse.Namespace) -> int:
    """Print the code for a shell; return 2 if the package for it is not installed."""
    try:
        print(import_extra("argcomplete", _EXTRA).shellcode(["acdl"], shell=args.shell))
    except AcdlError as reason:
        print_error(str(reason))
        return 2
    return 0


def complete_command_line() -> int:
    """Answer the shell's request for completions of the command line in its environment; return the exit status.

    Complete words determine the command: only that one is imported.
    """
    from acdl_mkdocs.frontends.cli import COMMANDS
    from acdl_mkdocs.frontends.cli.command_line import build_outline, build_parser, declare_actions

    try:
        argcomplete = import_extra("argcomplete", _EXTRA)
        lexers = import_extra("argcomplete.lexers", _EXTRA)
    except AcdlError as reason:
        print_error(str(reason))
        return 2
    words = lexers.split_line(os.environ.get("COMP_LINE", ""), _cursor_position())[3][1:]
    if words[:1] == ["help"]:  # `acdl help X` completes as `acdl X`
        words = words[1:]
        os.environ["COMP_LINE"] = os.environ["COMP_LINE"].replace("help", "    ", 1)
    parser = build_parser(words[:1]) if words and words[0] in COMMANDS else build_outline()
    declare_actions(parser, words)
    argcomplete.autocomplete(parser, always_complete_options=False, default_completer=_complete_value)
    return 2  # not reached when a shell asks: the library exits


def _cursor_position() -> int:
    """Return the position of the cursor in the command line."""
    point = os.environ.get("COMP_POINT", "")
    return int(point) if point.isdecimal() else 0


def _complete_value(
    prefix: str, action: argparse.Action, parsed_args: argparse.Namespace, **_: object
) -> Iterable[str]:
    """Return the possible values of an argument: names of rules, names of specs, or else files."""
    is_option = bool(action.option_strings)
    if action.dest in _SPEC_OPTIONS and is_option:
        return _spec_names(_specs_in(parsed_args))
    if action.dest == "name" and not is_option:
        from acdl_mkdocs.frontends.docs.problems.rule_pages import all_names

        return all_names()
    if is_option and action.metavar not in _FILE_WORDS:
        return ()
    files: Iterable[str] = import_extra("argcomplete", _EXTRA).FilesCompleter()(prefix)
    return files


def _specs_in(args: argparse.Namespace) -> list[Path]:
    """Return the specs and pages on the command line so far."""
    values = (each for value in vars(args).values() for each in (value if isinstance(value, list) else [value]))
    paths = (Path(each) for each in values if isinstance(each, str) and each.lower().endswith(_SPEC_SUFFIXES))
    return [each for each in paths if each.is_file() and each.stat().st_size <= _MOST_READ]


def _spec_names(paths: Iterable[Path]) -> Iterable[str]:
    """Return the names of definitions in files, in order."""
    from acdl_mkdocs.workspace.read_block import find_defined_names

    texts = (path.read_text("utf-8", errors="replace") for path in paths)
    return dict.fromkeys(name for text in texts for name in find_defined_names(text))

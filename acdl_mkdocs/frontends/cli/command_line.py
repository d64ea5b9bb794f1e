"""Parsing of command lines: the overview of all commands, the help of one, and suggestions for mistakes."""

import argparse
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from acdl_mkdocs import __version__
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.cli import COMMANDS, GROUPS

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

_INVALID_CHOICE = compile_later(
    r"(?=.*\)\Z)(argument [^:]*+): invalid choice: '(.*?)' \((?:choose from|maybe you meant:) (.*)\)", re.DOTALL
)
_USAGE = "usage: acdl COMMAND [OPTION]... [ARGUMENT]..."

_CHECKING_FORMATTER = partial(argparse.HelpFormatter, width=80)
"""Used while arguments are declared, which prints nothing: measuring the terminal imports `shutil`, which takes longer
than drawing a spec."""


class CommandParser(argparse.ArgumentParser):
    """An argument parser whose errors suggest the word that was probably meant; each has the common options."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"formatter_class": _CHECKING_FORMATTER} | kwargs)
        if " " in self.prog:  # a command or an action: `acdl` alone takes none
            _add_common_options(self)

    def format_usage(self) -> str:
        """Format the usage, as wide as the terminal."""
        self.formatter_class = argparse.HelpFormatter
        return super().format_usage()

    def format_help(self) -> str:
        """Format the help, as wide as the terminal."""
        self.formatter_class = argparse.HelpFormatter
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Print the usage and the error, and exit with status 2."""
        match = _INVALID_CHOICE.fullmatch(message)
        if match:
            what = "action" if match[1].endswith("ACTION") else f"choice for {match[1].removeprefix('argument ')}"
            choices = [each.strip("' ") for each in match[3].split(",")]
            message = f"there is no {what} `{match[2]}`{_hint_at(match[2], choices)}"
        super().error(make_visible(message))

    def _print_message(self, message: str, file: "SupportsWrite[str] | None" = None) -> None:
        """Print text; the standard library ignores a full disk."""
        (sys.stderr if file is None else file).write(message)
        sys.stdout.flush()

    def refuse_words(self, words: Sequence[str]) -> NoReturn:
        """Exit with an error about words that no argument or option takes."""
        word = words[0].partition("=")[0]
        if not word.startswith("-"):
            self.error(f"`{word}` is one argument too many")
        options = re.findall(r"(?<![\w-])--?[a-z][\w-]*", self.format_help())
        near = find_closest(word, options) if word.startswith("--") else None
        self.error(f"there is no option `{word}`" + (f"; did you mean `{near}`?" if near else ""))


def read_command_line(words: Sequence[str]) -> argparse.Namespace | None:
    """Read a command line; `None` if it asked for the overview of all commands, which is printed.

    Raises:
        SystemExit: The help of a command was printed (0), or the command line is wrong (2).
    """
    arguments = [*words[1:], "--help"] if words[:1] == ["help"] else list(words)
    if not arguments or arguments[0] in ("-h", "--help"):
        print(format_overview())
        return None
    parser = CommandParser(prog="acdl", usage=_USAGE.removeprefix("usage: "))
    if arguments[0] not in COMMANDS:
        if arguments[0].startswith("-"):
            parser.error(f"`{arguments[0]}` comes before the command; write `acdl COMMAND {arguments[0]}`")
        near = find_closest(arguments[0], COMMANDS)
        hint = f"; did you mean `{near}`?" if near else "; `acdl help` lists all"
        parser.error(f"there is no command `{arguments[0]}`{hint}")
    for word in takewhile(lambda each: each != "--", arguments):
        if word.startswith("-") and word != "-" and os.path.lexists(word):
            parser.error(
                f"`{word}` could be an option or the file of that name in this folder; write `./{word}` for the file; "
                "for the option, rename the file first"
            )
    args, rest = build_parser([arguments[0]]).parse_known_args(arguments)
    if rest:
        args.parser.refuse_words(rest)
    return args


def format_overview() -> str:
    """Format all commands in groups, each with its summary."""
    width = max(map(len, COMMANDS)) + 2
    lines = [_USAGE, "", "Document, check and test what LLM agents send to their models."]
    for title, names in GROUPS.items():
        lines += ["", f"{title}:", *(f"  {name:<{width}}{summary_of(COMMANDS[name]).rstrip('.')}" for name in names)]
    lines += ["", "`acdl help COMMAND` explains one; `acdl --version` prints the version."]
    return "\n".join(lines)


def build_outline() -> CommandParser:
    """Build a parser that knows the names of all commands and no more; none is imported."""
    parser, commands = _build_program()
    for name in sorted((*COMMANDS, "help")):
        commands.add_parser(
            name, help=summary_of(COMMANDS[name]).rstrip(".") if name in COMMANDS else "explain a command"
        )
    return parser


def build_parser(names: Iterable[str]) -> CommandParser:
    """Build a parser for some of the commands; only these are imported."""
    parser, commands = _build_program()
    for name in names:
        with system.pause_collector():  # modules are never garbage
            module = import_module(COMMANDS[name])
        summary = _summary_of(module.__doc__) if module.__doc__ else summary_of(COMMANDS[name])  # `python -OO` has none
        command = commands.add_parser(name, help=summary, description=f"{summary[:1].upper()}{summary[1:]}")
        module.add_arguments(command)
        command.set_defaults(run=module.run, parser=command, color="auto", quiet=False, verbose=False, config=None)
    return parser


def _build_program() -> "tuple[CommandParser, argparse._SubParsersAction[CommandParser]]":
    parser = CommandParser(prog="acdl", usage=_USAGE.removeprefix("usage: "))
    parser.add_argument("-V", "--version", action="version", version=f"acdl {__version__}")
    return parser, parser.add_subparsers(prog="acdl", metavar="COMMAND", required=True)


def _add_common_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of every command and action, without defaults: an action must not reset its command's."""
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default=argparse.SUPPRESS,
        help="colours in messages (default: on a terminal)",
    )
    volume = parser.add_mutually_exclusive_group()
    volume.add_argument(
        "-q", "--quiet", action="store_true", default=argparse.SUPPRESS, help="print results and errors only"
    )
    volume.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        default=argparse.SUPPRESS,
        help="also print each file read or written, program run and host contacted, and the time taken",
    )
    parser.add_argument(
        "--config",
        type=_settings_file,
        default=argparse.SUPPRESS,
        metavar="FILE",
        help="settings file (default: the nearest)",
    )


def summary_of(module: str) -> str:
    """Return the summary of a command from the first line of its module, which is not imported."""
    path = Path(__file__).parent.joinpath(*module.split(".")[3:])
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    with path.open(encoding="utf-8") as file:
        return _summary_of(file.readline().strip().strip('"'))


def _summary_of(docstring: str) -> str:
    return docstring.partition("\n")[0].partition(": ")[2]


def _settings_file(name: str) -> Path:
    if not os.path.isfile(name):
        raise argparse.ArgumentTypeError(f"there is no file {name}")
    return Path(name)


def _hint_at(word: str, candidates: Iterable[str]) -> str:
    names = list(candidates)
    near = find_closest(word, names)
    if near:
        return f"; did you mean `{near}`?"
    return "" if len(names) > 12 else f"; there are {', '.join(f'`{name}`' for name in names)}"


class ActionParser(CommandParser):
    """A parser of an action that declares its arguments when they are first needed."""

    module = ""

    def parse_known_args(self, *args: Any, **kwargs: Any) -> Any:
        """Parse the arguments of the action."""
        self.declare_action()
        return super().parse_known_args(*args, **kwargs)

    def format_help(self) -> str:
        """Return the help of the action."""
        self.declare_action()
        return super().format_help()

    def declare_action(self) -> None:
        """Import the module of the action and declare its arguments, once."""
        name, self.module = self.module, ""
        if name:
            module = import_module(name)
            module.add_arguments(self)
            self.set_defaults(act=module.run, parser=self)


def add_actions(parser: argparse.ArgumentParser, modules: Mapping[str, str]) -> None:
    """Declare the actions of a command, each with the name of its module."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, parser_class=ActionParser)
    for name, module in modules.items():
        summary = summary_of(module)
        actions.add_parser(name, help=summary, description=f"{summary[:1].upper()}{summary[1:]}").module = module


def declare_actions(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Declare the arguments of the actions among the words of a command line; others stay undeclared."""
    if isinstance(parser, ActionParser):
        parser.declare_action()
    for action in parser._actions:  # the standard library shows them in no other way
        if isinstance(action, argparse._SubParsersAction):
            for word in words:
                if word in action._name_parser_map:
                    declare_actions(action._name_parser_map[word], words)

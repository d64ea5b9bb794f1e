"""The parts of the documentation that are made from the commands, for `generated_docs.py`."""

import argparse
import os
import re
from argparse import _SubParsersAction
from contextlib import redirect_stdout, suppress
from functools import cache
from io import StringIO
from unittest.mock import patch

from acdl_mkdocs.frontends.cli import GROUPS
from acdl_mkdocs.frontends.cli.command_line import ActionParser, build_parser
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.cli.playbook import ACTIONS
from acdl_mkdocs.frontends.cli.pml import PML_ACTIONS

_ACTIONS = {"playbook": ACTIONS, "pml": PML_ACTIONS}
"""Commands with actions: each action has a page, in the folder of its command."""
_COMMON = ("help", "color", "quiet", "verbose", "config")
"""The options of every command and action."""
_FIRST_WORD = re.compile(r"[a-z]+(?= |$)")
_CODE_OR_SIGN = re.compile("`[^`]*`|[&<*]")
_ESCAPES = {"&": "&amp;", "<": "&lt;", "*": r"\*"}


@cache
def help_text(command: str) -> str:
    """What `acdl COMMAND --help` prints, 80 columns wide, without colours."""
    printed = StringIO()
    plain = patch.dict(os.environ, COLUMNS="80", NO_COLOR="1", PYTHON_COLORS="0")
    with plain, redirect_stdout(printed), suppress(SystemExit):
        main([*command.split(), "--help"])
    return printed.getvalue()


def usage(command: str) -> str:
    """What a command does, and how it is called."""
    parser = _parser_of(command)
    needed = [each for each in _arguments_of(parser) if each.required or not each.option_strings]
    action = ["ACTION"] if _actions_of(parser) else []
    words = ["acdl", *command.split(), *action, "[OPTION]...", *map(_word_of, needed)]
    return f"{_to_markdown(parser.description or '')}\n\n```text\n{' '.join(words)}\n```"


def options(command: str) -> str:
    """The actions, arguments and options of a command, each with what it means; the common ones are elsewhere."""
    parser = _parser_of(command)
    pages = _ACTIONS.get(command, ())
    actions = [
        _define(f"[`{each.dest}`]({each.dest}.md)" if each.dest in pages else f"`{each.dest}`", each, parser)
        for each in _actions_of(parser)
    ]
    arguments = [_define(_term_of(each), each, parser) for each in _arguments_of(parser)]
    name, *action = command.split()
    folder = "../" if name in _ACTIONS else ""
    common = f"There are also the [options of every command]({folder}index.md#options-of-every-command)."
    has_page = not action or name in _ACTIONS
    return "\n\n".join([*actions, *arguments, *([common] if has_page else ())])


def common_options() -> str:
    """The options of every command."""
    parser = _parser_of("lsp")
    return "\n\n".join(_define(_term_of(each), each, parser) for each in parser._actions if each.dest in _COMMON)


def _parser_of(command: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = build_parser(command.split()[:1])
    for word in command.split():
        parser = next(each for each in parser._actions if isinstance(each, _SubParsersAction)).choices[word]
        if isinstance(parser, ActionParser):
            parser.declare_action()
    return parser


def _actions_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [
        action for each in parser._actions if isinstance(each, _SubParsersAction) for action in each._choices_actions
    ]


def _arguments_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """The own arguments of a command, then its own options."""
    shown = [
        each for each in parser._actions if each.dest not in _COMMON and each.help not in (argparse.SUPPRESS, None)
    ]
    return sorted(shown, key=lambda each: bool(each.option_strings))


def _word_of(action: argparse.Action) -> str:
    """An argument, or an option that must be given, as in the first line of a help text."""
    if action.option_strings:
        return f"{action.option_strings[-1]} {_value_of(action)}".rstrip()
    word = f"{_value_of(action)}{'...' if action.nargs in ('+', '*', argparse.REMAINDER, argparse.PARSER) else ''}"
    return f"[{word}]" if action.nargs in ("?", "*") else word


def _term_of(action: argparse.Action) -> str:
    """All names of an option, the last with its value; or an argument."""
    if not action.option_strings:
        return f"`{_value_of(action)}`"
    *others, last = action.option_strings
    return ", ".join(f"`{each}`" for each in (*others, f"{last} {_value_of(action)}".rstrip()))


def _value_of(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    names = action.metavar or action.dest.upper()
    return " ".join(names) if isinstance(names, tuple) else names


def _define(term: str, action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    meaning = _to_markdown(parser._get_formatter()._expand_help(action))
    first = _FIRST_WORD.match(meaning)
    meaning = f"{first[0].capitalize()}{meaning[first.end() :]}" if first else meaning
    values = ", ".join(f"`{each}`" for each in action.choices or ())
    end = "" if meaning.endswith((".", "!", "?")) else "."
    return f"{term}\n:   {meaning}{end}" + (f" One of {values}." if values else "")


def _to_markdown(text: str) -> str:
    """A help text, in which words between backquotes are code and all others are themselves."""
    return _CODE_OR_SIGN.sub(lambda found: _ESCAPES.get(found[0], found[0]), text)


def commands() -> str:
    """The commands as `acdl --help` groups them, each with a link to its page; the anchor is that of its old place."""
    abouts = dict(re.findall(r"^  ([a-z-]+) {2,}(.+)$", help_text(""), re.MULTILINE))
    parts = []
    for title, names in GROUPS.items():
        rows = [f'- <span id="acdl-{name}"></span>{_command_links(name)}: {abouts[name]}' for name in names]
        parts += [f"## {title}", "\n".join(rows)]
    return "\n\n".join(parts)


def _command_links(name: str) -> str:
    """A link to the page of a command, and links to those of its actions."""
    if name not in _ACTIONS:
        return f"[`acdl {name}`]({name}.md)"
    actions = ", ".join(f"[`{action}`]({name}/{action}.md)" for action in _ACTIONS[name])
    return f"[`acdl {name}`]({name}/index.md) {actions}"

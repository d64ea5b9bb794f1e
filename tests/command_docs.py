"""The parts of the documentation that are made from the commands, for `generated_docs.py`."""

import os
import re
from contextlib import redirect_stdout, suppress
from functools import cache
from io import StringIO
from unittest.mock import patch

from acdl_mkdocs.frontends.cli import GROUPS
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.cli.playbook import ACTIONS
from acdl_mkdocs.frontends.cli.pml import PML_ACTIONS

_ACTIONS = {"playbook": ACTIONS, "pml": PML_ACTIONS}
"""Commands with actions: each action has a page, in the folder of its command."""


@cache
def help_text(command: str) -> str:
    """What `acdl COMMAND --help` prints, 80 columns wide, without colours."""
    printed = StringIO()
    plain = patch.dict(os.environ, COLUMNS="80", NO_COLOR="1", PYTHON_COLORS="0")
    with plain, redirect_stdout(printed), suppress(SystemExit):
        main([*command.split(), "--help"])
    return printed.getvalue()


def commands() -> str:
    """The commands as `acdl --help` groups them, each with a link to its page; the anchor is that of its old place."""
    abouts = dict(re.findall(r"^  ([a-z-]+) {2,}(.+)$", help_text(""), re.MULTILINE))
    parts = []
    for title, names in GROUPS.items():
        rows = [f'- <span id="acdl-{name}"></span>{_command_links(name)}: {abouts[name]}' for name in names]
        parts += [f"**{title}**", "\n".join(rows)]
    return "\n\n".join(parts)


def _command_links(name: str) -> str:
    """A link to the page of a command, and links to those of its actions."""
    if name not in _ACTIONS:
        return f"[`acdl {name}`]({name}.md)"
    actions = ", ".join(f"[`{action}`]({name}/{action}.md)" for action in _ACTIONS[name])
    return f"[`acdl {name}`]({name}/index.md) {actions}"

"""What the header of an `acdl-playbook` fence or directive may say, as one typed value."""

import re
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.site import header
from acdl_mkdocs.site.header import a_word, is_on, one_of

LANGUAGE = "acdl-playbook"
"""The first word of the fence, and the name of the directive."""

StatusChoice = Literal["active", "proposed", "archived", "all"]
Sort = Literal["file", "evidence", "helpful", "harmful", "seen", "updated"]

MAX_TOP = 50


@dataclass(frozen=True, slots=True)
class PlaybookOptions:
    """Which bullets of a playbook are shown, and how."""

    src: str = ""
    """The file of the playbook, from the project's folder: `playbooks/docs-agent.yaml`."""
    section: tuple[str, ...] = ()
    """Only the bullets of these sections, with commas between their ids."""
    bullet: tuple[str, ...] = ()
    """Only these bullets, with commas between their ids, in this order."""
    top: int | None = None
    """How many lessons stand first: without `section` and `bullet` they are the ones that help most, and nothing else
    is shown."""
    id: str = ""
    """Anchor of the block; without it, the name of the playbook."""
    title: str = ""
    """A title above the block."""
    status: StatusChoice = "all"
    """Bullets in use, those that wait for approval, archived ones, or all of them."""
    sort: Sort = "file"
    """By place in the file, by how surely they help, by tags, by how often they were in a prompt, or the last changed
    first."""
    head: bool = True
    """Whether the facts of the playbook and its files stand first; a block of single bullets has none."""
    filter: bool = True
    """Whether readers can filter and sort."""
    growth: bool = False
    """Whether its evaluation and a chart of how it grew are shown, with accuracy where a run has measured it."""
    review: bool = False
    """Whether a block of the whole playbook has the summary of the last week and the pairs that await a decision."""
    classes: tuple[str, ...] = ()
    """Further CSS classes of the block (`.wide`)."""


Header: TypeAlias = header.Header[PlaybookOptions]
"""The header of a playbook block as understood."""


def _listed(value: str, example: str) -> tuple[str, ...]:
    words = tuple(filter(None, (word.strip() for word in value.split(","))))
    if not words:
        raise ValueError(f'an id, or several with commas between them, such as "{example}"')
    return words


def _top(options: PlaybookOptions, value: str) -> PlaybookOptions:
    number = int(value) if re.fullmatch(r"[0-9]{1,4}", value) else 0
    if not 1 <= number <= MAX_TOP:
        raise ValueError(f"a whole number from 1 to {MAX_TOP}, such as 7")
    return replace(options, top=number)


PLAYBOOK_OPTIONS = MappingProxyType[str, header.Setter[PlaybookOptions]](
    {
        "src": lambda options, value: replace(options, src=value),
        "section": lambda options, value: replace(options, section=_listed(value, "tool_usage, general")),
        "bullet": lambda options, value: replace(options, bullet=_listed(value, "tu-7k3q9f2m, tu-8h2m4x1c")),
        "top": _top,
        "id": lambda options, value: replace(options, id=a_word(value)),
        "title": lambda options, value: replace(options, title=value),
        "status": lambda options, value: replace(options, status=one_of(value, get_args(StatusChoice))),
        "sort": lambda options, value: replace(options, sort=one_of(value, get_args(Sort))),
        "head": lambda options, value: replace(options, head=is_on(value)),
        "filter": lambda options, value: replace(options, filter=is_on(value)),
        "growth": lambda options, value: replace(options, growth=is_on(value)),
        "review": lambda options, value: replace(options, review=is_on(value)),
    }
)
"""Every option that a header may give with `name=value`."""

_TABLE = header.Table(
    "a playbook", PLAYBOOK_OPTIONS, lambda options, name: replace(options, classes=(*options.classes, name))
)


def read_playbook_header(text: Source, defaults: PlaybookOptions | None = None) -> Header:
    """Read the opening line of a fence: "```acdl-playbook src=playbook.yaml section=tool_usage"."""
    return header.read(text, defaults or PlaybookOptions(), _TABLE, LANGUAGE)


def set_playbook_option(options: PlaybookOptions, name: str, value: object) -> PlaybookOptions:
    """Set one option of a directive.

    Raises:
        ValueError: The option does not exist or the value does not fit; the text says what was expected.
    """
    return header.set_one(options, name, value, _TABLE)

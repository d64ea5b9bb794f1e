"""The options in the opening line of an `acdl-inspect` block."""

from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.workspace import header
from acdl_mkdocs.workspace.header import check_word, is_on

LANGUAGE = "acdl-inspect"
"""The first word of the fence, and the name of the directive."""


@dataclass(frozen=True, slots=True)
class InspectBlockOptions:
    """Which recordings are inspected, and how they are shown."""

    src: str = ""
    """Recordings, as paths relative to the project's folder, separated by spaces or commas; `*` matches any
    characters: `runs/*.jsonl`."""
    title: str = ""
    """Heading of the block, also its accessible name."""
    id: str = ""
    """Anchor of the block; without it, `acdl-inspect`."""
    caption: str = ""
    """Sentence under the block."""
    excerpts: bool = True
    """Whether contents of messages are shown (`on`), or only roles and numbers (`off`)."""
    classes: tuple[str, ...] = ()
    """Additional CSS classes for the block (`.wide`)."""


Header: TypeAlias = header.Header[InspectBlockOptions]
"""The opening line of a block as understood."""

INSPECT_OPTIONS = MappingProxyType[str, header.Setter[InspectBlockOptions]](
    {
        "src": lambda options, value: replace(options, src=value),
        "title": lambda options, value: replace(options, title=value),
        "id": lambda options, value: replace(options, id=check_word(value)),
        "caption": lambda options, value: replace(options, caption=value),
        "excerpts": lambda options, value: replace(options, excerpts=is_on(value)),
    }
)
"""Every option that an opening line may give with `name=value`."""

_TABLE = header.Table(
    "an inspection", INSPECT_OPTIONS, lambda options, name: replace(options, classes=(*options.classes, name))
)


def read_inspect_header(text: Source, defaults: InspectBlockOptions) -> Header:
    """Read the opening line of a fence: "```acdl-inspect src=run.jsonl"."""
    return header.parse_header(text, defaults, _TABLE, LANGUAGE)

"""The options in the header of an `acdl-gallery` fence or directive, as one typed value."""

import re
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.workspace import header
from acdl_mkdocs.workspace.header import check_word, choose_one, is_on

LANGUAGE = "acdl-gallery"
"""The first word of the fence, and the name of the directive."""

From = Literal["files", "pages", "all"]
Kinds = Literal["specs", "fragments", "all"]
Sort = Literal["useful", "file", "name", "title", "tag"]

MAX_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class GalleryOptions:
    """Which specs a gallery shows, and how."""

    id: str = "acdl-gallery"
    """Anchor of the gallery. If a page has several galleries, each needs its own."""
    folder: str = ""
    """Only specs from files in this folder and its subfolders, relative to the project's folder: `examples/agents`."""
    tags: tuple[str, ...] = ()
    """Only specs that have all of these tags, separated by commas: `tags="react, tools"`."""
    source: From = "all"
    """Where the specs come from: `.acdl` files, blocks of pages, or both."""
    kinds: Kinds = "specs"
    """Specs, fragments, or both."""
    sort: Sort = "useful"
    """`useful`: published specs with a sample state first, fragments last; or by place in the files, by name, by
    title, or by first tag and then title, with untagged specs last."""
    columns: int | None = None
    """Maximum number of columns, from 1 to 6; by default, as many as fit."""
    thumbnails: bool = True
    """Whether each card has a thumbnail of its figure."""
    filter: bool = True
    """Whether readers can filter the cards."""
    legend: bool = True
    """Whether the gallery has a collapsed legend of the notation."""
    classes: tuple[str, ...] = ()
    """Additional CSS classes for the gallery (`.wide`)."""


Header: TypeAlias = header.Header[GalleryOptions]
"""The header of a gallery as understood."""


def _set_columns(options: GalleryOptions, value: str) -> GalleryOptions:
    number = int(value) if re.fullmatch(r"[0-9]{1,3}", value) else 0
    if not 1 <= number <= MAX_COLUMNS:
        raise ValueError(f"a whole number from 1 to {MAX_COLUMNS}, such as 3")
    return replace(options, columns=number)


def _set_tags(options: GalleryOptions, value: str) -> GalleryOptions:
    tags = tuple(filter(None, (tag.strip() for tag in value.split(","))))
    if not tags:
        raise ValueError('a tag, or several with commas between them, such as "react, tools"')
    return replace(options, tags=tags)


GALLERY_OPTIONS = MappingProxyType[str, header.Setter[GalleryOptions]](
    {
        "id": lambda options, value: replace(options, id=check_word(value)),
        "folder": lambda options, value: replace(options, folder=value),
        "tags": _set_tags,
        "from": lambda options, value: replace(options, source=choose_one(value, get_args(From))),
        "kinds": lambda options, value: replace(options, kinds=choose_one(value, get_args(Kinds))),
        "sort": lambda options, value: replace(options, sort=choose_one(value, get_args(Sort))),
        "columns": _set_columns,
        "thumbnails": lambda options, value: replace(options, thumbnails=is_on(value)),
        "filter": lambda options, value: replace(options, filter=is_on(value)),
        "legend": lambda options, value: replace(options, legend=is_on(value)),
    }
)
"""Every option that a header may give with `name=value`."""

_TABLE = header.Table(
    "a gallery", GALLERY_OPTIONS, lambda options, name: replace(options, classes=(*options.classes, name))
)


def read_gallery_header(text: Source, defaults: GalleryOptions | None = None) -> Header:
    """Read the opening line of a gallery's fence: "```acdl-gallery folder=examples sort=title"."""
    return header.parse_header(text, defaults or GalleryOptions(), _TABLE, LANGUAGE)

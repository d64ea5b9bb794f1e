"""The files of examples: one of JSON for each, which the page fetches when it is asked for, and the menu of them."""

import json
from collections.abc import Iterable
from dataclasses import asdict

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.docs.blocks.example import Example


@dataclass(frozen=True, slots=True)
class Placed:
    """An example, and where it is listed."""

    example: Example
    url: str = ""
    """Of the figure, from the folder of the playground."""
    group: str = ""
    """Heading of the menu; empty for what is not listed."""
    title: str = ""
    """What the menu calls it, if not as it is called itself."""
    also: tuple[str, ...] = ()
    """More keys that open it."""


def files_of(placed: Iterable[Placed]) -> dict[str, bytes]:
    """The files of examples, by their paths in the playground: one for each, and `examples.json`, the menu."""
    files: dict[str, bytes] = {}
    groups: dict[str, dict[str, str]] = {}
    for each in placed:
        key = each.example.key
        said = {word: value for word, value in {**asdict(each.example), "url": each.url}.items() if value}
        for name in (key, *each.also):
            files.setdefault(f"examples/{name}.json", _json(said))
        if each.group:
            groups.setdefault(each.group, {}).setdefault(key, each.title or each.example.title)
    listed = [
        {"title": group, "examples": [{"key": key, "title": title} for key, title in examples.items()]}
        for group, examples in groups.items()
    ]
    return {**files, "examples.json": _json({"groups": listed})}


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False) + "\n").encode("utf-8", "replace")

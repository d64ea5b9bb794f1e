"""The files of examples: a JSON file for each, which the page fetches on demand, and their menu."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.docs.blocks.example import Example


@dataclass(frozen=True, slots=True)
class ListedExample:
    """An example, and its place in the menu."""

    example: Example
    url: str = ""
    """The URL of the figure, from the folder of the playground."""
    group: str = ""
    """The heading in the menu; empty for an unlisted example."""
    title: str = ""
    """The title in the menu, if it differs from the example's title."""
    also: tuple[str, ...] = ()
    """Further keys that open it."""


def files_of(placed: Iterable[ListedExample], render_preview: Callable[[Example], str]) -> dict[str, bytes]:
    """Return the files of examples, by their paths in the playground: one for each, and the menu `examples.json`.

    Parameters:
        placed: The examples.
        render_preview: Renders the figure that is shown until the engine has loaded; empty if there is none.
    """
    files: dict[str, bytes] = {}
    groups: dict[str, dict[str, str]] = {}
    for each in placed:
        key = each.example.key
        shown = {**asdict(each.example), "url": each.url, "svg": render_preview(each.example)}
        data = {word: value for word, value in shown.items() if value}
        for name in (key, *each.also):
            files.setdefault(f"examples/{name}.json", _encode_json(data))
        if each.group:
            groups.setdefault(each.group, {}).setdefault(key, each.title or each.example.title)
    listed = [
        {"title": group, "examples": [{"key": key, "title": title} for key, title in examples.items()]}
        for group, examples in groups.items()
    ]
    return {**files, "examples.json": _encode_json({"groups": listed})}


def _encode_json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False) + "\n").encode("utf-8", "replace")

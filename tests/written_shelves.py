"""Shelves of specs for tests: from texts by the names of their files."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from acdl_mkdocs.analyse import analyse
from acdl_mkdocs.site.shelf import Shelf, Shown
from acdl_mkdocs.site.specs import specs_of
from acdl_mkdocs.source import Source

EXAMPLES = Path(__file__).parent.parent / "examples"


def shelf_of(texts: Mapping[str, str]) -> Shelf:
    """The shelf of a site where each spec has a page; those of a Markdown file share that page instead."""
    return Shelf(entry for name, text in texts.items() for entry in _shown(name, text))


def example_shelf() -> Shelf:
    """The shelf of the examples."""
    return shelf_of({f"examples/{each.name}": each.read_text("utf-8") for each in sorted(EXAMPLES.glob("*.acdl"))})


def _shown(name: str, text: str) -> Iterator[Shown]:
    source = Source(text, name)
    has_page = not name.endswith(".md")
    for spec in specs_of(analyse(source).resolved):
        address = f"specs/{spec.name}/" if has_page else f"{name.removesuffix('.md')}/#{spec.name}"
        yield Shown(spec, address, name, source.place(spec.span.start).line, has_page)

"""Shelves of specs for tests: from texts by the names of their files."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry, SpecIndex
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.workspace.specs import specs_of

EXAMPLES = Path(__file__).parent.parent / "examples"


def index_of(texts: Mapping[str, str], range_mode: RangeMode = "half-open") -> SpecIndex:
    """The index of a site where each spec has a page; those of a Markdown file share that page instead."""
    return SpecIndex(entry for name, text in texts.items() for entry in _shown(name, text, range_mode))


def example_index() -> SpecIndex:
    """The index of the examples."""
    return index_of({f"examples/{each.name}": each.read_text("utf-8") for each in sorted(EXAMPLES.glob("*.acdl"))})


def _shown(name: str, text: str, range_mode: RangeMode) -> Iterator[SpecEntry]:
    source = Source(text, name)
    has_page = not name.endswith(".md")
    for spec in specs_of(analyse(source).resolved):
        address = f"specs/{spec.name}/" if has_page else f"{name.removesuffix('.md')}/#{spec.name}"
        line, mode = source.find_place(spec.span.start).line, spec.range or range_mode
        yield SpecEntry(spec, address, name, line, has_page, mode)

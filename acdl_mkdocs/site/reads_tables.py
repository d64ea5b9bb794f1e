"""What a spec reads, as tables of its page: Markdown, with tags for links to places of the figure on the same page."""

from collections.abc import Callable, Iterator, Sequence

from acdl_mkdocs.drawing.formats.xml import identifier
from acdl_mkdocs.site.prose import code, escaped, linked, percent_encoded
from acdl_mkdocs.site.reads import Read
from acdl_mkdocs.site.shelf import Shown
from acdl_mkdocs.workspace.spec import MentionKind

_TITLES: dict[MentionKind, str] = {"variable": "Variable", "template": "Template", "function": "Function"}


def reads_tables(found: Sequence[Read], link: Callable[[Shown], str]) -> Iterator[str]:
    """A table for each sort that there is.

    Parameters:
        found: What the spec reads.
        link: From a fragment to the Markdown that links to it.
    """
    for kind, title in _TITLES.items():
        rows = [each for each in found if each.kind == kind]
        if rows:
            yield _table(title, rows, link)


def _table(title: str, found: Sequence[Read], link: Callable[[Shown], str]) -> str:
    """A table; columns that would be empty are left out."""
    columns = {
        title: [code(each.name) for each in found],
        "In the figure": [" ".join((*_places(each), *_via(each, link))) for each in found],
        "Written as": [", ".join(code(form) for form in each.forms if each.forms != (each.name,)) for each in found],
        "Comments": ["<br>".join(map(linked, each.comments)) for each in found],
    }
    shown = {head: cells for head, cells in columns.items() if any(cells)}
    rows = [[*shown], ["---"] * len(shown), *zip(*shown.values(), strict=True)]
    return "\n".join(['<div class="acdl-reads"></div>', "", *(f"| {' | '.join(row)} |" for row in rows)])


def _places(read: Read) -> Iterator[str]:
    """Numbered links to the places in the figure."""
    for number, anchor in enumerate(read.anchors, 1):
        called = escaped(f"{read.name}, place {number}")
        yield f'<a href="#{percent_encoded(identifier(anchor))}" aria-label="{called}">{number}</a>'


def _via(read: Read, link: Callable[[Shown], str]) -> Iterator[str]:
    """The fragments that read it for the spec."""
    if read.via:
        yield f"via {', '.join(map(link, read.via))}"

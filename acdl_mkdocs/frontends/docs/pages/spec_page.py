"""The page of a spec or fragment as Markdown, which any docs tool renders.

Headings, paragraphs, tables and links to other pages are Markdown: they come into the table of contents, the search
index and every builder of a tool, and the tool turns `.md` links into addresses and checks them. Links to places of a
figure on the same page are tags, because no tool knows those places while it reads the page. What authors have written
passes through `foundation/markdown`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from acdl_mkdocs.drawing.formats.xml import make_id
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.markdown import (
    code_fence,
    code_tag,
    escape_markdown,
    format_link,
    front_value,
    link_addresses,
    percent_encode,
)
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.frontends.docs.pages.bundle import with_comments
from acdl_mkdocs.frontends.docs.pages.downloads import Download
from acdl_mkdocs.frontends.docs.pages.reads import SpecRead, list_reads
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry, SpecIndex
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import figure_name
from acdl_mkdocs.workspace.spec import MentionKind

_SENTENCE = re.compile(r".+?[.!?](?= |$)")


def fence_of(entry: SpecEntry, options: str) -> str:
    """Return a fenced block that draws a spec.

    A spec that has a page is drawn from its file, so that its problems are reported there; one inside a page
    is written out.

    Parameters:
        entry: The spec.
        options: Further options of the header.
    """
    name = entry.file
    text = ""
    if entry.has_page and make_printable(name) == name and not re.search(r"[\n\r\f]", name):
        options = f'src="{quote_value(name)}#{entry.spec.name}" {options}'
    else:
        text = f"{with_comments(entry.spec)}\n"
    mark = _fence_mark(options, text)
    return f"{mark}acdl {options}\n{text}{mark}"


def difference_fence(old: SpecEntry, new: SpecEntry, title: str) -> str:
    """Return a fenced block that draws the difference of two specs."""
    options = (
        f'old="{quote_value(_name_in_block(old))}" new="{quote_value(_name_in_block(new))}" '
        f'title="{quote_value(title)}"'
    )
    mark = _fence_mark(options, "")
    return f"{mark}acdl-diff {options}\n{mark}"


def inspection_fence(entry: SpecEntry) -> str:
    """Return a fenced block that shows the messages of the recorded runs of a spec."""
    options = f'src="{quote_value(" ".join(entry.runs))}"'
    mark = _fence_mark(options, "")
    return f"{mark}acdl-inspect {options}\n{mark}"


def _name_in_block(entry: SpecEntry) -> str:
    """Return the name of a spec in a block: with its file, if it has a page, since other files may have the name."""
    name = entry.file
    is_file = entry.has_page and make_printable(name) == name and not re.search(r"[\n\r\f:]", name)
    return f"{name}#{entry.spec.name}" if is_file else entry.spec.name


def quote_value(name: str) -> str:
    """Escape a value for double quotes."""
    return re.sub(r'([\\"])', r"\\\1", name)


def _take_first_sentence(text: str, longest: int = 160) -> str:
    """Return the first sentence of a text, or as many whole words of it as fit."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    match = _SENTENCE.match(paragraph)
    sentence = match[0] if match else paragraph
    if len(sentence) <= longest:
        return sentence
    return f"{sentence[: longest - 1].rpartition(' ')[0] or sentence[: longest - 1]}…"


def _fence_mark(header: str, text: str) -> str:
    """Return fence marks that occur nowhere in the block: backquotes, which a header must not have, or else tildes."""
    return code_fence(header + text, "~" if "`" in header else "`")


_NONE = "–"
"""What a cell of a table has that would be empty."""

_TITLES: dict[MentionKind, str] = {"variable": "Variable", "template": "Template", "function": "Function"}


def reads_tables(reads: Sequence[SpecRead], link: Callable[[SpecEntry], str]) -> Iterator[str]:
    """Yield a table for each kind of reads.

    Parameters:
        reads: The reads of the spec.
        link: Returns the Markdown that links to a fragment.
    """
    for kind, title in _TITLES.items():
        rows = [each for each in reads if each.kind == kind]
        if rows:
            yield _render_table(title, rows, link)


def _render_table(title: str, reads: Sequence[SpecRead], link: Callable[[SpecEntry], str]) -> str:
    """Render a table; columns that would be empty are left out."""
    columns = {
        title: [code_tag(each.name) for each in reads],
        "In the figure": [" ".join((*_link_places(each), *_link_fragments(each, link))) for each in reads],
        "Written as": [
            ", ".join(code_tag(form) for form in each.forms if each.forms != (each.name,)) for each in reads
        ],
        "Comments": ["<br>".join(map(link_addresses, each.comments)) for each in reads],
    }
    used_columns = {head: cells for head, cells in columns.items() if any(cells)}
    cells = [[cell or _NONE for cell in row] for row in zip(*used_columns.values(), strict=True)]
    rows = [[*used_columns], ["---"] * len(used_columns), *cells]
    return "\n".join(['<div class="acdl-reads"></div>', "", *(f"| {' | '.join(row)} |" for row in rows)])


def _link_places(read: SpecRead) -> Iterator[str]:
    """Yield numbered links to the places in the figure."""
    for number, anchor in enumerate(read.anchors, 1):
        called = escape_markdown(f"{read.name}, place {number}")
        yield f'<a href="#{percent_encode(make_id(anchor))}" aria-label="{called}">{number}</a>'


def _link_fragments(read: SpecRead, link: Callable[[SpecEntry], str]) -> Iterator[str]:
    """Yield the fragments that read it for the spec."""
    if read.via:
        yield f"via {', '.join(map(link, read.via))}"


_KINDS = {"prompt": "spec", "string-fragment": "fragment of text", "roles-fragment": "fragment of messages"}
_RANGES: dict[RangeMode, str] = {
    "half-open": "`range(1, 3)` is 1, 2",
    "inclusive": "`range(1, 3)` is 1, 2, 3",
}
_MAX_SIDE_BY_SIDE = 12
"""Figures of a family on the page of each member; families that are larger are listed in full, and drawn up to here."""

_WIDTH_PX = 340
"""Of a figure beside others: two of them fit on most pages, one on a phone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSurroundings:
    """The site data that a page needs."""

    href: Callable[[str], str]
    """Returns the link in the Markdown of this page for an address of the site (`specs/React2/`, `agents/#Chat`):
    the path of a Markdown file, or an address."""
    file_href: Callable[[str], str]
    """Returns the link in the HTML of this page for the address of a file to download."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """The address of the list of specs of each tag; tags that no gallery lists are missing."""
    site_url: str = ""
    """Address of the site, for the permanent address of the page."""
    source_url: str = ""
    """Address of the files of the repository."""
    is_explained: bool = True
    """Whether the figure has a view in words."""
    runs_summary: str = ""
    """The verdict of recorded runs on the spec, in a sentence."""
    more: tuple[str, ...] = ()
    """Further parts of the page, as Markdown."""


def spec_page(
    entry: SpecEntry, spec_index: SpecIndex, downloads: Sequence[Download], surroundings: PageSurroundings
) -> str:
    """Return the Markdown of the page of an entry that has one; sections without content are left out."""
    writer = _PageWriter(entry, spec_index, surroundings)
    parts = [
        *writer.write_head(),
        *writer.write_reads(),
        *writer.write_uses(),
        *writer.used_by(),
        *writer.write_recorded(),
        *writer.write_family(),
        *surroundings.more,
        *writer.write_downloads(downloads),
    ]
    return "\n\n".join(parts) + "\n"


class _PageWriter:
    """The writer of one page as Markdown.

    The headings of sections have several words: their anchors then have hyphens, which names of specs, the anchors of
    figures, never have.
    """

    def __init__(self, entry: SpecEntry, spec_index: SpecIndex, surroundings: PageSurroundings) -> None:
        self._entry = entry
        self._spec_index = spec_index
        self._surroundings = surroundings
        self._family = spec_index.family_of(entry)
        self._title = spec_index.page_title(entry)

    def write_head(self) -> Iterator[str]:
        """Yield everything down to the figure."""
        spec = self._entry.spec
        about = _take_first_sentence(spec.description)
        front = [f"title: {front_value(self._title)}", *([f"description: {front_value(about)}"] if about else [])]
        yield "\n".join(["---", *front, "---"])
        yield f"# {escape_markdown(self._format_heading())}"
        yield from _format_list("acdl-facts", self._list_facts())
        yield from (link_addresses(paragraph) for paragraph in spec.description.split("\n\n") if paragraph.strip())
        state = f' state="{quote_value(self._entry.state)}"' if self._entry.state else ""
        runs = f' runs="{quote_value(" ".join(self._entry.runs))}"' if self._entry.runs else ""
        words = " explain=on" if self._surroundings.is_explained else ""
        yield fence_of(self._entry, f"show=both{words}{state}{runs}")

    def write_reads(self) -> Iterator[str]:
        """Yield what the spec reads and inserts, a table for each kind."""
        tables = [*reads_tables(list_reads(self._entry, self._spec_index), self._link_to)]
        if tables:
            yield from ("## What it reads", *tables)

    def write_uses(self) -> Iterator[str]:
        """Yield the fragments that it uses."""
        names = self._entry.spec.fragments
        if names:
            yield "## Fragments used"
            described = (self._describe_entry(self._spec_index.find_meant(name, self._entry), name) for name in names)
            yield from _format_list("acdl-entries", described)

    def used_by(self) -> Iterator[str]:
        """Yield the specs and fragments that use it."""
        users = [user for user in self._spec_index.users_of(self._entry.spec.name) if self._is_used_by(user)]
        if users and self._entry.spec.is_fragment:
            yield "## Where it is used"
            yield from _format_list("acdl-entries", map(self._describe_entry, users))

    def write_recorded(self) -> Iterator[str]:
        """Yield the messages of its recorded runs."""
        if self._entry.runs:
            yield "## What recorded runs sent"
            yield inspection_fence(self._entry)

    def write_family(self) -> Iterator[str]:
        """Yield its variants, or its original: listed, then side by side."""
        if self._family:
            yield "## Variants side by side"
            yield from _format_list("acdl-entries", map(self._describe_entry, self._family))
            yield from self._write_difference()
            yield '<div class="acdl-family">'
            for each in self._family[:_MAX_SIDE_BY_SIDE]:
                yield fence_of(each, f'show=figure width={_WIDTH_PX} title="{each.spec.name}"')
            yield "</div>"

    def _write_difference(self) -> Iterator[str]:
        """Yield the difference from its original."""
        root = (
            self._spec_index.find_meant(self._entry.spec.variant_of, self._entry)
            if self._entry.spec.variant_of
            else None
        )
        if root is not None and root is not self._entry:
            yield difference_fence(root, self._entry, f"What differs from {root.spec.name}")

    def write_downloads(self, downloads: Sequence[Download]) -> Iterator[str]:
        """Yield its files."""
        if downloads:
            yield "## Files to download"
            yield from _format_list(
                "acdl-downloads",
                [f"{self._format_button(each)}: {each.label}, {_format_size(each.n_bytes)}" for each in downloads],
            )

    def _format_heading(self) -> str:
        """Return the title, with the kind before it if the heading's anchor would be that of a figure."""
        names = {figure_name(BlockOptions(spec=each.spec.name), "") for each in (self._entry, *self._family)}
        anchor = re.sub(r"\W+", "-", self._title).strip("-").lower()
        return f"{_KINDS[self._entry.spec.kind].capitalize()} {self._title}" if anchor in names else self._title

    def _list_facts(self) -> Iterator[str]:
        """Yield the facts shown before the figure."""
        spec = self._entry.spec
        parameters = f"[{', '.join(spec.parameters)}]" if spec.parameters else ""
        yield f"**Kind** {_KINDS[spec.kind]} {code_tag(spec.name + parameters)}"
        yield f"**File** {self._format_file()}"
        if spec.variant_of:
            root = self._spec_index.find_meant(spec.variant_of, self._entry)
            yield f"**Variant of** {self._link_to(root) if root else code_tag(spec.variant_of)}"
        if origins := [link_addresses(each) for each in spec.origin.split("\n") if each]:
            yield f"**Source{'s' if len(origins) > 1 else ''}** {'<br>'.join(origins)}"
        others = [words for words in spec.see if words != spec.name]
        if others:
            yield f"**See** {', '.join(map(self._format_see, others))}"
        if spec.tags:
            yield f"**Tags** {', '.join(map(self._format_tag, spec.tags))}"
        if spec.has_ranges:
            origin = "as its file says" if spec.range else "as usual on this site"
            mode = self._entry.range
            yield f"**Ranges** {mode}, {origin}: {_RANGES[mode]}"
        if self._entry.state:
            yield f"**State** {code_tag(self._entry.state)}"
        if self._surroundings.runs_summary:
            yield f"**Runs** {escape_markdown(self._surroundings.runs_summary)}"
        if self._surroundings.site_url:
            address = f"{self._surroundings.site_url.rstrip('/')}/{self._entry.address}"
            yield f"**Permalink** {format_link(escape_markdown(address), address)}"

    def _format_file(self) -> str:
        """Return the file, with a link if the repository's address is known."""
        name, line = self._entry.file, self._entry.line
        words = f"{code_tag(name)}, line {line}"
        if not self._surroundings.source_url:
            return words
        return format_link(
            words, f"{self._surroundings.source_url.rstrip('/')}/{name.replace('%', '%25').replace('#', '%23')}#L{line}"
        )

    def _format_button(self, download: Download) -> str:
        """Return a link that saves a file: a tag, as Markdown has none for it; browsers take the name from it."""
        href = percent_encode(self._surroundings.file_href(download.address))
        return f'<a href="{href}" download="{escape_markdown(download.name)}">{code_tag(download.name)}</a>'

    def _is_used_by(self, user: SpecEntry) -> bool:
        """Return whether a spec that uses a fragment of this name can mean this one: no other in its own file."""
        fragment = self._spec_index.find_meant(self._entry.spec.name, user)
        return fragment is self._entry or fragment is None or fragment.file != user.file

    def _describe_entry(self, entry: SpecEntry | None, name: str = "") -> str:
        """Return a link to an entry, with its description in a sentence."""
        if entry is None:
            return f"{code_tag(name)}, which this site does not define"
        about = _take_first_sentence(entry.spec.description)
        label = f"{code_tag(entry.spec.name)} (this page)" if entry is self._entry else self._link_to(entry)
        return f"{label}: {escape_markdown(about)}" if about else label

    def _link_to(self, entry: SpecEntry) -> str:
        return format_link(code_tag(entry.spec.name), self._surroundings.href(entry.address))

    def _format_see(self, words: str) -> str:
        """Return the target of `// see:`: a link to a spec of the site, or the plain text."""
        target = self._spec_index.find_meant(words, self._entry)
        return self._link_to(target) if target else link_addresses(words)

    def _format_tag(self, tag: str) -> str:
        """Return a tag with a link to all specs that have it."""
        address = self._surroundings.tags.get(tag)
        return format_link(escape_markdown(tag), self._surroundings.href(address)) if address else escape_markdown(tag)


def _format_list(class_name: str, items: Iterable[str]) -> Iterator[str]:
    """Yield a list, after an empty element that identifies the list for the style sheet."""
    yield f'<div class="{class_name}"></div>'
    yield "\n".join(f"- {item}" for item in items)


def _format_size(n_bytes: int) -> str:
    return f"{n_bytes / 1000:.1f} kB" if n_bytes >= 1000 else f"{n_bytes} bytes"

"""The page of a spec or fragment as Markdown, which any docs tool renders.

Headings, paragraphs, tables and links to other pages are Markdown: they come into the table of contents, the search
index and every builder of a tool, and the tool turns `.md` links into addresses and checks them. Links to places of a
figure on the same page are tags, because no tool knows those places while it reads the page. What authors have written
passes through `prose`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from acdl_mkdocs.drawing.formats.xml import identifier
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import printable
from acdl_mkdocs.frontends.docs.pages.bundle import with_comments
from acdl_mkdocs.frontends.docs.pages.downloads import Download
from acdl_mkdocs.frontends.docs.pages.reads import Read, reads
from acdl_mkdocs.frontends.docs.pages.shelf import Shelf, Shown
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.prose import code, escaped, first_sentence, front_value, link, linked, percent_encoded
from acdl_mkdocs.workspace.read_block import figure_name
from acdl_mkdocs.workspace.spec import MentionKind


def fence_of(entry: Shown, options: str) -> str:
    """Return a fenced block that draws a spec.

    A spec that has a page is drawn from its file, so that its problems are reported there; one inside a page
    is written out.

    Parameters:
        entry: The spec.
        options: Further options of the header.
    """
    name = entry.file
    text = ""
    if entry.has_page and printable(name) == name and not re.search(r"[\n\r\f]", name):
        options = f'src="{quoted(name)}#{entry.spec.name}" {options}'
    else:
        text = f"{with_comments(entry.spec)}\n"
    mark = _mark(options, text)
    return f"{mark}acdl {options}\n{text}{mark}"


def difference_fence(old: Shown, new: Shown, title: str) -> str:
    """Return a fenced block that draws the difference of two specs."""
    options = f'old="{quoted(_named(old))}" new="{quoted(_named(new))}" title="{quoted(title)}"'
    mark = _mark(options, "")
    return f"{mark}acdl-diff {options}\n{mark}"


def inspection_fence(entry: Shown) -> str:
    """Return a fenced block that shows the messages of the recorded runs of a spec."""
    options = f'src="{quoted(" ".join(entry.runs))}"'
    mark = _mark(options, "")
    return f"{mark}acdl-inspect {options}\n{mark}"


def _named(entry: Shown) -> str:
    """Return the name of a spec in a block: with its file, if it has a page, since other files may have the name."""
    name = entry.file
    is_file = entry.has_page and printable(name) == name and not re.search(r"[\n\r\f:]", name)
    return f"{name}#{entry.spec.name}" if is_file else entry.spec.name


def quoted(name: str) -> str:
    """Escape a value for double quotes."""
    return re.sub(r'([\\"])', r"\\\1", name)


def _mark(header: str, text: str) -> str:
    """Return fence marks that occur nowhere in the block: backquotes, which a header must not have, or else tildes."""
    sign = "~" if "`" in header else "`"
    longest = max((len(found) for found in re.findall(f"{sign}+", header + text)), default=0)
    return sign * max(3, longest + 1)


_TITLES: dict[MentionKind, str] = {"variable": "Variable", "template": "Template", "function": "Function"}


def reads_tables(found: Sequence[Read], link: Callable[[Shown], str]) -> Iterator[str]:
    """Yield a table for each kind of reads.

    Parameters:
        found: The reads of the spec.
        link: Returns the Markdown that links to a fragment.
    """
    for kind, title in _TITLES.items():
        rows = [each for each in found if each.kind == kind]
        if rows:
            yield _table(title, rows, link)


def _table(title: str, found: Sequence[Read], link: Callable[[Shown], str]) -> str:
    """Render a table; columns that would be empty are left out."""
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
    """Yield numbered links to the places in the figure."""
    for number, anchor in enumerate(read.anchors, 1):
        called = escaped(f"{read.name}, place {number}")
        yield f'<a href="#{percent_encoded(identifier(anchor))}" aria-label="{called}">{number}</a>'


def _via(read: Read, link: Callable[[Shown], str]) -> Iterator[str]:
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
class Surroundings:
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
    checked: str = ""
    """The verdict of recorded runs on the spec, in a sentence."""
    more: tuple[str, ...] = ()
    """Further parts of the page, as Markdown."""


def spec_page(entry: Shown, shelf: Shelf, downloads: Sequence[Download], around: Surroundings) -> str:
    """Return the Markdown of the page of an entry that has one; sections without content are left out."""
    writer = _Writer(entry, shelf, around)
    parts = [
        *writer.head(),
        *writer.reads(),
        *writer.uses(),
        *writer.used_by(),
        *writer.recorded(),
        *writer.family(),
        *around.more,
        *writer.downloads(downloads),
    ]
    return "\n\n".join(parts) + "\n"


class _Writer:
    """The writer of one page as Markdown.

    The headings of sections have several words: their anchors then have hyphens, which names of specs, the anchors of
    figures, never have.
    """

    def __init__(self, entry: Shown, shelf: Shelf, around: Surroundings) -> None:
        self._entry = entry
        self._shelf = shelf
        self._around = around
        self._family = shelf.family(entry)

    def head(self) -> Iterator[str]:
        """Yield everything down to the figure."""
        spec = self._entry.spec
        about = first_sentence(spec.description)
        front = [f"title: {front_value(spec.title)}", *([f"description: {front_value(about)}"] if about else [])]
        yield "\n".join(["---", *front, "---"])
        yield f"# {escaped(self._heading())}"
        yield from _listed("acdl-facts", self._facts())
        yield from (linked(paragraph) for paragraph in spec.description.split("\n\n") if paragraph.strip())
        state = f' state="{quoted(self._entry.state)}"' if self._entry.state else ""
        runs = f' runs="{quoted(" ".join(self._entry.runs))}"' if self._entry.runs else ""
        yield fence_of(self._entry, f"show=both{state}{runs}")

    def reads(self) -> Iterator[str]:
        """Yield what the spec reads and inserts, a table for each kind."""
        tables = [*reads_tables(reads(self._entry, self._shelf), self._link)]
        if tables:
            yield from ("## What it reads", *tables)

    def uses(self) -> Iterator[str]:
        """Yield the fragments that it uses."""
        names = self._entry.spec.fragments
        if names:
            yield "## Fragments used"
            described = (self._described(self._shelf.meant(name, self._entry), name) for name in names)
            yield from _listed("acdl-entries", described)

    def used_by(self) -> Iterator[str]:
        """Yield the specs and fragments that use it."""
        users = [user for user in self._shelf.users(self._entry.spec.name) if self._is_used_by(user)]
        if users and self._entry.spec.is_fragment:
            yield "## Where it is used"
            yield from _listed("acdl-entries", map(self._described, users))

    def recorded(self) -> Iterator[str]:
        """Yield the messages of its recorded runs."""
        if self._entry.runs:
            yield "## What recorded runs sent"
            yield inspection_fence(self._entry)

    def family(self) -> Iterator[str]:
        """Yield its variants, or its original: listed, then side by side."""
        if self._family:
            yield "## Variants side by side"
            yield from _listed("acdl-entries", map(self._described, self._family))
            yield from self._difference()
            yield '<div class="acdl-family">'
            for each in self._family[:_MAX_SIDE_BY_SIDE]:
                yield fence_of(each, f'show=figure width={_WIDTH_PX} title="{each.spec.name}"')
            yield "</div>"

    def _difference(self) -> Iterator[str]:
        """Yield the difference from its original."""
        root = self._shelf.meant(self._entry.spec.variant_of, self._entry) if self._entry.spec.variant_of else None
        if root is not None and root is not self._entry:
            yield difference_fence(root, self._entry, f"What differs from {root.spec.name}")

    def downloads(self, downloads: Sequence[Download]) -> Iterator[str]:
        """Yield its files."""
        if downloads:
            yield "## Files to download"
            yield from _listed(
                "acdl-downloads",
                [f"{self._button(each)}: {each.label}, {_size(each.n_bytes)}" for each in downloads],
            )

    def _heading(self) -> str:
        """Return the title, with the kind before it if the heading's anchor would be that of a figure."""
        title = self._entry.spec.title
        names = {figure_name(BlockOptions(spec=each.spec.name), "") for each in (self._entry, *self._family)}
        anchor = re.sub(r"\W+", "-", title).strip("-").lower()
        return f"{_KINDS[self._entry.spec.kind].capitalize()} {title}" if anchor in names else title

    def _facts(self) -> Iterator[str]:
        """Yield the facts shown before the figure."""
        spec = self._entry.spec
        parameters = f"[{', '.join(spec.parameters)}]" if spec.parameters else ""
        yield f"**Kind** {_KINDS[spec.kind]} {code(spec.name + parameters)}"
        yield f"**File** {self._file()}"
        if spec.variant_of:
            root = self._shelf.meant(spec.variant_of, self._entry)
            yield f"**Variant of** {self._link(root) if root else code(spec.variant_of)}"
        if origins := [linked(each) for each in spec.origin.split("\n") if each]:
            yield f"**Source{'s' if len(origins) > 1 else ''}** {'<br>'.join(origins)}"
        others = [words for words in spec.see if words != spec.name]
        if others:
            yield f"**See** {', '.join(map(self._seen, others))}"
        if spec.tags:
            yield f"**Tags** {', '.join(map(self._tag, spec.tags))}"
        if spec.has_ranges:
            said = "as its file says" if spec.range else "as usual on this site"
            mode = self._entry.range
            yield f"**Ranges** {mode}, {said}: {_RANGES[mode]}"
        if self._entry.state:
            yield f"**State** {code(self._entry.state)}"
        if self._around.checked:
            yield f"**Runs** {escaped(self._around.checked)}"
        if self._around.site_url:
            address = f"{self._around.site_url.rstrip('/')}/{self._entry.address}"
            yield f"**Permalink** {link(escaped(address), address)}"

    def _file(self) -> str:
        """Return the file, with a link if the repository's address is known."""
        name, line = self._entry.file, self._entry.line
        words = f"{code(name)}, line {line}"
        if not self._around.source_url:
            return words
        return link(
            words, f"{self._around.source_url.rstrip('/')}/{name.replace('%', '%25').replace('#', '%23')}#L{line}"
        )

    def _button(self, download: Download) -> str:
        """Return a link that saves a file: a tag, as Markdown has none for it; browsers take the name from it."""
        href = percent_encoded(self._around.file_href(download.address))
        return f'<a href="{href}" download="{escaped(download.name)}">{code(download.name)}</a>'

    def _is_used_by(self, user: Shown) -> bool:
        """Report whether a spec that uses a fragment of this name can mean this one: no other in its own file."""
        meant = self._shelf.meant(self._entry.spec.name, user)
        return meant is self._entry or meant is None or meant.file != user.file

    def _described(self, entry: Shown | None, name: str = "") -> str:
        """Return a link to an entry, with its description in a sentence."""
        if entry is None:
            return f"{code(name)}, which this site does not define"
        about = first_sentence(entry.spec.description)
        shown = f"{code(entry.spec.name)} (this page)" if entry is self._entry else self._link(entry)
        return f"{shown}: {escaped(about)}" if about else shown

    def _link(self, entry: Shown) -> str:
        return link(code(entry.spec.name), self._around.href(entry.address))

    def _seen(self, words: str) -> str:
        """Return the target of `// see:`: a link to a spec of the site, or the plain text."""
        found = self._shelf.meant(words, self._entry)
        return self._link(found) if found else linked(words)

    def _tag(self, tag: str) -> str:
        """Return a tag with a link to all specs that have it."""
        address = self._around.tags.get(tag)
        return link(escaped(tag), self._around.href(address)) if address else escaped(tag)


def _listed(class_name: str, items: Iterable[str]) -> Iterator[str]:
    """Yield a list, after an empty element that identifies the list for the style sheet."""
    yield f'<div class="{class_name}"></div>'
    yield "\n".join(f"- {item}" for item in items)


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1000:.1f} kB" if n_bytes >= 1000 else f"{n_bytes} bytes"

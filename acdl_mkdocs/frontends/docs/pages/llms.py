"""`llms.txt` and `llms-full.txt`: the contents of a site for language models and the programs around them.

Follows the convention of llmstxt.org: a heading, a summary, lists of links. Takes pages and the index of a site,
returns text; knows no docs tool and writes no file.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from html import escape
from urllib.parse import quote

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.markdown import code_fence, visible_line
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.gallery_options import read_gallery_header
from acdl_mkdocs.frontends.docs.pages.gallery import choose_entries
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry, SpecIndex
from acdl_mkdocs.workspace.fences import lines_of, map_code_and_text, scan_fences

_MAX_DESCRIPTION = 200
_PAGE_FILES = (".md", ".markdown", ".rst")
_HEADING = re.compile(r"#{1,6}[ \t]|[^\n]+\n(?:=+|-+)[ \t]*(?:\n|$)")
_PROSE = re.compile(r"(?!\d+[.)]\s|[*_]\s|`{3})[\w`*_\[\"'(]")
_INLINE_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\((?>(?:[^()]++|\([^()]*\))*)\)|\[[^\[\]]*\])")
_HTML = re.compile(r"<|&(?=[#\w])")
_MARKUP = re.compile(r"[\\`*\[\]]|(?<!\w)_|_(?!\w)|~(?=~)|(?<=~)~")
"""What Markdown outside of code reads as markup in the middle of a line."""
_SAFE = "/#?&=~:@!$'*+,;"
"""Characters of an address that cannot end a Markdown link."""


@dataclass(frozen=True, slots=True)
class SiteWords:
    """The description of a site."""

    name: str
    description: str = ""
    url: str = ""
    """Address of the home page; empty if it is not known."""


@dataclass(frozen=True, slots=True)
class TextPage:
    """A page as Markdown."""

    title: str
    address: str
    """Of the HTML page, from the root of the site: `reference/language/`."""
    markdown: str
    """Its Markdown copy: see `acdl_mkdocs.frontends.docs.pages.markdown_copy`."""
    section: str = ""
    """Its part of the navigation; empty at the top."""
    description: str = ""
    """A sentence; empty means the first paragraph of the page."""


def markdown_address(address: str) -> str:
    """Return the address of a page's Markdown: `language/index.md` for `language/`, `a.md` for `a.html`."""
    page = address.partition("#")[0]
    if not page or page.endswith("/"):
        return f"{page}index.md"
    return f"{page.removesuffix('.html')}.md"


def llms_txt(site: SiteWords, pages: Sequence[TextPage], spec_index: SpecIndex) -> str:
    """Return the list of everything: pages by section, then specs and fragments, each with a sentence.

    Parameters:
        site: Name and address of the site.
        pages: In the order of the navigation. Pages that are about one spec each are listed as that spec.
        spec_index: Everything that the site draws.
    """
    own = {entry.address for entry in spec_index.entries if entry.has_page}
    sections: dict[str, list[str]] = {}
    for page in pages:
        if page.address not in own:
            words = page.description or _first_paragraph(page.markdown)
            line = _format_link(page.title, _url_of(site, markdown_address(page.address)), words)
            sections.setdefault(page.section or "Pages", []).append(line)
    copied_pages = {page.address for page in pages}
    for heading, is_fragment in (("Specs", False), ("Fragments", True)):
        for entry in spec_index.entries:
            if entry.spec.is_fragment == is_fragment:
                sections.setdefault(heading, []).append(_spec_link(entry, site, copied_pages, spec_index))
    sections["Optional"] = [
        _format_link(
            "Everything in one file", _url_of(site, "llms-full.txt"), "all pages, and the source of every spec"
        ),
        _format_link("specs.json", _url_of(site, "specs.json"), "all specs with what they read and use, for programs"),
    ]
    parts = [
        _format_head(site),
        *("\n".join((f"## {_join_line(name)}", "", *lines)) for name, lines in sections.items()),
    ]
    return "\n\n".join(parts) + "\n"


def llms_full_txt(
    site: SiteWords,
    pages: Sequence[TextPage],
    spec_index: SpecIndex,
    explain: Callable[[SpecEntry], str] = lambda _: "",
) -> str:
    """Return all pages in full, then all files of specs; nothing twice.

    Parameters:
        site: Name and address of the site.
        pages: In the order of the navigation. Pages that are about one spec each are left out: its file is there.
        spec_index: Everything that the site draws.
        explain: Returns the specs of the file of an entry in words, as Markdown.
    """
    own = {entry.address for entry in spec_index.entries if entry.has_page}
    parts = [_format_head(site)]
    parts += [_whole_page(page, site) for page in pages if page.address not in own]
    files = list(_list_files(spec_index))
    if files:
        parts.append("---\n\n# Specs")
        parts += [_format_file(entry, explain(entry)) for entry in files]
    return "\n\n".join(parts) + "\n"


def gallery_list(opening: str, site: SiteWords, spec_index: SpecIndex, copied_pages: Collection[str] = ()) -> str:
    """Return the contents of a gallery as a list of links.

    Parameters:
        opening: The opening line of its block.
        site: Name and address of the site.
        spec_index: Everything that the site draws.
        copied_pages: Addresses of pages with a Markdown copy; links lead to these if possible.
    """
    options = read_gallery_header(Source(opening)).options
    return "\n".join(_spec_link(entry, site, copied_pages, spec_index) for entry in choose_entries(spec_index, options))


def _format_head(site: SiteWords) -> str:
    """Return heading and summary."""
    return f"# {_join_line(site.name)}" + (f"\n\n> {_join_line(site.description)}" if site.description.strip() else "")


def _spec_link(entry: SpecEntry, site: SiteWords, copied_pages: Collection[str], spec_index: SpecIndex) -> str:
    """Return a line about a spec; it links to the Markdown of its page if there is one."""
    page, mark, anchor = entry.address.partition("#")
    address = f"{markdown_address(page)}{mark}{anchor}" if page in copied_pages else entry.address
    spec = entry.spec
    title = spec.name if spec.title == spec.name else f"{spec.name}: {spec.title}"
    file = spec_index.get_distinguishing_file(entry)
    about = escape_outside_code(_shorten_words(_join_line(spec.description.partition("\n\n")[0])))
    return _format_link(f"{title} ({file})" if file else title, _url_of(site, address), about)


def _whole_page(page: TextPage, site: SiteWords) -> str:
    text = page.markdown.strip("\n")
    heading = "" if _HEADING.match(text) else f"# {escape_outside_code(page.title)}\n\n"
    return f"---\n\nPage: <{_url_of(site, page.address)}>\n\n{heading}{text}"


def _format_file(entry: SpecEntry, words: str) -> str:
    """Return a file of specs with its text, and with what it says in words."""
    parts = (f"## {escape_outside_code(entry.file)}", _fence_text(entry.spec.source.text), words)
    return "\n\n".join(filter(None, parts))


def _list_files(spec_index: SpecIndex) -> Iterator[SpecEntry]:
    """Yield the first spec of each file; texts in a page are in that page."""
    seen: set[str] = set()
    for entry in spec_index.entries:
        if entry.file not in seen and not entry.file.lower().endswith(_PAGE_FILES):
            seen.add(entry.file)
            yield entry


def _fence_text(text: str) -> str:
    """Return a text as a code block, even if it contains fences."""
    mark = code_fence(text)
    return f"{mark}acdl\n{text.rstrip()}\n{mark}"


def _first_paragraph(markdown: str) -> str:
    """Return the first paragraph of prose, skipping headings, lists, tables, blocks and HTML."""
    lines = lines_of(markdown)
    for fence in scan_fences(lines):
        lines[fence.first : fence.end] = [""] * (fence.end - fence.first)
    for paragraph in re.split(r"\n\s*?\n", "\n".join(lines)):
        words = paragraph.strip("\n")
        if _PROSE.match(words) and not _HEADING.match(words):
            return _INLINE_LINK.sub(r"\1", words)
    return ""


def escape_outside_code(text: str) -> str:
    """Return text as one line of Markdown that people and models read unchanged: only code is markup."""

    def outside(words: str) -> str:
        return _HTML.sub(lambda sign: escape(sign[0]), _MARKUP.sub(r"\\\g<0>", words))

    return map_code_and_text(visible_line(text), str, outside)


def _format_link(title: str, url: str, words: str) -> str:
    about = _shorten_words(_join_line(words))
    return f"- [{escape_outside_code(title)}]({url})" + (f": {about}" if about else "")


def _url_of(site: SiteWords, address: str) -> str:
    base = f"{site.url.rstrip('/')}/" if site.url else ""
    path = address.removeprefix("./") if base else address  # tools use this name for the home page
    return base + quote(path, safe=_SAFE, errors="replace")


def _join_line(words: str) -> str:
    """Return words on one line."""
    return " ".join(words.split())


def _shorten_words(words: str) -> str:
    """Shorten words to a sentence or two, cut between words."""
    if len(words) <= _MAX_DESCRIPTION:
        return words
    return f"{words[:_MAX_DESCRIPTION].rpartition(' ')[0].rstrip(',;:.')} …"

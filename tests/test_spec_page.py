"""Pages of specs: what they say, that it is all they say, and that their links lead somewhere."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from exhaustive import exhaustive
from markdown import Markdown
from written_indexes import EXAMPLES, example_index, index_of

from acdl_mkdocs.foundation.markdown import link_addresses
from acdl_mkdocs.frontends.docs.markdown.extension import AcdlExtension
from acdl_mkdocs.frontends.docs.pages.downloads import Download
from acdl_mkdocs.frontends.docs.pages.gallery import tag_anchor
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry, SpecIndex
from acdl_mkdocs.frontends.docs.pages.spec_page import PageSurroundings, spec_page

PLACE = re.compile(r'<a href="#([^"]*)" aria-label="[^"]*">\d+</a>')

MARKUP = {
    "script",
    "style",
    "iframe",
    "img",
    "em",
    "del",
    "sup",
    "sub",
    "mark",
    "blockquote",
    "h3",
    "input",
    "kbd",
    "ol",
}
"""Tags that pages of specs do not have outside of figures."""


def href(address: str) -> str:
    """What links to an address in these tests: itself, so that it can be recognized."""
    return f"../{address}"


SITE = PageSurroundings(
    href=href, file_href=href, site_url="https://example.org/docs/", source_url="https://example.org/tree/main/"
)


def pages(spec_index: SpecIndex) -> Iterator[tuple[SpecEntry, str]]:
    """Every entry that has a page, and the page; a gallery lists all tags."""
    site = replace(SITE, tags={tag: f"gallery/#{tag_anchor(tag)}" for tag in spec_index.tags})
    for entry in spec_index.entries:
        if entry.has_page:
            folder = entry.address.rstrip("/")
            files = (Download(f"{folder}/{entry.spec.name}.acdl", "the source", 812),)
            yield entry, spec_page(entry, spec_index, files, site)


def body(page: str) -> str:
    """A page without its front matter."""
    return page.split("---\n", 2)[2]


def rendered(page: str, root: Path, *extensions: str) -> str:
    """A page as HTML."""
    return Markdown(extensions=["tables", "toc", *extensions, AcdlExtension(root=str(root))]).convert(body(page))


class Seen(HTMLParser):
    """What a browser would see of a page: tags, addresses, ids, words outside of figures."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.hrefs: list[str] = []
        self.ids: list[str] = []
        self.attributes: set[str] = set()
        self.words: list[str] = []
        self._in_figure = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take in a tag."""
        self.tags.add(tag)
        self._in_figure += tag == "figure"
        for name, value in attrs:
            self.attributes.add(name)
            self.ids += [value or ""] * (name == "id")
            self.hrefs += [value or ""] * (name in ("href", "src", "xlink:href"))

    def handle_endtag(self, tag: str) -> None:
        """Leave a tag."""
        self._in_figure -= tag == "figure"

    def handle_data(self, data: str) -> None:
        """Take in words."""
        if not self._in_figure:
            self.words.append(data)


def test_page(case: Path, golden: Callable[[str, str], None]) -> None:
    """The pages of all specs of a file are what they were."""
    spec_index = index_of({f"specs/{case.name}": case.read_text("utf-8")})
    golden("\n".join(page for _, page in pages(spec_index)), "pages.md")


def test_every_place_is_in_the_figure(case: Path) -> None:
    """Each numbered link leads to an id of the rendered page, which no other element has."""
    n_places = 0
    spec_index = index_of({case.name: case.read_text("utf-8")})
    for entry, page in pages(spec_index):
        seen = Seen(rendered(page, case.parent))
        assert len(seen.ids) == len(set(seen.ids)), entry.spec.name
        for anchor in PLACE.findall(page):
            assert unquote(anchor) in seen.ids
            n_places += 1
        assert entry.spec.name in seen.ids
    assert n_places


@exhaustive
def test_every_place_of_the_examples() -> None:
    """The same for everything that people write."""
    for entry, page in pages(example_index()):
        anchors = PLACE.findall(page)
        assert anchors
        assert {unquote(anchor) for anchor in anchors} <= set(Seen(rendered(page, EXAMPLES.parent)).ids), (
            entry.spec.name
        )


@pytest.mark.parametrize(
    "extensions",
    [
        pytest.param((), id="plain"),
        pytest.param(
            (
                "attr_list", "abbr", "admonition", "def_list", "footnotes", "md_in_html", "smarty", "wikilinks",
                "pymdownx.superfences", "pymdownx.details", "pymdownx.tabbed", "pymdownx.magiclink", "pymdownx.emoji",
                "pymdownx.caret", "pymdownx.tilde", "pymdownx.mark", "pymdownx.critic", "pymdownx.keys",
                "pymdownx.arithmatex", "pymdownx.blocks.admonition", "pymdownx.progressbar", "pymdownx.smartsymbols",
                "pymdownx.snippets", "pymdownx.tasklist",
            ),
            id="everything",
        ),
    ],
)  # fmt: skip
def test_words_of_authors_are_only_words(extensions: tuple[str, ...]) -> None:
    """Whatever authors write is shown as they wrote it, with whatever extensions, and does nothing."""
    case = Path(__file__).parent / "golden" / "spec_page" / "hostile.acdl"
    ((entry, page),) = pages(index_of({case.name: case.read_text("utf-8")}))
    seen = Seen(rendered(page, case.parent, *extensions))
    assert seen.tags & MARKUP == set()
    assert {name for name in seen.attributes if name.startswith("on") or name == "style"} == set()
    assert all(re.match(r"#|\.\./|https://", each) for each in seen.hrefs), seen.hrefs
    words = " ".join("".join(seen.words).split())
    for written in (entry.spec.title, *entry.spec.tags, *entry.spec.description.split("\n\n")):
        assert " ".join(written.split()) in words


@pytest.mark.parametrize(
    ("written", "hrefs"),
    [
        ("see https://a.org/x_(y), and (http://b.org/z).", ["https://a.org/x_%28y%29", "http://b.org/z"]),
        ("https://a.org/?q=1&r=%20#s!", ["https://a.org/?q=1&r=%20#s"]),
        ("doi:10.1145/3786335.3813126;", ["https://doi.org/10.1145/3786335.3813126"]),
        ("arXiv: 2510.04618", ["https://arxiv.org/abs/2510.04618"]),
        ("ftp://a.org javascript:x data:y mailto:z@a.org", []),
    ],
)
def test_addresses_are_links(written: str, hrefs: list[str]) -> None:
    """What leads to a page of the web is a link, without the signs of the sentence around it."""
    html = Markdown().convert(link_addresses(written))
    assert Seen(html).hrefs == hrefs
    assert "".join(Seen(html).words) == written


def test_long_addresses_take_linear_time() -> None:
    """A sentence of a hundred thousand brackets is no work."""
    address = "[https&#58;&#47;&#47;a.org&#47;](https://a.org/)"
    assert link_addresses("https://a.org/" + ")" * 100_000) == address + "&#41;" * 100_000


def test_front_matter_is_yaml() -> None:
    """Title and description are read back as they were written."""
    text = "// title: 'quoted': #1 \\ {x} — 名前 😀 & Q\n// Says: yes, 'no'.\n// @see % & *\nA[@T]: { U: X }\n"
    ((_, page),) = pages(index_of({"a.acdl": text}))
    front = yaml.safe_load(page.split("---\n")[1])
    assert front == {"title": "'quoted': #1 \\ {x} — 名前 😀 & Q", "description": "Says: yes, 'no'."}


def test_front_matter_is_no_html() -> None:
    """Templates that show front matter as it is, or unescape it first, show words."""
    words = '// title: </title><script>alert(1)</script> &lt;b&gt; &#60;\n// "><img src=x onerror=alert(2)>\n'
    text = words + "A[@T]: { U: X }\n"
    ((_, page),) = pages(index_of({"a.acdl": text}))
    for value in yaml.safe_load(page.split("---\n")[1]).values():
        assert not set(unescape(value)) & set('<>"'), value


def test_sections_without_content_are_absent() -> None:
    """A spec that uses nothing has its figure and no empty headings."""
    spec_index = index_of({"a.acdl": 'A[@T]: {\n    U: "hello"\n}\n'})
    page = spec_page(spec_index.entries[0], spec_index, (), PageSurroundings(href=href, file_href=href))
    assert "##" not in page
    assert "Tags" not in page
    assert "Permalink" not in page
    assert "description:" not in page
    assert '```acdl src="a.acdl#A" show=both explain=on\n```' in page


def test_the_fragment_of_the_own_file_is_meant() -> None:
    """Two files may have a fragment of one name: each uses its own, and others the first."""
    fragment = "StrFrag F[x]: {\n    x\n}\n"
    user = "A[@T]: {{\n    S: Frag F[{0}]\n}}\n"
    spec_index = index_of(
        {
            "one.acdl": fragment + user.format("1"),
            "two.acdl": fragment + user.format("2").replace("A", "B", 1),
            "three.acdl": user.format("3").replace("A", "C", 1),
        }
    )
    used_by = {
        entry.file: re.findall(r"- \[<code>(\w)</code>", page.partition("## Where it is used")[2])
        for entry, page in pages(spec_index)
        if entry.spec.name == "F"
    }
    assert used_by == {"one.acdl": ["A", "C"], "two.acdl": ["B", "C"]}


def test_what_fragments_read() -> None:
    """A page lists what its spec reads through the fragments of other files, with links to them."""
    spec_index = index_of(
        {
            "a.acdl": "A[@T]: {\n    S: { Frag F[@T] }\n    U: env.x[@T]\n}\n",
            "f.acdl": "StrFrag F[@t]: { Frag G[@t] env.x[@t] }\n",
            "g.md": "StrFrag G[@t]: { shorten(env.y[@t]) }\n",
        }
    )
    page = next(page for _, page in pages(spec_index))
    rows = {line.split(" | ")[0]: line.split(" | ")[1] for line in page.split("\n") if line.startswith("| <code>")}
    via_g = "via [<code>G</code>](../g/#G)"
    assert rows["| <code>env.x</code>"].endswith(">1</a> via [<code>F</code>](../specs/F/)")
    assert rows["| <code>env.y</code>"] == via_g
    assert rows["| <code>shorten</code>"] == via_g


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "inclusive, as usual on this site: `range(1, 3)` is 1, 2, 3"),
        ("// acdl: range=half-open\n", "half-open, as its file says: `range(1, 3)` is 1, 2"),
    ],
)
def test_how_ranges_are_read(text: str, said: str) -> None:
    """A spec that has ranges says how they are read: as its file does, else as the site does."""
    specs = "A[@T]: {\n    ForEach(t: range(1, @T)) {\n        U: X\n    }\n}\n\nB[@T]: {\n    U: X\n}\n"
    with_ranges, without = (page for _, page in pages(index_of({"a.acdl": text + specs}, "inclusive")))
    assert f"- **Ranges** {said}\n" in with_ranges
    assert "**Ranges**" not in without


def test_files_are_saved() -> None:
    """A click on a file saves it under its name instead of showing it."""
    ((entry, page),) = pages(index_of({"a.acdl": "Gr\u00f6\u00dfe[@T]: {\n    U: X\n}\n"}))
    html = Markdown().convert(page)
    assert entry.spec.name == "Gr\u00f6\u00dfe"
    name = "Gr\u00f6\u00dfe.acdl"
    assert f'<a href="../specs/Gr%C3%B6%C3%9Fe/Gr%C3%B6%C3%9Fe.acdl" download="{name}"><code>{name}</code></a>' in html


def test_names_of_files(tmp_path: Path) -> None:
    """A file may have any name; the page shows its figure, or at least the same text."""
    names = ["a b.acdl", 'q"u\\o`te.acdl', "c```d~~~.acdl", "e#f.acdl", "é{x}=.acdl", "line\nend.acdl"]
    for number, name in enumerate(names):
        text = f"Spec{number}[@T]: {{\n    U: env.question[@T]\n}}\n"
        (tmp_path / name).write_text(text, "utf-8")
        ((entry, page),) = pages(index_of({name: text}))
        html = rendered(page, tmp_path)
        assert "acdl-problem" not in html, name
        assert f'id="Spec{number}"' in html, name
        assert len(re.findall("<svg", html)) == 1, name
        assert entry.file == name


EXTENSIONS = [
    "abbr",
    "attr_list",
    "def_list",
    "footnotes",
    "md_in_html",
    "smarty",
    "pymdownx.betterem",
    "pymdownx.emoji",
    "pymdownx.magiclink",
    "pymdownx.smartsymbols",
    "pymdownx.tilde",
]
PROSE = """\
A[@T]: {{
    U: env.question[@T] // {}
}}
"""


@pytest.mark.parametrize("extensions", [[], EXTENSIONS], ids=["few extensions", "many extensions"])
def test_tables_are_converted_as_python_markdown_does(extensions: list[str], tmp_path: Path) -> None:
    """The HTML of a page is the same as without the conversion of its tables and lists."""
    comments = [
        "plain words, 2.5 kB: and more",
        "www.example.org",
        "two -- words... (c) +/- :smile: a@example.org",
        "1. one *two* _three_ `four` ~~five~~ #6 [seven](https://example.org/) | eight",
        "see https://example.org/nine.",
    ]
    texts = {f"{number}.acdl": PROSE.format(comment) for number, comment in enumerate(comments)}
    n_converted = 0
    for spec_index in (example_index(), index_of(texts)):
        for _, page in pages(spec_index):
            converting, plain = (
                Markdown(extensions=["tables", "toc", *extensions, AcdlExtension(root=str(tmp_path))]) for _ in range(2)
            )
            plain.preprocessors.deregister("acdl_tables")
            assert converting.convert(body(page)) == plain.convert(body(page))
            n_converted += any(str(each).startswith("<table>") for each in converting.htmlStash.rawHtmlBlocks)
    assert n_converted > len(comments)
    ((_, page),) = pages(index_of({"a.acdl": PROSE.format("plain words")}))
    assert '<td>plain <abbr title="terms">words</abbr></td>' in rendered(f"{page}\n*[words]: terms\n", tmp_path, "abbr")


def test_heading_and_figure_have_different_ids() -> None:
    """The anchor of a heading is never that of a figure, and the figure keeps its name."""
    for name in ("react", "downloads", "used_by"):
        text = f"{name}[@T]: {{\n    U: env.question[@T]\n}}\n"
        spec_index = index_of({"a.acdl": text})
        ((_, page),) = pages(spec_index)
        ids = Seen(Markdown(extensions=["tables", "toc"]).convert(body(page))).ids
        assert name not in ids
        assert f"# Spec {name.replace('_', '&#95;')}\n" in page


def test_variants_that_stand_in_pages() -> None:
    """A variant without a page is written out, with a link to where it stands."""
    page_text = '// variant-of: A\nB[@T]: {\n    U: "```"\n}\n'
    spec_index = index_of({"a.acdl": "A[@T]: {\n    U: X\n}\n", "agents.md": page_text})
    ((_, page),) = pages(spec_index)
    assert "- [<code>B</code>](../agents/#B)" in page
    assert f'````acdl show=figure width=340 title="B"\n{page_text}````' in page


def test_large_families_are_drawn_in_part() -> None:
    """All variants are listed; the page does not grow with the square of their number."""
    texts = ["A[@T]: {\n    U: X\n}\n", *(f"// variant-of: A\nV{n}[@T]: {{\n    U: X\n}}\n" for n in range(40))]
    spec_index = index_of({"a.acdl": "\n".join(texts)})
    page = next(page for _, page in pages(spec_index))
    assert page.count("show=figure") == 12
    assert page.count("- [<code>V") == 40


def test_families_of_several_files() -> None:
    """A name means that of the own file: specs of the same name in two files have their own families, or none."""
    root, variant = "A[@T]: {\n    U: X\n}\n", "// variant-of: A\nB[@T]: {\n    U: X\n}\n"
    spec_index = index_of({"a.acdl": root + variant, "b.acdl": root, "c.acdl": root + variant})
    found = [[(each.file, each.spec.name) for each in spec_index.family_of(entry)] for entry in spec_index.entries]
    first, last = [("a.acdl", "A"), ("a.acdl", "B")], [("c.acdl", "A"), ("c.acdl", "B")]
    assert found == [first, first, [], last, last]


def test_prose_above_the_first_of_several() -> None:
    """Prose right above the first definition is about that, what names a title or tags there is about the file."""
    text = "// title: Files\n// tags: x\n// About A.\nA[@T]: {\n    U: X\n}\n\nB[@T]: {\n    U: X\n}\n"
    first, second = index_of({"a.acdl": text}).entries
    assert [(each.spec.file_title, each.spec.tags) for each in (first, second)] == [("Files", ("x",))] * 2
    assert (first.spec.description, second.spec.description) == ("About A.", "")


def test_variant_of_itself() -> None:
    """A spec that says it is a variant of itself has no family."""
    ((_, page),) = pages(index_of({"a.acdl": "// variant-of: A\nA[@T]: {\n    U: X\n}\n"}))
    assert "side by side" not in page


def test_titles_tell_pages_apart() -> None:
    """A title that specs of several files have is followed by the shortest name of the file that is its own."""
    chat, other = (
        "Chat[@T]: {\n    U: env.question\n}\n",
        "// title: Another chat\nChat[@T]: {\n    U: env.question\n}\n",
    )
    files = {"a/one.acdl": chat, "b/one.acdl": chat, "b/two.acdl": chat, "b/named.acdl": other, "c.md": other}
    spec_index = index_of(files)
    titles = {each.file: spec_index.page_title(each) for each in spec_index.entries if each.has_page}
    assert titles == {
        "a/one.acdl": "Chat (a/one.acdl)",
        "b/one.acdl": "Chat (b/one.acdl)",
        "b/two.acdl": "Chat (two)",
        "b/named.acdl": "Another chat",
    }

"""Galleries: what their headers say, which cards they show, HTML that is safe whatever authors write."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from written_indexes import EXAMPLES, example_index, index_of

from acdl_mkdocs.drawing.figure.describe import describe
from acdl_mkdocs.drawing.figure.layout import layout
from acdl_mkdocs.drawing.figure.theme import Theme
from acdl_mkdocs.drawing.formats.thumbnail import draw_thumbnail
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.gallery_options import (
    GALLERY_OPTIONS,
    LANGUAGE,
    GalleryOptions,
    read_gallery_header,
    set_gallery_option,
)
from acdl_mkdocs.frontends.docs.pages.gallery import (
    LEGEND,
    choose_entries,
    gallery_html,
    gallery_problems,
    shorten_description,
    tag_anchor,
)
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecIndex
from acdl_mkdocs.language.analyse import analyse, parse_and_resolve
from acdl_mkdocs.workspace.fences import scan_fences
from acdl_mkdocs.workspace.specs import specs_of

GOLDEN = Path(__file__).parent / "golden"
EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>&lt;'
LARGEST_THUMBNAIL = 1_200
"""Bytes of the largest miniature of an example."""


def same(address: str) -> str:
    """An address of the site, for a gallery at its root."""
    return address


class _Elements(HTMLParser):
    """Checks that elements are balanced and harmless; keeps ids, links and words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.hrefs: list[str] = []
        self.words = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """No script, no style, nothing that runs or loads."""
        assert tag not in ("script", "style", "img", "iframe", "b")
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("style", "src")]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.hrefs += [value or "" for name, value in attrs if name == "href"]
        if tag != "input":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without content."""
        self.handle_starttag(tag, attrs)
        if tag != "input":
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Elements close in the order in which they were opened."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """What a reader sees."""
        self.words += data


def test_golden(case: Path, golden: Callable[[str, str], None]) -> None:
    """The whole gallery of a small file, one element a line."""
    spec_index = index_of({f"specs/{case.name}": case.read_text("utf-8")})
    html = gallery_html(spec_index, GalleryOptions(kinds="all", legend=False, columns=3), same)
    golden(html.replace("><", ">\n<") + "\n", "gallery.html")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", GalleryOptions()),
        ("folder=examples", GalleryOptions(folder="examples")),
        ('tags="react, tools,"', GalleryOptions(tags=("react", "tools"))),
        ("from=files", GalleryOptions(source="files")),
        ("kinds=fragments", GalleryOptions(kinds="fragments")),
        ("sort=tag", GalleryOptions(sort="tag")),
        ("columns=6", GalleryOptions(columns=6)),
        (
            "thumbnails=off filter=off legend=off",
            GalleryOptions(thumbnails=False, filter=False, legend=False),
        ),
        ("#agents .wide .tall", GalleryOptions(id="agents", classes=("wide", "tall"))),
    ],
)
def test_header(words: str, expected: GalleryOptions) -> None:
    """Every option is read, in both ways of writing a header."""
    for text in (f"```acdl-gallery {words}", f"~~~ {{.acdl-gallery {words}}}"):
        read = read_gallery_header(Source(text))
        assert (read.options, read.diagnostics) == (expected, ())


@pytest.mark.parametrize(
    ("words", "rule", "place", "help"),
    [
        ("sort=titel", "bad-option-value", "titel", "did you mean `sort=title`?"),
        ("kinds=spec", "bad-option-value", "spec", "did you mean `kinds=specs`?"),
        ("from=web", "bad-option-value", "web", None),
        ("columns=7", "bad-option-value", "7", None),
        ("columns=²", "bad-option-value", "²", None),
        ("tags=,", "bad-option-value", ",", None),
        ("filter", "bad-option-value", "filter", "`filter=...`"),
        ("filter=yes", "bad-option-value", "yes", None),
        ("foldr=x", "unknown-option", "foldr", "did you mean `folder`?"),
        ("title=x", "unknown-option", "title", None),
    ],
)
def test_wrong_header(words: str, rule: str, place: str, help: str | None) -> None:
    """A mistake is told with its place and, where one is near, its cure; the other options count all the same."""
    source = Source(f"```acdl-gallery {words} columns=2")
    read = read_gallery_header(source)
    (found,) = read.diagnostics
    assert (found.rule, source.text[found.label.span.start : found.label.span.end]) == (rule, place)
    assert "gallery" in found.message or rule == "bad-option-value"
    assert help is None or found.help == (help,)
    assert read.options.columns == 2


def test_documented_galleries() -> None:
    """Galleries on the pages of the documentation are understood, and show something of the examples."""
    paths = sorted((EXAMPLES.parent / "site_src").rglob("*.md"))
    lines = {path: path.read_text("utf-8").splitlines() for path in paths}
    found = [fence for each in lines.values() for fence in scan_fences(each) if fence.language == LANGUAGE]
    assert found
    for fence in found:
        header = read_gallery_header(Source(fence.opening))
        assert header.diagnostics == ()
        assert gallery_problems(example_index(), header) == ()


def test_options_of_directives() -> None:
    """Every option can be given by name and value, and what does not fit says what was expected."""
    values = {"folder": "a", "tags": "a,b", "from": "files", "kinds": "all", "sort": "name", "columns": 3, "id": "g"}
    options = GalleryOptions()
    for name in GALLERY_OPTIONS:
        options = set_gallery_option(options, name, values.get(name, False))
    assert options == GalleryOptions("g", "a", ("a", "b"), "files", "all", "name", 3, False, False, False)
    with pytest.raises(ValueError, match="a whole number from 1 to 6"):
        set_gallery_option(options, "columns", "many")
    with pytest.raises(ValueError, match="`thumbnails`"):
        set_gallery_option(options, "thumbs", "on")


SITE = index_of(
    {
        "agents/one.acdl": "// tags: x, y\n\nBeta: { U: A }\n\nStrFrag Note: { B }\n",
        "agents/b/two.acdl": "// title: Zulu\n// tags: y\n\nalpha: { U: A }\n",
        "agents-too/page.md": "Gamma: { U: A }\n",
    }
)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("", "Beta alpha Gamma"),
        ("kinds=fragments", "Note"),
        ("kinds=all", "Beta alpha Gamma Note"),
        ("kinds=all sort=file", "Beta Note alpha Gamma"),
        ("folder=agents", "Beta alpha"),
        ("folder=./agents/b/", "alpha"),
        ("folder=.", "Beta alpha Gamma"),
        ("tags=y", "Beta alpha"),
        ('tags="y, x"', "Beta"),
        ("from=files", "Beta alpha"),
        ("from=pages", "Gamma"),
        ("sort=name", "alpha Beta Gamma"),
        ("sort=title", "Beta Gamma alpha"),
        ("sort=tag", "Beta alpha Gamma"),
    ],
)
def test_what_is_shown(words: str, names: str) -> None:
    """The cards are those that were asked for, in the order that was asked for."""
    header = read_gallery_header(Source(f"```acdl-gallery {words}"))
    assert " ".join(entry.spec.name for entry in choose_entries(SITE, header.options)) == names
    assert gallery_problems(SITE, header) == ()
    html = gallery_html(SITE, header.options, same)
    assert re.findall(r'card-title"><a href="[\w/-]*?#?(\w+)/?"', html) == names.split()


@pytest.mark.parametrize(
    ("words", "place", "message", "help"),
    [
        ("folder=agent", "agent", "no file with specs is in `agent`", ("did you mean `agents`?",)),
        ("tags=z", "z", "no spec has the tag `z`", ()),
        ("folder=agents-too tags=x", "x", "no spec of this site has all that it asks for", ()),
        ("kinds=fragments from=pages", "pages", "no spec of this site has all that it asks for", ()),
    ],
)
def test_empty_gallery(words: str, place: str, message: str, help: tuple[str, ...]) -> None:
    """A gallery without cards says so to its readers, and why to its author."""
    source = Source(f"```acdl-gallery {words}")
    header = read_gallery_header(source)
    (found,) = gallery_problems(SITE, header)
    assert (found.rule, found.severity, found.help) == ("empty-gallery", "warning", help)
    assert found.message == f"this gallery is empty: {message}"
    assert source.text[found.label.span.start : found.label.span.end] == place
    assert ">no " in gallery_html(SITE, header.options, same)


def test_useful_specs_are_first() -> None:
    """Published specs with a sample state come first, then all other specs, then fragments; else in file order."""
    source = "// source: a paper\n\n"
    spec_index = index_of(
        {
            "a.acdl": f"{source}StrFrag Note: {{ A }}\n\nNoState: {{ U: A }}\n",
            "b.acdl": "NotPublished: { U: A }\n",
            "c.acdl": f"{source}Complete: {{ U: A }}\n\nAlsoComplete: {{ U: A }}\n",
        }
    )
    spec_index = SpecIndex(
        replace(each, state="" if each.spec.name == "NoState" else "s.yaml") for each in spec_index.entries
    )
    names = [entry.spec.name for entry in choose_entries(spec_index, GalleryOptions(kinds="all"))]
    assert names == ["Complete", "AlsoComplete", "NoState", "NotPublished", "Note"]


def test_corrected_versions_share_a_card() -> None:
    """A spec and its corrected version in the same file are one card; what both cards say at the end is there once."""
    texts = {
        "a.acdl": "// tags: x\n\nOne: { U: A }\n\nOneCorrected: { U: B }\n\nTwoCorrected: { U: C }\n",
        "b.acdl": "Two: { U: A }\n\nThree: { U: A }\n\n// tags: y\nThreeCorrected: { U: B }\n",
    }
    html = gallery_html(index_of(texts), GalleryOptions(), same)
    _Elements(html)
    cards = re.findall(r'<li class="acdl-card".*?</li>', html)
    titles = [re.findall(r'card-title"><a href="[^"]*">(\w+)', card) for card in cards]
    assert titles == [["One", "OneCorrected"], ["TwoCorrected"], ["Two"], ["Three", "ThreeCorrected"]]
    assert [card.count('class="acdl-switch"') for card in cards] == [1, 0, 0, 1]
    assert [card.count('class="acdl-card-tags"') for card in cards] == [1, 1, 0, 1]
    assert [card.count(" checked>as published") for card in cards] == [1, 0, 0, 1]
    names = re.findall(r'type="radio" name="([^"]*)"', html)
    assert len(names) == 4
    assert len(set(names)) == 2
    only_one = gallery_html(index_of(texts), GalleryOptions(tags=("y",)), same)
    assert "acdl-switch" not in only_one


def test_parts_can_be_left_out() -> None:
    """Without thumbnails, filter and legend there are cards and lists of tags, and nothing for a script."""
    html = gallery_html(SITE, GalleryOptions(thumbnails=False, filter=False, legend=False), same)
    assert not re.search(r"<svg|<form|data-uses|data-words|acdl-legend", html)
    assert '<a href="#acdl-tag-x">x</a>' in html
    assert '<dt id="acdl-tag-x"' in html


def test_links_lead_somewhere() -> None:
    """Every link to a tag has its list, every id is there once, and addresses go through `href`."""
    page = _Elements(gallery_html(example_index(), GalleryOptions(kinds="all"), lambda address: f"../{address}"))
    assert len(page.ids) == len(set(page.ids))
    for href in page.hrefs:
        assert href.startswith("../specs/") or href.removeprefix("#") in page.ids
    other = _Elements(gallery_html(example_index(), GalleryOptions(id="other"), same))
    assert not set(page.ids) & set(other.ids)


def test_texts_are_text() -> None:
    """Markup in titles, tags, comments and file names stays text."""
    text = f"// title: {EVIL}\n// tags: {EVIL}, c++, two words\n// {EVIL} \x1b\n\nChat: {{ U: A }}\n"
    spec_index = index_of({f"a/{EVIL}.acdl": text})
    spec_index = SpecIndex(replace(entry, address=f"specs/{EVIL}/") for entry in spec_index.entries)
    page = _Elements(gallery_html(spec_index, GalleryOptions(), same))
    assert page.words.count(EVIL) >= 4
    assert "\x1b" not in page.words


def test_anchors_of_tags() -> None:
    """Every tag has an anchor without blanks, and different tags have different ones."""
    tags = ["react", "two words", "two-words", "C++", "c--", "été", "日本", "a&b", "<x>"]
    anchors = [tag_anchor(tag) for tag in tags]
    assert anchors[0] == "acdl-tag-react"
    assert len(set(anchors)) == len(tags)
    assert all(re.fullmatch(r"acdl-tag-[\w.-]+", anchor) for anchor in anchors)


def test_filter_finds_all_words() -> None:
    """Names, descriptions, variables, templates, functions and files: what a card does not show is in an attribute."""
    text = (GOLDEN / "gallery" / "small.acdl").read_text("utf-8")
    html = gallery_html(index_of({"agents/small.acdl": text}), GalleryOptions(sort="name"), same)
    cards = re.findall(r'<li class="acdl-card".*?</li>', html)
    for word in ("chat", "zebras", "agents/small.acdl", "env.question", "resp.answer", "sys.locale", "instructions"):
        assert word in _seen(cards[0])
    assert "summarize" in _seen(cards[1])
    assert "summarize" not in _seen(cards[0])
    assert 'data-uses="system,user,assistant,ForEach,Frag"' in cards[0]


def _seen(card: str) -> str:
    """The words that the filter looks through."""
    hidden = re.search(r'data-words="([^"]*)"', card)
    assert hidden
    return f"{_Elements(card).words} {hidden[1]}".lower()


def test_descriptions_are_short() -> None:
    """The first paragraph, cut between words; a text without blanks is cut anyway."""
    assert shorten_description("One.\n\nTwo.") == "One."
    assert shorten_description("one two, three", 9) == "one two …"
    assert shorten_description("x" * 20, 9) == f"{'x' * 9} …"


def test_legend_is_right() -> None:
    """The legend is a spec that no rule has anything to say about."""
    assert analyse(Source(LEGEND)).diagnostics == ()


def _thumbnails() -> Iterator[tuple[str, str]]:
    for entry in example_index().entries:
        yield entry.spec.name, entry.spec.miniature


def test_thumbnails_are_small() -> None:
    """Miniatures of all examples are SVG of one line, without ids, words and references, and small."""
    for name, svg in _thumbnails():
        root = ElementTree.fromstring(svg)  # noqa: S314  # our own
        assert {element.tag for element in root.iter()} <= {"svg", "g", "path"}
        assert not re.search(r"id=|href|url\(|style=|\n", svg)
        assert 'aria-hidden="true"' in svg
        assert len(svg.encode()) <= LARGEST_THUMBNAIL, name


def test_thumbnails_show_the_top() -> None:
    """What is further down makes a miniature neither larger nor slower; nothing is drawn far outside."""
    body = "    U: env.question[@T]\n"
    short_one, long_one = (
        specs_of(parse_and_resolve(Source(f"A[@T]: {{\n{body * n}}}")).resolved)[0].miniature for n in (40, 4_000)
    )
    assert long_one == short_one
    places = [int(place) for place in re.findall(r"M(-?\d+) ", long_one)]
    assert max(places) <= 208


def _right_edges(svg: str) -> list[float]:
    """Return where the shapes and bars of a miniature end."""
    places = re.findall(r"M(-?\d+) -?\d+h(\d+)", svg)
    return [int(left) + int(width) for left, width in places]


def test_thumbnails_have_the_whole_width() -> None:
    """A figure that is wider than its miniature is scaled down, not cut at the right; all bars have their lengths."""
    for text in ("wide_name_of_a_field_" * 2, "wide_name_of_a_field_" * 8):
        box = describe(parse_and_resolve(Source(f"Wide[@T]: {{\n    U: env.{text}[@t]\n    A: env.a\n}}\n")).resolved)
        width = layout(box, Theme()).width
        assert width > 416
        edges = _right_edges(draw_thumbnail(box))
        assert 200 <= max(edges) <= 204
        assert len(set(edges)) > 3
    narrow = draw_thumbnail(describe(parse_and_resolve(Source("A: {\n    U: env.a\n}\n")).resolved))
    assert max(_right_edges(narrow)) < 100


def test_same_bytes() -> None:
    """Whatever the order of sets, the HTML is the same."""
    code = (
        "import sys; sys.path.insert(0, 'tests'); import hashlib, test_gallery as t;"
        "html = t.gallery_html(t.example_index(), t.GalleryOptions(kinds='all'), t.same);"
        "print(hashlib.sha256(html.encode()).hexdigest())"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=EXAMPLES.parent,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(said) == 1


def test_a_large_gallery_is_light() -> None:
    """A page with 500 specs of the size of our examples stays below 1 MB, without compression."""
    specs = [entry for entry in example_index().entries if not entry.spec.is_fragment]
    spec_index = SpecIndex((specs * 11)[:500])
    assert len(spec_index.entries) == 500
    assert len(gallery_html(spec_index, GalleryOptions(), same).encode()) < 1_000_000


def test_what_all_have_is_not_listed_again() -> None:
    """In a large gallery, a tag or construct of every spec leads back to the cards; any other to its own list."""
    texts = {f"{number}.acdl": f"// tags: all, {number % 2}\nA{number}: {{ U: env.q }}\n" for number in range(50)}
    html = gallery_html(index_of(texts), GalleryOptions(), same)
    assert '<dt id="acdl-tag-all" data-tag="all">all</dt><dd><a href="#acdl-gallery">all 50 specs</a></dd>' in html
    assert html.partition('<dt id="acdl-tag-1"')[2].partition("</dd>")[0].count("<a ") == 25
    small = gallery_html(index_of(dict(list(texts.items())[:49])), GalleryOptions(), same)
    assert small.partition('<dt id="acdl-tag-all"')[2].partition("</dd>")[0].count("<a ") == 49
    assert set(_Elements(html).hrefs) >= {"#acdl-gallery", "#acdl-tag-all"}
    assert "acdl-gallery" in _Elements(html).ids

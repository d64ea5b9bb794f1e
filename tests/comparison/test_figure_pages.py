"""Differences as files: SVG and pages that need nothing else."""

import base64
import hashlib
import re
from xml.etree import ElementTree

import pytest

from acdl_mkdocs.compare.formats import format_difference
from acdl_mkdocs.compare.formats.edit_text import summarize_difference
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.foundation.errors import UnknownFormatError
from comparison.compared import difference

SVG = "{http://www.w3.org/2000/svg}"
OLD = "P[@T]: {\n    S: RULES\n    If sys.a { U: env.q[@T] }\n    T: GONE(sys.g)\n}\n"
NEW = "P[@T]: {\n    S: RULES\n    If sys.b { A: env.q[@T] }\n}\n"
HOSTILE = 'P[@T]: {\n    U: "</style></title><script>alert(1)</script>" // <img src=x onerror=alert(1)>\n}\n'
SIDES = CompareOptions(is_side_by_side=True)


def read(svg: str) -> ElementTree.Element:
    """An SVG as a tree."""
    return ElementTree.fromstring(svg)  # noqa: S314  # our own text


def words(root: ElementTree.Element) -> list[str]:
    """The texts of a picture."""
    return ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]


def test_one_figure_of_both() -> None:
    """The SVG is named, says in words how often what is marked, and shows what was and what is."""
    root = read(format_difference(difference(OLD, NEW), "svg"))
    title, desc = (root.find(f"{SVG}{name}") for name in ("title", "desc"))
    assert title is not None
    assert title.text == "old.acdl and new.acdl"
    assert desc is not None
    assert str(desc.text).startswith("1 changed, 1 role, 1 removed. P[@T]: System message: RULES. [changed: condition ")
    assert {"If sys.a sys.b condition changed", "GONE(sys.g)"} <= {" ".join(each.split()) for each in words(root)}


def test_unknown_format() -> None:
    """A format that does not exist is refused like that of a figure."""
    with pytest.raises(UnknownFormatError, match="no format `png` of a difference; there are text, json"):
        format_difference(difference(OLD, NEW), "png")


def test_figures_count_what_the_verdict_counts() -> None:
    """A move is one change though both of its ends are marked, and a block that came is one too."""
    old = "P[@T]: {\n    S: RULES\n    U: env.q[@T]\n    A: resp.a[@T]\n    T: sys.t[@T]\n}\n"
    new = (
        "P[@T]: {\n    A: resp.a[@T]\n    S: RULES\n    U: env.q[@T]\n    T: sys.t[@T] // end\n"
        "    If sys.b { U: { sys.c  sys.d } }\n}\n"
    )
    found = difference(old, new)
    assert summarize_difference(found).startswith("2 changes and 1 change of comments")
    assert "<desc>1 moved, 1 added, 1 comment. P[@T]:" in format_difference(found, "svg")
    assert f"<desc>{summarize_difference(found)}</desc>" in format_difference(found, "svg", SIDES)
    page = format_difference(found, "html")
    assert "<p><code>&gt;</code> 1 moved, <code>+</code> 1 added, <code>/</code> 1 comment</p>" in page


def test_both_beside_each_other() -> None:
    """Two figures stand side by side in one SVG, without an id twice, each named by its side."""
    written = format_difference(difference(OLD, NEW), "svg", SIDES)
    root = read(written)
    first, second = root.findall(f"{SVG}g")
    assert words(first)[0] == "old: old.acdl"
    assert words(second)[0] == "new: new.acdl"
    shift = float(str(second.get("transform")).removeprefix("translate(").partition(" ")[0].rstrip(")"))
    assert 0 < shift < float(str(root.get("width")))
    ids = re.findall(r' id="([^"]*)"', written)
    assert len(ids) == len(set(ids))
    assert {"old-edit-3", "new-edit-1"} <= set(ids)


@pytest.mark.parametrize("options", [CompareOptions(), SIDES])
def test_svg_is_valid_by_svgwrite(options: CompareOptions) -> None:
    """The validator of `svgwrite` knows every element, and every attribute that SVG 1.1 has."""
    from svgwrite.params import Parameter  # type: ignore[import-untyped]

    validator = Parameter(debug=True, profile="full").validator
    newer = ("data-", "aria-", "role", "unicode-bidi")
    n_checked = 0
    for element in read(format_difference(difference(OLD, NEW), "svg", options)).iter():
        name = element.tag.removeprefix(SVG)
        for attribute, value in element.attrib.items():
            assert attribute != "style"
            if not attribute.startswith(newer):
                validator.check_svg_attribute_value(name, attribute, re.sub(r"(?<=\d)-", " -", value))
                n_checked += 1
        for child in element:
            validator.check_valid_children(name, child.tag.removeprefix(SVG))
    assert n_checked


def test_page_forbids_everything_but_its_style_sheets() -> None:
    """The policy of a page names each of its style sheets by its hash, and allows nothing else."""
    for options in (CompareOptions(), SIDES, CompareOptions(theme="dark")):
        page = format_difference(difference(OLD, NEW), "html", options)
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
        assert policy is not None
        hashes = [
            f"'sha256-{base64.b64encode(hashlib.sha256(rules.encode()).digest()).decode()}'"
            for rules in re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
        ]
        assert policy[1].startswith("default-src 'none'; style-src ")
        assert set(hashes) == set(re.findall(r"'sha256-[^']*'", policy[1]))
        assert not re.search(r"<script|<link|<img|\sstyle=|\son\w+=|url\(|https?://(?!www\.w3\.org)", page)


def test_page_shows_all_ways() -> None:
    """A page has the verdict, both drawings, the text and a list; every id once; its parts take the focus."""
    page = format_difference(difference(OLD, NEW), "html")
    assert "<strong>3 changes: the messages can differ</strong>" in page
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["Both in one figure", "Side by side", "As text"]
    assert "--- old.acdl" in page
    assert "<del>" in page
    assert page.count('tabindex="0"') == 4
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    assert re.findall(r"<h2>(.*?)</h2>", format_difference(difference(OLD, NEW), "html", SIDES))[0] == "Side by side"


def test_page_of_hostile_texts() -> None:
    """Markup of a spec is text in a page."""
    page = format_difference(difference(HOSTILE, NEW), "html", CompareOptions(title="</title><script>"))
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("way", ["svg", "html"])
def test_same_difference_same_bytes(way: str) -> None:
    """Nothing depends on anything but the two texts; equal texts have a figure too."""
    assert format_difference(difference(OLD, NEW), way) == format_difference(difference(OLD, NEW), way)
    assert "<svg" in format_difference(difference(OLD, OLD), way)

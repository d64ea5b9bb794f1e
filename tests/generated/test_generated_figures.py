"""Every output of generated specs is well formed, the same each time, and says the same as the others."""

import json
import re
from collections import Counter
from io import BytesIO
from xml.etree import ElementTree

import pytest
from drawn.shapes import drawn_shape
from exhaustive import examples
from hypothesis import assume, given

import acdl_mkdocs
from acdl_mkdocs.drawing.figure.describe import View
from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.drawing.from_drawing.read import read_drawing
from fuzz.safe_html import SafeHtml
from generated.batches import some
from generated.scopes import Spec
from generated.specs import NO_ACDL, specs

_SVG = "{http://www.w3.org/2000/svg}"


def words_of_svg(svg: str) -> Counter[str]:
    """The lines of a drawing, whatever their spaces, case and last colons."""
    root = ElementTree.fromstring(svg)  # noqa: S314  # our own text
    return Counter(_bare("".join(each.itertext())) for each in root.iter() if each.tag.removeprefix(_SVG) == "text")


def words_of_text(written: str) -> Counter[str]:
    """The lines of a figure in text as a drawing has them: badges beside their titles, of marks the numbers."""
    joined = re.sub(r"\n *([SR]F)$", r" \1", written, flags=re.MULTILINE)
    lines = (re.sub(r"^ *(?:Mark (?=\d+$)|\[not shown\])", "", line) for line in joined.splitlines())
    return Counter(filter(None, map(_bare, lines)))


def _bare(line: str) -> str:
    return re.sub(r":(?=$|//)", "", "".join(line.split()).upper())


LIST_OF_RANGE = re.compile(r"^ *ForEach\([^\n:]*: \[(?![^\n]* for )[^\[\]\n]* \.\.\. [^\[\]\n]*\]\)", re.MULTILINE)
"""A loop over a list that is written out, with a range in it."""


@given(spec=specs())
@examples(30)
def test_every_output(spec: Spec) -> None:
    """All outputs are well formed and twice the same; the drawing has the lines of the text and no others."""
    written = {name: acdl_mkdocs.render(spec.text, name) for name in OUTPUTS}
    assert written == {name: acdl_mkdocs.render(spec.text, name) for name in OUTPUTS}
    assert words_of_svg(str(written["svg"])) == words_of_text(str(written["text"]))
    assert json.loads(written["json"])["version"] == 1
    html = "".join(SafeHtml(str(written["html"])).words.split()).upper()
    for line in words_of_text(str(written["text"])):
        assert line.removesuffix("RF").removesuffix("SF") in html


@given(spec=specs())
@examples(10)
def test_every_view(spec: Spec) -> None:
    """Views and options change what they are for: no comment is left, an embedded figure has the same words."""
    embedded = OutputOptions(standalone=False, id_prefix="x-", theme="dark")
    assert words_of_svg(acdl_mkdocs.render(spec.text, options=embedded)) == words_of_svg(acdl_mkdocs.render(spec.text))
    assert "//" not in acdl_mkdocs.render(spec.text, "text", view=View(comments=False)).replace('{ // b"', "")
    for each in spec.definitions:
        alone = View(spec=each.name)
        svg, text = (acdl_mkdocs.render(spec.text, way, view=alone) for way in ("svg", "text"))
        assert words_of_svg(str(svg)) == words_of_text(str(text))
        assert str(text).startswith(each.name)


@given(spec=specs())
@examples(20)
def test_drawings_are_read(spec: Spec) -> None:
    """A spec in normal form is what the reading of its drawing gives, but for `$` before names.

    On a whiteboard `[1 ... 3]` is all from one to three, so no loop here runs over a list that holds one range.
    """
    normal = acdl_mkdocs.format(spec.text.replace(NO_ACDL, ""))
    assume(not LIST_OF_RANGE.search(normal))
    drawing = acdl_mkdocs.render(normal, "text")
    read = read_drawing(drawing).text
    assert acdl_mkdocs.render(read, "text") == drawing
    shapes = [drawn_shape(acdl_mkdocs.parse(each).file, has_signs=False) for each in (read, normal)]
    assert shapes[0] == shapes[1]


@pytest.mark.filterwarnings("ignore::acdl_mkdocs.foundation.errors.FontWarning")
def test_pictures() -> None:
    """PNG and PDF of a few specs can be opened, are twice the same, and the PDF has the words."""
    pypdf = pytest.importorskip("pypdf")
    pytest.importorskip("resvg_py")
    for spec in some(2):
        png, pdf = acdl_mkdocs.render(spec.text, "png"), acdl_mkdocs.render(spec.text, "pdf")
        assert png == acdl_mkdocs.render(spec.text, "png")
        assert pdf == acdl_mkdocs.render(spec.text, "pdf")
        assert png.startswith(b"\x89PNG\r\n\x1a\n")
        found = "".join(page.extract_text() for page in pypdf.PdfReader(BytesIO(pdf)).pages)
        assert all(each.name in found for each in spec.definitions)

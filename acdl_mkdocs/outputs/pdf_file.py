"""One page with its fonts and links as the bytes of a PDF. Knows nothing about figures."""

from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from acdl_mkdocs.foundation import extras
from acdl_mkdocs.outputs.pdf_font import ASCENT, BOX, CAP_HEIGHT, COLUMN, DESCENT, PdfFont
from acdl_mkdocs.outputs.xml import number

if TYPE_CHECKING:
    from pydyf import PDF, Object

_PT_PER_PX = 0.75
_LONGEST_PT = 14400
"""Programs open no longer pages, unless the unit is larger than 1 pt."""
_SYMBOLIC = 4
_STEM = 80
_SAFE = "%/:?#[]@!$&'()*+,;=~"
"""What an address is made of beside letters and digits; anything else is quoted."""
_LATEST_VERSION = b"1.7"


class Link(NamedTuple):
    """A rectangle in CSS px from the top left that leads somewhere."""

    x: float
    y: float
    width: float
    height: float
    to: str | tuple[float, float]
    """An address, or a place on the page."""


class Page(NamedTuple):
    """What is on a page of so many CSS px."""

    width: float
    height: float
    content: str
    """Drawing commands, with their origin at the top left and y growing downwards."""
    links: tuple[Link, ...]


def pdf_file(page: Page, faces: Mapping[str, PdfFont], title: str) -> bytes:
    """A PDF of one page; the fonts are those that the content was written with, by the names it has for them."""
    pydyf = extras.load("pydyf", "pdf")
    document = pydyf.PDF()
    scale = _PT_PER_PX / max(1, _PT_PER_PX * max(page.width, page.height) / _LONGEST_PT)
    move = f"{scale:.6g} 0 0 {-scale:.6g} 0 {number(page.height * scale)} cm"
    content = pydyf.Stream([f"{move}\n{page.content}".encode()], compress=True)
    document.add_object(content)
    used = {name: _font(document, face) for name, face in faces.items() if face.widths()}
    sheet = {
        "Type": "/Page",
        "Parent": document.pages.reference,
        "MediaBox": pydyf.Array([0, 0, number(page.width * scale), number(page.height * scale)]),
        "Resources": pydyf.Dictionary({"Font": pydyf.Dictionary(used)}),
        "Contents": content.reference,
    }
    if scale < _PT_PER_PX:
        sheet["UserUnit"] = f"{_PT_PER_PX / scale:.6g}"
    leaf = pydyf.Dictionary(sheet)
    document.add_page(leaf)
    if page.links:
        leaf["Annots"] = pydyf.Array(_annotations(document, page, scale))
    document.info["Title"] = pydyf.String(title)
    document.catalog["ViewerPreferences"] = pydyf.Dictionary({"DisplayDocTitle": "true"})
    file = BytesIO()
    document.write(file, version=_LATEST_VERSION)
    return file.getvalue()


def _annotations(document: "PDF", page: Page, scale: float) -> Iterator[bytes]:
    pydyf = extras.load("pydyf", "pdf")
    (sheet,) = document.page_references
    for link in page.links:
        corners = (link.x, page.height - link.y - link.height, link.x + link.width, page.height - link.y)
        annotation = pydyf.Dictionary(
            {
                "Type": "/Annot",
                "Subtype": "/Link",
                "Border": pydyf.Array([0, 0, 0]),
                "Rect": pydyf.Array([number(corner * scale) for corner in corners]),
            }
        )
        if isinstance(link.to, str):
            annotation["A"] = pydyf.Dictionary({"S": "/URI", "URI": pydyf.String(quote(link.to, safe=_SAFE))})
        else:
            x, y = (number(link.to[0] * scale), number((page.height - link.to[1]) * scale))
            annotation["Dest"] = pydyf.Array([sheet, "/XYZ", x, y, "null"])
        yield _added(document, annotation)


def _font(document: "PDF", face: PdfFont) -> bytes:
    """Embed a font; returns the reference to it."""
    pydyf = extras.load("pydyf", "pdf")
    name = f"/ACDLMK+{face.name}"
    program = face.program()
    file = _added(document, pydyf.Stream([program], {"Length1": len(program)}, compress=True))
    to_unicode = _added(document, pydyf.Stream([face.character_map()], compress=True))
    descriptor = {
        "Type": "/FontDescriptor",
        "FontName": name,
        "Flags": _SYMBOLIC,
        "FontBBox": pydyf.Array(BOX),
        "ItalicAngle": 0,
        "Ascent": ASCENT,
        "Descent": DESCENT,
        "CapHeight": CAP_HEIGHT,
        "StemV": _STEM,
        "FontFile2": file,
    }
    whole = {
        "Type": "/Font",
        "Subtype": "/Type0",
        "BaseFont": name,
        "Encoding": "/Identity-H",
        "DescendantFonts": pydyf.Array([_characters(document, face, descriptor)]),
        "ToUnicode": to_unicode,
    }
    return _added(document, pydyf.Dictionary(whole))


def _characters(document: "PDF", face: PdfFont, descriptor: dict[str, object]) -> bytes:
    """The part of a font that says how wide its characters are; returns the reference to it."""
    pydyf = extras.load("pydyf", "pdf")
    system = {"Registry": pydyf.String("Adobe"), "Ordering": pydyf.String("Identity"), "Supplement": 0}
    part = {
        "Type": "/Font",
        "Subtype": "/CIDFontType2",
        "BaseFont": descriptor["FontName"],
        "CIDSystemInfo": pydyf.Dictionary(system),
        "FontDescriptor": _added(document, pydyf.Dictionary(descriptor)),
        "DW": COLUMN,
        "W": pydyf.Array([1, pydyf.Array(face.widths())]),
        "CIDToGIDMap": "/Identity",
    }
    return _added(document, pydyf.Dictionary(part))


def _added(document: "PDF", part: "Object") -> bytes:
    """Put an object into a document; returns the reference to it."""
    document.add_object(part)
    reference: bytes = part.reference
    return reference

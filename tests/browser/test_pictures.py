"""PNG and PDF look like the SVG in a browser that has the same font."""

import base64
import struct
import zlib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from exhaustive import few

from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.describe import describe
from acdl_mkdocs.drawing.figure.theme import PAGES, Theme
from acdl_mkdocs.drawing.formats import OUTPUTS, PICTURES
from acdl_mkdocs.drawing.formats.options import OutputOptions, ThemeName
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DENSITY = 2
MARGIN = Theme().ground_margin
MAX_MEAN, MAX_SHARE = 0.006, 0.001
"""How far colours may be apart on average (of 1), and the part of the pixels that may be of clearly another colour."""
COMPARE = """
async (urls) => {
  const [first, second] = await Promise.all(urls.map(async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
    canvas.drawImage(image, 0, 0);
    return canvas.getImageData(0, 0, image.width, image.height);
  }));
  let sum = 0, far = 0;
  const width = Math.min(first.width, second.width), height = Math.min(first.height, second.height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    let largest = 0;
    for (let part = 0; part < 3; part++) {
      const one = first.data[(y * first.width + x) * 4 + part];
      const apart = Math.abs(one - second.data[(y * second.width + x) * 4 + part]);
      sum += apart / 255 / 3;
      largest = Math.max(largest, apart);
    }
    far += largest > 128;
  }
  return [Math.abs(first.width - second.width), Math.abs(first.height - second.height),
    sum / width / height, far / width / height];
}
"""


EXAMPLES = Path(__file__).parents[2] / "examples"


def figure_of(name: str) -> Box:
    """The boxes of an example."""
    return describe(parse_and_resolve(Source((EXAMPLES / f"{name}.acdl").read_text("utf-8"))).resolved)


@pytest.fixture(scope="module")
def page(browser: "Browser") -> Iterator["Page"]:
    """A page with as many pixels for a px as the pictures have."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, device_scale_factor=DENSITY)
    yield context.new_page()
    context.close()


def shown(page: "Page", figure: Box, theme: ThemeName, margin: float = 0) -> bytes:
    """A figure as the browser draws it, as PNG."""
    svg = OUTPUTS["svg"](figure, OutputOptions(theme=theme))
    framed = f'<div style="width: max-content; padding: {margin}px">{svg}</div>'
    page.set_content(f'<!doctype html><body style="margin: 0; background: {PAGES[theme]}">{framed}</body>')
    page.locator("svg").evaluate("element => { element.style.display = 'block'; }")
    return page.locator("div").screenshot()


def as_png(width: int, height: int, rgb: bytes) -> bytes:
    """Pixels as a PNG."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + rgb[at : at + width * 3] for at in range(0, len(rgb), width * 3))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def pixels_of_pdf(pdf: bytes) -> bytes:
    """The page of a PDF as PNG, as a program for PDF draws it."""
    import pypdfium2

    bitmap = pypdfium2.PdfDocument(pdf)[0].render(scale=DENSITY / 0.75, rev_byteorder=True)
    step = bitmap.n_channels
    rows = [
        bytes(bitmap.buffer[y * bitmap.stride : y * bitmap.stride + bitmap.width * step]) for y in range(bitmap.height)
    ]
    pixels = b"".join(rows)
    rgb = bytearray(bitmap.width * bitmap.height * 3)
    for part in range(3):
        rgb[part::3] = pixels[part::step]
    return as_png(bitmap.width, bitmap.height, bytes(rgb))


def assert_alike(page: "Page", first: bytes, second: bytes) -> None:
    """Two pictures show the same, but for the edges of letters."""
    urls = [f"data:image/png;base64,{base64.b64encode(png).decode()}" for png in (first, second)]
    across, down, mean, share = page.evaluate(COMPARE, urls)
    assert (across <= 1, down <= 1, mean <= MAX_MEAN, share <= MAX_SHARE) == (True,) * 4, (across, down, mean, share)


@pytest.mark.parametrize("browser", ["preferred"], indirect=True)
@pytest.mark.parametrize(
    ("name", "theme"), few(product(["tool-agent-fragments", "openclaw", "pokemon"], ["light", "dark"]), 2)
)
def test_pictures_look_like_the_figure(page: "Page", name: str, theme: ThemeName) -> None:
    """Shapes, colours and every letter are where the browser has them."""
    figure, options = figure_of(name), OutputOptions(theme=theme, scale=DENSITY)
    assert_alike(page, shown(page, figure, theme, MARGIN), PICTURES["png"](figure, options))
    assert_alike(page, shown(page, figure, theme), pixels_of_pdf(PICTURES["pdf"](figure, options)))


@pytest.mark.parametrize("browser", ["preferred"], indirect=True)
def test_a_difference_would_be_noticed(page: "Page") -> None:
    """The comparison fails where one word is another of the same length."""
    figure = figure_of("rag")
    assert_alike(page, shown(page, figure, "light", MARGIN), PICTURES["png"](figure, OutputOptions(scale=DENSITY)))
    text = (EXAMPLES / "rag.acdl").read_text("utf-8").replace("ANSWER_Q_FROM_DOCS", "REPEAT_I_WHAT_DOES")
    browsers = shown(page, describe(parse_and_resolve(Source(text)).resolved), "light", MARGIN)
    with pytest.raises(AssertionError):
        assert_alike(page, browsers, PICTURES["png"](figure, OutputOptions(scale=DENSITY)))

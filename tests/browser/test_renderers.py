"""Text of figures as other programs draw it: every letter is in its column, whoever draws.

Programs that are not installed are skipped; `make renderers` installs those that PyPI has. Pictures are compared with
the layout: each character has a cell, with ink in it or, for a blank, without, and there is no ink outside the cells.
"""

import base64
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import figure_samples as samples
import pytest

from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.describe import describe
from acdl_mkdocs.drawing.figure.layout import layout
from acdl_mkdocs.drawing.figure.scene import Group, Piece, Scene, Text
from acdl_mkdocs.drawing.figure.theme import Theme
from acdl_mkdocs.drawing.formats import OUTPUTS, PICTURES, fonts
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DENSITY = 2
DARK = 150
RISE, FALL = 11, 4
"""From the baseline to the top and the bottom of what letters reach, in px."""
EDGE, STRAY = 1.5, 2.5
"""How far the ink of a letter may be from the edge of its cell: inside where there must be some, outside where not."""
THEME = Theme()
ARGUMENTS = """Agent[@T]: {
    U: { // a comment, which is slanted
        search(env.query[@T], "value", 5, "other", @T-1, "x")
        Name a := rerank(search(env.query[@T], k=5), "fast", 0.5)
        If(sys.tool[@T] == "search" & env.x[@T] != "b") { sys.a[@T] }
        ForEach(i: range(1, $a.len)) { $a[i].source }
    }
}
"""


def _figure(text: str) -> Box:
    return describe(parse_and_resolve(Source(text)).resolved)


FIGURES = {"arguments": _figure(ARGUMENTS), "typical": samples.TYPICAL}


class Picture(NamedTuple):
    """Brightness of pixels, row by row."""

    rows: list[bytearray]

    def has_ink(self, left: float, right: float, top: float, bottom: float) -> bool:
        """Whether anything dark is in a rectangle, in px of the figure."""
        columns = slice(round(left * DENSITY), round(right * DENSITY))
        return any(min(row[columns], default=255) < DARK for row in self._rows(top, bottom))

    def clear(self, left: float, right: float, top: float, bottom: float) -> None:
        """Make a rectangle white."""
        columns = slice(max(round(left * DENSITY), 0), round(right * DENSITY))
        for row in self._rows(top, bottom):
            row[columns] = b"\xff" * len(row[columns])

    def _rows(self, top: float, bottom: float) -> list[bytearray]:
        return self.rows[max(round(top * DENSITY), 0) : round(bottom * DENSITY)]


class Drawing(NamedTuple):
    """What a program is to draw."""

    svg: Path
    scene: Scene
    page: "Page"


def picture_of(data: bytes, page: "Page") -> Picture:
    """The pixels of a PDF or PNG, of which one channel is enough, as all ink is black."""
    if data.startswith(b"%PDF"):
        import pypdfium2

        bitmap = pypdfium2.PdfDocument(data)[0].render(scale=DENSITY / 0.75, grayscale=True)
        pixels, width, stride, step = bytes(bitmap.buffer), bitmap.width, bitmap.stride, bitmap.n_channels
    else:
        encoded, width = page.evaluate(PIXELS, f"data:image/png;base64,{base64.b64encode(data).decode()}")
        pixels, stride, step = base64.b64decode(encoded), width, 1
    return Picture([bytearray(pixels[at : at + width * step : step]) for at in range(0, len(pixels), stride)])


PIXELS = """async (url) => {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
  canvas.drawImage(image, 0, 0);
  const {data, width, height} = canvas.getImageData(0, 0, image.width, image.height);
  let text = "";
  for (let at = 0; at < data.length; at += 4) text += String.fromCharCode(data[at]);
  return [btoa(text), width];
}"""


def _program(*names: str) -> str:
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip(f"{names[0]} is not installed")
    return found


def _run(*command: str | Path) -> None:
    ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr


def _chromium(drawing: Drawing) -> bytes:
    page, scene = drawing.page, drawing.scene
    page.set_viewport_size({"width": round(scene.width), "height": round(scene.height)})
    page.goto(drawing.svg.as_uri())
    return page.screenshot()


def _firefox(drawing: Drawing) -> bytes:
    program, folder = _program("firefox-esr", "firefox"), drawing.svg.parent
    width, height = round(drawing.scene.width * DENSITY), round(drawing.scene.height * DENSITY)
    html, png, profile = folder / "figure.html", folder / "figure.png", folder / "profile"
    profile.mkdir()
    html.write_text(f'<!doctype html><body style="margin: 0"><img src="figure.svg" width="{width}">', "utf-8")
    size = f"--window-size={width},{height}"
    _run(program, "--headless", "--no-remote", "--profile", profile, size, "--screenshot", png, html.as_uri())
    return png.read_bytes()


def _resvg(drawing: Drawing) -> bytes:
    resvg = pytest.importorskip("resvg_py")
    pixels: bytes = resvg.svg_to_bytes(
        svg_string=drawing.svg.read_text("utf-8"),
        background="white",
        zoom=DENSITY,
        skip_system_fonts=True,
        font_files=[str(fonts.font_path(face)) for face in fonts.FACES],
        monospace_family=fonts.FAMILY,
    )
    return pixels


def _rsvg(drawing: Drawing) -> bytes:
    return _convert(drawing, _program("rsvg-convert"), "--format", "pdf")


def _cairosvg(drawing: Drawing) -> bytes:
    png = drawing.svg.with_suffix(".png")
    _run(_program("cairosvg"), drawing.svg, "-o", png, "-s", str(DENSITY), "-b", "white")
    return png.read_bytes()


def _inkscape(drawing: Drawing) -> bytes:
    return _convert(drawing, _program("inkscape"))


def _convert(drawing: Drawing, *command: str) -> bytes:
    pdf = drawing.svg.with_suffix(".pdf")
    _run(*command, drawing.svg, "-o", pdf)
    return pdf.read_bytes()


def _weasyprint_image(drawing: Drawing) -> bytes:
    return _weasyprint(drawing, '<img src="figure.svg">')


def _weasyprint_inline(drawing: Drawing) -> bytes:
    return _weasyprint(drawing, drawing.svg.read_text("utf-8"))


def _weasyprint(drawing: Drawing, body: str) -> bytes:
    html, pdf = drawing.svg.with_suffix(".html"), drawing.svg.with_suffix(".pdf")
    sheet = f"@page {{ size: {drawing.scene.width}px {drawing.scene.height}px; margin: 0 }} body {{ margin: 0 }}"
    html.write_text(f"<!doctype html><meta charset=utf-8><style>{sheet} img, svg {{ display: block }}</style>{body}")
    _run(_program("weasyprint"), html, pdf)
    return pdf.read_bytes()


RENDERERS: dict[str, Callable[[Drawing], bytes]] = {
    "chromium": _chromium,
    "firefox": _firefox,
    "resvg": _resvg,
    "rsvg": _rsvg,
    "cairosvg": _cairosvg,
    "inkscape": _inkscape,
    "weasyprint-image": _weasyprint_image,
    "weasyprint-inline": _weasyprint_inline,
}


@pytest.fixture(scope="module")
def page(browser: "Browser") -> Iterator["Page"]:
    """A page with as many pixels for a px as the pictures have."""
    context = browser.new_context(device_scale_factor=DENSITY)
    yield context.new_page()
    context.close()


def _pieces(scene: Scene) -> Iterator[Piece]:
    pending = [scene.root]
    while pending:
        for item in pending.pop().items:
            if isinstance(item, Group):
                pending.append(item)
            elif isinstance(item, Text):
                yield from item.pieces


def _only_text(svg: str) -> str:
    """A figure without its shapes, all text black."""
    return re.sub(r'fill="#\w+"', 'fill="#000"', re.sub("<path [^>]*/>", "", svg))


def misplaced(picture: Picture, scene: Scene) -> list[str]:
    """The characters that are not in their cells, and whether there is ink elsewhere."""
    found = []
    cells = []
    for piece in _pieces(scene):
        text, column = "".join(run.text for run in piece.runs), THEME.column_width(piece.is_small)
        top, bottom = piece.y - RISE, piece.y + FALL
        for number, character in enumerate(text):
            left = piece.x + number * column
            cells.append((left - STRAY, left + column + STRAY, top - STRAY, bottom + STRAY))
            if picture.has_ink(left + EDGE, left + column - EDGE, top, bottom) == (character == " "):
                found.append(f"{character!r} of {text!r}")
    for cell in cells:
        picture.clear(*cell)
    if any(min(row) < DARK for row in picture.rows):
        found.append("ink outside of all cells")
    return found


def _misplaced_by(renderer: str, figure: Box, svg: str, folder: Path, page: "Page") -> list[str]:
    path, scene = folder / "figure.svg", layout(figure, THEME)
    path.write_text(_only_text(svg), "utf-8")
    return misplaced(picture_of(RENDERERS[renderer](Drawing(path, scene, page)), page), scene)


@pytest.mark.parametrize("browser", ["preferred"], indirect=True)
@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("renderer", RENDERERS)
def test_every_character_is_in_its_column(renderer: str, name: str, page: "Page", tmp_path: Path) -> None:
    """Letters are where the layout wants them, blanks are kept, and nothing is lost."""
    figure = FIGURES[name]
    svg = OUTPUTS["svg"](figure, OutputOptions(theme="light"))
    assert _misplaced_by(renderer, figure, svg, tmp_path, page) == []


@pytest.mark.parametrize("browser", ["preferred"], indirect=True)
@pytest.mark.parametrize(
    ("old", "new"),
    [("ROLE: USER", "ROLE:USER"), ("<tspan>,</tspan>", ""), ('x="27"', 'x="27" letter-spacing="1"'), (">@T<", ">@<")],
)
def test_a_fault_is_noticed(old: str, new: str, page: "Page", tmp_path: Path) -> None:
    """A blank or a comma that a program drops, letters that are spread or lost: each fails the comparison."""
    figure = FIGURES["arguments"]
    svg = OUTPUTS["svg"](figure, OutputOptions(theme="light"))
    assert old in svg
    assert _misplaced_by("resvg", figure, svg.replace(old, new, 1), tmp_path, page)


def _paper(language: str, figure: Box, folder: Path) -> Path:
    """The paper that the documentation shows, in a folder with the figure that it names."""
    shown = Path("site_src/write/pictures.md").read_text("utf-8")
    (text,) = re.findall(rf"^```{language}\n(.*?)^```$", shown, re.DOTALL | re.MULTILINE)
    (folder / "agent.svg").write_text(OUTPUTS["svg"](figure, OutputOptions()), "utf-8")
    (folder / "agent.pdf").write_bytes(PICTURES["pdf"](figure, OutputOptions()))
    paper = folder / f"paper.{language}"
    paper.write_text(text, "utf-8")
    return paper


def _latex(paper: Path) -> None:
    halting = ("-interaction=nonstopmode", "-halt-on-error")
    _run(_program("pdflatex"), *halting, f"-output-directory={paper.parent}", f"-jobname={paper.stem}", paper)


def _typst(paper: Path) -> None:
    python = Path(_program("weasyprint")).with_name("python")  # of the environment that `make renderers` makes
    code = "import sys, typst; typst.compile(sys.argv[1], output=sys.argv[2])"
    if subprocess.run((python, "-c", "import typst"), capture_output=True).returncode:
        pytest.skip("typst is not installed")
    _run(python, "-c", code, paper, paper.with_suffix(".pdf"))


@pytest.mark.parametrize("n_copies", [1, 30])
@pytest.mark.parametrize(("language", "compiled"), [("latex", _latex), ("typst", _typst)])
def test_papers(
    language: str, compiled: Callable[[Path], None], n_copies: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A figure is on the one page of a paper, with words that can be copied, also if it is larger than the page."""
    pypdfium2 = pytest.importorskip("pypdfium2")
    figure = _figure("\n".join([ARGUMENTS] * n_copies))
    paper = _paper(language, figure, tmp_path)
    monkeypatch.setenv("TEXINPUTS", f"{tmp_path}:")
    compiled(paper)
    document = pypdfium2.PdfDocument(paper.with_suffix(".pdf"))
    assert len(document) == 1
    text = document[0].get_textpage()
    assert text.get_text_range().count("rerank") == n_copies
    width, height = document[0].get_size()
    boxes = [text.get_charbox(at) for at in range(text.count_chars())]
    assert all(box[0] >= 0 and box[2] <= width and box[1] >= 0 and box[3] <= height for box in boxes)

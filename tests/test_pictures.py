"""PNG and PDF: the same figure as the SVG, on any machine, with text that is really there."""

import os
import re
import struct
import subprocess
import sys
import warnings
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from io import BytesIO
from math import ceil
from pathlib import Path
from types import ModuleType

import figure_samples as samples
import pytest
from exhaustive import exhaustive, few
from pypdf import PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, StreamObject

from acdl_mkdocs import OutputOptions, render
from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.describe import describe
from acdl_mkdocs.drawing.figure.layout import layout
from acdl_mkdocs.drawing.figure.scene import Group, Item, Scene, Text
from acdl_mkdocs.drawing.figure.theme import Theme
from acdl_mkdocs.drawing.formats import PICTURES, fonts
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.errors import FontWarning, MissingExtraError, TooLargeError, UnusableFontError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse

TESTS = Path(__file__).parent
EXAMPLES = sorted((TESTS.parent / "examples").glob("*.acdl"))
CHAT = "Chat[@T]: { // why\n  S: INSTRUCTIONS\n  U: env.first_question[@T]\n}\n"
LINKED = "P[@T]: { U: { Frag F[@T] // <- src/agent.py:7\n } }\nStrFrag F[@t]: { TEXT }\n"
CHINESE = "Chat[@T]: {\n  U: env.q[@T] // 中文 and 日本\n}\n"


def example_figure(path: Path) -> Box:
    """The boxes of an example file."""
    return describe(analyse(Source(path.read_text("utf-8"), path.name), Config()).resolved)


def scene_of(figure: Box) -> Scene:
    """The figure with places, as wide as by default."""
    return layout(figure, Theme(), None)


MARGINS = 2 * Theme().ground_margin
"""Of a PNG on both sides together."""


def size_of(png: bytes) -> tuple[int, int]:
    """Width and height in pixels."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def pixels_of(png: bytes) -> bytes:
    """The compressed pixels of a PNG, decompressed: the same bytes mean the same picture."""
    at, data = 8, b""
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += length + 12
    return zlib.decompress(data)


def lines_of(group: Group) -> list[str]:
    """What a reader would copy from a figure, statement by statement."""
    lines: list[str] = []
    pending: list[Item] = [group]
    while pending:
        item = pending.pop()
        if isinstance(item, Group):
            pending.extend(reversed(item.items))
        elif isinstance(item, Text):
            lines.append("".join(piece.space + "".join(run.text for run in piece.runs) for piece in item.pieces))
    return lines


def reader(pdf: bytes) -> PdfReader:
    """A PDF, read strictly."""
    return PdfReader(BytesIO(pdf), strict=True)


def object_of(value: object) -> DictionaryObject:
    """A dictionary of a PDF, or the one that a reference leads to."""
    found = value.get_object() if isinstance(value, IndirectObject) else value
    assert isinstance(found, DictionaryObject)
    return found


def array_of(value: object) -> list[object]:
    """An array of a PDF, with what its references lead to."""
    found = value.get_object() if isinstance(value, IndirectObject) else value
    assert isinstance(found, ArrayObject)
    return [each.get_object() for each in found]


def font_files(pdf: bytes) -> dict[str, bytes]:
    """The programs of all fonts of a PDF."""
    found: dict[str, bytes] = {}
    for font in object_of(object_of(reader(pdf).pages[0]["/Resources"])["/Font"]).values():
        (descendant,) = array_of(object_of(font)["/DescendantFonts"])
        program = object_of(object_of(object_of(descendant)["/FontDescriptor"])["/FontFile2"])
        assert isinstance(program, StreamObject)
        found[str(object_of(font)["/BaseFont"])] = program.get_data()
    return found


@pytest.mark.parametrize("path", few(EXAMPLES, 3), ids=lambda path: path.stem)
def test_png_of_every_example(path: Path) -> None:
    """Each has two pixels for a px and says so, and a margin."""
    png = render(path, "png")
    scene = scene_of(example_figure(path))
    assert size_of(png) == (ceil(scene.width + MARGINS) * 2, ceil(scene.height + MARGINS) * 2)
    per_metre, _, unit = struct.unpack(">IIB", png.partition(b"pHYs")[2][:9])
    assert (round(per_metre * 0.0254), unit) == (192, 1)


@pytest.mark.parametrize("path", few(EXAMPLES, 3), ids=lambda path: path.stem)
def test_pdf_of_every_example(path: Path) -> None:
    """Each is a page of the figure's size with all of its text in reading order, and nothing else."""
    figure = example_figure(path)
    page = reader(PICTURES["pdf"](figure, OutputOptions())).pages[0]
    scene = scene_of(figure)
    assert float(page.mediabox.width) == pytest.approx(scene.width * 0.75, abs=0.01)
    assert float(page.mediabox.height) == pytest.approx(scene.height * 0.75, abs=0.01)
    expected = "".join(lines_of(scene.root))
    assert re.sub(r"\s", "", page.extract_text()) == re.sub(r"\s", "", expected)


def test_words_of_a_pdf_are_words() -> None:
    """Copied lines are those of the figure, with blanks where it has some."""
    text = reader(render(CHAT, "pdf")).pages[0].extract_text()
    assert text.splitlines() == [
        "Chat[@T]: // why",
        "ROLE: SYSTEM",
        "INSTRUCTIONS",
        "ROLE: USER",
        "env.first_question[@T]",
    ]
    assert "NAMES[a, b, c] // d" in reader(render("U: NAMES[a, b, c] // d", "pdf")).pages[0].extract_text()


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize(
    "figure",
    few([samples.EVERYTHING, samples.CROWDED, samples.figure(), samples.nested(60), samples.nested_pills(60)], 4),
    ids=["everything", "crowded", "empty", "boxes", "pills"],
)
@pytest.mark.filterwarnings("ignore::acdl_mkdocs.foundation.errors.FontWarning")
def test_every_figure(name: str, figure: Box) -> None:
    """Also odd figures can be written, in both themes, twice the same."""
    for options in (OutputOptions(), OutputOptions(theme="dark")):
        written = PICTURES[name](figure, options)
        assert written == PICTURES[name](figure, options)
        assert written.startswith((b"\x89PNG", b"%PDF-1.7"))


@pytest.mark.parametrize("name", PICTURES)
def test_same_bytes_whatever_the_hash_seed(name: str) -> None:
    """Another process with another hash seed, folder and time zone writes the same."""
    code = f"import sys, acdl_mkdocs; sys.stdout.buffer.write(acdl_mkdocs.render(sys.argv[1], {name!r}))"
    for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone}
        ran = subprocess.run([sys.executable, "-c", code, CHAT], capture_output=True, check=True, env=environment)
        assert ran.stdout == render(CHAT, "png" if name == "png" else "pdf")


def test_text_of_a_png_is_there() -> None:
    """Another word of the same length is another picture of the same size."""
    one, other = render(CHAT, "png"), render(CHAT.replace("question", "quartion"), "png")
    assert size_of(one) == size_of(other)
    assert pixels_of(one) != pixels_of(other)
    blank = render(CHAT.replace("INSTRUCTIONS", "I___________"), "png")
    assert pixels_of(blank) != pixels_of(one)


def test_themes() -> None:
    """`auto` is light; dark has a dark page, which no other theme has."""
    light, dark = (render(CHAT, "png", options=OutputOptions(theme=theme)) for theme in ("light", "dark"))
    assert render(CHAT, "png") == light
    assert pixels_of(light) != pixels_of(dark)
    contents = {
        theme: reader(render(CHAT, "pdf", options=OutputOptions(theme=theme))).pages[0].get_contents()
        for theme in ("auto", "light", "dark")
    }
    streams = {theme: content.get_data() for theme, content in contents.items() if content is not None}
    assert streams["auto"] == streams["light"]
    assert b" re" in streams["dark"]
    assert b" re" not in streams["light"]


@pytest.mark.parametrize("scale", [0.25, 1, 1.5, 8])
def test_scale(scale: float) -> None:
    """Any density gives the size that it says."""
    scene = scene_of(describe(analyse(Source(CHAT), Config()).resolved))
    width, height = size_of(render(CHAT, "png", options=OutputOptions(scale=scale)))
    expected = [(scene.width + MARGINS) * scale, (scene.height + MARGINS) * scale]
    assert [width, height] == pytest.approx(expected, abs=1)


@pytest.mark.parametrize("scale", [0, 0.2, 9, float("nan"), -1])
def test_impossible_scale(scale: float) -> None:
    """A scale that no picture can have is refused with what is possible."""
    with pytest.raises(ValueError, match=r"`scale` cannot be .*: expected a number from 0\.25 to 8"):
        OutputOptions(scale=scale)


def test_unknown_theme() -> None:
    """A theme that does not exist is refused, and not drawn as the light one."""
    with pytest.raises(ValueError, match=r"`theme` cannot be 'drak': expected one of auto, light, dark"):
        OutputOptions(theme="drak")  # type: ignore[arg-type]


def test_width() -> None:
    """A narrow figure is narrow in pixels and points too."""
    narrow = OutputOptions(width_px=200)
    assert size_of(render(CHAT, "png", options=narrow))[0] < size_of(render(CHAT, "png"))[0]
    assert reader(render(CHAT, "pdf", options=narrow)).pages[0].mediabox.width < 160


def test_fonts_are_embedded() -> None:
    """A PDF has the characters that it shows, in the faces that it uses, and no other."""
    programs = font_files(render(CHAT, "pdf"))
    assert sorted(name.rpartition("-")[2] for name in programs) == ["Bold", "Italic", "Regular"]
    assert all(program.startswith(b"\x00\x01\x00\x00") for program in programs.values())
    assert all(len(program) < 12_000 for program in programs.values())
    assert len(font_files(render("U: env.q", "pdf"))) == 2


def test_links_of_a_pdf() -> None:
    """A fragment in use leads to its definition on the page, a citation to the repository."""
    pdf = render(LINKED, "pdf", options=OutputOptions(source_url="https://example.org/röt/blob/main"))
    annotations = [object_of(each) for each in array_of(reader(pdf).pages[0]["/Annots"])]
    inner = [array_of(each["/Dest"]) for each in annotations if "/Dest" in each]
    outer = [str(object_of(each["/A"])["/URI"]) for each in annotations if "/A" in each]
    assert [place[1] for place in inner] == ["/XYZ"]
    assert outer == ["https://example.org/r%C3%B6t/blob/main/src/agent.py#L7"]
    assert "/Annots" not in reader(render(LINKED.replace("F[@T]", "G[@T]").split("<-")[0] + "\n } }", "pdf")).pages[0]


def test_title_of_a_pdf() -> None:
    """The window of a reader shows what the figure is called; nothing tells when it was made."""
    written = reader(render(CHAT, "pdf", options=OutputOptions(title="Über α")))
    assert written.metadata == {"/Title": "Über α"}


@exhaustive
def test_very_long_figures() -> None:
    """A page longer than programs can open has a larger unit; a picture of too many pixels is refused with a cure."""
    text = "P[@T]: {\n" + "  U: env.q[@T]\n" * 700 + "}\n"
    page = reader(render(text, "pdf")).pages[0]
    scene = scene_of(describe(analyse(Source(text), Config()).resolved))
    assert page.mediabox.height <= 14_400
    assert float(page.mediabox.height) * page.user_unit == pytest.approx(scene.height * 0.75, rel=0.001)
    with pytest.raises(TooLargeError, match=r"\d+ x \d+ pixels: .*--scale 1"):
        render(text * 2, "png", options=OutputOptions(scale=8))


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_deep_figures(name: str) -> None:
    """As many levels as the language has, drawn in a thread, whose stack is small: no program crashes."""
    depth = 290
    text = "P[@T]: { " + "If (env.x) { " * depth + "U: HI" + " }" * depth + " }"
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(render, text, name, options=OutputOptions(scale=0.5)).result()


@pytest.mark.parametrize("name", PICTURES)
def test_missing_characters_are_named(name: str) -> None:
    """What no font has is a box, and is said with what to do; the font of the package has all signs of Europe."""
    with pytest.warns(FontWarning, match=r"no font has 中 \(U\+4E2D\), 文 .*: name a font file that has them"):
        written = PICTURES[name](describe(analyse(Source(CHINESE), Config()).resolved), OutputOptions())
    assert written
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        render(CHAT.replace("why", "αβ ≤ → ✓ cafe\u0301 “”…"), "png" if name == "png" else "pdf")


def test_text_of_a_pdf_survives_missing_characters() -> None:
    """What is drawn as boxes is copied as it was written."""
    with pytest.warns(FontWarning):
        pdf = render(CHINESE, "pdf")
    assert "// 中文 and 日本" in reader(pdf).pages[0].extract_text()


@pytest.mark.parametrize("name", PICTURES)
def test_named_fonts(name: str, font_with_chinese: str) -> None:
    """A font that has the characters draws them, and nothing is said."""
    figure = describe(analyse(Source(CHINESE), Config()).resolved)
    with pytest.warns(FontWarning):
        boxes = PICTURES[name](figure, OutputOptions())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = PICTURES[name](figure, OutputOptions(fonts=(font_with_chinese,)))
    assert drawn != boxes
    if name == "png":
        assert size_of(drawn) == size_of(boxes)


@pytest.mark.filterwarnings("ignore:no font has")
def test_right_to_left_text_is_said() -> None:
    """A PDF has no letters that join; who wants them is told where they are, even if no font has them."""
    with pytest.warns(FontWarning, match="letter by letter"):
        render("U: A // שלום", "pdf")


@pytest.mark.parametrize("name", PICTURES)
def test_unusable_fonts(name: str, tmp_path: Path) -> None:
    """A file that is not a font is named, and so is one that is not there."""
    (tmp_path / "x.ttf").write_text("no font")
    figure = describe(analyse(Source(CHAT), Config()).resolved)
    with pytest.raises(UnusableFontError, match=r"x\.ttf: is not a font"):
        PICTURES[name](figure, OutputOptions(fonts=(str(tmp_path / "x.ttf"),)))
    with pytest.raises(UnusableFontError, match=r"y\.ttf: cannot be read as a font: no such file"):
        PICTURES[name](figure, OutputOptions(fonts=(str(tmp_path / "y.ttf"),)))


class _Hidden(MetaPathFinder):
    """Makes packages look as if they were not installed."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Refuse the hidden packages; others are found by whoever comes next."""
        del path, target
        if fullname.partition(".")[0] in self._names:
            raise ModuleNotFoundError(f"No module named '{fullname}'", name=fullname)
        return None


@pytest.mark.parametrize(
    ("name", "package"), [("png", "resvg_py"), ("pdf", "pydyf"), ("png", "fontTools"), ("pdf", "fontTools")]
)
def test_missing_extra(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its packages, a format says which command installs them; others work."""
    fonts._read_font.cache_clear()
    monkeypatch.setattr(sys, "meta_path", [_Hidden(package), *sys.meta_path])
    for module in [each for each in sys.modules if each.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    figure = describe(analyse(Source(CHAT), Config()).resolved)
    with pytest.raises(MissingExtraError, match=rf"{package}.*pip install 'acdl-mkdocs\[{name}\]'"):
        PICTURES[name](figure, OutputOptions())
    assert render(CHAT).startswith("<svg")


def test_deep_nesting() -> None:
    """A spec as deep as specs can be is drawn; in a process of its own, which groups in groups would end."""
    code = (
        "import acdl_mkdocs; n = 295; text = 'U: { ' + 'If env.a { ' * n + 'AA ' + '} ' * n + '}';"
        "print(acdl_mkdocs.render(text, 'png')[1:4])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "b'PNG'"


def test_text_formats_need_no_extra() -> None:
    """Neither the package nor its text formats import what draws pictures."""
    code = (
        "import sys, acdl_mkdocs; [acdl_mkdocs.render('U: env.q', name) for name in ('svg', 'text', 'html', 'json')];"
        "print([name for name in sys.modules if name in ('resvg_py', 'pydyf', 'fontTools')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_bundled_fonts() -> None:
    """Each face has the advance that figures are measured with, draws all of ASCII, and has its licence beside it."""
    for face in fonts.FACES:
        typeface = fonts.Typeface([fonts.font_path(face)], "pdf")
        for code in range(0x20, 0x7F):
            glyph = typeface.find_glyph(chr(code))
            assert glyph
            assert glyph.advance / glyph.units_per_em == Theme().column_em
    licence = fonts.font_path("Regular").with_name("JetBrainsMono-OFL.txt").read_text("utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence

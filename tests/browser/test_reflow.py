"""Figures in the column of a phone: laid out for it, not shrunk or scrolled."""

import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import pytest
from chromium import FONTS
from exhaustive import few

from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.describe import describe
from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ASSETS = files("acdl_mkdocs") / "assets"
SYSTEMS = sorted((Path(__file__).parents[2] / "examples").glob("*.acdl"))
MARGIN_PX = 16
LEAST_TEXT_PX = 12
OPEN_INDEX = re.compile(r"\w\[[^\[\]]*$")
"""A line that ends inside the index of a name."""

with_any_fonts = pytest.mark.parametrize("browser", few(FONTS), indirect=True, scope="module")


class Seen(TypedDict):
    """What a reader sees of a figure."""

    name: str
    overflow: int
    """How far it scrolls sideways."""
    n_drawings: int
    least: float
    """The size of the smallest text on the screen."""
    lines: list[str]
    """The words on each baseline."""


SEEN = """() => [...document.querySelectorAll("figure.acdl")].map((figure) => {
  const frame = figure.querySelector(".acdl-figure");
  const shown = [...frame.querySelectorAll("svg")].filter((svg) =>
    svg.getClientRects().length && getComputedStyle(svg).visibility === "visible");
  const [svg] = shown;
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  const sizes = [], lines = new Map();
  for (const node of svg.querySelectorAll("text, tspan")) {
    const words = [...node.childNodes].filter((child) => child.nodeType === 3 && child.textContent.trim());
    if (!words.length) continue;
    sizes.push(parseFloat(getComputedStyle(node).fontSize) * scale);
    const range = document.createRange();
    for (const each of words) {
      range.selectNodeContents(each);
      const { bottom, left } = range.getBoundingClientRect();
      const line = Math.round(bottom / 4);
      lines.set(line, [...(lines.get(line) || []), [left, each.textContent]]);
    }
  }
  return {
    name: figure.id, overflow: frame.scrollWidth - frame.clientWidth, n_drawings: shown.length,
    least: Math.min(...sizes),
    lines: [...lines.values()].map((parts) => parts.sort((a, b) => a[0] - b[0]).map((part) => part[1]).join("")),
  };
})"""


def _figure(path: Path) -> Box:
    return describe(analyse(Source(path.read_text("utf-8"), path.name), Config()).resolved)


def _page_of_systems(*, has_script: bool = False) -> str:
    scripts = ("acdl.js", "acdl-actions.js") if has_script else ()
    script = "".join(f"<script>{(ASSETS / name).read_text('utf-8')}</script>" for name in scripts)
    figures = "".join(
        f'<figure class="acdl" id="{path.stem}"><div class="acdl-figure">'
        + OUTPUTS["svg"](_figure(path), OutputOptions(standalone=False, reflows=True, id_prefix=f"{path.stem}-"))
        + "</div></figure>"
        for path in SYSTEMS
    )
    return (
        '<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<style>body {{ margin: {MARGIN_PX}px }} {(ASSETS / 'acdl.css').read_text('utf-8')}</style></head>"
        f"<body>{figures}{script}</body></html>"
    )


def _open(browser: "Browser", width_px: int, tmp_path: Path, *, has_script: bool = False) -> "Page":
    page = browser.new_page(viewport={"width": width_px + 2 * MARGIN_PX, "height": 700})
    (tmp_path / "systems.html").write_text(_page_of_systems(has_script=has_script), "utf-8")
    page.goto((tmp_path / "systems.html").as_uri())
    return page


@with_any_fonts
@pytest.mark.parametrize("width_px", [328, 358])
def test_systems_fit_a_phone(browser: "Browser", width_px: int, tmp_path: Path) -> None:
    """In the column of a phone no system scrolls sideways, no text is small, and no index is broken."""
    page = _open(browser, width_px, tmp_path)
    seen: list[Seen] = page.evaluate(SEEN)
    assert [figure["name"] for figure in seen] == [path.stem for path in SYSTEMS]
    for figure in seen:
        assert figure["overflow"] <= 0, figure["name"]
        assert figure["n_drawings"] == 1, figure["name"]
        assert figure["least"] >= LEAST_TEXT_PX, figure["name"]
        broken = [line for line in figure["lines"] if OPEN_INDEX.search(line)]
        assert broken == [], figure["name"]
    page.close()


@with_any_fonts
def test_comments_are_below_their_lines(browser: "Browser", tmp_path: Path) -> None:
    """In the column of a phone a comment has lines of its own, beside what it is about where there is room."""
    for width_px, is_beside in ((328, False), (700, True)):
        page = _open(browser, width_px, tmp_path)
        seen: list[Seen] = page.evaluate(SEEN)
        lines = [line for figure in seen for line in figure["lines"]]
        assert any(line.rpartition("//")[0].strip() for line in lines if "//" in line) == is_beside
        page.close()


@with_any_fonts
def test_wide_columns_have_the_wide_drawing(browser: "Browser", tmp_path: Path) -> None:
    """Where the wide drawing fits it is shown, nearly at its size; on paper always."""
    page = _open(browser, 688, tmp_path)
    shown = (
        "() => [...document.querySelectorAll('svg')].filter((svg) => svg.getClientRects().length"
        " && getComputedStyle(svg).visibility === 'visible')"
        ".map((svg) => [svg.matches('.acdl-narrow'), svg.getBoundingClientRect().width / svg.viewBox.baseVal.width])"
    )
    for is_narrow, scale in page.evaluate(shown):
        assert not is_narrow
        assert scale >= 0.96
    page.set_viewport_size({"width": 360, "height": 700})
    assert any(is_narrow for is_narrow, _ in page.evaluate(shown))
    page.emulate_media(media="print")
    assert not any(is_narrow for is_narrow, _ in page.evaluate(shown))
    page.close()


@with_any_fonts
def test_ids_are_there_once(browser: "Browser", tmp_path: Path) -> None:
    """No two elements of a page have one id, and a search in the page finds the words of one drawing only."""
    page = _open(browser, 328, tmp_path)
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((node) => node.id)")
    assert len(ids) == len(set(ids)) > 100
    count = "word => { let n = 0; while (n < 99 && window.find(word, true, false, false)) n += 1; return n; }"
    n_drawn = "\n".join(OUTPUTS["text"](_figure(path), OutputOptions()) for path in SYSTEMS).count("AVAILABLE_TOOLS")
    assert page.evaluate(count, "AVAILABLE_TOOLS") == n_drawn > 1
    page.close()


@with_any_fonts
@pytest.mark.parametrize(("part", "words"), [("mark-1", "sys.tool_requests"), ("foreach-t", "ForEach t")])
def test_links_lead_to_the_drawing_on_the_screen(browser: "Browser", part: str, words: str, tmp_path: Path) -> None:
    """An address of a part of a figure leads to it in the drawing for narrow columns, and frames it."""
    page = _open(browser, 328, tmp_path, has_script=True)
    page.evaluate("part => { location.hash = `opencode-OpenCodeMain-${part}`; }", part)
    page.wait_for_selector(".acdl-aim")
    text, is_seen, outline, is_narrow = page.evaluate(
        "() => { const node = document.querySelector('.acdl-aim'), { top } = node.getBoundingClientRect();"
        " return [node.textContent, top >= 0 && top < innerHeight, getComputedStyle(node).outlineStyle,"
        " node.closest('svg').matches('.acdl-narrow')]; }"
    )
    assert words in text
    assert is_seen
    assert is_narrow
    assert outline == "solid"
    page.evaluate("location.hash = 'rag'")
    page.wait_for_selector(".acdl-aim", state="detached")
    page.close()

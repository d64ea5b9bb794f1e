"""Figures as a reader's browser draws them, whatever its fonts, width and colours."""

from collections.abc import Iterator
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict
from xml.etree import ElementTree

import figure_samples as samples
import pytest
from chromium import FONTS
from exhaustive import each_once, few

from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.describe import describe
from acdl_mkdocs.drawing.figure.layout import layout
from acdl_mkdocs.drawing.figure.scene import Group, Rect, Scene, Text
from acdl_mkdocs.drawing.figure.theme import Theme
from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.syntax.words import Run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ASSETS = files("acdl_mkdocs") / "assets"
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.acdl"))
SMALLEST_PX = 9
STRAY_PX = 1.5
"""Side bearings of an italic may reach this far out of a text's own width."""

OTHER_FONTS = 0.02
"""How much wider a text may be if some of its characters come from another font."""


class DrawnText(TypedDict):
    """A run of text on one line, in px of the figure."""

    text: str
    x: float
    y: float
    right: float
    begin: float
    """Where it was told to begin; a letter may reach out to the left."""
    size: float


def _example(path: Path) -> Box:
    return describe(analyse(Source(path.read_text("utf-8"), path.name), Config()).resolved)


FIGURES: dict[str, Box | Path] = {
    "everything": samples.EVERYTHING,
    "crowded": samples.CROWDED,
    "nested": samples.nested(12),
    **{path.stem: path for path in EXAMPLES},
}


SCREENS = [(360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")]
"""As wide as a phone or a screen, in a colour scheme."""
everywhere = pytest.mark.parametrize(
    ("browser", "page", "figure"),
    [*each_once(FONTS, SCREENS, ["everything"]), *few(product(FONTS, SCREENS, [*FIGURES][1:]), 4)],
    indirect=True,
    ids=str,
    scope="module",
)
"""One figure has all that figures have, and is drawn with each font and on each screen; four others on a phone, or with
`--all` all of them with all fonts on all screens."""
with_any_fonts = pytest.mark.parametrize("browser", few(FONTS), indirect=True, scope="module")
"""What is tried has nothing to do with widths of letters."""


@pytest.fixture(params=FIGURES)
def figure(request: pytest.FixtureRequest) -> Box:
    """A figure made by hand, or that of an example."""
    found = FIGURES[request.param]
    return _example(found) if isinstance(found, Path) else found


@pytest.fixture(scope="module", params=SCREENS, ids=str)
def page(browser: "Browser", request: pytest.FixtureRequest) -> Iterator["Page"]:
    """An empty page on a screen."""
    width, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    yield context.new_page()
    context.close()


def show(page: "Page", figure: Box, options: OutputOptions | None = None) -> None:
    """Put a figure into a page that has the stylesheet."""
    svg = OUTPUTS["svg"](figure, options or OutputOptions(standalone=False))
    page.set_content(
        '<!doctype html><html><head><meta name="color-scheme" content="light dark">'
        f"<style>body {{ margin: 16px }} {(ASSETS / 'acdl.css').read_text('utf-8')}</style></head>"
        f'<body><figure class="acdl"><div class="acdl-figure">{svg}</div>'
        '<a class="acdl-permalink" href="#P">#</a></figure></body></html>'
    )


def add_script(page: "Page") -> None:
    """Add both scripts of figures to a page, which has no address to load the second from."""
    for name in ("acdl.js", "acdl-actions.js"):
        page.add_script_tag(content=(ASSETS / name).read_text("utf-8"))


PIECES = """() => {
  const found = [];
  const svg = document.querySelector("svg");
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  for (const node of svg.querySelectorAll("text[x], text:not([x]) > tspan[x], text:not([x]) > a > tspan[x]")) {
    const n = node.getNumberOfChars();
    if (!n) continue;
    let x = Infinity, right = -Infinity;
    for (let i = 0; i < n; i++) {
      const box = node.getExtentOfChar(i);
      x = Math.min(x, box.x); right = Math.max(right, box.x + box.width);
    }
    found.push({text: node.textContent, x, right, y: node.getStartPositionOfChar(0).y, begin: +node.getAttribute("x"),
      size: parseFloat(getComputedStyle(node).fontSize) * scale});
  }
  return found;
}"""


def groups(scene: Scene) -> Iterator[Group]:
    """All groups."""
    pending = [scene.root]
    while pending:
        group = pending.pop()
        yield group
        pending += [item for item in group.items if isinstance(item, Group)]


def widths(scene: Scene) -> dict[tuple[int, int], float]:
    """The room for each piece of text, by where it begins."""
    texts = [item for group in groups(scene) for item in group.items if isinstance(item, Text)]
    return {(round(piece.x), round(piece.y)): piece.width for text in texts for piece in text.pieces}


@everywhere
def test_text_stays_in_its_place(page: "Page", figure: Box) -> None:
    """Whatever fonts there are, each piece of text fits its width, in its frame and apart from its neighbours."""
    show(page, figure)
    pieces: list[DrawnText] = page.evaluate(PIECES)
    assert pieces
    scene = layout(figure, Theme())
    room = widths(scene)
    framed = [
        item
        for group in groups(scene)
        for item in group.items
        if isinstance(item, Rect) and item.style in ("purple", "green", "banner", "title-bar")
    ]
    for piece in pieces:
        width = room[round(piece["begin"]), round(piece["y"])]
        stray = STRAY_PX if piece["text"].isascii() else STRAY_PX + width * OTHER_FONTS
        assert piece["right"] - piece["x"] <= width + stray, piece
        assert -STRAY_PX <= piece["x"] <= piece["right"] <= scene.width + STRAY_PX, piece
        for rect in framed:
            begins_inside = rect.x <= piece["x"] <= rect.x + rect.width and rect.y < piece["y"] < rect.y + rect.height
            if begins_inside and piece["text"][:2] != "//":
                assert piece["right"] <= rect.x + rect.width, (piece, rect)
    for one in pieces:
        for other in pieces:
            if other is not one and other["y"] == one["y"] and other["x"] > one["x"]:
                assert one["right"] <= other["x"] + STRAY_PX, (one, other)


@everywhere
def test_nothing_is_clipped_or_too_small(page: "Page", figure: Box) -> None:
    """The page never scrolls sideways; the figure does where its text would become too small."""
    show(page, figure)
    reach = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    needed, room = page.evaluate(reach)
    assert needed <= room
    sizes = page.evaluate(
        """() => { const svg = document.querySelector("svg"), frame = document.querySelector(".acdl-figure");
        const boxes = [...svg.querySelectorAll("path")].map((path) => path.getBBox()), view = svg.viewBox.baseVal;
        return {page: document.documentElement.scrollWidth, window: innerWidth, svg: svg.getBoundingClientRect().width,
          reach: frame.scrollWidth, width: view.width, height: view.height,
          left: Math.min(...boxes.map((box) => box.x)), top: Math.min(...boxes.map((box) => box.y)),
          right: Math.max(...boxes.map((box) => box.x + box.width)),
          bottom: Math.max(...boxes.map((box) => box.y + box.height))}; }"""
    )
    assert sizes["page"] <= sizes["window"]
    assert sizes["reach"] >= int(sizes["svg"])
    assert sizes["left"] >= 0
    assert sizes["top"] >= 0
    assert sizes["right"] <= sizes["width"]
    assert sizes["bottom"] <= sizes["height"]
    pieces: list[DrawnText] = page.evaluate(PIECES)
    assert min(piece["size"] for piece in pieces) >= SMALLEST_PX
    assert max(piece["right"] for piece in pieces) <= sizes["width"] + STRAY_PX / 2
    assert max(piece["y"] for piece in pieces) < sizes["height"]


CONTRASTS = """() => {
  const parse = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const light = (c) => { const p = c.slice(0, 3).map((v) => v / 255)
    .map((v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126*p[0] + .7152*p[1] + .0722*p[2]; };
  const contrast = (a, b) => { const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + .05) / (low + .05); };
  const figure = document.querySelector("figure");
  const isCovered = figure.classList.contains("acdl-ground");
  const brush = new OffscreenCanvas(1, 1).getContext("2d");
  brush.fillStyle = getComputedStyle(isCovered ? figure : document.body).backgroundColor;
  brush.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = brush.getImageData(0, 0, 1, 1).data;
  const page = alpha ? [red, green, blue]
    : matchMedia("(prefers-color-scheme: dark)").matches ? [30, 33, 41] : [255, 255, 255];
  const svg = document.querySelector("svg");
  const shapes = [...svg.querySelectorAll("path")].filter((p) => getComputedStyle(p).fill !== "none");
  const found = [];
  for (const text of svg.querySelectorAll("text")) {
    for (const node of [text, ...text.querySelectorAll("tspan")]) {
      if (![...node.childNodes].some((c) => c.nodeType === 3 && c.textContent.trim())) continue;
      const at = node.getStartPositionOfChar(0);
      const point = svg.createSVGPoint(); point.x = at.x + 2; point.y = at.y - 4;
      let ground = page;
      for (const shape of shapes) if (shape.isPointInFill(point)) ground = parse(getComputedStyle(shape).fill);
      found.push([node.textContent, contrast(parse(getComputedStyle(node).fill), ground)]);
    }
  }
  return found;
}"""


@with_any_fonts
def test_contrast_as_drawn(page: "Page") -> None:
    """All words have a contrast of 4.5:1 with what the browser drew behind them, in the page's colour scheme."""
    show(page, samples.EVERYTHING)
    found = page.evaluate(CONTRASTS)
    assert len(found) > 60
    assert [pair for pair in found if pair[1] < 4.5] == []


PALETTES = {
    "night-owl": "#011627",
    "dracula": "#282a36",
    "nord": "#2e3440",
    "solarized-light": "#fdf6e3",
    "catppuccin-mocha": "oklch(0.2429 0.0304 283.91)",
    "gruvbox-dark": "#282828",
    "mid-grey": "#808080",
    "teal": "#008080",
}
"""Pages of schemes that the style sheet does not know, two of them too mid-toned for either set of colours."""


@with_any_fonts
@pytest.mark.parametrize("palette", few(PALETTES, 3))
def test_contrast_on_palettes_of_others(browser: "Browser", palette: str) -> None:
    """Words have a contrast of 4.5:1 on any page, whatever its scheme is called; a change of the scheme is followed."""
    with browser.new_page() as page:
        show(page, samples.EVERYTHING)
        page.add_style_tag(
            content=f"[data-md-color-scheme={palette}] {{ --md-default-bg-color: {PALETTES[palette]} }}"
            "body { background: var(--md-default-bg-color, #fff) }"
        )
        add_script(page)
        assert [pair for pair in page.evaluate(CONTRASTS) if pair[1] < 4.5] == []
        page.evaluate("name => document.body.setAttribute('data-md-color-scheme', name)", palette)
        page.wait_for_timeout(0)
        assert [pair for pair in page.evaluate(CONTRASTS) if pair[1] < 4.5] == []
        page.evaluate("document.body.setAttribute('data-md-color-scheme', 'default')")
        page.wait_for_timeout(0)
        assert page.locator("figure").get_attribute("style") in (None, "")
        assert "acdl-ground" not in (page.locator("figure").get_attribute("class") or "")


@with_any_fonts
def test_what_comes_later_suits_the_page_too(browser: "Browser") -> None:
    """Galleries, playbooks and problems that come without a figure, as by instant navigation, are measured as well."""
    with browser.new_page() as page:
        page.set_content(
            f"<style>body {{ background: {PALETTES['night-owl']} }} {(ASSETS / 'acdl.css').read_text('utf-8')}</style>"
        )
        add_script(page)
        page.evaluate("document.body.insertAdjacentHTML('beforeend', '<div class=\"acdl-gallery\">Specs</div>')")
        page.wait_for_timeout(0)
        scheme = page.evaluate("getComputedStyle(document.querySelector('.acdl-gallery')).colorScheme")
        assert scheme == "dark"


@with_any_fonts
def test_page_decides_the_colours(page: "Page") -> None:
    """A figure follows the scheme of its page; one with a theme of its own does not."""
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    colour = "getComputedStyle(document.querySelector('path.acdl-zv')).fill"
    show(page, samples.TYPICAL)
    assert page.evaluate(colour) == ("rgb(20, 53, 42)" if is_dark else "rgb(224, 255, 221)")
    show(page, samples.TYPICAL, OutputOptions(standalone=False, theme="light"))
    assert page.evaluate(colour) == "rgb(224, 255, 221)"
    show(page, samples.TYPICAL)
    page.evaluate("document.body.dataset.mdColorScheme = 'slate'")
    assert page.evaluate(colour) == "rgb(20, 53, 42)"
    page.emulate_media(media="print", color_scheme="light")
    assert page.evaluate(colour) == "rgb(224, 255, 221)"
    page.emulate_media(media="screen", color_scheme="dark" if is_dark else "light")


@with_any_fonts
@pytest.mark.parametrize(("theme", "scheme", "ground"), [("light", "slate", "#fff"), ("dark", "default", "#1e2129")])
def test_a_theme_of_its_own_has_its_ground(
    page: "Page", theme: Literal["light", "dark"], scheme: str, ground: str
) -> None:
    """A figure that is light on a dark page, or dark on a light one, can be read there."""
    show(page, samples.TYPICAL, OutputOptions(standalone=False, theme=theme))
    page.evaluate("scheme => { document.body.dataset.mdColorScheme = scheme }", scheme)
    drawn = page.locator(".acdl-figure > svg:not(.acdl-narrow)")
    wanted = page.evaluate(
        "colour => { const i = document.createElement('i'); i.style.color = colour; return i.style.color }", ground
    )
    assert drawn.evaluate("node => getComputedStyle(node).backgroundColor") == wanted
    assert drawn.evaluate("node => node.getBoundingClientRect().right <= innerWidth")


@with_any_fonts
def test_statement_copies_as_it_reads(page: "Page") -> None:
    """Selecting a statement copies its words with blanks where a reader sees them, a pill as one string."""
    show(page, samples.EVERYTHING)
    copied = page.evaluate(
        """() => [...document.querySelectorAll("svg text")].map((text) => {
          getSelection().selectAllChildren(text); return getSelection().toString(); })"""
    )
    assert "env.user_question[@t] // Beside the message" in copied
    assert "summarize(get_history(resp.answer[@t], sys.agent_name)) // nested" in copied
    assert "env.datetime[@t]" in copied
    assert "Name docs := k_relevant_docs(env.query[@T])" in copied
    assert "PromptEndsHere when @T == 1" in copied


@with_any_fonts
def test_links_are_reached_by_keyboard(page: "Page") -> None:
    """The tab key leads to the use of a fragment, and enter to its definition."""
    show(page, samples.EVERYTHING)
    page.keyboard.press("Tab")
    if page.evaluate("document.activeElement.className") == "acdl-figure":
        page.keyboard.press("Tab")  # a box that scrolls can be focused too
    assert page.evaluate("document.activeElement.href.baseVal") == "#DocumentContext"


@with_any_fonts
def test_policy_without_inline_styles(browser: "Browser") -> None:
    """Under `default-src 'self'` a figure without its stylesheet has its literal colours, and nothing is blocked."""
    page = browser.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    svg = OUTPUTS["svg"](samples.EVERYTHING, OutputOptions(standalone=False))
    page.set_content(
        '<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src \'self\'">'
        + f"<body>{svg}</body>"
    )
    assert page.evaluate("getComputedStyle(document.querySelector('path.acdl-zv')).fill") == "rgb(224, 255, 221)"
    assert messages == []
    page.close()


@with_any_fonts
def test_file_is_a_picture_of_its_own(browser: "Browser", tmp_path: Path) -> None:
    """A stand-alone file opens by itself and as an image, and follows the system's colour scheme."""
    (tmp_path / "a.svg").write_text(OUTPUTS["svg"](samples.EVERYTHING, OutputOptions()), "utf-8")
    (tmp_path / "a.html").write_text('<!doctype html><img src="a.svg">', "utf-8")
    for scheme, expected in (("light", "rgb(224, 255, 221)"), ("dark", "rgb(20, 53, 42)")):
        context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light")
        page = context.new_page()
        page.goto((tmp_path / "a.svg").as_uri())
        assert page.evaluate("getComputedStyle(document.querySelector('path.acdl-zv')).fill") == expected
        page.goto((tmp_path / "a.html").as_uri())
        assert page.evaluate("document.images[0].decode().then(() => document.images[0].naturalWidth)") > 300
        context.close()


@with_any_fonts
def test_names_of_any_script_light_up(browser: "Browser") -> None:
    """A name is found whatever letters it is written in."""
    page = browser.new_page()
    uses = [samples.content(Run("größe", "reference"), Run(".länge", "reference")) for _ in range(2)]
    others = [samples.content(Run(name, "reference")) for name in ("gr", "資料", "資料_2", "$資料")]
    show(page, samples.figure(samples.definition("P", "@T", *uses, *others)))
    add_script(page)
    lit = "[...document.querySelectorAll('.acdl-lit')].map((node) => node.textContent)"
    page.locator("svg .acdl-r", has_text="größe").first.hover()
    assert page.evaluate(lit) == ["größe.länge", "größe.länge"]
    page.locator("svg .acdl-r", has_text="資料_2").hover()
    assert page.evaluate(lit) == ["資料_2"]
    page.close()


@with_any_fonts
def test_script_lights_up_names_and_folds_comments(browser: "Browser") -> None:
    """Pointing at a name marks every use of it; a button hides the comments; figures that come later work too."""
    page = browser.new_page()
    show(page, samples.EVERYTHING)
    page.evaluate("() => { window.later = document.querySelector('figure'); window.later.remove(); }")
    add_script(page)
    page.evaluate("() => document.body.append(window.later)")
    page.locator("svg .acdl-r", has_text="docs").first.hover()
    lit = page.evaluate("[...document.querySelectorAll('.acdl-lit')].map((node) => node.textContent)")
    assert lit == ["docs", "docs.len", "docs[i].source"]
    page.locator("button.acdl-dots").click()
    button = page.locator("button.acdl-fold")
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert page.evaluate("getComputedStyle(document.querySelector('svg .acdl-c')).visibility") == "hidden"
    button.click()
    assert page.evaluate("getComputedStyle(document.querySelector('svg .acdl-c')).visibility") == "visible"
    page.close()


@with_any_fonts
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figure_is_saved(browser: "Browser", scheme: Literal["light", "dark"]) -> None:
    """A figure is saved with a margin and in the colours of its page; a PNG has two pixels for each of the page."""
    page = browser.new_page(color_scheme=scheme)
    show(page, samples.TYPICAL)
    add_script(page)

    def saved(name: str) -> Path:
        page.locator(".acdl-dots").click()
        with page.expect_download() as begun:
            page.get_by_role("button", name=f"Save {name}").click()
        assert begun.value.suggested_filename == f"figure.{name.lower()}"
        return begun.value.path()

    root = ElementTree.parse(saved("SVG")).getroot()  # noqa: S314  # our own
    x, y, width, height = (float(each) for each in root.attrib["viewBox"].split())
    assert (x, y) == (-16, -16)
    assert [float(root.attrib[name]) for name in ("width", "height")] == [width, height]
    space = "{http://www.w3.org/2000/svg}"
    fills = [path.attrib["fill"] for path in root.iter(f"{space}path")]
    assert ("rgb(20, 53, 42)" if scheme == "dark" else "rgb(224, 255, 221)") in fills
    ground = root.find(f"{space}rect")
    assert ground is not None
    assert (ground.attrib["fill"] == "rgb(255,255,255)") == (scheme == "light")
    png = saved("PNG").read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert [int.from_bytes(png[at : at + 4], "big") for at in (16, 20)] == [int(2 * width), int(2 * height)]
    page.close()

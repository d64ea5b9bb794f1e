"""A gallery in a reader's browser: its filter, the address that remembers it, and pages without a script."""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import ThreadingHTTPServer
from importlib.resources import files
from itertools import cycle, islice
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Literal

import pytest
from exhaustive import exhaustive, few
from written_indexes import example_index, index_of

from acdl_mkdocs.frontends.docs.blocks.gallery_options import GalleryOptions
from acdl_mkdocs.frontends.docs.pages.gallery import gallery_html
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecIndex
from browser.conftest import Quiet
from browser.waiting import becomes

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
ASSETS = ("acdl.css", "acdl-gallery.js")
N_SPECS = 500
N_CARDS = 35
"""Of the 51 specs and fragments of the examples, of which 16 are corrected versions of others."""
LONGEST_FILTER_MS = 50
LARGEST_PAGE = 1_000_000
PAGE = ":root { color-scheme: light dark; color: CanvasText; background: Canvas; }"
_ROLES, _TAGS = "SUAT", ("tools", "chat", "memory", "two words", "c++")


def many() -> SpecIndex:
    """500 specs that differ in their names, tags, roles and lengths."""
    texts = {}
    for number in range(N_SPECS):
        messages = "\n".join(
            f"    {role}: {{ PART_{number}(sys.state_{number}) env.input[@T] }} // from outside"
            for role in islice(cycle(_ROLES), number % 4, number % 4 + 3 + number % 5)
        )
        tags = ", ".join(islice(cycle(_TAGS), number % 5, number % 5 + 3))
        words = f"// Does thing {number}, and says so in a sentence of some length that a card can show."
        texts[f"many/{number}.acdl"] = f"// tags: {tags}\n{words}\n\nSpec{number}[@T]: {{\n{messages}\n}}\n"
    return index_of(texts)


def static_page(spec_index: SpecIndex, options: GalleryOptions) -> str:
    """A page that has a gallery and nothing else."""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Gallery</title>'
        '<meta name="viewport" content="width=device-width">'
        '<link rel="stylesheet" href="page.css"><link rel="stylesheet" href="acdl.css">'
        '<script defer src="acdl-gallery.js"></script>'
        f"<body><main><h1>Gallery</h1>{gallery_html(spec_index, options, str)}</main></body></html>"
    )


class _Strict(Quiet):
    """A server whose static pages may load and run nothing but files of their own site."""

    def end_headers(self) -> None:
        """Say so."""
        if not self.path.startswith("/material/"):
            self.send_header("Content-Security-Policy", "default-src 'self'")
        super().end_headers()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Static pages, and `material/`, where pages replace one another without being loaded."""
    docs = tmp_path_factory.mktemp("gallery")
    served = docs / "served"
    served.mkdir()
    for name in ASSETS:
        data = files("acdl_mkdocs").joinpath("assets", name).read_bytes()
        (docs / name).write_bytes(data)
        (served / name).write_bytes(data)
    (served / "page.css").write_text(PAGE, "utf-8")
    (served / "favicon.ico").write_bytes(b"")
    everything = GalleryOptions(kinds="all")
    (served / "examples.html").write_text(static_page(example_index(), everything), "utf-8")
    (served / "many.html").write_text(static_page(many(), GalleryOptions()), "utf-8")
    (served / "columns.html").write_text(static_page(example_index(), GalleryOptions(columns=3)), "utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Strict, directory=str(served))) as server:
        address = f"http://127.0.0.1:{server.server_port}"
        _build_material(docs, served / "material", f"{address}/material/")
        Thread(target=server.serve_forever, daemon=True).start()
        yield address
        server.shutdown()


def _other(address: str) -> str:
    del address
    return "other/"


def _build_material(folder: Path, target: Path, address: str) -> None:
    source = folder / "source"
    source.mkdir()
    for name in ASSETS:
        (source / name).write_bytes((folder / name).read_bytes())
    html = gallery_html(example_index(), GalleryOptions(), _other)
    (source / "index.md").write_text(f"# Gallery\n\n{html}\n", "utf-8")
    (source / "other.md").write_text("# Other\n", "utf-8")
    (folder / "mkdocs.yml").write_text(
        f"site_name: G\nsite_url: {address}\ndocs_dir: source\nextra_css: [acdl.css]\n"
        "extra_javascript: [acdl-gallery.js]\ntheme:\n  name: material\n  font: false\n"
        "  features: [navigation.instant]\n",
        "utf-8",
    )
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(target)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr


def shown(page: "Page") -> list[str]:
    """The titles that a reader sees: one of each card, on paper of both versions."""
    return page.locator(".acdl-card-title a:visible").all_text_contents()


def n_matching(page: "Page") -> int:
    """The number of specs that pass the filter, both versions of a card counted."""
    return int(count(page).partition(" of ")[0])


def count(page: "Page") -> str:
    """What the gallery says of their number."""
    return page.locator(".acdl-count").inner_text()


def test_words_filter(page: "Page", site: str) -> None:
    """Every word that is typed has to be on the card or in its spec, in any case; the address says which."""
    page.goto(f"{site}/examples.html")
    assert count(page) == "51 specs and fragments"
    page.get_by_label("Words").press_sequentially("SYS.tool_used corrected")
    assert count(page) == "10 of 51 specs and fragments"
    assert "Var1Corrected" in shown(page)
    assert "Var1" not in shown(page)
    assert page.url.endswith("examples.html?words=SYS.tool_used+corrected")
    page.get_by_label("Words").fill("nothing has this")
    assert count(page) == "0 of 51 specs and fragments"
    page.get_by_role("button", name="Show all", exact=True).click()
    assert len(shown(page)) == N_CARDS
    assert page.url.endswith("examples.html")


def test_switch_between_versions(page: "Page", site: str) -> None:
    """A spec and its corrected version share a card; a filter that only one passes shows it while it lasts."""
    page.goto(f"{site}/examples.html")
    assert shown(page).count("Var1") == 1
    card = page.locator(".acdl-card", has=page.locator('a[href="specs/Var1/"]'))
    size = "(node) => [node.offsetWidth, node.offsetHeight]"
    before = card.evaluate(size)
    card.get_by_label("corrected").check()
    assert "Var1Corrected" in shown(page)
    assert "Var1" not in shown(page)
    assert card.evaluate(size) == before
    card.get_by_label("as published").check()
    page.get_by_label("Words").fill("var1corrected")
    assert shown(page) == ["Var1Corrected"]
    assert count(page) == "1 of 51 specs and fragments"
    page.get_by_label("Words").fill("var1")
    assert "Var1" in shown(page)
    assert "Var1Corrected" not in shown(page)
    card.get_by_label("corrected").check()
    page.get_by_label("Words").fill("var")
    assert "Var1Corrected" in shown(page)
    page.get_by_label("Words").focus()
    card.get_by_label("corrected").focus()
    page.keyboard.press("ArrowLeft")
    assert "Var1" in shown(page)


def test_no_match(page: "Page", site: str) -> None:
    """A filter that no card passes says so where the cards were, and its button brings all cards back."""
    page.goto(f"{site}/examples.html?tag=react")
    message = page.locator(".acdl-no-match")
    assert not message.is_visible()
    page.get_by_label("Words").fill("nothing has this")
    assert shown(page) == []
    assert message.locator("p").inner_text() == "No spec or fragment matches this filter."
    message.get_by_role("button", name="Show all specs and fragments").click()
    assert not message.is_visible()
    assert len(shown(page)) == N_CARDS
    assert page.url.endswith("examples.html")
    assert page.evaluate("document.activeElement.name") == "words"


def test_titles_are_first(page: "Page", site: str) -> None:
    """Cards whose title has the words precede those with the words elsewhere; without words, all are in their order."""
    page.goto(f"{site}/examples.html")
    before = shown(page)
    page.get_by_label("Words").fill("react2")
    assert shown(page)[:2] == ["React2", "React2Short"]
    page.get_by_label("Words").fill("tool agent")
    titles = shown(page)
    with_both = [title for title in titles if "tool" in title.lower() and "agent" in title.lower()]
    assert with_both
    assert titles[: len(with_both)] == with_both
    assert len(titles) > len(with_both)
    page.get_by_role("button", name="Show all", exact=True).click()
    assert shown(page) == before


def test_tags_roles_and_constructs(page: "Page", site: str) -> None:
    """Tags filter in their place and can be combined and taken back; so do roles and constructs."""
    page.goto(f"{site}/examples.html")
    page.locator(".acdl-tags a", has_text="react").click()
    assert "?tag=react" in page.url
    n_react = n_matching(page)
    assert page.locator(".acdl-tags a[aria-current]").inner_text() == f"react {n_react}"
    page.locator(".acdl-card:visible .acdl-card-tags a", has_text="marks").first.click()
    assert 0 < n_matching(page) < n_react
    assert page.url.endswith("?tag=react&tag=marks")
    page.locator(".acdl-tags a[aria-current]", has_text="react").click()
    assert page.url.endswith("?tag=marks")
    page.get_by_label("Messages").select_option("tool")
    page.get_by_label("Constructs").select_option("Switch")
    assert shown(page) == ["OpenClaw"]
    assert page.url.endswith("?tag=marks&uses=tool&uses=Switch")


def test_address_is_the_state(page: "Page", site: str) -> None:
    """A link brings the filter with it; the way back leads through its steps, typing being one."""
    page.goto(f"{site}/examples.html?tag=mint&uses=tool")
    first, n_first = shown(page), n_matching(page)
    assert page.get_by_label("Messages").input_value() == "tool"
    page.get_by_label("Words").press_sequentially("corrected")
    second, n_second = shown(page), n_matching(page)
    assert n_second < n_first
    page.locator(".acdl-tags a[aria-current]").click()
    assert n_second < n_matching(page)
    assert set(second) < set(shown(page))
    page.go_back()
    becomes(page, lambda: shown(page), second)
    page.go_back()
    becomes(page, lambda: (shown(page), page.get_by_label("Words").input_value()), (first, ""))
    page.go_forward()
    becomes(page, lambda: (shown(page), page.get_by_label("Words").input_value()), (second, "corrected"))
    page.reload()
    assert shown(page) == second


def test_whatever_the_address_asks_for_is_said(page: "Page", site: str) -> None:
    """Several constructs and unknown tags are filters too: typing keeps them, and each can be taken back."""
    page.goto(f"{site}/examples.html?uses=ForEach&uses=If&uses=tool&tag=nosuch")
    chips = page.locator(".acdl-chosen button")
    assert chips.all_inner_texts() == ["nosuch", "If"]
    assert count(page) == "0 of 51 specs and fragments; nothing here has \u201cnosuch\u201d"
    page.get_by_label("Words").fill("corrected")
    asked = "location.search"
    assert page.evaluate(asked) == "?words=corrected&tag=nosuch&uses=ForEach&uses=If&uses=tool"
    page.get_by_role("button", name="Remove filter nosuch").click()
    both = shown(page)
    assert "OpenCodeMainCorrected" in both
    page.get_by_label("Constructs").select_option("Switch")
    assert page.evaluate(asked) == "?words=corrected&uses=If&uses=tool&uses=Switch"
    page.get_by_role("button", name="Show all", exact=True).click()
    assert chips.count() == 0
    assert page.locator(".acdl-chosen:visible").count() == 0


def test_link_to_a_construct(page: "Page", site: str) -> None:
    """The address of a construct's list, as people without a script pass it on, filters by the construct."""
    page.goto(f"{site}/examples.html#acdl-uses-Switch")
    assert page.url.endswith("?uses=Switch")
    assert page.get_by_label("Constructs").input_value() == "Switch"
    assert shown(page) == ["OpenClaw"]
    assert page.locator(":is(.acdl-by-use, .acdl-index):visible").count() == 0


def test_link_to_a_tag(page: "Page", site: str) -> None:
    """The address of a tag's list, as people without a script pass it on, filters by the tag."""
    page.goto(f"{site}/examples.html#acdl-tag-mint")
    assert page.url.endswith("?tag=mint")
    assert set(page.locator(".acdl-card:visible .acdl-card-tags").all_inner_texts()) != set()
    assert all("mint" in tags for tags in page.locator(".acdl-card:visible .acdl-card-tags").all_inner_texts())


def test_by_keyboard(page: "Page", site: str) -> None:
    """Everything can be reached and used without a pointer, in the order in which it stands."""
    page.goto(f"{site}/examples.html")
    page.keyboard.press("Tab")
    page.keyboard.type("react2")
    page.keyboard.press("Enter")  # changes nothing
    n_named = len(shown(page))
    assert 0 < n_named < 10
    for _ in range(4):
        page.keyboard.press("Tab")
    focused = page.evaluate("document.activeElement.closest('.acdl-tags') && document.activeElement.textContent")
    assert focused.startswith("multi-turn")
    page.keyboard.press("Enter")
    assert "tag=multi-turn" in page.url
    assert page.evaluate("document.activeElement.getAttribute('aria-current')") == "true"


def test_without_a_script(browser: "Browser", site: str) -> None:
    """All cards are there, no control that does nothing, and tags lead to lists whose links work."""
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{site}/examples.html")
    assert len(shown(page)) == N_CARDS
    page.locator(".acdl-card", has_text="React2Corrected").first.get_by_text("corrected", exact=True).click()
    assert "React2Corrected" in shown(page)
    assert "React2" not in shown(page)
    assert page.locator("form:visible").count() == 0
    page.locator(".acdl-by-use > summary").click()
    page.locator(".acdl-by-use a", has_text="Switch").click()
    assert page.url.endswith("#acdl-uses-Switch")
    assert page.locator("#acdl-uses-Switch + dd a").all_inner_texts() == ["OpenClaw", "OpenClawCorrected"]
    page.locator(".acdl-tags a", has_text="mint").click()
    assert page.url.endswith("#acdl-tag-mint")
    target = page.locator("#acdl-tag-mint")
    assert target.inner_text() == "mint"
    listed = page.locator("#acdl-tag-mint + dd a")
    assert "Var1" in listed.all_text_contents()
    assert listed.first.get_attribute("href") == "specs/Var1/"
    page.context.close()


def test_navigation_without_page_loads(page: "Page", site: str) -> None:
    """Pages come and go without being loaded; the filter works on arrival, and the way back leads into it."""
    page.goto(f"{site}/material/other/", wait_until="networkidle")  # until then Material loads pages as a whole
    page.evaluate("window.isStillThere = true")
    page.locator(".md-nav__link", has_text="Gallery").first.click()
    page.locator(".acdl-filter").wait_for()
    page.locator(".acdl-tags a", has_text="mint").click()
    mint = shown(page)
    assert 0 < len(mint) < 46
    page.locator(".acdl-card:visible .acdl-card-title a").first.click()
    page.wait_for_function("document.querySelector('h1').textContent.startsWith('Other')")
    page.go_back()
    page.locator(".acdl-filter").wait_for()
    assert page.url.endswith("/material/?tag=mint")
    assert shown(page) == mint
    page.go_back()
    page.wait_for_function("!document.querySelector('.acdl-card[hidden]')")
    assert page.url.endswith("/material/")
    assert page.evaluate("window.isStillThere")


@exhaustive
def test_many_specs(page: "Page", site: str) -> None:
    """A page of 500 specs is small enough to load, and filters before anybody notices."""
    answer = page.goto(f"{site}/many.html")
    assert answer
    assert len(answer.body()) < LARGEST_PAGE
    assert count(page) == f"{N_SPECS} specs"
    times_ms = page.evaluate(
        """() => {
            const input = document.querySelector(".acdl-filter input");
            return ["7", "spec4 state", "zzz", "memory", ""].map((words) => Math.min(...Array(15).fill().map(() => {
                input.value = "";
                input.dispatchEvent(new Event("input", { bubbles: true }));
                document.documentElement.getBoundingClientRect();
                const start = performance.now();
                input.value = words;
                input.dispatchEvent(new Event("input", { bubbles: true }));
                document.documentElement.getBoundingClientRect();
                return performance.now() - start;
            })));
        }"""
    )
    assert max(times_ms) < LONGEST_FILTER_MS, times_ms
    page.get_by_label("Words").fill("sys.state_499")
    assert shown(page) == ["Spec499"]


@pytest.mark.parametrize(("width_px", "n_columns"), [(360, 2), (700, 2), (1280, 3), (2000, 3)])
def test_columns(page: "Page", site: str, width_px: int, n_columns: int) -> None:
    """There are as many columns as have room, never more than asked for, and the page never scrolls sideways."""
    page.set_viewport_size({"width": width_px, "height": 800})
    page.goto(f"{site}/columns.html")
    columns = page.evaluate("getComputedStyle(document.querySelector('.acdl-cards')).gridTemplateColumns")
    assert len(columns.split()) == n_columns
    assert page.evaluate("document.documentElement.scrollWidth") <= width_px


CUT = """() => [...document.querySelectorAll(".acdl-card, .acdl-card *, .acdl-count")]
    .filter((each) => each.closest("svg") === null)
    .filter((each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== "inline"
        || each.scrollHeight > each.clientHeight + 1 && getComputedStyle(each).overflowY !== "visible")
    .map((each) => each.className || each.textContent)"""
"""What of the cards does not have room enough."""


def test_miniatures_are_outlines_where_figures_are(page: "Page", site: str) -> None:
    """Brackets of marks and icons that are lines have nothing inside."""
    page.goto(f"{site}/examples.html")
    fills = """(selector) => [...new Set([...document.querySelectorAll(`.acdl-mini ${selector}`)]
        .map((each) => getComputedStyle(each).fill))]"""
    assert page.evaluate(fills, ":is(.acdl-zm, .acdl-zi)") == ["none"]
    assert page.evaluate(fills, ".acdl-zv") == ["rgb(224, 255, 221)"]


def test_nothing_moves_when_the_script_comes(browser: "Browser", page: "Page", site: str) -> None:
    """The filter has its room before the script shows it; a page without scripts keeps none."""
    where = "document.querySelector('.acdl-cards').getBoundingClientRect().top"
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site}/examples.html")
    page.locator(".acdl-filter").wait_for()
    top = page.evaluate(where)
    page.evaluate("document.querySelector('.acdl-filter').hidden = true")
    assert page.evaluate(where) == top
    assert page.locator(".acdl-filter").is_hidden()
    bare = browser.new_page(java_script_enabled=False, viewport={"width": 390, "height": 844})
    bare.goto(f"{site}/examples.html")
    assert bare.locator(".acdl-filter").bounding_box() is None
    bare.close()


def test_legend_fits_a_phone(page: "Page", site: str) -> None:
    """Every explanation can be read without scrolling sideways."""
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(f"{site}/examples.html")
    page.locator(".acdl-legend > summary").click()
    legend = page.locator(".acdl-legend .acdl-figure")
    assert legend.evaluate("(node) => node.scrollWidth <= node.clientWidth")


A4_PX = 718
"""Width of a sheet within margins of 1 cm."""


def test_print(page: "Page", site: str) -> None:
    """On paper all cards are there and whole, light on a dark page too, and nothing that only a screen can use."""
    from io import BytesIO

    from pypdf import PdfReader

    page.set_viewport_size({"width": A4_PX, "height": 1000})
    strokes = set()
    for scheme in SCHEMES:
        page.goto(f"{site}/examples.html")
        page.emulate_media(media="print", color_scheme=scheme)
        page.evaluate("document.querySelector('.acdl-legend').open = true")  # as themes do for paper
        assert len(shown(page)) == 51
        assert page.locator(".acdl-card:visible svg.acdl-mini:visible").count() == 51
        assert page.locator(":is(.acdl-filter, .acdl-tags, .acdl-more, .acdl-legend):visible").count() == 0
        assert page.evaluate(CUT) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= A4_PX
        strokes.add(page.evaluate("getComputedStyle(document.querySelector('.acdl-mini path')).stroke"))
    assert len(strokes) == 1
    titles = shown(page)
    words = ["".join(sheet.extract_text().split()) for sheet in PdfReader(BytesIO(page.pdf(format="A4"))).pages]
    assert 1 < len(words) <= 7
    assert [title for title in titles if "".join(title.split()) not in "".join(words)] == []


def test_print_what_is_filtered(page: "Page", site: str) -> None:
    """Who has filtered prints what is left."""
    page.goto(f"{site}/examples.html?tag=mint")
    left = shown(page)
    page.emulate_media(media="print")
    assert set(left) < set(shown(page))
    assert count(page) == f"{len(shown(page))} of 51 specs and fragments"
    page.emulate_media(media="screen")
    page.get_by_label("Words").fill("var1corrected")
    page.emulate_media(media="print")
    assert shown(page) == ["Var1Corrected"]


@pytest.mark.parametrize("scheme", few(["light", "dark"]))
def test_audit(browser: "Browser", site: str, scheme: Literal["light", "dark"]) -> None:
    """Nothing in a gallery keeps anybody out, filtered or not."""
    from browser.test_accessibility import serious

    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{site}/examples.html?tag=react")
    page.locator(".acdl-legend > summary").click()
    assert serious(page) == []
    page.close()

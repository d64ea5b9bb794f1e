"""The colours of figures: contrast with everything they can stand on, also below the veil of what is not sent."""

import re
from importlib.resources import files

import pytest

from acdl_mkdocs.drawing.figure.theme import PAGES, PALETTES
from acdl_mkdocs.drawing.formats import svg


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG defines it."""
    digits = colour.removeprefix("#")
    digits = "".join(each * 2 for each in digits) if len(digits) == 3 else digits
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio, as WCAG defines it."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


_OPACITY = re.compile(r"\.acdl-veil \{[^}]*fill-opacity: ([\d.]+)")


def dimmed(colour: str, page: str) -> str:
    """A colour below the veil of what is not sent: grey of the same luminosity, mixed with the colour of the page."""
    found = _OPACITY.search((files("acdl_mkdocs") / "assets" / "acdl.css").read_text("utf-8"))
    assert found
    opacity = float(found[1])
    digits = colour.removeprefix("#")
    digits = "".join(each * 2 for each in digits) if len(digits) == 3 else digits
    grey = sum(int(digits[at : at + 2], 16) * share for at, share in ((0, 0.3), (2, 0.59), (4, 0.11)))
    ground = [int(page[at : at + 2], 16) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(grey * (1 - opacity) + part * opacity):02x}" for part in ground)


@pytest.mark.parametrize("theme", PALETTES)
def test_what_is_not_sent_stays_legible(theme: str) -> None:
    """Dimmed words have a contrast of 3:1 at least with what they stand on."""
    palette = PALETTES[theme]
    page = PAGES[theme]
    words = {style for style in svg.CLASSES if not svg.CLASSES[style].startswith("z")} - {"role", "badge-text"}
    pairs = {(palette[style][0], ground) for style in words for ground in (page, palette["banner"][0])}
    pairs |= {(palette["variable"][0], palette["green"][0]), (palette["function"][0], palette["purple"][0])}
    pairs |= {(palette["role"][0], palette[style][0]) for style in palette if style.startswith("role-")}
    for above, below in pairs:
        assert contrast(dimmed(above, page), dimmed(below, page)) >= 3, (above, below)


@pytest.mark.parametrize("theme", PALETTES)
def test_contrast(theme: str) -> None:
    """WCAG AA: words 4.5:1 on everything they can stand on, lines and borders 3:1 on the page."""
    palette = PALETTES[theme]
    page = {"light": "#ffffff", "dark": "#1e2129"}[theme]
    tints = [palette[f"tint-{family}"][0] for family in ("new", "gone", "other", "quiet")]
    grounds = [page, palette["banner"][0], palette["title-bar"][0], *tints, palette["was"][0], palette["now"][0]]
    pills = [palette["purple"][0], palette["green"][0]]
    words = [style for style in svg.CLASSES if not svg.CLASSES[style].startswith("z")]
    for style in set(words) - {"role", "badge-text"}:
        inside = pills if style not in ("variable", "comment", "template", "function", "fragment") else []
        for ground in grounds + inside:
            assert contrast(palette[style][0], ground) >= 4.5, (style, ground)
    for tint in tints:
        assert all(contrast(palette[f"sign-{family}"][1], tint) >= 3 for family in ("new", "gone", "other", "quiet"))
        assert all(contrast(palette[style][1], tint) >= 3 for style in ("was", "now", "strike"))
    assert contrast(palette["variable"][0], palette["green"][0]) >= 4.5
    assert contrast(palette["function"][0], palette["purple"][0]) >= 4.5
    for style, (fill, edge) in palette.items():
        if style.startswith(("role-", "badge")) and style != "badge-text":
            assert contrast(palette["role"][0], fill) >= 4.5, style
        if style.startswith(("role-", "badge", "line", "icon-solid")) and style != "badge-text":
            assert contrast(fill, page) >= 3, style
        if edge and style != "strike-role":  # which is drawn through words in the colours of roles
            assert contrast(edge, page) >= 3, style
    assert palette["strike-role"][1] == palette["role"][0]


def test_names_that_are_lit_stay_legible() -> None:
    """Words on the background of a name that is lit up have a contrast of 4.5:1, in both themes."""
    sheet = (files("acdl_mkdocs") / "assets" / "acdl.css").read_text("utf-8")
    grounds = re.search(r"--acdl-lit: light-dark\((#\w+), (#\w+)\)", sheet)
    assert grounds
    assert re.findall(r"--acdl-lit: (#\w+);", sheet) == [*grounds.groups()]
    for theme, ground in zip(PALETTES, grounds.groups(), strict=True):
        for style in ("template", "variable", "index", "path", "reference", "fragment", "title"):
            assert contrast(PALETTES[theme][style][0], ground) >= 4.5, (theme, style)

"""Every number that `layout` uses and every style that a writer can meet: themes as data."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class SignLook(NamedTuple):
    """The look of a sign at the left edge, and of the band behind the words of its box."""

    icon: str
    style: str
    """Of the icon."""
    tint: str = ""
    edge: str = ""
    """Style of the line at the left of the tint."""
    is_struck: bool = False
    """Whether the words are struck through."""


def _change_look(icon: str, family: str, *, is_struck: bool = False) -> SignLook:
    return SignLook(icon, f"sign-{family}", f"tint-{family}", f"edge-{family}", is_struck)


SIGN_LOOKS: Mapping[str, SignLook] = MappingProxyType(
    {
        "added": _change_look("plus", "new"),
        "removed": _change_look("minus", "gone", is_struck=True),
        "changed": _change_look("tilde", "other"),
        "moved": _change_look("arrows", "other"),
        "renamed": _change_look("tag", "other"),
        "wrapped": _change_look("box-plus", "new"),
        "unwrapped": _change_look("box-minus", "gone", is_struck=True),
        "role": _change_look("person", "other"),
        "comment": SignLook("slashes", "sign-quiet"),
        "confirmed": SignLook("check", "sign-new"),
        "refuted": _change_look("cross", "gone"),
        "unexercised": _change_look("ring", "quiet"),
        "uncontrollable": SignLook("question", "sign-quiet"),
    }
)
"""Sign of a box to its look."""


class Frame(NamedTuple):
    """The frame around words: a pill, a banner, a title bar."""

    style: str
    pad_x: float = 6
    pad_y: float = 2
    radius: float = 5
    icon: str = ""
    icon_px: float = 12
    is_small: bool = False
    is_bold: bool = False
    is_full: bool = False
    """Whether it reaches to the right edge of the figure."""


class Look(NamedTuple):
    """The look of boxes of one kind."""

    frame: Frame | None = None
    bar: str = ""
    """Style of the bar at the left, from the header down to the last child; empty for none."""
    bar_width: float = 2
    is_bar_below: bool = False
    """Whether the bar begins below the header, as it must where the header has a border."""
    gap: float = 4
    """Room above it, unless it comes first."""
    is_indenting: bool = True
    badge: str = ""
    """Short sign after the header."""
    rule: str = ""
    """Style of a line from the header to the right edge."""


def _role_look(name: str) -> Look:
    frame = Frame(f"role-{name}", pad_x=8, radius=3, is_small=True, is_bold=True)
    return Look(frame, bar=f"role-{name}", bar_width=3, gap=10)


def _banner_look(icon: str) -> Look:
    return Look(Frame("banner", pad_x=8, pad_y=4, radius=4, icon=icon), bar="line", is_bar_below=True, gap=8)


def _title_look(badge: str) -> Look:
    return Look(
        Frame("title-bar", pad_x=10, pad_y=6, radius=5, is_full=True),
        bar="line",
        is_bar_below=True,
        gap=24,
        badge=badge,
    )


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "prompt": _title_look(""),
        "string-fragment": _title_look("SF"),
        "roles-fragment": _title_look("RF"),
        "role.system": _role_look("system"),
        "role.user": _role_look("user"),
        "role.assistant": _role_look("assistant"),
        "role.tool": _role_look("tool"),
        "role.none": _role_look("none"),
        "foreach": _banner_look("loop"),
        "if": _banner_look("branch"),
        "elseif": _banner_look("branch"),
        "else": _banner_look("branch"),
        "switch": _banner_look("switch"),
        "case": _banner_look("switch"),
        "default": _banner_look("switch"),
        "mark": Look(gap=8, is_indenting=False),
        "label": Look(Frame("label", pad_x=8, radius=3), bar="line", is_bar_below=True, gap=8),
        "content": Look(),
        "name": Look(),
        "break": Look(),
        "continue": Look(),
        "comment": Look(),
        "ends-here": Look(gap=10, rule="ends"),
        "skipped": Look(Frame("skipped", pad_x=8, icon="skipped"), gap=8),
        "host-line": Look(Frame("skipped", pad_x=8, icon="skipped"), gap=8),
        "broken": Look(Frame("broken", pad_x=8, icon="broken"), gap=8),
    }
)
"""Kind of box to its look; a kind that is not here is drawn as plain words."""

PILLS: Mapping[str, Frame] = MappingProxyType(
    {
        "template": Frame("purple", icon="template", icon_px=8),
        "function": Frame("purple"),
        "fragment": Frame("purple"),
        "variable": Frame("green"),
        "badge": Frame("badge", pad_x=5, radius=3, is_small=True, is_bold=True),
        "was": Frame("was", pad_x=3, radius=2),
        "was-role": Frame("was", pad_x=3, pad_y=1, radius=2, is_small=True),
        "now": Frame("now", pad_x=3, radius=2),
    }
)
"""Style of a `Pill` to its frame."""


class Theme(NamedTuple):
    """All distances of a figure in CSS px; font advances are in em."""

    text_px: float = 40 / 3
    """Makes a column 8 px wide, so that nearly every coordinate is a whole number."""
    small_px: float = 25 / 2
    """Badges, comments and call-outs: columns of 7.5 px."""
    column_em: float = 0.6
    rise: float = 12
    """From the top of a line of text to its baseline."""
    line: float = 16
    """Height of a line of text without frames."""
    pill_pad: float = 2
    """Room above and below every statement, so that plain words and pills share one grid."""
    nested_gap: float = 2
    """Left and right of a frame inside a frame."""
    wrapped_gap: float = 2
    """Between the lines of a statement that wraps."""
    wrapped_indent: float = 16
    icon_gap: float = 6
    icon_rise: float = 5
    """From the baseline to the middle of an icon."""
    indent: float = 18
    indent_min: float = 5
    indent_share: float = 0.3
    """Part of the width that all levels of nesting together may take before they get narrower."""
    gap_first: float = 6
    """Between a header and its content."""
    gap_after: float = 10
    """Below a construct that has a bar."""
    badge_gap: float = 10
    rule_gap: float = 10
    rule_lead: float = 24
    """Length of the part of a rule before the words, and the minimum after them."""
    comment_gap: float = 16
    overhang: float = 2
    """Room that slanted letters need after their advance."""
    comments_beside: bool = True
    """Whether comments are beside their elements where there is room, else always below them."""
    comment_line: float = 18
    comment_min: float = 180
    """Narrowest column of comments; where there is less, they go below their element."""
    flow_min: float = 144
    """Narrowest room beside other words that a frame is wrapped into; where there is less, it begins on a new line."""
    flow_least: float = 96
    """Narrowest room that words are wrapped into; they stick out where there is less."""
    bracket: float = 6
    bracket_gap: float = 8
    label_columns: int = 2
    """Room kept for the number of a call-out."""
    sign_column: float = 24
    """Room at the left edge of a figure that has signs."""
    sign_px: float = 12
    sign_gap: float = 4
    """Around a sign; also how far the band behind the words extends beyond them."""
    edge: float = 3
    """Width of the line at the left of what a sign is about."""
    tint_layer: int = -1
    strike_layer: int = 999
    """Above every frame."""
    column_candidates: int = 8
    """The number of positions to compare for the column of comments."""
    margin: float = 1
    """Around the figure, for the halves of border lines."""
    ground_margin: float = 16
    """Around a figure on a ground of its own, as a PNG has it."""
    width_px: float = 688
    """Default for the widest figure: the text column of Material for MkDocs."""
    width_min: float = 120
    looks: Mapping[str, Look] = LOOKS
    pills: Mapping[str, Frame] = PILLS
    signs: Mapping[str, SignLook] = SIGN_LOOKS

    def column_width(self, is_small: bool = False) -> float:
        """Return the width of a column of text, or of small text."""
        return (self.small_px if is_small else self.text_px) * self.column_em


NARROW = Theme(
    text_px=25 / 2, indent_share=0.2, rule_lead=14, label_columns=1, bracket_gap=5, comments_beside=False, width_px=320
)
"""For the column of a page on a phone: as many words on a line as can be read."""

BOLD = frozenset({"keyword", "index", "title", "fragment-title"})
"""Styles of words set in bold."""

Palette = Mapping[str, tuple[str, str]]
"""Style to fill and border; an empty string means none."""

_LIGHT: Palette = MappingProxyType(
    {
        "plain": ("#1f2328", ""),
        "keyword": ("#1f2328", ""),
        "operator": ("#1f2328", ""),
        "title": ("#1f2328", ""),
        "template": ("#8a2be0", ""),
        "function": ("#8a2be0", ""),
        "variable": ("#07703f", ""),
        "index": ("#0860c9", ""),
        "path": ("#0860c9", ""),
        "reference": ("#c8186e", ""),
        "fragment": ("#8a2be0", ""),
        "fragment-title": ("#8a2be0", ""),
        "muted": ("#5b6570", ""),
        "string": ("#0b5c6b", ""),
        "number": ("#0860c9", ""),
        "comment": ("#5b6570", ""),
        "role": ("#fff", ""),
        "badge-text": ("#fff", ""),
        "title-bar": ("#f6f8fa", "#868f99"),
        "banner": ("#eaeef2", ""),
        "label": ("", "#868f99"),
        "line": ("#868f99", ""),
        "badge": ("#68717a", ""),
        "purple": ("#faf5ff", "#b072f0"),
        "green": ("#e0ffdd", "#0b9a62"),
        "role-system": ("#0969da", ""),
        "role-user": ("#a06a00", ""),
        "role-assistant": ("#0c8288", ""),
        "role-tool": ("#c2500a", ""),
        "role-none": ("#68717a", ""),
        "skipped": ("", "#68717a"),
        "broken": ("", "#b3261e"),
        "icon": ("", "#1f2328"),
        "icon-solid": ("#8a2be0", ""),
        "icon-broken": ("", "#b3261e"),
        "mark": ("", "#1f2328"),
        "ends": ("", "#5b6570"),
        "sign-new": ("", "#1a7f37"),
        "sign-gone": ("", "#b3261e"),
        "sign-other": ("", "#8a5a00"),
        "sign-quiet": ("", "#5b6570"),
        "edge-new": ("", "#1a7f37"),
        "edge-gone": ("", "#b3261e"),
        "edge-other": ("", "#8a5a00"),
        "edge-quiet": ("", "#5b6570"),
        "strike": ("", "#b3261e"),
        "strike-role": ("", "#fff"),
        "tint-new": ("#ecf9ee", ""),
        "tint-gone": ("#fdeeed", ""),
        "tint-other": ("#fdf4e0", ""),
        "tint-quiet": ("#f0f2f5", ""),
        "now": ("#d9f5de", "#1a7f37"),
        "was": ("#fce6e4", "#b3261e"),
    }
)

_DARK: Palette = MappingProxyType(
    {
        "plain": ("#e6edf3", ""),
        "keyword": ("#e6edf3", ""),
        "operator": ("#e6edf3", ""),
        "title": ("#e6edf3", ""),
        "template": ("#d2a8ff", ""),
        "function": ("#d2a8ff", ""),
        "variable": ("#6fdfa4", ""),
        "index": ("#79b8ff", ""),
        "path": ("#79b8ff", ""),
        "reference": ("#ff8ac0", ""),
        "fragment": ("#d2a8ff", ""),
        "fragment-title": ("#d2a8ff", ""),
        "muted": ("#a3adb9", ""),
        "string": ("#8fd8e4", ""),
        "number": ("#79b8ff", ""),
        "comment": ("#a3adb9", ""),
        "role": ("#111", ""),
        "badge-text": ("#111", ""),
        "title-bar": ("#2a303b", "#6e7884"),
        "banner": ("#333a47", ""),
        "label": ("", "#6e7884"),
        "line": ("#6e7884", ""),
        "badge": ("#9aa4b0", ""),
        "purple": ("#2c2140", "#9a6bd6"),
        "green": ("#14352a", "#3a9d70"),
        "role-system": ("#58a6ff", ""),
        "role-user": ("#e5990b", ""),
        "role-assistant": ("#1acad1", ""),
        "role-tool": ("#f7660b", ""),
        "role-none": ("#9aa4b0", ""),
        "skipped": ("", "#9aa4b0"),
        "broken": ("", "#ff8a80"),
        "icon": ("", "#e6edf3"),
        "icon-solid": ("#d2a8ff", ""),
        "icon-broken": ("", "#ff8a80"),
        "mark": ("", "#e6edf3"),
        "ends": ("", "#a3adb9"),
        "sign-new": ("", "#4cc26a"),
        "sign-gone": ("", "#ff8a80"),
        "sign-other": ("", "#e3b341"),
        "sign-quiet": ("", "#a3adb9"),
        "edge-new": ("", "#4cc26a"),
        "edge-gone": ("", "#ff8a80"),
        "edge-other": ("", "#e3b341"),
        "edge-quiet": ("", "#a3adb9"),
        "strike": ("", "#ff8a80"),
        "strike-role": ("", "#111"),
        "tint-new": ("#1d2f2a", ""),
        "tint-gone": ("#38262b", ""),
        "tint-other": ("#352f23", ""),
        "tint-quiet": ("#2a2e38", ""),
        "now": ("#20382c", "#4cc26a"),
        "was": ("#402a2e", "#ff8a80"),
    }
)

PALETTES: Mapping[str, Palette] = MappingProxyType({"light": _LIGHT, "dark": _DARK})
"""Contrast: text 4.5:1 on its background, lines and borders 3:1 on a white or a `#1e2129` page."""

PAGES: Mapping[str, str] = MappingProxyType({"light": "#ffffff", "dark": "#1e2129"})
"""The page colour that a palette is made for, drawn where a picture cannot follow the page around it."""

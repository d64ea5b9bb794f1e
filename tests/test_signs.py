"""Signs of boxes: a column at the left, bands behind words, lines through words, and words for every output."""

import json
from dataclasses import replace

import figure_samples as samples
import pytest

from acdl_mkdocs.drawing.figure.boxes import SIGNS, Box, plain_text
from acdl_mkdocs.drawing.figure.layout import layout
from acdl_mkdocs.drawing.figure.scene import Group, Icon, Line, Piece, Rect, Scene, Text
from acdl_mkdocs.drawing.figure.theme import PALETTES, SIGN_LOOKS, Theme
from acdl_mkdocs.drawing.formats import OUTPUTS, box_text, paths
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.language.syntax.words import Pill, Run

THEME = Theme()


def scene_of(*boxes: Box) -> Scene:
    """The scene of a spec with such statements."""
    return layout(samples.figure(samples.definition("P", "@T", *boxes)), THEME)


def items(scene: Scene) -> list[object]:
    """Everything that is drawn."""
    found: list[object] = []
    pending: list[Group] = [scene.root]
    while pending:
        group = pending.pop()
        for item in group.items:
            if isinstance(item, Group):
                pending.append(item)
            else:
                found.append(item)
    return found


def signed(name: str, sign: str, words: str = "", comment: str = "") -> Box:
    """A statement with a sign."""
    return replace(samples.content(samples.variable(name, "@t"), comment=comment), sign=sign, sign_words=words)


def pieces(scene: Scene) -> list[Piece]:
    """All pieces of text."""
    return [piece for item in items(scene) if isinstance(item, Text) for piece in item.pieces]


def words_of(piece: Piece) -> str:
    """The text of a piece."""
    return "".join(run.text for run in piece.runs)


def test_every_sign_has_a_look_and_a_character() -> None:
    """Each sign is drawn by an icon of its own, so that none depends on its colour."""
    assert SIGNS.keys() == SIGN_LOOKS.keys()
    icons = [look.icon for look in SIGN_LOOKS.values()]
    assert len(icons) == len(set(icons))
    for look in SIGN_LOOKS.values():
        assert look.icon in paths._ICONS
        assert {look.style, look.tint, look.edge} - {""} <= PALETTES["light"].keys()


def test_figure_without_signs_has_no_column() -> None:
    """Only a figure that has a sign has room for signs, and all of it moves by that."""
    box = samples.content(samples.variable("env.a", "@t"))
    without, with_sign = scene_of(box), scene_of(replace(box, sign="confirmed"))
    assert with_sign.width >= without.width
    lefts = [min(piece.x for piece in pieces(scene)) for scene in (without, with_sign)]
    assert lefts[1] - lefts[0] == THEME.sign_column
    assert not [item for item in items(without) if isinstance(item, Icon)]


@pytest.mark.parametrize("sign", SIGNS)
def test_sign_stands_in_the_column_on_its_line(sign: str) -> None:
    """The icon is left of all words, on the first line of its statement."""
    scene = scene_of(signed("env.a", ""), signed("env.b", sign))
    icon = next(item for item in items(scene) if isinstance(item, Icon))
    assert icon.name == SIGN_LOOKS[sign].icon
    assert icon.x + icon.size <= THEME.sign_column
    baseline = next(piece.y for piece in pieces(scene) if words_of(piece).startswith("env.b"))
    assert icon.y < baseline < icon.y + 2 * icon.size


def bands(scene: Scene) -> list[Rect]:
    """What lies behind words."""
    return [item for item in items(scene) if isinstance(item, Rect) and item.style.startswith("tint-")]


def test_neighbours_share_a_band() -> None:
    """Statements with one sign have one band behind them, up to the right edge; others have their own."""
    scene = scene_of(signed("env.a", "added"), signed("env.b", "added"), signed("env.c", "removed"))
    found = bands(scene)
    assert [band.style for band in found] == ["tint-new", "tint-gone"]
    assert found[0].height > 2 * THEME.line
    assert all(band.x + band.width == scene.width - THEME.margin for band in found)
    assert all(band.layer < 0 for band in found)
    edges = [item.style for item in items(scene) if isinstance(item, Line) and item.style.startswith("edge-")]
    assert edges == ["edge-new", "edge-gone"]


def test_quiet_signs_have_no_band() -> None:
    """What agrees, and what nobody can tell, is not painted."""
    assert bands(scene_of(*(signed("env.a", sign) for sign in ("confirmed", "uncontrollable", "comment")))) == []


def strikes(scene: Scene) -> list[Line]:
    """Lines through words."""
    return [item for item in items(scene) if isinstance(item, Line) and item.style.startswith("strike")]


def test_removed_words_are_struck_out() -> None:
    """A line goes through every word that is no longer there, not through what is said about that."""
    scene = scene_of(signed("env.gone", "removed", words="no longer there"), signed("env.kept", ""))
    (line,) = strikes(scene)
    gone = next(piece for piece in pieces(scene) if words_of(piece).startswith("env.gone"))
    assert (line.x1, line.x2) == (gone.x, gone.x + gone.width)
    assert gone.y - THEME.rise < line.y1 < gone.y


def test_old_words_of_a_header_are_struck_out() -> None:
    """Of a changed header only what was is struck; a role is, in the colour of its words."""
    header = (
        Run("If ", "keyword"),
        Pill("was", (Run("a", "path"),)),
        Run(" ", "plain"),
        Pill("now", (Run("b", "path"),)),
    )
    (line,) = strikes(scene_of(Box("if", header, sign="changed")))
    assert line.style == "strike"
    role = (Run("Role: ", "role"), Pill("was-role", (Run("USER", "plain"),)), Run("Tool", "role"))
    assert len(strikes(scene_of(Box("role.tool", role, sign="role")))) == 1
    removed = Box("role.tool", (Run("Role: Tool", "role"),), sign="removed")
    assert [line.style for line in strikes(scene_of(removed))] == ["strike-role"]
    assert plain_text(header) == "If [-a-] {+b+}"


def test_words_of_a_sign_stand_before_the_comment() -> None:
    """They are small and not slanted, and what links to code in a comment still does."""
    box = signed("env.a", "moved", words="moved here, 1", comment="<- src/a.py:12")
    found = [piece for piece in pieces(scene_of(box)) if piece.is_small]
    assert [(words_of(piece), piece.runs[0].style) for piece in found] == [
        ("moved here, 1", "muted"),
        ("// <- src/a.py:12", "comment"),
    ]
    written = OUTPUTS["svg"](samples.figure(box), OutputOptions(source_url="https://example.org/r"))
    assert 'href="https://example.org/r/src/a.py#L12"' in written


def test_long_words_of_a_sign_are_wrapped() -> None:
    """No character is lost where they need several lines, and the comment follows them."""
    words = "said of it " * 12
    box = signed("env.a", "changed", words=words, comment="and the comment of its author " * 4)
    small = [piece for piece in pieces(scene_of(box)) if piece.is_small]
    said = "".join(words_of(piece) for piece in small if piece.runs[0].style == "muted")
    assert said.replace(" ", "") == words.replace(" ", "")
    commented = "".join(words_of(piece) for piece in small if piece.runs[0].style == "comment")
    assert commented.replace(" ", "") == "//" + "andthecommentofitsauthor" * 4


def test_words_for_who_cannot_see_signs() -> None:
    """The summary of a picture counts signs and says them; text, HTML and JSON have them too."""
    figure = samples.figure(
        samples.definition("P", "@T", signed("env.a", "added"), signed("env.b", "moved", "here, 1"))
    )
    assert (
        box_text.summarize_figure(figure) == "1 added, 1 moved. P[@T]: [added] env.a[@t], [moved: here, 1] env.b[@t]."
    )
    assert OUTPUTS["text"](figure, OutputOptions()) == "  P[@T]:\n+   env.a[@t]\n>   env.b[@t] (here, 1)\n"
    html = OUTPUTS["html"](figure, OutputOptions())
    assert '<small class="acdl-sign acdl-sign-moved">[moved: here, 1]</small>' in html
    boxes = json.loads(OUTPUTS["json"](figure, OutputOptions()))["figure"]["children"][0]["children"]
    assert [(box["sign"], box["sign_words"]) for box in boxes] == [("added", ""), ("moved", "here, 1")]


def test_outputs_without_signs_say_nothing_of_them() -> None:
    """A figure without signs is written as if there were none."""
    for name in ("svg", "html", "json", "text"):
        written = OUTPUTS[name](samples.EVERYTHING, OutputOptions())
        assert "sign" not in written.replace("designed", "")
        assert "acdl-zq" not in written


def test_mark_says_its_sign() -> None:
    """A mark has no words of its own, so that its sign is said in words above what it holds."""
    scene = scene_of(replace(samples.mark("1", samples.content(Run("inside", "plain"))), sign="refuted"))
    assert "refuted" in [words_of(piece) for piece in pieces(scene)]

"""Every box has a place: inside its parent, beside its siblings, within the width that was asked for."""

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise

import figure_samples as samples
import pytest

from acdl_mkdocs.drawing.figure import layout, lines
from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.scene import Bracket, Group, Icon, Line, Piece, Rect, Scene, Text
from acdl_mkdocs.drawing.figure.theme import NARROW, Theme
from acdl_mkdocs.foundation import text_width
from acdl_mkdocs.foundation.text_width import count_columns
from acdl_mkdocs.language.syntax.words import Pill, Run

WIDTHS = (None, 1280, 688, 360, 200)
each_figure = pytest.mark.parametrize("figure", samples.FIGURES.values(), ids=samples.FIGURES)
each_width = pytest.mark.parametrize("width_px", WIDTHS)


def laid_out(figure: Box, width_px: float | None = None) -> Scene:
    """The scene of a figure."""
    return layout.layout(figure, Theme(), width_px)


def groups(scene: Scene) -> Iterator[Group]:
    """All groups."""
    pending = [scene.root]
    while pending:
        group = pending.pop()
        yield group
        pending += [item for item in group.items if isinstance(item, Group)]


def pieces(scene: Scene) -> list[Piece]:
    """All pieces of text."""
    return [piece for group in groups(scene) for item in group.items if isinstance(item, Text) for piece in item.pieces]


def sticking_out(scene: Scene, width_px: float) -> list[str]:
    """The texts that reach past a width."""
    return [written(piece) for piece in pieces(scene) if piece.x + piece.width > width_px - Theme().margin]


def written(piece: Piece) -> str:
    """The text of a piece."""
    return "".join(run.text for run in piece.runs)


def rects(scene: Scene) -> list[Rect]:
    """All rectangles."""
    return [item for group in groups(scene) for item in group.items if isinstance(item, Rect)]


def edges(item: object) -> tuple[float, float, float, float]:
    """Left, top, right and bottom."""
    match item:
        case Rect() | Group() | Bracket():
            return item.x, item.y, item.x + item.width, item.y + item.height
        case Icon():
            return item.x, item.y, item.x + item.size, item.y + item.size
        case Line():
            return item.x1, item.y1, item.x2, item.y2
        case Text():
            return (
                min(piece.x for piece in item.pieces),
                min(piece.y for piece in item.pieces),
                max(piece.x + piece.width for piece in item.pieces),
                max(piece.y for piece in item.pieces),
            )
    raise TypeError(item)


@each_figure
@each_width
def test_everything_lies_inside_its_group(figure: Box, width_px: float | None) -> None:
    """Shapes, words and inner groups stay within the group they belong to, and the root within the scene."""
    scene = laid_out(figure, width_px)
    for group in groups(scene):
        left, top, right, bottom = edges(group)
        for item in group.items:
            x1, y1, x2, y2 = edges(item)
            assert x1 >= left - 0.01, (group.anchor, item)
            assert y1 >= top - 0.01, (group.anchor, item)
            assert x2 <= right + 0.01, (group.anchor, item)
            assert y2 <= bottom + 0.01, (group.anchor, item)
    assert scene.root.x + scene.root.width <= scene.width
    assert scene.root.y + scene.root.height <= scene.height


@each_figure
@each_width
def test_siblings_follow_each_other(figure: Box, width_px: float | None) -> None:
    """Groups inside a group keep their order and do not overlap."""
    for group in groups(laid_out(figure, width_px)):
        inner = [item for item in group.items if isinstance(item, Group)]
        assert all(above.y + above.height <= below.y for above, below in pairwise(inner))


@each_figure
@each_width
def test_pieces_do_not_overlap(figure: Box, width_px: float | None) -> None:
    """Two pieces of text on one baseline have room between them."""
    by_line: dict[float, list[Piece]] = {}
    for piece in pieces(laid_out(figure, width_px)):
        by_line.setdefault(piece.y, []).append(piece)
    for line in by_line.values():
        line.sort(key=lambda piece: piece.x)
        assert all(left.x + left.width <= right.x + 0.01 for left, right in pairwise(line)), line


@each_figure
@each_width
def test_frames_nest_or_stay_apart(figure: Box, width_px: float | None) -> None:
    """A frame lies wholly inside another, or does not touch it."""
    framed = [rect for rect in rects(laid_out(figure, width_px)) if rect.style in ("purple", "green")]
    for number, one in enumerate(framed):
        for other in framed[number + 1 :]:
            a, b = edges(one), edges(other)
            apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
            inside = a[0] < b[0] and a[1] < b[1] and a[2] > b[2] and a[3] > b[3]
            assert apart or inside, (one, other)


@each_width
@pytest.mark.parametrize("name", ["everything", "crowded", "typical"])
def test_width_is_kept_where_words_can_be_broken(name: str, width_px: float | None) -> None:
    """A figure is wider than asked for only by pieces without a place to break, and by what frames them."""
    wanted = width_px or Theme().width_px
    scene = laid_out(samples.FIGURES[name], width_px)
    if wanted >= 688:
        assert scene.width <= wanted
    elif scene.width > wanted:
        assert sticking_out(scene, wanted)


def test_long_pill_becomes_taller() -> None:
    """A call that does not fit wraps inside its frame, and no word is lost."""
    wide, narrow = laid_out(samples.CROWDED, 2000), laid_out(samples.CROWDED, 400)
    tallest = max(rect.height for rect in rects(narrow) if rect.style == "purple")
    assert tallest > max(rect.height for rect in rects(wide) if rect.style == "purple")

    def words(scene: Scene) -> str:
        texts = "".join(run.text for piece in pieces(scene) for run in piece.runs)
        return "".join(sorted(texts.replace(" ", "")))

    assert words(wide) == words(narrow)


@pytest.mark.parametrize("levels", [1, 20, 60])
def test_block_without_words_has_room(levels: int) -> None:
    """A block that says nothing, inside of so many that no room is left for words, is laid out all the same."""
    box = Box("broken", (Run("", "plain"),))
    for _ in range(levels):
        box = Box("broken", (Run("", "plain"),), (box,))
    assert all(laid_out(box, width_px).width < 2000 for width_px in (None, 120))


def test_comments_share_a_column() -> None:
    """Comments beside elements of one definition begin at one x where there is room."""
    starts = {
        piece.x
        for piece in pieces(laid_out(samples.TYPICAL))
        if piece.runs[0].style == "comment" and piece.runs[0].text.startswith("//")
    }
    assert len(starts) == 1


def test_comment_without_room_goes_below() -> None:
    """A comment that does not fit beside its element starts on the next line."""
    content = samples.content(samples.variable("env." + "x" * 30, "@t"), comment="far too long for what is left")
    scene = laid_out(samples.figure(samples.definition("P", "@T", content)), 360)
    comment = next(piece for piece in pieces(scene) if piece.runs[0].style == "comment")
    element = next(piece for piece in pieces(scene) if piece.runs[0].style == "variable")
    assert comment.y > element.y
    assert not sticking_out(scene, 360)


@pytest.mark.parametrize("width_px", [688, 420, 300])
def test_title_bar_holds_its_comment_or_nothing_of_it(width_px: float) -> None:
    """A comment on a title stands in the bar on one line, or wholly below the bar."""
    scene = laid_out(samples.EVERYTHING, width_px)
    group = next(group for group in groups(scene) if group.anchor == "React2")
    bar = next(item for item in group.items if isinstance(item, Rect) and item.style == "title-bar")
    text = next(item for item in group.items if isinstance(item, Text))
    comment = [piece for piece in text.pieces if piece.runs[0].style == "comment"]
    in_bar = [bar.y < piece.y < bar.y + bar.height for piece in comment]
    assert in_bar == [True] or not any(in_bar)


def test_bracket_hugs_its_content() -> None:
    """A call-out's bracket stands right beside the widest thing it holds."""
    scene = laid_out(samples.EVERYTHING)
    group = next(group for group in groups(scene) if group.anchor == "React2-mark-1")
    bracket = next(item for item in group.items if isinstance(item, Bracket))
    right = max(edges(item)[2] for item in group.items if isinstance(item, Group))
    assert bracket.x - right == Theme().bracket_gap


@pytest.mark.parametrize("width_px", [360, 688])
def test_deep_nesting_indents_less(width_px: float) -> None:
    """All levels together take a part of the width only."""
    deepest = max(group.x for group in groups(laid_out(samples.nested(30), width_px)))
    assert deepest < width_px / 2


@pytest.mark.parametrize(("width_px", "indent"), [(721, 18), (720, 17), (361, 9), (360, 8), (100, 5)])
def test_indentation_has_its_share_of_the_width(width_px: float, indent: float) -> None:
    """Twelve levels are 18 pixels apart, or as far as three tenths of the width have room for, but at least 5."""
    places = sorted({group.x for group in groups(laid_out(samples.nested(10), width_px))})
    assert [right - left for left, right in pairwise(places[1:])] == [indent] * 12


def lines_of(scene: Scene) -> list[str]:
    """What stands on each baseline, from left to right."""
    by_line: dict[float, list[Piece]] = {}
    for piece in pieces(scene):
        by_line.setdefault(piece.y, []).append(piece)
    return [" ".join(map(written, sorted(line, key=lambda each: each.x))) for _, line in sorted(by_line.items())]


def test_lines_break_before_operators() -> None:
    """What joins two operands begins the line of the second, and stays with it."""
    operands = [samples.variable(f"env.some_name_{letter}", "@t") for letter in "abcdef"]
    signs = (" == ", "operator"), (" & ", "operator"), (" ... ", "operator"), (" every ", "keyword"), ("+", "operator")
    words: list[Run | Pill] = [Run("If ", "keyword"), operands[0]]
    for (text, style), operand in zip(signs, operands[1:], strict=True):
        words += [Run(text, style), operand]
    scene = laid_out(samples.figure(samples.content(*words)), 300)
    assert lines_of(scene) == [
        "If env.some_name_a[@t]",
        "== env.some_name_b[@t]",
        "& env.some_name_c[@t]",
        "... env.some_name_d[@t]",
        "every env.some_name_e[@t]",
        "+ env.some_name_f[@t]",
    ]


def _variable(*parts: str) -> Pill:
    """A variable as it is drawn: names, and indices in brackets."""
    runs = [
        run
        for part in parts
        for run in (
            [Run("[", "index"), Run(part[1:-1], "index"), Run("]", "index")]
            if part.startswith("[")
            else [Run(part, "variable")]
        )
    ]
    return Pill("variable", tuple(runs))


@pytest.mark.parametrize(
    ("parts", "lines"),
    [
        (("sys.tool_used", "[@t.i]", ".tool_response"), ["sys.tool_used[@t.i]", ".tool_response"]),
        (("sys.conversations_of_the", "[@t]"), ["sys", ".conversations_of_the[@t]"]),
        (("a_name_without_any_field_in", "[@t, i]"), ["a_name_without_any_field_in", "[@t, i]"]),
        (("x", "[@t, a_long_name_for_one, another_long_one]"), ["x[@t, a_long_name_for_one,", "another_long_one]"]),
    ],
)
def test_an_index_stays_whole(parts: tuple[str, ...], lines: list[str]) -> None:
    """Lines break before fields, else before an index, and inside one only if it is longer than a line."""
    scene = laid_out(samples.figure(samples.content(_variable(*parts))), 250)
    assert lines_of(scene) == lines


def test_comments_of_a_narrow_column_stand_below() -> None:
    """However short a comment and its statement are, it has a line of its own."""
    figure = samples.figure(samples.content(Run("X", "template"), comment="why"))
    assert len({piece.y for piece in pieces(laid_out(figure))}) == 1
    assert len({piece.y for piece in pieces(layout.layout(figure, NARROW))}) == 2


def test_words_beside_a_tall_frame_stand_on_its_first_line() -> None:
    """A frame of several lines and what stands before it have one baseline, though only its later lines hold frames."""
    tall = samples.call("a_function_with_a_name", "x" * 20, "y" * 20, samples.call("g", samples.variable("env.x")))
    scene = laid_out(samples.figure(samples.content(Run("before ", "plain"), tall)), 300)
    before, first, *more = pieces(scene)
    assert before.y == first.y
    assert more[0].y > first.y


def test_bar_leaves_no_gap_at_round_corners() -> None:
    """The bar below a header begins where the header's corner begins to bend."""
    scene = laid_out(samples.EVERYTHING)
    group = next(group for group in groups(scene) if group.anchor == "React2-foreach")
    bar, banner = (
        next(rect for rect in group.items if isinstance(rect, Rect) and rect.style == style)
        for style in ("line", "banner")
    )
    assert bar.y == banner.y + banner.height - banner.radius


def deeper(n_frames: int, call: Callable[[], object]) -> None:
    """Call something from that many frames further down."""
    if n_frames:
        deeper(n_frames - 1, call)
    else:
        call()


@pytest.mark.parametrize("figure", [samples.nested(300), samples.nested_pills(300)], ids=["boxes", "pills"])
def test_300_levels_need_few_frames(figure: Box) -> None:
    """Nesting of 300 levels is laid out with the default recursion limit, deep inside another program."""
    assert sys.getrecursionlimit() <= 1000
    deeper(450, lambda: laid_out(figure))


def n_calls(figure: Box) -> int:
    """Python calls that a layout takes: what a clock would say, without a clock."""
    count = 0

    def tick(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(tick)
    try:
        laid_out(figure)
    finally:
        sys.setprofile(before)
    return count


def alone(*words: Run | Pill, comment: str = "") -> Box:
    """A figure of one statement."""
    return samples.figure(samples.content(*words, comment=comment))


GROWING: dict[str, Callable[[int], Box]] = {
    "statements": samples.many,
    "loops in loops": samples.nested,
    "calls in calls": samples.nested_pills,
    "wide word": lambda number: alone(Run("\u5b57" * number, "string")),
    "blanks": lambda number: alone(Run("a " * number, "string")),
    "commas": lambda number: alone(Run("," * number, "string")),
    "frames": lambda number: alone(*[samples.variable("env.x")] * number),
    "operands": lambda number: alone(*(samples.variable("env.x"), Run("+", "operator")) * number),
    "arguments": lambda number: alone(samples.template("A", *map(str, range(100, 100 + number)))),
    "wide word in a comment": lambda number: alone(Run("a", "plain"), comment="\u5b57" * number),
    "words in a comment": lambda number: alone(Run("a", "plain"), comment="ab " * number),
    "comments in steps": lambda number: samples.figure(
        *(samples.content(Run("a" * (at % 60), "plain"), comment="b" * (at % 90)) for at in range(number))
    ),
    "call-outs": lambda number: samples.figure(*(samples.mark("1", samples.comment_line("a")) for _ in range(number))),
}


@pytest.mark.parametrize("make", GROWING.values(), ids=GROWING)
def test_cost_is_linear(make: Callable[[int], Box]) -> None:
    """As many more take the same work however many there are already, in length and in depth."""
    laid_out(make(1))  # loads what is loaded once
    few, some, many = (n_calls(make(number)) for number in (180, 270, 360))
    assert many - some <= 1.1 * (some - few) + 10


def test_long_texts_are_not_kept() -> None:
    """What layout remembers of texts it has measured is bounded by characters, not by texts."""
    laid_out(alone(Run("\u5b57" * 1000, "string"), comment="\u5b57" * 1000))
    before = text_width._measure_advance.cache_info().currsize
    laid_out(alone(*(Run("\u5b57" * number, "string") for number in range(1, 50))))
    assert text_width._measure_advance.cache_info().currsize == before


def test_same_input_gives_the_same_scene() -> None:
    """Nothing depends on anything but the boxes."""
    assert laid_out(samples.EVERYTHING) == laid_out(samples.EVERYTHING)


@pytest.mark.parametrize("module", [layout, lines])
def test_numbers_stand_in_the_theme(module: object) -> None:
    """Layout has no numeric literal but 0, 1 and 2."""
    tree = ast.parse(inspect.getsource(module))  # type: ignore[arg-type]
    found = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)
    }
    assert found <= {0, 1, 2}


def test_unknown_kind_is_drawn() -> None:
    """A kind that the theme does not know shows its words rather than nothing."""
    scene = laid_out(samples.figure(Box("no-such-kind", (Run("words", "plain"),))))
    assert [run.text for piece in pieces(scene) for run in piece.runs] == ["words"]


@pytest.mark.parametrize(
    ("text", "n_columns"),
    [
        ("", 10),
        ("a b", 1),
        ("aaaa bbbb cc", 4),
        ("a" * 25, 10),
        ("aa " + "b" * 25 + " cc", 10),
        ("日本語日本語", 5),
        ("e\u0301" * 30, 7),
        ("👩\u200d🚀" * 9, 5),
        ("   " + "a" * 12, 4),
    ],
)
def test_wrapped_text_loses_nothing(text: str, n_columns: int) -> None:
    """The lines of a comment together are the comment, and none but one-character ones is too long."""
    wrapped = layout.wrap_comment(text, n_columns)
    assert "".join(wrapped) == text
    assert all(count_columns(line.rstrip()) <= n_columns for line in wrapped)


def test_cut_words_keep_characters_whole() -> None:
    """A long word is cut neither inside an emoji sequence nor before an accent."""
    assert layout.wrap_comment("👩\u200d🚀" * 5, 5) == ["👩\u200d🚀" * 2, "👩\u200d🚀" * 2, "👩\u200d🚀"]
    assert layout.wrap_comment("e\u0301" * 5, 2) == ["e\u0301" * 2, "e\u0301" * 2, "e\u0301"]


def test_word_wider_than_the_room_is_cut_all_the_same() -> None:
    """Where not even one character fits, each has a line of its own."""
    assert [line for line in layout.wrap_comment("日本語", 1) if line] == ["日", "本", "語"]

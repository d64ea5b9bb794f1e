"""Give every box a place: boxes in, scene out. Knows no file format.

Three passes over the boxes in reading order, none recursive: set the words of each (their height is then known),
choose where comments and brackets go (the width is then known), stack everything from top to bottom.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import NamedTuple

from acdl_mkdocs.drawing.figure.boxes import Box, call_out, format_comment
from acdl_mkdocs.drawing.figure.lines import TypesetWords, measure_words, set_words
from acdl_mkdocs.drawing.figure.scene import Bracket, Group, Icon, Item, Line, Piece, Rect, Scene, Text
from acdl_mkdocs.drawing.figure.theme import Look, Theme
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.text_width import count_columns, measure_advances
from acdl_mkdocs.language.syntax.words import Pill, Run, Words


def choose_column(sizes: Sequence[tuple[float, float, float]], theme: Theme) -> float:
    """Return the x at which comments begin, so that few lines are needed.

    Parameters:
        sizes: For each comment the least x it can begin at, its natural width, and the right limit.
        theme: Holds the narrowest column, and how many candidates are compared.

    Returns:
        One of the least x, or 0 if there are no comments.
    """
    starts = sorted({start for start, width, limit in sizes if start + min(width, theme.comment_min) <= limit})
    step = max(1, len(starts) // theme.column_candidates)
    candidates = starts[::-1][::step]
    best, best_cost = 0.0, float("inf")
    for column in candidates:
        cost = sum([_extra_lines(column, start, width, limit, theme) for start, width, limit in sizes])
        if cost < best_cost:
            best, best_cost = column, cost
    return best


def _extra_lines(column: float, start: float, width: float, limit: float, theme: Theme) -> float:
    """Return how many lines a comment adds to its statement with this column."""
    if start <= column and column + min(width, theme.comment_min) <= limit:
        return (width - 1) // (limit - column)
    if start + width <= limit:
        return 1  # beside its element, but out of line with the others
    return 1 + width // max(limit, theme.flow_min)


def wrap_comment(text: str, n_columns: int) -> list[str]:
    """Wrap the text; a blank at a line break stays at the end of its line, a word longer than a line is cut."""
    lines = [""]
    room = n_columns
    for word in text.split(" "):
        need = count_columns(word)
        if need > n_columns:
            begun, *next_lines = _cut_word(word, room, n_columns)
            lines[-1] += begun
            lines += next_lines
            room, need = n_columns, count_columns(next_lines[-1])
        else:
            if need > room and lines[-1]:
                lines.append("")
                room = n_columns
            lines[-1] += word
        lines[-1] += " "
        room -= need + 1
    lines[-1] = lines[-1].removesuffix(" ")
    return lines


def _cut_word(word: str, room: int, n_columns: int) -> list[str]:
    """Cut a word longer than a line: a part for the rest of the line, perhaps empty, and at least one more."""
    parts: list[str] = []
    begin = 0
    for at, width in enumerate(measure_advances(word)):
        if width > room and (at > begin or not parts):
            parts.append(word[begin:at])
            begin, room = at, n_columns
        room -= width
    return [*parts, word[begin:]]


STRUCK_STYLE = "was"
"""Style of a frame whose words are struck out."""
SIGN_WORDS_STYLE = "muted"
"""Style of the words of a sign."""


class SignedBox(NamedTuple):
    """A box with a sign, and where its own words are."""

    box: Box
    top: float
    bottom: float
    baseline: float
    """Of its first line."""


def sign_column_width(rows: Iterable[Box], theme: Theme) -> float:
    """Return the width of the column for signs; 0 for a figure without signs."""
    return theme.sign_column if any(box.sign for box in rows) else 0


def words_beside(box: Box) -> tuple[str, int]:
    """Return the text in the comment column (the words of the sign, then the comment) and the length of the words."""
    words = make_visible(box.sign_words).strip()
    if box.kind == "mark" and box.sign:
        words = words or box.sign  # a mark has no header that the sign could precede
    text = format_comment(box)
    return (f"{words} {text}" if text else words, len(words)) if words else (text, 0)


def pieces_with_signs(line: str, n_words: int) -> list[Run]:
    """Return a line of that column: the rest of the sign's words, up to `n_words` characters, and the comment."""
    if not n_words:
        return [Run(line, "comment")]
    words, rest = line[:n_words], line[n_words:]
    blanks = rest[: len(rest) - len(rest.lstrip(" "))]
    return [Run(words + blanks, SIGN_WORDS_STYLE), *([Run(rest.lstrip(" "), "comment")] if rest.strip() else [])]


def strike_lines(box: Box, pieces: Iterable[Piece], frames: Iterable[Rect], theme: Theme) -> Iterator[Line]:
    """Yield a line through every piece of deleted words."""
    look = theme.signs.get(box.sign)
    is_all = look is not None and look.is_struck
    struck = [frame for frame in frames if frame.style == STRUCK_STYLE]
    if not is_all and not struck:
        return
    for piece in pieces:
        if piece.runs[0].style == SIGN_WORDS_STYLE:
            continue
        y = piece.y - theme.icon_rise
        if is_all or any(_contains_point(frame, piece.x, y) for frame in struck):
            style = "strike-role" if piece.runs[0].style == "role" else "strike"
            yield Line(piece.x, y, piece.x + piece.width, y, style, theme.strike_layer)


def _contains_point(frame: Rect, x: float, y: float) -> bool:
    return frame.x <= x <= frame.x + frame.width and frame.y <= y <= frame.y + frame.height


def draw_signs(signed: Iterable[SignedBox], theme: Theme, width: float) -> Iterator[Item]:
    """Yield the signs and the bands behind the words they mark; neighbours with the same sign share a band."""
    begun: tuple[str, float, float] | None = None
    for each in signed:
        look = theme.signs.get(each.box.sign)
        if look is not None and each.bottom > each.top:
            y = each.baseline - theme.icon_rise - theme.sign_px / 2
            yield Icon(theme.margin + theme.edge + theme.sign_gap, y, theme.sign_px, look.icon)
        sign = each.box.sign if look is not None and look.tint else ""
        if begun is not None and (begun[0] != sign or each.top - begun[2] > theme.line):
            yield from _draw_band(*begun, theme, width)
            begun = None
        if sign:
            begun = (sign, each.top if begun is None else begun[1], each.bottom)
    if begun is not None:
        yield from _draw_band(*begun, theme, width)


def _draw_band(sign: str, top: float, bottom: float, theme: Theme, width: float) -> Iterator[Item]:
    look = theme.signs[sign]
    x = theme.margin + theme.edge / 2
    yield Rect(theme.margin, top, width - theme.margin, bottom - top, look.tint, layer=theme.tint_layer)
    yield Line(x, top, x, bottom, look.edge)


_PLAIN = Look()


@dataclass(slots=True, eq=False)
class _Row:
    """A box on its way to a place."""

    box: Box
    look: Look
    parent: "_Row | None"
    level: int
    n_marks: int
    """The number of call-outs around it."""
    n_children: int = 0
    x: float = 0
    limit: float = 0
    setting: TypesetWords | None = None
    comment: str = ""
    """The text beside or below it: the words of its sign, and its comment with the `//`."""
    n_words: int = 0
    """Characters of it that belong to the sign."""
    comment_x: float = 0
    comment_lines: list[str] = field(default_factory=list)
    is_comment_below: bool = False
    right: float = 0
    """Right edge of its own words and comment."""
    inner: float = 0
    """Right edge of those and of everything inside it."""
    outer: float = 0
    """`inner` and the bracket around it."""
    top: float = 0
    bottom: float = 0
    baseline: float = 0
    items: list[Item] = field(default_factory=list)


def layout(box: Box, theme: Theme, width_px: float | None = None) -> Scene:
    """Give every box a place.

    Sizes are found bottom-up in one pass; nothing is measured by drawing it.

    Parameters:
        box: The figure, from `describe`.
        theme: All distances, in CSS px; font advances are in em.
        width_px: Widest figure wanted. `None` means as wide as the longest line, but not wider than a column of text.

    Returns:
        A scene with its origin at the top left and y growing downwards.
        Every group lies inside its parent; siblings do not overlap and keep their order.

    A piece that cannot be broken may stick out past `width_px`; the scene is wide enough to include it.
    """
    wanted = (width_px or theme.width_px) - theme.margin
    rows = list(_make_rows(box, theme))
    _set_all(rows, theme, wanted)
    for definition in _by_definition(rows):
        _place_comments(definition, theme)
    _find_extents(rows, theme)
    width = max(rows[0].outer, theme.width_min)
    _stack_rows(rows, theme, width)
    root = rows[0].items[0]
    if not isinstance(root, Group):
        raise TypeError("the root of a figure is a group")
    return Scene(width + theme.margin, root.height + 2 * theme.margin, root)


def _make_rows(root: Box, theme: Theme) -> Iterator[_Row]:
    """Yield a row for every box, in reading order."""
    pending: list[tuple[Box, _Row | None]] = [(root, None)]
    while pending:
        box, parent = pending.pop()
        level = n_marks = 0
        if parent is not None:
            parent.n_children += 1
            level = parent.level + (parent.look.is_indenting and parent.box is not root)
            n_marks = parent.n_marks + (parent.box.kind == "mark")
        row = _Row(box, theme.looks.get(box.kind, _PLAIN), parent, level, n_marks)
        yield row
        pending.extend([(child, row) for child in reversed(box.children)])


def _set_all(rows: list[_Row], theme: Theme, wanted: float) -> None:
    """Set the words of every row at its indentation."""
    deepest = max(row.level for row in rows)
    indent = theme.indent
    if deepest * indent > wanted * theme.indent_share:
        indent = max(theme.indent_min, wanted * theme.indent_share // deepest)
    n_marks = max(row.n_marks for row in rows)
    bracket = (wanted * theme.indent_share) // n_marks if n_marks else 0
    bracket = min(bracket, theme.bracket_gap + theme.bracket + _label_room(theme, theme.label_columns))
    left = theme.margin + sign_column_width((row.box for row in rows), theme)
    for row in rows[1:]:
        row.x = left + row.level * indent
        row.limit = wanted - row.n_marks * bracket
        row.comment, row.n_words = words_beside(row.box)
        words = _header_words(row)
        if words:
            lead, tail = (theme.rule_lead, theme.rule_gap + theme.rule_lead) if row.look.rule else (0, 0)
            measured = measure_words(words, theme, row.look.frame)
            row.setting = set_words(measured, row.x + lead, row.limit - tail, theme)
            row.right = row.setting.right + tail
            if row.look.badge:
                _add_badge(row, theme)


def _header_words(row: _Row) -> Words:
    box = row.box
    if box.kind in ("comment", "mark"):
        return ()
    if box.kind.startswith("role."):
        return tuple(Run(word.text.upper(), "role") if isinstance(word, Run) else word for word in box.header)
    return box.header


def _add_badge(row: _Row, theme: Theme) -> None:
    """Put the badge of a kind after the header, inside its frame if that is not too wide."""
    setting = row.setting
    if setting is None:
        return
    badge = measure_words((Pill("badge", (Run(row.look.badge, "badge-text"),)),), theme)
    last = setting.pieces[-1] if setting.pieces else None
    x = (last.x + last.width if last else setting.right) + theme.badge_gap
    sign = set_words(badge, x, x + badge.width, theme)
    down = (last.y if last else setting.baseline) - sign.baseline
    layered = [Rect(r.x, r.y + down, r.width, r.height, r.style, r.radius, r.layer + 1) for r in sign.rects]
    setting.rects += layered
    setting.pieces += [Piece(p.x, p.y + down, p.width, p.runs, p.is_small, p.is_bold, " ") for p in sign.pieces]
    setting.right = max(setting.right, sign.right + theme.badge_gap)
    row.right = setting.right


def _by_definition(rows: list[_Row]) -> Iterator[list[_Row]]:
    """Yield the rows of each child of the root: comments line up within a definition."""
    begun: list[_Row] = []
    for row in rows[1:]:
        if row.parent is rows[0] and row.look.frame and row.look.frame.is_full and begun:
            yield begun
            begun = []
        begun.append(row)
    yield begun


def _place_comments(rows: list[_Row], theme: Theme) -> None:
    """Choose the column of comments, and wrap each comment beside or below its element."""
    column_px = theme.column_width(is_small=True)
    beside = [row for row in rows if row.comment and row.setting]
    sizes = [
        (row.right + theme.comment_gap, count_columns(row.comment) * column_px + theme.overhang, row.limit)
        for row in beside
    ]
    column = choose_column(sizes, theme)
    for row in rows:
        if not row.comment:
            continue
        natural = count_columns(row.comment) * column_px + theme.overhang
        # A bar across the figure is one line high, and so must be its content.
        is_in_bar = bool(row.look.frame and row.look.frame.is_full)
        least = natural if is_in_bar else min(natural, theme.comment_min)
        row.comment_x = row.x
        if row.setting is not None:
            own = row.right + theme.comment_gap
            if theme.comments_beside and own <= column and column + least <= row.limit:
                row.comment_x = column
            elif theme.comments_beside and own + natural <= row.limit:
                row.comment_x = own
            else:
                row.is_comment_below = True
                row.comment_x = row.x + theme.wrapped_indent
        room = max(row.limit - row.comment_x - theme.overhang, theme.flow_least)
        row.comment_lines = wrap_comment(row.comment, int(room // column_px))
        widest = max(count_columns(line.rstrip(" ")) for line in row.comment_lines) * column_px
        row.right = max(row.right, row.comment_x + widest + theme.overhang)


def _find_extents(rows: list[_Row], theme: Theme) -> None:
    """Compute how far right each row and its contents reach."""
    for row in reversed(rows):
        row.inner = row.outer = max(row.inner, row.right, row.x)
        if row.box.kind == "mark":
            label = count_columns(call_out(row.box))
            row.outer = row.inner + theme.bracket_gap + theme.bracket + _label_room(theme, label)
        if row.parent is not None:
            row.parent.inner = max(row.parent.inner, row.outer)


def _label_room(theme: Theme, n_columns: int) -> float:
    return theme.nested_gap * 2 + n_columns * theme.column_width(is_small=True)


def _stack_rows(rows: list[_Row], theme: Theme, width: float) -> None:
    """Stack the rows vertically and collect what is drawn for each."""
    rows[0].inner = rows[0].outer = width
    open_rows: list[_Row] = []
    y = theme.margin
    is_first = was_block = True
    for row in rows:
        if row.look.frame and row.look.frame.is_full:
            row.outer = width
        while open_rows and open_rows[-1] is not row.parent:
            was_block = _close_row(open_rows.pop(), y, theme) or was_block
        if len(open_rows) > 1 and is_first:
            y += theme.gap_first if open_rows[-1].setting else 0
        elif not is_first:
            y += max(row.look.gap, theme.gap_after if was_block else 0)
        row.top = y
        y = row.bottom = _draw_row(row, y, theme, width)
        open_rows.append(row)
        is_first, was_block = row.n_children > 0, False
    while len(open_rows) > 1:
        _close_row(open_rows.pop(), y, theme)
    placed = [SignedBox(row.box, row.top, row.bottom, row.baseline) for row in rows[1:]]
    rows[0].items[:0] = draw_signs(placed, theme, width)
    _close_row(rows[0], y, theme)


def _draw_row(row: _Row, y: float, theme: Theme, width: float) -> float:
    """Draw the header and the comment of a row; returns where they end."""
    setting = row.setting
    pieces: list[Piece] = []
    bottom, baseline = y, y + theme.rise
    if setting is not None:
        baseline, bottom = y + setting.baseline, y + setting.height
        for rect in setting.rects:
            is_full = bool(row.look.frame and row.look.frame.is_full and rect is setting.rects[0])
            right = width if is_full else rect.x + rect.width
            row.items.append(Rect(rect.x, rect.y + y, right - rect.x, rect.height, rect.style, rect.radius, rect.layer))
        row.items += [Icon(icon.x, icon.y + y, icon.size, icon.name, icon.layer) for icon in setting.icons]
        if row.look.rule and row.parent is not None:
            is_in_full = bool(row.parent.look.frame and row.parent.look.frame.is_full)
            right = row.outer = width if is_in_full else row.parent.inner
            row.items += _draw_rule(row, setting, right, baseline - theme.icon_rise, theme)
        pieces += [
            Piece(p.x, p.y + y, p.width, p.runs, p.is_small, p.is_bold, p.space, p.target) for p in setting.pieces
        ]
    row.baseline = baseline
    if row.comment_lines:
        baseline = bottom + theme.pill_pad + theme.rise if row.is_comment_below else baseline
        beside = _comment_pieces(row, baseline, theme, " " if setting else "")
        pieces += beside
        bottom = max(bottom, beside[-1].y + theme.line - theme.rise)
    if pieces:
        row.items.append(Text(tuple(pieces)))
        row.items += strike_lines(row.box, pieces, [item for item in row.items if isinstance(item, Rect)], theme)
    return bottom


def _comment_pieces(row: _Row, baseline: float, theme: Theme, space: str) -> list[Piece]:
    column_px = theme.column_width(is_small=True)
    pieces: list[Piece] = []
    n_words = row.n_words
    for number, line in enumerate(row.comment_lines):
        text, x, y = line.rstrip(" "), row.comment_x, baseline + number * theme.comment_line
        for run in pieces_with_signs(text, n_words):
            bare = run.text.rstrip(" ")
            pieces.append(
                Piece(x, y, count_columns(bare) * column_px, (Run(bare, run.style),), is_small=True, space=space)
            )
            x += count_columns(run.text) * column_px
            space = " " if len(bare) < len(run.text) else ""
        n_words = max(n_words - len(line), 0)
        space = " " if len(text) < len(line) else ""
    return pieces


def _draw_rule(row: _Row, typeset: TypesetWords, right: float, y: float, theme: Theme) -> list[Item]:
    """Draw a line before the words and one after them, up to the right edge of the container."""
    ends = row.comment_x - theme.rule_gap if row.comment_lines and not row.is_comment_below else right
    return [
        Line(row.x, y, row.x + theme.rule_lead - theme.rule_gap, y, row.look.rule),
        Line(typeset.right + theme.rule_gap, y, max(ends, row.right if ends == right else ends), y, row.look.rule),
    ]


def _close_row(row: _Row, y: float, theme: Theme) -> bool:
    """End a row at `y`: its bar, its bracket, its group. Return whether it was drawn as a block."""
    box, items, height = row.box, row.items, y - row.top
    has_bar = bool(row.look.bar and row.n_children)
    if has_bar:
        top = row.top
        if row.look.is_bar_below and row.setting and row.look.frame:
            top += row.setting.height - row.look.frame.radius  # so that there is no gap at the rounded corner
        items.insert(0, Rect(row.x, top, row.look.bar_width, y - top, row.look.bar))
    if box.kind == "mark":
        x = row.inner + theme.bracket_gap
        items.append(Bracket(x, row.top, theme.bracket, height, "mark"))
        label = call_out(box)
        width = count_columns(label) * theme.column_width(is_small=True)
        middle = row.top + height / 2 + theme.icon_rise - theme.margin
        piece = Piece(x + theme.bracket + theme.nested_gap, middle, width, (Run(label, "keyword"),), True, True, " ")
        if label:
            items.append(Text((piece,)))
    group = Group(row.x, row.top, row.outer - row.x, height, tuple(items), box.anchor, box.span)
    if row.parent is None:
        row.items = [group]
    else:
        row.parent.items.append(group)
    return has_bar or box.kind == "mark"

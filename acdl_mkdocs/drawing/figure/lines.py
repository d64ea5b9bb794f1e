"""Set the words of one statement: frames around frames, broken into lines where they do not fit.

Widths are found bottom-up by `measure_words`, once; `set_words` then goes top-down. Both need a Python frame per level
of nesting. Knows nothing about ACDL.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from acdl_mkdocs.drawing.figure.scene import Icon, Piece, Rect
from acdl_mkdocs.drawing.figure.theme import Frame, Theme
from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.text_width import count_columns
from acdl_mkdocs.language.syntax.words import Run, Words

_ATOMS = compile_later(r"\.?[^ ,.(\[{|]*(?:, *|[ (\[{|]+)|\.[^ ,.(\[{|]*|[^ ,.(\[{|]+")
_FIELD = compile_later(r"\.[^\W\d]")
_JOINER = compile_later(r" [^ ]+ ")
"""The text between two operands: ` == `, ` ... `, ` every `."""


class MeasuredWords(NamedTuple):
    """Words whose natural size is known."""

    frame: Frame | None
    items: tuple["_Inline", ...]
    width: float
    rise: float
    """Room that frames need above the text, and as much below."""
    column: float
    target: str = ""


_Inline: TypeAlias = Run | MeasuredWords


def measure_words(words: Words, theme: Theme, frame: Frame | None = None, target: str = "") -> MeasuredWords:
    """Measure the natural size of the words; texts are made visible on the way."""
    column = theme.column_width(bool(frame and frame.is_small))
    n_columns = 0
    width = rise = 0.0
    items: list[_Inline] = []
    for word in words:
        if isinstance(word, Run):
            text = make_visible(word.text)
            items.append(word if text == word.text else Run(text, word.style))
            n_columns += count_columns(text)
        else:
            inner = measure_words(word.words, theme, theme.pills[word.style], word.target)
            items.append(inner)
            width += inner.width + (2 * theme.nested_gap if frame else 0)
            rise = max(rise, inner.rise)
    width += n_columns * column
    if frame is None:
        return MeasuredWords(None, tuple(items), width, max(rise, theme.pill_pad), column, target)
    width += 2 * frame.pad_x + _icon_room(frame, theme)
    return MeasuredWords(frame, tuple(items), width, rise + frame.pad_y, column, target)


def _icon_room(frame: Frame, theme: Theme) -> float:
    return frame.icon_px + theme.icon_gap if frame.icon else 0


@dataclass(slots=True)
class TypesetWords:
    """A statement with places: x is absolute, y starts at 0."""

    theme: Theme
    rects: list[Rect]
    icons: list[Icon]
    pieces: list[Piece]
    right: float = 0
    height: float = 0
    baseline: float = 0
    """Baseline of the first line."""
    space: str = ""
    """The text between the last piece and the next one."""

    def add_piece(self, runs: Sequence[Run], x: float, y: float, within: MeasuredWords) -> tuple[float, float]:
        """Add text as one piece without the blanks around it; return where it ends, without and with these blanks."""
        text = "".join([run.text for run in runs])
        bare = text.strip(" ")
        if not bare:
            self.space = " " if text else self.space
            return x, x + len(text) * within.column
        n_columns = count_columns(text)
        end = x + n_columns * within.column
        if bare != text:
            runs = _strip_runs(runs)
            n_columns -= len(text) - len(bare)
        if text[0] == " ":
            x += (len(text) - len(text.lstrip(" "))) * within.column
            self.space = " "
        width = n_columns * within.column
        frame = within.frame
        is_small, is_bold = (frame.is_small, frame.is_bold) if frame else (False, False)
        self.pieces.append(Piece(x, y, width, tuple(runs), is_small, is_bold, self.space, within.target))
        self.right = max(self.right, x + width)
        self.space = " " if text[-1] == " " else ""
        return x + width, end


def _strip_runs(runs: Sequence[Run]) -> Sequence[Run]:
    """Remove the blanks at the beginning and at the end; not all of them are blank."""
    kept = list(runs)
    while kept[0].text[:1] == " ":
        bare = kept[0].text.lstrip(" ")
        kept[:1] = [Run(bare, kept[0].style)] if bare else []
    while kept[-1].text[-1:] == " ":
        bare = kept[-1].text.rstrip(" ")
        kept[-1:] = [Run(bare, kept[-1].style)] if bare else []
    return kept


def set_words(words: MeasuredWords, x: float, limit: float, theme: Theme) -> TypesetWords:
    """Place the words, none past `limit` unless it cannot be broken."""
    typeset = TypesetWords(theme, [], [], [], baseline=words.rise + theme.rise)
    right, bottom, _ = _place_words(typeset, words, x, 0, limit, 0)
    typeset.right = max(typeset.right, right)
    typeset.height = bottom
    return typeset


def _place_words(
    typeset: TypesetWords, node: MeasuredWords, x: float, top: float, limit: float, layer: int
) -> tuple[float, float, float]:
    """Place a node with its outer top at `top`; return its outer right and bottom, and its last baseline."""
    theme, frame = typeset.theme, node.frame
    at = len(typeset.rects)
    start, gap, y, least, fits = x, 0.0, top, theme.pill_pad, x + node.width <= limit
    if frame is not None:
        typeset.rects.append(Rect(x, top, node.width, 0, frame.style, frame.radius, layer))
        start, gap, y, least = x + frame.pad_x + _icon_room(frame, theme), theme.nested_gap, top + frame.pad_y, 0
        limit -= frame.pad_x
    right, bottom, baseline = start, y, y
    rise = node.rise - (y - top)  # text beside a frame counts on its first baseline, whatever that line contains
    for number, line in enumerate([node.items] if fits else _break_lines(node, start, limit, gap, theme)):
        rise = max([item.rise for item in line if isinstance(item, MeasuredWords)], default=least) if number else rise
        baseline, bottom = y + rise + theme.rise, y + 2 * rise + theme.line
        if number == 0 and frame is not None and frame.icon:
            _place_icon(typeset, frame, x, baseline, layer)
        cursor = start + (theme.wrapped_indent if number else 0)
        runs: list[Run] = []
        for item in line:
            if isinstance(item, Run):
                runs.append(item)
                continue
            _, cursor = typeset.add_piece(runs, cursor, baseline, node)
            runs = []
            y = baseline - theme.rise - item.rise
            # Text after a frame of several lines is beside the last of them.
            cursor, y, baseline = _place_words(typeset, item, cursor + gap, y, limit - 2 * node.column, layer + 1)
            cursor, bottom = cursor + gap, max(bottom, y)
        end, _ = typeset.add_piece(runs, cursor, baseline, node)
        right, y = max(right, end), bottom + theme.wrapped_gap
    return (right, bottom, baseline) if frame is None else (*_end_frame(typeset, at, frame, right, bottom), baseline)


def _place_icon(typeset: TypesetWords, frame: Frame, x: float, baseline: float, layer: int) -> None:
    top = baseline - typeset.theme.icon_rise - frame.icon_px / 2
    typeset.icons.append(Icon(x + frame.pad_x, top, frame.icon_px, frame.icon, layer))


def _end_frame(typeset: TypesetWords, at: int, frame: Frame, right: float, bottom: float) -> tuple[float, float]:
    begun = typeset.rects[at]
    right, bottom = right + frame.pad_x, bottom + frame.pad_y
    size = (right - begun.x, bottom - begun.y)
    typeset.rects[at] = Rect(begun.x, begun.y, *size, begun.style, begun.radius, begun.layer)
    return right, bottom


def _break_lines(
    node: MeasuredWords, start: float, limit: float, gap: float, theme: Theme
) -> Sequence[Sequence[_Inline]]:
    """Break the items of a node that do not fit on one line, where `_BREAKS` allow it."""
    chunks = list(_split_chunks(node.items))
    if not chunks:  # an empty frame, inside so many others that there is no room for it
        return [node.items]
    breaker = _LineBreaker(node.column, gap, start, max(limit, start + theme.flow_least), theme)
    _add_chunks(breaker, chunks, _BREAKS)
    return breaker.lines


_Chunk: TypeAlias = list[_Inline]
"""Atoms, the smallest parts of words, that stay together: one atom, or a whole index."""
_IsBreak: TypeAlias = Callable[[_Inline, _Inline], bool]


def _split_chunks(items: Iterable[_Inline]) -> Iterator[_Chunk]:
    """Split items into chunks."""
    index: _Chunk = []
    depth = 0
    for item in items:
        if isinstance(item, Run) and item.style == "index" and (index or item.text.startswith("[")):
            depth += item.text.count("[") - item.text.count("]")
            index.append(item)
            if depth <= 0:
                yield index
                index = []
        elif index:
            index.append(item)
        else:
            yield from ([atom] for atom in _split_atoms(item))
    if index:
        yield index


def _split_atoms(item: _Inline) -> list[_Inline]:
    """Return the smallest parts of an item."""
    if isinstance(item, Run) and not _is_joiner(item):
        return [Run(text, item.style) for text in _ATOMS.findall(item.text)]
    return [item]


def _add_chunks(breaker: "_LineBreaker", chunks: list[_Chunk], breaks: Sequence[_IsBreak]) -> None:
    """Add chunks to the lines, those that fit no line in the smaller parts that the next kind of break allows."""
    for unit in _group_chunks(chunks, breaks[0]):
        atoms = [atom for chunk in unit for atom in chunk]
        n_blanks = _count_end_blanks(atoms[-1])
        width = breaker.measure_unit(atoms, n_blanks)
        if len(breaks) == 1 or not breaker.is_too_wide(width):
            breaker.add_unit(atoms, width, n_blanks)
        elif len(breaks) == 2:
            _add_chunks(breaker, [[part] for atom in atoms for part in _split_atoms(atom)], breaks[1:])
        else:
            _add_chunks(breaker, unit, breaks[1:])


def _group_chunks(chunks: list[_Chunk], is_break: _IsBreak) -> list[list[_Chunk]]:
    """Group chunks that must stay together."""
    units = [chunks[:1]]
    for before, after in pairwise(chunks):
        if is_break(before[-1], after[0]):
            units.append([])
        units[-1].append(after)
    return units


def _is_joiner(item: _Inline) -> bool:
    return isinstance(item, Run) and _JOINER.fullmatch(item.text) is not None


def _may_break(before: _Inline, after: _Inline) -> bool:
    """Return whether a line may end between two atoms: after a comma or blank, and before a joining operator."""
    if _is_joiner(before) or _is_joiner(after):
        return not _is_joiner(before)
    return isinstance(before, Run) and before.text[-1] in " ,"


def _must_break(before: _Inline, after: _Inline) -> bool:
    """Return whether a line may end there if nothing else fits: also at brackets, fields and tight operators."""
    return _breaks_bracket(before, after) or (isinstance(after, Run) and _FIELD.match(after.text) is not None)


def _breaks_bracket(before: _Inline, after: _Inline) -> bool:
    if _is_joiner(before):
        return False
    return (isinstance(before, Run) and before.text[-1] in " ,([{|") or (
        isinstance(after, Run) and after.style == "operator"
    )


def _breaks_index(before: _Inline, after: _Inline) -> bool:
    """Return whether a line may end there if not even a name and its index fit: before the index."""
    del before
    return isinstance(after, Run) and after.style == "index" and after.text.startswith("[")


_BREAKS: tuple[_IsBreak, ...] = (_may_break, _must_break, _breaks_index, _breaks_bracket)
"""Kinds of breaks, those that read best first; only the last breaks an index."""


class _LineBreaker:
    """Fills lines with units, greedily."""

    def __init__(self, column: float, gap: float, start: float, limit: float, theme: Theme) -> None:
        self.lines: list[list[_Inline]] = [[]]
        self._column, self._gap = column, gap
        self._cursor, self._fresh, self._limit = start, start + theme.wrapped_indent, limit
        self._flow_min = theme.flow_min

    def add_unit(self, unit: list[_Inline], width: float, n_blanks: int) -> None:
        """Put a unit on the open line, or on the next.

        Parameters:
            unit: Atoms that stay together.
            width: Their width without the blanks at the end.
            n_blanks: The number of these.
        """
        is_full = self._cursor + width > self._limit
        if is_full and self.lines[-1] and not self._stays(width):
            first = unit[0]
            if isinstance(first, Run) and _is_joiner(first):  # its blank stays behind
                self.lines[-1].append(Run(" ", first.style))
                unit = [Run(first.text.lstrip(" "), first.style), *unit[1:]]
            self.lines.append([])
            self._cursor = self._fresh
        self.lines[-1].extend(unit)
        self._cursor += width + n_blanks * self._column

    def _stays(self, width: float) -> bool:
        """Return whether a unit that does not fit stays on the open line.

        A frame that must wrap anyway does so here if there is room enough to be readable, beside its padding and what
        follows it.
        """
        reserved = 2 * self._column
        room = self._limit - self._cursor - 2 * reserved
        return room >= self._flow_min and self.is_too_wide(width)

    def is_too_wide(self, width: float) -> bool:
        """Return whether a unit of a width does not fit even on an empty line."""
        return self._fresh + width > self._limit

    def measure_unit(self, unit: list[_Inline], n_blanks: int) -> float:
        """Return the width of a unit without so many blanks at its end."""
        texts = "".join([item.text for item in unit if isinstance(item, Run)])
        frames = sum([item.width + 2 * self._gap for item in unit if isinstance(item, MeasuredWords)])
        return (count_columns(texts) - n_blanks) * self._column + frames


def _count_end_blanks(item: _Inline) -> int:
    """Count the blanks at the end, which a line that ends there does not need."""
    return len(item.text) - len(item.text.rstrip(" ")) if isinstance(item, Run) else 0

"""Lines and characters as an editor counts them: UTF-16, UTF-8 and code points, with every kind of line end."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from steps import n_steps

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.positions import EditableLines, Encoding, Position, Positions

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
TEXTS = st.text(st.sampled_from("ab\r\n\té\u0301日\u2028\U0001f600\U00020000"), max_size=60)


@pytest.mark.parametrize(
    ("encoding", "text", "offset", "expected"),
    [
        ("utf-16", "a😀b", 2, (0, 3)),
        ("utf-8", "a😀b", 2, (0, 5)),
        ("utf-32", "a😀b", 2, (0, 2)),
        ("utf-16", "é日b", 2, (0, 2)),
        ("utf-8", "é日b", 2, (0, 5)),
        ("utf-16", "a\r\nb", 3, (1, 0)),
        ("utf-16", "a\rb", 2, (1, 0)),
        ("utf-16", "a\n\nb", 2, (1, 0)),
        ("utf-16", "a\r\nb", 2, (0, 1)),
        ("utf-16", "😀\n😀x", 3, (1, 2)),
        ("utf-16", "e\u0301x", 2, (0, 2)),
        ("utf-16", "a\u2028b", 2, (0, 2)),
        ("utf-16", "ab", 99, (0, 2)),
        ("utf-16", "ab", -5, (0, 0)),
        ("utf-16", "", 0, (0, 0)),
    ],
)
def test_position(encoding: Encoding, text: str, offset: int, expected: tuple[int, int]) -> None:
    """An offset as line and character."""
    assert Positions(text, encoding).position_of(offset) == Position(*expected)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ((0, 0), 0),
        ((0, 3), 2),
        ((0, 2), 1),  # within the pair: its beginning
        ((0, 99), 3),
        ((1, 0), 5),
        ((1, 99), 6),
        ((2, 0), 6),
        ((9, 9), 6),
        ((-1, 4), 0),
        ((0, -4), 0),
    ],
)
def test_offset(place: tuple[int, int], expected: int) -> None:
    """Places behind a line, behind the text or within a character are moved as the protocol says."""
    assert Positions("a😀b\r\nc").offset_at(*place) == expected


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_round_trip(text: str, encoding: Encoding) -> None:
    """Every offset outside of line ends comes back, and counts what its line has before it."""
    table = Positions(text, encoding)
    for offset in range(len(text) + 1):
        place = table.position_of(offset)
        start = table.line_span(place.line).start
        if text[offset - 1 : offset + 1] == "\r\n":
            continue
        assert table.offset_at(place.line, place.character) == offset
        unit = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
        name = encoding if encoding == "utf-8" else f"{encoding}-le"
        assert place.character == len(text[start:offset].encode(name)) // unit


@given(TEXTS, st.integers(-2, 70), st.integers(-2, 70), st.sampled_from(ENCODINGS))
def test_any_place(text: str, line: int, character: int, encoding: Encoding) -> None:
    """Whatever an editor says, the offset is in the text and its place leads to it."""
    table = Positions(text, encoding)
    offset = table.offset_at(line, character)
    assert 0 <= offset <= len(text)
    place = table.position_of(offset)
    assert table.offset_at(place.line, place.character) == offset


def test_span() -> None:
    """Two places are a span in whatever order they come."""
    table = Positions("ab\ncd")
    assert table.span_between(Position(1, 1), Position(0, 1)) == Span(1, 4)
    assert table.range_of(Span(1, 4)) == (Position(0, 1), Position(1, 1))


PLACES = st.builds(Position, st.integers(-1, 12), st.integers(-1, 12))


@given(TEXTS, st.lists(st.tuples(PLACES, PLACES, TEXTS), max_size=6), st.sampled_from(ENCODINGS))
def test_many_edits(text: str, edits: list[tuple[Position, Position, str]], encoding: Encoding) -> None:
    """Edits one after another leave the text that is there if each looks at all of it anew."""
    lines = EditableLines(text, encoding)
    for start, end, new in edits:
        span = Positions(text, encoding).span_between(start, end)
        text = text[: span.start] + new + text[span.end :]
        lines.replace_range(start, end, new)
        assert lines.text == text


def test_edits_of_a_long_text() -> None:
    """An edit costs as much as the lines that it touches, and not as the text."""
    short, long = EditableLines("ab\n" * 10), EditableLines("ab\n" * 100_000)

    def edit(lines: EditableLines) -> None:
        lines.replace_range(Position(5, 0), Position(6, 1), "x\ny")

    assert n_steps(lambda: edit(short)) == n_steps(lambda: edit(long))


def test_many_questions_of_a_long_text() -> None:
    """A question costs the logarithm of the text: a megabyte on one line is as quick as a short one."""
    short, table = Positions("😀x" * 500), Positions("😀x" * 500_000)
    for offset in range(0, 1_000_000, 100):
        assert table.offset_at(0, table.position_of(offset).character) == offset
    assert n_steps(lambda: table.offset_at(0, table.position_of(999_999).character)) == n_steps(
        lambda: short.offset_at(0, short.position_of(999).character)
    )
    tracemalloc.start()
    table.offset_at(0, table.position_of(999_999).character)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000  # what looks through a text in C copies it first: its lines, its bytes

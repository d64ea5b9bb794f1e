"""Offsets to lines and columns, in a file and in a fence inside a page."""

import tracemalloc

import pytest

from acdl_mkdocs.foundation.source import Place, Source


def test_place_in_a_file() -> None:
    """Lines and columns begin with 1; the line end belongs to its line."""
    source = Source("ab\n\ncd\n")
    assert [source.find_place(offset) for offset in (0, 1, 2, 3, 4, 6, 7)] == [
        Place(1, 1),
        Place(1, 2),
        Place(1, 3),
        Place(2, 1),
        Place(3, 1),
        Place(3, 3),
        Place(4, 1),
    ]


def test_place_in_a_fence() -> None:
    """A fence reports the line and column of its page on every line."""
    source = Source("ab\ncd", "docs/a.md", first_line=42, first_column=5)
    assert source.find_place(0) == Place(42, 5)
    assert source.find_place(4) == Place(43, 6)


def test_line_text() -> None:
    """A line comes without its end, whichever it is; other separators of Unicode end no line."""
    source = Source("ab\r\nc\u2028d\x0be\nf")
    assert [source.line_text(index) for index in range(3)] == ["ab", "c\u2028d\x0be", "f"]
    assert Source("").line_text(0) == ""


@pytest.mark.parametrize("line", ["\n", "é\r\n", "a" * 255 + "\n", "a" * 700 + "\n"])
def test_large_text(line: str) -> None:
    """Places in a text of which not every line is remembered are those that its small pieces have."""
    n_lines = 1_000_001 // len(line) + 1
    source = Source(line * n_lines + "end")
    assert len(source.line_starts) == n_lines + 1
    for number in (0, 1, 2, 255, 256, 257, n_lines // 2, n_lines - 1):
        start = number * len(line)
        assert source.line_starts[number] == start
        assert source.find_place(start) == Place(number + 1, 1)
        assert source.find_place(start + len(line) - 1) == Place(number + 1, len(line))
        assert source.line_text(number) == line.rstrip()
    assert source.line_starts[-1] == len(source.text) - 3
    assert source.line_starts[1:3] == [len(line), 2 * len(line)]
    assert source.find_place(len(source.text)) == Place(n_lines + 1, 4)
    assert source.line_text(n_lines) == "end"
    with pytest.raises(IndexError):
        source.line_starts[n_lines + 1]


def test_memory_of_places() -> None:
    """One place in a text of very many lines costs a fraction of the text."""
    source = Source("\n" * 4_000_000)
    tracemalloc.start()
    assert source.find_place(3_999_999).line == 4_000_000
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak_bytes < 1_000_000


def test_columns_count_code_points() -> None:
    """A character outside the first plane is one column."""
    assert Source("🤖x").find_place(1) == Place(1, 2)

"""Offsets to lines and columns, in a file and in a fence inside a page."""

from acdl_mkdocs.source import Place, Source


def test_place_in_a_file() -> None:
    """Lines and columns begin with 1; the line end belongs to its line."""
    source = Source("ab\n\ncd\n")
    assert [source.place(offset) for offset in (0, 1, 2, 3, 4, 6, 7)] == [
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
    assert source.place(0) == Place(42, 5)
    assert source.place(4) == Place(43, 6)


def test_line_text() -> None:
    """A line comes without its end, whichever it is; other separators of Unicode end no line."""
    source = Source("ab\r\nc\u2028d\x0be\nf")
    assert [source.line_text(index) for index in range(3)] == ["ab", "c\u2028d\x0be", "f"]
    assert Source("").line_text(0) == ""


def test_columns_count_code_points() -> None:
    """A character outside the first plane is one column."""
    assert Source("🤖x").place(1) == Place(1, 2)

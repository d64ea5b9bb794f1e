"""The pieces of ACDL in a document, and where their offsets are in it."""

from pathlib import Path

import pytest

from acdl_mkdocs.foundation.diagnostics import TextEdit as PieceEdit
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.documents import Document, language_of, path_of

PAGE = """# Title

```acdl title="A"
A[@T]: { U: env.first[@T] }
```

- An item

    ```acdl
    B[@T]: {
        U: env.second[@T]

    }
    ```

> ~~~ {.acdl #c}
> C[@T]: { U: env.third[@T] }
> ~~~

```python
D[@T]: { U: env.code[@T] }
```

```{acdl}
:title: Directive

E[@T]: { U: env.fifth[@T] }
```

```acdl src="a.acdl"
```
"""


def page(text: str = PAGE) -> Document:
    """A page."""
    return Document("file:///p/page.md", text, "markdown")


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_pieces_of_a_page(line_end: str) -> None:
    """Each fence is a piece; one that shows a file is none."""
    document = page(PAGE.replace("\n", line_end))
    assert [each.source.text.split("[")[0].strip() for each in document.pieces] == ["A", "B", "C", "E"]
    assert [each.fence.language for each in document.fences] == ["acdl", "acdl", "acdl", "python", "acdl", "acdl"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_every_offset_has_its_place(line_end: str) -> None:
    """Each character of a piece is the same one in the document, there and back."""
    document = page(PAGE.replace("\n", line_end))
    for piece in document.pieces:
        for offset, character in enumerate(piece.source.text):
            place = piece.to_document(Span(offset, offset)).start
            assert document.text[place] == (character if character != "\n" else line_end[0])
            assert piece.from_document(place) == offset
            assert document.piece_at(place) is piece


def test_outside_of_pieces() -> None:
    """Prose and opening lines are in no piece; what stands before a line belongs to it."""
    document = page()
    assert document.piece_at(0) is None
    assert document.piece_at(document.text.index('title="A"')) is None
    piece = document.pieces[1]
    assert piece.from_document(document.text.index("    B[@T]")) == 0


def test_options_of_a_directive_are_not_its_text() -> None:
    """A piece of a directive begins below its options."""
    piece = page().pieces[3]
    assert piece.source.text.startswith("E[@T]")
    assert dict(page().fences[4].list_option_values())["title"] == Span(*_span_of("Directive"))


def test_values_of_opening_lines() -> None:
    """The options of an opening line, without their quotes."""
    document = page()
    assert [document.text[span.start : span.end] for _, span in document.fences[0].list_option_values()] == ["A"]
    assert [document.text[span.start : span.end] for _, span in document.fences[5].list_option_values()] == ["a.acdl"]


def _span_of(word: str) -> tuple[int, int]:
    return PAGE.index(word), PAGE.index(word) + len(word)


@pytest.mark.parametrize(
    ("piece", "edit", "expected"),
    [
        (0, ("env", "sys"), "A[@T]: { U: sys.first[@T] }\n"),
        (1, ("U: env", "S: X\n    U: env"), "        S: X\n        U: env.second[@T]\n"),
        (2, (" U: env", "\n    U: env"), "> C[@T]: {\n>     U: env.third[@T] }\n"),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_edits(line_end: str, piece: int, edit: tuple[str, str], expected: str) -> None:
    """Edits of several lines get the indentation, the quote marks and the line ends of the fence."""
    document = page(PAGE.replace("\n", line_end))
    text = document.pieces[piece].source.text
    at = text.index(edit[0])
    (found,) = document.pieces[piece].translate_edits([PieceEdit(Span(at, at + len(edit[0])), edit[1])])
    edited = document.text[: found.span.start] + found.text + document.text[found.span.end :]
    assert expected.replace("\n", line_end) in edited


def test_an_edit_of_prose_parses_no_fence_again() -> None:
    """A fence that moves keeps its tree."""
    before = page()
    trees = [each.parsed.file for each in before.pieces]
    after = before.with_text("more\n\n" + before.text, 1)
    assert all(each.parsed.file is tree for each, tree in zip(after.pieces, trees, strict=True))
    assert after.pieces[0].parsed.source.first_line == before.pieces[0].source.first_line + 2


def test_names_of_files() -> None:
    """Which files are read, and which file a URI is of."""
    assert language_of("file:///a/B.ACDL") == "acdl"
    assert language_of("file:///a/b.markdown") == "markdown"
    assert language_of("file:///a/b.txt") is None
    assert path_of("file:///a/b%20c.acdl") == Path("/a/b c.acdl")
    assert path_of("file:///c%3A/a.acdl") == Path("c:/a.acdl")
    assert path_of("untitled:Untitled-1") is None


def test_an_unclosed_fence() -> None:
    """Someone is typing: the text is a piece although its end is missing."""
    document = page("```acdl\nA[@T]: {\n")
    assert document.pieces[0].source.text == "A[@T]: {\n"
    assert document.piece_at(len("```acdl\nA[@T]")) is document.pieces[0]

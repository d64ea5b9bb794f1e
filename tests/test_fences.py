"""Fences of a Markdown text and the options in their headers."""

import re
from functools import partial
from itertools import product

import pytest
from exhaustive import few
from hypothesis import given
from hypothesis import strategies as st
from steps import n_steps, soon

from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.workspace.fences import Fence, code_spans, fences_of, lines_of, scan_fences
from acdl_mkdocs.workspace.options import OPTIONS, BlockOptions, read_block_header, set_option
from acdl_mkdocs.workspace.read_block import figure_name


def fences(text: str) -> list[Fence]:
    """The fences of a text."""
    return list(scan_fences(text.split("\n")))


def header(text: str) -> BlockOptions:
    """Options of a header that has no mistakes."""
    read = read_block_header(Source(f"```{text}"))
    assert read.diagnostics == ()
    return read.options


def mistakes(text: str) -> list[str]:
    """Rule, words under the mark and help of each mistake of a header."""
    source = Source(f"```{text}")
    return [
        f"{each.rule} | {source.text[each.label.span.start : each.label.span.end]} | {' '.join(each.help)}"
        for each in read_block_header(source).diagnostics
    ]


@pytest.mark.parametrize(
    ("text", "language", "column"),
    [
        ("```acdl\nA\n```", "acdl", 1),
        ("~~~~ acdl id=x\nA\n~~~~", "acdl", 1),
        ("``` {.acdl #x}\nA\n```", "acdl", 1),
        ("``` { #x .acdl }\nA\n```", "acdl", 1),
        ("```ACDL{title=x}\nA\n```", "acdl", 1),
        ("```acdl-gallery\nA\n```", "acdl-gallery", 1),
        ("```\nA\n```", "", 1),
        ("> ```acdl\n> A\n> ```", "acdl", 3),
        ("> > ```acdl\n> > A\n> > ```", "acdl", 5),
        ("    ```acdl\n    A\n    ```", "acdl", 5),
        ("\t```acdl\n\tA\n\t```", "acdl", 2),
        ("- ```acdl\n  A\n  ```", "acdl", 3),
        ("10. ```acdl\n    A\n    ```", "acdl", 5),
        ("- - ```acdl\n    A\n    ```", "acdl", 5),
        ("- > ```acdl\n  > A\n  > ```", "acdl", 5),
        ("> - 1. ```acdl\n>      A\n>      ```", "acdl", 8),
        (":   ```acdl\n    A\n    ```", "acdl", 5),
        ("[^1]: ```acdl\n    A\n    ```", "acdl", 5),
    ],
)
def test_fence_forms(text: str, language: str, column: int) -> None:
    """Marks, header and what stands before them, in every form that people write."""
    (fence,) = fences(text)
    assert (fence.language, fence.text, fence.column, fence.is_closed) == (language, "A\n", column, True)
    assert fence.end == 3


@pytest.mark.parametrize(
    "text",
    [
        "````md\n```acdl\nA\n```\n````",
        "~~~text\n```acdl\nA\n```\n~~~",
        "<!-- a\n```acdl\nA\n```\n-->",
        "<pre>\n```acdl\nA\n```\n</pre>",
        "```acdl A```",
        "> ````\n> ```acdl\n> A\n> ```\n> ````",
    ],
)
def test_literal_fences(text: str) -> None:
    """A fence inside something that is literal is not found."""
    assert [fence for fence in fences(text) if fence.language == "acdl"] == []


@pytest.mark.parametrize("text", ["`<!--`\n", "<!-- never closed\n", "<!-- closed -->\n", "a < b <pre\n", "text\n"])
def test_what_is_not_literal(text: str) -> None:
    """A fence after what only looks like a comment or raw element is found."""
    assert [fence.language for fence in fences(f"{text}```acdl\nA\n```")] == ["acdl"]


def test_closing_marks() -> None:
    """A fence ends with as many marks or more of its kind, alone on a line; shorter ones and others are text."""
    (fence,) = fences("````acdl\n```\n~~~~\n````x\n`````  \nafter")
    assert fence.text == "```\n~~~~\n````x\n"
    assert fence.end == 5


@pytest.mark.parametrize(
    ("text", "body", "end"),
    [
        ("```acdl\nA\n\nB\n\n", "A\n\nB\n", 6),
        ("- x\n\n    ```acdl\n    A\n\nafter", "A\n", 4),
        ("> ```acdl\n> A\nafter", "A\n", 2),
        ("```acdl", "", 1),
    ],
)
def test_unclosed_fence(text: str, body: str, end: int) -> None:
    """A fence without an end reaches to the end of its container or page."""
    (fence,) = fences(text)
    assert (fence.text, fence.end, fence.is_closed) == (body, end, False)


def test_shallow_fence_with_less_indented_lines() -> None:
    """Lines of a fence that stands in no container may be indented less than its marks."""
    (fence,) = fences("  ```acdl\n A\nB\n   C\n```")
    assert (fence.text, fence.is_closed) == ("A\nB\n C\n", True)


def title_and_headers(text: str) -> None:
    """All that reads the text of a header."""
    figure_name(BlockOptions(), text)
    read_block_header(Source(f"```acdl {text}"))
    read_block_header(Source(f'```acdl x="{text}'))


@pytest.mark.parametrize("part", few(["<!--\n", "<pre>\n", "```acdl\n", "`", "> ", "- > 1. ", "a <b\n"], 3))
def test_cost_is_linear(part: str) -> None:
    """Pages made to be slow are not: openings without an end, long lines, many marks."""
    few, many = (n_steps(partial(fences, part * size + "<")) for size in (1_000, 4_000))
    assert many < 5 * few + 1_000
    soon(partial(fences, part * 200_000 + "<"))


@pytest.mark.parametrize("part", few([" ", "A:", "[", "x", 'a="" '], 2))
def test_cost_of_a_header_is_linear(part: str) -> None:
    """The same holds for one line that is long."""
    few, many = (n_steps(partial(title_and_headers, f"A{part * size}")) for size in (1_000, 4_000))
    assert many < 5 * few + 1_000
    soon(partial(title_and_headers, f"A{part * (200_000 // len(part))}"))


def test_header_forms() -> None:
    """The same options in each form of a header."""
    expected = BlockOptions(title="A b", id="x", classes=("wide",), show="figure")
    assert header('acdl title="A b" #x .wide show=figure') == expected
    assert header("{.acdl #x .wide title='A b' show=figure}") == expected
    assert header(' acdl { id=x .wide title="A b" show="figure" }') == expected


def test_header_values() -> None:
    """Every option has its type."""
    text = r'acdl caption="say \"x\"" spec=A range=inclusive theme=dark width=480px comments=off src="a.acdl#B"'
    assert header(text) == BlockOptions(
        caption='say "x"', spec="A", range="inclusive", theme="dark", width=480.0, comments=False, src="a.acdl#B"
    )
    assert header("acdl") == BlockOptions()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("acdl titel=x", "unknown-option | titel | did you mean `title`?"),
        ("acdl show=figur", "bad-option-value | figur | did you mean `show=figure`?"),
        ("acdl width=wide", "bad-option-value | wide | "),
        ("acdl width=9", "bad-option-value | 9 | "),
        ("acdl comments=perhaps", "bad-option-value | perhaps | "),
        ("acdl comments", "bad-option-value | comments | `comments=...`"),
        ('acdl title="open', 'bad-option-value | "open | '),
        ('acdl id="a b"', 'bad-option-value | "a b" | '),
        ('acdl spec="a/b"', 'bad-option-value | "a/b" | '),
        ("acdl comments=of", "bad-option-value | of | did you mean `comments=off`?"),
        ("acdl title=“My chat” #x", 'bad-option-value | “My chat” | write `title="My chat"`'),
        ("acdl title=„My chat“ #x", 'bad-option-value | „My chat“ | write `title="My chat"`'),
    ],
)
def test_header_mistakes(text: str, expected: str) -> None:
    """A mistake is named where it stands, with the near name."""
    assert mistakes(text) == [expected]


def test_option_set_twice() -> None:
    """The last value applies, and a warning names the one without effect."""
    read = read_block_header(Source("```acdl #first title=A id=second title=B"))
    assert (read.options.id, read.options.title) == ("second", "B")
    assert [(each.severity, each.message, each.label.span) for each in read.diagnostics] == [
        ("warning", "`id` is set twice", Span(8, 14)),
        ("warning", "`title` is set twice", Span(21, 22)),
    ]


def test_unknown_word_lists_the_options() -> None:
    """Without a near name, the help lists what there is."""
    (mistake,) = mistakes("acdl zzzz")
    assert all(f"`{name}`" in mistake for name in OPTIONS)


def test_places_of_options() -> None:
    """The place of each option's value is kept; one with a mistake has none."""
    source = Source("```acdl #x title='A b' show=figur spec=P")
    places = read_block_header(source).places
    assert {name: source.text[place.start : place.end] for name, place in places.items()} == {
        "id": "#x",
        "title": "'A b'",
        "spec": "P",
    }


def test_all_mistakes_at_once() -> None:
    """One mistake does not hide the next, nor what is right."""
    read = read_block_header(Source("```acdl foo=1 show=x #ok titel=z"))
    assert len(read.diagnostics) == 3
    assert read.options.id == "ok"


def test_settings_use_the_same_table() -> None:
    """A setting of a site is read like an option of a header."""
    assert set_option(BlockOptions(), "comments", False) == BlockOptions(comments=False)
    assert set_option(BlockOptions(), "width", 300) == BlockOptions(width=300.0)
    with pytest.raises(ValueError, match="`half-open` or `inclusive`"):
        set_option(BlockOptions(), "range", "closed")
    with pytest.raises(ValueError, match="`title`"):
        set_option(BlockOptions(), "titel", "x")


def test_every_option_is_in_the_table() -> None:
    """The table and the fields of `BlockOptions` agree; classes have a form of their own."""
    assert {*OPTIONS, "classes"} == set(BlockOptions.__dataclass_fields__)


LINES = st.sampled_from(
    (
        "```acdl",
        "```",
        "~~~acdl",
        "~~~",
        "````",
        "> ```acdl",
        "> x",
        ">",
        "    ```acdl",
        "    x",
        "- ```acdl",
        "  ```",
        "x",
        "<!--",
        "-->",
        "<pre>",
        "</pre>",
        "",
        "\t```acdl",
        "\tx",
        "`<!--`",
        "1. x",
        "{.acdl}",
        "``` {.acdl #a",
        "```acdl `` x",
    )
)


@given(st.lists(LINES, max_size=25))
def test_fences_of_any_text(lines: list[str]) -> None:
    """Fences come in order, do not overlap, and their lines are lines of the text."""
    at = 0
    for fence in scan_fences(lines):
        assert at <= fence.first < fence.end <= len(lines)
        assert lines[fence.first] == fence.prefix + fence.opening
        body = lines[fence.first + 1 : fence.end - fence.is_closed]
        shown = fence.text.split("\n")[:-1]
        assert len(shown) <= len(body)
        assert all(line.endswith(text) for text, line in zip(shown, body, strict=False))
        at = fence.end


@given(st.text(max_size=60))
def test_any_header_can_be_read(text: str) -> None:
    """A header never raises, and its diagnostics point into it."""
    source = Source(f"```{text}")
    for diagnostic in read_block_header(source).diagnostics:
        assert 0 <= diagnostic.label.span.start <= diagnostic.label.span.end <= len(source.text)


@pytest.mark.parametrize(
    "above",
    [
        "Text\n\n",
        "# Title\n",
        "Title\n=====\n\n",
        "",
        "- item\n\nText\n\n",
        "Text\n\n    - code\n\n    ",
        "- item\n\n        - code\n\n    ",
        "> Text\n>\n> ",
    ],
)
def test_indented_code(above: str) -> None:
    """A fence in an indented code block is marked as text."""
    before, _, indent = above.rpartition("\n")
    lines = [*before.split("\n"), *(f"{indent}    {line}" for line in ("```acdl", "A", "```"))]
    assert [fence.is_code for fence in scan_fences(lines)] == [True]


@pytest.mark.parametrize(
    "above",
    [
        "Text\n",
        "- item\n\n",
        "- item\nlazy line\n\n",
        "1. item\n\n    text of it\n\n",
        "- item\n\n    - deeper\n\n    ",
        '!!! note "Title"\n\n',
        '=== "Tab"\n\n',
        "??? note\n\n    text\n\n",
        "[^1]: Note.\n\n",
        "Term\n:   Meaning\n\n",
        "> - item\n>\n> ",
    ],
)
def test_indented_fences(above: str) -> None:
    """A fence in an item, an admonition, a tab or a note is none the less a fence."""
    before, _, indent = above.rpartition("\n")
    lines = [*before.split("\n"), *(f"{indent}    {line}" for line in ("```acdl", "A", "```"))]
    assert [fence.is_code for fence in scan_fences(lines)] == [False]


def test_lines_end_as_in_markdown() -> None:
    """CR LF, LF and CR alone all end a line."""
    assert lines_of("a\r\nb\rc\n\rd") == ["a", "b", "c", "", "d"]


def test_code_spans() -> None:
    """As many backquotes on both sides, from the left: what CommonMark takes for code."""
    span = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
    for pieces in product(("`", "``", "a", "\\`"), repeat=6):
        line = "".join(pieces)
        assert code_spans(line) == [found.span() for found in span.finditer(line)], line


@pytest.mark.parametrize(
    ("text", "end"),
    [("```acdl", 1), ("```acdl\nA", 2), ("```acdl\nA\n", 3), ("```acdl\nA\n\n\n", 3), ("- x\n\n  ```acdl\n  A", 4)],
)
def test_ends_are_lines_of_the_text(text: str, end: int) -> None:
    """An unclosed block ends with the page, of which only one empty line at its end counts."""
    (fence,) = fences_of(text)
    assert fence.end == end

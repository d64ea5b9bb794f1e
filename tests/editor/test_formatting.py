"""The normal form as edits: the same text that `acdl format` writes, and nothing else touched."""

from functools import partial

import pytest
from steps import n_steps

from acdl_mkdocs import format as normal_form
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.formatting import format_edits, line_edits
from editor.marked import EXAMPLES, example, marked


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: object) -> None:
    """What a person spoilt is mended, what is in order is left alone."""
    good = example(path)  # type: ignore[arg-type]
    assert format_edits(good.workspace, good.uri) == ()
    spoilt = good.text.replace("    ", "  ").replace("@T]", "@T ]").replace("{\n", " {\n\n", 3)
    given = marked(spoilt)
    made = given.edited(format_edits(given.workspace, given.uri))
    assert made == normal_form(spoilt)


def test_edits_are_small() -> None:
    """A word too far is one edit of that place, so that the cursor stays where it is."""
    text = "P[@T]: {\n    S: A_B\n    U:  env.x[@T]\n    A: resp.y[@T-1]\n}\n"
    given = marked(text)
    (edit,) = format_edits(given.workspace, given.uri)
    assert (text[edit.span.start : edit.span.end], edit.text) == (" ", "")


def test_broken_text_is_left_alone() -> None:
    """What is not understood is not touched."""
    given = marked("P[@T]: {\n  U: ) env.x\n}\n")
    assert format_edits(given.workspace, given.uri) == ()


def test_part() -> None:
    """Only the statements of the selected lines are touched."""
    given = marked("P[@T]: {\n  S:  A_B\n|  U:   env.x[@T]\n|  A:  resp.y[@T-1]\n}\n")
    made = given.edited(format_edits(given.workspace, given.uri, given.span))
    assert made == "P[@T]: {\n  S:  A_B\n    U: env.x[@T]\n  A:  resp.y[@T-1]\n}\n"


@pytest.mark.parametrize("prefix", ["    ", "> ", "    > "])
def test_fences_keep_their_indentation(prefix: str) -> None:
    """The lines of a block stay behind what stands before them; words around the block are not touched."""
    lines = ["```acdl", "P[@T]:{", "U: env.x[@T]", "  ForEach(t: range(1,@T)) { A: B_C }", "}", "```"]
    text = "- item  \n\n" + "".join(f"{prefix}{line}\n" for line in lines) + "\nwords   with  blanks\n"
    given = marked(text, "markdown")
    made = given.edited(format_edits(given.workspace, given.uri))
    wanted = [
        "```acdl",
        "P[@T]: {",
        "    U: env.x[@T]",
        "    ForEach(t: range(1, @T)) {",
        "        A: B_C",
        "    }",
        "}",
        "```",
    ]
    assert made == "- item  \n\n" + "".join(f"{prefix}{line}\n" for line in wanted) + "\nwords   with  blanks\n"
    again = marked(made, "markdown")
    assert format_edits(again.workspace, again.uri) == ()


def test_line_ends_of_windows() -> None:
    """A file whose lines end with CR LF keeps them."""
    given = marked("P[@T]: {\r\n  U:  env.x[@T]\r\n}\r\n")
    assert given.edited(format_edits(given.workspace, given.uri)) == "P[@T]: {\r\n    U: env.x[@T]\r\n}\r\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\nc\n", "a\nx\nc\n"),
        ("", "a\n"),
        ("a\n", ""),
        ("a\nb", "b\na"),
        ("a\n\n\nb\n", "a\nb\n"),
        ("x y z\n", "x  z\n"),
    ],
)
def test_line_edits(old: str, new: str) -> None:
    """The edits of two texts make one of the other, and do not touch each other."""
    text, last = old, len(old) + 1
    for edit in sorted(line_edits(old, new), key=lambda each: each.span.start, reverse=True):
        assert edit.span.end <= last
        text, last = text[: edit.span.start] + edit.text + text[edit.span.end :], edit.span.start
    assert text == new


def test_long_texts_with_equal_lines() -> None:
    """Lines that are alike are compared quickly: four times as many take about four times the steps."""
    costs = []
    for size in (125, 500):
        text = "P[@T]: {\n" + "  U: {\n   env.x[@T]\n   If (A) { T_U }\n  }\n" * size + "}\n"
        given = marked(text)
        costs.append(n_steps(partial(format_edits, given.workspace, given.uri)))
        assert given.edited(format_edits(given.workspace, given.uri)) == normal_form(text)
    few, many = costs
    assert many < 5 * few


def test_empty_documents() -> None:
    """Nothing is done to nothing."""
    given = marked("")
    assert format_edits(given.workspace, given.uri) == ()
    page = marked("```acdl\n```\n", "markdown")
    assert format_edits(page.workspace, page.uri, Span(0, 3)) == ()

"""The words of a document in the names that editors colour by."""

import pytest
from steps import n_steps

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.highlight import MODIFIERS, NAMES, TYPES, list_tokens
from editor.marked import EXAMPLES, example, marked

TEXT = """\
/* two
   lines */
StrFrag Facts[@t, who]: { sys.profile[@t, who] }
Chat[@T]: {
    ForEach(k: range(1, @T)) { U: env.question[@k] }
    Name best := search(env.question[@T]) // it
    U: { TEMPLATE $best "x" Frag Facts[@T, bob] }
}
Name
"""


def words(text: str, part: Span | None = None) -> list[tuple[str, str, tuple[str, ...]]]:
    """The words of a text with what they are."""
    found = marked(text)
    return [
        (found.text[each.span.start : each.span.end], each.kind, each.modifiers)
        for each in list_tokens(found.workspace, found.uri, part)
    ]


@pytest.mark.parametrize(
    "wanted",
    [
        ("/* two", "comment", ()),
        ("lines */", "comment", ()),
        ("StrFrag", "keyword", ()),
        ("Facts", "class", ("declaration",)),
        ("Facts", "class", ()),
        ("@t", "parameter", ("declaration",)),
        ("who", "parameter", ("declaration",)),
        ("who", "parameter", ()),
        ("k", "variable", ("declaration",)),
        ("@k", "variable", ()),
        ("range", "function", ("defaultLibrary",)),
        ("search", "function", ()),
        ("TEMPLATE", "macro", ()),
        ("U", "type", ()),
        ("env", "namespace", ()),
        (".question", "property", ()),
        ("best", "variable", ("declaration",)),
        ("$best", "variable", ()),
        ('"x"', "string", ()),
        ("1", "number", ()),
    ],
)
def test_words(wanted: tuple[str, str, tuple[str, ...]]) -> None:
    """Words are what they are and what their names refer to."""
    assert wanted in words(TEXT.removesuffix("Name\n"))


def test_unused() -> None:
    """What nothing refers to is told, unless the text is not understood."""
    text = "StrFrag F: { A }\nP[@T]: { Name x := f() U: env.a }\n"
    assert ("x", "variable", ("declaration", "unused")) in words(text)
    assert ("F", "class", ("declaration", "unused")) in words(text)
    assert not any("unused" in each[2] for each in words(f"{text}) ("))


def test_part() -> None:
    """A part of a document has its words only."""
    at = TEXT.index("ForEach")
    assert {each[0] for each in words(TEXT, Span(at, at + 3))} == {"ForEach"}


def test_fences() -> None:
    """The words of a block are where they stand in its page, never over the end of a line."""
    found = marked("- x\n\n    ```acdl\n    U: { /* a\n    b */ env.x }\n    ```\n", "markdown")
    texts = [found.text[each.span.start : each.span.end] for each in list_tokens(found.workspace, found.uri)]
    assert texts == ["U", "/* a", "b */", "env", ".x"]


def test_it_is_quick() -> None:
    """The words of 2,000 lines take no longer than a person notices, once the text has been read."""
    found = marked("".join(f"P{n}[@T]: {{\n    S: A_B\n    U: env.x[@T]\n}}\n" for n in range(500)))
    list_tokens(found.workspace, found.uri)
    assert n_steps(lambda: list_tokens(found.workspace, found.uri)) < 600_000
    assert len(list_tokens(found.workspace, found.uri)) == 4000


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: object) -> None:
    """Words come in order, do not overlap, stay in their line, and have names of the legend."""
    found = example(path)  # type: ignore[arg-type]
    last = 0
    made = list_tokens(found.workspace, found.uri)
    assert len(made) > 5
    for each in made:
        assert each.span.start >= last
        assert each.span.end > each.span.start
        assert "\n" not in found.text[each.span.start : each.span.end]
        assert each.kind in TYPES
        assert set(each.modifiers) <= set(MODIFIERS)
        last = each.span.end
    assert set(NAMES.values()) <= set(TYPES)

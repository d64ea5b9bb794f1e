"""The indentation of a line while it is typed: `|` is the cursor, behind what was typed."""

import pytest

from acdl_mkdocs.frontends.editor.documents import Language
from acdl_mkdocs.frontends.editor.on_type import edits_on_type
from editor.marked import marked


@pytest.mark.parametrize(
    ("text", "typed", "expected"),
    [
        ("P[@T]: {\n|\n}\n", "\n", "P[@T]: {\n    \n}\n"),
        ("P[@T]: {\n    U: {\n|}\n}\n", "\n", "P[@T]: {\n    U: {\n    }\n}\n"),
        ("P[@T]: {\n    U: {\n        }|\n", "}", "P[@T]: {\n    U: {\n    }\n"),
        ("P[@T]: {\n  U: { A }|\n", "}", "P[@T]: {\n  U: { A }\n"),
        ("P[@T]: {\n    // }\n|U: A\n}\n", "\n", "P[@T]: {\n    // }\n    U: A\n}\n"),
        ('P[@T]: {\n    U: "}"\n\t|U: A\n}\n', "\n", 'P[@T]: {\n    U: "}"\n    U: A\n}\n'),
        ("P[@T]: {\n    U: f(a,\n  |b)\n", "\n", "P[@T]: {\n    U: f(a,\n  b)\n"),
        ("P[@T]:\n  U:\n      |A\n", "\n", "P[@T]:\n  U:\n      A\n"),
        ("}\n}\n  P[@T]: {\n      |}\n", "\n", "}\n}\n  P[@T]: {\n}\n"),
    ],
)
def test_typed(text: str, typed: str, expected: str) -> None:
    """A line gets the indentation of the blocks around it, and keeps its own where braces do not say it."""
    check(text, typed, expected)


def test_in_a_fence() -> None:
    """The indentation of the fence itself stays; what is not ACDL is left alone."""
    page = "- ```acdl\n  P[@T]: {\n  |U: A\n  }\n  ```\n"
    check(page, "\n", page.replace("  |U", "      U"), "markdown")
    check("Text {\n  |more\n", "\n", "Text {\n  more\n", "markdown")


def check(text: str, typed: str, expected: str, language: Language = "acdl") -> None:
    """The text after what was typed."""
    given = marked(text, language)
    assert given.edited(edits_on_type(given.workspace, given.uri, given.offset, typed)) == expected

"""What `// acdl: ...` comments say, whatever people write in them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.syntax.nodes import Comment, walk
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.language.syntax.pragmas import read_pragma, used_files
from acdl_mkdocs.workspace.used_files import read_uses

_WORDS = st.sampled_from(
    (
        *("use", "allow(", ")", "range", "=", "inclusive", '"', "'", '""', "a.acdl", '"b c.acdl"', "because", ",", ";"),
        *(" ", "  ", "\t", "*/", "//", "/*", "#", "acdl:", "ACDL:", "undefined-name", "\n", "\r", "\0", "\u2028", "é"),
    )
)
_PRAGMAS = st.builds(
    "{}{}{}\nP[@T]: {{ S: A }}\n".format,
    st.sampled_from(
        ("// acdl: ", "//acdl:", "# acdl: ", "/* acdl: ", "/* acdl:\n", "-- acdl: ", "// ACDL ", '"// acdl: ')
    ),
    st.lists(_WORDS, max_size=12).map("".join),
    st.sampled_from(("", " */")),
)


def used(text: str) -> list[str]:
    """The files that a text names; each place holds its name."""
    found = list(used_files(text))
    assert all(text[span.start : span.end] == name for name, span in found)
    return [name for name, _ in found]


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("// acdl: use a.acdl", ["a.acdl"]),
        ("// acdl: use a.acdl, use b.acdl; use c", ["a.acdl", "b.acdl", "c"]),
        ('// acdl: use a.acdl, "b c.acdl" , ../d.acdl', ["a.acdl", "b c.acdl", "../d.acdl"]),
        ("// acdl: use a.acdl, range=inclusive, allow(nested-role)", ["a.acdl"]),
        ("// acdl: use a.acdl, allow(nested-role), use b.acdl", ["a.acdl", "b.acdl"]),
        ("// acdl: allow(nested-role) use b.acdl", ["b.acdl"]),
        ("/* acdl: use a.acdl*/", ["a.acdl"]),
        ("/* acdl:\n   use a.acdl\n   use b.acdl */", ["a.acdl"]),
        ("-- acdl: use a.acdl", ["a.acdl"]),
        ("// acdl: use a.acdl, please", ["a.acdl"]),
        ('// acdl: use ""', []),
        ('// acdl: use "  "', []),
        ("// acdl: use", []),
        ("// acdl: allow(undefined-name) because we use it later", []),
        ("// acdl: misuse a.acdl", []),
        ('S: "see // acdl: use foo.acdl"', []),
        ("// see acdl: use foo.acdl", []),
        ("// we // acdl: use foo.acdl", []),
    ],
)
def test_used_files(text: str, files: list[str]) -> None:
    """`use` stands where a word to the tools begins, not in prose nor in a string, and may name several files."""
    assert used(text) == files


@given(_PRAGMAS.map(make_printable))
def test_any_pragma(text: str) -> None:
    """Whatever stands in a comment for the tools is read without an exception, and by everyone in the same way."""
    found = analyse(Source(text)).diagnostics
    assert all(each.help for each in found if each.rule == "unknown-pragma")
    read_uses(Source(text), Path(), Path())
    comments = (node for node in walk(parse(Source(text)).file) if isinstance(node, Comment))
    pragmas = filter(None, map(read_pragma, comments))
    assert sorted(used(text)) == sorted(name for pragma in pragmas for name, _ in pragma.files)


@pytest.mark.parametrize(
    ("comment", "meant"),
    [
        ("//ACDL: allow(undefined-name)", "allow(undefined-name)"),
        ("// acdl allow(undefined-name)", "allow(undefined-name)"),
        ("# Acdl : Range = inclusive", "range= inclusive"),
        ("/* acdl use a.acdl */", "use a.acdl"),
    ],
)
def test_nearly_a_pragma(comment: str, meant: str) -> None:
    """A comment that was meant for the tools, and does nothing, is not passed over in silence."""
    found = analyse(Source(f"{comment}\nP[@T]: {{ S: A }}\n")).diagnostics
    assert [each.help for each in found if each.rule == "unknown-pragma"] == [(f"write `// acdl: {meant}`",)]


@pytest.mark.parametrize("comment", ["// ACDL is a language", "// acdl allows this", "// acdl: allow(undefined-name)"])
def test_not_nearly_a_pragma(comment: str) -> None:
    """Prose about the language, and what the tools do understand, is left alone."""
    assert analyse(Source(f"{comment}\nP[@T]: {{ S: A }}\n")).diagnostics == ()

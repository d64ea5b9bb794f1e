"""How diagnostics are shown: the terminal layout exactly, JSON lines, log lines, the panel in a page."""

import json
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest

from acdl_mkdocs.foundation import reports
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, TextEdit, error, warning
from acdl_mkdocs.foundation.reports import DOCUMENTS, REPORTS, ReportOptions, excerpt
from acdl_mkdocs.foundation.source import Source, Span

CHAT = "ChatAgent[@T]: {\n    U: {\n        sys.a\n        S: { INSTRUCTIONS }   // a reminder\n    }\n}\n"
TABS = "A: {\n\t\tU: env.q\n}\n"


def at(source: Source, text: str, words: str = "here", nth: int = 0) -> Label:
    """A label on the n-th place where `text` stands."""
    start = -1
    for _ in range(nth + 1):
        start = source.text.index(text, start + 1)
    return Label(Span(start, start + len(text)), words)


def shown(diagnostic: Diagnostic, source: Source, **options: str) -> str:
    """What a terminal without colours shows."""
    return REPORTS["terminal"]([diagnostic], source, ReportOptions(**options))  # type: ignore[arg-type]


def test_terminal_layout() -> None:
    """Message, place, labels in source order with what lies between elided, help, rule page."""
    source = Source(CHAT, "chat.acdl")
    diagnostic = error(
        "nested-role",
        "a System message cannot be inside a User message",
        at(source, "S:", "this message starts here"),
        related=[at(source, "U:", "but this User message is still open")],
        help=["to send two messages, close `U: {` first", "to keep the text in the User message, drop the `S:`"],
    )
    assert shown(diagnostic, source, rule_url="https://example.org/rules/{rule}/") == dedent("""\
        error[nested-role]: a System message cannot be inside a User message
         --> chat.acdl:4:9
          |
        2 |     U: {
          |     -- but this User message is still open
         ...
        4 |         S: { INSTRUCTIONS }   // a reminder
          |         ^^ this message starts here
          |
          = help: to send two messages, close `U: {` first
          = help: to keep the text in the User message, drop the `S:`
          = rule: https://example.org/rules/nested-role/
        """)


def test_gutter_is_as_wide_as_the_last_number() -> None:
    """Numbers of two digits move every bar, and a fence shows the lines of its page."""
    source = Source("A: {\nU: x\n", "rag.md", first_line=9, first_column=5)
    diagnostic = warning("r", "m", at(source, "x"), related=[at(source, "A", "there")])
    assert shown(diagnostic, source) == dedent("""\
        warning[r]: m
          --> rag.md:10:8
           |
         9 | A: {
           | - there
        10 | U: x
           |    ^ here
        """)


def test_two_labels_of_a_line() -> None:
    """Each label has its own row under the line, from left to right."""
    source = Source("U: env.a env.b\n", "x")
    diagnostic = error("r", "m", at(source, "env.b"), related=[at(source, "env.a", "first")])
    rows = shown(diagnostic, source).splitlines()[3:]
    assert rows == ["1 | U: env.a env.b", "  |    ----- first", "  |          ^^^^^ here"]


def test_span_over_lines() -> None:
    """A label over several lines underlines the first, where its words stand, and the last."""
    source = Source("A: {\n  U: {\n    x\n  }\n}\n", "x")
    start = source.text.index("U: {")
    diagnostic = error("r", "m", Label(Span(start, source.text.index("  }") + 3), "not closed"))
    rows = shown(diagnostic, source).splitlines()[3:]
    assert rows == ["2 |   U: {", "  |   ^^^^ not closed", " ...", "4 |   }", "  |   ^"]


def test_end_of_file() -> None:
    """A place after the last character, with or without a final line end, still has a mark."""
    for text, rows in (
        ("A: {\n", ["2 |", "  | ^ here"]),
        ("A: {", ["1 | A: {", "  |     ^ here"]),
        ("", ["1 |", "  | ^ here"]),
    ):
        source = Source(text, "x")
        diagnostic = error("r", "m", Label(Span(len(text), len(text)), "here"))
        assert shown(diagnostic, source).splitlines()[3:] == rows


def test_span_outside_of_the_text() -> None:
    """A span that the text does not have is shown at its end instead of failing."""
    diagnostic = error("r", "m", Label(Span(90, 99), "here"))
    assert "^ here" in shown(diagnostic, Source("A", "x"))


def test_tabs_wide_and_combining_characters() -> None:
    """Marks stand under what a terminal shows: tabs expanded, wide characters of two columns, marks of none."""
    source = Source(TABS, "x")
    assert shown(error("r", "m", at(source, "env.q")), source).splitlines()[3:] == [
        "2 |         U: env.q",
        "  |            ^^^^^ here",
    ]
    source = Source("\u540d\u524d: e\u0301x y\n", "x")
    assert shown(error("r", "m", at(source, "y")), source).splitlines()[4] == "  |          ^ here"
    assert shown(error("r", "m", at(source, "\u524d")), source).splitlines()[4] == "  |   ^^ here"


def test_long_lines_are_cut() -> None:
    """Of a very long line, what stands around the label is shown, with the mark under the right words."""
    source = Source("x" * 500 + " WRONG " + "y" * 500, "x")
    rows = shown(error("r", "m", at(source, "WRONG")), source).splitlines()
    line, mark = rows[3], rows[4]
    assert len(line) <= 110
    assert line.endswith("\u2026")
    assert line[4] == "\u2026"
    assert line[mark.index("^") : mark.index("^") + 5] == "WRONG"


def test_long_lines_are_not_looked_at_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a very long line, only what stands near the label is measured."""
    n_measured, width = 0, excerpt._character_width

    def counted(character: str) -> int:
        nonlocal n_measured
        n_measured += 1
        return width(character)

    monkeypatch.setattr(excerpt, "_character_width", counted)
    source = Source("\u00e9" * 100_000 + " WRONG " + "\u00e9" * 100_000, "x")
    far = [at(source, "\u00e9", "begins here"), Label(Span(200_000, 200_001), "ends here")]
    rows = shown(error("r", "m", at(source, "WRONG"), related=far), source).splitlines()
    assert rows[3][rows[5].index("^") :].startswith("WRONG")
    assert all(len(row) < 130 for row in rows)
    assert n_measured < 1000


def test_hostile_text_cannot_reach_the_terminal() -> None:
    """Escape sequences and direction marks of a source, a name or a message are shown as replacement signs."""
    source = Source("U: \x1b[31m\u202eabc\n", "a\x1b]0;b.acdl")
    text = shown(error("r", "say \x1b[2J\nthat", at(source, "abc", "\x07")), source)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\x07" not in text
    assert text.splitlines()[0].endswith("that")


def test_colors() -> None:
    """With colours the words are the same once the colours are taken away."""
    import re

    source = Source(CHAT, "chat.acdl")
    diagnostic = error("r", "m", at(source, "S:"), related=[at(source, "U:")], help="do")
    colored = REPORTS["terminal"]([diagnostic], source, ReportOptions(color=True))
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == shown(diagnostic, source)


def test_paragraphs_are_separated() -> None:
    """Several diagnostics have one empty line between them, none at the end; no diagnostics give no text."""
    source = Source("A B\n", "x")
    text = REPORTS["terminal"]([error("r", "m", at(source, "A")), error("s", "n", at(source, "B"))], source, None)
    assert "\n\nerror[s]" in text
    assert not text.endswith("\n\n")
    assert {name for name, report in REPORTS.items() if report([], source, None)} == set(DOCUMENTS)


def test_json_lines() -> None:
    """One object a line with 1-based places and the fix."""
    source = Source("Frag X\n", "docs/a.md", first_line=57, first_column=5)
    fix = Fix("rename", (TextEdit(Span(5, 6), "Y"),))
    diagnostic = Diagnostic(
        rule="unknown-fragment", severity="error", message="no `X`", label=Label(Span(5, 6), "l"), help=("a",), fix=fix
    )
    place = {"line": 57, "column": 10, "end_line": 57, "end_column": 11}
    assert json.loads(REPORTS["json"]([diagnostic], source, None)) == {
        "version": 1,
        "rule": "unknown-fragment",
        "severity": "error",
        "file": "docs/a.md",
        **place,
        "message": "no `X`",
        "help": ["a"],
        "fix": {"title": "rename", "is_safe": True, "edits": [{**place, "text": "Y"}]},
    }


def test_log_line() -> None:
    """A log line starts with the place in the form that editors jump to."""
    source = Source("Frag X\n", "docs/agents.md", first_line=57, first_column=3)
    line = REPORTS["line"]([error("unknown-fragment", "no fragment named `X`", at(source, "X"))], source, None)
    assert line == "docs/agents.md:57:8: error[unknown-fragment]: no fragment named `X`\n"


def test_panel_escapes_everything() -> None:
    """Markup in a source, a message, a name or a help is text in the page."""
    evil = '</code></pre><script>alert("1")</script>'
    source = Source(f"U: {evil}\n", evil)
    diagnostic = error("r", f"`{evil}` is {evil}", at(source, evil, evil), help=evil)
    html = REPORTS["html"]([diagnostic], source, ReportOptions(rule_url='https://e.org/"><script>{rule}'))
    assert "<script" not in html
    assert html.count("&lt;script&gt;alert(&quot;1&quot;)") == 6
    assert html.count("<div") == html.count("</div>") == 1


def test_panel_words() -> None:
    """The panel counts its problems and shows backticks as code."""
    source = Source("A B\n", "x")
    both = [error("r", "no `A`", at(source, "A")), error("r", "no `B", at(source, "B"))]
    html = REPORTS["html"](both, source, None)
    assert "2 problems in this ACDL block" in html
    assert "no <code>A</code>" in html
    assert "no `B" in html
    assert '<span class="acdl-primary">^ here</span>' in html


def test_every_report_is_listed() -> None:
    """Each module of the folder with a `report` is in `REPORTS`."""
    helpers = {"__init__", "comment_markdown", "excerpt", "junit_elements", "options", "whole"}
    modules = {path.stem for path in Path(reports.__file__).parent.glob("*.py")} - helpers
    source = Source("A\n", "x")
    diagnostic = error("r", "m", at(source, "A"))
    listed = {name: report([diagnostic], source, None) for name, report in REPORTS.items()}
    written = {import_module(f"acdl_mkdocs.foundation.reports.{name}").report([diagnostic], source) for name in modules}
    assert set(listed.values()) == written

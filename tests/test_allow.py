"""What settings and `// acdl: allow(...)` comments make of a finding."""

import pytest

from acdl_mkdocs.foundation.config import Config, Level
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse

SPEC = """{before}
A[@T]: {{
    {above}
    U: $x {beside}
    S: $y
}}
"""


def rules_of(before: str = "", above: str = "", beside: str = "", **levels: Level) -> list[tuple[str, str]]:
    """Severity and name of what is found in a spec with two unknown names."""
    text = SPEC.format(before=before, above=above, beside=beside)
    config = Config(levels={name.replace("_", "-"): level for name, level in levels.items()})
    return [(each.severity, each.rule) for each in analyse(Source(text), config).diagnostics]


TWO = [("error", "undefined-name")] * 2


def test_without_comments() -> None:
    """Both are found."""
    assert rules_of() == TWO


@pytest.mark.parametrize(
    ("place", "left"), [("beside", 1), ("above", 1), ("before", 0)], ids=["beside", "above", "whole text"]
)
def test_where_a_comment_reaches(place: str, left: int) -> None:
    """Beside: its line. Above: the next line. Before the first definition: everything."""
    assert rules_of(**{place: "// acdl: allow(undefined-name, nested-role)"}) == TWO[:left]  # type: ignore[arg-type]


def test_another_rule_is_not_allowed() -> None:
    """Only the rules that are named are silent."""
    assert rules_of(before="// acdl: allow(nested-role)") == TWO


def test_levels() -> None:
    """Settings change a severity or switch a rule off."""
    assert rules_of(undefined_name="note") == [("note", "undefined-name")] * 2
    assert rules_of(undefined_name="off") == []


def test_allowing_does_not_move_to_a_line_that_has_other_text() -> None:
    """A comment beside something does not silence the line after it."""
    found = analyse(Source("A[@T]: {\n    S: X // acdl: allow(undefined-name)\n    U: $y\n}\n")).diagnostics
    assert [each.rule for each in found] == ["undefined-name"]

"""What the rules say, word for word."""

from collections.abc import Callable
from pathlib import Path

from acdl_mkdocs.analyse import analyse
from acdl_mkdocs.reports import REPORTS, ReportOptions
from acdl_mkdocs.rules import RULES
from acdl_mkdocs.source import Source


def test_check(case: Path, golden: Callable[[str, str], None]) -> None:
    """The report of a case; the folder names the rule that it is about."""
    source = Source(case.read_text("utf-8"), case.name)
    found = analyse(source).diagnostics
    assert {each.rule for each in found} == {case.parent.name}
    golden(REPORTS["terminal"](found, source, ReportOptions()), "report.txt")


def test_every_rule_has_a_case() -> None:
    """A rule without a golden case is not reviewed by anyone."""
    folders = {path.name for path in (Path(__file__).parent / "golden" / "check").iterdir()}
    assert folders == set(RULES)

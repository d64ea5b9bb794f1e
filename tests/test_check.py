"""What the rules say, word for word, and what their fixes make of the text."""

from collections.abc import Callable, Sequence
from pathlib import Path

from acdl_mkdocs.foundation.diagnostics import Diagnostic, apply_fixes
from acdl_mkdocs.foundation.reports import REPORTS, ReportOptions
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.names.library import Library, build_library
from acdl_mkdocs.language.rules import RULES
from acdl_mkdocs.language.syntax.parse import parse


def library_of(case: Path) -> Library:
    """The texts beside a case, `<case>.library.txt`, with `---` between them."""
    path = case.with_suffix(".library.txt")
    texts = path.read_text("utf-8").split("---\n") if path.exists() else []
    return build_library(parse(Source(text, f"other-{number}.acdl")) for number, text in enumerate(texts, 1))


def fixed_texts(text: str, found: Sequence[Diagnostic]) -> str:
    """What an editor offers: the name of each fix, whether it is safe, and the text after it."""
    fixes = [each.fix for each in found if each.fix is not None]
    return "\n".join(
        f"=== {fix.title} ({'safe' if fix.is_safe else 'unsafe'})\n{apply_fixes(text, [fix]).text}" for fix in fixes
    )


def test_check(case: Path, golden: Callable[[str, str], None]) -> None:
    """The report of a case and its fixes; the folder names the rule, which a case `not-...` must not trigger."""
    source = Source(case.read_text("utf-8"), case.name)
    found = analyse(source, library=library_of(case)).diagnostics
    if case.name.startswith("not-"):
        assert case.parent.name not in {each.rule for each in found}
        return
    assert {each.rule for each in found} == {case.parent.name}
    golden(REPORTS["terminal"](found, source, ReportOptions()), "report.txt")
    if any(each.fix for each in found):
        golden(fixed_texts(source.text, found), "fixes.txt")


def test_every_rule_has_a_case() -> None:
    """A rule without a golden case is not reviewed by anyone."""
    folders = {path.name for path in (Path(__file__).parent / "golden" / "check").iterdir()}
    assert folders == set(RULES)

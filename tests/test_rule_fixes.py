"""A fix that a rule offers mends what the rule found, alone and together with all others."""

from pathlib import Path

import pytest

from acdl_mkdocs.foundation.diagnostics import MAX_ROUNDS, Diagnostic, apply_fixes, fix_until_stable
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse

CASES = sorted((Path(__file__).parent / "golden" / "check").rglob("*.acdl"))


def found_in(text: str, name: str) -> tuple[Diagnostic, ...]:
    """The diagnostics of a text."""
    return analyse(Source(text, name)).diagnostics


def n_found(rule: str, diagnostics: tuple[Diagnostic, ...]) -> int:
    """How often a rule found something."""
    return sum(each.rule == rule for each in diagnostics)


def n_syntax_errors(text: str) -> int:
    """How often the text cannot be understood."""
    return len(analyse(Source(text)).resolved.parsed.diagnostics)


@pytest.mark.parametrize("path", CASES, ids=[f"{path.parent.name}/{path.stem}" for path in CASES])
def test_fixes(path: Path) -> None:
    """Each fix alone leaves the rule less to say and breaks nothing; all together come to an end."""
    text = path.read_text("utf-8")
    found = found_in(text, path.name)
    for each in found:
        if each.fix is None:
            continue
        fixed = apply_fixes(text, [each.fix])
        assert fixed.n_fixed == 1
        assert fixed.text != text
        assert n_syntax_errors(fixed.text) <= n_syntax_errors(text), fixed.text
        assert n_found(each.rule, found_in(fixed.text, path.name)) < n_found(each.rule, found), fixed.text
    rounds: list[str] = []

    def check(current: str) -> tuple[Diagnostic, ...]:
        rounds.append(current)
        return found_in(current, path.name)

    after = fix_until_stable(text, check, unsafe=True).text
    assert len(rounds) < MAX_ROUNDS
    assert n_syntax_errors(after) <= n_syntax_errors(text), after


def test_some_rules_offer_fixes() -> None:
    """The cases above are not all without a fix."""
    fixing = {each.rule for path in CASES for each in found_in(path.read_text("utf-8"), path.name) if each.fix}
    assert len(fixing) > 10

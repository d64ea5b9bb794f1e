"""Settings that every report takes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """How diagnostics are shown."""

    color: bool = False
    """Whether terminal colours are used."""
    rule_url: str = ""
    """Address of the page that explains a rule, with `{rule}` in the place of its name; empty if there is none."""


def rule_address(rule: str, options: ReportOptions) -> str:
    """Address of the page that explains a rule, empty if there is none."""
    return options.rule_url.replace("{rule}", rule)

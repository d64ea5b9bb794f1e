"""Settings that every report takes."""

from acdl_mkdocs.frozen import dataclass


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """How diagnostics are shown."""

    color: bool = False
    """Whether terminal colours are used."""
    rule_url: str = ""
    """Address of the page that explains a rule, with `{rule}` in the place of its name; empty if there is none."""
    thing: str = "ACDL"
    """What a panel in a page calls the kind of block that it stands in."""


def rule_address(rule: str, options: ReportOptions) -> str:
    """Address of the page that explains a rule, empty if there is none."""
    return options.rule_url.replace("{rule}", rule)

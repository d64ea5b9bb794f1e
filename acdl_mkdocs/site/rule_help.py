"""The documentation of rules as reports carry it: plain text, and Markdown without the marks of our own site."""

from collections.abc import Iterable

from acdl_mkdocs.foundation.reports import RuleText
from acdl_mkdocs.site.rule_pages import RulePage, Sample, all_names, rule_page
from acdl_mkdocs.site.rule_texts import to_text


def rule_helps(names: Iterable[str]) -> dict[str, RuleText]:
    """The documentation of each of those rules that has any."""
    known = frozenset(all_names())
    return {name: _help(rule_page(name)) for name in sorted(set(names) & known)}


def _help(page: RulePage) -> RuleText:
    problem = page.problem if page.problem[:1] == "`" else f"{page.problem[:1].upper()}{page.problem[1:]}"
    parts = [f"# {page.name}", problem, page.about]
    for section in page.sections:
        parts += [f"## {section.title}", *(_markdown(part) for part in section.parts)]
    parts += [f"Reference: {page.reference}."] if page.reference else []
    return RuleText(problem, page.severity, to_text(page), "\n\n".join(part for part in parts if part) + "\n")


def _markdown(part: str | Sample) -> str:
    if isinstance(part, str):
        return part
    mark = "````" if "```" in part.text else "```"
    return f"{mark}{part.language}\n{part.text}{mark}"

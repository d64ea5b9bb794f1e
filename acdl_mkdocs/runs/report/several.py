"""One report for several prompts of a file, each checked against its own requests; `JOINS` has one for each format."""

from collections.abc import Callable, Mapping, Sequence

from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.runs.check_files import CheckedFiles
from acdl_mkdocs.runs.report import badge, json_tree, junit, markdown, terminal
from acdl_mkdocs.runs.report.options import RunReportOptions
from acdl_mkdocs.runs.report.summary import summarize_check, summarize_prompts


def _join_terminal(checked_prompts: Sequence[CheckedFiles], options: RunReportOptions) -> str:
    reports = [terminal.write(each, options) for each in checked_prompts]
    return "\n".join((*reports, summarize_prompts(checked_prompts))) + "\n"


def _join_json(checked_prompts: Sequence[CheckedFiles], options: RunReportOptions) -> str:
    trees = [json_tree.build_tree(each, options) for each in checked_prompts]
    verdicts = [str(tree["verdict"]) for tree in trees]
    verdict = next((each for each in ("refuted", "agrees") if each in verdicts), "unchecked")
    whole = {
        "acdl_check_run": json_tree.VERSION,
        "verdict": verdict,
        "is_weak": any(tree["is_weak"] for tree in trees),
        "sentence": summarize_prompts(checked_prompts),
        "prompts": trees,
    }
    return json_text(whole) + "\n"


def _join_markdown(checked_prompts: Sequence[CheckedFiles], options: RunReportOptions) -> str:
    return "\n".join(markdown.write(each, options) for each in checked_prompts)


def _join_badge(checked_prompts: Sequence[CheckedFiles], options: RunReportOptions) -> str:
    del options
    summaries = [summarize_check(each) for each in checked_prompts]
    if not any(each.n_checked for each in summaries):
        return badge.format_badge("not checked", "lightgrey")
    n_lines, n_requests = sum(each.n_lines for each in summaries), sum(each.n_checked for each in summaries)
    if any(each.is_refuted for each in summaries):
        return badge.format_badge(f"{sum(each.n_refuted for each in summaries)} of {n_lines} lines refuted", "red")
    seen = f"{sum(each.n_confirmed for each in summaries)} of {n_lines} lines confirmed"
    color = "yellow" if any(each.is_weak for each in summaries) else "brightgreen"
    return badge.format_badge(f"{seen} by {format_count(n_requests, 'call')}", color)


JOINS: Mapping[str, Callable[[Sequence[CheckedFiles], RunReportOptions], str]] = {
    "terminal": _join_terminal,
    "json": _join_json,
    "junit": junit.write_suites,
    "markdown": _join_markdown,
    "badge": _join_badge,
}

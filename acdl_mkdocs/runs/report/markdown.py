"""The result of checking recorded runs as a comment of a pull request: the verdict first, details folded.

What authors and models wrote is shown as code, so that nothing in it acts on the page or mentions a person.
"""

from acdl_mkdocs.foundation.reports.comment_markdown import MarkdownComment, format_code
from acdl_mkdocs.runs.check_files import CheckedFiles
from acdl_mkdocs.runs.match.evidence import LineVerdict
from acdl_mkdocs.runs.report.options import RunReportOptions
from acdl_mkdocs.runs.report.recording import format_position
from acdl_mkdocs.runs.report.summary import (
    ListedLine,
    Summary,
    describe_counting,
    describe_missed_branches,
    list_files,
    summarize_check,
)
from acdl_mkdocs.runs.report.terminal import SIGNS, write_example

_MOST_SHOWN = 20
"""Lines whose counterexample is shown."""


def write(checked_files: CheckedFiles, options: RunReportOptions | None = None) -> str:
    """Write the whole report."""
    options = options or RunReportOptions()
    summary = summarize_check(checked_files)
    comment = MarkdownComment()
    of = (
        f"{checked_files.checked.spec} of {checked_files.resolved.source.name}"
        if checked_files.checked.spec
        else checked_files.resolved.source.name
    )
    comment.add_paragraph(f"### {format_code(of)}: {_describe_verdict(summary)}")
    comment.add_paragraph(f"{summary.sentence[:1].upper()}{summary.sentence[1:]}.")
    if counting := describe_counting(checked_files):
        comment.add_paragraph(f"Counting: {counting}.")
    _add_refuted(comment, checked_files, options)
    _add_open(comment, checked_files)
    _add_rest(comment, checked_files)
    return comment.format_text("All of it is in the report of the terminal.")


def _describe_verdict(summary: Summary) -> str:
    if summary.n_checked == 0:
        return "not checked"
    if summary.is_refuted:
        return "❌ refuted by recorded runs"
    return "⚠️ agrees, on weak evidence" if summary.is_weak else "✅ agrees with recorded runs"


def _add_refuted(comment: MarkdownComment, checked_files: CheckedFiles, options: RunReportOptions) -> None:
    wrong = checked_files.checked.list_lines("refuted")
    if not wrong:
        return
    comment.add_table(("Line", "What is wrong", "Requests"), (_write_row(each, options) for each in wrong))
    for line in wrong[:_MOST_SHOWN]:
        excerpt_options = RunReportOptions(has_excerpts=options.has_excerpts)
        comment.add_details(
            f"{_format_position(line)}, in the spec and the recording", list(write_example(line, excerpt_options))
        )


def _write_row(line: LineVerdict, options: RunReportOptions) -> tuple[str, str, str]:
    reason = line.reason if options.has_excerpts else "the request differs"
    return format_code(_format_position(line)), format_code(reason), str(line.n_refuted)


def _add_open(comment: MarkdownComment, checked_files: CheckedFiles) -> None:
    """Add the lines that are not confirmed, and the spec with its margin."""
    open_lines = [each for each in checked_files.checked.lines if each.verdict in ("unexercised", "uncontrollable")]
    if open_lines:
        rows = ((format_code(_format_position(each)), each.verdict, each.reason) for each in open_lines)
        comment.add_table(("Line", "Verdict", "Why"), rows, most=50)
    listed = []
    for file in list_files(checked_files):
        listed += [f"{'':4}{file.name}", *map(_format_line, file.lines)]
    comment.add_details("The spec, line by line", listed)


def _format_line(line: ListedLine) -> str:
    if line.n_left_out:
        return "   ..."
    margin = SIGNS[line.verdict.verdict][0] if line.verdict is not None else " "
    return f" {margin} | {line.text}".rstrip()


def _add_rest(comment: MarkdownComment, checked_files: CheckedFiles) -> None:
    missing = [
        f"{origin.source.name}:{origin.line}: {words}" for origin, words in describe_missed_branches(checked_files)
    ]
    if missing:
        comment.add_details(f"Branches that no request takes: {len(missing)}", missing)
    survivors = checked_files.score.survivors if checked_files.score is not None else ()
    if survivors:
        lines = [f"{each.origin.source.name}:{each.origin.line}: {each.description}" for each in survivors]
        n_thinned = checked_files.score.n_requests_left_out if checked_files.score is not None else 0
        which = f"none of {len(checked_files.checked.calls) - n_thinned} requests" if n_thinned else "no request"
        comment.add_details(f"Deliberate errors that {which} detects: {len(lines)}", lines)
    if checked_files.checked.cuts:
        cuts = [
            f"{format_position(each.later)}: {each.before.path} of {format_position(each.earlier)} is not kept"
            for each in checked_files.checked.cuts
        ]
        comment.add_details(f"Requests that do not extend the previous one: {len(cuts)}", cuts)
    if lines := list(checked_files.tally.describe_skipped()):
        comment.add_details(f"Skipped: {checked_files.tally.n_skipped}", lines)
    if notes := list(checked_files.tally.describe_incomplete()):
        comment.add_details("The recording is incomplete", notes)
    problems = [
        f"{format_position(each.recorded)}: {each.problem}"
        for each in checked_files.checked.calls
        if each.match is None
    ]
    if problems:
        comment.add_details(f"Not checked: {len(problems)}", problems)


def _format_position(line: LineVerdict) -> str:
    return f"{line.origin.source.name}:{line.line}"

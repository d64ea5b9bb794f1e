"""The result of checking recorded runs as a comment of a pull request: the verdict first, details folded.

What authors and models wrote is shown as code, so that nothing in it acts on the page or mentions a person.
"""

from acdl_mkdocs.foundation.reports.comment_markdown import Comment, code
from acdl_mkdocs.runs.check_files import CheckedFiles
from acdl_mkdocs.runs.match.evidence import LineVerdict
from acdl_mkdocs.runs.report.options import RunReportOptions
from acdl_mkdocs.runs.report.recording import place_of
from acdl_mkdocs.runs.report.summary import ListedLine, Summary, counting_of, listing_of, summary_of, ways_not_gone
from acdl_mkdocs.runs.report.terminal import SIGNS, example_of

_MOST_SHOWN = 20
"""Lines whose counterexample is shown."""


def write(found: CheckedFiles, options: RunReportOptions | None = None) -> str:
    """Write the whole report."""
    options = options or RunReportOptions()
    summary = summary_of(found)
    comment = Comment()
    of = f"{found.checked.spec} of {found.resolved.source.name}" if found.checked.spec else found.resolved.source.name
    comment.add(f"### {code(of)}: {_verdict(summary)}")
    comment.add(f"{summary.sentence[:1].upper()}{summary.sentence[1:]}.")
    if counting := counting_of(found):
        comment.add(f"Counting: {counting}.")
    _add_refuted(comment, found, options)
    _add_open(comment, found)
    _add_rest(comment, found)
    return comment.text("All of it is in the report of the terminal.")


def _verdict(summary: Summary) -> str:
    if summary.n_checked == 0:
        return "not checked"
    if summary.is_refuted:
        return "❌ refuted by recorded runs"
    return "⚠️ agrees, on weak evidence" if summary.is_weak else "✅ agrees with recorded runs"


def _add_refuted(comment: Comment, found: CheckedFiles, options: RunReportOptions) -> None:
    wrong = found.checked.lines_with("refuted")
    if not wrong:
        return
    comment.add_table(("Line", "What is wrong", "Requests"), (_row(each, options) for each in wrong))
    for line in wrong[:_MOST_SHOWN]:
        shown = RunReportOptions(has_excerpts=options.has_excerpts)
        comment.add_details(f"{_place(line)}, at both ends", list(example_of(line, shown)))


def _row(line: LineVerdict, options: RunReportOptions) -> tuple[str, str, str]:
    reason = line.reason if options.has_excerpts else "it is not what is sent"
    return code(_place(line)), code(reason), str(line.n_refuted)


def _add_open(comment: Comment, found: CheckedFiles) -> None:
    """Add the lines that are not confirmed, and the spec with its margin."""
    open_lines = [each for each in found.checked.lines if each.verdict in ("unexercised", "uncontrollable")]
    if open_lines:
        rows = ((code(_place(each)), each.verdict, each.reason) for each in open_lines)
        comment.add_table(("Line", "Verdict", "Why"), rows, most=50)
    listed = []
    for file in listing_of(found):
        listed += [f"{'':4}{file.name}", *map(_listed, file.lines)]
    comment.add_details("The spec, line by line", listed)


def _listed(line: ListedLine) -> str:
    if line.n_left_out:
        return "   ..."
    margin = SIGNS[line.verdict.verdict][0] if line.verdict is not None else " "
    return f" {margin} | {line.text}".rstrip()


def _add_rest(comment: Comment, found: CheckedFiles) -> None:
    missing = [f"{origin.source.name}:{origin.line}: {words}" for origin, words in ways_not_gone(found)]
    if missing:
        comment.add_details(f"Ways that no request goes: {len(missing)}", missing)
    survivors = found.score.survivors if found.score is not None else ()
    if survivors:
        told = [f"{each.origin.source.name}:{each.origin.line}: {each.description}" for each in survivors]
        n_thinned = found.score.n_requests_left_out if found.score is not None else 0
        which = f"none of {len(found.checked.calls) - n_thinned} requests" if n_thinned else "no request"
        comment.add_details(f"Changes of the spec that {which} would notice: {len(told)}", told)
    if found.checked.cuts:
        cuts = [
            f"{place_of(each.later)}: {each.before.path} of {place_of(each.earlier)} is not kept"
            for each in found.checked.cuts
        ]
        comment.add_details(f"Requests that do not begin with what was sent before: {len(cuts)}", cuts)
    if told := list(found.tally.told()):
        comment.add_details(f"Passed over: {found.tally.n_skipped}", told)
    if notes := list(found.tally.notes()):
        comment.add_details("Not all that was sent is recorded", notes)
    problems = [f"{place_of(each.recorded)}: {each.problem}" for each in found.checked.calls if each.match is None]
    if problems:
        comment.add_details(f"Not checked: {len(problems)}", problems)


def _place(line: LineVerdict) -> str:
    return f"{line.origin.source.name}:{line.line}"

"""`summarize_runs()`: the verdicts of recorded runs on a spec, as a section below its figure and problems of its lines.

Complete without scripts; its look is in `acdl.css`. Of recorded messages it shows the beginning of those that
refute a line, without keys and passwords, or nothing if excerpts are off.
"""

from collections.abc import Iterator
from dataclasses import asdict
from html import escape

from acdl_mkdocs.drawing.figure.boxes import SIGNS
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.frontends.docs.blocks.element import render_folded
from acdl_mkdocs.frontends.docs.blocks.run_marks import LineMark, RunFindings, RunProblem
from acdl_mkdocs.runs.check_files import CheckedFiles
from acdl_mkdocs.runs.match.evidence import LineVerdict
from acdl_mkdocs.runs.report import RUN_REPORTS
from acdl_mkdocs.runs.report.recording import MessageRow, format_position, list_rows
from acdl_mkdocs.runs.report.summary import (
    ListedFile,
    ListedLine,
    Summary,
    describe_missed_branches,
    list_files,
    summarize_check,
)

_SIGNS = {"agrees": SIGNS["confirmed"], "weak": SIGNS["unexercised"], "refuted": SIGNS["refuted"]}
"""Signs of the overall verdict."""
_MOST_LISTED = 20
"""The most listed counterexamples, alternatives not taken, and so on, of each kind."""
_NUMBERS = {
    "runs": "n_runs",
    "calls": "n_requests",
    "checked": "n_checked",
    "agreeing": "n_agreeing",
    "lines": "n_lines",
    "confirmed": "n_confirmed",
    "refuted": "n_refuted",
    "unexercised": "n_unexercised",
    "uncontrollable": "n_uncontrollable",
    "ways_gone": "n_ways_gone",
    "ways": "n_ways",
    "mutants": "n_mutants",
    "killed": "n_killed",
}
"""The key of each number, and its field in `Summary`."""


def summarize_runs(checked_files: CheckedFiles, has_excerpts: bool) -> RunFindings:
    """Summarize the checked runs for a page.

    Parameters:
        checked_files: The checked runs.
        has_excerpts: Whether beginnings of recorded messages may be shown.
    """
    summary = summarize_check(checked_files)
    values = asdict(summary)
    verdict = "refuted" if summary.is_refuted else "weak" if summary.is_weak else "agrees"
    return RunFindings(
        headline=format_headline(summary),
        sentence=summary.sentence,
        summary="; ".join(filter(None, (format_headline(summary), _describe_rest(summary)))),
        verdict=verdict,
        numbers={key: values[name] for key, name in _NUMBERS.items()},
        marks=tuple(
            LineMark(each.origin.source.name, each.line, each.verdict, _describe_counts(each))
            for each in checked_files.checked.lines
        ),
        html=_render_section(checked_files, summary, verdict, has_excerpts=has_excerpts),
        badge=RUN_REPORTS["badge"](checked_files, None),
        troubles=tuple(_list_problems(checked_files, summary, has_excerpts=has_excerpts)),
    )


def format_headline(summary: Summary) -> str:
    """Return the overall verdict in a few words that begin in lower case."""
    requests = f"{summary.n_checked:,} recorded call{'' if summary.n_checked == 1 else 's'}"
    if summary.n_checked == 0:
        return "not checked: no recorded call could be checked against it"
    if summary.is_refuted:
        return f"refuted by {requests}" if summary.n_checked == 1 else "refuted by recorded calls"
    return f"agrees with {requests}, weak evidence" if summary.is_weak else f"verified against {requests}"


def _describe_counts(line: LineVerdict) -> str:
    """Describe how often a line was confirmed or refuted."""
    count = {"confirmed": line.n_confirmed, "refuted": line.n_refuted, "uncontrollable": line.n_free}
    number = count.get(line.verdict, 0)
    return f"{number:,}\u00d7" if number else ""


# ---------------------------------------------------------------------------------------------------------- problems


def _list_problems(checked_files: CheckedFiles, summary: Summary, *, has_excerpts: bool) -> Iterator[RunProblem]:
    """Yield problems for the refuted lines and for unusable recordings."""
    command = f"`acdl check-run {checked_files.resolved.source.name} {' '.join(checked_files.files[:3])}`"
    cures = ("write the line as the agent sends it, or fix the agent", f"{command} shows the spec and the request")
    refuted = checked_files.checked.list_lines("refuted")
    for line in refuted:
        span, source = line.origin.span, line.origin.source
        end = source.text.find("\n", span.start, span.end)
        message = f"recorded runs refute this line: {_reason_for(line, has_excerpts=has_excerpts)}"
        stop = span.end if end < 0 else end
        label = "the spec says this"
        yield RunProblem(source.name, "refuted-line", "warning", message, span.start, stop, label, cures)
    if summary.is_refuted and not refuted:
        message = f"recorded runs do not agree with the spec: {summary.sentence}"
        yield RunProblem("", "refuted-line", "warning", message, 0, 0, "checked against these", cures[1:])
    if summary.n_damaged:
        message = f"the recorded runs are incomplete: {make_visible(checked_files.tally.describe_skipped()[0])}"
        yield RunProblem("", "run-file", "warning", message, 0, 0, "read from here", ())
    unchecked = [request for request in checked_files.checked.calls if request.match is None]
    if unchecked:
        where = format_position(unchecked[0].recorded)
        rest = f" (and {len(unchecked) - 1} more)" if len(unchecked) > 1 else ""
        message = f"{where}: the request cannot be checked{rest}: {unchecked[0].problem}"
        yield RunProblem("", "run-file", "warning", message, 0, 0, "read from here", ())


def _reason_for(line: LineVerdict, *, has_excerpts: bool) -> str:
    example = line.counterexample
    where = f" ({format_position(example.recorded, example.path)})" if example is not None else ""
    return f"{make_visible(line.reason) if has_excerpts else 'a request has something else here'}{where}"


# ----------------------------------------------------------------------------------------------------------- section


def _render_section(checked_files: CheckedFiles, summary: Summary, verdict: str, *, has_excerpts: bool) -> str:
    called = escape(make_visible(checked_files.checked.spec)) or "this text"
    words = format_headline(summary)
    lines = [
        *(_render_table(file) for file in list_files(checked_files)),
        *_render_examples(checked_files, has_excerpts=has_excerpts),
        *_list_facts(checked_files, summary),
    ]
    return "".join(
        [
            f'<div class="acdl-verified acdl-verified-{verdict}" role="group" ',
            f'aria-label="What recorded runs say about {called}">',
            f'<p class="acdl-verified-head"><span aria-hidden="true">{_SIGNS[verdict]}</span> ',
            f"<strong>{escape(words[0].upper() + words[1:])}</strong> ",
            f"<span>{escape(_describe_rest(summary))}</span></p>",
            render_folded("acdl-more", "Line by line", "".join(lines), is_open=summary.is_refuted),
            "</div>",
        ]
    )


def _describe_rest(summary: Summary) -> str:
    """Return what the headline omits."""
    words = summary.sentence.removesuffix(": weak evidence")
    return words.removeprefix("refuted: ") if summary.is_refuted else words.partition("; ")[2]


def _render_table(file: ListedFile) -> str:
    """Render a text with a verdict for each line."""
    name = escape(file.name)
    head = "".join(f'<th scope="col">{each}</th>' for each in ("Line", "Verdict", "Spec"))
    rows = "".join(map(_render_row, file.lines))
    return (
        f'<div class="acdl-verified-table" tabindex="0" role="group" aria-label="Lines of {name}">'
        f'<table class="acdl-verdicts"><caption>{name}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _render_row(line: ListedLine) -> str:
    if line.n_left_out:
        return f'<tr><td colspan="3">{line.n_left_out} lines with nothing to tell</td></tr>'
    verdict = line.verdict
    code = f"<td><code>{escape(line.text)}</code></td>"
    if verdict is None:
        return f'<tr><th scope="row">{line.number}</th><td></td>{code}</tr>'
    sign = f'<span class="acdl-verdict-sign" aria-hidden="true">{SIGNS[verdict.verdict]}</span>'
    cell = f"{sign} {verdict.verdict} {_describe_counts(verdict)}".rstrip()
    return f'<tr class="acdl-is-{verdict.verdict}"><th scope="row">{line.number}</th><td>{cell}</td>{code}</tr>'


def _render_examples(checked_files: CheckedFiles, *, has_excerpts: bool) -> Iterator[str]:
    """Yield the first request that refutes each line."""
    for line in checked_files.checked.list_lines("refuted")[:_MOST_LISTED]:
        example = line.counterexample
        reason = escape(_reason_for(line, has_excerpts=has_excerpts))
        yield f'<div class="acdl-refuting"><p><strong>Line {line.line} is refuted:</strong> {reason}</p>'
        if example is not None and has_excerpts:
            yield f"<ul>{''.join(map(_render_message, list_rows(example)))}</ul>"
        yield "</div>"


def _render_message(row: MessageRow) -> str:
    """Render a message of a recorded request."""
    wrong = ' class="acdl-is-refuted"' if row.is_wrong else ""
    place = escape(" ".join(filter(None, (row.path, row.role))))
    return f"<li{wrong}>{f'<code>{place}</code> ' if place else ''}{escape(row.text)}</li>"


def _list_facts(checked_files: CheckedFiles, summary: Summary) -> Iterator[str]:
    """Yield facts about what was read, not exercised and skipped."""
    counted = [("Recordings", ", ".join(checked_files.files[:_MOST_LISTED])), ("Runs", f"{summary.n_runs:,}")]
    counted.append(("Calls", f"{summary.n_agreeing:,} of {summary.n_checked:,} agree"))
    counted += [
        (title, ", ".join(f"{name} ({number:,}\u00d7)" for name, number in each))
        for title, each in (("Formats", checked_files.formats), ("Models", checked_files.models))
        if each
    ]
    counted.append(
        ("Contents", "compared with a state" if checked_files.has_state else "compared with each other, no state")
    )
    if summary.n_ways:
        counted.append(("Branches and loops", f"{summary.n_ways_gone} of {summary.n_ways} taken"))
    if summary.n_mutants:
        counted.append(("Deliberate errors", f"{summary.n_killed} of {summary.n_mutants} detected"))
    facts = [f"<li><b>{title}</b> {escape(make_visible(words))}</li>" for title, words in counted]
    facts += [
        f"<li>line {origin.line}: {escape(words)}</li>"
        for origin, words in [*describe_missed_branches(checked_files)][:_MOST_LISTED]
    ]
    facts += [
        f"<li>{escape(make_visible(words))}</li>" for words in checked_files.tally.describe_skipped()[:_MOST_LISTED]
    ]
    facts += [
        f"<li>{escape(make_visible(words))}</li>" for words in checked_files.tally.describe_incomplete()[:_MOST_LISTED]
    ]
    n_cuts = len(checked_files.checked.cuts)
    if n_cuts:
        who = "one request does" if n_cuts == 1 else f"{n_cuts:,} requests do"
        facts.append(f"<li>{who} not begin with all of the request before</li>")
    yield f'<ul class="acdl-verified-facts">{"".join(facts)}</ul>'

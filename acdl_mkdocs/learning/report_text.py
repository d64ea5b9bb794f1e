"""A report in words: as Markdown for pages and pull requests, and as lines for a terminal."""

from collections.abc import Callable, Iterator
from typing import Literal

from acdl_mkdocs.learning.evaluate import Evaluated, Outcome
from acdl_mkdocs.learning.goals import Goals
from acdl_mkdocs.learning.report import Comparison, Moved, Report
from acdl_mkdocs.models import Usage

_MAX_ROWS = 50
_MAX_CHARACTERS = 80
_TITLES = {"fixed": "Fixed", "broken": "Broken", "better": "Better", "worse": "Worse"}
_SPECIAL = frozenset("\\`*_{}[]<>|#~&$")


def report_markdown(report: Report) -> str:
    """A report as Markdown that shows whatever a model or a data set says as text."""
    lines = [f"# Evaluation of {escaped(report.after.playbook)}", "", _about(report, escaped), ""]
    titles = _titles(report) or ["value"]
    header = ["", *(escaped(each if len(titles) > 2 else each.capitalize()) for each in titles)]
    lines += [_row(header), _row(["---", *["---:"] * (len(header) - 1)])]
    lines += [_row([name, *values]) for name, values in _rows(report)]
    for each in report.comparisons:
        with_whom = escaped(_with_whom(report, each))
        lines += ["", f"**{with_whom}{_difference(each)}** {_sentence(each.chance)}"]
    for each in report.comparisons:
        with_whom = escaped(_with_whom(report, each).removesuffix(": "))
        for kind, title in _TITLES.items():
            about = f"{title}, {with_whom[:1].lower()}{with_whom[1:]}" if with_whom else title
            lines += _table(about, [one for one in each.moved if one.kind == kind])
    lines += _failures(report.after)
    lines += [f"\n{escaped(_sentence(note))}" for note in report.conditions.notes]
    return "\n".join(lines) + "\n"


def report_terminal(report: Report) -> str:
    """A report as lines for a terminal, without the table of samples."""
    rows = list(_rows(report))
    width = max(len(name) for name, _ in rows)
    lines, titles = [_about(report, str), ""], [cut(each) for each in _titles(report)]
    widths = [max(16, len(each)) for each in titles] or [16]
    if titles:
        rows.insert(0, ("", titles))
    for name, values in rows:
        cells = (f"{value:>{n}}" for value, n in zip(values, widths, strict=True))
        lines.append(f"{name:<{width}}  {'  '.join(cells)}")
    for compared in report.comparisons:
        with_whom = flat(_with_whom(report, compared))
        lines += ["", f"{with_whom}{' ' if with_whom else ''}{_difference(compared)} {_sentence(compared.chance)}"]
        for kind in ("fixed", "broken"):
            ids = [each.after.sample.id for each in compared.moved if each.kind == kind]
            more = f" and {len(ids) - _MAX_ROWS} more" if len(ids) > _MAX_ROWS else ""
            lines += [f"{kind}: {', '.join(map(cut, ids[:_MAX_ROWS]))}{more}"] if ids else []
    lines += [f"not answered ({n}): {flat(reason)}" for reason, n in report.after.reasons.items()]
    failed = [each for each in report.after.outcomes if each.failure]
    lines += [f"failed: {cut(each.sample.id)}: {flat(each.failure or '')}" for each in failed[:_MAX_ROWS]]
    lines += [f"note: {note}" for note in report.conditions.notes]
    return "\n".join(lines) + "\n"


def _titles(report: Report) -> list[str]:
    """What stands above the values of each side; nothing where there is one only."""
    if len(report.comparisons) <= 1:
        return ["before", "after"] if report.comparisons else []
    return [_title(each) for each in report.sides]


def _title(side: Evaluated) -> str:
    return f"{side.playbook}, revision {side.revision}" if side.revision else side.playbook


def _with_whom(report: Report, comparison: Comparison) -> str:
    """What a comparison is with, where there are several."""
    return f"Compared with {_title(comparison.before)}: " if len(report.comparisons) > 1 else ""


def _about(report: Report, show: Callable[[str], str]) -> str:
    said = report.conditions
    seed = "" if said.seed is None else f", seed {said.seed}"
    return f"Data set {show(said.dataset)}, model {show(said.model)}, scorer {show(said.scorer)}{seed}."


def _rows(report: Report) -> Iterator[tuple[str, list[str]]]:
    """Names with the value of each side."""
    sides = report.sides
    price = report.conditions.price
    yield "Accuracy", [_percent(each.accuracy) for each in sides]
    yield "Right", [f"{each.n_right} of {each.n_samples}" for each in sides]
    if any(each.elements for each in sides):
        yield "Labels right", [_of(each.elements) for each in sides]
    if any(each.goals for each in sides):
        yield "Task goal completion", [_completed(each.goals, "tasks") for each in sides]
        yield "Scenario goal completion", [_completed(each.goals, "scenarios") for each in sides]
    yield "Not answered (counted as wrong)", [str(each.n_failed) for each in sides]
    if any(each.n_failed for each in sides):
        yield "Accuracy without failures", [_percent(each.accuracy_of_answered) for each in sides]
    if any(each.n_unknown for each in sides):
        yield "Without a known answer (not asked)", [str(each.n_unknown) for each in sides]
    yield "Revision", [str(each.revision) for each in sides]
    yield "Bullets", [str(each.n_bullets) for each in sides]
    yield "Model tokens of the playbook", [f"{each.model_tokens:,}" for each in sides]
    yield "Model tokens sent", [known_part(each.usage, f"{each.usage.prompt_model_tokens:,}") for each in sides]
    yield "Model tokens received", [known_part(each.usage, f"{each.usage.reply_model_tokens:,}") for each in sides]
    if price is not None:
        yield "Cost", [known_part(each.usage, f"{price.of(each.usage):.4f}") for each in sides]


def _of(elements: tuple[int, int] | None) -> str:
    if elements is None:
        return "-"
    return f"{elements[0]} of {elements[1]} ({_percent(elements[0] / elements[1] if elements[1] else 0.0)})"


def _completed(goals: Goals | None, of: Literal["tasks", "scenarios"]) -> str:
    if goals is None:
        return "-"
    if of == "tasks":
        return _of((goals.n_tasks_completed, goals.n_tasks))
    return _of((goals.n_scenarios_completed, goals.n_scenarios))


def known_part(usage: Usage, amount: str) -> str:
    """An amount that follows from what providers reported: unknown, or at least so much where they did not always."""
    if usage.is_unknown:
        return "unknown"
    return f"at least {amount}" if usage.n_unreported else amount


def _percent(part: float) -> str:
    return f"{100 * part:.1f} %"


def _difference(comparison: Comparison) -> str:
    before, after = comparison.before, comparison.after
    points = 100 * (after.accuracy - before.accuracy)
    return f"Accuracy {_percent(before.accuracy)} → {_percent(after.accuracy)} ({points:+.1f} points)."


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _table(title: str, moved: list[Moved]) -> Iterator[str]:
    if not moved:
        return
    yield from ("", f"## {title} ({len(moved)})", "", _row(["Sample", "Expected", "Before", "After"]))
    yield _row(["---"] * 4)
    for each in moved[:_MAX_ROWS]:
        expected = each.after.sample.answer or ""
        yield _row(
            [escaped(cut(text)) for text in (each.after.sample.id, expected, _said(each.before), _said(each.after))]
        )
    if len(moved) > _MAX_ROWS:
        yield from ("", f"{len(moved) - _MAX_ROWS} more are in the JSON report.")


def _failures(side: Evaluated) -> Iterator[str]:
    failed = [each for each in side.outcomes if each.failure]
    if not failed:
        return
    yield from ("", f"## Not answered ({len(failed)})", "", _row(["Reason", "Questions"]), _row(["---", "---:"]))
    for reason, n in side.reasons.items():
        yield _row([escaped(reason), str(n)])
    yield from ("", _row(["Sample", "Why"]), _row(["---"] * 2))
    for each in failed[:_MAX_ROWS]:
        yield _row([escaped(cut(each.sample.id)), escaped(each.failure or "")])
    if len(failed) > _MAX_ROWS:
        yield from ("", f"{len(failed) - _MAX_ROWS} more are in the JSON report.")


def _said(outcome: Outcome) -> str:
    return "no answer" if outcome.answer is None else outcome.answer


def cut(text: str) -> str:
    """The beginning of a text on one line."""
    line = flat(text)
    return line if len(line) <= _MAX_CHARACTERS else f"{line[: _MAX_CHARACTERS - 1]}…"


def flat(text: str) -> str:
    """A text on one line, without characters that control a terminal."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def escaped(text: str) -> str:
    """A text that Markdown and HTML show as it is, also inside a table; signs that make links and marks are escaped."""
    marked = "".join(f"&#{ord(each)};" if each in _SPECIAL else each for each in flat(text))
    return marked.replace("://", "&#58;//").replace("@", "&#64;")

"""The result of an evaluation of a playbook, as a part of a page: accuracy before and after, and the changes.

Takes the data of a report, `acdl playbook evaluate -o playbook.evaluation.json`; knows nothing about models. All data
is treated as text.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from acdl_mkdocs.playbook.pages.html_text import clean_text
from acdl_mkdocs.prompts.prompt import Json

_ROWS = (
    ("Accuracy", "accuracy"),
    ("Right", "n_right"),
    ("Samples", "n_samples"),
    ("Failures, counted as wrong", "n_failed"),
    ("Revision", "revision"),
    ("Bullets", "n_bullets"),
    ("Model tokens of the playbook", "playbook_model_tokens"),
)
_CHANGES = ("fixed", "broken", "better", "worse")


def evaluation_file(playbook: Path) -> Path:
    """Return the path of the report shown on the page of a playbook: `playbook.evaluation.json` for `playbook.yaml`."""
    return playbook.with_name(f"{playbook.stem}.evaluation.json")


def render_evaluation(report: Mapping[str, Json]) -> str:
    """Render the report as a table and a sentence; empty if it is not a report."""
    sides = {name: side for name in ("before", "after") if isinstance(side := report.get(name), dict)}
    if "after" not in sides:
        return ""
    heads = "".join(f'<th scope="col">{_title(name, len(sides))}</th>' for name in sides)
    rows = "".join(_row(title, key, list(sides.values())) for title, key in _ROWS)
    table = f"<thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody>"
    conditions = "; ".join(_render_conditions(report))
    return f'<table class="acdl-evaluation">{table}</table>' + (f"<p>{conditions}</p>" if conditions else "")


def accuracy_words(report: Mapping[str, Json]) -> Iterator[str]:
    """Yield the accuracy before and after in a line, as `Evaluation: accuracy 61.0 % → 68.5 %`."""
    sides = [side for name in ("before", "after") if isinstance(side := report.get(name), dict)]
    if not isinstance(report.get("after"), dict) or sides[-1].get("accuracy") is None:
        return
    yield "Evaluation: accuracy " + " → ".join(_value("accuracy", side.get("accuracy")) for side in sides)


def _title(name: str, n_sides: int) -> str:
    return name.capitalize() if n_sides > 1 else "Measured"


def _row(title: str, key: str, sides: list[dict[str, Json]]) -> str:
    if all(side.get(key) is None for side in sides):
        return ""
    cells = "".join(f"<td>{_value(key, side.get(key))}</td>" for side in sides)
    return f'<tr><th scope="row">{title}</th>{cells}</tr>'


def _value(key: str, value: Json) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return clean_text(str(value)) if value is not None else "-"
    return f"{100 * value:.1f} %" if key == "accuracy" else f"{value:,}"


def _render_conditions(report: Mapping[str, Json]) -> Iterator[str]:
    """Yield how it was measured, and what changed."""
    for key in ("dataset", "scorer", "model", "seed"):
        if report.get(key) is not None:
            yield f"{key} {clean_text(str(report[key]))}"
    change = report.get("change")
    if isinstance(change, dict):
        yield from (f"{change[name]} {name}" for name in _CHANGES if isinstance(change.get(name), int) and change[name])
        if isinstance(p_value := change.get("p_value"), (int, float)):
            yield f"p = {p_value:.3g} ({clean_text(str(change.get('test', 'sign test')))})"

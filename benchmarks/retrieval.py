"""How often `--top N` finds the lessons that a question needs: three sets whose right lessons are known.

FiNER and Formula are extracts of the published files, made by `retrieval_sets.py`. The third set is made of this
repository: what the checker reports about a text, and of all rules the one that reports it, by its explanation.
"""

import inspect
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from measure import Row

from acdl_mkdocs.language.rules import RULES
from acdl_mkdocs.playbook.model.retrieval import Ranking, compute_background

FOLDER = Path(__file__).with_name("retrieval")
_CASES = Path(__file__).parents[1] / "tests" / "golden" / "check"
_TOP = 10
_AT_LEAST = {"FiNER": 50.0, "Formula": 95.0, "rules": 85.0}
"""In per cent."""

_Questions = Sequence[tuple[str, frozenset[str]]]


def measure() -> list[Row]:
    """A row for each set."""
    sets = {"FiNER": _published("finer"), "Formula": _published("formula"), "rules": _rules()}
    return [row for name, (lessons, questions) in sets.items() for row in _rows(name, lessons, questions)]


def found_of(lessons: dict[str, str], questions: _Questions, top: int = _TOP) -> tuple[float, float]:
    """The part of the right lessons that is among the nearest: among the other questions, and each question alone."""
    names, ranking = [*lessons], Ranking([*lessons.values()])
    common = compute_background([question for question, _ in questions])
    n_wanted = sum(len(wanted) for _, wanted in questions)
    found = [
        sum(
            len(wanted & {names[idx] for idx, _ in ranking.find_nearest(question, among)[:top]})
            for question, wanted in questions
        )
        for among in (common, None)
    ]
    return found[0] / n_wanted, found[1] / n_wanted


def _rows(name: str, lessons: dict[str, str], questions: _Questions) -> Iterator[Row]:
    among, alone = found_of(lessons, questions)
    chance = 100 * _TOP / len(lessons)
    value = 100 * among
    yield Row(
        f"lessons found by `--top {_TOP}`, {name}: {len(questions)} questions, {len(lessons)} lessons",
        value,
        "%",
        against=f"chance {chance:.0f} %, each question alone {100 * alone:.0f} %",
        bar=f">= {_AT_LEAST[name]:.0f} %",
        is_met=value >= _AT_LEAST[name],
    )


def _published(name: str) -> tuple[dict[str, str], _Questions]:
    data = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return data["lessons"], [(data["start"] + text, frozenset(wanted)) for text, wanted in data["questions"] if wanted]


def _rules() -> tuple[dict[str, str], _Questions]:
    """The explanation of each rule, without its examples; reports do not name their rule."""
    lessons = {}
    for name, rule in RULES.items():
        said = inspect.getdoc(rule) or ""
        lessons[name] = re.sub(r"\n## (?:Example|Use instead)\n.*?(?=\n## |\nReference:|\Z)", "", said, flags=re.DOTALL)
    questions = [
        (path.read_text("utf-8").replace(name, ""), frozenset({name}))
        for name in RULES
        for path in sorted((_CASES / name).glob("*.report.txt"))
    ]
    return lessons, questions

"""FiNER and Formula are read and asked as the reference implementation does."""

import json
import subprocess
import sys
from pathlib import Path

from acdl_mkdocs.playbook.learn.datasets import Sample, samples_of

ROOT = Path(__file__).parents[2]
FORMULA = [
    {
        "context": "Use formula Operating Margin to answer the question. Formula: a / b, Explanation: a: income. "
        'Question:  "Find the margin of 45 in 300.". Answer:',
        "target": "15.0",
    },
    {"context": 'Use formula X. Question:  "Quoted otherwise.”. Answer:', "target": "1.0"},
    {"context": "Without any form", "target": "2.0"},
]


def test_questions_of_formula(tmp_path: Path) -> None:
    """The formula is left out, the form of the answer is added, and what has another shape stays."""
    path = tmp_path / "formula.jsonl"
    path.write_text("\n".join(map(json.dumps, FORMULA)) + "\n\n", "utf-8")
    program = ROOT / "examples" / "learning" / "formula_questions.py"
    done = subprocess.run([sys.executable, str(program), str(path)], capture_output=True, text=True, check=True)
    samples = samples_of(done.stdout).samples
    assert [each.answer for each in samples] == ["15.0", "1.0", "2.0"]
    assert samples[0].question.startswith("Find the margin of 45 in 300. Your answer should be a plain floating point")
    assert samples[1].question.startswith('"Quoted otherwise.” Your answer')
    assert samples[2].question == "Without any form"


def test_records_of_finer() -> None:
    """A record of FiNER is its context, which has instruction, tags and questions."""
    (sample,) = samples_of(json.dumps({"context": "You are XBRL expert. ...", "target": "A,B"})).samples
    assert (sample.question, sample.answer, sample.context) == ("You are XBRL expert. ...", "A,B", None)


def test_scenario_of_a_record() -> None:
    """Tasks say which scenario they belong to; a field of that name that is not text is left alone."""
    text = '{"id": "t1", "question": "q", "scenario_id": "s1"}\n{"id": "t2", "question": "q", "scenario": {"a": 1}}'
    assert samples_of(text).samples == (Sample("t1", "q", scenario="s1"), Sample("t2", "q"))

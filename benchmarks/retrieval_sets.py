"""Make the sets of `benchmarks/retrieval/` from the published files: `python benchmarks/retrieval_sets.py DATA`.

`DATA` is the folder `finance/data` of a clone of https://github.com/ace-agent/ace (licence Apache-2.0). FiNER is from
FiNER-139 (Loukas et al., 2022; CC BY-SA 4.0), by way of FinLoRA. What is committed is an extract: of FiNER every third
record of the test set, with the part that all records share written once, and of Formula the test set.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("retrieval")
_NTH = 3
Found = dict[str, Any]
"""`start` of all questions, `lessons` by their names, and `questions`, each with the names of the right lessons."""
_QUESTION = re.compile(r'^\d+\. What is best tag for entity "(.*)" in sentence: "(.*)\?"$', re.MULTILINE)
_FORMULA = re.compile(r"^Use formula (.*?) to answer")
_FORM = (
    " Your answer should be a plain floating point number, round to the nearest hundredth if necessary. "
    "Do the necessary conversions, for example 5 million should be 5000000.0. "
)
"""What the reference implementation adds to each question of Formula."""


def main() -> None:
    """Make both sets."""
    parser = argparse.ArgumentParser(description="Make the sets that retrieval is measured with.")
    parser.add_argument("data", type=Path, metavar="DATA", help="folder `finance/data` of ace-agent/ace")
    data = parser.parse_args().data
    for name, found in (("finer", _finer(data)), ("formula", _formula(data))):
        text = json.dumps(found, ensure_ascii=False, indent=0)
        (FOLDER / f"{name}.json").write_text(f"{text}\n", "utf-8")
        print(f"{name}: {len(found['lessons'])} lessons, {len(found['questions'])} questions")


def _finer(data: Path) -> Found:
    """A lesson for each tag: its first sentence in the validation set. A question has up to four tags."""
    lessons: dict[str, str] = {}
    for record in _records(data / "finer_val_batched_500_samples.jsonl"):
        for (entity, sentence), tag in zip(
            _QUESTION.findall(record["context"]), record["target"].split(","), strict=True
        ):
            lessons.setdefault(tag, f"{sentence.strip()} Here {entity} is {tag}.")
    records = [*_records(data / "finer_test_subset_006_seed42.jsonl")][::_NTH]
    start = _common([each["context"] for each in records])
    questions = [
        [each["context"].removeprefix(start), sorted({*each["target"].split(",")} & {*lessons})] for each in records
    ]
    return {"start": start, "lessons": lessons, "questions": questions}


def _formula(data: Path) -> Found:
    """A lesson for each formula, as the records explain it. A question is what the reference implementation asks."""
    lessons: dict[str, str] = {}
    questions: list[object] = []
    for record in _records(data / "formula_test.jsonl"):
        about, asked = record["context"].split("Question: ", 1)
        (name,) = _FORMULA.findall(about)
        lessons.setdefault(name, about[about.index("Formula: ") :].strip())
        questions.append([asked.split(". Answer:")[0].strip() + _FORM, [name]])
    return {"start": "", "lessons": lessons, "questions": questions}


def _common(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    first, last = min(texts), max(texts)
    n = next((idx for idx, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:n]


def _records(path: Path) -> Iterator[dict[str, str]]:
    for line in path.read_text("utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


if __name__ == "__main__":
    main()

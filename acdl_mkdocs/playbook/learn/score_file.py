"""Read scores of runs from a file: JSON lines, one JSON object, or CSV with a header; from tests or people.

A score is a number from 0 to 1, a percentage with its sign or a truth value; 1 is right. Nothing in a file is ignored
silently.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.playbook.learn.datasets import BadLine, Sample
from acdl_mkdocs.playbook.learn.scorers import Feedback
from acdl_mkdocs.prompts.prompt import Json

_HELP = 'write a line as `{"id": "run-1", "score": 1, "feedback": "3 of 3 tests passed"}`'
_WORDS = {
    **dict.fromkeys(("true", "pass", "passed", "yes"), 1.0),
    **dict.fromkeys(("false", "fail", "failed", "no"), 0.0),
}
_LONGER = "the row has more cells than the header; put quotes around a text with commas"
_MOST_NEAR = 100
"""Unknown ids for which a run with a similar name is searched."""
_WRAPPERS = ("scores", "results", "runs")
"""Top-level keys that may wrap a whole file."""


@dataclass(frozen=True, slots=True)
class Scores:
    """`(sample, answer) -> Feedback`: the score of a sample in a file; unknown if the file has none."""

    by_id: Mapping[str, Feedback]

    def __call__(self, sample: Sample, answer: str) -> Feedback:  # noqa: ARG002 - the file is about one answer
        """Return the score in the file."""
        return self.by_id.get(sample.id, Feedback(""))


@dataclass(frozen=True, slots=True)
class ReadScores:
    """The contents of a file."""

    scores: Scores
    problems: tuple[BadLine, ...] = ()

    def find_unknown(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Find scores that belong to no run."""
        run_ids = dict.fromkeys(ids)
        messages: list[str] = []
        for each in self.scores.by_id:
            if each not in run_ids:
                near = find_closest(each, run_ids) if len(messages) < _MOST_NEAR else None
                runs = ", ".join(f"`{one}`" for one in islice(run_ids, 8))
                messages.append(
                    f"there is no run `{each}`; " + (f"did you mean `{near}`?" if near else f"there are {runs}")
                )
        return tuple(messages)


def read_scores(path: Path) -> ReadScores:
    """Read the scores of a file.

    Raises:
        OSError: The file cannot be read. Its content never raises.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        return ReadScores(Scores({}), (BadLine(1, f"byte {fault.start + 1} is not UTF-8", "save the file as UTF-8"),))
    return scores_of(text)


def scores_of(text: str) -> ReadScores:
    """Read the scores of a text. Problems are in the result; never raises."""
    scores: dict[str, Feedback] = {}
    problems: list[BadLine] = []
    for line, record in _records(text):
        problem = record if isinstance(record, str) else _add_score(record, scores)
        if problem:
            problems.append(BadLine(line, problem, _HELP))
    if not scores and not problems:
        problems.append(BadLine(1, "there is no score", _HELP))
    return ReadScores(Scores(scores), tuple(problems))


def _add_score(record: Mapping[str, Json], scores: dict[str, Feedback]) -> str | None:
    """Add the score of a record; return what is wrong with it, if anything."""
    name, score = record.get("id"), _score(record.get("score"))
    name = str(name) if isinstance(name, int) and not isinstance(name, bool) else name
    text = record.get("feedback")
    if not isinstance(name, str) or not name.strip():
        return "there is no `id`"
    if name in scores:
        return f"the id `{name}` is there twice"
    if score is None:
        wrong = f"`score` of `{name}` is not a number from 0 to 1, percentage such as `85%`, or true or false"
        return wrong if "score" in record else f"`{name}` has no `score`"
    scores[name] = Feedback(text if isinstance(text, str) else "", score)
    return None


def _score(value: Json) -> float | None:
    if isinstance(value, str):
        word = value.strip().lower()
        if word in _WORDS:
            return _WORDS[word]
        digits, sign, rest = word.partition("%")
        try:
            value = float(digits) / (100 if sign else 1)
        except ValueError:
            return None
        if rest:
            return None
    return float(value) if isinstance(value, (bool, int, float)) and 0 <= value <= 1 else None


def _records(text: str) -> Iterator[tuple[int, "Mapping[str, Json] | str"]]:
    """Yield every record with its line, or the problem there."""
    begin = text.lstrip()[:1]
    if begin not in ("{", "["):
        yield from _rows(text)
        return
    root = _load_json(text)
    if isinstance(root, dict) and len(root) == 1 and isinstance(inner := next(iter(root.items()))[1], (dict, list)):
        root = inner if next(iter(root)) in _WRAPPERS else root
    if isinstance(root, dict) and not ("id" in root and "score" in root):
        for name, value in root.items():
            yield 1, {**value, "id": name} if isinstance(value, dict) else {"id": name, "score": value}
        return
    if isinstance(root, list):
        for each in root:
            yield 1, each if isinstance(each, dict) else "an element is not an object"
        return
    for line, written in enumerate(text.split("\n"), 1):
        if written.strip():
            data = _load_json(written)
            yield line, data if isinstance(data, dict) else "this is not a JSON object"


def _load_json(text: str) -> Json:
    try:
        data: Json = json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        return None
    return data


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """Return an object; a repeated key has no score, which is a separate problem."""
    record = dict(pairs)
    if len(record) == len(pairs):
        return record
    n_times = Counter(key for key, _ in pairs)
    return {key: value if n_times[key] == 1 else "two scores" for key, value in record.items()}


def _rows(text: str) -> Iterator[tuple[int, "Mapping[str, Json] | str"]]:
    header = text.lstrip().partition("\n")[0]
    delimiter = next((each for each in ",;\t" if each in header), ",")
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    names = reader.fieldnames = [each.strip().lower() for each in reader.fieldnames or ()]
    if not text.strip():
        return
    if "id" not in names or "score" not in names:
        yield 1, "the header has no columns `id` and `score`"
        return
    try:
        for row in reader:
            record = {key: value for key, value in row.items() if isinstance(key, str) and value is not None}
            beyond = (cell for key, cells in row.items() if not isinstance(key, str) for cell in cells)
            is_longer = any(cell.strip() for cell in beyond)
            yield reader.line_num, _LONGER if is_longer else record
    except csv.Error as fault:
        yield reader.line_num, f"the table cannot be read: {fault}"

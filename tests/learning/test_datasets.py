"""Questions from files: fields of any names, every bad line reported, ids that stay the same."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.playbook.learn.datasets import Fields, Sample, limit_samples, read_samples, samples_of


def problems(text: str, fields: Fields | None = None) -> list[str]:
    """What is wrong with a text."""
    return [str(each) for each in samples_of(text, fields).problems]


def test_lines_and_lists_say_the_same(tmp_path: Path) -> None:
    """JSON lines, with blank ones, a byte order mark and Windows' ends of line, and a JSON list give equal samples."""
    records = [{"id": "a", "question": "1+1?", "answer": "2"}, {"id": "b", "question": "¿?", "context": "c"}]
    wanted = (Sample("a", "1+1?", "2"), Sample("b", "¿?", None, "c"))
    lines = "\r\n\r\n".join(json.dumps(each, ensure_ascii=False) for each in records)
    for text in (lines, f"\ufeff\n{lines}\n", json.dumps(records), json.dumps(records, indent=2)):
        path = tmp_path / "data.jsonl"
        path.write_text(text, "utf-8", newline="")
        found = read_samples(path)
        assert (found.samples, found.problems, found.n_answered) == (wanted, (), 1)


def test_finer_and_formula() -> None:
    """A record with a context and a target is a question and its answer."""
    (sample,) = samples_of('{"context": "Tag these.", "target": "us-gaap:Cash,us-gaap:Debt"}').samples
    assert (sample.question, sample.answer, sample.context) == ("Tag these.", "us-gaap:Cash,us-gaap:Debt", None)


def test_named_fields() -> None:
    """Fields are named by dotted paths, through lists too; a key with a dot in it is found first."""
    text = '{"in": {"text": "q"}, "out": [{"gold": "g"}], "a.b": "key", "a": {"b": "path"}}'
    fields = Fields("in.text", "out.0.gold", "a.b", None)
    (sample,) = samples_of(text, fields).samples
    assert (sample.question, sample.answer, sample.context) == ("q", "g", "key")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ('"x "', "x "),
        ("1.10", "1.10"),
        ("9" * 5000, "9" * 5000),
        ("-1e5", "-1e5"),
        ("true", "true"),
        ('["a", 2]', "a,2"),
        ('"a\u2028b"', "a\u2028b"),
        ("null", None),
        ('""', None),
        ('" "', None),
        ("[]", None),
    ],
)
def test_answers(written: str, text: str | None) -> None:
    """Answers are texts; numbers stay as they are written, lists are joined by commas, nothing is no ground truth."""
    found = samples_of(f'{{"question": "q", "answer": {written}}}')
    assert found.problems == ()
    assert found.samples[0].answer == text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "line 1: not JSON: expecting property name enclosed in double quotes at character 2"),
        ('{"question": "q"} x', "line 1: not JSON: extra data at character 19"),
        ("3", "line 1: this is not a JSON object"),
        ('{"quesion": "q"}', "line 1: there is no question in the field `question`; did you mean `--question"),
        ('{"x": 1, "y": 2}', "line 1: there is no question in the field `question`; name the field: `--question"),
        ('{"question": {"text": "q"}}', "line 1: `question` is an object; name what is in it: `question.text`"),
        ('{"question": "q", "answer": [null]}', "line 1: `answer` is a list with something else than texts"),
        ('{"question": "q", "answer": [["a"]]}', "line 1: `answer` is a list with something else than texts"),
        ('{"question": "q", "answer": NaN}', "line 1: `NaN` is not a JSON number"),
        ('{"question": "q", "question": "r"}', "line 1: the key `question` is there twice"),
        ('{"question": "\\ud800"}', "line 1: `question` has half of a character"),
        ("[" * 100_000, "line 1: nested too deeply"),
        ('\n\n{"question": ""}', "line 3: there is no question in the field `question`"),
        ("", "line 1: the file is empty; write a record as"),
        ("\r\n \n", "line 1: the file is empty; write a record as"),
        ("[]", "line 1: there is no record"),
        ('[{"question": "q"}] x', "line 1: something stands behind the list"),
        ('[{"question": "q"}\n {"question": "r"}]', "line 2: the list continues without a comma"),
        ('[{"question": "q"},]', "line 1: not JSON: expecting value"),
        ('[\n{"question": "q"},\n\n oops]', "line 4: not JSON: expecting value at character 24"),
    ],
)  # fmt: skip
def test_bad_lines(text: str, problem: str) -> None:
    """Each line that gives no sample is told with its number, why, and a cure."""
    (found,) = problems(text)
    assert found.startswith(problem)
    assert "; " in found


def test_all_bad_lines_at_once() -> None:
    """One reading tells everything, and the good lines are there."""
    text = '{"question": "a"}\nbad\n{"question": "b"}\n{}\n'
    found = samples_of(text)
    assert [each.line for each in found.problems] == [2, 4]
    assert [each.question for each in found.samples] == ["a", "b"]


def test_ids_that_are_there_twice() -> None:
    """An id names one record; where the other is, is told."""
    text = '{"id": 7, "question": "a"}\n\n{"id": "7", "question": "b"}'
    assert problems(text) == ["line 3: the id `7` is that of line 1 too; give every record an id of its own"]


def test_ids_of_content() -> None:
    """Without ids a record is known by what it says, wherever it stands; equal records are numbered."""
    a, b = '{"question": "a"}', '{"question": "b"}'
    ids = [[each.id for each in samples_of("\n".join(lines)).samples] for lines in ((a, b, a), (b, a, a))]
    assert ids[0] == [ids[1][1], ids[1][0], ids[1][2]]
    assert ids[0][2] == f"{ids[0][0]}-2"


def test_named_fields_that_are_nowhere() -> None:
    """An answer or id field that no record has is told, with the near name."""
    text = '{"question": "q", "target": "t"}'
    assert problems(text, Fields(answer="targt")) == [
        "line 1: no record has an answer in the field `targt`; did you mean `--answer target`?"
    ]
    assert problems(text, Fields(id="nr"))[0].startswith("line 1: there is no id in the field `nr`")


def test_encodings(tmp_path: Path) -> None:
    """A file that is no UTF-8 is told as such, with the line."""
    path = tmp_path / "data.jsonl"
    path.write_bytes(b'{"question": "a"}\n{"question": "\xff"}')
    assert str(read_samples(path).problems[0]) == "line 2: byte 33 is not UTF-8; save the file as UTF-8"
    path.write_bytes("{}".encode("utf-16"))
    assert "UTF-16" in str(read_samples(path).problems[0])


def test_limit() -> None:
    """A limit takes the same samples for the same seed, in their order; another seed takes others."""
    samples = [Sample(str(number), "q") for number in range(100)]
    chosen = limit_samples(samples, 10, 1)
    assert chosen == limit_samples(samples[::-1], 10, 1)[::-1]
    assert [int(each.id) for each in chosen] == sorted(int(each.id) for each in chosen)
    assert set(chosen) != set(limit_samples(samples, 10, 2))
    assert limit_samples(samples, None, 1) == limit_samples(samples, 500, 1) == tuple(samples)


@given(st.text(max_size=300) | st.recursive(st.none() | st.booleans() | st.text(), st.lists).map(json.dumps))
def test_any_text_is_read(text: str) -> None:
    """Every text gives samples or problems, and never raises."""
    found = samples_of(text)
    assert found.samples or found.problems

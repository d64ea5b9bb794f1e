"""How answers are scored: texts, labels, numbers, and scorers of other packages."""

import pickle
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acdl_mkdocs.foundation.errors import ScorerError, UnknownFormatError
from acdl_mkdocs.playbook.learn.scorers import (
    SCORERS,
    Score,
    contains,
    exact,
    find_numbers,
    finer,
    formula,
    labels,
    numeric,
    scorer,
)


@pytest.mark.parametrize(
    ("answer", "truth"),
    [
        ("Paris", "paris."),
        (" the  Seine ", "Seine"),
        ("“Yes”", "yes"),
        ("ＡＢＣ", "abc"),
        ("**42**", "42"),
        ("-", "-"),
        ('".5".', ".5"),
    ],
)
def test_exact(answer: str, truth: str) -> None:
    """Case, spaces, width, quotes, marks at the ends and articles do not matter."""
    assert exact(answer, truth) == Score(1.0)


@pytest.mark.parametrize(
    ("answer", "truth"),
    [("Paris, France", "Paris"), ("not yes", "yes"), ("4.2", "42"), (".5", "5"), ("", "x"), ("!", "?")],
)
def test_not_exact(answer: str, truth: str) -> None:
    """Everything else does, and what was expected is told."""
    assert exact(answer, truth) == Score(0.0, f"expected `{truth}`")


def test_contains() -> None:
    """The truth has to stand in the answer as whole words."""
    assert contains("It is the Seine, I think", "seine").is_right
    assert not contains("Seinette", "seine").is_right
    assert not contains("anything", "").is_right


@pytest.mark.parametrize("answer", ["It is 1.5", "It is .5", "5.1 at most", ".5"])
def test_a_part_of_a_number_is_not_contained(answer: str) -> None:
    """A number is whole only with its digits on both sides of the point; other words may follow a point."""
    assert not contains(answer, "5").is_right
    assert contains("1.5 or 5.", "5").is_right
    assert contains("1.Paris 2.Rome", "rome").is_right


@pytest.mark.parametrize(
    ("answer", "truth", "n_right", "n_all"),
    [
        ("A,B,C", "a, b ,c", 3, 3),
        ("[A, B]", "A,B", 2, 2),
        ("A,C,B", "A,B,C", 1, 3),
        ("A", "A,B", 1, 2),
        ("A,B,C", "A,B", 2, 3),
        ("", "A,B", 0, 2),
        ("B,A", "A,B", 0, 2),
    ],
)
def test_labels(answer: str, truth: str, n_right: int, n_all: int) -> None:
    """Labels count at their places; missing ones and those too many are wrong."""
    score = labels(answer, truth)
    assert (score.n_right, score.n_all, score.value) == (n_right, n_all, n_right / n_all)
    assert bool(score.detail) is not score.is_right


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$1,234.5 million", "1234500000"),
        ("(1,234)", "-1234"),
        ("$(5.2) million", "-5200000"),
        ("$ (1.2 billion)", "-1200000000"),
        ("12%", "0.12"),
        ("12.5 per cent", "0.125"),
        ("(5%)", "-0.05"),
        ("25 basis points", "0.0025"),
        ("−3", "-3"),
        ("$-3", "-3"),
        ("-€3", "-3"),
        ("+7", "7"),
        ("1.5e3", "1500"),
        ("1\u00a0234", "1234"),
        ("EUR 12", "12"),
        (".5", "0.5"),
        ("2bn", "2000000000"),
        ("The answer is 42.", "42"),
        ("１２", "12"),
    ],
)
def test_numbers(text: str, number: str) -> None:
    """Money, magnitudes, percents, parentheses and signs are read."""
    assert [float(each) for each in find_numbers(text)] == [float(number)]
    assert numeric(text, number).is_right


@pytest.mark.parametrize(
    ("text", "n_numbers"), [("none", 0), ("v1.2.3", 0), ("1,23", 2), ("3 or 4", 2), ("0x10", 0), ("9" * 30_000, 0)]
)
def test_no_single_number(text: str, n_numbers: int) -> None:
    """What is not a number, or several, is not made one."""
    assert len(find_numbers(text)) == n_numbers
    assert not numeric(text, "1").is_right


@pytest.mark.parametrize(
    ("answer", "truth", "is_right"),
    [
        ("100.009", "100", True),
        ("100.02", "100", False),
        ("2024", "2023", False),
        ("0", "0", True),
        ("1e-9", "0", False),
    ],
)
def test_tolerance(answer: str, truth: str, is_right: bool) -> None:
    """By default a number may be a ten-thousandth off: no year is another."""
    assert numeric(answer, truth).is_right is is_right


def test_other_tolerances() -> None:
    """A relative or an absolute distance may be allowed; either is enough."""
    assert scorer("numeric", relative=0.05)("104", "100").is_right
    assert not scorer("numeric", relative=0.05)("106", "100").is_right
    assert scorer("numeric", absolute=0.5)("0.5", "0").is_right
    assert not scorer("numeric", relative=0.0)("1.00001", "1").is_right
    assert scorer("numeric", relative=0.0)("0.30", "0.3").is_right


@pytest.mark.parametrize(
    ("answer", "truth", "words"),
    [
        ("12", "12%", "off by a factor of 100"),
        ("-5", "5", "the sign is wrong"),
        ("7", "5", "off by 2"),
        ("x", "5", "no number"),
    ],
)
def test_why_a_number_is_wrong(answer: str, truth: str, words: str) -> None:
    """The usual mistakes are named."""
    assert words in numeric(answer, truth).detail


def test_truth_without_a_number() -> None:
    """Where the truth is not a number, texts are compared."""
    assert numeric("N/A", "n/a").is_right


@given(st.text(max_size=60), st.text(max_size=60))
def test_scores_are_scores(answer: str, truth: str) -> None:
    """Every scorer gives a value from 0 to 1 for any texts."""
    for score in SCORERS.values():
        assert 0 <= score(answer, truth).value <= 1


@given(st.text(min_size=1, max_size=60))
@example("\r")
def test_the_truth_is_right(truth: str) -> None:
    """The truth itself is right, for every scorer that compares the whole."""
    assert exact(truth, truth).is_right
    assert labels(truth, truth).is_right


def test_unknown_scorer() -> None:
    """A name that nobody has is told with the near one."""
    with pytest.raises(UnknownFormatError, match="no scorer `numerik`; did you mean `numeric`"):
        scorer("numerik")
    with pytest.raises(UnknownFormatError, match="there are contains, exact, finer, formula, labels, numeric"):
        scorer("zzz")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package that brings scorers."""
    info = tmp_path / "scorers_of_others-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: scorers-of-others\nVersion: 1.0\n")
    names = ("half", "yes", "many", "odd", "broken", "constant", "whole")
    points = [f"{name} = scorers_of_others:{name}" for name in names]
    (info / "entry_points.txt").write_text("\n".join(["[acdl_mkdocs.scorers]", *points, "gone = nowhere_at_all:x\n"]))
    (tmp_path / "scorers_of_others.py").write_text(
        "from acdl_mkdocs.playbook.learn.scorers import Score\n"
        "def half(answer, truth): return 0.5\n"
        "def yes(answer, truth): return answer == truth\n"
        "def many(answer, truth): return 7\n"
        "def odd(answer, truth): return 'fine'\n"
        "def broken(answer, truth): return 1 / 0\n"
        "def whole(answer, truth): return Score(1.0, 'it is')\n"
        "constant = 3\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "scorers_of_others", raising=False)


@pytest.mark.usefixtures("package")
def test_scorers_of_other_packages() -> None:
    """A package brings scorers by an entry point; they may give a number or a truth value, and can be pickled."""
    assert scorer("half")("a", "b") == Score(0.5)
    assert scorer("yes")("a", "a") == Score(1.0)
    assert scorer("whole")("a", "a") == Score(1.0, "it is")
    assert pickle.loads(pickle.dumps(scorer("half")))("a", "b") == Score(0.5)  # noqa: S301
    with pytest.raises(UnknownFormatError, match="did you mean `half`"):
        scorer("halff")


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("many", "gave 7: expected a `Score`"),
        ("odd", "gave 'fine'"),
        ("broken", "failed with ZeroDivisionError"),
        ("constant", "is not a function"),
        ("gone", "cannot be loaded: No module named 'nowhere_at_all'"),
    ],
)
def test_scorers_that_fail(name: str, words: str) -> None:
    """A scorer that fails, or gives no score, is named with what it did."""
    with pytest.raises(ScorerError, match=f"`{name}`") as caught:
        scorer(name)("a", "b")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "truth", "n_right"),
    [
        ("A,B", "A,B", 2),
        ("A,B,C", "A,B", 2),
        ("a , b", "A,B", 2),
        ("A", "A,B", 1),
        ("B,A", "A,B", 0),
        ("", "A,B", 0),
        ("[A,B]", "A,B", 0),
        ("A.,B", "A,B", 1),
        ("$15,x", "15.0,X", 2),
        ("15.0,X", "A,15", 0),
        ("('a',),b", "A,B", 0),
    ],
)
def test_finer(answer: str, truth: str, n_right: int) -> None:
    """FiNER is counted as the reference does; the values were got by running that."""
    found = finer(answer, truth)
    assert (found.n_right, found.n_all, found.weight) == (n_right, 2, 2.0)
    assert found.is_right == (n_right == 2)


@pytest.mark.parametrize(
    ("answer", "truth", "is_right"),
    [
        ("15.0", "15.0", True),
        ("15", "15.0", True),
        ("15.001", "15.0", False),
        ("1,500", "1500.0", True),
        (" 15 ", "15.0", True),
        ("1.5e1", "15", True),
        ("15%", "15.0", False),
        ("$15", "15.0", False),
        ("nan", "nan", False),
        ("n/a", "n/a", True),
        ("", "15.0", False),
    ],
)
def test_formula(answer: str, truth: str, is_right: bool) -> None:
    """Formula is counted as the reference does; the values were got by running that."""
    assert formula(answer, truth).is_right is is_right


def test_where_the_reference_and_ours_differ() -> None:
    """Labels too many, and numbers that are near enough: each has a scorer that says so."""
    assert (finer("A,B,C", "A,B").is_right, labels("A,B,C", "A,B").is_right) == (True, False)
    assert (formula("15.001", "15.0").is_right, numeric("15.001", "15.0").is_right) == (False, True)
    assert (formula("15 %", "0.15").is_right, numeric("15 %", "0.15").is_right) == (False, True)
    assert scorer("finer") is finer
    assert scorer("formula") is formula

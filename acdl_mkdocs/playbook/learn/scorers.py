"""Scorers by name, numbers in texts, and the judgement of an answer."""

import math
import re
from ast import literal_eval
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from itertools import zip_longest
from typing import TypeAlias
from unicodedata import normalize

from acdl_mkdocs.foundation.errors import ScorerError, UnknownFormatError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.playbook.learn.datasets import Sample

_MAGNITUDES = {
    "hundred": 2, "thousand": 3, "k": 3, "million": 6, "millions": 6, "mn": 6, "mm": 6, "m": 6, "mio": 6,
    "billion": 9, "billions": 9, "bn": 9, "b": 9, "trillion": 12, "trillions": 12, "tn": 12, "t": 12,
}  # fmt: skip
_CURRENCY = r"(?:[$€£¥₹]|\b(?:USD|EUR|GBP|JPY|CHF|CAD|AUD|INR|CNY)\b|US\$)"
_SPACED = re.compile(r"(?<=\d)[\u00a0\u202f\u2009](?=\d{3}(?!\d))")
_BLANKS = re.compile(r"\s+")
_MINUS = str.maketrans({"−": "-", "–": "-", "\u2011": "-", "﹣": "-", "－": "-"})
_WORDS = "|".join(sorted(_MAGNITUDES, key=len, reverse=True))
_NUMBER = re.compile(
    rf"""
    (?<![\w.])(?P<open>\()?\s*(?P<sign>[-+])?\s*{_CURRENCY}?\s*(?P<sign_inside>[-+])?
    (?P<digits>\d{{1,3}}(?:,\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
    (?P<power>[eE][-+]?\d{{1,3}}(?![\w.]))?
    (?:\s*(?P<magnitude>{_WORDS})\b)?
    \s*(?P<percent>%|‰|percent\b|per\s+cent\b|bps\b|basis\s+points\b)?
    \s*(?:{_CURRENCY})?\s*(?P<close>\)(?:\s*(?P<outside>{_WORDS})\b|\s*(?P<share>%))?)?(?![\w])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_MAX_CHARACTERS = 20_000
_PARTS = {"%": 2, "percent": 2, "per cent": 2, "‰": 3, "bps": 4, "basis points": 4}


def find_numbers(text: str) -> list[Decimal]:
    """Return all numbers of a text, in order: `$1.5 million` is 1500000, `12 %` is 0.12, `(7)` alone is -7.

    A comma only groups thousands; otherwise, as in `1,23`, there are two numbers.
    """
    if len(text) > _MAX_CHARACTERS:
        return []
    plain = _SPACED.sub("", text).translate(_MINUS)
    plain = _BLANKS.sub(" ", normalize("NFKC", plain)).strip()
    return [_value(match, plain) for match in _NUMBER.finditer(plain)]


def _value(match: re.Match[str], text: str) -> Decimal:
    value = Decimal(match["digits"].replace(",", "") + (match["power"] or ""))
    power = sum(_MAGNITUDES[match[name].lower()] for name in ("magnitude", "outside") if match[name])
    for part in (match["percent"], match["share"]):
        power -= _PARTS[" ".join(part.lower().split())] if part else 0
    is_negative = "-" in ((match["sign"] or ""), (match["sign_inside"] or ""))
    is_bracketed = bool(match["open"] and match["close"]) and not (match["sign"] or match["sign_inside"])
    is_accounting = is_bracketed and _stands_alone(match, text)
    scaled = value.scaleb(power)
    return -scaled if is_negative or is_accounting else scaled


def _stands_alone(match: re.Match[str], text: str) -> bool:
    """Return whether a number in parentheses has only currency or words before it, and no sentence after it."""
    return not any(each.isalnum() for each in text[match.end() :])


GROUP = "acdl_mkdocs.scorers"
RELATIVE = 1e-4
"""Default tolerance of a number, relative to the truth: 2023 is not 2024."""


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one answer."""

    value: float
    """From 0 to 1."""
    detail: str = ""
    """Why it is not 1, or the words of the feedback; may be empty."""
    n_right: int | None = None
    """For a list, the number of right elements; `None` for other answers."""
    n_all: int | None = None
    """For a list, the number of its elements; `None` for other answers."""
    weight: float = 1.0
    """Weight of the question in the accuracy of a data set."""

    @property
    def is_right(self) -> bool:
        """True if nothing is wrong with the answer."""
        return self.value >= 1.0


Scorer: TypeAlias = Callable[[str, str], Score]

_EDGES = " \t\n\r.,;:!?\"'`“”‘’*"
_POINT = re.compile(rf"[{re.escape(_EDGES)}]*?(?=\.\d)")
"""Marks before a number that begins with its decimal point."""
_START = r"(?<!\w)(?:(?!\d)|(?<![\d\s]\.)(?<!\A\.))"
_END = r"(?!\w)(?:(?<!\d)|(?!\.\d))"
"""Edges of whole words and whole numbers."""
_ARTICLE = re.compile(r"^(?:the|an|a)\s+")


def normalize_answer(text: str) -> str:
    """Normalize a text: case, spaces, width of letters, quotes and marks at its ends, articles."""
    folded = " ".join(normalize("NFKC", text).casefold().split()).rstrip(_EDGES)
    point = _POINT.match(folded)
    return _ARTICLE.sub("", folded.lstrip(_EDGES) if point is None else folded[point.end() :])


def exact(answer: str, truth: str) -> Score:
    """Score an answer as right if it equals the truth except for case, spaces, and marks at the ends."""
    normalized, expected = normalize_answer(answer), normalize_answer(truth)
    is_right = normalized == expected if expected or normalized else answer.strip() == truth.strip()
    return Score(1.0) if is_right else Score(0.0, f"expected `{truth}`")


def contains(answer: str, truth: str) -> Score:
    """Score an answer as right if it contains the truth as whole words, or as a whole number: not 5 in 1.5."""
    expected = normalize_answer(truth)
    if expected and re.search(rf"{_START}{re.escape(expected)}{_END}", normalize_answer(answer)):
        return Score(1.0)
    return Score(0.0, f"`{truth}` is not in the answer")


def labels(answer: str, truth: str) -> Score:
    """Return the share of right comma-separated labels, by position. Extra labels are wrong."""
    answer_labels, expected = _labels(answer), _labels(truth)
    n_all = max(len(answer_labels), len(expected), 1)
    n_right = sum(a == b for a, b in zip(answer_labels, expected, strict=False))
    if answer_labels == expected:
        return Score(1.0, "", n_all, n_all)
    wrong = [
        f"{idx}: `{b}`" for idx, b in enumerate(expected, 1) if idx > len(answer_labels) or answer_labels[idx - 1] != b
    ]
    detail = f"expected {', '.join(wrong)}" if wrong else f"{len(answer_labels) - len(expected)} labels too many"
    return Score(n_right / n_all, detail, n_right, n_all)


def _labels(text: str) -> list[str]:
    return (
        [normalize_answer(each.strip("[]()")) for each in text.strip().strip("[]").split(",")] if text.strip() else []
    )


def numeric(answer: str, truth: str, relative: float = RELATIVE, absolute: float = 0.0) -> Score:
    """Score a number as right if it is near enough: `$1,234.5 million`, `12 %` and `(7)` are numbers.

    Parameters:
        answer: A number, or words with exactly one number.
        truth: The same.
        relative: Largest distance relative to the truth.
        absolute: Largest distance; either is enough.
    """
    numbers, expected = find_numbers(answer), find_numbers(truth)
    if len(expected) != 1:
        return exact(answer, truth)
    if len(numbers) != 1:
        how_many = "no number" if not numbers else f"{len(numbers)} numbers"
        return Score(0.0, f"expected {truth}, the answer has {how_many}")
    distance = abs(numbers[0] - expected[0])
    if distance <= max(abs(expected[0]) * Decimal(str(relative)), Decimal(str(absolute))):
        return Score(1.0)
    return Score(0.0, f"expected {truth}, {_describe_distance(numbers[0], expected[0])}")


def _describe_distance(number: Decimal, expected: Decimal) -> str:
    if expected and number == -expected:
        return "the sign is wrong"
    for factor in (100, 1_000, 1_000_000, 1_000_000_000):
        if expected and number in (expected * factor, expected / factor):
            return f"off by a factor of {factor:,}"
    return f"off by {float(number - expected):.4g}"


def finer(answer: str, truth: str) -> Score:
    """Score comma-separated labels like the reference implementation of ACE for FiNER.

    Labels are compared by position, ignoring case and outer spaces. Extra labels are ignored, missing ones are wrong.
    The accuracy of a data set is the share of all its labels that are right, so a question has the weight of its number
    of labels. A label that is a number, of which FiNER has none, is compared as one.

    Source: https://github.com/ace-agent/ace, `finance/data_processor.py`.
    """
    answer_labels, expected = ([each.strip().lower() for each in text.split(",")] for text in (answer, truth))
    n_all = len(expected)
    pairs = zip_longest(answer_labels[:n_all], expected, fillvalue="")
    wrong = [f"{n}: `{b}`" for n, (a, b) in enumerate(pairs, 1) if not _is_same(a, b)]
    n_right = n_all - len(wrong)
    detail = f"expected {', '.join(wrong)}" if wrong else ""
    return Score(n_right / n_all, detail, n_right, n_all, float(n_all))


def _is_same(label: str, expected: str) -> bool:
    number = _literal(expected)
    return label == expected if number is None else _literal(label.replace("$", "")) == number


def _literal(text: str) -> complex | None:
    """Return the number that a text is in Python; other expressions that the reference evaluates are not run."""
    try:
        value = literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, (int, float, complex)) else None


def formula(answer: str, truth: str) -> Score:
    """Score a number like the reference implementation of ACE for Formula: exactly equal, except for commas.

    Other text, such as `15 %`, is right if it is equal.

    Source: https://github.com/ace-agent/ace, `finance/data_processor.py`.
    """
    digits, expected = answer.replace(",", ""), truth.replace(",", "")
    try:
        is_right = float(digits) == float(expected)
    except ValueError:
        is_right = digits == expected
    return Score(1.0) if is_right else Score(0.0, f"expected {truth}, exactly")


SCORERS: Mapping[str, Scorer] = {
    "contains": contains,
    "exact": exact,
    "finer": finer,
    "formula": formula,
    "labels": labels,
    "numeric": numeric,
}
"""The scorers of this package; `scorer` also finds those of others."""


def scorer(name: str, *, relative: float | None = None, absolute: float | None = None) -> Scorer:
    """Return the scorer with a name.

    Parameters:
        name: One of `SCORERS`, or of an installed package.
        relative: For `numeric`.
        absolute: For `numeric`.

    Raises:
        UnknownFormatError: There is none of that name.
        ScorerError: Its package cannot be loaded.
    """
    if name == "numeric":
        return partial(numeric, relative=RELATIVE if relative is None else relative, absolute=absolute or 0.0)
    if name in SCORERS:
        return SCORERS[name]
    others = {each.name: each for each in entry_points(group=GROUP)}
    if name in others:
        return partial(_check_score, name, _load(others[name]))
    names = sorted({*SCORERS, *others})
    near = find_closest(name, names)
    hint = f"did you mean `{near}`?" if near else f"there are {', '.join(names)}"
    raise UnknownFormatError(f"no scorer `{name}`; {hint}")


def _load(entry: EntryPoint) -> Callable[[str, str], object]:
    try:
        function: Callable[[str, str], object] = entry.load()
    except Exception as fault:
        raise ScorerError(f"the scorer `{entry.name}` ({entry.value}) cannot be loaded: {fault}") from fault
    if not callable(function):
        raise ScorerError(f"the scorer `{entry.name}` ({entry.value}) is not a function")
    return function


def _check_score(name: str, function: Callable[[str, str], object], answer: str, truth: str) -> Score:
    """Return the result of a scorer of another package, if it is a score."""
    try:
        result = function(answer, truth)
    except Exception as fault:
        raise ScorerError(f"the scorer `{name}` failed with {type(fault).__name__}: {fault}") from fault
    score = Score(float(result)) if isinstance(result, (bool, int, float)) else result
    if not isinstance(score, Score) or not math.isfinite(score.value) or not 0 <= score.value <= 1:
        raise ScorerError(
            f"the scorer `{name}` gave {result!r}: expected a `Score`, a truth value or a number from 0 to 1"
        )
    return score


@dataclass(frozen=True, slots=True)
class Feedback:
    """The result of an answer in the world: output of a test, an error code, a reply of an interface."""

    text: str
    """The result in words, which the reflector reads."""
    score: float | None = None
    """From 0 to 1, 1 is right; `None` if unknown."""


Watch: TypeAlias = Callable[[Sample, str], Feedback]
"""`(sample, answer) -> Feedback`: a user's function; it must be a function of a module if workers are processes."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of one answer."""

    score: float | None
    words: str
    """The verdict for the reflector."""

    @property
    def is_right(self) -> bool:
        """True if nothing could be better."""
        return self.score is not None and self.score >= 1.0


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges answers."""

    scorer: Scorer
    """`(answer, truth) -> Score`, for samples with a ground truth."""
    feedback: Watch | None = None

    def judge_answer(self, sample: Sample, answer: str) -> Verdict:
        """Judge an answer; the right answer of the sample takes precedence over the score of feedback."""
        feedback = self.feedback(sample, answer) if self.feedback is not None else None
        feedback_lines = [f"Feedback: {feedback.text}"] if feedback is not None and feedback.text else []
        if sample.answer is not None:
            score = self.scorer(answer, sample.answer)
            lines = [_in_words(score.value), f"Correct answer: {sample.answer}"]
            lines += [f"Comparison: {score.detail}"] if score.detail else []
            return Verdict(score.value, "\n".join([*lines, *feedback_lines]))
        if feedback is None or feedback.score is None:
            return Verdict(None, "\n".join(["Whether the answer is right is not known.", *feedback_lines]))
        return Verdict(feedback.score, "\n".join([_in_words(feedback.score), *feedback_lines]))


def _in_words(score: float) -> str:
    if score >= 1:
        return "The answer is right."
    return "The answer is wrong." if score <= 0 else f"The answer is partly right: score {score:.2f} of 1."

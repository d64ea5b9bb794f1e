"""Repeated groups that keep nothing to go back to."""

import re
import tracemalloc

import pytest

from acdl_mkdocs.foundation.possessive import repeat_possessively
from acdl_mkdocs.foundation.safe_text import BEGUN_STRING
from acdl_mkdocs.prompts.strict_json import has_too_many_values
from acdl_mkdocs.runs.read.files import _CELL

N_TIMES = 300_000


@pytest.mark.parametrize("n_times", [0, 1, 499, 500, 501, 1_500])
def test_everything_is_matched_and_nothing_given_back(n_times: int) -> None:
    """As many as there are, in groups of any size."""
    assert re.match(repeat_possessively("ab|c"), "abc" * n_times + "a").end() == 3 * n_times  # type: ignore[union-attr]
    assert re.match(repeat_possessively("a") + "a", "a" * n_times) is None


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (re.compile(repeat_possessively("a|b")), "ab" * N_TIMES),
        (re.compile(BEGUN_STRING, re.DOTALL), '"' + r"\n" * N_TIMES),
        (_CELL, '"' + '""' * N_TIMES + '"'),
    ],
)
def test_memory(pattern: re.Pattern[str], text: str) -> None:
    """It does not grow with the repetitions, which each take 130 bytes otherwise."""
    tracemalloc.start()
    found = pattern.match(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found is not None
    assert found.end() == len(text)
    assert peak < 5 * N_TIMES


def test_memory_of_counting() -> None:
    """What keeps a hostile text of JSON from filling the memory does not fill it by itself."""
    text = '"' + r"\n" * N_TIMES + '"' + "," * 5_000_001
    tracemalloc.start()
    assert has_too_many_values(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * len(text)

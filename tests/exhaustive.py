"""Cases of which a few are enough while people wait: the others run with `--all`, as `make test-all` does."""

from collections.abc import Collection, Iterable
from itertools import product

import pytest
from hypothesis import settings

exhaustive = pytest.mark.exhaustive
"""A test, or a case of one, that repeats with more inputs what others check with few."""


def few(cases: Iterable[object], always: int = 1) -> list[object]:
    """The cases of a parametrized test, of which only the first ones always run.

    Parameters:
        cases: The cases; of a test with several parameters each is a tuple, and where a value is itself a tuple.
        always: So many of them always run.
    """
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=() if number < always else exhaustive)
        for number, case in enumerate(cases)
    ]


def each_once(*columns: Collection[object]) -> list[object]:
    """Return all combinations of values, of which only so many always run that each value is in one of them."""
    n_most = max(map(len, columns))
    always = {tuple(number % len(column) for column in columns) for number in range(n_most)}
    numbered = product(*map(enumerate, columns))
    cases = [(tuple(number for number, _ in case), [value for _, value in case]) for case in numbered]
    return [pytest.param(*values, marks=() if numbers in always else exhaustive) for numbers, values in cases]


N_WAITING, N_ALL = 25, 100
"""Random examples of a test while people wait, and with `--all`; one that ever found a fault is written beside it."""
_FEWEST = 10


def examples(number: int) -> settings:
    """Set how many random examples a test tries.

    Parameters:
        number: So many with `--all`; in other profiles more or less in proportion, but ten if it is not fewer.
    """
    assert settings.default is not None
    return settings(max_examples=max(min(number, _FEWEST), number * settings.default.max_examples // N_ALL))

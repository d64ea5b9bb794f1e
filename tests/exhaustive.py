"""Cases of which a few are enough while people wait: the others run with `--all`, as `make test-all` does."""

from collections.abc import Iterable

import pytest

exhaustive = pytest.mark.exhaustive
"""A test, or a case of one, that repeats with more inputs what others check with few."""


def few(cases: Iterable[object], always: int = 1) -> list[object]:
    """The cases of a parametrized test, of which only the first ones always run.

    Parameters:
        cases: The cases; of a test with several parameters each is a tuple.
        always: So many of them always run.
    """
    return [
        case if number < always else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=exhaustive)
        for number, case in enumerate(cases)
    ]

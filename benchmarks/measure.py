"""Measure things in turn, A B A B, and keep medians with their spread. Knows nothing about what is measured."""

import functools
import gc
import inspect
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median, quantiles
from typing import TypeGuard

from acdl_mkdocs.foundation.user_cache import project_cache
from acdl_mkdocs.workspace.remembered import CachedFunction

Action = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Series:
    """Times of one action, in seconds."""

    times_s: tuple[float, ...]

    @property
    def median_s(self) -> float:
        """The middle one."""
        return median(self.times_s)

    @property
    def quartiles_s(self) -> tuple[float, float]:
        """The first and the third; of two times, both."""
        if len(self.times_s) < 3:  # quartiles would lie outside of what was measured
            return min(self.times_s), max(self.times_s)
        first, _, third = quantiles(self.times_s, n=4)
        return first, third


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    what: str
    value: float
    unit: str
    low: float | None = None
    """First quartile, in the same unit."""
    high: float | None = None
    against: str = ""
    """What it was measured in turn with, and how long that took."""
    ratio: float | None = None
    """To what it was measured in turn with."""
    bar: str = ""
    is_met: bool | None = None
    at_speed: float | None = None
    """A time that missed its bar, as it would be at the speed of the machine where the bars were set; same unit."""


def in_turn(n_rounds: int, *actions: Action, before: Sequence[Action | None] = ()) -> list[Series]:
    """Run actions A B A B ..., each once unmeasured first.

    Parameters:
        n_rounds: How often each is measured.
        actions: What to measure.
        before: What to do, unmeasured, before each run of the action in the same place.
    """
    prepare = [*before, *[None] * (len(actions) - len(before))]
    times: list[list[float]] = [[] for _ in actions]
    for round_idx in range(n_rounds + 1):
        for action, first, series in zip(actions, prepare, times, strict=True):
            if first:
                first()
            gc.collect()
            start = time.perf_counter()
            action()
            elapsed = time.perf_counter() - start
            if round_idx:
                series.append(elapsed)
    return [Series(tuple(series)) for series in times]


def emptied(folder: Path) -> Action:
    """Have a folder that is there and empty: who finds a file with the same contents may not write it."""

    def empty() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

    return empty


def timed_row(what: str, series: Series, *, at_most_ms: float, against: tuple[str, Series] | None = None) -> Row:
    """A row for a time in ms that has a bar."""
    low, high = series.quartiles_s
    value = series.median_s * 1000
    row = Row(what, value, "ms", low * 1000, high * 1000, bar=f"<= {at_most_ms:g} ms", is_met=value <= at_most_ms)
    return compared(row, series, *against) if against else row


def ratio_row(what: str, series: Series, name: str, other: Series, *, at_most: float) -> Row:
    """A row for how many times longer one thing takes than another: the median of the rounds."""
    pairs = [mine / theirs for mine, theirs in zip(series.times_s, other.times_s, strict=True)]
    low, high = Series(tuple(pairs)).quartiles_s
    value = median(pairs)
    against = f"{name}: {other.median_s * 1000:.1f} ms"
    return Row(what, value, "x", low, high, against, value, f"<= {at_most:.3g} x", value <= at_most)


def added_row(what: str, series: Series, name: str, other: Series, *, at_most_ms: float | None) -> Row:
    """A row for how much longer one thing takes than another: the median of the rounds; `None` means no bar."""
    pairs = [mine - theirs for mine, theirs in zip(series.times_s, other.times_s, strict=True)]
    low, high = Series(tuple(pairs)).quartiles_s
    value = median(pairs) * 1000
    against = f"{name}: {other.median_s * 1000:.0f} ms"
    row = Row(what, value, "ms more", low * 1000, high * 1000, against, series.median_s / other.median_s)
    return row if at_most_ms is None else replace(row, bar=f"<= {at_most_ms:g} ms", is_met=value <= at_most_ms)


def compared(row: Row, series: Series, name: str, other: Series) -> Row:
    """The row with what was measured in turn."""
    ratio = series.median_s / other.median_s
    against = f"{name}: {other.median_s * 1000:.2f} ms"
    return replace(row, against=against, ratio=ratio)


def at_speed(row: Row, slowness: float) -> Row:
    """The row, if it is a time that missed its bar, with what it would be on a machine so many times as fast."""
    is_missed_time = row.is_met is False and row.bar.endswith(" ms")
    return replace(row, at_speed=row.value / slowness) if is_missed_time else row


def forget_cache(project: Path) -> None:
    """Delete what is kept between runs in a project, outside of it."""
    shutil.rmtree(project_cache(project), ignore_errors=True)


def empty_caches() -> None:
    """Forget every result that a function of the package keeps for its arguments; data that it loaded once stays."""
    for name, module in list(sys.modules.items()):
        if name.startswith("acdl_mkdocs"):
            for kept in vars(module).values():
                if isinstance(kept, CachedFunction) or _is_of_arguments(kept):
                    kept.cache_clear()


def _is_of_arguments(kept: object) -> TypeGuard["functools._lru_cache_wrapper[object]"]:
    """Whether something is a function that keeps results, and not data that is loaded once."""
    return isinstance(kept, functools._lru_cache_wrapper) and bool(inspect.signature(kept.__wrapped__).parameters)


def run(*words: str, cwd: str | None = None, env: Mapping[str, str] | None = None) -> None:
    """Run a program that has to succeed."""
    subprocess.run(words, cwd=cwd, env=env, check=True, capture_output=True)

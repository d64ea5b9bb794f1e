"""A site of 10,000 blocks on 1,000 pages: cold on one core and on two, with nothing changed, in memory, and linear.

A build takes minutes, so each is measured twice only, and both values are shown.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import Row, Series, added_row, forget_cache, in_turn, ratio_row
from peak_memory import peak_mb
from sites import write_site
from trees import on_cores

N_PAGES, N_BLOCKS, N_ROUNDS = 1_000, 10_000, 2
MOST_MB, MOST_TIMES = 250, 12
_BUILD = (sys.executable, "-m", "mkdocs", "build", "--quiet")


def measure() -> list[Row]:
    """All rows of this part."""
    with TemporaryDirectory() as name:
        large, small, plain, small_plain = (Path(name, kind) for kind in ("large", "small", "plain", "small-plain"))
        write_site(large, "acdl", "acdl", N_PAGES)
        write_site(small, "acdl", "acdl", N_PAGES // 10)
        write_site(plain, "text", "", N_PAGES)
        write_site(small_plain, "text", "", N_PAGES // 10)
        return [*_times(large, small, plain, small_plain), _memory(large, plain)]


def _times(large: Path, small: Path, plain: Path, small_plain: Path) -> list[Row]:
    """How long builds take, in turn; on two cores the blocks are drawn by two processes.

    What the blocks add has to be linear; the site without them is not, for each page has links to all others.
    """
    one, two, again, tenth, text, tenth_text = in_turn(
        N_ROUNDS,
        _built(large, 1),
        _built(large, 2),
        _built(large, 1),
        _built(small, 1),
        _built(plain, 1),
        _built(small_plain, 1),
        before=[_forget(large), _forget(large), None, _forget(small)],
    )
    what, name = f"{N_BLOCKS:,} blocks on {N_PAGES:,} pages", "the same with `text` blocks, one core"
    return [
        added_row(f"{what}, cold, one core", one, name, text, at_most_ms=None),
        added_row(f"{what}, cold, two cores", two, name, text, at_most_ms=None),
        ratio_row(f"{what}, cold, two cores", two, "one core", one, at_most=0.85),
        added_row(f"{what}, nothing changed, one core", again, name, text, at_most_ms=None),
        ratio_row(
            f"what {what} add, cold, one core",
            _added(one, text),
            "what a tenth of them adds",
            _added(tenth, tenth_text),
            at_most=MOST_TIMES,
        ),
    ]


def _added(series: Series, other: Series) -> Series:
    """How much longer one thing takes than another, in each round."""
    return Series(tuple(mine - theirs for mine, theirs in zip(series.times_s, other.times_s, strict=True)))


def _memory(large: Path, plain: Path) -> Row:
    """The most that a cold build takes over one with plain blocks, with all processes."""
    _forget(large)()
    theirs = peak_mb(_BUILD, cwd=str(plain))
    value = peak_mb(_BUILD, cwd=str(large)) - theirs
    against = f"the same with `text` blocks: {theirs:.0f} MB"
    what = f"{N_BLOCKS:,} blocks on {N_PAGES:,} pages, memory"
    return Row(what, value, "MB more", None, None, against, bar=f"<= {MOST_MB} MB", is_met=value <= MOST_MB)


def _built(folder: Path, n_cores: int) -> Callable[[], object]:
    return on_cores(n_cores, *_BUILD, cwd=folder)


def _forget(folder: Path) -> Callable[[], None]:
    return partial(forget_cache, folder)

"""What the build of this project's own site takes, on all cores: with nothing in a cache, and with nothing changed."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import Row, emptied, in_turn, run, timed_row

PROJECT = Path(__file__).parent.parent
N_ROUNDS = 3
MOST_MS = 15_000


def measure() -> list[Row]:
    """All rows of this part; only npm may have the packages of the playground, in a cache of its own."""
    with TemporaryDirectory() as folder:
        cache, site = Path(folder, "cache"), Path(folder, "site")
        environment = os.environ | {"ACDL_CACHE_DIR": str(cache)}
        command = (sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(site))
        cold, again = in_turn(
            N_ROUNDS,
            lambda: run(*command, cwd=str(PROJECT), env=environment),
            lambda: run(*command, cwd=str(PROJECT), env=environment),
            before=[emptied(cache)],
        )
    what, same = "the site of this project, nothing cached", "nothing changed"
    return [timed_row(what, cold, at_most_ms=MOST_MS, against=(same, again))]

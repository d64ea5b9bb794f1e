"""An empty folder that inputs may look for files in, and find none."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory


@cache
def _folder() -> "TemporaryDirectory[str]":
    """It is removed when the process ends."""
    return TemporaryDirectory(prefix="acdl-fuzz-")


@contextmanager
def empty_folder() -> Iterator[Path]:
    """The folder; the same one every time, since making one costs more than most inputs."""
    yield Path(_folder().name).resolve()

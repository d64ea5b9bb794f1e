"""Stop a run at a write to the disk, as a kill would."""

import os
from collections.abc import Callable

import pytest


def count_writes(monkeypatch: pytest.MonkeyPatch, run: Callable[[], object]) -> int:
    """Run something to its end, and return how often it waited for the disk."""
    real, n_writes = os.fsync, 0

    def counting(file: int) -> None:
        nonlocal n_writes
        n_writes += 1
        real(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", counting)
        run()
    return n_writes


def stop_at_write(monkeypatch: pytest.MonkeyPatch, n_writes: int, run: Callable[[], object]) -> None:
    """Run something, and interrupt it at the write after so many."""
    real, left = os.fsync, n_writes

    def stopping(file: int) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        real(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", stopping)
        with pytest.raises(KeyboardInterrupt):
            run()

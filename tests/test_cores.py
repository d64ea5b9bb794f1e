"""How many processes are started for much work."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from acdl_mkdocs.app import check
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.workspace.inputs import read_inputs
from acdl_mkdocs.workspace.search import NamedFile

PAGE = "```acdl\nA[@T]: { U: env.q[@T] }\n```\n"


@pytest.mark.parametrize(
    ("quota", "n_usable"),
    [
        ("max 100000\n", 64),
        ("200000 100000\n", 2),
        ("150000 100000\n", 2),
        ("5000 100000\n", 1),
        ("9900000 100000\n", 64),
        ("odd", 64),
        (None, 64),
    ],
)
def test_cores_of_a_container(
    quota: str | None, n_usable: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time that a container may have counts, as far as the system says it."""
    if quota is not None:
        (tmp_path / "cpu.max").write_text(quota)
    monkeypatch.setattr(system, "_QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert system.n_usable_cores() == n_usable
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert system.n_usable_cores() == 1


def test_checks_share_few_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine of many cores gets as many as are of use, which every system can start."""
    asked: list[int] = []

    def pool(n_processes: int, *, initializer: Callable[[object], None], initargs: tuple[object]) -> ThreadPoolExecutor:
        asked.append(n_processes)
        return ThreadPoolExecutor(n_processes, initializer=initializer, initargs=initargs)

    monkeypatch.setattr(check, "ProcessPoolExecutor", pool)
    monkeypatch.setattr(check, "_LEAST_SHARED", 1)
    monkeypatch.setattr(system, "n_usable_cores", lambda: 64)
    (tmp_path / "page.md").write_text(PAGE)
    inputs = read_inputs(NamedFile(tmp_path / "page.md", Path("page")), Config())
    assert list(check.check_all(inputs)) == [()]
    assert asked == [system.MOST_PROCESSES]

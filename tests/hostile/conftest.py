"""The projects of other tests, for sites of hostile texts; a clone of somebody's repository."""

from pathlib import Path

import pytest
from integrations.conftest import project

from hostile.outside import MINE

__all__ = ["project"]


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder; beside it lies a file that nobody has named."""
    clone, outside = tmp_path / "clone", tmp_path / "outside"
    for folder in (clone, outside):
        folder.mkdir()
    (outside / "mine").write_text(MINE)
    monkeypatch.chdir(clone)
    return clone

"""Links that a clone brings in the folder of a run: nothing is written where they lead."""

from pathlib import Path

import pytest
from exhaustive import exhaustive
from scripted_task import learn, new_playbook

from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.playbook.learn.curve import run_folder
from acdl_mkdocs.playbook.learn.loop import Around

MINE = "a file of somebody"


def outside_of(folder: Path) -> dict[str, str]:
    """The files of the folder beside the clone."""
    return {path.name: path.read_text() for path in (folder / "outside").iterdir() if path.is_file()}


@pytest.mark.parametrize("name", ["trajectory.jsonl", "validation.jsonl", "run.json", "replies", "replies/1.jsonl"])
def test_run_of_learning(name: str, tmp_path: Path) -> None:
    """Nothing is added to, cut off or removed behind a link in the folder of a run."""
    path = new_playbook(tmp_path / "clone")
    found = run_folder(path) / name
    found.parent.mkdir(parents=True)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").write_text(MINE)
    found.symlink_to(outside / ("" if name == "replies" else "mine"))
    with pytest.raises(RunError, match=f"{found.name}: is a link, and must be a file of its own; delete it"):
        learn(path)
    assert outside_of(tmp_path) == {"mine": MINE}


@exhaustive
def test_folder_of_a_run(tmp_path: Path) -> None:
    """The folder that nobody has named is not a link; one that is named may be."""
    path = new_playbook(tmp_path / "clone")
    (tmp_path / "outside").mkdir()
    run_folder(path).symlink_to(tmp_path / "outside")
    with pytest.raises(RunError, match="is a link; delete it, or name the folder with `--run`"):
        learn(path)
    assert outside_of(tmp_path) == {}
    learn(path, around=Around(folder=run_folder(path)))
    assert "run.json" in outside_of(tmp_path)

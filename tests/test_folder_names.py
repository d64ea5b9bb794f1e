"""Folders are read once for all their files, and names are found by how they begin."""

import os
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.workspace.folder_names import FolderNames


def test_names_by_their_beginning(tmp_path: Path) -> None:
    """Up to the first dot; in order; of each folder only once; of none that cannot be read."""
    for name in ("b.run.jsonl", "a.x.state.yaml", "a.acdl", "ab.acdl", ".a", "a"):
        (tmp_path / name).write_text("")
    folders = FolderNames()
    assert folders.find_names(tmp_path, ("a.b", "a", "b")) == ["a", "a.acdl", "a.x.state.yaml", "b.run.jsonl"]
    (tmp_path / "a.later").write_text("")
    assert folders.find_names(tmp_path, ["a"]) == ["a", "a.acdl", "a.x.state.yaml"]
    assert FolderNames().find_names(tmp_path, ["a"]) == ["a", "a.acdl", "a.later", "a.x.state.yaml"]
    assert folders.find_names(tmp_path / "none", ["a"]) == []


def test_a_folder_of_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check of a folder reads the names in it as often with fifty files as with five."""
    counts: list[int] = []
    folder = tmp_path
    listdir = os.listdir

    def counted(path: "str | Path") -> list[str]:
        counts[-1] += Path(path) == folder
        return listdir(path)

    monkeypatch.setattr(os, "listdir", counted)
    for n_files in (5, 50):
        folder = tmp_path / str(n_files)
        folder.mkdir()
        for number in range(n_files):
            (folder / f"{number}.acdl").write_text(f"// title: T\nA{number}[@T]: {{ U: env.q[@T] }}\n")
        counts.append(0)
        assert main(["check", str(folder)]) == 0
    assert counts[0] == counts[1] > 0

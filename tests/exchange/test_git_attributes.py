"""`acdl playbook merge --setup` names files so that git finds them, whatever signs their names have."""

import subprocess
from pathlib import Path

import pytest

from acdl_mkdocs.cli.main import main


@pytest.mark.parametrize(
    "name",
    [
        "lessons[1].yaml",
        "a*b?.yaml",
        "back\\slash.yaml",
        "#notes.yaml",
        "!notes.yaml",
        "my [first] lessons.yaml",
        'a"b \\c.yaml',
        "tab\t[x].yaml",
        "é中.yaml",
    ],
)
def test_signs_of_patterns(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file and its history are merged by the driver, and no other file is."""
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q"], check=True)
    assert main(["playbook", "merge", "--setup", "--file", name]) == 0
    history = f"{name.removesuffix('.yaml')}.history.jsonl"
    names = [name, history, "lessons1.yaml", "axbx.yaml", "notes.yaml"]
    asked = subprocess.run(
        ["git", "check-attr", "-z", "merge", "--", *names], check=True, capture_output=True, encoding="utf-8"
    )
    values = asked.stdout.split("\0")[2::3]
    assert values == ["acdl-playbook", "acdl-playbook", "unspecified", "unspecified", "unspecified"]

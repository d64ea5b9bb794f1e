"""`acdl playbook merge --setup` names files so that git finds them, whatever signs their names have."""

import subprocess
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main


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


def merged_by(*names: str) -> list[str]:
    """What merges files, as git says."""
    asked = subprocess.run(
        ["git", "check-attr", "-z", "merge", "--", *names], check=True, capture_output=True, encoding="utf-8"
    )
    return asked.stdout.split("\0")[2::3]


def test_playbooks_that_are_made_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After the set-up, `init` and `import` add what they make under another name; without it, they add nothing."""
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q"], check=True)
    assert main(["playbook", "init", "before.yml"]) == 0
    assert not (tmp_path / ".gitattributes").exists()
    assert main(["playbook", "merge", "--setup"]) == 0
    assert merged_by("before.yml", "before.history.jsonl") == ["acdl-playbook"] * 2
    capsys.readouterr()
    (tmp_path / "docs").mkdir()
    assert main(["playbook", "init", "docs/later.yaml"]) == 0
    assert "`later.yaml` and its history are added, so that git merges them" in capsys.readouterr().err
    (tmp_path / "in.txt").write_text("- Close every file.\n", "utf-8")
    assert main(["playbook", "import", "read.yaml", "in.txt"]) == 0
    names = ["docs/later.yaml", "docs/later.history.jsonl", "read.yaml", "read.history.jsonl"]
    assert merged_by(*names) == ["acdl-playbook"] * 4
    by_hand = (tmp_path / "read.yaml").read_text("utf-8").partition("bullets:")[0]
    (tmp_path / "by_hand.yaml").write_text(f"{by_hand}bullets: []\n", "utf-8")
    (tmp_path / "delta.json").write_text('[{"type": "SECTION", "title": "More"}]', "utf-8")
    assert main(["playbook", "curate", "by_hand.yaml", "delta.json"]) == 0
    assert merged_by("by_hand.yaml", "by_hand.history.jsonl") == ["acdl-playbook"] * 2
    text = (tmp_path / ".gitattributes").read_text("utf-8")
    assert main(["playbook", "init", "my-playbook.yaml"]) == 0
    assert (tmp_path / ".gitattributes").read_text("utf-8") == text

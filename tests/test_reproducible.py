"""What is released can be built again by anybody: the same checkout gives the same bytes, wherever and whenever."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from exhaustive import exhaustive

ROOT = Path(__file__).parent.parent
EPOCH = 1_767_225_600
"""The time of a commit, in seconds."""
OTHERS = {"TZ": "Pacific/Auckland", "LC_ALL": "C", "PYTHONHASHSEED": "7"}


def listed() -> list[str]:
    """The files of this checkout."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [name for name in names[:-1] if (ROOT / name).is_file()]


def copied(source: Path, names: list[str], target: Path, mode: int, changed_s: int) -> Path:
    """Files in another folder, with other permissions and times."""
    for name in names:
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, path)
        path.chmod(mode)
        os.utime(path, (changed_s, changed_s))
    return target


def built(checkout: Path, umask: int, **environment: str) -> dict[str, bytes]:
    """Wheel and source archive of a checkout, by name."""
    words: list[str | Path] = [sys.executable, "-m", "build", "--no-isolation", "--outdir", checkout / "dist", checkout]
    variables = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH), **environment}
    ran = subprocess.run(words, env=variables, umask=umask, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return {path.name: path.read_bytes() for path in sorted((checkout / "dist").iterdir())}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout."""
    if not (ROOT / ".git").exists():
        pytest.skip("no git checkout")
    folder = tmp_path_factory.mktemp("checkouts")
    return copied(ROOT, listed(), folder / "one", 0o644, EPOCH + 1000)


@pytest.fixture(scope="module")
def archives(checkout: Path) -> dict[str, bytes]:
    """What somebody builds of it."""
    return built(checkout, 0o022)


@exhaustive
def test_same_bytes(archives: dict[str, bytes], checkout: Path, tmp_path: Path) -> None:
    """Another folder, time, time zone, locale, hash seed, permissions and umask change nothing."""
    copy = copied(checkout, listed()[::-1], tmp_path / "a longer name" / "other", 0o600, EPOCH + 90_000_000)
    other = built(copy, 0o077, **OTHERS)
    assert [name.rpartition(".")[2] for name in archives] == ["whl", "gz"]
    assert archives.keys() == other.keys()
    assert [name for name in archives if archives[name] != other[name]] == []


def test_the_time_is_the_commits(archives: dict[str, bytes], tmp_path: Path) -> None:
    """Every entry of the archives says the time of the commit, and no entry who built it."""
    for name, data in archives.items():
        (tmp_path / name).write_bytes(data)
    (wheel,) = tmp_path.glob("*.whl")
    assert {entry.date_time for entry in zipfile.ZipFile(wheel).infolist()} == {(2026, 1, 1, 0, 0, 0)}
    (source,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        entries = [(entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname) for entry in archive]
    assert set(entries) == {(EPOCH, 0, 0, "", "")}

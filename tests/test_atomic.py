"""Files that are never half written."""

import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from acdl_mkdocs.foundation import atomic


def names(folder: Path) -> list[str]:
    """What is in a folder."""
    return sorted(os.listdir(folder))


@pytest.mark.parametrize("put", [atomic.replace_file, atomic.replace_durably])
def test_contents_and_permissions(put: Callable[[Path, bytes], None], tmp_path: Path) -> None:
    """A file gets all of its contents and keeps its permissions; nothing else is left."""
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o640)
    put(path, b"new\n")
    assert path.read_bytes() == b"new\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert names(tmp_path) == ["a.txt"]


def test_a_folder_is_made(tmp_path: Path) -> None:
    """A folder that is missing is made."""
    atomic.replace_file(tmp_path / "new" / "a.txt", b"x")
    assert names(tmp_path / "new") == ["a.txt"]


@pytest.mark.parametrize("stop", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_stops_leaves_nothing(
    stop: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full within a write, and Ctrl-C there: the file is as before, and there is no draft."""
    path = tmp_path / "a.txt"
    path.write_text("old")
    write = os.write
    calls: list[int] = []

    def some(descriptor: int, data: memoryview) -> int:
        calls.append(len(data))
        if len(calls) > 1:
            raise stop
        return write(descriptor, data[:2])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", some)
        with pytest.raises(type(stop)):
            atomic.replace_file(path, b"much more")
    assert calls == [9, 7]
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_a_file_that_is_being_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows refuses to replace a file that somebody reads: it is tried again; elsewhere a refusal counts at once."""
    path = tmp_path / "a.txt"
    refusals: list[Path] = []
    replace = Path.replace

    def busy(draft: Path, target: Path) -> Path:
        if len(refusals) < 3:
            refusals.append(target)
            raise PermissionError(13, "Permission denied")
        return replace(draft, target)

    monkeypatch.setattr(Path, "replace", busy)
    with pytest.raises(PermissionError):
        atomic.replace_file(path, b"new")
    assert len(refusals) == 1
    assert names(tmp_path) == []
    draft = atomic.write_draft(path, b"new")
    monkeypatch.setattr(atomic, "_RETRY_S", 0)
    monkeypatch.setattr(atomic, "_IS_WINDOWS", True)
    atomic.take_draft(draft, path)
    assert len(refusals) == 3
    assert path.read_bytes() == b"new"


def test_drafts_of_killed_writers(tmp_path: Path) -> None:
    """Only those of the file are removed."""
    left = atomic.write_draft(tmp_path / "a.txt", b"x")
    other = atomic.write_draft(tmp_path / "b.txt", b"x")
    assert left.name.startswith(".a.txt.")
    atomic.drop_drafts(tmp_path / "a.txt")
    assert names(tmp_path) == [other.name]


def test_errors_name_the_file(tmp_path: Path) -> None:
    """Not its draft, which nobody knows and whose name differs each time."""
    folder = tmp_path / "a.txt"
    folder.mkdir()
    with pytest.raises(OSError, match="directory") as raised:
        atomic.replace_file(folder, b"x")
    assert (raised.value.filename, raised.value.filename2) == (str(folder), None)
    with pytest.raises(OSError, match="No such file") as raised:
        atomic.write_draft(tmp_path / "none" / "a.txt", b"x")
    assert raised.value.filename == str(tmp_path / "none" / "a.txt")


def test_private_files_stay_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else can read the next contents of a private file while they are written."""
    path, modes = tmp_path / "a.txt", []
    path.write_text("old")
    path.chmod(0o600)
    write_all = atomic.write_all

    def noted(descriptor: int, data: bytes) -> None:
        modes.append(os.fstat(descriptor).st_mode & 0o777)
        write_all(descriptor, data)

    monkeypatch.setattr(atomic, "write_all", noted)
    atomic.replace_file(path, b"new")
    assert modes == [0o600]
    assert path.stat().st_mode & 0o777 == 0o600


def test_read_only_files_of_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where what is read-only can neither be replaced nor removed, no draft of it is left."""
    path, unlink = tmp_path / "a.txt", Path.unlink
    path.write_text("old")
    path.chmod(0o444)

    def refused(self: Path, *, missing_ok: bool = False) -> None:
        if self.exists() and not self.stat().st_mode & 0o200:
            raise PermissionError(13, "Access is denied")
        unlink(self, missing_ok)

    def never(self: Path, target: Path) -> Path:
        raise PermissionError(13, "Access is denied", str(self), None, str(target))

    monkeypatch.setattr(Path, "unlink", refused)
    monkeypatch.setattr(Path, "replace", never)
    with pytest.raises(PermissionError):
        atomic.replace_file(path, b"new")
    assert names(tmp_path) == ["a.txt"]
    assert path.read_text() == "old"


def test_long_names(tmp_path: Path) -> None:
    """A name that fits is one that can be replaced; drafts of two long names are told apart."""
    one, two = (tmp_path / f"{'ü' * 120}{end}.txt" for end in "ab")
    for path in (one, two):
        atomic.replace_file(path, b"old")
        atomic.replace_file(path, b"new")
        assert path.read_bytes() == b"new"
    draft = atomic.write_draft(one, b"x")
    atomic.drop_drafts(two)
    assert draft.exists()
    atomic.drop_drafts(one)
    assert not draft.exists()


def test_drafts_of_a_longer_name_stay(tmp_path: Path) -> None:
    """Of `book` those of `book.yaml` are no drafts."""
    draft = atomic.write_draft(tmp_path / "book.yaml", b"x")
    atomic.drop_drafts(tmp_path / "book")
    assert draft.exists()


def test_old_drafts(tmp_path: Path) -> None:
    """In a folder of several writers only drafts go that nobody can be writing any more."""
    old, young = (atomic.write_draft(tmp_path / "a.txt", b"x") for _ in range(2))
    (tmp_path / "b.txt").write_text("x")
    for path in (old, tmp_path / "b.txt"):
        os.utime(path, (0, 0))
    atomic.drop_old_drafts(tmp_path)
    assert names(tmp_path) == sorted([young.name, "b.txt"])


@pytest.mark.parametrize("has_links", [True, False])
def test_new_files(has_links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new file is there whole; one that is there stays, and is named, also where the disk has no links."""

    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    if not has_links:
        monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "a.txt"
    for text in (b"first", b"second"):
        draft = atomic.write_draft(path, text)
        with nullcontext() if text == b"first" else pytest.raises(FileExistsError, match=r"a\.txt'$"):
            atomic.copy_new(draft, path)
        atomic.drop_draft(draft)
    assert path.read_bytes() == b"first"
    assert names(tmp_path) == ["a.txt"]


def test_kept_out_of_git(tmp_path: Path) -> None:
    """An empty file, which a full disk leaves, is filled; one that says something stays."""
    for before, after in (("", "*\n"), ("own\n", "own\n")):
        (tmp_path / ".gitignore").write_text(before)
        atomic.keep_out_of_git(tmp_path)
        assert (tmp_path / ".gitignore").read_text() == after


def test_a_link_in_the_place_of_a_list_for_git_is_not_followed(tmp_path: Path) -> None:
    """A clone can have one to any place; nothing is made there."""
    (tmp_path / ".gitignore").symlink_to(tmp_path / "elsewhere")
    atomic.keep_out_of_git(tmp_path)
    assert names(tmp_path) == [".gitignore"]
    assert (tmp_path / ".gitignore").read_text() == "*\n"

"""Disks that are full or read-only, and caches that are damaged: what is said, and what the results are."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from errno import ENOSPC
from pathlib import Path

import pytest
from exhaustive import exhaustive, few

from acdl_mkdocs.foundation.atomic import replace_file
from acdl_mkdocs.foundation.user_cache import project_cache
from acdl_mkdocs.frontends.docs.pages import downloads
from acdl_mkdocs.frontends.docs.pages.downloads import FileCache
from acdl_mkdocs.playbook.store.verify import verify
from faults.projects import SMALL_SITE, TIME, build_site, copy_built, digests, left_over, make_project, run, run_acdl
from faults.stepwise import with_faults

resource = pytest.importorskip("resource", reason="needs fork and limits of processes, which Windows does not have")

CURATE = ("acdl", "playbook", "curate", "book/playbook.yaml", "delta.json", *TIME)
MADE = {
    "new site": ("new", "site", "made"),
    "new spec": ("new", "spec", "made/one.acdl"),
    "new skill": ("new", "skill", "made"),
    "state new": ("state", "new", "specs/chat.acdl", "-o", "made/new.state.yaml"),
}


def with_small_files(
    n_bytes: int, *arguments: str, folder: Path, is_killed: bool
) -> "subprocess.CompletedProcess[str]":
    """`acdl`, where no file may become longer than so many bytes: a write ends in its midst, as on a full disk.

    The system then sends a signal. Python ignores it and gets an error; if `is_killed`, the process ends there.
    """

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))

    default = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL); " if is_killed else ""
    code = f"{default}import sys; from acdl_mkdocs.frontends.cli.main import main; sys.exit(main(sys.argv[1:]))"
    return run([sys.executable, "-B", "-c", code, *arguments], folder, prepare=limited)


@exhaustive
@pytest.mark.parametrize(
    ("fault", "where", "most"), few([("EROFS", f"{os.sep}projects{os.sep}", 3), ("ENOSPC", ".tmp", 5)])
)
def test_a_build_needs_no_cache(fault: str, where: str, most: int, tmp_path: Path) -> None:
    """A cache that is full from an early moment on, or read-only, changes nothing of the site; nothing is said."""
    project = make_project(tmp_path / "project")
    (project / "mkdocs.yml").write_text(SMALL_SITE)
    runs = with_faults(fault, project, tmp_path / "copies", "mkdocs", "build", "-q", where=where, most=most)
    assert build_site(project).returncode == 0
    wanted = digests(project)
    for each in runs:
        assert (each.ended.status, each.ended.said, each.again.status) == (0, "", 0), each
        assert digests(each.folder) == wanted, each


def test_a_site_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    """What this package writes into a site itself names the file and the reason, without a traceback."""
    project = make_project(tmp_path / "project")
    for each in with_faults("ENOSPC", project, tmp_path / "copies", "mkdocs", "build", "-q", where="llms"):
        assert each.ended.status == 1, each
        assert "Traceback" not in each.ended.said, each
        assert "llms" in each.ended.said, each
        assert "cannot be written: no space left on device" in each.ended.said, each


@pytest.mark.parametrize(
    "name",
    few(
        [
            "specs.json",
            "specs/Chat/Chat-light.svg",
            "specs/index.html",
            "playbooks/book/feed.json",
            "assets/acdl/acdl.css",
        ]
    ),
)
def test_a_site_that_is_not_whole_is_no_success(name: str, tmp_path: Path) -> None:
    """A file that MkDocs writes for this package and that has no room is named; the next build is whole."""
    project = make_project(tmp_path / "project")
    place = str(Path("out", name))
    (each,) = with_faults("ENOSPC", project, tmp_path / "copies", "mkdocs", "build", "-q", where=place, most=1)
    assert each.ended.status not in (0, -9), each
    assert "No space left on device" in each.ended.said, each
    assert place in each.ended.said, each
    assert each.again.status == 0, each
    assert build_site(project).returncode == 0
    assert digests(each.folder) == digests(project)


@pytest.mark.parametrize("fault", few(["ENOSPC", "EROFS", "EACCES"]))
def test_a_playbook_is_changed_whole_or_not_at_all(fault: str, tmp_path: Path) -> None:
    """A disk that fails at any moment gives status 2 and a sentence; the playbook is as before, and can go on."""
    project = make_project(tmp_path / "project")
    before = digests(project / "book")
    for each in with_faults(fault, project, tmp_path / "copies", *CURATE):
        assert each.ended.status == 2, each
        assert each.ended.said.startswith("acdl: "), each
        assert "cannot be written: " in each.ended.said, each
        assert each.again.status == 0, each
        assert verify(each.folder / "book" / "playbook.yaml").inconsistencies == (), each
        assert left_over(each.folder) == [], each
    said = with_small_files(400, *CURATE[1:], folder=project, is_killed=False)
    assert said.returncode == 2
    assert "cannot be written: file too large" in said.stderr
    assert digests(project / "book") == before


@exhaustive
def test_a_curator_killed_within_a_write(tmp_path: Path) -> None:
    """However much of its bytes a write had brought to the disk, the next command makes it whole."""
    project = make_project(tmp_path / "project")
    statuses = set()
    for n_bytes in (100, 200, 300, 500, 700, 900):
        folder = tmp_path / str(n_bytes)
        shutil.copytree(project, folder)
        statuses.add(with_small_files(n_bytes, *CURATE[1:], folder=folder, is_killed=True).returncode)
        again = run_acdl(*CURATE[1:], folder=folder)
        assert again.returncode == 0, again.stderr
        assert verify(folder / "book" / "playbook.yaml").inconsistencies == (), n_bytes
        assert left_over(folder) == []
    assert -signal.SIGXFSZ in statuses


@pytest.mark.parametrize("arguments", MADE.values(), ids=MADE)
def test_what_is_made_is_whole_or_not_there(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """A disk that is full in the midst of a file: the file is named, none is left, and the command can be repeated."""
    project = make_project(tmp_path / "project")
    said = with_small_files(300, *arguments, folder=project, is_killed=False)
    assert said.returncode == 2
    assert said.stderr.startswith("acdl: made"), said.stderr
    assert said.stderr.endswith(": file too large\n")
    assert [path for path in (project / "made").rglob("*") if path.is_file()] == []
    assert run_acdl(*arguments, folder=project).returncode == 0


def test_a_figure_on_a_full_disk(tmp_path: Path) -> None:
    """The figure that was there stays."""
    project = make_project(tmp_path / "project")
    (project / "chat.svg").write_text("before")
    said = with_small_files(300, "render", "specs/chat.acdl", "-o", "chat.svg", folder=project, is_killed=False)
    assert (said.returncode, said.stderr) == (2, "acdl: chat.svg: cannot be written: file too large\n")
    assert (project / "chat.svg").read_text() == "before"
    assert left_over(project) == []


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with its site and its cache."""
    project = make_project(tmp_path_factory.mktemp("built") / "project")
    said = build_site(project)
    assert (said.returncode, said.stderr) == (0, "")
    return project


def _emptied(data: bytes) -> bytes:
    return data[:0]


def _cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _same_length(data: bytes) -> bytes:
    return bytes(len(data))


def _one_letter(data: bytes) -> bytes:
    return data.swapcase()


def _of_a_newer_version(data: bytes) -> bytes:
    return b'{"version": 9}\n' + data


def _of_another_type(data: bytes) -> bytes:
    del data
    return b"[[1, 2], null]\n"


@pytest.mark.parametrize(
    "damage",
    few([_one_letter, _emptied, _cut, _same_length, _of_a_newer_version, _of_another_type]),
    ids=lambda each: each.__name__.strip("_"),
)
def test_a_damaged_cache_is_made_anew(damage: Callable[[bytes], bytes], built: Path, tmp_path: Path) -> None:
    """Whatever stands in the files of a cache, the site is the same, and the cache is whole again afterwards."""
    project = copy_built(built, tmp_path / "project")
    caches = project_cache(project)
    wanted, kept = digests(project), digests(caches)
    for path in caches.rglob("*"):
        if path.is_file() and path.name != "project.txt":
            path.write_bytes(damage(path.read_bytes()))
    said = build_site(project)
    assert (said.returncode, said.stderr) == (0, "")
    assert digests(project) == wanted
    assert digests(caches) == kept


def test_a_cache_of_folders_in_the_place_of_files(built: Path, tmp_path: Path) -> None:
    """What can be neither read nor replaced is left alone."""
    project = copy_built(built, tmp_path / "project")
    wanted = digests(project)
    for path in [each for each in project_cache(project).rglob("*") if each.is_file()]:
        path.unlink()
        path.mkdir()
    said = build_site(project)
    assert (said.returncode, said.stderr) == (0, "")
    assert digests(project) == wanted


def test_a_group_of_files_that_another_build_makes_again(tmp_path: Path) -> None:
    """What the first build is about to copy is there all the time, and complete."""
    first, second = FileCache(tmp_path), FileCache(tmp_path)
    made = first.store_group("key", {"a": b"one"}, ["said"])
    with made.paths["a"].open("rb") as file:
        assert second.store_group("key", {"a": b"one"}, ["said"]) == made == first.find_group("key")
        assert file.read() == made.paths["a"].read_bytes() == b"one"
    assert left_over(tmp_path) == []


def test_a_disk_that_becomes_full_between_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A group without an index is not one, and its files are used from memory."""
    waiting = [replace_file]

    def refuse_second(path: Path, data: bytes) -> None:
        if not waiting:
            raise OSError(ENOSPC, "no space")
        waiting.pop()(path, data)

    monkeypatch.setattr(downloads, "replace_cache_file", refuse_second)
    cache = FileCache(tmp_path)
    made = cache.store_group("key", {"a": b"one", "b": b"two"}, [])
    assert (dict(made.paths), made.contents) == ({}, {"a": b"one", "b": b"two"})
    assert not cache.has_group("key")
    assert cache.find_group("key") is None


def test_unused_groups_of_files_do_not_pile_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest go, however young; a file that cannot be looked at costs none of the others."""
    monkeypatch.setattr(downloads, "_MOST_UNUSED", 3)
    for number in range(6):
        FileCache(tmp_path).store_group(f"key-{number}", {"a": b"one"}, [])
        for path in tmp_path.glob(f"key-{number}.*"):
            os.utime(path, (path.stat().st_mtime - 60 * (6 - number),) * 2)
    used = FileCache(tmp_path)
    assert used.find_group("key-0")
    stat = Path.stat

    def refused(path: Path, **options: bool) -> os.stat_result:
        if path.name.startswith("key-1"):
            raise PermissionError
        return stat(path, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", refused)
        used.delete_unused()
    assert {path.name.partition(".")[0] for path in tmp_path.iterdir()} == {f"key-{each}" for each in (0, 1, 3, 4, 5)}
    assert len([*tmp_path.iterdir()]) == 2 * 5


def test_a_folder_of_locks_is_kept_out_of_git_after_a_full_disk(tmp_path: Path) -> None:
    """An empty `.gitignore`, which a full disk leaves, gets its line."""
    project = make_project(tmp_path / "project")
    locks = project / "book" / ".acdl-locks"
    locks.mkdir()
    (locks / ".gitignore").touch()
    assert run_acdl(*CURATE[1:], folder=project).returncode == 0
    assert (locks / ".gitignore").read_text() == "*\n"

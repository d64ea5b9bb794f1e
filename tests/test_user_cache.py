"""Where caches are: what is trusted, what is made, and what goes away."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.errors import NoCacheError
from acdl_mkdocs.foundation.user_cache import VARIABLE, project_cache, user_cache

for_posix = pytest.mark.skipif(os.name == "nt", reason="a folder of Windows has no such permissions")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and a home folder beside it."""
    monkeypatch.delenv(VARIABLE)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    for name in ("HOME", "USERPROFILE", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    for name in ("home", "project"):
        (tmp_path / name).mkdir()
    return tmp_path / "project"


@pytest.mark.parametrize(
    ("system", "variables", "wanted"),
    [
        ("linux", {}, "home/.cache/acdl-mkdocs"),
        ("linux", {"XDG_CACHE_HOME": "kept"}, "home/.cache/acdl-mkdocs"),
        ("linux", {"XDG_CACHE_HOME": "{}/kept"}, "kept/acdl-mkdocs"),
        ("darwin", {"XDG_CACHE_HOME": "{}/kept"}, "home/Library/Caches/acdl-mkdocs"),
        ("win32", {}, "home/acdl-mkdocs/Cache"),
        ("linux", {VARIABLE: "{}/other", "XDG_CACHE_HOME": "{}/kept"}, "other"),
    ],
)
def test_it_is_where_the_system_keeps_caches(
    system: str, variables: dict[str, str], wanted: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the home folder or where variables say; a relative path of XDG counts as absent, as it demands."""
    monkeypatch.setattr("sys.platform", system)
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(project.parent))
    assert user_cache(project) == (project.parent / wanted).resolve()


def test_each_project_has_its_own(project: Path) -> None:
    """By its path, however that is written; those of projects that are gone go away when there is a new one."""
    other = project.parent / "other"
    other.mkdir()
    caches = [project_cache(each) for each in (project, other, project / ".." / "project")]
    assert caches[0] == caches[2] != caches[1]
    (caches[1] / "x.page").write_text("")
    other.rmdir()
    assert project_cache(project) == caches[0]
    assert caches[1].is_dir()
    third = project.parent / "third"
    third.mkdir()
    caches[1] = project_cache(third)
    assert set(caches[0].parent.iterdir()) == {caches[0], caches[1]}


def _in_the_project(project: Path) -> Path:
    return project / ".cache"


def _is_the_project(project: Path) -> Path:
    return project


def _in_its_repository(project: Path) -> Path:
    (project.parent / ".git").mkdir()
    return project.parent / ".cache"


def _by_a_link(project: Path) -> Path:
    (project.parent / "link").symlink_to(project / "kept")
    return project.parent / "link"


@pytest.mark.parametrize("place", [_in_the_project, _is_the_project, _in_its_repository, _by_a_link])
def test_what_comes_with_a_project_is_no_cache(
    place: Callable[[Path], Path], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the environment names it, as CI that keeps files of the project only makes people do."""
    folder = place(project)
    monkeypatch.setenv(VARIABLE, str(folder))
    with pytest.raises(NoCacheError, match="is in the project, which may come from anybody; set ACDL_CACHE_DIR"):
        project_cache(project)
    assert folder == project or not folder.exists()


@for_posix
def test_what_others_can_write_is_no_cache(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of another user, and one that all may write; what is made is for its user alone."""
    folder = user_cache(project)
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o775)
    with pytest.raises(NoCacheError, match=f"others can write to {folder}; run `chmod 700 {folder}`"):
        user_cache(project)
    folder.chmod(0o755)
    assert user_cache(project) == folder
    monkeypatch.setattr("os.geteuid", lambda: folder.stat().st_uid + 1)
    with pytest.raises(NoCacheError, match="belongs to another user; set ACDL_CACHE_DIR"):
        user_cache(project)


@for_posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away")
def test_root_leaves_nothing_in_the_home_of_a_user(project: Path) -> None:
    """As with `sudo`, which may leave `HOME` as it is: the user could not use that folder afterwards."""
    home = project.parent / "home"
    os.chown(home, 4242, 4242)
    with pytest.raises(NoCacheError, match="home belongs to another user"):
        user_cache(project)
    assert list(home.iterdir()) == []


def test_without_a_home(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cure is named."""

    def lost() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", lost)
    monkeypatch.setattr("sys.platform", "linux")
    with pytest.raises(NoCacheError, match="the user has no home folder; set ACDL_CACHE_DIR to a folder"):
        project_cache(project)


@pytest.mark.parametrize("call", ["mkdir", "stat"])
def test_a_disk_that_refuses(call: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a sentence with the folder and the reason."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, call, refuse)
    with pytest.raises(NoCacheError, match="acdl-mkdocs: Read-only file system"):
        project_cache(project)
    monkeypatch.undo()
    monkeypatch.setenv(VARIABLE, "a" * 5000)
    with pytest.raises(NoCacheError):
        project_cache(project)

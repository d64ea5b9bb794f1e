"""A clone that brings caches of every kind, made by somebody who knows this package: the site is as its sources say."""

import json
import logging
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from exhaustive import few
from integrations.mkdocs_site import CHAT, GREETING, Site

from acdl_mkdocs.foundation.errors import PlaygroundError
from acdl_mkdocs.foundation.user_cache import VARIABLE, project_cache
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.docs.blocks import run_findings
from acdl_mkdocs.frontends.playground import bundle as bundling
from acdl_mkdocs.frontends.playground.archive import build_archive
from acdl_mkdocs.workspace.cache import code_digest, compute_checksum, open_cache

SPEC = "Talk[@T]: {\n    S: RULES\n    U: env.question[@T]\n}\n"
CALL = {"model": "m", "messages": [{"role": role, "content": role} for role in ("system", "user")]}
PWNED = "<script>pwned()</script>"
_PLACES = (".cache", ".cache/acdl", ".cache/acdl-mkdocs", ".acdl", "cache")
"""Where tools keep caches in a project."""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A site with blocks, spec pages, files to download, recorded runs and the problems of many files."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "attacker"))
    made = Site(tmp_path / "clone")
    made.write("specs/chat.acdl", CHAT)
    made.write("specs/greeting.acdl", GREETING)
    made.write("specs/talk.acdl", SPEC)
    made.write("specs/talk.run.jsonl", f"{json.dumps(CALL)}\n")
    made.write("docs/index.md", "# Home\n\n```acdl\nA[@T]: { U: env.q[@T] }\n```\n")
    for number in range(20):
        made.write(f"wrong/{number}.acdl", f"Wrong{number}[@T]: {{ U: $x }}\n")
    return made


def built(site: Site) -> dict[str, bytes]:
    """All files of the site, built in a process that remembers nothing."""
    run_findings._remembered.clear()
    out = site.root / "out"
    shutil.rmtree(out, ignore_errors=True)
    site.build()
    files = {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    return {name: content for name, content in files.items() if "sitemap" not in name}


def checked(capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """What `acdl check` says of the files that are wrong."""
    capsys.readouterr()
    return main(["check", "wrong"]), capsys.readouterr().out


def poison(folder: Path) -> None:
    """Give caches other contents, with all digests that are asked of them."""
    for path in folder.glob("*.page"):
        page = open_cache(path)
        page.entries = {key: replace(entry, html=PWNED) for key, entry in page.old_entries.items()}
        page.old_entries = {}
        page.save_file()
    for path in folder.glob("runs/*.json"):
        known = json.loads(path.read_bytes().partition(b"\n")[2])
        body = json.dumps({**known, "html": PWNED}).encode()
        path.write_bytes(compute_checksum(body).encode() + b"\n" + body)
    for path in folder.glob("downloads/*.index.json"):
        index = json.loads(path.read_bytes().partition(b"\n")[2])
        for name in index["files"]:
            path.with_name(path.name.replace("index.json", name)).write_text(PWNED)
        body = json.dumps({**index, "files": dict.fromkeys(index["files"], compute_checksum(PWNED.encode()))}).encode()
        path.write_bytes(compute_checksum(body).encode() + b"\n" + body)
    path = folder / "specs.json"
    body = path.read_bytes().partition(b"\n")[2].replace(b"A chat", b"Pwned!")
    path.write_bytes(json.dumps({"code": code_digest(), "body": compute_checksum(body)}).encode() + b"\n" + body)
    path = folder / "check.txt"
    lines = path.read_bytes().partition(b"\n")[2].splitlines()
    body = b"".join(b"\t".join([*line.split(b"\t")[:2], b"[]\n"]) for line in lines)
    path.write_bytes(compute_checksum(body).encode() + b"\n" + body)


def test_caches_that_come_with_a_clone(
    site: Site,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """They work where a user keeps caches, and nowhere in the project, even if the environment leads there."""
    wanted = built(site)
    monkeypatch.chdir(site.root)
    problems = checked(capsys)
    assert problems[0] == 1
    poison(project_cache(site.root))
    pwned = built(site)
    wrong = {name for name in wanted if wanted[name] != pwned[name]}
    assert {"index.html", "specs/Talk/index.html", "specs/Talk/Talk.acdl", "specs/index.html"} <= wrong
    assert PWNED.encode() in pwned["specs/Talk/Talk.acdl"]
    assert checked(capsys)[0] == 0
    for place in _PLACES:  # as a whole, and as what belongs to this project
        shutil.copytree(tmp_path / "attacker", site.root / place, dirs_exist_ok=True)
        shutil.copytree(project_cache(site.root), site.root / place, dirs_exist_ok=True)
    caplog.set_level(logging.DEBUG, "mkdocs.plugins.acdl")
    for number, folder in enumerate((tmp_path / "victim", *(site.root / place for place in _PLACES))):
        monkeypatch.setenv(VARIABLE, str(folder))
        caplog.clear()
        assert built(site) == wanted, folder
        said = [each.getMessage() for each in caplog.records if each.name == "mkdocs.plugins.acdl"]
        assert len([each for each in said if "is in the project" in each]) == (1 if number else 0)
        assert checked(capsys) == problems


def test_links_in_the_place_of_caches(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is deleted or written where they lead."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "victim"))
    precious = tmp_path / "precious"
    for name in ("old/file", "x.page", "x.tmp"):
        (precious / name).parent.mkdir(parents=True, exist_ok=True)
        (precious / name).write_text("mine")
    (site.root / ".cache/acdl").mkdir(parents=True)
    for name in ("downloads", "runs", "playground"):
        (site.root / ".cache/acdl" / name).symlink_to(precious)
    (site.root / ".cache/acdl-mkdocs").symlink_to(precious)
    (site.root / ".cache/acdl/.gitignore").symlink_to(tmp_path / "new")
    before = sorted(tmp_path.rglob("*"))
    built(site)
    assert sorted(path.name for path in precious.rglob("*")) == ["file", "old", "x.page", "x.tmp"]
    assert {path.name for path in tmp_path.iterdir()} - {path.name for path in before} == {"victim"}


@pytest.mark.parametrize("variable", few([VARIABLE, "XDG_CACHE_HOME", None]))
def test_a_playground_that_comes_with_a_clone(
    variable: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a bundle of the right version is served, nor are packages run that are in the place of npm's."""
    clone = tmp_path / "clone"
    caches = clone / ".cache" / ("acdl" if variable == VARIABLE else "acdl-mkdocs")
    for folder in (caches / "playground", clone / ".cache/acdl/playground"):
        version = folder / bundling._key_of(build_archive())
        version.mkdir(parents=True, exist_ok=True)
        (version / "index.html").write_text(PWNED)
        (version / "bundle.json").write_text('{"index.html": 1}')
        assert bundling.bundle_in(folder).folder == version  # it would be taken
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "victim"))
    monkeypatch.setattr("sys.platform", "linux")
    if variable:
        monkeypatch.setenv(variable, str(caches if variable == VARIABLE else caches.parent))

    class ReachedError(PlaygroundError):
        """The build has begun."""

    def begun(node: object, folder: Path) -> Path:
        del node
        raise ReachedError(str(folder))

    bundling._temporary_folder.cache_clear()
    monkeypatch.setattr(bundling, "find_node", lambda: None)
    monkeypatch.setattr(bundling, "_install_modules", begun)
    monkeypatch.chdir(clone)
    said: list[str] = []
    with pytest.raises(ReachedError) as where:
        bundling.build_bundle(clone, said.append)
    assert not Path(str(where.value)).is_relative_to(clone.resolve())
    assert len([each for each in said if "is in the project" in each]) == (1 if variable else 0)

"""Blocks of new pages are drawn by several processes; the site is the same, with and without them."""

import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from mkdocs.exceptions import Abort

from acdl_mkdocs.site import ahead, block
from integrations.test_mkdocs_plugin import Site

SHARED = "StrFrag Facts[@t]: { env.facts[@t] }\n"
PAGES = {
    "index.md": f"---\ntitle: Home\n---\n\n```acdl\n{SHARED}```\n\n- item\n\n    ```acdl id=x\n    A: b\n    ```\n",
    "good.md": "# Good\n\n```acdl\nGood[@T]: { U: { Frag Facts[@T] } }\n```\n\n```acdl\nGood[@T]: { U: OTHER }\n```\n",
    "bad.md": "```acdl #x\nBad[@T]: { U: { S: A } }\n```\n\n```acdl #x\nBad[@T]: { U: { Frag Fact[@T] } }\n```\n",
    "src.md": '# File\n\n```acdl src="specs/file.acdl"\n```\n\n```acdl\nEmpty[@T]: { U: { } }\n',
}


@pytest.fixture
def new_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site of several pages, good and bad, whose blocks are worth a process each."""
    monkeypatch.setattr(ahead, "_LEAST_BLOCKS", 1)
    monkeypatch.setattr(ahead, "n_usable_cores", lambda: 2)
    site = Site(tmp_path)
    for name, text in PAGES.items():
        site.write(f"docs/{name}", text)
    site.write("specs/file.acdl", "File[@T]: { U: { Frag Facts[@T] } }\n")
    handlers = list(logging.getLogger("mkdocs").handlers)
    yield site
    logging.getLogger("mkdocs").handlers[:] = handlers


def built(site: Site, caplog: pytest.LogCaptureFixture) -> tuple[dict[str, bytes], list[str]]:
    """All files of the site, and what the log says of its blocks."""
    caplog.clear()
    site.build()
    files = {path.name: path.read_bytes() for path in sorted((site.root / "out").rglob("*.html"))}
    return files, [each.message for each in caplog.records if each.name == "mkdocs.plugins.acdl"]


def alone(site: Site, caplog: pytest.LogCaptureFixture) -> tuple[dict[str, bytes], list[str]]:
    """The same, drawn by the build itself, and forgotten."""
    site.config["plugins"] = [{"acdl": {"jobs": 1}}]
    found = built(site, caplog)
    for path in (site.root / ".cache" / "acdl").glob("*.page"):
        path.unlink()
    site.config["plugins"] = ["acdl"]
    return found


def test_processes_draw_all(new_site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """The build finds every block drawn by another process; pages and problems are the same."""
    expected = alone(new_site, caplog)
    drawn: list[str] = []
    draw = block._drawn

    def noted(request: block.Request, name: str, prefix: str) -> object:
        drawn.append(name)
        return draw(request, name, prefix)

    monkeypatch.setattr(block, "_drawn", noted)
    assert built(new_site, caplog) == expected
    assert drawn == []
    assert any("nested-role" in line for line in expected[1])


@pytest.mark.parametrize("program", ["no-such-program", "false", "", None])
def test_processes_that_fail(
    program: str | None, new_site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A process that cannot start, or ends at once, costs no page; a Python without a program of its own neither."""
    expected = alone(new_site, caplog)
    monkeypatch.setattr(sys, "executable", program)
    assert built(new_site, caplog) == expected


def test_an_interrupt_ends_processes(new_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """All processes start before one gets its work; a build that is interrupted then leaves none behind."""
    processes: list[subprocess.Popen[bytes]] = []
    started = ahead._started

    def noted(n_wanted: int) -> Iterator[subprocess.Popen[bytes]]:
        for process in started(n_wanted):
            processes.append(process)
            yield process

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ahead, "_started", noted)
    monkeypatch.setattr(ahead, "_tell", interrupted)
    with pytest.raises(KeyboardInterrupt):
        new_site.build()
    assert len(processes) == 2
    assert all(process.returncode is not None for process in processes)


def test_few_blocks(new_site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """No process is started for what is drawn sooner, for pages drawn before, or if the site wants none."""
    started: list[int] = []

    def noted(n_wanted: int) -> tuple[()]:
        started.append(n_wanted)
        return ()

    monkeypatch.setattr(ahead, "_started", noted)
    new_site.config["plugins"] = [{"acdl": {"jobs": 1}}]
    built(new_site, caplog)
    new_site.config["plugins"] = ["acdl"]
    built(new_site, caplog)
    monkeypatch.setattr(ahead, "_LEAST_BLOCKS", 50)
    new_site.write("docs/more.md", "```acdl\nMore[@T]: { U: A }\n```\n")
    built(new_site, caplog)
    assert started == []


@pytest.mark.parametrize("jobs", [-1, "many", True])
def test_jobs_that_cannot_be(jobs: object, new_site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """The log says what is wrong with the option."""
    new_site.config["plugins"] = [{"acdl": {"jobs": jobs}}]
    with pytest.raises(Abort):
        new_site.load()
    assert "jobs" in caplog.text

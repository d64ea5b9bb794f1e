"""New blocks are drawn by several processes; the site is the same, with and without them."""

import gc
import logging
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from mkdocs.exceptions import Abort

from acdl_mkdocs.foundation.user_cache import project_cache
from acdl_mkdocs.frontends.docs import workers
from acdl_mkdocs.frontends.docs.blocks import block
from acdl_mkdocs.frontends.docs.mkdocs import ahead as mkdocs_ahead
from acdl_mkdocs.frontends.docs.mkdocs import draw_ahead
from acdl_mkdocs.frontends.docs.mkdocs.plugin import AcdlPlugin
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.workspace.catalog import Catalog
from integrations.test_mkdocs_plugin import Site

_USUAL = (700, 10, 10)
"""When Python collects garbage."""
SHARED = "StrFrag Facts[@t]: { env.facts[@t] }\n"
PAGES = {
    "index.md": f"---\ntitle: Home\n---\n\n```acdl\n{SHARED}```\n\n- item\n\n    ```acdl id=x\n    A: b\n    ```\n",
    "good.md": "# Good\n\n```acdl\nGood[@T]: { U: { Frag Facts[@T] } }\n```\n\n```acdl\nGood[@T]: { U: OTHER }\n```\n",
    "bad.md": "```acdl #x\nBad[@T]: { U: { S: A } }\n```\n\n```acdl #x\nBad[@T]: { U: { Frag Fact[@T] } }\n```\n",
    "src.md": '# File\n\n```acdl src="specs/file.acdl"\n```\n\n```acdl\nEmpty[@T]: { U: { } }\n',
}


class AwaitedWorkers(workers.Workers):
    """Processes that have done their work before the build goes on, so that it is known who draws what."""

    def __init__(self, module: str, work: Sequence[object], n_workers: int) -> None:
        super().__init__(module, work, n_workers)
        self.wait()


@pytest.fixture
def hurried_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site of several pages, good and bad, whose blocks are worth a process each."""
    monkeypatch.setattr(draw_ahead, "_LEAST_BLOCKS", 1)
    monkeypatch.setattr(workers, "n_processes", lambda: 3)
    site = Site(tmp_path)
    for name, text in PAGES.items():
        site.write(f"docs/{name}", text)
    site.write("specs/file.acdl", "File[@T]: { U: { Frag Facts[@T] } }\n")
    handlers = list(logging.getLogger("mkdocs").handlers)
    yield site
    logging.getLogger("mkdocs").handlers[:] = handlers


@pytest.fixture
def new_site(hurried_site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """The same, with processes that have drawn everything before the build renders its first page."""
    monkeypatch.setattr(draw_ahead, "Workers", AwaitedWorkers)
    return hurried_site


def built(site: Site, caplog: pytest.LogCaptureFixture) -> tuple[dict[str, bytes], list[str]]:
    """All files of the site, and what the log says of its blocks."""
    caplog.clear()
    site.build()
    out = site.root / "out"
    files = {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*.html"))}
    assert len(files) >= len(PAGES)
    return files, [each.message for each in caplog.records if each.name == "mkdocs.plugins.acdl"]


def alone(site: Site, caplog: pytest.LogCaptureFixture) -> tuple[dict[str, bytes], list[str]]:
    """The same, drawn by the build itself, and forgotten."""
    site.config["plugins"] = [{"acdl": {"jobs": 1}}]
    found = built(site, caplog)
    for path in project_cache(site.root).glob("*.page"):
        path.unlink()
    site.config["plugins"] = ["acdl"]
    return found


def drawn_here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The anchors of the blocks that the build draws itself, from now on."""
    drawn: list[str] = []
    draw = block._draw_safely

    def noted(request: block.BlockRequest, name: str, prefix: str) -> object:
        drawn.append(name)
        return draw(request, name, prefix)

    monkeypatch.setattr(block, "_draw_safely", noted)
    return drawn


def told(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """For each page that processes draw from now on the anchors of its blocks."""
    anchors: list[list[str]] = []
    pickle_item = workers._pickle_item

    def noted(work: draw_ahead.PageWork) -> bytes:
        anchors.append([name for _, name, _ in work[2]])
        return pickle_item(work)

    monkeypatch.setattr(workers, "_pickle_item", noted)
    return anchors


def test_processes_draw_all(new_site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """The build finds every block drawn by another process; pages and problems are the same."""
    expected = alone(new_site, caplog)
    drawn = drawn_here(monkeypatch)
    assert built(new_site, caplog) == expected
    assert drawn == []
    assert any("nested-role" in line for line in expected[1])


def test_processes_draw_while_pages_are_rendered(hurried_site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Pages and problems are the same, whoever has drawn them first, and all processes have ended."""
    expected = alone(hurried_site, caplog)
    assert built(hurried_site, caplog) == expected
    assert built(hurried_site, caplog) == expected


def test_a_page_that_the_build_has_drawn_meanwhile(new_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process leaves it as it is, and begins with the page that the build renders last."""
    noted: list[draw_ahead.PageWork] = []

    class Noted(AwaitedWorkers):
        def __init__(self, module: str, work: Sequence[draw_ahead.PageWork], n_workers: int) -> None:
            noted.extend(work)
            super().__init__(module, work, n_workers)

    monkeypatch.setattr(draw_ahead, "Workers", Noted)
    new_site.build()
    anchors = [name for _, _, blocks in noted for _, name, _ in blocks]
    assert anchors.index("x") > anchors.index("Good")  # the home page is rendered first
    drawn = drawn_here(monkeypatch)
    for each in noted:
        draw_ahead.draw_blocks(each, Catalog())
    assert drawn == []
    noted[0][0].unlink()
    for each in noted:
        draw_ahead.draw_blocks(each, Catalog())
    assert drawn == [name for _, name, _ in noted[0][2]]


def test_a_setting_that_makes_all_blocks_new(
    new_site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Pages that the cache knows are drawn by other processes too, if their blocks are others now."""
    new_site.config["plugins"] = [{"acdl": {"jobs": 1, "show": "text"}}]
    expected = built(new_site, caplog)
    new_site.config["plugins"] = ["acdl"]
    assert built(new_site, caplog) != expected
    drawn = drawn_here(monkeypatch)
    new_site.config["plugins"] = [{"acdl": {"show": "text"}}]
    assert built(new_site, caplog) == expected
    assert drawn == []


def test_only_new_blocks(new_site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Blocks that the cache has are not drawn again, stay in it, and do not count."""
    built(new_site, caplog)
    drawn, anchors = drawn_here(monkeypatch), told(monkeypatch)
    for name in ("good.md", "index.md"):
        new_site.write(f"docs/{name}", f"{PAGES[name]}\n```acdl id=new-{name[0]}\nU: {{ {name[0]} }}\n```\n")
    built(new_site, caplog)
    assert (anchors, drawn) == ([["new-g"], ["new-i"]], [])


def test_blocks_with_other_files(
    new_site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Blocks with a state and with recorded runs are drawn by other processes too, and anew if one of these changes."""
    block = "```acdl id={} {}\nU: {{ env.x }}\n```\n"
    new_site.write("one.state.yaml", "acdl_state: 1\nenv: {x: one}\n")
    new_site.write("run.jsonl", '{"model": "m", "messages": [{"role": "system", "content": "one"}]}\n')
    new_site.write("docs/good.md", block.format("sent", "state=one.state.yaml"))
    new_site.write("docs/index.md", block.format("verified", "runs=run.jsonl"))
    expected = alone(new_site, caplog)
    assert "refuted" in expected[0]["index.html"].decode()
    drawn, anchors = drawn_here(monkeypatch), told(monkeypatch)
    assert built(new_site, caplog) == expected
    assert drawn == []
    assert {"sent", "verified"} <= {name for names in anchors for name in names}
    new_site.write("one.state.yaml", "acdl_state: 1\nenv: {x: two}\n")
    new_site.write("run.jsonl", '{"model": "m", "messages": [{"role": "user", "content": "two"}]}\n')
    pages = built(new_site, caplog)[0]
    assert "two" in pages["good/index.html"].decode()
    assert "refuted" not in pages["index.html"].decode()


def test_the_collector_is_relaxed_during_a_build(new_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Garbage is collected less often while a site is built, and as before when it is finished or has failed."""
    usual, found = gc.get_threshold(), []
    draw = block._draw_safely

    def noted(*request: Any) -> object:
        found.append(gc.get_threshold())
        return draw(*request)

    monkeypatch.setattr(block, "_draw_safely", noted)
    new_site.config["plugins"] = [{"acdl": {"jobs": 1}}]
    gc.set_threshold(*_USUAL)
    try:
        new_site.build()
        assert found
        assert all(each > _USUAL for each in found)
        assert gc.get_threshold() == _USUAL
        monkeypatch.setattr(block, "log_lines", lambda *_: 1 / 0)
        new_site.write("docs/good.md", "```acdl\nNew[@T]: { U: A }\n```\n")
        with pytest.raises(ZeroDivisionError):
            new_site.build()
        assert gc.get_threshold() == _USUAL
    finally:
        gc.set_threshold(*usual)


def test_pages_that_are_looked_at(
    new_site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is read ahead of pages that did not change; a page that did, or what it shows, is looked at once."""
    looked: list[str] = []

    def noted(pages: Iterable[tuple[Page, object]], n_jobs: int) -> None:
        del n_jobs
        looked.extend(page.name for page, _ in pages)

    monkeypatch.setattr(mkdocs_ahead, "draw_ahead", noted)

    def of_two_builds() -> list[list[str]]:
        found = []
        for _ in range(2):
            looked.clear()
            built(new_site, caplog)
            found.append(sorted(looked))
        return found

    names = sorted(f"docs/{name}" for name in PAGES)
    assert of_two_builds() == [names, []]
    new_site.write("docs/good.md", f"{PAGES['good.md']}\nSome words.\n")
    assert of_two_builds() == [["docs/good.md"], []]
    new_site.write("specs/file.acdl", "File[@T]: { U: OTHER }\n")
    assert of_two_builds() == [["docs/src.md"], []]


def test_pages_that_are_made(new_site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Blocks of pages that have no file, as those of specs, are drawn by other processes too, also with problems."""
    new_site.write("specs/other.acdl", "Other[@T]: { U: { S: OTHER } }\n")
    new_site.config["plugins"] = [{"acdl": {"specs": ["specs"], "jobs": 1}}]
    expected = built(new_site, caplog)
    assert "specs/Other/index.html" in expected[0]
    for path in project_cache(new_site.root).glob("*.page"):
        path.unlink()
    new_site.config["plugins"] = [{"acdl": {"specs": ["specs"]}}]
    drawn, anchors = drawn_here(monkeypatch), told(monkeypatch)
    assert built(new_site, caplog) == expected
    assert drawn == []
    assert {"Other", "File"} <= {name for names in anchors for name in names}


def test_work_that_cannot_be_told(caplog: pytest.LogCaptureFixture) -> None:
    """It is drawn by the build itself; only the log for those who look for faults says why."""
    caplog.set_level(logging.DEBUG, workers.__name__)
    workers.run_workers(draw_ahead.__name__, [lambda: None], 1)
    assert "was not told its work" in caplog.text
    assert "has ended with" not in caplog.text


@pytest.mark.parametrize("program", ["no-such-program", "false", "", None])
def test_processes_that_fail(
    program: str | None, new_site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A process that cannot start, or ends at once, costs no page; a Python without a program of its own neither."""
    expected = alone(new_site, caplog)
    monkeypatch.setattr(sys, "executable", program)
    caplog.set_level(logging.DEBUG, workers.__name__)
    assert built(new_site, caplog) == expected
    assert ("has ended with 1" in caplog.text) == (program == "false")


def test_processes_look_for_modules_where_this_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is on no usual path, as one that a hook has put there, is the same in all processes."""
    (tmp_path / "found_by_a_path.py").write_text("print('found')\n")
    monkeypatch.syspath_prepend(tmp_path)
    words = [sys.executable, "-P", "-c", "import found_by_a_path"]
    ran = subprocess.run(words, env=workers._process_environment(), capture_output=True, text=True)
    assert ran.stdout == "found\n"


def test_processes_share_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a process is busy with an item, others do all of the rest but one; what a module prints is lost."""
    n_items = 40
    (tmp_path / "counts_its_work.py").write_text(
        "import os, pathlib, sys, time\n"
        "from acdl_mkdocs.frontends.docs.workers import do_work\n"
        "begun_s = time.monotonic()\n"
        "def count(work):\n"
        "    folder, number = work\n"
        "    print('x' * 100_000)\n"
        f"    while number == 0 and len(os.listdir(folder)) < {n_items - 2}:\n"
        "        time.sleep(0.01)\n"
        "        if time.monotonic() - begun_s > 60:\n"
        "            sys.exit('nobody else works')\n"
        "    pathlib.Path(folder, str(number)).touch()\n"
        "    return str(number) * 100_000\n"
        "do_work(count)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    made = tmp_path / "made"
    made.mkdir()
    results = workers.run_workers("counts_its_work", [(str(made), number) for number in range(n_items)], 2)
    assert sorted(results) == sorted(str(number) * 100_000 for number in range(n_items))


@pytest.mark.parametrize("failure", ["1 / 0", "open('no-such-file')"])
def test_a_process_that_fails(
    failure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The results before the failure count, and another process goes on with the items that are left."""
    caplog.set_level(logging.DEBUG, workers.__name__)
    (tmp_path / "fails_at_three.py").write_text(
        "from acdl_mkdocs.frontends.docs.workers import do_work\n"
        f"do_work(lambda number: {failure} if number == 3 else number)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    results = workers.run_workers("fails_at_three", range(1, 41), 2)
    assert set(results) <= {*range(1, 41)} - {3}
    assert len(results) >= 38  # what it had asked for is lost too
    assert workers.run_workers("fails_at_three", range(1, 41), 1) == [1, 2]
    assert caplog.text.count("a process of fails_at_three has ended with 1") == 2


def test_standard_streams_are_for_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that a process has started and that goes on is not waited for; whoever reads input gets none."""
    (tmp_path / "starts_a_program.py").write_text(
        "import pathlib, subprocess, sys\n"
        "from acdl_mkdocs.frontends.docs.workers import do_work\n"
        "loop = ('import pathlib, sys, time\\n'\n"
        "    'for _ in range(3000):\\n'\n"
        "    '    if pathlib.Path(sys.argv[1]).exists(): sys.exit()\\n'\n"
        "    '    time.sleep(0.01)\\n'\n"
        "    'pathlib.Path(sys.argv[1] + \"-late\").touch()\\n')\n"
        f"subprocess.Popen([sys.executable, '-c', loop, {str(tmp_path / 'done')!r}])\n"
        "do_work(lambda number: (number, sys.stdin.read()))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert workers.run_workers("starts_a_program", [1, 2], 1) == [(1, ""), (2, "")]
    assert not (tmp_path / "done-late").exists()
    (tmp_path / "done").touch()


@pytest.mark.parametrize("words", ["Good morning", "Ice", "cream\n\n", "N."])
def test_a_process_that_prints_before_its_work(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another package prints when Python starts is no result."""
    (tmp_path / "greets.py").write_text(
        "import sys\nfrom acdl_mkdocs.frontends.docs.workers import do_work\n"
        f"sys.stdout.write({words!r})\nsys.stdout.flush()\ndo_work(abs)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert workers.run_workers("greets", [-1, -2, -3], 1) == [1, 2, 3]


@pytest.mark.parametrize("is_interrupted", [False, True])
def test_a_build_that_ends_early(is_interrupted: bool, hurried_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """All processes start before one gets its work; a build that fails or is interrupted leaves none behind."""
    processes: list[subprocess.Popen[bytes]] = []
    started = workers._start_processes

    def noted(module: str, n_wanted: int) -> Iterator[subprocess.Popen[bytes]]:
        for process in started(module, n_wanted):
            processes.append(process)
            yield process

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(workers, "_start_processes", noted)
    monkeypatch.setattr(workers, "_send_items", lambda *_: None)  # they wait for ever
    if is_interrupted:
        made = workers.Workers(draw_ahead.__name__, [1, 2], 2)
        del made  # as at the end of the program
        gc.collect()
    else:
        monkeypatch.setattr(AcdlPlugin, "on_page_markdown", fail)
        with pytest.raises(ZeroDivisionError):
            hurried_site.build()
    assert len(processes) == 2
    assert all(process.returncode is not None for process in processes)


def test_few_blocks(new_site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """No process is started for what is drawn sooner, for pages drawn before, or if the site wants none."""
    started: list[int] = []

    def noted(module: str, n_wanted: int) -> tuple[()]:
        del module
        started.append(n_wanted)
        return ()

    monkeypatch.setattr(workers, "_start_processes", noted)
    new_site.config["plugins"] = [{"acdl": {"jobs": 1}}]
    built(new_site, caplog)
    new_site.config["plugins"] = ["acdl"]
    built(new_site, caplog)
    monkeypatch.setattr(draw_ahead, "_LEAST_BLOCKS", 50)
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

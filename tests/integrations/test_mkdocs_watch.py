"""What a preview watches, also when it vanishes and comes back."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.livereload import LiveReloadServer

from acdl_mkdocs.frontends.docs.mkdocs.plugin import AcdlPlugin
from acdl_mkdocs.frontends.docs.mkdocs.watch import FileWatcher
from acdl_mkdocs.workspace.files import fixed_part
from integrations.mkdocs_site import GREETING, Site

LONGEST_S = 300.0


class Preview:
    """A server that watches but serves nothing, and knows whether it was told to build again."""

    def __init__(self, root: Path) -> None:
        self.server = LiveReloadServer(lambda: None, "127.0.0.1", 0, str(root), polling_interval=0.02)
        self.server.observer.start()
        self.watcher = FileWatcher(self.server)

    def is_told(self, change: Callable[[], object]) -> bool:
        """Whether the server wants to build after a change, while the watcher looks."""
        self.server._want_rebuild = False
        change()
        end = time.monotonic() + LONGEST_S
        while time.monotonic() < end and not self.server._want_rebuild:
            self.watcher.check_paths()
            self.server._rebuild_cond.acquire()
            self.server._rebuild_cond.wait(0.05)
            self.server._rebuild_cond.release()
        return bool(self.server._want_rebuild)


@pytest.fixture
def preview(tmp_path: Path) -> Iterator[Preview]:
    """One that ends with the test."""
    preview = Preview(tmp_path)
    yield preview
    preview.server.observer.stop()
    preview.server.observer.join()
    preview.server.server_close()


def test_folder_that_comes_back(preview: Preview, tmp_path: Path) -> None:
    """A folder that was moved away and back is watched again."""
    specs, away = tmp_path / "specs", tmp_path / "away"
    specs.mkdir()
    (specs / "a.acdl").write_text("A")
    preview.watcher.watch_paths([specs, specs / "a.acdl"])
    assert preview.is_told(lambda: (specs / "a.acdl").write_text("AB"))
    for number in range(2):
        assert preview.is_told(lambda: shutil.move(specs, away))
        assert preview.is_told(lambda: shutil.move(away, specs))
        assert preview.is_told(lambda number=number: (specs / f"new{number}.acdl").write_text("N"))  # type: ignore[misc]


@pytest.mark.parametrize("name", ["specs", "specs/a.acdl"])
def test_what_is_back_before_the_next_look(name: str, tmp_path: Path) -> None:
    """A build may have run while it was away, and the tools' own watcher may follow it without a word."""
    specs, away = tmp_path / "specs", tmp_path / "away"
    specs.mkdir()
    (specs / "a.acdl").write_text("A")
    server = LiveReloadServer(lambda: None, "127.0.0.1", 0, str(tmp_path))  # never started: it hears of nothing
    watcher = FileWatcher(server)
    watcher.watch_paths([tmp_path / name])
    watcher.check_paths()
    assert server.observer.event_queue.empty()
    shutil.move(tmp_path / name, away)
    shutil.move(away, tmp_path / name)
    watcher.check_paths()
    event, _ = server.observer.event_queue.get_nowait()
    assert event.src_path == str(tmp_path / name)
    server.server_close()


def test_file_that_is_saved_by_another_in_its_place(tmp_path: Path) -> None:
    """The tools' own watcher has told of it: a second build would find nothing new."""
    spec, saved = tmp_path / "a.acdl", tmp_path / "a.acdl~"
    spec.write_text("A")
    server = LiveReloadServer(lambda: None, "127.0.0.1", 0, str(tmp_path))  # never started
    watcher = FileWatcher(server)
    watcher.watch_paths([tmp_path, spec])
    time.sleep(0.02)  # so that the two were not written at one time
    saved.write_text("AB")
    saved.replace(spec)
    watcher.check_paths()
    assert server.observer.event_queue.empty()
    server.server_close()


def test_folder_that_is_made_later(preview: Preview, tmp_path: Path) -> None:
    """A folder that does not exist at the start is watched as soon as it does."""
    specs = tmp_path / "specs"
    preview.watcher.watch_paths([specs])
    assert preview.is_told(specs.mkdir)
    assert preview.is_told(lambda: (specs / "a.acdl").write_text("A"))


def test_file_whose_folder_vanishes(preview: Preview, tmp_path: Path) -> None:
    """A page that shows a file is built again when the file goes, with all of its folder, and when it is back."""
    specs, away = tmp_path / "specs", tmp_path / "away"
    specs.mkdir()
    (specs / "a.acdl").write_text("A")
    preview.watcher.watch_paths([specs / "a.acdl"])
    for number in range(2):
        assert preview.is_told(lambda: shutil.move(specs, away))
        assert preview.is_told(lambda: shutil.move(away, specs))
        assert preview.is_told(lambda number=number: (specs / "a.acdl").write_text(f"AB{number}"))  # type: ignore[misc]


def test_folder_that_the_server_watches_too(preview: Preview, tmp_path: Path) -> None:
    """The option `watch` of the site itself may name it: it is watched again for both, and built again once."""
    specs, away = tmp_path / "specs", tmp_path / "away"
    specs.mkdir()
    preview.watcher.watch_paths([specs])
    preview.server.watch(str(specs))
    shutil.move(specs, away)
    while all(each.is_alive() for each in preview.server.observer.emitters):
        preview.server.observer.emitters.copy().pop().join(0.05)
    assert preview.is_told(lambda: shutil.move(away, specs))
    preview.watcher.check_paths()
    assert all(each.is_alive() for each in preview.server.observer.emitters)
    assert preview.is_told(lambda: (specs / "new.acdl").write_text("N"))


@pytest.mark.parametrize("edited", ["docs/specs/a.acdl", "docs/index.md"])
def test_folder_of_the_pages_that_comes_back(edited: str, preview: Preview, tmp_path: Path) -> None:
    """The server itself watches the pages and what lies among them, and would not go on after a change of branches."""
    docs, away = tmp_path / "docs", tmp_path / "away"
    (docs / "specs").mkdir(parents=True)
    (docs / "index.md").write_text("A")
    (docs / "specs" / "a.acdl").write_text("A")
    preview.server.watch(str(docs))
    watcher = preview.watcher = FileWatcher(preview.server, [str(docs)])
    watcher.watch_paths([docs / "specs" / "a.acdl"])
    for number in range(2):
        assert preview.is_told(lambda: shutil.move(docs, away))
        watcher.watch_paths([docs / "specs" / "a.acdl"])
        assert preview.is_told(lambda: shutil.move(away, docs))
        watcher.watch_paths([docs / "specs" / "a.acdl"])
        assert preview.is_told(lambda number=number: (tmp_path / edited).write_text(f"AB{number}"))  # type: ignore[misc]
        assert preview.server._watched_paths == {str(docs): 2}


def test_only_what_is_wanted(tmp_path: Path) -> None:
    """Files that no page has named for some builds have no watcher, nor have those of a folder that has one."""
    for name in ("docs/a.acdl", "specs/deep/b.acdl", "c.acdl", "d.acdl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("A")
    server = LiveReloadServer(lambda: None, "127.0.0.1", 0, str(tmp_path))  # never started
    server.watch(str(tmp_path / "docs"))
    watcher = FileWatcher(server, [str(tmp_path / "docs")])

    def watched(*names: str, n_builds: int = 1) -> list[str]:
        for _ in range(n_builds):
            watcher.watch_paths(tmp_path / name for name in names)
        return sorted(Path(each).relative_to(tmp_path).as_posix() for each in server._watched_paths)

    assert watched("docs/a.acdl", "specs/deep/b.acdl", "c.acdl") == ["c.acdl", "docs", "specs/deep/b.acdl"]
    assert watched("specs", "d.acdl", "none") == ["c.acdl", "d.acdl", "docs", "specs"]
    assert watched("specs/deep/b.acdl", "specs", "d.acdl", n_builds=16) == ["d.acdl", "docs", "specs"]
    assert watched(n_builds=16) == ["docs"]
    server.server_close()


def test_dirty_build_watches_all(tmp_path: Path) -> None:
    """A file that a page was drawn from stays watched while only other pages are built again."""
    site = Site(tmp_path, specs=[])
    site.write("parts/a.acdl", GREETING)
    site.write("docs/a.md", "```acdl src=parts/a.acdl\n```\n")
    plugin = site.build().plugins["acdl"]
    assert isinstance(plugin, AcdlPlugin)
    config = load_config(str(site.root / "mkdocs.yml"))
    config.plugins.on_startup(command="serve", dirty=True)
    site.write("docs/new.md", "# New\n")
    build(config, dirty=True)
    assert site.root / "parts/a.acdl" in plugin._files


def test_recordings_that_a_pattern_may_find(tmp_path: Path) -> None:
    """The folder of a pattern is watched, and the files that a single recording may have beside it."""
    site = Site(tmp_path, specs=[])
    request = '{"messages": [{"role": "user", "content": "Why?"}]}\n'
    for name in ("several/a.run.jsonl", "one/b.run.jsonl"):
        site.write(name, request)
    fences = (f'```acdl runs="{name}"\nA[@T]: {{ U: env.q[@T] }}\n```\n' for name in ("several/*", "one/b.run.jsonl"))
    site.write("docs/a.md", "\n".join(fences))
    plugin = site.build().plugins["acdl"]
    assert isinstance(plugin, AcdlPlugin)
    assert {"several", "one/b.run.jsonl", "one/b.run.state.yaml", "one/b.run.manifest.json"} <= {
        path.relative_to(site.root).as_posix() for path in plugin._files
    }


def test_nothing_happens_when_nothing_changes(preview: Preview, tmp_path: Path) -> None:
    """Looking alone never builds a site."""
    preview.watcher.watch_paths([tmp_path, tmp_path / "nowhere"])
    for _ in range(5):
        preview.watcher.check_paths()
    assert preview.server.observer.event_queue.empty()
    assert not preview.server._want_rebuild


@pytest.mark.parametrize(
    ("pattern", "fixed"),
    [("specs", "specs"), ("specs/*/*.acdl", "specs"), ("a/b/c?.acdl", "a/b"), ("**/*.acdl", ""), ("a/[bc]", "a")],
)
def test_fixed_part(pattern: str, fixed: str, tmp_path: Path) -> None:
    """A pattern is watched from before its first wildcard."""
    assert fixed_part(tmp_path, pattern) == tmp_path / fixed

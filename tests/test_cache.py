"""Drawn blocks are kept between builds, and whatever happens to the files, pages are the same."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.block import to_html
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.workspace import cache
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import BlockText

REACT = "React2[@T]: {\n  S: SYSTEM_PROMPT\n  Mark 2 {\n    U: env.question[@T]\n  }\n}\n"
BROKEN = "Chat[@T]: {\n  U: {\n    S: { INSTRUCTIONS }\n  }\n}\n"


def cached_page(folder: Path, said: list[str] | None = None, name: str = "docs/a.md") -> Page:
    """A page with a cache in a folder."""
    lines = said if said is not None else []
    return Page(name=name, cache=cache.open_page_cache(folder, "a.md"), report=lambda _, line: lines.append(line))


def forbid_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on a block that is not in the cache makes the test fail."""

    def fail(*_: object, **__: object) -> None:
        pytest.fail("drawn again")

    monkeypatch.setattr("acdl_mkdocs.frontends.docs.blocks.block._draw_safely", fail)


def draw_all(page: Page) -> list[str]:
    """Three blocks, one of them twice and one with an error."""
    html = [to_html(BlockText(Source(text, page.name, 3)), page).html for text in (REACT, REACT, BROKEN)]
    if page.cache:
        page.cache.save_file()
    return html


def test_cache_gives_the_same_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second build draws nothing and shows and says the same."""
    first_said: list[str] = []
    first = draw_all(cached_page(tmp_path, first_said))
    forbid_drawing(monkeypatch)
    second_said: list[str] = []
    assert draw_all(cached_page(tmp_path, second_said)) == first == draw_all(cached_page(tmp_path))
    assert first_said == second_said != []


def test_a_fault_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What memory was too little for in one build is a figure in the next."""
    expected = draw_all(cached_page(tmp_path / "sound"))

    def short(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr("acdl_mkdocs.frontends.docs.blocks.block._draw_text", short)
        assert all("MemoryError" in html for html in draw_all(cached_page(tmp_path)))
    assert draw_all(cached_page(tmp_path)) == expected


def test_unchanged_cache_is_not_written(tmp_path: Path) -> None:
    """A build that changes nothing leaves the files alone; a block that is gone leaves the cache."""
    draw_all(cached_page(tmp_path))
    (path,) = tmp_path.glob("*.page")
    os.utime(path, (1, 1))
    draw_all(cached_page(tmp_path))
    assert path.stat().st_mtime == 1
    page = cached_page(tmp_path)
    to_html(BlockText(Source(REACT, page.name, 3)), page)
    assert page.cache
    page.cache.save_file()
    assert len(cache.open_page_cache(tmp_path, "a.md").old_entries) == 1


def test_cache_depends_on_options_and_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another option, text or version of the code is another entry."""
    page = cached_page(tmp_path)
    keys = {cache.key_of(REACT, BlockOptions()), cache.key_of(REACT, BlockOptions(width=300.0)), cache.key_of("", 1)}
    assert len(keys) == 3
    draw_all(page)
    monkeypatch.setattr(cache, "code_digest", lambda: "other")
    assert cache.open_page_cache(tmp_path, "a.md").old_entries == {}
    assert cache.key_of(REACT, BlockOptions()) not in keys


def test_cache_depends_on_all_code_that_draws() -> None:
    """Modules in folders of any depth and assets; not those of the command line."""
    package = Path(cache.__file__).parent.parent
    names = {Path(path).relative_to(package).as_posix() for path in cache.list_drawing_files()}
    assert names >= {"source.py", "workspace/cache.py", "drawing/figure/layout.py", "assets/acdl.css"}
    assert names >= {"language/names/resolve.py", "frontends/docs/blocks/block.py"}
    assert not [name for name in names if "/cli/" in name or "__pycache__" in name]


def test_problems_are_cached_with_their_place(tmp_path: Path) -> None:
    """A block that moved reports its new place; one without problems is found wherever it stands."""
    page = cached_page(tmp_path)
    to_html(BlockText(Source(BROKEN, "a.md", 3)), page)
    moved = to_html(BlockText(Source(BROKEN, "a.md", 30)), page)
    assert moved.log[0][1].startswith("a.md:32:5")
    assert "a.md:32:5" in moved.html


@pytest.mark.parametrize("damage", [b"", b"x", b"{}\n", b'{"code":1}\n\n', b"\xff\n", b"[1]\n"])
def test_damaged_cache_is_ignored(damage: bytes, tmp_path: Path) -> None:
    """A damaged file counts as absent and is replaced."""
    first = draw_all(cached_page(tmp_path))
    (path,) = tmp_path.glob("*.page")
    good = path.read_bytes()
    for bad in (damage, good[:-3], good.replace(b"<svg", b"<SVG", 1)):
        path.write_bytes(bad)
        page = cached_page(tmp_path)
        assert page.cache
        assert page.cache.old_entries == {}
        assert draw_all(page) == first
        assert path.read_bytes() == good


def test_cache_that_cannot_be_written(tmp_path: Path) -> None:
    """A disk that refuses is not an error."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    page = replace(cached_page(tmp_path), cache=cache.open_page_cache(blocked / "below", "a.md"))
    assert draw_all(page)


def test_prune(tmp_path: Path) -> None:
    """Files of pages that are gone are deleted, others stay."""
    for name in ("a.md", "b.md"):
        page = Page(cache=cache.open_page_cache(tmp_path, name))
        draw_all(page)
    cache.prune_pages(tmp_path, [cache.open_page_cache(tmp_path, "b.md").path])
    assert [path.name for path in tmp_path.glob("*.page")] == [cache.open_page_cache(tmp_path, "b.md").path.name]
    cache.prune_pages(tmp_path / "none", [])


def test_environment_switches_caches_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """`ACDL_NO_CACHE=1` is off, `0` and nothing are on."""
    for value, is_off in (("1", True), ("0", False), ("", False)):
        monkeypatch.setenv("ACDL_NO_CACHE", value)
        assert cache.is_disabled() is is_off


def test_prune_survives_what_it_cannot_delete(tmp_path: Path) -> None:
    """Old drafts that were never finished go too; a folder with the name of a page stays."""
    (tmp_path / "odd.page").mkdir()
    for name in ("kept.page", "old.page", "old.99.tmp"):
        (tmp_path / name).write_text("")
    os.utime(tmp_path / "old.99.tmp", (0, 0))
    cache.prune_pages(tmp_path, [tmp_path / "kept.page"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.page", "odd.page"]

"""Reading new texts by several processes: the same definitions and files as in one, whatever a process does."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from written_indexes import EXAMPLES

from acdl_mkdocs.frontends.docs.pages import downloads, specs_cache
from acdl_mkdocs.frontends.docs.pages.downloads import SiteDownloads
from acdl_mkdocs.frontends.docs.pages.library import SiteLibrary
from acdl_mkdocs.frontends.docs.pages.read_ahead import read_ahead
from acdl_mkdocs.frontends.docs.pages.specs_cache import SpecsCache
from acdl_mkdocs.frontends.docs.settings import Settings
from acdl_mkdocs.workspace.parts import specs_in

FORMATS = ("acdl", "svg", "json")
TEXTS = {
    "alone.acdl": "// title: Alone\nAlone[@T]: { U: env.a[@T] }\n\nOther[@T]: { U: Frag Own[@T] }\n"
    "StrFrag Own[@t]: { sys.own[@t] }\n",
    "user.acdl": "User[@T]: { U: Frag Shared[@T] }\n",
    "deeper.acdl": "Deeper[@T]: { U: Frag Near[@T] }\nStrFrag Near[@t]: { Frag Shared[@t] }\n",
    "shared.acdl": "// acdl: range=inclusive\nStrFrag Shared[@t]: { sys.shared[@t] }\n",
    "missing.acdl": "Missing[@T]: { U: Frag Nowhere[@T] }\n",
    "broken.acdl": "Broken[@T]: { U: \n",
}
NEEDS_NO_OTHER = {"Alone", "Other", "Own", "Shared", "Broken"}


def build(
    root: Path, texts: Mapping[str, str], cache: Path, n_jobs: int = 2, formats: Sequence[str] = FORMATS
) -> tuple[SiteLibrary, SiteDownloads]:
    """A library whose texts were read ahead; every definition of a file has a page."""
    specs = SpecsCache(cache / "specs.json")
    library = SiteLibrary(root, Settings(), specs.specs_of)
    for name, text in texts.items():
        (root / name).write_text(text, "utf-8")
        assert library.add_file(root / name, lambda each: f"specs/{each}/") is None
    library.add_page("page.md", "```acdl\nBlock[@T]: { U: env.b[@T] }\n```\n", "page/")
    made = SiteDownloads(cache / "downloads", formats)
    read_ahead(library, specs, made, n_jobs)
    return library, made


def contents(library: SiteLibrary, made: SiteDownloads) -> dict[str, bytes]:
    """All files by their addresses."""
    entries = [each for each in library.spec_index.entries if each.has_page]
    return {each.address: each.read_content() for entry in entries for each in made.files_of(entry, library.spec_index)}


@pytest.fixture(autouse=True)
def few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two texts are enough for two processes."""
    monkeypatch.setattr(downloads, "_LEAST_TEXTS", 1)


@pytest.mark.parametrize("texts", [TEXTS, {each.name: each.read_text("utf-8") for each in EXAMPLES.glob("*.acdl")}])
def test_same_as_in_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: dict[str, str]) -> None:
    """No text is read again, and files are made again only for specs that need other texts."""
    (tmp_path / "root").mkdir()
    one = build(tmp_path / "root", texts, tmp_path / "one", 1)
    expected = contents(*one)
    specs_in.cache_clear()
    library, made = build(tmp_path / "root", texts, tmp_path / "two")
    monkeypatch.setattr(
        specs_cache,
        "specs_in",
        lambda source: specs_in(source) if source.name == "page.md" else pytest.fail(source.name),
    )
    assert library.spec_index.entries == one[0].spec_index.entries
    assert contents(library, made) == expected
    assert made.warnings == one[1].warnings
    if texts is TEXTS:
        assert made.n_made == len(
            {each.spec.name for each in library.spec_index.entries if each.has_page} - NEEDS_NO_OTHER
        )
    assert [each.name for each in (tmp_path / "two").iterdir()] == ["downloads"]


def test_files_of_a_large_text_are_shared_out(tmp_path: Path) -> None:
    """One process would make them all, while the others wait."""
    (tmp_path / "root").mkdir()
    many = "".join(f"Many{number}[@T]: {{ U: env.q[@T] }}\n" for number in range(9))
    library, made = build(tmp_path / "root", {"many.acdl": many, **TEXTS}, tmp_path / "cache")
    contents(library, made)
    names = {each.spec.name for each in library.spec_index.entries if each.has_page}
    assert made.n_made == len(names - NEEDS_NO_OTHER)
    assert sum(name.startswith("Many") for name in names) == 9


def test_what_was_read_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next build knows the texts, and starts no process."""
    (tmp_path / "root").mkdir()
    specs = SpecsCache(tmp_path / "specs.json")
    library = SiteLibrary(tmp_path / "root", Settings(), specs.specs_of)
    for name, text in TEXTS.items():
        (tmp_path / "root" / name).write_text(text, "utf-8")
        library.add_file(tmp_path / "root" / name, lambda each: f"specs/{each}/")
    read_ahead(library, specs, SiteDownloads(None, FORMATS), 2)
    entries = library.spec_index.entries
    specs.save_cache()
    monkeypatch.setattr(specs_cache, "specs_in", lambda source: pytest.fail(f"read again: {source.name}"))
    monkeypatch.setattr("acdl_mkdocs.frontends.docs.pages.read_ahead.run_workers", lambda *_: pytest.fail("started"))
    again = SpecsCache(tmp_path / "specs.json")
    library = SiteLibrary(tmp_path / "root", Settings(), again.specs_of)
    for name in TEXTS:
        library.add_file(tmp_path / "root" / name, lambda each: f"specs/{each}/")
    read_ahead(library, again, SiteDownloads(None, FORMATS), 2)
    assert library.spec_index.entries == entries


def test_processes_that_cannot_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The build reads and makes everything itself."""
    monkeypatch.setattr(sys, "executable", "no-such-program")
    (tmp_path / "root").mkdir()
    library, made = build(tmp_path / "root", TEXTS, tmp_path / "cache")
    files = contents(library, made)
    assert len(files) == 4 * made.n_made > 0


def test_no_files_are_wanted(tmp_path: Path) -> None:
    """Texts are read, and nothing is kept of files."""
    (tmp_path / "root").mkdir()
    library, made = build(tmp_path / "root", TEXTS, tmp_path / "cache", formats=())
    assert contents(library, made) == {}
    assert not (tmp_path / "cache").exists()

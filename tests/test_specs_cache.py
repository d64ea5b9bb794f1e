"""What is known of texts between builds: exactly what reading them gives, and nothing that is damaged."""

from dataclasses import fields
from pathlib import Path

import pytest
from written_indexes import EXAMPLES

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.pages import specs_cache
from acdl_mkdocs.frontends.docs.pages.specs_cache import SpecsCache
from acdl_mkdocs.workspace.parts import specs_in
from acdl_mkdocs.workspace.spec import Spec

HOSTILE = (
    '// title: "</script>\\ \u2028 \ud800 \U0001f600\n// tags: a, b\n// acdl: range=inclusive\nA[@T]: { U: "\ud800" }\n'
)


def sources() -> list[Source]:
    """Texts of all kinds: none, hostile, the examples, a block that stands inside of a page."""
    texts = ["", "// Only words.\n", HOSTILE, *(path.read_text("utf-8") for path in sorted(EXAMPLES.glob("*.acdl")))]
    return [*(Source(text, f"{number}.acdl") for number, text in enumerate(texts)), Source(texts[-1], "a.md", 7, 5)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of a cache that knows all texts."""
    made = SpecsCache(tmp_path / "new" / "specs.json")
    for source in sources():
        made.specs_of(source)
    made.save_cache()
    return tmp_path / "new" / "specs.json"


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no text be read any more."""
    monkeypatch.setattr(specs_cache, "specs_in", lambda source: pytest.fail(f"read again: {source.name}"))


def test_nothing_is_lost(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every fact is what it was, and of the same type."""
    expected = [specs_in(source) for source in sources()]
    forget(monkeypatch)
    again = SpecsCache(path)
    for source, specs in zip(sources(), expected, strict=True):
        found = again.specs_of(source)
        assert found == specs
        assert all(spec.source is source or spec.source == source for spec in found)
        for one, other in zip(found, specs, strict=True):
            for each in fields(Spec):
                assert type(getattr(one, each.name)) is type(getattr(other, each.name)), each.name
    assert sum(map(len, expected)) > 50


def test_a_place_is_that_of_the_asker(path: Path) -> None:
    """Two files with one text have their own places."""
    text = sources()[3].text
    first, second = (SpecsCache(path).specs_of(Source(text, name))[0] for name in ("x.acdl", "y.acdl"))
    assert (first.source.name, second.source.name) == ("x.acdl", "y.acdl")


def test_only_news_are_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written if nothing has changed; what no build uses any more is forgotten."""
    again = SpecsCache(path)
    for source in sources():
        again.specs_of(source)
    stamp = path.stat().st_mtime_ns
    again.save_cache()
    SpecsCache(path).save_cache()  # a build that asked for nothing
    assert path.stat().st_mtime_ns == stamp
    less = SpecsCache(path)
    less.specs_of(sources()[2])
    less.save_cache()
    forget(monkeypatch)
    with pytest.raises(pytest.fail.Exception, match=r"read again: 3\.acdl"):
        SpecsCache(path).specs_of(sources()[3])


@pytest.mark.parametrize("damage", ["", "x", "{}\n{}", "[]\n", '{"code": 1, "body": ""}\n{}'])
def test_damaged_files_count_as_absent(path: Path, damage: str) -> None:
    """A file that is cut, changed or of another version is not a reason to fail, and is written anew."""
    whole = path.read_bytes()
    for wrong in (damage.encode(), whole[:-1], whole.replace(b"title", b"titel", 1), b"\xff" + whole):
        path.write_bytes(wrong)
        cache = SpecsCache(path)
        assert [cache.specs_of(source) for source in sources()] == [specs_in(source) for source in sources()]
        cache.save_cache()
        assert path.read_bytes() == whole


def test_disk_that_refuses(tmp_path: Path) -> None:
    """Without a place to keep them, texts are read."""
    (tmp_path / "file").write_text("not a folder")
    cache = SpecsCache(tmp_path / "file" / "specs.json")
    assert cache.specs_of(sources()[2]) == specs_in(sources()[2])
    cache.save_cache()

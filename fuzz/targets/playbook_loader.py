"""Any bytes as a playbook file, written again, and merged with itself."""

from acdl_mkdocs.playbook.plain import playbook_data, playbook_of
from acdl_mkdocs.store.load import loaded_from
from acdl_mkdocs.store.merge_file import merged_file
from acdl_mkdocs.store.read_playbook import read_any, read_playbook
from acdl_mkdocs.store.write_playbook import text_of as written
from fuzz.target import ROOT, Target, files, text_of
from fuzz.words import playbook

BOOK = (ROOT / "fuzz/book.yaml").read_bytes()


def run(data: bytes) -> None:
    """Read it; what is a playbook is written, and read the same by either reader."""
    loaded = loaded_from(data, "book.yaml")
    assert loaded.playbook is not None or loaded.problems
    for each in loaded.problems:
        assert each.message
        span = each.label.span
        assert 0 <= span.start <= span.end <= max(len(loaded.source.text), span.end if not loaded.source.text else 0)
    text = text_of(data)
    if loaded.playbook is None:
        read_playbook(text)
        assert merged_file(b"", data, data).data is None or data.startswith(b'{"revision":')
        return
    playbook = loaded.playbook
    assert read_any(loaded.source).playbook == playbook
    again = read_playbook(written(playbook, loaded.comments, loaded.stamp))
    assert again.playbook == playbook, again.problems
    assert written(playbook, again.comments, again.stamp) == again.source.text
    assert playbook_of(dict(playbook_data(playbook))) == playbook
    assert merged_file(data, data, data).problems == ()


TARGET = Target(
    run=run,
    promise="is a playbook or has problems with a place; a playbook that is written is read the same",
    seeds=lambda: [BOOK, *files("tests/**/*playbook*.yaml", "tests/golden/curate/**/*.yaml", most_bytes=3000)],
    words=playbook(),
    max_bytes=3000,
)

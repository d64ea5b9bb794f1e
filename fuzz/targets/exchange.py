"""Any text as a playbook of another program: JSON, a table, a text, a block of an AGENTS.md."""

from acdl_mkdocs.playbook.exchange import EXCHANGES
from acdl_mkdocs.playbook.exchange.agents_md import replace_block
from acdl_mkdocs.playbook.exchange.import_lessons import build_import_delta
from acdl_mkdocs.playbook.model.bullets import sort_playbook
from acdl_mkdocs.playbook.store.checks import find_flaws
from acdl_mkdocs.playbook.store.load import load_bytes
from acdl_mkdocs.playbook.store.read_playbook import read_playbook
from acdl_mkdocs.playbook.store.write_playbook import text_of as written
from fuzz.target import Target, text_of
from fuzz.targets.playbook_loader import BOOK
from fuzz.words import playbook


def run(data: bytes) -> None:
    """Read it in every format; write what is found in every format, and read that."""
    text = text_of(data)
    own = load_bytes(BOOK, "book.yaml").playbook
    assert own is not None
    for exchange in EXCHANGES.values():
        if not exchange.is_read:
            continue
        found = exchange.read(text)
        assert all(each.message for each in found.problems)
        if found.playbook is None:
            assert found.problems
            continue
        if next(find_flaws(found.playbook), None) is None:
            assert read_playbook(written(found.playbook)).playbook == sort_playbook(found.playbook)
        for other in EXCHANGES.values():
            there = other.write(found.playbook)
            there.encode("utf-8")
            again = other.read(there)
            if other.is_whole:
                assert again.playbook == found.playbook, again.problems
        build_import_delta(own, found.playbook, "import")
    placed = replace_block(text, own)
    assert placed.text is not None or placed.problem is not None
    if placed.text is not None:
        assert replace_block(placed.text, own).text == placed.text


def _seeds() -> list[bytes]:
    own = load_bytes(BOOK, "book.yaml").playbook
    assert own is not None
    return [exchange.write(own).encode() for exchange in EXCHANGES.values()] + [b"# Agents\n\n- a\n"]


TARGET = Target(
    run=run,
    promise="is a playbook or has problems in every format that is read; a block of it can be put in and replaced",
    seeds=_seeds,
    words=playbook(),
    max_bytes=2500,
)

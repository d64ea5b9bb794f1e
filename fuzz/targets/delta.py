"""Any text as a delta, and as the answer of a model that has one, applied to a playbook."""

from acdl_mkdocs.playbook.model.changes import apply_changes, find_changes, revert_changes
from acdl_mkdocs.playbook.model.curate import curate, curation_of
from acdl_mkdocs.playbook.model.delta import read_delta
from acdl_mkdocs.playbook.store.load import load_bytes
from acdl_mkdocs.playbook.store.read_playbook import read_playbook
from acdl_mkdocs.playbook.store.write_playbook import text_of as written
from fuzz.target import SEPARATOR, Target, files, parts_of, text_of
from fuzz.targets.playbook_loader import BOOK, curated
from fuzz.words import playbook


def run(data: bytes) -> None:
    """Apply it to the playbook that the input has, else to a small one."""
    text, book = parts_of(text_of(data), 2)
    playbook = read_playbook(book).playbook if book else None
    playbook = playbook or load_bytes(BOOK, "book.yaml").playbook
    assert playbook is not None
    curation = curation_of(playbook)
    for is_lenient in (False, True):
        found = read_delta(text, is_lenient=is_lenient)
        for each in found.rejected:
            assert each.message
        curated = curate(playbook, found, curation)
        assert curated == curate(playbook, found, curation)
        made = find_changes(playbook, curated.playbook)
        assert apply_changes(playbook, made, revision=curated.playbook.revision) == curated.playbook
        assert revert_changes(curated.playbook, made, revision=playbook.revision) == playbook
        again = read_playbook(written(curated.playbook))
        assert again.playbook == curated.playbook, again.problems


def _seeds() -> list[bytes]:
    each = b"""\
reasoning: why
operations:
- {type: ADD, section: general, content: Count from 1.}
- {type: UPDATE, bullet_id: g-00001, content: Count.}
- {type: TAG, bullet_id: g-00001, tag: helpful}
- {type: REMOVE, bullet_id: g-00002, reason: wrong, superseded_by: g-00001}
- {type: MERGE, bullet_id: g-00001, others: [g-00002]}
- {type: KEEP, bullet_id: g-00001, other: g-00002}
- {type: PIN, bullet_id: g-00001}
- {type: REVIVE, bullet_id: g-00001}
- {type: SECTION, title: Other}
"""
    fenced = b'Here:\n```json\n{"operations": [{"type": "TAG", "bullet_id": "g-00001", "tag": "harmful"}]}\n```\n'
    cases = [delta + SEPARATOR.encode() + book for book, delta in curated(2000)]
    return [each, fenced, *files("examples/playbook/deltas/*.json", most_bytes=2000), *cases]


TARGET = Target(
    run=run,
    promise="is operations and a reason for what is none; a playbook after them is a playbook, and can be taken back",
    seeds=_seeds,
    words=playbook(),
    max_bytes=2000,
)

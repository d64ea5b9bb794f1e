"""Any bytes as a playbook file, written again, and merged with itself."""

import json
from dataclasses import replace

import yaml

from acdl_mkdocs.playbook.model.plain import playbook_data, playbook_of
from acdl_mkdocs.playbook.store.load import load_bytes
from acdl_mkdocs.playbook.store.merge import merge_contents
from acdl_mkdocs.playbook.store.read_playbook import read_any_layout, read_playbook
from acdl_mkdocs.playbook.store.write_playbook import text_of as written
from fuzz.target import ROOT, Target, text_of
from fuzz.words import playbook

BOOK = (ROOT / "fuzz/book.yaml").read_bytes()
_FEW_BULLETS = 4


def run(data: bytes) -> None:
    """Read it; what is a playbook is written, and read the same by either reader."""
    loaded = load_bytes(data, "book.yaml")
    assert loaded.playbook is not None or loaded.problems
    for each in loaded.problems:
        assert each.message
        span = each.label.span
        assert 0 <= span.start <= span.end <= max(len(loaded.source.text), span.end if not loaded.source.text else 0)
    text = text_of(data)
    if loaded.playbook is None:
        read_playbook(text)
        assert merge_contents(b"", data, data).data is None or data.startswith(b'{"revision":')
        return
    playbook = loaded.playbook
    assert read_any_layout(loaded.source).playbook == playbook
    again = read_playbook(written(playbook, loaded.comments, loaded.stamp))
    assert again.playbook == playbook, again.problems
    assert written(playbook, again.comments, again.stamp) == again.source.text
    assert playbook_of(dict(playbook_data(playbook))) == playbook
    is_refused = bool(merge_contents(data, data, data).problems)
    assert is_refused == (loaded.comments.stray is not None)  # a comment that would be lost


def _pieces(path: str) -> list[bytes]:
    """A large playbook as small ones of a few bullets."""
    whole = read_playbook((ROOT / path).read_text("utf-8")).playbook
    assert whole is not None
    parts = (whole.bullets[first : first + _FEW_BULLETS] for first in range(0, len(whole.bullets), _FEW_BULLETS))
    return [written(replace(whole, bullets=part, pairs=())).encode() for part in parts]


def curated(most_bytes: int) -> list[tuple[bytes, bytes]]:
    """The playbooks of curation's golden cases, and their deltas; those that are small."""
    paths = [path for path in sorted(ROOT.glob("tests/golden/curate/*.yaml")) if ".after" not in path.name]
    cases = [yaml.safe_load(path.read_text("utf-8")) for path in paths]
    head = {"schema_version": 1, "name": "case", "revision": 9}
    found = [(written(playbook_of(head | case["playbook"])), json.dumps(case["delta"])) for case in cases]
    return [(book.encode(), delta.encode()) for book, delta in found if len(book) + len(delta) < most_bytes]


TARGET = Target(
    run=run,
    promise="is a playbook or has problems with a place; a playbook that is written is read the same",
    seeds=lambda: [BOOK, *_pieces("examples/playbook/playbook.yaml"), *(book for book, _ in curated(3000))],
    words=playbook(),
    max_bytes=3000,
)

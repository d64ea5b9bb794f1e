"""A playbook of ten thousand bullets: reading it, saving without a change, curating deltas, pruning, importing."""

import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from measure import Row, Series, empty_caches, in_turn, ratio_row, timed_row
from peak_memory import peak_mb

from acdl_mkdocs.playbook.exchange import EXCHANGES
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Provenance, sort_playbook
from acdl_mkdocs.playbook.model.curate import Curated, curate, curation_of
from acdl_mkdocs.playbook.model.delta import Delta, delta_of, make_delta
from acdl_mkdocs.playbook.model.operations import Add, TagBullet
from acdl_mkdocs.playbook.model.prompt_text import prompt_text
from acdl_mkdocs.playbook.model.report import Report
from acdl_mkdocs.playbook.store import create, load, update
from acdl_mkdocs.prompts.prompt import Json

N_BULLETS = 10_000
_MOST_MB = 200
N_WORDS = 2_000
"""Different words; the more seldom, the later in the list."""


def measure() -> list[Row]:
    """All rows of this part."""
    playbook = playbook_of(N_BULLETS)
    ten = delta_of(_operations(playbook))
    with _on_disk(playbook) as path:
        read, same, count, changed = in_turn(
            5,
            partial(load, path),
            partial(update, path, lambda found: Curated(found, Report())),
            partial(curate, playbook, ten, curation_of(playbook)),
            partial(update, path, _counted),
        )
        large = _large(path, playbook)
    return [
        timed_row("playbook of 10,000 bullets: load", read, at_most_ms=2500),
        timed_row("save without a change", same, at_most_ms=3500),
        timed_row("curate a delta of 10 operations", count, at_most_ms=500),
        timed_row("load, change one bullet, commit", changed, at_most_ms=3500),
        *large,
        *_imported(playbook),
    ]


def _imported(playbook: Playbook) -> list[Row]:
    """A text of as many lessons, imported by a program of its own: how long it takes, and how much memory."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "lessons.txt").write_text(EXCHANGES["text"].write(playbook), "utf-8")
        words = [sys.executable, "-m", "acdl_mkdocs", "playbook", "import", "new.yaml", "lessons.txt"]
        began = time.perf_counter()
        memory_mb = peak_mb(words, cwd=folder)
        took = Series((time.perf_counter() - began,))
    is_met = memory_mb <= _MOST_MB
    return [
        timed_row("import 10,000 bullets from text", took, at_most_ms=20_000),
        Row("its peak of memory", memory_mb, "MB", bar=f"<= {_MOST_MB} MB", is_met=is_met),
    ]


def _large(path: Path, playbook: Playbook) -> list[Row]:
    """Deltas of up to as many operations as one may have, and a budget that half of the bullets have to go for."""
    curation = curation_of(playbook, "curator")
    budget = curation.count(prompt_text(playbook)) // 2
    halved = replace(playbook, policy=replace(playbook.policy, budget_model_tokens=budget))
    actions = [
        *(partial(curate, playbook, each, curation) for each in (_tags(playbook, 100), _tags(playbook, 1000))),
        *(partial(curate, playbook, each, curation) for each in (_adds(10), _adds(100), _adds(1000))),
        partial(curate, halved, _tags(playbook, 1), curation),
    ]
    read, few_tags, many_tags, few, some, many, pruned = in_turn(
        2, partial(load, path), *actions, before=[None, *[empty_caches] * len(actions)]
    )
    return [
        ratio_row("curate 1,000 TAGs", many_tags, "load", read, at_most=0.5),
        ratio_row("1,000 TAGs", many_tags, "100 TAGs", few_tags, at_most=12),
        ratio_row("curate 100 ADDs", some, "load", read, at_most=2.5),
        ratio_row("100 ADDs", some, "10 ADDs", few, at_most=12),
        ratio_row("1,000 ADDs", many, "100 ADDs", some, at_most=15),
        ratio_row("prune half of it", pruned, "load", read, at_most=1),
    ]


def _tags(playbook: Playbook, n: int) -> Delta:
    return make_delta(*(TagBullet(bullet_id=each.id, tag="helpful") for each in playbook.bullets[:n]))


def _adds(n: int) -> Delta:
    return make_delta(*(Add(section="general", content=text) for text in _texts(n, seed=2)))


@contextmanager
def _on_disk(playbook: Playbook) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "playbook.yaml"
        create(path, playbook)
        yield path


def _counted(playbook: Playbook) -> Curated:
    tag: Json = {"type": "TAG", "bullet_id": playbook.bullets[N_BULLETS // 2].id, "tag": "helpful"}
    return curate(playbook, delta_of({"operations": [tag]}), curation_of(playbook))


def playbook_of(n_bullets: int) -> Playbook:
    """A playbook of so many bullets, all different."""
    source = (Provenance("reflector", "run-17", "s3", "a-model"),)
    return sort_playbook(
        Playbook(
            "big",
            revision=50,
            bullets=tuple(
                Bullet(
                    id=f"gen-{number:08d}",
                    section="general",
                    content=text,
                    helpful=number % 13,
                    harmful=number % 3,
                    seen=40,
                    source=source,
                    added=12,
                    updated=42,
                )
                for number, text in enumerate(_texts(n_bullets, seed=1))
            ),
        )
    )


def _texts(n: int, seed: int) -> list[str]:
    chance = random.Random(0)  # noqa: S311 - texts, not secrets
    words = [f"{chance.choice('bdfgklmnprst')}{chance.choice('aeiou')}{number:x}" for number in range(N_WORDS)]
    weights = [1 / (rank + 1) for rank in range(N_WORDS)]
    chance.seed(seed)
    return [f"{' '.join(chance.choices(words, weights, k=14))}." for _ in range(n)]


def _operations(playbook: Playbook) -> Json:
    near = playbook.bullets[77].content
    adds = [f"{near} Again.", "Close every file that you have opened.", near]
    operations: list[Json] = [{"type": "ADD", "section": "general", "content": text} for text in adds]
    operations += [{"type": "TAG", "bullet_id": playbook.bullets[idx].id, "tag": "helpful"} for idx in range(5)]
    changed, gone = playbook.bullets[9].id, playbook.bullets[10].id
    operations.append({"type": "UPDATE", "bullet_id": changed, "content": "Ask before you delete anything."})
    operations.append({"type": "REMOVE", "bullet_id": gone, "reason": "no longer true"})
    return {"operations": operations}

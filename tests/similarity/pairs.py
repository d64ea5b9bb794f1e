"""The labelled pairs of texts in `data/`: whether they say the same, and of what kind a difference is."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Labelled:
    """Two texts and what is known about them."""

    a: str
    b: str
    is_same: bool
    kind: str
    part: str
    """Which part of its list: one was written first (`tuned`, `held`), one later (`unseen`)."""


@cache
def pairs(name: str) -> tuple[Labelled, ...]:
    """The pairs of a file."""
    lines = (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()
    return tuple(
        Labelled(each["a"], each["b"], each["same"], each["kind"], each.get("part", "given"))
        for each in map(json.loads, lines)
    )


FILES = (
    "dedup_pairs",
    "dedup_pairs_light",
    "dedup_pairs_topic",
    "own_pairs",
    "swapped_pairs",
    "unseen_paraphrases",
    "wrong_merges",
)
EVERY_PAIR = tuple(pair for name in FILES for pair in pairs(name))
DIFFERENT = tuple(pair for pair in EVERY_PAIR if not pair.is_same)

"""What merges lessons, rightly and wrongly, measured on labelled pairs: `python benchmarks/merging.py` writes it down.

The numbers stand in `acdl_mkdocs/assets/merging.json`, where the warning about `merge_similar` has them from, and on
the page of the curator. Each list of pairs is a playbook whose lessons are its texts.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Policy
from acdl_mkdocs.playbook.model.curate import Curation
from acdl_mkdocs.playbook.model.near_pairs import Decision, NearPair, find_near_pairs
from acdl_mkdocs.playbook.model.refine import Judgement, RefineOptions, apply_decisions, refine
from acdl_mkdocs.playbook.similarity import SIMILARITIES, Similarity, is_equal, load_similarity
from acdl_mkdocs.prompts.tokens import counter

ROOT = Path(__file__).parent.parent
DATA = ROOT / "tests" / "similarity" / "data"
NUMBERS = ROOT / "acdl_mkdocs" / "assets" / "merging.json"
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)


@dataclass(frozen=True)
class Pairs:
    """A list of labelled pairs."""

    name: str
    same: tuple[frozenset[str], ...]
    different: tuple[frozenset[str], ...]

    @property
    def playbook(self) -> Playbook:
        """Its texts as lessons."""
        texts = sorted({text for pair in (*self.same, *self.different) for text in pair})
        bullets = (Bullet(id=f"gen-{idx:05}", section="general", content=text) for idx, text in enumerate(texts))
        return Playbook(self.name, bullets=tuple(bullets), policy=Policy())


@dataclass
class Labels:
    """A judge that knows the labels, and calls everything else different."""

    same: frozenset[frozenset[str]]
    name = "labels"

    def judge_pair(self, pair: NearPair) -> Judgement:
        """What the label says."""
        is_same = frozenset((pair.a.content, pair.b.content)) in self.same
        return Judgement("same" if is_same else "differs", "as labelled")


def labelled() -> tuple[Pairs, ...]:
    """All lists, by name."""
    found = []
    for path in sorted(DATA.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        sides = {
            flag: tuple(frozenset((row["a"], row["b"])) for row in rows if row["same"] is flag)
            for flag in (True, False)
        }
        found.append(Pairs(path.stem, sides[True], sides[False]))
    return tuple(found)


def measured(measure: Similarity) -> dict[str, Any]:
    """What becomes of all pairs with one measure."""
    lists = labelled()
    scores = [(_scores(each.playbook, measure), each) for each in lists]
    merged = {
        f"{least:g}": [
            sum(_is_merged(pair, known, least) for known, each in scores for pair in getattr(each, side))
            for side in ("different", "same")
        ]
        for least in THRESHOLDS
    }
    return {"lists": {each.name: _refined(each, measure) for each in lists}, "merge_similar": merged}


def curated() -> dict[str, list[int]]:
    """How many of the pairs that differ, and of those that say the same, are one for the curator without a judge."""
    return {
        each.name: [sum(is_equal(*pair) for pair in getattr(each, side)) for side in ("different", "same")]
        for each in labelled()
    }


def _scores(playbook: Playbook, measure: Similarity) -> dict[tuple[str, str], float]:
    """How near a text is to those that are nearest to it."""
    texts = [bullet.content for bullet in playbook.bullets]
    compared = measure.prepare_texts(texts)
    return {(text, texts[place]): score for text in texts for place, score in compared.find_nearest(text)}


def _is_merged(pair: frozenset[str], scores: dict[tuple[str, str], float], least: float) -> bool:
    """Whether one of two lessons would be counted on the other, in whichever order they come."""
    a, b = sorted(pair)
    return max(scores.get((a, b), 0.0), scores.get((b, a), 0.0)) >= least


def _refined(pairs: Pairs, measure: Similarity) -> dict[str, int]:
    """What a judge that knows the labels makes of a list."""
    playbook = pairs.playbook
    found = {frozenset((each.a.content, each.b.content)) for each in find_near_pairs(playbook, measure)}
    curation = Curation(measure, counter.counter("estimate").count)
    now = [playbook]

    def commit(decisions: Sequence[Decision]) -> Playbook:
        now.append(apply_decisions(now[-1], decisions, curation).playbook)
        return now[-1]

    n_asked = refine(RefineOptions(Labels(frozenset(pairs.same)), measure, commit, is_person=True))
    by_text = {bullet.content: now[-1].by_id[bullet.id].id for bullet in playbook.bullets}
    one = {flag: sum(len({by_text[text] for text in pair}) == 1 for pair in side) for flag, side in _sides(pairs)}
    return {
        "lessons": len(playbook.bullets),
        "same": len(pairs.same),
        "different": len(pairs.different),
        "proposed": sum(pair in found for pair in pairs.same),
        "asked": n_asked,
        "merged_same": one["same"],
        "merged_different": one["different"],
    }


def _sides(pairs: Pairs) -> tuple[tuple[str, tuple[frozenset[str], ...]], ...]:
    return ("same", pairs.same), ("different", pairs.different)


def main() -> None:
    """Measure with every measure whose packages are installed, and write the numbers."""
    known = {name: measured(load_similarity(name)) for name in SIMILARITIES}
    NUMBERS.write_text(json.dumps({"curator": curated(), "measures": known}, indent=1) + "\n", "utf-8")
    sys.stdout.write(f"{NUMBERS.relative_to(ROOT)} is written\n")


if __name__ == "__main__":
    main()

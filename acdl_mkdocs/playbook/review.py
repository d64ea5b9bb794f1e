"""The pairs of bullets that somebody should look at."""

from acdl_mkdocs.playbook.bullets import Pair, Playbook


def waiting(playbook: Playbook) -> tuple[Pair, ...]:
    """Pairs of active bullets that nobody has decided about: the nearest first, those that no guard keeps apart before.

    A pair is decided by MERGE, or by KEEP, after which it does not come back.
    """
    by_id = playbook.by_id
    found = [
        each
        for each in playbook.pairs
        if each.verdict != "kept" and all(name in by_id and by_id[name].is_active for name in (each.a, each.b))
    ]
    return tuple(sorted(found, key=lambda each: (each.verdict == "conflict", -each.score, each.a, each.b)))

"""Random playbooks and random deltas for tests of merges."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from acdl_mkdocs.foundation.errors import RefusedError
from acdl_mkdocs.playbook.model import operations as ops
from acdl_mkdocs.playbook.model.bullets import Playbook, Section
from acdl_mkdocs.playbook.model.edits import EditContext
from acdl_mkdocs.playbook.model.operations import Keep, Merge

VERBS = (
    "read",
    "write",
    "retry",
    "page",
    "cache",
    "log",
    "parse",
    "sort",
    "count",
    "merge",
    "close",
    "open",
    "check",
    "split",
    "join",
    "move",
)
NOUNS = (
    "files",
    "rows",
    "pages",
    "tokens",
    "answers",
    "tables",
    "tools",
    "agents",
    "prompts",
    "traces",
    "keys",
    "lists",
    "names",
    "dates",
    "links",
)


def sentence(rng: random.Random) -> str:
    """A lesson that is hardly ever made twice."""
    verb, noun, other = rng.choice(VERBS), rng.choice(NOUNS), rng.choice(NOUNS)
    return f"{verb.capitalize()} the {noun} number {rng.randrange(10**9)} before the {other}."


def first_playbook(rng: random.Random, n_bullets: int) -> Playbook:
    """A playbook of several revisions."""
    playbook = Playbook("random", sections=(Section("general", "General"), Section("tool_usage", "Tool usage")))
    for _ in range(n_bullets):
        playbook = step(playbook, ops.Add(section=rng.choice(playbook.sections).id, content=sentence(rng)))
    return playbook


def branch(rng: random.Random, playbook: Playbook, n_operations: int) -> Playbook:
    """A playbook after random operations, each a revision of its own."""
    for _ in range(n_operations):
        playbook = step(playbook, operation(rng, playbook))
        if rng.random() < 0.05:
            budget = rng.choice((None, 500, 900))
            policy = replace(playbook.policy, budget_model_tokens=budget)
            playbook = replace(playbook, policy=policy, revision=playbook.revision + 1)
    return playbook


def step(playbook: Playbook, operation: ops.Operation, index: int = 0) -> Playbook:
    """The playbook after one operation, in a revision of its own unless it is refused or changes nothing."""
    try:
        after = operation.apply_to(playbook, EditContext(playbook.revision + 1, index))
    except RefusedError:
        return playbook
    return playbook if after is playbook else replace(after, revision=playbook.revision + 1)


def operation(rng: random.Random, playbook: Playbook) -> ops.Operation:
    """Any operation, about bullets that there are."""
    ids = [bullet.id for bullet in playbook.bullets] + [alias for each in playbook.bullets for alias in each.aliases]
    one, two = (rng.sample(ids, 2)) if len(ids) > 1 else (ids * 2)[:2]
    makers: tuple[Callable[[], ops.Operation], ...] = (
        lambda: ops.Add(section=rng.choice(playbook.sections).id, content=sentence(rng)),
        lambda: ops.Add(section=rng.choice(playbook.sections).id, content=sentence(rng), severity="critical"),
        lambda: ops.TagBullet(bullet_id=one, tag=rng.choice(("helpful", "harmful", "neutral"))),
        lambda: ops.TagBullet(bullet_id=one, tag="helpful"),
        lambda: ops.Update(bullet_id=one, content=sentence(rng)),
        lambda: ops.Update(bullet_id=one, section=rng.choice(playbook.sections).id, applies_to=(sentence(rng)[:9],)),
        lambda: ops.Remove(bullet_id=one, reason=sentence(rng)),
        lambda: ops.Remove(bullet_id=one, reason=sentence(rng), superseded_by=two),
        lambda: Merge(bullet_id=one, others=(two,), content=rng.choice((None, sentence(rng)))),
        lambda: Keep(bullet_id=one, other=two, reason=rng.choice(("", sentence(rng)))),
        lambda: ops.Pin(bullet_id=one, pinned=rng.random() < 0.7),
        lambda: ops.Revive(bullet_id=one),
        lambda: ops.AddSection(title=f"{rng.choice(VERBS)} {rng.choice(NOUNS)}"),
    )
    return rng.choice(makers)()


def texts(playbooks: Sequence[Playbook]) -> set[str]:
    """Every text that one of the playbooks has."""
    return {bullet.content for playbook in playbooks for bullet in playbook.bullets}

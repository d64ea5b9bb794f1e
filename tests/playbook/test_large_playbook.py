"""A playbook of 10,000 bullets takes a delta in few steps."""

import random
from functools import partial

from exhaustive import exhaustive
from steps import n_steps

from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Section, sort_playbook
from acdl_mkdocs.playbook.model.curate import curate, curation_of
from acdl_mkdocs.playbook.model.delta import make_delta
from acdl_mkdocs.playbook.model.operations import Add, Remove, TagBullet, Update

N_BULLETS, N_WORDS = 10_000, 8_000
MOST_STEPS = 2_500_000
"""Not twice what it takes, with words that nobody has looked at yet; a few more for each bullet would show."""


@exhaustive
def test_delta_for_a_large_playbook() -> None:
    """Ten operations, three of them ADDs that are compared with every bullet, take few steps for each bullet."""
    chance = random.Random(1)  # noqa: S311 - no secret
    letters = [consonant + vowel for consonant in "bcdfglmnprst" for vowel in "aeiou"]
    words = ["".join(chance.choices(letters, k=chance.randint(1, 4))) for _ in range(N_WORDS)]
    weights = [1 / (idx + 1) for idx in range(N_WORDS)]

    def text() -> str:
        return " ".join(chance.choices(words, weights, k=16)).capitalize() + "."

    bullets = [
        Bullet(id=f"s-{idx:08}", section=f"s{idx % 20}", content=text(), helpful=idx % 7) for idx in range(N_BULLETS)
    ]
    sections = tuple(Section(f"s{idx}", f"S{idx}") for idx in range(20))
    playbook = sort_playbook(Playbook("p", 500, sections, tuple(bullets)))
    operations = make_delta(
        Add(section="s1", content=text()),
        Add(section="s2", content=bullets[77].content.rstrip(".")),
        Add(section="s3", content=text()),
        Update(bullet_id="s-00000009", content=text()),
        Remove(bullet_id="s-00000099", reason="wrong"),
        *(TagBullet(bullet_id=f"s-{idx:08}", tag="helpful") for idx in range(200, 205)),
    )
    curation = curation_of(playbook)
    assert n_steps(partial(curate, playbook, operations, curation)) < MOST_STEPS
    curated = curate(playbook, operations, curation)
    assert curated.report.rejected == ()
    assert len(curated.playbook.bullets) == N_BULLETS + 2

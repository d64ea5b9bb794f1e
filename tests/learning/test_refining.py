"""A run that has near lessons judged: when, by whom, and that neither kills nor workers change what it leaves."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from exhaustive import exhaustive, few
from scripted_task import SAMPLES, Units, learn, traces
from stops import count_writes, stop_at_write

from acdl_mkdocs.playbook.learn.loop import Around, Settings, offline
from acdl_mkdocs.playbook.learn.models import Reply
from acdl_mkdocs.playbook.learn.models.model import StatusError
from acdl_mkdocs.playbook.learn.models.scripted import Scripted, prompt_words
from acdl_mkdocs.playbook.learn.pair_judge import ModelJudge
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Policy, Refine
from acdl_mkdocs.playbook.model.near_pairs import NearPair, find_near_pairs
from acdl_mkdocs.playbook.model.refine import Judgement
from acdl_mkdocs.playbook.similarity import load_similarity
from acdl_mkdocs.playbook.store import create
from acdl_mkdocs.playbook.store.load import get_usable_playbook, load, load_history
from acdl_mkdocs.playbook.store.verify import verify
from acdl_mkdocs.prompts.prompt import Prompt

PAIR = NearPair(
    Bullet(id="gen-1", section="general", content="Count one blim as 7 snarks."),
    Bullet(id="gen-2", section="general", content="Count one drof as 12 snarks."),
    0.5,
)


def refining(folder: Path, refine: Refine = "after-each-delta", budget: int | None = None) -> Path:
    """An empty playbook with that policy."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "playbook.yaml"
    create(path, Playbook("units", policy=Policy(refine=refine, budget_model_tokens=budget)), time=None)
    return path


def test_near_lessons_are_judged(tmp_path: Path) -> None:
    """After a run nothing is undecided; each decision names the model and its reason, and the file is in order."""
    path = refining(tmp_path)
    ran = learn(path)
    playbook = get_usable_playbook(load(path))
    assert find_near_pairs(playbook, load_similarity("ngrams")) == ()
    assert {(each.verdict, each.by) for each in playbook.pairs} == {("differs", "model units")}
    assert playbook.pairs[0].why
    assert ran.judged.n_pairs == len(playbook.pairs) >= 5
    assert ran.judged.usage.prompt_model_tokens > 0
    events = [each for each in load_history(path).events if each.kind == "pair"]
    assert {(each.op, each.actor) for each in events} == {("KEEP", "model units")}
    assert verify(path).inconsistencies == ()


@pytest.mark.parametrize(
    ("refine", "budget", "is_judged"),
    [("never", 1_000, False), ("on-budget", None, False), ("on-budget", 60, True), (7, None, True)],
)
def test_policy_says_when(refine: Refine, budget: int | None, is_judged: bool, tmp_path: Path) -> None:
    """The model is asked near the budget, after so many revisions, or never."""
    path = refining(tmp_path, refine, budget)
    ran = offline(path, SAMPLES, Units(), Settings(seed=3))
    assert (ran.judged.n_pairs > 0) is is_judged


@pytest.mark.parametrize("window", few([1, 3]))
def test_stopped_at_every_write(tmp_path: Path, window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped at any write to the disk, a run that is gone on with leaves the same bytes."""
    samples, settings = (SAMPLES[0], SAMPLES[7], SAMPLES[12]), Settings(seed=1, window=window)
    whole = refining(tmp_path / "whole")
    judged: list[int] = []
    n_writes = count_writes(
        monkeypatch, lambda: judged.append(offline(whole, samples, Units(), settings).judged.n_pairs)
    )
    assert judged[0] >= 1
    for stop_at in range(0, n_writes - 1, window):
        path = refining(tmp_path / f"{stop_at}")
        run = partial(offline, path, samples, Units(), settings)
        stop_at_write(monkeypatch, stop_at, run)
        run()
        assert traces(path) == traces(whole), stop_at


@exhaustive
def test_workers_change_nothing(tmp_path: Path) -> None:
    """Questions that are answered at the same time leave the same decisions."""
    one, many = refining(tmp_path / "one"), refining(tmp_path / "many")
    settings = Settings(seed=3, window=4)
    learn(one, settings)
    with ThreadPoolExecutor(4) as threads:
        learn(many, settings, Around(executor=threads))
    assert traces(one) == traces(many)


@exhaustive
def test_a_judge_that_fails_stops_nothing(tmp_path: Path) -> None:
    """The run learns on; that lessons were not judged is told, and they wait."""

    class Silent(Units):
        def complete(self, prompt: Prompt, **settings: Any) -> Reply:
            if "verdict" in settings["json_schema"]["properties"]:
                raise StatusError("the server is busy", "try again", None, 503)
            return super().complete(prompt, **settings)

    path = refining(tmp_path)
    ran = offline(path, SAMPLES, Silent(), Settings(seed=3))
    assert len(ran.playbook.active) == 6
    assert ran.judged.failures[0].startswith("the server is busy")
    assert ran.playbook.pairs == ()
    assert find_near_pairs(ran.playbook, load_similarity("ngrams"))


def test_a_model_judges_two_texts() -> None:
    """It sees both texts and nothing else; a reason that cannot be kept is left out."""
    model = Scripted(['{"reason": "7 and 12", "verdict": "differs"}', '{"reason": "a\\u202eb", "verdict": "same"}'])
    judge = ModelJudge(model)
    assert judge.judge_pair(PAIR) == Judgement("differs", "7 and 12")
    words = prompt_words(model.prompts[0])
    assert words.count("snarks") == 2
    assert "gen-1" not in words
    assert judge.judge_pair(PAIR) == Judgement("same", "")
    assert judge.name == f"model {model.name}"

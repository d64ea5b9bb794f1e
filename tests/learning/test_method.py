"""The method, whole: batches, a validation set, a model for each role, a warm-up, and questions at hand."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from exhaustive import exhaustive, few
from scripted_task import SAMPLES, SETTINGS, Units, new_playbook, playbook_of, traces
from stops import count_writes, stop_at_write

from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.playbook.learn.commit import order_of
from acdl_mkdocs.playbook.learn.loop import Around, Progress, RunResult, Settings, offline, online
from acdl_mkdocs.playbook.learn.models import Reply
from acdl_mkdocs.playbook.learn.models.model import CutReplyError, StatusError
from acdl_mkdocs.playbook.learn.models.scripted import prompt_words
from acdl_mkdocs.playbook.learn.role_models import ByRole, TunedModel
from acdl_mkdocs.playbook.learn.validation import Validation
from acdl_mkdocs.playbook.model.curate import curate, curation_of
from acdl_mkdocs.playbook.model.delta import make_delta
from acdl_mkdocs.playbook.model.operations import Add
from acdl_mkdocs.playbook.store.load import load_history, load_revision
from acdl_mkdocs.playbook.store.save import update
from acdl_mkdocs.playbook.store.undo import return_to, undo
from acdl_mkdocs.playbook.store.verify import verify
from acdl_mkdocs.prompts.prompt import Json, Prompt

TRAINING, VALIDATING = SAMPLES[:25], SAMPLES[25:]
VALIDATION = Validation(SAMPLES[::5], every=7)
BATCHES = Settings(seed=3, batch=4)


class Noted(Units):
    """Keeps what each role was asked, and stops at a call as if the process had been killed."""

    def __init__(self, name: str = "units", stop_at: int = 10**9) -> None:
        super().__init__()
        self.name = name
        self.prompts: list[str] = []
        self.settings: list[tuple[float, int | None]] = []
        self.stop_at = stop_at

    def complete(self, prompt: Prompt, **settings: Any) -> Reply:
        """The reply of the role."""
        if len(self.prompts) == self.stop_at:
            raise KeyboardInterrupt
        self.prompts.append(prompt_words(prompt))
        self.settings.append((settings.get("temperature", 0.0), settings.get("max_model_tokens")))
        return super().complete(prompt, **settings)

    def of_curator(self) -> list[str]:
        """What the curator was asked."""
        return [each for each in self.prompts if "You curate a playbook" in each]


def records(path: Path, name: str = "trajectory.jsonl") -> list[dict[str, Json]]:
    """The lines of a file of a run."""
    lines = path.with_name("playbook.run").joinpath(name).read_text().splitlines()
    return [json.loads(line) for line in lines]


def everything(path: Path) -> dict[str, bytes]:
    """All bytes that a run leaves, with those of its validation."""
    run = path.with_name("playbook.run")
    more = {each.name: each.read_bytes() for each in (run / "validation.jsonl", run / "best.yaml") if each.exists()}
    return traces(path) | more


def stopped_often(path: Path, run: Callable[[Path, Noted], RunResult], stop_at: int) -> int:
    """Run until the end, stopped after so many calls of the model; how often it was asked at all."""
    n_calls = 0
    while True:
        model = Noted(stop_at=stop_at)
        try:
            run(path, model)
        except KeyboardInterrupt:
            n_calls += len(model.prompts)
            continue
        return n_calls + len(model.prompts)


def test_one_delta_a_batch(tmp_path: Path) -> None:
    """The curator is asked once for a batch, with all that was reflected on; its last record has the delta."""
    path, model = new_playbook(tmp_path), Noted()
    offline(path, SAMPLES, model, BATCHES)
    found = records(path)
    assert len(found) == len(SAMPLES)
    assert [each["delta"] is None for each in found[:3]] == [True] * 3
    assert {each["revision_read"] for each in found[:4]} == {0}
    first = model.of_curator()[0]
    assert first.count("<question-data1>") == first.count("<reflection-data1>") == 4
    assert "There are 4 questions, each followed by the reflection on it." in first
    assert "At most 40 operations are taken,\nand at most 8 of them" in first
    assert len(model.of_curator()) <= len(SAMPLES) // 4
    traced = {event.trace for event in load_history(path).events if event.trace and "seen" not in event.trace}
    assert len(traced) <= len(SAMPLES) // 4


def test_tags_of_a_batch_count_each(tmp_path: Path) -> None:
    """A lesson that helped in several questions of a batch is counted for each of them."""
    path = new_playbook(tmp_path)
    offline(path, SAMPLES, Units(), replace(BATCHES, epochs=2))
    deltas: list[Any] = [each["delta"] for each in records(path) if each["delta"]]
    tags = [[each["bullet_id"] for each in delta["operations"] if each["type"] == "TAG"] for delta in deltas]
    counted = [name for found in tags for name in found]
    assert sum(each.helpful + each.harmful for each in playbook_of(path).bullets) == len(counted) > 20
    assert any(len(set(found)) < len(found) for found in tags)
    assert not any(each["report"]["rejected"] for each in records(path))  # type: ignore[index,call-overload]


@pytest.mark.parametrize("window", few([1, 8]))
def test_batches_survive_anything(window: int, tmp_path: Path) -> None:
    """Stopped at any call of the model, or with any number of workers, a run in batches leaves the same bytes."""
    settings = replace(BATCHES, window=window)
    whole, model = new_playbook(tmp_path / "whole"), Noted()
    offline(whole, SAMPLES, model, settings)
    often = new_playbook(tmp_path / "often")
    n_calls = stopped_often(often, lambda path, asked: offline(path, SAMPLES, asked, settings), 13)
    assert everything(often) == everything(whole)
    assert n_calls <= len(model.prompts) + 13  # only the question that fails is asked again
    threaded = new_playbook(tmp_path / "threaded")
    with ThreadPoolExecutor(3) as executor:
        offline(threaded, SAMPLES, Units(), settings, Around(executor=executor))
    assert everything(threaded) == everything(whole)


@exhaustive
def test_stopped_at_every_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped at any write to the disk, a run in batches with a validation set leaves the same bytes."""
    samples, settings = (SAMPLES[0], SAMPLES[7], SAMPLES[1], SAMPLES[13]), Settings(seed=1, batch=2)
    validation = Validation((SAMPLES[2], SAMPLES[30]), every=2)
    whole = new_playbook(tmp_path / "whole")
    n_writes = count_writes(monkeypatch, lambda: offline(whole, samples, Units(), settings, validation=validation))
    for stop_at in range(0, n_writes - 2, 2):  # the last one waits for the name of a run that is finished
        path = new_playbook(tmp_path / f"{stop_at}")
        run = partial(offline, path, samples, Units(), settings, validation=validation)
        stop_at_write(monkeypatch, stop_at, run)
        run()
        assert everything(path) == everything(whole), stop_at


class Failing(Units):
    """Fails at questions about a unit, or at every delta."""

    def __init__(self, word: str, error: type[Exception] = CutReplyError) -> None:
        super().__init__()
        self.word, self.error = word, error

    def complete(self, prompt: Prompt, **settings: Any) -> Reply:
        """A reply, or the error."""
        if self.word in prompt_words(prompt):
            raise (StatusError("no", "pay", status=402) if self.error is StatusError else self.error("away"))
        return super().complete(prompt, **settings)


@exhaustive
def test_a_question_that_fails_in_a_batch(tmp_path: Path) -> None:
    """The others of its batch are learned from; a curator that fails loses the batch, and not the run."""
    path = new_playbook(tmp_path / "question")
    ran = offline(path, order_of(SAMPLES, 1, 1), Failing("6 toves"), replace(BATCHES, epochs=1))
    assert ran.totals.n_failures == 2
    assert any("toves" in each.content or "tove" in each.content for each in ran.playbook.active)
    path = new_playbook(tmp_path / "curator")
    with pytest.raises(RunError, match=r"failed at 5 questions in a row \(curator: away\); 0 of 40 are done"):
        offline(path, SAMPLES, Failing("You curate a playbook"), BATCHES)
    path = new_playbook(tmp_path / "final")
    fifth = order_of(SAMPLES, BATCHES.seed, 1)[5].question
    with pytest.raises(RunError, match=r"failed at 1 question \(generator: no; pay\); 4 of 40 are done"):
        offline(path, SAMPLES, Failing(fifth, StatusError), BATCHES)
    offline(path, SAMPLES, Units(), BATCHES)


def test_validation_chooses_the_best(tmp_path: Path) -> None:
    """The playbook is validated before the first question, every so many, and at the end; the best one is kept.

    The last one stays where no earlier one did better.
    """
    path = new_playbook(tmp_path)
    ran = offline(path, TRAINING, Units(), SETTINGS, validation=Validation(TRAINING[::3], every=10))
    found = records(path, "validation.jsonl")
    assert [each["n"] for each in found] == [0, 10, 20, 25, 30, 40, 50]
    assert found[0]["accuracy"] == 0.0
    accuracies = [float(str(each["accuracy"])) for each in found]
    assert max(accuracies) > 0.8
    assert ran.best is not None
    assert accuracies.index(max(accuracies)) < len(found) - 1
    assert ran.best == found[-1]
    assert (ran.last, ran.playbook.revision) == (None, ran.best["revision"])
    run = path.with_name("playbook.run")
    assert playbook_of(run / "best.yaml").revision == ran.best["revision"]
    data = json.loads((run / "run.json").read_text())
    assert (data["validations"], data["best"]) == (found, ran.best)
    assert [each["epoch"] for each in data["epochs"]] == [1, 2]


class Worse(Units):
    """Forgets how to answer once the playbook has three lessons."""

    def complete(self, prompt: Prompt, **settings: Any) -> Reply:
        """A reply, or nonsense."""
        words = prompt_words(prompt)
        if "You are an expert who answers" in words and words.count(" helpful=") > 2:
            return Reply('{"final_answer": "0"}')
        return super().complete(prompt, **settings)


@exhaustive
def test_the_last_is_not_always_the_best(tmp_path: Path) -> None:
    """If more lessons do harm, an earlier revision is the best; of those that are equally good the earliest.

    The playbook is that one again, by an event that can be undone, which is the last revision then.
    """
    path = new_playbook(tmp_path)
    ran = offline(path, TRAINING, Worse(), Settings(seed=3), validation=Validation(TRAINING, every=1))
    assert ran.best is not None
    best = playbook_of(path.with_name("playbook.run") / "best.yaml")
    accuracies = [float(str(each["accuracy"])) for each in ran.validations]
    assert ran.validations.index(dict(ran.best)) == accuracies.index(max(accuracies))
    assert ran.last == ran.validations[-1]["revision"] == ran.playbook.revision - 1
    last = load_revision(path, ran.last)
    assert 0 < len(best.active) <= 2 < len(last.active)
    assert ran.playbook == playbook_of(path)
    assert [each.content for each in ran.playbook.active] == [each.content for each in best.active]
    (event, *_) = [each for each in load_history(path).events if each.revision == ran.playbook.revision]
    assert (event.op, event.actor, event.trace) == ("UNDO", "curator", f"{ran.run}/best")
    assert (
        event.reason
        == f"is again as at revision {best.revision}: it did best on the validation set, {max(accuracies):.1%}"
    )
    assert verify(path).is_clean
    undo(path)
    assert [replace(each, updated=0) for each in playbook_of(path).bullets] == [
        replace(each, updated=0) for each in last.bullets
    ]
    assert verify(path).is_clean


@exhaustive
def test_going_back_to_the_best_survives_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped at any write around it, a run goes back to the best revision once."""
    samples, settings = SAMPLES[:30:5], Settings(seed=1)
    validation = Validation(SAMPLES[:30:5], every=1)
    whole = new_playbook(tmp_path / "whole")
    n_writes = count_writes(monkeypatch, lambda: offline(whole, samples, Worse(), settings, validation=validation))
    assert load_history(whole).events[-1].op == "UNDO"
    for stop_at in range(n_writes - 8, n_writes - 1):
        path = new_playbook(tmp_path / f"{stop_at}")
        run = partial(offline, path, samples, Worse(), settings, validation=validation)
        stop_at_write(monkeypatch, stop_at, run)
        assert run().last is not None
        assert everything(path) == everything(whole), stop_at


def test_the_last_is_kept_on_demand(tmp_path: Path) -> None:
    """With `keep="last"`, and where a person changed the playbook meanwhile, it stays as it is, and that is said."""
    path = new_playbook(tmp_path / "last")
    samples = SAMPLES[:30:5]
    ran = offline(path, samples, Worse(), Settings(seed=1), validation=Validation(samples, 1, "last"))
    assert ran.best is not None
    assert ran.playbook.revision == ran.validations[-1]["revision"] != ran.best["revision"]
    assert (ran.last, ran.not_kept) == (None, "")
    done = return_to(path, int(str(ran.best["revision"])))
    assert done.playbook.revision == ran.playbook.revision + 1
    other = new_playbook(tmp_path / "other")

    def change(progress: Progress) -> None:
        if progress.n_done == 5:
            by_person = make_delta(Add(section="general", content="Ask."))
            update(other, lambda found: curate(found, by_person, curation_of(found)))

    around = Around(tell=change)
    changed = offline(other, samples, Worse(), Settings(seed=1), around, validation=Validation(samples, 1))
    assert "was changed by somebody else since revision" in changed.not_kept
    assert "undo" in changed.not_kept
    assert "Ask." in [each.content for each in playbook_of(other).active]
    assert changed.last is None


@exhaustive
def test_validation_survives_anything(tmp_path: Path) -> None:
    """Stopped at any call, also within a validation, a run leaves the same bytes and pays for no reply twice."""
    settings = Settings(seed=3)

    def run(path: Path, model: Noted) -> RunResult:
        return offline(path, TRAINING, model, settings, validation=VALIDATION)

    whole, model = new_playbook(tmp_path / "whole"), Noted()
    run(whole, model)
    often = new_playbook(tmp_path / "often")
    n_calls = stopped_often(often, run, 17)
    assert everything(often) == everything(whole)
    n_stops = n_calls // 17
    assert len(model.prompts) <= n_calls <= len(model.prompts) + n_stops
    threaded = new_playbook(tmp_path / "threaded")
    with ThreadPoolExecutor(3) as executor:
        offline(threaded, TRAINING, Units(), settings, Around(executor=executor), validation=VALIDATION)
    assert everything(threaded) == everything(whole)


def test_a_model_that_stays_away_in_a_validation(tmp_path: Path) -> None:
    """A validation in which the model fails again and again is not believed: the run stops, and goes on from there."""
    path = new_playbook(tmp_path)
    with pytest.raises(RunError, match="failed at 5 questions of the validation set in a row"):
        offline(path, TRAINING, Failing("How many"), SETTINGS, validation=Validation(SAMPLES))
    assert not path.with_name("playbook.run").joinpath("validation.jsonl").exists()


def test_other_validation_set_is_refused(tmp_path: Path) -> None:
    """A run goes on only with the validation set that it was begun with."""
    path = new_playbook(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        offline(path, TRAINING, Noted(stop_at=30), SETTINGS, validation=VALIDATION)
    with pytest.raises(RunError, match="validate_every was 7 and is 8, validation was"):
        offline(path, TRAINING, Units(), SETTINGS, validation=Validation(SAMPLES[:3], every=8))


@exhaustive
def test_a_model_for_each_role(tmp_path: Path) -> None:
    """Each role is asked of its model with its settings; lessons name who reflected; another model is refused."""
    path = new_playbook(tmp_path)
    small, large, stern = Noted("small"), Noted("large"), Noted("stern")
    models = ByRole(TunedModel(small, 0.7), TunedModel(large, max_model_tokens=500), stern)
    ran = offline(path, SAMPLES, models, SETTINGS)
    assert all("You are an expert who answers" in each for each in small.prompts)
    assert all("You are an expert reviewer" in each for each in large.prompts)
    assert len(stern.of_curator()) == len(stern.prompts) > 0
    assert {small.settings[0], large.settings[0], stern.settings[0]} == {(0.7, None), (0.0, 500), (0.0, None)}
    assert {source.model for each in ran.playbook.bullets for source in each.source} == {"large"}
    assert {call["model"] for each in records(path) for call in each["calls"]} == {"small", "large", "stern"}  # type: ignore[union-attr,index,call-overload]
    whole = new_playbook(tmp_path / "whole")
    assert offline(whole, SAMPLES, Units(), SETTINGS).totals == ran.totals
    other = new_playbook(tmp_path / "other")
    with pytest.raises(KeyboardInterrupt):
        offline(other, SAMPLES, ByRole(small, large, Noted("stern", 0)), SETTINGS)
    with pytest.raises(RunError, match=r'model was \{"generator": "small", .* "curator": "stern"\} and is "small"'):
        offline(other, SAMPLES, ByRole(small, small, small), SETTINGS)


@exhaustive
def test_warm_up_before_a_stream(tmp_path: Path) -> None:
    """A playbook that is warm answers the stream better from the start; epochs of both are told apart."""
    stream = [replace(each, id=f"new-{each.id}") for each in SAMPLES[::2]]
    cold = online(new_playbook(tmp_path / "cold"), stream, Units(), Settings(seed=3))
    path = new_playbook(tmp_path / "warm")
    warm = online(path, stream, Units(), Settings(seed=3, epochs=2), warm_up=SAMPLES)
    assert (len(cold.epochs), len(warm.epochs)) == (1, 3)
    before, after = cold.epochs[-1].accuracy, warm.epochs[-1].accuracy
    assert before is not None
    assert after is not None
    assert before < 0.8 < after
    data = json.loads(path.with_name("playbook.run").joinpath("run.json").read_text())
    assert [each["is_warm_up"] for each in data["epochs"]] == [True, True, False]
    assert [each["sample"] for each in records(path)[80:]] == [each.id for each in stream]
    again = new_playbook(tmp_path / "again")
    stopped_often(
        again, lambda each, model: online(each, stream, model, Settings(seed=3, epochs=2), warm_up=SAMPLES), 41
    )
    assert everything(again) == everything(path)


def test_what_cannot_be(tmp_path: Path) -> None:
    """What nobody can mean is refused before anything is written."""
    path = new_playbook(tmp_path)
    with pytest.raises(RunError, match="the window is 5 and the batch is 2: a window is made of whole batches"):
        offline(path, SAMPLES, Units(), Settings(window=5, batch=2))
    with pytest.raises(RunError, match="batch is 0, and a run that is offline takes 1 or more"):
        offline(path, SAMPLES, Units(), Settings(batch=0))
    with pytest.raises(RunError, match="no questions to validate with"):
        offline(path, SAMPLES, Units(), validation=Validation(()))
    with pytest.raises(RunError, match="every is 0"):
        offline(path, SAMPLES, Units(), validation=Validation(SAMPLES, every=0))
    with pytest.raises(RunError, match="epochs is 6, and a run that is online takes 1 to 5"):
        online(path, SAMPLES, Units(), Settings(epochs=6), warm_up=SAMPLES)
    assert not path.with_name("playbook.run").exists()


def test_a_stream_knows_no_later_question(tmp_path: Path) -> None:
    """What questions have in common is worked out from those that came: later ones change nothing before them."""
    settings = Settings(seed=3, top=2)
    whole, half = new_playbook(tmp_path / "whole"), new_playbook(tmp_path / "half")
    online(whole, SAMPLES, Units(), settings)
    online(half, SAMPLES[:25], Units(), settings)
    shown = [each["shown"] for each in records(whole)]
    assert [each["shown"] for each in records(half)] == shown[:25]
    assert max(len(each) for each in shown) == 2  # type: ignore[arg-type]

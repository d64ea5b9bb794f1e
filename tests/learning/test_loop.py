"""The loop: it learns, survives being killed, and leaves the same however many workers it has."""

import json
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import scripted_task
from exhaustive import few
from filelock import FileLock
from scripted_task import KILLED, SAMPLES, SETTINGS, UNANSWERED, Units, learn, new_playbook, playbook_of, traces
from stops import count_writes, stop_at_write

from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.playbook.learn import loop_playbook
from acdl_mkdocs.playbook.learn.commit import order_of
from acdl_mkdocs.playbook.learn.curve import read_curve
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.evaluate import GeneratedAnswer, evaluate
from acdl_mkdocs.playbook.learn.loop import MAX_FAILURES, Around, Progress, RunResult, Settings, offline, online
from acdl_mkdocs.playbook.learn.models import Reply
from acdl_mkdocs.playbook.learn.models.model import CutReplyError, StatusError
from acdl_mkdocs.playbook.learn.models.scripted import Scripted, prompt_words
from acdl_mkdocs.playbook.learn.scorers import Feedback, exact
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.model.curate import Curated
from acdl_mkdocs.playbook.store import create, update
from acdl_mkdocs.playbook.store.load import load_history
from acdl_mkdocs.prompts.prompt import Json, Prompt

N_KILLS = 5


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The playbook of a run that nobody disturbed."""
    path = new_playbook(tmp_path_factory.mktemp("whole"))
    learn(path)
    return path


def run_data(path: Path) -> dict[str, Json]:
    """What the file of a run says."""
    data: dict[str, Json] = json.loads(path.with_name("playbook.run").joinpath("run.json").read_text())
    return data


def records(path: Path) -> list[dict[str, Json]]:
    """The trajectory of a run."""
    lines = path.with_name("playbook.run").joinpath("trajectory.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_lessons_raise_accuracy(whole: Path) -> None:
    """Without the playbook fewer than 30 of 100 answers are right, with what was learned more than 90."""
    answer = GeneratedAnswer(Units())
    before = evaluate(Playbook("empty"), SAMPLES, answer, exact)
    after = evaluate(playbook_of(whole), SAMPLES, answer, exact)
    assert before.accuracy < 0.3
    assert after.accuracy > 0.9
    assert after.n_failed == 1


def test_run_file_tells_the_course(whole: Path) -> None:
    """Points of the run say how accuracy and playbook grew; failures count as wrong, lost ids are counted."""
    data = run_data(whole)
    points = read_curve(data)
    assert points[0].accuracy < 0.6 < 0.9 < points[-1].accuracy
    assert [each.revision for each in points] == sorted({each.revision for each in points})
    assert points[-1].n_bullets == len(playbook_of(whole).active) == 6
    totals = data["totals"]
    assert isinstance(totals, dict)
    assert totals["n_questions"] == totals["n_scored"] == data["n_done"] == 2 * len(SAMPLES)
    assert totals["n_failures"] == 2
    assert totals["n_right_later"] == 6
    assert isinstance(totals["n_unknown_ids"], int)
    assert totals["n_unknown_ids"] > 40


def test_trajectory_has_everything(whole: Path) -> None:
    """One record a question, in order, with attempts, reflections, delta, report and replies; none has a time."""
    found = records(whole)
    assert [each["n"] for each in found] == list(range(1, 2 * len(SAMPLES) + 1))
    assert sorted(str(each["sample"]) for each in found[: len(SAMPLES)]) == sorted(each.id for each in SAMPLES)
    (first,) = [each for each in found if each["sample"] == UNANSWERED and each["epoch"] == 1]
    assert first["failure"] == {
        "role": "generator",
        "kind": "CutReplyError",
        "message": "the reply was cut; allow more",
        "is_final": False,
    }
    assert first["score"] == 0
    assert first["usage"] == {"prompt_model_tokens": 5, "reply_model_tokens": 7, "n_unreported": 0}
    learned = next(each for each in found if each["refused"])
    assert [len(learned[key]) for key in ("attempts", "reflections")] == [3, 2]  # type: ignore[arg-type]
    assert learned["refused"] == ["PIN is not for the curator; there are ADD, UPDATE, REMOVE, SECTION"]
    assert not any("time" in each for each in found)


def test_bullets_know_where_they_come_from(whole: Path) -> None:
    """Every lesson names run, sample and model, and each question changed the playbook at most once."""
    for bullet in playbook_of(whole).bullets:
        (source,) = bullet.source
        assert (source.by, source.run, source.model) == ("reflector", run_data(whole)["id"], "units")
        assert source.sample in {each.id for each in SAMPLES}
        assert bullet.helpful > 5
    traced: dict[str, set[int]] = {}
    for event in load_history(whole).events:
        if event.trace:
            traced.setdefault(event.trace, set()).add(event.revision)
            assert event.actor == "curator"
    assert len(traced) > 50
    assert {len(revisions) for revisions in traced.values()} == {1}


def test_seen_counts_prompts(whole: Path) -> None:
    """`seen` is the number of questions whose prompt had the bullet, however often it was committed."""
    shown = [name for each in records(whole) for name in each["shown"]]  # type: ignore[union-attr]
    assert {each.id: each.seen for each in playbook_of(whole).bullets} == {
        name: shown.count(name) for name in set(shown)
    }


FORKED: Any = multiprocessing.get_context("forkserver" if hasattr(signal, "SIGKILL") else "spawn")
"""Processes of their own, whose imports are made once."""
FORKED.set_forkserver_preload(["acdl_mkdocs.playbook.learn.loop"])


def killed(path: Path, window: int, seed: int) -> int:
    """Run until the end, killing it at random moments; how often it was killed in the middle."""
    chance = random.Random(seed)  # noqa: S311 - moments of a test
    trajectory = path.with_name("playbook.run") / "trajectory.jsonl"
    given, n_kills = (path, replace(KILLED, window=window), None, 0.002), 0
    for attempt in range(N_KILLS + 1):
        process = FORKED.Process(target=learn, args=given)
        process.start()
        wanted = n_lines(trajectory) + chance.randint(2, 6)
        while attempt < N_KILLS and process.is_alive() and n_lines(trajectory) < wanted:
            time.sleep(0.002)
        if attempt < N_KILLS and process.is_alive():
            time.sleep(chance.random() * 0.03)
            process.kill()
            n_kills += 1
        process.join(60)
        assert process.exitcode in (0, -signal.SIGKILL)
    return n_kills


def n_lines(path: Path) -> int:
    """How many whole lines a file has."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
@pytest.mark.parametrize("window", few([1, 4]))
def test_killed_and_resumed_equals_never_killed(tmp_path: Path, window: int) -> None:
    """Killed five times without mercy and gone on with, a run leaves the very bytes of one that was never killed."""
    seed = int(os.environ.get("ACDL_KILL_SEED", random.randrange(10**6)))  # noqa: S311
    path = new_playbook(tmp_path / "killed")
    assert killed(path, window, seed) == N_KILLS, f"ACDL_KILL_SEED={seed}"
    whole = new_playbook(tmp_path / "whole")
    learn(whole, replace(KILLED, window=window))
    assert traces(path) == traces(whole), f"ACDL_KILL_SEED={seed}"


@pytest.mark.parametrize("window", few([1, 3]))
def test_stopped_at_every_write(tmp_path: Path, window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped at any write to the disk at all, before or after it, a run that is gone on with leaves the same bytes."""
    samples = (SAMPLES[0], SAMPLES[7], SAMPLES[1])
    settings = Settings(seed=1, window=window)
    whole = new_playbook(tmp_path / "whole")
    n_writes = count_writes(monkeypatch, lambda: offline(whole, samples, Units(), settings))
    assert n_writes > 20
    for stop_at in range(0, n_writes - 1, window):  # the last one waits for the name of a run that is finished
        path = new_playbook(tmp_path / f"{stop_at}")
        run = partial(offline, path, samples, Units(), settings)
        stop_at_write(monkeypatch, stop_at, run)
        run()
        assert traces(path) == traces(whole), stop_at


@pytest.mark.parametrize("is_committed", few([False, True]))
def test_stopped_around_the_commit(
    is_committed: bool, tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped just before or just after its changes are in the playbook, a question counts exactly once."""
    path, n_calls = new_playbook(tmp_path), 0

    def stopping(path: Path, change: Callable[[Playbook], Curated], **cause: Any) -> Curated:
        nonlocal n_calls
        n_calls += 1
        if n_calls < 10:  # the first is the recovery at the beginning
            return update(path, change, **cause)
        if is_committed:
            update(path, change, **cause)
        else:
            change(playbook_of(path))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(loop_playbook, "update", stopping)
        with pytest.raises(KeyboardInterrupt):
            learn(path)
    assert (path.with_name("playbook.run") / "pending.json").exists()
    learn(path)
    assert traces(path) == traces(whole)


class Counting(Units):
    """Stops at a call, as if the process had been killed there; counts calls."""

    def __init__(self, stop_at: int = 10**9) -> None:
        super().__init__()
        self.n_calls = 0
        self.stop_at = stop_at

    def complete(self, prompt: Prompt, **settings: Any) -> Reply:
        """The reply, until it is enough."""
        if self.n_calls == self.stop_at:
            raise KeyboardInterrupt
        self.n_calls += 1
        return super().complete(prompt, **settings)


def test_no_reply_is_paid_twice(tmp_path: Path, whole: Path) -> None:
    """Interrupted at every twentieth call, all runs together ask the model as often as one that is not interrupted."""
    once = Counting()
    offline(new_playbook(tmp_path / "once"), SAMPLES, once, SETTINGS)
    path, n_calls, n_stops = new_playbook(tmp_path / "often"), 0, 0
    while True:
        model = Counting(stop_at=20)
        try:
            offline(path, SAMPLES, model, SETTINGS)
        except KeyboardInterrupt:
            n_stops += 1
            n_calls += model.n_calls
            continue
        n_calls += model.n_calls
        break
    assert n_stops > 8
    n_failing = 2  # questions whose failing call is made again when the run stops before it is written down
    assert once.n_calls <= n_calls <= once.n_calls + n_failing * n_stops
    assert traces(path) == traces(whole)


@contextmanager
def dask_cluster(n_workers: int) -> Iterator[Executor]:
    """The executor of a Dask cluster on this machine."""
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=n_workers, threads_per_worker=1, processes=False, dashboard_address=None, protocol="tcp"
    )
    with cluster, distributed.Client(cluster) as client:
        yield client.get_executor()


@pytest.fixture(scope="module")
def windowed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in windows of seven, one question after another."""
    path = new_playbook(tmp_path_factory.mktemp("windowed"))
    learn(path, replace(SETTINGS, window=7))
    return path


EXECUTORS: dict[str, Callable[[], AbstractContextManager[Executor]]] = {
    "1-thread": lambda: ThreadPoolExecutor(1),
    "2-threads": lambda: ThreadPoolExecutor(2),
    "7-threads": lambda: ThreadPoolExecutor(7),
    "2-processes": lambda: ProcessPoolExecutor(2),
    "dask": lambda: dask_cluster(2),
}


@pytest.mark.parametrize("name", few(EXECUTORS))
def test_workers_change_nothing(name: str, tmp_path: Path, windowed: Path) -> None:
    """Any number of workers, threads, processes or a cluster, leaves the same bytes as one after another."""
    path = new_playbook(tmp_path / "with-workers")
    with EXECUTORS[name]() as executor:
        learn(path, replace(SETTINGS, window=7), Around(executor=executor))
    assert traces(path) == traces(windowed)


def test_the_window_changes_what_is_learned_from(whole: Path, windowed: Path) -> None:
    """A window is a setting of the result: its questions do not know what the others of it teach."""
    assert traces(whole) != traces(windowed)
    assert [each["revision_read"] for each in records(windowed)[:7]] == [0] * 7


class Away(Units):
    """Answers some questions, then the server is away."""

    def __init__(self, n_answers: int, error: type[Exception] = CutReplyError) -> None:
        super().__init__()
        self.left = n_answers
        self.error = error

    def complete(self, prompt: Prompt, **settings: Any) -> Reply:
        """A reply, or the error."""
        if self.left == 0:
            raise (StatusError("wrong key", "set it", status=401) if self.error is StatusError else self.error("away"))
        self.left -= 1
        return super().complete(prompt, **settings)


def test_a_model_that_stays_away_stops_the_run(tmp_path: Path, whole: Path) -> None:
    """After five failures in a row the run stops; they are not written down, and the next run goes on with them."""
    path = new_playbook(tmp_path / "away")
    with pytest.raises(
        RunError, match=rf"failed at {MAX_FAILURES} questions in a row \(generator: away\); \d+ of 80 are"
    ):
        offline(path, SAMPLES, Away(60), SETTINGS)
    n_done = run_data(path)["n_done"]
    assert isinstance(n_done, int)
    assert 10 < n_done == len(records(path)) < 40
    learn(path)
    assert traces(path) == traces(whole)


class Broke(Units):
    """Its account is empty after some calls."""

    def __init__(self, n_calls: int) -> None:
        super().__init__()
        self.left = n_calls

    def complete(self, prompt: Prompt, **settings: Any) -> Reply:
        """A reply, or the error of a provider whose account is empty."""
        if self.left == 0:
            raise StatusError("status 429: insufficient_quota", "add credit", status=429)
        self.left -= 1
        return super().complete(prompt, **settings)


def test_no_quota_stops_the_run_at_once_and_it_resumes(tmp_path: Path, whole: Path) -> None:
    """The first question that an empty account refuses ends the run; nothing is lost and nothing counts as failed."""
    path = new_playbook(tmp_path / "broke")
    with pytest.raises(RunError, match=r"failed at 1 question \(\w+: status 429: insufficient_quota; add credit\)"):
        offline(path, SAMPLES, Broke(57), SETTINGS)
    learn(path)
    assert traces(path) == traces(whole)


def test_every_question_without_an_answer_has_its_reason(whole: Path) -> None:
    """The totals count questions that were not answered, by reason."""
    totals = run_data(whole)["totals"]
    assert isinstance(totals, dict)
    assert totals["failures"] == {"generator: the reply was cut; allow more": 2}
    assert totals["n_failures"] == 2


def test_a_wrong_key_stops_the_run_at_once(tmp_path: Path) -> None:
    """What will fail for every question is tried once."""
    with pytest.raises(RunError, match="failed at 1 question \\(generator: wrong key; set it\\); 0 of 80 are done"):
        offline(new_playbook(tmp_path), SAMPLES, Away(0, StatusError), SETTINGS)


def test_other_settings_are_refused(tmp_path: Path) -> None:
    """A run goes on only with the settings that it was begun with; the message says which differ."""
    path = new_playbook(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        offline(path, SAMPLES, Counting(20), SETTINGS)
    left = traces(path)
    with pytest.raises(RunError, match=r"other settings: epochs was 2 and is 3, seed was 3 and is 4; .*`--restart`"):
        learn(path, replace(SETTINGS, epochs=3, seed=4))
    with pytest.raises(RunError, match="n_samples was 40 and is 39, samples was"):
        offline(path, SAMPLES[1:], Units(), SETTINGS)
    assert traces(path) == left


def test_a_finished_run_begins_anew_only_if_asked(tmp_path: Path) -> None:
    """`--restart` keeps the old trajectory aside; a new run has an id of its own, so its questions count again."""
    path = new_playbook(tmp_path)
    learn(path)
    old = records(path)
    with pytest.raises(RunError, match="is finished"):
        learn(path)
    with pytest.raises(RunError, match="is finished"):
        learn(path, around=Around(begin="resume"))
    before = {each.id: each.helpful for each in playbook_of(path).bullets}
    ran = learn(path, around=Around(begin="restart"))
    assert ran.run != old[0]["run"]
    assert ran.totals.accuracy == (2 * len(SAMPLES) - 2) / (2 * len(SAMPLES))
    kept = path.with_name("playbook.run") / f"trajectory.{old[0]['run']}.jsonl"
    assert [json.loads(line) for line in kept.read_text().splitlines()] == old
    assert all(each.helpful > before[each.id] for each in playbook_of(path).bullets)


def test_resume_needs_a_run(tmp_path: Path) -> None:
    """`--resume` begins nothing."""
    with pytest.raises(RunError, match="no run to go on with"):
        learn(new_playbook(tmp_path), around=Around(begin="resume", folder=tmp_path / "other" / "run"))
    assert not (tmp_path / "other").exists()


def test_one_process_a_run(tmp_path: Path) -> None:
    """A run that another process works on is left alone."""
    path = new_playbook(tmp_path)
    folder = path.with_name("playbook.run")
    folder.mkdir()
    with FileLock(folder / ".lock"), pytest.raises(RunError, match="another process works on this run"):
        learn(path)


@pytest.mark.parametrize("torn", few([b'{"schema_version":1,"n', b"\x00\x00\xff", b'{"n":21}']))
def test_torn_lines_are_cut(torn: bytes, tmp_path: Path, whole: Path) -> None:
    """What stands behind the last whole line of a trajectory was never done: it is cut off and done again."""
    path = new_playbook(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        offline(path, SAMPLES, Counting(90), SETTINGS)
    for name in ("trajectory.jsonl", f"replies/{len(records(path)) + 1:06}.jsonl"):
        with (path.with_name("playbook.run") / name).open("ab") as file:
            file.write(torn)
    learn(path)
    assert traces(path) == traces(whole)


def test_a_damaged_trajectory_is_not_guessed_at(tmp_path: Path) -> None:
    """A line in the middle that cannot be read stops the run, and nothing is lost."""
    path = new_playbook(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        offline(path, SAMPLES, Counting(40), SETTINGS)
    trajectory = path.with_name("playbook.run") / "trajectory.jsonl"
    lines = trajectory.read_bytes().splitlines(keepends=True)
    trajectory.write_bytes(b"".join([*lines[:2], b"garbage\n", *lines[3:]]))
    with pytest.raises(RunError, match=rf"line 3 of {len(lines)} cannot be read; .*`--restart`"):
        learn(path)
    (trajectory.parent / "run.json").unlink()
    with pytest.raises(RunError, match=r"there is a trajectory and no run\.json"):
        learn(path)
    assert trajectory.read_bytes().count(b"\n") == len(lines)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (Settings(epochs=6), "epochs is 6, and a run that is offline takes 1 to 5"),
        (Settings(rounds=0), "rounds is 0, and a run that is offline takes 1 to 5"),
        (Settings(window=0), "window is 0, and a run that is offline takes 1 or more"),
        (Settings(top=0), "top is 0, and a run that is offline takes 1 or more"),
    ],
)
def test_settings_that_cannot_be(settings: Settings, message: str, tmp_path: Path) -> None:
    """What the paper does not do, or nobody can mean, is refused before anything is written."""
    path = new_playbook(tmp_path)
    with pytest.raises(RunError, match=message):
        learn(path, settings)
    assert not path.with_name("playbook.run").exists()


def test_samples_that_cannot_be(tmp_path: Path) -> None:
    """No questions, or two with the same id, are refused; so is going through a stream twice."""
    path = new_playbook(tmp_path)
    with pytest.raises(RunError, match="no questions"):
        offline(path, (), Units())
    with pytest.raises(RunError, match="same id"):
        offline(path, (SAMPLES[0], SAMPLES[0]), Units())
    with pytest.raises(RunError, match=r"epochs is 2, and a run that is online takes 1$"):
        online(path, SAMPLES, Units(), Settings(epochs=2))


def test_order_depends_on_seed_and_epoch() -> None:
    """Every epoch has all samples in an order of its own, which the seed decides."""
    orders = [[each.id for each in order_of(SAMPLES, seed, epoch)] for seed in (0, 1) for epoch in (1, 2)]
    assert len({tuple(each) for each in orders}) == 4
    assert {tuple(sorted(each)) for each in orders} == {tuple(sorted(each.id for each in SAMPLES))}


def said(sample: Sample, answer: str) -> Feedback:
    """What the world says of an answer: the units are weighed."""
    unit, _, number = sample.id.partition("-")
    rate = scripted_task.RATES[unit][1]
    is_right = answer == str(int(number) * rate)
    return Feedback(f"Correct answer: {int(number) * rate}", 1.0 if is_right else 0.0)


def test_online_learns_from_feedback(tmp_path: Path) -> None:
    """Without ground truth, in the order of the stream, each answer changes the playbook before the next question."""
    stream = tuple(Sample(each.id, each.question) for each in SAMPLES)
    path = new_playbook(tmp_path)
    ran = online(path, stream, Units(), feedback=said)
    found = records(path)
    assert [each["sample"] for each in found] == [each.id for each in stream]
    units = [name for name in scripted_task.RATES if name not in scripted_task.KNOWN]
    assert [each["score"] for each in found if str(each["sample"]).split("-")[0] == units[2]] == [0, 1, 1, 1, 1]
    assert len(ran.playbook.active) == len(units)


def test_online_without_any_signal_scores_nothing(tmp_path: Path) -> None:
    """Where nothing is known about answers, there is no accuracy, rather than one of 0."""
    answer, reflection = '{"final_answer": "x"}', '{"key_insight": "", "is_final": true}'
    model = Scripted([answer, reflection, answer, reflection])
    ran = online(new_playbook(tmp_path), [Sample("a", "Why?"), Sample("b", "How?")], model)
    assert (ran.totals.n_questions, ran.totals.n_scored, ran.totals.accuracy) == (2, 0, None)
    assert [each["accuracy"] for each in ran.points] == [None, None]


def test_a_lesson_that_harmed_reaches_the_curator(tmp_path: Path) -> None:
    """Without any insight the curator is told which lesson harmed, and may mend it; what it adds to that is noted."""
    path = tmp_path / "playbook.yaml"
    create(path, Playbook("p", bullets=(Bullet(id="gen-1", section="general", content="Count from 1."),)), time=None)
    answer = {"reasoning": "By [gen-1].", "bullet_ids": ["gen-1"], "final_answer": "1"}
    reflection = {"key_insight": None, "bullet_tags": {"gen-1": "harmful"}, "is_final": "true"}
    mend = {"type": "UPDATE", "bullet_id": "gen-1", "content": "Count from 0.", "rationale": "it harmed"}
    model = Scripted([json.dumps(answer), json.dumps(reflection), json.dumps({"operations": [mend]})])
    ran = offline(path, [Sample("a", "The first?", "0")], model)
    assert "Lessons used: [gen-1] harmful" in prompt_words(model.prompts[2])
    (bullet,) = ran.playbook.active
    assert (bullet.content, bullet.harmful) == ("Count from 0.", 0)
    (record,) = records(path)
    assert (record["notes"], record["refused"]) == (["UPDATE: `rationale` ignored"], [])


def test_top_bullets_are_what_counts_as_seen(tmp_path: Path) -> None:
    """With `top`, a prompt has so many bullets, and only these are seen."""
    path = new_playbook(tmp_path)
    learn(path, replace(SETTINGS, top=2))
    assert max(len(each["shown"]) for each in records(path)) == 2  # type: ignore[arg-type]


def test_progress_is_told(tmp_path: Path) -> None:
    """Whoever wants to know is told after every question, and before the first."""
    told: list[Progress] = []
    offline(new_playbook(tmp_path), SAMPLES[:3], Units(), around=Around(tell=told.append))
    assert [(each.n_done, each.n_all) for each in told] == [(0, 3), (1, 3), (2, 3), (3, 3), (3, 3)]


def test_what_people_change_meanwhile_stays(tmp_path: Path) -> None:
    """A lesson that somebody writes into the file during a run is kept and used."""
    path = new_playbook(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        offline(path, SAMPLES, Counting(30), SETTINGS)
    text = path.read_text()
    assert "id: gen-" in text
    path.write_text(text.replace("severity: normal\n", "").replace("  helpful:", "  pinned: true\n  helpful:", 1))
    ran = learn(path)
    assert [each.pinned for each in ran.playbook.bullets].count(True) == 1
    assert len(ran.playbook.active) == 6


@pytest.mark.parametrize(
    "name", ["a/b\\c", 'say "no": # yes', "line\nend\t\u2028", "\u202eמזהה 日本 😀", "x" * 5_000, "- null"]
)
def test_any_id_of_a_sample(name: str, tmp_path: Path) -> None:
    """Whatever a sample is called, what it taught is committed once, and the playbook stays readable."""
    path = new_playbook(tmp_path)
    ran = learn_one(path, replace(SAMPLES[0], id=name))
    assert len(ran.playbook.active) == 1
    assert playbook_of(path) == ran.playbook
    assert records(path)[0]["sample"] == name


def learn_one(path: Path, sample: Sample) -> RunResult:
    """Learn from one question."""
    return offline(path, (sample,), Units())

"""What is made of the replies of the three roles, and when reflection ends."""

import json
import textwrap
from dataclasses import replace

import pytest

from acdl_mkdocs.playbook.learn.curator import (
    MAX_ARCHIVED,
    CuratorInput,
    CuratorReply,
    ReflectedQuestion,
    curator_text,
    propose_operations,
)
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.loop_playbook import prepare_lessons
from acdl_mkdocs.playbook.learn.models.model import BadJsonReplyError, CutReplyError, ModelError
from acdl_mkdocs.playbook.learn.models.scripted import Scripted, prompt_words
from acdl_mkdocs.playbook.learn.role_prompts import FOLDER
from acdl_mkdocs.playbook.learn.roles import (
    MAX_REFLECTOR_ROUNDS,
    PromptLessons,
    ReflectorReply,
    generate_answer,
    reflect_on,
)
from acdl_mkdocs.playbook.learn.scorers import Feedback, Judge, exact, labels
from acdl_mkdocs.playbook.learn.trajectory import Job, QuestionAttempts, attempt_question
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Policy, Provenance, Section, TagName
from acdl_mkdocs.playbook.model.prompt_text import archived_text, prompt_text

SAMPLE = Sample("s1", "What is 6 times 7?", "42")
TOLD = PromptLessons(
    "[tu-7k3q9f2m] helpful=0 harmful=0 :: Multiply.", {"tu-7k3q9f2m": "tu-7k3q9f2m", "old-1": "tu-7k3q9f2m"}
)
LESSON = Bullet(id="tu-7k3q9f2m", section="general", content="Multiply.", aliases=("old-1",))
PLAYBOOK = Playbook("p", bullets=(LESSON, Bullet(id="tu-x4b8n0wd", section="general", content="Check the sign.")))


def answers(answer: object = "42", reasoning: str = "", ids: object = ()) -> str:
    """A reply of the generator."""
    return json.dumps({"reasoning": reasoning, "bullet_ids": ids, "final_answer": answer})


def reflects(insight: str = "", tags: object = (), *, is_final: bool = False) -> str:
    """A reply of the reflector."""
    return json.dumps({"key_insight": insight, "bullet_tags": tags, "is_final": is_final})


@pytest.mark.parametrize(
    ("reply", "known", "unknown"),
    [
        (answers(ids=["tu-7k3q9f2m"]), ("tu-7k3q9f2m",), ()),
        (answers(ids=["[tu-7k3q9f2m]", "tu-7k3q9f2m"]), ("tu-7k3q9f2m",), ()),
        (answers(reasoning="By [tu-7k3q9f2m], as [1] and [note] say."), ("tu-7k3q9f2m",), ()),
        (answers(ids=["old-1"]), ("tu-7k3q9f2m",), ()),
        (answers(ids=["tu-00000000", "word"], reasoning="[tu-0abc1def]"), (), ("tu-00000000", "word", "tu-0abc1def")),
        ("By [tu-7k3q9f2m]:\n```json\n" + answers() + "\n```", ("tu-7k3q9f2m",), ()),
    ],
)
def test_ids_come_from_json_and_text(reply: str, known: tuple[str, ...], unknown: tuple[str, ...]) -> None:
    """Ids count once, wherever they are cited, also those of merged bullets; what was not in the prompt is dropped."""
    found = generate_answer(Scripted([reply]), SAMPLE, TOLD)
    assert (found.answer, found.bullet_ids, found.unknown_ids) == ("42", known, unknown)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [(42, "42"), (4.5, "4.5"), (True, "true"), (" x\ud800 ", "x?"), (["a", "b"], "a, b"), (None, "")],
)
def test_answers_are_text(given: object, wanted: str) -> None:
    """A number or half a character in a reply is not a reason to fail."""
    assert generate_answer(Scripted([answers(given)]), SAMPLE, TOLD).answer == wanted


def test_one_repair() -> None:
    """A reply that is not JSON of the schema is repaired once, then it is an error."""
    model = Scripted(["It is 42.", answers()])
    assert generate_answer(model, SAMPLE, TOLD).answer == "42"
    assert "not the JSON that was asked for" in prompt_words(model.prompts[1])
    with pytest.raises(BadJsonReplyError):
        generate_answer(Scripted(["It is 42.", "Still 42."]), SAMPLE, TOLD)


def test_tags_are_of_bullets_that_were_used() -> None:
    """The first tag of a bullet counts; other ids and tags are dropped, and counted as such."""
    tags = [
        {"id": "[tu-7k3q9f2m]", "tag": "Helpful"},
        {"id": "tu-7k3q9f2m", "tag": "harmful"},
        {"id": "tu-x4b8n0wd", "tag": "helpful"},
        {"id": "tu-7k3q9f2m", "tag": "great"},
    ]
    found = reflect_on(Scripted([reflects(tags=tags)]), SAMPLE, "…", {"tu-7k3q9f2m"}, [])
    assert found.tags == {"tu-7k3q9f2m": "helpful"}
    assert found.dropped == ("tu-x4b8n0wd: helpful", "tu-7k3q9f2m: great")


REFLECTED = ReflectorReply("", "e", "c", "a", "i", {}, (), False)


def curated(*operations: object) -> tuple[list[object], tuple[str, ...]]:
    """Operations that a curator may propose, and why others are refused."""
    model = Scripted([json.dumps({"operations": operations})])
    found = propose_operations(model, PLAYBOOK, curating(REFLECTED))
    return list(found.operations), found.refused


def test_curator_may_not_do_everything() -> None:
    """Tags, pins and revivals are not the curator's, nor what is decided about pairs of lessons."""
    add = {"type": "add", "section": "general", "content": "x"}
    keep = {"type": "KEEP", "bullet_id": "tu-7k3q9f2m", "other": "tu-x4b8n0wd"}
    merge = {"type": "MERGE", "bullet_id": "tu-x4b8n0wd", "others": ["tu-7k3q9f2m"]}
    tag = {"type": "TAG", "bullet_id": "tu-7k3q9f2m", "tag": "helpful"}
    pin = {"type": "PIN", "bullet_id": "tu-7k3q9f2m"}
    allowed, refused = curated(add, tag, pin, keep, merge)
    assert allowed == [{**add, "type": "ADD"}]
    assert [each.split()[0] for each in refused] == ["TAG", "PIN", "KEEP", "MERGE"]


def test_curator_sees_what_was_archived() -> None:
    """Lessons that were taken out are shown with the reason; of many, those nearest to the reflection."""
    bullets = [
        replace(LESSON, id=f"old-{n:03}", status="archived", reason="wrong", content=f"Lesson {n}.") for n in range(200)
    ]
    bullets[150] = replace(bullets[150], content="Round amounts of money to whole cents.")
    reflected = ReflectorReply("", "", "", "", "Round amounts of money to cents.", {}, (), False)
    model = Scripted(['{"operations": []}'])
    propose_operations(model, Playbook("p", bullets=tuple(bullets)), curating(reflected))
    words = prompt_words(model.prompts[0])
    assert "[old-150] archived in revision 0, because: wrong :: Round amounts of money to whole cents." in words
    assert words.count("archived in revision") <= MAX_ARCHIVED
    assert "The playbook has no lessons yet." in words


def curating(reflected: ReflectorReply, tags: dict[str, TagName] | None = None, top: int | None = None) -> CuratorInput:
    """What a curator is told about one question."""
    return CuratorInput((ReflectedQuestion(1, SAMPLE, reflected, tags or {}),), 1, top)


def asked_of_curator(playbook: Playbook, about: CuratorInput) -> str:
    """What a curator is sent."""
    model = Scripted(['{"operations": []}'])
    assert propose_operations(model, playbook, about) == CuratorReply("", (), ())
    return prompt_words(model.prompts[0])


def test_curator_knows_which_lessons_harmed() -> None:
    """Where there is no insight, it is told what became of the lessons that were used: it is never sent nothing."""
    nothing = ReflectorReply("", "", "", "", "", {}, (), False)
    tags: dict[str, TagName] = {"tu-7k3q9f2m": "harmful", "tu-x4b8n0wd": "helpful"}
    words = asked_of_curator(PLAYBOOK, curating(nothing, tags))
    said = "Lessons used: [tu-7k3q9f2m] harmful, [tu-x4b8n0wd] helpful"
    assert f"<reflection-data1>\n{said}\n</reflection-data1>" in words


def test_curator_sees_what_only_people_change() -> None:
    """Pinned and critical lessons, and those of people, are marked, so that no operation is wasted on them."""
    bullets = (
        replace(LESSON, pinned=True, severity="critical", helpful=3),
        replace(PLAYBOOK.bullets[1], source=(Provenance("person"),), content="Say `[x-1] helpful=1 harmful=0 ::`."),
    )
    assert curator_text(Playbook("p", bullets=bullets), bullets).splitlines()[1:] == [
        "[tu-7k3q9f2m] helpful=3 harmful=0 (pinned, critical) :: Multiply.",
        "[tu-x4b8n0wd] helpful=0 harmful=0 (person) :: Say `[x-1] helpful=1 harmful=0 ::`.",
    ]


def test_curator_sees_the_nearest_lessons() -> None:
    """With `top` it is shown the lessons nearest to the reflection and those that were used, and how many more are."""
    words = ("Convert lengths to metres first.", "Round money to cents.", "Name the sign of a difference.", "Use SI.")
    playbook = Playbook(
        "p", bullets=tuple(Bullet(id=f"g-{n}", section="general", content=w) for n, w in enumerate(words))
    )
    reflected = replace(REFLECTED, insight="Money is to be rounded to cents.")
    few = asked_of_curator(playbook, curating(reflected, {"g-3": "neutral"}, top=1))
    assert [f"[g-{n}] helpful" in few for n in range(4)] == [False, True, False, True]
    assert "the playbook has 2 more" in few
    everything = asked_of_curator(playbook, curating(reflected, top=4))
    assert all(each in everything for each in words)
    assert " more.\n" not in everything


def test_samples_show_what_is_sent() -> None:
    """Lessons and archived ones stand in the samples exactly as the loop writes them."""
    said = (FOLDER / "curator.state.yaml").read_text("utf-8")
    person = Bullet(
        id="ta-7k3q9f2m",
        section="tagging_amounts",
        content="Tag an amount by what it measures in its sentence, not by the heading above it.",
        helpful=12,
        harmful=1,
        source=(Provenance("person"),),
    )
    rate = "A rate in per cent next to `notes` is DebtInstrumentInterestRateStatedPercentage."
    other = Bullet(id="ta-x4b8n0wd", section="tagging_amounts", content=rate, helpful=3)
    why = "harmed in 4 of 5 questions"
    gone = replace(other, id="ta-0c5m2hqe", content="Tag every rate as an effective rate.")
    gone = replace(gone, status="archived", reason=why, updated=31)
    playbook = Playbook("p", sections=(Section("tagging_amounts", "Tagging amounts"),), bullets=(person, other, gone))
    shown = (curator_text(playbook, (person, other)), archived_text(playbook))
    for text in shown:
        assert textwrap.indent(text, " " * 8) in said
    tags: dict[str, TagName] = {other.id: "harmful"}
    assert curating(ReflectorReply("", "", "", "", "", {}, (), False), tags).words in said
    for role, bullets in (("generator", (person, other)), ("reflector", (person,))):
        plain = textwrap.indent(prompt_text(playbook, bullets=bullets), " " * 4)
        assert plain in (FOLDER / f"{role}.state.yaml").read_text("utf-8")


def worked(
    script: list[str | ModelError],
    sample: Sample = SAMPLE,
    judge: Judge | None = None,
    rounds: int = MAX_REFLECTOR_ROUNDS,
) -> tuple[QuestionAttempts, Scripted]:
    """What is done about one question, and the model that was asked."""
    model = Scripted(script)
    job = Job(model, sample, PLAYBOOK, prepare_lessons(PLAYBOOK, sample.question), judge or Judge(exact), rounds)
    return attempt_question(job), model


def test_a_right_answer_is_reflected_on_once() -> None:
    """The first answer is right: one round, which tags what helped."""
    done, model = worked([answers(ids=["tu-7k3q9f2m"]), reflects(tags=[{"id": "tu-7k3q9f2m", "tag": "helpful"}])])
    assert (len(done.attempts), len(done.reflections), done.tags) == (1, 1, {"tu-7k3q9f2m": "helpful"})
    assert "The answer is right." in prompt_words(model.prompts[1])
    assert "[tu-7k3q9f2m] helpful=0 harmful=0 :: Multiply." in prompt_words(model.prompts[1])


def test_reflection_ends_when_the_answer_is_right() -> None:
    """A wrong answer is tried again with the reflection, until it is right; the first answer is what counts."""
    done, model = worked([answers("41"), reflects("a"), answers("40"), reflects("b"), answers("42")])
    assert [each.verdict.score for each in done.attempts] == [0.0, 0.0, 1.0]
    assert [each.insight for each in done.reflections] == ["a", "b"]
    assert "Insight: a" in prompt_words(model.prompts[2])
    assert prompt_words(model.prompts[4]).count("<reflection-") == 2
    assert "strict editor" in prompt_words(model.prompts[3])


def test_reflection_has_a_most() -> None:
    """Five rounds, and no answer after the last: nobody would look at it."""
    script = [line for n in range(MAX_REFLECTOR_ROUNDS) for line in (answers(str(n)), reflects(f"insight {n}"))]
    done, _ = worked(list(script))
    assert (len(done.attempts), len(done.reflections)) == (5, 5)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param([answers("1"), reflects("a", is_final=True)], id="says-so"),
        pytest.param([answers("1"), reflects("a"), answers("1"), reflects("a")], id="says-the-same"),
    ],
)
def test_reflection_ends_when_it_has_nothing_to_add(script: list[str | ModelError]) -> None:
    """It ends when the reflector says that it is done, or says the same again."""
    done, _ = worked(script)
    assert len(done.reflections) == len(script) // 2


def test_nothing_is_tried_again_where_nothing_is_known() -> None:
    """Without ground truth and feedback, later rounds only make the reflection better."""
    done, model = worked([answers("1"), reflects("a"), reflects("b"), reflects("b")], Sample("s", "Why?"))
    assert (len(done.attempts), [each.insight for each in done.reflections]) == (1, ["a", "b", "b"])
    assert "Whether the answer is right is not known." in prompt_words(model.prompts[1])


def feedback(sample: Sample, answer: str) -> Feedback:
    """Output of a test."""
    return Feedback(f"{sample.id}: 3 tests, {answer} failed", 1.0 if answer == "0" else 0.0)


def test_feedback_takes_the_place_of_ground_truth() -> None:
    """What the world says of an answer decides whether it is right, and reaches the reflector."""
    done, model = worked([answers("2"), reflects("a"), answers("0")], Sample("s", "Fix it."), Judge(exact, feedback))
    assert [each.verdict.score for each in done.attempts] == [0.0, 1.0]
    assert "Feedback: s: 3 tests, 2 failed" in prompt_words(model.prompts[1])


def test_a_partial_score_is_told() -> None:
    """A list that is half right is said to be half right, with the right answer and what differs."""
    done, model = worked([answers("a,b"), reflects("x", is_final=True)], Sample("s", "Tag.", "a,c"), Judge(labels))
    words = prompt_words(model.prompts[1])
    assert done.attempts[0].verdict.score == 0.5
    assert "The answer is partly right: score 0.50 of 1.\nCorrect answer: a,c\nComparison: expected 2: `c`" in words


@pytest.mark.parametrize(("n_before", "role"), [(0, "generator"), (1, "reflector"), (2, "generator"), (3, "reflector")])
def test_failures_are_results(n_before: int, role: str) -> None:
    """A model that fails is told with its role; what was done and paid before stays."""
    script: list[str | ModelError] = [answers("1"), reflects("a"), answers("2"), reflects("b")]
    done, model = worked([*script[:n_before], CutReplyError("cut off", "allow more")])
    assert done.failure is not None
    assert (done.failure.role, done.failure.kind, done.failure.message) == (
        role,
        "CutReplyError",
        "cut off; allow more",
    )
    assert len(done.calls) == n_before == len(model.prompts) - 1
    assert (done.usage.model_tokens > 0) == (n_before > 0)


def test_lessons_that_only_did_harm_are_not_sent() -> None:
    """The generator does not get them, with all lessons and with the nearest; the curator does, to correct them."""
    harmful = Bullet(id="tu-0000000a", section="tool_usage", content="Divide.", harmful=1)
    insisted = replace(harmful, id="tu-0000000b", content="Divide by two.", pinned=True)
    mixed = replace(harmful, id="tu-0000000c", content="Divide by three.", helpful=1, harmful=5)
    playbook = replace(PLAYBOOK, bullets=(*PLAYBOOK.bullets, harmful, insisted, mixed))
    for lessons in (prepare_lessons(playbook, "Divide."), prepare_lessons(playbook, "Divide.", 5)):
        assert harmful.id not in lessons.ids
        assert {insisted.id, mixed.id} <= lessons.ids.keys()
    reflected = ReflectorReply("", "", "", "", "x", {}, (), is_final=True)
    assert "Divide." in asked_of_curator(playbook, curating(reflected))


def test_top_bullets_within_the_budget() -> None:
    """A prompt has the bullets nearest to the question, and never more than the budget; only these may be cited."""
    words = ("Convert lengths to metres first.", "Round money to cents.", "Name the sign of a difference.")
    bullets = tuple(Bullet(id=f"gen-{n}", section="general", content=each) for n, each in enumerate(words))
    playbook = Playbook("p", bullets=bullets)
    near = prepare_lessons(playbook, "How do I round money?", 1)
    assert list(near.ids) == ["gen-1"]
    assert "Round money" in near.playbook
    assert "metres" not in near.playbook
    assert list(prepare_lessons(playbook, "x").ids) == ["gen-0", "gen-1", "gen-2"]
    tight = Playbook("p", bullets=bullets, policy=Policy(budget_model_tokens=45))
    for top_k in (None, 3):
        assert len(prepare_lessons(tight, "How do I round money?", top_k).ids) == 2

"""What a playbook is compared with: examples, a cheatsheet, and notes that are rewritten as a whole."""

import json
import re

import pytest
from scripted_task import RATES, SAMPLES, Units

from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.playbook.learn.baselines import Baseline, BaselineSetup, evaluate_baseline, examples_text
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.evaluate import Evaluated, GeneratedAnswer, evaluate
from acdl_mkdocs.playbook.learn.models.model import CutReplyError
from acdl_mkdocs.playbook.learn.models.scripted import Line, Scripted, prompt_words
from acdl_mkdocs.playbook.learn.scorers import Judge, exact
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.prompts.prompt import Prompt

TRAINING = [each for each in SAMPLES if each.id.endswith(("-2", "-8"))]
ASKED = [each for each in SAMPLES if each.id.endswith(("-5", "-11"))]


def says(prompt: Prompt) -> Line:
    """Right if an example or a note tells the rate; the rewriter notes what it can conclude, and never two rates."""
    words = prompt_words(prompt)
    last = words[words.rindex("<question-data1>") :]
    found = re.search(r"How many (\w+) are (\d+) (\w+)s\?", last)
    assert found
    to, n, unit = found[1], int(found[2]), found[3]
    if '"notes": "all notes' in words:
        truth = re.search(r"Correct answer: (\d+)", words)
        rate = int(truth[1]) // n if truth else RATES[unit][1]
        return json.dumps({"reasoning": "", "notes": f"One {unit} is {rate} {to}."})
    noted = re.search(rf"One {unit} is (\d+) ", words)
    example = re.search(rf"are (\d+) {unit}s\?\nAnswer: (\d+)", words)
    rate = int(noted[1]) if noted else int(example[2]) // int(example[1]) if example else 0
    return json.dumps({"reasoning": "", "bullet_ids": [], "final_answer": str(n * rate)})


def did(baseline: Baseline, model: Scripted, n_examples: int = 10) -> Evaluated:
    """How a baseline does."""
    setup = BaselineSetup(model=model, judge=Judge(exact), training=TRAINING, n_examples=n_examples, seed=1)
    return evaluate_baseline(baseline, ASKED, setup, workers=2)


def test_examples() -> None:
    """With an example of every unit all answers are right; with few only those of their units."""
    model = Scripted(says)
    found = did("examples", model, 16)
    assert (found.playbook, found.accuracy, found.n_bullets) == ("in-context examples", 1.0, 0)
    assert found.model_tokens > 100
    assert len(model.prompts) == len(ASKED)
    assert 0 < did("examples", Scripted(says), 3).accuracy < 0.5
    nothing = Sample("x", "q")
    assert examples_text([nothing, *TRAINING], 1, 1).startswith("Question: How many ")
    assert examples_text([Sample("c", "q", "a", "ctx")], 3, 1) == "Context: ctx\nQuestion: q\nAnswer: a"


def test_cheatsheet() -> None:
    """Notes are rewritten after each question, in order and without the right answer."""
    model = Scripted(says)
    found = did("cheatsheet", model)
    assert len(model.prompts) == 2 * len(ASKED)
    rewriting = [prompt_words(each) for each in model.prompts[1::2]]
    assert all("Whether the reply is right is not known" in each for each in rewriting)
    assert not any("Correct answer" in each for each in rewriting)
    assert "<notes-data1>\nOne blim is 7 snarks.\n</notes-data1>" in prompt_words(model.prompts[2])
    assert found.n_right == len(RATES)  # the second question about each unit, right behind the first
    assert found.usage.model_tokens > 0


def test_rewrite() -> None:
    """Notes are rewritten after each question of the training set; what was left out is lost in the end."""
    model = Scripted(says)
    found = did("rewrite", model)
    assert len(model.prompts) == 2 * len(TRAINING) + len(ASKED)
    assert "Correct answer: 14" in prompt_words(model.prompts[1])
    assert found.n_right == 2  # the notes have the last rate alone
    assert found.preparation.model_tokens > 0
    assert found.usage.model_tokens > found.preparation.model_tokens


def test_where_the_model_fails() -> None:
    """A question whose notes cannot be rewritten counts as failed; too many in a row of a training set end it."""

    def cut(prompt: Prompt) -> Line:
        return CutReplyError("cut") if '"notes": "all notes' in prompt_words(prompt) else says(prompt)

    assert did("cheatsheet", Scripted(cut)).n_failed == len(ASKED)
    with pytest.raises(RunError, match="failed at 5 questions of the training set in a row"):
        did("rewrite", Scripted(cut))
    for baseline in ("examples", "rewrite"):
        with pytest.raises(RunError, match="give it a training set"):
            evaluate_baseline(baseline, ASKED, BaselineSetup(model=Scripted(says), judge=Judge(exact)))


def test_the_question_is_asked_in_the_same_words() -> None:
    """Baseline and generator differ in what the system message has, and in nothing else."""
    model = Scripted(says)
    did("examples", model)
    generator = Scripted(says)
    evaluate(Playbook("p"), ASKED, GeneratedAnswer(generator), exact)
    asked, answered = ({prompt_words(each).rpartition("}\n")[2] for each in of.prompts} for of in (model, generator))
    assert asked == answered
    assert len(asked) == len(ASKED)
    assert model.schemas == generator.schemas


def test_units_are_what_the_loop_learns() -> None:
    """The task of these tests is that of the loop, which a playbook solves."""
    assert evaluate(Playbook("p"), ASKED, GeneratedAnswer(Units()), exact).accuracy == 0.25

"""Agents of other people as generator: callables and commands, in `learn` and in `evaluate`, and every way to fail."""

import asyncio
import json
import os
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from exhaustive import exhaustive
from scripted_task import KILLED, SAMPLES, Units, answer, new_playbook, playbook_of, traces

from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.playbook.learn.agents import (
    Agent,
    AgentReply,
    Earlier,
    Task,
    WithAgent,
    ask_agent,
    make_generator_reply,
    parse_agent_reply,
)
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.evaluate import GeneratedAnswer, evaluate
from acdl_mkdocs.playbook.learn.loop import offline
from acdl_mkdocs.playbook.learn.models import MAX_SENT_BACK, Usage
from acdl_mkdocs.playbook.learn.models.model import AgentError, CutReplyError
from acdl_mkdocs.playbook.learn.models.scripted import Scripted
from acdl_mkdocs.playbook.learn.roles import PromptLessons
from acdl_mkdocs.playbook.learn.scorers import exact
from acdl_mkdocs.playbook.learn.user_programs import CommandAgent, load_agent, task_data
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook
from acdl_mkdocs.prompts.prompt import Prompt

TASK = Task("s1", "How many snarks are 2 blims?", "Snarks are small.", "[gen-7k3q9f2m] helpful=1 harmful=0 :: Count.")
LESSONS = PromptLessons(TASK.playbook, {"gen-7k3q9f2m": "gen-7k3q9f2m"})


def converter(task: Task) -> dict[str, object]:
    """The scripted task as an agent: right with the lesson or the reflection."""
    words = "\n".join([task.prompt, task.playbook, *(each.reflection for each in task.earlier)])
    try:
        data = json.loads(answer(f"{words}\nThis is not the JSON"))
    except CutReplyError:
        raise RuntimeError("the agent ran out of tokens") from None
    return {"answer": str(data["final_answer"]), "trajectory": data["reasoning"], "bullet_ids": data.get("bullet_ids")}


class Counting:
    """The same agent, which counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    def __call__(self, task: Task) -> dict[str, object]:
        """Answer."""
        self.asked.append((task.id, len(task.earlier)))
        return converter(task)


def test_an_agent_learns(tmp_path: Path) -> None:
    """An agent in place of the generator: reflector and curator are models, lessons reach it and make it right."""
    path = new_playbook(tmp_path)
    agent = Counting()
    ran = offline(path, SAMPLES, WithAgent(Units(), agent), KILLED)
    assert ran.totals.accuracy is not None
    assert ran.totals.accuracy > 0.7
    assert [each.content for each in playbook_of(path).active if "blim" in each.content] == [
        "Count one blim as 7 snarks."
    ]
    assert ran.totals.failures == {"generator: Counting failed with RuntimeError: the agent ran out of tokens": 1}
    assert ("blim-2", 0) in agent.asked
    (record,) = [each for each in read(path) if each["sample"] == "blim-5"]
    assert record["attempts"][0]["unknown_ids"][-1:] in (["gen-00000000"], ["gen-zzzzzzz9"])
    source = next(each for each in playbook_of(path).active).source[0]
    assert source.model == "units, with answers of Counting"


def read(path: Path) -> list[dict[str, Any]]:
    """The trajectory beside a playbook."""
    lines = (path.with_name("playbook.run") / "trajectory.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_an_agent_is_asked_once_for_an_answer_that_is_known(tmp_path: Path) -> None:
    """A run that stops in the middle of a question resumes with the answers that the agent gave, to the same end."""
    whole, stopped = new_playbook(tmp_path / "whole"), new_playbook(tmp_path / "stopped")
    offline(whole, SAMPLES, WithAgent(Units(), Counting()), KILLED)

    def stop(_: Prompt) -> str:
        raise KeyboardInterrupt

    first = Counting()
    with pytest.raises(KeyboardInterrupt):
        offline(stopped, SAMPLES, WithAgent(Scripted(stop, "units"), first), KILLED)
    assert len(first.asked) == 1
    second = Counting()
    offline(stopped, SAMPLES, WithAgent(Units(), second), KILLED)
    assert first.asked[0] not in second.asked
    assert traces(stopped) == traces(whole)


def test_another_agent_is_another_run(tmp_path: Path) -> None:
    """A run resumes with the agent that it was begun with."""
    path = new_playbook(tmp_path)

    def other(_: Task) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        offline(path, SAMPLES, WithAgent(Units(), other), KILLED)
    with pytest.raises(RunError, match="begun with other settings: model was"):
        offline(path, SAMPLES, WithAgent(Units(), Counting()), KILLED)


def test_evaluate_an_agent() -> None:
    """`evaluate` asks the agent with the lessons; one that fails counts as wrong, with its reason."""
    lesson = Bullet(id="gen-7k3q9f2m", section="general", content="Count one blim as 7 snarks.")
    known = evaluate(
        Playbook("p", bullets=(lesson,)), SAMPLES[:5], GeneratedAnswer(WithAgent(None, converter)), exact, workers=2
    )
    unknown = evaluate(Playbook("p"), SAMPLES[:10], GeneratedAnswer(WithAgent(None, converter)), exact)
    assert (known.accuracy, unknown.accuracy) == (1.0, 0.0)
    assert unknown.reasons == {"converter failed with RuntimeError: the agent ran out of tokens": 1}
    assert known.usage.is_unknown


def test_what_an_agent_is_told() -> None:
    """Lessons with how to use them, and one text with context, question and what was wrong before."""
    assert TASK.instructions.endswith(TASK.playbook)
    assert Task("s", "?").instructions == ""
    assert TASK.prompt == "Snarks are small.\n\nHow many snarks are 2 blims?"
    again = Task("s", "?", earlier=(Earlier("1", "Multiply."),))
    assert again.prompt == "?\n\nAn earlier answer was:\n1\n\nWhat is to be done better:\nMultiply."


async def coroutine(task: Task) -> str:
    """An agent that is waited for."""
    return task.id


def test_a_coroutine_is_waited_for() -> None:
    """Asynchronous agents work from any thread, also where an event loop runs."""

    async def inside() -> str:
        return ask_agent(coroutine, TASK).answer

    assert ask_agent(coroutine, TASK).answer == asyncio.run(inside()) == "s1"


def test_every_question_has_the_same_event_loop() -> None:
    """A client that an asynchronous agent keeps can be used again: its loop is neither closed nor another one."""
    loops: list[object] = []

    async def keeping(_: Task) -> str:
        loops.append(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return "x"

    with ThreadPoolExecutor(3) as threads:
        assert [each.answer for each in threads.map(lambda _: ask_agent(keeping, TASK), range(6))] == ["x"] * 6
    ask_agent(keeping, TASK)
    assert len(set(loops)) == 1
    assert not loops[0].is_closed()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "the agent gave nothing; give a text, a map with `answer`, or an `AgentReply`"),
        (7, "the agent gave a int"),
        ({}, "the agent's `answer` is missing; give a text"),
        ({"answer": ["a"]}, "the agent's `answer` is a list"),
        (AgentReply(7), "the agent's `answer` is a int"),  # type: ignore[arg-type]
        ({"anser": "x"}, "the agent's reply has a key `anser`; did you mean `answer`?"),
        ({"answer": "x", "trajectory": 7}, "neither a text nor a list of messages"),
        ({"answer": "x", "bullet_ids": [7]}, "not a list of texts"),
        ({"error": "no tool", "is_final": True}, "the agent says: no tool"),
    ],
)
def test_replies_that_are_none(given: object, message: str) -> None:
    """What cannot be taken as an answer is said, with what to give instead."""
    with pytest.raises(AgentError) as caught:
        parse_agent_reply(given)
    assert message in str(caught.value)
    assert caught.value.is_final == (message == "the agent says: no tool")


def test_odd_replies_that_are_answers() -> None:
    """Numbers and truth values are answers, a single id is a list of one, and usage has any of the usual names."""
    reply = parse_agent_reply(
        {"answer": 14, "bullet_ids": "gen-7k3q9f2m", "usage": {"input_tokens": 3, "output_tokens": 4}}
    )
    assert (reply.answer, reply.bullet_ids, reply.usage) == ("14", ("gen-7k3q9f2m",), Usage(3, 4))
    assert parse_agent_reply({"answer": True, "usage": {}}).usage.is_unknown
    assert parse_agent_reply({"answer": True, "usage": {"input_tokens": -1, "output_tokens": True}}).usage.is_unknown
    assert parse_agent_reply(AgentReply("x")).answer == "x"


def test_lessons_that_are_only_shown_are_not_cited() -> None:
    """A trajectory with the playbook in it cites nothing by that; a huge one is cut."""
    reply = AgentReply("14", f"I read {TASK.playbook}. " + "x" * 100_000)
    found = make_generator_reply(reply, LESSONS)
    assert found.bullet_ids == ()
    assert MAX_SENT_BACK <= len(found.text) < MAX_SENT_BACK + 100
    assert found.text.endswith("Final answer: 14")
    assert make_generator_reply(AgentReply("As [gen-7k3q9f2m] says."), LESSONS).bullet_ids == ("gen-7k3q9f2m",)


class RefusedError(Exception):
    """As packages of providers raise them."""

    status_code = 401


@pytest.mark.parametrize(
    ("fault", "is_final"),
    [
        (RuntimeError("away"), False),
        (RefusedError("who are you"), True),
        (RuntimeError("Error code: 429 - {'code': 'insufficient_quota'}"), True),
    ],
)
def test_faults_of_an_agent(fault: Exception, is_final: bool) -> None:
    """What an agent raises is the reason; a wrong key and an empty account end the run."""

    def broken(_: Task) -> str:
        raise fault

    with pytest.raises(AgentError, match=f"failed with {type(fault).__name__}") as caught:
        ask_agent(broken, TASK)
    assert caught.value.is_final == is_final


def program(folder: Path, text: str) -> tuple[str, ...]:
    """A program that an agent is."""
    path = folder / "my_agent.py"
    path.write_text(textwrap.dedent(text), "utf-8")
    return sys.executable, str(path)


def test_a_command(tmp_path: Path) -> None:
    """A program gets the task as JSON and gives JSON, or a text that is the answer."""
    command = program(
        tmp_path,
        """
        import json, sys
        task = json.load(sys.stdin)
        ids = task["playbook"].split("]")[0].strip("[")
        json.dump({"answer": task["question"][-10:], "trajectory": json.dumps(task), "bullet_ids": [ids]}, sys.stdout)
        """,
    )
    reply = ask_agent(CommandAgent(command), TASK)
    assert reply.answer == "e 2 blims?"
    assert json.loads(str(reply.trajectory)) == json.loads(json.dumps(task_data(TASK)))
    assert sorted(task_data(TASK)) == sorted(
        ["schema_version", "id", "question", "context", "playbook", "instructions", "prompt", "earlier", "seed"]
    )
    assert make_generator_reply(reply, LESSONS).bullet_ids == ("gen-7k3q9f2m",)
    plain = CommandAgent(program(tmp_path, "print('14 snarks')"))
    assert ask_agent(plain, TASK).answer == "14 snarks"
    assert ask_agent(CommandAgent(program(tmp_path, "print(14)")), TASK).answer == "14"
    logged = "print('loading …'.encode('ascii', 'replace').decode()); print('{\"answer\": \"14\"}')"
    assert ask_agent(CommandAgent(program(tmp_path, logged)), TASK).answer == "14"
    drawn = "print('a'); print('{\"x\": 1}')"
    assert ask_agent(CommandAgent(program(tmp_path, drawn)), TASK).answer == 'a\n{"x": 1}'


@pytest.mark.parametrize(
    ("text", "message", "is_final"),
    [
        ("import sys; sys.exit('no such tool')", "ended with status 1: no such tool", False),
        ("import sys; sys.exit(127)", "ended with status 127", True),
        ("import sys; sys.exit('429 insufficient_quota')", "insufficient_quota", True),
        ("import os; os.kill(os.getpid(), 9)", "was ended by signal 9", False),
        ("", "ended with status 0 and wrote nothing", False),
        ("""print('{"anwser": 1}')""", "did you mean `answer`?", False),
        ("""print('{"error": "no key", "is_final": true}')""", "the agent says: no key", True),
        ("import sys; sys.stdout.buffer.write(bytes([255]))", "wrote what is not UTF-8, at byte 1", False),
        ("while True: print('x' * 100_000)", "wrote more than 16 MB; write the answer alone", False),
    ],
)
def test_commands_that_fail(text: str, message: str, is_final: bool, tmp_path: Path) -> None:
    """Every way to fail has a message with the command and its last words."""
    with pytest.raises(AgentError) as caught:
        ask_agent(CommandAgent(program(tmp_path, text)), TASK)
    assert message in str(caught.value)
    assert caught.value.is_final == is_final


@exhaustive
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no groups of processes here")
def test_a_command_that_takes_too_long_is_ended_with_all_it_started(tmp_path: Path) -> None:
    """The time for a question is a limit, also for what the program has started and for what reads no input."""
    late = tmp_path / "late"
    child = f"import time, pathlib; time.sleep(2); pathlib.Path({str(late)!r}).touch()"
    text = f"""
    import subprocess, sys, time
    subprocess.Popen([sys.executable, "-c", {child!r}])
    print("working", file=sys.stderr, flush=True)
    time.sleep(60)
    """
    began = time.monotonic()
    with pytest.raises(AgentError, match="gave no answer within 1 s: working; allow more"):
        ask_agent(CommandAgent(program(tmp_path, text), timeout_s=1), Task("s", "x" * 1_000_000))
    time.sleep(max(0.0, 3 - (time.monotonic() - began)))
    assert not late.exists()


def test_agents_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`MODULE:FUNCTION` is a function of Python, everything else a command; neither guesses."""
    (tmp_path / "my_own_agent.py").write_text("def answer(task): return task.id\nnumber = 7\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert ask_agent(load_agent("my_own_agent:answer"), TASK).answer == "s1"
    found = load_agent("python 'my agent.py' --fast", 7)
    assert found == CommandAgent(("python", "my agent.py", "--fast"), 7)
    for text, message in (
        ("my_own_agent:anser", "`my_own_agent` has no function `anser`"),
        ("my_own_agent:number", "`my_own_agent` has no function `number`"),
        ("no_such_module:answer", "cannot be imported: ModuleNotFoundError"),
        ("python 'x", "cannot be read: no closing quotation"),
        ("  ", "the command is empty"),
    ):
        with pytest.raises(AgentError, match=message):
            load_agent(text)
    missing: Agent = load_agent("no-such-program-here --x")
    with pytest.raises(AgentError, match="`no-such-program-here` cannot be run: there is no such program") as caught:
        ask_agent(missing, TASK)
    assert caught.value.is_final


def test_a_question_without_any_answer_is_no_answer() -> None:
    """A sample that an agent cannot answer stays in the count of all."""
    found = evaluate(
        Playbook("p"),
        [Sample("a", "?", "x"), Sample("b", "?", "y")],
        GeneratedAnswer(WithAgent(None, lambda _: "x")),
        exact,
    )
    assert (found.n_right, found.n_samples) == (1, 2)

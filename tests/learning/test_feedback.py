"""What a command says of an answer."""

import json
import pickle
import signal
import sys
import tracemalloc

import pytest

from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.scorers import Feedback, Judge, exact
from acdl_mkdocs.playbook.learn.user_programs import MAX_CHARACTERS, CommandFeedback

SAMPLE = Sample("s-1", "How many?", None, "ctx")


def said(program: str, answer: str = "7", timeout_s: float = 60.0) -> Feedback:
    """The feedback of a Python program."""
    return CommandFeedback((sys.executable, "-c", program), timeout_s)(SAMPLE, answer)


def test_the_command_is_told_everything() -> None:
    """It gets the sample and the answer as JSON, whatever characters they have."""
    program = "import json, sys; print(json.dumps(json.load(sys.stdin), sort_keys=True))"
    told = json.loads(said(program, "é\n\ud800").text)
    assert told == {
        "id": "s-1", "question": "How many?", "answer": None, "context": "ctx", "scenario": None, "given": "é\n\ud800",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("program", "score", "words"),
    [
        ("print('ok')", 1.0, "ok"),
        (
            "import sys; print('out'); sys.exit('E  assert 7 == 8')",
            0.0,
            "out\nE  assert 7 == 8",
        ),
        ("import sys; sys.exit(3)", 0.0, "It ended with status 3."),
        ("""print('{"score": true}')""", 1.0, ""),
        ("""print('{"score": 0, "feedback": "\\\\ud83d"}')""", 0.0, "?"),
        ("""print('log'); print('{"score": 0.25, "feedback": "half"}')""", 0.25, "half"),
        ("""print('log'); print('{"score": 1}')""", 1.0, "log"),
        (
            """print('{"passes": ["a", "b", "c"], "failures": ["test_total"]}')""",
            0.75,
            "3 of 4 tests passed\nfailed: test_total",
        ),
        ("""print('{"passes": 2, "failures": 0}')""", 1.0, "2 of 2 tests passed"),
        ("""print('{"other": 1}')""", 1.0, '{"other": 1}'),
        ("import sys; sys.stdout.buffer.write(b'\\xff')", 1.0, "\ufffd"),
        ("", 1.0, ""),
    ],
)
def test_what_it_says(program: str, score: float, words: str) -> None:
    """The exit status counts, unless the last line says how right the answer is, or which tests passed."""
    assert said(program) == Feedback(words, score)


def test_a_command_that_is_killed_or_never_ends() -> None:
    """A signal is named, and of output without end only the beginning and the end are kept, also in memory."""
    if hasattr(signal, "SIGKILL"):
        assert said("import os; os.kill(os.getpid(), 9)") == Feedback("It was ended by signal 9.", 0.0)
    program = "import sys\nprint('first')\nfor n in range(60_000): sys.stdout.write('x' * 1000)\nprint('\\nlast')"
    tracemalloc.start()
    text = said(program).text
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (text[:5], text[-4:]) == ("first", "last")
    assert most < 20_000_000


def test_too_long() -> None:
    """Of much output the beginning and the end are kept; a command that takes too long is ended, and that is said."""
    text = said("print('a' * 9000 + 'z')").text
    assert len(text) < MAX_CHARACTERS + 100
    assert text.startswith("aaa")
    assert text.endswith("az")
    assert "5,001 characters left out" in text
    late = said("import time; print('begun', flush=True); time.sleep(60)", timeout_s=0.5)
    assert late.score == 0.0
    assert late.text.endswith("It took longer than 0.5 s.")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("no-such-program-here", "-v"), "`no-such-program-here -v` cannot be used: no such file"),
        ((sys.executable, "-c", "import sys; sys.exit(127)"), "it ended with status 127"),
        ((sys.executable, "-c", "print('{\"score\": 7}')"), "`score` is a number from 0 to 1"),
        ((sys.executable, "-c", "print('{\"passes\": 1}')"), "`passes` and `failures` are lists or numbers"),
        ((sys.executable, "-c", 'print(\'{"passes": 0, "failures": 0}\')'), "are lists or numbers"),
    ],
)
def test_what_cannot_be_used(command: tuple[str, ...], message: str) -> None:
    """A command that is not there, or says what nobody can understand, ends the run instead of scoring 0."""
    with pytest.raises(RunError) as caught:
        CommandFeedback(command)(SAMPLE, "7")
    assert message in str(caught.value)


def test_keys_that_a_command_prints() -> None:
    """Neither the model that reflects nor a file of the run gets them, nor a message about the command."""
    key = "sk-proj-" + "a1B2c3D4e5" * 4
    found = said(f"print('KEY={key}'); print('{{\"score\": 0.5}}')")
    assert found == Feedback("KEY=[redacted]", 0.5)
    with pytest.raises(RunError) as raised:
        CommandFeedback((sys.executable, "-c", "print('{\"score\": 7}')", "--token", key))(SAMPLE, "7")
    assert key not in str(raised.value)


def test_it_is_a_judge() -> None:
    """The reflector is told what it said; it may be sent to another process, and a run knows it by its command."""
    feedback = CommandFeedback((sys.executable, "-c", "import sys; sys.exit('no')"))
    assert pickle.loads(pickle.dumps(feedback)) == feedback  # noqa: S301 - what was just made
    verdict = Judge(exact, feedback).judge_answer(SAMPLE, "7")
    assert (verdict.score, verdict.words) == (0.0, "The answer is wrong.\nFeedback: no")

"""Programs of the user: an agent, and a command that judges an answer."""

import contextlib
import json
import os
import shlex
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, field
from importlib import import_module
from threading import Thread
from typing import IO

from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.agents import Agent, AgentReply, Task, parse_agent_reply
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.models import shorten_text
from acdl_mkdocs.playbook.learn.models.model import AgentError, is_about_account
from acdl_mkdocs.playbook.learn.scorers import Feedback
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.redact import redact_text

CANNOT_RUN = (126, 127)
"""Exit statuses of a shell if a program cannot be run."""


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """The exit status and output of a program."""

    status: int
    out: bytes
    err: bytes
    is_late: bool = False
    """Whether it was killed because it took too long."""
    is_too_much: bool = False
    """Whether it was killed because it wrote too much to standard output."""


def run_program(
    command: Sequence[str],
    stdin: bytes,
    timeout_s: float,
    *,
    environ: Mapping[str, str] | None = None,
    max_bytes: int | None = None,
    kept_bytes: int | None = None,
) -> ProgramResult:
    """Run a program without a shell, in a separate process group.

    Parameters:
        command: Program and arguments.
        stdin: Its standard input.
        timeout_s: Its time limit; then it is killed with all its children.
        environ: Its environment; `None` means ours.
        max_bytes: Limit of standard output; a program that writes more is killed.
        kept_bytes: How much of the beginning and of the end of both outputs is kept; `None` means all.

    Raises:
        OSError: The program cannot be started.
    """
    process = subprocess.Popen(  # noqa: S603 - the program that the user named
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=None if environ is None else dict(environ),
        start_new_session=True,
    )
    out = _Output(
        process.stdout, most=max_bytes, stop=lambda: _end_program(process), kept_bytes=None if max_bytes else kept_bytes
    )
    err = _Output(process.stderr, kept_bytes=kept_bytes)
    Thread(target=_write_input, args=(process.stdin, stdin), daemon=True).start()
    is_late = False
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        is_late = True
    finally:
        _end_program(process)  # also the processes that it left running
    process.wait()
    errors, text = err.read_output(), out.read_output()
    return ProgramResult(process.returncode, text, errors, is_late, out.is_too_much)


class _Output:
    """Reads a stream to its end, so that the program never blocks.

    Parameters:
        stream: The stream.
        most: Limit in bytes.
        stop: Called when it is exceeded.
        kept_bytes: How many bytes of the beginning and of the end are kept; by default all. A runaway program may write
            any amount.
    """

    def __init__(
        self,
        stream: IO[bytes] | None,
        *,
        most: int | None = None,
        stop: Callable[[], None] | None = None,
        kept_bytes: int | None = None,
    ) -> None:
        self.is_too_much = False
        self._stream, self._most, self._stop = stream, most, stop
        self._kept, self._n_last = kept_bytes, 0
        self._first: list[bytes] = []
        self._last: deque[bytes] = deque()
        self._thread = Thread(target=self._read_output, daemon=True)
        self._thread.start()

    def _read_output(self) -> None:
        size = 0
        assert self._stream is not None  # noqa: S101 - a pipe of ours
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(self._stream.fileno(), 65_536):
                size += len(chunk)
                if self._most is None or size <= self._most:
                    self._keep_chunk(chunk, is_first=self._kept is None or size <= self._kept)
                elif not self.is_too_much:
                    self.is_too_much = True
                    if self._stop is not None:
                        self._stop()

    def _keep_chunk(self, chunk: bytes, *, is_first: bool) -> None:
        if is_first:
            self._first.append(chunk)
            return
        self._last.append(chunk)
        self._n_last += len(chunk)
        while self._n_last - len(self._last[0]) >= (self._kept or 0):
            self._n_last -= len(self._last.popleft())

    def read_output(self) -> bytes:
        """Return everything that was read, or the kept part of it."""
        self._thread.join(5.0)
        if self._stream is not None:
            self._stream.close()
        return b"".join((*self._first, *self._last))


def _write_input(stream: IO[bytes] | None, data: bytes) -> None:
    """Write to a program that may not read."""
    with contextlib.suppress(OSError):
        if stream is not None:
            stream.write(data)
            stream.close()


def _end_program(process: "subprocess.Popen[bytes]") -> None:
    """Kill a program and all its children."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


SCHEMA_VERSION = 1
"""Version of the JSON input and output of a program."""
TIMEOUT_S = 600.0
MAX_BYTES = 16_000_000
"""Limit of a program's standard output."""
_MAX_SHOWN = 400
_KEPT_BYTES = 1_000_000
"""Limit of standard error, whose last line explains a failure."""


@dataclass(frozen=True, slots=True)
class CommandAgent:
    """An agent that is a program; can be sent to other processes.

    It reads one JSON object from standard input: `schema_version`, `id`, `question`, `context`, `playbook` (the
    lessons), `instructions` (the same with how to use them), `earlier` (attempts with `answer` and `reflection`),
    `prompt` (all but the lessons as one text) and `seed`. It writes a text, which is the answer, or one JSON object,
    which may be the last of several lines, with `answer` and optionally `trajectory`, `bullet_ids` and `usage`; or with
    `error` and, if no other question can be answered either, `is_final: true`. Its exit status is 0 if it answered.
    """

    command: tuple[str, ...]
    """Program and arguments; no shell interprets them."""
    timeout_s: float = TIMEOUT_S
    """Time limit for a question; then it is killed."""
    environ: Mapping[str, str] | None = field(default=None, repr=False)
    """Its environment; `None` means ours."""

    @property
    def name(self) -> str:
        """The command as typed, without keys, since it appears in messages and in files of runs."""
        return redact_text(shlex.join(self.command))

    def __call__(self, task: Task) -> AgentReply:
        """Return the program's answer.

        Raises:
            AgentError: There is none; the message has the exit status and the last line on standard error.
        """
        request = json.dumps(task_data(task), ensure_ascii=True).encode("ascii")
        try:
            ended = run_program(
                self.command,
                request,
                self.timeout_s,
                environ=self.environ,
                max_bytes=MAX_BYTES,
                kept_bytes=_KEPT_BYTES,
            )
        except OSError as reason:
            is_missing = isinstance(reason, FileNotFoundError)
            why = "there is no such program" if is_missing else (reason.strerror or "").lower()
            raise AgentError(
                f"`{redact_text(self.command[0])}` cannot be run: {why}",
                "name a program as in a terminal",
                is_final=True,
            ) from None
        status, err = ended.status, ended.err.decode("utf-8", "replace")
        if ended.is_late:
            raise AgentError(
                f"`{self.name}` gave no answer within {self.timeout_s:g} s{_last_words(err)}", "allow more"
            )
        if ended.is_too_much:
            raise AgentError(f"`{self.name}` wrote more than {MAX_BYTES // 1_000_000} MB", "write the answer alone")
        if status != 0:
            how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
            is_final = status in CANNOT_RUN or is_about_account(err)
            raise AgentError(f"`{self.name}` {how}{_last_words(err)}", is_final=is_final)
        return _parse_output(self.name, ended.out)


def load_agent(text: str, timeout_s: float = TIMEOUT_S) -> Agent:
    """Return the agent with a name: `MODULE:FUNCTION` in Python, or else a command.

    Raises:
        AgentError: There is no such function or command.
    """
    module, colon, function = text.strip().partition(":")
    if colon and function.isidentifier() and all(each.isidentifier() for each in module.split(".")):
        return _import_function(module, function)
    try:
        command = tuple(shlex.split(text, posix=os.name != "nt"))
    except ValueError as fault:
        raise AgentError(
            f"the command `{redact_text(text)}` cannot be read: {str(fault).lower()}", is_final=True
        ) from None
    if not command:
        raise AgentError("the command is empty", "write one such as `python my_agent.py`", is_final=True)
    return CommandAgent(command, timeout_s)


def task_data(task: Task) -> dict[str, Json]:
    """Return a task as input of a program."""
    data: dict[str, Json] = {"schema_version": SCHEMA_VERSION, **asdict(task)}
    return {**data, "instructions": task.instructions, "prompt": task.prompt}


def _import_function(module: str, name: str) -> Agent:
    try:
        function: Agent | None = getattr(import_module(module), name, None)
    except Exception as fault:
        message = f"the module `{module}` cannot be imported: {type(fault).__name__}: {fault}"
        raise AgentError(message, "start in its folder, or put it on PYTHONPATH", is_final=True) from fault
    if not callable(function):
        raise AgentError(f"`{module}` has no function `{name}`", "name one as `module:function`", is_final=True)
    return function


def _last_words(err: str) -> str:
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    return f": {redact_text(shorten_text(lines[-1], _MAX_SHOWN))}" if lines else ""


def _parse_output(name: str, out: bytes) -> AgentReply:
    """Read the reply on standard output: one JSON object with `answer` or `error`, or any other text."""
    try:
        text = out.decode("utf-8-sig").strip()
    except UnicodeDecodeError as fault:
        raise AgentError(f"`{name}` wrote what is not UTF-8, at byte {fault.start + 1}", "write UTF-8") from None
    if not text:
        raise AgentError(f"`{name}` ended with status 0 and wrote nothing", "write the answer to standard output")
    for part in (text, text.rpartition("\n")[2]):
        try:
            data = json.loads(part)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict) and (part is text or {"answer", "error"} & set(data)):
            return parse_agent_reply(data)
    return AgentReply(text)


FEEDBACK_TIMEOUT_S = 60.0


MAX_CHARACTERS = 4_000
"""Limit of a command's output, at its beginning and its end, where tests report what they tried and what failed."""


@dataclass(frozen=True, slots=True)
class CommandFeedback:
    """`(sample, answer) -> Feedback` by a command; can be sent to other processes."""

    command: tuple[str, ...]
    """Program and arguments; no shell interprets them."""
    timeout_s: float = FEEDBACK_TIMEOUT_S
    """Time limit; then it is killed, and the answer is wrong."""

    def __call__(self, sample: Sample, answer: str) -> Feedback:
        """Return the command's judgement.

        If the last line that it prints is a JSON object with `score`, or with `passes` and `failures`, that is the
        score: `{"score": 0.5, "feedback": "…"}`, `{"passes": 3, "failures": ["test_total"]}`.

        Raises:
            RunError: The command cannot be run, or its output is invalid.
        """
        request = json.dumps({**asdict(sample), "given": answer}, ensure_ascii=True)
        try:
            ended = run_program(
                self.command,
                request.encode("ascii"),
                self.timeout_s,
                kept_bytes=_KEPT_BYTES,
            )
        except OSError as fault:
            raise self._error(str(fault.strerror or fault).lower()) from None
        out, err = (each.decode("utf-8", "replace") for each in (ended.out, ended.err))
        if ended.is_late:
            late = f"It took longer than {self.timeout_s:g} s."
            return Feedback("\n".join(filter(None, [_redact_output(out + err), late])), 0.0)
        if ended.status in CANNOT_RUN:
            raise self._error(_redact_output(err) or f"it ended with status {ended.status}")
        return self._feedback(ended.status, out, err)

    def _feedback(self, status: int, out: str, err: str) -> Feedback:
        lines = out.rstrip().splitlines()
        data = _object(lines[-1]) if lines else None
        if data is None or not ({"score", "passes", "failures"} & set(data)):
            printed = _redact_output(out + err)
            if status < 0:
                printed = f"{printed}\nIt was ended by signal {-status}.".strip()
            elif status > 0:
                printed = printed or f"It ended with status {status}."
            return Feedback(printed, float(status == 0))
        feedback = data.get("feedback")
        text = feedback if isinstance(feedback, str) else "\n".join(lines[:-1])
        if "score" not in data:
            n_passed, n_failed = _number(data.get("passes")), _number(data.get("failures"))
            if n_passed is None or n_failed is None or n_passed + n_failed == 0:
                raise self._error(f"it printed `{lines[-1][:200]}`, and `passes` and `failures` are lists or numbers")
            failures = data.get("failures")
            names = [f"failed: {each}" for each in failures] if isinstance(failures, list) else []
            text = "\n".join(filter(None, [text, f"{n_passed} of {n_passed + n_failed} tests passed", *names]))
            return Feedback(_redact_output(text + err), n_passed / (n_passed + n_failed))
        score = data["score"]
        if not isinstance(score, (bool, int, float)) or not 0 <= score <= 1:
            raise self._error(f"it printed `{lines[-1][:200]}`, and `score` is a number from 0 to 1")
        return Feedback(_redact_output(text + err), float(score))

    def _error(self, why: str) -> RunError:
        return RunError(redact_text(f"the command for feedback `{' '.join(self.command)}` cannot be used: {why}"))


def _redact_output(text: str) -> str:
    """Return the part of the output that a model sees, without keys and passwords in it."""
    text = redact_text(text.encode("utf-8", "replace").decode("utf-8").strip())
    if len(text) <= MAX_CHARACTERS:
        return text
    half = MAX_CHARACTERS // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters left out …\n{text[-half:]}"


def _object(line: str) -> dict[str, Json] | None:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _number(value: Json) -> int | None:
    """Return a number of tests: of a list, its length."""
    if isinstance(value, list):
        return len(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

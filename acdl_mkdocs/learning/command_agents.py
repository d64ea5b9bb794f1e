"""`CommandAgent`: an agent that is a program: a task as JSON on its standard input, its answer on standard output.

The program is started once for each question, without a shell, in a group of processes of its own, which is ended as a
whole when it takes too long. Knows nothing about models or playbooks.
"""

import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import asdict, field
from importlib import import_module

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.learning.agents import Agent, AgentReply, Task, agent_reply
from acdl_mkdocs.learning.programs import CANNOT_RUN, run_program
from acdl_mkdocs.models import shorten
from acdl_mkdocs.models.model_errors import AgentError, is_about_account
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.redact import redacted_text

SCHEMA_VERSION = 1
"""Of the JSON that a program gets and gives."""
TIMEOUT_S = 600.0
MAX_BYTES = 16_000_000
"""Of what a program may write to standard output."""
_MAX_SHOWN = 400
_KEPT_BYTES = 1_000_000
"""Of standard error, whose last line says what is wrong."""


@dataclass(frozen=True, slots=True)
class CommandAgent:
    """An agent that is a program; may be sent to other processes.

    It gets one JSON object on standard input: `schema_version`, `id`, `question`, `context`, `playbook` (the lessons),
    `instructions` (the same with how to use them), `earlier` (attempts with `answer` and `reflection`), `prompt` (all
    but the lessons as one text) and `seed`. It gives a text, which is the answer, or one JSON object, which may be the
    last of several lines, with `answer` and, if it likes, `trajectory`, `bullet_ids` and `usage`; or with `error` and,
    if no other question can be answered either, `is_final: true`. Its exit status is 0 if it has answered.
    """

    command: tuple[str, ...]
    """Program and arguments; no shell looks at them."""
    timeout_s: float = TIMEOUT_S
    """One that takes longer for a question is ended."""
    environ: Mapping[str, str] | None = field(default=None, repr=False)
    """Its environment; `None` is ours."""

    @property
    def name(self) -> str:
        """The command as it is typed, without the keys that may be in it: it is in messages and in files of runs."""
        return redacted_text(shlex.join(self.command))

    def __call__(self, task: Task) -> AgentReply:
        """The program's answer.

        Raises:
            AgentError: There is none; the message has the exit status and the last line on standard error.
        """
        told = json.dumps(task_data(task), ensure_ascii=True).encode("ascii")
        try:
            ended = run_program(
                self.command,
                told,
                self.timeout_s,
                environ=self.environ,
                max_bytes=MAX_BYTES,
                kept_bytes=_KEPT_BYTES,
            )
        except OSError as reason:
            is_missing = isinstance(reason, FileNotFoundError)
            why = "there is no such program" if is_missing else (reason.strerror or "").lower()
            raise AgentError(
                f"`{redacted_text(self.command[0])}` cannot be run: {why}",
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
        return _read(self.name, ended.out)


def agent_named(text: str, timeout_s: float = TIMEOUT_S) -> Agent:
    """The agent that a person names: `MODULE:FUNCTION` in Python, or else a command.

    Raises:
        AgentError: There is no such function, or the command is none.
    """
    module, colon, function = text.strip().partition(":")
    if colon and function.isidentifier() and all(each.isidentifier() for each in module.split(".")):
        return _function(module, function)
    try:
        command = tuple(shlex.split(text, posix=os.name != "nt"))
    except ValueError as fault:
        raise AgentError(
            f"the command `{redacted_text(text)}` cannot be read: {str(fault).lower()}", is_final=True
        ) from None
    if not command:
        raise AgentError("the command is empty", "write one such as `python my_agent.py`", is_final=True)
    return CommandAgent(command, timeout_s)


def task_data(task: Task) -> dict[str, Json]:
    """A task as a program gets it."""
    data: dict[str, Json] = {"schema_version": SCHEMA_VERSION, **asdict(task)}
    return {**data, "instructions": task.instructions, "prompt": task.prompt}


def _function(module: str, name: str) -> Agent:
    try:
        found: Agent | None = getattr(import_module(module), name, None)
    except Exception as fault:
        said = f"the module `{module}` cannot be imported: {type(fault).__name__}: {fault}"
        raise AgentError(said, "start in its folder, or put it on PYTHONPATH", is_final=True) from fault
    if not callable(found):
        raise AgentError(f"`{module}` has no function `{name}`", "name one as `module:function`", is_final=True)
    return found


def _last_words(err: str) -> str:
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    return f": {redacted_text(shorten(lines[-1], _MAX_SHOWN))}" if lines else ""


def _read(name: str, out: bytes) -> AgentReply:
    """The reply on standard output: one JSON object with `answer` or `error`, or any other text."""
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
            return agent_reply(data)
    return AgentReply(text)

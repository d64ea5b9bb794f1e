"""One recorded run: the server, the program, and the source of its answers."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from itertools import count
from pathlib import Path
from types import FrameType

from acdl_mkdocs.foundation.errors import RecorderError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.providers.client_request import ResponseSource
from acdl_mkdocs.prompts.providers.provider import Host
from acdl_mkdocs.prompts.redact import redact_text
from acdl_mkdocs.runs.record.forward import ForwardedAnswers
from acdl_mkdocs.runs.record.providers import build_environment, list_providers
from acdl_mkdocs.runs.record.records import Mode, OutFile, RecordingWriter, list_episodes, refuse_to_write
from acdl_mkdocs.runs.record.replay import load_replay
from acdl_mkdocs.runs.record.script import load_script
from acdl_mkdocs.runs.record.server import RecordingServer

NOTHING_CAME = "no request was recorded: the program sent none, or it sets the address of the provider itself"
CURES = (
    "let the client read the address from the environment: remove `base_url` from the program",
    "if the client reads another variable, add `--variable NAME=openai`",
    "for another provider, add its address and variable: `--upstream mistral=https://api.mistral.ai --variable "
    "MISTRAL_BASE_URL=mistral`",
)


_UNKNOWN = "are recorded, but cannot be checked, because their format is not known"


@dataclass(frozen=True, slots=True)
class RecordingPlan:
    """The options of a recording, and the source of answers."""

    out: Path | None = None
    mode: Mode = "new"
    upstreams: Mapping[str, str] = field(default_factory=dict)
    """Addresses by names of providers, if they differ from the usual ones."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Names of more variables that get the address of the recorder, and the providers they are for."""
    replay: Path | None = None
    script: Path | None = None
    episode: str | None = None
    """Name of the run in the file; without it, the run is named after the file."""
    has_many_runs: bool = False
    """Whether the program has several conversations; then they get no common name."""
    is_all_wanted: bool = False
    """Whether unused replies or recorded requests at the end of the program are a fault."""
    command: tuple[str, ...] = ()
    """The program and its arguments, if it is run by this process, so that its files are not overwritten."""


class RecordingSession:
    """A run that is recorded, from its beginning to its end."""

    def __init__(self, plan: RecordingPlan, environ: Mapping[str, str]) -> None:
        """Prepare the run.

        Raises:
            RecorderError: Something of the plan cannot be done.
        """
        if plan.replay is not None and plan.script is not None:
            raise RecorderError(
                "a run is answered from a recording (`--replay`) or from a script (`--script`), not from both"
            )
        self.is_offline = plan.replay is not None or plan.script is not None
        if plan.is_all_wanted and not self.is_offline:
            raise RecorderError(
                "`--all` needs a script or a recording: add `--script replies.yaml` or `--replay run.jsonl`"
            )
        if plan.out is not None:
            inputs = [path for path in (plan.replay, plan.script) if path is not None]
            refuse_to_write(plan.out, inputs, plan.command)
        self._is_all_wanted = plan.is_all_wanted
        providers = list_providers(plan.upstreams, plan.variables, environ, is_offline=self.is_offline)
        self.answers = _make_source(plan, providers)
        episode = _choose_episode(plan)
        self._file = None if plan.out is None else OutFile(plan.out, plan.mode)
        self.lines = RecordingWriter(self._file, episode)
        try:
            self._server = RecordingServer(providers, self.answers, self.lines)
            self.variables = build_environment(providers, self._server.address, environ, is_offline=self.is_offline)
            """Variables for the environment of the program."""
        except BaseException:
            self.lines.close_recording()
            raise

    def start_recording(self) -> None:
        """Start answering."""
        self._server.start_serving()

    def stop_recording(self) -> None:
        """End the recording; pending answers are written as far as they came."""
        self._server.stop_serving()
        self.lines.close_recording()

    @property
    def is_file_as_before(self) -> bool:
        """Whether an existing recording is unchanged."""
        return self._file is not None and self._file.is_as_before

    def list_faults(self) -> list[str]:
        """Return reasons why the recording is unusable, one sentence each."""
        fault = [f"the recording is incomplete: {self.lines.fault}"] if self.lines.fault else []
        left_over = self.answers.list_unused() if self._is_all_wanted else []
        return list(map(redact_text, (*self.answers.list_failures(), *left_over, *self._server.failures, *fault)))

    def list_notes(self) -> list[str]:
        """Return further notes."""
        n_more = self._server.n_refused - 1
        refused = self._server.first_refusal + (f", and {n_more} more" if n_more > 0 else "")
        notes = [
            *([] if self._is_all_wanted else self.answers.list_unused()),
            *self.answers.list_notes(),
            *(f"calls of `{path}` ({n}) {_UNKNOWN}" for path, n in sorted(self.lines.unknown.items())),
            *([f"a call was refused: {refused}"] if refused else []),
        ]
        return list(map(redact_text, notes))


def _choose_episode(plan: RecordingPlan) -> str | None:
    """Return the name of the run, different from all runs in the file."""
    if plan.has_many_runs and plan.episode is not None:
        raise RecorderError("several conversations cannot have the same name; omit the name of the episode")
    if plan.has_many_runs or plan.episode is not None or plan.out is None:
        return plan.episode
    stem = plan.out.name.split(".")[0] or "run"
    taken = list_episodes(plan.out) if plan.mode == "append" else frozenset()
    return next(name for number in count(1) if (name := stem if number == 1 else f"{stem} {number}") not in taken)


def _make_source(plan: RecordingPlan, providers: Sequence[Host]) -> ResponseSource:
    if plan.script is not None:
        return load_script(plan.script)
    if plan.replay is not None:
        return load_replay(plan.replay)
    return ForwardedAnswers({each.name: each.upstream for each in providers if each.upstream is not None})


@contextmanager
def recording(
    out: Path | str | None = None,
    *,
    upstreams: Mapping[str, str] | None = None,
    variables: Mapping[str, str] | None = None,
    replay: Path | str | None = None,
    script: Path | str | None = None,
    episode: str | None = None,
    has_many_runs: bool = False,
    is_all_wanted: bool = False,
) -> Iterator[dict[str, str]]:
    """Record the requests of a program while the block runs; yield the variables for its environment.

    Args:
        out: File to write; an existing one is replaced by the first request. Without it, nothing is written.
        upstreams: Addresses by names of providers (`openai`, `anthropic`, `gemini`, or others), if they differ from the
            environment and the usual ones.
        variables: Names of more variables that get the address of the recorder, and the providers they are for.
        replay: A recording to answer from.
        script: A script of replies to answer from.
        episode: Name of the run in the file; by default the name of the file.
        has_many_runs: Whether the program has several conversations: they get no name, and are distinguished by the
            common content of their requests.
        is_all_wanted: Whether every reply of the script, or request of the recording, must be used.

    Raises:
        RecorderError: The recording is impossible, a request had no answer, there was none, or some required ones are
            missing.
    """
    plan = RecordingPlan(
        None if out is None else Path(out),
        "replace",
        upstreams or {},
        variables or {},
        None if replay is None else Path(replay),
        None if script is None else Path(script),
        episode,
        has_many_runs,
        is_all_wanted,
    )
    session = RecordingSession(plan, os.environ)
    try:
        session.start_recording()
        yield session.variables
    finally:
        session.stop_recording()
    faults = session.list_faults()
    if not faults and session.lines.n_requests == 0:
        faults = [NOTHING_CAME, *session.list_notes()]
    if faults:
        raise RecorderError("\n".join(faults))


_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGBREAK")
_OF_TERMINALS = ("SIGINT", "SIGQUIT")
"""Signals that a terminal sends to all programs that run in it."""
_KILLED = 128
"""Number that a shell adds to the signal that ended a program."""


def run_program(command: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run a program to its end; return its exit status.

    Raises:
        RecorderError: There is no such program, or it cannot be run.
    """
    started: list[subprocess.Popen[bytes]] = []
    before = _forward_signals(started)
    try:
        started.append(subprocess.Popen(list(command), env=dict(environ)))  # noqa: S603 - what the user asked for
        status = started[0].wait()
    except FileNotFoundError:
        raise RecorderError(
            f"there is no program `{command[0]}`; write the command after `--`, as in a terminal"
        ) from None
    except OSError as reason:
        raise RecorderError(f"`{command[0]}` cannot be run: {(reason.strerror or str(reason)).lower()}") from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return status if status >= 0 else _KILLED - status


def _forward_signals(started: "list[subprocess.Popen[bytes]]") -> dict[signal.Signals, "signal._HANDLER"]:
    """Forward signals to the program instead of ending; return the previous handlers."""
    own = {getattr(signal, name) for name in _OF_TERMINALS if hasattr(signal, name)}

    def pass_on(number: int, _frame: FrameType | None) -> None:
        if number in own and _is_in_foreground():
            return  # the terminal has sent it to the program as well
        for child in started:
            if child.poll() is None:
                child.send_signal(number)

    signals = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    ignored = [number for number in signals if signal.getsignal(number) == signal.SIG_IGN]
    return {number: signal.signal(number, pass_on) for number in signals if number not in ignored}


def _is_in_foreground() -> bool:
    """Return whether a terminal sends signals to this process."""
    if sys.platform == "win32":
        return True
    try:
        with open("/dev/tty", "rb") as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False

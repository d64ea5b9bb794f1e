"""`CommandFeedback`: a command of the user's that says what came of an answer: a test, a compiler, a simulator.

The command gets the sample and the answer as JSON on standard input. Its exit status is the outcome, 0 is right, and
what it prints is what the reflector is told. Knows nothing about models or playbooks.
"""

import json
from dataclasses import asdict

from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.learning.datasets import Sample
from acdl_mkdocs.learning.judge import Feedback
from acdl_mkdocs.learning.programs import CANNOT_RUN, run_program
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.redact import redacted_text

TIMEOUT_S = 60.0
_KEPT_BYTES = 1_000_000
"""Of the beginning and of the end of what a command prints, however much that is."""
MAX_CHARACTERS = 4_000
"""Of what a command printed: its beginning and its end, where tests say what they tried and what failed."""


@dataclass(frozen=True, slots=True)
class CommandFeedback:
    """`(sample, answer) -> Feedback` by a command; may be sent to other processes."""

    command: tuple[str, ...]
    """Program and arguments; no shell looks at them."""
    timeout_s: float = TIMEOUT_S
    """One that takes longer is ended, and the answer is wrong."""

    def __call__(self, sample: Sample, answer: str) -> Feedback:
        """What the command says.

        If the last line that it prints is a JSON object with `score`, or with `passes` and `failures`, that says how
        right the answer is: `{"score": 0.5, "feedback": "…"}`, `{"passes": 3, "failures": ["test_total"]}`.

        Raises:
            RunError: The command cannot be run, or says what nobody can understand.
        """
        told = json.dumps({**asdict(sample), "given": answer}, ensure_ascii=True)
        try:
            ended = run_program(
                self.command,
                told.encode("ascii"),
                self.timeout_s,
                kept_bytes=_KEPT_BYTES,
            )
        except OSError as fault:
            raise self._error(str(fault.strerror or fault).lower()) from None
        out, err = (each.decode("utf-8", "replace") for each in (ended.out, ended.err))
        if ended.is_late:
            late = f"It took longer than {self.timeout_s:g} s."
            return Feedback("\n".join(filter(None, [_shown(out + err), late])), 0.0)
        if ended.status in CANNOT_RUN:
            raise self._error(_shown(err) or f"it ended with status {ended.status}")
        return self._feedback(ended.status, out, err)

    def _feedback(self, status: int, out: str, err: str) -> Feedback:
        lines = out.rstrip().splitlines()
        data = _object(lines[-1]) if lines else None
        if data is None or not ({"score", "passes", "failures"} & set(data)):
            printed = _shown(out + err)
            if status < 0:
                printed = f"{printed}\nIt was ended by signal {-status}.".strip()
            elif status > 0:
                printed = printed or f"It ended with status {status}."
            return Feedback(printed, float(status == 0))
        said = data.get("feedback")
        text = said if isinstance(said, str) else "\n".join(lines[:-1])
        if "score" not in data:
            n_passed, n_failed = _number(data.get("passes")), _number(data.get("failures"))
            if n_passed is None or n_failed is None or n_passed + n_failed == 0:
                raise self._error(f"it printed `{lines[-1][:200]}`, and `passes` and `failures` are lists or numbers")
            failures = data.get("failures")
            names = [f"failed: {each}" for each in failures] if isinstance(failures, list) else []
            text = "\n".join(filter(None, [text, f"{n_passed} of {n_passed + n_failed} tests passed", *names]))
            return Feedback(_shown(text + err), n_passed / (n_passed + n_failed))
        score = data["score"]
        if not isinstance(score, bool | int | float) or not 0 <= score <= 1:
            raise self._error(f"it printed `{lines[-1][:200]}`, and `score` is a number from 0 to 1")
        return Feedback(_shown(text + err), float(score))

    def _error(self, why: str) -> RunError:
        return RunError(redacted_text(f"the command for feedback `{' '.join(self.command)}` cannot be used: {why}"))


def _shown(text: str) -> str:
    """What is kept and shown to a model, without the keys and passwords that a program may print."""
    text = redacted_text(text.encode("utf-8", "replace").decode("utf-8").strip())
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
    """A number of tests: of a list, how many it has."""
    if isinstance(value, list):
        return len(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

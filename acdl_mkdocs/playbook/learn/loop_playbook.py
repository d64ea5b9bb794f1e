"""A playbook file for the loop: its current state, and the part of it for a question."""

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.roles import PromptLessons
from acdl_mkdocs.playbook.learn.trajectory import PlaybookSize
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.model.curate import Curated
from acdl_mkdocs.playbook.model.prompt_text import prompt_text
from acdl_mkdocs.playbook.model.pruning import write_within_budget
from acdl_mkdocs.playbook.model.report import Report
from acdl_mkdocs.playbook.model.retrieval import Background, compute_background, drop_harmful, select_lessons
from acdl_mkdocs.playbook.store.load import get_usable_playbook, load
from acdl_mkdocs.playbook.store.save import update
from acdl_mkdocs.playbook.store.undo import return_to
from acdl_mkdocs.prompts.tokens import counter

CURATOR = "curator"
"""Actor in the history of all changes of a run."""
BEST = "best"
"""Suffix of the trace of the revision that restores the best playbook of a run."""
_LINE = re.compile(r"^\[([^\[\]\s]+)\] helpful=", re.MULTILINE)


def prepare_lessons(
    playbook: Playbook, task: str, top_k: int | None = None, background: Background | None = None
) -> PromptLessons:
    """Prepare the lessons for the generator: the whole playbook, or the nearest to the task, within the budget.

    Lessons that only did harm are left out; see `drop_harmful`.
    """
    policy = playbook.policy
    if top_k is None:
        count = counter.counter(policy.encoding or "estimate").count
        text = write_within_budget(drop_harmful(playbook), count, policy.budget_model_tokens)
    else:
        text = prompt_text(playbook, bullets=select_lessons(playbook, task, top_k, background=background))
    names = _LINE.findall(text)
    ids = {alias: name for name in names for alias in (*playbook.by_id[name].aliases, name)}
    return PromptLessons(text, ids)


def task_of(sample: Sample) -> str:
    """Return the text that lessons are compared with."""
    return f"{sample.question}\n{sample.context}" if sample.context else sample.question


def find_background(samples: Sequence[Sample], top_k: int | None) -> Background | None:
    """Compute what the given questions have in common; `None` without retrieval, or if there are too few."""
    return None if top_k is None else compute_background([task_of(each) for each in samples])


class CurrentPlaybook:
    """A playbook file that is read again when it has changed.

    Parameters:
        path: The file.
        top_k: How many bullets a question is answered with; `None` means all.
        warn: Called with sentences about findings in the files.
    """

    def __init__(self, path: Path, top_k: int | None = None, warn: Callable[[str], None] | None = None) -> None:
        self.path = path
        self._warn = warn
        self.top_k = top_k
        self._cached: tuple[tuple[int, int, int], Playbook] | None = None

    def read_current(self) -> Playbook:
        """Return the current playbook of the file.

        Raises:
            PlaybookError: The file has errors.
            OSError: It cannot be read.
        """
        state = self._state()
        if self._cached is None or self._cached[0] != state:
            self._cached = state, get_usable_playbook(load(self.path))
        return self._cached[1]

    def change_file(
        self, change: Callable[[Playbook], Curated], *, time: str | None, trace: str | None, actor: str
    ) -> None:
        """Change the file like `store.update`; the result need not be read again.

        Raises:
            PlaybookError: It cannot be changed.
        """
        changed = update(self.path, change, time=time, trace=trace, actor=actor, warn=self._warn).playbook
        self._cached = self._state(), changed

    def return_to(self, revision: int, reason: str, traces: str, time: str | None) -> None:
        """Restore the playbook to a revision, if only the run of these traces changed it since.

        Raises:
            PlaybookError: Another writer changed it, or it cannot be changed.
        """
        return_to(
            self.path,
            revision,
            reason=reason,
            trace=f"{traces}{BEST}",
            time=time,
            actor=CURATOR,
            warn=self._warn,
            by=traces,
        )

    def recover_state(self) -> tuple[str, int]:
        """Finish the work of a killed writer, and return name and revision."""
        current = update(self.path, lambda playbook: Curated(playbook, Report()), warn=self._warn).playbook
        return current.name, current.revision

    def _state(self) -> tuple[int, int, int]:
        """Return values that differ when the file was written."""
        status = self.path.stat()
        return status.st_mtime_ns, status.st_size, status.st_ino

    def prepare_lessons(
        self, playbook: Playbook, sample: Sample, background: Background | None = None
    ) -> PromptLessons:
        """Prepare the lessons for a question."""
        return prepare_lessons(playbook, task_of(sample), self.top_k, background)

    def measure_size(self, playbook: Playbook) -> PlaybookSize:
        """Return the size of the whole playbook."""
        return PlaybookSize(playbook.revision, len(playbook.active), self._count(prompt_text(playbook)))

    @cached_property
    def _count(self) -> Callable[[str], int]:
        return counter.counter(self.read_current().policy.encoding or "estimate").count

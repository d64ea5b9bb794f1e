"""`Plan`: which questions a run asks, in which order, and which of them are answered and curated together.

Knows nothing about models, playbooks or files. Source: arXiv:2510.04618, section 3.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import sha256

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.learning.datasets import Sample
from acdl_mkdocs.learning.trajectory import Place


def order_of(samples: Sequence[Sample], seed: int, epoch: int) -> list[Sample]:
    """The samples in the order of an epoch, the same on every machine and in every version of Python."""
    return sorted(samples, key=lambda sample: sha256(f"{seed}/{epoch}/{sample.id}".encode()).digest())


@dataclass(frozen=True)
class Plan:
    """The questions of a run. They are numbered from 1, over all epochs."""

    epochs: tuple[tuple[Sample, ...], ...]
    """None is empty. The last one of an online run is its stream, those before it are its warm-up."""
    window: int = 1
    """Questions that are answered with the same playbook."""
    batch: int = 1
    """Questions that one delta is made of; a window is made of whole batches."""
    is_online: bool = False

    @cached_property
    def questions(self) -> tuple[Sample, ...]:
        """All of them, in the order in which they are asked."""
        return tuple(sample for epoch in self.epochs for sample in epoch)

    @cached_property
    def _starts(self) -> list[int]:
        """How many questions are before each epoch."""
        starts = [0]
        for epoch in self.epochs:
            starts.append(starts[-1] + len(epoch))
        return starts

    def within(self, n: int) -> tuple[int, int]:
        """Which question of its epoch a question is, from 1, and how many that epoch has."""
        idx = self._epoch_of(n)
        return n - self._starts[idx], len(self.epochs[idx])

    def is_warm_up(self, epoch: int) -> bool:
        """Whether an epoch only prepares the playbook for the stream of an online run."""
        return self.is_online and epoch < len(self.epochs)

    def place(self, n: int) -> Place:
        """The place of a question."""
        return Place(n, self._epoch_of(n) + 1, self.questions[n - 1].id)

    def n_before_in_window(self, n: int) -> int:
        """How many questions of the same window come before a question."""
        return (self.within(n)[0] - 1) % self.window

    def window_after(self, n_done: int) -> list[Place]:
        """The questions of the next window that are not done; none spans two epochs."""
        if n_done == len(self.questions):
            return []
        in_epoch, size = self.within(n_done + 1)
        rest = self.window - (in_epoch - 1) % self.window
        return [self.place(n_done + 1 + idx) for idx in range(min(rest, size - in_epoch + 1))]

    def batches(self, window: Sequence[Place]) -> Iterator[list[Place]]:
        """The batches of a window, or of what is left of one."""
        found: list[Place] = []
        for place in window:
            found.append(place)
            in_epoch, size = self.within(place.n)
            if in_epoch % self.batch == 0 or in_epoch == size:
                yield found
                found = []

    def n_points(self, n: int, every: int | None) -> int:
        """How often a playbook is due to be validated until question `n` is done: first before any question.

        Parameters:
            n: Questions that are done.
            every: So many questions; `None` is an epoch.
        """
        ends = {end for end in self._starts if end <= n}
        return len(ends if every is None else ends.union(range(every, n + 1, every)))

    def _epoch_of(self, n: int) -> int:
        return next(idx for idx, end in enumerate(self._starts[1:]) if n <= end)

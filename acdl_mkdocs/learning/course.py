"""How a run went, worked out from its records alone: totals, accuracy of each epoch, and points of a curve."""

from collections.abc import Mapping

from acdl_mkdocs.learning.plan import Plan
from acdl_mkdocs.learning.trajectory import Record, Totals, add
from acdl_mkdocs.prompts.prompt import Json

POINTS_PER_EPOCH = 10
"""How many stretches of an epoch have an accuracy of their own."""


class Course:
    """How a run went, record by record: its totals, and for each stretch of questions the accuracy and the playbook.

    Parameters:
        plan: The questions.
    """

    def __init__(self, plan: Plan) -> None:
        self.totals = Totals()
        self.points: list[Record] = []
        self.epochs: dict[int, Totals] = {}
        self._plan = plan
        self._stretch = Totals()

    def add(self, record: Mapping[str, Json]) -> None:
        """One more question."""
        self.totals, self._stretch = add(self.totals, record), add(self._stretch, record)
        n, epoch = record.get("n"), record.get("epoch")
        if not isinstance(n, int) or not isinstance(epoch, int):
            return
        self.epochs[epoch] = add(self.epochs.get(epoch, Totals()), record)
        in_epoch, size = self._plan.within(n)
        if in_epoch % max(1, -(-size // POINTS_PER_EPOCH)) and in_epoch != size:
            return
        read: Record = {"epoch": epoch, "n": n, "accuracy": self._stretch.accuracy}
        playbook = record.get("playbook")
        self.points.append(
            {**read, "n_scored": self._stretch.n_scored, **(playbook if isinstance(playbook, dict) else {})}
        )
        self._stretch = Totals()

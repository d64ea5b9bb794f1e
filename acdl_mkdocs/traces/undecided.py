"""A point in time at which not everything is known, and what hears of it. Knows nothing of patterns."""

from collections.abc import Iterable
from dataclasses import field

from acdl_mkdocs.evaluation.context import Moment
from acdl_mkdocs.evaluation.problems import Findings
from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.values import Time, Unknown
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.nodes import Expression


@dataclass(frozen=True, slots=True)
class OpenMoment(Moment):
    """A point in time at which it may be unknown how many sub-steps an earlier step had."""

    last_known: int = 0
    """The last step of which the state says everything."""
    unknown: list[Time] = field(default_factory=list)
    """The steps whose sub-steps were asked for in vain."""

    def substeps(self, time: Time) -> int:
        """How many sub-steps a step has."""
        key, records = time.significant, self.state.records
        is_decided = time.is_after(self.at) or time.has_inside(self.at) or key[0] <= self.last_known
        if not is_decided and key not in records.children and key not in records.steps:
            self.unknown.append(time)
        return Moment.substeps(self, time)


class OpenFindings(Findings):
    """Hears of what is not decided, and says nothing."""

    n_open = 0

    def say(self, here: Here, diagnostic: Diagnostic) -> None:  # noqa: ARG002  # as it is called
        """Something is wrong with the evaluation: what it gives there is not known."""
        self.n_open += diagnostic.severity == "error"

    def undecided(  # as it is called
        self,
        here: Here,  # noqa: ARG002
        condition: Expression,  # noqa: ARG002
        text: str,  # noqa: ARG002
        unknown: Unknown,  # noqa: ARG002
    ) -> None:
        """A condition, or how often a loop is gone through, is not known."""
        self.n_open += 1

    def need(self, here: Here, unknowns: Iterable[Unknown]) -> None:  # noqa: ARG002  # as it is called
        """What is not known may be anything."""
        self.lacking.extend(unknowns)

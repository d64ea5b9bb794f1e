"""Everything that stays the same during one evaluation: the state, the point in time, how ranges are read."""

from collections.abc import Callable
from dataclasses import field

from acdl_mkdocs.evaluation.findings import Findings
from acdl_mkdocs.evaluation.limits import Budget
from acdl_mkdocs.evaluation.scope import Now
from acdl_mkdocs.evaluation.state import State
from acdl_mkdocs.evaluation.values import Time, Unknown, Value
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.answers import Giver
from acdl_mkdocs.language.syntax.nodes import ContextVar, Expression, Node
from acdl_mkdocs.language.syntax.words import WRITTEN, text_of, words_of


@dataclass(frozen=True, slots=True)
class Moment:
    """One spec at one point in time, with a state."""

    state: State
    now: Now
    """The point, and what the title of the spec calls its parts."""
    range_mode: RangeMode
    budget: Budget
    findings: Findings
    giver_of: Callable[[ContextVar], Giver] = lambda _: "itself"
    """Which prompt gives an answer of the current step."""
    _written: dict[Node, str] = field(default_factory=dict)
    _assumed: dict[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Assumptions are looked up without blanks."""
        for each in self.state.assume:
            self._assumed.setdefault(_squeezed(each.when), each.value)

    @property
    def at(self) -> Time:
        """The point in time."""
        return self.now.at

    def written(self, node: Expression) -> str:
        """An expression as the normal form writes it."""
        text = self._written.get(node)
        if text is None:
            text = self._written[node] = text_of(words_of(node, WRITTEN))
        return text

    def assumed(self, node: Expression, unknown: Unknown, resolved: Callable[[], str]) -> Value:
        """What the state says to assume for what it does not have: a reference or a condition.

        Parameters:
            node: The expression.
            unknown: Why it has no value; given back where nothing is assumed.
            resolved: Gives the expression with its times filled in.
        """
        if self._assumed and unknown.kind in ("missing", "function"):
            for text in (self.written(node), resolved()):
                if _squeezed(text) in self._assumed:
                    return self._assumed[_squeezed(text)]
        return unknown

    def substeps(self, time: Time) -> int:
        """How many sub-steps a step has; of the current one, those that are completed; a later one has none yet."""
        parts = time.significant
        if time.is_after(self.at):
            return 0
        return self.at.part(len(parts)) if time.has_inside(self.at) else self.state.substeps(parts)


def _squeezed(text: str) -> str:
    return "".join(text.split())

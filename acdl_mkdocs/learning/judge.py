"""What came of an answer: compared with the right one, or as somebody's own function says.

Without either nothing is known, and that is what the reflector is told. Knows nothing about models or playbooks.
"""

from collections.abc import Callable
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.learning.datasets import Sample
from acdl_mkdocs.learning.scorers import Scorer


@dataclass(frozen=True, slots=True)
class Feedback:
    """What the world says about an answer: output of a test, an error code, a reply of an interface."""

    text: str
    score: float | None = None
    """From 0 to 1, 1 is right; `None` where it cannot be said."""


Watch: TypeAlias = Callable[[Sample, str], Feedback]
"""`(sample, answer) -> Feedback`: somebody's own function; a function of a module, if workers are processes."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known about one answer."""

    score: float | None
    words: str
    """What the reflector is told."""

    @property
    def is_right(self) -> bool:
        """Whether nothing is left to be wished for."""
        return self.score is not None and self.score >= 1.0


@dataclass(frozen=True, slots=True)
class Judge:
    """Looks at answers."""

    scorer: Scorer
    """`(answer, truth) -> Score`, for samples with a ground truth."""
    feedback: Watch | None = None

    def look(self, sample: Sample, answer: str) -> Verdict:
        """What came of an answer; the right answer of the sample counts before what feedback scores."""
        said = self.feedback(sample, answer) if self.feedback is not None else None
        heard = [f"Feedback: {said.text}"] if said is not None and said.text else []
        if sample.answer is not None:
            score = self.scorer(answer, sample.answer)
            lines = [_in_words(score.value), f"Correct answer: {sample.answer}"]
            lines += [f"Comparison: {score.detail}"] if score.detail else []
            return Verdict(score.value, "\n".join([*lines, *heard]))
        if said is None or said.score is None:
            return Verdict(None, "\n".join(["Whether the answer is right is not known.", *heard]))
        return Verdict(said.score, "\n".join([_in_words(said.score), *heard]))


def _in_words(score: float) -> str:
    if score >= 1:
        return "The answer is right."
    return "The answer is wrong." if score <= 0 else f"The answer is partly right: score {score:.2f} of 1."

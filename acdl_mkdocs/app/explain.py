"""Explain specs in words: their messages, the conditions, how they grow, and the values that a state needs."""

from collections.abc import Iterable

from acdl_mkdocs.app.understood import ResolvedText
from acdl_mkdocs.evaluation.explain.explain import explain as explain_resolved
from acdl_mkdocs.evaluation.explain.model import Explanation
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.workspace.read_block import Finding


@dataclass(frozen=True, slots=True)
class Explained:
    """The explanations of specs."""

    explanations: tuple[Explanation, ...]
    """One for each spec, in the order of the texts."""
    errors: tuple[Finding, ...]
    """Parts that are not understood; the rest is explained anyway."""


def explain(texts: Iterable[ResolvedText], spec: str | None = None) -> Explained:
    """Explain the specs of texts, in their order.

    Parameters:
        texts: The texts, such as the blocks of a page.
        spec: Name of the one spec or fragment to explain, which each text must have.

    Raises:
        UnknownSpecError: A text has no definition of that name.
    """
    explanations: list[Explanation] = []
    errors: list[Finding] = []
    for each in texts:
        errors += each.errors
        explanations += explain_resolved(each.resolved, spec, each.config)
    return Explained(tuple(explanations), tuple(errors))

"""Specs in words: what they send, when, how that grows, and what a state has to say."""

from collections.abc import Iterable

from acdl_mkdocs.app.understood import Understood
from acdl_mkdocs.evaluation.explain.explain import explain as explain_resolved
from acdl_mkdocs.evaluation.explain.model import Explanation
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.workspace.read_block import Finding


@dataclass(frozen=True, slots=True)
class Explained:
    """Specs in words."""

    explanations: tuple[Explanation, ...]
    errors: tuple[Finding, ...]
    """What is not understood; the rest is explained anyway."""


def explain(texts: Iterable[Understood], spec: str | None = None) -> Explained:
    """Explain the specs of texts, in their order.

    Parameters:
        texts: The texts, such as the blocks of a page.
        spec: Name of the one spec or fragment that is wanted, which each text has to have.

    Raises:
        UnknownSpecError: A text has no definition of that name.
    """
    explanations: list[Explanation] = []
    errors: list[Finding] = []
    for each in texts:
        errors += each.errors
        explanations += explain_resolved(each.resolved, spec, each.config)
    return Explained(tuple(explanations), tuple(errors))

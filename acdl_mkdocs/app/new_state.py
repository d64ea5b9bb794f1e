"""A first sample state of a spec, with a placeholder for everything that it reads."""

from acdl_mkdocs.app.understood import Understood
from acdl_mkdocs.evaluation.evaluate import spec_of
from acdl_mkdocs.evaluation.state.skeleton import skeleton
from acdl_mkdocs.evaluation.state.spec_reads import reads_of
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.workspace.read_block import Finding

SCHEMA = "state.schema.json"
"""Where editors find the schema of states, if it lies beside the state."""


@dataclass(frozen=True, slots=True)
class FirstState:
    """A state that a person fills in."""

    text: str
    """YAML; empty if there are errors."""
    spec: str
    """Name of the spec; empty for a text without a title."""
    errors: tuple[Finding, ...] = ()
    """What of the text is not understood: what it reads is not known then."""


def new_state(text: Understood, spec: str | None = None, schema: str = SCHEMA) -> FirstState:
    """Write a first state of a spec.

    Parameters:
        text: The text with the spec.
        spec: Its name; without it the first of the text.
        schema: Where editors find the schema of states.

    Raises:
        UnknownSpecError: The text has no spec of that name, or only fragments.
    """
    if text.errors:
        return FirstState("", "", text.errors)
    prompt = spec_of(text.resolved, spec)
    name = prompt.name.name if prompt is not None else ""
    reads = reads_of(text.resolved, [prompt] if prompt is not None else [])
    return FirstState(skeleton(reads, name, schema), name)

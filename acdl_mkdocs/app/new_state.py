"""Write a first sample state of a spec, with a placeholder for every value that it reads."""

from acdl_mkdocs.app.understood import ResolvedText
from acdl_mkdocs.evaluation.evaluate import find_spec
from acdl_mkdocs.evaluation.state.skeleton import write_skeleton
from acdl_mkdocs.evaluation.state.spec_reads import collect_reads
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.workspace.read_block import Finding

SCHEMA = "state.schema.json"
"""Path of the state schema for editors, if it is beside the state."""


@dataclass(frozen=True, slots=True)
class FirstState:
    """A state for a person to complete."""

    text: str
    """YAML; empty if there are errors."""
    spec: str
    """Name of the spec; empty for a text without a title."""
    errors: tuple[Finding, ...] = ()
    """Parts of the text that are not understood: what they read is unknown."""


def new_state(text: ResolvedText, spec: str | None = None, schema: str = SCHEMA) -> FirstState:
    """Write a first state of a spec.

    Parameters:
        text: The text with the spec.
        spec: Its name; by default the first of the text.
        schema: Path of the state schema for editors.

    Raises:
        UnknownSpecError: The text has no spec of that name, or only fragments.
    """
    if text.errors:
        return FirstState("", "", text.errors)
    prompt = find_spec(text.resolved, spec)
    name = prompt.name.name if prompt is not None else ""
    reads = collect_reads(text.resolved, [prompt] if prompt is not None else [])
    return FirstState(write_skeleton(reads, name, schema), name)

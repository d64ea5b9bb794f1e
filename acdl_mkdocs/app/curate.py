"""Apply a delta to a playbook, and report what is applied and what is not, with reasons. Writes no file."""

from collections.abc import Iterable

from acdl_mkdocs.app.cures import Refusal
from acdl_mkdocs.playbook.model.bullets import Playbook, Provenance
from acdl_mkdocs.playbook.model.curate import Curated, curation_of
from acdl_mkdocs.playbook.model.curate import curate as curate_with
from acdl_mkdocs.playbook.model.delta import Delta
from acdl_mkdocs.playbook.model.edits import PERSON
from acdl_mkdocs.playbook.model.near_pairs import Decision
from acdl_mkdocs.playbook.model.prompt_text import prompt_text
from acdl_mkdocs.playbook.model.refine import apply_decisions, is_due


def curate(playbook: Playbook, delta: Delta, actor: str = PERSON, source: Provenance | None = None) -> Curated:
    """Apply a delta, with the similarity and the budget that the policy of the playbook names.

    Parameters:
        playbook: The playbook to change.
        delta: The operations.
        actor: Who applies it, for the history.
        source: The source of added lessons.

    Raises:
        UnknownFormatError: The policy names a similarity or an encoding that does not exist.
        MissingExtraError: The packages that one of them needs are not installed.
    """
    return curate_with(playbook, delta, curation_of(playbook, actor, source=source))


def decide(playbook: Playbook, decisions: Iterable[Decision], actor: str = PERSON) -> Curated:
    """Apply decisions about similar lessons; raises what `curate()` raises."""
    return apply_decisions(playbook, tuple(decisions), curation_of(playbook, actor))


def needs_refining(before: Playbook, after: Playbook) -> bool:
    """Whether the policy requires decisions about similar lessons after a delta."""
    return is_due(after, before.revision, curation_of(after).count(prompt_text(after)))


def refusal_of(curated: Curated) -> Refusal | None:
    """Return why nothing was applied; `None` if something was."""
    if curated.report.applied:
        return None
    if not curated.report.rejected:
        return Refusal("nothing changed", ("the playbook says so already",))
    first = curated.report.rejected[0]
    field = first.path.rpartition(".")[2] if "." in first.path else ""
    return Refusal(f"{field}: {first.message}" if field else first.message, (first.help or "send another text",))

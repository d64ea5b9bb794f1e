"""Who says a lesson, in which run, with which model, and when: what readers filter by and the summary counts.

On a page each bullet has this as a few characters that a script reads: the revision that changed it last, then the
places of its values among the choices of each filter, as in `17 run0 model2 who0 who3`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Bullet
from acdl_mkdocs.playbook_pages.published import Published
from acdl_mkdocs.playbook_pages.recorded import Revision, Step, day_of
from acdl_mkdocs.playbook_pages.told import group_of

FACETS = {"run": "Run", "model": "Model", "who": "Who"}
"""Names of the filters, as addresses have them, with their titles."""


@dataclass(frozen=True, slots=True)
class Facets:
    """What is known of the origin of some bullets."""

    choices: Mapping[str, "Counter[str]"] = field(default_factory=dict)
    """The values of each facet, sorted, with the number of bullets that have them; none that tells nothing apart."""
    codes: Mapping[str, str] = field(default_factory=dict)
    """What the element of each bullet says, by its id."""
    days: tuple[tuple[int, str], ...] = ()
    """From which revision on revisions are of which date, where it is another than that of the one before."""


def facets_of(bullets: Sequence[Bullet], published: Published) -> Facets:
    """The origin of the bullets of a page."""
    values = {bullet.id: values_of(bullet, published) for bullet in bullets}
    choices: dict[str, Counter[str]] = {}
    for name in FACETS:
        counts = Counter(value for each in values.values() for value in each[name])
        if any(number < len(bullets) for number in counts.values()):
            choices[name] = Counter({value: counts[value] for value in sorted(counts)})
    places = {(name, value): f"{name}{idx}" for name, each in choices.items() for idx, value in enumerate(each)}
    codes = {}
    for bullet in bullets:
        named = [places[name, value] for name in choices for value in values[bullet.id][name]]
        codes[bullet.id] = " ".join([str(changed_in(bullet, published)), *named])
    return Facets(choices, codes, tuple(_days(published.revisions)))


def values_of(bullet: Bullet, published: Published) -> dict[str, tuple[str, ...]]:
    """The runs and models of a bullet, and who said or changed it: each once, sorted."""
    told = [revision.actor for revision, _ in changes_of(bullet.id, published)]
    found: dict[str, set[str | None]] = {
        "run": {source.run for source in bullet.source},
        "model": {source.model for source in bullet.source},
        "who": {*(source.by for source in bullet.source), *told},
    }
    return {name: tuple(sorted(value for value in each if value)) for name, each in found.items()}


def changed_in(bullet: Bullet, published: Published) -> int:
    """The revision that added a bullet or changed it last, tags apart."""
    return max((revision.number for revision, _ in changes_of(bullet.id, published)), default=bullet.added)


def changes_of(id: str, published: Published) -> Iterator[tuple[Revision, Step]]:
    """What happened to a bullet, tags apart; the newest last."""
    return (each for each in published.steps.get(id, ()) if group_of(each[1]) != "Counters")


def _days(revisions: Iterable[Revision]) -> Iterator[tuple[int, str]]:
    """The first of each row of revisions that have the same date; one whose date is not known belongs to its row."""
    last = ""
    for revision in revisions:
        if (day := day_of(revision)) and day != last:
            yield revision.number, day
            last = day

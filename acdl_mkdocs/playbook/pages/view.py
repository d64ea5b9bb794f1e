"""What bullets on a page need to know of their surroundings: who says a lesson, in which run."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import Bullet
from acdl_mkdocs.playbook.pages.history_html import Revision, Step, day_of, group_of
from acdl_mkdocs.playbook.pages.published import Published
from acdl_mkdocs.prompts.prompt import Json

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


@dataclass(frozen=True, slots=True)
class Target:
    """What a bullet applies to: a spec or a fragment of the site."""

    href: str
    """Its address on the page of the bullet."""
    title: str
    """What a person calls it: `React2`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a page knows of its site; addresses are those of links on this page."""

    link: Callable[[str], Target | None] | None = None
    """From what a bullet applies to (`acdl:React2`) to the spec; `None` where the site is not known."""
    elsewhere: Callable[[str], str] | None = None
    """From the id of a bullet that is not on this page to its address; `None` where no page shows it."""
    revision: Callable[[int], str] | None = None
    """From the number of a revision to its changes; `None` where no page shows them."""
    files: Mapping[str, str] = field(default_factory=dict)
    """From the names of the files beside the playbook's page (`playbook.json`) to their addresses."""
    accuracy: Mapping[int, float] = field(default_factory=dict)
    """From revisions to the share of questions that were answered rightly with them, where a run has measured it."""
    evaluation: Mapping[str, Json] = field(default_factory=dict)
    """The report of an evaluation, as data; empty without one."""


@dataclass(frozen=True, slots=True)
class View:
    """A playbook as one page shows it."""

    published: Published
    here: Mapping[str, str]
    """The ids of the bullets that the page shows, and of those that were merged into them, each with its anchor."""
    around: Surroundings = field(default_factory=Surroundings)
    facets: Facets = field(default_factory=Facets)
    """The origin of the bullets, where readers can filter by it."""

    def address(self, id: str) -> str:
        """Where a bullet is shown; empty if nowhere."""
        owner = self.published.playbook.by_id.get(id)
        if owner and owner.id in self.here:
            return f"#{self.here[owner.id]}"
        return self.around.elsewhere(owner.id) if owner and self.around.elsewhere else ""

"""The surroundings of bullets on a page: links, files, and the filters by contributor and run."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import Bullet
from acdl_mkdocs.playbook.pages.history_html import Revision, Step, day_of, group_of
from acdl_mkdocs.playbook.pages.published import Published
from acdl_mkdocs.prompts.prompt import Json

FACETS = {"run": "Run", "model": "Model", "who": "Who"}
"""Names of the filters, as in addresses, with their titles."""


@dataclass(frozen=True, slots=True)
class Facets:
    """The origins of some bullets."""

    choices: Mapping[str, "Counter[str]"] = field(default_factory=dict)
    """The values of each facet, sorted, with the number of their bullets; facets with a single value are left out."""
    codes: Mapping[str, str] = field(default_factory=dict)
    """The filter codes of each bullet, by its id."""
    days: tuple[tuple[int, str], ...] = ()
    """The first revision of each date, with the date."""


def facets_of(bullets: Sequence[Bullet], published: Published) -> Facets:
    """Return the origins of the bullets of a page."""
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
    """Return the runs, models and contributors of a bullet: each once, sorted."""
    actors = [revision.actor for revision, _ in changes_of(bullet.id, published)]
    values: dict[str, set[str | None]] = {
        "run": {source.run for source in bullet.source},
        "model": {source.model for source in bullet.source},
        "who": {*(source.by for source in bullet.source), *actors},
    }
    return {name: tuple(sorted(value for value in each if value)) for name, each in values.items()}


def changed_in(bullet: Bullet, published: Published) -> int:
    """Return the revision that added a bullet or changed it last, ignoring tags."""
    return max((revision.number for revision, _ in changes_of(bullet.id, published)), default=bullet.added)


def changes_of(id: str, published: Published) -> Iterator[tuple[Revision, Step]]:
    """Yield the changes of a bullet without tags; the newest last."""
    return (each for each in published.steps.get(id, ()) if group_of(each[1]) != "Counters")


def _days(revisions: Iterable[Revision]) -> Iterator[tuple[int, str]]:
    """Yield the first revision of each run with the same date; an unknown date continues the run."""
    last = ""
    for revision in revisions:
        if (day := day_of(revision)) and day != last:
            yield revision.number, day
            last = day


@dataclass(frozen=True, slots=True)
class Target:
    """A spec or a fragment of the site that a bullet applies to."""

    href: str
    """Its address from the page of the bullet."""
    title: str
    """Its title: `React2`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The site as seen from a page; addresses are relative to this page."""

    link: Callable[[str], Target | None] | None = None
    """Returns the spec that a bullet applies to (`acdl:React2`); `None` if the site is unknown."""
    elsewhere: Callable[[str], str] | None = None
    """Returns the address of a bullet that is not on this page; `None` if no page shows it."""
    revision: Callable[[int], str] | None = None
    """Returns the address of the changes of a revision; `None` if no page shows them."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The addresses of the files beside the playbook's page, by name (`playbook.json`)."""
    accuracy: Mapping[int, float] = field(default_factory=dict)
    """Maps revisions to the share of questions answered correctly with them, if a run measured it."""
    evaluation: Mapping[str, Json] = field(default_factory=dict)
    """The report of an evaluation, as data; empty without one."""


@dataclass(frozen=True, slots=True)
class View:
    """A playbook as one page shows it."""

    published: Published
    anchors: Mapping[str, str]
    """The anchors of the bullets on the page, by their ids, including merged ones."""
    surroundings: Surroundings = field(default_factory=Surroundings)
    facets: Facets = field(default_factory=Facets)
    """The origins of the bullets, if readers can filter by them."""

    def find_address(self, id: str) -> str:
        """Return the address of a bullet; empty if no page shows it."""
        owner = self.published.playbook.by_id.get(id)
        if owner and owner.id in self.anchors:
            return f"#{self.anchors[owner.id]}"
        return self.surroundings.elsewhere(owner.id) if owner and self.surroundings.elsewhere else ""

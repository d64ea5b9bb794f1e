"""What bullets on a page need to know of their surroundings: addresses, and which bullets the page has."""

from collections.abc import Callable, Mapping
from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook_pages.facets import Facets
from acdl_mkdocs.playbook_pages.published import Published
from acdl_mkdocs.prompts.prompt import Json


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

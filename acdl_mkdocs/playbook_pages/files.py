"""The files that programs and people take from beside the page of a playbook.

All of them are made from what is published. Which a page has is known without making them.
"""

from collections.abc import Callable, Mapping

from acdl_mkdocs.exchange import EXCHANGES
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.playbook.pruning import fitted
from acdl_mkdocs.playbook_pages.compare import revisions_json
from acdl_mkdocs.playbook_pages.feeds import Addresses, atom_feed, json_feed
from acdl_mkdocs.playbook_pages.head import counter_of
from acdl_mkdocs.playbook_pages.inline import clean
from acdl_mkdocs.playbook_pages.published import Published
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.store.write_playbook import text_of


@dataclass(frozen=True, slots=True)
class Alternate:
    """What `<link rel="alternate">` in the head of the page says of a file."""

    name: str
    type: str
    title: str


ALTERNATES: Mapping[str, Alternate] = {
    each.name: each
    for each in (
        Alternate("playbook.json", "application/json", "Playbook as JSON"),
        Alternate("playbook.yaml", "application/yaml", "Playbook as YAML"),
        Alternate("playbook.txt", "text/plain", "Playbook as text"),
        Alternate("prompt.txt", "text/plain", "Playbook as it stands in prompts"),
        Alternate("AGENTS.md", "text/markdown", "Playbook for AGENTS.md"),
        Alternate("changes.json", "application/json", "Changes of the playbook as JSON"),
        Alternate("revisions.json", "application/json", "What each revision of the playbook changed, in short"),
        Alternate("feed.json", "application/feed+json", "Changes of the playbook"),
        Alternate("feed.xml", "application/atom+xml", "Changes of the playbook"),
    )
}
_OF_HISTORY = frozenset(("changes.json", "revisions.json", "feed.json", "feed.xml"))


def file_names(published: Published) -> tuple[str, ...]:
    """The names of all files, in their order; those of changes only with a history."""
    return tuple(name for name in ALTERNATES if published.revisions or name not in _OF_HISTORY)


def machine_files(published: Published, addresses: Callable[[str], Addresses]) -> dict[str, str]:
    """The text of each file by its name.

    Parameters:
        published: The playbook.
        addresses: From the name of a feed to where things are on the web.
    """
    playbook = published.playbook
    made: dict[str, Callable[[], str]] = {
        "playbook.json": lambda: EXCHANGES["json"].write(playbook),
        "playbook.yaml": lambda: text_of(playbook),
        "playbook.txt": lambda: EXCHANGES["text"].write(playbook),
        "prompt.txt": lambda: fitted(playbook, counter_of(playbook).count, playbook.policy.budget_model_tokens) + "\n",
        "AGENTS.md": lambda: EXCHANGES["agents-md"].write(playbook),
        "changes.json": lambda: changes_json(published),
        "revisions.json": lambda: revisions_json(published),
        "feed.json": lambda: json_feed(published, addresses("feed.json")),
        "feed.xml": lambda: atom_feed(published, addresses("feed.xml")),
    }
    return {name: made[name]() for name in file_names(published)}


def changes_json(published: Published) -> str:
    """The published history for programs, the newest revision first."""
    revisions: list[Json] = [
        {
            "revision": revision.number,
            "time": revision.time or None,
            "actor": revision.actor or None,
            "trace": revision.trace or None,
            "reasoning": revision.reasoning or None,
            "steps": [
                {
                    "op": step.op,
                    "kind": step.kind,
                    "id": step.id,
                    "before": dict(step.before) if step.before is not None else None,
                    "after": dict(step.after) if step.after is not None else None,
                    "reason": step.reason or None,
                    "guards": list(step.guards),
                }
                for step in revision.steps
            ],
        }
        for revision in reversed(published.revisions)
    ]
    data: Json = {"schema_version": 1, "name": published.playbook.name, "revisions": revisions}
    return json_text(data) + "\n"


def alternate_links(addresses: Mapping[str, str]) -> str:
    """The elements for the head of a page, for tools that let pages add some.

    `rel` ends with a blank: Material for MkDocs takes every `link[rel=alternate]` for another language of its site.

    Parameters:
        addresses: From the names of files to their addresses on the page.
    """
    return "\n".join(
        f'<link rel="alternate " type="{each.type}" title="{each.title}" href="{clean(addresses[name])}">'
        for name, each in ALTERNATES.items()
        if name in addresses
    )

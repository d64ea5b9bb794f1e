"""Files beside the pages of a playbook for programs and feed readers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from html import escape
from uuid import NAMESPACE_URL, uuid5

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import json_text, make_visible
from acdl_mkdocs.playbook.exchange import EXCHANGES
from acdl_mkdocs.playbook.exchange.json_feed import FeedItem, write_feed
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.model.pruning import select_within_budget, write_within_budget
from acdl_mkdocs.playbook.model.retrieval import drop_harmful
from acdl_mkdocs.playbook.pages.changes import revisions_json
from acdl_mkdocs.playbook.pages.head import counter_of
from acdl_mkdocs.playbook.pages.history_html import Revision, is_worth_showing, render_groups, summarize_revision
from acdl_mkdocs.playbook.pages.html_text import clean_text
from acdl_mkdocs.playbook.pages.published import Published
from acdl_mkdocs.playbook.store.write_playbook import text_of
from acdl_mkdocs.prompts.prompt import Json

MOST_ITEMS = 50
_NO_TIME = "1970-01-01T00:00:00Z"
"""Time of revisions before the first one with a known time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Web addresses; empty if the address of the site is unknown."""

    home: str = ""
    """The playbook's page."""
    feed: str = ""
    """The feed itself."""
    revision: Callable[[int], str] | None = None
    """Returns the address of the changes of a revision."""
    bullet: Callable[[str], str] | None = None
    """Returns the address of a bullet."""


@dataclass(frozen=True, slots=True)
class _Item:
    id: str
    title: str
    html: str
    time: str
    url: str
    actor: str


def write_json_feed(published: Published, addresses: Addresses) -> str:
    """Write the feed as JSON, with a line end at its end."""
    items = (
        FeedItem(
            id=item.id,
            title=item.title,
            text=item.title,
            html=item.html,
            url=item.url or None,
            date=item.time,
            authors=(item.actor,) if item.actor else (),
        )
        for item in _items(published, addresses)
    )
    home, feed_url = addresses.home or None, addresses.feed or None
    return write_feed(_title(published), items, home_page_url=home, feed_url=feed_url)


def write_atom_feed(published: Published, addresses: Addresses) -> str:
    """Write the feed as Atom, with a line end at its end."""
    items = list(_items(published, addresses))
    updated = items[0].time if items else _NO_TIME
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{escape(_title(published))}</title>",
        f"<id>{_id(published, 0)}</id>",
        f"<updated>{escape(updated)}</updated>",
        f"<author><name>{escape(make_visible(published.playbook.name))}</name></author>",
    ]
    if addresses.home:
        lines.append(f'<link rel="alternate" type="text/html" href="{escape(addresses.home)}"/>')
    if addresses.feed:
        lines.append(f'<link rel="self" type="application/atom+xml" href="{escape(addresses.feed)}"/>')
    lines += map(_entry, items)
    return "\n".join([*lines, "</feed>"]) + "\n"


def _entry(item: _Item) -> str:
    link = f'<link rel="alternate" type="text/html" href="{escape(item.url)}"/>' if item.url else ""
    content = f'<content type="html">{escape(item.html)}</content>'
    return (
        f"<entry><title>{escape(item.title)}</title><id>{item.id}</id><updated>{escape(item.time)}</updated>"
        f"{link}{content}</entry>"
    )


def _items(published: Published, addresses: Addresses) -> Iterator[_Item]:
    """Yield the newest revisions with visible changes, the newest first."""
    worth = [revision for revision in published.revisions if is_worth_showing(revision)][-MOST_ITEMS:]
    times = _times(published)
    for revision in reversed(worth):
        title = f"Revision {revision.number}: {summarize_revision(revision)}"
        html = _html(revision, addresses)
        url = addresses.revision(revision.number) if addresses.revision else ""
        yield _Item(
            _id(published, revision.number), title, html, times[revision.number], url, make_visible(revision.actor)
        )


def _html(revision: Revision, addresses: Addresses) -> str:
    def link(id: str) -> str:
        href = addresses.bullet(id) if addresses.bullet else ""
        return f'<a href="{clean_text(href)}">{clean_text(id)}</a>' if href else clean_text(id)

    return "".join(
        f"<h3>{name}</h3><ul>{''.join(f'<li>{entry}</li>' for entry in entries)}</ul>"
        for name, entries in render_groups(revision, link).items()
    )


def _times(published: Published) -> dict[int, str]:
    """Return the time of each revision; an unknown time is that of the previous revision."""
    times, last = {}, _NO_TIME
    for revision in published.revisions:
        last = make_visible(revision.time) or last
        times[revision.number] = last
    return times


def _title(published: Published) -> str:
    return f"Changes of {make_visible(published.playbook.name)}"


def _id(published: Published, number: int) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, f'acdl-playbook/{published.playbook.name}/{number}')}"


@dataclass(frozen=True, slots=True)
class Alternate:
    """The attributes of `<link rel="alternate">` for a file."""

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
    """Return the names of all files, in order; those of changes only with a history."""
    return tuple(name for name in ALTERNATES if published.revisions or name not in _OF_HISTORY)


def machine_files(published: Published, addresses: Callable[[str], Addresses]) -> dict[str, str]:
    """Return the text of each file by its name.

    Parameters:
        published: The playbook.
        addresses: Returns the web addresses for a feed by its name.
    """
    playbook = published.playbook
    writers: dict[str, Callable[[], str]] = {
        "playbook.json": lambda: EXCHANGES["json"].write(playbook),
        "playbook.yaml": lambda: text_of(playbook),
        "playbook.txt": lambda: EXCHANGES["text"].write(playbook),
        "prompt.txt": lambda: (
            write_within_budget(playbook, counter_of(playbook).count, playbook.policy.budget_model_tokens) + "\n"
        ),
        "AGENTS.md": lambda: _write_for_agents(playbook),
        "changes.json": lambda: changes_json(published),
        "revisions.json": lambda: revisions_json(published),
        "feed.json": lambda: write_json_feed(published, addresses("feed.json")),
        "feed.xml": lambda: write_atom_feed(published, addresses("feed.xml")),
    }
    return {name: writers[name]() for name in file_names(published)}


def _write_for_agents(playbook: Playbook) -> str:
    """Write the block for coding agents as `acdl playbook export` does: within the budget, without harmful lessons."""
    write = EXCHANGES["agents-md"].write
    helping = drop_harmful(playbook)
    bullets = select_within_budget(helping, counter_of(playbook).count, playbook.policy.budget_model_tokens, write)
    return write(replace(playbook, bullets=bullets))


def changes_json(published: Published) -> str:
    """Write the published history for programs, the newest revision first."""
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
    """Return the elements for the head of a page, for tools that let pages add some.

    `rel` ends with a blank: Material for MkDocs reads every `link[rel=alternate]` as another language of its site.

    Parameters:
        addresses: The addresses of files on the page, by name.
    """
    return "\n".join(
        f'<link rel="alternate " type="{each.type}" title="{each.title}" href="{clean_text(addresses[name])}">'
        for name, each in ALTERNATES.items()
        if name in addresses
    )

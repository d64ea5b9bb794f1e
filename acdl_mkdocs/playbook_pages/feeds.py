"""The newest revisions of a playbook as a JSON Feed 1.1 and as Atom.

Revisions that only moved counters are left out. Ids are made from the playbook's name and the revision, so they are
the same wherever and whenever the feed is made.
"""

from collections.abc import Callable, Iterator
from html import escape
from uuid import NAMESPACE_URL, uuid5

from acdl_mkdocs.exchange.json_feed import Item, feed
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.text_width import visible
from acdl_mkdocs.playbook_pages.inline import clean
from acdl_mkdocs.playbook_pages.published import Published
from acdl_mkdocs.playbook_pages.recorded import Revision
from acdl_mkdocs.playbook_pages.told import is_worth_telling, summary, told

MOST_ITEMS = 50
_NO_TIME = "1970-01-01T00:00:00Z"
"""Of revisions before the first whose time is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Where things are on the web; empty texts where nobody knows the address of the site."""

    home: str = ""
    """The playbook's page."""
    feed: str = ""
    """The feed itself."""
    revision: Callable[[int], str] | None = None
    """From a revision to its changes."""
    bullet: Callable[[str], str] | None = None
    """From the id of a bullet to its address."""


@dataclass(frozen=True, slots=True)
class _Item:
    id: str
    title: str
    html: str
    time: str
    url: str
    actor: str


def json_feed(published: Published, addresses: Addresses) -> str:
    """The feed as JSON, with an end of line at its end."""
    items = (
        Item(
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
    return feed(_title(published), items, home_page_url=home, feed_url=feed_url)


def atom_feed(published: Published, addresses: Addresses) -> str:
    """The feed as Atom, with an end of line at its end."""
    items = list(_items(published, addresses))
    updated = items[0].time if items else _NO_TIME
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{escape(_title(published))}</title>",
        f"<id>{_id(published, 0)}</id>",
        f"<updated>{escape(updated)}</updated>",
        f"<author><name>{escape(visible(published.playbook.name))}</name></author>",
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
    """The newest revisions that say something, the newest first."""
    worth = [revision for revision in published.revisions if is_worth_telling(revision)][-MOST_ITEMS:]
    times = _times(published)
    for revision in reversed(worth):
        title = f"Revision {revision.number}: {summary(revision)}"
        html = _html(revision, addresses)
        url = addresses.revision(revision.number) if addresses.revision else ""
        yield _Item(_id(published, revision.number), title, html, times[revision.number], url, visible(revision.actor))


def _html(revision: Revision, addresses: Addresses) -> str:
    def link(id: str) -> str:
        href = addresses.bullet(id) if addresses.bullet else ""
        return f'<a href="{clean(href)}">{clean(id)}</a>' if href else clean(id)

    return "".join(
        f"<h3>{name}</h3><ul>{''.join(f'<li>{entry}</li>' for entry in entries)}</ul>"
        for name, entries in told(revision, link).items()
    )


def _times(published: Published) -> dict[int, str]:
    """The time of each revision; one whose time nobody wrote down has that of the revision before."""
    found, last = {}, _NO_TIME
    for revision in published.revisions:
        last = visible(revision.time) or last
        found[revision.number] = last
    return found


def _title(published: Published) -> str:
    return f"Changes of {visible(published.playbook.name)}"


def _id(published: Published, number: int) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, f'acdl-playbook/{published.playbook.name}/{number}')}"

"""A JSON Feed (version 1.1) of the news of a playbook; see https://www.jsonfeed.org/version/1.1/.

`feed` takes prepared items, for example of a history; `write` makes one of each active bullet.
"""

from collections.abc import Iterable

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.playbook.exchange.read_lessons import select_published
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook
from acdl_mkdocs.prompts.prompt import Json

VERSION = "https://jsonfeed.org/version/1.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedItem:
    """One item of a feed."""

    id: str
    """Unique."""
    title: str
    text: str
    """Plain text without markup."""
    html: str | None = None
    """The same as HTML."""
    url: str | None = None
    date: str | None = None
    """When it was published, RFC 3339."""
    modified: str | None = None
    """When it changed last, RFC 3339."""
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


def write_feed(
    title: str,
    items: Iterable[FeedItem],
    *,
    description: str | None = None,
    home_page_url: str | None = None,
    feed_url: str | None = None,
    language: str | None = None,
) -> str:
    """Write a feed.

    Parameters:
        title: The title of the feed.
        items: The newest first.
        description: What the feed is about.
        home_page_url: The page that the feed belongs to.
        feed_url: The address of the feed.
        language: Of the texts, such as `en`.
    """
    data: dict[str, Json] = {
        "version": VERSION,
        "title": title,
        "home_page_url": home_page_url,
        "feed_url": feed_url,
        "description": description,
        "language": language,
        "items": [_item(each) for each in items],
    }
    return json_text(_drop_empty(data), 2) + "\n"


def write(playbook: Playbook) -> str:
    """Write the active bullets that may be published, the last changed first."""
    titles = {section.id: section.title for section in playbook.sections}
    newest = sorted(select_published(playbook).active, key=lambda each: (-each.updated, each.id))
    items = (_bullet_item(each, playbook.name, titles.get(each.section, each.section)) for each in newest)
    return write_feed(playbook.name, items, description=f"Lessons at revision {playbook.revision}")


def _bullet_item(bullet: Bullet, name: str, section: str) -> FeedItem:
    verb = "added" if bullet.updated == bullet.added else "changed"
    return FeedItem(
        id=f"{name}/{bullet.id}/{bullet.updated}",
        title=f"{bullet.id}: {verb} in revision {bullet.updated}",
        text=bullet.content,
        authors=tuple(dict.fromkeys(each.by for each in bullet.source if each.by)),
        tags=(section, *bullet.applies_to),
    )


def _item(item: FeedItem) -> dict[str, Json]:
    authors: list[Json] = [{"name": name} for name in item.authors]
    return _drop_empty(
        {
            "id": item.id,
            "url": item.url,
            "title": item.title,
            "content_text": item.text,
            "content_html": item.html,
            "date_published": item.date,
            "date_modified": item.modified,
            "authors": authors or None,
            "tags": list(item.tags) or None,
        }
    )


def _drop_empty(data: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in data.items() if value is not None}

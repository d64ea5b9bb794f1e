"""Playbooks and histories that tests of pages share."""

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from itertools import pairwise

from random_branches import operation, sentence, step

from acdl_mkdocs.foundation.errors import PlaybookError
from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook, Policy, Provenance, Section, sort_playbook
from acdl_mkdocs.playbook.model.changes import Change, find_changes
from acdl_mkdocs.playbook.model.operations import Add
from acdl_mkdocs.playbook.model.plain import bullet_data
from acdl_mkdocs.playbook.model.report import Report
from acdl_mkdocs.playbook.pages.changes import GeneratedPage
from acdl_mkdocs.playbook.pages.published import Published, publish_playbook
from acdl_mkdocs.playbook.store.events import Cause, events_of
from acdl_mkdocs.playbook.store.history import Event
from acdl_mkdocs.playbook.store.undo import undo_revision
from acdl_mkdocs.playbook.store.write_playbook import digest_of

SECTIONS = (Section("general", "General"), Section("tool_usage", "Tool usage"))
WORDS = re.split(
    " ",
    "paginate list endpoints until an empty page comes back then retry with capped backoff and `limit=50` never trust "
    "the cache before checking headers of every answer",
)


def bullet(id: str, content: str = "Check the header before the body.", **facts: object) -> Bullet:
    """A bullet of the section `general`, with whatever else is said of it."""
    return Bullet(**{"id": id, "section": "general", "content": content, "added": 1, "updated": 1, **facts})  # type: ignore[arg-type]


def book(*bullets: Bullet, **facts: object) -> Playbook:
    """A playbook of these bullets."""
    return sort_playbook(
        Playbook(**{"name": "docs-agent", "revision": 4, "sections": SECTIONS, "bullets": bullets, **facts})  # type: ignore[arg-type]
    )


def shown(*bullets: Bullet, events: Iterable[Event] = (), **facts: object) -> Published:
    """The same as a site shows it."""
    return publish_playbook(book(*bullets, **facts), events)


def event(revision: int, op: str, before: Bullet | None, after: Bullet | None, **facts: object) -> Event:
    """One event about a bullet, alone in its revision."""
    named = (after or before or bullet("")).id
    sides = (bullet_data(before) if before else None, bullet_data(after) if after else None)
    said = {"revision": revision, "n": 1, "of": 1, "op": op, "kind": "bullet", "id": named, **facts}
    return Event(before=sides[0], after=sides[1], **said)  # type: ignore[arg-type]


def history(books: Sequence[Playbook], time: str = "2026-11-{:02}T08:00:00Z") -> tuple[Event, ...]:
    """Events that lead from each playbook to the next, the first being empty."""
    empty = Playbook(books[0].name, 0, (), (), (), books[0].policy)
    found: list[Event] = []
    for before, after in zip((empty, *books), books, strict=False):
        told = find_changes(before, after)
        for n, change in enumerate(told, 1):
            when = time.format(after.revision)
            found.append(_event(after.revision, n, len(told), change, when))
    return tuple(found)


def _event(revision: int, n: int, of: int, change: Change, when: str) -> Event:
    return Event(
        revision=revision, n=n, of=of, op="EDIT", kind=change.kind, id=change.id, before=change.before,
        after=change.after, actor="person", time=when, trace=f"run-1/0/s{revision}",
    )  # fmt: skip


def story() -> Published:
    """A playbook with a bit of everything: changed, merged, archived, disputed, pinned, near one another."""
    rule = "Retry after 5 seconds, at most `3` times; see [the guide](https://example.org/retry)."
    one = bullet(
        "gen-aaaaaaaa",
        "Retry after 5 seconds.",
        source=(Provenance("reflector", "run-1", "s1", "deepseek-v3.1", "https://example.org/issue/7"),),
    )
    two = bullet("gen-bbbbbbbb", "Retry after 50 seconds.", helpful=2, harmful=6, seen=9, applies_to=("acdl:React2",))
    gone = bullet("tu-cccccccc", "Never use `--force`.", section="tool_usage", helpful=1)
    doomed = bullet("tu-dddddddd", "Do not push with force.", section="tool_usage")
    code = bullet(
        "tu-eeeeeeee", "```python\nfor page in pages:\n\n    show(page)\n```", section="tool_usage", severity="critical"
    )
    books = [book(one, two, gone, doomed, code, revision=1)]
    changed = bullet(
        one.id,
        rule,
        helpful=38,
        harmful=2,
        seen=55,
        updated=2,
        source=one.source,
        applies_to=("acdl:React2", "fragment:Nothing"),
        pinned=True,
    )
    books.append(book(changed, two, gone, doomed, code, revision=2))
    kept = bullet(gone.id, gone.content, section="tool_usage", helpful=1, updated=3, aliases=(doomed.id,))
    books.append(book(changed, two, kept, code, revision=3))
    out = bullet(
        two.id,
        two.content,
        helpful=2,
        harmful=6,
        seen=9,
        applies_to=two.applies_to,
        status="archived",
        superseded_by=one.id,
        reason="Wrong by *ten*.",
        updated=4,
    )
    pairs = (Pair(one.id, two.id, "conflicts", None, "5 or 50 seconds", "person"),)
    more = [
        bullet(
            f"tu-{number:08}",
            f"Lesson number {number} of its kind.",
            section="tool_usage",
            helpful=number,
            seen=number,
            added=4,
            updated=4,
        )
        for number in range(12)
    ]
    books.append(book(changed, out, kept, code, *more, pairs=pairs, policy=Policy(budget_model_tokens=900)))
    return publish_playbook(books[-1], history(books))


def many(number: int = 1000) -> Published:
    """As many bullets, each with counters, provenance and a text of usual length; some changed, near or archived."""
    chance = random.Random(1)  # noqa: S311  # the same each time
    sections = tuple(Section(f"part_{name}", f"Part {name}") for name in "abcdefgh")
    bullets = tuple(_one(index, chance, sections) for index in range(number))
    pairs = tuple(
        Pair(a.id, b.id, "conflicts", None, "5 or 50 seconds", "person") for a, b in list(pairwise(bullets))[::7]
    )
    playbook = sort_playbook(Playbook("many", number // 4 + 9, sections, bullets, pairs))
    return publish_playbook(playbook, _events(bullets))


def _one(index: int, chance: random.Random, sections: Sequence[Section]) -> Bullet:
    helpful, harmful = chance.randint(0, 30), chance.randint(0, 4)
    text = " ".join(chance.choice(WORDS) for _ in range(chance.randint(10, 28))).capitalize()
    added = index // 4 + 1
    return Bullet(
        id=f"tu-{index:08x}", section=chance.choice(sections).id, content=f"{text}.",
        helpful=helpful, harmful=harmful, seen=helpful + harmful + chance.randint(0, 30),
        status="archived" if index % 20 == 19 else "active", reason="of no use" if index % 20 == 19 else None,
        added=added, updated=added + chance.choice((0, 0, 5, 9)), pinned=index % 100 == 1,
        applies_to=("acdl:ReactAgent",) if index % 3 == 0 else (),
        source=(Provenance("reflector", f"run-{index // 100}", f"s{index}", "deepseek-v3.1"),),
        aliases=(f"tu-x{index:08x}",) if index % 25 == 0 else (),
    )  # fmt: skip


def _events(bullets: Sequence[Bullet]) -> Iterator[Event]:
    for number in range(0, len(bullets), 4):
        group = bullets[number : number + 4]
        for n, each in enumerate(group, 1):
            yield event(number // 4 + 1, "ADD", None, each, n=n, of=len(group), time="2026-11-01T08:00:00Z")
    for number, each in enumerate(bullets[::5]):
        old = bullet(each.id, each.content.replace("the", "a"), section=each.section)
        yield event(len(bullets) // 4 + 1 + number, "UPDATE", old, each, reason="says it better")


def html_page(page: GeneratedPage, *assets: str) -> str:
    """A generated page as a docs tool without a theme would show it."""
    from markdown import markdown

    body = markdown(page.markdown.split("---\n", 2)[2], extensions=["toc"])
    return document(page.title, body, *assets)


def document(title: str, body: str, *assets: str) -> str:
    """A page of HTML around a body."""
    links = "".join(f'<link rel="stylesheet" href="/{name}">' for name in assets if name.endswith(".css"))
    scripts = "".join(f'<script defer src="/{name}"></script>' for name in assets if name.endswith(".js"))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width">{links}{scripts}</head>'
        f"<body><main>{body}</main></body></html>"
    )


def random_history(seed: int, n_revisions: int, *, can_hide: bool = True) -> tuple[list[Playbook], tuple[Event, ...]]:
    """A playbook after each of its revisions, the first being empty, and the events that lead there.

    Has whatever a history can have: operations of every kind, what only counts prompts, revisions that were taken back,
    bullets that are hidden and shown again.
    """
    chance = random.Random(seed)  # noqa: S311  # the same each time
    books = [Playbook("random", 0, SECTIONS)]
    made = [_stamped(Playbook("", 0, ()), books[0], "INIT")]
    while len(books) <= n_revisions:
        before, events = books[-1], tuple(each for group in made for each in group)
        op, after = _random_step(before, events, chance, can_hide=can_hide)
        after = sort_playbook(replace(after, revision=before.revision + 1))
        if find_changes(before, after):
            books.append(after)
            made.append(_stamped(before, after, op))
    return books, tuple(each for group in made for each in group)


def _random_step(
    before: Playbook, events: Sequence[Event], chance: random.Random, *, can_hide: bool
) -> tuple[str, Playbook]:
    kind = chance.random()
    if len(before.bullets) < 4:
        return "ADD", step(before, Add(section="general", content=sentence(chance)))
    if kind < 0.2:
        counted = [replace(each, seen=each.seen + 1) if chance.random() < 0.5 else each for each in before.bullets]
        return "SEEN", replace(before, bullets=tuple(counted))
    if kind < 0.3 and can_hide:
        other = chance.choice(before.bullets)
        hidden = [replace(each, publish=not each.publish) if each is other else each for each in before.bullets]
        return "EDIT", replace(before, bullets=tuple(hidden))
    if kind < 0.4 and before.revision > 1:
        try:
            return "UNDO", undo_revision(before, events, None, "random").playbook
        except PlaybookError:
            pass
    return "EDIT", step(before, operation(chance, before))


def _stamped(before: Playbook, after: Playbook, op: str) -> tuple[Event, ...]:
    """The events of one revision; each tenth is of another day."""
    time = f"2026-11-{after.revision // 10 % 28 + 1:02}T08:00:00Z"
    cause = Cause(actor=("person", "curator")[after.revision % 2], time=time, op=op)
    events = list(events_of(before, after, Report(), cause))
    placed = [replace(each, n=n, of=len(events), revision=after.revision) for n, each in enumerate(events, 1)]
    return (*placed[:-1], replace(placed[-1], digest=digest_of(after)))

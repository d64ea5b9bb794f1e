"""The changes of a playbook as pages: a section a revision, the newest first.

A page has a range of revisions that stays the same as more come, so that its address does; the newest are always on
`changes`.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from acdl_mkdocs.playbook_pages.compare import compare_html
from acdl_mkdocs.playbook_pages.generated import GeneratedPage, front
from acdl_mkdocs.playbook_pages.inline import clean, inline
from acdl_mkdocs.playbook_pages.published import Published
from acdl_mkdocs.playbook_pages.recorded import Revision
from acdl_mkdocs.playbook_pages.told import counted, is_worth_telling, signed, told
from acdl_mkdocs.site.prose import escaped

CHANGES = "changes"
REVISIONS_A_PAGE = 200


def changes_page(number: int, published: Published) -> str:
    """The name of the page that has a revision; empty if no page has it."""
    return _name(number, published.newest) if number in published.numbers else ""


def revision_address(published: Published, number: int) -> tuple[str, str]:
    """The page and the anchor of a revision; empty texts if no page has it."""
    page = changes_page(number, published)
    return page, anchor_of(number) if page else ""


def anchor_of(number: int) -> str:
    """The anchor of a revision on its page."""
    return f"r{number}"


def changes_pages(
    published: Published, address: Callable[[str, str], str], bullet: Callable[[str, str], str]
) -> tuple[GeneratedPage, ...]:
    """All pages of changes, the newest first; none without a history.

    Parameters:
        published: The playbook.
        address: From a page of the playbook to another, as in `addresses`.
        bullet: From a page and the id of a bullet to its address there; empty where nothing shows it.
    """
    groups: dict[str, list[Revision]] = {}
    for revision in reversed(published.revisions):
        groups.setdefault(_name(revision.number, published.newest), []).append(revision)
    names = list(groups)
    return tuple(_page(name, groups[name], names, published, address, bullet) for name in names)


def revision_html(revision: Revision, link: Callable[[str], str], level: int = 2) -> str:
    """What a revision did, as a section."""
    facts = " · ".join(clean(each) for each in (revision.time, revision.actor, revision.trace) if each)
    said = f"<p><small>{facts}</small></p>" if facts else ""
    said += f"<p>{inline(revision.reasoning)}</p>" if revision.reasoning else ""
    lists = "".join(_list(name, entries) for name, entries in told(revision, link).items())
    lists = lists or "<p>Nothing that is published.</p>"
    anchor = anchor_of(revision.number)
    heading = f'<h{level}><a href="#{anchor}">Revision {revision.number}</a></h{level}>'
    return f'<section class="acdl-revision" id="{anchor}">{heading}{said}{lists}</section>'


def _folded(revisions: Sequence[Revision], link: Callable[[str], str]) -> Iterator[str]:
    """Revisions as sections; neighbours that only moved counters are folded into one line."""
    for is_told, group in groupby(revisions, key=is_worth_telling):
        found = tuple(group)
        inside = "\n".join(revision_html(each, link) for each in found)
        yield inside if is_told else f'<details class="acdl-counted">{_counters(found)}\n{inside}\n</details>'


def _counters(revisions: Sequence[Revision]) -> str:
    """The line that stands for revisions which only moved counters; the newest comes first."""
    first, last = revisions[-1].number, revisions[0].number
    which = f"Revision {first}" if first == last else f"Revisions {first}–{last}"
    moved = ", ".join(f"{signed(number)} {name}" for name, number in counted(revisions).items())
    is_quiet = any(each.steps or each.seen for each in revisions)
    what = f"counters only{', ' if moved else ''}{moved}" if is_quiet else "nothing that is published"
    return f"<summary>{which}: {what}</summary>"


def _list(name: str, entries: Sequence[str]) -> str:
    items = "".join(f"<li>{entry}</li>" for entry in entries)
    return f"<h3>{name}</h3><ul>{items}</ul>"


def _name(number: int, newest: int) -> str:
    group = max(number - 1, 0) // REVISIONS_A_PAGE  # the first page also has revision 0, the empty playbook
    if group == max(newest - 1, 0) // REVISIONS_A_PAGE:
        return CHANGES
    return f"{CHANGES}-{group * REVISIONS_A_PAGE + 1}"


def _page(
    name: str,
    revisions: Sequence[Revision],
    names: Sequence[str],
    published: Published,
    address: Callable[[str, str], str],
    bullet: Callable[[str, str], str],
) -> GeneratedPage:
    def link(id: str) -> str:
        href = bullet(name, id)
        return f'<a href="{clean(href)}">{clean(id)}</a>' if href else clean(id)

    title = f"Changes of {published.playbook.name}"
    others = "".join(_others(name, names, address))
    inside = "\n".join(_folded(revisions, link))
    home = f'<a href="{clean(address(name, "index"))}">{clean(published.playbook.name)}</a>'
    gap = f'<p class="acdl-book-gap">{clean(published.gap)}</p>' if published.gap else ""
    parts = [f"<p>{home}{others}</p>", gap, compare_html(name, published, address), inside]
    body = "\n".join(['<div class="acdl-playbook acdl-changes">', *filter(None, parts), "</div>"])
    return GeneratedPage(name, title, f"{front(title)}\n\n# {escaped(title)}\n\n{body}\n")


def _others(name: str, names: Sequence[str], address: Callable[[str, str], str]) -> Iterator[str]:
    for other in names:
        first = other.partition("-")[2]
        words = f"revisions from {first}" if first else "the newest"
        if other != name:
            yield f' · <a href="{clean(address(name, other))}">{words}</a>'

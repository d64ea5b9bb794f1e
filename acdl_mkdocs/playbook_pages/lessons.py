"""What playbooks say of one spec: the list for the spec's own page."""

from collections.abc import Callable

from acdl_mkdocs.playbook.bullets import Bullet, Playbook
from acdl_mkdocs.playbook_pages.inline import clean, line_of
from acdl_mkdocs.playbook_pages.published import Published
from acdl_mkdocs.playbook_pages.sections import evidence_words, top_bullets

HEADING = "Lessons for this spec"


def bullets_for(playbook: Playbook, target: str) -> tuple[Bullet, ...]:
    """The bullets in use that apply to a target, `acdl:React2` or `fragment:ToolResult`; the best first."""
    found = [bullet for bullet in playbook.active if target in bullet.applies_to]
    return top_bullets(found, len(found))


def lessons_for(published: Published, target: str, href: Callable[[str], str]) -> str:
    """The lessons for a spec as a list; empty text if there are none.

    Parameters:
        published: The playbook.
        target: What its bullets apply to: `acdl:React2`.
        href: From the id of a bullet to its address on the spec's page; empty where no page shows it.
    """
    items = "".join(_item(bullet, href(bullet.id)) for bullet in bullets_for(published.playbook, target))
    return f'<div class="acdl-playbook"><ul class="acdl-lessons">{items}</ul></div>' if items else ""


def _item(bullet: Bullet, href: str) -> str:
    named = f'<a href="{clean(href)}">{clean(bullet.id)}</a>' if href else clean(bullet.id)
    return f"<li>{line_of(bullet.content)} <small>{evidence_words(bullet)} {named}</small></li>"

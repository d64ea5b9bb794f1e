"""The text form of a playbook, which generators and curators read.

One line a bullet, `[id] helpful=X harmful=Y :: content`, under `## TITLE`. Further lines of a fenced block are
indented, so that no part of a bullet can pass for a bullet or a heading. Source: arXiv:2510.04618, section 3.1.
"""

from collections.abc import Sequence

from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook

INDENT = "    "
"""Prefix of the second and every further line of a bullet."""


def prompt_text(playbook: Playbook, *, bullets: Sequence[Bullet] | None = None) -> str:
    """Write the text form, without a trailing line end; empty if there is no bullet.

    Parameters:
        playbook: Its active bullets that are sent are written, in its order; empty sections are left out.
        bullets: Only these, in any order.
    """
    selected = playbook.sent if bullets is None else bullets
    groups: dict[str, list[str]] = {section.id: [] for section in playbook.sections}
    for each in selected if bullets is None else sorted(selected, key=lambda bullet: bullet.id):
        groups.setdefault(each.section, []).append(bullet_text(each))
    titles = {section.id: section.title for section in playbook.sections}
    return "\n\n".join("\n".join((f"## {titles.get(name, name)}", *lines)) for name, lines in groups.items() if lines)


def bullet_text(bullet: Bullet) -> str:
    """Write a bullet in the text form."""
    content = bullet.content.replace("\n", f"\n{INDENT}") if "\n" in bullet.content else bullet.content
    return f"[{bullet.id}] helpful={bullet.helpful} harmful={bullet.harmful} :: {content}"


def archived_text(playbook: Playbook) -> str:
    """List the bullets that are out of use with their reasons, so that a curator does not learn them again."""
    return "\n".join(_archived_line(each) for each in playbook.bullets if each.status == "archived")


def _archived_line(bullet: Bullet) -> str:
    by = f", replaced by {bullet.superseded_by}" if bullet.superseded_by else ""
    why = f", because: {bullet.reason}" if bullet.reason else ""
    content = bullet.content.replace("\n", f"\n{INDENT}")
    return f"[{bullet.id}] archived in revision {bullet.updated}{by}{why} :: {content}"

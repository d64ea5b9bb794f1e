"""What is wrong with a playbook that a site shows, with the places in its file."""

import re
from collections.abc import Callable, Sequence

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, warning
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.playbook.bullets import Playbook


def place_of(source: Source | None, id: str, words: str = "") -> Span:
    """Where a bullet stands in the file of its playbook, or the first occurrence of words in it."""
    found = re.search(rf"\bid: *[\"']?{re.escape(id)}\b", source.text) if source else None
    if not source or not found:
        return Span(0, 0)
    at = source.text.find(words, found.end()) if words else -1
    end = source.text.find("id:", found.end())
    if at < 0 or (0 <= end < at):
        return Span(found.end() - len(id), found.end())
    return Span(at, at + len(words))


def secret_problem(id: str, kinds: Sequence[str], source: Source | None) -> Diagnostic:
    """A bullet holds what looks like a secret; the message does not repeat it."""
    label = Label(place_of(source, id), "this bullet is not shown")
    message = f"the bullet `{id}` holds what looks like a secret: {', '.join(kinds)}"
    helps = ("take the secret out of the bullet, and make it void where it is used", f"archive `{id}` with a reason")
    return error("secret-in-playbook", message, label, help=helps)


def earlier_problem(id: str, source: Source | None) -> Diagnostic:
    """A text that a bullet had once holds what looks like a secret."""
    label = Label(place_of(source, id), "its earlier words are not shown")
    message = f"an earlier text of the bullet `{id}` holds what looks like a secret, and the history keeps it"
    return warning("secret-in-history", message, label, help="make the secret void where it is used")


def targets(
    playbook: Playbook, is_known: Callable[[str], bool], source: Source | None = None
) -> tuple[Diagnostic, ...]:
    """Warn of what bullets apply to and the site does not have, once for each bullet and target."""
    return tuple(
        warning(
            "unknown-target",
            f"the bullet `{bullet.id}` applies to `{target}`, which this site does not have",
            Label(place_of(source, bullet.id, target), "no such spec or fragment"),
            help="write `acdl:` and the name of a spec, or `fragment:` and the name of a fragment",
        )
        for bullet in playbook.bullets
        for target in bullet.applies_to
        if not is_known(target)
    )

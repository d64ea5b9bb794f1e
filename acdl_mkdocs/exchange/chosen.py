"""Which bullets of a playbook a published form has."""

from dataclasses import replace

from acdl_mkdocs.playbook.bullets import Playbook


def for_agents(playbook: Playbook) -> Playbook:
    """A playbook with its bullets that may be published and that prompts have: for files that agents read."""
    return replace(playbook, bullets=tuple(each for each in playbook.sent if each.publish), pairs=())


def published(playbook: Playbook) -> Playbook:
    """A playbook with its active bullets that may be published, and nothing else that a bullet is part of."""
    return replace(playbook, bullets=tuple(each for each in playbook.active if each.publish), pairs=())

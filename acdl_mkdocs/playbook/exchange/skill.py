"""A playbook as a skill for coding agents: a `SKILL.md` with the lessons between the markers of `agents_md`.

Claude Code, Codex and others read the name and the description of every skill, and the rest for a matching task.
"""

import json
import re

from acdl_mkdocs.playbook.exchange import agents_md
from acdl_mkdocs.playbook.exchange.read_lessons import ReadPlaybook, select_for_agents
from acdl_mkdocs.playbook.model.bullets import Playbook

MAX_NAME, MAX_DESCRIPTION = 64, 1024
"""Limits of agents."""


def write(playbook: Playbook) -> str:
    """Write the file: its head, how to use the lessons, and the lessons."""
    lessons = select_for_agents(playbook)
    used = {each.section for each in lessons.bullets}
    titles = ", ".join(each.title for each in playbook.sections if each.id in used)
    about = f"Lessons from earlier work on {playbook.name}" + (f": {titles}" if titles else "")
    description = f"{about}. Read it before a task about one of these."
    if len(description) > MAX_DESCRIPTION:
        description = f"{description[: MAX_DESCRIPTION - 1]}…"
    return "\n".join(
        (
            "---",
            f"name: {skill_name(playbook)}",
            f"description: {json.dumps(description, ensure_ascii=False)}",
            "---",
            "",
            f"# Lessons about {agents_md.one_line(playbook.name)}",
            "",
            "Each lesson begins with its id. Follow those that fit the task, and name the ids in brackets of those",
            "that you used, so that it can be counted whether they help.",
            "",
            agents_md.write(playbook),
        )
    )


def read(text: str) -> ReadPlaybook:
    """Read the lessons of a skill."""
    return agents_md.read(text)


def skill_name(playbook: Playbook) -> str:
    """Return a valid skill name: lower-case letters, digits and hyphens; also the name of the folder."""
    name = re.sub(r"[^a-z0-9]+", "-", playbook.name.casefold()).strip("-")[:MAX_NAME].strip("-")
    return name or "playbook"

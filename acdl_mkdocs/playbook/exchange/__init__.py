"""Playbooks in the formats of other programs, one module each; `EXCHANGES` names them all.

A module has `write(playbook) -> str` and, if the format can be read, `read(text) -> ReadPlaybook`. Neither raises for
what a playbook or a text says. Reading gives what the format carries; what cannot be taken is in `problems`, with its
line. A module is imported when it is first used.
"""

from collections.abc import Mapping
from importlib import import_module

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.exchange.read_lessons import Problem, ReadPlaybook
from acdl_mkdocs.playbook.model.bullets import Playbook


@dataclass(frozen=True, slots=True)
class Exchange:
    """A format."""

    module: str
    suffix: str
    """The ending of the name of a file in this format."""
    is_read: bool = True
    """Whether it can be read back."""
    is_whole: bool = False
    """Whether it carries everything that a playbook is."""
    is_published: bool = True
    """Whether it is for readers: lessons with `publish: false` and archived ones are left out."""
    is_for_agents: bool = False
    """Whether agents read it: lessons with `send: false` are left out."""

    def write(self, playbook: Playbook) -> str:
        """The playbook as text of the format."""
        text: str = import_module(f"acdl_mkdocs.playbook.exchange.{self.module}").write(playbook)
        return text

    def read(self, text: str) -> ReadPlaybook:
        """What a text of the format says."""
        if not self.is_read:
            return ReadPlaybook(None, (Problem(None, "this format cannot be read", "export another one"),))
        found: ReadPlaybook = import_module(f"acdl_mkdocs.playbook.exchange.{self.module}").read(text)
        return found


DEFAULT_TOP = 10
"""Lessons for a task where nobody says how many."""
EXCHANGES: Mapping[str, Exchange] = {
    "text": Exchange("reference_text", ".txt", is_for_agents=True),
    "json": Exchange("json_export", ".json", is_whole=True, is_published=False),
    "csv": Exchange("csv_table", ".csv", is_published=False),
    "skill": Exchange("skill", "skill.md", is_for_agents=True),
    "agents-md": Exchange("agents_md", ".md", is_for_agents=True),
    "feed": Exchange("json_feed", ".feed.json", is_read=False),
}


def format_of(name: str) -> str | None:
    """The format that files of a name have; `None` if that says nothing."""
    if name.endswith(".feed.json"):
        return None
    return next((key for key, each in EXCHANGES.items() if each.is_read and name.lower().endswith(each.suffix)), None)


__all__ = ("EXCHANGES", "Exchange", "Problem", "ReadPlaybook", "format_of")

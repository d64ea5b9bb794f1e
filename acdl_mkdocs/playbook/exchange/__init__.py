"""Playbooks in the formats of other programs, one module each; `EXCHANGES` names them all.

A module has `write(playbook) -> str` and, if the format can be read, `read(text) -> ReadPlaybook`. Neither raises for
the content of a playbook or a text. Reading returns everything that the format holds; what cannot be read is in
`problems`, with its line. A module is imported when it is first used.
"""

from collections.abc import Mapping
from importlib import import_module

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.exchange.read_lessons import Problem, ReadPlaybook
from acdl_mkdocs.playbook.model.bullets import Playbook


@dataclass(frozen=True, slots=True)
class Exchange:
    """A format of another program."""

    module: str
    suffix: str
    """The suffix of file names of this format."""
    is_read: bool = True
    """Whether it can be read back."""
    is_whole: bool = False
    """Whether it holds everything in a playbook."""
    is_published: bool = True
    """Whether it is for readers: lessons with `publish: false` and archived ones are left out."""
    is_for_agents: bool = False
    """Whether agents read it: lessons with `send: false` are left out."""

    def write(self, playbook: Playbook) -> str:
        """Write a playbook in the format."""
        text: str = import_module(f"acdl_mkdocs.playbook.exchange.{self.module}").write(playbook)
        return text

    def read(self, text: str) -> ReadPlaybook:
        """Read a text of the format."""
        if not self.is_read:
            return ReadPlaybook(None, (Problem(None, "this format cannot be read", "export another one"),))
        playbook: ReadPlaybook = import_module(f"acdl_mkdocs.playbook.exchange.{self.module}").read(text)
        return playbook


DEFAULT_TOP = 10
"""Default number of lessons for a task."""
EXCHANGES: Mapping[str, Exchange] = {
    "text": Exchange("reference_text", ".txt", is_for_agents=True),
    "json": Exchange("json_export", ".json", is_whole=True, is_published=False),
    "csv": Exchange("csv_table", ".csv", is_published=False),
    "skill": Exchange("skill", "skill.md", is_for_agents=True),
    "agents-md": Exchange("agents_md", ".md", is_for_agents=True),
    "feed": Exchange("json_feed", ".feed.json", is_read=False),
}


def format_of(name: str) -> str | None:
    """Return the format of a file by its name; `None` if the name does not determine it."""
    if name.endswith(".feed.json"):
        return None
    return next((key for key, each in EXCHANGES.items() if each.is_read and name.lower().endswith(each.suffix)), None)


__all__ = ("EXCHANGES", "Exchange", "Problem", "ReadPlaybook", "format_of")

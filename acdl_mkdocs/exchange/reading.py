"""What reading a format gives, and what every reader does: give ids, make sections, set aside what cannot be taken."""

from dataclasses import field, replace

from acdl_mkdocs.exchange.safety import LONGEST_NAME, LONGEST_TITLE, Wrong, safe_bullet
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.bullets import GENERAL, Bullet, Playbook, Section, ordered
from acdl_mkdocs.playbook.ids import ID, SECTION_ID, new_id, section_id

NAME = "imported"
"""What a playbook is called whose format says no name."""
_TITLE = "General"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was not taken as it stands."""

    line: int | None
    """From 1; `None` for the whole text."""
    message: str
    help: str = ""
    is_note: bool = False
    """Whether everything was taken, in another form."""

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}: "
        return f"{place}{self.message}" + (f"; {self.help}" if self.help else "")


@dataclass(frozen=True, slots=True)
class ReadPlaybook:
    """What a text says."""

    playbook: Playbook | None
    """Everything that could be taken; `None` if the text is no playbook at all."""
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class Draft:
    """A playbook that is being read, bullet by bullet."""

    name: str = NAME
    sections: dict[str, Section] = field(default_factory=dict)
    bullets: dict[str, Bullet] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def say(self, line: int | None, message: str, help: str = "", *, is_note: bool = False) -> None:
        """Remember what is wrong."""
        self.problems.append(Problem(line, message, help, is_note))

    def section(self, title: str, line: int | None) -> str:
        """The id of the section with a title, which is new if no other has it."""
        known = next((each.id for each in self.sections.values() if title == each.title), None)
        if known is not None:
            return known
        text = self.title(title, line)
        if not text:
            return self.general()
        name = section_id(text) or "section"
        name = next(each for each in (name, *(f"{name}_{n}" for n in range(2, 9999))) if each not in self.sections)
        self.sections[name] = Section(name, text)
        return name

    def title(self, title: str, line: int | None) -> str:
        """A heading as it can be taken; empty if it cannot."""
        wrong = Wrong(" ")
        text = wrong.line("the heading", title, LONGEST_TITLE) or ""
        if wrong.found or not text:
            self.say(line, wrong.found[0] if wrong.found else "the heading is empty", is_note=not wrong.found)
        return "" if wrong.found else text

    def call(self, name: str, line: int | None) -> None:
        """Give the playbook a name, if it can have that."""
        wrong = Wrong(" ")
        self.name = wrong.line("the name", name, LONGEST_NAME) or self.name
        if wrong.found:
            self.name = NAME
            self.say(line, wrong.found[0])

    def home(self, name: str, title: str, line: int | None) -> str:
        """The id of a section that is named by its id, its title, or both; what stands under none is general."""
        if not name:
            return self.section(title, line) if title else self.general()
        if name not in self.sections:
            if not SECTION_ID.fullmatch(name):
                return self.section(title or name, line)
            self.sections[name] = Section(name, self.title(title or name, line) or name)
        return name

    def general(self) -> str:
        """The section of what stands under no heading."""
        self.sections.setdefault(GENERAL, Section(GENERAL, _TITLE))
        return GENERAL

    def add(self, bullet: Bullet, line: int | None) -> None:
        """Take a bullet, under its id if it can keep it."""
        wrong = Wrong(" ")
        bullet = safe_bullet(bullet, wrong, "the ")
        if wrong.found:
            self.say(line, f"left out: {wrong.found[0]}")
            return
        name = bullet.id
        if not ID.fullmatch(name) or name in self.bullets:
            taken = {*self.bullets, name}
            fresh = new_id(bullet.section, bullet.content, 0, len(self.bullets), taken, name=self.name)
            if name:
                why = "is there twice" if name in self.bullets else "is no id of a bullet"
                self.say(line, f'the id "{name[:80]}" {why}: `{fresh}` is used', is_note=True)
            name = fresh
        self.bullets[name] = replace(bullet, id=name)

    def done(self) -> ReadPlaybook:
        """Everything that was read."""
        if not self.sections:
            self.general()
        whole = Playbook(self.name, 0, tuple(self.sections.values()), tuple(self.bullets.values()))
        return ReadPlaybook(ordered(whole), tuple(self.problems))

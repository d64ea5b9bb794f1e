"""What reading a format gives, and which texts are taken from it, or given to it."""

from collections.abc import Collection
from dataclasses import field, fields, replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.playbook.model.bullets import (
    GENERAL,
    ID,
    SECTION_ID,
    Bullet,
    Pair,
    Playbook,
    Policy,
    Provenance,
    Section,
    new_id,
    ordered,
    section_id,
)
from acdl_mkdocs.playbook.model.content import MAX_CONTENT, MAX_LINE, Cleaned, clean, clean_line, secrets
from acdl_mkdocs.playbook.model.near_pairs import DIGEST, N_DIGITS
from acdl_mkdocs.playbook.similarity import SIMILARITIES
from acdl_mkdocs.prompts.tokens.counter import ENCODINGS

MAX_DIGITS = 15
"""Of every count, in every format."""
LONGEST_NAME = 200
LONGEST_TITLE = 80
_LONGEST_WHY = 4 * MAX_CONTENT
"""What earlier versions found cites both texts of a pair."""
_COUNTS = ("helpful", "harmful", "neutral", "seen", "added", "updated")


@dataclass(slots=True)
class Wrong:
    """What cannot be taken."""

    between: str = ": "
    """Stands between the place of a thing and what is wrong with it."""
    found: list[str] = field(default_factory=list)

    def say(self, path: str, why: str) -> None:
        """Remember what is wrong."""
        self.found.append(f"{path}{self.between}{why}")

    def text(self, path: str, cleaned: Cleaned) -> str:
        """A cleaned text, which may not have secrets."""
        for why in cleaned.problems:
            self.say(path, why)
        kinds = ", ".join(secrets(cleaned.text))
        if kinds:
            self.say(path, f"has what looks like a secret ({kinds}); say where to find it, never what it is")
        return cleaned.text

    def line(self, path: str, text: str | None, max_characters: int = MAX_LINE) -> str | None:
        """One line of text, or none."""
        return None if text is None else self.text(path, clean_line(text, max_characters))

    def number(self, path: str, number: int | None) -> None:
        """How many of something."""
        if number is not None and number >= 10**MAX_DIGITS:
            self.say(path, f"has more than {MAX_DIGITS} digits")

    def choice(self, path: str, name: str | None, known: Collection[str]) -> None:
        """One of the names that exist."""
        if name is not None and name not in known:
            near = closest(name[:80], known)
            hint = f"did you mean `{near}`?" if near else f"there are {', '.join(known)}"
            self.say(path, f'is "{name[:80]}", which does not exist; {hint}')


def safe_bullet(bullet: Bullet, wrong: Wrong, path: str = "") -> Bullet:
    """A bullet with its texts in their canonical spelling.

    Parameters:
        bullet: As it was read.
        wrong: Gets what cannot be taken.
        path: What stands before the names of its parts, such as `bullets[3].`.
    """
    for key in _COUNTS:
        wrong.number(f"{path}{key}", getattr(bullet, key))
    for alias in bullet.aliases:
        if not ID.fullmatch(alias):
            wrong.say(f"{path}aliases", f'has "{alias[:80]}", which is no id')
    targets = (wrong.line(f"{path}applies_to", each) or "" for each in bullet.applies_to)
    return replace(
        bullet,
        content=wrong.text(f"{path}content", clean(bullet.content)),
        reason=wrong.line(f"{path}reason", bullet.reason),
        applies_to=tuple(sorted({each for each in targets if each})),
        source=tuple(_safe_source(each, wrong, f"{path}source") for each in bullet.source),
    )


def _safe_source(source: Provenance, wrong: Wrong, path: str) -> Provenance:
    return Provenance(
        **{each.name: wrong.line(f"{path}.{each.name}", getattr(source, each.name)) for each in fields(Provenance)}
    )


def safe_playbook(playbook: Playbook, wrong: Wrong) -> Playbook:
    """A whole playbook with its texts in their canonical spelling; `wrong` gets what cannot be taken."""
    wrong.number("revision", playbook.revision)
    _check_policy(playbook.policy, wrong)
    sections = tuple(
        Section(each.id, wrong.line(f"sections[{idx}].title", each.title, LONGEST_NAME) or "")
        for idx, each in enumerate(playbook.sections)
    )
    pairs = tuple(_safe_pair(each, wrong, f"pairs[{idx}]") for idx, each in enumerate(playbook.pairs))
    return replace(
        playbook,
        name=wrong.line("name", playbook.name, LONGEST_NAME) or "",
        sections=sections,
        bullets=tuple(safe_bullet(each, wrong, f"bullets[{idx}].") for idx, each in enumerate(playbook.bullets)),
        pairs=pairs,
    )


def _safe_pair(pair: Pair, wrong: Wrong, path: str) -> Pair:
    by = wrong.line(f"{path}.by", pair.by, LONGEST_NAME)
    if pair.texts is not None and not DIGEST.fullmatch(pair.texts):
        wrong.say(f"{path}.texts", f'is "{pair.texts[:80]}", and it has {N_DIGITS} digits of 0-9 and a-f')
    return replace(pair, why=wrong.line(f"{path}.why", pair.why, _LONGEST_WHY), by=by)


def _check_policy(policy: Policy, wrong: Wrong) -> None:
    wrong.number("policy.budget_model_tokens", policy.budget_model_tokens)
    wrong.number("policy.protect_revisions", policy.protect_revisions)
    wrong.choice("policy.similarity", policy.similarity, SIMILARITIES)
    wrong.choice("policy.encoding", policy.encoding, ENCODINGS)


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


def for_agents(playbook: Playbook) -> Playbook:
    """A playbook with its bullets that may be published and that prompts have: for files that agents read."""
    return replace(playbook, bullets=tuple(each for each in playbook.sent if each.publish), pairs=())


def published(playbook: Playbook) -> Playbook:
    """A playbook with its active bullets that may be published, and nothing else that a bullet is part of."""
    return replace(playbook, bullets=tuple(each for each in playbook.active if each.publish), pairs=())

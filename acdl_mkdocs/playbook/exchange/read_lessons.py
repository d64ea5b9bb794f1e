"""The result of reading a format, and the checks of texts that are imported or exported."""

from collections.abc import Collection
from dataclasses import field, fields, replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.playbook.model.bullets import (
    COUNTERS,
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
    section_id,
    sort_playbook,
)
from acdl_mkdocs.playbook.model.content import MAX_CONTENT, MAX_LINE, Cleaned, clean_content, clean_line, find_secrets
from acdl_mkdocs.playbook.model.near_pairs import DIGEST, N_DIGITS
from acdl_mkdocs.playbook.similarity import SIMILARITIES
from acdl_mkdocs.prompts.tokens.counter import ENCODINGS

MAX_DIGITS = 15
"""Digits of a count, in every format."""
LONGEST_NAME = 200
LONGEST_TITLE = 80
_LONGEST_WHY = 4 * MAX_CONTENT
"""Limit of a reason: those of earlier versions cite both texts of a pair."""
_COUNTS = (*COUNTERS, "added", "updated")


@dataclass(slots=True)
class TextChecker:
    """Checks the texts and numbers of a bullet and collects faults."""

    separator: str = ": "
    """Separates the path of a value and the fault."""
    faults: list[str] = field(default_factory=list)

    def report_fault(self, path: str, why: str) -> None:
        """Record a fault."""
        self.faults.append(f"{path}{self.separator}{why}")

    def check_text(self, path: str, cleaned: Cleaned) -> str:
        """Return a cleaned text; report faults and secrets."""
        for why in cleaned.problems:
            self.report_fault(path, why)
        kinds = ", ".join(find_secrets(cleaned.text))
        if kinds:
            self.report_fault(path, f"has what looks like a secret ({kinds}); say where to find it, never what it is")
        return cleaned.text

    def check_line(self, path: str, text: str | None, max_characters: int = MAX_LINE) -> str | None:
        """Return one line of text, or none."""
        return None if text is None else self.check_text(path, clean_line(text, max_characters))

    def check_number(self, path: str, number: int | None) -> None:
        """Check a count."""
        if number is not None and number >= 10**MAX_DIGITS:
            self.report_fault(path, f"has more than {MAX_DIGITS} digits")

    def check_choice(self, path: str, name: str | None, choices: Collection[str]) -> None:
        """Check that a name exists."""
        if name is not None and name not in choices:
            near = find_closest(name[:80], choices)
            hint = f"did you mean `{near}`?" if near else f"there are {', '.join(choices)}"
            self.report_fault(path, f'is "{name[:80]}", which does not exist; {hint}')


def safe_bullet(bullet: Bullet, checker: TextChecker, path: str = "") -> Bullet:
    """Return a bullet with its texts in their canonical spelling.

    Parameters:
        bullet: The bullet read.
        checker: Collects the faults.
        path: Prefix of the names of its parts, such as `bullets[3].`.
    """
    for key in _COUNTS:
        checker.check_number(f"{path}{key}", getattr(bullet, key))
    for alias in bullet.aliases:
        if not ID.fullmatch(alias):
            checker.report_fault(f"{path}aliases", f'has "{alias[:80]}", which is not an id')
    targets = (checker.check_line(f"{path}applies_to", each) or "" for each in bullet.applies_to)
    return replace(
        bullet,
        content=checker.check_text(f"{path}content", clean_content(bullet.content)),
        reason=checker.check_line(f"{path}reason", bullet.reason),
        applies_to=tuple(sorted({each for each in targets if each})),
        source=tuple(_safe_source(each, checker, f"{path}source") for each in bullet.source),
    )


def _safe_source(source: Provenance, checker: TextChecker, path: str) -> Provenance:
    return Provenance(
        **{
            each.name: checker.check_line(f"{path}.{each.name}", getattr(source, each.name))
            for each in fields(Provenance)
        }
    )


def safe_playbook(playbook: Playbook, checker: TextChecker) -> Playbook:
    """Return a playbook with its texts in their canonical spelling; `checker` collects the faults."""
    checker.check_number("revision", playbook.revision)
    _check_policy(playbook.policy, checker)
    sections = tuple(
        Section(each.id, checker.check_line(f"sections[{idx}].title", each.title, LONGEST_NAME) or "")
        for idx, each in enumerate(playbook.sections)
    )
    pairs = tuple(_safe_pair(each, checker, f"pairs[{idx}]") for idx, each in enumerate(playbook.pairs))
    return replace(
        playbook,
        name=checker.check_line("name", playbook.name, LONGEST_NAME) or "",
        sections=sections,
        bullets=tuple(safe_bullet(each, checker, f"bullets[{idx}].") for idx, each in enumerate(playbook.bullets)),
        pairs=pairs,
    )


def _safe_pair(pair: Pair, checker: TextChecker, path: str) -> Pair:
    by = checker.check_line(f"{path}.by", pair.by, LONGEST_NAME)
    if pair.texts is not None and not DIGEST.fullmatch(pair.texts):
        checker.report_fault(f"{path}.texts", f'is "{pair.texts[:80]}", and it has {N_DIGITS} digits of 0-9 and a-f')
    return replace(pair, why=checker.check_line(f"{path}.why", pair.why, _LONGEST_WHY), by=by)


def _check_policy(policy: Policy, checker: TextChecker) -> None:
    checker.check_number("policy.budget_model_tokens", policy.budget_model_tokens)
    checker.check_number("policy.protect_revisions", policy.protect_revisions)
    checker.check_choice("policy.similarity", policy.similarity, SIMILARITIES)
    checker.check_choice("policy.encoding", policy.encoding, ENCODINGS)


NAME = "imported"
"""Name of a playbook whose format has no name."""
_TITLE = "General"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read exactly as written."""

    line: int | None
    """From 1; `None` means the whole text."""
    message: str
    help: str = ""
    is_note: bool = False
    """Whether it was read completely, in another form."""

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}: "
        return f"{place}{self.message}" + (f"; {self.help}" if self.help else "")


@dataclass(frozen=True, slots=True)
class ReadPlaybook:
    """The result of reading a text."""

    playbook: Playbook | None
    """Everything that could be read; `None` if the text is not a playbook."""
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class ReadDraft:
    """A playbook that is read bullet by bullet."""

    name: str = NAME
    sections: dict[str, Section] = field(default_factory=dict)
    bullets: dict[str, Bullet] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def report_problem(self, line: int | None, message: str, help: str = "", *, is_note: bool = False) -> None:
        """Record a problem."""
        self.problems.append(Problem(line, message, help, is_note))

    def add_section(self, title: str, line: int | None) -> str:
        """Return the id of the section with a title; add the section if it is new."""
        existing_id = next((each.id for each in self.sections.values() if title == each.title), None)
        if existing_id is not None:
            return existing_id
        text = self.clean_title(title, line)
        if not text:
            return self.add_general_section()
        name = section_id(text) or "section"
        name = next(each for each in (name, *(f"{name}_{n}" for n in range(2, 9999))) if each not in self.sections)
        self.sections[name] = Section(name, text)
        return name

    def clean_title(self, title: str, line: int | None) -> str:
        """Return a cleaned heading; empty if it is refused."""
        wrong = TextChecker(" ")
        text = wrong.check_line("the heading", title, LONGEST_TITLE) or ""
        if wrong.faults or not text:
            self.report_problem(
                line, wrong.faults[0] if wrong.faults else "the heading is empty", is_note=not wrong.faults
            )
        return "" if wrong.faults else text

    def set_name(self, name: str, line: int | None) -> None:
        """Set the name of the playbook, if it is valid."""
        wrong = TextChecker(" ")
        self.name = wrong.check_line("the name", name, LONGEST_NAME) or self.name
        if wrong.faults:
            self.name = NAME
            self.report_problem(line, wrong.faults[0])

    def choose_section(self, name: str, title: str, line: int | None) -> str:
        """Return the id of the section with an id, a title, or both; the general section if both are empty."""
        if not name:
            return self.add_section(title, line) if title else self.add_general_section()
        if name not in self.sections:
            if not SECTION_ID.fullmatch(name):
                return self.add_section(title or name, line)
            self.sections[name] = Section(name, self.clean_title(title or name, line) or name)
        return name

    def add_general_section(self) -> str:
        """Return the section of bullets without a heading."""
        self.sections.setdefault(GENERAL, Section(GENERAL, _TITLE))
        return GENERAL

    def add_bullet(self, bullet: Bullet, line: int | None) -> None:
        """Add a bullet, under its id if that is still free."""
        wrong = TextChecker(" ")
        bullet = safe_bullet(bullet, wrong, "the ")
        if wrong.faults:
            self.report_problem(line, f"left out: {wrong.faults[0]}")
            return
        name = bullet.id
        if not ID.fullmatch(name) or name in self.bullets:
            taken = {*self.bullets, name}
            fresh = new_id(bullet.section, bullet.content, 0, len(self.bullets), taken, name=self.name)
            if name:
                why = "is there twice" if name in self.bullets else "is not an id of a bullet"
                self.report_problem(line, f'the id "{name[:80]}" {why}: `{fresh}` is used', is_note=True)
            name = fresh
        self.bullets[name] = replace(bullet, id=name)

    def build_result(self) -> ReadPlaybook:
        """Return everything that was read."""
        if not self.sections:
            self.add_general_section()
        playbook = Playbook(self.name, 0, tuple(self.sections.values()), tuple(self.bullets.values()))
        return ReadPlaybook(sort_playbook(playbook), tuple(self.problems))


def select_for_agents(playbook: Playbook) -> Playbook:
    """Return a playbook with the bullets that may be published and are sent: for files that agents read."""
    return replace(playbook, bullets=tuple(each for each in playbook.sent if each.publish), pairs=())


def select_published(playbook: Playbook) -> Playbook:
    """Return a playbook with the active bullets that may be published, and only what belongs to them."""
    return replace(playbook, bullets=tuple(each for each in playbook.active if each.publish), pairs=())

"""What may be taken from another format: safe texts without secrets, counts that end, names that exist.

The same rules for every format; what is read goes around the curator where a whole playbook is made of it.
"""

from collections.abc import Collection
from dataclasses import field, fields, replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.playbook.bullets import Bullet, Pair, Playbook, Policy, Provenance, Section
from acdl_mkdocs.playbook.content import MAX_CONTENT, MAX_LINE, Cleaned, clean, clean_line
from acdl_mkdocs.playbook.decisions import DIGEST, N_DIGITS
from acdl_mkdocs.playbook.ids import ID
from acdl_mkdocs.playbook.secrets import secrets
from acdl_mkdocs.prompts.tokens.counter import ENCODINGS
from acdl_mkdocs.similarity import SIMILARITIES

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

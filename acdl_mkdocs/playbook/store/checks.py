"""The consistency of the parts of a playbook, and the check for secrets."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from acdl_mkdocs.foundation.errors import PlaybookError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import KnownNames, find_closest
from acdl_mkdocs.playbook.model.bullets import ID, SECTION_ID, Bullet, Playbook, Policy
from acdl_mkdocs.playbook.model.changes import Change
from acdl_mkdocs.playbook.model.content import find_secrets
from acdl_mkdocs.playbook.store.history import Event
from acdl_mkdocs.prompts.prompt import Json

_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Flaw:
    """One inconsistency."""

    kind: str
    """`sections`, `bullets`, `pairs`, `policy`, or empty for the playbook itself."""
    index: int
    key: str
    message: str
    help: str = ""


def find_flaws(playbook: Playbook) -> Iterator[Flaw]:
    """Yield all inconsistencies, in the order of the playbook."""
    for key, text in (("name", playbook.name), ("policy", playbook.policy.similarity)):
        if not text.strip() or len(text) > _LONGEST_NAME or "\n" in text:
            yield Flaw("", 0, key, f"`{key}` must be one line of text", "write a short name")
    yield from _find_policy_flaws(playbook.policy)
    yield from _find_section_flaws(playbook)
    yield from _find_bullets_flaws(playbook)
    yield from _find_pair_flaws(playbook)


def _find_policy_flaws(policy: Policy) -> Iterator[Flaw]:
    """Check the names in a policy; their modules are imported only for unusual names."""
    usual = Policy()
    if policy.similarity not in (usual.similarity, ""):
        from acdl_mkdocs.playbook.similarity import SIMILARITIES

        yield from _find_unknown("similarity", policy.similarity, SIMILARITIES)
    if policy.encoding is not None:
        from acdl_mkdocs.prompts.tokens.counter import ENCODINGS

        yield from _find_unknown("encoding", policy.encoding, ENCODINGS)


def _find_unknown(key: str, name: str, names: Collection[str]) -> Iterator[Flaw]:
    if name in names:
        return
    near = find_closest(name, names)
    listed = ", ".join(f"`{each}`" for each in sorted(names))
    cure = f"did you mean `{near}`?" if near else f"there are {listed}"
    yield Flaw("policy", 0, key, f"there is no {key} `{name[:80]}`", cure)


def _find_section_flaws(playbook: Playbook) -> Iterator[Flaw]:
    seen: set[str] = set()
    for index, section in enumerate(playbook.sections):
        if not SECTION_ID.fullmatch(section.id):
            yield Flaw(
                "sections",
                index,
                "id",
                f"`{section.id[:80]}` is not an id of a section",
                "write lower-case words joined by `_`",
            )
        elif section.id in seen:
            yield Flaw("sections", index, "id", f"there are two sections `{section.id}`", "rename one of them")
        seen.add(section.id)
        if not section.title.strip() or "\n" in section.title or len(section.title) > _LONGEST_NAME:
            yield Flaw(
                "sections", index, "title", "the title of a section is one line of text", "write a short heading"
            )


def _find_bullets_flaws(playbook: Playbook) -> Iterator[Flaw]:
    sections = KnownNames((section.id, section) for section in playbook.sections)
    ids = KnownNames(playbook.by_id.items())  # a bullet that was merged into another may still be the replacement
    taken: dict[str, str] = {}
    for index, bullet in enumerate(playbook.bullets):
        for key, each in (("id", bullet.id), *(("aliases", alias) for alias in bullet.aliases)):
            if not ID.fullmatch(each):
                yield Flaw(
                    "bullets",
                    index,
                    key,
                    f"`{each[:80]}` is not an id of a bullet",
                    "write letters, digits, `-`, `_` and `.`, such as `tu-7k3q9f2m`",
                )
            elif each in taken:
                yield Flaw(
                    "bullets", index, key, f"the id `{each}` is used twice", "give one of the bullets another id"
                )
            taken[each] = bullet.id
        if bullet.is_active and bullet.section not in sections:
            near = find_closest(bullet.section, sections)
            cure = f"did you mean `{near}`?" if near else f"add `- {{id: {bullet.section}, title: …}}` to `sections`"
            yield Flaw("bullets", index, "section", f"there is no section `{bullet.section[:80]}`", cure)
        yield from _find_bullet_flaws(index, bullet, playbook.revision, ids)


def _find_bullet_flaws(index: int, bullet: Bullet, revision: int, ids: KnownNames[Bullet]) -> Iterator[Flaw]:
    for key in ("added", "updated"):
        number = getattr(bullet, key)
        if number > revision:
            cure = f"write a revision up to {revision}, or leave `{key}` out"
            yield Flaw("bullets", index, key, f"`{key}` is {number}, and the playbook is at revision {revision}", cure)
    if bullet.superseded_by is not None:
        if bullet.superseded_by == bullet.id:
            yield Flaw("bullets", index, "superseded_by", f"`{bullet.id}` is replaced by itself", "name another bullet")
        elif bullet.superseded_by not in ids:
            near = find_closest(bullet.superseded_by, ids)
            cure = f"did you mean `{near}`?" if near else "name a bullet of this file"
            yield Flaw("bullets", index, "superseded_by", f"there is no bullet `{bullet.superseded_by[:80]}`", cure)


def _find_pair_flaws(playbook: Playbook) -> Iterator[Flaw]:
    ids = KnownNames((bullet.id, bullet) for bullet in playbook.bullets)
    seen: set[tuple[str, str]] = set()
    for index, pair in enumerate(playbook.pairs):
        for key, each in (("a", pair.a), ("b", pair.b)):
            if each not in ids:
                near = find_closest(each, ids)
                yield Flaw(
                    "pairs",
                    index,
                    key,
                    f"there is no bullet `{each[:80]}`",
                    f"did you mean `{near}`?" if near else "remove the pair",
                )
        if pair.a == pair.b:
            yield Flaw("pairs", index, "b", f"`{pair.a}` is paired with itself", "remove the pair")
        elif (pair.a, pair.b) in seen:
            yield Flaw("pairs", index, "a", f"there are two pairs of `{pair.a}` and `{pair.b}`", "remove one of them")
        seen.add((pair.a, pair.b))


CURE = "take it out of the file, and change it where it is used"


def find_new_secrets(changes: Iterable[Change]) -> Iterator[tuple[Change, tuple[str, ...]]]:
    """Yield the changes that add new secrets, each with their kinds."""
    for change in changes:
        texts = frozenset(_texts(change.before))
        kinds = {kind: None for text in _texts(change.after) if text not in texts for kind in find_secrets(text)}
        if kinds:
            yield change, tuple(kinds)


def describe_secret(change: Change, kinds: Sequence[str]) -> str:
    """Describe the problem without the secret."""
    what = f"{change.kind} `{change.id}`" if change.id else "the playbook"
    return f"{what} has what looks like a secret ({', '.join(kinds)})"


def refuse_secrets(name: str, events: Iterable[Event]) -> None:
    """Refuse events with secrets.

    Raises:
        PlaybookError: An event contains one.
    """
    for change, kinds in find_new_secrets(event.change for event in events):
        raise PlaybookError(f"{name}: {describe_secret(change, kinds)}: it is not written into the history", CURE)


def _texts(data: Json) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for each in data.values():
            yield from _texts(each)
    elif isinstance(data, list):
        for each in data:
            yield from _texts(each)

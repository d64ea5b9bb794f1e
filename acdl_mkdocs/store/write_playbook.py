"""A playbook as the text of its file: one canonical text, to which the comments of people are added.

Canonical text is equal for equal playbooks, so that a save without a change gives the same bytes.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import TypeAlias

from acdl_mkdocs.playbook.bullets import Bullet, Pair, Playbook, Policy, Section
from acdl_mkdocs.playbook.plain import SUPERSEDED, bullet_data, pair_data, policy_data
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.store import shapes
from acdl_mkdocs.store.comments import END, NO_COMMENTS, Comments, Owner
from acdl_mkdocs.store.scalars import block_scalar, in_flow, one_line

Piece: TypeAlias = tuple[Owner, str]
Known: TypeAlias = dict[Bullet, str]
_LITERAL = frozenset(("content", "reason"))
_LAST: Owner = ("", "")
_REVISION: Owner = ("key", "revision")
_ARCHIVED, _SUPERSEDED = "\n  status: archived\n", f"\n  status: {SUPERSEDED}\n"


def text_of(playbook: Playbook, comments: Comments = NO_COMMENTS, stamp: str | None = None) -> str:
    """The text of a playbook that is in canonical order, with comments above what they belong to."""
    return with_comments(playbook, comments, stamped(pieces_of(playbook, {}), stamp))


def digest_of(playbook: Playbook, known: Known | None = None) -> str:
    """A hash of everything that a playbook is: of its text without comments and stamp.

    Parameters:
        playbook: In canonical order.
        known: Texts of bullets that were written before; those of this playbook are added.
    """
    return digest_of_pieces(pieces_of(playbook, {} if known is None else known))


def is_digest_of(digest: str | None, playbook: Playbook, known: Known | None = None) -> bool:
    """Whether a digest is that of a playbook, also as it was written when `superseded` was a status.

    Parameters:
        digest: What a history says.
        playbook: In canonical order.
        known: As in `digest_of`.
    """
    known = {} if known is None else known
    if digest == digest_of(playbook, known):
        return True
    replaced = [bullet for bullet in playbook.bullets if bullet.superseded_by and bullet.status == "archived"]
    before = {bullet: known[bullet].replace(_ARCHIVED, _SUPERSEDED, 1) for bullet in replaced}
    return bool(before) and digest == digest_of(playbook, {**known, **before})


def pieces_of(playbook: Playbook, known: Known) -> list[Piece]:
    """The text in pieces that comments can stand between."""
    return list(_pieces(playbook, known))


def stamped(pieces: list[Piece], stamp: str | None) -> list[Piece]:
    """The pieces with the stamp of a revision behind its number."""
    if stamp is None:
        return pieces
    place = [owner for owner, _ in pieces].index(_REVISION) + 1
    return [*pieces[:place], (("key", "stamp"), f'stamp: "{stamp}"\n'), *pieces[place:]]


def digest_of_pieces(pieces: list[Piece]) -> str:
    """The digest of a playbook whose text was written in pieces."""
    return sha256("".join(text for _, text in pieces).encode()).hexdigest()


def with_comments(playbook: Playbook, comments: Comments, pieces: list[Piece]) -> str:
    """Pieces as one text, with comments above what they belong to."""
    waiting = {owner: list(lines) for owner, lines in comments.above.items()}
    end = waiting.pop(END, [])
    merged = _of_merged(playbook, waiting)
    written: list[str] = []
    for owner, text in pieces:
        if waiting or merged:
            above = waiting.pop(owner, []) + merged.pop(owner, [])
            written.extend(f"{line}\n" for line in above)
        written.append(text)
    left = [line for lines in waiting.values() for line in lines]
    written.extend(f"{line}\n" for line in (*left, *end))
    return "".join(written)


def _of_merged(playbook: Playbook, waiting: dict[Owner, list[str]]) -> dict[Owner, list[str]]:
    """The comments above bullets that were merged into others, by the other."""
    found: dict[Owner, list[str]] = {}
    for owner in list(waiting):
        bullet = playbook.by_id.get(owner[1]) if owner[0] == "bullets" else None
        if bullet is not None and bullet.id != owner[1]:
            found.setdefault(("bullets", bullet.id), []).extend(waiting.pop(owner))
    return found


def _pieces(playbook: Playbook, known: Known) -> Iterator[Piece]:
    yield ("key", "schema_version"), f"schema_version: {shapes.SCHEMA_VERSION}\n"
    yield ("key", "name"), f"name: {one_line(playbook.name)}\n"
    yield _REVISION, f"revision: {playbook.revision}\n"
    if playbook.policy != Policy():
        yield ("key", "policy"), "policy:\n" + "".join(_policy_lines(playbook.policy))
    yield from _list("sections", ((section.id, _section(section)) for section in playbook.sections), "")
    yield from _list("bullets", ((bullet.id, _known(bullet, known)) for bullet in playbook.bullets), "\n")
    if playbook.pairs:
        yield from _list("pairs", ((f"{pair.a} {pair.b}", _pair(pair)) for pair in playbook.pairs), "")


def _list(name: str, elements: Iterable[tuple[str, str]], between: str) -> Iterator[Piece]:
    is_empty = True
    for key, text in elements:
        if is_empty:
            yield ("key", name), f"{name}:\n"
        elif between:
            yield _LAST, between
        yield (name, key), text
        is_empty = False
    if is_empty:
        yield ("key", name), f"{name}: []\n"


def _policy_lines(policy: Policy) -> Iterator[str]:
    for key, value in policy_data(policy).items():
        yield f"  {key}: {_flow(value)}\n"


def _section(section: Section) -> str:
    return f"- {{id: {in_flow(section.id)}, title: {in_flow(section.title)}}}\n"


def _pair(pair: Pair) -> str:
    return f"- {_flow(pair_data(pair))}\n"


def _known(bullet: Bullet, known: Known) -> str:
    text = known.get(bullet)
    if text is None:
        text = known[bullet] = bullet_text(bullet)
    return text


def bullet_text(bullet: Bullet) -> str:
    """A bullet as an element of the list of bullets."""
    lines = []
    for key, value in bullet_data(bullet).items():
        if key in _LITERAL and isinstance(value, str):
            lines.append(f"{key}: {block_scalar(value, '  ')}\n")
        elif isinstance(value, str):
            lines.append(f"{key}: {one_line(value)}\n")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            lines.append(f"{key}:\n" + "".join(f"  - {_source(each)}\n" for each in value))
        else:
            lines.append(f"{key}: {_source(value) if key == 'source' else _flow(value)}\n")
    return "- " + "  ".join(lines)


def _source(value: Json) -> str:
    known = value if isinstance(value, dict) else {}
    return _flow({key: known[key] for key in shapes.SOURCE if key in known})


def _flow(value: Json) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_flow(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(_flow(each) for each in value)}]"
    if isinstance(value, str):
        return in_flow(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else f"{value:g}" if isinstance(value, float) else str(value)

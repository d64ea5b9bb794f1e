"""Write a playbook as the text of its file: one canonical text, with the comments of people.

Equal playbooks have equal canonical texts, so a save without a change writes the same bytes.
"""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from acdl_mkdocs.foundation.json_value import Json
from acdl_mkdocs.foundation.yaml.scalars import block_scalar, flow_scalar, flow_value, line_scalar
from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook, Policy, Section
from acdl_mkdocs.playbook.model.plain import SUPERSEDED, bullet_data, pair_data, policy_data
from acdl_mkdocs.playbook.store.comments import END, NO_COMMENTS, Comments, Owner

SCHEMA_VERSION = 1
SCHEMA_FILE = "playbook-1.schema.json"
MODELINE = f"# yaml-language-server: $schema=./{SCHEMA_FILE}"
"""Names the schema for editors."""

TOP = ("schema_version", "name", "revision", "stamp", "policy", "sections", "bullets", "pairs")
STAMP = re.compile("[0-9a-f]{12}")
"""Pattern of a `stamp`."""
TOP_NEEDED = ("schema_version", "name", "revision", "sections", "bullets")
POLICY = ("budget_model_tokens", "encoding", "similarity", "protect_revisions", "merge_similar", "refine")
SECTION = ("id", "title")
BULLET = (
    "id",
    "section",
    "content",
    "status",
    "reason",
    "superseded_by",
    "pinned",
    "severity",
    "publish",
    "send",
    "helpful",
    "harmful",
    "neutral",
    "seen",
    "applies_to",
    "source",
    "aliases",
    "added",
    "updated",
)
BULLET_NEEDED = ("id", "section", "content")
SOURCE = ("run", "sample", "by", "model", "reference")
PAIR = ("a", "b", "verdict", "score", "why", "by", "texts")
PAIR_NEEDED = ("a", "b", "verdict")
STATUSES = ("proposed", "active", "archived")
SEVERITIES = ("normal", "critical")
VERDICTS = ("differs", "conflicts", "open", "kept", "review", "conflict")


def schema_text() -> str:
    """Return the JSON Schema of playbook files."""
    return (Path(__file__).parent.parent.parent / "assets" / SCHEMA_FILE).read_text("utf-8")


Piece: TypeAlias = tuple[Owner, str]
Known: TypeAlias = dict[Bullet, str]
_LITERAL = frozenset(("content", "reason"))
_LAST: Owner = ("", "")
_REVISION: Owner = ("key", "revision")
_ARCHIVED, _SUPERSEDED = "\n  status: archived\n", f"\n  status: {SUPERSEDED}\n"


def text_of(playbook: Playbook, comments: Comments = NO_COMMENTS, stamp: str | None = None) -> str:
    """Write a playbook in canonical order, with comments above their parts."""
    return add_comments(playbook, comments, add_stamp(pieces_of(playbook, {}), stamp))


def digest_of(playbook: Playbook, texts: Known | None = None) -> str:
    """Return a hash of everything in a playbook: of its text without comments and stamp.

    Parameters:
        playbook: In canonical order.
        texts: Texts of bullets written before; those of this playbook are added.
    """
    return digest_of_pieces(pieces_of(playbook, {} if texts is None else texts))


def is_digest_of(digest: str | None, playbook: Playbook, texts: Known | None = None) -> bool:
    """Return whether a digest is that of a playbook, also in the spelling of earlier versions.

    Parameters:
        digest: The digest in a history.
        playbook: In canonical order.
        texts: As in `digest_of`.
    """
    texts = {} if texts is None else texts
    if digest == digest_of(playbook, texts):
        return True
    replaced = [bullet for bullet in playbook.bullets if bullet.superseded_by and bullet.status == "archived"]
    before = {bullet: texts[bullet].replace(_ARCHIVED, _SUPERSEDED, 1) for bullet in replaced}
    return bool(before) and digest == digest_of(playbook, {**texts, **before})


def pieces_of(playbook: Playbook, texts: Known) -> list[Piece]:
    """Write the text in pieces, between which comments can be inserted."""
    return list(_pieces(playbook, texts))


def add_stamp(pieces: list[Piece], stamp: str | None) -> list[Piece]:
    """Insert the stamp of a revision after its number."""
    if stamp is None:
        return pieces
    index = [owner for owner, _ in pieces].index(_REVISION) + 1
    return [*pieces[:index], (("key", "stamp"), f'stamp: "{stamp}"\n'), *pieces[index:]]


def digest_of_pieces(pieces: list[Piece]) -> str:
    """Return the digest of a playbook written in pieces."""
    return sha256("".join(text for _, text in pieces).encode()).hexdigest()


def add_comments(playbook: Playbook, comments: Comments, pieces: list[Piece]) -> str:
    """Join pieces into one text, with comments above their parts."""
    pending = {owner: list(lines) for owner, lines in comments.above.items()}
    end = pending.pop(END, [])
    merged = _move_merged_comments(playbook, pending)
    written: list[str] = []
    for owner, text in pieces:
        if pending or merged:
            above = pending.pop(owner, []) + merged.pop(owner, [])
            written.extend(f"{line}\n" for line in above)
        written.append(text)
    unplaced = [line for lines in pending.values() for line in lines]
    written.extend(f"{line}\n" for line in (*unplaced, *end))
    return "".join(written)


def _move_merged_comments(playbook: Playbook, pending: dict[Owner, list[str]]) -> dict[Owner, list[str]]:
    """Move the comments of merged bullets to the bullets that they became part of."""
    moved: dict[Owner, list[str]] = {}
    for owner in list(pending):
        bullet = playbook.by_id.get(owner[1]) if owner[0] == "bullets" else None
        if bullet is not None and bullet.id != owner[1]:
            moved.setdefault(("bullets", bullet.id), []).extend(pending.pop(owner))
    return moved


def _pieces(playbook: Playbook, texts: Known) -> Iterator[Piece]:
    yield ("key", "schema_version"), f"schema_version: {SCHEMA_VERSION}\n"
    yield ("key", "name"), f"name: {line_scalar(playbook.name)}\n"
    yield _REVISION, f"revision: {playbook.revision}\n"
    if playbook.policy != Policy():
        yield ("key", "policy"), "policy:\n" + "".join(_policy_lines(playbook.policy))
    yield from _list("sections", ((section.id, _section(section)) for section in playbook.sections), "")
    yield from _list("bullets", ((bullet.id, _find_text(bullet, texts)) for bullet in playbook.bullets), "\n")
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
        yield f"  {key}: {flow_value(value)}\n"


def _section(section: Section) -> str:
    return f"- {{id: {flow_scalar(section.id)}, title: {flow_scalar(section.title)}}}\n"


def _pair(pair: Pair) -> str:
    return f"- {flow_value(pair_data(pair))}\n"


def _find_text(bullet: Bullet, texts: Known) -> str:
    text = texts.get(bullet)
    if text is None:
        text = texts[bullet] = bullet_text(bullet)
    return text


def bullet_text(bullet: Bullet) -> str:
    """Write a bullet as an element of the list of bullets."""
    lines = []
    for key, value in bullet_data(bullet).items():
        if key in _LITERAL and isinstance(value, str):
            lines.append(f"{key}: {block_scalar(value, '  ')}\n")
        elif isinstance(value, str):
            lines.append(f"{key}: {line_scalar(value)}\n")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            lines.append(f"{key}:\n" + "".join(f"  - {_source(each)}\n" for each in value))
        else:
            lines.append(f"{key}: {_source(value) if key == 'source' else flow_value(value)}\n")
    return "- " + "  ".join(lines)


def _source(value: Json) -> str:
    values = value if isinstance(value, dict) else {}
    return flow_value({key: values[key] for key in SOURCE if key in values})

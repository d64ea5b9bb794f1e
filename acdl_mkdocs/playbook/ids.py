"""Ids of bullets and sections: their shape, and new ones that were never used.

Random-looking ids in sorted order let two branches add bullets without touching the same lines; they are made from
what is added, so that the same delta gives the same ids everywhere.
"""

import re
from collections.abc import Container
from hashlib import sha256

MAX_ID = 64
ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
"""What an id of a bullet may be: ours are like `tu-7k3q9f2m`, those of other programs like `shr-00012`."""
SECTION_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
"""What an id of a section is: lower-case words joined by `_`."""

_BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's: no i, l, o, u
_N_CHARACTERS = 8
_BITS = 5
_SLUG = 3
_MOST_INITIALS = 6


def slug(section: str) -> str:
    """What ids of a section begin with: the initials of its words, or three letters of its only one."""
    words = [word for word in section.split("_") if word]
    if len(words) > 1:
        return "".join(word[0] for word in words)[:_MOST_INITIALS]
    return section[:_SLUG]


def new_id(section: str, content: str, revision: int, index: int, taken: Container[str], *, name: str = "") -> str:
    """An id for a bullet.

    Parameters:
        section: Id of its section.
        content: Its text.
        revision: The revision that adds it.
        index: The place of the operation in its delta.
        taken: Ids that were used before, by bullets of any status and by bullets that were merged.
        name: That of the playbook.
    """
    attempt = 0
    while True:
        key = "\n".join((name, section, content, str(revision), str(index), str(attempt)))
        number = int.from_bytes(sha256(key.encode("utf-8", "surrogatepass")).digest()[:_N_CHARACTERS], "big")
        characters = (_BASE32[(number >> (_BITS * place)) & 31] for place in range(_N_CHARACTERS))
        found = f"{slug(section)}-{''.join(characters)}"
        if found not in taken:
            return found
        attempt += 1


def section_id(title: str) -> str:
    """The id that a heading would have: `Tool usage` is `tool_usage`; empty where nothing is left of it."""
    words = re.findall(r"[a-z0-9]+", title.lower())
    while words and words[0][0].isdigit():
        words.pop(0)
    return "_".join(words)[:MAX_ID].rstrip("_")

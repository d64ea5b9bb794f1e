"""What a guard says when it forbids a merge."""

from collections.abc import Iterable

from acdl_mkdocs.frozen import dataclass

MAX_SHOWN = 60
"""Characters of one side in `why`."""


@dataclass(frozen=True, slots=True)
class Block:
    """Why two texts must not become one."""

    guard: str
    """The guard's name, such as `numbers`."""
    why: str
    """In plain words, with both sides: `numbers differ: 5 / 50`."""


def difference(guard: str, what: str, a: Iterable[str], b: Iterable[str]) -> Block:
    """A block that shows both sides; a side with nothing is a dash."""
    return Block(guard, f"{what}: {_side(a)} / {_side(b)}")


def _side(words: Iterable[str]) -> str:
    text = ", ".join(dict.fromkeys(words)) or "-"
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"

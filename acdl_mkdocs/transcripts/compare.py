"""What becomes of the messages of one prompt in the next: kept, changed, new or gone; and what a cache has of it.

A message is *kept* where the earlier prompt has one with the same role and content, wherever it stands. Else it is
*changed* where the earlier prompt has one from the same place of the spec in the same rounds. Else it is *new*.
"""

from collections import Counter
from typing import Literal, TypeAlias

from acdl_mkdocs.evaluation.transcript import SentMessage, Transcript
from acdl_mkdocs.foundation.frozen import dataclass

Change: TypeAlias = Literal["kept", "changed", "new"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A prompt beside an earlier one."""

    changes: tuple[Change, ...]
    """What became of each message of the later prompt."""
    gone: int
    """How many messages of the earlier prompt the later one has neither as they were nor changed."""
    same: int
    """How many messages the two prompts have in common from the beginning: what a cache of prompts can use."""
    is_prefix: bool
    """Whether all of the earlier prompt stands at the beginning of the later one."""

    def count(self, change: Change) -> int:
        """How many messages of the later prompt are so."""
        return self.changes.count(change)


def compare(earlier: Transcript, later: Transcript) -> Comparison:
    """The messages of a prompt beside those of an earlier one."""
    old, new = [_content(each) for each in earlier.messages], [_content(each) for each in later.messages]
    same = next(
        (at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), min(len(old), len(new))
    )
    unmatched = Counter(old)
    changes: list[Change] = []
    for content in new:
        is_kept = unmatched[content] > 0
        unmatched[content] -= is_kept
        changes.append("kept" if is_kept else "new")
    places = Counter[str]()
    for message, content in zip(reversed(earlier.messages), reversed(old), strict=True):
        if unmatched[content] > 0:
            unmatched[content] -= 1
            places[_place(message)] += 1
    for at, message in enumerate(later.messages):
        place = _place(message) if changes[at] == "new" else ""
        if place and places[place] > 0:
            places[place] -= 1
            changes[at] = "changed"
    return Comparison(tuple(changes), places.total(), same, same == len(old))


def _content(message: SentMessage) -> tuple[str, str, str]:
    parts = [piece.parts for piece in message.pieces if piece.parts]
    return message.role, message.text, repr(parts) if parts else ""


def _place(message: SentMessage) -> str:
    rounds = [(each.kind, each.name, each.value) for each in message.stack]
    return f"{message.origin.source.name} {message.origin.span} {rounds}"

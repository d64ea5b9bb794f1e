"""Every message of an outline, with when it is sent, and what of the outline grows as time goes on."""

from collections.abc import Container, Iterator, Sequence
from typing import Literal, TypeAlias

from acdl_mkdocs.explanation.items import LOOP_ENDS, PROMPT_ENDS
from acdl_mkdocs.explanation.told import Item, Message
from acdl_mkdocs.explanation.words import NEVER

_BRANCHES = ("loop", "arm")
_First: TypeAlias = Literal["piece", "end"] | None
"""What is there first: a piece at all times, or what may end the prompt; `None` if there is neither."""


def messages_of(items: Sequence[Item], again: Container[str]) -> Iterator[Message]:
    """Every message, with what is around it as one phrase.

    Parameters:
        items: The outline.
        again: Fragments that are used more than once; the outline has their messages where they are used first.
    """
    may_end = False
    known: dict[str, _First] = {}
    sure: set[int] = set()
    for top in items:
        _first(top, known, sure)
    for top in items:
        for item, around in top.walk():
            may_end |= _is_end(item, PROMPT_ENDS)
            if item.kind == "message":
                when = _when(around, again, may_end, is_sure=id(item) in sure)
                yield Message(item.role, when, tuple(_contents(item)), item.file, item.line)


def _when(around: Sequence[Item], again: Container[str], may_end: bool, *, is_sure: bool) -> str:
    heads = [each.text for each in around if each.kind in _BRANCHES]
    loops = [each for each in around if each.kind == "loop"]
    never = next((each for each in heads if each.startswith(NEVER)), None)
    said = never or ", and in it ".join(heads) or "always"
    if not is_sure:
        said += ", if there is anything in it"
    if may_end or any(_is_end(each, PROMPT_ENDS) for loop in loops for each, _ in loop.walk()):
        said += ", unless the prompt has ended before"
    if any(_has_break(each) for each in loops):
        said += ", unless the loop has ended before or gone on with its next round"
    repeated = [each.fragment for each in around if each.fragment and each.fragment in again]
    return f"at each use of the fragment `{repeated[-1]}`; at the first: {said}" if repeated else said


def _is_end(item: Item, words: str) -> bool:
    return item.kind == "end" and item.text.endswith(words)


def _has_break(loop: Item) -> bool:
    """Whether a loop can end early, or leave the rest of a round out."""
    for each, around in loop.walk():
        inner = [outer for outer in around if outer.kind == "loop"]
        if any(_is_end(each, words) for words in LOOP_ENDS) and inner[-1:] == [loop]:
            return True
    return False


def _first(item: Item, known: dict[str, _First], sure: set[int]) -> _First:
    """What an item begins with; all that is in it is looked at once, and uses of a fragment ask what is known of it.

    Parameters:
        item: The item.
        known: What fragments begin with, by their first uses, which come before the others; one that uses itself adds
            nothing.
        sure: Takes the `id()` of each message that has a piece at all times.
    """
    inside = [_first(each, known, sure) for each in item.items]
    found: _First = next((each for each in inside if each is not None), None)
    if item.kind == "fragment" and not item.items:
        return known.get(item.fragment) if item.fragment else "piece"  # nobody knows what an unknown one has
    if item.kind in ("content", "other") and item.is_sure:
        found = "piece"
    elif _is_end(item, PROMPT_ENDS):
        found = "end"
    if item.kind == "fragment":
        known[item.fragment] = found
    if item.kind == "message" and found == "piece":
        sure.add(id(item))
    return None if item.kind in _BRANCHES and found == "piece" else found


def _contents(message: Item) -> Iterator[str]:
    """What can be in a message, each with the loops and conditions in it that lead there."""
    for each, around in message.walk():
        is_unknown = each.kind == "fragment" and not each.items
        if each.kind == "content" or is_unknown:
            heads = [outer.text for outer in around if outer.kind in _BRANCHES]
            yield f"{', '.join(heads)}: {each.text}" if heads else each.text


def growing(items: Sequence[Item]) -> Iterator[str]:
    """What makes more rounds as time goes on."""
    for top in items:
        for item, around in top.walk():
            if any(each.grows for each in around):
                continue  # what is around it says so already
            messages = [each for each, _ in item.walk() if each.kind == "message"]
            roles = ", ".join(dict.fromkeys(each.text for each in messages))
            for each in item.grows:
                what = each.what or roles or "more pieces of the same message"
                limit = f" ({each.limit})" if each.limit and each.limit not in each.loop else ""
                yield f"line {item.line}: {each.loop}: {what}{limit}"

"""Every message of an outline, with when it is sent, and what of the outline grows as time goes on."""

from collections.abc import Container, Iterator, Mapping, Sequence

from acdl_mkdocs.explanation.items import LOOP_ENDS, PROMPT_ENDS
from acdl_mkdocs.explanation.told import Item, Message
from acdl_mkdocs.explanation.words import NEVER

_BRANCHES = ("loop", "arm")


def messages_of(items: Sequence[Item], again: Container[str]) -> Iterator[Message]:
    """Every message, with what is around it as one phrase.

    Parameters:
        items: The outline.
        again: Fragments that are used more than once; the outline has their messages where they are used first.
    """
    may_end = False
    every = [each for top in items for each, _ in top.walk()]
    fragments = {each.fragment: each for each in reversed(every) if each.fragment}
    sure: dict[str, bool] = {}
    for top in items:
        for item, around in top.walk():
            may_end |= _is_end(item, PROMPT_ENDS)
            if item.kind == "message":
                when = _when(around, again, may_end, is_sure=_is_sure(item, fragments, sure))
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


def _is_sure(holder: Item, fragments: Mapping[str, Item], sure: dict[str, bool]) -> bool:
    """Whether a message or a fragment has a piece at all times.

    Parameters:
        holder: The message, or the first use of the fragment.
        fragments: The first uses, which have the parts of the later ones.
        sure: What is known of fragments, each of which is looked at once; one that uses itself adds nothing.
    """
    for each, around in holder.walk():
        again = fragments.get(each.fragment) if each.kind == "fragment" and not each.items else None
        parts = again.walk() if again is not None else ()
        is_reached = not any(outer.kind in _BRANCHES for outer in around)
        if again is not None:
            if each.fragment not in sure:
                sure[each.fragment] = False
                sure[each.fragment] = _is_sure(again, fragments, sure)
            is_sure = sure[each.fragment]
        else:
            is_unknown = each.kind == "fragment" and not each.items
            is_sure = is_unknown or (each.kind in ("content", "other") and each.is_sure)
        if is_sure and is_reached:
            return True
        if _is_end(each, PROMPT_ENDS) or any(_is_end(part, PROMPT_ENDS) for part, _ in parts):
            return False  # perhaps before there is a piece
    return False


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

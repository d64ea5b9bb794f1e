"""`match_messages()`: which messages of two requests are the same, wherever they are, and which are changed or gone."""

from collections.abc import Mapping, Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.inspection.explain_change import common_prefix
from acdl_mkdocs.inspection.inspection import WeighedMessage, WeighedTool
from acdl_mkdocs.prompts.prompt import Json, Message, Output, words_of

_ALIKE = 0.2
"""Share of a message that has to be equal at its beginning and end for it to count as changed, not as another one."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it is compared."""

    model: str | None
    format: str
    settings: Mapping[str, Json]
    tools: tuple[WeighedTool, ...]
    plain: tuple[Message, ...]
    messages: tuple[WeighedMessage, ...]
    """The same, weighed."""


@dataclass(frozen=True, slots=True)
class Matched:
    """Which messages of two requests are the same, by their numbers."""

    again: Mapping[int, int]
    """From the later request to the earlier one: equal messages after the common prefix."""
    changed: Mapping[int, int]
    """The same for messages in the same place that have another content."""
    dropped: tuple[int, ...]


def match_messages(old: Sent, new: Sent, n_same: int) -> Matched:
    """Match what follows the messages that both requests begin with."""
    places: dict[bytes, list[int]] = {}
    for at in range(len(old.messages) - 1, n_same - 1, -1):
        places.setdefault(old.messages[at].key, []).append(at)
    again: dict[int, int] = {}
    for at in range(n_same, len(new.messages)):
        if found := places.get(new.messages[at].key):
            again[at] = found.pop()
    used = set(again.values())
    left = [at for at in range(n_same, len(old.messages)) if at not in used]
    changed = _changed(old, new, left, [at for at in range(n_same, len(new.messages)) if at not in again])
    gone = set(changed.values())
    return Matched(again, changed, tuple(at for at in left if at not in gone))


def _changed(old: Sent, new: Sent, left: Sequence[int], fresh: Sequence[int]) -> dict[int, int]:
    """Messages with another content: results of the same calls, else those that follow the same message and are alike.

    Instructions at the same number are the same instructions, whatever they say.
    """
    calls = {call: at for at in left for call in _answered(old.plain[at])}
    free = dict.fromkeys(left)
    found: dict[int, int] = {}
    for at in fresh:
        same_call = next((calls[call] for call in _answered(new.plain[at]) if calls.get(call) in free), None)
        place = at if same_call is None else same_call
        if place in free and (same_call is not None or _is_alike(old, new, place, at)):
            found[at] = place
            del free[place]
    return found


def _answered(message: Message) -> list[str]:
    return [part.call_id for part in message.parts if isinstance(part, Output) and part.call_id]


def _is_alike(old: Sent, new: Sent, before: int, after: int) -> bool:
    one, two = old.messages[before], new.messages[after]
    if one.role != two.role:
        return False
    if one.role == "system" or old.plain[before].parts[:1] == new.plain[after].parts[:1]:
        return True
    texts = _text(old.plain[before]), _text(new.plain[after])
    shared = common_prefix(*texts)
    shared += common_prefix(texts[0][shared:][::-1], texts[1][shared:][::-1])
    return shared >= _ALIKE * max(map(len, texts), default=0) > 0


def _text(message: Message) -> str:
    return "\n".join(map(words_of, message.parts))

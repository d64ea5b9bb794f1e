"""`find_prefix()`: what a request keeps of the one before it, where the common prefix ends, and why.

Providers keep what they have processed from the beginning of a request: first the definitions of tools, then the
instructions, then the messages. So the first difference decides, whatever is equal after it.
"""

from collections.abc import Mapping, Sequence
from itertools import islice

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.inspection.explain_change import Difference, common_prefix, explain_parts
from acdl_mkdocs.inspection.inspection import Change, PrefixEnd, WeighedMessage, WeighedTool
from acdl_mkdocs.inspection.match_messages import Matched, Sent, match_messages
from acdl_mkdocs.inspection.weigh_messages import Weigher, tool_text
from acdl_mkdocs.prompts.prompt import Json

_BEGINNING: Mapping[str, Mapping[str, str]] = {
    "anthropic": {"tools": "tools", "tool_choice": "messages", "thinking": "messages", "output_config": "messages"},
    "openai": {"tools": "tools", "response_format": "system"},
    "responses": {"tools": "tools", "text": "system"},
    "gemini": {"tools": "tools", "systemInstruction": "system"},
}
"""Parameters by format, and what a cache has nothing of from there on when they change."""
_MOST_OTHERS = 20
_NAMED = 4
"""Tools that are named in a sentence."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a request keeps of the one before."""

    changes: tuple[Change, ...]
    n_prefix: int
    n_again: int
    n_new: int
    end: PrefixEnd | None = None
    others: tuple[PrefixEnd, ...] = ()
    dropped: tuple[WeighedMessage, ...] = ()
    settings: tuple[str, ...] = ()


def find_prefix(old: Sent, new: Sent, weigher: Weigher) -> Kept:
    """Compare a request with the one before it in its run."""
    settings = tuple(sorted(key for key in {**old.settings, **new.settings} if _value(old, key) != _value(new, key)))
    n_tools = _n_equal(old.tools, new.tools)
    n_same = next(
        (at for at, (one, two) in enumerate(zip(old.messages, new.messages, strict=False)) if one is not two),
        min(len(old.messages), len(new.messages)),
    )
    matched = match_messages(old, new, n_same)
    differences = {
        at: explain_parts(old.plain[before], new.plain[at], new.messages[at].role)
        for at, before in matched.changed.items()
    }
    end, n_tools, n_kept = _end(old, new, settings, (n_tools, n_same), (matched, differences))
    begun = differences.get(n_kept) if end is not None and end.path.startswith(f"{_path(n_kept)}.") else None
    others = (_of_message(at, each) for at, each in sorted(differences.items()) if each is not begun)
    sums = _Sums(old, new, weigher, (n_tools, n_kept, n_same), begun)
    changes = tuple(sums.take(at, matched, differences) for at in range(len(new.messages)))
    dropped = tuple(old.messages[at] for at in matched.dropped)
    return Kept(
        changes, sums.n_prefix, sums.n_again, sums.n_new, end, tuple(islice(others, _MOST_OTHERS)), dropped, settings
    )


def _value(sent: Sent, key: str) -> tuple[bool, Json]:
    return key in sent.settings, sent.settings.get(key)


def _n_equal(old: Sequence[WeighedTool], new: Sequence[WeighedTool]) -> int:
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (one, two) in pairs if one.key != two.key), min(len(old), len(new)))


# ------------------------------------------------------------------------------------------------ where the prefix ends

_Found = tuple[PrefixEnd | None, int, int]
"""The end of the prefix, and how many tools and messages are before it."""


def _end(
    old: Sent,
    new: Sent,
    settings: Sequence[str],
    kept: tuple[int, int],
    messages: tuple[Matched, Mapping[int, Difference]],
) -> _Found:
    n_tools, n_same = kept
    if old.model != new.model:
        words = f"another model is asked: `{new.model or 'none'}`, before `{old.model or 'none'}`"
        return PrefixEnd("model", words, "model", None, old.model or "", new.model or ""), 0, 0
    beginnings = {_BEGINNING.get(new.format, {}).get(key, ""): key for key in reversed(settings)}
    if "tools" in beginnings:
        words = "the tools that the provider runs itself changed"
        return PrefixEnd("tools", words, f"settings.{beginnings['tools']}"), 0, 0
    if n_tools < max(len(old.tools), len(new.tools)):
        return _tools_end(old.tools, new.tools, n_tools), n_tools, 0
    for beginning, first in (("system", 0), ("messages", _n_system(new))):
        if beginning in beginnings and n_same > first:
            name = beginnings[beginning]
            words = (
                f"the parameter `{name}` changed, which comes before the {'instructions' if first == 0 else 'messages'}"
            )
            return PrefixEnd("parameter", words, f"settings.{name}"), n_tools, first
    if n_same == len(old.messages):
        return None, n_tools, n_same
    if n_same == len(new.messages):
        n_gone = len(old.messages) - n_same
        end = PrefixEnd("shorter", f"{_amount(n_gone)} at the end {_verb(n_gone)} no longer sent", _path(n_same))
        return end, n_tools, n_same
    return _message_end(old, new, n_same, *messages), n_tools, n_same


def _n_system(sent: Sent) -> int:
    return next((at for at, each in enumerate(sent.messages) if each.role != "system"), len(sent.messages))


def _tools_end(old: Sequence[WeighedTool], new: Sequence[WeighedTool], at: int) -> PrefixEnd:
    was, now = [each.tool.name for each in old], [each.tool.name for each in new]
    path = f"tools[{at}]"
    if sorted(each.key for each in old) == sorted(each.key for each in new):
        words = f"the same {len(now)} tools are defined in another order"
        return PrefixEnd("tool-order", words, path, None, was[at], now[at])
    added, gone = [each for each in now if each not in was], [each for each in was if each not in now]
    if added or gone:
        said = [f"{_names(names)} {what}" for names, what in ((added, "added"), (gone, "removed")) if names]
        words = f"the list of tools changed: {', '.join(said)}"
        return PrefixEnd("tools", words, path, None, *((each[at] if at < len(each) else "") for each in (was, now)))
    if at >= min(len(old), len(new)) or was[at] != now[at]:
        return PrefixEnd("tools", "the list of tools changed", path)
    one, two = tool_text(old[at].tool), tool_text(new[at].tool)
    start = common_prefix(one, two)
    excerpts = one[start : start + 60], two[start : start + 60]
    return PrefixEnd("tool-definition", f"the definition of the tool `{now[at]}` changed", path, start, *excerpts)


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(f"`{each}`" for each in islice(names, _NAMED)) + more


def _message_end(old: Sent, new: Sent, at: int, matched: Matched, differences: Mapping[int, Difference]) -> PrefixEnd:
    """The end of a prefix inside the messages, where both requests go on."""
    path = _path(at)
    if matched.changed.get(at) == at:
        return _of_message(at, differences[at])
    next_old = next((later for later, earlier in sorted(matched.again.items()) if earlier == at), None)
    next_new = matched.again.get(at)
    if next_old is not None and next_new is None:
        n_in = next_old - at
        return PrefixEnd("inserted", f"{_amount(n_in)} {_verb(n_in, 'was')} inserted", path)
    if next_new is not None and next_old is None:
        return _removed(old, at, next_new)
    if next_new is not None:
        return PrefixEnd("order", "the messages are in another order", path)
    n_gone = len(matched.dropped)
    fresh = range(at, len(new.messages))
    n_fresh = sum(number not in matched.again and number not in matched.changed for number in fresh)
    place = "its place" if n_gone == 1 else "their place"
    gone = f"{_amount(n_gone)} {_verb(n_gone)} no longer sent"
    return PrefixEnd("replaced", f"{gone}; {_amount(n_fresh)} {_verb(n_fresh)} in {place}", path)


def _of_message(at: int, found: Difference) -> PrefixEnd:
    """How a message changed, as the end of a prefix."""
    place = f"{_path(at)}.parts[{found.part}]"
    return PrefixEnd(found.reason, found.words, place, found.character, found.before, found.after)


def _removed(old: Sent, at: int, end: int) -> PrefixEnd:
    n_turns = sum(each.role == "user" for each in old.messages[at:end])
    is_turn = old.messages[at].role == "user" and (end == len(old.messages) or old.messages[end].role == "user")
    n_gone = end - at
    what = f"{n_turns} earlier turn{'s' if n_turns > 1 else ''} ({_amount(n_gone)})" if is_turn else _amount(n_gone)
    return PrefixEnd("removed", f"{what} {_verb(n_turns if is_turn else n_gone, 'was')} removed", _path(at))


def _path(message: int) -> str:
    return f"messages[{message}]"


def _amount(number: int) -> str:
    return f"{number} message{'' if number == 1 else 's'}"


def _verb(number: int, one: str = "is") -> str:
    return one if number == 1 else {"is": "are", "was": "were"}[one]


# ------------------------------------------------------------------------------------------------------------- counting


class _Sums:
    """The sums of a request while its messages are counted; every model token is in one of them."""

    def __init__(
        self, old: Sent, new: Sent, weigher: Weigher, n_kept: tuple[int, int, int], begun: Difference | None
    ) -> None:
        self._old, self._new, self._weigher, self._begun = old, new, weigher, begun
        n_tools, self._n_kept, self._n_same = n_kept
        known = {each.key for each in old.tools}
        self.n_prefix = sum(each.n_tokens for each in new.tools[:n_tools])
        self.n_again = sum(each.n_tokens for each in new.tools[n_tools:] if each.key in known)
        self.n_new = sum(each.n_tokens for each in new.tools[n_tools:] if each.key not in known)

    def take(self, at: int, matched: Matched, differences: Mapping[int, Difference]) -> Change:
        """Count a message."""
        message = self._new.messages[at]
        if at < self._n_kept:
            self.n_prefix += message.n_tokens
            return "kept"
        if at in differences:
            self._take_changed(at, matched.changed[at], differences[at])
            return "changed"
        if at < self._n_same or at in matched.again:
            self.n_again += message.n_tokens
            return "again"
        self.n_new += message.n_tokens
        return "new"

    def _take_changed(self, at: int, before: int, difference: Difference) -> None:
        """Count a message that changed.

        Tokens can lie across the joints of what is equal and what is not, so that what is new is the rest.
        """
        message, parts, old = self._new.messages[at], self._new.plain[at].parts, self._old.plain[before].parts
        n_equal = sum(each.n_tokens for each in message.parts[: difference.part])
        n_again = 0
        for idx, part in enumerate(message.parts[difference.part :], difference.part):
            if idx == difference.part and difference.character is not None:
                n_common = min(self._weigher.count(difference.common), part.n_tokens)
                n_equal += n_common
                n_again += min(self._weigher.count(difference.again), part.n_tokens - n_common)
            elif parts[idx] in old:
                n_again += part.n_tokens
        self.n_new += message.n_tokens - n_equal - n_again
        self.n_again += n_again
        if difference is self._begun:
            self.n_prefix += n_equal
        else:
            self.n_again += n_equal

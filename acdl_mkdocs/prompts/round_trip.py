"""`differences()`: what is read differently from a text that was just written."""

import json
import re
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from typing import NamedTuple

from acdl_mkdocs.prompts.prompt import Call, Json, Message, Output, Part, Prompt, Role, Text, Tool
from acdl_mkdocs.prompts.providers.adapt_prompt import by_long_names
from acdl_mkdocs.prompts.providers.tagged_text import memory_in_words

_MEANT = {
    "args_raw": "the arguments are not spelled as they were; their values are the same",
    "signature": "the signature is not kept",
    "more": "what one provider alone understands is not kept",
    "has_trigger": "that words of a person may ask for it is not kept",
}
"""Words for fields with unclear names."""
_TOLD_ONCE: Mapping[type[Part], str] = {Call: "signature", Output: "mime"}
"""Fields whose loss is reported once for all messages."""
_LONGEST = 60
_PART = re.compile(r"messages\[\d+\]\.parts\[\d+\]")


class Placed(NamedTuple):
    """A part and its path."""

    path: str
    role: Role
    part: Part


def of_parts(
    sent: Sequence[Placed], back: Sequence[Placed], told: Collection[str], whole: str = "messages"
) -> Iterator[tuple[str, str, bool]]:
    """Yield unreported differences of parts: paths, sentences, and whether something is lost.

    Parameters:
        sent: Parts of a message, or of all messages, each with its path in the prompt.
        back: Parts that are read back.
        told: Paths of known changes, from `covering`.
        whole: Path of all of them.
    """
    is_told = any(_is_told(each.path, told) for each in sent)
    kinds, kinds_back = ([(each.role, type(each.part)) for each in placed] for placed in (sent, back))
    if kinds == kinds_back or (len(sent) == len(back) and not is_told and whole != "messages"):
        for before, after in zip(sent, back, strict=True):
            if before.part != after.part and not _is_told(before.path, told):
                yield from _of_part(before, after.part, told)
        return
    lost, new = _unmatched(sent, back)
    yield from _of_others(lost, new, told, whole)


def covering(told: Collection[str]) -> frozenset[str]:
    """Return paths, and those of all parts around them."""
    return frozenset((*told, *(found[0] for each in told if (found := _PART.match(each)))))


def _is_told(path: str, told: Collection[str]) -> bool:
    return path in told or path.rpartition("[")[0] in told


def _unmatched(sent: Sequence[Placed], back: Sequence[Placed]) -> tuple[list[Placed], list[Placed]]:
    """Return parts without an equal on the other side."""
    by_words: defaultdict[str, deque[int]] = defaultdict(deque)
    for number, each in enumerate(back):
        by_words[_words(each)].append(number)
    found: set[int] = set()
    lost = []
    for each in sent:
        waiting = by_words[_words(each)]
        if waiting:
            found.add(waiting.popleft())
        else:
            lost.append(each)
    return lost, [each for number, each in enumerate(back) if number not in found]


def _words(placed: Placed) -> str:
    """Return the content of a part as one text that is equal for equal parts."""
    part = placed.part
    if isinstance(part, Output) and part.call_id is not None:
        part = replace(part, tool=None)
    return f"{placed.role} {type(part).__name__} {json.dumps(asdict(part), sort_keys=True, default=dict)}"


def _of_others(
    lost: Sequence[Placed], new: Sequence[Placed], told: Collection[str], whole: str
) -> Iterator[tuple[str, str, bool]]:
    """Compare parts that are not read back as they were, and parts that were added."""
    by_kind: defaultdict[type[Part], deque[Placed]] = defaultdict(deque)
    for each in new:
        by_kind[type(each.part)].append(each)
    n_free: Counter[bool] = Counter()
    for before in lost:
        if _is_told(before.path, told):
            n_free[isinstance(before.part, Call)] += 1
        elif not by_kind[type(before.part)]:
            yield before.path, "the part is not read again", True
        else:
            after = by_kind[type(before.part)].popleft()
            if after.role != before.role and before.path.rpartition(".parts")[0] not in told:
                yield before.path, f"the part is read again in a message of `{after.role}`", True
            yield from _of_part(before, after.part, told)
    for each in (each for waiting in by_kind.values() for each in waiting):
        is_call = isinstance(each.part, Call)
        if n_free[is_call] == 0:
            what = f"a call of `{each.part.tool}`" if isinstance(each.part, Call) else "a part"
            yield whole, f"{what} is read again that the prompt does not have", True
        n_free[is_call] = max(n_free[is_call] - 1, 0)


def _of_part(sent: Placed, back: Part, told: Collection[str]) -> Iterator[tuple[str, str, bool]]:
    part, path = sent.part, sent.path
    if type(part) is not type(back):
        yield path, f"a part is read again as another kind of part, {type(back).__name__.lower()}", True
        return
    for each in fields(part):
        before, after = getattr(part, each.name), getattr(back, each.name)
        if before == after or ("messages" in told and after is None and _TOLD_ONCE.get(type(part)) == each.name):
            continue
        if isinstance(part, Output) and each.name == "parts":
            yield path, "the content of the result is not read again as it was", True
        elif not (isinstance(part, Output) and each.name == "tool" and before is None and part.call_id is not None):
            yield path, *said_of_field(each.name, before, after)


def said_of_field(name: str, before: object, after: object) -> tuple[str, bool]:
    """Describe a different field, and whether something is lost."""
    if before is None:
        return f"`{name}` is filled in: {_short(after)}", False
    return _MEANT.get(name, f"`{name}` is read again as {_short(after)}"), name != "args_raw"


def _short(value: object) -> str:
    """Write a value as people do: as words, or JSON."""
    if value is None:
        return "nothing"
    plain = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
    words = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False, default=_plain)
    return f"`{words[:_LONGEST]}...`" if len(words) > _LONGEST else f"`{words}`"


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


_SENT_ELSE = ("name", "alias", "has_trigger", "more")
"""The path of what a writer reports about a tool as a whole."""


class Difference(NamedTuple):
    """Something that is read back differently."""

    part: str
    """Path in the prompt."""
    sentence: str
    is_loss: bool = True
    """Whether content is missing or different, and not only filled in or spelled differently."""


def differences(sent: Prompt, back: Prompt, to: str, told: Collection[str]) -> Iterator[Difference]:
    """Yield everything that is not read back as it was, and is not reported yet.

    Parameters:
        sent: The prompt that was written.
        back: The prompt that is read back.
        to: Key in `WIRES` of the format.
        told: Paths of all known changes: of a part, a field of a tool, a message without its
            parts, all parts of a message (`messages[2].parts`), or fields of all messages (`messages`).
    """
    if to == "pml" and not told and sent == back:
        return
    told = covering(told)
    yield from _of_whole(sent, back, to, told)
    if to != "pml":
        sent = by_long_names(sent)
    yield from _of_tools(sent.tools, back.tools, to, told)
    if "memory" in told:
        back = _without_memory(sent, back)
    is_moved = any(each.role == "tool" and f"messages[{n}]" in told for n, each in enumerate(sent.messages))
    roles, roles_back = ([each.role for each in prompt.messages] for prompt in (sent, back))
    if roles == roles_back and not is_moved:
        for number, (before, after) in enumerate(zip(sent.messages, back.messages, strict=True)):
            yield from _of_message(before, after, f"messages[{number}]", told)
        return
    if not any(each.startswith("messages[") for each in told):
        yield Difference("messages", _roles(sent.messages, back.messages))
    else:
        yield from _missing(sent, back, told)
    parts = [each for number, message in enumerate(sent.messages) for each in _placed(message, f"messages[{number}]")]
    found = of_parts(parts, [Placed("", each.role, part) for each in back.messages for part in each.parts], told)
    yield from (Difference(*each) for each in found)


def _placed(message: Message, path: str) -> list[Placed]:
    return [Placed(f"{path}.parts[{number}]", message.role, part) for number, part in enumerate(message.parts)]


def _without_memory(sent: Prompt, back: Prompt) -> Prompt:
    """Return the prompt that is read back, without the memory in its instructions."""
    words = memory_in_words(sent.memory)
    number = next((n for n, each in enumerate(back.messages) if each.role == "system"), None)
    if number is None:
        return back
    message = back.messages[number]
    texts = [part.text for part in message.parts[:1] if isinstance(part, Text)]
    if not texts or not texts[0].startswith(words):
        return back
    rest = texts[0].removeprefix(words).removeprefix("\n\n")
    parts = (*((Text(rest),) if rest else ()), *message.parts[1:])
    has_own = bool(sent.messages) and sent.messages[0].role == "system"
    kept = (replace(message, parts=parts),) if parts or has_own else ()
    return replace(back, messages=(*back.messages[:number], *kept, *back.messages[number + 1 :]))


def _of_whole(sent: Prompt, back: Prompt, to: str, told: Collection[str]) -> Iterator[Difference]:
    """Compare memory, id, topic and settings."""
    if "memory" not in told and sent.memory != back.memory:
        yield Difference("memory", "memory is not read again as it was")
    if "" not in told and sent.memory_id != back.memory_id:
        yield Difference("memory", "the id of the memory is not kept")
    if "" not in told and (sent.id, sent.topic) != (back.id, back.topic):
        yield Difference("", "id and topic of the conversation are not kept")
    wanted, found = _settings(sent, to), _settings(back, to)
    for key in [key for key, value in wanted.items() if key not in found or found[key] != value]:
        if "settings" not in told:
            yield Difference("settings", f"the setting `{key}` is not kept as it was")


def _settings(prompt: Prompt, to: str) -> dict[str, Json]:
    """Return the settings of a provider, by key; for a document, those of all."""
    found: dict[str, Json] = {}
    for each in prompt.settings:
        if to == "pml":
            found[f"{each.provider} {len(found)}"] = [each.json, each.place]
        elif each.provider == to and isinstance(each.json, dict):
            found.update({key: value for key, value in each.json.items() if key != "model"})
    return found


def _of_tools(sent: Sequence[Tool], back: Sequence[Tool], to: str, told: Collection[str]) -> Iterator[Difference]:
    if len(sent) != len(back):
        yield Difference("tools", f"the number of tools is {len(sent)}, and read again it is {len(back)}")
        return
    for number, (before, after) in enumerate(zip(sent, back, strict=True)):
        path = f"tools[{number}]"
        for name in [each.name for each in fields(Tool)]:
            is_told = f"{path}.{name}" in told or (path in told and name in _SENT_ELSE and to != "pml")
            if getattr(before, name) != getattr(after, name) and not is_told:
                yield Difference(path, *said_of_field(name, getattr(before, name), getattr(after, name)))


def _of_message(sent: Message, back: Message, path: str, told: Collection[str]) -> Iterator[Difference]:
    """Compare messages of the same role."""
    for name in ("name", "id", "turn"):
        before, after = getattr(sent, name), getattr(back, name)
        is_told = path in told or ("messages" in told and after is None)
        if before != after and not is_told:
            yield Difference(path, *said_of_field(name, before, after))
    if not sent.parts and [json.dumps(getattr(part, "text", None)) for part in back.parts] == ['""']:
        sentence = "the message is sent with an empty text: the format has none without content"
        yield Difference(path, sentence, is_loss=False)
        return
    if sent.parts != back.parts:
        after_parts = [Placed("", back.role, part) for part in back.parts]
        yield from (Difference(*each) for each in of_parts(_placed(sent, path), after_parts, told, path))


def _missing(sent: Prompt, back: Prompt, told: Collection[str]) -> Iterator[Difference]:
    """Yield empty messages, which have no part that could be missing."""
    empty = Counter(each.role for each in back.messages if not any(map(_says_something, each.parts)))
    for number, each in enumerate(sent.messages):
        if not each.parts and f"messages[{number}]" not in told:
            empty[each.role] -= 1
            if empty[each.role] < 0:
                yield Difference(f"messages[{number}]", "the message has nothing in it and is not read again")


def _says_something(part: object) -> bool:
    return isinstance(part, Call | Output) or getattr(part, "text", None) != ""


def _roles(before: Sequence[Message], after: Sequence[Message]) -> str:
    """Describe different roles of messages."""
    if len(before) != len(after):
        return f"the number of messages is {len(before)}, and read again it is {len(after)}"
    was, is_now = next((a.role, b.role) for a, b in zip(before, after, strict=True) if a.role != b.role)
    return f"a message of `{was}` is read again as one of `{is_now}`"

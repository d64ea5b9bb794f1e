"""`find_differences()`: what is read differently from a text that was just written."""

import json
import re
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from typing import NamedTuple

from acdl_mkdocs.prompts.prompt import Call, Json, Message, Output, Part, Prompt, Role, Text, Tool
from acdl_mkdocs.prompts.providers.adapt_prompt import use_long_names
from acdl_mkdocs.prompts.providers.tagged_text import write_memory

_MEANT = {
    "args_raw": "the arguments are written differently; their values are the same",
    "signature": "the signature is not kept",
    "more": "the data that only one provider understands is not kept",
    "has_trigger": "its trigger is not kept",
}
"""Words for fields with unclear names."""
_REPORTED_ONCE: Mapping[type[Part], str] = {Call: "signature", Output: "mime"}
"""Fields whose loss is reported once for all messages."""
_LONGEST = 60
_PART = re.compile(r"messages\[\d+\]\.parts\[\d+\]")


class LocatedPart(NamedTuple):
    """A part and its path."""

    path: str
    role: Role
    part: Part


def compare_parts(
    sent: Sequence[LocatedPart], back: Sequence[LocatedPart], reported: Collection[str], section: str = "messages"
) -> Iterator[tuple[str, str, bool]]:
    """Yield unreported differences of parts: paths, sentences, and whether something is lost.

    Parameters:
        sent: Parts of a message, or of all messages, each with its path in the prompt.
        back: Parts that are read back.
        reported: Paths of known changes, from `list_enclosing_paths`.
        section: Path of all of them.
    """
    is_told = any(_is_reported(each.path, reported) for each in sent)
    kinds, kinds_back = ([(each.role, type(each.part)) for each in placed] for placed in (sent, back))
    if kinds == kinds_back or (len(sent) == len(back) and not is_told and section != "messages"):
        for before, after in zip(sent, back, strict=True):
            if before.part != after.part and not _is_reported(before.path, reported):
                yield from _compare_part(before, after.part, reported)
        return
    lost, new = _find_unmatched(sent, back)
    yield from _compare_others(lost, new, reported, section)


def list_enclosing_paths(reported: Collection[str]) -> frozenset[str]:
    """Return paths, and those of all parts around them."""
    return frozenset((*reported, *(match[0] for each in reported if (match := _PART.match(each)))))


def _is_reported(path: str, reported: Collection[str]) -> bool:
    return path in reported or path.rpartition("[")[0] in reported


def _find_unmatched(
    sent: Sequence[LocatedPart], back: Sequence[LocatedPart]
) -> tuple[list[LocatedPart], list[LocatedPart]]:
    """Return parts without an equal on the other side."""
    by_words: defaultdict[str, deque[int]] = defaultdict(deque)
    for number, each in enumerate(back):
        by_words[_make_key(each)].append(number)
    matched: set[int] = set()
    lost = []
    for each in sent:
        queue = by_words[_make_key(each)]
        if queue:
            matched.add(queue.popleft())
        else:
            lost.append(each)
    return lost, [each for number, each in enumerate(back) if number not in matched]


def _make_key(placed: LocatedPart) -> str:
    """Return the content of a part as one text that is equal for equal parts."""
    part = placed.part
    if isinstance(part, Output) and part.call_id is not None:
        part = replace(part, tool=None)
    return f"{placed.role} {type(part).__name__} {json.dumps(asdict(part), sort_keys=True, default=dict)}"


def _compare_others(
    lost: Sequence[LocatedPart], new: Sequence[LocatedPart], reported: Collection[str], section: str
) -> Iterator[tuple[str, str, bool]]:
    """Compare parts that are not read back as they were, and parts that were added."""
    by_kind: defaultdict[type[Part], deque[LocatedPart]] = defaultdict(deque)
    for each in new:
        by_kind[type(each.part)].append(each)
    n_free: Counter[bool] = Counter()
    for before in lost:
        if _is_reported(before.path, reported):
            n_free[isinstance(before.part, Call)] += 1
        elif not by_kind[type(before.part)]:
            yield before.path, "the part is not read back", True
        else:
            after = by_kind[type(before.part)].popleft()
            if after.role != before.role and before.path.rpartition(".parts")[0] not in reported:
                yield before.path, f"the part is read back in a message of `{after.role}`", True
            yield from _compare_part(before, after.part, reported)
    for each in (each for waiting in by_kind.values() for each in waiting):
        is_call = isinstance(each.part, Call)
        if n_free[is_call] == 0:
            what = f"a call of `{each.part.tool}`" if isinstance(each.part, Call) else "a part"
            yield section, f"{what} is read back that the prompt does not have", True
        n_free[is_call] = max(n_free[is_call] - 1, 0)


def _compare_part(sent: LocatedPart, back: Part, reported: Collection[str]) -> Iterator[tuple[str, str, bool]]:
    part, path = sent.part, sent.path
    if type(part) is not type(back):
        yield path, f"a part is read back as another kind of part, {type(back).__name__.lower()}", True
        return
    for each in fields(part):
        before, after = getattr(part, each.name), getattr(back, each.name)
        if before == after or (
            "messages" in reported and after is None and _REPORTED_ONCE.get(type(part)) == each.name
        ):
            continue
        if each.name == "parts" and (before, after) == ((), (Text(""),)):
            yield path, "the result is sent with an empty text: the format has no result without content", False
        elif isinstance(part, Output) and each.name == "parts":
            yield path, "the content of the result is read back differently", True
        elif not (isinstance(part, Output) and each.name == "tool" and before is None and part.call_id is not None):
            yield path, *describe_field(each.name, before, after)


def describe_field(name: str, before: object, after: object) -> tuple[str, bool]:
    """Describe a different field, and whether something is lost."""
    if before is None:
        return f"`{name}` is filled in: {_shorten_value(after)}", False
    return _MEANT.get(name, f"`{name}` is read back as {_shorten_value(after)}"), name != "args_raw"


def _shorten_value(value: object) -> str:
    """Write a value as people do: as words, or JSON."""
    if value is None:
        return "nothing"
    plain = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
    words = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False, default=_to_plain_data)
    return f"`{words[:_LONGEST]}...`" if len(words) > _LONGEST else f"`{words}`"


def _to_plain_data(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


_SENT_ELSE = ("name", "alias", "has_trigger", "more")
"""The path of what a writer reports about a tool as a whole."""


class Difference(NamedTuple):
    """A difference after reading back."""

    part: str
    """Path in the prompt."""
    sentence: str
    is_loss: bool = True
    """Whether content is missing or different, not only filled in or spelled differently."""


def find_differences(sent: Prompt, back: Prompt, to: str, reported: Collection[str]) -> Iterator[Difference]:
    """Yield all differences after reading back that are not reported yet.

    Parameters:
        sent: The prompt that was written.
        back: The prompt that is read back.
        to: Key in `WIRES` of the format.
        reported: Paths of all known changes: of a part, a field of a tool, a message without its
            parts, all parts of a message (`messages[2].parts`), or fields of all messages (`messages`).
    """
    if to == "pml" and not reported and sent == back:
        return
    reported = list_enclosing_paths(reported)
    yield from _compare_whole(sent, back, to, reported)
    if to != "pml":
        sent = use_long_names(sent)
    yield from _compare_tools(sent.tools, back.tools, to, reported)
    if "memory" in reported:
        back = _remove_memory(sent, back)
    is_moved = any(each.role == "tool" and f"messages[{n}]" in reported for n, each in enumerate(sent.messages))
    roles, roles_back = ([each.role for each in prompt.messages] for prompt in (sent, back))
    if roles == roles_back and not is_moved:
        for number, (before, after) in enumerate(zip(sent.messages, back.messages, strict=True)):
            yield from _compare_message(before, after, f"messages[{number}]", reported)
        return
    if not any(each.startswith("messages[") for each in reported):
        yield Difference("messages", _describe_roles(sent.messages, back.messages))
    else:
        yield from _find_missing_messages(sent, back, reported)
    parts = [
        each for number, message in enumerate(sent.messages) for each in _locate_parts(message, f"messages[{number}]")
    ]
    differences = compare_parts(
        parts, [LocatedPart("", each.role, part) for each in back.messages for part in each.parts], reported
    )
    yield from (Difference(*each) for each in differences)


def _locate_parts(message: Message, path: str) -> list[LocatedPart]:
    return [LocatedPart(f"{path}.parts[{number}]", message.role, part) for number, part in enumerate(message.parts)]


def _remove_memory(sent: Prompt, back: Prompt) -> Prompt:
    """Return the prompt that is read back, without the memory in its instructions."""
    words = write_memory(sent.memory)
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
    remaining = (replace(message, parts=parts),) if parts or has_own else ()
    return replace(back, messages=(*back.messages[:number], *remaining, *back.messages[number + 1 :]))


def _compare_whole(sent: Prompt, back: Prompt, to: str, reported: Collection[str]) -> Iterator[Difference]:
    """Compare memory, id, topic and settings."""
    if "memory" not in reported and sent.memory != back.memory:
        yield Difference("memory", "memory is read back differently")
    if "" not in reported and sent.memory_id != back.memory_id:
        yield Difference("memory", "the id of the memory is not kept")
    if "" not in reported and (sent.id, sent.topic) != (back.id, back.topic):
        yield Difference("", "id and topic of the conversation are not kept")
    wanted, settings = _collect_settings(sent, to), _collect_settings(back, to)
    for key in [key for key, value in wanted.items() if key not in settings or settings[key] != value]:
        if "settings" not in reported:
            yield Difference("settings", f"the setting `{key}` is read back differently")


def _collect_settings(prompt: Prompt, to: str) -> dict[str, Json]:
    """Return the settings of a provider, by key; for a document, those of all."""
    settings: dict[str, Json] = {}
    for each in prompt.settings:
        if to == "pml":
            settings[f"{each.provider} {len(settings)}"] = [each.json, each.place]
        elif each.provider == to and isinstance(each.json, dict):
            settings.update({key: value for key, value in each.json.items() if key != "model"})
    return settings


def _compare_tools(
    sent: Sequence[Tool], back: Sequence[Tool], to: str, reported: Collection[str]
) -> Iterator[Difference]:
    if len(sent) != len(back):
        yield Difference(
            "tools", f"the number of tools changes from {len(sent)} to {len(back)} when the text is read back"
        )
        return
    for number, (before, after) in enumerate(zip(sent, back, strict=True)):
        path = f"tools[{number}]"
        for name in [each.name for each in fields(Tool)]:
            is_told = f"{path}.{name}" in reported or (path in reported and name in _SENT_ELSE and to != "pml")
            if getattr(before, name) != getattr(after, name) and not is_told:
                yield Difference(path, *describe_field(name, getattr(before, name), getattr(after, name)))


def _compare_message(sent: Message, back: Message, path: str, reported: Collection[str]) -> Iterator[Difference]:
    """Compare messages of the same role."""
    for name in ("name", "id", "turn"):
        before, after = getattr(sent, name), getattr(back, name)
        is_told = path in reported or ("messages" in reported and after is None)
        if before != after and not is_told:
            yield Difference(path, *describe_field(name, before, after))
    if not sent.parts and [json.dumps(getattr(part, "text", None)) for part in back.parts] == ['""']:
        sentence = "the message is sent with an empty text: the format has no message without content"
        yield Difference(path, sentence, is_loss=False)
        return
    if sent.parts != back.parts:
        after_parts = [LocatedPart("", back.role, part) for part in back.parts]
        yield from (Difference(*each) for each in compare_parts(_locate_parts(sent, path), after_parts, reported, path))


def _find_missing_messages(sent: Prompt, back: Prompt, reported: Collection[str]) -> Iterator[Difference]:
    """Yield empty messages, which have no part that could be missing."""
    empty = Counter(each.role for each in back.messages if not any(map(_says_something, each.parts)))
    for number, each in enumerate(sent.messages):
        if not each.parts and f"messages[{number}]" not in reported:
            empty[each.role] -= 1
            if empty[each.role] < 0:
                yield Difference(f"messages[{number}]", "the message is empty and is not read back")


def _says_something(part: object) -> bool:
    return isinstance(part, (Call, Output)) or getattr(part, "text", None) != ""


def _describe_roles(before: Sequence[Message], after: Sequence[Message]) -> str:
    """Describe different roles of messages."""
    if len(before) != len(after):
        return f"the number of messages changes from {len(before)} to {len(after)} when the text is read back"
    was, is_now = next((a.role, b.role) for a, b in zip(before, after, strict=True) if a.role != b.role)
    return f"a message of `{was}` is read back as one of `{is_now}`"

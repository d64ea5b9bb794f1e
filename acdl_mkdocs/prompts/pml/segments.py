"""`select()`, `remove()`, `replace()`: parts of a prompt by their paths."""

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace as replace_fields
from typing import TypeAlias, TypeVar

from acdl_mkdocs.foundation.errors import SegmentError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.prompts.pending_calls import PendingCalls
from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Call,
    Memory,
    Message,
    Opaque,
    Output,
    Part,
    Prompt,
    Text,
    Thinking,
    Tool,
    Turn,
    group_turns,
)

Value: TypeAlias = Message | Part | Memory | Tool
Place: TypeAlias = tuple[str | int, ...]
_NAMES = {
    Text: "text",
    Thinking: "thinking",
    Attachment: "attachment",
    Call: "call",
    Output: "tool_output",
    Opaque: "opaque",
}


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a prompt."""

    path: str
    """Its path, with all numbers: `turn[2]/user[1]/text[1]`."""
    value: Value
    """The part itself."""
    place: Place
    """Its position, with indices from 0: `("messages", 2, 0)` is the first part of the third message."""


def segments(prompt: Prompt) -> Iterator[Segment]:
    """Yield all parts of a prompt: memory, tools, then messages and their parts, each before the parts inside it.

    Parameters:
        prompt: The prompt.
    """
    counts: Counter[str] = Counter()
    for number, entry in enumerate(prompt.memory):
        counts[entry.kind] += 1
        yield Segment(f"memory/{entry.kind}[{counts[entry.kind]}]", entry, ("memory", number))
    for number, tool in enumerate(prompt.tools):
        yield Segment(f"tools/tool[{number + 1}]", tool, ("tools", number))
    counts.clear()
    for turn, turn_number in number_turns(group_turns(prompt.messages)):
        around = "" if turn_number is None else f"turn[{turn_number}]/"
        for number, message in enumerate(turn.messages, turn.start):
            yield from _list_message_segments(message, number, around, counts)


def number_turns(all_turns: Iterable[Turn]) -> Iterator[tuple[Turn, int | None]]:
    """Yield turns with their numbers: their own, else one more than the last; none for instructions outside turns."""
    number = 0
    for turn in all_turns:
        if not turn.is_outside:
            number = number + 1 if turn.number is None else turn.number
        yield turn, None if turn.is_outside else number


def _list_message_segments(message: Message, number: int, around: str, counts: Counter[str]) -> Iterator[Segment]:
    """Yield a message and its parts; results of tools belong to the turn itself."""
    place = ("messages", number)
    if message.role == "tool" and all(isinstance(part, Output) for part in message.parts) and message.parts:
        inside = around
    else:
        path = _count_path(f"{around}{message.role}", counts)
        yield Segment(path, message, place)
        inside = f"{path}/"
    for part_number, part in enumerate(message.parts):
        path = _count_path(inside + _NAMES[type(part)], counts)
        yield Segment(path, part, (*place, part_number))
        for inner_number, inner in enumerate(part.parts if isinstance(part, Output) else ()):
            name = "content" if isinstance(inner, Text) else _NAMES[type(inner)]
            yield Segment(_count_path(f"{path}/{name}", counts), inner, (*place, part_number, inner_number))


def _count_path(path: str, counts: Counter[str]) -> str:
    counts[path] += 1
    return f"{path}[{counts[path]}]"


def get_id(value: Value) -> str | None:
    """Return the id for `#id`: of a message, an attachment or a call."""
    return value.id if isinstance(value, (Message, Attachment, Call)) else None


def replace_values(prompt: Prompt, values: Mapping[Place, Value]) -> Prompt:
    """Return the prompt with other values at some paths, none of which is inside another."""
    messages, tools, memory = list(prompt.messages), list(prompt.tools), list(prompt.memory)
    parts: dict[int, list[Part]] = {}
    for place, value in {**values, **_replace_results(prompt, values)}.items():
        match place, value:
            case ("memory", int(number)), Memory():
                memory[number] = value
            case ("tools", int(number)), Tool():
                tools[number] = value
            case (_, int(number)), Message():
                messages[number] = value
            case (_, int(number), int(at)), _ if not isinstance(value, (Message, Memory, Tool)):
                parts.setdefault(number, list(messages[number].parts))[at] = value
    for number, own in parts.items():
        messages[number] = replace_fields(messages[number], parts=tuple(own))
    return replace_fields(prompt, messages=tuple(messages), tools=tuple(tools), memory=tuple(memory))


def _replace_results(prompt: Prompt, values: Mapping[Place, Value]) -> dict[Place, Value]:
    """Return the results of tools whose content changes, each with its path."""
    inner: dict[tuple[int, int], list[Text | Attachment | Opaque]] = {}
    for place, value in values.items():
        match place, value:
            case (_, int(number), int(at), int(inside)), Text() | Attachment() | Opaque():
                inner.setdefault((number, at), list(_get_result(prompt, number, at).parts))[inside] = value
            case (_, _, _, _), _:
                raise SegmentError("a tool result can only contain texts and attachments")
    return {
        ("messages", *at): replace_fields(_get_result(prompt, *at), parts=tuple(parts)) for at, parts in inner.items()
    }


def _get_result(prompt: Prompt, number: int, at: int) -> Output:
    output = prompt.messages[number].parts[at]
    assert isinstance(output, Output)  # noqa: S101 - only results have parts
    return output


V = TypeVar("V")
_STEP = re.compile(r"([a-z_*]+)(?:\[([1-9][0-9]{0,8})\])?")
_MOST_NAMED = 10


def select(prompt: Prompt, where: str) -> tuple[Segment, ...]:
    """Return the parts of a prompt that a path or an id selects, in order; a turn as its messages.

    Parameters:
        prompt: The prompt.
        where: A path such as `turn[2]/user/attachment[1]`, or an id such as `#photo`. Numbers count from 1; a step
            without a number means all, and `*` any name.

    Raises:
        SegmentError: The path is invalid, or the number of a turn in it is ambiguous.
    """
    if where.startswith("#"):
        wanted = where[1:]
        is_memory = prompt.memory_id == wanted
        selected = [each for each in segments(prompt) if get_id(each.value) == wanted]
        return tuple(
            selected if not is_memory else [each for each in segments(prompt) if each.place[0] == "memory"] + selected
        )
    steps = _split_path(where)
    _check_number(prompt, where, steps)
    selected = [segment for segment in segments(prompt) if _matches_path(segment.path, steps)]
    if len(steps) == 1 and steps[0][0] in ("turn", "memory", "tools"):
        name, number = steps[0]
        begins = f"{name}[{number}]/" if number else name
        inner = [each for each in segments(prompt) if each.path.startswith(begins)]
        selected = [each for each in inner if each.path.count("/") == 1]
    return tuple(selected)


def select_existing(prompt: Prompt, where: str) -> tuple[Segment, ...]:
    """Return the parts of a prompt that a path or an id selects, at least one.

    Raises:
        SegmentError: The path is invalid, or selects nothing.
    """
    selected = select(prompt, where)
    if not selected:
        paths = [each.path for each in segments(prompt)]
        raise SegmentError(f"the prompt has no `{where}`; {_suggest_path(prompt, where, paths)}" if paths else _EMPTY)
    return selected


_EMPTY = "the prompt is empty"


def _suggest_path(prompt: Prompt, where: str, paths: Sequence[str]) -> str:
    """Suggest a path or an id instead of one that selects nothing."""
    if where.startswith("#"):
        names = [prompt.memory_id, *(get_id(each.value) for each in segments(prompt))]
        ids = [f"#{each}" for each in names if each is not None]
        return _suggest_nearest(where, ids, "ids") if ids else "it has no ids, so name a part by its path"
    inside = re.sub(r"\A(?:prompt/)?(?:conversation/)?", "", where)
    if inside != where and inside and select(prompt, inside):
        return f"did you mean `{inside}`?"
    return _suggest_nearest(where, paths, "paths")


def _suggest_nearest(where: str, names: Sequence[str], what: str) -> str:
    near = find_closest(where, names)
    if near is not None:
        return f"did you mean `{near}`?"
    rest = f" and {len(names) - _MOST_NAMED:,} others" if len(names) > _MOST_NAMED else ""
    return f"its {what} are: " + " ".join(f"`{name}`" for name in names[:_MOST_NAMED]) + rest


def _check_number(prompt: Prompt, where: str, steps: Sequence[tuple[str, str | None]]) -> None:
    """Refuse the number of a turn that is set for one turn and counted for another, unless later turns have numbers."""
    (name, number), *inner = steps
    if name != "turn" or number is None or (inner and all(each is not None for _, each in inner)):
        return
    same = [turn for turn, counted in number_turns(group_turns(prompt.messages)) if counted == int(number)]
    if len(same) > 1 and any(turn.number is None for turn in same):
        cure = f"number all turns, or name a part, such as `turn[{number}]/{same[-1].messages[0].role}[1]`"
        raise SegmentError(f"`{where}` means {len(same)} turns, as not all turns have a number; {cure}")


def remove(prompt: Prompt, *wheres: str) -> Prompt:
    """Return the prompt without the parts that paths and ids select; numbers are those of the given prompt.

    An empty message or memory is removed too, and the result of a removed call.

    Parameters:
        prompt: The prompt.
        wheres: Paths or ids, as for `select`.

    Raises:
        SegmentError: The path is invalid, or selects nothing.
    """
    places = {segment.place for where in wheres for segment in select_existing(prompt, where)}
    answers = _find_answers(prompt)
    places |= {answers[place] for place in places if place in answers}
    for number, message in enumerate(prompt.messages):
        if ("messages", number) in places:
            inner = {("messages", number, part) for part in range(len(message.parts))}
            places |= {answers[place] for place in inner if place in answers}
    memory = _remove_values(prompt.memory, "memory", places)
    return replace_fields(
        prompt,
        messages=tuple(_remove_places(prompt.messages, places)),
        tools=_remove_values(prompt.tools, "tools", places),
        memory=memory,
        memory_id=None if prompt.memory and not memory else prompt.memory_id,
    )


def replace(prompt: Prompt, where: str, value: Value | str | bytes) -> Prompt:
    """Return the prompt with another value for the part that a path or an id selects.

    Parameters:
        prompt: The prompt.
        where: A path or an id.
        value: The new value, of the same kind; a string changes the words of a text, of memory, of a result, or the
            content of an attachment; bytes are the data of an attachment.

    Raises:
        SegmentError: The path is invalid or selects nothing, or the value is of another kind.
    """
    values: dict[Place, Value] = {}
    for segment in select_existing(prompt, where):
        new = _replace_text(segment, value) if isinstance(value, (str, bytes)) else value
        if not _can_replace(segment.value, new):
            kind, other = (type(each).__name__.lower() for each in (segment.value, new))
            raise SegmentError(f"`{segment.path}` is a {kind}, so a {other} cannot be there")
        values[segment.place] = new
    return replace_values(prompt, values)


def _split_path(where: str) -> list[tuple[str, str | None]]:
    steps: list[tuple[str, str | None]] = []
    for step in where.split("/"):
        match = _STEP.fullmatch(step)
        if match is None:
            raise SegmentError(f"`{where}` is not a path; write, for example, `turn[2]/user/attachment[1]`, or `#id`")
        steps.append((match[1], match[2]))
    return steps


def _matches_path(path: str, steps: Sequence[tuple[str, str | None]]) -> bool:
    own = path.split("/")
    if len(own) != len(steps):
        return False
    for segment, (name, number) in zip(own, steps, strict=True):
        own_name, _, own_number = segment.rstrip("]").partition("[")
        if name not in ("*", own_name) or (number is not None and number != own_number):
            return False
    return True


def _remove_places(messages: Sequence[Message], places: set[Place]) -> Iterator[Message]:
    """Yield the messages without some messages, parts and parts of results."""
    for number, message in enumerate(messages):
        position = ("messages", number)
        if position in places:
            continue
        parts = tuple(
            _remove_output_parts(part, (*position, at), places) if isinstance(part, Output) else part
            for at, part in enumerate(message.parts)
            if (*position, at) not in places
        )
        if parts or not message.parts:
            yield replace_fields(message, parts=parts)


def _remove_output_parts(output: Output, place: Place, places: set[Place]) -> Output:
    return replace_fields(
        output, parts=tuple(part for at, part in enumerate(output.parts) if (*place, at) not in places)
    )


def _remove_values(values: tuple[V, ...], name: str, places: set[Place]) -> tuple[V, ...]:
    return tuple(value for number, value in enumerate(values) if (name, number) not in places)


def _find_answers(prompt: Prompt) -> dict[Place, Place]:
    """Return the path of the result of each call."""
    answers: dict[Place, Place] = {}
    pending_calls: PendingCalls[Place] = PendingCalls()
    for number, message in enumerate(prompt.messages):
        pending_calls.begin_message(message.role)
        for at, part in enumerate(message.parts):
            if isinstance(part, Call):
                pending_calls.add_call(("messages", number, at), part.id, part.tool)
            elif isinstance(part, Output):
                call = pending_calls.answer_call(part.call_id, part.tool)
                if call is not None:
                    answers[call] = ("messages", number, at)
    return answers


def _replace_text(segment: Segment, words: str | bytes) -> Value:
    value = segment.value
    match value:
        case Attachment() if isinstance(words, bytes):
            return replace_fields(value, data=b64encode(words).decode(), text=None, href=None)
        case _ if isinstance(words, bytes):
            raise SegmentError(f"`{segment.path}` can only have text; only an attachment can have other data")
        case Text() | Memory():
            return replace_fields(value, text=words)
        case Attachment():
            return replace_fields(value, text=words, data=None, href=None)
        case Output():
            return replace_fields(value, parts=(Text(words),))
        case _:
            raise SegmentError(f"`{segment.path}` has no text of its own to replace; name a part of it")


def _can_replace(old: Value, new: Value) -> bool:
    """Return whether a value can replace another."""
    for kinds in (Message, Memory, Tool):
        if isinstance(old, kinds) or isinstance(new, kinds):
            return isinstance(old, kinds) and isinstance(new, kinds)
    return True

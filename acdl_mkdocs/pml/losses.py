"""`losses()`: what of a prompt a PML document cannot say. Only broken values: JSON that is none, data that are none."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.pml.strict_json import DEPTH
from acdl_mkdocs.prompt import Attachment, Call, Json, Opaque, Output, Part, Prompt, Tool

_LARGEST = 10**9
_MOST_BITS = 14_000
"""Python reads numbers of 4,300 digits."""
_NOT_DATA = re.compile(r"[^A-Za-z0-9+/=]")


@dataclass(frozen=True, slots=True)
class Loss:
    """Something of a prompt that is not read again as it was."""

    path: str
    """Where in the prompt: `messages[2].parts[0]`."""
    sentence: str
    cure: str


def losses(prompt: Prompt) -> tuple[Loss, ...]:
    """What a document that is written for a prompt does not say; nothing for every prompt that is sound."""
    return tuple(_of_prompt(prompt))


def is_number(turn: int | None) -> bool:
    """Whether a document can say that number of a turn."""
    return turn is not None and abs(turn) < _LARGEST


def _of_prompt(prompt: Prompt) -> Iterator[Loss]:
    for number, tool in enumerate(prompt.tools):
        yield from _of_tool(tool, f"tools[{number}]")
    for number, message in enumerate(prompt.messages):
        if message.turn is not None and not is_number(message.turn):
            cure = "number the turns from 1"
            yield Loss(f"messages[{number}].turn", "a turn has a number of more than nine digits", cure)
        yield from _of_parts(message.parts, f"messages[{number}].parts")
    for number, each in enumerate(prompt.settings):
        yield from _of_json(each.json, f"settings[{number}].json")


def _of_tool(tool: Tool, path: str) -> Iterator[Loss]:
    yield from _of_json(tool.parameters, f"{path}.parameters")
    if tool.more is not None:
        yield from _of_json(tool.more.json, f"{path}.more.json")


def _of_parts(parts: Sequence[Part], path: str) -> Iterator[Loss]:
    for number, part in enumerate(parts):
        place = f"{path}[{number}]"
        match part:
            case Call():
                yield from _of_json(part.args, f"{place}.args")
            case Opaque():
                yield from _of_json(part.json, f"{place}.json")
            case Output():
                yield from _of_parts(part.parts, f"{place}.parts")
            case Attachment(data=str(data)) if _NOT_DATA.search(data):
                yield Loss(
                    f"{place}.data", "the data are no base64 and are not kept as they are", "give the bytes as base64"
                )
            case _:
                pass


def _of_json(value: Json | Mapping[str, Json], path: str) -> Iterator[Loss]:
    level: list[Json | Mapping[str, Json]] = [value]
    for _ in range(DEPTH + 1):
        if any(_is_odd(each) for each in level):
            sentence = "JSON has no infinity, no NaN, and no number of thousands of digits"
            yield Loss(path, sentence, "write it as a text, or leave it out")
            return
        lists = [each for each in level if isinstance(each, list | Mapping)]
        level = [inner for each in lists for inner in (each.values() if isinstance(each, Mapping) else each)]
        if not level:
            return
    yield Loss(path, f"there are more than {DEPTH} levels of lists and objects", "write the inner ones as a text")


def _is_odd(value: Json | Mapping[str, Json]) -> bool:
    """Whether a value is a number that is not read again."""
    if isinstance(value, int):
        return value.bit_length() > _MOST_BITS
    return isinstance(value, float) and not math.isfinite(value)

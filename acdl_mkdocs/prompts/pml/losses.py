"""`losses()`: content of a prompt that a PML document cannot hold; `find_ignored_content()`: the opposite."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from xml.parsers import expat

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.prompts.prompt import Attachment, Call, Json, Opaque, Output, Part, Prompt, Tool
from acdl_mkdocs.prompts.strict_json import DEPTH

_LARGEST = 10**9
_MOST_BITS = 14_000
"""Python reads numbers of 4,300 digits."""
_NOT_DATA = re.compile(r"[^A-Za-z0-9+/=]")


@dataclass(frozen=True, slots=True)
class Loss:
    """Content of a prompt that a document does not preserve."""

    path: str
    """Path in the prompt: `messages[2].parts[0]`."""
    sentence: str
    """Why it is lost; lower case, no full stop."""
    cure: str
    """What to change in the prompt."""


def losses(prompt: Prompt) -> tuple[Loss, ...]:
    """Return the content of a prompt that a PML document cannot hold; empty if it can hold all of it.

    Parameters:
        prompt: Any prompt, such as one read from a request.
    """
    return tuple(_find_prompt_losses(prompt))


def is_number(turn: int | None) -> bool:
    """Return whether a document can hold that number of a turn."""
    return turn is not None and abs(turn) < _LARGEST


def _find_prompt_losses(prompt: Prompt) -> Iterator[Loss]:
    for number, tool in enumerate(prompt.tools):
        yield from _find_tool_losses(tool, f"tools[{number}]")
    for number, message in enumerate(prompt.messages):
        if message.turn is not None and not is_number(message.turn):
            cure = "number the turns from 1"
            yield Loss(f"messages[{number}].turn", "a turn has a number of more than nine digits", cure)
        yield from _find_part_losses(message.parts, f"messages[{number}].parts")
    for number, each in enumerate(prompt.settings):
        yield from _find_json_losses(each.json, f"settings[{number}].json")


def _find_tool_losses(tool: Tool, path: str) -> Iterator[Loss]:
    yield from _find_json_losses(tool.parameters, f"{path}.parameters")
    if tool.more is not None:
        yield from _find_json_losses(tool.more.json, f"{path}.more.json")


def _find_part_losses(parts: Sequence[Part], path: str) -> Iterator[Loss]:
    for number, part in enumerate(parts):
        part_path = f"{path}[{number}]"
        match part:
            case Call():
                yield from _find_json_losses(part.args, f"{part_path}.args")
            case Opaque():
                yield from _find_json_losses(part.json, f"{part_path}.json")
            case Output():
                yield from _find_part_losses(part.parts, f"{part_path}.parts")
            case Attachment(data=str(data)) if _NOT_DATA.search(data):
                yield Loss(
                    f"{part_path}.data", "the data is not base64 and is not kept unchanged", "give the bytes as base64"
                )
            case _:
                pass


def _find_json_losses(value: Json | Mapping[str, Json], path: str) -> Iterator[Loss]:
    level: list[Json | Mapping[str, Json]] = [value]
    for _ in range(DEPTH + 1):
        if any(_is_unreadable_number(each) for each in level):
            sentence = "JSON has no infinity, no NaN, and no number of thousands of digits"
            yield Loss(path, sentence, "write it as a string, or remove it")
            return
        lists = [each for each in level if isinstance(each, (list, Mapping))]
        level = [inner for each in lists for inner in (each.values() if isinstance(each, Mapping) else each)]
        if not level:
            return
    yield Loss(path, f"there are more than {DEPTH} levels of lists and objects", "write the inner ones as a string")


def _is_unreadable_number(value: Json | Mapping[str, Json]) -> bool:
    """Return whether a value is a number that cannot be read back."""
    if isinstance(value, int):
        return value.bit_length() > _MOST_BITS
    return isinstance(value, float) and not math.isfinite(value)


@dataclass(frozen=True, slots=True)
class IgnoredContent:
    """Content that reading ignores."""

    span: Span
    what: str
    """A description: `a comment`, "the attribute `xml:lang` of `<text>`"."""


def find_ignored_content(source: Source) -> tuple[IgnoredContent, ...]:
    """Return the content of a document that no prompt holds, in its order.

    Parameters:
        source: A readable document; of any other, only the part before its first error is used.
    """
    finder = _IgnoredContentFinder(source.text)
    try:
        finder.parser.Parse(b"<prompt>", False)
        finder.parser.Parse(finder.data, False)
    except expat.ExpatError:
        pass
    finally:
        finder.release_parser()
    return tuple(finder.found)


class _IgnoredContentFinder:
    """Handles the events of expat."""

    def __init__(self, text: str) -> None:
        declaration = text.find("?>") + 2 if text.lstrip().startswith("<?xml") else 0
        self.data = (" " * declaration + text[declaration:]).encode(errors="replace")
        self.found: list[IgnoredContent] = []
        self.empty_turn: Span | None = None
        self.known_byte, self.known_offset = 0, 0
        self.parser = expat.ParserCreate("utf-8")
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.StartElementHandler = self.handle_start
        self.parser.EndElementHandler = self.handle_end
        self.parser.CommentHandler = self.handle_comment

    def release_parser(self) -> None:
        self.parser.StartElementHandler = None
        self.parser.EndElementHandler = None
        self.parser.CommentHandler = None

    def make_span(self, length: int) -> Span:
        """Return the span of the next characters; spans are requested in order."""
        byte = max(self.parser.CurrentByteIndex - len(b"<prompt>"), 0)
        self.known_offset += len(self.data[self.known_byte : byte].decode(errors="replace"))
        self.known_byte = byte
        return Span(self.known_offset, self.known_offset + length)

    def handle_comment(self, text: str) -> None:
        self.found.append(IgnoredContent(self.make_span(len(text) + len("<!---->")), "a comment"))

    def handle_start(self, name: str, attributes: dict[str, str]) -> None:
        self.empty_turn = self.make_span(1) if name == "turn" else None
        for attribute in attributes:
            if attribute.startswith("xml:"):
                self.found.append(IgnoredContent(self.make_span(1), f"the attribute `{attribute}` of `<{name}>`"))

    def handle_end(self, _name: str) -> None:
        if self.empty_turn is not None:
            self.found.append(IgnoredContent(self.empty_turn, "an empty `<turn>`"))
        self.empty_turn = None

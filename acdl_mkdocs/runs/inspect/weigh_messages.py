"""`Weigher`: the messages and tools of requests with their model tokens, each counted once and shortened.

An agent sends its history again with each request. A message equal to one of the step before becomes the same
object, so that a recording costs only its new content. Marks such as Anthropic's `cache_control` control the cache
and are not content: a message whose mark was moved is unchanged.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Call,
    Message,
    Opaque,
    Output,
    Part,
    Role,
    Text,
    Thinking,
    Tool,
    get_text,
)
from acdl_mkdocs.prompts.tokens.counter import Counter
from acdl_mkdocs.runs.inspect.inspection import WeighedMessage, WeighedPart, WeighedTool

_MARKS = frozenset(("cache_control", "cachePoint"))
"""Keys that control the cache of a provider, and mean nothing to the model."""
_LEAST_BLOCK = 160
"""Characters of a paragraph that is looked for elsewhere."""
_EXCERPT = 200
_BLANK_LINE = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the kept content."""

    part: int = 600
    """Characters of one part."""
    all: int = 20_000_000
    """Characters of all parts; then only beginnings are kept."""

    @classmethod
    def make_page_limits(cls) -> "Limits":
        """Return the limits of HTML, which shows more than other formats."""
        return cls(part=20_000, all=8_000_000)


class Weigher:
    """Weighs the messages of requests."""

    def __init__(self, counter: Counter, limits: Limits) -> None:
        self._count = counter.count
        self._limits = limits
        self._n_kept = 0
        self.is_cut = False
        """Whether anything was cut."""

    def weigh_messages(
        self,
        messages: Sequence[Message],
        before: Sequence[Message] = (),
        weighed: Sequence[WeighedMessage] = (),
    ) -> tuple[WeighedMessage, ...]:
        """Weigh the messages of a request.

        Parameters:
            messages: Without marks, from `remove_marks()`.
            before: Those of the step before.
            weighed: The same, weighed.
        """
        pairs = enumerate(zip(before, messages, strict=False))
        n_same = next((at for at, (old, new) in pairs if old is not new and old != new), len(messages))
        n_same = min(n_same, len(before), len(messages))
        weighed_by_key = {each.key: each for each in weighed[n_same:]}
        result = list(weighed[:n_same])
        for message in messages[n_same:]:
            key = make_key(message)
            result.append(weighed_by_key.get(key) or self._weigh_message(message, key))
        return tuple(result)

    def weigh_tools(self, tools: Sequence[Tool], weighed: Sequence[WeighedTool] = ()) -> tuple[WeighedTool, ...]:
        """Weigh the tools of a request; those of the step before are weighed already."""
        weighed_by_key = {each.key: each for each in weighed}
        result = []
        for tool in map(_remove_tool_marks, tools):
            text = format_tool(tool)
            key = _hash_text(text)
            result.append(weighed_by_key.get(key) or WeighedTool(tool, key, self._count(text)))
        return tuple(weighed) if [each.key for each in result] == [each.key for each in weighed] else tuple(result)

    def count_tokens(self, text: str) -> int:
        """Count the model tokens of a text."""
        return self._count(text) if text else 0

    def _weigh_message(self, message: Message, key: bytes) -> WeighedMessage:
        parts = tuple(
            WeighedPart(self._shorten_part(part), self.count_tokens(get_text(part))) for part in message.parts
        )
        blocks = tuple(self._split_blocks(message.parts))
        n_tokens = sum(each.n_tokens for each in parts)
        return WeighedMessage(find_role(message), message.name, parts, key, n_tokens, blocks)

    def _split_blocks(self, parts: Iterable[Part]) -> Iterator[tuple[bytes, int, str]]:
        for part in parts:
            if not isinstance(part, (Text, Output)):
                continue
            for block in _BLANK_LINE.split(get_text(part)):
                text = block.strip()
                if len(text) >= _LEAST_BLOCK:
                    yield _hash_text(text), self.count_tokens(text), text[:_EXCERPT]

    # -------------------------------------------------------------------------------------------------------- excerpts

    def _shorten_part(self, part: Part) -> Part:
        """Shorten a part for display."""
        match part:
            case Text():
                return replace(part, text=self._shorten_text(part.text))
            case Thinking():
                return replace(part, text=self._shorten_text(part.text), signature=None)
            case Call():
                return self._shorten_call(part)
            case Output():
                return replace(part, parts=tuple(_unwrap_result_part(self._shorten_part(each)) for each in part.parts))
            case Attachment():
                return self._shorten_attachment(part)
            case Opaque():
                text = json.dumps(part.json, ensure_ascii=False)
                cut = self._shorten_text(text)
                return part if cut == text else replace(part, json=cut)

    def _shorten_text(self, text: str) -> str:
        most = self._limits.part if self._n_kept < self._limits.all else min(self._limits.part, _EXCERPT)
        if len(text) > most:
            self.is_cut = True
            text = f"{text[:most]}… ({len(text) - most:,} more characters)"
        self._n_kept += len(text)
        return text

    def _shorten_call(self, call: Call) -> Call:
        text = json.dumps(dict(call.args), ensure_ascii=False)
        cut = self._shorten_text(text)
        args = call.args if cut == text else {"…": cut}
        return replace(call, args=args, args_raw=None, signature=None)

    def _shorten_attachment(self, part: Attachment) -> Attachment | Text:
        if part.text:
            return replace(part, text=self._shorten_text(part.text))
        if part.data and len(part.data) > self._limits.part:
            named = part.name or part.path or part.mime or "without a name"
            return Text(f"[{part.type} {named}: {len(part.data) * 3 // 4:,} bytes]")
        return part


def _unwrap_result_part(part: Part) -> Text | Attachment | Opaque:
    return part if isinstance(part, (Text, Attachment, Opaque)) else Text(get_text(part))


def find_role(message: Message) -> Role:
    """Return the role of a message: results of tools have the role of the tool, whatever role a provider uses."""
    is_result = bool(message.parts) and all(isinstance(part, Output) for part in message.parts)
    return "tool" if is_result else message.role


# ------------------------------------------------------------------------------------------------------- marks and keys


def remove_marks(messages: Sequence[Message], before: Sequence[Message] = ()) -> tuple[Message, ...]:
    """Return messages without marks; one equal to that of the step before becomes the same object."""
    parts = []
    for at, message in enumerate(messages):
        bare = _remove_message_marks(message)
        parts.append(before[at] if at < len(before) and before[at] == bare else bare)
    return tuple(parts)


def _remove_message_marks(message: Message) -> Message:
    if not any(isinstance(part, (Opaque, Output)) for part in message.parts):
        return message
    return replace(
        message, parts=tuple(bare for part in message.parts if (bare := _remove_part_marks(part)) is not None)
    )


def _remove_part_marks(part: Part) -> Part | None:
    if isinstance(part, Output):
        inside = tuple(bare for each in part.parts if (bare := _remove_part_marks(each)) is not None)
        return replace(part, parts=tuple(map(_unwrap_result_part, inside)))
    return _remove_opaque_marks(part) if isinstance(part, Opaque) else part


def _remove_opaque_marks(part: Opaque) -> Opaque | None:
    if part.place == "part" or not isinstance(part.json, dict) or not part.json.keys() & _MARKS:
        return part
    rest = {key: value for key, value in part.json.items() if key not in _MARKS}
    return replace(part, json=rest) if rest else None


def _remove_tool_marks(tool: Tool) -> Tool:
    return tool if tool.more is None else replace(tool, more=_remove_opaque_marks(tool.more))


def format_tool(tool: Tool) -> str:
    """Return a definition as JSON, in the form that models get."""
    texts: dict[str, object] = {"name": tool.alias or tool.name, "description": tool.description}
    other_keys: Mapping[str, object] = tool.more.json if tool.more and isinstance(tool.more.json, dict) else {}
    fields = {**texts, "parameters": dict(tool.parameters), **other_keys}
    return json.dumps({key: value for key, value in fields.items() if value is not None}, ensure_ascii=False)


def make_key(message: Message) -> bytes:
    """Return a digest that identifies a message."""
    return _hash_text(repr((message.role, message.name, message.parts)))


def _hash_text(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()

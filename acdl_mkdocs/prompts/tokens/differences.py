"""`describe_differences()`: the content of a prompt that is lost in a spelling of it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.prompts.prompt import Attachment, Call, Json, Message, Opaque, Output, Part, Prompt, Text, Thinking

NO_DATA = "AA=="
"""Replaces the data of images and other files."""


@dataclass(frozen=True, slots=True)
class ComparablePrompt:
    """A prompt, and descriptions of what was left out of it."""

    prompt: Prompt
    left_out: tuple[str, ...]
    """For a person: `the data of 2 files, which providers count by size`."""


def make_comparable(prompt: Prompt) -> ComparablePrompt:
    """Return the prompt without settings, data of files, signatures, and data for one provider only.

    Providers count images by their size and not by the letters of their data. A call's arguments are spelled anew, and
    a result names its tool only if it names no call.
    """
    builder = _ComparableBuilder(
        {part.id for each in prompt.messages for part in each.parts if isinstance(part, Call) and part.id}
    )
    messages = tuple(
        message
        for each in prompt.messages
        if (message := replace(each, parts=tuple(builder.build_parts(each.parts)))).parts or not each.parts
    )
    n_own = builder.n_own + len(prompt.settings) + sum(tool.more is not None for tool in prompt.tools)
    left_out = []
    if builder.n_data:
        left_out.append(f"the data of {format_count(builder.n_data, 'file')}, which providers count by size")
    if n_own:
        left_out.append(f"{format_count(n_own, 'thing')} that one provider alone understands")
    if builder.n_signed:
        left_out.append(format_count(builder.n_signed, "signature"))
    if builder.n_respelled:
        left_out.append(f"how the arguments of {format_count(builder.n_respelled, 'call')} were spelled")
    tools = tuple(replace(tool, more=None) for tool in prompt.tools)
    return ComparablePrompt(replace(prompt, messages=messages, tools=tools, settings=()), tuple(left_out))


@dataclass(slots=True)
class _ComparableBuilder:
    """Rebuilds parts, and counts what is left out of them."""

    calls: set[str]
    """Ids of all calls."""
    n_own: int = 0
    n_data: int = 0
    n_signed: int = 0
    n_respelled: int = 0

    def build_parts(self, parts: tuple[Part, ...]) -> Iterator[Part]:
        """Yield the parts of a message."""
        for part in parts:
            match part:
                case Call():
                    self.n_signed += part.signature is not None
                    self.n_respelled += part.args_raw is not None
                    yield replace(part, args_raw=None, signature=None)
                case Output():
                    tool = None if part.call_id in self.calls else part.tool
                    yield replace(part, parts=tuple(self.build_result_parts(part)), tool=tool)
                case Attachment():
                    yield self.build_attachment(part)
                case Thinking(is_redacted=False):
                    self.n_signed += part.signature is not None
                    yield replace(part, signature=None, provider=None)
                case Text():
                    yield part
                case _:
                    self.n_own += 1

    def build_result_parts(self, output: Output) -> Iterator[Text | Attachment]:
        """Yield the parts of a result."""
        for part in output.parts:
            match part:
                case Text():
                    yield part
                case Attachment():
                    yield self.build_attachment(part)
                case Opaque():
                    self.n_own += 1

    def build_attachment(self, part: Attachment) -> Attachment:
        """Return a file without its data."""
        if part.data is None:
            return part
        self.n_data += 1
        return replace(part, data=NO_DATA)


def describe_differences(prompt: Prompt, back: Prompt) -> tuple[str, ...]:
    """Describe what is lost.

    Parameters:
        prompt: The prompt that was written.
        back: The prompt that is read back.
    """
    prompt, back = make_comparable(prompt).prompt, make_comparable(back).prompt
    if prompt == back:
        return ()
    lost = [words for words, look in _LOOKS.items() if look(prompt) != look(back)]
    if not _list_ids(prompt) <= _list_ids(back):
        lost.append("ids of calls")
    if not (prompt.memory or _list_of_kind(prompt, Thinking) or any(_is_file(part) for part in _list_parts(prompt))):
        lost += [words for words, look in _TEXTS.items() if look(prompt) != look(back)]
    return tuple(lost)


def _list_parts(prompt: Prompt) -> Iterator[Part]:
    for message in prompt.messages:
        yield from message.parts


def _list_of_kind(prompt: Prompt, kind: type[Part]) -> list[Part]:
    return [part for part in _list_parts(prompt) if isinstance(part, kind)]


def _is_file(part: Part) -> bool:
    return isinstance(part, Attachment) or (isinstance(part, Output) and any(map(_is_file, part.parts)))


def _list_tools(prompt: Prompt) -> Json:
    return [[tool.alias or tool.name, tool.description, dict(tool.parameters)] for tool in prompt.tools]


def _list_codes(prompt: Prompt) -> Json:
    return [[tool.alias, tool.has_trigger] for tool in prompt.tools]


def _list_files(prompt: Prompt) -> list[Part]:
    inside = [each for part in _list_parts(prompt) if isinstance(part, Output) for each in part.parts]
    return [part for part in (*_list_parts(prompt), *inside) if isinstance(part, Attachment)]


def _list_calls(prompt: Prompt) -> list[Part]:
    called = {tool.name: tool.alias or tool.name for tool in prompt.tools}
    calls = (part for part in _list_parts(prompt) if isinstance(part, Call))
    return [replace(call, id=None, tool=called.get(call.tool, call.tool)) for call in calls]


def _list_results(prompt: Prompt) -> list[object]:
    """Return results without their ids; texts joined."""
    return [
        ("".join(each.text for each in part.parts if isinstance(each, Text)), part.is_error, part.tool)
        for part in _list_parts(prompt)
        if isinstance(part, Output)
    ]


def _list_ids(prompt: Prompt) -> set[tuple[str, str]]:
    """Return ids of calls and of their results. A format may need some that the prompt does not have."""
    calls = {("call", part.id) for part in _list_parts(prompt) if isinstance(part, Call) and part.id is not None}
    answers = (part.call_id for part in _list_parts(prompt) if isinstance(part, Output))
    return calls | {("result", call_id) for call_id in answers if call_id is not None}


def _list_speakers(prompt: Prompt) -> list[object]:
    return [(message.name, message.id) for message in prompt.messages if message.name or message.id]


def _list_roles(prompt: Prompt) -> list[object]:
    return [message.role for message in prompt.messages]


def _list_texts(prompt: Prompt) -> list[str]:
    def words(message: Message) -> str:
        return "".join(part.text for part in message.parts if isinstance(part, Text))

    return [text for message in prompt.messages if (text := words(message))]


_LOOKS: Mapping[str, Callable[[Prompt], object]] = {
    "the id and the topic of the conversation": lambda prompt: (prompt.id, prompt.topic),
    "numbers of turns": lambda prompt: [message.turn for message in prompt.messages if message.turn is not None],
    "names and ids of messages": _list_speakers,
    "memory, which is text of the instructions": lambda prompt: prompt.memory,
    "tools": _list_tools,
    "short codes of tools": _list_codes,
    "thinking": lambda prompt: _list_of_kind(prompt, Thinking),
    "files, which are text of their message": _list_files,
    "calls": _list_calls,
    "results": _list_results,
}
_TEXTS: Mapping[str, Callable[[Prompt], object]] = {"roles of messages": _list_roles, "texts": _list_texts}
"""Parts that also differ if others are written as text."""

"""`conversation()`: the messages that an agent exchanged as text for a reader, and what the agent itself said in them.

Takes messages in the form of any provider that `wire` reads. Instructions are left out: they are the same in each run,
and hold the playbook. Knows nothing about playbooks or roles.
"""

import json
from collections.abc import Iterable, Mapping, Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.models import shorten
from acdl_mkdocs.prompts.prompt import Attachment, Call, Json, Message, Output, Part, Text
from acdl_mkdocs.prompts.providers import PROVIDERS, sniff

MAX_CHARACTERS = 4_000
"""Of one message; what is longer is cut in the middle."""
_OF_RESPONSES = ("function_call", "function_call_output", "reasoning", "message", "custom_tool_call")


@dataclass(frozen=True, slots=True)
class Conversation:
    """What an agent did."""

    text: str
    """Message by message: who said what, which tool was called with what, and what it answered."""
    said: str
    """Words of the agent alone."""
    last: str = ""
    """Its last words, where the conversation ends with them."""

    def ends_with_answer(self, answer: str) -> bool:
        """Whether the answer is what the agent said last, so that it need not be said again."""
        return bool(answer.strip()) and self.last.strip() == answer.strip()


def conversation(trajectory: str | Sequence[Mapping[str, Json]]) -> Conversation:
    """What an agent did, in words.

    Parameters:
        trajectory: Words as they are, or messages: of Chat Completions, Responses, Anthropic or Gemini.
    """
    if isinstance(trajectory, str):
        return Conversation(trajectory, trajectory)
    return conversation_of(messages_of(trajectory))


def messages_of(given: Sequence[Mapping[str, Json]]) -> tuple[Message, ...]:
    """The messages of a list of JSON objects."""
    items: list[Json] = [dict(each) for each in given]
    is_responses = any(isinstance(each, dict) and each.get("type") in _OF_RESPONSES for each in items)
    is_gemini = any(isinstance(each, dict) and "parts" in each for each in items)
    body: dict[str, Json] = {"input" if is_responses else "contents" if is_gemini else "messages": items}
    found = sniff(body) or ""
    return PROVIDERS[found if found in PROVIDERS else "openai"].read(body).prompt.messages


def conversation_of(messages: Iterable[Message]) -> Conversation:
    """The same for messages that were read already."""
    lines: list[str] = []
    said: list[str] = []
    last = ""
    for message in messages:
        if message.role == "system":
            continue
        words = _text(message.parts)
        last = words if message.role == "assistant" else ""
        if last:
            said.append(last)
        lines += [shorten(each, MAX_CHARACTERS) for each in _lines(message, words)]
    return Conversation("\n".join(lines), "\n".join(said), last)


def _lines(message: Message, words: str) -> Iterable[str]:
    if words:
        yield f"{message.name or message.role}: {words}"
    for part in message.parts:
        match part:
            case Call():
                yield f"{message.role} calls {part.tool}({json.dumps(dict(part.args), ensure_ascii=False)})"
            case Output():
                said = _text(part.parts)
                yield f"{part.tool or 'tool'} {'failed' if part.is_error else 'answers'}: {said}"
            case Attachment():
                yield f"{message.role}: ({part.type} {part.name or ''})".replace(" )", ")")


def _text(parts: Iterable[Part]) -> str:
    return "\n".join(part.text for part in parts if isinstance(part, Text) and part.text.strip())

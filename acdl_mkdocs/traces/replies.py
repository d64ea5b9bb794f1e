"""`reply_of()`: what a model answered to a recorded request, as messages like those of a request.

Knows the shapes of whole answers, which hold messages as the requests of the same format do; reads nothing else.
"""

from collections.abc import Sequence

from acdl_mkdocs.prompts.prompt import Call, Json, Message, Text
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.traces.asked import asked_by
from acdl_mkdocs.traces.recorded import Answer, Recorded
from acdl_mkdocs.traces.units import squeezed


def reply_of(recorded: Recorded) -> tuple[Message, ...]:
    """The messages of the model's answer; none where no whole answer was recorded."""
    body = _as_request(recorded.format, recorded.reply) if isinstance(recorded.reply, dict) else None
    if body is None:
        return ()
    return tuple(each for each in PROVIDERS[recorded.format].read(body).prompt.messages if each.role == "assistant")


def answer_of(recorded: Recorded) -> Answer | None:
    """What the model answered, in short; `None` where no whole answer was recorded."""
    if recorded.answer is not None:
        return recorded.answer
    messages = reply_of(recorded)
    if not messages:
        return None
    last = recorded.request.messages[-1:]
    beginning = last[0] if last and last[0].role == "assistant" else None
    calls = [part for message in messages for part in message.parts if isinstance(part, Call)]
    return Answer(_words(messages), tuple(asked_by(calls)), "" if beginning is None else _words((beginning,)))


def _words(messages: Sequence[Message]) -> str:
    parts = (part for message in messages for part in message.parts if isinstance(part, Text))
    return squeezed("\n".join(part.text for part in parts))


def _as_request(format: str, reply: dict[str, Json]) -> dict[str, Json] | None:
    """A request whose only messages are those of an answer."""
    if format == "openai":
        message = _first(reply.get("choices")).get("message")
        return {"messages": [message]} if isinstance(message, dict) else None
    if format == "anthropic" and isinstance(reply.get("content"), list):
        return {"messages": [{"role": "assistant", "content": reply["content"]}]}
    if format == "gemini":
        content = _first(reply.get("candidates")).get("content")
        return {"contents": [{"role": "model", **content}]} if isinstance(content, dict) else None
    if format == "responses" and isinstance(reply.get("output"), list):
        return {"input": reply["output"]}
    return None


def _first(values: Json) -> dict[str, Json]:
    first = values[0] if isinstance(values, list) and values else None
    return first if isinstance(first, dict) else {}
